//! Reading a data directory beside the server that writes it: everything as of one moment, then what has changed
//! since, without reading the rest again.
//!
//! Between two reads no transaction is open, so that the server's checkpoints are not held up. What has
//! changed is known from the rows that the log has got, and from the tables that triggers fill: `room_deletion`,
//! `room_change` and `row_change`. When they do not reach back far enough, everything counts as changed.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use quadrille_access::{AccessError, Comparison, StoreChanges};
use quadrille_journal::{RoomKey, StorageError, entry};
use quadrille_protocol::{Revision, RoomName};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::access::{ACCESS, SqliteAccessStore, changes_after, last_change};
use crate::backup::{ATTEMPTS, versions};
use crate::error::engine;
use crate::open::{self, CHANGES_KEPT, Files, JOURNAL, ROOMS};
use crate::startup_index::read_head;
use crate::storage::{LogPosition, SqliteStorage};

/// A data directory that is read while a server writes it.
pub struct RunningDirectory {
    pub rooms: SqliteStorage,
    pub access: SqliteAccessStore,
    /// Connections without transactions, which tell whether others have committed: to the journal last.
    watchers: Vec<Connection>,
    versions: Vec<i64>,
    directory: PathBuf,
    /// Which file the journal was: a restored directory has another one.
    journal: FileNumber,
    has_access: bool,
    known: Known,
    /// Rooms that are being stored: they have records and will get names.
    unnamed: BTreeSet<RoomKey>,
    is_in_transaction: bool,
}

/// Up to where changes are known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Known {
    /// The directory of the last row of the log. Its revisions exist once, so that it identifies the row.
    log_row: Vec<u8>,
    room_deletion: i64,
    room_change: Option<i64>,
    row_change: Option<i64>,
}

impl RunningDirectory {
    /// Opens a directory and begins a read transaction.
    ///
    /// # Errors
    /// When it is no data directory, a server of this version has not opened it yet, or it is damaged such that
    /// the affected rooms are unknown.
    pub fn open(directory: &Path) -> Result<RunningDirectory, StorageError> {
        for name in [JOURNAL, ROOMS] {
            if !directory.join(name).is_file() {
                let reason = format!("it is not a data directory: it has no {name}");
                return Err(StorageError::Inaccessible { path: directory.to_owned(), reason });
            }
        }
        for format in open::formats(directory)? {
            let (path, known) = (directory.join(format.name), format.known);
            if format.found > known {
                return Err(StorageError::NewerFormat { path, found: format.found, known });
            }
            if format.found < known {
                let reason = format!(
                    "{} was written by an older version; start the server of this version once",
                    format.name
                );
                return Err(StorageError::Inaccessible { path: directory.to_owned(), reason });
            }
        }
        crate::backup::check_logs(directory)?;
        let connect = |name: &str| {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(directory.join(name), flags).map_err(engine)
        };
        let has_access = directory.join(ACCESS).exists();
        let access = match has_access {
            true => SqliteAccessStore::over(connect(ACCESS)?),
            false => SqliteAccessStore::empty().map_err(of_access)?,
        };
        let names = [ACCESS, ROOMS, JOURNAL];
        let watchers = names.into_iter().filter(|name| *name != ACCESS || has_access).map(connect);
        let watchers = watchers.collect::<Result<Vec<_>, _>>()?;
        let journal = file_number(directory)?;
        let files = Files::to_read(connect(JOURNAL)?, connect(ROOMS)?);
        if last(&files.journal, "room_deletion")?.is_none() {
            let reason = "an older version uses it; start the server of this version once".to_owned();
            return Err(StorageError::Inaccessible { path: directory.to_owned(), reason });
        }
        let versions = begin(&files, &access, &watchers)?;
        let rooms = SqliteStorage::over(directory, files)?;
        if let Some(damage) = rooms.unattributed.first() {
            let reason = format!("{damage}, and the affected rooms are unknown");
            return Err(StorageError::JournalDamaged { reason });
        }
        let mut running = RunningDirectory {
            unnamed: rooms.deleted_rooms.clone(),
            rooms,
            access,
            watchers,
            versions,
            directory: directory.to_owned(),
            journal,
            has_access,
            known: Known::default(),
            is_in_transaction: true,
        };
        running.known = running.known_now()?;
        Ok(running)
    }

    /// Ends the read transaction. Nothing may be read until the next one begins.
    ///
    /// # Errors
    /// When a transaction cannot be ended.
    pub fn end_transaction(&mut self) -> Result<(), StorageError> {
        if self.is_in_transaction {
            self.is_in_transaction = false;
            for database in connections(&self.rooms.files, &self.access) {
                database.execute_batch("COMMIT").map_err(engine)?;
            }
        }
        Ok(())
    }

