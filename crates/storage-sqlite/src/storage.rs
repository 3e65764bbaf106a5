//! [`SqliteStorage`]: the state of an open data directory, and the `Storage` trait on it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quadrille_journal::entry::Header;
use quadrille_journal::{
    Append, BlobReader, Claim, CopiedRoom, Image, ImageId, ImagePut, LargeAppend, Loaded, ObjectReference,
    Outcome, RoomInfo, RoomKey, RoomUsage, Snapshot, Storage, StorageError, StoredChatMessage, StoredRecord,
    entry,
};
use quadrille_protocol::{Incarnation, Revision, RoomName};
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use crate::checkpoints::Checkpoints;
use crate::compaction::Compaction;
use crate::error::engine;
use crate::large_state::LargeAppends;
use crate::open::{DamagedWal, Files, Sharing};
use crate::reader::{Reader, read_image, read_snapshot};
use crate::room_names::write_name;
use crate::row_checksums::RoomRow;
use crate::{objects, open, row_checksums};

/// Approximate bytes that a commit writes besides its records: the rightmost pages of three
/// B-trees.
const COMMIT_BYTES: usize = 3 * 4_096;

/// Bytes of the log from which it is compacted. The start reads the whole log.
const LOG_BYTES_MIN: usize = 16 << 20;

/// The embedded storage. Its calls block while syncing, so it needs a thread of its own.
pub struct SqliteStorage {
    pub(crate) directory: PathBuf,
    pub(crate) files: Files,
    /// Rooms that have been claimed or have records in the log.
    pub(crate) rooms: BTreeMap<RoomKey, Room>,
    /// Rooms that have been claimed but have no record, and therefore no row.
    pub(crate) unwritten: BTreeMap<RoomName, RoomKey>,
    /// Set once the directory was restored from a backup: incarnations depend on it.
    restoration: Option<i64>,
    pub(crate) next_key: u64,
    /// Id of the next row of the log; greater than the ids of lost rows, which their directories
    /// record.
    pub(crate) next_row: i64,
    pub(crate) log_bytes: usize,
    /// The reason of a failed sync; nothing is appended after it (J4).
    pub(crate) failed: Option<String>,
    pub(crate) damaged_rows: BTreeMap<RoomKey, DamagedRow>,
    /// Rooms that have records but no name.
    pub(crate) nameless: BTreeSet<RoomKey>,
    /// The log has been read: `Room::in_log` is complete.
    pub(crate) is_indexed: bool,
    /// Set when not all names can be read: no room is created then, because it might exist.
    pub(crate) names_damage: Option<String>,
    /// Rows of the log that are damaged, or have records that a damaged room may recover: they are
    /// not removed.
    pub(crate) retained_rows: BTreeSet<i64>,
    /// Damage whose affected rooms are unknown.
    pub(crate) unattributed: Vec<String>,
    /// Rooms with records before their base, which are removed in pieces.
    pub(crate) trims: BTreeSet<RoomKey>,
    /// Deleted rooms whose data has not been removed completely.
    pub(crate) deleted_rooms: BTreeSet<RoomKey>,
    /// Snapshots that were not completed or were deleted, whose pieces have yet to be removed.
    pub(crate) orphaned_pieces: BTreeSet<(RoomKey, Revision)>,
    /// The snapshot being written in pieces, and the number of bytes written.
    pub(crate) writing: Option<((RoomKey, Revision), usize)>,
    /// The compaction in progress.
    pub(crate) compaction: Option<Compaction>,
    pub(crate) large: LargeAppends,
    pub(crate) checkpoints: Checkpoints,
    /// Repairs made while opening, one line each.
    pub(crate) repairs: Vec<String>,
}

pub(crate) struct Room {
    pub name: RoomName,
    pub head: Revision,
    /// When the room was created, if it is copied from another storage and has no record yet.
    pub created_ms: Option<i64>,
    /// The last revision in the tail; later ones are in the log.
    pub head_in_tail: Revision,
    /// The last revision that is no longer stored; 0 while all are.
    pub base: Revision,
    pub changed_ms: i64,
    /// Positions of the records in the log, oldest first.
    pub in_log: Vec<LogPosition>,
    /// The first unreadable revision, with the reason: the room is not opened (J6).
    pub damage: Option<(Revision, String)>,
}

impl Room {
    /// A room without records.
    pub fn new(name: &RoomName) -> Room {
        Room {
            name: name.clone(),
            head: Revision(0),
            created_ms: None,
            head_in_tail: Revision(0),
            base: Revision(0),
            changed_ms: 0,
            in_log: Vec::new(),
            damage: None,
        }
    }

