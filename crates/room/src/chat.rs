//! What people say to each other beside the workbook: ordered by the room, stored, and told to all who listen. It has
//! no part in revisions, digests and history.
//!
//! The chat is read from storage when the first one wants to hear it. Nothing is told before it is stored.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{Operation, Transaction};
use quadrille_protocol::{
    Author, ChatFrame, ChatMessage, ChatRejectionReason, ChatRequest, Counter, ReplicaId, Revision, Role,
    SessionId,
    limits::{CHAT_MESSAGE_CHARACTERS_MAX, CHAT_MESSAGES_MAX},
};

use crate::event::{Effect, FramePriority, Moment, Token};
use crate::limits::{
    CHAT_BYTES_MAX, CHAT_MESSAGE_EVERY_MS, CHAT_MESSAGE_EVERY_MS_IN_ROOM, CHAT_MESSAGES_AT_ONCE,
    CHAT_MESSAGES_AT_ONCE_IN_ROOM, CHAT_SUBMISSIONS_WAITING_MAX,
};
use crate::queue_levels::Queue;
use crate::room::Room;

#[derive(Default)]
pub(crate) struct Chat {
    state: State,
    /// What is stored, oldest first.
    kept: VecDeque<Arc<ChatMessage>>,
    /// Of the texts and names of `kept`.
    bytes: usize,
    /// What is on its way to the disk, and who is told what became of it.
    pending: VecDeque<(Vec<Speaker>, Arc<ChatMessage>)>,
    /// Said from outside before the chat was read; at most `CHAT_SUBMISSIONS_WAITING_MAX`.
    waiting: Vec<(Token, Role, ChatSubmission)>,
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Session(SessionId),
    Request(Token),
}

/// A chat message from outside any session, as over REST.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChatSubmission {
    /// As [`ChatRequest::Say`].
    pub id: u64,
    pub name: Arc<str>,
    pub text: Arc<str>,
}

/// Why something was not said, and after how long it may be tried again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChatRejection {
    pub reason: ChatRejectionReason,
    pub wait_ms: u64,
}

/// The colour of who has no session: a grey that no person gets.
const OUTSIDE_COLOR: u32 = 0x5f_63_68;

struct Listener {
    /// Waits for what was said after this chat message.
    waits_after: Option<u64>,
    pace: Pace,
}

/// When somebody may speak again, if they have said as much at once as they may.
#[derive(Clone, Copy, Default)]
struct Pace {
    free_at_ms: u64,
}

