//! The people in the room, and what each session has been told about them.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{Range, SheetId};
use quadrille_protocol::{Person, ServerFrame, SessionId};

use crate::event::Moment;
use crate::limits::{
    NEARBY_PEOPLE_MAX, PEOPLE_ALL_LISTED_MAX, PRESENCE_INTERVAL_MS_MAX, PRESENCE_INTERVAL_MS_MIN,
};
use crate::people::proximity::ProximityIndex;

#[derive(Default)]
pub(crate) struct People {
    /// Everyone in the room.
    pub present: BTreeMap<SessionId, PresentPerson>,
    /// In a small room: people whose presence is to be sent to everyone.
    pub changed: BTreeSet<SessionId>,
    /// In a small room: people whose departure is to be sent to everyone.
    pub departed: BTreeSet<SessionId>,
    /// In a large room: the people each session knows of. `None` in a small room.
    pub sent: Option<BTreeMap<SessionId, SentPeople>>,
    /// In a large room: the session that was served last. Sessions are served in turn.
    pub served: SessionId,
    /// In a large room: the number of sessions to be served until everyone knows the latest
    /// changes.
    pub unserved: usize,
    pub versions: u64,
    /// Earliest time of the next presence frame.
    pub next_ms: u64,
}

pub(crate) struct PresentPerson {
    pub person: Person,
    /// Version of the last change.
    pub version: u64,
    /// The cells that the session displays, once it has reported them.
    pub view: Option<(SheetId, Range)>,
}

/// The people that one session in a large room knows of.
#[derive(Default)]
pub(crate) struct SentPeople {
    /// The version of each person that was sent.
    pub people: BTreeMap<SessionId, u64>,
    /// The total number of people that was sent.
    pub count: u64,
}

impl People {
    /// Adds a person and marks the session as changed.
    pub fn add(&mut self, moment: Moment, person: Person) {
        let session = person.session;
        self.versions += 1;
        self.present.insert(session, PresentPerson { person, version: self.versions, view: None });
        self.mark_changed(moment, session);
    }

    /// Removes the person of the session, if there is one.
    pub fn remove(&mut self, session: SessionId) {
        if self.present.remove(&session).is_none() {
            return;
        }
        self.changed.remove(&session);
        match &mut self.sent {
            Some(sent) => {
                sent.remove(&session);
                self.unserved = self.present.len();
            }
            None => drop(self.departed.insert(session)),
        }
    }

    /// Colors of all people, as `0xRRGGBB`.
    pub fn colors(&self) -> impl Iterator<Item = u32> {
        self.present.values().map(|present| present.person.color)
    }

    /// Records that the person of the session has changed, for the next presence frame.
    pub fn mark_changed(&mut self, moment: Moment, session: SessionId) {
        match self.sent {
            Some(_) => self.unserved = self.present.len(),
            None => drop(self.changed.insert(session)),
        }
        self.next_ms = self.next_ms.max(moment.monotonic_ms);
    }

    /// Monotonic time in milliseconds of the next presence frame; `None` without changes.
    pub fn next_tick_ms(&self) -> Option<u64> {
        let has_news = !self.changed.is_empty() || !self.departed.is_empty() || self.unserved > 0;
        (has_news || self.is_large() != self.sent.is_some()).then_some(self.next_ms)
    }

    /// Whether the room has more than `PEOPLE_ALL_LISTED_MAX` people, so that sessions receive
    /// nearby people only.
    pub fn is_large(&self) -> bool {
        self.present.len() > PEOPLE_ALL_LISTED_MAX
    }

    /// The interval between presence frames: a millisecond per person, up to a second, so that
    /// traffic does not grow with the square of the number of people.
    pub fn interval_ms(&self) -> u64 {
        (self.present.len() as u64).clamp(PRESENCE_INTERVAL_MS_MIN, PRESENCE_INTERVAL_MS_MAX)
    }

    /// The people a session in a large room should know of: at most [`NEARBY_PEOPLE_MAX`].
    fn nearby(&self, index: &ProximityIndex, session: SessionId) -> BTreeSet<SessionId> {
        let present = &self.present[&session];
        let selection = present.person.presence.as_ref().map(|presence| (presence.sheet, presence.selection));
        let mut nearby = match present.view.or(selection) {
            Some((sheet, view)) => index.near(sheet, view, NEARBY_PEOPLE_MAX + 1),
            // A session that has reported neither a view nor a selection gets the first ones.
            None => self.present.keys().take(NEARBY_PEOPLE_MAX + 1).copied().collect(),
        };
        nearby.remove(&session);
        while nearby.len() > NEARBY_PEOPLE_MAX {
            nearby.pop_last();
        }
        nearby
    }

    /// The frame that updates a session's list of nearby people; `None` when the list is up to
    /// date.
    pub fn update_for(&mut self, index: &ProximityIndex, session: SessionId) -> Option<ServerFrame> {
        let nearby = self.nearby(index, session);
        let count = self.present.len() as u64;
        let present = &self.present;
        let sent = self.sent.as_mut()?.entry(session).or_default();
        let departed: Vec<SessionId> =
            sent.people.keys().filter(|listed| !nearby.contains(listed)).copied().collect();
        let mut changed = Vec::new();
        for other in nearby {
            let PresentPerson { person, version, .. } = &present[&other];
            if sent.people.insert(other, *version) != Some(*version) {
                changed.push(person.clone());
            }
        }
        for other in &departed {
            sent.people.remove(other);
        }
        let is_news = !departed.is_empty() || !changed.is_empty() || sent.count != count;
        sent.count = count;
        is_news.then_some(ServerFrame::People { changed, departed, count })
    }

    /// An index of all selections, for finding the people near a view.
    pub fn proximity_index(&self) -> ProximityIndex {
        ProximityIndex::new(self.present.values().filter_map(|present| {
            let presence = present.person.presence.as_ref()?;
            Some((presence.sheet, presence.selection, present.person.session))
        }))
    }
}
