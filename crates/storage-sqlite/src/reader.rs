//! Reads snapshots and images, and checkpoints the write-ahead logs, over connections of
//! its own, so that commits do not wait for large data.

use std::path::Path;
use std::sync::Arc;

use quadrille_journal::{BlobReader, ImageId, ObjectReference, RoomKey, Snapshot, StorageError};
use quadrille_protocol::Revision;
use rusqlite::{Connection, OptionalExtension, params};

use crate::checkpoints::{DueCheckpoints, checkpoint};
use crate::error::engine;
use crate::objects;
use crate::open::{self, JOURNAL, ROOMS};
use crate::row_checksums::{image_checksum, numbers_checksum};

/// Connections for reading beside [`SqliteStorage`](crate::SqliteStorage).
pub struct Reader {
    rooms: Connection,
    journal: Connection,
    due: Arc<DueCheckpoints>,
}

impl Reader {
    /// Opens connections to a directory that is already open.
    pub fn open(directory: &Path, due: &Arc<DueCheckpoints>) -> Result<Reader, StorageError> {
        let rooms = Connection::open_with_flags(directory.join(ROOMS), open::EXISTING).map_err(engine)?;
        let journal = Connection::open_with_flags(directory.join(JOURNAL), open::EXISTING).map_err(engine)?;
        for database in [&rooms, &journal] {
            open::sync_fully(database).map_err(engine)?;
        }
        Ok(Reader { rooms, journal, due: Arc::clone(due) })
    }
}

impl BlobReader for Reader {
    fn snapshot(&mut self, room: RoomKey, up_to: Revision) -> Result<Option<Snapshot>, StorageError> {
        // A read transaction: pieces may be removed in the meantime.
        let transaction = self.rooms.unchecked_transaction().map_err(engine)?;
        let snapshot = read_snapshot(&transaction, room, up_to)?;
        transaction.commit().map_err(engine)?;
        Ok(snapshot)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        read_image(&self.rooms, room, id)
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        objects::references(&self.rooms)
    }

    fn checkpoint(&mut self) -> Result<(), StorageError> {
        if self.due.journal() {
            checkpoint(&self.journal)?;
        }
        match self.due.rooms() {
            true => checkpoint(&self.rooms),
            false => Ok(()),
        }
    }
}

/// Reads an image; `None` when it does not exist or is damaged.
pub fn read_image(rooms: &Connection, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
    let read = |row: &rusqlite::Row<'_>| {
        let (Ok(expected), Ok(data)) = (row.get::<_, i64>(0), row.get_ref(1)?.as_blob()) else {
            return Ok(None);
        };
        Ok((expected == i64::from(image_checksum(room, &id.0, data))).then(|| Arc::from(data)))
    };
    let found = rooms
        .prepare_cached("SELECT checksum, data FROM image WHERE room = ?1 AND hash = ?2")
        .and_then(|mut query| query.query_row(params![room.0 as i64, &id.0[..]], read).optional());
    match found.map_err(engine) {
        // SQLite cannot read it; `check` reports this.
        Err(StorageError::JournalDamaged { .. }) => Ok(None),
        other => Ok(other?.flatten()),
    }
}

/// Reads the newest intact snapshot that is not after a revision (J5).
pub fn read_snapshot(
    rooms: &Connection,
    key: RoomKey,
    up_to: Revision,
) -> Result<Option<Snapshot>, StorageError> {
    let revisions = match list_snapshots(rooms, key) {
        // SQLite cannot read the table: continue without snapshots.
        Err(StorageError::JournalDamaged { .. }) => Vec::new(),
        other => other?,
    };
    for revision in revisions.into_iter().filter(|revision| *revision <= up_to) {
        if let Some(bytes) = snapshot_bytes(rooms, key, revision)? {
            return Ok(Some(Snapshot { revision, bytes }));
        }
    }
    Ok(None)
}

/// Returns the revisions of all stored snapshots, also damaged ones, newest first.
pub fn list_snapshots(rooms: &Connection, key: RoomKey) -> Result<Vec<Revision>, StorageError> {
    rooms
        .prepare_cached("SELECT revision FROM snapshot WHERE room = ?1 ORDER BY revision DESC")
        .and_then(|mut query| {
            let rows = query.query_map([key.0 as i64], |row| Ok(Revision(row.get::<_, i64>(0)? as u64)))?;
            rows.collect()
        })
        .map_err(engine)
}

/// Reads the bytes of a snapshot; `None` when it is damaged.
pub fn snapshot_bytes(
    rooms: &Connection,
    key: RoomKey,
    revision: Revision,
) -> Result<Option<Arc<[u8]>>, StorageError> {
    match assemble_snapshot(rooms, key, revision).map_err(engine) {
        Err(StorageError::JournalDamaged { .. }) => Ok(None),
        other => other,
    }
}

/// Reads a snapshot from its pieces; `None` when a checksum does not match.
pub fn assemble_snapshot(
    rooms: &Connection,
    key: RoomKey,
    revision: Revision,
) -> Result<Option<Arc<[u8]>>, rusqlite::Error> {
    let key_values = params![key.0 as i64, revision.0 as i64];
    let read = |row: &rusqlite::Row<'_>| {
        let checksum: i64 = row.get(0)?;
        let seal: Option<i64> = row.get(1)?;
        let last: Vec<u8> = row.get(2)?;
        let expected = numbers_checksum(&[key.0 as i64, revision.0 as i64, checksum]);
        Ok(seal.is_none_or(|seal| seal == i64::from(expected)).then_some((checksum, last)))
    };
    let row = rooms
        .prepare_cached("SELECT checksum, seal, data FROM snapshot WHERE room = ?1 AND revision = ?2")?
        .query_row(key_values, read)
        .optional()?
        .flatten();
    let Some((checksum, last)) = row else { return Ok(None) };
    if i64::from(crc32fast::hash(&last)) == checksum {
        return Ok(Some(last.into())); // a snapshot in one piece
    }
    let mut pieces =
        rooms.prepare_cached("SELECT data FROM piece WHERE room = ?1 AND revision = ?2 ORDER BY first")?;
    let mut pieces = pieces.query(key_values)?;
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next()? {
        bytes.extend_from_slice(piece.get_ref(0)?.as_blob()?);
    }
    bytes.extend_from_slice(&last);
    Ok((i64::from(crc32fast::hash(&bytes)) == checksum).then(|| bytes.into()))
}
