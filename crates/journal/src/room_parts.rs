//! [`RoomParts`]: which rooms are in which part of a storage that consists of several.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use quadrille_protocol::RoomName;

use crate::availability::Availability;
use crate::room_key::RoomKey;

/// The parts of a storage that consists of several, and the rooms in them as far as this process knows. Copies share
/// the state.
#[derive(Clone, Debug)]
pub struct RoomParts {
    rooms: Arc<RwLock<Rooms>>,
    availability: Arc<[Availability]>,
}

#[derive(Debug, Default)]
struct Rooms {
    parts: HashMap<RoomKey, usize>,
    /// The rooms that this process has claimed.
    claimed: HashMap<RoomName, RoomKey>,
    claimed_names: HashMap<RoomKey, RoomName>,
}

impl RoomParts {
    /// Creates the state of a storage with these parts. The first one is needed to open a room of any part.
    pub fn new(availability: Vec<Availability>) -> RoomParts {
        RoomParts { rooms: Arc::default(), availability: availability.into() }
    }

    /// Returns the number of parts.
    pub fn count(&self) -> usize {
        self.availability.len()
    }

    /// Returns the part of a room that was found or claimed.
    pub fn part_of(&self, room: RoomKey) -> Option<usize> {
        self.read().parts.get(&room).copied()
    }

    /// Returns the number and the part of a room that this process has claimed.
    pub fn claimed(&self, room: &RoomName) -> Option<(RoomKey, usize)> {
        let rooms = self.read();
        let key = *rooms.claimed.get(room)?;
        Some((key, *rooms.parts.get(&key)?))
    }

    /// Notes the part of a room.
    pub fn set(&self, room: RoomKey, part: usize) {
        self.write().parts.insert(room, part);
    }

    /// Notes a claim of a room in a part.
    pub fn set_claimed(&self, name: &RoomName, room: RoomKey, part: usize) {
        let mut rooms = self.write();
        rooms.parts.insert(room, part);
        if let Some(old) = rooms.claimed.insert(name.clone(), room) {
            rooms.claimed_names.remove(&old);
        }
        rooms.claimed_names.insert(room, name.clone());
    }

    /// Forgets the claim of a room. Returns its name if it was claimed.
    pub fn forget_claim(&self, room: RoomKey) -> Option<RoomName> {
        let mut rooms = self.write();
        let name = rooms.claimed_names.remove(&room)?;
        rooms.claimed.remove(&name);
        Some(name)
    }

    /// Forgets the part of a room that was deleted.
    pub fn forget(&self, room: RoomKey) {
        self.write().parts.remove(&room);
    }

    /// Returns whether a part is known to be away: changes of its rooms wait.
    pub fn is_away(&self, part: usize) -> bool {
        self.availability.get(part).is_some_and(Availability::is_away)
    }

    /// Returns how many parts are known to be away.
    pub fn count_away(&self) -> usize {
        self.availability.iter().filter(|part| part.is_away()).count()
    }

    fn read(&self) -> RwLockReadGuard<'_, Rooms> {
        // No code panics while it holds the lock, so a poisoned value is still valid.
        self.rooms.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Rooms> {
        self.rooms.write().unwrap_or_else(PoisonError::into_inner)
    }
}
