//! Chat messages, one row each with a checksum. A damaged message is skipped (J8).

use std::sync::Arc;

use quadrille_journal::ownership::Epoch;
use quadrille_journal::{RoomKey, StorageError, StoredChatMessage};

use crate::node;
use crate::session::Session;

/// Returns the intact messages of a room, oldest first; none of a room without records.
///
/// # Errors
/// Those of the database.
pub fn read(session: &mut Session<'_>, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
    let rows = session.query(
        "SELECT chat.number, chat.checksum, chat.data FROM chat JOIN room_head USING (room)
         WHERE room = $1 ORDER BY number",
        &[&(room.0 as i64)],
    )?;
    let intact = rows.iter().filter_map(|row| {
        let bytes: &[u8] = row.get(2);
        (checksum(room, row.get(0), bytes) == row.get::<_, i64>(1)).then(|| Arc::from(bytes))
    });
    Ok(intact.collect())
}

/// Stores messages of rooms that have records, and deletes those up to their `forget_up_to`, in one commit.
/// `epoch` gives the epoch of a room that this server has claimed.
///
/// # Errors
/// `Engine` when another server has claimed one of the rooms: nothing is stored.
pub fn write(
    session: &mut Session<'_>,
    chat_messages: &[StoredChatMessage],
    epoch: impl Fn(RoomKey) -> Option<Epoch>,
) -> Result<(), StorageError> {
    // A statement must not write a row twice; the last of two counts.
    let mut unique = std::collections::BTreeMap::new();
    for message in chat_messages {
        unique.insert((message.room, message.number), message);
    }
    let (mut rooms, mut numbers, mut checksums) = (Vec::new(), Vec::new(), Vec::new());
    let (mut data, mut forget, mut epochs) = (Vec::new(), Vec::new(), Vec::new());
    for ((room, number), message) in unique {
        rooms.push(room.0 as i64);
        numbers.push(number as i64);
        checksums.push(checksum(room, number as i64, &message.bytes));
        data.push(&message.bytes[..]);
        forget.push(message.forget_up_to as i64);
        epochs.push(epoch(room).map(|epoch| epoch.0));
    }
    session.transaction(|session| {
        // Holds the heads, as `node::hold` does. Rooms that were deleted have none.
        let fenced = session.query_opt(
            "SELECT 1 FROM (
                 SELECT room_head.epoch AS stored, given.epoch FROM room_head
                 JOIN unnest($1::bigint[], $2::bigint[]) AS given (room, epoch) USING (room)
                 FOR SHARE OF room_head
             ) AS held WHERE stored IS DISTINCT FROM epoch LIMIT 1",
            &[&rooms, &epochs],
        )?;
        if fenced.is_some() {
            return Err(node::not_claimed());
        }
        session.execute(
            "INSERT INTO chat (room, number, checksum, data)
             SELECT given.* FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[])
                 AS given (room, number, checksum, data) JOIN room_head USING (room)
             ON CONFLICT (room, number) DO UPDATE SET checksum = excluded.checksum, data = excluded.data",
            &[&rooms, &numbers, &checksums, &data],
        )?;
        session.execute(
            "DELETE FROM chat USING unnest($1::bigint[], $2::bigint[]) AS given (room, up_to)
             WHERE chat.room = given.room AND chat.number <= given.up_to",
            &[&rooms, &forget],
        )?;
        Ok(())
    })
}

fn checksum(room: RoomKey, number: i64, bytes: &[u8]) -> i64 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&room.0.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    hasher.update(bytes);
    i64::from(hasher.finalize())
}