    /// Begins the next read transaction, unless nothing has changed, and compares it with the last one.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn next_transaction(&mut self) -> Result<Comparison, StorageError> {
        self.end_transaction()?;
        let is_same_directory = file_number(&self.directory)? == self.journal
            && self.directory.join(ACCESS).exists() == self.has_access;
        if !is_same_directory {
            *self = RunningDirectory::open(&self.directory)?;
            return Ok(Comparison::Unknown);
        }
        if versions(&self.watchers)? == self.versions {
            return Ok(Comparison::Same);
        }
        self.versions = begin(&self.rooms.files, &self.access, &self.watchers)?;
        self.is_in_transaction = true;
        let known = self.known.clone();
        let mut changes = StoreChanges::default();
        if self.find_changes(&known, &mut changes)?.is_none() {
            self.end_transaction()?;
            *self = RunningDirectory::open(&self.directory)?;
            return Ok(Comparison::Unknown);
        }
        self.known = self.known_now()?;
        Ok(Comparison::Changed(changes))
    }

    /// Finds what has changed; `None` when it is not known.
    fn find_changes(
        &mut self,
        known: &Known,
        changes: &mut StoreChanges,
    ) -> Result<Option<()>, StorageError> {
        let (Some(room_change), Some(row_change)) = (known.room_change, known.row_change) else {
            return Ok(None);
        };
        let files = &self.rooms.files;
        let deletions = numbered(&files.journal, "room_deletion", known.room_deletion)?;
        let room_changes = numbered(&files.rooms, "room_change", room_change)?;
        let (Some(deletions), Some(room_changes)) = (deletions, room_changes) else { return Ok(None) };
        // Large records are not in the log, which continues after them.
        for key in &room_changes {
            self.rooms.read_head_again(*key)?;
        }
        let Some(mut keys) = self.rooms.read_new_rows(&known.log_row)? else { return Ok(None) };
        keys.extend(room_changes);
        keys.append(&mut self.unnamed);
        for key in deletions {
            keys.remove(&key);
            self.rooms.rooms.remove(&key);
            changes.deleted.push(self.rooms.incarnation(key));
        }
        for key in keys {
            match self.rooms.read_again(key)? {
                Some(name) => _ = changes.rooms.insert(name),
                None if self.rooms.is_marked(key)? => _ = self.unnamed.insert(key),
                None => {}
            }
        }
        if self.has_access {
            let Some(rows) = changes_after(self.access.database(), row_change).map_err(of_access)? else {
                return Ok(None);
            };
            changes.rows = rows;
        }
        Ok(Some(()))
    }

    fn known_now(&self) -> Result<Known, StorageError> {
        let files = &self.rooms.files;
        let row_change = match self.has_access {
            true => last_change(self.access.database()).map_err(of_access)?,
            false => Some(0),
        };
        Ok(Known {
            log_row: self.rooms.log_directory(self.rooms.next_row - 1)?.unwrap_or_default(),
            room_deletion: last(&files.journal, "room_deletion")?.unwrap_or(0),
            room_change: last(&files.rooms, "room_change")?,
            row_change,
        })
    }
}

impl SqliteStorage {
    /// Reads the rows that were added to the log since the last one, whose directory is given. Returns the rooms
    /// with records in them; `None` when rows may have been missed or cannot be read.
    fn read_new_rows(&mut self, last_directory: &[u8]) -> Result<Option<BTreeSet<RoomKey>>, StorageError> {
        let last = self.next_row - 1;
        if last > 0 && self.log_directory(last)?.is_none_or(|directory| directory != last_directory) {
            return Ok(None);
        }
        let mut positions = Vec::new();
        {
            let select = "SELECT id, data FROM log WHERE id > ?1 ORDER BY id";
            let mut select = self.files.journal.prepare_cached(select).map_err(engine)?;
            let mut rows = select.query([last]).map_err(engine)?;
            while let Some(row) = rows.next().map_err(engine)? {
                let id: i64 = row.get(0).map_err(engine)?;
                let data = row.get_ref(1).map_err(engine)?.as_blob().map_err(|error| engine(error.into()))?;
                let Ok(entries) = entry::scan(data) else { return Ok(None) };
                if id != self.next_row {
                    return Ok(None);
                }
                self.next_row += 1;
                let position = |(offset, header)| LogPosition { row: id, offset, header };
                positions.extend(entries.into_iter().map(position));
            }
        }
        if last == 0 && positions.is_empty() {
            return Ok(None); // rows may have been added and moved meanwhile
        }
        let first = "SELECT min(id) FROM log";
        let first: Option<i64> = self.files.journal.query_row(first, [], |row| row.get(0)).map_err(engine)?;
        let first = first.unwrap_or(i64::MAX);
        for room in self.rooms.values_mut().filter(|room| room.in_log.first().is_some_and(|p| p.row < first))
        {
            room.in_log.retain(|position| position.row >= first);
        }
        let mut changed = BTreeSet::new();
        // The first record of a new room is in the rows that are being read.
        self.is_indexed = false;
        for position in positions {
            self.index_position(position)?;
            if self.rooms.contains_key(&position.header.room) {
                changed.insert(position.header.room);
            }
        }
        self.is_indexed = true;
        Ok(Some(changed))
    }

