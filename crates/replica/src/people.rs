//! [`People`]: the other people in the room.

use std::collections::BTreeMap;

use quadrille_protocol::{Person, SessionId};

/// The people in the room as the room last sent them. A large room lists only some; `count` is the
/// number of all.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct People {
    listed: BTreeMap<SessionId, Person>,
    count: u64,
}

impl People {
    /// Returns the listed people in the order in which they joined.
    pub fn listed(&self) -> impl Iterator<Item = &Person> {
        self.listed.values()
    }

    /// Returns the number of people in the room, including this one.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Applies a `People` frame.
    pub(crate) fn update(
        &mut self,
        own: Option<SessionId>,
        changed: Vec<Person>,
        departed: Vec<SessionId>,
        count: u64,
    ) {
        for session in departed {
            self.listed.remove(&session);
        }
        for person in changed.into_iter().filter(|person| Some(person.session) != own) {
            self.listed.insert(person.session, person);
        }
        self.count = count;
    }

    /// Removes all people, when the session ends.
    pub(crate) fn clear(&mut self) {
        *self = People::default();
    }
}
