//! The chat of a run: clients that listen and speak as a page does, a disk that stores what is said, and what must be
//! true of it (J8, P23, P24; decision 0011).

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_journal::{Storage, StoredChatMessage};
use quadrille_protocol::{ChatFrame, ChatMessage, ChatRejectionReason, ChatRequest, ClientFrame, Role};
use quadrille_replica::Status;
use quadrille_room as room;
use quadrille_room::{ChatSubmission, Token};

use crate::random::Random;
use crate::world::{Failure, Page, ScheduledEvent, World};

/// A page whose chat message was refused says it again after this.
const SAY_AGAIN_MS: u64 = 700;

impl World {
    /// Nobody listens in a run in which nobody speaks.
    pub(crate) fn has_chat(&self) -> bool {
        self.plan.actions.iter().any(|action| matches!(action.what, crate::What::Say { .. }))
    }

    fn chat_delay(&mut self) -> u64 {
        self.heard.random += 1;
        Random::stream(self.plan.seed, 9, self.heard.random).between(self.plan.disk_ms.0, self.plan.disk_ms.1)
    }

    /// Somebody says so many things, or a program does over REST.
    pub(crate) fn speak(&mut self, client: usize, seed: u64, chat_messages: u32) -> Result<(), Failure> {
        let mut random = Random::new(seed);
        for number in 0..chat_messages {
            self.report.count("remarks said");
            let id = random.next();
            let text: Arc<str> = format!("remark {number} of {seed}").into();
            if number == 0 && random.one_in(4) {
                self.request_chat(id, text)?;
            } else if self.clients[client].replica.status() != Status::Loading {
                self.clients[client].page.unsaid.insert(id, text.clone());
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
        let page = &self.clients[client].page;
        if let Some(connection) = page.asked_on.filter(|_| page.is_answered)
            && self.clients[client].connection == Some(connection)
        {
            let frame = ClientFrame::Chat(ChatRequest::Say { id, text });
            self.send_to_server(connection, frame.encode());
        }
    }

    /// A page asks for the chat when its workbook is there.
    pub(crate) fn listen(&mut self, client: usize) {
        let connection = self.clients[client].connection;
        let is_loading = self.clients[client].replica.status() == Status::Loading;
        let page = &mut self.clients[client].page;
        if let Some(id) = connection.filter(|id| !is_loading && page.asked_on != Some(*id)) {
            (page.asked_on, page.is_answered) = (Some(id), false);
            let after = page.heard.last().copied().unwrap_or(0);
            self.send_to_server(id, ClientFrame::Chat(ChatRequest::Listen { after }).encode());
        }
    }

    /// What a page hears of the chat.
    pub(crate) fn hear(&mut self, client: usize, connection: u64, frame: ChatFrame) -> Result<(), Failure> {
        match frame {
            ChatFrame::ChatMessages(chat_messages) => {
                for chat_message in chat_messages {
                    self.check_told(&chat_message)?;
                    self.report.count("remarks heard");
                    let page = &mut self.clients[client].page;
                    page.unsaid.remove(&chat_message.id);
                    match page.heard.last() {
                        Some(last)
                            if chat_message.number <= *last && page.heard.contains(&chat_message.number) => {}
                        Some(last) if chat_message.number <= *last => {
                            return Err(format!(
                                "client {client} hears remark {} after {last}",
                                chat_message.number
                            ));
                        }
                        _ => page.heard.push(chat_message.number),
                    }
                }
                let page = &mut self.clients[client].page;
                if page.asked_on == Some(connection) && !std::mem::replace(&mut page.is_answered, true) {
                    self.resend(client);
                }
            }
            ChatFrame::ChatRejected { id, reason } => match reason {
                ChatRejectionReason::TooFast | ChatRejectionReason::NotStored => {
                    self.report.count(match reason {
                        ChatRejectionReason::TooFast => "remarks refused as too fast",
                        _ => "remarks that were not stored",
                    });
                    let page = &mut self.clients[client].page;
                    if page.unsaid.contains_key(&id) && !std::mem::replace(&mut page.resends, true) {
                        self.after(SAY_AGAIN_MS, ScheduledEvent::SayAgain { client });
                    }
                }
                ChatRejectionReason::Forbidden | ChatRejectionReason::BadText => {
                    return Err(format!("client {client} may not say what it may: {reason:?}"));
                }
            },
        }
        Ok(())
    }

    pub(crate) fn resend(&mut self, client: usize) {
        self.clients[client].page.resends = false;
        for (id, text) in self.clients[client].page.unsaid.clone() {
            self.report.count("remarks said again");
            self.send_chat_message(client, id, text);
        }
    }

    /// Told is stored, told once, and told alike to all.
    fn check_told(&mut self, chat_message: &Arc<ChatMessage>) -> Result<(), Failure> {
        let stored = self.storage.disk().stored_chat_messages(self.key).get(&chat_message.number);
        if stored.is_none_or(|stored| stored[..] != chat_message.encode()[..]) {
            return Err(format!("remark {} was told and is not stored", chat_message.number));
        }
        match self.heard.told.insert(chat_message.number, chat_message.clone()) {
            Some(before) if before != *chat_message => {
                Err(format!("remark {} was told in two ways", chat_message.number))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn chatted(
        &mut self,
        token: Token,
        result: Result<Arc<ChatMessage>, room::ChatRejection>,
    ) -> Result<(), Failure> {
        match result {
            Ok(chat_message) if chat_message.id == token.0 => {
                self.heard.answered.insert(chat_message.id);
                self.check_told(&chat_message)
            }
            Ok(chat_message) => {
                Err(format!("the request {} was answered with remark {}", token.0, chat_message.number))
            }
            Err(_) => {
                self.report.count("requests to talk refused");
                Ok(())
            }
        }
    }

    pub(crate) fn read_chat(&mut self) {
        let chat_messages = self.storage.chat_messages(self.key).ok();
        let wait = self.chat_delay();
        self.after(wait, ScheduledEvent::ChatRead { opening: self.opening, chat_messages });
    }

    pub(crate) fn store_soon(&mut self, number: u64, bytes: Arc<[u8]>, forget_up_to: u64) {
        let chat_message = StoredChatMessage { room: self.key, number, bytes, forget_up_to };
        self.heard.to_store.push((self.opening, chat_message));
        let wait = self.chat_delay();
        self.after(wait, ScheduledEvent::StoreTalk { life: self.life });
    }

    /// In a commit of its own, after the records that were to be stored before it.
    pub(crate) fn store_chat(&mut self) {
        if self.is_appending || self.written.is_some() {
            self.after(1, ScheduledEvent::StoreTalk { life: self.life });
            return;
        }
        let waiting = std::mem::take(&mut self.heard.to_store);
        if waiting.is_empty() {
            return;
        }
        let chat_messages: Vec<StoredChatMessage> =
            waiting.iter().map(|(_, chat_message)| chat_message.clone()).collect();
        let is_stored = self.storage.send_chat_message(&chat_messages).is_ok();
        if !is_stored {
            self.report.count("fault: disk full for talk");
        }
        for (opening, chat_message) in waiting {
            self.after(0, ScheduledEvent::Said { opening, number: chat_message.number, is_stored });
        }
    }

    pub(crate) fn lose_chat(&mut self) {
        self.heard.to_store.clear();
    }

    pub(crate) fn chat_is_quiet(&self) -> bool {
        let last = self.heard.told.last_key_value().map(|(number, _)| *number);
        let knows_all =
            |page: &Page| page.is_answered && page.unsaid.is_empty() && page.heard.last().copied() == last;
        let is_current = |client: &crate::world::Client| {
            client.page.asked_on == client.connection && knows_all(&client.page)
        };
        self.heard.to_store.is_empty() && self.clients.iter().all(is_current)
    }

    /// What was told, and nothing else, is stored once and was heard by everyone who is there.
    pub(crate) fn check_chat(&self) -> Result<(), Failure> {
        let stored = self.storage.disk().stored_chat_messages(self.key);
        let mut by_identity: BTreeMap<u64, u64> = BTreeMap::new();
        for (number, bytes) in stored {
            let chat_message =
                ChatMessage::decode(bytes).map_err(|error| format!("stored remark {number}: {error}"))?;
            if let Some(before) = by_identity.insert(chat_message.id, *number) {
                return Err(format!("said twice: remarks {before} and {number}"));
            }
        }
        if let Some(lost) = self.heard.answered.iter().find(|id| !by_identity.contains_key(id)) {
            return Err(format!("lost: the remark answered under {lost:x}"));
        }
        if let Some(lost) = self.heard.told.keys().find(|number| !stored.contains_key(number)) {
            return Err(format!("lost: remark {lost}"));
        }
        for (index, client) in self.clients.iter().enumerate() {
            if !client.page.heard.iter().eq(stored.keys()) {
                let (heard, kept) = (&client.page.heard, stored.keys().collect::<Vec<_>>());
                return Err(format!("client {index} heard remarks {heard:?} of {kept:?}"));
            }
        }
        Ok(())
    }
}
