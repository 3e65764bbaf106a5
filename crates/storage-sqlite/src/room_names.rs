//! Rows with the names of rooms.

use quadrille_journal::RoomKey;
use quadrille_protocol::RoomName;
use rusqlite::{Connection, params};

use crate::row_checksums;

/// Writes the name of a new room.
pub fn write_name(
    journal: &Connection,
    key: RoomKey,
    name: &RoomName,
    created_ms: i64,
) -> Result<(), rusqlite::Error> {
    let id = key.0 as i64;
    let checksum = row_checksums::room_checksum(id, name.as_str(), created_ms);
    journal
        .prepare_cached("INSERT INTO room (id, name, created_ms, checksum) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![id, name.as_str(), created_ms, checksum])?;
    Ok(())
}
