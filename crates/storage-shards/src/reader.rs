//! Reading snapshots and images of all shards on another thread.

use std::sync::Arc;

use quadrille_journal::{
    BlobReader, ImageId, ObjectReference, PeerId, RoomKey, RoomOwner, RoomParts, Snapshot, StorageError,
};
use quadrille_protocol::{Revision, RoomName};

use crate::cluster::{SHARDS_MAX, of_first};
use crate::placement::Placement;

/// Returns a number for a process of a shard that no process of another shard has.
pub fn peer_of(shard: usize, peer: PeerId) -> PeerId {
    PeerId(peer.0 * SHARDS_MAX as u64 + shard as u64)
}

/// Readers of all shards.
pub struct ShardedReader {
    pub readers: Vec<Box<dyn BlobReader>>,
    pub parts: RoomParts,
    pub placement: Placement,
}

impl BlobReader for ShardedReader {
    fn snapshot(&mut self, room: RoomKey, up_to: Revision) -> Result<Option<Snapshot>, StorageError> {
        match self.parts.part_of(room) {
            Some(shard) => self.readers[shard].snapshot(room, up_to),
            None => Ok(None),
        }
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        match self.parts.part_of(room) {
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

    /// A shard that is away matters only if the room can be there without an entry. The claim reads the entry.
    fn owner(&mut self, room: &RoomName) -> Result<Option<RoomOwner>, StorageError> {
        let candidates = self.placement.candidates(room);
        let mut away = None;
        for (shard, reader) in self.readers.iter_mut().enumerate() {
            match reader.owner(room) {
                Ok(Some(owner)) => {
                    return Ok(Some(RoomOwner { peer: peer_of(shard, owner.peer), ..owner }));
                }
                Ok(None) => {}
                Err(error @ StorageError::Away { .. }) => {
                    let error = if shard == 0 { of_first(error) } else { error };
                    away = away.or_else(|| candidates.contains(&shard).then_some(error));
                }
                Err(error) => return Err(error),
            }
        }
        away.map_or(Ok(None), Err)
    }

    fn checkpoint(&mut self) -> Result<(), StorageError> {
        self.readers.iter_mut().try_for_each(|reader| reader.checkpoint())
    }
}
