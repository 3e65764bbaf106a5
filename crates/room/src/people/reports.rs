//! Presence frames: when they are sent and to whom.

use std::collections::BTreeMap;

use quadrille_cell::{Range, SheetId};
use quadrille_protocol::{Presence, Revision, ServerFrame, SessionId};

use crate::effect::{Effect, FramePriority};
use crate::event::Moment;
use crate::limits::{PRESENCE_INTERVAL_MS_MIN, PRESENCE_PEOPLE_PER_FRAME};
use crate::people::roster::{PresentPerson, SentPeople};
use crate::room::Room;

impl Room {
    /// Handles a session's report of its selection.
    pub(crate) fn presence(&mut self, moment: Moment, session: SessionId, presence: Presence) {
        let Some(present) = self.people.present.get_mut(&session) else { return };
        self.people.versions += 1;
        present.version = self.people.versions;
        present.person.presence = Some(presence);
        self.people.mark_changed(moment, session);
    }

    /// Handles a session's report of the cells it displays.
    pub(crate) fn set_viewport(&mut self, moment: Moment, session: SessionId, sheet: SheetId, view: Range) {
        let Some(present) = self.people.present.get_mut(&session) else { return };
        present.view = Some((sheet, view));
        if self.people.sent.is_some() {
            self.people.unserved = self.people.unserved.max(1);
            // It displays other cells now, so it is served next.
            self.people.served = SessionId(session.0.saturating_sub(1));
            self.people.next_ms = self.people.next_ms.max(moment.monotonic_ms);
        }
    }

    /// Sends a joining session the people it should know of.
    pub(crate) fn list_people(&mut self, session: SessionId, effects: &mut Vec<Effect>) {
        if self.people.is_large() && self.people.sent.is_none() {
            self.switch_to_large();
        }
        let frame = match &mut self.people.sent {
            Some(sent) => {
                sent.insert(session, SentPeople::default());
                let index = self.people.proximity_index();
                self.people.update_for(&index, session)
            }
            None => {
                let count = self.people.present.len() as u64;
                let changed = self.people.present.values().map(|present| present.person.clone()).collect();
                Some(ServerFrame::People { changed, departed: Vec::new(), count })
            }
        };
        effects.extend(frame.map(|frame| Effect::Send {
            session,
            frame: frame.encode().into(),
            priority: FramePriority::Presence,
        }));
    }

    /// Sends the presence frames that are due.
    pub(crate) fn report_people(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        if self.people.next_tick_ms().is_none_or(|next| next > moment.monotonic_ms) {
            return;
        }
        match (self.people.is_large(), self.people.sent.is_some()) {
            (true, false) => self.switch_to_large(),
            (false, true) => return self.switch_to_small(moment, effects),
            _ => {}
        }
        match self.people.sent.is_some() {
            true => self.report_nearby(moment, effects),
            false => self.report_to_all(moment, effects),
        }
    }

    /// Switches to the reports of a large room. Until now every session knew of everyone, except
    /// for the changes not sent yet: people who joined or moved since are recorded with version 0,
    /// so that they are sent again where they are near, and as departed elsewhere.
    fn switch_to_large(&mut self) {
        let people = &mut self.people;
        let changed = std::mem::take(&mut people.changed);
        let departed = std::mem::take(&mut people.departed);
        let version = |session: &SessionId, present: &PresentPerson| {
            if changed.contains(session) { 0 } else { present.version }
        };
        let listed: BTreeMap<SessionId, u64> = (people.present.iter())
            .map(|(session, present)| (*session, version(session, present)))
            .chain(departed.into_iter().map(|session| (session, 0)))
            .collect();
        let sent = |session: &SessionId| {
            let mut listed = listed.clone();
            listed.remove(session);
            (*session, SentPeople { people: listed, count: 0 })
        };
        people.sent = Some(people.present.keys().map(sent).collect());
        people.unserved = people.present.len();
    }

    /// Switches to the reports of a small room: every session gets the complete list once, and
    /// shared frames from then on.
    fn switch_to_small(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        let sent = self.people.sent.take().unwrap_or_default();
        let count = self.people.present.len() as u64;
        for (session, sent) in sent {
            let present = &self.people.present;
            let departed =
                sent.people.keys().filter(|listed| !present.contains_key(listed)).copied().collect();
            let changed = present.values().map(|present| present.person.clone()).collect();
            let frame = ServerFrame::People { changed, departed, count }.encode().into();
            effects.push(Effect::Send { session, frame, priority: FramePriority::Presence });
        }
        self.people.unserved = 0;
        self.people.next_ms = moment.monotonic_ms + self.people.interval_ms();
    }

    /// Broadcasts the changes of a small room in one frame.
    fn report_to_all(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        self.people.next_ms = moment.monotonic_ms + self.people.interval_ms();
        let departed: Vec<SessionId> = std::mem::take(&mut self.people.departed).into_iter().collect();
        let mut changed = Vec::new();
        while changed.len() < PRESENCE_PEOPLE_PER_FRAME
            && let Some(session) = self.people.changed.pop_first()
        {
            changed.extend(self.people.present.get(&session).map(|present| present.person.clone()));
        }
        let count = self.people.present.len() as u64;
        let frame = ServerFrame::People { changed, departed, count }.encode().into();
        effects.push(Effect::Broadcast { frame, priority: FramePriority::Presence, from: Revision(0) });
    }

    /// Sends the next sessions of a large room their own frames: as many sessions per turn as it
    /// takes to serve all of them within the interval.
    fn report_nearby(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        let members = self.people.present.len();
        let share =
            (members * PRESENCE_INTERVAL_MS_MIN as usize).div_ceil(self.people.interval_ms() as usize);
        let after = self.people.served;
        let later = self.people.present.range(after..).map(|(session, _)| *session);
        let from_the_start = self.people.present.keys().copied();
        let turn: Vec<SessionId> = later
            .filter(|session| *session > after)
            .chain(from_the_start)
            .take(share.min(self.people.unserved).min(members))
            .collect();
        let index = self.people.proximity_index();
        for session in &turn {
            if let Some(frame) = self.people.update_for(&index, *session) {
                let frame = frame.encode().into();
                effects.push(Effect::Send { session: *session, frame, priority: FramePriority::Presence });
            }
        }
        self.people.unserved -= turn.len();
        self.people.served = turn.last().copied().unwrap_or(after);
        self.people.next_ms = moment.monotonic_ms + PRESENCE_INTERVAL_MS_MIN;
    }
}