    /// Stores the name of the room, whose first record is of `time_ms`.
    pub fn write_name(
        &self,
        journal: &Connection,
        key: RoomKey,
        time_ms: i64,
    ) -> Result<(), rusqlite::Error> {
        write_name(journal, key, &self.name, self.created_ms.unwrap_or(time_ms))
    }

    /// Marks the room as damaged, so that it is not opened. The earliest damage is kept.
    pub fn mark_damaged(&mut self, revision: Revision, reason: String) {
        if self.damage.as_ref().is_none_or(|(first, _)| revision < *first) {
            self.damage = Some((revision, reason));
        }
    }
}

/// Position of a record in the log.
#[derive(Clone, Copy)]
pub(crate) struct LogPosition {
    pub row: i64,
    /// Offset of the entry within the row.
    pub offset: usize,
    pub header: Header,
}

impl SqliteStorage {
    /// Opens or creates a data directory, and locks it until this value is dropped.
    ///
    /// # Errors
    ///
    /// Fails when the directory is in use or inaccessible, when it has a newer format, and when it
    /// is damaged such that the affected rooms are unknown.
    pub fn open(directory: &Path) -> Result<SqliteStorage, StorageError> {
        SqliteStorage::open_by(directory, Sharing::Shared)
    }

    /// Like [`open`](Self::open), for a program that only reads, over this value alone. It needs no space on
    /// the disk.
    ///
    /// # Errors
    ///
    /// As for `open`.
    pub fn open_alone(directory: &Path) -> Result<SqliteStorage, StorageError> {
        SqliteStorage::open_by(directory, Sharing::Alone)
    }

