//! What people say to each other beside the workbook: ordered by the room, stored, and told to all who listen. It has
//! no part in revisions, digests and history.
//!
//! The chat is read from storage when the first one wants to hear it. Nothing is told before it is stored.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quadrille_operation::{Operation, Transaction};
use quadrille_protocol::{
    Author, ChatFrame, ChatRequest, Counter, Remark, ReplicaId, Revision, Role, SessionId, UnsaidReason,
    limits::{REMARK_CHARACTERS_MAX, REMARKS_MAX},
};

use crate::event::{Effect, Lane, Moment};
use crate::limits::{
    CHAT_BYTES_MAX, REMARK_EVERY_MS, REMARK_EVERY_MS_IN_ROOM, REMARKS_AT_ONCE, REMARKS_AT_ONCE_IN_ROOM,
};
use crate::room::Room;

#[derive(Default)]
pub(crate) struct Chat {
    state: State,
    /// What is stored, oldest first.
    kept: VecDeque<Arc<Remark>>,
    /// Of the texts and names of `kept`.
    bytes: usize,
    /// What is on its way to the disk, and who said it.
    pending: VecDeque<(SessionId, Arc<Remark>)>,
    last_number: u64,
    /// The newest of those that are no longer kept.
    forgotten: u64,
    listeners: BTreeMap<SessionId, Listener>,
    pace: Pace,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Unread,
    Reading,
    Read,
    /// Storage does not give it: nothing is heard, and nothing can be said.
    Unreadable,
}

struct Listener {
    /// Waits for what was said after this remark.
    waits_after: Option<u64>,
    pace: Pace,
}

/// When somebody may speak again, if they have said as much at once as they may.
#[derive(Clone, Copy, Default)]
struct Pace {
    free_at_ms: u64,
}

impl Pace {
    fn is_free(self, now_ms: u64, every_ms: u64, at_once: u64) -> bool {
        self.free_at_ms <= now_ms + every_ms * (at_once - 1)
    }

    fn take(&mut self, now_ms: u64, every_ms: u64) {
        self.free_at_ms = self.free_at_ms.max(now_ms) + every_ms;
    }
}

impl Chat {
    pub fn went(&mut self, session: SessionId) {
        self.listeners.remove(&session);
    }

    /// Whether something is still on its way.
    pub fn is_waiting(&self) -> bool {
        self.state == State::Reading || !self.pending.is_empty()
    }

    fn keep(&mut self, remark: Arc<Remark>) {
        self.bytes += bytes_of(&remark);
        self.last_number = self.last_number.max(remark.number);
        self.kept.push_back(remark);
        while self.kept.len() > REMARKS_MAX || self.bytes > CHAT_BYTES_MAX {
            let oldest = self.kept.pop_front().expect("one remark alone is within the bounds");
            self.bytes -= bytes_of(&oldest);
            self.forgotten = oldest.number;
        }
    }

    fn answer(&self, session: SessionId, after: u64) -> Effect {
        let news = self.kept.iter().filter(|remark| remark.number > after);
        let frame = ChatFrame::Remarks(news.cloned().collect()).encode().into();
        // Bounded as the chat is, and asked for: it does not count against the session's queue.
        Effect::Send { session, frame, lane: Lane::Snapshot }
    }

    /// Why this may not be said; `None` when it may.
    fn refusal(&self, now_ms: u64, session: SessionId, role: Role, text: &str) -> Option<UnsaidReason> {
        if !role.may_comment() {
            return Some(UnsaidReason::Forbidden);
        }
        let listener = self.listeners.get(&session).filter(|_| self.state == State::Read);
        let Some(listener) = listener else { return Some(UnsaidReason::NotStored) };
        if text.trim().is_empty() || text.chars().count() > REMARK_CHARACTERS_MAX {
            return Some(UnsaidReason::BadText);
        }
        let is_free = listener.pace.is_free(now_ms, REMARK_EVERY_MS, REMARKS_AT_ONCE)
            && self.pace.is_free(now_ms, REMARK_EVERY_MS_IN_ROOM, REMARKS_AT_ONCE_IN_ROOM);
        (!is_free).then_some(UnsaidReason::TooFast)
    }

    fn is_known(&self, id: u64) -> bool {
        let pending = self.pending.iter().map(|(_, remark)| remark);
        self.kept.iter().chain(pending).any(|remark| remark.id == id)
    }
}

fn bytes_of(remark: &Remark) -> usize {
    remark.text.len() + remark.name.len()
}

