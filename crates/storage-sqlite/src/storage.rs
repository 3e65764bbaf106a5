//! `Storage` over the two files: rooms by name, appends, and what the rest of this crate hangs on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quadrille_journal::entry::Header;
use quadrille_journal::{
    Append, BlobReader, Claim, Image, ImageId, ImagePut, Loaded, Outcome, RoomInfo, RoomKey, Snapshot,
    Storage, StorageError, StoredChatMessage, StoredRecord, entry,
};
use quadrille_protocol::{Incarnation, Revision, RoomName};
use rusqlite::{ErrorCode, OptionalExtension, params};

use crate::error::engine;
use crate::open::{DamagedWal, Files};
use crate::reader::{Reader, checkpoint, read_image, read_snapshot};
use crate::row_checksums::RoomRow;
use crate::{open, row_checksums};

/// The write-ahead log of `journal.db` is brought into the file from here on, as SQLite by itself would. A log that
/// does not grow is written over from its beginning, which syncs several times as quickly as writing on.
const WAL_BYTES: usize = 4 << 20;
/// What a commit writes beside its records, about: the ends of three trees.
const COMMIT_BYTES: usize = 3 * 4_096;

/// The log is left alone below this size; start-up reads it whole.
const LOG_BYTES_MIN: usize = 16 << 20;

/// The embedded storage. Blocks while it syncs, so give it a thread of its own.
pub struct SqliteStorage {
    pub(crate) directory: PathBuf,
    pub(crate) files: Files,
    /// Rooms that were claimed, or have records in the log.
    pub(crate) rooms: BTreeMap<RoomKey, Room>,
    /// Rooms claimed but not yet written to; they have no row.
    unwritten: BTreeMap<RoomName, RoomKey>,
    pub(crate) next_key: u64,
    /// The next row of the log; above those that are gone, and are told of by their directories.
    pub(crate) next_row: i64,
    pub(crate) log_bytes: usize,
    /// Set when a sync failed (J4).
    failed: Option<String>,
    pub(crate) damaged_rows: BTreeMap<RoomKey, DamagedRow>,
    /// Rooms that have records and no name.
    pub(crate) nameless: BTreeSet<RoomKey>,
    /// The log has been read: what a room has in it is known.
    pub(crate) is_indexed: bool,
    /// Set when SQLite cannot read all of the names: no room is made then, it might be there.
    pub(crate) names_damage: Option<String>,
    /// Rows of the log that are damaged, or hold what a damaged room may get back: they are not removed.
    pub(crate) evidence: BTreeSet<i64>,
    /// Damage of which nobody can tell which rooms it concerns.
    pub(crate) unattributed: Vec<String>,
    /// Rooms with records from before their base, which go piece by piece.
    pub(crate) trims: BTreeSet<RoomKey>,
    /// Rooms that were deleted, and of which something is still there.
    pub(crate) gone: BTreeSet<RoomKey>,
    /// Pieces of snapshots that belong to none, and go by and by.
    pub(crate) loose: BTreeSet<(RoomKey, Revision)>,
    /// The snapshot of which pieces are written, and up to which byte.
    pub(crate) writing: Option<((RoomKey, Revision), usize)>,
    /// What is on its way from the log into the tails.
    pub(crate) moving: Option<Moving>,
    /// Something was written to `rooms.db` that is still to be brought from its write-ahead log into the file.
    pub(crate) is_to_checkpoint: bool,
    /// Bytes, about, that were written to the write-ahead log of `journal.db` since it was last brought into the file.
    wal_bytes: usize,
    /// What was found wrong and could be put right at once, for the log of the program.
    pub(crate) mended: Vec<String>,
}

pub(crate) struct Room {
    pub name: RoomName,
    pub head: Revision,
    /// Up to here the records are in the tail.
    pub head_in_tail: Revision,
    /// Up to here the records are not kept any more.
    pub base: Revision,
    pub changed_ms: i64,
    /// Records in the log, oldest first.
    pub in_log: Vec<LogPosition>,
    /// The first revision that cannot be read, and why: the room is not opened (J6).
    pub damage: Option<(Revision, String)>,
}