    /// Gives up that commits survive a crash, in a directory that is thrown away then.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn stop_syncing(&self) -> Result<(), StorageError> {
        for database in [&self.files.journal, &self.files.rooms] {
            database.pragma_update(None, "synchronous", "OFF").map_err(engine)?;
        }
        Ok(())
    }

    fn open_by(directory: &Path, sharing: Sharing) -> Result<SqliteStorage, StorageError> {
        let storage = SqliteStorage::open_damaged(directory, DamagedWal::Refused, sharing)?;
        match storage.unattributed.first() {
            None => Ok(storage),
            Some(damage) => Err(StorageError::JournalDamaged {
                reason: format!("{damage}, and the affected rooms are unknown"),
            }),
        }
    }

    /// Like [`open`](Self::open), but also opens a directory with damage whose affected rooms are
    /// unknown, for inspection.
    pub(crate) fn open_damaged(
        directory: &Path,
        damaged_wal: DamagedWal,
        sharing: Sharing,
    ) -> Result<SqliteStorage, StorageError> {
        let files = open::open(directory, damaged_wal, sharing)?;
        SqliteStorage::over(directory, files)
    }

    /// Opens the databases of a directory.
    pub(crate) fn over(directory: &Path, files: Files) -> Result<SqliteStorage, StorageError> {
        let mut storage = SqliteStorage {
            directory: directory.to_owned(),
            restoration: open::restoration(&files.journal)?,
            files,
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
            retained_rows: BTreeSet::new(),
            unattributed: Vec::new(),
            trims: BTreeSet::new(),
            deleted_rooms: BTreeSet::new(),
            orphaned_pieces: BTreeSet::new(),
            writing: None,
            compaction: None,
            large: LargeAppends::default(),
            checkpoints: Checkpoints::new(open::wal_bytes(directory, open::JOURNAL)),
            repairs: Vec::new(),
        };
        storage.find_deleted()?;
        storage.index_names()?;
        storage.index_log()?;
        storage.find_orphaned_pieces()?;
        Ok(storage)
    }

    /// Returns the repairs made while opening, one line each.
    pub fn repairs(&self) -> &[String] {
        &self.repairs
    }

    /// Returns the damage found while opening, one line each. The affected rooms are not opened.
    pub fn damage(&self) -> Vec<String> {
        let rows = self.damaged_rows.iter().map(|(key, row)| {
            let names: Vec<&str> = row.names.iter().map(String::as_str).collect();
            format!("room number {}: its name is damaged; possibly {}", key.0, names.join(" or "))
        });
        let records = self.rooms.values().filter_map(|room| {
            let (revision, reason) = room.damage.as_ref()?;
            Some(format!("room {}: revision {revision}: {reason}", room.name))
        });
        rows.chain(records).chain(self.names_damage.clone()).chain(self.unattributed.clone()).collect()
    }

    /// Returns a room that can be opened.
    ///
    /// # Errors
    ///
    /// Fails with `UnknownRoom` or `Damaged`.
    pub(crate) fn intact_room(&self, key: RoomKey) -> Result<&Room, StorageError> {
        let room = self.rooms.get(&key).ok_or(StorageError::UnknownRoom { room: key })?;
        match room.damage.clone() {
            None => Ok(room),
            Some((revision, reason)) => Err(StorageError::Damaged { room: key, revision, reason }),
        }
    }

    /// Returns the incarnation of a room: its key, which no other room gets, until the directory is restored
    /// from a backup. Then a client may know revisions that were never restored, so all rooms get others, by
    /// the finalizer of MurmurHash3. Numbers of 53 bits are exact in JSON.
    pub(crate) fn incarnation(&self, key: RoomKey) -> Incarnation {
        let Some(salt) = self.restoration else { return Incarnation(key.0) };
        let mut hash = salt as u64 ^ key.0;
        for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
            hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
        }
        Incarnation((hash ^ (hash >> 33)) >> 11)
    }

    pub(crate) fn key_of(&mut self, name: &RoomName) -> Result<Option<RoomKey>, StorageError> {
        let key: Option<i64> = self
            .files
            .journal
            .prepare_cached("SELECT id FROM room WHERE name = ?1")
            .and_then(|mut query| query.query_row([name.as_str()], |row| row.get(0)).optional())
            .map_err(engine)?;
        let Some(key) = key.map(|key| RoomKey(key as u64)) else {
            // It may be the room whose name is damaged. Creating another would hide that one for
            // good.
            let candidate = self.damaged_rows.iter().find(|(_, row)| row.names.contains(name.as_str()));
            return match candidate {
                Some((key, _)) => Err(StorageError::Damaged {
                    room: *key,
                    revision: Revision(0),
                    reason: "the row with its name is damaged".into(),
                }),
                None => Ok(None),
            };
        };
        let exists = self.rooms.contains_key(&key) || self.open_room(key)?;
        if exists && self.rooms[&key].name != *name {
            let reason = "the index of names leads to another room".to_owned();
            return Err(StorageError::Damaged { room: key, revision: Revision(0), reason });
        }
        Ok(exists.then_some(key))
    }

    /// Stores a row of the log, and the names of new rooms, in one commit (J2). Returns the id of
    /// the row.
    fn commit(&mut self, positions: &[LogPosition], data: &[u8]) -> Result<i64, rusqlite::Error> {
        let transaction = self.files.journal.unchecked_transaction()?;
        for position in positions.iter().filter(|position| position.header.revision == Revision(1)) {
            let key = position.header.room;
            self.rooms[&key].write_name(&transaction, key, position.header.time_ms)?;
        }
        let row = self.next_row;
        transaction
            .prepare_cached("INSERT INTO log (id, data) VALUES (?1, ?2)")?
            .execute(params![row, data])?;
        let directory =
            row_checksums::write_directory(row, positions.iter().map(|position| &position.header));
        transaction
            .prepare_cached("INSERT INTO directory (id, rooms) VALUES (?1, ?2)")?
            .execute(params![row, directory])?;
        transaction.commit()?;
        self.next_row += 1;
        Ok(row)
    }

    /// Returns which appends continue at their room's head, after the earlier ones of the batch
    /// (J3).
    fn accept(&self, batch: &[Append]) -> Vec<bool> {
        let mut heads: BTreeMap<RoomKey, Revision> = BTreeMap::new();
        let mut accepted = Vec::with_capacity(batch.len());
        for append in batch {
            debug_assert!(!append.records.is_empty());
            let head = match heads.get(&append.room) {
                Some(head) => Some(*head),
                // Its next revisions are being written.
                None if self.large.is_writing(append.room) => None,
                None => self.intact_room(append.room).ok().map(|room| room.head),
            };
            let is_accepted = head == Some(append.base);
            if is_accepted {
                heads.insert(append.room, Revision(append.base.0 + append.records.len() as u64));
            }
            accepted.push(is_accepted);
        }
        accepted
    }
}

