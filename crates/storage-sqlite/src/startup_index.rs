//! The index built at the start: the names of rooms and the headers of the log. Damage found here
//! disables the affected rooms; only if the affected rooms are unknown, nothing is opened.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_journal::entry::Header;
use quadrille_journal::{RoomKey, StorageError, entry};
use quadrille_protocol::{Revision, RoomName};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::engine;
use crate::row_checksums::{self, RecordRun};
use crate::storage::{DamagedRow, LogPosition, Room, SqliteStorage};

/// Upper bound of room ids; a greater one is damage.
const KEY_MAX: i64 = 1 << 53;

impl SqliteStorage {
    /// Verifies every name, and finds the next free room id.
    pub(crate) fn index_names(&mut self) -> Result<(), StorageError> {
        match self.verify_names() {
            Ok(()) => {}
            Err(error @ StorageError::JournalDamaged { .. }) => self.names_damage = Some(error.to_string()),
            Err(error) => return Err(error),
        }
        self.find_nameless()?;
        // AUTOINCREMENT remembers the highest id ever used, so that the id of a deleted room is not
        // reused.
        let highest = |connection: &Connection, query: &str| -> i64 {
            let found = connection.query_row(query, [], |row| row.get::<_, Option<i64>>(0)).optional();
            found.ok().flatten().flatten().filter(|key| (0..KEY_MAX).contains(key)).unwrap_or(0)
        };
        let (journal, rooms) = (&self.files.journal, &self.files.rooms);
        let keys = [
            highest(journal, "SELECT seq FROM sqlite_sequence WHERE name = 'room'"),
            highest(journal, "SELECT max(id) FROM room"),
            highest(rooms, "SELECT max(room) FROM head"),
            // A room whose first record was large and not acknowledged: it never had a name.
            highest(rooms, "SELECT max(room) FROM gone"),
        ];
        self.next_key = self.next_key.max(keys.into_iter().max().unwrap_or(0) as u64 + 1);
        Ok(())
    }

    /// Finds rooms that have records but lost their names with a part of the journal or all of it.
    fn find_nameless(&mut self) -> Result<(), StorageError> {
        let numbers = |database: &Connection, query: &str| -> Result<BTreeSet<i64>, StorageError> {
            let mut query = database.prepare(query).map_err(engine)?;
            let numbers = query.query_map([], |row| row.get(0)).map_err(engine)?;
            let mut found = BTreeSet::new();
            for number in numbers {
                match number.map_err(engine) {
                    Ok(number) => _ = found.insert(number),
                    Err(StorageError::JournalDamaged { .. }) => break, // the readable part
                    Err(error) => return Err(error),
                }
            }
            Ok(found)
        };
        let mut named = numbers(&self.files.journal, "SELECT id FROM room NOT INDEXED")?;
        named.extend(self.damaged_rows.values().filter_map(|row| Some(row.repaired.as_ref()?.id)));
        let with_records = numbers(&self.files.rooms, "SELECT room FROM head")?;
        if self.names_damage.is_some() {
            return Ok(()); // unknown which of them have no name
        }
        self.nameless = with_records.difference(&named).map(|key| RoomKey(*key as u64)).collect();
        self.nameless.retain(|key| !self.deleted_rooms.contains(key));
        if let Some(key) = self.nameless.first() {
            let (count, key) = (self.nameless.len(), key.0);
            let damage =
                format!("{count} rooms have records but no name (number {key}), so no room is created");
            self.names_damage = Some(damage);
        }
        Ok(())
    }

