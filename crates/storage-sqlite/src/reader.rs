//! Reads snapshots and images, and brings the journal's write-ahead log into its file, over connections of its own, so
//! that commits need not wait for what is big.

use std::path::Path;
use std::sync::Arc;

use quadrille_journal::{BlobReader, ImageId, RoomKey, Snapshot, StorageError};
use quadrille_protocol::Revision;
use rusqlite::Connection;

use crate::images::read_image;
use crate::open::{self, JOURNAL, ROOMS};
use crate::snapshots::read_snapshot;
use crate::storage::engine;

pub struct Reader {
    rooms: Connection,
    journal: Connection,
}

impl Reader {
    /// Of a directory that is open.
    pub fn open(directory: &Path) -> Result<Reader, StorageError> {
        let rooms = Connection::open_with_flags(directory.join(ROOMS), open::EXISTING).map_err(engine)?;
        let journal = Connection::open_with_flags(directory.join(JOURNAL), open::EXISTING).map_err(engine)?;
        open::sync_fully(&journal).map_err(engine)?;
        Ok(Reader { rooms, journal })
    }
}

impl BlobReader for Reader {
    fn snapshot(&mut self, room: RoomKey, up_to: Revision) -> Result<Option<Snapshot>, StorageError> {
        // The pieces of one moment: others may be removed meanwhile.
        let moment = self.rooms.unchecked_transaction().map_err(engine)?;
        let snapshot = read_snapshot(&moment, room, up_to)?;
        moment.commit().map_err(engine)?;
        Ok(snapshot)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        read_image(&self.rooms, room, id)
    }

    fn settle(&mut self) -> Result<(), StorageError> {
        checkpoint(&self.journal)
    }
}

/// Brings what is in the write-ahead log into the file, as far as nobody needs it there; keeps nobody waiting.
pub fn checkpoint(database: &Connection) -> Result<(), StorageError> {
    database.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).map_err(engine)
}
