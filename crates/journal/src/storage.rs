//! What a storage engine promises.
//!
//! J1  `append` returns `Durable` only after the records would survive `kill -9` and loss of power.
//! J2  A batch is one durable commit, whatever the number of rooms in it; it is stored whole or not at all.
//! J3  A room's revisions have no gaps: an append whose base is not the room's head is `Fenced` and changes nothing.
//! J4  After `StorageError::SyncFailed` nothing is known of the last batch; the engine refuses all further appends.
//! J5  Snapshots are derived: losing one costs time at the next opening, never data.
//! J6  Damage to one room's records stops that room and no other.
//! J7  Records are the history of a room, who did what when: they are kept as long as the room, and the room can be
//!     seen as it was at every revision; unless somebody asks to [forget](Storage::forget_before) what is old. Then
//!     that holds from the history's base on, at which a snapshot stays.
//! J8  What is said in a room's chat survives as its records do (J1), and goes with the room. It is no part of the
//!     history, and damage to it stops nothing.
//! J9  A room's images are kept beside its records, as long as the room: the documents of its history may name them.
//!     `Stored` says what J1 says of records.
//! J10 A snapshot is there from its last piece on. One that is broken off, wherever, leaves those before it as they are.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use quadrille_protocol::{Incarnation, Revision, RoomName};

/// A room as one engine numbers it. Never reused, also after the room was deleted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RoomKey(pub u64);

/// What is known of a room when it is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    pub key: RoomKey,
    pub incarnation: Incarnation,
    /// Zero for a room that was never written to; such a room takes no place on the disk.
    pub head: Revision,
    /// Where the history begins: the last revision whose record is no longer kept, 0 while all are.
    pub base: Revision,
}

/// Records that follow `base` in one room, in order.
#[derive(Clone, Debug)]
pub struct Append {
    pub room: RoomKey,
    /// The revision that the first of `records` follows.
    pub base: Revision,
    /// At least one; the bytes of `protocol::Record`.
    pub records: Vec<Arc<[u8]>>,
    /// Milliseconds since 1970-01-01 UTC, for the list of rooms.
    pub time_ms: i64,
}

impl Append {
    /// The revision of the last record.
    pub fn head(&self) -> Revision {
        Revision(self.base.0 + self.records.len() as u64)
    }
}

/// What became of one [`Append`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Durable {
        head: Revision,
    },
    /// Somebody else wrote to the room or deleted it: drop it from memory and open it anew.
    Fenced,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRecord {
    pub revision: Revision,
    pub bytes: Arc<[u8]>,
}

/// A room's document and side tables as of a revision; bytes are the room's business.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    pub revision: Revision,
    pub bytes: Arc<[u8]>,
}

/// What is needed to open a room: the newest usable snapshot and every record after it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loaded {
    pub snapshot: Option<Snapshot>,
    pub records: Vec<StoredRecord>,
}

/// Something said in a room's chat; the bytes of `protocol::ChatMessage`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredChatMessage {
    pub room: RoomKey,
    pub number: u64,
    pub bytes: Arc<[u8]>,
    /// Chat messages up to this number are of no more use.
    pub forget_up_to: u64,
}

/// Names a image: the SHA-256 of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImageId(pub [u8; 32]);

/// A image that cells of a room show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    pub id: ImageId,
    pub bytes: Arc<[u8]>,
}

/// What became of a image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImagePut {
    Stored,
    /// The room had it already.
    Known,
    /// With it, the images of the room would take more than is allowed.
    TooMuch,
}

/// One line of the list of rooms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomInfo {
    pub name: RoomName,
    pub head: Revision,
    pub created_ms: i64,
    pub changed_ms: i64,
}

/// How much of a room's history is kept. Without either, everything is; with both, the stricter holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retention {
    pub days: Option<u32>,
    pub revisions_max: Option<u64>,
}

impl Retention {
    pub fn is_everything(&self) -> bool {
        *self == Retention::default()
    }
}

const DAY_MS: i64 = 86_400_000;

/// Bytes of records read at once on the way to an old revision.
const HISTORY_PIECE_BYTES: usize = 1 << 20;

