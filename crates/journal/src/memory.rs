//! [`MemoryStorage`]: storage in memory, the reference model of the guarantees for tests and the
//! simulator.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::{Incarnation, Revision, RoomName};

use crate::{
    Append, Claim, Image, ImageId, ImagePut, Loaded, ObjectReference, Outcome, RoomInfo, RoomKey, RoomUsage,
    Snapshot, Storage, StorageError, StoredChatMessage, StoredRecord, snapshots_to_keep,
};

/// Storage that keeps everything in memory until it is dropped.
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage {
    rooms: BTreeMap<RoomKey, StoredRoom>,
    keys: BTreeMap<RoomName, RoomKey>,
    last_key: u64,
    properties: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
struct StoredRoom {
    name: RoomName,
    records: Vec<StoredRecord>,
    /// Records up to this revision are no longer returned; they are kept for checkers.
    base: Revision,
    snapshots: Vec<Snapshot>,
    chat_messages: BTreeMap<u64, Arc<[u8]>>,
    images: BTreeMap<ImageId, Arc<[u8]>>,
    /// A snapshot of which the last piece is missing.
    partial_snapshot: Option<(Revision, Vec<u8>)>,
    created_ms: i64,
    changed_ms: i64,
}

impl StoredRoom {
    fn head(&self) -> Revision {
        self.records.last().map_or(Revision(0), |record| record.revision)
    }
}

impl MemoryStorage {
    /// Returns the stored messages of a room's chat by number, for checkers.
    pub fn stored_chat_messages(&self, room: RoomKey) -> &BTreeMap<u64, Arc<[u8]>> {
        static NOTHING: BTreeMap<u64, Arc<[u8]>> = BTreeMap::new();
        self.rooms.get(&room).map_or(&NOTHING, |room| &room.chat_messages)
    }

    /// Creates empty storage.
    pub fn new() -> MemoryStorage {
        MemoryStorage::default()
    }

    /// Returns the revision up to which a room's records were dropped, for checkers.
    pub fn trimmed(&self, room: RoomKey) -> Revision {
        self.rooms.get(&room).map_or(Revision(0), |room| room.base)
    }

    /// Returns every record of a room, including dropped ones, for checkers.
    pub fn records(&self, room: RoomKey) -> &[StoredRecord] {
        self.rooms.get(&room).map_or(&[], |room| &room.records)
    }

    /// Returns every stored snapshot of a room, for checkers.
    pub fn snapshots(&self, room: RoomKey) -> &[Snapshot] {
        self.rooms.get(&room).map_or(&[], |room| &room.snapshots)
    }

    /// Discards interrupted snapshots. Returns how many there were.
    pub(crate) fn discard_partial_snapshots(&mut self) -> u64 {
        self.rooms.values_mut().filter_map(|room| room.partial_snapshot.take()).count() as u64
    }

    fn room(&self, key: RoomKey) -> Result<&StoredRoom, StorageError> {
        self.rooms.get(&key).ok_or(StorageError::UnknownRoom { room: key })
    }

    fn append_one(&mut self, append: &Append) -> Outcome {
        debug_assert!(!append.records.is_empty());
        let Some(room) = self.rooms.get_mut(&append.room) else { return Outcome::Fenced };
        if room.head() != append.base {
            return Outcome::Fenced;
        }
        if room.records.is_empty() {
            room.created_ms = append.time_ms;
        }
        room.changed_ms = append.time_ms;
        let mut revision = append.base;
        for bytes in &append.records {
            revision = revision.next();
            room.records.push(StoredRecord { revision, time_ms: append.time_ms, bytes: bytes.clone() });
        }
        Outcome::Durable { head: revision }
    }
}

impl Storage for MemoryStorage {
    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        let key = match self.keys.get(room) {
            Some(key) => *key,
            None => {
                self.last_key += 1;
                let key = RoomKey(self.last_key);
                self.keys.insert(room.clone(), key);
                self.rooms.insert(
                    key,
                    StoredRoom {
                        name: room.clone(),
                        records: Vec::new(),
                        base: Revision(0),
                        snapshots: Vec::new(),
                        chat_messages: BTreeMap::new(),
                        images: BTreeMap::new(),
                        partial_snapshot: None,
                        created_ms: 0,
                        changed_ms: 0,
                    },
                );
                key
            }
        };
        let (head, base) = (self.room(key)?.head(), self.room(key)?.base);
        Ok(Claim { key, incarnation: Incarnation(key.0), head, base })
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        let Some(key) = self.keys.get(room).copied() else { return Ok(None) };
        let (head, base) = (self.room(key)?.head(), self.room(key)?.base);
        let claim = Claim { key, incarnation: Incarnation(key.0), head, base };
        Ok((head > Revision(0)).then_some(claim))
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        Ok(batch.iter().map(|append| self.append_one(append)).collect())
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        let (key, room) = (room, self.room(room)?);
        // A snapshot ahead of the records is unusable: the records before it were lost.
        let is_usable = |snapshot: &&Snapshot| snapshot.revision <= room.head();
        let snapshot = room.snapshots.iter().rev().find(is_usable).cloned();
        let after = snapshot.as_ref().map_or(Revision(0), |snapshot| snapshot.revision);
        if after < room.base {
            let reason = "no snapshot can be read where the history begins".to_owned();
            return Err(StorageError::Damaged { room: key, revision: room.base, reason });
        }
        let records = room.records.iter().filter(|record| record.revision > after).cloned().collect();
        Ok(Loaded { snapshot, records })
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        let base = self.room(room)?.base;
        if after < base {
            return Err(StorageError::Forgotten { base });
        }
        let mut bytes = 0;
        let mut tail = Vec::new();
        for record in self.room(room)?.records.iter().filter(|record| record.revision > after) {
            bytes += record.bytes.len();
            if bytes > bytes_max && !tail.is_empty() {
                break;
            }
            tail.push(record.clone());
        }
        Ok(tail)
    }

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        let snapshots = &self.room(room)?.snapshots;
        Ok(snapshots.iter().rev().find(|snapshot| snapshot.revision <= revision).cloned())
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        let room = self.rooms.get_mut(&room).ok_or(StorageError::UnknownRoom { room })?;
        debug_assert!(snapshot.revision <= room.head(), "a snapshot holds only what was journaled");
        let mut written = match room.partial_snapshot.take() {
            _ if from == 0 => Vec::new(),
            Some((revision, written)) if (revision, written.len()) == (snapshot.revision, from) => written,
            _ => {
                let reason = format!("a piece of a snapshot does not follow the last one: byte {from}");
                return Err(StorageError::Engine { reason });
            }
        };
        let to = snapshot.bytes.len().min(from.saturating_add(bytes_max));
        written.extend_from_slice(&snapshot.bytes[from..to]);
        if to < snapshot.bytes.len() && !is_planted(Fault::PartialSnapshotAccepted) {
            room.partial_snapshot = Some((snapshot.revision, written));
            return Ok(to);
        }
        // Stores the bytes written piece by piece, not those of the last call.
        room.snapshots.retain(|stored| stored.revision != snapshot.revision);
        room.snapshots.push(Snapshot { revision: snapshot.revision, bytes: written.into() });
        room.snapshots.sort_by_key(|snapshot| snapshot.revision);
        let newest_first: Vec<Revision> = room.snapshots.iter().rev().map(|stored| stored.revision).collect();
        let mut keep = snapshots_to_keep(&newest_first).into_iter().rev();
        room.snapshots.retain(|_| keep.next().expect("one for each"));
        Ok(snapshot.bytes.len())
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        Ok(self.room(room)?.chat_messages.values().cloned().collect())
    }

    fn put_chat_messages(&mut self, chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        for chat_message in chat_messages {
            let room = self.rooms.get_mut(&chat_message.room).filter(|room| !room.records.is_empty());
            let Some(room) = room else { continue };
            room.chat_messages.insert(chat_message.number, chat_message.bytes.clone());
            room.chat_messages = room.chat_messages.split_off(&(chat_message.forget_up_to + 1));
        }
        Ok(())
    }

    fn put_image(&mut self, room: RoomKey, image: &Image, bytes_max: u64) -> Result<ImagePut, StorageError> {
        let room = self.rooms.get_mut(&room).ok_or(StorageError::UnknownRoom { room })?;
        if room.images.contains_key(&image.id) {
            return Ok(ImagePut::Known);
        }
        let stored: u64 = room.images.values().map(|bytes| ObjectReference::length_of(bytes)).sum();
        if stored + ObjectReference::length_of(&image.bytes) > bytes_max {
            return Ok(ImagePut::TooMuch);
        }
        room.images.insert(image.id, image.bytes.clone());
        Ok(ImagePut::Stored)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        Ok(self.room(room)?.images.get(&id).cloned())
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        Ok(self.room(room)?.base)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        Ok(self.room(room)?.snapshots.iter().rev().map(|snapshot| snapshot.revision).collect())
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        let room = self.room(room)?;
        let is_kept = revision > room.base && revision <= room.head();
        Ok(is_kept.then(|| room.records[revision.0 as usize - 1].time_ms))
    }

    fn forget_before(&mut self, room: RoomKey, base: Revision) -> Result<(), StorageError> {
        let room = self.rooms.get_mut(&room).ok_or(StorageError::UnknownRoom { room })?;
        if base > room.base && room.snapshots.iter().any(|snapshot| snapshot.revision == base) {
            room.base = base;
            room.snapshots.retain(|snapshot| snapshot.revision >= base);
        }
        Ok(())
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        let Some(key) = self.keys.remove(room) else { return Ok(false) };
        let existed = self.rooms.remove(&key).is_some_and(|room| !room.records.is_empty());
        Ok(existed)
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        let mut rooms: Vec<RoomInfo> = self
            .rooms
            .values()
            .filter(|room| !room.records.is_empty())
            .map(|room| RoomInfo {
                name: room.name.clone(),
                head: room.head(),
                created_ms: room.created_ms,
                changed_ms: room.changed_ms,
            })
            .collect();
        rooms.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(rooms)
    }

    fn property(&mut self, name: &str) -> Result<Option<String>, StorageError> {
        Ok(self.properties.get(name).cloned())
    }

    fn put_property(&mut self, name: &str, value: &str) -> Result<String, StorageError> {
        Ok(self.properties.entry(name.to_owned()).or_insert_with(|| value.to_owned()).clone())
    }

    fn set_property(&mut self, name: &str, value: Option<&str>) -> Result<(), StorageError> {
        match value {
            Some(value) => _ = self.properties.insert(name.to_owned(), value.to_owned()),
            None => _ = self.properties.remove(name),
        }
        Ok(())
    }

    fn properties(&mut self, prefix: &str, count: usize) -> Result<Vec<(String, String)>, StorageError> {
        let found = self.properties.iter().filter(|(name, _)| name.starts_with(prefix)).take(count);
        Ok(found.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        let stored = self.rooms.values().flat_map(|room| {
            room.images.values().chain(room.snapshots.iter().map(|snapshot| &snapshot.bytes))
        });
        Ok(stored.filter_map(|bytes| ObjectReference::decode(bytes)).collect())
    }

    fn usage(&mut self, room: &RoomName) -> Result<Option<RoomUsage>, StorageError> {
        let Some(claim) = self.find(room)? else { return Ok(None) };
        let stored = self.room(claim.key)?;
        let kept = stored.records.iter().filter(|record| record.revision > stored.base);
        let bytes = kept.map(|record| record.bytes.len()).sum::<usize>()
            + stored.chat_messages.values().map(|message| message.len()).sum::<usize>();
        let large = stored.snapshots.iter().map(|snapshot| &snapshot.bytes).chain(stored.images.values());
        let bytes = bytes as u64 + large.map(|bytes| ObjectReference::length_of(bytes)).sum::<u64>();
        Ok(Some(RoomUsage { head: claim.head, changed_ms: stored.changed_ms, bytes }))
    }
}
