//! Writing and removing snapshots. Snapshots are derived data, so a damaged one is skipped when
//! reading.

use std::sync::Arc;

use quadrille_journal::{RoomKey, Snapshot, StorageError, snapshots_to_keep};
use quadrille_protocol::Revision;
use rusqlite::params;

use crate::error::engine;
use crate::reader::{list_snapshots, snapshot_bytes};
use crate::row_checksums::numbers_checksum;
use crate::storage::SqliteStorage;

/// Pieces removed by one call of `compact`.
const PIECES_PER_TRIM: i64 = 4;

impl SqliteStorage {
    pub(crate) fn list_snapshots(&self, key: RoomKey) -> Result<Vec<Revision>, StorageError> {
        list_snapshots(&self.files.rooms, key)
    }

    pub(crate) fn snapshot_bytes(
        &self,
        key: RoomKey,
        revision: Revision,
    ) -> Result<Option<Arc<[u8]>>, StorageError> {
        snapshot_bytes(&self.files.rooms, key, revision)
    }

    /// Writes a piece and returns the number of bytes written so far. The last piece is in the row
    /// of the snapshot itself, so a small snapshot is a single row. Writing it also removes older
    /// snapshots that are no longer to be kept.
    pub(crate) fn write_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        let whole = snapshot.bytes.len();
        let id = (room, snapshot.revision);
        if from == 0 {
            if self.list_snapshots(room)?.contains(&snapshot.revision)
                && self.snapshot_bytes(room, snapshot.revision)?.is_some()
            {
                return Ok(whole); // a room has only one workbook at a revision
            }
            // The pieces of a snapshot that was not completed are orphaned.
            self.orphaned_pieces
                .extend(self.writing.take().map(|(before, _)| before).filter(|before| *before != id));
            self.orphaned_pieces.remove(&id);
            self.drop_pieces(room, snapshot.revision, i64::MAX)?;
        } else if self.writing != Some((id, from)) {
            let reason = format!("a piece of a snapshot does not continue the last one: byte {from}");
            return Err(StorageError::Engine { reason });
        }
        let to = whole.min(from.saturating_add(bytes_max.max(1)));
        self.writing = Some((id, from));
        let piece = &snapshot.bytes[from..to];
        if to < whole {
            let values = params![room.0 as i64, snapshot.revision.0 as i64, from as i64, piece];
            let put = "INSERT OR REPLACE INTO piece (room, revision, first, data) VALUES (?1, ?2, ?3, ?4)";
            self.files.rooms.prepare_cached(put).and_then(|mut put| put.execute(values)).map_err(engine)?;
        } else {
            self.write_last(room, snapshot, piece)?;
        }
        self.writing = (to < whole).then_some((id, to));
        self.checkpoints.wrote_to_rooms(piece.len());
        Ok(to)
    }

    fn write_last(&mut self, room: RoomKey, snapshot: &Snapshot, piece: &[u8]) -> Result<(), StorageError> {
        let (key, revision) = (room.0 as i64, snapshot.revision.0 as i64);
        let checksum = crc32fast::hash(&snapshot.bytes);
        let seal = numbers_checksum(&[key, revision, checksum.into()]);
        let transaction = self.files.rooms.unchecked_transaction().map_err(engine)?;
        transaction
            .execute(
                "INSERT OR REPLACE INTO snapshot (room, revision, checksum, data, seal)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![key, revision, checksum, piece, seal],
            )
            .map_err(engine)?;
        let revisions = self.list_snapshots(room)?;
        let mut orphaned = Vec::new();
        for (revision, is_kept) in revisions.iter().zip(snapshots_to_keep(&revisions)) {
            if !is_kept {
                let delete = "DELETE FROM snapshot WHERE room = ?1 AND revision = ?2";
                transaction.execute(delete, params![key, revision.0 as i64]).map_err(engine)?;
                orphaned.push((room, *revision));
            }
        }
        transaction.commit().map_err(engine)?;
        self.orphaned_pieces.extend(orphaned);
        Ok(())
    }

    /// Finds pieces without a snapshot, which was not completed or has been removed.
    pub(crate) fn find_orphaned_pieces(&mut self) -> Result<(), StorageError> {
        let query = "SELECT DISTINCT room, revision FROM piece EXCEPT SELECT room, revision FROM snapshot";
        let found = self.files.rooms.prepare(query).and_then(|mut query| {
            let id = |row: &rusqlite::Row<'_>| {
                Ok((RoomKey(row.get::<_, i64>(0)? as u64), Revision(row.get::<_, i64>(1)? as u64)))
            };
            query.query_map([], id)?.collect::<Result<Vec<_>, _>>()
        });
        match found.map_err(engine) {
            Ok(found) => self.orphaned_pieces.extend(found),
            Err(StorageError::JournalDamaged { .. }) => {} // orphaned pieces only use space
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Removes some orphaned pieces. Returns whether there were any.
    pub(crate) fn drop_orphaned_pieces(&mut self) -> Result<bool, StorageError> {
        let Some((room, revision)) = self.orphaned_pieces.first().copied() else { return Ok(false) };
        if self.drop_pieces(room, revision, PIECES_PER_TRIM)? < PIECES_PER_TRIM as usize {
            self.orphaned_pieces.remove(&(room, revision));
        }
        Ok(true)
    }

    fn drop_pieces(&self, room: RoomKey, revision: Revision, count: i64) -> Result<usize, StorageError> {
        let delete = "DELETE FROM piece WHERE id IN
                      (SELECT id FROM piece WHERE room = ?1 AND revision = ?2 ORDER BY first LIMIT ?3)";
        let values = params![room.0 as i64, revision.0 as i64, count];
        self.files.rooms.execute(delete, values).map_err(engine)
    }
}
