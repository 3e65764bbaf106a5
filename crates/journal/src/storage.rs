//! [`Storage`]: the interface and the guarantees of a storage engine.
//!
//! - **J1** `append` returns `Durable` only after the records would survive `kill -9` and loss of
//!   power.
//! - **J2** A batch is one durable commit, whatever the number of rooms in it; it is stored
//!   completely or not at all.
//! - **J3** A room's revisions have no gaps: an append whose base is not the room's head is
//!   `Fenced` and changes nothing.
//! - **J4** After `StorageError::SyncFailed` the state of the last batch is unknown; the engine
//!   refuses all further appends.
//! - **J5** Snapshots are derived: losing one costs time at the next opening, never data.
//! - **J6** Damage to one room's records stops that room and no other.
//! - **J7** Records are the history of a room: who changed what and when. They are kept as long as
//!   the room, and the room can be restored at every revision, unless old records are
//!   [dropped](Storage::forget_before) on request. Then this holds from the history's base on,
//!   where a snapshot is kept.
//! - **J8** Messages of a room's chat survive as its records do (J1) and are deleted with the room.
//!   They are not part of the history, and damage to them stops nothing.
//! - **J9** Images of a room are stored beside its records as long as the room exists, because
//!   documents in its history may refer to them. `Stored` guarantees what J1 guarantees for
//!   records.
//! - **J10** A snapshot exists once its last piece is written. An interrupted snapshot leaves
//!   earlier ones unchanged.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use quadrille_protocol::{Incarnation, Revision, RoomName};

use crate::availability::Availability;
use crate::object_reference::ObjectReference;
use crate::owned_rooms::OwnedRooms;
use crate::peers::{Peers, ProcessLoad, RoomOwner};
use crate::room_key::RoomKey;
use crate::room_parts::RoomParts;

/// The state of a room when it is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    pub key: RoomKey,
    pub incarnation: Incarnation,
    /// Zero for a room without records; such a room takes no space on disk.
    pub head: Revision,
    /// Start of the history: the last revision whose record was dropped, or 0.
    pub base: Revision,
}

/// Consecutive records of one room that follow `base`.
#[derive(Clone, Debug)]
pub struct Append {
    pub room: RoomKey,
    /// Revision before the first of `records`.
    pub base: Revision,
    /// At least one record; the bytes of `protocol::Record`.
    pub records: Vec<Arc<[u8]>>,
    /// Milliseconds since 1970-01-01 UTC; shown in the list of rooms.
    pub time_ms: i64,
}

impl Append {
    /// Returns the revision of the last record.
    pub fn head(&self) -> Revision {
        Revision(self.base.0 + self.records.len() as u64)
    }
}

/// The result of one [`Append`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Durable {
        head: Revision,
    },
    /// Another process wrote to the room or deleted it. The room must be dropped from memory and
    /// opened again.
    Fenced,
}

/// A record with its revision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRecord {
    pub revision: Revision,
    /// When it was stored, in milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    pub bytes: Arc<[u8]>,
}

/// A room that is copied from another storage.
#[derive(Clone, Copy, Debug)]
pub struct CopiedRoom<'a> {
    pub name: &'a RoomName,
    /// The number that it gets: that of its incarnation, so that clients do not notice the copy, or a
    /// random one. Less than 2^53.
    pub key: RoomKey,
    pub created_ms: i64,
    /// When the room was changed last, if its records do not tell because they were all dropped.
    pub changed_ms: i64,
    /// The snapshot at which the history begins; `None` for a history that begins at revision 0.
    pub base: Option<&'a Snapshot>,
}

/// The bytes of a room snapshot and its revision. The room encodes and decodes them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    pub revision: Revision,
    pub bytes: Arc<[u8]>,
}

/// The data to open a room: the newest usable snapshot and every record after it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loaded {
    pub snapshot: Option<Snapshot>,
    pub records: Vec<StoredRecord>,
}

/// A message of a room's chat; the bytes of `protocol::ChatMessage`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredChatMessage {
    pub room: RoomKey,
    pub number: u64,
    pub bytes: Arc<[u8]>,
    /// Messages up to this number are deleted.
    pub forget_up_to: u64,
}

