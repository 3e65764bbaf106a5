//! `Storage` over the two files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use quadrille_journal::entry::{self, HEADER_BYTES, Header};
use quadrille_journal::{
    Append, Claim, Loaded, Outcome, RoomInfo, RoomKey, Snapshot, Storage, StorageError, StoredRecord,
    which_to_keep,
};
use quadrille_protocol::{Incarnation, Revision, RoomName};
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use crate::open::{self, Files};

/// Bytes of log that one call of `compact` moves: a pause of some milliseconds for the writers.
const COMPACT_BYTES: usize = 4 << 20;
/// The log is left alone below this size; start-up reads it whole.
const LOG_BYTES_MIN: usize = 16 << 20;

/// The embedded storage. Blocks while it syncs, so give it a thread of its own.
pub struct SqliteStorage {
    files: Files,
    /// Rooms that were claimed, or have records in the log.
    rooms: BTreeMap<RoomKey, Room>,
    /// Rooms claimed but not yet written to; they have no row.
    unwritten: BTreeMap<RoomName, RoomKey>,
    next_key: u64,
    log_bytes: usize,
    /// Set when a sync failed (J4).
    failed: Option<String>,
}

struct Room {
    name: RoomName,
    head: Revision,
    changed_ms: i64,
    /// Records in the log, oldest first.
    in_log: Vec<Place>,
}

/// Where in the log a record lies.
#[derive(Clone, Copy)]
struct Place {
    row: i64,
    /// Offset of the entry within the row.
    offset: usize,
    header: Header,
}

impl SqliteStorage {
    /// Opens or creates a data directory, and locks it until this value is dropped.
    pub fn open(directory: &Path) -> Result<SqliteStorage, StorageError> {
        let files = open::open(directory)?;
        // AUTOINCREMENT remembers the highest number ever used, so that a deleted room's is not given again.
        let last_key: Option<i64> = files
            .journal
            .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'room'", [], |row| row.get(0))
            .optional()
            .map_err(engine)?;
        let mut storage = SqliteStorage {
            files,
            rooms: BTreeMap::new(),
            unwritten: BTreeMap::new(),
            next_key: last_key.unwrap_or(0) as u64 + 1,
            log_bytes: 0,
            failed: None,
        };
        storage.index_log()?;
        Ok(storage)
    }

    /// Reads the headers of the log, the only thing that start-up reads.
    fn index_log(&mut self) -> Result<(), StorageError> {
        let mut places = Vec::new();
        {
            let mut rows =
                self.files.journal.prepare("SELECT id, data FROM log ORDER BY id").map_err(engine)?;
            let mut rows = rows.query([]).map_err(engine)?;
            while let Some(row) = rows.next().map_err(engine)? {
                let id: i64 = row.get(0).map_err(engine)?;
                let data = row.get_ref(1).map_err(engine)?.as_blob().map_err(|error| engine(error.into()))?;
                let entries = entry::scan(data).map_err(|offset| StorageError::JournalDamaged {
                    reason: format!("row {id} of the log cannot be read at byte {offset}"),
                })?;
                self.log_bytes += data.len();
                places.extend(entries.into_iter().map(|(offset, header)| Place { row: id, offset, header }));
            }
        }
        for place in places {
            let key = place.header.room;
            if !self.rooms.contains_key(&key) && !self.open_room(key)? {
                continue; // deleted since
            }
            let room = self.rooms.get_mut(&key).expect("opened above");
            if place.header.revision <= room.head {
                continue; // moved to the tail, but the program ended before the log row was removed
            }
            room.head = place.header.revision;
            room.changed_ms = place.header.time_ms;
            room.in_log.push(place);
        }
        Ok(())
    }

    /// Brings the room's row into memory; `false` when there is none.
    fn open_room(&mut self, key: RoomKey) -> Result<bool, StorageError> {
        let name: Option<String> = self
            .files
            .journal
            .prepare_cached("SELECT name FROM room WHERE id = ?1")
            .and_then(|mut query| query.query_row([key.0 as i64], |row| row.get(0)).optional())
            .map_err(engine)?;
        let Some(name) = name else { return Ok(false) };
        let name = RoomName::new(&name).map_err(|error| StorageError::JournalDamaged {
            reason: format!("room number {}: {error}", key.0),
        })?;
        let head: Option<(i64, i64)> = self
            .files
            .rooms
            .prepare_cached("SELECT revision, changed_ms FROM head WHERE room = ?1")
            .and_then(|mut query| {
                query.query_row([key.0 as i64], |row| Ok((row.get(0)?, row.get(1)?))).optional()
            })
            .map_err(engine)?;
        let (revision, changed_ms) = head.unwrap_or((0, 0));
        let room = Room { name, head: Revision(revision as u64), changed_ms, in_log: Vec::new() };
        self.rooms.insert(key, room);
        Ok(true)
    }

