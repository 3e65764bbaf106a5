//! The rows of webhooks, their positions and dead letters.

use quadrille_access::stored_form::secret_text;
use quadrille_access::{AccessError, SecretId, WebhookPosition};
use quadrille_protocol::RoomName;

use crate::session::Session;

/// The end of a position that follows its workbook: the largest number of the engine.
pub(super) const FOLLOWING: i64 = i64::MAX;

/// Removes the webhooks of a deleted room, and the positions that others have in it (A7).
pub(super) fn forget_room(session: &mut Session<'_>, room: &RoomName) -> Result<(), AccessError> {
    for row in session.query("SELECT id FROM webhook WHERE room = $1", &[&room.as_str()])? {
        delete(session, row.get(0))?;
    }
    session.execute("DELETE FROM webhook_position WHERE room = $1", &[&room.as_str()])?;
    Ok(())
}

pub(super) fn delete(session: &mut Session<'_>, id: &str) -> Result<bool, AccessError> {
    session.execute("DELETE FROM webhook_position WHERE webhook = $1", &[&id])?;
    session.execute("DELETE FROM dead_letter WHERE webhook = $1", &[&id])?;
    Ok(session.execute("DELETE FROM webhook WHERE id = $1", &[&id])? > 0)
}

pub(super) fn put_position(
    session: &mut Session<'_>,
    id: SecretId,
    position: &WebhookPosition,
) -> Result<(), AccessError> {
    let (id, room) = (secret_text(id), position.room.as_str());
    let up_to = position.up_to.map_or(FOLLOWING, |up_to| up_to as i64);
    match position.is_finished() {
        true => {
            let delete = "DELETE FROM webhook_position WHERE webhook = $1 AND room = $2 AND up_to = $3";
            session.execute(delete, &[&id, &room, &up_to])?
        }
        false => session.execute(
            "INSERT INTO webhook_position (webhook, room, up_to, after) VALUES ($1, $2, $3, $4)
             ON CONFLICT (webhook, room, up_to) DO UPDATE SET after = excluded.after",
            &[&id, &room, &up_to, &(position.after as i64)],
        )?,
    };
    Ok(())
}