/// Identity of an image: the SHA-256 of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImageId(pub [u8; 32]);

/// An image that a room's cells or objects show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    pub id: ImageId,
    pub bytes: Arc<[u8]>,
}

/// The result of storing an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImagePut {
    Stored,
    /// The room already has the image.
    Known,
    /// The images of the room would exceed the limit.
    TooMuch,
}

/// An entry of the list of rooms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomInfo {
    pub name: RoomName,
    pub head: Revision,
    pub created_ms: i64,
    pub changed_ms: i64,
}

/// What a room takes in the storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomUsage {
    pub head: Revision,
    pub changed_ms: i64,
    /// Bytes of records, snapshots, chat messages and images, without the overhead of the engine.
    pub bytes: u64,
}

/// How much of a room's history is kept. Without a limit, all of it; with both limits, the stricter
/// one applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retention {
    pub days: Option<u32>,
    pub revisions_max: Option<u64>,
}

impl Retention {
    /// Returns whether the whole history is kept.
    pub fn keeps_everything(&self) -> bool {
        *self == Retention::default()
    }
}

const DAY_MS: i64 = 86_400_000;

/// Bytes of records that are read at once to restore an old revision.
const HISTORY_PIECE_BYTES: usize = 1 << 20;

/// Returns for each snapshot of a room, given by revision from the newest down, whether to keep it.
///
/// The last two are kept, because the newest may be damaged, and the oldest. Between them a
/// snapshot is dropped if the one before it is less than twice as far back as the one after it. So
/// a room of n revisions keeps about 2 log₂ n snapshots, and the distance of an old revision to the
/// snapshot before it is proportional to its age.
pub fn snapshots_to_keep(newest_first: &[Revision]) -> Vec<bool> {
    let Some(newest) = newest_first.first() else { return Vec::new() };
    let mut kept_age = 0;
    let mut keep = Vec::with_capacity(newest_first.len());
    for (index, revision) in newest_first.iter().enumerate() {
        let is_spared = match newest_first.get(index + 1) {
            Some(older) => newest.0 - older.0 > 2 * kept_age,
            None => true,
        };
        keep.push(index < 2 || is_spared);
        if index < 2 || is_spared {
            kept_age = newest.0 - revision.0;
        }
    }
    keep
}

/// Reads large values on another thread while the storage commits. A value may have been deleted
/// since it was requested.
pub trait BlobReader: Send {
    /// Returns the newest usable snapshot that is not after `up_to`.
    fn snapshot(&mut self, room: RoomKey, up_to: Revision) -> Result<Option<Snapshot>, StorageError>;

    /// Like [`Storage::image`].
    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError>;

    /// Like [`Storage::object_references`].
    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        Ok(Vec::new())
    }

    /// Returns the other process to which a room belongs, if one has it.
    fn owner(&mut self, _room: &RoomName) -> Result<Option<RoomOwner>, StorageError> {
        Ok(None)
    }

    /// Does most of the work of [`Storage::checkpoint`], which then takes little time.
    fn checkpoint(&mut self) -> Result<(), StorageError> {
        Ok(())
    }
}

/// Called with the outcomes of a batch, one per append. Must return at once.
pub type Committed = Box<dyn FnOnce(Result<Vec<Outcome>, StorageError>) + Send>;

/// How an append of a single room begins that is written beside other calls of the storage.
pub enum LargeAppend {
    /// The storage does not write it so, now or ever: it is appended as any other.
    Refused,
    /// As [`Outcome::Fenced`]; nothing changes.
    Fenced,
    /// The records are stored by `write`. The room has its old head until the append ends.
    Begun {
        /// The name of the room.
        room: RoomName,
        write: LargeWrite,
    },
}

/// Stores the records of a large append, on any thread. Returns whether they are durable (J1); if not, nothing was
/// stored, and the append may be repeated as any other. After [`StorageError::Full`] nothing was stored either;
/// after other errors that is unknown (J4).
pub type LargeWrite = Box<dyn FnOnce() -> Result<bool, StorageError> + Send>;

