//! Records by room: read from the tail and the log, and moved from the one to the other.

use std::collections::BTreeMap;

use quadrille_journal::entry::{HEADER_BYTES, Header};
use quadrille_journal::{RoomKey, StorageError, StoredRecord, entry};
use quadrille_protocol::Revision;
use rusqlite::params;

use crate::error::engine;
use crate::reader::read_snapshot;
use crate::startup_index::{Head, write_head};
use crate::storage::{LogPosition, Moving, SqliteStorage, Tail};

/// Bytes of log that are moved together; one call of `compact` writes a piece of them.
const COMPACT_BYTES: usize = 4 << 20;

/// Bytes that one call of `compact` writes, or one record: commits come in between.
const PIECE_BYTES: usize = 1 << 20;

/// Rows of a tail that one call of `compact` removes.
const ROWS_PER_TRIM: usize = 4;

impl SqliteStorage {
    /// Records of the tail table after a revision, in order.
    pub(crate) fn read_tail(
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
            // What cannot be read is missing, and noticed by that.
            let (entries, _) = entry::scan_damaged(data);
            // A row of another room that came here by damage is nothing to this one.
            let own = |header: &Header| header.room == key && header.revision > after;
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

    pub(crate) fn read_place(&self, place: &LogPosition) -> Result<StoredRecord, StorageError> {
        let blob = self.files.journal.blob_open("main", "log", "data", place.row, true).map_err(engine)?;
        let mut payload = vec![0; place.header.payload_bytes as usize];
        blob.read_at_exact(&mut payload, place.offset + HEADER_BYTES).map_err(engine)?;
        place.header.record(&payload).ok_or_else(|| wrong_checksum(&place.header))
    }

    /// All records after a revision, from tail and log, without a gap.
    pub(crate) fn records_after(
        &self,
        key: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        let room = self.sound(key)?;
        if after < room.base {
            return Err(StorageError::Forgotten { base: room.base });
        }
        let first_in_log = room.in_log.first().map_or(room.head.next(), |place| place.header.revision);
        let mut records = Vec::new();
        if after.next() < first_in_log {
            records = self.read_tail(key, after, bytes_max).map_err(|error| match error {
                StorageError::JournalDamaged { reason } => {
                    StorageError::Damaged { room: key, revision: after.next(), reason }
                }
                error => error,
            })?;
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
        let is_all = bytes_max == usize::MAX;
        if expected < room.head && (is_all || records.is_empty()) {
            let reason = "it is missing".to_owned();
            return Err(StorageError::Damaged { room: key, revision: expected.next(), reason });
        }
        Ok(records)
    }

    /// A piece of the way of the oldest rows of the log into the tails of their rooms: they are read, written there
    /// piece by piece, and removed. When the program ends in between, opening finds records twice and takes those of
    /// the tail. Whether anything was done.
    pub(crate) fn move_on(&mut self) -> Result<bool, StorageError> {
        // When anything fails they are gathered anew, without what has arrived.
        let Some(mut moving) = self.moving.take() else {
            self.moving = self.gather()?;
            return Ok(self.moving.is_some());
        };
        if moving.tails.is_empty() {
            self.remove_from_log(&moving)?;
            return Ok(true);
        }
        let mut bytes = 0;
        let next = moving.tails.iter().take_while(|tail| {
            let is_first = bytes == 0;
            bytes += tail.bytes.len();
            is_first || bytes <= PIECE_BYTES
        });
        let count = next.count();
        let tails: Vec<Tail> = moving.tails.drain(..count).collect();
        self.write_tails(&tails).map_err(engine)?;
        self.is_to_checkpoint = true;
        for tail in &tails {
            if let Some(room) = self.rooms.get_mut(&tail.last.room) {
                room.head_in_tail = tail.last.revision;
            }
        }
        self.moving = Some(moving);
        Ok(true)
    }

    /// Reads the oldest rows of the log that may be moved; `None` when there are none.
    fn gather(&mut self) -> Result<Option<Moving>, StorageError> {
        let mut moving = Moving::default();
        let mut tails: BTreeMap<RoomKey, Vec<Tail>> = BTreeMap::new();
        let mut rows = self.files.journal.prepare("SELECT id, data FROM log ORDER BY id").map_err(engine)?;
        let mut rows = rows.query([]).map_err(engine)?;
        while moving.bytes < COMPACT_BYTES
            && let Some(row) = rows.next().map_err(engine)?
        {
            let id: i64 = row.get(0).map_err(engine)?;
            if self.evidence.contains(&id) {
                continue;
            }
            let data = row.get_ref(1).map_err(engine)?.as_blob().map_err(|error| engine(error.into()))?;
            let (entries, _) = entry::scan_damaged(data);
            let is_needed = |header: &Header| match self.rooms.get(&header.room) {
                Some(room) => room.damage.is_some(),
                // Its row may be one whose number is damaged.
                None => !self.damaged_rows.is_empty(),
            };
            if entries.iter().any(|(_, header)| is_needed(header)) {
                self.evidence.insert(id);
                continue;
            }
            moving.rows.insert(id);
            moving.bytes += data.len();
            for (offset, header) in entries {
                let Some(room) = self.rooms.get(&header.room) else { continue }; // deleted since
                if header.revision <= room.head_in_tail {
                    continue; // moved before the program ended the last time
                }
                let entry = &data[offset..offset + header.entry_bytes()];
                let tails = tails.entry(header.room).or_default();
                match tails.last_mut() {
                    Some(tail) if tail.bytes.len() + entry.len() <= PIECE_BYTES => {
                        tail.last = header;
                        tail.bytes.extend_from_slice(entry);
                    }
                    _ => tails.push(Tail { first: header, last: header, bytes: entry.to_vec() }),
                }
            }
        }
        moving.tails = tails.into_values().flatten().collect();
        Ok((!moving.rows.is_empty()).then_some(moving))
    }

    fn remove_from_log(&mut self, moved: &Moving) -> Result<(), StorageError> {
        let journal = self.files.journal.unchecked_transaction().map_err(engine)?;
        for table in ["log", "directory"] {
            let delete = format!("DELETE FROM {table} WHERE id = ?1");
            let mut delete = journal.prepare_cached(&delete).map_err(engine)?;
            for row in &moved.rows {
                delete.execute([row]).map_err(engine)?;
            }
        }
        journal.commit().map_err(engine)?;
        for room in self.rooms.values_mut() {
            room.in_log.retain(|place| !moved.rows.contains(&place.row));
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
                let Some(room) = self.rooms.get(&first.room) else { continue }; // deleted meanwhile
                let revisions = (first.revision.0 as i64, last.revision.0 as i64);
                put_tail.execute(params![first.room.0 as i64, revisions.0, revisions.1, bytes])?;
                let head = Head { revision: last.revision, changed_ms: last.time_ms, base: room.base };
                write_head(&transaction, first.room, &head)?;
            }
        }
        transaction.commit()
    }

    /// The history begins at `base`, at which there must be a snapshot; those before it go, and the records by and by.
    pub(crate) fn forget_records(&mut self, key: RoomKey, base: Revision) -> Result<(), StorageError> {
        let known = self.sound(key)?;
        // What is still in the log goes with its row of the tail, when it has come there.
        if base <= known.base || base > known.head {
            return Ok(());
        }
        let snapshot = read_snapshot(&self.files.rooms, key, base)?;
        if snapshot.is_none_or(|snapshot| snapshot.revision != base) {
            return Ok(());
        }
        let rooms = self.files.rooms.unchecked_transaction().map_err(engine)?;
        let delete = "DELETE FROM snapshot WHERE room = ?1 AND revision < ?2";
        rooms.execute(delete, params![key.0 as i64, base.0 as i64]).map_err(engine)?;
        let head = Head { revision: known.head_in_tail, changed_ms: known.changed_ms, base };
        write_head(&rooms, key, &head).map_err(engine)?;
        rooms.commit().map_err(engine)?;
        self.rooms.get_mut(&key).expect("looked at above").base = base;
        self.trims.insert(key);
        Ok(())
    }

    /// Removes some of the rows before a room's base.
    pub(crate) fn trim(&mut self, key: RoomKey) -> Result<(), StorageError> {
        let base = self.rooms.get(&key).map_or(Revision(0), |room| room.base);
        let delete = "DELETE FROM tail WHERE room = ?1 AND first IN
                      (SELECT first FROM tail WHERE room = ?1 AND last <= ?2 ORDER BY first LIMIT ?3)";
        let values = params![key.0 as i64, base.0 as i64, ROWS_PER_TRIM as i64];
        let gone = self.files.rooms.execute(delete, values).map_err(engine)?;
        if gone < ROWS_PER_TRIM {
            self.trims.remove(&key);
        }
        Ok(())
    }

    pub(crate) fn find_time(&self, key: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        let room = self.sound(key)?;
        if let Some(place) = room.in_log.iter().find(|place| place.header.revision == revision) {
            return Ok(Some(place.header.time_ms));
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

fn wrong_checksum(header: &Header) -> StorageError {
    StorageError::Damaged {
        room: header.room,
        revision: header.revision,
        reason: "it does not have the checksum it was written with".into(),
    }
}
