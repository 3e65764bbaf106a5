//! Chat messages, one row each with a checksum. A damaged message is skipped, because nothing
//! depends on it.

use std::sync::Arc;

use quadrille_journal::{RoomKey, StorageError, StoredChatMessage};
use rusqlite::{Connection, params};

use crate::error::engine;
use crate::row_checksums::chat_message_checksum;
use crate::storage::SqliteStorage;

pub(crate) struct ChatRow {
    pub number: u64,
    pub bytes: Arc<[u8]>,
}

impl SqliteStorage {
    /// Reads the intact messages of a room, oldest first.
    pub(crate) fn read_chat_messages(&self, room: RoomKey) -> Result<Vec<ChatRow>, StorageError> {
        let read = |row: &rusqlite::Row<'_>| {
            let (number, checksum): (i64, i64) = (row.get(0)?, row.get(1)?);
            let bytes: Arc<[u8]> = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?.into();
            let is_intact = i64::from(chat_message_checksum(room, number, &bytes)) == checksum;
            Ok(is_intact.then_some(ChatRow { number: number as u64, bytes }))
        };
        let rows: Result<Vec<Option<ChatRow>>, rusqlite::Error> = self
            .files
            .rooms
            .prepare_cached("SELECT number, checksum, data FROM chat WHERE room = ?1 ORDER BY number")
            .and_then(|mut query| query.query_map([room.0 as i64], read)?.collect());
        Ok(rows.map_err(engine)?.into_iter().flatten().collect())
    }

    /// Stores messages, and deletes those up to their `forget_up_to`, in one commit.
    pub(crate) fn write_chat_messages(
        &self,
        chat_messages: &[StoredChatMessage],
    ) -> Result<(), StorageError> {
        let transaction = self.files.rooms.unchecked_transaction().map_err(engine)?;
        for chat_message in chat_messages {
            put_chat_message(&transaction, chat_message.room, chat_message.number, &chat_message.bytes)
                .map_err(engine)?;
            let delete = "DELETE FROM chat WHERE room = ?1 AND number <= ?2";
            transaction
                .prepare_cached(delete)
                .and_then(|mut delete| {
                    delete.execute([chat_message.room.0 as i64, chat_message.forget_up_to as i64])
                })
                .map_err(engine)?;
        }
        transaction.commit().map_err(engine)
    }
}

pub(crate) fn put_chat_message(
    rooms: &Connection,
    room: RoomKey,
    number: u64,
    bytes: &[u8],
) -> Result<(), rusqlite::Error> {
    let checksum = chat_message_checksum(room, number as i64, bytes);
    rooms
        .prepare_cached("INSERT OR REPLACE INTO chat (room, number, checksum, data) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![room.0 as i64, number as i64, checksum, bytes])?;
    Ok(())
}
