//! Chat requests of sessions and of REST clients, and the answers of storage.

use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{Operation, Transaction};
use quadrille_protocol::{
    Author, ChatFrame, ChatMessage, ChatRejectionReason, ChatRequest, Counter, ReplicaId, Revision, Role,
    SessionId,
};

use super::log::{ChatState, Listener, RateLimit, Sender};
use crate::effect::{ChatRejection, Effect, FramePriority};
use crate::event::{ChatSubmission, Moment, Token};
use crate::limits::{CHAT_MESSAGE_EVERY_MS, CHAT_MESSAGE_EVERY_MS_IN_ROOM, CHAT_SUBMISSIONS_WAITING_MAX};
use crate::room::Room;

/// Color of authors without a session: a grey that no person gets.
const OUTSIDE_COLOR: u32 = 0x5f_63_68;

impl Room {
    /// Handles a chat frame of a session.
    pub(crate) fn chat(
        &mut self,
        moment: Moment,
        session: SessionId,
        request: ChatRequest,
        effects: &mut Vec<Effect>,
    ) {
        match request {
            ChatRequest::Subscribe { after } => self.listen(session, after, effects),
            ChatRequest::Send { id, text } => self.send_chat_message(moment, session, id, text, effects),
        }
    }

    fn listen(&mut self, session: SessionId, after: u64, effects: &mut Vec<Effect>) {
        let chat = &mut self.chat;
        let listener = (chat.listeners.entry(session))
            .or_insert(Listener { waits_after: None, rate: RateLimit::default() });
        match chat.state {
            ChatState::Read | ChatState::Unreadable => effects.push(chat.messages_after(session, after)),
            ChatState::Reading => {
                let earliest = listener.waits_after.map_or(after, |earlier| earlier.min(after));
                listener.waits_after = Some(earliest);
            }
            ChatState::Unread => {
                listener.waits_after = Some(after);
                chat.state = ChatState::Reading;
                effects.push(Effect::ReadChat);
            }
        }
    }

    /// Handles the answer to `Effect::ReadChat`.
    pub(crate) fn chat_read(
        &mut self,
        moment: Moment,
        chat_messages: Option<Vec<Arc<[u8]>>>,
        effects: &mut Vec<Effect>,
    ) {
        let chat = &mut self.chat;
        chat.state = if chat_messages.is_some() { ChatState::Read } else { ChatState::Unreadable };
        for bytes in chat_messages.unwrap_or_default() {
            // An unreadable message is skipped like a deleted one. Of two messages with one
            // identity, the second was stored because storing the first had been reported as
            // failed.
            let Ok(chat_message) = ChatMessage::decode(&bytes) else { continue };
            chat.last_number = chat.last_number.max(chat_message.number);
            if !chat.contains(chat_message.id) {
                chat.add(Arc::new(chat_message));
            }
        }
        let waiting: Vec<(SessionId, u64)> = (chat.listeners.iter_mut())
            .filter_map(|(session, listener)| Some((*session, listener.waits_after.take()?)))
            .collect();
        effects.extend(waiting.into_iter().map(|(session, after)| chat.messages_after(session, after)));
        for (token, role, chat) in std::mem::take(&mut self.chat.waiting) {
            self.submit_chat(moment, token, role, chat, effects);
        }
    }

    /// Submits a message from outside any session (REST). It is answered when it is stored.
    pub(crate) fn submit_chat(
        &mut self,
        moment: Moment,
        token: Token,
        role: Role,
        submission: ChatSubmission,
        effects: &mut Vec<Effect>,
    ) {
        let chat = &mut self.chat;
        let rejected =
            |reason, wait_ms| Effect::ChatAccepted { token, result: Err(ChatRejection { reason, wait_ms }) };
        match chat.state {
            ChatState::Read => {}
            ChatState::Unreadable => return effects.push(rejected(ChatRejectionReason::NotStored, 0)),
            ChatState::Reading | ChatState::Unread if chat.waiting.len() >= CHAT_SUBMISSIONS_WAITING_MAX => {
                return effects.push(rejected(ChatRejectionReason::TooFast, CHAT_MESSAGE_EVERY_MS));
            }
            ChatState::Reading => return chat.waiting.push((token, role, submission)),
            ChatState::Unread => {
                chat.waiting.push((token, role, submission));
                chat.state = ChatState::Reading;
                return effects.push(Effect::ReadChat);
            }
        }
        if let Some(stored) = chat.messages.iter().find(|chat_message| chat_message.id == submission.id) {
            return effects.push(Effect::ChatAccepted { token, result: Ok(stored.clone()) });
        }
        if let Some((senders, _)) =
            chat.pending.iter_mut().find(|(_, chat_message)| chat_message.id == submission.id)
        {
            return senders.push(Sender::Request(token));
        }
        if let Some(rejection) = chat.request_rejection(moment.monotonic_ms, role, &submission.text) {
            return effects.push(Effect::ChatAccepted { token, result: Err(rejection) });
        }
        let ChatSubmission { id, name, text } = submission;
        self.store_chat_message(moment, Sender::Request(token), id, (name, OUTSIDE_COLOR), text, effects);
    }

