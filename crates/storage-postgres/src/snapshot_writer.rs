//! Writing snapshots, piece by piece, and removing older ones; rooms whose history begins at one.

use quadrille_journal::ownership::Epoch;
use quadrille_journal::{CopiedRoom, RoomKey, Snapshot, StorageError, snapshots_to_keep};
use quadrille_protocol::Revision;

use crate::node;
use crate::session::Session;
use crate::snapshots;
use crate::storage::PostgresStorage;

/// The longest piece: PostgreSQL holds a value in memory several times, and takes at most 1 GiB.
const PIECE_BYTES_MAX: usize = 4 << 20;

impl PostgresStorage {
    /// Writes a piece and returns the number of bytes written so far. The last piece is in the row of the
    /// snapshot itself, so the snapshot exists when that row does (J10).
    pub(crate) fn write_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        let epoch = self.owned.get(room).map(|room| room.epoch).ok_or_else(node::not_claimed)?;
        let head = self.head(room)?.revision;
        if snapshot.revision > head {
            // Its records were not stored; other records will get those revisions.
            let reason =
                format!("a snapshot of revision {} is ahead of the journal at {head}", snapshot.revision);
            return Err(StorageError::Engine { reason });
        }
        let (whole, id) = (snapshot.bytes.len(), (room, snapshot.revision));
        if from == 0 {
            if self.read(|session| snapshots::read(session, room, snapshot.revision))?.is_some() {
                return Ok(whole); // a room has only one workbook at a revision
            }
        } else if self.writing != Some((id, from)) {
            let reason = format!("a piece of a snapshot does not continue the last one: byte {from}");
            return Err(StorageError::Engine { reason });
        }
        let to = whole.min(from.saturating_add(bytes_max.clamp(1, PIECE_BYTES_MAX)));
        self.writing = Some((id, from));
        let piece = &snapshot.bytes[from..to];
        self.read(|session| {
            session.transaction(|session| {
                // The records of another server may give another workbook at this revision.
                node::hold(session, room, epoch)?;
                if from == 0 {
                    drop_incomplete(session, room)?;
                }
                match to < whole {
                    true => write_inner(session, id, from, piece),
                    false => write_last(session, room, snapshot, piece),
                }
            })
        })?;
        self.writing = (to < whole).then_some((id, to));
        Ok(to)
    }

    /// Stores a room of a copy, which has no records, and whose history begins at a snapshot.
    pub(crate) fn begin_history(
        &mut self,
        copied: &CopiedRoom<'_>,
        snapshot: &Snapshot,
    ) -> Result<(), StorageError> {
        let epoch = self.owned.get(copied.key).ok_or_else(node::not_claimed)?.epoch;
        self.read(|session| store_room(session, copied, snapshot, epoch))
    }
}

/// Removes the pieces of snapshots that were not completed, and of a damaged one that is replaced.
fn drop_incomplete(session: &mut Session<'_>, room: RoomKey) -> Result<(), StorageError> {
    session.execute(
        "DELETE FROM piece WHERE room = $1 AND NOT EXISTS (
             SELECT FROM snapshot WHERE snapshot.room = piece.room AND snapshot.revision = piece.revision
         )",
        &[&(room.0 as i64)],
    )?;
    Ok(())
}

fn write_inner(
    session: &mut Session<'_>,
    (room, revision): (RoomKey, Revision),
    from: usize,
    piece: &[u8],
) -> Result<(), StorageError> {
    session.execute(
        "INSERT INTO piece (room, revision, first, data) VALUES ($1, $2, $3, $4)
         ON CONFLICT (room, revision, first) DO UPDATE SET data = excluded.data",
        &[&(room.0 as i64), &(revision.0 as i64), &(from as i64), &piece],
    )?;
    Ok(())
}

/// Completes a snapshot, and removes older ones that are no longer to be kept.
fn write_last(
    session: &mut Session<'_>,
    room: RoomKey,
    snapshot: &Snapshot,
    piece: &[u8],
) -> Result<(), StorageError> {
    let (key, revision) = (room.0 as i64, snapshot.revision.0 as i64);
    let (bytes, checksum) = (snapshot.bytes.len() as i64, i64::from(crc32fast::hash(&snapshot.bytes)));
    session.execute(
        "INSERT INTO snapshot (room, revision, bytes, checksum, data) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (room, revision) DO UPDATE
         SET bytes = excluded.bytes, checksum = excluded.checksum, data = excluded.data",
        &[&key, &revision, &bytes, &checksum, &piece],
    )?;
    let revisions = snapshots::list(session, room)?;
    let dropped: Vec<i64> = revisions
        .iter()
        .zip(snapshots_to_keep(&revisions))
        .filter(|(_, is_kept)| !is_kept)
        .map(|(revision, _)| revision.0 as i64)
        .collect();
    if !dropped.is_empty() {
        session.execute("DELETE FROM snapshot WHERE room = $1 AND revision = ANY($2)", &[&key, &dropped])?;
        session.execute("DELETE FROM piece WHERE room = $1 AND revision = ANY($2)", &[&key, &dropped])?;
    }
    Ok(())
}

/// Writes a whole snapshot, in pieces that the database takes.
///
/// # Errors
/// Those of the database.
fn write_whole(session: &mut Session<'_>, room: RoomKey, snapshot: &Snapshot) -> Result<(), StorageError> {
    let mut from = 0;
    while snapshot.bytes.len() - from > PIECE_BYTES_MAX {
        let to = from + PIECE_BYTES_MAX;
        write_inner(session, (room, snapshot.revision), from, &snapshot.bytes[from..to])?;
        from = to;
    }
    write_last(session, room, snapshot, &snapshot.bytes[from..])
}

/// Stores a room without records, whose history begins at a snapshot.
///
/// # Errors
/// Those of the database.
fn store_room(
    session: &mut Session<'_>,
    copied: &CopiedRoom<'_>,
    snapshot: &Snapshot,
    epoch: Epoch,
) -> Result<(), StorageError> {
    let (key, base) = (copied.key.0 as i64, snapshot.revision.0 as i64);
    session.transaction(|session| {
        session.execute(
            "INSERT INTO room (id, name, created_ms) VALUES ($1, $2, $3)",
            &[&key, &copied.name.as_str(), &copied.created_ms],
        )?;
        session.execute(
            "INSERT INTO room_head (room, revision, base, changed_ms, epoch) VALUES ($1, $2, $2, $3, $4)",
            &[&key, &base, &copied.changed_ms, &epoch.0],
        )?;
        write_whole(session, copied.key, snapshot)
    })
}
