//! Salvage: adds the rows found in the pages of a damaged database to a new one that has the rows
//! SQLite could read. Only rows with correct checksums are used. The damaged files are never
//! written.
//!
//! Deleted rows may reappear if the list of free pages is damaged.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use quadrille_journal::entry::{HEADER_BYTES, Header};
use quadrille_journal::{RoomKey, StorageError, entry};
use quadrille_protocol::{Revision, RoomName};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};

use crate::chat::put_chat_message;
use crate::error::engine;
use crate::page_scan::{ROW_BYTES, Row};
use crate::row_checksums::{
    RecordRun, chat_message_checksum, image_checksum, numbers_checksum, read_directory, room_checksum,
    write_directory, write_runs,
};
use crate::startup_index::{Head, read_head, write_head};
use crate::{open, page_scan};

/// Number of salvaged rows by kind.
#[derive(Default)]
pub struct Salvaged {
    by_kind: BTreeMap<&'static str, usize>,
    /// Records may be lost without a trace.
    pub can_lack_newest: bool,
}

impl Salvaged {
    fn add(&mut self, kind: &'static str, count: usize) {
        if count > 0 {
            *self.by_kind.entry(kind).or_default() += count;
        }
    }

    /// Returns a description for the output of `repair`.
    pub fn summary(&self) -> String {
        let kinds: Vec<String> = self.by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let found = if kinds.is_empty() {
            String::new()
        } else {
            format!("; found in its pages: {}", kinds.join(", "))
        };
        let lacks =
            if self.can_lack_newest { "; the newest records may be missing without a trace" } else { "" };
        format!("{found}{lacks}")
    }
}

/// The database to be salvaged.
pub struct DamagedDatabase<'a> {
    /// Path of the copy of the original file.
    pub path: &'a Path,
    /// SQLite could read all names of rooms.
    pub has_all_names: bool,
    /// Ids of rooms that have records in `rooms.db` and need a name.
    pub keys: &'a BTreeSet<i64>,
}

/// Adds rows of `old` to `new` that are missing existing.
///
/// # Errors
///
/// Fails when `old` cannot be opened or `new` cannot be written.
pub fn salvage(old: &DamagedDatabase<'_>, new: &Connection, name: &str) -> Result<Salvaged, StorageError> {
    let mut salvaged = Salvaged::default();
    let mut result = Ok(());
    let read = if name == open::JOURNAL {
        let mut journal = Journal::begin(new)?;
        let read = page_scan::rows(old.path, &mut |row| journal.take(row));
        result = journal.write(new, old, &mut salvaged);
        read
    } else {
        page_scan::rows(old.path, &mut |row| {
            if result.is_ok() {
                result = take_rooms_row(new, row, &mut salvaged);
            }
        })
    };
    read.map_err(|error| StorageError::Inaccessible {
        path: old.path.to_owned(),
        reason: error.to_string(),
    })?;
    result.map_err(engine)?;
    Ok(salvaged)
}

/// Returns the entries with correct checksums.
fn intact_entries(data: &[u8]) -> Vec<(Header, &[u8])> {
    let with_bytes = |(offset, header): (usize, Header)| {
        let bytes = &data[offset..offset + header.entry_bytes()];
        header.record(&bytes[HEADER_BYTES..]).map(|_| (header, bytes))
    };
    entry::scan_damaged(data).0.into_iter().filter_map(with_bytes).collect()
}

/// The salvaged contents of `journal.db`. The log fits into memory, because it is compacted before
/// it grows large.
#[derive(Default)]
struct Journal {
    /// Entries in the order in which they are written to the new log.
    records: BTreeMap<(RoomKey, Revision), Vec<u8>>,
    found: usize,
    /// Rows of the log with unreadable parts.
    damaged: BTreeSet<i64>,
    /// Directories of rows of the log.
    directories: BTreeMap<i64, Vec<RecordRun>>,
    names: BTreeMap<i64, (String, i64)>,
    /// Names in the index of names, which has no checksums.
    in_index: BTreeMap<i64, BTreeSet<String>>,
    /// The highest room id ever used.
    last_key: i64,
}

