//! Opening a data directory: lock, files, schema and migration of older formats.
//!
//! Format 2 added checksums to `room` and `head`, the `base` of a history, a seal over the key of a
//! snapshot (null in rows of format 1), and the directory of each row of the log. The tables `chat`
//! and `image` were added later; older programs ignore them. Format 3 added `piece`; `gone` was
//! added later, and so were `restoration`, which only directories restored from a backup use, and
//! `room_deletion` and `room_change`, which only programs read that follow a directory.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use quadrille_journal::{StorageError, entry};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};

use crate::private_files::{create_directory, create_file};
use crate::{row_checksums, wal_check};

/// Version of the schema. A file with a higher number was written by a newer program.
const FORMAT: u32 = 3;

/// Pages of the journal's write-ahead log from which a commit checkpoints it, 64 MiB: the last
/// resort. Normally checkpoints run beside commits (`Storage::needs_checkpoint`).
const WAL_PAGES_MAX: u32 = 16_384;

/// How long a transaction waits for that of another thread, which stores large records.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

/// Identifies the files for `file(1)`: "Quad" in ASCII.
const APPLICATION_ID: u32 = 0x5175_6164;

const JOURNAL_SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS directory (id INTEGER PRIMARY KEY, rooms BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS room (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, created_ms INTEGER NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT;";

/// Part of the journal. The row exists once the directory was restored from a backup: rooms then have
/// incarnations that depend on its number.
pub const RESTORATION_SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS restoration (
        id INTEGER PRIMARY KEY CHECK (id = 1), salt INTEGER NOT NULL
    ) STRICT;";

/// Part of the journal. The numbers of deleted rooms, for programs that follow the directory; the last
/// [`CHANGES_KEPT`] of them. They are written by a trigger, so whichever program deletes a room.
const DELETIONS_SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS room_deletion (
        number INTEGER PRIMARY KEY AUTOINCREMENT, room INTEGER NOT NULL
    ) STRICT;
    CREATE TRIGGER IF NOT EXISTS room_deleted AFTER DELETE ON room BEGIN
        INSERT INTO room_deletion (room) VALUES (OLD.id);
        DELETE FROM room_deletion WHERE number <= (SELECT max(number) FROM room_deletion) - 100000;
    END;";

/// Part of the rooms. The rooms whose chat, images or beginning of the history changed, by the number of the last
/// such change. In a trigger the conflict clause of the statement that fires it holds, hence no `OR REPLACE`.
const CHANGES_SCHEMA: &str = "
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS room_change (
        number INTEGER PRIMARY KEY AUTOINCREMENT, room INTEGER NOT NULL UNIQUE
    ) STRICT;
    CREATE TRIGGER IF NOT EXISTS chat_added AFTER INSERT ON chat BEGIN
        DELETE FROM room_change WHERE room = NEW.room;
        INSERT INTO room_change (room) VALUES (NEW.room);
    END;
    CREATE TRIGGER IF NOT EXISTS chat_removed AFTER DELETE ON chat BEGIN
        DELETE FROM room_change WHERE room = OLD.room;
        INSERT INTO room_change (room) VALUES (OLD.room);
    END;
    CREATE TRIGGER IF NOT EXISTS image_added AFTER INSERT ON image BEGIN
        DELETE FROM room_change WHERE room = NEW.room;
        INSERT INTO room_change (room) VALUES (NEW.room);
    END;
    CREATE TRIGGER IF NOT EXISTS base_moved BEFORE INSERT ON head
    WHEN NEW.base <> coalesce((SELECT base FROM head WHERE room = NEW.room), 0) BEGIN
        DELETE FROM room_change WHERE room = NEW.room;
        INSERT INTO room_change (room) VALUES (NEW.room);
    END;
    CREATE TRIGGER IF NOT EXISTS room_changes_kept AFTER INSERT ON room_change BEGIN
        DELETE FROM room_change WHERE number <= (SELECT max(number) FROM room_change) - 100000;
    END;
    COMMIT;";

/// Changes that are remembered for a program that follows a directory; the schemas have the number. One that
/// is further behind compares everything.
pub const CHANGES_KEPT: i64 = 100_000;

const ROOMS_SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS tail (
        room INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (room, first)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS head (
        room INTEGER PRIMARY KEY, revision INTEGER NOT NULL, changed_ms INTEGER NOT NULL,
        base INTEGER NOT NULL, checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS snapshot (
        id INTEGER PRIMARY KEY, room INTEGER NOT NULL, revision INTEGER NOT NULL, checksum INTEGER NOT NULL,
        data BLOB NOT NULL, seal INTEGER, UNIQUE (room, revision)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS chat (
        room INTEGER NOT NULL, number INTEGER NOT NULL, checksum INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (room, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS image (
        id INTEGER PRIMARY KEY, room INTEGER NOT NULL, hash BLOB NOT NULL, checksum INTEGER NOT NULL,
        data BLOB NOT NULL, UNIQUE (room, hash)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS piece (
        id INTEGER PRIMARY KEY, room INTEGER NOT NULL, revision INTEGER NOT NULL, first INTEGER NOT NULL,
        data BLOB NOT NULL, UNIQUE (room, revision, first)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS gone (room INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE IF NOT EXISTS property (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value TEXT NOT NULL
    ) STRICT;";

/// The two databases of a data directory, with the lock that excludes other processes.
pub struct Files {
    pub journal: Connection,
    pub rooms: Connection,
    /// `None` for a reader beside a server.
    _lock: Option<DirectoryLock>,
}

/// The lock of a data directory. It ends when this value is dropped.
#[derive(Debug)]
pub struct DirectoryLock(File);

impl Drop for DirectoryLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a program that another thread is starting has inherited it until
        // its `exec`, and the lock would last as long. Without a lock there is nothing to do.
        let _ = self.0.unlock();
    }
}

/// What to do about a damaged write-ahead log, of which SQLite silently drops acknowledged commits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DamagedWal {
    /// Opening fails.
    Refused,
    /// The readable part is used.
    Taken,
}

/// Whether other connections use the databases at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// They may, and find each other by files of shared memory.
    Shared,
    /// They do not. Then SQLite keeps the index of a write-ahead log in memory, so that reading needs no
    /// space on the disk.
    Alone,
}

/// Flags for opening an existing database; a missing one is not created.
pub const EXISTING: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// File name of the journal.
pub const JOURNAL: &str = "journal.db";
/// File name of the rooms.
pub const ROOMS: &str = "rooms.db";

/// Returns the length of a write-ahead log, which can be long after a process was killed.
pub fn wal_bytes(directory: &Path, name: &str) -> usize {
    directory.join(format!("{name}-wal")).metadata().map_or(0, |file| file.len() as usize)
}

/// Returns the damage of the write-ahead logs of a directory that is not open, with the names of
/// their databases.
pub fn wal_damage(directory: &Path) -> Vec<(&'static str, String)> {
    let damage = |name: &'static str| Some((name, wal_check::damage(&directory.join(name))?));
    [JOURNAL, ROOMS].into_iter().filter_map(damage).collect()
}

/// The version of the schema of a database in a data directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileFormat {
    pub name: &'static str,
    pub found: u32,
    /// The newest one that this program knows.
    pub known: u32,
}

/// Returns the versions of the databases that a directory has. A server may be using it.
///
/// # Errors
///
/// Fails when a database cannot be opened.
pub fn formats(directory: &Path) -> Result<Vec<FileFormat>, StorageError> {
    let databases = [(JOURNAL, FORMAT), (ROOMS, FORMAT), (crate::access::ACCESS, crate::access::FORMAT)];
    let mut found = Vec::new();
    for (name, known) in databases.into_iter().filter(|(name, _)| directory.join(name).exists()) {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let version = Connection::open_with_flags(directory.join(name), flags)
            .and_then(|database| database.pragma_query_value(None, "user_version", |row| row.get(0)))
            .map_err(crate::error::engine)?;
        found.push(FileFormat { name, found: version, known });
    }
    Ok(found)
}

/// Returns why SQLite cannot open a database: its header or its schema table is destroyed.
pub fn unopenable(directory: &Path, name: &'static str) -> Option<String> {
    let path = directory.join(name);
    if path.metadata().is_ok_and(|file| file.len() == 0) || !path.exists() {
        return None; // it will be created
    }
    let tables = if name == JOURNAL { ["log", "room"] } else { ["tail", "head"] };
    let probe = || {
        let database = Connection::open_with_flags(&path, EXISTING)?;
        be_alone(&database)?;
        for table in tables {
            database.prepare(&format!("SELECT * FROM {table}"))?;
        }
        Ok::<(), rusqlite::Error>(())
    };
    let error = probe().err()?;
    let is_damaged = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => true,
        // The schema is that of another database, or empty.
        _ => error.to_string().contains("no such table"),
    };
    is_damaged.then(|| error.to_string())
}

/// Locks the directory against other processes until the returned value is dropped.
///
/// # Errors
///
/// Fails with `InUse` when another process holds the lock.
pub fn lock(directory: &Path) -> Result<DirectoryLock, StorageError> {
    let inaccessible = |error: std::io::Error| StorageError::Inaccessible {
        path: directory.to_owned(),
        reason: error.to_string(),
    };
    let path = directory.join("lock");
    create_directory(directory).and_then(|()| create_file(&path)).map_err(inaccessible)?;
    let lock = File::create(path).map_err(inaccessible)?;
    match lock.try_lock() {
        Ok(()) => Ok(DirectoryLock(lock)),
        Err(TryLockError::WouldBlock) => Err(StorageError::InUse { path: directory.to_owned() }),
        Err(TryLockError::Error(error)) => Err(inaccessible(error)),
    }
}

/// Locks and opens a data directory; creates and migrates its databases.
///
/// # Errors
///
/// Fails when the directory is in use or inaccessible, or a database is damaged or of a newer
/// format.
pub fn open(directory: &Path, damaged_wal: DamagedWal, sharing: Sharing) -> Result<Files, StorageError> {
    let lock = lock(directory)?;
    if damaged_wal == DamagedWal::Refused
        && let Some((_, reason)) = wal_damage(directory).into_iter().next()
    {
        return Err(StorageError::JournalDamaged { reason });
    }
    let journal = open_database(&directory.join(JOURNAL), JOURNAL_SCHEMA, migrate_journal, sharing)?;
    journal.pragma_update(None, "wal_autocheckpoint", WAL_PAGES_MAX).map_err(crate::error::engine)?;
    journal.execute_batch(RESTORATION_SCHEMA).map_err(crate::error::engine)?;
    journal.execute_batch(DELETIONS_SCHEMA).map_err(crate::error::engine)?;
    let rooms = open_database(&directory.join(ROOMS), ROOMS_SCHEMA, migrate_rooms, sharing)?;
    note_changes(&rooms).and_then(|()| wait_for_writers(&rooms)).map_err(crate::error::engine)?;
    Ok(Files { journal, rooms, _lock: Some(lock) })
}

/// Creates the table of changes and its triggers in one commit, unless they exist.
fn note_changes(rooms: &Connection) -> Result<(), rusqlite::Error> {
    let exists = "SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'room_changes_kept'";
    match rooms.query_row(exists, [], |row| row.get(0))? {
        true => Ok(()),
        false => rooms.execute_batch(CHANGES_SCHEMA),
    }
}

impl Files {
    /// Files of a directory that another program may be writing.
    pub fn to_read(journal: Connection, rooms: Connection) -> Files {
        Files { journal, rooms, _lock: None }
    }

    /// Whether nothing can be written.
    pub fn is_read_only(&self) -> bool {
        self._lock.is_none()
    }
}

/// Returns the number on which incarnations depend in a directory that was restored from a backup.
pub fn restoration(journal: &Connection) -> Result<Option<i64>, StorageError> {
    journal
        .query_row("SELECT salt FROM restoration", [], |row| row.get(0))
        .optional()
        .map_err(crate::error::engine)
}

/// Creates a database of the newest format, for the readable rows of a damaged one.
pub fn open_fresh(path: &Path, name: &str) -> Result<Connection, StorageError> {
    match name {
        JOURNAL => {
            let journal = open_database(path, JOURNAL_SCHEMA, migrate_journal, Sharing::Shared)?;
            journal.execute_batch(RESTORATION_SCHEMA).map_err(crate::error::engine)?;
            Ok(journal)
        }
        _ => open_database(path, ROOMS_SCHEMA, migrate_rooms, Sharing::Shared),
    }
}

/// Adds checksums to `room`, and a directory for each row of the log.
fn migrate_journal(database: &Connection) -> Result<(), rusqlite::Error> {
    if !has_column(database, "room", "checksum")? {
        database.execute_batch("ALTER TABLE room ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")?;
        let mut rooms = database.prepare("SELECT id, name, created_ms FROM room")?;
        let rooms: Vec<(i64, String, i64)> = rooms
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<Result<_, _>>()?;
        let mut update = database.prepare("UPDATE room SET checksum = ?2 WHERE id = ?1")?;
        for (id, name, created_ms) in rooms {
            update.execute(params![id, row_checksums::room_checksum(id, &name, created_ms)])?;
        }
    }
    let mut log = database.prepare("SELECT id, data FROM log WHERE id NOT IN (SELECT id FROM directory)")?;
    let mut log = log.query([])?;
    let mut put = database.prepare("INSERT INTO directory (id, rooms) VALUES (?1, ?2)")?;
    while let Some(row) = log.next()? {
        let (id, data): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
        // A row that is already damaged gets no directory: the rooms of its lost records are
        // unknown.
        if let Ok(entries) = entry::scan(&data) {
            put.execute(params![
                id,
                row_checksums::write_directory(id, entries.iter().map(|(_, header)| header))
            ])?;
        }
    }
    Ok(())
}

/// Adds checksums to `head`, and the column for seals to `snapshot`.
fn migrate_rooms(database: &Connection) -> Result<(), rusqlite::Error> {
    if !has_column(database, "snapshot", "seal")? {
        database.execute_batch("ALTER TABLE snapshot ADD COLUMN seal INTEGER")?;
    }
    if has_column(database, "head", "checksum")? {
        return Ok(());
    }
    database.execute_batch(
        "ALTER TABLE head ADD COLUMN base INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE head ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;",
    )?;
    let mut heads = database.prepare("SELECT room, revision, changed_ms FROM head")?;
    let heads: Vec<[i64; 3]> =
        heads.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?.collect::<Result<_, _>>()?;
    let mut update = database.prepare("UPDATE head SET checksum = ?2 WHERE room = ?1")?;
    for [room, revision, changed_ms] in heads {
        update.execute(params![room, row_checksums::numbers_checksum(&[room, revision, changed_ms, 0])])?;
    }
    Ok(())
}

/// Waits for another thread that writes the same database.
pub fn wait_for_writers(database: &Connection) -> Result<(), rusqlite::Error> {
    database.busy_timeout(BUSY_TIMEOUT)
}

fn has_column(database: &Connection, table: &str, column: &str) -> Result<bool, rusqlite::Error> {
    let query = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
    database.query_row(query, [table, column], |row| Ok(row.get::<_, i64>(0)? > 0))
}

/// Makes every commit durable.
pub fn sync_fully(database: &Connection) -> Result<(), rusqlite::Error> {
    // FULL syncs the write-ahead log at every commit; NORMAL could lose the last commits in a power
    // failure (J1).
    database.pragma_update(None, "synchronous", "FULL")?;
    // macOS: fsync alone does not flush the disk there.
    database.pragma_update(None, "fullfsync", true)
}

/// Uses a database without shared memory ([`Sharing::Alone`]). Before the first statement that reads.
pub fn be_alone(database: &Connection) -> Result<(), rusqlite::Error> {
    database.pragma_update(None, "locking_mode", "EXCLUSIVE")
}

/// Whether a database is used without shared memory, so that no other connection can be opened.
pub fn is_alone(database: &Connection) -> bool {
    let mode = database.pragma_query_value(None, "locking_mode", |row| row.get::<_, String>(0));
    !mode.is_ok_and(|mode| mode == "normal")
}

fn open_database(
    path: &Path,
    schema: &str,
    migrate: fn(&Connection) -> Result<(), rusqlite::Error>,
    sharing: Sharing,
) -> Result<Connection, StorageError> {
    let failed = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StorageError::JournalDamaged { reason: format!("{}: {error}", path.display()) }
        }
        Some(ErrorCode::DiskFull) => StorageError::Full,
        _ => StorageError::Inaccessible { path: path.to_owned(), reason: error.to_string() },
    };
    let inaccessible = |error: std::io::Error| StorageError::Inaccessible {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    create_file(path).map_err(inaccessible)?;
    let database = Connection::open(path).map_err(failed)?;
    if sharing == Sharing::Alone {
        be_alone(&database).map_err(failed)?;
    }
    let found: u32 = database.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
    if found > FORMAT {
        return Err(StorageError::NewerFormat { path: path.to_owned(), found, known: FORMAT });
    }
    database.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
    sync_fully(&database).map_err(failed)?;
    database.execute_batch(schema).map_err(failed)?;
    if found < FORMAT {
        let transaction = database.unchecked_transaction().map_err(failed)?;
        migrate(&transaction).map_err(failed)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
        transaction.pragma_update(None, "user_version", FORMAT).map_err(failed)?;
        transaction.commit().map_err(failed)?;
    }
    Ok(database)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests of the server failed with "in use" when another thread was starting a program.
    #[test]
    fn a_lock_ends_although_a_program_that_is_starting_has_inherited_its_file() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let held = lock(directory.path()).expect("is free");
        assert!(matches!(lock(directory.path()), Err(StorageError::InUse { .. })));
        // A second descriptor of the same open file, as `fork` makes one.
        let inherited = held.0.try_clone().expect("duplicates");
        drop(held);
        lock(directory.path()).expect("is free again");
        drop(inherited);
    }
}