    fn key_of(&mut self, name: &RoomName) -> Result<Option<RoomKey>, StorageError> {
        let key: Option<i64> = self
            .files
            .journal
            .prepare_cached("SELECT id FROM room WHERE name = ?1")
            .and_then(|mut query| query.query_row([name.as_str()], |row| row.get(0)).optional())
            .map_err(engine)?;
        let Some(key) = key.map(|key| RoomKey(key as u64)) else { return Ok(None) };
        if !self.rooms.contains_key(&key) {
            self.open_room(key)?;
        }
        Ok(Some(key))
    }

    /// Stores one row of the log, and the names of rooms that are new, in one commit (J2).
    fn commit(&mut self, places: &[Place], data: &[u8]) -> Result<i64, rusqlite::Error> {
        let transaction = self.files.journal.unchecked_transaction()?;
        for place in places.iter().filter(|place| place.header.revision == Revision(1)) {
            let room = &self.rooms[&place.header.room];
            transaction
                .prepare_cached("INSERT INTO room (id, name, created_ms) VALUES (?1, ?2, ?3)")?
                .execute(params![place.header.room.0 as i64, room.name.as_str(), place.header.time_ms])?;
        }
        transaction.prepare_cached("INSERT INTO log (data) VALUES (?1)")?.execute([data])?;
        let row = transaction.last_insert_rowid();
        transaction.commit()?;
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
                None => self.rooms.get(&append.room).map(|room| room.head),
            };
            let follows = head == Some(append.base);
            if follows {
                heads.insert(append.room, Revision(append.base.0 + append.records.len() as u64));
            }
            accepted.push(follows);
        }
        accepted
    }

    /// Records of the tail table after a revision, in order.
    fn read_tail(
        &self,
        key: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        let mut query = self
            .files
            .rooms
            .prepare_cached("SELECT data FROM tail WHERE room = ?1 AND last > ?2 ORDER BY first")
            .map_err(engine)?;
        let mut rows = query.query(params![key.0 as i64, after.0 as i64]).map_err(engine)?;
        let mut records = Vec::new();
        let mut bytes = 0;
        while let Some(row) = rows.next().map_err(engine)? {
            let data = row.get_ref(0).map_err(engine)?.as_blob().map_err(|error| engine(error.into()))?;
            let entries = entry::scan(data).map_err(|offset| StorageError::Damaged {
                room: key,
                revision: records.last().map_or(after, |record: &StoredRecord| record.revision).next(),
                reason: format!("its header cannot be read at byte {offset} of its row"),
            })?;
            for (offset, header) in entries.into_iter().filter(|(_, header)| header.revision > after) {
                bytes += header.payload_bytes as usize;
                if bytes > bytes_max && !records.is_empty() {
                    return Ok(records);
                }
                let payload = &data[offset + HEADER_BYTES..offset + header.entry_bytes()];
                records.push(header.record(payload).ok_or_else(|| wrong_checksum(&header))?);
            }
        }
        Ok(records)
    }

    fn read_place(&self, place: &Place) -> Result<StoredRecord, StorageError> {
        let blob = self.files.journal.blob_open("main", "log", "data", place.row, true).map_err(engine)?;
        let mut payload = vec![0; place.header.payload_bytes as usize];
        blob.read_at_exact(&mut payload, place.offset + HEADER_BYTES).map_err(engine)?;
        place.header.record(&payload).ok_or_else(|| wrong_checksum(&place.header))
    }

    /// All records after a revision, from tail and log, without a gap.
    fn records_after(
        &self,
        key: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        let room = self.rooms.get(&key).ok_or(StorageError::UnknownRoom { room: key })?;
        let first_in_log = room.in_log.first().map_or(room.head.next(), |place| place.header.revision);
        let mut records = Vec::new();
        if after.next() < first_in_log {
            records = self.read_tail(key, after, bytes_max)?;
        }
        let mut bytes: usize = records.iter().map(|record| record.bytes.len()).sum();
        let read = records.last().map_or(after, |record| record.revision);
        if read.next() >= first_in_log {
            for place in room.in_log.iter().filter(|place| place.header.revision > read) {
                bytes += place.header.payload_bytes as usize;
                if bytes > bytes_max && !records.is_empty() {
                    break;
                }
                records.push(self.read_place(place)?);
            }
        }
        let mut expected = after;
        for record in &records {
            expected = expected.next();
            if record.revision != expected {
                let reason = format!("it is missing; the next one is {}", record.revision);
                return Err(StorageError::Damaged { room: key, revision: expected, reason });
            }
        }
        if records.is_empty() && after < room.head {
            let reason = "it is missing".to_owned();
            return Err(StorageError::Damaged { room: key, revision: after.next(), reason });
        }
        Ok(records)
    }

    /// The newest snapshot up to a revision, which the journal must have, whose checksum is right (J5).
    fn read_snapshot(&self, key: RoomKey, head: Revision) -> Result<Option<Snapshot>, StorageError> {
        let mut query = self
            .files
            .rooms
            .prepare_cached(
                "SELECT revision, checksum, data FROM snapshot WHERE room = ?1 AND revision <= ?2
                 ORDER BY revision DESC",
            )
            .map_err(engine)?;
        let mut rows = query.query(params![key.0 as i64, head.0 as i64]).map_err(engine)?;
        while let Some(row) = rows.next().map_err(engine)? {
            let revision = Revision(row.get::<_, i64>(0).map_err(engine)? as u64);
            let checksum: u32 = row.get(1).map_err(engine)?;
            let data = row.get_ref(2).map_err(engine)?.as_blob().map_err(|error| engine(error.into()))?;
            if crc32fast::hash(data) == checksum {
                return Ok(Some(Snapshot { revision, bytes: Arc::from(data) }));
            }
        }
        Ok(None)
    }

    /// Copies the oldest rows of the log into the tails of their rooms, then removes them. When the program
    /// ends between the two, opening finds the records twice and takes those of the tail.
    fn move_rows(&mut self) -> Result<bool, StorageError> {
        let mut last_row = 0;
        let mut moved_bytes = 0;
        let mut tails: BTreeMap<RoomKey, (Header, Header, Vec<u8>)> = BTreeMap::new();
        {
            let mut rows =
                self.files.journal.prepare("SELECT id, data FROM log ORDER BY id").map_err(engine)?;
            let mut rows = rows.query([]).map_err(engine)?;
            while moved_bytes < COMPACT_BYTES
                && let Some(row) = rows.next().map_err(engine)?
            {
                last_row = row.get(0).map_err(engine)?;
                let data = row.get_ref(1).map_err(engine)?.as_blob().map_err(|error| engine(error.into()))?;
                moved_bytes += data.len();
                let entries = entry::scan(data).map_err(|offset| StorageError::JournalDamaged {
                    reason: format!("row {last_row} of the log cannot be read at byte {offset}"),
                })?;
                for (offset, header) in entries {
                    if !self.rooms.contains_key(&header.room) {
                        continue; // deleted since
                    }
                    let entry = &data[offset..offset + header.entry_bytes()];
                    let (_, last, bytes) =
                        tails.entry(header.room).or_insert_with(|| (header, header, Vec::new()));
                    *last = header;
                    bytes.extend_from_slice(entry);
                }
            }
        }
        if moved_bytes == 0 {
            return Ok(false);
        }
        write_tails(&self.files.rooms, &tails).map_err(engine)?;
        let journal = &self.files.journal;
        journal.execute("DELETE FROM log WHERE id <= ?1", [last_row]).map_err(engine)?;
        for room in self.rooms.values_mut() {
            room.in_log.retain(|place| place.row > last_row);
        }
        self.log_bytes -= moved_bytes;
        Ok(true)
    }
}