impl Room {
    /// The room is not opened any more; the first damage counts.
    pub fn stop(&mut self, revision: Revision, reason: String) {
        if self.damage.as_ref().is_none_or(|(first, _)| revision < *first) {
            self.damage = Some((revision, reason));
        }
    }
}

/// Where in the log a record lies.
#[derive(Clone, Copy)]
pub(crate) struct LogPosition {
    pub row: i64,
    /// Offset of the entry within the row.
    pub offset: usize,
    pub header: Header,
}

impl SqliteStorage {
    /// Opens or creates a data directory, and locks it until this value is dropped.
    pub fn open(directory: &Path) -> Result<SqliteStorage, StorageError> {
        let storage = SqliteStorage::open_damaged(directory, DamagedWal::Refused)?;
        match storage.unattributed.first() {
            None => Ok(storage),
            Some(damage) => Err(StorageError::JournalDamaged {
                reason: format!("{damage}, and nobody can tell which rooms have records there"),
            }),
        }
    }

    /// As [`open`](Self::open), also when nobody can tell which rooms a damage concerns: for looking at it.
    pub(crate) fn open_damaged(
        directory: &Path,
        damaged_wal: DamagedWal,
    ) -> Result<SqliteStorage, StorageError> {
        let mut storage = SqliteStorage {
            directory: directory.to_owned(),
            files: open::open(directory, damaged_wal)?,
            rooms: BTreeMap::new(),
            unwritten: BTreeMap::new(),
            next_key: 1,
            next_row: 1,
            log_bytes: 0,
            failed: None,
            damaged_rows: BTreeMap::new(),
            nameless: BTreeSet::new(),
            is_indexed: false,
            names_damage: None,
            evidence: BTreeSet::new(),
            unattributed: Vec::new(),
            trims: BTreeSet::new(),
            gone: BTreeSet::new(),
            loose: BTreeSet::new(),
            writing: None,
            moving: None,
            is_to_checkpoint: false,
            wal_bytes: open::wal_bytes(directory, open::JOURNAL),
            mended: Vec::new(),
        };
        storage.find_deleted()?;
        storage.index_names()?;
        storage.index_log()?;
        storage.find_loose_pieces()?;
        Ok(storage)
    }

    /// What opening has found wrong and put right, for whoever looks after the program.
    pub fn mended(&self) -> &[String] {
        &self.mended
    }

    /// What opening has found wrong and left, one line each: those rooms are not opened.
    pub fn damage(&self) -> Vec<String> {
        let rows = self.damaged_rows.iter().map(|(key, row)| {
            let names: Vec<&str> = row.names.iter().map(String::as_str).collect();
            format!("room number {}: its name is damaged; perhaps {}", key.0, names.join(" or "))
        });
        let records = self.rooms.values().filter_map(|room| {
            let (revision, reason) = room.damage.as_ref()?;
            Some(format!("room {}: revision {revision}: {reason}", room.name))
        });
        rows.chain(records).chain(self.names_damage.clone()).chain(self.unattributed.clone()).collect()
    }

    /// The room, unless it is unknown or must not be opened.
    pub(crate) fn sound(&self, key: RoomKey) -> Result<&Room, StorageError> {
        let room = self.rooms.get(&key).ok_or(StorageError::UnknownRoom { room: key })?;
        match room.damage.clone() {
            None => Ok(room),
            Some((revision, reason)) => Err(StorageError::Damaged { room: key, revision, reason }),
        }
    }

