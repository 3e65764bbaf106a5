//! P23, P24: the chat of a room.

use quadrille_protocol::{ChatRejectionReason, ChatRequest, limits::CHAT_MESSAGES_MAX};

use super::*;

impl Table {
    fn listen(&mut self, session: u64, after: u64) {
        self.frame(session, &ClientFrame::Chat(ChatRequest::Subscribe { after }));
    }

    fn send_chat_message(&mut self, session: u64, id: u64, text: &str) {
        self.frame(session, &ClientFrame::Chat(ChatRequest::Send { id, text: text.into() }));
    }

    /// Storage has stored the pending chat messages, or failed to.
    fn finish_storing_chat(&mut self, is_stored: bool) {
        for (number, bytes, forget_up_to) in std::mem::take(&mut self.storing_chat) {
            if is_stored {
                self.chat_messages.insert(number, bytes);
                self.chat_messages = self.chat_messages.split_off(&(forget_up_to + 1));
            }
            self.event(Event::ChatStored { number, is_stored });
        }
    }

    /// Chat frames of a session since the last call: messages as `number text`, rejections as `id
    /// reason`.
    fn received_chat(&mut self, session: u64) -> Vec<String> {
        let frames = self.chat_frames.remove(&SessionId(session)).unwrap_or_default();
        let describe = |frame| match frame {
            ChatFrame::ChatMessages(chat_messages) => {
                chat_messages.iter().map(|message| format!("{} {}", message.number, message.text)).collect()
            }
            ChatFrame::ChatRejected { id, reason } => vec![format!("{id} {reason:?}")],
        };
        frames.into_iter().flat_map(describe).collect()
    }
}

const NOTHING: [&str; 0] = [];

#[test]
fn listeners_get_messages_in_order_once_they_are_stored() {
    let mut table = Table::new();
    for session in 1..=3 {
        table.join(session, Role::Edit);
    }
    table.listen(1, 0);
    table.listen(2, 0);
    assert_eq!(
        table.chat_frames[&SessionId(1)],
        [ChatFrame::ChatMessages(Vec::new())],
        "an empty log is answered, too"
    );
    table.chat_frames.clear();
    table.send_chat_message(1, 100, "Hello");
    table.send_chat_message(2, 200, "Good morning");
    assert_eq!(
        (table.received_chat(1), table.received_chat(2)),
        (vec![], vec![]),
        "no message is sent before it is stored"
    );
    table.finish_storing_chat(true);
    let sent = ["1 Hello", "2 Good morning"];
    assert_eq!(
        (table.received_chat(1), table.received_chat(2), table.received_chat(3)),
        (sent.map(str::to_owned).into(), sent.map(str::to_owned).into(), vec![])
    );
    table.listen(3, 1);
    assert_eq!(table.received_chat(3), ["2 Good morning"], "messages after the first");
    let chat_message = ChatMessage::decode(&table.chat_messages[&1]).expect("stored messages are readable");
    assert_eq!((&*chat_message.name, chat_message.time_ms, chat_message.id), ("Ada", 1_000_000, 100));
}

#[test]
fn chat_survives_a_restart_and_has_no_revisions() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.listen(1, 0);
    table.send_chat_message(1, 7, "Shall we begin?");
    assert_eq!(table.appended.len(), 1, "the first message creates the room");
    table.durable();
    table.finish_storing_chat(true);
    table.send_chat_message(1, 8, "Yes");
    table.finish_storing_chat(true);
    assert_eq!((table.appended.len(), table.room.head()), (1, Revision(1)), "chat messages have no revision");
    let mut table = table.reopened();
    table.join(2, Role::View);
    table.listen(2, 0);
    assert_eq!(table.received_chat(2), ["1 Shall we begin?", "2 Yes"]);
    table.join(3, Role::Edit);
    table.listen(3, 2);
    table.send_chat_message(3, 9, "Then go");
    table.finish_storing_chat(true);
    assert_eq!(table.received_chat(2), ["3 Then go"], "numbering continues");
}

#[test]
fn a_message_resent_with_the_same_id_is_stored_once() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.listen(1, 0);
    table.send_chat_message(1, 7, "once");
    table.send_chat_message(1, 7, "once");
    table.finish_storing_chat(true);
    table.send_chat_message(1, 7, "once");
    table.finish_storing_chat(true);
    assert_eq!(table.received_chat(1), ["1 once"]);
}

#[test]
fn viewers_receive_messages_and_cannot_send() {
    let mut table = Table::new();
    table.join(1, Role::View);
    table.join(2, Role::Comment);
    table.listen(1, 0);
    table.listen(2, 0);
    table.send_chat_message(1, 1, "me too");
    table.send_chat_message(2, 2, "a comment");
    table.finish_storing_chat(true);
    assert_eq!(table.received_chat(1), ["1 Forbidden", "1 a comment"]);
}

#[test]
fn a_rejected_message_is_answered_with_the_reason() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.send_chat_message(1, 1, "before listening");
    assert_eq!(table.received_chat(1), ["1 NotStored"]);
    table.listen(1, 0);
    table.send_chat_message(1, 2, " \n");
    table.send_chat_message(1, 3, &"é".repeat(2_001));
    assert_eq!(table.received_chat(1), ["2 BadText", "3 BadText"]);
    table.send_chat_message(1, 4, &"é".repeat(2_000));
    table.finish_storing_chat(false);
    assert_eq!(table.received_chat(1), ["4 NotStored"], "storage failed");
    table.send_chat_message(1, 4, "again");
    table.finish_storing_chat(true);
    assert_eq!(table.received_chat(1), ["2 again"]);
    assert!(table.closed.is_empty());
}

