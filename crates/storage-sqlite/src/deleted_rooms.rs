//! Rooms that were deleted: what they have left on the disk goes piece by piece, between commits. A mark keeps that in
//! mind over a restart.

use quadrille_journal::{RoomKey, StorageError};
use rusqlite::params;

use crate::error::engine;
use crate::storage::SqliteStorage;

/// What a room has, and how many rows of it go at once: about a megabyte or two.
const ROWS_AT_ONCE: [(&str, &str, i64); 6] = [
    ("head", "room", 1),
    ("tail", "first", 2),
    ("snapshot", "id", 1),
    ("piece", "id", 2),
    ("image", "id", 1),
    ("chat", "number", 1_000),
];

impl SqliteStorage {
    /// Before its name goes, so that a name without a mark is a room, and a mark without a name is none any more.
    pub(crate) fn mark_deleted(&self, key: RoomKey) -> Result<(), StorageError> {
        let mark = "INSERT OR IGNORE INTO gone (room) VALUES (?1)";
        self.files.rooms.execute(mark, [key.0 as i64]).map_err(engine).map(drop)
    }

    /// Takes up what was left when the program ended.
    pub(crate) fn find_deleted(&mut self) -> Result<(), StorageError> {
        let marks = self.files.rooms.prepare("SELECT room FROM gone").and_then(|mut query| {
            query.query_map([], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<i64>, _>>()
        });
        let marks = match marks.map_err(engine) {
            Err(StorageError::JournalDamaged { .. }) => return Ok(()), // they only take space
            marks => marks?,
        };
        for key in marks {
            let name = self.files.journal.query_row("SELECT 1 FROM room WHERE id = ?1", [key], |_| Ok(()));
            match name {
                // The program ended before it was deleted.
                Ok(()) => {
                    _ = self.files.rooms.execute("DELETE FROM gone WHERE room = ?1", [key]).map_err(engine)?
                }
                Err(rusqlite::Error::QueryReturnedNoRows) => _ = self.gone.insert(RoomKey(key as u64)),
                Err(_) => {} // whether it has one cannot be told
            }
        }
        Ok(())
    }

    /// Removes a piece of a deleted room; whether there was one.
    pub(crate) fn drop_deleted(&mut self) -> Result<bool, StorageError> {
        let Some(key) = self.gone.first().copied() else { return Ok(false) };
        let rooms = &self.files.rooms;
        for (table, number, rows) in ROWS_AT_ONCE {
            let delete = format!(
                "DELETE FROM {table} WHERE room = ?1 AND {number} IN
                 (SELECT {number} FROM {table} WHERE room = ?1 ORDER BY {number} LIMIT ?2)"
            );
            let gone = rooms
                .prepare_cached(&delete)
                .and_then(|mut delete| delete.execute(params![key.0 as i64, rows]))
                .map_err(engine)?;
            if gone > 0 {
                self.is_to_checkpoint = true;
                return Ok(true);
            }
        }
        rooms.execute("DELETE FROM gone WHERE room = ?1", [key.0 as i64]).map_err(engine)?;
        self.gone.remove(&key);
        Ok(true)
    }
}
