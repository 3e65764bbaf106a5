//! What is in the pages of a damaged database goes into a new one, beside what SQLite could read of it: rows that vouch
//! for themselves, and are not there yet. The old files are read and never written.
//!
//! Rows that had been deleted may be among them, where SQLite no longer knows which pages it had taken back.

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
    write_directory, write_stretches,
};
use crate::startup_index::{Head, read_head, write_head};
use crate::{open, page_scan};

/// What was found that SQLite had not.
#[derive(Default)]
pub struct Salvaged {
    by_kind: BTreeMap<&'static str, usize>,
    /// Records may be gone of which nothing is left that says so.
    pub may_lack_newest: bool,
}

impl Salvaged {
    fn add(&mut self, kind: &'static str, count: usize) {
        if count > 0 {
            *self.by_kind.entry(kind).or_default() += count;
        }
    }

    /// In words, for whoever repairs.
    pub fn summary(&self) -> String {
        let kinds: Vec<String> = self.by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let found = if kinds.is_empty() {
            String::new()
        } else {
            format!("; found in its pages: {}", kinds.join(", "))
        };
        let lacks =
            if self.may_lack_newest { "; what was stored last may be missing without a trace" } else { "" };
        format!("{found}{lacks}")
    }
}

/// What a new database is made from.
pub struct Old<'a> {
    /// The files as they were.
    pub path: &'a Path,
    /// The names that SQLite gave are all there are.
    pub has_all_names: bool,
    /// The numbers of rooms that have records elsewhere, and need a name.
    pub keys: &'a BTreeSet<i64>,
}

/// Into `new` comes what is not there yet.
pub fn salvage(old: &Old<'_>, new: &Connection, name: &str) -> Result<Salvaged, StorageError> {
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
                result = take_of_rooms(new, row, &mut salvaged);
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

/// Entries whose records are as they were written.
fn intact_entries(data: &[u8]) -> Vec<(Header, &[u8])> {
    let with_bytes = |(offset, header): (usize, Header)| {
        let bytes = &data[offset..offset + header.entry_bytes()];
        header.record(&bytes[HEADER_BYTES..]).map(|_| (header, bytes))
    };
    entry::scan_damaged(data).0.into_iter().filter_map(with_bytes).collect()
}

/// What is found of `journal.db`. The log is held whole: it is moved into the tails before it is big.
#[derive(Default)]
struct Journal {
    /// Entries, in the order in which they are written again.
    records: BTreeMap<(RoomKey, Revision), Vec<u8>>,
    found: usize,
    /// Rows of the log of which something cannot be read.
    damaged: BTreeSet<i64>,
    /// What rows of the log had in them, by what was written beside them.
    directories: BTreeMap<i64, Vec<RecordRun>>,
    names: BTreeMap<i64, (String, i64)>,
    /// What the index of names says; nothing vouches for it.
    in_index: BTreeMap<i64, BTreeSet<String>>,
    /// The highest number that was ever given to a room.
    last_key: i64,
}

impl Journal {
    /// With what SQLite has read already.
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
            if let Some(stretches) = read_directory(id, &bytes) {
                journal.directories.insert(id, stretches);
            }
        }
        Ok(journal)
    }

    fn take(&mut self, Row { id, values }: Row) {
        match (id, &values[..]) {
            (Some(id), [Value::Null, Value::Text(name), Value::Integer(created_ms), Value::Integer(sum)])
                if i64::from(room_checksum(id, name, *created_ms)) == *sum =>
            {
                self.names.insert(id, (name.clone(), *created_ms));
            }
            (Some(id), [Value::Null, Value::Blob(bytes)]) => match read_directory(id, bytes) {
                Some(stretches) => _ = self.directories.insert(id, stretches),
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
        let mut sound_bytes = 0;
        for (header, bytes) in intact_entries(data) {
            sound_bytes += bytes.len();
            if let Entry::Vacant(place) = self.records.entry((header.room, header.revision)) {
                place.insert(bytes.to_vec());
                self.found += 1;
            }
        }
        if 0 < sound_bytes && sound_bytes < data.len() {
            self.damaged.insert(id);
        }
    }

    fn write(self, new: &Connection, old: &Old<'_>, salvaged: &mut Salvaged) -> Result<(), rusqlite::Error> {
        salvaged.add("records", self.found);
        let unsaid = self.damaged.iter().filter(|id| !self.directories.contains_key(id)).count();
        salvaged.add("damaged rows of the log of which nobody can tell all rooms", unsaid);
        self.write_lost(new)?;
        self.write_log(new)?;
        if !old.has_all_names {
            self.write_names(new, old.keys, salvaged)?;
        }
        // No number is given a second time.
        let last = self.records.last_key_value().map_or(0, |((room, _), _)| room.0 as i64).max(self.last_key);
        let here = "SELECT seq FROM sqlite_sequence WHERE name = 'room'";
        let here: Option<i64> = new.query_row(here, [], |row| row.get(0)).optional()?;
        match here {
            Some(here) if here < last => {
                new.execute("UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'room'", [last])?;
            }
            Some(_) => {}
            None => _ = new.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('room', ?1)", [last])?,
        }
        Ok(())
    }

    /// Of each row of which something is gone, the directory that says what.
    fn write_lost(&self, new: &Connection) -> Result<(), rusqlite::Error> {
        new.execute("DELETE FROM directory", [])?;
        for (id, directory) in &self.directories {
            let lost = |stretch: &RecordRun| {
                let revisions = (stretch.first.0..=stretch.last.0).map(Revision);
                let mut lost =
                    revisions.filter(|revision| !self.records.contains_key(&(stretch.room, *revision)));
                let first = lost.next()?;
                Some(RecordRun { room: stretch.room, first, last: lost.next_back().unwrap_or(first) })
            };
            let lost: Vec<RecordRun> = directory.iter().filter_map(lost).collect();
            if !lost.is_empty() {
                let directory = write_stretches(*id, lost);
                new.execute("INSERT INTO directory (id, rooms) VALUES (?1, ?2)", params![id, directory])?;
            }
        }
        Ok(())
    }

    /// All of it, because the records of a room must follow one another in the log.
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
                let headers = entry::scan(&row).expect("whole entries");
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
        // Of two of one name the later one is there, and the other had been deleted.
        for (id, (name, created_ms)) in self.names.iter().rev() {
            salvaged.add("names", put_name(*id, name, *created_ms)?);
        }
        let begun = |(room, revision): &(RoomKey, Revision)| (revision.0 == 1).then_some(room.0 as i64);
        let in_log: BTreeSet<i64> = self.records.keys().filter_map(begun).collect();
        for id in keys.union(&in_log) {
            let names = self.in_index.get(id);
            match names.and_then(|names| names.first().filter(|_| names.len() == 1)) {
                Some(name) => salvaged.add("names that only their index has", put_name(*id, name, 0)?),
                None if in_log.contains(id) => {
                    let name = format!("recovered-{id}");
                    salvaged
                        .add("rooms that lost their names, or had been deleted", put_name(*id, &name, 0)?);
                }
                None => {} // `check` finds them
            }
        }
        Ok(())
    }
}

