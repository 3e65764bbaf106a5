//! [`ChangedRooms`]: rooms with new durable revisions, for what follows the journal in tasks of its own.

use std::collections::HashMap;

use quadrille_protocol::{Revision, RoomName};

/// Rooms with new durable revisions: the one before the first of them, and the last.
#[derive(Default)]
pub struct ChangedRooms(HashMap<RoomName, (Revision, Revision)>);

impl ChangedRooms {
    /// Notes that the revisions after `base` up to another are durable.
    pub fn note(&mut self, room: &RoomName, base: Revision, up_to: Revision) {
        match self.0.get_mut(room) {
            Some(known) => *known = (known.0.min(base), known.1.max(up_to)),
            None => _ = self.0.insert(room.clone(), (base, up_to)),
        }
    }

    /// Forgets a room.
    pub fn forget(&mut self, room: &RoomName) {
        self.0.remove(room);
    }
}

impl IntoIterator for ChangedRooms {
    type Item = (RoomName, (Revision, Revision));
    type IntoIter = std::collections::hash_map::IntoIter<RoomName, (Revision, Revision)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_of_a_room_are_noted_together() {
        let room = |name: &str| RoomName::new(name).expect("a name");
        let mut changed = ChangedRooms::default();
        for (name, base, up_to) in [("plan", 4, 6), ("other", 0, 1), ("plan", 6, 7), ("plan", 2, 4)] {
            changed.note(&room(name), Revision(base), Revision(up_to));
        }
        changed.forget(&room("other"));
        let noted: Vec<_> = changed.into_iter().collect();
        assert_eq!(noted, [(room("plan"), (Revision(2), Revision(7)))]);
    }
}
