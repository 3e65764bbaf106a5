//! What a room takes in the data directory.

use quadrille_journal::{RoomKey, RoomUsage, StorageError};

use crate::error::engine;
use crate::objects;
use crate::storage::SqliteStorage;

impl SqliteStorage {
    /// Returns what a room takes, of records in the log and of everything in `rooms.db`.
    pub(crate) fn measure(&self, key: RoomKey) -> Result<RoomUsage, StorageError> {
        let room = &self.rooms[&key];
        let in_log: u64 = room.in_log.iter().map(|position| u64::from(position.header.payload_bytes)).sum();
        let mut bytes = in_log;
        for table in ["tail", "snapshot", "piece", "chat", "image"] {
            let select = format!("SELECT coalesce(sum(length(data)), 0) FROM {table} WHERE room = ?1");
            let mut select = self.files.rooms.prepare_cached(&select).map_err(engine)?;
            let sum: i64 = select.query_row([key.0 as i64], |row| row.get(0)).map_err(engine)?;
            bytes += sum as u64;
        }
        for table in ["snapshot", "image"] {
            bytes = bytes.saturating_add(objects::bytes_elsewhere(&self.files.rooms, table, key, None)?);
        }
        Ok(RoomUsage { head: room.head, changed_ms: room.changed_ms, bytes })
    }
}
