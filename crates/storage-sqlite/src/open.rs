//! Opening a data directory: lock, files, schema, and the way from older formats.
//!
//! Format 2 added checksums to `room` and `head`, the `base` of a history, a seal over what a snapshot is called by
//! (null in rows of format 1), and the directory of each row of the log. The tables `chat` and `image` came later;
//! programs that do not know them leave them alone. Format 3 added `piece`; `gone` came later.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use quadrille_journal::{StorageError, entry};
use rusqlite::{Connection, ErrorCode, OpenFlags, params};

use crate::{row_checksums, wal_check};

/// Counts changes of the schema; a file with a higher number was written by a newer program.
const FORMAT: u32 = 3;

/// Pages of the journal's write-ahead log from which on a commit brings it into the file by itself, 64 MiB: the last
/// resort. Long before that it is done beside commits (`Storage::has_to_settle`).
const WAL_PAGES_MAX: u32 = 16_384;

/// Marks our files for `file(1)` and for whoever finds them: "Quad" in ASCII.
const APPLICATION_ID: u32 = 0x5175_6164;

const JOURNAL_SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS directory (id INTEGER PRIMARY KEY, rooms BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS room (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, created_ms INTEGER NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT;";

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
    CREATE TABLE IF NOT EXISTS gone (room INTEGER PRIMARY KEY) STRICT;";

/// The two databases of a data directory, and the lock that keeps other processes out while they are open.
pub struct Files {
    pub journal: Connection,
    pub rooms: Connection,
    _lock: File,
}

/// Whether a damaged write-ahead log is a reason not to open: what SQLite then forgets had been acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DamagedWal {
    Refused,
    /// Its readable part is taken.
    Taken,
}

/// Of a database that is there: no other is made in its place.
pub const EXISTING: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

pub const JOURNAL: &str = "journal.db";
pub const ROOMS: &str = "rooms.db";

/// The length of a write-ahead log; one that a killed process has left may be long.
pub fn wal_bytes(directory: &Path, name: &str) -> usize {
    directory.join(format!("{name}-wal")).metadata().map_or(0, |file| file.len() as usize)
}

/// What is wrong with the write-ahead logs of a directory that is not open, and the databases they are of.
pub fn wal_damage(directory: &Path) -> Vec<(&'static str, String)> {
    let damage = |name: &'static str| Some((name, wal_check::damage(&directory.join(name))?));
    [JOURNAL, ROOMS].into_iter().filter_map(damage).collect()
}

/// Why SQLite does not open a database: its header, or the table that leads to all others, is destroyed.
pub fn unopenable(directory: &Path, name: &'static str) -> Option<String> {
    let path = directory.join(name);
    if path.metadata().is_ok_and(|file| file.len() == 0) || !path.exists() {
        return None; // a new one is made
    }
    let tables = if name == JOURNAL { ["log", "room"] } else { ["tail", "head"] };
    let look = || {
        let database = Connection::open_with_flags(&path, EXISTING)?;
        for table in tables {
            database.prepare(&format!("SELECT * FROM {table}"))?;
        }
        Ok::<(), rusqlite::Error>(())
    };
    let error = look().err()?;
    let is_damaged = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => true,
        // The schema reads as that of another database, or of none.
        _ => error.to_string().contains("no such table"),
    };
    is_damaged.then(|| error.to_string())
}

/// Keeps other processes out of the directory while it is held.
pub fn lock(directory: &Path) -> Result<File, StorageError> {
    let inaccessible = |error: std::io::Error| StorageError::Inaccessible {
        path: directory.to_owned(),
        reason: error.to_string(),
    };
    fs::create_dir_all(directory).map_err(inaccessible)?;
    let lock = File::create(directory.join("lock")).map_err(inaccessible)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(StorageError::InUse { path: directory.to_owned() }),
        Err(TryLockError::Error(error)) => Err(inaccessible(error)),
    }
}

pub fn open(directory: &Path, damaged_wal: DamagedWal) -> Result<Files, StorageError> {
    let lock = lock(directory)?;
    if damaged_wal == DamagedWal::Refused
        && let Some((_, reason)) = wal_damage(directory).into_iter().next()
    {
        return Err(StorageError::JournalDamaged { reason });
    }
    let journal = open_database(&directory.join(JOURNAL), JOURNAL_SCHEMA, migrate_journal)?;
    journal.pragma_update(None, "wal_autocheckpoint", WAL_PAGES_MAX).map_err(crate::error::engine)?;
    let rooms = open_database(&directory.join(ROOMS), ROOMS_SCHEMA, migrate_rooms)?;
    Ok(Files { journal, rooms, _lock: lock })
}

/// A new database of the newest format, for what can be saved of a damaged one.
pub fn open_fresh(path: &Path, name: &str) -> Result<Connection, StorageError> {
    match name {
        JOURNAL => open_database(path, JOURNAL_SCHEMA, migrate_journal),
        _ => open_database(path, ROOMS_SCHEMA, migrate_rooms),
    }
}

/// `room` gets its checksums, each row of the log its directory.
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
        // A row that is damaged already has no directory, and then cannot say whose records are lost.
        if let Ok(entries) = entry::scan(&data) {
            put.execute(params![
                id,
                row_checksums::write_directory(id, entries.iter().map(|(_, header)| header))
            ])?;
        }
    }
    Ok(())
}

/// `head` gets its checksums, snapshots the place for their seals.
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

fn has_column(database: &Connection, table: &str, column: &str) -> Result<bool, rusqlite::Error> {
    let query = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
    database.query_row(query, [table, column], |row| Ok(row.get::<_, i64>(0)? > 0))
}

/// What a commit has said is on the disk is there.
pub fn sync_fully(database: &Connection) -> Result<(), rusqlite::Error> {
    // FULL syncs the write-ahead log at every commit; NORMAL could lose the last commits with the power (J1).
    database.pragma_update(None, "synchronous", "FULL")?;
    // macOS: fsync alone does not reach the disk there.
    database.pragma_update(None, "fullfsync", true)
}

fn open_database(
    path: &Path,
    schema: &str,
    migrate: fn(&Connection) -> Result<(), rusqlite::Error>,
) -> Result<Connection, StorageError> {
    let refused = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StorageError::JournalDamaged { reason: format!("{}: {error}", path.display()) }
        }
        Some(ErrorCode::DiskFull) => StorageError::Full,
        _ => StorageError::Inaccessible { path: path.to_owned(), reason: error.to_string() },
    };
    let database = Connection::open(path).map_err(refused)?;
    let found: u32 = database.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(refused)?;
    if found > FORMAT {
        return Err(StorageError::NewerFormat { path: path.to_owned(), found, known: FORMAT });
    }
    database.pragma_update(None, "journal_mode", "WAL").map_err(refused)?;
    sync_fully(&database).map_err(refused)?;
    database.execute_batch(schema).map_err(refused)?;
    if found < FORMAT {
        let transaction = database.unchecked_transaction().map_err(refused)?;
        migrate(&transaction).map_err(refused)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(refused)?;
        transaction.pragma_update(None, "user_version", FORMAT).map_err(refused)?;
        transaction.commit().map_err(refused)?;
    }
    Ok(database)
}