/// A storage engine. It has one caller at a time and may block.
pub trait Storage: Send {
    /// Returns whether the storage answers, for other threads. `None`: it is always there, or fails for
    /// good.
    fn availability(&self) -> Option<Availability> {
        None
    }

    /// Returns which rooms are in which of the storages that this one consists of, for other threads. `None`: it
    /// has only one part, with number 0.
    fn parts(&self) -> Option<RoomParts> {
        None
    }

    /// Returns the rooms that this process has claimed, for other threads, if the storage has several
    /// processes at the same time. `None`: it has one, to which all rooms belong.
    fn owned_rooms(&self) -> Option<OwnedRooms> {
        None
    }

    /// Returns who tells the end of the other processes with the same storage. `None`: there are none.
    fn peers(&self) -> Option<Peers> {
        None
    }

    /// Returns a reader for another thread. `None`: all reads go through the storage.
    fn reader(&self) -> Result<Option<Box<dyn BlobReader>>, StorageError> {
        Ok(None)
    }

    /// Returns whether the write-ahead log is so large that [`checkpoint`](Self::checkpoint) is due.
    fn needs_checkpoint(&self) -> bool {
        false
    }

    /// Moves the contents of the write-ahead log to their final place. All records are durable before
    /// and after.
    fn checkpoint(&mut self) -> Result<(), StorageError> {
        Ok(())
    }

    /// Opens an existing or new room. A new room is stored with its first record. In a storage with several
    /// processes the room belongs to this one until it is [released](Storage::release); fails with
    /// [`StorageError::Elsewhere`] when it belongs to another.
    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError>;

    /// Ends the claim of a room that is no longer in memory.
    fn release(&mut self, _room: RoomKey) -> Result<(), StorageError> {
        Ok(())
    }

    /// Like [`release`](Storage::release), but the room then belongs to the process at `url`, which claims it
    /// when it is asked for it. Without such a process the room is free.
    fn hand_over(&mut self, room: RoomKey, _url: &str) -> Result<(), StorageError> {
        self.release(room)
    }

    /// Returns how many rooms each process with the same storage has. Empty: there is only this one.
    fn loads(&mut self) -> Result<Vec<ProcessLoad>, StorageError> {
        Ok(Vec::new())
    }

    /// Returns the room if it has records.
    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError>;

    /// Stores a batch of records of any number of rooms. Returns one outcome per append, in order
    /// (J1 to J4). An engine on another machine waits while that is away, and stores the batch once.
    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError>;

    /// Like [`append`](Storage::append) for rooms of one [part](Storage::parts). A storage with parts returns at
    /// once and stores the batch on a thread of the part, in the order of the calls, so that the parts do not
    /// wait for one another.
    fn submit(&mut self, _part: usize, batch: &[Append], committed: Committed) {
        committed(self.append(batch));
    }

    /// Whether large appends can be written on another thread.
    fn has_large_appends(&self) -> bool {
        false
    }

    /// Begins a large append, which is written on another thread while the storage is used. Until
    /// [`finish_large`](Storage::finish_large) the room is read as it was, an append to it is fenced, and
    /// maintenance rests. If the room is deleted meanwhile, the large append is fenced, too.
    fn begin_large(&mut self, _append: &Append) -> Result<LargeAppend, StorageError> {
        Ok(LargeAppend::Refused)
    }

    /// Ends a large append with the result of its writing. Returns its outcome, as [`append`](Storage::append)
    /// does; `None` if nothing was stored and the append is to be repeated as any other. After an error its
    /// room is to be opened again.
    fn finish_large(
        &mut self,
        room: RoomKey,
        written: Result<bool, StorageError>,
    ) -> Result<Option<Outcome>, StorageError> {
        written.and(Err(StorageError::UnknownRoom { room }))
    }

    /// Returns the data to open the room.
    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError>;