    fn send_chat_message(
        &mut self,
        moment: Moment,
        session: SessionId,
        id: u64,
        text: Arc<str>,
        effects: &mut Vec<Effect>,
    ) {
        if self.chat.contains(id) {
            return; // resent after a reconnection; the session gets or has got the message as a listener
        }
        let Some(connected) = self.sessions.get(&session) else { return };
        let Some(member) = connected.member.as_ref() else { return };
        let now_ms = moment.monotonic_ms;
        if let Some(reason) = self.chat.session_rejection(now_ms, session, connected.role, &text) {
            return effects.push(chat_rejected(session, id, reason));
        }
        let (name, color) = (member.author.name.clone(), member.color);
        let listener = self.chat.listeners.get_mut(&session).expect("only listeners can send");
        listener.rate.take(now_ms, CHAT_MESSAGE_EVERY_MS);
        self.store_chat_message(moment, Sender::Session(session), id, (name, color), text, effects);
    }

    /// Numbers a chat message and has it stored.
    fn store_chat_message(
        &mut self,
        moment: Moment,
        sender: Sender,
        id: u64,
        (name, color): (Arc<str>, u32),
        text: Arc<str>,
        effects: &mut Vec<Effect>,
    ) {
        // A room without a record does not exist in storage yet. A chat message creates it, as an
        // edit does.
        if self.head == Revision(0) {
            let transaction = Transaction { operations: vec![Operation::Tick] };
            let author = Author::default();
            let recorded = self.record(moment, ReplicaId::SERVER, Counter(0), author, transaction, effects);
            debug_assert!(recorded.is_ok(), "a tick is always within the limits");
        }
        let chat = &mut self.chat;
        chat.rate.take(moment.monotonic_ms, CHAT_MESSAGE_EVERY_MS_IN_ROOM);
        chat.last_number += 1;
        let chat_message =
            ChatMessage { number: chat.last_number, id, time_ms: moment.unix_ms, name, color, text };
        let (number, bytes) = (chat_message.number, chat_message.encode().into());
        effects.push(Effect::StoreChatMessage { number, bytes, forget_up_to: chat.forgotten });
        chat.pending.push_back((vec![sender], Arc::new(chat_message)));
        if is_planted(Fault::ChatSentBeforeDurable) {
            self.chat_stored(number, true, effects);
        }
    }

    /// Handles the answer to `Effect::StoreChatMessage`: sends the message to all listeners, or
    /// rejects it.
    pub(crate) fn chat_stored(&mut self, number: u64, is_stored: bool, effects: &mut Vec<Effect>) {
        let chat = &mut self.chat;
        let Some(index) = chat.pending.iter().position(|(_, chat_message)| chat_message.number == number)
        else {
            return;
        };
        let (senders, chat_message) = chat.pending.remove(index).expect("found above");
        let not_stored = ChatRejection { reason: ChatRejectionReason::NotStored, wait_ms: 0 };
        for sender in senders {
            match sender {
                Sender::Request(token) => {
                    let result = if is_stored { Ok(chat_message.clone()) } else { Err(not_stored) };
                    effects.push(Effect::ChatAccepted { token, result });
                }
                Sender::Session(session) if !is_stored && chat.listeners.contains_key(&session) => {
                    effects.push(chat_rejected(session, chat_message.id, ChatRejectionReason::NotStored));
                }
                Sender::Session(_) => {} // gets the message as a listener
            }
        }
        if !is_stored {
            return;
        }
        let frame: Arc<[u8]> = ChatFrame::ChatMessages(vec![chat_message.clone()]).encode().into();
        effects.extend(chat.listeners.keys().map(|session| Effect::Send {
            session: *session,
            frame: frame.clone(),
            priority: FramePriority::Ordered,
        }));
        chat.add(chat_message);
    }
}

fn chat_rejected(session: SessionId, id: u64, reason: ChatRejectionReason) -> Effect {
    let frame = ChatFrame::ChatRejected { id, reason }.encode().into();
    Effect::Send { session, frame, priority: FramePriority::Ordered }
}