impl Room {
    pub(crate) fn chat(
        &mut self,
        moment: Moment,
        session: SessionId,
        request: ChatRequest,
        effects: &mut Vec<Effect>,
    ) {
        match request {
            ChatRequest::Listen { after } => self.listen(session, after, effects),
            ChatRequest::Say { id, text } => self.say(moment, session, id, text, effects),
        }
    }

    fn listen(&mut self, session: SessionId, after: u64, effects: &mut Vec<Effect>) {
        let chat = &mut self.chat;
        let listener =
            chat.listeners.entry(session).or_insert(Listener { waits_after: None, pace: Pace::default() });
        match chat.state {
            State::Read | State::Unreadable => effects.push(chat.answer(session, after)),
            State::Reading => listener.waits_after = Some(after),
            State::Unread => {
                listener.waits_after = Some(after);
                chat.state = State::Reading;
                effects.push(Effect::ReadChat);
            }
        }
    }

    /// The answer to `Effect::ReadChat`.
    pub(crate) fn chat_read(&mut self, remarks: Option<Vec<Arc<[u8]>>>, effects: &mut Vec<Effect>) {
        let chat = &mut self.chat;
        chat.state = if remarks.is_some() { State::Read } else { State::Unreadable };
        for bytes in remarks.unwrap_or_default() {
            // One that cannot be read is as one that was forgotten: it is talk.
            if let Ok(remark) = Remark::decode(&bytes) {
                chat.keep(Arc::new(remark));
            }
        }
        let waiting: Vec<(SessionId, u64)> = (chat.listeners.iter_mut())
            .filter_map(|(session, listener)| Some((*session, listener.waits_after.take()?)))
            .collect();
        effects.extend(waiting.into_iter().map(|(session, after)| chat.answer(session, after)));
    }

    fn say(
        &mut self,
        moment: Moment,
        session: SessionId,
        id: u64,
        text: Arc<str>,
        effects: &mut Vec<Effect>,
    ) {
        if self.chat.is_known(id) {
            return; // said again after a reconnection; it is told, or was
        }
        let Some(known) = self.sessions.get(&session) else { return };
        let Some(member) = known.member.as_ref() else { return };
        let now_ms = moment.monotonic_ms;
        if let Some(reason) = self.chat.refusal(now_ms, session, known.role, &text) {
            return effects.push(unsaid(session, id, reason));
        }
        let (name, color) = (member.author.name.clone(), member.color);
        // A room without a record has no place on the disk yet: talk makes one, as an edit does.
        if self.head == Revision(0) {
            let transaction = Transaction { operations: vec![Operation::Tick] };
            let author = Author::default();
            let placed = self.record(moment, ReplicaId::SERVER, Counter(0), author, transaction, effects);
            debug_assert!(placed.is_ok(), "a tick is always within bounds");
        }
        let chat = &mut self.chat;
        chat.pace.take(now_ms, REMARK_EVERY_MS_IN_ROOM);
        chat.listeners
            .get_mut(&session)
            .expect("only listeners may speak")
            .pace
            .take(now_ms, REMARK_EVERY_MS);
        chat.last_number += 1;
        let remark = Remark { number: chat.last_number, id, time_ms: moment.unix_ms, name, color, text };
        let (number, bytes) = (remark.number, remark.encode().into());
        effects.push(Effect::Say { number, bytes, forget_up_to: chat.forgotten });
        chat.pending.push_back((session, Arc::new(remark)));
    }

    /// The answer to `Effect::Say`.
    pub(crate) fn said(&mut self, number: u64, is_stored: bool, effects: &mut Vec<Effect>) {
        let chat = &mut self.chat;
        let Some(place) = chat.pending.iter().position(|(_, remark)| remark.number == number) else { return };
        let (session, remark) = chat.pending.remove(place).expect("found above");
        if !is_stored {
            if chat.listeners.contains_key(&session) {
                effects.push(unsaid(session, remark.id, UnsaidReason::NotStored));
            }
            return;
        }
        let frame: Arc<[u8]> = ChatFrame::Remarks(vec![remark.clone()]).encode().into();
        effects.extend(chat.listeners.keys().map(|session| Effect::Send {
            session: *session,
            frame: frame.clone(),
            lane: Lane::Ordered,
        }));
        chat.keep(remark);
    }
}

fn unsaid(session: SessionId, id: u64, reason: UnsaidReason) -> Effect {
    let frame = ChatFrame::Unsaid { id, reason }.encode().into();
    Effect::Send { session, frame, lane: Lane::Ordered }
}
