//! [`WithObjects`]: a storage whose large snapshots and images are in an object store, for commands. Reading and
//! writing wait for the object store.

use std::sync::Arc;

use quadrille_journal::{
    Append, Availability, Claim, CopiedRoom, Image, ImageId, ImagePut, Loaded, ObjectReference, Outcome,
    OwnedRooms, Peers, ProcessLoad, RoomInfo, RoomKey, RoomUsage, Snapshot, Storage, StorageError,
    StoredChatMessage, StoredRecord,
};
use quadrille_protocol::{Revision, RoomName};

use super::ObjectStorage;

/// A storage with its object store.
pub struct WithObjects<S> {
    inner: S,
    objects: Arc<ObjectStorage>,
}

impl<S: StorageBox> WithObjects<S> {
    /// Combines the two.
    pub fn new(inner: S, objects: Arc<ObjectStorage>) -> WithObjects<S> {
        WithObjects { inner, objects }
    }
}

/// A storage that is owned, or borrowed.
pub trait StorageBox: Send {
    /// The storage.
    fn storage(&mut self) -> &mut dyn Storage;
    /// The storage.
    fn shared(&self) -> &dyn Storage;
}

impl StorageBox for Box<dyn Storage> {
    fn storage(&mut self) -> &mut dyn Storage {
        &mut **self
    }

    fn shared(&self) -> &dyn Storage {
        &**self
    }
}

impl StorageBox for &mut (dyn Storage + '_) {
    fn storage(&mut self) -> &mut dyn Storage {
        &mut **self
    }

    fn shared(&self) -> &dyn Storage {
        &**self
    }
}

