//! [`ShardStorage`]: the `Storage` trait on a storage that has a thread of its own (H6). A call fails with `Away` instead
//! of waiting for a shard that is away.

use std::sync::Arc;

use quadrille_journal::{
    Append, Availability, BlobReader, Claim, Committed, CopiedRoom, Image, ImageId, ImagePut, Loaded,
    ObjectReference, Outcome, OwnedRooms, Peers, ProcessLoad, RoomInfo, RoomKey, RoomOwner, RoomUsage,
    Snapshot, Storage, StorageError, StoredChatMessage, StoredRecord,
};
use quadrille_protocol::{Revision, RoomName};

use crate::shard_thread::{OnThread, ShardThread};
use crate::watchdog::Watched;

/// A storage on its thread.
pub struct ShardStorage {
    thread: ShardThread<Box<dyn Storage>>,
    availability: Option<Availability>,
    owned: Option<OwnedRooms>,
    peers: Option<Peers>,
}

impl ShardStorage {
    /// Starts the thread.
    pub fn start(storage: Box<dyn Storage>) -> ShardStorage {
        let (availability, owned, peers) = (storage.availability(), storage.owned_rooms(), storage.peers());
        ShardStorage { thread: ShardThread::start(storage, availability.clone()), availability, owned, peers }
    }

    /// As of [`ShardThread::watched`].
    pub fn watched(&self) -> Option<Watched> {
        self.thread.watched()
    }
}

impl Storage for ShardStorage {
    fn availability(&self) -> Option<Availability> {
        self.availability.clone()
    }

    fn owned_rooms(&self) -> Option<OwnedRooms> {
        self.owned.clone()
    }

    fn peers(&self) -> Option<Peers> {
        self.peers.clone()
    }

