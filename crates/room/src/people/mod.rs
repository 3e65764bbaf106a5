//! Who is in the room and where: the last word of each person, sent now and then, never stored.
//!
//! In a small room everyone hears of everyone, in one frame for all. In a big one each session hears of those near
//! what it looks at, at most so many, and how many there are in all; [`nearby`] finds them.

mod color;
mod proximity;

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{Range, SheetId};
use quadrille_protocol::{Person, Presence, Revision, ServerFrame, SessionId};

pub(crate) use color::free_color;

use crate::event::{Effect, FramePriority, Moment};
use crate::limits::{
    NEIGHBOURS_MAX, PEOPLE_ALL_LISTED_MAX, PRESENCE_INTERVAL_MS_MAX, PRESENCE_INTERVAL_MS_MIN,
    PRESENCE_PEOPLE_PER_FRAME,
};
use crate::people::proximity::ProximityIndex;
use crate::room::Room;

#[derive(Default)]
pub(crate) struct People {
    /// Everyone who has said hello.
    here: BTreeMap<SessionId, Here>,
    /// In a small room: whom everyone has to hear of.
    changed: BTreeSet<SessionId>,
    gone: BTreeSet<SessionId>,
    /// In a big room: what each session was told. `None` in a small one.
    told: Option<BTreeMap<SessionId, Told>>,
    /// In a big room: the session that was served last; the next comes next.
    served: SessionId,
    /// In a big room: something has changed since everyone was served; so many have to be looked at still.
    unserved: usize,
    versions: u64,
    next_ms: u64,
}

struct Here {
    person: Person,
    /// Of the last change.
    version: u64,
    /// What the session looks at, as far as it has said.
    view: Option<(SheetId, Range)>,
}

/// What a session in a big room was told.
#[derive(Default)]
struct Told {
    /// People with the version they were told in.
    people: BTreeMap<SessionId, u64>,
    count: u64,
}

impl People {
    pub fn came(&mut self, moment: Moment, person: Person) {
        let session = person.session;
        self.versions += 1;
        self.here.insert(session, Here { person, version: self.versions, view: None });
        self.note(moment, session);
    }

    pub fn went(&mut self, session: SessionId) {
        if self.here.remove(&session).is_none() {
            return;
        }
        self.changed.remove(&session);
        match &mut self.told {
            Some(told) => {
                told.remove(&session);
                self.unserved = self.here.len();
            }
            None => drop(self.gone.insert(session)),
        }
    }

    pub fn colors(&self) -> impl Iterator<Item = u32> {
        self.here.values().map(|here| here.person.color)
    }

    fn note(&mut self, moment: Moment, session: SessionId) {
        match self.told {
            Some(_) => self.unserved = self.here.len(),
            None => drop(self.changed.insert(session)),
        }
        self.next_ms = self.next_ms.max(moment.monotonic_ms);
    }

    pub fn next_tick_ms(&self) -> Option<u64> {
        let has_news = !self.changed.is_empty() || !self.gone.is_empty() || self.unserved > 0;
        (has_news || self.is_big() != self.told.is_some()).then_some(self.next_ms)
    }

    fn is_big(&self) -> bool {
        self.here.len() > PEOPLE_ALL_LISTED_MAX
    }

    /// A millisecond for every person, up to a second: what everyone hears does not grow with the square.
    fn interval_ms(&self) -> u64 {
        (self.here.len() as u64).clamp(PRESENCE_INTERVAL_MS_MIN, PRESENCE_INTERVAL_MS_MAX)
    }

    /// What a session should know of: at most [`NEIGHBOURS_MAX`].
    fn wanted(&self, places: &ProximityIndex, session: SessionId) -> BTreeSet<SessionId> {
        let here = &self.here[&session];
        let selection = here.person.presence.as_ref().map(|presence| (presence.sheet, presence.selection));
        let mut wanted = match here.view.or(selection) {
            Some((sheet, view)) => places.near(sheet, view, NEIGHBOURS_MAX + 1),
            // One who has not looked anywhere is told of the first ones.
            None => self.here.keys().take(NEIGHBOURS_MAX + 1).copied().collect(),
        };
        wanted.remove(&session);
        while wanted.len() > NEIGHBOURS_MAX {
            wanted.pop_last();
        }
        wanted
    }

    /// What brings a session's list to what it should know; nothing when it knows it.
    fn news(&mut self, places: &ProximityIndex, session: SessionId) -> Option<ServerFrame> {
        let wanted = self.wanted(places, session);
        let count = self.here.len() as u64;
        let here = &self.here;
        let told = self.told.as_mut()?.entry(session).or_default();
        let gone: Vec<SessionId> =
            told.people.keys().filter(|known| !wanted.contains(known)).copied().collect();
        let mut changed = Vec::new();
        for other in wanted {
            let Here { person, version, .. } = &here[&other];
            if told.people.insert(other, *version) != Some(*version) {
                changed.push(person.clone());
            }
        }
        for other in &gone {
            told.people.remove(other);
        }
        let is_news = !gone.is_empty() || !changed.is_empty() || told.count != count;
        told.count = count;
        is_news.then_some(ServerFrame::People { changed, gone, count })
    }

    fn places(&self) -> ProximityIndex {
        ProximityIndex::new(self.here.values().filter_map(|here| {
            let presence = here.person.presence.as_ref()?;
            Some((presence.sheet, presence.selection, here.person.session))
        }))
    }
}