    /// Returns records after a revision, oldest first: at most `bytes_max` bytes together, but at
    /// least one record if there is any. Fails with [`StorageError::Forgotten`] if they were
    /// dropped.
    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError>;

    /// Returns the newest usable snapshot that is not after `revision`. An engine without snapshots
    /// returns `None`.
    fn snapshot_before(
        &mut self,
        _room: RoomKey,
        _revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        Ok(None)
    }

    /// Returns the data to restore the room at a revision: the nearest snapshot before it and the
    /// records up to it (J7). If the room has not reached that revision, all its records are
    /// returned.
    fn load_at(&mut self, room: RoomKey, revision: Revision) -> Result<Loaded, StorageError> {
        let snapshot = self.snapshot_before(room, revision)?;
        let mut read = snapshot.as_ref().map_or(Revision(0), |snapshot| snapshot.revision);
        let mut records = Vec::new();
        while read < revision {
            let piece = self.tail(room, read, HISTORY_PIECE_BYTES)?;
            let Some(last) = piece.last() else { break };
            read = last.revision;
            records.extend(piece.into_iter().filter(|record| record.revision <= revision));
        }
        Ok(Loaded { snapshot, records })
    }

    /// Writes one piece of a snapshot: at most `bytes_max` bytes from offset `from` on. Returns the
    /// offset after the piece. With its last byte the snapshot exists (J10), and older ones are
    /// deleted as [`snapshots_to_keep`] determines; records are not. A restarted snapshot begins at
    /// 0.
    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError>;

    /// Like [`put_piece`](Storage::put_piece), with the whole snapshot as one piece.
    fn put_snapshot(&mut self, room: RoomKey, snapshot: &Snapshot) -> Result<(), StorageError> {
        self.put_piece(room, snapshot, 0, usize::MAX).map(|_| ())
    }

    /// Returns the start of the history, as in [`Claim::base`].
    fn base(&mut self, _room: RoomKey) -> Result<Revision, StorageError> {
        Ok(Revision(0))
    }

    /// Returns the revisions of the stored snapshots, newest first.
    fn snapshot_revisions(&mut self, _room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        Ok(Vec::new())
    }

    /// Returns the time at which a revision was stored; `None` if its record was dropped.
    fn time_of(&mut self, _room: RoomKey, _revision: Revision) -> Result<Option<i64>, StorageError> {
        Ok(None)
    }

    /// Drops the records up to and including `base` and the snapshots before it. A readable
    /// snapshot at `base` must exist and is kept. An engine may keep more.
    fn forget_before(&mut self, _room: RoomKey, _base: Revision) -> Result<(), StorageError> {
        Ok(())
    }

    /// Drops the part of a room's history that `keep` does not require. Returns the start of the
    /// history. The history can only start at a snapshot, so it may keep more than required.
    fn retain(&mut self, room: RoomKey, keep: &Retention, now_ms: i64) -> Result<Revision, StorageError> {
        let base = self.base(room)?;
        let revisions = self.snapshot_revisions(room)?;
        let Some(newest) = revisions.first().copied().filter(|_| !keep.keeps_everything()) else {
            return Ok(base);
        };
        for revision in revisions.into_iter().filter(|revision| *revision > base) {
            let is_beyond = keep.revisions_max.is_some_and(|max| newest.0 - revision.0 >= max);
            let oldest_ms = keep.days.map(|days| now_ms - i64::from(days) * DAY_MS);
            let is_old = match oldest_ms {
                Some(oldest_ms) if !is_beyond => {
                    self.time_of(room, revision)?.is_some_and(|time_ms| time_ms < oldest_ms)
                }
                _ => false,
            };
            if is_beyond || is_old {
                self.forget_before(room, revision)?;
                return self.base(room);
            }
        }
        Ok(base)
    }

    /// Returns the stored messages of a room's chat, oldest first (J8). An engine without chat
    /// returns none.
    fn chat_messages(&mut self, _room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        Ok(Vec::new())
    }

    /// Stores messages of any number of rooms in one durable commit. Messages of rooms without
    /// records are ignored: the room has been deleted in the meantime.
    fn put_chat_messages(&mut self, _chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        Err(StorageError::Engine { reason: "this storage keeps no chat".into() })
    }