impl Journal {
    /// Starts with the rows that SQLite could read.
    fn begin(new: &Connection) -> Result<Journal, StorageError> {
        let mut journal = Journal::default();
        let mut query = new.prepare("SELECT id, data FROM log").map_err(engine)?;
        let mut rows = query.query([]).map_err(engine)?;
        while let Some(row) = rows.next().map_err(engine)? {
            let (id, data): (i64, Vec<u8>) = (row.get(0).map_err(engine)?, row.get(1).map_err(engine)?);
            journal.take_log(id, &data);
        }
        journal.found = 0;
        let mut query = new.prepare("SELECT id, rooms FROM directory").map_err(engine)?;
        let mut rows = query.query([]).map_err(engine)?;
        while let Some(row) = rows.next().map_err(engine)? {
            let (id, bytes): (i64, Vec<u8>) = (row.get(0).map_err(engine)?, row.get(1).map_err(engine)?);
            if let Some(runs) = read_directory(id, &bytes) {
                journal.directories.insert(id, runs);
            }
        }
        Ok(journal)
    }

    /// Adds a row found in a page, if its checksum is correct.
    fn take(&mut self, Row { id, values }: Row) {
        match (id, &values[..]) {
            (Some(id), [Value::Null, Value::Text(name), Value::Integer(created_ms), Value::Integer(sum)])
                if i64::from(room_checksum(id, name, *created_ms)) == *sum =>
            {
                self.names.insert(id, (name.clone(), *created_ms));
            }
            (Some(id), [Value::Null, Value::Blob(bytes)]) => match read_directory(id, bytes) {
                Some(runs) => _ = self.directories.insert(id, runs),
                None => self.take_log(id, bytes),
            },
            (Some(_), [Value::Text(table), Value::Integer(key)]) if table == "room" => {
                self.last_key = self.last_key.max(*key);
            }
            (None, [Value::Text(name), Value::Integer(id)]) if RoomName::new(name).is_ok() => {
                self.in_index.entry(*id).or_default().insert(name.clone());
            }
            _ => {}
        }
    }

    fn take_log(&mut self, id: i64, data: &[u8]) {
        let mut intact_bytes = 0;
        for (header, bytes) in intact_entries(data) {
            intact_bytes += bytes.len();
            if let Entry::Vacant(vacant) = self.records.entry((header.room, header.revision)) {
                vacant.insert(bytes.to_vec());
                self.found += 1;
            }
        }
        if 0 < intact_bytes && intact_bytes < data.len() {
            self.damaged.insert(id);
        }
    }

    fn write(
        self,
        new: &Connection,
        old: &DamagedDatabase<'_>,
        salvaged: &mut Salvaged,
    ) -> Result<(), rusqlite::Error> {
        salvaged.add("records", self.found);
        let unknown = self.damaged.iter().filter(|id| !self.directories.contains_key(id)).count();
        salvaged.add("damaged rows of the log with unknown rooms", unknown);
        self.write_lost_directories(new)?;
        self.write_log(new)?;
        if !old.has_all_names {
            self.write_names(new, old.keys, salvaged)?;
        }
        // Room ids are never reused.
        let last = self.records.last_key_value().map_or(0, |((room, _), _)| room.0 as i64).max(self.last_key);
        let query = "SELECT seq FROM sqlite_sequence WHERE name = 'room'";
        let current: Option<i64> = new.query_row(query, [], |row| row.get(0)).optional()?;
        match current {
            Some(current) if current < last => {
                new.execute("UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'room'", [last])?;
            }
            Some(_) => {}
            None => _ = new.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('room', ?1)", [last])?,
        }
        Ok(())
    }