    fn verify_names(&mut self) -> Result<(), StorageError> {
        let journal = &self.files.journal;
        let mut in_table = 0u64;
        let mut rows =
            journal.prepare("SELECT id, name, created_ms, checksum FROM room NOT INDEXED").map_err(engine)?;
        let mut rows = rows.query([]).map_err(engine)?;
        while let Some(row) = rows.next().map_err(engine)? {
            let id: i64 = row.get(0).map_err(engine)?;
            let name = text(row, 1)?;
            let created_ms: i64 = row.get(2).map_err(engine)?;
            let checksum: i64 = row.get(3).map_err(engine)?;
            if i64::from(row_checksums::room_checksum(id, &name, created_ms)) == checksum {
                in_table = in_table.wrapping_add(row_checksums::room_checksum(id, &name, 0).into());
            } else {
                let names = BTreeSet::from([name]);
                self.damaged_rows
                    .insert(RoomKey(id as u64), DamagedRow { names, created_ms, checksum, repaired: None });
            }
        }
        let mut in_index = 0u64;
        let mut rows = journal.prepare("SELECT id, name FROM room ORDER BY name").map_err(engine)?;
        let mut rows = rows.query([]).map_err(engine)?;
        while let Some(row) = rows.next().map_err(engine)? {
            let (id, name): (i64, String) = (row.get(0).map_err(engine)?, text(row, 1)?);
            match self.damaged_rows.get_mut(&RoomKey(id as u64)) {
                Some(damaged) => _ = damaged.names.insert(name),
                None => in_index = in_index.wrapping_add(row_checksums::room_checksum(id, &name, 0).into()),
            }
        }
        drop(rows);
        for (key, row) in &mut self.damaged_rows {
            row.repaired =
                row_checksums::repaired_row(key.0 as i64, &row.names, row.created_ms, row.checksum);
            match &row.repaired {
                Some(repaired) => _ = row.names.insert(repaired.name.clone()),
                None => {
                    let damage =
                        format!("the name of room number {} is unknown, so no room is created", key.0);
                    self.names_damage = Some(damage);
                }
            }
        }
        if in_table != in_index && self.damaged_rows.is_empty() && self.files.is_read_only() {
            let reason = "the index of names does not match the rooms; start the server anew".to_owned();
            return Err(StorageError::JournalDamaged { reason });
        }
        if in_table != in_index && self.damaged_rows.is_empty() {
            // The index can be rebuilt from the table, all of whose rows are intact.
            journal.execute_batch("REINDEX room").map_err(engine)?;
            self.repairs.push("the index of names did not match the rooms and was rebuilt".into());
        }
        Ok(())
    }

