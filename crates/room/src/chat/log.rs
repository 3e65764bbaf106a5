//! The state of a room's chat: stored messages, messages being stored, listeners and rate limits.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::{
    ChatFrame, ChatMessage, ChatRejectionReason, Role, SessionId,
    limits::{CHAT_MESSAGE_CHARACTERS_MAX, CHAT_MESSAGES_MAX},
};

use crate::effect::{ChatRejection, Effect, FramePriority};
use crate::event::{ChatSubmission, Token};
use crate::limits::{
    CHAT_BYTES_MAX, CHAT_MESSAGE_EVERY_MS, CHAT_MESSAGE_EVERY_MS_IN_ROOM, CHAT_MESSAGES_AT_ONCE,
    CHAT_MESSAGES_AT_ONCE_IN_ROOM, CHAT_SUBMISSIONS_WAITING_MAX, QueueLevel,
};

#[derive(Default)]
pub(crate) struct ChatLog {
    pub state: ChatState,
    /// Stored messages, oldest first.
    pub messages: VecDeque<Arc<ChatMessage>>,
    /// Bytes of the texts and names of `messages`.
    bytes: usize,
    /// Messages being stored, with the senders to be answered.
    pub pending: VecDeque<(Vec<Sender>, Arc<ChatMessage>)>,
    /// Messages from outside any session that wait until the log has been read; at most
    /// `CHAT_SUBMISSIONS_WAITING_MAX`.
    pub waiting: Vec<(Token, Role, ChatSubmission)>,
    pub last_number: u64,
    /// The newest message that was dropped from the log; storage can delete up to it.
    pub forgotten: u64,
    pub listeners: BTreeMap<SessionId, Listener>,
    /// Rate limit of the whole room.
    pub rate: RateLimit,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ChatState {
    #[default]
    Unread,
    Reading,
    Read,
    /// Storage could not read the log: it looks empty, and no message can be sent.
    Unreadable,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    Session(SessionId),
    Request(Token),
}

pub(crate) struct Listener {
    /// Waits, until the log has been read, for the messages after this one.
    pub waits_after: Option<u64>,
    pub rate: RateLimit,
}

/// A generic cell rate algorithm: messages are allowed in bursts, then at an interval.
#[derive(Clone, Copy, Default)]
pub(crate) struct RateLimit {
    /// When the burst is available again in full.
    free_at_ms: u64,
}

impl RateLimit {
    /// Milliseconds until the next message is allowed; 0 when it is allowed now.
    pub fn wait_ms(self, now_ms: u64, every_ms: u64, burst: u64) -> u64 {
        self.free_at_ms.saturating_sub(now_ms + every_ms * (burst - 1))
    }

    /// Counts a message.
    pub fn take(&mut self, now_ms: u64, every_ms: u64) {
        self.free_at_ms = self.free_at_ms.max(now_ms) + every_ms;
    }
}

impl ChatLog {
    /// Removes the session from the listeners.
    pub fn remove_session(&mut self, session: SessionId) {
        self.listeners.remove(&session);
    }

    /// Whether storage is reading the log or storing a message.
    pub fn is_waiting(&self) -> bool {
        self.state == ChatState::Reading || !self.pending.is_empty()
    }

    /// Lengths and limits of the queues of the log, for `Room::queue_levels`.
    pub fn queue_levels(&self) -> [QueueLevel; 4] {
        let level = |name, length, limit| QueueLevel { name, length, limit };
        [
            level("chat messages", self.messages.len(), CHAT_MESSAGES_MAX),
            level("bytes of chat messages", self.bytes, CHAT_BYTES_MAX),
            // Each is stored within a commit or two, and the room's rate limit bounds how many
            // arrive.
            level("chat messages being stored", self.pending.len(), CHAT_MESSAGES_MAX),
            level("chat messages waiting for the log", self.waiting.len(), CHAT_SUBMISSIONS_WAITING_MAX),
        ]
    }

    /// Adds a stored message and drops the oldest ones beyond the limits.
    pub fn add(&mut self, chat_message: Arc<ChatMessage>) {
        self.bytes += bytes_of(&chat_message);
        self.last_number = self.last_number.max(chat_message.number);
        self.messages.push_back(chat_message);
        while self.messages.len() > CHAT_MESSAGES_MAX || self.bytes > CHAT_BYTES_MAX {
            let oldest = self.messages.pop_front().expect("a single message is within the limits");
            self.bytes -= bytes_of(&oldest);
            self.forgotten = oldest.number;
        }
    }

    /// The messages after a number, for one session.
    pub fn messages_after(&self, session: SessionId, after: u64) -> Effect {
        let newer = self.messages.iter().filter(|chat_message| chat_message.number > after);
        let frame = ChatFrame::ChatMessages(newer.cloned().collect()).encode().into();
        // Requested by the client and bounded like the log: it does not count against the session's
        // queue.
        Effect::Send { session, frame, priority: FramePriority::Snapshot }
    }

    /// The reason for rejecting a message of a session; `None` when it is accepted.
    pub fn session_rejection(
        &self,
        now_ms: u64,
        session: SessionId,
        role: Role,
        text: &str,
    ) -> Option<ChatRejectionReason> {
        if !role.can_comment() {
            return Some(ChatRejectionReason::Forbidden);
        }
        let listener = self.listeners.get(&session).filter(|_| self.state == ChatState::Read);
        let Some(listener) = listener else { return Some(ChatRejectionReason::NotStored) };
        if !is_valid_text(text) {
            return Some(ChatRejectionReason::BadText);
        }
        let own_wait_ms = listener.rate.wait_ms(now_ms, CHAT_MESSAGE_EVERY_MS, CHAT_MESSAGES_AT_ONCE);
        let is_too_fast =
            own_wait_ms > 0 || self.room_wait_ms(now_ms) > 0 || self.pending.len() >= CHAT_MESSAGES_MAX;
        is_too_fast.then_some(ChatRejectionReason::TooFast)
    }

    /// The reason for rejecting a message from outside any session; `None` when it is accepted.
    pub fn request_rejection(&self, now_ms: u64, role: Role, text: &str) -> Option<ChatRejection> {
        let wait_ms = self.room_wait_ms(now_ms);
        let reason = match () {
            () if !role.can_comment() => ChatRejectionReason::Forbidden,
            () if !is_valid_text(text) => ChatRejectionReason::BadText,
            () if wait_ms > 0 || self.pending.len() >= CHAT_MESSAGES_MAX => ChatRejectionReason::TooFast,
            () => return None,
        };
        Some(ChatRejection { reason, wait_ms })
    }

    fn room_wait_ms(&self, now_ms: u64) -> u64 {
        self.rate.wait_ms(now_ms, CHAT_MESSAGE_EVERY_MS_IN_ROOM, CHAT_MESSAGES_AT_ONCE_IN_ROOM)
    }

    /// Whether a message with this identity is stored or being stored.
    pub fn contains(&self, id: u64) -> bool {
        let pending = self.pending.iter().map(|(_, chat_message)| chat_message);
        self.messages.iter().chain(pending).any(|chat_message| chat_message.id == id)
            && !is_planted(Fault::ChatResendsDuplicated)
    }
}

fn is_valid_text(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= CHAT_MESSAGE_CHARACTERS_MAX
}

fn bytes_of(chat_message: &ChatMessage) -> usize {
    chat_message.text.len() + chat_message.name.len()
}
