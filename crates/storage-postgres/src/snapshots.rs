//! Reading snapshots. They are derived data, so a damaged one is skipped when reading (J5).

use std::sync::Arc;

use quadrille_journal::{RoomKey, Snapshot, StorageError};
use quadrille_protocol::Revision;

use crate::session::Session;

/// Returns the newest intact snapshot that is not after a revision.
///
/// # Errors
/// Those of the database.
pub fn newest(
    session: &mut Session<'_>,
    room: RoomKey,
    up_to: Revision,
) -> Result<Option<Snapshot>, StorageError> {
    for revision in list(session, room)?.into_iter().filter(|revision| *revision <= up_to) {
        if let Some(bytes) = read(session, room, revision)? {
            return Ok(Some(Snapshot { revision, bytes }));
        }
    }
    Ok(None)
}

/// Returns the revisions of the stored snapshots, newest first.
///
/// # Errors
/// Those of the database.
pub fn list(session: &mut Session<'_>, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
    let rows = session
        .query("SELECT revision FROM snapshot WHERE room = $1 ORDER BY revision DESC", &[&(room.0 as i64)])?;
    Ok(rows.iter().map(|row| Revision(row.get::<_, i64>(0) as u64)).collect())
}

/// Returns the bytes of a snapshot; `None` when there is none at the revision or it is damaged.
///
/// # Errors
/// Those of the database.
pub fn read(
    session: &mut Session<'_>,
    room: RoomKey,
    revision: Revision,
) -> Result<Option<Arc<[u8]>>, StorageError> {
    // One statement sees one state: the pieces may be removed meanwhile.
    let rows = session.query(
        "SELECT checksum, data FROM (
             SELECT checksum, data, 9223372036854775807 AS first FROM snapshot WHERE room = $1 AND revision = $2
             UNION ALL
             SELECT NULL, data, first FROM piece WHERE room = $1 AND revision = $2
         ) AS pieces ORDER BY first",
        &[&(room.0 as i64), &(revision.0 as i64)],
    )?;
    let Some(checksum) = rows.last().and_then(|row| row.get::<_, Option<i64>>(0)) else { return Ok(None) };
    let bytes: Vec<u8> = rows.iter().flat_map(|row| row.get::<_, &[u8]>(1)).copied().collect();
    Ok((i64::from(crc32fast::hash(&bytes)) == checksum).then(|| bytes.into()))
}