    /// Deletes a room with all its records. A room of that name claimed later is a new room. Its
    /// disk space may be released later by [`compact`](Storage::compact), piece by piece.
    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError>;

    /// Stores an image of a room that has records (J9). The images of the room may take `bytes_max`
    /// bytes together.
    fn put_image(
        &mut self,
        _room: RoomKey,
        _image: &Image,
        _bytes_max: u64,
    ) -> Result<ImagePut, StorageError> {
        Err(StorageError::Engine { reason: "this storage keeps no images".into() })
    }

    /// Returns the bytes of an image; `None` if the room has no such image or its bytes are
    /// damaged.
    fn image(&mut self, _room: RoomKey, _id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        Ok(None)
    }

    /// Returns the identities of the images of a room, in their order.
    fn image_ids(&mut self, _room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
        Ok(Vec::new())
    }

    /// Claims a room for a copy from another storage, under the number that the caller chooses. A room
    /// with that name and number may exist, as an earlier copy has left it.
    fn claim_copy(&mut self, _room: &CopiedRoom<'_>) -> Result<Claim, StorageError> {
        Err(StorageError::Engine { reason: "this storage cannot be copied to".into() })
    }

    /// Returns a property of the storage as a whole, such as its identity.
    fn property(&mut self, _name: &str) -> Result<Option<String>, StorageError> {
        Ok(None)
    }

    /// Stores a property unless the storage has it. Returns the stored value.
    fn put_property(&mut self, _name: &str, _value: &str) -> Result<String, StorageError> {
        Err(StorageError::Engine { reason: "this storage keeps no properties".into() })
    }

    /// Stores, replaces or with `None` removes a property.
    fn set_property(&mut self, _name: &str, _value: Option<&str>) -> Result<(), StorageError> {
        Err(StorageError::Engine { reason: "this storage keeps no properties".into() })
    }

    /// Returns the properties whose names begin with a prefix, at most `count`, by name.
    fn properties(&mut self, _prefix: &str, _count: usize) -> Result<Vec<(String, String)>, StorageError> {
        Ok(Vec::new())
    }

    /// Returns the references to objects that the storage has instead of snapshots and images.
    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        Ok(Vec::new())
    }

    /// Returns whether the data of a deleted room with this number are still being removed by
    /// [`compact`](Storage::compact): no copy may get the number before.
    fn is_being_removed(&mut self, _room: RoomKey) -> Result<bool, StorageError> {
        Ok(false)
    }

    /// Returns the highest number that a room was ever given here.
    fn last_key(&mut self) -> Result<RoomKey, StorageError> {
        Ok(RoomKey(0))
    }

    /// Returns the highest number of each of the ranges from which new rooms get theirs.
    fn last_keys(&mut self) -> Result<Vec<RoomKey>, StorageError> {
        Ok(vec![self.last_key()?])
    }

    /// Gives new rooms higher numbers than this one, or at least numbers that no room has.
    fn reserve_keys(&mut self, _up_to: RoomKey) -> Result<(), StorageError> {
        Ok(())
    }

    /// Returns all rooms with at least one record, by name.
    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError>;

    /// Returns a page of [`rooms`](Storage::rooms): at most `count` after `after`.
    fn rooms_after(&mut self, after: Option<&RoomName>, count: usize) -> Result<Vec<RoomInfo>, StorageError> {
        let rooms = self.rooms()?.into_iter();
        Ok(rooms.filter(|info| after.is_none_or(|after| info.name > *after)).take(count).collect())
    }

    /// Returns the entry of a room in [`rooms`](Storage::rooms); `None` if it has no records.
    fn info(&mut self, room: &RoomName) -> Result<Option<RoomInfo>, StorageError> {
        Ok(self.rooms()?.into_iter().find(|info| info.name == *room))
    }

    /// Returns what a room takes; `None` if it has no records. An engine that cannot tell answers
    /// 0 bytes.
    fn usage(&mut self, room: &RoomName) -> Result<Option<RoomUsage>, StorageError> {
        let Some(claim) = self.find(room)? else { return Ok(None) };
        Ok(Some(RoomUsage { head: claim.head, changed_ms: 0, bytes: 0 }))
    }

    /// Returns whether there may be maintenance although nothing was appended.
    fn is_maintenance_due(&self) -> bool {
        false
    }

    /// Does a bounded amount of maintenance. Returns whether there is more to do.
    fn compact(&mut self) -> Result<bool, StorageError> {
        Ok(false)
    }
}