impl Room {
    pub(crate) fn presence(&mut self, moment: Moment, session: SessionId, presence: Presence) {
        let Some(here) = self.people.here.get_mut(&session) else { return };
        self.people.versions += 1;
        here.version = self.people.versions;
        here.person.presence = Some(presence);
        self.people.note(moment, session);
    }

    /// The session says what it looks at.
    pub(crate) fn set_viewport(&mut self, moment: Moment, session: SessionId, sheet: SheetId, view: Range) {
        let Some(here) = self.people.here.get_mut(&session) else { return };
        here.view = Some((sheet, view));
        if self.people.told.is_some() {
            self.people.unserved = self.people.unserved.max(1);
            // Served next: it looks at something new.
            self.people.served = SessionId(session.0.saturating_sub(1));
            self.people.next_ms = self.people.next_ms.max(moment.monotonic_ms);
        }
    }

    /// Whom one who comes has to know of.
    pub(crate) fn list_people(&mut self, session: SessionId, effects: &mut Vec<Effect>) {
        if self.people.is_big() && self.people.told.is_none() {
            self.grow_big();
        }
        let frame = match &mut self.people.told {
            Some(told) => {
                told.insert(session, Told::default());
                let places = self.people.places();
                self.people.news(&places, session)
            }
            None => {
                let count = self.people.here.len() as u64;
                let changed = self.people.here.values().map(|here| here.person.clone()).collect();
                Some(ServerFrame::People { changed, gone: Vec::new(), count })
            }
        };
        effects.extend(frame.map(|frame| Effect::Send {
            session,
            frame: frame.encode().into(),
            lane: FramePriority::Presence,
        }));
    }

    pub(crate) fn report_people(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        if self.people.next_tick_ms().is_none_or(|next| next > moment.monotonic_ms) {
            return;
        }
        match (self.people.is_big(), self.people.told.is_some()) {
            (true, false) => self.grow_big(),
            (false, true) => return self.grow_small(moment, effects),
            _ => {}
        }
        match self.people.told.is_some() {
            true => self.report_each(moment, effects),
            false => self.report_all(moment, effects),
        }
    }

    /// Everyone has heard of everyone so far, except of what is to be told still: those who came or changed since may be
    /// known from before or not, so they are told anew where they are wanted, and as gone where not.
    fn grow_big(&mut self) {
        let people = &mut self.people;
        let changed = std::mem::take(&mut people.changed);
        let gone = std::mem::take(&mut people.gone);
        let version =
            |session: &SessionId, here: &Here| if changed.contains(session) { 0 } else { here.version };
        let known: BTreeMap<SessionId, u64> = (people.here.iter())
            .map(|(session, here)| (*session, version(session, here)))
            .chain(gone.into_iter().map(|session| (session, 0)))
            .collect();
        let told = |session: &SessionId| {
            let mut known = known.clone();
            known.remove(session);
            (*session, Told { people: known, count: 0 })
        };
        people.told = Some(people.here.keys().map(told).collect());
        people.unserved = people.here.len();
    }

    /// Everyone is told of everyone again, once; from then on all hear the same.
    fn grow_small(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        let told = self.people.told.take().unwrap_or_default();
        let count = self.people.here.len() as u64;
        for (session, told) in told {
            let here = &self.people.here;
            let gone = told.people.keys().filter(|known| !here.contains_key(known)).copied().collect();
            let changed = here.values().map(|here| here.person.clone()).collect();
            let frame = ServerFrame::People { changed, gone, count }.encode().into();
            effects.push(Effect::Send { session, frame, lane: FramePriority::Presence });
        }
        self.people.unserved = 0;
        self.people.next_ms = moment.monotonic_ms + self.people.interval_ms();
    }

    /// One frame for all.
    fn report_all(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        self.people.next_ms = moment.monotonic_ms + self.people.interval_ms();
        let gone: Vec<SessionId> = std::mem::take(&mut self.people.gone).into_iter().collect();
        let mut changed = Vec::new();
        while changed.len() < PRESENCE_PEOPLE_PER_FRAME
            && let Some(session) = self.people.changed.pop_first()
        {
            changed.extend(self.people.here.get(&session).map(|here| here.person.clone()));
        }
        let count = self.people.here.len() as u64;
        let frame = ServerFrame::People { changed, gone, count }.encode().into();
        effects.push(Effect::Broadcast { frame, lane: FramePriority::Presence, from: Revision(0) });
    }

    /// A frame of its own for each of the next sessions: so many that all have their turn within the interval.
    fn report_each(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        let members = self.people.here.len();
        let share =
            (members * PRESENCE_INTERVAL_MS_MIN as usize).div_ceil(self.people.interval_ms() as usize);
        let after = self.people.served;
        let later = self.people.here.range(after..).map(|(session, _)| *session);
        let from_the_start = self.people.here.keys().copied();
        let turn: Vec<SessionId> = later
            .filter(|session| *session > after)
            .chain(from_the_start)
            .take(share.min(self.people.unserved).min(members))
            .collect();
        let places = self.people.places();
        for session in &turn {
            if let Some(frame) = self.people.news(&places, *session) {
                let frame = frame.encode().into();
                effects.push(Effect::Send { session: *session, frame, lane: FramePriority::Presence });
            }
        }
        self.people.unserved -= turn.len();
        self.people.served = turn.last().copied().unwrap_or(after);
        self.people.next_ms = moment.monotonic_ms + PRESENCE_INTERVAL_MS_MIN;
    }
}