    /// Writes a directory for each row of the log with lost records, which lists them.
    fn write_lost_directories(&self, new: &Connection) -> Result<(), rusqlite::Error> {
        new.execute("DELETE FROM directory", [])?;
        for (id, directory) in &self.directories {
            let lost = |run: &RecordRun| {
                let revisions = (run.first.0..=run.last.0).map(Revision);
                let mut lost =
                    revisions.filter(|revision| !self.records.contains_key(&(run.room, *revision)));
                let first = lost.next()?;
                Some(RecordRun { room: run.room, first, last: lost.next_back().unwrap_or(first) })
            };
            let lost: Vec<RecordRun> = directory.iter().filter_map(lost).collect();
            if !lost.is_empty() {
                let directory = write_runs(*id, lost);
                new.execute("INSERT INTO directory (id, rooms) VALUES (?1, ?2)", params![id, directory])?;
            }
        }
        Ok(())
    }

    /// Writes the whole log, because the records of a room must be in order.
    fn write_log(&self, new: &Connection) -> Result<(), rusqlite::Error> {
        new.execute("DELETE FROM log", [])?;
        let highest: Option<i64> = new.query_row("SELECT max(id) FROM directory", [], |row| row.get(0))?;
        let mut id = highest.unwrap_or(0).max(0);
        let mut row = Vec::new();
        let mut entries = self.records.values().peekable();
        while let Some(bytes) = entries.next() {
            row.extend_from_slice(bytes);
            if row.len() >= ROW_BYTES || entries.peek().is_none() {
                id += 1;
                let headers = entry::scan(&row).expect("the entries are intact");
                let directory = write_directory(id, headers.iter().map(|(_, header)| header));
                new.execute("INSERT INTO log (id, data) VALUES (?1, ?2)", params![id, row])?;
                new.execute("INSERT INTO directory (id, rooms) VALUES (?1, ?2)", params![id, directory])?;
                row.clear();
            }
        }
        Ok(())
    }

    fn write_names(
        &self,
        new: &Connection,
        keys: &BTreeSet<i64>,
        salvaged: &mut Salvaged,
    ) -> Result<(), rusqlite::Error> {
        let put = "INSERT OR IGNORE INTO room (id, name, created_ms, checksum) VALUES (?1, ?2, ?3, ?4)";
        let put_name = |id: i64, name: &str, created_ms: i64| {
            new.execute(put, params![id, name, created_ms, room_checksum(id, name, created_ms)])
        };
        // Of two rooms with one name the newer one exists, and the older one had been deleted.
        for (id, (name, created_ms)) in self.names.iter().rev() {
            salvaged.add("names", put_name(*id, name, *created_ms)?);
        }
        let first_record =
            |(room, revision): &(RoomKey, Revision)| (revision.0 == 1).then_some(room.0 as i64);
        let in_log: BTreeSet<i64> = self.records.keys().filter_map(first_record).collect();
        for id in keys.union(&in_log) {
            let names = self.in_index.get(id);
            match names.and_then(|names| names.first().filter(|_| names.len() == 1)) {
                Some(name) => salvaged.add("names found only in their index", put_name(*id, name, 0)?),
                None if in_log.contains(id) => {
                    let name = format!("recovered-{id}");
                    salvaged.add("rooms without a name, possibly deleted", put_name(*id, &name, 0)?);
                }
                None => {} // reported by `check`
            }
        }
        Ok(())
    }
}

