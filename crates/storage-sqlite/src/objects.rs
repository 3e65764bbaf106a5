//! References to objects that stand for snapshots and images, and properties of the storage.

use quadrille_journal::{
    OBJECT_REFERENCE_BYTES, OBJECT_REFERENCE_MARK, ObjectReference, RoomKey, StorageError,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::engine;

/// Values that are references, of all rooms.
const REFERENCES: &str = "
    SELECT data FROM image WHERE length(data) = ?1 AND substr(data, 1, ?2) = ?3
    UNION ALL SELECT data FROM snapshot WHERE length(data) = ?1 AND substr(data, 1, ?2) = ?3";

/// Returns all references.
pub fn references(rooms: &Connection) -> Result<Vec<ObjectReference>, StorageError> {
    let mut query = rooms.prepare_cached(REFERENCES).map_err(engine)?;
    let mark = &OBJECT_REFERENCE_MARK[..];
    let values = params![OBJECT_REFERENCE_BYTES as i64, mark.len() as i64, mark];
    let found = query.query_map(values, |row| row.get::<_, Vec<u8>>(0)).map_err(engine)?;
    let found: Vec<Vec<u8>> = found.collect::<Result<_, _>>().map_err(engine)?;
    Ok(found.iter().filter_map(|bytes| ObjectReference::decode(bytes)).collect())
}

/// Returns by how much the objects that a room's images or snapshots refer to are larger than the references.
/// `except` is the hash of an image that does not count.
pub fn bytes_elsewhere(
    rooms: &Connection,
    table: &str,
    room: RoomKey,
    except: Option<&[u8]>,
) -> Result<u64, StorageError> {
    let other = if except.is_some() { "AND hash <> ?5" } else { "AND ?5 IS NULL" };
    let query = format!(
        "SELECT data FROM {table} WHERE room = ?1 AND length(data) = ?2 AND substr(data, 1, ?3) = ?4 {other}"
    );
    let mut query = rooms.prepare_cached(&query).map_err(engine)?;
    let mark = &OBJECT_REFERENCE_MARK[..];
    let values = params![room.0 as i64, OBJECT_REFERENCE_BYTES as i64, mark.len() as i64, mark, except];
    let found = query.query_map(values, |row| row.get::<_, Vec<u8>>(0)).map_err(engine)?;
    let mut bytes = 0;
    for stored in found {
        let stored = stored.map_err(engine)?;
        bytes += ObjectReference::length_of(&stored).saturating_sub(stored.len() as u64);
    }
    Ok(bytes)
}

/// Returns a property.
pub fn property(rooms: &Connection, name: &str) -> Result<Option<String>, StorageError> {
    // A directory that only older versions have opened has no such table.
    let has_table = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'property')";
    if !rooms.query_row(has_table, [], |row| row.get(0)).map_err(engine)? {
        return Ok(None);
    }
    let query = "SELECT value FROM property WHERE name = ?1";
    rooms.query_row(query, [name], |row| row.get(0)).optional().map_err(engine)
}

/// Stores a property unless there is one of that name. Returns the stored value.
pub fn put_property(rooms: &Connection, name: &str, value: &str) -> Result<String, StorageError> {
    rooms
        .execute("INSERT OR IGNORE INTO property (name, value) VALUES (?1, ?2)", [name, value])
        .map_err(engine)?;
    property(rooms, name)?.ok_or_else(|| StorageError::Engine { reason: format!("no property {name}") })
}
