//! Rebuilding a damaged database from its readable rows.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use quadrille_journal::StorageError;
use rusqlite::Connection;

use crate::error::engine;
use crate::salvage::{DamagedDatabase, Salvaged};
use crate::{open, salvage, wal_check};

/// Creates a new file with every row that SQLite can read and the rows found in the pages of the
/// original file in `copy`, and replaces the damaged file with it.
///
/// # Errors
///
/// Fails when nothing of the file can be read, or the new file cannot be written.
pub fn rebuild(directory: &Path, copy: &Path, name: &'static str) -> Result<Salvaged, StorageError> {
    let (path, fresh) = (directory.join(name), directory.join(format!("{name}.new")));
    let inaccessible =
        |error: std::io::Error| StorageError::Inaccessible { path: path.clone(), reason: error.to_string() };
    if fresh.exists() {
        fs::remove_file(&fresh).map_err(inaccessible)?; // of an interrupted repair
    }
    let has_whole_log = wal_check::damage(&copy.join(name)).is_none();
    let mut salvaged = Salvaged::default();
    let is_empty = {
        let old = Connection::open(&path).map_err(engine)?;
        let new = open::open_fresh(&fresh, name)?;
        let transaction = new.unchecked_transaction().map_err(engine)?;
        let tables: &[(&str, &str)] = match name {
            open::JOURNAL => &[("log", "id"), ("directory", "id"), ("room", "id")],
            _ => &[
                ("head", "room"),
                ("snapshot", "id"),
                ("piece", "id"),
                ("tail", "room, first"),
                ("chat", "room, number"),
                ("image", "id"),
                ("gone", "room"),
                ("property", "id"),
            ],
        };
        let mut whole = BTreeSet::new();
        for (table, key) in tables {
            for order in ["ASC", "DESC"] {
                let key = key.split(", ").map(|column| format!("{column} {order}")).collect::<Vec<_>>();
                let query = format!("SELECT * FROM {table} NOT INDEXED ORDER BY {}", key.join(", "));
                if copy_rows(&old, &transaction, table, &query)? {
                    whole.insert(*table);
                    break;
                }
            }
        }
        if whole.len() < tables.len() || !has_whole_log {
            let has_all_names = has_whole_log && whole.contains("room");
            let keys = keys_with_records(directory);
            let old = DamagedDatabase { path: &copy.join(name), has_all_names, keys: &keys };
            salvaged = salvage::salvage(&old, &transaction, name)?;
            salvaged.can_lack_newest = name == open::JOURNAL && !(whole.contains("log") && has_whole_log);
        }
        if name == open::JOURNAL {
            copy_restoration(&old, &transaction)?;
        }
        let is_empty = tables.iter().all(|(table, _)| {
            let query = format!("SELECT 1 FROM {table} LIMIT 1");
            matches!(transaction.query_row(&query, [], |_| Ok(())), Err(rusqlite::Error::QueryReturnedNoRows))
        });
        transaction.commit().map_err(engine)?;
        is_empty
    };
    if is_empty {
        fs::remove_file(&fresh).map_err(inaccessible)?;
        return Err(StorageError::JournalDamaged {
            reason: format!(
                "nothing of {name} can be read, so it was not changed; restore it from a backup, together with the \
                 other files of the directory"
            ),
        });
    }
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(directory.join(format!("{name}{suffix}"))); // may not exist
    }
    fs::rename(&fresh, &path).map_err(inaccessible)?;
    Ok(salvaged)
}

/// Copies the number on which incarnations depend. If it cannot be read, a new one makes all rooms new to
/// their clients, so that none takes other revisions for those that it has.
fn copy_restoration(old: &Connection, new: &Connection) -> Result<(), StorageError> {
    let salt = old.query_row("SELECT salt FROM restoration WHERE id = 1", [], |row| row.get::<_, i64>(0));
    let put = "INSERT OR REPLACE INTO restoration (id, salt) VALUES (1, coalesce(?1, random()))";
    match salt {
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(()),
        Err(error) if error.to_string().contains("no such table") => Ok(()),
        salt => new.execute(put, [salt.ok()]).map(drop).map_err(engine),
    }
}

/// Returns the ids of rooms in `rooms.db`, as far as it can be read.
fn keys_with_records(directory: &Path) -> BTreeSet<i64> {
    let read = || {
        let rooms = Connection::open_with_flags(directory.join(open::ROOMS), open::EXISTING)?;
        let mut query = rooms.prepare("SELECT room FROM head")?;
        query.query_map([], |row| row.get(0))?.collect::<Result<_, rusqlite::Error>>()
    };
    read().unwrap_or_default()
}

/// Copies the rows of a query. Returns whether all were readable.
fn copy_rows(old: &Connection, new: &Connection, table: &str, query: &str) -> Result<bool, StorageError> {
    let Ok(mut rows) = old.prepare(query) else { return Ok(false) };
    let columns = rows.column_names().collect::<Vec<_>>().join(", ");
    let parameters =
        (1..=rows.column_count()).map(|index| format!("?{index}")).collect::<Vec<_>>().join(", ");
    let insert = format!("INSERT OR IGNORE INTO {table} ({columns}) VALUES ({parameters})");
    let mut insert = new.prepare(&insert).map_err(engine)?;
    let count = rows.column_count();
    let Ok(mut rows) = rows.query([]) else { return Ok(false) };
    loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(true),
            Err(_) => return Ok(false),
        };
        let values: Result<Vec<rusqlite::types::Value>, _> = (0..count).map(|index| row.get(index)).collect();
        // A row with values of other types is damaged.
        if let Ok(values) = values {
            let _ = insert.execute(rusqlite::params_from_iter(values));
        }
    }
}
