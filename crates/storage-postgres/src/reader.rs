//! Reads snapshots and images over a connection of its own, so that commits do not wait for large data.

use std::sync::Arc;

use quadrille_journal::{BlobReader, ImageId, ObjectReference, RoomKey, RoomOwner, Snapshot, StorageError};
use quadrille_protocol::{Revision, RoomName};

use crate::address::Address;
use crate::connection::{Connection, RETRY_DELAY_MAX};
use crate::node::{self, NodeId};
use crate::{images, objects, snapshots};

/// A connection for reading beside [`PostgresStorage`](crate::PostgresStorage).
pub struct Reader {
    connection: Connection,
    node: NodeId,
}

impl Reader {
    /// Connects.
    ///
    /// # Errors
    /// Those of the database.
    pub fn open(address: &Address, application_name: String, node: NodeId) -> Result<Reader, StorageError> {
        Ok(Reader { connection: Connection::open(address, application_name, RETRY_DELAY_MAX)?, node })
    }
}

impl BlobReader for Reader {
    fn snapshot(&mut self, room: RoomKey, up_to: Revision) -> Result<Option<Snapshot>, StorageError> {
        self.connection.run(|session| snapshots::newest(session, room, up_to))
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        self.connection.run(|session| images::read(session, room, id))
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        self.connection.run(objects::references)
    }

    fn owner(&mut self, room: &RoomName) -> Result<Option<RoomOwner>, StorageError> {
        let node = self.node;
        Ok(self.connection.run(|session| node::owner(session, node, room))?)
    }
}
