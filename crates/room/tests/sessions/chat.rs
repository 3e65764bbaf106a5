//! P23, P24: what is said beside the workbook.

use quadrille_protocol::{ChatRejectionReason, ChatRequest, limits::CHAT_MESSAGES_MAX};

use super::*;

impl Table {
    fn listen(&mut self, session: u64, after: u64) {
        self.frame(session, &ClientFrame::Chat(ChatRequest::Listen { after }));
    }

    fn send_chat_message(&mut self, session: u64, id: u64, text: &str) {
        self.frame(session, &ClientFrame::Chat(ChatRequest::Say { id, text: text.into() }));
    }

    /// The disk has stored what was said, or could not.
    fn stored_talk(&mut self, is_stored: bool) {
        for (number, bytes, forget_up_to) in std::mem::take(&mut self.saying) {
            if is_stored {
                self.chat_messages.insert(number, bytes);
                self.chat_messages = self.chat_messages.split_off(&(forget_up_to + 1));
            }
            self.event(Event::Said { number, is_stored });
        }
    }

    /// What a session heard since it was last asked: chat messages as `number text`, refusals as `id reason`.
    fn hears(&mut self, session: u64) -> Vec<String> {
        let frames = self.heard.remove(&SessionId(session)).unwrap_or_default();
        let words = |frame| match frame {
            ChatFrame::ChatMessages(chat_messages) => {
                chat_messages.iter().map(|said| format!("{} {}", said.number, said.text)).collect()
            }
            ChatFrame::ChatRejected { id, reason } => vec![format!("{id} {reason:?}")],
        };
        frames.into_iter().flat_map(words).collect()
    }
}

const NOTHING: [&str; 0] = [];

#[test]
fn what_is_said_is_told_in_order_when_it_is_stored_and_to_those_who_listen() {
    let mut table = Table::new();
    for session in 1..=3 {
        table.join(session, Role::Edit);
    }
    table.listen(1, 0);
    table.listen(2, 0);
    assert_eq!(
        table.heard[&SessionId(1)],
        [ChatFrame::ChatMessages(Vec::new())],
        "an answer comes also when it is empty"
    );
    table.heard.clear();
    table.send_chat_message(1, 100, "Hello");
    table.send_chat_message(2, 200, "Good morning");
    assert_eq!((table.hears(1), table.hears(2)), (vec![], vec![]), "nothing is told before it is stored");
    table.stored_talk(true);
    let told = ["1 Hello", "2 Good morning"];
    assert_eq!(
        (table.hears(1), table.hears(2), table.hears(3)),
        (told.map(str::to_owned).into(), told.map(str::to_owned).into(), vec![])
    );
    table.listen(3, 1);
    assert_eq!(table.hears(3), ["2 Good morning"], "who has the first wants the rest");
    let chat_message = ChatMessage::decode(&table.chat_messages[&1]).expect("what is stored can be read");
    assert_eq!((&*chat_message.name, chat_message.time_ms, chat_message.id), ("Ada", 1_000_000, 100));
}

#[test]
fn talk_survives_the_room_and_is_no_part_of_its_content() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.listen(1, 0);
    table.send_chat_message(1, 7, "Shall we begin?");
    assert_eq!(table.appended.len(), 1, "a room without a record gets one, so that it is there for the talk");
    table.durable();
    table.stored_talk(true);
    table.send_chat_message(1, 8, "Yes");
    table.stored_talk(true);
    assert_eq!((table.appended.len(), table.room.head()), (1, Revision(1)), "talk has no revision");
    let mut table = table.reopened();
    table.join(2, Role::View);
    table.listen(2, 0);
    assert_eq!(table.hears(2), ["1 Shall we begin?", "2 Yes"]);
    table.join(3, Role::Edit);
    table.listen(3, 2);
    table.send_chat_message(3, 9, "Then go");
    table.stored_talk(true);
    assert_eq!(table.hears(2), ["3 Then go"], "numbers go on");
}

#[test]
fn what_is_said_twice_under_one_number_is_said_once() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.listen(1, 0);
    table.send_chat_message(1, 7, "once");
    table.send_chat_message(1, 7, "once");
    table.stored_talk(true);
    table.send_chat_message(1, 7, "once");
    table.stored_talk(true);
    assert_eq!(table.hears(1), ["1 once"]);
}

#[test]
fn who_may_only_look_hears_and_does_not_speak() {
    let mut table = Table::new();
    table.join(1, Role::View);
    table.join(2, Role::Comment);
    table.listen(1, 0);
    table.listen(2, 0);
    table.send_chat_message(1, 1, "me too");
    table.send_chat_message(2, 2, "a remark");
    table.stored_talk(true);
    assert_eq!(table.hears(1), ["1 Forbidden", "1 a remark"]);
}

#[test]
fn what_cannot_be_said_is_answered_with_why() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.send_chat_message(1, 1, "before listening");
    assert_eq!(table.hears(1), ["1 NotStored"]);
    table.listen(1, 0);
    table.send_chat_message(1, 2, " \n");
    table.send_chat_message(1, 3, &"é".repeat(2_001));
    assert_eq!(table.hears(1), ["2 BadText", "3 BadText"]);
    table.send_chat_message(1, 4, &"é".repeat(2_000));
    table.stored_talk(false);
    assert_eq!(table.hears(1), ["4 NotStored"], "the disk was full");
    table.send_chat_message(1, 4, "again");
    table.stored_talk(true);
    assert_eq!(table.hears(1), ["2 again"]);
    assert!(table.closed.is_empty());
}