    /// Reads up to where the tail of a known room reaches now.
    fn read_head_again(&mut self, key: RoomKey) -> Result<(), StorageError> {
        let Some(room) = self.rooms.get_mut(&key) else { return Ok(()) };
        let Some(head) = read_head(&self.files.rooms, key)? else { return Ok(()) };
        if head.revision > room.head_in_tail {
            room.head_in_tail = head.revision;
            room.in_log.retain(|position| position.header.revision > head.revision);
        }
        if head.revision > room.head {
            room.head = head.revision;
            room.changed_ms = head.changed_ms;
        }
        Ok(())
    }

    /// Reads a room whose history may begin elsewhere now. Returns its name; `None` when it does not exist.
    fn read_again(&mut self, key: RoomKey) -> Result<Option<RoomName>, StorageError> {
        if !self.rooms.contains_key(&key) {
            match self.open_room(key) {
                Ok(true) => {}
                Ok(false) | Err(StorageError::Damaged { .. }) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let head = read_head(&self.files.rooms, key)?;
        let room = self.rooms.get_mut(&key).expect("opened above");
        room.base = head.map_or(Revision(0), |head| head.base).max(room.base);
        Ok(Some(room.name.clone()))
    }

    /// Returns the directory of a row of the log.
    fn log_directory(&self, row: i64) -> Result<Option<Vec<u8>>, StorageError> {
        self.files
            .journal
            .prepare_cached("SELECT rooms FROM directory WHERE id = ?1")
            .and_then(|mut select| select.query_row([row], |row| row.get(0)).optional())
            .map_err(engine)
    }
}

/// The databases, the journal last.
fn connections<'a>(files: &'a Files, access: &'a SqliteAccessStore) -> [&'a Connection; 3] {
    [access.database(), &files.rooms, &files.journal]
}

/// Begins a transaction in each database, so that all have a snapshot of the same moment. Returns the versions of the
/// databases before it.
fn begin(
    files: &Files,
    access: &SqliteAccessStore,
    watchers: &[Connection],
) -> Result<Vec<i64>, StorageError> {
    let all = connections(files, access);
    let (journal, others) = watchers.split_last().expect("the journal has one");
    let mut journal_version = versions(std::slice::from_ref(journal))?;
    for _ in 0..ATTEMPTS {
        let before = versions(others)?;
        for database in all {
            database.execute_batch("BEGIN").map_err(engine)?;
            // The first statement that reads begins the transaction.
            let read = "SELECT count(*) FROM sqlite_schema";
            database.query_row(read, [], |row| row.get::<_, i64>(0)).map_err(engine)?;
        }
        if versions(others)? == before {
            return Ok([before, journal_version].concat());
        }
        for database in all {
            database.execute_batch("ROLLBACK").map_err(engine)?;
        }
        journal_version = versions(std::slice::from_ref(journal))?;
    }
    Err(crate::backup::too_many_attempts())
}

/// Returns the rooms of the changes after a number, in a table that keeps the last ones; `None` when some are
/// not kept any more.
fn numbered(
    database: &Connection,
    table: &'static str,
    after: i64,
) -> Result<Option<Vec<RoomKey>>, StorageError> {
    let Some(last) = last(database, table)? else { return Ok(None) };
    if last < after || last - after >= CHANGES_KEPT {
        return Ok(None);
    }
    let select = format!("SELECT room FROM {table} WHERE number > ?1 ORDER BY number");
    let mut select = database.prepare_cached(&select).map_err(engine)?;
    let rooms = select.query_map([after], |row| Ok(RoomKey(row.get::<_, i64>(0)? as u64))).map_err(engine)?;
    rooms.collect::<Result<_, _>>().map(Some).map_err(engine)
}

/// Returns the highest number that a table of changes has given; `None` without the table.
fn last(database: &Connection, table: &str) -> Result<Option<i64>, StorageError> {
    let exists = "SELECT 1 FROM sqlite_schema WHERE name = ?1";
    let exists = database.query_row(exists, [table], |_| Ok(())).optional().map_err(engine)?;
    let Some(()) = exists else { return Ok(None) };
    // The row with the highest number may have been replaced by none: AUTOINCREMENT remembers it.
    let last = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
    let last = database.query_row(last, [table], |row| row.get(0)).optional().map_err(engine)?;
    Ok(Some(last.unwrap_or(0)))
}

/// Identifies a file while it exists.
type FileNumber = (u64, u64);

fn file_number(directory: &Path) -> Result<FileNumber, StorageError> {
    let path = directory.join(JOURNAL);
    path.metadata()
        .map(|metadata| number_of(&metadata))
        .map_err(|error| StorageError::Inaccessible { path, reason: error.to_string() })
}

#[cfg(unix)]
fn number_of(metadata: &Metadata) -> FileNumber {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn number_of(metadata: &Metadata) -> FileNumber {
    let created = metadata.created().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    (0, created.map_or(0, |since| since.as_nanos() as u64))
}

fn of_access(error: AccessError) -> StorageError {
    StorageError::Engine { reason: error.to_string() }
}
