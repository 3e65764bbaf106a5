//! Who is in the room and where: the last word of each person, sent together now and then, never stored.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_protocol::{Person, Presence, Revision, ServerFrame, SessionId, limits::PEOPLE_MAX};

use crate::event::{Effect, Lane, Moment};
use crate::limits::{PRESENCE_INTERVAL_MS_MAX, PRESENCE_INTERVAL_MS_MIN, PRESENCE_PEOPLE_PER_FRAME};
use crate::room::Room;

#[derive(Default)]
pub(crate) struct People {
    /// Everyone who has said hello.
    here: BTreeMap<SessionId, Person>,
    changed: BTreeSet<SessionId>,
    gone: BTreeSet<SessionId>,
    next_ms: u64,
}

impl People {
    pub fn came(&mut self, moment: Moment, person: Person) {
        self.changed.insert(person.session);
        self.here.insert(person.session, person);
        self.next_ms = self.next_ms.max(moment.monotonic_ms);
    }

    pub fn went(&mut self, session: SessionId) {
        if self.here.remove(&session).is_some() {
            self.changed.remove(&session);
            self.gone.insert(session);
        }
    }

    pub fn next_tick_ms(&self) -> Option<u64> {
        (!self.changed.is_empty() || !self.gone.is_empty()).then_some(self.next_ms)
    }

    /// A millisecond for every person: what everyone hears of everyone does not grow with the square.
    fn interval_ms(&self) -> u64 {
        (self.here.len() as u64).clamp(PRESENCE_INTERVAL_MS_MIN, PRESENCE_INTERVAL_MS_MAX)
    }
}

impl Room {
    pub(crate) fn presence(&mut self, moment: Moment, session: SessionId, presence: Presence) {
        let Some(person) = self.people.here.get_mut(&session) else { return };
        person.presence = Some(presence);
        self.people.changed.insert(session);
        self.people.next_ms = self.people.next_ms.max(moment.monotonic_ms);
    }

    /// Everyone who is there, up to the bound, for one who comes.
    pub(crate) fn list_people(&mut self, session: SessionId, effects: &mut Vec<Effect>) {
        let count = self.people.here.len() as u64;
        let changed = self.people.here.values().take(PEOPLE_MAX).cloned().collect();
        let frame = ServerFrame::People { changed, gone: Vec::new(), count }.encode().into();
        effects.push(Effect::Send { session, frame, lane: Lane::Presence });
    }

    pub(crate) fn tell_people(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        if self.people.next_tick_ms().is_none_or(|next| next > moment.monotonic_ms) {
            return;
        }
        self.people.next_ms = moment.monotonic_ms + self.people.interval_ms();
        let gone: Vec<SessionId> = std::mem::take(&mut self.people.gone).into_iter().collect();
        let mut changed = Vec::new();
        while changed.len() < PRESENCE_PEOPLE_PER_FRAME
            && let Some(session) = self.people.changed.pop_first()
        {
            changed.extend(self.people.here.get(&session).cloned());
        }
        let count = self.people.here.len() as u64;
        let frame = ServerFrame::People { changed, gone, count }.encode().into();
        effects.push(Effect::Broadcast { frame, lane: Lane::Presence, from: Revision(0) });
    }
}

/// Colours that can be told apart on white and on dark.
const COLORS: [u32; 12] = [
    0xd6336c, 0x1c7ed6, 0x2f9e44, 0xe8590c, 0x7048e8, 0x0c8599, 0xc2255c, 0x1864ab, 0x5c940d, 0xa61e4d,
    0x862e9c, 0x087f5b,
];

pub(crate) fn color(session: SessionId) -> u32 {
    COLORS[(session.0 % COLORS.len() as u64) as usize]
}
