//! Snapshots: derived, so that a damaged one is passed over.

use std::sync::Arc;

use quadrille_journal::{RoomKey, Snapshot, StorageError, which_to_keep};
use quadrille_protocol::Revision;
use rusqlite::{OptionalExtension, params};

use crate::rows::numbers_checksum;
use crate::storage::{SqliteStorage, engine};

impl SqliteStorage {
    /// The newest snapshot up to a revision, which the journal must have, whose checksums are right (J5).
    pub(crate) fn read_snapshot(
        &self,
        key: RoomKey,
        up_to: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        let revisions = match self.list_snapshots(key) {
            // SQLite cannot read them: as good as none.
            Err(StorageError::JournalDamaged { .. }) => Vec::new(),
            other => other?,
        };
        for revision in revisions.into_iter().filter(|revision| *revision <= up_to) {
            if let Some(bytes) = self.snapshot_bytes(key, revision)? {
                return Ok(Some(Snapshot { revision, bytes }));
            }
        }
        Ok(None)
    }

    /// The revisions of the stored snapshots, newest first, damaged ones among them.
    pub(crate) fn list_snapshots(&self, key: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.files
            .rooms
            .prepare_cached("SELECT revision FROM snapshot WHERE room = ?1 ORDER BY revision DESC")
            .and_then(|mut query| {
                let rows =
                    query.query_map([key.0 as i64], |row| Ok(Revision(row.get::<_, i64>(0)? as u64)))?;
                rows.collect()
            })
            .map_err(engine)
    }

    /// `None` when it is not as it was written.
    pub(crate) fn snapshot_bytes(
        &self,
        key: RoomKey,
        revision: Revision,
    ) -> Result<Option<Arc<[u8]>>, StorageError> {
        let read = |row: &rusqlite::Row<'_>| {
            let checksum: i64 = row.get(0)?;
            let seal: Option<i64> = row.get(1)?;
            let data = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
            let expected = numbers_checksum(&[key.0 as i64, revision.0 as i64, checksum]);
            let is_sound = seal.is_none_or(|seal| seal == i64::from(expected))
                && i64::from(crc32fast::hash(data)) == checksum;
            Ok(is_sound.then(|| Arc::from(data)))
        };
        let found = self
            .files
            .rooms
            .prepare_cached("SELECT checksum, seal, data FROM snapshot WHERE room = ?1 AND revision = ?2")
            .and_then(|mut query| query.query_row(params![key.0 as i64, revision.0 as i64], read).optional())
            .map_err(engine);
        match found {
            Err(StorageError::JournalDamaged { .. }) => Ok(None),
            other => Ok(other?.flatten()),
        }
    }

    /// Stores a snapshot and thins out the older ones.
    pub(crate) fn write_snapshot(&self, room: RoomKey, snapshot: &Snapshot) -> Result<(), StorageError> {
        let (key, revision) = (room.0 as i64, snapshot.revision.0 as i64);
        let checksum = crc32fast::hash(&snapshot.bytes);
        let seal = numbers_checksum(&[key, revision, checksum.into()]);
        let transaction = self.files.rooms.unchecked_transaction().map_err(engine)?;
        transaction
            .execute(
                "INSERT OR REPLACE INTO snapshot (room, revision, checksum, data, seal)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![key, revision, checksum, &snapshot.bytes[..], seal],
            )
            .map_err(engine)?;
        let revisions = self.list_snapshots(room)?;
        for (revision, is_kept) in revisions.iter().zip(which_to_keep(&revisions)) {
            if !is_kept {
                transaction
                    .execute(
                        "DELETE FROM snapshot WHERE room = ?1 AND revision = ?2",
                        params![key, revision.0 as i64],
                    )
                    .map_err(engine)?;
            }
        }
        transaction.commit().map_err(engine)
    }
}
