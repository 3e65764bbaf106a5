//! Deleting rooms and old records. Their rows are marked in `cleanup` at once, and removed in pieces, so
//! that no commit waits long.

use quadrille_journal::ownership::Epoch;
use quadrille_journal::{RoomKey, StorageError};
use quadrille_protocol::{Revision, RoomName};

use crate::session::Session;

/// The tables of a room, with the statement that removes some rows of it.
const DELETE_SOME: [&str; 5] = [
    "DELETE FROM record WHERE ctid IN (SELECT ctid FROM record WHERE room = $1 LIMIT 1000)",
    "DELETE FROM piece WHERE ctid IN (SELECT ctid FROM piece WHERE room = $1 LIMIT 8)",
    "DELETE FROM snapshot WHERE ctid IN (SELECT ctid FROM snapshot WHERE room = $1 LIMIT 2)",
    "DELETE FROM chat WHERE ctid IN (SELECT ctid FROM chat WHERE room = $1 LIMIT 1000)",
    "DELETE FROM image WHERE ctid IN (SELECT ctid FROM image WHERE room = $1 LIMIT 2)",
];

/// Deletes a room that this server has claimed: its name and its head at once, so that nothing can be appended
/// to it, and its claim. Returns its number; `None` when it does not exist or another server has claimed it.
///
/// # Errors
/// Those of the database.
pub fn delete(
    session: &mut Session<'_>,
    room: &RoomName,
    epoch: Epoch,
) -> Result<Option<RoomKey>, StorageError> {
    let row = session.query_opt(
        "WITH held AS (
             SELECT id FROM room JOIN room_head ON room_head.room = room.id
             WHERE name = $1 AND epoch = $2 FOR UPDATE OF room_head
         ),
              gone AS (DELETE FROM room WHERE id IN (SELECT id FROM held) RETURNING id),
              head AS (DELETE FROM room_head WHERE room IN (SELECT id FROM held)),
              released AS (DELETE FROM room_owner WHERE room = $1 AND epoch = $2)
         INSERT INTO cleanup (room, up_to, is_deleted) SELECT id, 0, true FROM gone
         ON CONFLICT (room) DO UPDATE SET is_deleted = true
         RETURNING room",
        &[&room.as_str(), &epoch.0],
    )?;
    Ok(row.map(|row| RoomKey(row.get::<_, i64>(0) as u64)))
}

/// Drops the records up to `base`, and the snapshots before it.
///
/// # Errors
/// Those of the database.
pub fn forget_before(session: &mut Session<'_>, room: RoomKey, base: Revision) -> Result<(), StorageError> {
    let (room, base) = (room.0 as i64, base.0 as i64);
    session.transaction(|session| {
        session.execute(
            "UPDATE room_head SET base = $2 WHERE room = $1 AND base < $2 AND revision >= $2",
            &[&room, &base],
        )?;
        session.execute("DELETE FROM snapshot WHERE room = $1 AND revision < $2", &[&room, &base])?;
        session.execute("DELETE FROM piece WHERE room = $1 AND revision < $2", &[&room, &base])?;
        session.execute(
            "INSERT INTO cleanup (room, up_to, is_deleted) VALUES ($1, $2, false)
             ON CONFLICT (room) DO UPDATE SET up_to = excluded.up_to",
            &[&room, &base],
        )?;
        Ok(())
    })
}

/// Removes some rows. Returns whether there may be more.
///
/// # Errors
/// Those of the database.
pub fn step(session: &mut Session<'_>) -> Result<bool, StorageError> {
    session.transaction(remove_some)
}

fn remove_some(session: &mut Session<'_>) -> Result<bool, StorageError> {
    // Each server takes another room: one that waits for the rows of another would find none left.
    let row = session.query_opt(
        "SELECT room, up_to, is_deleted FROM cleanup ORDER BY room LIMIT 1 FOR UPDATE SKIP LOCKED",
        &[],
    )?;
    let Some(row) = row else { return Ok(false) };
    let (room, up_to, is_deleted): (i64, i64, bool) = (row.get(0), row.get(1), row.get(2));
    let removed = match is_deleted {
        true => {
            let mut removed = 0;
            for delete in DELETE_SOME {
                removed = session.execute(delete, &[&room])?;
                if removed > 0 {
                    break;
                }
            }
            removed
        }
        false => session.execute(
            "DELETE FROM record WHERE ctid IN (SELECT ctid FROM record WHERE room = $1 AND last <= $2 LIMIT 1000)",
            &[&room, &up_to],
        )?,
    };
    if removed == 0 {
        session.execute(
            "DELETE FROM cleanup WHERE room = $1 AND up_to = $2 AND is_deleted = $3",
            &[&room, &up_to, &is_deleted],
        )?;
    }
    Ok(true)
}
