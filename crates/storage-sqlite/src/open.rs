//! Opening a data directory: lock, files, schema.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use quadrille_journal::StorageError;
use rusqlite::{Connection, ErrorCode};

/// Counts changes of the schema; a file with a higher number was written by a newer program.
const FORMAT: u32 = 1;

/// Marks our files for `file(1)` and for whoever finds them: "Quad" in ASCII.
const APPLICATION_ID: u32 = 0x5175_6164;

const JOURNAL_SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS room (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, created_ms INTEGER NOT NULL
    ) STRICT;";

const ROOMS_SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS tail (
        room INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (room, first)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS head (
        room INTEGER PRIMARY KEY, revision INTEGER NOT NULL, changed_ms INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS snapshot (
        id INTEGER PRIMARY KEY, room INTEGER NOT NULL, revision INTEGER NOT NULL, checksum INTEGER NOT NULL,
        data BLOB NOT NULL, UNIQUE (room, revision)
    ) STRICT;";

/// The two databases of a data directory, and the lock that keeps other processes out while they are open.
pub struct Files {
    pub journal: Connection,
    pub rooms: Connection,
    _lock: File,
}

pub fn open(directory: &Path) -> Result<Files, StorageError> {
    let inaccessible = |error: std::io::Error| StorageError::Inaccessible {
        path: directory.to_owned(),
        reason: error.to_string(),
    };
    fs::create_dir_all(directory).map_err(inaccessible)?;
    let lock = File::create(directory.join("lock")).map_err(inaccessible)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(StorageError::InUse { path: directory.to_owned() }),
        Err(TryLockError::Error(error)) => return Err(inaccessible(error)),
    }
    let journal = open_database(&directory.join("journal.db"), JOURNAL_SCHEMA)?;
    let rooms = open_database(&directory.join("rooms.db"), ROOMS_SCHEMA)?;
    Ok(Files { journal, rooms, _lock: lock })
}

fn open_database(path: &Path, schema: &str) -> Result<Connection, StorageError> {
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
    // FULL syncs the write-ahead log at every commit; NORMAL could lose the last commits with the power (J1).
    database.pragma_update(None, "synchronous", "FULL").map_err(refused)?;
    // macOS: fsync alone does not reach the disk there.
    database.pragma_update(None, "fullfsync", true).map_err(refused)?;
    database.execute_batch(schema).map_err(refused)?;
    if found == 0 {
        database.pragma_update(None, "application_id", APPLICATION_ID).map_err(refused)?;
        database.pragma_update(None, "user_version", FORMAT).map_err(refused)?;
    }
    Ok(database)
}