/// An error of a storage engine.
#[derive(Debug)]
pub enum StorageError {
    /// Another process has locked the data directory.
    InUse {
        path: PathBuf,
    },
    /// The data directory cannot be created, read or written.
    Inaccessible {
        path: PathBuf,
        reason: String,
    },
    /// Written by a newer version of the program.
    NewerFormat {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    /// The disk is full. No part of the batch was stored; the append may be tried again.
    Full,
    /// It is unknown whether the last batch is durable. The process must exit (J4).
    SyncFailed {
        reason: String,
    },
    /// A record, or the data to find it, is damaged (J6).
    Damaged {
        room: RoomKey,
        revision: Revision,
        reason: String,
    },
    /// The journal itself cannot be read.
    JournalDamaged {
        reason: String,
    },
    UnknownRoom {
        room: RoomKey,
    },
    /// The record was dropped because of [`Retention`].
    Forgotten {
        base: Revision,
    },
    /// The database of the engine cannot be reached now. Nothing is lost; the call may be repeated.
    Away {
        reason: String,
    },
    /// The object store with the bytes of snapshots and images cannot be reached now. The call may be repeated.
    ObjectsAway {
        reason: String,
    },
    /// An object is missing, or differs from what was stored.
    ObjectDamaged {
        reason: String,
    },
    /// Another process runs the room, and is reached at this URL; empty for a command that serves nobody.
    Elsewhere {
        url: String,
    },
    /// The engine refused for another reason.
    Engine {
        reason: String,
    },
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorageError::InUse { path } => {
                write!(f, "data directory is in use by another quadrille process: {}", path.display())
            }
            StorageError::Inaccessible { path, reason } => {
                write!(f, "cannot use data directory: {}: {reason}", path.display())
            }
            StorageError::NewerFormat { path, found, known } => write!(
                f,
                "written by a newer version of quadrille (format {found}, this one knows {known}): {}",
                path.display()
            ),
            StorageError::Full => write!(f, "no space left on the disk of the data directory"),
            StorageError::SyncFailed { reason } => {
                write!(
                    f,
                    "could not make the journal durable, whether the last edits are stored is unknown: {reason}"
                )
            }
            StorageError::Damaged { room, revision, reason } => {
                write!(
                    f,
                    "the stored room is damaged at revision {revision} (room number {}): {reason}; other rooms are \
                     not concerned; stop the server and run `quadrille check`, then `quadrille repair`",
                    room.0
                )
            }
            StorageError::JournalDamaged { reason } => write!(
                f,
                "the journal is damaged: {reason}; `quadrille check` tells more, `quadrille repair` what can be done"
            ),
            StorageError::UnknownRoom { room } => write!(f, "unknown room number: {}", room.0),
            StorageError::Forgotten { base } => {
                write!(f, "the history of this room is kept from revision {base} on")
            }
            StorageError::Away { reason } => {
                write!(f, "the database is away, changes wait until it is back: {reason}")
            }
            StorageError::ObjectsAway { reason } => write!(f, "the object storage does not answer: {reason}"),
            StorageError::ObjectDamaged { reason } => write!(f, "the object storage: {reason}"),
            StorageError::Elsewhere { url } if url.is_empty() => {
                write!(f, "a command works with the room at the moment")
            }
            StorageError::Elsewhere { url } => write!(f, "another server runs the room: {url}"),
            StorageError::Engine { reason } => write!(f, "storage engine: {reason}"),
        }
    }
}

impl std::error::Error for StorageError {}
