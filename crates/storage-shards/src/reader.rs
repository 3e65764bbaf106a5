//! Reading snapshots and images of all shards on another thread.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use quadrille_journal::{
    BlobReader, ImageId, ObjectReference, PeerId, RoomKey, RoomOwner, Snapshot, StorageError,
};
use quadrille_protocol::{Revision, RoomName};

use crate::cluster::SHARDS_MAX;

/// In which shard rooms are, by number. Copies share the state.
#[derive(Clone, Default)]
pub struct KeyPlaces {
    places: Arc<Mutex<HashMap<RoomKey, usize>>>,
}

impl KeyPlaces {
    /// Returns the shard of a room that was found or claimed.
    pub fn get(&self, room: RoomKey) -> Option<usize> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).get(&room).copied()
    }

    /// Notes the shard of a room.
    pub fn set(&self, room: RoomKey, shard: usize) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).insert(room, shard);
    }

    /// Forgets a room.
    pub fn remove(&self, room: RoomKey) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).remove(&room);
    }
}

/// Returns a number for a process of a shard that no process of another shard has.
pub fn peer_of(shard: usize, peer: PeerId) -> PeerId {
    PeerId(peer.0 * SHARDS_MAX as u64 + shard as u64)
}

/// Readers of all shards.
pub struct ShardedReader {
    pub readers: Vec<Box<dyn BlobReader>>,
    pub places: KeyPlaces,
}

impl BlobReader for ShardedReader {
    fn snapshot(&mut self, room: RoomKey, up_to: Revision) -> Result<Option<Snapshot>, StorageError> {
        match self.places.get(room) {
            Some(shard) => self.readers[shard].snapshot(room, up_to),
            None => Ok(None),
        }
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        match self.places.get(room) {
            Some(shard) => self.readers[shard].image(room, id),
            None => Ok(None),
        }
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        let mut all = Vec::new();
        for reader in &mut self.readers {
            all.append(&mut reader.object_references()?);
        }
        Ok(all)
    }

    fn owner(&mut self, room: &RoomName) -> Result<Option<RoomOwner>, StorageError> {
        for (shard, reader) in self.readers.iter_mut().enumerate() {
            if let Some(owner) = reader.owner(room)? {
                return Ok(Some(RoomOwner { peer: peer_of(shard, owner.peer), ..owner }));
            }
        }
        Ok(None)
    }

    fn checkpoint(&mut self) -> Result<(), StorageError> {
        self.readers.iter_mut().try_for_each(|reader| reader.checkpoint())
    }
}