/// Adds a row of `rooms.db`, if its checksum is correct.
fn take_rooms_row(new: &Connection, row: Row, salvaged: &mut Salvaged) -> Result<(), rusqlite::Error> {
    use Value::{Blob, Integer, Null};
    match (row.id, &row.values[..]) {
        (None, [Integer(room), Integer(number), Integer(sum), Blob(bytes)])
            if i64::from(chat_message_checksum(RoomKey(*room as u64), *number, bytes)) == *sum =>
        {
            let existing: Option<Vec<u8>> = new
                .prepare_cached("SELECT data FROM chat WHERE room = ?1 AND number = ?2")?
                .query_row([room, number], |row| row.get(0))
                .optional()?;
            if existing.as_ref() != Some(bytes) {
                put_chat_message(new, RoomKey(*room as u64), *number as u64, bytes)?;
                salvaged.add("chat messages", 1);
            }
        }
        (None, [Integer(_), Integer(_), Integer(_), Blob(bytes)]) => take_tail(new, bytes, salvaged)?,
        (Some(id), [Null, Integer(revision), Integer(changed_ms), Integer(base), Integer(sum)]) => {
            let (key, revision) = (RoomKey(id as u64), Revision(*revision as u64));
            let head = Head { revision, changed_ms: *changed_ms, base: Revision(*base as u64) };
            if i64::from(head.checksum(key)) != *sum {
                return Ok(());
            }
            let newest = |head: &Head| (head.revision, head.base);
            let existing = read_head(new, key).unwrap_or_default();
            if existing.is_none_or(|existing| newest(&existing) < newest(&head)) {
                write_head(new, key, &head)?;
                salvaged.add("last revisions of rooms", 1);
            }
        }
        (Some(_), [Null, Integer(room), Integer(revision), Integer(sum), Blob(bytes), Integer(seal)])
            if i64::from(numbers_checksum(&[*room, *revision, *sum])) == *seal =>
        {
            let put = "INSERT OR IGNORE INTO snapshot (room, revision, checksum, data, seal)
                       VALUES (?1, ?2, ?3, ?4, ?5)";
            let put = new.prepare_cached(put)?.execute(params![room, revision, sum, bytes, seal])?;
            salvaged.add("snapshots", put);
        }
        // A snapshot of format 1 has the columns of a piece.
        (Some(_), [Null, Integer(room), Integer(revision), Integer(sum), Blob(bytes), ..])
            if i64::from(crc32fast::hash(bytes)) == *sum =>
        {
            let put =
                "INSERT OR IGNORE INTO snapshot (room, revision, checksum, data) VALUES (?1, ?2, ?3, ?4)";
            let put = new.prepare_cached(put)?.execute(params![room, revision, sum, bytes])?;
            salvaged.add("snapshots", put);
        }
        (Some(_), [Null, Integer(room), Integer(revision), Integer(first), Blob(bytes)]) => {
            // Pieces are verified by the checksum of the whole snapshot.
            let put = "INSERT OR IGNORE INTO piece (room, revision, first, data) VALUES (?1, ?2, ?3, ?4)";
            let put = new.prepare_cached(put)?.execute(params![room, revision, first, bytes])?;
            salvaged.add("pieces of snapshots", put);
        }
        (Some(_), [Null, Integer(room), Blob(hash), Integer(sum), Blob(bytes)])
            if i64::from(image_checksum(RoomKey(*room as u64), hash, bytes)) == *sum =>
        {
            let existing: Option<i64> = new
                .prepare_cached("SELECT 1 FROM image WHERE room = ?1 AND hash = ?2 AND data = ?3")?
                .query_row(params![room, hash, bytes], |row| row.get(0))
                .optional()?;
            if existing.is_none() {
                let put = "INSERT OR REPLACE INTO image (room, hash, checksum, data) VALUES (?1, ?2, ?3, ?4)";
                new.prepare_cached(put)?.execute(params![room, hash, sum, bytes])?;
                salvaged.add("images", 1);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Adds a row of records, whose key is derived from them, unless the new database has a row with
/// the same start and more records.
fn take_tail(new: &Connection, data: &[u8], salvaged: &mut Salvaged) -> Result<(), rusqlite::Error> {
    let entries = intact_entries(data);
    let (Some((first, _)), Some((last, _))) = (entries.first(), entries.last()) else { return Ok(()) };
    if entries.iter().any(|(header, _)| header.room != first.room) {
        return Ok(()); // a row of the log, or not a row of this database
    }
    let key_values = [first.room.0 as i64, first.revision.0 as i64];
    let existing: Option<Vec<u8>> = new
        .prepare_cached("SELECT data FROM tail WHERE room = ?1 AND first = ?2")?
        .query_row(key_values, |row| row.get(0))
        .optional()?;
    let existing = existing.map_or(0, |existing| intact_entries(&existing).len());
    if existing < entries.len() {
        let bytes = entries.iter().flat_map(|(_, bytes)| *bytes).copied().collect::<Vec<u8>>();
        new.prepare_cached("INSERT OR REPLACE INTO tail (room, first, last, data) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![key_values[0], key_values[1], last.revision.0 as i64, bytes])?;
        salvaged.add("records", entries.len() - existing);
    }
    Ok(())
}