/// Which snapshots of a room to keep, by their revisions from the newest down: the last two, because the newest may be
/// damaged, the oldest, and of those between them ever fewer: one goes when the one before it is less than twice as
/// far back as the one after it. So a room of n revisions keeps about 2 log₂ n of them, and an old revision is about as
/// near to a snapshot before it as to now.
pub fn rows_to_keep(newest_first: &[Revision]) -> Vec<bool> {
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

/// Reads what may be big, on another thread, while the storage commits. What is asked for may be gone by then.
pub trait BlobReader: Send {
    /// The newest usable snapshot that is not after `up_to`.
    fn snapshot(&mut self, room: RoomKey, up_to: Revision) -> Result<Option<Snapshot>, StorageError>;

    /// As [`Storage::image`].
    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError>;

    /// Does most of what [`Storage::settle`] has to do, which is then quick.
    fn settle(&mut self) -> Result<(), StorageError> {
        Ok(())
    }
}

/// A storage engine. One caller at a time; it may block.
pub trait Storage: Send {
    /// A reader beside it. `None`: whoever wants to read asks the storage itself.
    fn reader(&self) -> Result<Option<Box<dyn BlobReader>>, StorageError> {
        Ok(None)
    }

    /// True when so much was stored where storing is quick that it is time to bring it to its place.
    fn has_to_settle(&self) -> bool {
        false
    }

    /// Brings it there. Everything is durable before and after.
    fn settle(&mut self) -> Result<(), StorageError> {
        Ok(())
    }

    /// Opens a room, known or new. A new one is stored with its first record.
    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError>;

    /// The room if anything was ever written to it.
    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError>;

    /// Stores a batch over any number of rooms; one outcome per append, in order (J1 to J4).
    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError>;

    /// What is needed to open the room.
    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError>;

    /// Records after a revision, oldest first: at most `bytes_max` of them together, but at least one if
    /// there is any.
    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError>;

    /// The newest usable snapshot that is not after `revision`. An engine that keeps none finds none.
    fn snapshot_before(
        &mut self,
        _room: RoomKey,
        _revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        Ok(None)
    }

    /// What is needed to see the room as it was at a revision: the nearest snapshot before it, and the records from
    /// there up to it (J7). Fewer, when the room has never come so far.
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

    /// Keeps a snapshot, piece by piece: writes at most `bytes_max` bytes of it, those from `from` on, and gives how far
    /// it is written then. With its last byte it is there (J10), and older ones are thinned out as [`which_to_keep`] says;
    /// records are not. Whoever begins one anew begins at 0.
    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError>;

    /// As [`put_piece`](Storage::put_piece), in one.
    fn put_snapshot(&mut self, room: RoomKey, snapshot: &Snapshot) -> Result<(), StorageError> {
        self.put_piece(room, snapshot, 0, usize::MAX).map(|_| ())
    }

    /// As [`Claim::base`].
    fn base(&mut self, _room: RoomKey) -> Result<Revision, StorageError> {
        Ok(Revision(0))
    }

    /// The revisions of the snapshots that are kept, newest first.
    fn snapshot_revisions(&mut self, _room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        Ok(Vec::new())
    }

    /// When a revision was stored; `None` when its record is not kept.
    fn time_of(&mut self, _room: RoomKey, _revision: Revision) -> Result<Option<i64>, StorageError> {
        Ok(None)
    }

    /// Drops the records up to and with `base` and the snapshots before it. There must be a readable snapshot of
    /// `base`, which stays. An engine may keep some more.
    fn forget_before(&mut self, _room: RoomKey, _base: Revision) -> Result<(), StorageError> {
        Ok(())
    }

    /// Drops what need not be kept of a room's history; where it begins then. Whether anything goes depends on where
    /// snapshots are.
    fn retain(&mut self, room: RoomKey, keep: &Retention, now_ms: i64) -> Result<Revision, StorageError> {
        let base = self.base(room)?;
        let revisions = self.snapshot_revisions(room)?;
        let Some(newest) = revisions.first().copied().filter(|_| !keep.is_everything()) else {
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

    /// What is kept of a room's chat, oldest first (J8). An engine that keeps none has none.
    fn chat_messages(&mut self, _room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        Ok(Vec::new())
    }

    /// Stores chat messages of any number of rooms in one durable commit. Those of rooms without a record are passed over:
    /// the room has been deleted meanwhile.
    fn send_chat_message(&mut self, _remarks: &[StoredChatMessage]) -> Result<(), StorageError> {
        Err(StorageError::Engine { reason: "this storage keeps no chat".into() })
    }

    /// Forgets a room with all its records. A room of that name claimed later is a new one. What it took on the disk may
    /// be given back by [`compact`](Storage::compact), piece by piece.
    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError>;

    /// Keeps a image of a room that has records (J9). Those of the room may take `bytes_max` together.
    fn put_image(
        &mut self,
        _room: RoomKey,
        _image: &Image,
        _bytes_max: u64,
    ) -> Result<ImagePut, StorageError> {
        Err(StorageError::Engine { reason: "it stores no images".into() })
    }

    /// The bytes of a image; `None` when the room has none of that name, or it is not as it was written.
    fn image(&mut self, _room: RoomKey, _id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        Ok(None)
    }

    /// All rooms with at least one record, by name.
    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError>;

    /// Does a bounded piece of housekeeping; whether there is more to do at once.
    fn compact(&mut self) -> Result<bool, StorageError> {
        Ok(false)
    }
}

/// What can go wrong with a disk.
#[derive(Debug)]
pub enum StorageError {
    /// Another process holds the data directory.
    InUse {
        path: PathBuf,
    },
    /// The data directory cannot be made, read or written.
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
    /// No room on the disk. Nothing of the batch was stored; it may be tried again.
    Full,
    /// Whether the last batch is durable is unknown. The process must end (J4).
    SyncFailed {
        reason: String,
    },
    /// A record, or what leads to it, is not as it was written (J6).
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
    /// The record was dropped, as [`Retention`] says.
    Forgotten {
        base: Revision,
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
            StorageError::Engine { reason } => write!(f, "storage engine: {reason}"),
        }
    }
}

impl std::error::Error for StorageError {}
