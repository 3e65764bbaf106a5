//! Rooms that are copied from another storage, with the numbers that they have there.

use quadrille_journal::{CopiedRoom, RoomKey, StorageError};
use rusqlite::{OptionalExtension, params};

use crate::error::engine;
use crate::room_names::write_name;
use crate::row_checksums::numbers_checksum;
use crate::startup_index::{Head, write_head};
use crate::storage::{Room, SqliteStorage};

impl SqliteStorage {
    /// Creates a room under the number that it has in another storage, unless it exists.
    pub(crate) fn create_copy(&mut self, copied: &CopiedRoom<'_>) -> Result<(), StorageError> {
        let CopiedRoom { name, key, created_ms, changed_ms, base } = *copied;
        if let Some(existing) = self.key_of(name)?.or_else(|| self.unwritten.get(name).copied()) {
            return match existing == key {
                true => Ok(()),
                false => Err(taken(format!("the room {name} has the number {}", existing.0))),
            };
        }
        let find = "SELECT name FROM room WHERE id = ?1";
        let other: Option<String> = self
            .files
            .journal
            .query_row(find, [key.0 as i64], |row| row.get(0))
            .optional()
            .map_err(engine)?;
        if let Some(other) = other.or_else(|| self.rooms.get(&key).map(|room| room.name.as_str().to_owned()))
        {
            return Err(taken(format!("the room {other} has the number {}", key.0)));
        }
        while self.deleted_rooms.contains(&key) {
            self.drop_deleted()?;
        }
        let mut room = Room { created_ms: Some(created_ms), ..Room::new(name) };
        match base {
            None => _ = self.unwritten.insert(name.clone(), key),
            Some(snapshot) => {
                let base = snapshot.revision;
                room = Room { head: base, head_in_tail: base, base, changed_ms, ..room };
                self.begin_history(copied, &Head { revision: base, changed_ms, base })?;
            }
        }
        self.rooms.insert(key, room);
        self.next_key = self.next_key.max(key.0 + 1);
        Ok(())
    }

    /// Stores a room without records, whose history begins at a snapshot. Until it has a name it is marked
    /// as deleted: a program that ends in between leaves nothing that looks like damage.
    fn begin_history(&self, copied: &CopiedRoom<'_>, head: &Head) -> Result<(), StorageError> {
        let (id, snapshot) = (copied.key.0 as i64, copied.base.expect("given by the caller"));
        let checksum = crc32fast::hash(&snapshot.bytes);
        let seal = numbers_checksum(&[id, snapshot.revision.0 as i64, checksum.into()]);
        let rooms = self.files.rooms.unchecked_transaction().map_err(engine)?;
        rooms.execute("INSERT OR IGNORE INTO gone (room) VALUES (?1)", [id]).map_err(engine)?;
        write_head(&rooms, copied.key, head).map_err(engine)?;
        let put = "INSERT OR REPLACE INTO snapshot (room, revision, checksum, data, seal)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let row = params![id, snapshot.revision.0 as i64, checksum, &snapshot.bytes[..], seal];
        rooms.execute(put, row).map_err(engine)?;
        rooms.commit().map_err(engine)?;
        write_name(&self.files.journal, copied.key, copied.name, copied.created_ms).map_err(engine)?;
        self.files.rooms.execute("DELETE FROM gone WHERE room = ?1", [id]).map_err(engine)?;
        Ok(())
    }

    /// Gives new rooms higher numbers than this one, also after a restart.
    pub(crate) fn reserve(&mut self, up_to: RoomKey) -> Result<(), StorageError> {
        self.next_key = self.next_key.max(up_to.0 + 1);
        // SQLite reads this table for AUTOINCREMENT, and has no row before the first insertion.
        let statements = [
            "INSERT INTO sqlite_sequence (name, seq) SELECT 'room', 0
             WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'room') AND ?1 > 0",
            "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'room'",
        ];
        for statement in statements {
            self.files.journal.execute(statement, [up_to.0 as i64]).map_err(engine)?;
        }
        Ok(())
    }
}

fn taken(reason: String) -> StorageError {
    StorageError::Engine { reason }
}