impl Storage for SqliteStorage {
    fn reader(&self) -> Result<Option<Box<dyn BlobReader>>, StorageError> {
        Ok(Some(Box::new(Reader::open(&self.directory, self.checkpoints.due())?)))
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
                self.rooms.insert(key, Room::new(room));
                self.unwritten.insert(room.clone(), key);
                key
            }
        };
        Ok(Claim { key, incarnation: self.incarnation(key), head: Revision(0), base: Revision(0) })
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        let Some(key) = self.key_of(room)? else { return Ok(None) };
        let Room { head, base, .. } = self.rooms[&key];
        Ok(Some(Claim { key, incarnation: self.incarnation(key), head, base }))
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
        let mut positions = Vec::new();
        for (append, _) in batch.iter().zip(&accepted).filter(|(_, accepted)| **accepted) {
            let mut revision = append.base;
            for record in &append.records {
                revision = revision.next();
                let offset = data.len();
                let header = entry::write(&mut data, append.room, revision, append.time_ms, record);
                positions.push(LogPosition { row: 0, offset, header });
            }
        }
        let row = self.commit(&positions, &data).map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StorageError::Full,
            _ => {
                self.failed = Some(error.to_string());
                StorageError::SyncFailed { reason: error.to_string() }
            }
        })?;
        self.log_bytes += data.len();
        self.checkpoints.wrote_to_journal(data.len() + COMMIT_BYTES);
        for position in positions {
            let room = self.rooms.get_mut(&position.header.room).expect("accepted above");
            self.unwritten.remove(&room.name);
            room.head = position.header.revision;
            room.changed_ms = position.header.time_ms;
            room.in_log.push(LogPosition { row, ..position });
        }
        let outcome = |(append, accepted): (&Append, bool)| match accepted {
            true => Outcome::Durable { head: Revision(append.base.0 + append.records.len() as u64) },
            false => Outcome::Fenced,
        };
        Ok(batch.iter().zip(accepted).map(outcome).collect())
    }

    fn has_large_appends(&self) -> bool {
        true
    }

    fn begin_large(&mut self, append: &Append) -> Result<LargeAppend, StorageError> {
        self.begin_large_append(append)
    }

    fn finish_large(
        &mut self,
        room: RoomKey,
        written: Result<bool, StorageError>,
    ) -> Result<Option<Outcome>, StorageError> {
        self.finish_large_append(room, written)
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        let intact = self.intact_room(room)?;
        let (head, base) = (intact.head, intact.base);
        let snapshot = read_snapshot(&self.files.rooms, room, head)?;
        let after = snapshot.as_ref().map_or(Revision(0), |snapshot| snapshot.revision);
        if after < base {
            let reason =
                format!("the history begins at revision {base}, and no snapshot at or after it can be read");
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
        let head = self.intact_room(room)?.head;
        read_snapshot(&self.files.rooms, room, head.min(revision))
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        let head = self.intact_room(room)?.head;
        if snapshot.revision > head {
            // Its records were not stored; other records will get those revisions.
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
        // A deleted room may still have rows, which are removed later.
        match self.rooms.contains_key(&room) {
            true => Ok(self
                .read_chat_messages(room)?
                .into_iter()
                .map(|chat_message| chat_message.bytes)
                .collect()),
            false => Ok(Vec::new()),
        }
    }

    fn put_chat_messages(&mut self, chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        let is_stored = |room: &RoomKey| self.rooms.get(room).is_some_and(|room| room.head > Revision(0));
        let chat_messages: Vec<StoredChatMessage> =
            chat_messages.iter().filter(|chat_message| is_stored(&chat_message.room)).cloned().collect();
        self.write_chat_messages(&chat_messages)
    }

    fn put_image(&mut self, room: RoomKey, image: &Image, bytes_max: u64) -> Result<ImagePut, StorageError> {
        self.intact_room(room)?;
        self.write_image(room, image, bytes_max)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        match self.rooms.contains_key(&room) {
            true => read_image(&self.files.rooms, room, id),
            false => Ok(None),
        }
    }

    fn image_ids(&mut self, room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
        self.intact_room(room)?;
        self.list_images(room)
    }

    fn claim_copy(&mut self, room: &CopiedRoom<'_>) -> Result<Claim, StorageError> {
        self.create_copy(room)?;
        self.claim(room.name)
    }

    fn property(&mut self, name: &str) -> Result<Option<String>, StorageError> {
        objects::property(&self.files.rooms, name)
    }

    fn put_property(&mut self, name: &str, value: &str) -> Result<String, StorageError> {
        objects::put_property(&self.files.rooms, name, value)
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        objects::references(&self.files.rooms)
    }

    fn last_key(&mut self) -> Result<RoomKey, StorageError> {
        Ok(RoomKey(self.next_key - 1))
    }

    fn reserve_keys(&mut self, up_to: RoomKey) -> Result<(), StorageError> {
        self.reserve(up_to)
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        if let Some(key) = self.unwritten.remove(room) {
            self.rooms.remove(&key);
            return Ok(false);
        }
        let Some(key) = self.key_of(room)? else { return Ok(false) };
        // Without its name the room does not exist; the rest of its data is removed in pieces.
        self.large.keep_mark(key);
        self.mark_deleted(key)?;
        self.files.journal.execute("DELETE FROM room WHERE id = ?1", [key.0 as i64]).map_err(engine)?;
        self.rooms.remove(&key);
        self.deleted_rooms.insert(key);
        Ok(true)
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.rooms_after(None, usize::MAX)
    }

    fn info(&mut self, room: &RoomName) -> Result<Option<RoomInfo>, StorageError> {
        let Some(key) = self.key_of(room)? else { return Ok(None) };
        let created_ms = self
            .files
            .journal
            .prepare_cached("SELECT created_ms FROM room WHERE id = ?1")
            .and_then(|mut query| query.query_row([key.0 as i64], |row| row.get(0)))
            .map_err(engine)?;
        let found = &self.rooms[&key];
        let (head, changed_ms) = (found.head, found.changed_ms);
        Ok(Some(RoomInfo { name: room.clone(), head, created_ms, changed_ms }))
    }

    fn usage(&mut self, room: &RoomName) -> Result<Option<RoomUsage>, StorageError> {
        let Some(key) = self.key_of(room)? else { return Ok(None) };
        self.measure(key).map(Some)
    }

    fn rooms_after(&mut self, after: Option<&RoomName>, count: usize) -> Result<Vec<RoomInfo>, StorageError> {
        let mut rooms: Vec<(i64, i64)> = Vec::new();
        {
            let mut rows = self
                .files
                .journal
                .prepare_cached("SELECT id, created_ms FROM room WHERE name > ?1 ORDER BY name LIMIT ?2")
                .map_err(engine)?;
            let after = after.map_or("", RoomName::as_str);
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            let mut rows = rows.query(params![after, count]).map_err(engine)?;
            while let Some(row) = rows.next().map_err(engine)? {
                rooms.push((row.get(0).map_err(engine)?, row.get(1).map_err(engine)?));
            }
        }
        let mut infos = Vec::with_capacity(rooms.len());
        for (key, created_ms) in rooms {
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
        Ok(self.intact_room(room)?.base)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.intact_room(room)?;
        self.list_snapshots(room)
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        self.find_time(room, revision)
    }

    fn forget_before(&mut self, room: RoomKey, base: Revision) -> Result<(), StorageError> {
        self.drop_records_before(room, base)
    }

    fn needs_checkpoint(&self) -> bool {
        self.checkpoints.is_due(self.large.is_idle())
    }

    fn checkpoint(&mut self) -> Result<(), StorageError> {
        self.checkpoints.run(&self.files, self.large.is_idle())
    }

    fn compact(&mut self) -> Result<bool, StorageError> {
        if !self.large.is_idle() {
            return Ok(false); // `rooms.db` is being written
        }
        if self.checkpoints.due().rooms() {
            // Nobody has done it beside commits.
            self.checkpoints.run(&self.files, true)?;
            return Ok(true);
        }
        if self.remove_marks()? {
            return Ok(true);
        }
        if let Some(key) = self.trims.first().copied() {
            self.trim(key)?;
            return Ok(true);
        }
        if self.drop_deleted()? || self.drop_orphaned_pieces()? {
            return Ok(true);
        }
        if self.compaction.is_none() && self.log_bytes < LOG_BYTES_MIN {
            return Ok(false);
        }
        self.compact_step()
    }
}

impl SqliteStorage {
    /// Runs a step of [`compact_fully`](Self::compact_fully). Returns whether there was anything to do.
    ///
    /// # Errors
    ///
    /// As for that.
    pub fn compact_some(&mut self) -> Result<bool, StorageError> {
        self.compact_step()
    }

    /// Compacts the whole log whatever its size, before copying the data directory.
    ///
    /// # Errors
    ///
    /// Fails when the databases cannot be read or written.
    pub fn compact_fully(&mut self) -> Result<(), StorageError> {
        while self.compact_step()? {}
        Ok(())
    }
}

/// A row of `room` with a wrong checksum.
#[derive(Debug)]
pub struct DamagedRow {
    /// The names in the row and in the index of names; one of them may be right.
    pub names: BTreeSet<String>,
    pub created_ms: i64,
    pub checksum: i64,
    /// The original row, if it can be derived.
    pub repaired: Option<RoomRow>,
}
