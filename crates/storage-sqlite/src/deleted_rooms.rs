//! Deleted rooms: their data is removed in pieces between commits. The table `gone` remembers them
//! across restarts.

use quadrille_journal::{RoomKey, StorageError};
use rusqlite::params;

use crate::error::engine;
use crate::record_tails::PIECE_BYTES;
use crate::storage::SqliteStorage;

/// The tables of a room, their key columns, and the number of rows removed at once: one or two
/// megabytes.
const ROWS_AT_ONCE: [(&str, &str, i64); 6] = [
    ("head", "room", 1),
    ("tail", "first", 2),
    ("snapshot", "id", 1),
    ("piece", "id", 2),
    ("image", "id", 1),
    ("chat", "number", 1_000),
];

impl SqliteStorage {
    /// Marks a room as deleted, before its name is deleted: a room with a name exists, marked or
    /// not.
    pub(crate) fn mark_deleted(&self, key: RoomKey) -> Result<(), StorageError> {
        let mark = "INSERT OR IGNORE INTO gone (room) VALUES (?1)";
        self.files.rooms.execute(mark, [key.0 as i64]).map_err(engine).map(drop)
    }

    /// Whether a room is marked as deleted.
    pub(crate) fn is_marked(&self, key: RoomKey) -> Result<bool, StorageError> {
        let select = "SELECT count(*) > 0 FROM gone WHERE room = ?1";
        self.files.rooms.query_row(select, [key.0 as i64], |row| row.get(0)).map_err(engine)
    }

    /// Finds rooms whose removal was not finished when the program ended.
    pub(crate) fn find_deleted(&mut self) -> Result<(), StorageError> {
        let marks = self.files.rooms.prepare("SELECT room FROM gone").and_then(|mut query| {
            query.query_map([], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<i64>, _>>()
        });
        let marks = match marks.map_err(engine) {
            Err(StorageError::JournalDamaged { .. }) => return Ok(()), // deleted rooms only use space
            marks => marks?,
        };
        for key in marks {
            let name = self.files.journal.query_row("SELECT 1 FROM room WHERE id = ?1", [key], |_| Ok(()));
            match name {
                // The program ended before the name was deleted: the room still exists.
                Ok(()) if self.files.is_read_only() => {} // a server is about to delete the name
                Ok(()) => {
                    _ = self.files.rooms.execute("DELETE FROM gone WHERE room = ?1", [key]).map_err(engine)?
                }
                Err(rusqlite::Error::QueryReturnedNoRows) => {
                    _ = self.deleted_rooms.insert(RoomKey(key as u64))
                }
                Err(_) => {} // unknown whether it has a name
            }
        }
        Ok(())
    }

    /// Removes a piece of a deleted room. Returns whether there was one.
    pub(crate) fn drop_deleted(&mut self) -> Result<bool, StorageError> {
        let Some(key) = self.deleted_rooms.first().copied() else { return Ok(false) };
        let rooms = &self.files.rooms;
        for (table, number, rows) in ROWS_AT_ONCE {
            let delete = format!(
                "DELETE FROM {table} WHERE room = ?1 AND {number} IN
                 (SELECT {number} FROM {table} WHERE room = ?1 ORDER BY {number} LIMIT ?2)"
            );
            let removed = rooms
                .prepare_cached(&delete)
                .and_then(|mut delete| delete.execute(params![key.0 as i64, rows]))
                .map_err(engine)?;
            if removed > 0 {
                self.checkpoints.wrote_to_rooms(PIECE_BYTES);
                return Ok(true);
            }
        }
        rooms.execute("DELETE FROM gone WHERE room = ?1", [key.0 as i64]).map_err(engine)?;
        self.deleted_rooms.remove(&key);
        Ok(true)
    }
}
