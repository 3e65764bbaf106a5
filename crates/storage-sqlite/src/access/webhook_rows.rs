//! The rows of webhooks, their positions and dead letters.

use quadrille_access::stored_form::secret_text;
use quadrille_access::{AccessError, SecretId, WebhookPosition};
use quadrille_protocol::RoomName;
use rusqlite::{Connection, params};

use super::error::engine;

/// The end of a position that follows its workbook: the largest number of the engine.
pub(super) const FOLLOWING: i64 = i64::MAX;

/// Removes the webhooks of a deleted room, and the positions that others have in it (A7).
pub(super) fn forget_room(database: &Connection, room: &RoomName) -> Result<(), AccessError> {
    let mut select = database.prepare("SELECT id FROM webhook WHERE room = ?1").map_err(engine)?;
    let ids: Vec<String> =
        select.query_map([room.as_str()], |row| row.get(0)).and_then(Iterator::collect).map_err(engine)?;
    for id in ids {
        delete(database, &id)?;
    }
    database.execute("DELETE FROM webhook_position WHERE room = ?1", [room.as_str()]).map_err(engine)?;
    Ok(())
}

pub(super) fn delete(database: &Connection, id: &str) -> Result<bool, AccessError> {
    for delete in
        ["DELETE FROM webhook_position WHERE webhook = ?1", "DELETE FROM dead_letter WHERE webhook = ?1"]
    {
        database.execute(delete, [id]).map_err(engine)?;
    }
    Ok(database.execute("DELETE FROM webhook WHERE id = ?1", [id]).map_err(engine)? > 0)
}

pub(super) fn put_position(
    database: &Connection,
    id: SecretId,
    position: &WebhookPosition,
) -> Result<(), AccessError> {
    let (id, room) = (secret_text(id), position.room.as_str());
    let up_to = position.up_to.map_or(FOLLOWING, |up_to| up_to as i64);
    match position.is_finished() {
        true => {
            let delete = "DELETE FROM webhook_position WHERE webhook = ?1 AND room = ?2 AND up_to = ?3";
            database.execute(delete, params![id, room, up_to])
        }
        false => {
            let insert = "INSERT OR REPLACE INTO webhook_position (webhook, room, up_to, after)
                VALUES (?1, ?2, ?3, ?4)";
            database.execute(insert, params![id, room, up_to, position.after as i64])
        }
    }
    .map(|_| ())
    .map_err(engine)
}