    fn reader(&self) -> Result<Option<Box<dyn BlobReader>>, StorageError> {
        let reader = self.thread.call(|storage| storage.reader())?;
        let availability = self.availability.clone();
        Ok(reader.map(|reader| -> Box<dyn BlobReader> {
            Box::new(ShardReader { thread: ShardThread::start(reader, availability) })
        }))
    }

    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        let room = room.clone();
        self.thread.call(move |storage| storage.claim(&room))
    }

    fn release(&mut self, room: RoomKey) -> Result<(), StorageError> {
        self.thread.call(move |storage| storage.release(room))
    }

    fn hand_over(&mut self, room: RoomKey, url: &str) -> Result<(), StorageError> {
        let url = url.to_owned();
        self.thread.call(move |storage| storage.hand_over(room, &url))
    }

    fn loads(&mut self) -> Result<Vec<ProcessLoad>, StorageError> {
        self.thread.call(|storage| storage.loads())
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        let room = room.clone();
        self.thread.call(move |storage| storage.find(&room))
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        let batch = batch.to_vec();
        self.thread.call(move |storage| storage.append(&batch))
    }

    fn submit(&mut self, _part: usize, batch: &[Append], committed: Committed) {
        self.thread.append(batch.to_vec(), committed);
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        self.thread.call(move |storage| storage.load(room))
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        self.thread.call(move |storage| storage.tail(room, after, bytes_max))
    }

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        self.thread.call(move |storage| storage.snapshot_before(room, revision))
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        let snapshot = snapshot.clone();
        self.thread.call(move |storage| storage.put_piece(room, &snapshot, from, bytes_max))
    }

    fn put_snapshot(&mut self, room: RoomKey, snapshot: &Snapshot) -> Result<(), StorageError> {
        let snapshot = snapshot.clone();
        self.thread.call(move |storage| storage.put_snapshot(room, &snapshot))
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        self.thread.call(move |storage| storage.base(room))
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.thread.call(move |storage| storage.snapshot_revisions(room))
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        self.thread.call(move |storage| storage.time_of(room, revision))
    }

    fn forget_before(&mut self, room: RoomKey, base: Revision) -> Result<(), StorageError> {
        self.thread.call(move |storage| storage.forget_before(room, base))
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        self.thread.call(move |storage| storage.chat_messages(room))
    }

    fn put_chat_messages(&mut self, chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        let chat_messages = chat_messages.to_vec();
        self.thread.call(move |storage| storage.put_chat_messages(&chat_messages))
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        let room = room.clone();
        self.thread.call(move |storage| storage.delete(&room))
    }

    fn put_image(&mut self, room: RoomKey, image: &Image, bytes_max: u64) -> Result<ImagePut, StorageError> {
        let image = image.clone();
        self.thread.call(move |storage| storage.put_image(room, &image, bytes_max))
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        self.thread.call(move |storage| storage.image(room, id))
    }

    fn image_ids(&mut self, room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
        self.thread.call(move |storage| storage.image_ids(room))
    }

    fn claim_copy(&mut self, room: &CopiedRoom<'_>) -> Result<Claim, StorageError> {
        let (name, base) = (room.name.clone(), room.base.cloned());
        let CopiedRoom { key, created_ms, changed_ms, .. } = *room;
        self.thread.call(move |storage| {
            storage.claim_copy(&CopiedRoom { name: &name, key, created_ms, changed_ms, base: base.as_ref() })
        })
    }

    fn property(&mut self, name: &str) -> Result<Option<String>, StorageError> {
        let name = name.to_owned();
        self.thread.call(move |storage| storage.property(&name))
    }

    fn put_property(&mut self, name: &str, value: &str) -> Result<String, StorageError> {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.thread.call(move |storage| storage.put_property(&name, &value))
    }

    fn set_property(&mut self, name: &str, value: Option<&str>) -> Result<(), StorageError> {
        let (name, value) = (name.to_owned(), value.map(str::to_owned));
        self.thread.call(move |storage| storage.set_property(&name, value.as_deref()))
    }

    fn properties(&mut self, prefix: &str, count: usize) -> Result<Vec<(String, String)>, StorageError> {
        let prefix = prefix.to_owned();
        self.thread.call(move |storage| storage.properties(&prefix, count))
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        self.thread.call(|storage| storage.object_references())
    }

    fn is_being_removed(&mut self, room: RoomKey) -> Result<bool, StorageError> {
        self.thread.call(move |storage| storage.is_being_removed(room))
    }

    fn last_key(&mut self) -> Result<RoomKey, StorageError> {
        self.thread.call(|storage| storage.last_key())
    }

    fn reserve_keys(&mut self, up_to: RoomKey) -> Result<(), StorageError> {
        self.thread.call(move |storage| storage.reserve_keys(up_to))
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.thread.call(|storage| storage.rooms())
    }

    fn rooms_after(&mut self, after: Option<&RoomName>, count: usize) -> Result<Vec<RoomInfo>, StorageError> {
        let after = after.cloned();
        self.thread.call(move |storage| storage.rooms_after(after.as_ref(), count))
    }

    fn info(&mut self, room: &RoomName) -> Result<Option<RoomInfo>, StorageError> {
        let room = room.clone();
        self.thread.call(move |storage| storage.info(&room))
    }

    fn usage(&mut self, room: &RoomName) -> Result<Option<RoomUsage>, StorageError> {
        let room = room.clone();
        self.thread.call(move |storage| storage.usage(&room))
    }

    fn compact(&mut self) -> Result<bool, StorageError> {
        match self.thread.call(|storage| storage.compact()) {
            // Maintenance is done when the shard is back.
            Err(StorageError::Away { .. }) => Ok(false),
            result => result,
        }
    }
}

/// A reader on its thread.
struct ShardReader {
    thread: ShardThread<Box<dyn BlobReader>>,
}

impl OnThread for Box<dyn BlobReader> {
    fn commit(&mut self, _batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        Err(StorageError::Engine { reason: "a reader stores nothing".into() })
    }

    fn probe(&mut self) {}
}

impl BlobReader for ShardReader {
    fn snapshot(&mut self, room: RoomKey, up_to: Revision) -> Result<Option<Snapshot>, StorageError> {
        self.thread.call(move |reader| reader.snapshot(room, up_to))
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        self.thread.call(move |reader| reader.image(room, id))
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        self.thread.call(|reader| reader.object_references())
    }

    fn owner(&mut self, room: &RoomName) -> Result<Option<RoomOwner>, StorageError> {
        let room = room.clone();
        self.thread.call(move |reader| reader.owner(&room))
    }

    fn checkpoint(&mut self) -> Result<(), StorageError> {
        self.thread.call(|reader| reader.checkpoint())
    }
}
