//! Copies of a data directory: all its databases as of one moment, also while a server writes them.
//!
//! The copy is made by SQLite's online backup (<https://www.sqlite.org/backup.html>), page by page,
//! from read transactions that see one moment. Writers are not blocked; the write-ahead logs of the
//! source cannot shrink until the copy is complete.

use std::fs::File;
use std::path::Path;

use quadrille_journal::StorageError;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::access::ACCESS;
use crate::error::engine;
use crate::open::{self, DirectoryLock, JOURNAL, ROOMS};
use crate::private_files::create_file;

/// Attempts to read all databases at one moment. An attempt takes microseconds and fails when one of
/// the databases that seldom change was written meanwhile.
pub(crate) const ATTEMPTS: u32 = 10_000;

/// The databases of a data directory. A copy is put in place in this order, since a workbook without its
/// access would be open to everybody. It is read in this order too: the journal last.
pub const DATABASES: [&str; 3] = [ACCESS, ROOMS, JOURNAL];

/// Copies the databases of a data directory into another one, as of one moment. A server may be
/// using `from`. The copies need no write-ahead log and may be on a medium that is not writable.
///
/// Time and space are proportional to the size of the databases.
///
/// # Errors
///
/// Fails when `from` is not a data directory or `to` already has databases, when the write-ahead log
/// that a killed server left is damaged, and when the disk is full.
pub fn copy_directory(from: &Path, to: &Path) -> Result<(), StorageError> {
    for name in [JOURNAL, ROOMS] {
        if !from.join(name).is_file() {
            let reason = format!("it is not a data directory or a backup: it has no {name}");
            return Err(StorageError::Inaccessible { path: from.to_owned(), reason });
        }
    }
    if let Some(name) = existing_database(to) {
        let reason = format!("it already has data ({name}); move them to another place first");
        return Err(StorageError::Inaccessible { path: to.to_owned(), reason });
    }
    let inaccessible =
        |error: std::io::Error| StorageError::Inaccessible { path: to.to_owned(), reason: error.to_string() };
    let moment = read_one_moment(from)?;
    for (name, source) in &moment {
        create_file(&to.join(name)).map_err(inaccessible)?;
        let mut copy = Connection::open(to.join(name)).map_err(engine)?;
        open::sync_fully(&copy).map_err(engine)?;
        match Backup::new(source, &mut copy).and_then(|backup| backup.step(-1)).map_err(engine)? {
            StepResult::Done => {}
            other => {
                let reason = format!("{name} could not be copied: {other:?}");
                return Err(StorageError::Engine { reason });
            }
        }
    }
    File::open(to).and_then(|directory| directory.sync_all()).map_err(inaccessible)
}

/// Returns the name of a database that the directory has.
pub fn existing_database(directory: &Path) -> Option<&'static str> {
    DATABASES.into_iter().find(|name| directory.join(name).exists())
}

/// Ends the use of write-ahead logs in a copy that was opened to check it: a database with one cannot
/// be read from a medium that is not writable.
///
/// # Errors
///
/// Fails when a database is in use or cannot be written.
pub fn close_copy(directory: &Path) -> Result<(), StorageError> {
    for name in DATABASES.into_iter().filter(|name| directory.join(name).exists()) {
        let database = Connection::open_with_flags(directory.join(name), open::EXISTING).map_err(engine)?;
        database.pragma_update(None, "journal_mode", "DELETE").map_err(engine)?;
    }
    Ok(())
}

/// Gives all rooms of a restored directory new incarnations: a client may know later revisions of
/// them than the copy has, and would take the next ones for those.
///
/// # Errors
///
/// Fails when the journal cannot be written.
pub fn renew_incarnations(directory: &Path) -> Result<(), StorageError> {
    let journal = Connection::open_with_flags(directory.join(JOURNAL), open::EXISTING).map_err(engine)?;
    open::sync_fully(&journal).map_err(engine)?;
    journal.execute_batch(open::RESTORATION_SCHEMA).map_err(engine)?;
    journal
        .execute("INSERT OR REPLACE INTO restoration (id, salt) VALUES (1, random())", [])
        .map(drop)
        .map_err(engine)
}

/// Opens the databases, each in a read transaction, such that all see the same moment.
///
/// The journal changes with every commit of a busy server, the others seldom. So the transaction of
/// the journal begins last, and the moment is its: the others have not changed since theirs began,
/// which the watchers tell (`PRAGMA data_version`).
fn read_one_moment(from: &Path) -> Result<Vec<(&'static str, Connection)>, StorageError> {
    let _lock = check_logs(from)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connect = |name: &'static str| Connection::open_with_flags(from.join(name), flags).map_err(engine);
    let mut sources = Vec::new();
    let mut watchers = Vec::new();
    for name in DATABASES.into_iter().filter(|name| from.join(name).exists()) {
        sources.push((name, connect(name)?));
        if name != JOURNAL {
            watchers.push(connect(name)?);
        }
    }
    for _ in 0..ATTEMPTS {
        let before = versions(&watchers)?;
        for (_, source) in &sources {
            source.execute_batch("BEGIN").map_err(engine)?;
            // The first statement that reads begins the transaction.
            source
                .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
                .map_err(engine)?;
        }
        if versions(&watchers)? == before {
            return Ok(sources);
        }
        for (_, source) in &sources {
            source.execute_batch("ROLLBACK").map_err(engine)?;
        }
    }
    Err(too_many_attempts())
}

/// Checks the write-ahead logs of a directory that no server uses, and locks it. Opening a database drops the
/// unreadable commits of a log that a killed server left damaged. A server that holds the lock has checked its
/// logs. A medium that is not writable has none.
pub(crate) fn check_logs(directory: &Path) -> Result<Option<DirectoryLock>, StorageError> {
    let lock = match open::lock(directory) {
        Ok(lock) => Some(lock),
        Err(StorageError::InUse { .. } | StorageError::Inaccessible { .. }) => None,
        Err(error) => return Err(error),
    };
    if lock.is_some()
        && let Some((name, reason)) = open::wal_damage(directory).into_iter().next()
    {
        return Err(StorageError::JournalDamaged { reason: format!("{name}: {reason}") });
    }
    Ok(lock)
}

/// The error after [`ATTEMPTS`].
pub(crate) fn too_many_attempts() -> StorageError {
    let reason =
        format!("the databases changed during each of {ATTEMPTS} attempts to read them at one moment");
    StorageError::Engine { reason }
}

/// Returns a number per database that changes when another connection commits to it.
pub(crate) fn versions(watchers: &[Connection]) -> Result<Vec<i64>, StorageError> {
    watchers
        .iter()
        .map(|watcher| watcher.query_row("PRAGMA data_version", [], |row| row.get(0)).map_err(engine))
        .collect()
}
