//! [`AsOf`]: the rooms of a storage as they were at a moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_journal::{
    Append, Claim, ImageId, Loaded, Outcome, RoomInfo, RoomKey, Snapshot, Storage, StorageError, StoredRecord,
};
use quadrille_protocol::{ChatMessage, Revision, RoomName};

use super::rooms::for_each_room;
use super::stores::of_source;

/// A storage that is only read, with the records, snapshots and chat messages up to a moment. Images are not dated:
/// all are there. A room that was deleted before the storage was copied is not.
pub struct AsOf {
    storage: Box<dyn Storage>,
    /// Milliseconds since 1970-01-01 UTC.
    moment_ms: i64,
    rooms: BTreeMap<RoomName, RoomInfo>,
    heads: BTreeMap<RoomKey, Revision>,
}

impl AsOf {
    /// Finds the revision that each room had. Returns also the rooms that existed, but whose history begins only
    /// later, since it was dropped by a setting.
    ///
    /// The times of records are searched as if they were in order. Where the server's clock was put back, the revision
    /// can be wrong by the records of that time.
    ///
    /// # Errors
    /// When the storage cannot be read.
    pub fn new(mut storage: Box<dyn Storage>, moment_ms: i64) -> Result<(AsOf, Vec<RoomName>), String> {
        let (mut rooms, mut heads, mut too_late) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        for_each_room(&mut *storage, &mut |storage, info| {
            if info.created_ms > moment_ms {
                return Ok(());
            }
            let claim = storage.find(&info.name).map_err(of_source)?.ok_or("the source changes")?;
            match head_at(storage, &claim, info, moment_ms).map_err(of_source)? {
                Some((head, changed_ms)) => {
                    rooms.insert(info.name.clone(), RoomInfo { head, changed_ms, ..info.clone() });
                    heads.insert(claim.key, head);
                }
                // Its first record is stored a moment after it is created.
                None if claim.base == Revision(0) => {}
                None => too_late.push(info.name.clone()),
            }
            Ok(())
        })?;
        Ok((AsOf { storage, moment_ms, rooms, heads }, too_late))
    }

    /// Returns whether there was no room.
    pub fn is_empty(&self) -> bool {
        self.rooms.is_empty()
    }

    fn head(&self, room: RoomKey) -> Revision {
        self.heads.get(&room).copied().unwrap_or(Revision(0))
    }
}

/// Returns the last revision that was stored up to a moment, and when; `None` if the records begin later. Reads the
/// times of about log₂ n records.
fn head_at(
    storage: &mut dyn Storage,
    claim: &Claim,
    info: &RoomInfo,
    moment_ms: i64,
) -> Result<Option<(Revision, i64)>, StorageError> {
    if info.changed_ms <= moment_ms {
        return Ok(Some((claim.head, info.changed_ms)));
    }
    let mut found = None;
    // The searched revision is in this range, or there is none.
    let (mut low, mut high) = (claim.base.0 + 1, claim.head.0);
    while low <= high {
        let middle = low + (high - low) / 2;
        match storage.time_of(claim.key, Revision(middle))? {
            Some(time_ms) if time_ms <= moment_ms => {
                found = Some((Revision(middle), time_ms));
                low = middle + 1;
            }
            _ => high = middle - 1,
        }
    }
    Ok(found)
}

const READ_ONLY: &str = "an earlier state cannot be changed";

fn read_only<T>() -> Result<T, StorageError> {
    Err(StorageError::Engine { reason: READ_ONLY.into() })
}

impl Storage for AsOf {
    fn claim(&mut self, _room: &RoomName) -> Result<Claim, StorageError> {
        read_only()
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        let Some(info) = self.rooms.get(room) else { return Ok(None) };
        let claim = self.storage.find(room)?;
        Ok(claim.map(|claim| Claim { head: info.head, ..claim }))
    }

    fn append(&mut self, _batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        read_only()
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        let head = self.head(room);
        self.load_at(room, head)
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        let head = self.head(room);
        let mut records = self.storage.tail(room, after, bytes_max)?;
        records.retain(|record| record.revision <= head);
        Ok(records)
    }

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        let head = self.head(room);
        self.storage.snapshot_before(room, revision.min(head))
    }

    fn put_piece(
        &mut self,
        _room: RoomKey,
        _snapshot: &Snapshot,
        _from: usize,
        _bytes_max: usize,
    ) -> Result<usize, StorageError> {
        read_only()
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        self.storage.base(room)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        let head = self.head(room);
        let mut revisions = self.storage.snapshot_revisions(room)?;
        revisions.retain(|revision| *revision <= head);
        Ok(revisions)
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        self.storage.time_of(room, revision)
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        let mut messages = self.storage.chat_messages(room)?;
        // One that cannot be read stays, so that the copy names it.
        messages.retain(|bytes| {
            ChatMessage::decode(bytes).map_or(true, |message| message.time_ms <= self.moment_ms)
        });
        Ok(messages)
    }

    fn delete(&mut self, _room: &RoomName) -> Result<bool, StorageError> {
        read_only()
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        self.storage.image(room, id)
    }

    fn image_ids(&mut self, room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
        self.storage.image_ids(room)
    }

    fn last_key(&mut self) -> Result<RoomKey, StorageError> {
        self.storage.last_key()
    }

    fn last_keys(&mut self) -> Result<Vec<RoomKey>, StorageError> {
        self.storage.last_keys()
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        Ok(self.rooms.values().cloned().collect())
    }
}
