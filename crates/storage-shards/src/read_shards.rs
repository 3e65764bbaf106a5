//! [`ReadShards`]: several storages as one that is only read, as of one moment, for backups and copies.

use std::collections::HashMap;
use std::sync::Arc;

use quadrille_journal::{
    Append, Claim, ImageId, Loaded, ObjectReference, Outcome, RoomInfo, RoomKey, RoomUsage, Snapshot,
    Storage, StorageError, StoredRecord,
};
use quadrille_protocol::{Revision, RoomName};

use crate::cluster::{self, refused};
use crate::placement::Placement;
use crate::storage::PLACE;

/// A storage that is owned, or borrowed.
pub trait ShardRead: Send {
    /// The storage.
    fn storage(&mut self) -> &mut dyn Storage;
}

impl ShardRead for Box<dyn Storage> {
    fn storage(&mut self) -> &mut dyn Storage {
        &mut **self
    }
}

impl ShardRead for &mut (dyn Storage + '_) {
    fn storage(&mut self) -> &mut dyn Storage {
        &mut **self
    }
}

/// Several storages that do not change.
pub struct ReadShards<S> {
    shards: Vec<S>,
    placement: Placement,
    /// The shards of moved rooms (H3).
    entries: HashMap<RoomName, usize>,
    places: HashMap<RoomKey, usize>,
}

/// Returns the entries of moved rooms, with the identities of their shards. No room is moved between two readings that
/// are equal.
///
/// # Errors
/// Those of the storage.
pub fn moved_rooms(first: &mut dyn Storage) -> Result<Vec<(String, String)>, StorageError> {
    first.properties(PLACE, usize::MAX)
}

impl<S: ShardRead> ReadShards<S> {
    /// Combines storages, each with what people call it.
    ///
    /// # Errors
    /// `Engine` when they are not all of one cluster (H1).
    pub fn new(mut list: Vec<(String, S)>) -> Result<ReadShards<S>, StorageError> {
        let mut reading: Vec<(&str, &mut dyn Storage)> =
            list.iter_mut().map(|(address, shard)| (&**address, shard.storage())).collect();
        let members = cluster::read_members(&mut reading)?;
        let (_, first) = reading.swap_remove(0);
        let mut entries = HashMap::new();
        for (name, id) in moved_rooms(first)? {
            let Ok(room) = RoomName::new(&name[PLACE.len()..]) else { continue };
            let found = members.iter().find(|(member, _)| *member == id);
            let (_, shard) =
                found.ok_or_else(|| refused(format!("the room {room} is in an unknown database: {id}")))?;
            entries.insert(room, *shard);
        }
        let shards = list.into_iter().map(|(_, shard)| shard).collect();
        Ok(ReadShards { shards, placement: Placement::new(members), entries, places: HashMap::new() })
    }

    fn find_in(&mut self, room: &RoomName) -> Result<Option<(usize, Claim)>, StorageError> {
        let candidates = match self.entries.get(room) {
            Some(shard) => vec![*shard],
            None => self.placement.candidates(room),
        };
        for shard in candidates {
            if let Some(claim) = self.shards[shard].storage().find(room)? {
                self.places.insert(claim.key, shard);
                return Ok(Some((shard, claim)));
            }
        }
        Ok(None)
    }

    /// The shard of a room that was found.
    fn of(&mut self, room: RoomKey) -> Result<&mut dyn Storage, StorageError> {
        let shard = *self.places.get(&room).ok_or(StorageError::UnknownRoom { room })?;
        Ok(self.shards[shard].storage())
    }
}

fn read_only<T>() -> Result<T, StorageError> {
    Err(refused("the databases are only read".into()))
}

impl<S: ShardRead> Storage for ReadShards<S> {
    fn claim(&mut self, _room: &RoomName) -> Result<Claim, StorageError> {
        read_only()
    }

    fn append(&mut self, _batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        read_only()
    }

    fn delete(&mut self, _room: &RoomName) -> Result<bool, StorageError> {
        read_only()
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

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        Ok(self.find_in(room)?.map(|(_, claim)| claim))
    }

    fn info(&mut self, room: &RoomName) -> Result<Option<RoomInfo>, StorageError> {
        match self.find_in(room)? {
            Some((shard, _)) => self.shards[shard].storage().info(room),
            None => Ok(None),
        }
    }

    fn usage(&mut self, room: &RoomName) -> Result<Option<RoomUsage>, StorageError> {
        match self.find_in(room)? {
            Some((shard, _)) => self.shards[shard].storage().usage(room),
            None => Ok(None),
        }
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.rooms_after(None, usize::MAX)
    }

    /// Pages are complete up to their last name: copies of rooms that are being moved are left out of the sum of all.
    fn rooms_after(&mut self, after: Option<&RoomName>, count: usize) -> Result<Vec<RoomInfo>, StorageError> {
        let mut after = after.cloned();
        loop {
            let mut all: Vec<(RoomInfo, usize)> = Vec::new();
            for (index, shard) in self.shards.iter_mut().enumerate() {
                let page = shard.storage().rooms_after(after.as_ref(), count)?;
                all.extend(page.into_iter().map(|info| (info, index)));
            }
            all.sort_by(|a, b| a.0.name.cmp(&b.0.name));
            all.truncate(count);
            let Some(last) = all.last().map(|(info, _)| info.name.clone()) else { return Ok(Vec::new()) };
            let is_there = |(info, index): &(RoomInfo, usize)| {
                self.entries.get(&info.name).is_none_or(|entry| entry == index)
            };
            let rooms: Vec<RoomInfo> = all.into_iter().filter(is_there).map(|(info, _)| info).collect();
            if !rooms.is_empty() {
                return Ok(rooms);
            }
            after = Some(last);
        }
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        self.of(room)?.load(room)
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        self.of(room)?.tail(room, after, bytes_max)
    }

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        self.of(room)?.snapshot_before(room, revision)
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        self.of(room)?.base(room)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.of(room)?.snapshot_revisions(room)
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        self.of(room)?.time_of(room, revision)
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        self.of(room)?.chat_messages(room)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        self.of(room)?.image(room, id)
    }

    fn image_ids(&mut self, room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
        self.of(room)?.image_ids(room)
    }

    fn property(&mut self, name: &str) -> Result<Option<String>, StorageError> {
        self.shards[0].storage().property(name)
    }

    fn properties(&mut self, prefix: &str, count: usize) -> Result<Vec<(String, String)>, StorageError> {
        self.shards[0].storage().properties(prefix, count)
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        let mut all = Vec::new();
        for shard in &mut self.shards {
            all.append(&mut shard.storage().object_references()?);
        }
        Ok(all)
    }

    fn last_key(&mut self) -> Result<RoomKey, StorageError> {
        Ok(self.last_keys()?.into_iter().max().unwrap_or(RoomKey(0)))
    }

    fn last_keys(&mut self) -> Result<Vec<RoomKey>, StorageError> {
        self.shards.iter_mut().map(|shard| shard.storage().last_key()).collect()
    }
}