fn write_tails(
    rooms: &Connection,
    tails: &BTreeMap<RoomKey, (Header, Header, Vec<u8>)>,
) -> Result<(), rusqlite::Error> {
    let transaction = rooms.unchecked_transaction()?;
    {
        let mut put_tail = transaction.prepare_cached(
            "INSERT OR REPLACE INTO tail (room, first, last, data) VALUES (?1, ?2, ?3, ?4)",
        )?;
        let mut put_head = transaction
            .prepare_cached("INSERT OR REPLACE INTO head (room, revision, changed_ms) VALUES (?1, ?2, ?3)")?;
        for (key, (first, last, bytes)) in tails {
            let key = key.0 as i64;
            put_tail.execute(params![key, first.revision.0 as i64, last.revision.0 as i64, bytes])?;
            put_head.execute(params![key, last.revision.0 as i64, last.time_ms])?;
        }
    }
    transaction.commit()
}

fn wrong_checksum(header: &Header) -> StorageError {
    StorageError::Damaged {
        room: header.room,
        revision: header.revision,
        reason: "it does not have the checksum it was written with".into(),
    }
}

fn engine(error: rusqlite::Error) -> StorageError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StorageError::Full,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StorageError::JournalDamaged { reason: error.to_string() }
        }
        _ => StorageError::Engine { reason: error.to_string() },
    }
}

