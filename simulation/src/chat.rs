//! The chat of a run: clients that send and receive messages, the disk that stores them, and the
//! guarantees of the chat (J8, P23, P24; decision 0011).

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_journal::{Storage, StoredChatMessage};
use quadrille_protocol::{ChatFrame, ChatMessage, ChatRejectionReason, ChatRequest, ClientFrame, Role};
use quadrille_replica::Status;
use quadrille_room as room;
use quadrille_room::{ChatSubmission, Token};

use crate::random::Random;
use crate::world::{ChatClient, Failure, ScheduledEvent, World};

/// Delay after which a client resends a rejected chat message.
const CHAT_RESEND_MS: u64 = 700;

impl World {
    /// Whether the plan has chat messages; without them no client subscribes to the chat.
    pub(crate) fn has_chat(&self) -> bool {
        self.plan.actions.iter().any(|action| matches!(action.kind, crate::ActionKind::SendChat { .. }))
    }

    fn chat_delay(&mut self) -> u64 {
        self.chat.delays_drawn += 1;
        Random::stream(self.plan.seed, 9, self.chat.delays_drawn)
            .between(self.plan.disk_ms.0, self.plan.disk_ms.1)
    }

    /// Sends `chat_messages` messages from a client; in one of four cases the first one is sent
    /// through REST.
    pub(crate) fn send_chat_messages(
        &mut self,
        client: usize,
        seed: u64,
        chat_messages: u32,
    ) -> Result<(), Failure> {
        let mut random = Random::new(seed);
        for number in 0..chat_messages {
            self.report.count("chat messages sent");
            let id = random.next();
            let text: Arc<str> = format!("posted {number} of {seed}").into();
            if number == 0 && random.one_in(4) {
                self.request_chat(id, text)?;
            } else if self.clients[client].replica.status() != Status::Loading {
                self.clients[client].chat.unconfirmed.insert(id, text.clone());
                self.send_chat_message(client, id, text);
            }
        }
        Ok(())
    }

    fn request_chat(&mut self, id: u64, text: Arc<str>) -> Result<(), Failure> {
        if !self.server_is_up {
            return Ok(());
        }
        self.open_room()?;
        let chat = ChatSubmission { id, name: "REST".into(), text };
        self.room_event(room::Event::Chat { token: Token(id), role: Role::Edit, chat })
    }

    fn send_chat_message(&mut self, client: usize, id: u64, text: Arc<str>) {
        let chat = &self.clients[client].chat;
        if let Some(connection) = chat.subscribed_on.filter(|_| chat.is_subscribed)
            && self.clients[client].connection == Some(connection)
        {
            let frame = ClientFrame::Chat(ChatRequest::Send { id, text });
            self.send_to_server(connection, frame.encode());
        }
    }

    /// Subscribes a client to the chat once its workbook is loaded.
    pub(crate) fn subscribe_to_chat(&mut self, client: usize) {
        let connection = self.clients[client].connection;
        let is_loading = self.clients[client].replica.status() == Status::Loading;
        let chat = &mut self.clients[client].chat;
        if let Some(id) = connection.filter(|id| !is_loading && chat.subscribed_on != Some(*id)) {
            (chat.subscribed_on, chat.is_subscribed) = (Some(id), false);
            let after = chat.received.last().copied().unwrap_or(0);
            self.send_to_server(id, ClientFrame::Chat(ChatRequest::Subscribe { after }).encode());
        }
    }

    /// Handles a chat frame that reaches a client.
    pub(crate) fn receive_chat(
        &mut self,
        client: usize,
        connection: u64,
        frame: ChatFrame,
    ) -> Result<(), Failure> {
        match frame {
            ChatFrame::ChatMessages(chat_messages) => {
                for chat_message in chat_messages {
                    self.check_delivered_chat_is_stored(&chat_message)?;
                    self.report.count("chat messages received");
                    let chat = &mut self.clients[client].chat;
                    chat.unconfirmed.remove(&chat_message.id);
                    match chat.received.last() {
                        Some(last)
                            if chat_message.number <= *last
                                && chat.received.contains(&chat_message.number) => {}
                        Some(last) if chat_message.number <= *last => {
                            return Err(format!(
                                "client {client} receives chat message {} after {last}",
                                chat_message.number
                            ));
                        }
                        _ => chat.received.push(chat_message.number),
                    }
                }
                let chat = &mut self.clients[client].chat;
                if chat.subscribed_on == Some(connection) && !std::mem::replace(&mut chat.is_subscribed, true)
                {
                    self.resend_chat(client);
                }
            }
            ChatFrame::ChatRejected { id, reason } => match reason {
                ChatRejectionReason::TooFast | ChatRejectionReason::NotStored => {
                    self.report.count(match reason {
                        ChatRejectionReason::TooFast => "chat messages rejected: too fast",
                        _ => "chat messages rejected: not stored",
                    });
                    let chat = &mut self.clients[client].chat;
                    if chat.unconfirmed.contains_key(&id)
                        && !std::mem::replace(&mut chat.is_resend_scheduled, true)
                    {
                        self.after(CHAT_RESEND_MS, ScheduledEvent::ResendChat { client });
                    }
                }
                ChatRejectionReason::Forbidden | ChatRejectionReason::BadText => {
                    return Err(format!("client {client}: a valid chat message was rejected: {reason:?}"));
                }
            },
        }
        Ok(())
    }

