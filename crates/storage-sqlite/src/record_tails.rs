//! Reading records of a room from its tail and the log, and compaction, which moves them from the
//! log to the tail.

use std::collections::BTreeMap;

use quadrille_journal::entry::{HEADER_BYTES, Header};
use quadrille_journal::{RoomKey, StorageError, StoredRecord, entry};
use quadrille_protocol::Revision;
use rusqlite::params;

use crate::compaction::{Compaction, Tail};
use crate::error::engine;
use crate::reader::read_snapshot;
use crate::startup_index::{Head, write_head};
use crate::storage::{LogPosition, SqliteStorage};

/// Bytes of the log that are moved together. Each call of `compact` writes a piece of them.
const COMPACT_BYTES: usize = 1 << 20;

/// Bytes written between two commits, or one record if it is larger: with their sync about two milliseconds.
pub const PIECE_BYTES: usize = 128 << 10;

/// Rows of a tail removed by one call of `compact`.
const ROWS_PER_TRIM: usize = 4;

impl SqliteStorage {
    /// Reads the records in a room's tail after a revision up to another, at most `bytes_max` bytes but at least
    /// one.
    pub(crate) fn read_tail(
        &self,
        key: RoomKey,
        (after, up_to): (Revision, Revision),
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
            // Unreadable entries are skipped; the caller notices the missing revisions.
            let (entries, _) = entry::scan_damaged(data);
            // Damage may have moved a row of another room here. Records after the head are being appended.
            let own =
                |header: &Header| header.room == key && header.revision > after && header.revision <= up_to;
            for (offset, header) in entries.into_iter().filter(|(_, header)| own(header)) {
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

    /// Reads a record in the log.
    pub(crate) fn read_position(&self, position: &LogPosition) -> Result<StoredRecord, StorageError> {
        let blob = self.files.journal.blob_open("main", "log", "data", position.row, true).map_err(engine)?;
        let mut payload = vec![0; position.header.payload_bytes as usize];
        blob.read_at_exact(&mut payload, position.offset + HEADER_BYTES).map_err(engine)?;
        position.header.record(&payload).ok_or_else(|| wrong_checksum(&position.header))
    }

    /// Reads the records after a revision, from tail and log, at most `bytes_max` bytes but at
    /// least one.
    ///
    /// # Errors
    ///
    /// Fails with `Forgotten` when the history begins later, and with `Damaged` when a record is
    /// missing or unreadable.
    pub(crate) fn records_after(
        &self,
        key: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        let room = self.intact_room(key)?;
        if after < room.base {
            return Err(StorageError::Forgotten { base: room.base });
        }
        let first_in_log = room.in_log.first().map_or(room.head.next(), |position| position.header.revision);
        let mut records = Vec::new();
        if after.next() < first_in_log {
            records = self.read_tail(key, (after, room.head), bytes_max).map_err(|error| match error {
                StorageError::JournalDamaged { reason } => {
                    StorageError::Damaged { room: key, revision: after.next(), reason }
                }
                error => error,
            })?;
        }
        let mut bytes: usize = records.iter().map(|record| record.bytes.len()).sum();
        let read = records.last().map_or(after, |record| record.revision);
        if read.next() >= first_in_log {
            for position in room.in_log.iter().filter(|position| position.header.revision > read) {
                bytes += position.header.payload_bytes as usize;
                if bytes > bytes_max && !records.is_empty() {
                    break;
                }
                records.push(self.read_position(position)?);
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
        let is_all = bytes_max == usize::MAX;
        if expected < room.head && (is_all || records.is_empty()) {
            let reason = "it is missing".to_owned();
            return Err(StorageError::Damaged { room: key, revision: expected.next(), reason });
        }
        Ok(records)
    }

    /// Runs a step of compaction: the oldest rows of the log are read, written to the tails of
    /// their rooms in pieces, and removed. If the program ends in between, records are in both
    /// places, and opening uses those in the tail. Returns whether there was anything to do.
    pub(crate) fn compact_step(&mut self) -> Result<bool, StorageError> {
        if !self.large.is_idle() {
            return Ok(false);
        }
        // After an error the rows are read again, without the records that are already in the
        // tails.
        let Some(mut compaction) = self.compaction.take() else {
            self.compaction = self.start_compaction()?;
            return Ok(self.compaction.is_some());
        };
        if compaction.tails.is_empty() {
            self.remove_from_log(&compaction)?;
            return Ok(true);
        }
        let mut bytes = 0;
        let next = compaction.tails.iter().take_while(|tail| {
            let is_first = bytes == 0;
            bytes += tail.bytes.len();
            is_first || bytes <= PIECE_BYTES
        });
        let count = next.count();
        let tails: Vec<Tail> = compaction.tails.drain(..count).collect();
        self.write_tails(&tails).map_err(engine)?;
        self.checkpoints.wrote_to_rooms(tails.iter().map(|tail| tail.bytes.len()).sum());
        for tail in &tails {
            if let Some(room) = self.rooms.get_mut(&tail.last.room) {
                room.head_in_tail = tail.last.revision;
            }
        }
        self.compaction = Some(compaction);
        Ok(true)
    }

    /// Reads the oldest rows of the log that can be moved; `None` when there are none.
    fn start_compaction(&mut self) -> Result<Option<Compaction>, StorageError> {
        let mut compaction = Compaction::default();
        let mut tails: BTreeMap<RoomKey, Vec<Tail>> = BTreeMap::new();
        let mut rows = self.files.journal.prepare("SELECT id, data FROM log ORDER BY id").map_err(engine)?;
        let mut rows = rows.query([]).map_err(engine)?;
        while compaction.bytes < COMPACT_BYTES
            && let Some(row) = rows.next().map_err(engine)?
        {
            let id: i64 = row.get(0).map_err(engine)?;
            if self.retained_rows.contains(&id) {
                continue;
            }
            let data = row.get_ref(1).map_err(engine)?.as_blob().map_err(|error| engine(error.into()))?;
            let (entries, _) = entry::scan_damaged(data);
            let is_needed = |header: &Header| match self.rooms.get(&header.room) {
                Some(room) => room.damage.is_some(),
                // Its room may be one whose row has a damaged id.
                None => !self.damaged_rows.is_empty(),
            };
            if entries.iter().any(|(_, header)| is_needed(header)) {
                self.retained_rows.insert(id);
                continue;
            }
            compaction.rows.insert(id);
            compaction.bytes += data.len();
            for (offset, header) in entries {
                compaction.rooms.insert(header.room);
                let Some(room) = self.rooms.get(&header.room) else { continue }; // deleted in the meantime
                if header.revision <= room.head_in_tail {
                    continue; // moved before the program ended last time
                }
                let entry = &data[offset..offset + header.entry_bytes()];
                add_entry(tails.entry(header.room).or_default(), header, entry);
            }
        }
        compaction.tails = tails.into_values().flatten().collect();
        Ok((!compaction.rows.is_empty()).then_some(compaction))
    }

    fn remove_from_log(&mut self, moved: &Compaction) -> Result<(), StorageError> {
        let journal = self.files.journal.unchecked_transaction().map_err(engine)?;
        for table in ["log", "directory"] {
            let delete = format!("DELETE FROM {table} WHERE id = ?1");
            let mut delete = journal.prepare_cached(&delete).map_err(engine)?;
            for row in &moved.rows {
                delete.execute([row]).map_err(engine)?;
            }
        }
        journal.commit().map_err(engine)?;
        for key in &moved.rooms {
            let Some(room) = self.rooms.get_mut(key) else { continue }; // deleted in the meantime
            room.in_log.retain(|position| !moved.rows.contains(&position.row));
        }
        self.log_bytes -= moved.bytes;
        Ok(())
    }

    fn write_tails(&self, tails: &[Tail]) -> Result<(), rusqlite::Error> {
        let transaction = self.files.rooms.unchecked_transaction()?;
        {
            let mut put_tail = transaction.prepare_cached(
                "INSERT OR REPLACE INTO tail (room, first, last, data) VALUES (?1, ?2, ?3, ?4)",
            )?;
            for Tail { first, last, bytes } in tails {
                let Some(room) = self.rooms.get(&first.room) else { continue }; // deleted in the meantime
                let revisions = (first.revision.0 as i64, last.revision.0 as i64);
                put_tail.execute(params![first.room.0 as i64, revisions.0, revisions.1, bytes])?;
                let head = Head { revision: last.revision, changed_ms: last.time_ms, base: room.base };
                write_head(&transaction, first.room, &head)?;
            }
        }
        transaction.commit()
    }

    /// Makes the history begin at `base`, if there is a snapshot at this revision. Removes the
    /// snapshots before it; the records are removed later in pieces.
    pub(crate) fn drop_records_before(&mut self, key: RoomKey, base: Revision) -> Result<(), StorageError> {
        let room = self.intact_room(key)?;
        // Records still in the log are removed after compaction has moved them to the tail. A large append that
        // is being written has read the base.
        if base <= room.base || base > room.head || self.large.is_writing(key) {
            return Ok(());
        }
        let snapshot = read_snapshot(&self.files.rooms, key, base)?;
        if snapshot.is_none_or(|snapshot| snapshot.revision != base) {
            return Ok(());
        }
        let rooms = self.files.rooms.unchecked_transaction().map_err(engine)?;
        let delete = "DELETE FROM snapshot WHERE room = ?1 AND revision < ?2";
        rooms.execute(delete, params![key.0 as i64, base.0 as i64]).map_err(engine)?;
        let head = Head { revision: room.head_in_tail, changed_ms: room.changed_ms, base };
        write_head(&rooms, key, &head).map_err(engine)?;
        rooms.commit().map_err(engine)?;
        self.rooms.get_mut(&key).expect("checked above").base = base;
        self.trims.insert(key);
        Ok(())
    }

    /// Removes some rows before a room's base.
    pub(crate) fn trim(&mut self, key: RoomKey) -> Result<(), StorageError> {
        let base = self.rooms.get(&key).map_or(Revision(0), |room| room.base);
        let delete = "DELETE FROM tail WHERE room = ?1 AND first IN
                      (SELECT first FROM tail WHERE room = ?1 AND last <= ?2 ORDER BY first LIMIT ?3)";
        let values = params![key.0 as i64, base.0 as i64, ROWS_PER_TRIM as i64];
        let removed = self.files.rooms.execute(delete, values).map_err(engine)?;
        if removed < ROWS_PER_TRIM {
            self.trims.remove(&key);
        }
        Ok(())
    }

    /// Returns the time of a revision in milliseconds since 1970, if its record exists.
    pub(crate) fn find_time(&self, key: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        let room = self.intact_room(key)?;
        if revision <= room.base || revision > room.head {
            return Ok(None); // dropped, and possibly not removed yet; or being appended
        }
        if let Some(position) = room.in_log.iter().find(|position| position.header.revision == revision) {
            return Ok(Some(position.header.time_ms));
        }
        let mut query = self
            .files
            .rooms
            .prepare_cached("SELECT data FROM tail WHERE room = ?1 AND first <= ?2 AND last >= ?2")
            .map_err(engine)?;
        let mut rows = query.query(params![key.0 as i64, revision.0 as i64]).map_err(engine)?;
        let Some(row) = rows.next().map_err(engine)? else { return Ok(None) };
        let data = row.get_ref(0).map_err(engine)?.as_blob().map_err(|error| engine(error.into()))?;
        let (entries, _) = entry::scan_damaged(data);
        let found = entries.iter().find(|(_, header)| (header.room, header.revision) == (key, revision));
        Ok(found.map(|(_, header)| header.time_ms))
    }
}

/// Adds an entry to the rows of a tail, which have [`PIECE_BYTES`] or a single entry.
pub fn add_entry(tails: &mut Vec<Tail>, header: Header, entry: &[u8]) {
    match tails.last_mut() {
        Some(tail) if tail.bytes.len() + entry.len() <= PIECE_BYTES => {
            tail.last = header;
            tail.bytes.extend_from_slice(entry);
        }
        _ => tails.push(Tail { first: header, last: header, bytes: entry.to_vec() }),
    }
}

fn wrong_checksum(header: &Header) -> StorageError {
    StorageError::Damaged {
        room: header.room,
        revision: header.revision,
        reason: "its checksum does not match".into(),
    }
}