#[test]
fn messages_beyond_the_burst_are_rejected_until_time_has_passed() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.listen(1, 0);
    for id in 0..limits::CHAT_MESSAGES_AT_ONCE + 5 {
        table.send_chat_message(1, id, "quick");
    }
    table.finish_storing_chat(true);
    let rejected = table.received_chat(1).into_iter().filter(|answer| answer.ends_with("TooFast")).count();
    assert_eq!(rejected, 5);
    table.now_ms += 2 * limits::CHAT_MESSAGE_EVERY_MS;
    for id in 100..103 {
        table.send_chat_message(1, id, "slower");
    }
    table.finish_storing_chat(true);
    assert_eq!(table.received_chat(1), ["102 TooFast", "11 slower", "12 slower"]);
}

#[test]
fn the_newest_messages_are_kept_and_older_ones_deleted_from_storage() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.listen(1, 0);
    for id in 0..CHAT_MESSAGES_MAX as u64 + 20 {
        table.now_ms += limits::CHAT_MESSAGE_EVERY_MS;
        table.send_chat_message(1, id, "x");
        table.finish_storing_chat(true);
    }
    assert_eq!(
        table.chat_messages.len(),
        CHAT_MESSAGES_MAX + 1,
        "the oldest is deleted when the next one is stored"
    );
    table.listen(1, 0);
    let received = table.received_chat(1);
    assert_eq!(received[received.len() - CHAT_MESSAGES_MAX], "21 x");
    // With long messages the limit in bytes applies.
    for id in 1_000..1_000 + 100 {
        table.now_ms += limits::CHAT_MESSAGE_EVERY_MS;
        table.send_chat_message(1, id, &"z".repeat(2_000 * 2));
        table.send_chat_message(1, id, &"漢".repeat(2_000));
        table.finish_storing_chat(true);
    }
    table.chat_frames.clear();
    table.listen(1, 0);
    assert_eq!(table.received_chat(1).len(), limits::CHAT_BYTES_MAX / (6_000 + "Ada".len()));
}

/// P1
#[test]
fn a_chat_frame_before_hello_closes_the_session() {
    let mut table = Table::new();
    table.connect(1, Role::Edit);
    table.listen(1, 0);
    assert_eq!(table.closed, [(SessionId(1), CloseReason::BadFrame)]);
    assert_eq!(table.received_chat(1), NOTHING);
    assert_eq!(ChatRejectionReason::ALL.map(|reason| reason as u8), [1, 2, 3, 4]);
}

impl Table {
    fn submits_chat(&mut self, token: u64, id: u64, text: &str) {
        let chat = ChatSubmission { id, name: "REST".into(), text: text.into() };
        self.event(Event::Chat { token: Token(token), role: Role::Edit, chat });
    }

    /// Answers to requests since the last call: `token number`, or `token reason wait_ms`.
    fn chat_answers(&mut self) -> Vec<String> {
        let describe =
            |(token, result): (Token, Result<std::sync::Arc<ChatMessage>, ChatRejection>)| match result {
                Ok(chat_message) => format!("{} {}", token.0, chat_message.number),
                Err(rejection) => format!("{} {:?} {}", token.0, rejection.reason, rejection.wait_ms),
            };
        std::mem::take(&mut self.chat_answers).into_iter().map(describe).collect()
    }
}

#[test]
fn a_message_without_a_session_is_stored_once_and_then_answered() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.submits_chat(1, 70, "first");
    table.submits_chat(2, 70, "first");
    assert_eq!(table.chat_answers(), NOTHING, "no answer before the message is stored");
    table.durable();
    table.finish_storing_chat(true);
    assert_eq!(table.chat_answers(), ["1 1", "2 1"], "two submissions with one id are one message");
    table.listen(1, 0);
    assert_eq!(table.received_chat(1), ["1 first"]);
    table.submits_chat(3, 71, "second");
    table.finish_storing_chat(false);
    assert_eq!(table.chat_answers(), ["3 NotStored 0"]);
    table.submits_chat(4, 71, "second");
    table.finish_storing_chat(true);
    assert_eq!(
        (table.chat_answers(), table.received_chat(1)),
        (vec!["4 3".to_owned()], vec!["3 second".to_owned()])
    );
    table.submits_chat(5, 70, "first");
    assert_eq!(table.chat_answers(), ["5 1"], "resent later");
    table.submits_chat(6, 72, " ");
    let chat = ChatSubmission { id: 73, name: "REST".into(), text: "no".into() };
    table.event(Event::Chat { token: Token(7), role: Role::View, chat });
    assert_eq!(table.chat_answers(), ["6 BadText 0", "7 Forbidden 0"]);
}

#[test]
fn messages_beyond_the_rate_are_answered_with_a_waiting_time() {
    let mut table = Table::new();
    for number in 0..60 {
        table.submits_chat(number, number, "flood");
    }
    table.durable();
    table.finish_storing_chat(true);
    let answers = table.chat_answers();
    let stored = answers.iter().filter(|answer| !answer.contains("TooFast")).count();
    assert_eq!((answers.len(), stored), (60, 50), "{answers:?}");
    // A room accepts one more every 100 ms; the first was submitted 59 ms before the last.
    assert!(answers.contains(&"59 TooFast 41".to_owned()), "{answers:?}");
}