    /// Sends every unconfirmed chat message of a client again.
    pub(crate) fn resend_chat(&mut self, client: usize) {
        self.clients[client].chat.is_resend_scheduled = false;
        for (id, text) in self.clients[client].chat.unconfirmed.clone() {
            self.report.count("chat messages resent");
            self.send_chat_message(client, id, text);
        }
    }

    /// P23: a delivered message is stored, and every recipient receives the same bytes.
    fn check_delivered_chat_is_stored(&mut self, chat_message: &Arc<ChatMessage>) -> Result<(), Failure> {
        let stored = self.storage.disk().stored_chat_messages(self.key).get(&chat_message.number);
        if stored.is_none_or(|stored| stored[..] != chat_message.encode()[..]) {
            return Err(format!("chat message {} was delivered before it was stored", chat_message.number));
        }
        match self.chat.delivered.insert(chat_message.number, chat_message.clone()) {
            Some(before) if before != *chat_message => {
                Err(format!("chat message {} was delivered with two contents", chat_message.number))
            }
            _ => Ok(()),
        }
    }

    /// Handles the room's answer to a chat message sent through REST.
    pub(crate) fn chat_accepted(
        &mut self,
        token: Token,
        result: Result<Arc<ChatMessage>, room::ChatRejection>,
    ) -> Result<(), Failure> {
        match result {
            Ok(chat_message) if chat_message.id == token.0 => {
                self.chat.accepted.insert(chat_message.id);
                self.check_delivered_chat_is_stored(&chat_message)
            }
            Ok(chat_message) => {
                Err(format!("request {} was answered with chat message {}", token.0, chat_message.number))
            }
            Err(_) => {
                self.report.count("chat requests rejected");
                Ok(())
            }
        }
    }

    pub(crate) fn read_chat(&mut self) {
        let chat_messages = self.storage.chat_messages(self.key).ok();
        let wait = self.chat_delay();
        self.after(wait, ScheduledEvent::ChatRead { opening: self.opening, chat_messages });
    }

    pub(crate) fn schedule_chat_store(&mut self, number: u64, bytes: Arc<[u8]>, forget_up_to: u64) {
        let chat_message = StoredChatMessage { room: self.key, number, bytes, forget_up_to };
        self.chat.to_store.push((self.opening, chat_message));
        let wait = self.chat_delay();
        self.after(wait, ScheduledEvent::StoreChat { server_process: self.server_process });
    }

    /// Stores the waiting chat messages in a commit of their own, after the records that wait to be
    /// synced.
    pub(crate) fn store_chat(&mut self) {
        if self.is_appending || self.unsynced.is_some() {
            self.after(1, ScheduledEvent::StoreChat { server_process: self.server_process });
            return;
        }
        let waiting = std::mem::take(&mut self.chat.to_store);
        if waiting.is_empty() {
            return;
        }
        let chat_messages: Vec<StoredChatMessage> =
            waiting.iter().map(|(_, chat_message)| chat_message.clone()).collect();
        let is_stored = self.storage.put_chat_messages(&chat_messages).is_ok();
        if !is_stored {
            self.report.count("fault: disk full for chat");
        }
        for (opening, chat_message) in waiting {
            self.after(0, ScheduledEvent::ChatStored { opening, number: chat_message.number, is_stored });
        }
    }

    /// Discards the chat messages that are not yet stored, as a crash does.
    pub(crate) fn discard_unstored_chat(&mut self) {
        self.chat.to_store.clear();
    }

    /// Whether every chat message is stored and every client has received all of them.
    pub(crate) fn is_chat_quiet(&self) -> bool {
        let last = self.chat.delivered.last_key_value().map(|(number, _)| *number);
        let knows_all = |chat: &ChatClient| {
            chat.is_subscribed && chat.unconfirmed.is_empty() && chat.received.last().copied() == last
        };
        let is_current = |client: &crate::world::Client| {
            client.chat.subscribed_on == client.connection && knows_all(&client.chat)
        };
        self.chat.to_store.is_empty() && self.clients.iter().all(is_current)
    }

    /// J8, P24: exactly the delivered and accepted messages are stored, each once, and every client
    /// has received all of them in order.
    pub(crate) fn check_chat_exactly_once(&self) -> Result<(), Failure> {
        let stored = self.storage.disk().stored_chat_messages(self.key);
        let mut by_identity: BTreeMap<u64, u64> = BTreeMap::new();
        for (number, bytes) in stored {
            let chat_message = ChatMessage::decode(bytes)
                .map_err(|error| format!("stored chat message {number}: {error}"))?;
            if let Some(before) = by_identity.insert(chat_message.id, *number) {
                return Err(format!("chat message stored twice: {before} and {number}"));
            }
        }
        if let Some(lost) = self.chat.accepted.iter().find(|id| !by_identity.contains_key(id)) {
            return Err(format!("lost: the chat message accepted with id {lost:x}"));
        }
        if let Some(lost) = self.chat.delivered.keys().find(|number| !stored.contains_key(number)) {
            return Err(format!("lost: chat message {lost}"));
        }
        for (index, client) in self.clients.iter().enumerate() {
            if !client.chat.received.iter().eq(stored.keys()) {
                let (received, stored) = (&client.chat.received, stored.keys().collect::<Vec<_>>());
                return Err(format!("client {index} received chat messages {received:?} of {stored:?}"));
            }
        }
        Ok(())
    }
}
