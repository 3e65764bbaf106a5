//! [`OwnedRooms`]: the rooms that one of several processes runs.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use quadrille_protocol::RoomName;

/// The names of the rooms that this process has claimed in a storage with several processes. Copies share
/// the state.
#[derive(Clone, Debug, Default)]
pub struct OwnedRooms {
    names: Arc<RwLock<HashSet<RoomName>>>,
}

impl OwnedRooms {
    /// Returns whether this process has claimed the room.
    pub fn contains(&self, room: &RoomName) -> bool {
        // No code panics while it holds the lock, so a poisoned value is still valid.
        self.names.read().unwrap_or_else(PoisonError::into_inner).contains(room)
    }

    /// Notes a claim.
    pub fn insert(&self, room: RoomName) {
        self.names.write().unwrap_or_else(PoisonError::into_inner).insert(room);
    }

    /// Notes the end of a claim.
    pub fn remove(&self, room: &RoomName) {
        self.names.write().unwrap_or_else(PoisonError::into_inner).remove(room);
    }
}