    /// Reads the headers of the log, and finds the rooms of lost records.
    pub(crate) fn index_log(&mut self) -> Result<(), StorageError> {
        let mut positions = Vec::new();
        let mut lost = Vec::new();
        let log = readable_ids(&self.files.journal, "log")?;
        let directory = readable_ids(&self.files.journal, "directory")?;
        if !log.is_whole && !directory.is_whole {
            self.unattributed.push("a part of the log and of its directory is unreadable".into());
        }
        for row in log.ids.union(&directory.ids).copied() {
            self.next_row = self.next_row.max(row.saturating_add(1));
            let data = read_blob(&self.files.journal, "SELECT data FROM log WHERE id = ?1", row)?;
            self.log_bytes += data.as_ref().map_or(0, Vec::len);
            let (entries, unreadable) = data.as_deref().map(entry::scan_damaged).unwrap_or_default();
            let is_whole = data.is_some() && unreadable.is_empty();
            if !is_whole {
                self.retained_rows.insert(row);
                let runs = read_blob(&self.files.journal, "SELECT rooms FROM directory WHERE id = ?1", row)?;
                match runs.and_then(|bytes| row_checksums::read_directory(row, &bytes)) {
                    Some(runs) => lost.extend(missing(row, &runs, &entries)),
                    None => self
                        .unattributed
                        .push(format!("row {row} of the log and its directory are unreadable")),
                }
            }
            positions.extend(entries.into_iter().map(|(offset, header)| LogPosition { row, offset, header }));
        }
        // By revision, whatever the ids of the rows.
        positions.sort_by_key(|position| (position.header.room, position.header.revision));
        for position in positions {
            self.index_position(position)?;
        }
        self.is_indexed = true;
        for room in self.rooms.values_mut().filter(|room| room.head == Revision(0)) {
            room.mark_damaged(Revision(1), "it is missing".into());
        }
        for (room, revision, row) in lost {
            self.next_key = self.next_key.max(room.0.min(KEY_MAX as u64) + 1);
            let exists = self.rooms.contains_key(&room) || self.open_room(room).unwrap_or(false);
            if !exists {
                continue; // deleted, or its own row is damaged
            }
            let room = self.rooms.get_mut(&room).expect("opened above");
            if revision > room.head || room.in_log.iter().all(|position| position.header.revision != revision)
            {
                let is_in_tail = room.head_in_tail >= revision;
                if !is_in_tail {
                    let reason = format!("row {row} of the log, which has it, is unreadable");
                    room.mark_damaged(revision, reason);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn index_position(&mut self, position: LogPosition) -> Result<(), StorageError> {
        let key = position.header.room;
        if !self.rooms.contains_key(&key) {
            match self.open_room(key) {
                Ok(true) => {}
                Ok(false) => return Ok(()),                         // deleted
                Err(StorageError::Damaged { .. }) => return Ok(()), // reported when the room is opened
                Err(error) => return Err(error),
            }
        }
        let room = self.rooms.get_mut(&key).expect("opened above");
        if position.header.revision <= room.head {
            return Ok(()); // moved to the tail; the program ended before the row of the log was removed
        }
        if position.header.revision != room.head.next() {
            let missing = room.head.next();
            room.mark_damaged(
                missing,
                format!("it is missing; the next one is {}", position.header.revision),
            );
        }
        room.head = position.header.revision;
        room.changed_ms = position.header.time_ms;
        room.in_log.push(position);
        Ok(())
    }

    /// Reads the rows of a room into `rooms`. Returns `false` when the room does not exist.
    pub(crate) fn open_room(&mut self, key: RoomKey) -> Result<bool, StorageError> {
        let damaged =
            |revision: Revision, reason: String| StorageError::Damaged { room: key, revision, reason };
        if self.damaged_rows.contains_key(&key) {
            return Err(damaged(Revision(0), "the row with its name is damaged".into()));
        }
        let id = key.0 as i64;
        let name: Option<String> = self
            .files
            .journal
            .prepare_cached("SELECT name FROM room WHERE id = ?1")
            .and_then(|mut query| query.query_row([id], |row| row.get(0)).optional())
            .map_err(engine)?;
        let Some(name) = name else { return Ok(false) };
        let name = RoomName::new(&name).map_err(|error| damaged(Revision(0), error.to_string()))?;
        let head = match read_head(&self.files.rooms, key) {
            Ok(Some(head)) => Ok(head),
            Ok(None) => derive_head(&self.files.rooms, key).map(Option::unwrap_or_default),
            Err(error) => Err(error),
        };
        let head = head.map_err(|error| damaged(Revision(0), error.to_string()))?;
        let mut room = Room {
            head: head.revision,
            head_in_tail: head.revision,
            base: head.base,
            changed_ms: head.changed_ms,
            ..Room::new(&name)
        };
        if self.is_indexed && head.revision == Revision(0) {
            // A room with a name has at least one record.
            room.mark_damaged(Revision(1), "it is missing".into());
        }
        self.rooms.insert(key, room);
        Ok(true)
    }
}

/// A row of `head`: the end of a room's tail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Head {
    pub revision: Revision,
    pub changed_ms: i64,
    /// The last revision that is no longer stored; 0 while all are.
    pub base: Revision,
}

impl Head {
    /// Returns the checksum of the row.
    pub fn checksum(&self, key: RoomKey) -> u32 {
        let numbers = [key.0 as i64, self.revision.0 as i64, self.changed_ms, self.base.0 as i64];
        row_checksums::numbers_checksum(&numbers)
    }
}

/// Reads the head of a room; `None` when it does not exist or is damaged.
pub fn read_head(rooms: &Connection, key: RoomKey) -> Result<Option<Head>, StorageError> {
    let row = rooms
        .prepare_cached("SELECT revision, changed_ms, base, checksum FROM head WHERE room = ?1")
        .and_then(|mut query| {
            let read = |row: &rusqlite::Row<'_>| {
                let (revision, changed_ms, base): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let head =
                    Head { revision: Revision(revision as u64), changed_ms, base: Revision(base as u64) };
                Ok((head, row.get::<_, i64>(3)?))
            };
            query.query_row([key.0 as i64], read).optional()
        })
        .map_err(engine)?;
    Ok(row.filter(|(head, checksum)| i64::from(head.checksum(key)) == *checksum).map(|(head, _)| head))
}

/// Derives the head of a room from its tail; `None` without a tail.
///
/// # Errors
///
/// Fails when the first or last row of the tail is damaged.
pub fn derive_head(rooms: &Connection, key: RoomKey) -> Result<Option<Head>, StorageError> {
    let row = |order: &str| {
        let query = format!("SELECT data FROM tail WHERE room = ?1 ORDER BY first {order} LIMIT 1");
        rooms.query_row(&query, [key.0 as i64], |row| row.get::<_, Vec<u8>>(0)).optional().map_err(engine)
    };
    let (Some(first), Some(last)) = (row("ASC")?, row("DESC")?) else { return Ok(None) };
    let damaged = || StorageError::JournalDamaged {
        reason: "the row with its last revision is damaged, and so is the last record".into(),
    };
    let (first, _) = entry::scan_damaged(&first);
    let (last, unreadable) = entry::scan_damaged(&last);
    let (Some((_, first)), Some((_, last))) = (first.first(), last.last()) else { return Err(damaged()) };
    if !unreadable.is_empty() || last.room != key || first.room != key || first.revision == Revision(0) {
        return Err(damaged());
    }
    let base = Revision(first.revision.0 - 1);
    Ok(Some(Head { revision: last.revision, changed_ms: last.time_ms, base }))
}

/// Writes the head of a room.
pub fn write_head(rooms: &Connection, key: RoomKey, head: &Head) -> Result<(), rusqlite::Error> {
    rooms
        .prepare_cached(
            "INSERT OR REPLACE INTO head (room, revision, changed_ms, base, checksum)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            key.0 as i64,
            head.revision.0 as i64,
            head.changed_ms,
            head.base.0 as i64,
            head.checksum(key)
        ])?;
    Ok(())
}

/// Returns the first revision of each room that a row lacks according to its directory.
fn missing(row: i64, runs: &[RecordRun], entries: &[(usize, Header)]) -> Vec<(RoomKey, Revision, i64)> {
    let present: BTreeSet<(RoomKey, Revision)> =
        entries.iter().map(|(_, header)| (header.room, header.revision)).collect();
    let mut missing = BTreeMap::new();
    for run in runs {
        let mut revisions = (run.first.0..=run.last.0).map(Revision);
        if let Some(revision) = revisions.find(|revision| !present.contains(&(run.room, *revision))) {
            missing.insert(run.room, revision);
        }
    }
    missing.into_iter().map(|(room, revision)| (room, revision, row)).collect()
}

struct Ids {
    ids: BTreeSet<i64>,
    /// Whether SQLite could read the whole table.
    is_whole: bool,
}

/// Returns the row ids of a table, read from both ends when its middle is unreadable.
fn readable_ids(journal: &Connection, table: &str) -> Result<Ids, StorageError> {
    let mut found = Ids { ids: BTreeSet::new(), is_whole: true };
    for order in ["ASC", "DESC"] {
        let query = format!("SELECT id FROM {table} ORDER BY id {order}");
        let mut rows = journal.prepare(&query).map_err(engine)?;
        let ids = rows.query_map([], |row| row.get(0)).map_err(engine)?;
        found.is_whole = true;
        for id in ids {
            match id.map_err(engine) {
                Ok(id) => _ = found.ids.insert(id),
                Err(StorageError::JournalDamaged { .. }) => {
                    found.is_whole = false;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if found.is_whole {
            break;
        }
    }
    Ok(found)
}

/// Reads a blob; `None` when the row does not exist or is unreadable.
fn read_blob(database: &Connection, query: &str, id: i64) -> Result<Option<Vec<u8>>, StorageError> {
    let row = database
        .prepare_cached(query)
        .and_then(|mut query| query.query_row([id], |row| row.get::<_, Vec<u8>>(0)).optional())
        .map_err(engine);
    match row {
        Err(StorageError::JournalDamaged { .. }) => Ok(None),
        other => other,
    }
}

fn text(row: &rusqlite::Row<'_>, column: usize) -> Result<String, StorageError> {
    let value = row.get_ref(column).map_err(engine)?;
    let bytes = value.as_bytes().map_err(|error| engine(error.into()))?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}
