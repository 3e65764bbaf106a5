//! Who else is in the room.

use std::collections::BTreeMap;

use quadrille_protocol::{Person, SessionId};

/// The others as last heard of. In a big room not everyone is listed; `count` is everyone.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct People {
    listed: BTreeMap<SessionId, Person>,
    count: u64,
}

impl People {
    /// In the order in which they came.
    pub fn listed(&self) -> impl Iterator<Item = &Person> {
        self.listed.values()
    }

    /// Everyone in the room, oneself included.
    pub fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn update(
        &mut self,
        own: Option<SessionId>,
        changed: Vec<Person>,
        gone: Vec<SessionId>,
        count: u64,
    ) {
        for session in gone {
            self.listed.remove(&session);
        }
        for person in changed.into_iter().filter(|person| Some(person.session) != own) {
            self.listed.insert(person.session, person);
        }
        self.count = count;
    }

    pub(crate) fn clear(&mut self) {
        *self = People::default();
    }
}