impl Storage for SqliteStorage {
    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        if let Some(claim) = self.find(room)? {
            return Ok(claim);
        }
        let key = match self.unwritten.get(room) {
            Some(key) => *key,
            None => {
                let key = RoomKey(self.next_key);
                self.next_key += 1;
                let new = Room { name: room.clone(), head: Revision(0), changed_ms: 0, in_log: Vec::new() };
                self.rooms.insert(key, new);
                self.unwritten.insert(room.clone(), key);
                key
            }
        };
        Ok(Claim { key, incarnation: Incarnation(key.0), head: Revision(0) })
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        let Some(key) = self.key_of(room)? else { return Ok(None) };
        Ok(Some(Claim { key, incarnation: Incarnation(key.0), head: self.rooms[&key].head }))
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
                places.push(Place { row: 0, offset, header });
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
        for place in places {
            let room = self.rooms.get_mut(&place.header.room).expect("accepted above");
            self.unwritten.remove(&room.name);
            room.head = place.header.revision;
            room.changed_ms = place.header.time_ms;
            room.in_log.push(Place { row, ..place });
        }
        let outcome = |(append, accepted): (&Append, bool)| match accepted {
            true => Outcome::Durable { head: Revision(append.base.0 + append.records.len() as u64) },
            false => Outcome::Fenced,
        };
        Ok(batch.iter().zip(accepted).map(outcome).collect())
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        let head = self.rooms.get(&room).ok_or(StorageError::UnknownRoom { room })?.head;
        let snapshot = self.read_snapshot(room, head)?;
        let after = snapshot.as_ref().map_or(Revision(0), |snapshot| snapshot.revision);
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
        let head = self.rooms.get(&room).ok_or(StorageError::UnknownRoom { room })?.head;
        self.read_snapshot(room, head.min(revision))
    }

    fn put_snapshot(&mut self, room: RoomKey, snapshot: &Snapshot) -> Result<(), StorageError> {
        let known = self.rooms.get(&room).ok_or(StorageError::UnknownRoom { room })?;
        debug_assert!(snapshot.revision <= known.head, "a snapshot holds only what was journaled");
        let key = room.0 as i64;
        let transaction = self.files.rooms.unchecked_transaction().map_err(engine)?;
        transaction
            .execute(
                "INSERT OR REPLACE INTO snapshot (room, revision, checksum, data) VALUES (?1, ?2, ?3, ?4)",
                params![
                    key,
                    snapshot.revision.0 as i64,
                    crc32fast::hash(&snapshot.bytes),
                    &snapshot.bytes[..]
                ],
            )
            .map_err(engine)?;
        let revisions: Vec<Revision> = transaction
            .prepare_cached("SELECT revision FROM snapshot WHERE room = ?1 ORDER BY revision DESC")
            .and_then(|mut query| {
                let rows = query.query_map([key], |row| Ok(Revision(row.get::<_, i64>(0)? as u64)))?;
                rows.collect()
            })
            .map_err(engine)?;
        for (revision, is_kept) in revisions.iter().zip(which_to_keep(&revisions)) {
            if !is_kept {
                transaction
                    .execute(
                        "DELETE FROM snapshot WHERE room = ?1 AND revision = ?2",
                        params![key, revision.0 as i64],
                    )
                    .map_err(engine)?;
            }
        }
        transaction.commit().map_err(engine)
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        if let Some(key) = self.unwritten.remove(room) {
            self.rooms.remove(&key);
            return Ok(false);
        }
        let Some(key) = self.key_of(room)? else { return Ok(false) };
        // The name first: without it nothing leads to the rest, should the program end in between.
        self.files.journal.execute("DELETE FROM room WHERE id = ?1", [key.0 as i64]).map_err(engine)?;
        self.rooms.remove(&key);
        let transaction = self.files.rooms.unchecked_transaction().map_err(engine)?;
        for table in ["tail", "head", "snapshot"] {
            let delete = format!("DELETE FROM {table} WHERE room = ?1");
            transaction.execute(&delete, [key.0 as i64]).map_err(engine)?;
        }
        transaction.commit().map_err(engine)?;
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
            if !self.rooms.contains_key(&key) && !self.open_room(key)? {
                continue;
            }
            let room = &self.rooms[&key];
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

    fn compact(&mut self) -> Result<bool, StorageError> {
        if self.log_bytes < LOG_BYTES_MIN {
            return Ok(false);
        }
        self.move_rows()
    }
}

impl SqliteStorage {
    /// Moves the whole log into the tails, whatever its size: for a clean end, and for copying the data.
    pub fn compact_fully(&mut self) -> Result<(), StorageError> {
        while self.move_rows()? {}
        Ok(())
    }
}