impl<S: StorageBox> Storage for WithObjects<S> {
    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        let snapshot = self.snapshot_before(room, Revision(u64::MAX >> 1))?;
        let base = self.inner.storage().base(room)?;
        let after = snapshot.as_ref().map_or(Revision(0), |snapshot| snapshot.revision);
        if after < base {
            let reason =
                format!("the history begins at revision {base}, and no snapshot at or after it can be read");
            return Err(StorageError::Damaged { room, revision: base, reason });
        }
        Ok(Loaded { snapshot, records: self.inner.storage().tail(room, after, usize::MAX)? })
    }

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        let mut up_to = revision;
        loop {
            let Some(stored) = self.inner.storage().snapshot_before(room, up_to)? else { return Ok(None) };
            match self.objects.resolve(stored.bytes) {
                Ok(bytes) => return Ok(Some(Snapshot { revision: stored.revision, bytes })),
                Err(StorageError::ObjectDamaged { reason }) => {
                    tracing::warn!(%reason, "a snapshot is skipped");
                    let Some(before) = stored.revision.0.checked_sub(1) else { return Ok(None) };
                    up_to = Revision(before);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        if !self.objects.takes(&snapshot.bytes) {
            return self.inner.storage().put_piece(room, snapshot, from, bytes_max);
        }
        let reference = self.objects.put(&snapshot.bytes)?;
        let stored = Snapshot { revision: snapshot.revision, bytes: reference.encode().into() };
        self.inner.storage().put_snapshot(room, &stored)?;
        Ok(snapshot.bytes.len())
    }

    fn put_image(&mut self, room: RoomKey, image: &Image, bytes_max: u64) -> Result<ImagePut, StorageError> {
        if !self.objects.takes(&image.bytes) {
            return self.inner.storage().put_image(room, image, bytes_max);
        }
        let reference = self.objects.put(&image.bytes)?;
        let stored = Image { id: image.id, bytes: reference.encode().into() };
        let put = self.inner.storage().put_image(room, &stored, bytes_max);
        if !matches!(put, Ok(ImagePut::Stored)) {
            self.objects.discard(&reference);
        }
        put
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        let Some(stored) = self.inner.storage().image(room, id)? else { return Ok(None) };
        match ObjectReference::decode(&stored).filter(|reference| reference.digest == id.0) {
            Some(reference) => self.objects.get(&reference).map(Some),
            None => Ok(Some(stored)),
        }
    }

    fn availability(&self) -> Option<Availability> {
        self.inner.shared().availability()
    }

    fn owned_rooms(&self) -> Option<OwnedRooms> {
        self.inner.shared().owned_rooms()
    }

    fn peers(&self) -> Option<Peers> {
        self.inner.shared().peers()
    }

    fn needs_checkpoint(&self) -> bool {
        self.inner.shared().needs_checkpoint()
    }

    fn checkpoint(&mut self) -> Result<(), StorageError> {
        self.inner.storage().checkpoint()
    }

    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        self.inner.storage().claim(room)
    }

    fn release(&mut self, room: RoomKey) -> Result<(), StorageError> {
        self.inner.storage().release(room)
    }

    fn hand_over(&mut self, room: RoomKey, url: &str) -> Result<(), StorageError> {
        self.inner.storage().hand_over(room, url)
    }

    fn loads(&mut self) -> Result<Vec<ProcessLoad>, StorageError> {
        self.inner.storage().loads()
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        self.inner.storage().find(room)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        self.inner.storage().append(batch)
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        self.inner.storage().tail(room, after, bytes_max)
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        self.inner.storage().base(room)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.inner.storage().snapshot_revisions(room)
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        self.inner.storage().time_of(room, revision)
    }

    fn forget_before(&mut self, room: RoomKey, base: Revision) -> Result<(), StorageError> {
        self.inner.storage().forget_before(room, base)
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        self.inner.storage().chat_messages(room)
    }

    fn put_chat_messages(&mut self, chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        self.inner.storage().put_chat_messages(chat_messages)
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        self.inner.storage().delete(room)
    }

    fn image_ids(&mut self, room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
        self.inner.storage().image_ids(room)
    }

    fn property(&mut self, name: &str) -> Result<Option<String>, StorageError> {
        self.inner.storage().property(name)
    }

    fn put_property(&mut self, name: &str, value: &str) -> Result<String, StorageError> {
        self.inner.storage().put_property(name, value)
    }

    fn set_property(&mut self, name: &str, value: Option<&str>) -> Result<(), StorageError> {
        self.inner.storage().set_property(name, value)
    }

    fn properties(&mut self, prefix: &str, count: usize) -> Result<Vec<(String, String)>, StorageError> {
        self.inner.storage().properties(prefix, count)
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        self.inner.storage().object_references()
    }

    fn last_key(&mut self) -> Result<RoomKey, StorageError> {
        self.inner.storage().last_key()
    }

    fn last_keys(&mut self) -> Result<Vec<RoomKey>, StorageError> {
        self.inner.storage().last_keys()
    }

    fn reserve_keys(&mut self, up_to: RoomKey) -> Result<(), StorageError> {
        self.inner.storage().reserve_keys(up_to)
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.inner.storage().rooms()
    }

    fn rooms_after(&mut self, after: Option<&RoomName>, count: usize) -> Result<Vec<RoomInfo>, StorageError> {
        self.inner.storage().rooms_after(after, count)
    }

    fn info(&mut self, room: &RoomName) -> Result<Option<RoomInfo>, StorageError> {
        self.inner.storage().info(room)
    }

    fn usage(&mut self, room: &RoomName) -> Result<Option<RoomUsage>, StorageError> {
        self.inner.storage().usage(room)
    }

    fn claim_copy(&mut self, room: &CopiedRoom<'_>) -> Result<Claim, StorageError> {
        let Some(base) = room.base.filter(|base| self.objects.takes(&base.bytes)) else {
            return self.inner.storage().claim_copy(room);
        };
        let bytes = self.objects.put(&base.bytes)?.encode().into();
        let stored = Snapshot { revision: base.revision, bytes };
        self.inner.storage().claim_copy(&CopiedRoom { base: Some(&stored), ..*room })
    }

    fn compact(&mut self) -> Result<bool, StorageError> {
        self.inner.storage().compact()
    }
}
