//! The rooms that this server has claimed, with the epochs that prove it.

use std::collections::BTreeMap;

use quadrille_protocol::{Revision, RoomName};

use crate::{OwnedRooms, RoomKey};

/// The number of a claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Epoch(pub i64);

/// The last known state of a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    pub revision: Revision,
    /// The last revision whose record was dropped.
    pub base: Revision,
}

/// A room that this server has claimed.
#[derive(Clone, Debug)]
pub struct ClaimedRoom {
    pub name: RoomName,
    pub epoch: Epoch,
    /// When a room without records was created, if it is copied from another storage.
    pub created_ms: Option<i64>,
    /// Whether the room has records, and therefore rows.
    pub is_written: bool,
}

/// The rooms that this server has claimed, by number.
#[derive(Default)]
pub struct ClaimedRooms {
    rooms: BTreeMap<RoomKey, ClaimedRoom>,
    keys: BTreeMap<RoomName, RoomKey>,
    /// The names, for other threads.
    names: OwnedRooms,
}

impl ClaimedRooms {
    /// Adds or replaces a room.
    pub fn insert(&mut self, key: RoomKey, room: ClaimedRoom) {
        if let Some(old) = self.keys.insert(room.name.clone(), key)
            && old != key
        {
            self.rooms.remove(&old);
        }
        self.names.insert(room.name.clone());
        self.rooms.insert(key, room);
    }

    /// Removes a room that was released or lost.
    pub fn remove(&mut self, key: RoomKey) -> Option<ClaimedRoom> {
        let room = self.rooms.remove(&key)?;
        self.keys.remove(&room.name);
        self.names.remove(&room.name);
        Some(room)
    }

    /// Returns a room.
    pub fn get(&self, key: RoomKey) -> Option<&ClaimedRoom> {
        self.rooms.get(&key)
    }

    /// Returns a room by its name, with its number.
    pub fn named(&self, name: &RoomName) -> Option<(RoomKey, &ClaimedRoom)> {
        let key = *self.keys.get(name)?;
        Some((key, self.rooms.get(&key)?))
    }

    /// Notes that a room has records.
    pub fn mark_written(&mut self, key: RoomKey) {
        if let Some(room) = self.rooms.get_mut(&key) {
            room.is_written = true;
        }
    }

    /// Returns the names, for other threads.
    pub fn names(&self) -> OwnedRooms {
        self.names.clone()
    }
}