#[test]
fn too_much_at_once_is_refused_and_time_brings_more() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.listen(1, 0);
    for id in 0..limits::CHAT_MESSAGES_AT_ONCE + 5 {
        table.send_chat_message(1, id, "quick");
    }
    table.stored_talk(true);
    let refused = table.hears(1).into_iter().filter(|word| word.ends_with("TooFast")).count();
    assert_eq!(refused, 5);
    table.now_ms += 2 * limits::CHAT_MESSAGE_EVERY_MS;
    for id in 100..103 {
        table.send_chat_message(1, id, "slower");
    }
    table.stored_talk(true);
    assert_eq!(table.hears(1), ["102 TooFast", "11 slower", "12 slower"]);
}

#[test]
fn a_room_keeps_what_was_said_last_and_storage_forgets_the_rest() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.listen(1, 0);
    for id in 0..CHAT_MESSAGES_MAX as u64 + 20 {
        table.now_ms += limits::CHAT_MESSAGE_EVERY_MS;
        table.send_chat_message(1, id, "x");
        table.stored_talk(true);
    }
    assert_eq!(table.chat_messages.len(), CHAT_MESSAGES_MAX + 1, "one is forgotten with the next");
    table.listen(1, 0);
    let heard = table.hears(1);
    assert_eq!(heard[heard.len() - CHAT_MESSAGES_MAX], "21 x");
    // Long ones: the bytes are the bound.
    for id in 1_000..1_000 + 100 {
        table.now_ms += limits::CHAT_MESSAGE_EVERY_MS;
        table.send_chat_message(1, id, &"z".repeat(2_000 * 2));
        table.send_chat_message(1, id, &"漢".repeat(2_000));
        table.stored_talk(true);
    }
    table.heard.clear();
    table.listen(1, 0);
    assert_eq!(table.hears(1).len(), limits::CHAT_BYTES_MAX / (6_000 + "Ada".len()));
}

/// P1
#[test]
fn talk_before_hello_ends_the_session() {
    let mut table = Table::new();
    table.connect(1, Role::Edit);
    table.listen(1, 0);
    assert_eq!(table.closed, [(SessionId(1), CloseReason::BadFrame)]);
    assert_eq!(table.hears(1), NOTHING);
    assert_eq!(ChatRejectionReason::ALL.map(|reason| reason as u8), [1, 2, 3, 4]);
}

impl Table {
    fn talks(&mut self, token: u64, id: u64, text: &str) {
        let chat = ChatSubmission { id, name: "REST".into(), text: text.into() };
        self.event(Event::Chat { token: Token(token), role: Role::Edit, chat });
    }

    /// What requests were answered since this was last asked: `token number`, or `token reason`.
    fn answers(&mut self) -> Vec<String> {
        let words =
            |(token, result): (Token, Result<std::sync::Arc<ChatMessage>, ChatRejection>)| match result {
                Ok(chat_message) => format!("{} {}", token.0, chat_message.number),
                Err(unsaid) => format!("{} {:?} {}", token.0, unsaid.reason, unsaid.wait_ms),
            };
        std::mem::take(&mut self.talked).into_iter().map(words).collect()
    }
}

#[test]
fn who_has_no_session_speaks_once_and_is_answered_when_it_is_stored() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.talks(1, 70, "first");
    table.talks(2, 70, "first");
    assert_eq!(table.answers(), NOTHING, "nothing is answered before it is stored");
    table.durable();
    table.stored_talk(true);
    assert_eq!(table.answers(), ["1 1", "2 1"], "said twice under one identity it is one remark");
    table.listen(1, 0);
    assert_eq!(table.hears(1), ["1 first"]);
    table.talks(3, 71, "second");
    table.stored_talk(false);
    assert_eq!(table.answers(), ["3 NotStored 0"]);
    table.talks(4, 71, "second");
    table.stored_talk(true);
    assert_eq!((table.answers(), table.hears(1)), (vec!["4 3".to_owned()], vec!["3 second".to_owned()]));
    table.talks(5, 70, "first");
    assert_eq!(table.answers(), ["5 1"], "known also later");
    table.talks(6, 72, " ");
    let chat = ChatSubmission { id: 73, name: "REST".into(), text: "no".into() };
    table.event(Event::Chat { token: Token(7), role: Role::View, chat });
    assert_eq!(table.answers(), ["6 BadText 0", "7 Forbidden 0"]);
}

#[test]
fn a_flood_of_talk_is_told_how_long_to_wait() {
    let mut table = Table::new();
    for number in 0..60 {
        table.talks(number, number, "flood");
    }
    table.durable();
    table.stored_talk(true);
    let answers = table.answers();
    let stored = answers.iter().filter(|answer| !answer.contains("TooFast")).count();
    assert_eq!((answers.len(), stored), (60, 50), "{answers:?}");
    // A room has a place for one more every 100 ms; the first was said 59 ms before the last.
    assert!(answers.contains(&"59 TooFast 41".to_owned()), "{answers:?}");
}