impl Pace {
    /// 0 when it may be at once.
    fn wait_ms(self, now_ms: u64, every_ms: u64, at_once: u64) -> u64 {
        self.free_at_ms.saturating_sub(now_ms + every_ms * (at_once - 1))
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

    pub fn queues(&self) -> [Queue; 4] {
        let queue = |what, holds, limit| Queue { what, holds, limit };
        [
            queue("remarks in the chat", self.kept.len(), CHAT_MESSAGES_MAX),
            queue("bytes in the chat", self.bytes, CHAT_BYTES_MAX),
            // They are stored within a commit or two, and the room's pace bounds how many come.
            queue("remarks on their way to the disk", self.pending.len(), CHAT_MESSAGES_MAX),
            queue("remarks that wait for the chat", self.waiting.len(), CHAT_SUBMISSIONS_WAITING_MAX),
        ]
    }

    fn keep(&mut self, chat_message: Arc<ChatMessage>) {
        self.bytes += bytes_of(&chat_message);
        self.last_number = self.last_number.max(chat_message.number);
        self.kept.push_back(chat_message);
        while self.kept.len() > CHAT_MESSAGES_MAX || self.bytes > CHAT_BYTES_MAX {
            let oldest = self.kept.pop_front().expect("one remark alone is within the bounds");
            self.bytes -= bytes_of(&oldest);
            self.forgotten = oldest.number;
        }
    }

    fn answer(&self, session: SessionId, after: u64) -> Effect {
        let news = self.kept.iter().filter(|chat_message| chat_message.number > after);
        let frame = ChatFrame::ChatMessages(news.cloned().collect()).encode().into();
        // Bounded as the chat is, and asked for: it does not count against the session's queue.
        Effect::Send { session, frame, lane: FramePriority::Snapshot }
    }

    /// Why this may not be said; `None` when it may.
    fn refusal(
        &self,
        now_ms: u64,
        session: SessionId,
        role: Role,
        text: &str,
    ) -> Option<ChatRejectionReason> {
        if !role.can_comment() {
            return Some(ChatRejectionReason::Forbidden);
        }
        let listener = self.listeners.get(&session).filter(|_| self.state == State::Read);
        let Some(listener) = listener else { return Some(ChatRejectionReason::NotStored) };
        if !may_be_said(text) {
            return Some(ChatRejectionReason::BadText);
        }
        let own_wait_ms = listener.pace.wait_ms(now_ms, CHAT_MESSAGE_EVERY_MS, CHAT_MESSAGES_AT_ONCE);
        let is_too_fast =
            own_wait_ms > 0 || self.wait_ms(now_ms) > 0 || self.pending.len() >= CHAT_MESSAGES_MAX;
        is_too_fast.then_some(ChatRejectionReason::TooFast)
    }

    /// Of the whole room.
    fn wait_ms(&self, now_ms: u64) -> u64 {
        self.pace.wait_ms(now_ms, CHAT_MESSAGE_EVERY_MS_IN_ROOM, CHAT_MESSAGES_AT_ONCE_IN_ROOM)
    }

    /// As [`refusal`](Self::refusal) for who has no session.
    fn chat_refusal(&self, now_ms: u64, role: Role, text: &str) -> Option<ChatRejection> {
        let wait_ms = self.wait_ms(now_ms);
        let reason = match () {
            () if !role.can_comment() => ChatRejectionReason::Forbidden,
            () if !may_be_said(text) => ChatRejectionReason::BadText,
            () if wait_ms > 0 || self.pending.len() >= CHAT_MESSAGES_MAX => ChatRejectionReason::TooFast,
            () => return None,
        };
        Some(ChatRejection { reason, wait_ms })
    }

    fn is_known(&self, id: u64) -> bool {
        let pending = self.pending.iter().map(|(_, chat_message)| chat_message);
        self.kept.iter().chain(pending).any(|chat_message| chat_message.id == id)
            && !is_planted(Fault::ChatForgetsResends)
    }
}

fn may_be_said(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= CHAT_MESSAGE_CHARACTERS_MAX
}

fn bytes_of(chat_message: &ChatMessage) -> usize {
    chat_message.text.len() + chat_message.name.len()
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
            ChatRequest::Say { id, text } => self.send_chat_message(moment, session, id, text, effects),
        }
    }

    fn listen(&mut self, session: SessionId, after: u64, effects: &mut Vec<Effect>) {
        let chat = &mut self.chat;
        let listener =
            chat.listeners.entry(session).or_insert(Listener { waits_after: None, pace: Pace::default() });
        match chat.state {
            State::Read | State::Unreadable => effects.push(chat.answer(session, after)),
            State::Reading => {
                listener.waits_after = Some(listener.waits_after.map_or(after, |known| known.min(after)));
            }
            State::Unread => {
                listener.waits_after = Some(after);
                chat.state = State::Reading;
                effects.push(Effect::ReadChat);
            }
        }
    }

    /// The answer to `Effect::ReadChat`.
    pub(crate) fn chat_read(
        &mut self,
        moment: Moment,
        chat_messages: Option<Vec<Arc<[u8]>>>,
        effects: &mut Vec<Effect>,
    ) {
        let chat = &mut self.chat;
        chat.state = if chat_messages.is_some() { State::Read } else { State::Unreadable };
        for bytes in chat_messages.unwrap_or_default() {
            // One that cannot be read is as one that was forgotten: it is talk.
            // Of two under one identity the disk was given the second because it had said no to the first.
            let Ok(chat_message) = ChatMessage::decode(&bytes) else { continue };
            chat.last_number = chat.last_number.max(chat_message.number);
            if !chat.is_known(chat_message.id) {
                chat.keep(Arc::new(chat_message));
            }
        }
        let waiting: Vec<(SessionId, u64)> = (chat.listeners.iter_mut())
            .filter_map(|(session, listener)| Some((*session, listener.waits_after.take()?)))
            .collect();
        effects.extend(waiting.into_iter().map(|(session, after)| chat.answer(session, after)));
        for (token, role, chat) in std::mem::take(&mut self.chat.waiting) {
            self.submit_chat(moment, token, role, chat, effects);
        }
    }

    /// Submits a message from outside any session (REST) and reports when it is stored.
    pub(crate) fn submit_chat(
        &mut self,
        moment: Moment,
        token: Token,
        role: Role,
        submission: ChatSubmission,
        effects: &mut Vec<Effect>,
    ) {
        let chat = &mut self.chat;
        let refused =
            |reason, wait_ms| Effect::ChatAccepted { token, result: Err(ChatRejection { reason, wait_ms }) };
        match chat.state {
            State::Read => {}
            State::Unreadable => return effects.push(refused(ChatRejectionReason::NotStored, 0)),
            State::Reading | State::Unread if chat.waiting.len() >= CHAT_SUBMISSIONS_WAITING_MAX => {
                return effects.push(refused(ChatRejectionReason::TooFast, CHAT_MESSAGE_EVERY_MS));
            }
            State::Reading => return chat.waiting.push((token, role, submission)),
            State::Unread => {
                chat.waiting.push((token, role, submission));
                chat.state = State::Reading;
                return effects.push(Effect::ReadChat);
            }
        }
        if let Some(said) = chat.kept.iter().find(|chat_message| chat_message.id == submission.id) {
            return effects.push(Effect::ChatAccepted { token, result: Ok(said.clone()) });
        }
        if let Some((speakers, _)) =
            chat.pending.iter_mut().find(|(_, chat_message)| chat_message.id == submission.id)
        {
            return speakers.push(Speaker::Request(token));
        }
        if let Some(unsaid) = chat.chat_refusal(moment.monotonic_ms, role, &submission.text) {
            return effects.push(Effect::ChatAccepted { token, result: Err(unsaid) });
        }
        let ChatSubmission { id, name, text } = submission;
        self.put_forward(moment, Speaker::Request(token), id, (name, OUTSIDE_COLOR), text, effects);
    }

    fn send_chat_message(
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
        let pace = &mut self.chat.listeners.get_mut(&session).expect("only listeners may speak").pace;
        pace.take(now_ms, CHAT_MESSAGE_EVERY_MS);
        self.put_forward(moment, Speaker::Session(session), id, (name, color), text, effects);
    }

    /// Gives a chat message its place, and has it stored.
    fn put_forward(
        &mut self,
        moment: Moment,
        speaker: Speaker,
        id: u64,
        (name, color): (Arc<str>, u32),
        text: Arc<str>,
        effects: &mut Vec<Effect>,
    ) {
        // A room without a record has no place on the disk yet: talk makes one, as an edit does.
        if self.head == Revision(0) {
            let transaction = Transaction { operations: vec![Operation::Tick] };
            let author = Author::default();
            let placed = self.record(moment, ReplicaId::SERVER, Counter(0), author, transaction, effects);
            debug_assert!(placed.is_ok(), "a tick is always within bounds");
        }
        let chat = &mut self.chat;
        chat.pace.take(moment.monotonic_ms, CHAT_MESSAGE_EVERY_MS_IN_ROOM);
        chat.last_number += 1;
        let chat_message =
            ChatMessage { number: chat.last_number, id, time_ms: moment.unix_ms, name, color, text };
        let (number, bytes) = (chat_message.number, chat_message.encode().into());
        effects.push(Effect::Say { number, bytes, forget_up_to: chat.forgotten });
        chat.pending.push_back((vec![speaker], Arc::new(chat_message)));
        if is_planted(Fault::ChatSentEarly) {
            self.said(number, true, effects);
        }
    }

    /// The answer to `Effect::Say`.
    pub(crate) fn said(&mut self, number: u64, is_stored: bool, effects: &mut Vec<Effect>) {
        let chat = &mut self.chat;
        let Some(place) = chat.pending.iter().position(|(_, chat_message)| chat_message.number == number)
        else {
            return;
        };
        let (speakers, chat_message) = chat.pending.remove(place).expect("found above");
        let not_stored = ChatRejection { reason: ChatRejectionReason::NotStored, wait_ms: 0 };
        for speaker in speakers {
            match speaker {
                Speaker::Request(token) => {
                    let result = if is_stored { Ok(chat_message.clone()) } else { Err(not_stored) };
                    effects.push(Effect::ChatAccepted { token, result });
                }
                Speaker::Session(session) if !is_stored && chat.listeners.contains_key(&session) => {
                    effects.push(unsaid(session, chat_message.id, ChatRejectionReason::NotStored));
                }
                Speaker::Session(_) => {} // hears it with the others
            }
        }
        if !is_stored {
            return;
        }
        let frame: Arc<[u8]> = ChatFrame::ChatMessages(vec![chat_message.clone()]).encode().into();
        effects.extend(chat.listeners.keys().map(|session| Effect::Send {
            session: *session,
            frame: frame.clone(),
            lane: FramePriority::Ordered,
        }));
        chat.keep(chat_message);
    }
}

fn unsaid(session: SessionId, id: u64, reason: ChatRejectionReason) -> Effect {
    let frame = ChatFrame::ChatRejected { id, reason }.encode().into();
    Effect::Send { session, frame, lane: FramePriority::Ordered }
}