    fn key_of(&mut self, name: &RoomName) -> Result<Option<RoomKey>, StorageError> {
        let key: Option<i64> = self
            .files
            .journal
            .prepare_cached("SELECT id FROM room WHERE name = ?1")
            .and_then(|mut query| query.query_row([name.as_str()], |row| row.get(0)).optional())
            .map_err(engine)?;
        let Some(key) = key.map(|key| RoomKey(key as u64)) else {
            // It may be the one whose name is damaged. To make another would hide that one for good.
            let perhaps = self.damaged_rows.iter().find(|(_, row)| row.names.contains(name.as_str()));
            return match perhaps {
                Some((key, _)) => Err(StorageError::Damaged {
                    room: *key,
                    revision: Revision(0),
                    reason: "the row with its name is not as it was written".into(),
                }),
                None => Ok(None),
            };
        };
        let is_known = self.rooms.contains_key(&key) || self.open_room(key)?;
        if is_known && self.rooms[&key].name != *name {
            let reason = "the index of names leads to another room".to_owned();
            return Err(StorageError::Damaged { room: key, revision: Revision(0), reason });
        }
        Ok(is_known.then_some(key))
    }

    /// Stores one row of the log, and the names of rooms that are new, in one commit (J2).
    fn commit(&mut self, places: &[LogPosition], data: &[u8]) -> Result<i64, rusqlite::Error> {
        let transaction = self.files.journal.unchecked_transaction()?;
        for place in places.iter().filter(|place| place.header.revision == Revision(1)) {
            let room = &self.rooms[&place.header.room];
            let (id, created_ms) = (place.header.room.0 as i64, place.header.time_ms);
            let checksum = row_checksums::room_checksum(id, room.name.as_str(), created_ms);
            transaction
                .prepare_cached("INSERT INTO room (id, name, created_ms, checksum) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![id, room.name.as_str(), created_ms, checksum])?;
        }
        let row = self.next_row;
        transaction
            .prepare_cached("INSERT INTO log (id, data) VALUES (?1, ?2)")?
            .execute(params![row, data])?;
        let directory = row_checksums::write_directory(row, places.iter().map(|place| &place.header));
        transaction
            .prepare_cached("INSERT INTO directory (id, rooms) VALUES (?1, ?2)")?
            .execute(params![row, directory])?;
        transaction.commit()?;
        self.next_row += 1;
        Ok(row)
    }

    /// Which appends follow their room's head, counting the earlier ones of the batch (J3).
    fn accept(&self, batch: &[Append]) -> Vec<bool> {
        let mut heads: BTreeMap<RoomKey, Revision> = BTreeMap::new();
        let mut accepted = Vec::with_capacity(batch.len());
        for append in batch {
            debug_assert!(!append.records.is_empty());
            let head = match heads.get(&append.room) {
                Some(head) => Some(*head),
                None => self.sound(append.room).ok().map(|room| room.head),
            };
            let follows = head == Some(append.base);
            if follows {
                heads.insert(append.room, Revision(append.base.0 + append.records.len() as u64));
            }
            accepted.push(follows);
        }
        accepted
    }
}

impl Storage for SqliteStorage {
    fn reader(&self) -> Result<Option<Box<dyn BlobReader>>, StorageError> {
        Ok(Some(Box::new(Reader::open(&self.directory)?)))
    }

    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        if let Some(claim) = self.find(room)? {
            return Ok(claim);
        }
        if let Some(reason) = &self.names_damage {
            return Err(StorageError::JournalDamaged { reason: reason.clone() });
        }
        let key = match self.unwritten.get(room) {
            Some(key) => *key,
            None => {
                let key = RoomKey(self.next_key);
                self.next_key += 1;
                let new = Room {
                    name: room.clone(),
                    head: Revision(0),
                    head_in_tail: Revision(0),
                    base: Revision(0),
                    changed_ms: 0,
                    in_log: Vec::new(),
                    damage: None,
                };
                self.rooms.insert(key, new);
                self.unwritten.insert(room.clone(), key);
                key
            }
        };
        Ok(Claim { key, incarnation: Incarnation(key.0), head: Revision(0), base: Revision(0) })
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        let Some(key) = self.key_of(room)? else { return Ok(None) };
        let Room { head, base, .. } = self.rooms[&key];
        Ok(Some(Claim { key, incarnation: Incarnation(key.0), head, base }))
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        if let Some(reason) = &self.failed {
            return Err(StorageError::SyncFailed { reason: reason.clone() });
        }
        let accepted = self.accept(batch);
        if !accepted.contains(&true) {
            return Ok(vec![Outcome::Fenced; batch.len()]);
        }
        let mut data = Vec::new();
        let mut places = Vec::new();
        for (append, _) in batch.iter().zip(&accepted).filter(|(_, accepted)| **accepted) {
            let mut revision = append.base;
            for record in &append.records {
                revision = revision.next();
                let offset = data.len();
                let header = entry::write(&mut data, append.room, revision, append.time_ms, record);
                places.push(LogPosition { row: 0, offset, header });
            }
        }
        let row = self.commit(&places, &data).map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StorageError::Full,
            _ => {
                self.failed = Some(error.to_string());
                StorageError::SyncFailed { reason: error.to_string() }
            }
        })?;
        self.log_bytes += data.len();
        self.wal_bytes += data.len() + COMMIT_BYTES;
        for place in places {
            let room = self.rooms.get_mut(&place.header.room).expect("accepted above");
            self.unwritten.remove(&room.name);
            room.head = place.header.revision;
            room.changed_ms = place.header.time_ms;
            room.in_log.push(LogPosition { row, ..place });
        }
        let outcome = |(append, accepted): (&Append, bool)| match accepted {
            true => Outcome::Durable { head: Revision(append.base.0 + append.records.len() as u64) },
            false => Outcome::Fenced,
        };
        Ok(batch.iter().zip(accepted).map(outcome).collect())
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        let known = self.sound(room)?;
        let (head, base) = (known.head, known.base);
        let snapshot = read_snapshot(&self.files.rooms, room, head)?;
        let after = snapshot.as_ref().map_or(Revision(0), |snapshot| snapshot.revision);
        if after < base {
            let reason =
                format!("the history begins at revision {base}, and no snapshot from there on can be read");
            return Err(StorageError::Damaged { room, revision: base, reason });
        }
        let records = self.records_after(room, after, usize::MAX)?;
        Ok(Loaded { snapshot, records })
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        self.records_after(room, after, bytes_max)
    }

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        let head = self.sound(room)?.head;
        read_snapshot(&self.files.rooms, room, head.min(revision))
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        let head = self.sound(room)?.head;
        if snapshot.revision > head {
            // Its records were not stored; others will have those revisions.
            return Err(StorageError::Engine {
                reason: format!(
                    "a snapshot of revision {} is ahead of the journal at {head}",
                    snapshot.revision
                ),
            });
        }
        self.write_piece(room, snapshot, from, bytes_max)
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        // What a deleted room has left goes by and by.
        match self.rooms.contains_key(&room) {
            true => Ok(self
                .read_chat_messages(room)?
                .into_iter()
                .map(|chat_message| chat_message.bytes)
                .collect()),
            false => Ok(Vec::new()),
        }
    }

    fn send_chat_message(&mut self, chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        let is_stored = |room: &RoomKey| self.rooms.get(room).is_some_and(|room| room.head > Revision(0));
        let chat_messages: Vec<StoredChatMessage> =
            chat_messages.iter().filter(|chat_message| is_stored(&chat_message.room)).cloned().collect();
        self.write_chat_messages(&chat_messages)
    }

    fn put_image(&mut self, room: RoomKey, image: &Image, bytes_max: u64) -> Result<ImagePut, StorageError> {
        self.sound(room)?;
        self.write_image(room, image, bytes_max)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        match self.rooms.contains_key(&room) {
            true => read_image(&self.files.rooms, room, id),
            false => Ok(None),
        }
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        if let Some(key) = self.unwritten.remove(room) {
            self.rooms.remove(&key);
            return Ok(false);
        }
        let Some(key) = self.key_of(room)? else { return Ok(false) };
        // Without its name nothing leads to the rest, which goes by and by.
        self.mark_deleted(key)?;
        self.files.journal.execute("DELETE FROM room WHERE id = ?1", [key.0 as i64]).map_err(engine)?;
        self.rooms.remove(&key);
        self.gone.insert(key);
        Ok(true)
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        let mut found: Vec<(i64, i64)> = Vec::new();
        {
            let mut rows = self
                .files
                .journal
                .prepare("SELECT id, created_ms FROM room ORDER BY name")
                .map_err(engine)?;
            let mut rows = rows.query([]).map_err(engine)?;
            while let Some(row) = rows.next().map_err(engine)? {
                found.push((row.get(0).map_err(engine)?, row.get(1).map_err(engine)?));
            }
        }
        let mut infos = Vec::with_capacity(found.len());
        for (key, created_ms) in found {
            let key = RoomKey(key as u64);
            match self.rooms.contains_key(&key) || self.damaged_rows.contains_key(&key) {
                true => {}
                false => match self.open_room(key) {
                    Ok(_) | Err(StorageError::Damaged { .. }) => {}
                    Err(error) => return Err(error),
                },
            }
            let Some(room) = self.rooms.get(&key) else { continue };
            let info = RoomInfo {
                name: room.name.clone(),
                head: room.head,
                created_ms,
                changed_ms: room.changed_ms,
            };
            infos.push(info);
        }
        Ok(infos)
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        Ok(self.sound(room)?.base)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.sound(room)?;
        self.list_snapshots(room)
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        self.find_time(room, revision)
    }

    fn forget_before(&mut self, room: RoomKey, base: Revision) -> Result<(), StorageError> {
        self.forget_records(room, base)
    }

    fn has_to_settle(&self) -> bool {
        self.wal_bytes >= WAL_BYTES
    }

    fn settle(&mut self) -> Result<(), StorageError> {
        self.wal_bytes = 0;
        checkpoint(&self.files.journal)
    }

    fn compact(&mut self) -> Result<bool, StorageError> {
        if self.is_to_checkpoint {
            // While it is as short as one piece: left alone it grows to 1,000 pages, and all of them go at once.
            self.is_to_checkpoint = false;
            checkpoint(&self.files.rooms)?;
            return Ok(true);
        }
        if let Some(key) = self.trims.first().copied() {
            self.trim(key)?;
            return Ok(true);
        }
        if self.drop_deleted()? || self.drop_loose_pieces()? {
            return Ok(true);
        }
        if self.moving.is_none() && self.log_bytes < LOG_BYTES_MIN {
            return Ok(false);
        }
        self.move_on()
    }
}

impl SqliteStorage {
    /// Moves the whole log into the tails, whatever its size: for a clean end, and for copying the data.
    pub fn compact_fully(&mut self) -> Result<(), StorageError> {
        while self.move_on()? {}
        Ok(())
    }
}

/// Rows of the log on their way into the tails.
#[derive(Default)]
pub(crate) struct Moving {
    pub rows: BTreeSet<i64>,
    /// How much of the log those rows are.
    pub bytes: usize,
    /// What is still to be written, a room's after one another.
    pub tails: VecDeque<Tail>,
}

/// Records of one room that follow one another.
pub struct Tail {
    pub first: Header,
    pub last: Header,
    pub bytes: Vec<u8>,
}

/// A row of `room` that is not as it was written.
#[derive(Debug)]
pub struct DamagedRow {
    /// What it and the index of names say; one of them may be right.
    pub names: BTreeSet<String>,
    pub created_ms: i64,
    pub checksum: i64,
    /// What it must have been, if that can be told.
    pub mended: Option<RoomRow>,
}
