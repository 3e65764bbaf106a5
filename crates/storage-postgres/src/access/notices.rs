//! Notices from server to server: what has to be known at once of a change that another server has stored.
//!
//! Writers take a lock until their transaction ends, so that numbers become visible in their order, and a
//! reader that continues after the last number misses none.

use quadrille_access::{AccessError, Notice};
use quadrille_protocol::RoomName;

use crate::session::Session;

/// Held by a transaction that writes notices: "Quan" in ASCII.
const LOCK: i64 = 0x5175_616e;
/// Notices that are read at once.
const NOTICES_AT_ONCE: i64 = 1_000;

/// Returns the number of the last notice, or 0.
pub(super) fn last(session: &mut Session<'_>) -> Result<i64, AccessError> {
    Ok(session.query("SELECT coalesce(max(number), 0) FROM notice", &[])?[0].get(0))
}

/// Adds a notice in the transaction of the caller, and removes those that all servers have read or will not
/// need: one that is cut off from the database for an hour has been removed, and ends.
pub(super) fn put(session: &mut Session<'_>, sender: &str, notice: &Notice) -> Result<(), AccessError> {
    let (room, revoked) = match notice {
        Notice::Workbook(room) => (Some(room.as_str()), None),
        Notice::Revoked(revoked) => (None, Some(revoked.as_str())),
        Notice::Webhooks => (None, None),
    };
    let is_webhooks = *notice == Notice::Webhooks;
    session.query("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
    session.execute(
        "INSERT INTO notice (sender, room, revoked, webhooks) VALUES ($1, $2, $3, $4)",
        &[&sender, &room, &revoked, &is_webhooks],
    )?;
    session.execute("DELETE FROM notice WHERE written < now() - interval '1 hour'", &[])?;
    Ok(())
}

/// Returns the notices of other servers after a number, and the number to continue after.
pub(super) fn after(
    session: &mut Session<'_>,
    sender: &str,
    number: i64,
) -> Result<(Vec<Notice>, i64), AccessError> {
    let rows = session.query(
        "SELECT number, sender, room, revoked, webhooks FROM notice WHERE number > $1 ORDER BY number LIMIT $2",
        &[&number, &NOTICES_AT_ONCE],
    )?;
    let mut notices = Vec::new();
    for row in &rows {
        if row.get::<_, &str>(1) == sender {
            continue;
        }
        let (room, revoked): (Option<&str>, Option<&str>) = (row.get(2), row.get(3));
        // A newer version may tell what this one does not know.
        notices.extend(room.and_then(|room| RoomName::new(room).ok()).map(Notice::Workbook));
        notices.extend(revoked.map(|revoked| Notice::Revoked(revoked.to_owned())));
        notices.extend(row.get::<_, bool>(4).then_some(Notice::Webhooks));
    }
    Ok((notices, rows.last().map_or(number, |row| row.get(0))))
}