/// A row of `rooms.db`, if it is one.
fn take_of_rooms(new: &Connection, row: Row, salvaged: &mut Salvaged) -> Result<(), rusqlite::Error> {
    use Value::{Blob, Integer, Null};
    match (row.id, &row.values[..]) {
        (None, [Integer(room), Integer(number), Integer(sum), Blob(bytes)])
            if i64::from(chat_message_checksum(RoomKey(*room as u64), *number, bytes)) == *sum =>
        {
            let there: Option<Vec<u8>> = new
                .prepare_cached("SELECT data FROM chat WHERE room = ?1 AND number = ?2")?
                .query_row([room, number], |row| row.get(0))
                .optional()?;
            if there.as_ref() != Some(bytes) {
                put_chat_message(new, RoomKey(*room as u64), *number as u64, bytes)?;
                salvaged.add("remarks", 1);
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
            let there = read_head(new, key).unwrap_or_default();
            if there.is_none_or(|there| newest(&there) < newest(&head)) {
                write_head(new, key, &head)?;
                salvaged.add("ends of rooms", 1);
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
        // One of format 1 looks like a piece.
        (Some(_), [Null, Integer(room), Integer(revision), Integer(sum), Blob(bytes), ..])
            if i64::from(crc32fast::hash(bytes)) == *sum =>
        {
            let put =
                "INSERT OR IGNORE INTO snapshot (room, revision, checksum, data) VALUES (?1, ?2, ?3, ?4)";
            let put = new.prepare_cached(put)?.execute(params![room, revision, sum, bytes])?;
            salvaged.add("snapshots", put);
        }
        (Some(_), [Null, Integer(room), Integer(revision), Integer(first), Blob(bytes)]) => {
            // Whether they are right, the checksum of the whole snapshot says.
            let put = "INSERT OR IGNORE INTO piece (room, revision, first, data) VALUES (?1, ?2, ?3, ?4)";
            let put = new.prepare_cached(put)?.execute(params![room, revision, first, bytes])?;
            salvaged.add("pieces of snapshots", put);
        }
        (Some(_), [Null, Integer(room), Blob(hash), Integer(sum), Blob(bytes)])
            if i64::from(image_checksum(RoomKey(*room as u64), hash, bytes)) == *sum =>
        {
            let there: Option<i64> = new
                .prepare_cached("SELECT 1 FROM image WHERE room = ?1 AND hash = ?2 AND data = ?3")?
                .query_row(params![room, hash, bytes], |row| row.get(0))
                .optional()?;
            if there.is_none() {
                let put = "INSERT OR REPLACE INTO image (room, hash, checksum, data) VALUES (?1, ?2, ?3, ?4)";
                new.prepare_cached(put)?.execute(params![room, hash, sum, bytes])?;
                salvaged.add("images", 1);
            }
        }
        _ => {}
    }
    Ok(())
}

/// A row of records, which say themselves what it is called; unless there is one that begins alike and has more.
fn take_tail(new: &Connection, data: &[u8], salvaged: &mut Salvaged) -> Result<(), rusqlite::Error> {
    let entries = intact_entries(data);
    let (Some((first, _)), Some((last, _))) = (entries.first(), entries.last()) else { return Ok(()) };
    if entries.iter().any(|(header, _)| header.room != first.room) {
        return Ok(()); // a row of the log, or none of ours
    }
    let place = [first.room.0 as i64, first.revision.0 as i64];
    let there: Option<Vec<u8>> = new
        .prepare_cached("SELECT data FROM tail WHERE room = ?1 AND first = ?2")?
        .query_row(place, |row| row.get(0))
        .optional()?;
    let there = there.map_or(0, |there| intact_entries(&there).len());
    if there < entries.len() {
        let bytes = entries.iter().flat_map(|(_, bytes)| *bytes).copied().collect::<Vec<u8>>();
        new.prepare_cached("INSERT OR REPLACE INTO tail (room, first, last, data) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![place[0], place[1], last.revision.0 as i64, bytes])?;
        salvaged.add("records", entries.len() - there);
    }
    Ok(())
}
