//! The room's half of the protocol, one frame at a time; the numbered rules are in
//! `docs/protocol.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_journal::{Loaded, StoredRecord};
use quadrille_operation::{Command, Limits, Operation, Transaction};
use quadrille_protocol::{
    AccessFrame, Author, ChatFrame, ChatMessage, ClientFrame, CloseReason, Counter, FollowFrame, Hello,
    Incarnation, PROTOCOL_VERSION, Presence, Record, RejectCode, ReplicaId, ReplicaSecret, Resume, Revision,
    Role, RoomName, ServerFrame, SessionId, Welcome, decode_snapshot,
};
use quadrille_room::{
    Change, ChatRejection, ChatSubmission, Effect, Event, FramePriority, Moment, Room, Token, limits,
};
use quadrille_workbook::{Input, Literal, Workbook};

mod chat;
mod following;
mod people;
mod protection;
mod roles;
mod upkeep;

/// A room with its effects so far, and the frames that its sessions received.
struct Table {
    room: Room,
    now_ms: u64,
    appended: Vec<Arc<[u8]>>,
    sent: BTreeMap<SessionId, Vec<ServerFrame>>,
    subscribed: Vec<SessionId>,
    closed: Vec<(SessionId, CloseReason)>,
    answers: Vec<(Token, Result<Revision, RejectCode>)>,
    tails: Vec<(SessionId, Revision)>,
    /// Revisions of snapshots for storage.
    stored: Vec<u64>,
    /// Chat messages to be stored: number, bytes, and the number up to which older ones are
    /// deleted.
    storing_chat: Vec<(u64, Arc<[u8]>, u64)>,
    /// Stored chat messages by number.
    chat_messages: BTreeMap<u64, Arc<[u8]>>,
    /// Chat frames that sessions received.
    chat_frames: BTreeMap<SessionId, Vec<ChatFrame>>,
    /// Frames about following, with their recipients.
    follow_frames: Vec<(u64, FollowFrame)>,
    /// Frames about access, with their recipients.
    access_frames: Vec<(u64, AccessFrame)>,
    /// Answers to chat messages from outside any session.
    chat_answers: Vec<(Token, Result<Arc<ChatMessage>, ChatRejection>)>,
    is_stopped: bool,
    secrets: BTreeMap<ReplicaId, ReplicaSecret>,
    expects_mismatch: bool,
    mismatches: Vec<(SessionId, Revision, Option<u64>, u64)>,
}

impl Table {
    fn new() -> Table {
        Table::opened(&Loaded::default())
    }

    fn opened(loaded: &Loaded) -> Table {
        let name = RoomName::new("table").expect("a plain name");
        let room =
            Room::open(name, Incarnation(7), loaded, Limits::default()).expect("stored data is readable");
        Table {
            room,
            now_ms: 0,
            appended: loaded.records.iter().map(|record| record.bytes.clone()).collect(),
            sent: BTreeMap::new(),
            subscribed: Vec::new(),
            closed: Vec::new(),
            answers: Vec::new(),
            tails: Vec::new(),
            stored: Vec::new(),
            storing_chat: Vec::new(),
            chat_messages: BTreeMap::new(),
            chat_frames: BTreeMap::new(),
            follow_frames: Vec::new(),
            access_frames: Vec::new(),
            chat_answers: Vec::new(),
            is_stopped: false,
            secrets: BTreeMap::new(),
            expects_mismatch: false,
            mismatches: Vec::new(),
        }
    }

    /// The same room after a crash, restored from its journal.
    fn reopened(self) -> Table {
        let durable = self.room.durable().0 as usize;
        let records = self.appended.into_iter().take(durable).zip(1..);
        let records =
            records.map(|(bytes, revision)| StoredRecord { revision: Revision(revision), time_ms: 0, bytes });
        let secrets = self.secrets;
        let chat_messages = self.chat_messages;
        Table {
            secrets,
            chat_messages,
            ..Table::opened(&Loaded { snapshot: None, records: records.collect() })
        }
    }

    fn event(&mut self, event: Event) {
        self.now_ms += 1;
        let moment = Moment { unix_ms: 1_000_000, monotonic_ms: self.now_ms, random: self.now_ms * 1_000 };
        for effect in self.room.handle(moment, event) {
            match effect {
                Effect::Append { records, .. } => self.appended.extend(records),
                Effect::Send { session, frame, .. } => self.deliver(session, &frame),
                Effect::Broadcast { frame, .. } => {
                    for session in self.subscribed.clone() {
                        self.deliver(session, &frame);
                    }
                }
                Effect::Subscribe { session } => self.subscribed.push(session),
                Effect::Close { session, reason } => self.closed.push((session, reason)),
                Effect::Encode(job) => self.event(Event::Encoded(job.run())),
                Effect::PutSnapshot { revision, .. } => self.stored.push(revision.0),
                Effect::ReadTail { session, after, .. } => self.tails.push((session, after)),
                Effect::RequestCommitted { token, revision } => self.answers.push((token, Ok(revision))),
                Effect::RequestRejected { token, code, .. } => self.answers.push((token, Err(code))),
                Effect::DigestMismatch { session, revision, room, replica } => {
                    assert!(self.expects_mismatch, "no replica differs in this test");
                    self.mismatches.push((session, revision, room, replica));
                }
                Effect::ReadChat => {
                    let chat_messages = self.chat_messages.values().cloned().collect();
                    self.event(Event::ChatRead { chat_messages: Some(chat_messages) });
                }
                Effect::StoreChatMessage { number, bytes, forget_up_to } => {
                    self.storing_chat.push((number, bytes, forget_up_to))
                }
                Effect::ChatAccepted { token, result } => self.chat_answers.push((token, result)),
                Effect::Discard(_) => {}
                Effect::Stopped => self.is_stopped = true,
            }
        }
    }

    fn deliver(&mut self, session: SessionId, frame: &[u8]) {
        if let Ok(chat_frame) = ChatFrame::decode(frame) {
            return self.chat_frames.entry(session).or_default().push(chat_frame);
        }
        if let Ok(follow_frame) = FollowFrame::decode(frame) {
            return self.follow_frames.push((session.0, follow_frame));
        }
        if let Ok(access_frame) = AccessFrame::decode(frame) {
            return self.access_frames.push((session.0, access_frame));
        }
        let frame = ServerFrame::decode(frame).expect("the room writes readable frames");
        self.sent.entry(session).or_default().push(frame);
    }

    fn frame(&mut self, session: u64, frame: &ClientFrame) {
        self.event(Event::Frame { session: SessionId(session), bytes: frame.encode().into() });
    }

    fn bytes(&mut self, session: u64, bytes: &[u8]) {
        self.event(Event::Frame { session: SessionId(session), bytes: bytes.into() });
    }

    fn connect(&mut self, session: u64, role: Role) {
        self.event(Event::Connect {
            session: SessionId(session),
            role,
            author: None,
            email: None,
            picture: None,
        });
    }

    /// Connects for the first time and sends `Hello`.
    fn join(&mut self, session: u64, role: Role) -> Welcome {
        self.connect(session, role);
        self.hello(session, None, None, 0)
    }

    /// Connects again as a replica that has revision `last`.
    fn reconnect(&mut self, session: u64, welcome: &Welcome, last: u64) -> Welcome {
        self.connect(session, Role::Edit);
        self.hello(session, Some((welcome.replica, welcome.incarnation)), Some(Revision(last)), 1)
    }

    fn hello(
        &mut self,
        session: u64,
        replica: Option<(ReplicaId, Incarnation)>,
        last: Option<Revision>,
        unconfirmed: u64,
    ) -> Welcome {
        let name = "Ada".into();
        let secret = replica.and_then(|(replica, _)| self.secrets.get(&replica).copied());
        let hello =
            Hello { version: PROTOCOL_VERSION, replica, last, unconfirmed, name, color: None, secret };
        self.frame(session, &ClientFrame::Hello(hello));
        match self.take(session).into_iter().next() {
            Some(ServerFrame::Welcome(welcome)) => {
                self.secrets.extend(welcome.secret.map(|secret| (welcome.replica, secret)));
                welcome
            }
            other => panic!("not welcomed: {other:?}"),
        }
    }

    fn submit(&mut self, session: u64, counter: u64, base: u64, transaction: Transaction) {
        self.frame(
            session,
            &ClientFrame::Submit { counter: Counter(counter), base: Revision(base), transaction },
        );
    }

    fn durable(&mut self) {
        let up_to = self.room.head();
        self.event(Event::Durable { up_to });
    }

    fn take(&mut self, session: u64) -> Vec<ServerFrame> {
        self.sent.remove(&SessionId(session)).unwrap_or_default()
    }

    /// The revisions sent to a session since the last call.
    fn revisions(&mut self, session: u64) -> Vec<u64> {
        let frames = self.take(session).into_iter();
        let records = frames.filter_map(|frame| match frame {
            ServerFrame::Records { records } => Some(records),
            _ => None,
        });
        records.flatten().map(|bytes| Record::decode(&bytes).expect("readable").revision.0).collect()
    }

    fn text_in(&self, cell: &str) -> String {
        text_of(self.room.workbook(), cell)
    }
}

fn text_of(workbook: &Workbook, cell: &str) -> String {
    let cell = CellAddress::parse_a1(cell).expect("valid");
    match workbook.sheets()[0].input(cell) {
        Input::Value(Literal::Text(text)) => text.to_string(),
        _ => String::new(),
    }
}

fn write(cell: &str, text: &str) -> Transaction {
    let range = Range::parse_a1(cell).expect("valid");
    let input = Input::Value(Literal::Text(text.into()));
    Transaction { operations: vec![Operation::FillCells { sheet: SheetId(1), range, input }] }
}

fn insert_row(at: u32) -> Transaction {
    let edit = StructuralEdit {
        sheet: SheetId(1),
        dimension: Dimension::Rows,
        kind: EditKind::Insert,
        at,
        count: 1,
    };
    Transaction { operations: vec![Operation::Restructure(edit)] }
}

/// P1
#[test]
fn frames_before_hello_and_a_second_hello_close_the_session() {
    let mut table = Table::new();
    table.connect(1, Role::Edit);
    table.submit(1, 1, 0, write("A1", "too early"));
    assert_eq!(table.closed, [(SessionId(1), CloseReason::BadFrame)]);
    table.join(2, Role::Edit);
    let name = "again".into();
    let hello = Hello {
        version: PROTOCOL_VERSION,
        replica: None,
        last: None,
        unconfirmed: 0,
        name,
        color: None,
        secret: None,
    };
    table.frame(2, &ClientFrame::Hello(hello));
    assert_eq!(table.closed[1..], [(SessionId(2), CloseReason::BadFrame)]);
    assert_eq!(table.text_in("A1"), "");
}

/// P2
#[test]
fn a_client_of_another_protocol_version_is_asked_to_upgrade() {
    let mut table = Table::new();
    table.connect(1, Role::Edit);
    table.bytes(1, &[1, 99, 0, 0, 0, 0, 0]);
    assert_eq!(table.closed, [(SessionId(1), CloseReason::UpgradeClient)]);
}

/// P3
#[test]
fn a_new_replica_gets_a_snapshot_and_the_records_after_it() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.submit(1, 1, 0, write("A1", "one"));
    table.durable();
    table.connect(2, Role::View);
    let hello = Hello {
        version: PROTOCOL_VERSION,
        replica: None,
        last: None,
        unconfirmed: 0,
        name: "Bo".into(),
        color: None,
        secret: None,
    };
    table.frame(2, &ClientFrame::Hello(hello));
    let frames = table.take(2);
    let ServerFrame::Welcome(welcome) = &frames[0] else { panic!("{frames:?}") };
    assert_eq!((welcome.resume, welcome.role, welcome.head), (Resume::Snapshot, Role::View, Revision(1)));
    // The snapshot encoded for the first session serves the second too, with the records after it.
    let snapshot = frames.iter().find_map(|frame| match frame {
        ServerFrame::Snapshot { revision: Revision(0), part: 0, parts: 1, bytes, .. } => Some(bytes),
        _ => None,
    });
    let workbook = decode_snapshot(snapshot.expect("sent after Welcome")).expect("readable");
    assert_eq!(text_of(&workbook, "A1"), "");
    assert!(matches!(&frames[frames.len() - 1], ServerFrame::Records { records } if records.len() == 1));
    table.submit(1, 2, 1, write("A2", "two"));
    table.durable();
    assert_eq!(table.revisions(2), [2]);
}

/// P3
#[test]
fn a_returning_replica_gets_the_records_it_missed() {
    let mut table = Table::new();
    let welcome = table.join(1, Role::Edit);
    table.join(2, Role::Edit);
    table.event(Event::Disconnect { session: SessionId(1) });
    for number in 1..=3 {
        table.submit(2, number, 0, write("A1", "while away"));
    }
    table.durable();
    let mut after_restart = table.reopened();
    after_restart.connect(3, Role::Edit);
    let hello = Hello {
        version: PROTOCOL_VERSION,
        replica: Some((welcome.replica, welcome.incarnation)),
        last: Some(Revision(1)),
        unconfirmed: 0,
        name: "Ada".into(),
        color: None,
        secret: welcome.secret,
    };
    after_restart.frame(3, &ClientFrame::Hello(hello));
    assert_eq!(after_restart.revisions(3), [2, 3]);
}

/// P3: only durable revisions can be resumed from; a later revision belongs to another history.
#[test]
fn resuming_from_an_unknown_revision_gets_a_snapshot() {
    let mut table = Table::new();
    let welcome = table.join(1, Role::Edit);
    assert_eq!(table.reconnect(2, &welcome, 5).resume, Resume::Snapshot);
    let of_a_deleted_room = Welcome { incarnation: Incarnation(6), ..welcome.clone() };
    let answer = table.reconnect(3, &of_a_deleted_room, 0);
    assert_eq!(answer.resume, Resume::Snapshot);
    assert_ne!(answer.replica, welcome.replica);
}

/// P5
#[test]
fn records_are_not_sent_before_they_are_durable() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.join(2, Role::Edit);
    table.take(1);
    table.take(2);
    table.submit(1, 1, 0, write("A1", "x"));
    assert_eq!((table.revisions(1), table.revisions(2)), (vec![], vec![]));
    table.durable();
    assert_eq!((table.revisions(1), table.revisions(2)), (vec![1], vec![1]));
}

/// P5: after a failed append, memory is ahead of the journal, and the room must be opened again.
#[test]
fn a_failed_append_stops_the_room_and_acknowledges_nothing() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.submit(1, 1, 0, write("A1", "lost"));
    let author = Author::named("REST");
    let change = Change::Transaction(write("A2", "lost too"));
    table.event(Event::Request {
        token: Token(9),
        author,
        role: Role::Edit,
        email: None,
        counter: Counter(0),
        change,
    });
    table.event(Event::AppendFailed);
    assert_eq!(table.revisions(1), Vec::<u64>::new());
    assert_eq!(table.closed, [(SessionId(1), CloseReason::RoomStopped)]);
    assert_eq!(table.answers, [(Token(9), Err(RejectCode::ReadOnly))]);
    assert!(table.is_stopped);
    assert_eq!(table.reopened().text_in("A1"), "");
}

/// P6, P7
#[test]
fn a_resent_transaction_is_applied_once_even_after_a_restart() {
    let mut table = Table::new();
    let welcome = table.join(1, Role::Edit);
    table.submit(1, 1, 0, insert_row(0));
    table.submit(1, 1, 0, insert_row(0));
    table.durable();
    assert_eq!((table.room.head(), table.room.counts().duplicates), (Revision(1), 1));
    let mut table = table.reopened();
    assert_eq!(table.reconnect(2, &welcome, 0).confirmed, Counter(1));
    table.submit(2, 1, 1, insert_row(0));
    table.submit(2, 2, 1, insert_row(0));
    assert_eq!(table.room.head(), Revision(2));
}

/// P7: a gap would be a lost transaction.
#[test]
fn a_gap_in_the_counters_closes_the_session() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.submit(1, 1, 0, write("A1", "x"));
    table.submit(1, 3, 0, write("A3", "x"));
    assert_eq!(table.closed, [(SessionId(1), CloseReason::BadFrame)]);
}

/// P8: concurrent transactions, several of them in flight at once.
#[test]
fn transactions_in_flight_are_rebased_over_concurrent_ones() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.join(2, Role::Edit);
    table.submit(1, 1, 0, insert_row(0));
    table.submit(2, 1, 0, write("A1", "first"));
    table.submit(1, 2, 0, insert_row(0));
    table.submit(2, 2, 0, insert_row(0)); // above the cell that this replica calls A1
    table.submit(2, 3, 0, write("A1", "second")); // in the row that it has just inserted
    table.durable();
    // Two rows of the first author, then the row of the second author, then the row of its first
    // text.
    let column: Vec<String> = (1..=5).map(|row| table.text_in(&format!("A{row}"))).collect();
    assert_eq!(
        column.iter().position(|text| text == "second").map(|row| column[row + 1].as_str()),
        Some("first")
    );
}

/// P8
#[test]
fn a_base_revision_that_was_never_sent_closes_the_session() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.submit(1, 1, 4, write("A1", "x"));
    assert_eq!(table.closed, [(SessionId(1), CloseReason::Resync)]);
}

/// P9
#[test]
fn a_session_without_edit_permission_is_rejected_with_a_message() {
    for role in [Role::View, Role::Comment] {
        let mut table = Table::new();
        table.join(1, role);
        table.take(1);
        table.submit(1, 1, 0, write("A1", "x"));
        let frames = table.take(1);
        let [ServerFrame::Rejected { counter: Counter(1), code: RejectCode::Forbidden, message }] =
            &frames[..]
        else {
            panic!("{frames:?}")
        };
        assert!(message.contains(role.name()), "{message}");
        assert_eq!(table.room.head(), Revision(0));
    }
}

/// P9
#[test]
fn after_a_rejection_submissions_are_ignored_until_withdrawn() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    let nameless = Operation::RenameSheet { sheet: SheetId(1), name: "".into() };
    table.submit(1, 1, 0, Transaction { operations: vec![nameless] });
    table.submit(1, 2, 0, write("A1", "depends on the rejected one"));
    assert_eq!(table.room.head(), Revision(0));
    table.frame(1, &ClientFrame::Withdrawn { counter: Counter(1) });
    table.submit(1, 2, 0, write("A1", "again"));
    assert_eq!(table.text_in("A1"), "again");
}

/// P9, P14
#[test]
fn an_unreadable_transaction_is_rejected_and_the_third_closes_the_session() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.take(1);
    for counter in 1..=3u8 {
        table.bytes(1, &[2, counter, 0, 1, 77]);
        table.frame(1, &ClientFrame::Withdrawn { counter: Counter(counter.into()) });
    }
    let codes = table.take(1).into_iter().map(|frame| match frame {
        ServerFrame::Rejected { code, .. } => code,
        other => panic!("{other:?}"),
    });
    assert_eq!(codes.collect::<Vec<_>>(), [RejectCode::BadOperation; 2]);
    assert_eq!(table.closed, [(SessionId(1), CloseReason::BadFrame)]);
}

/// P10
#[test]
fn a_slow_session_catches_up_when_its_queue_is_empty() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.join(2, Role::View);
    table.submit(1, 1, 0, write("A1", "x"));
    table.durable();
    table.take(2);
    // The second broadcast did not fit, and the third is not sent at all.
    table.subscribed.retain(|session| *session != SessionId(2));
    table.submit(1, 2, 1, write("A1", "y"));
    table.durable();
    table.event(Event::Missed { session: SessionId(2), from: Revision(2) });
    table.submit(1, 3, 1, write("A1", "z"));
    table.durable();
    assert_eq!(table.revisions(2), Vec::<u64>::new());
    table.event(Event::Drained { session: SessionId(2) });
    assert_eq!(table.revisions(2), [2, 3]);
}

/// P10
#[test]
fn a_session_behind_the_ring_gets_a_snapshot() {
    let mut table = Table::new();
    table.room.set_bounds(limits::Bounds { ring_records: 1, ..limits::Bounds::default() });
    table.join(1, Role::Edit);
    table.join(2, Role::View);
    table.subscribed.retain(|session| *session != SessionId(2));
    table.event(Event::Missed { session: SessionId(2), from: Revision(1) });
    for counter in 1..=3 {
        table.submit(1, counter, 0, write("A1", "x"));
        table.durable();
    }
    table.take(2);
    table.event(Event::Drained { session: SessionId(2) });
    let frames = table.take(2);
    assert!(matches!(frames[0], ServerFrame::Resync { revision: Revision(3), .. }), "{frames:?}");
}

/// P10: records older than the ring come from storage.
#[test]
fn the_tail_is_read_from_storage_in_pieces() {
    let mut table = Table::new();
    table.room.set_bounds(limits::Bounds { ring_records: 1, ..limits::Bounds::default() });
    let welcome = table.join(1, Role::Edit);
    table.join(2, Role::Edit);
    for counter in 1..=3 {
        table.submit(2, counter, 0, write("A1", "x"));
        table.durable();
    }
    table.take(1);
    assert_eq!(table.reconnect(3, &welcome, 0).resume, Resume::Tail);
    for after in 0..2u64 {
        assert_eq!(table.tails.pop(), Some((SessionId(3), Revision(after))));
        let records = vec![(Revision(after + 1), table.appended[after as usize].clone())];
        table.event(Event::Tail { session: SessionId(3), after: Revision(after), records });
    }
    assert_eq!(table.revisions(3), [1, 2, 3]);
    assert_eq!(table.closed, [(SessionId(1), CloseReason::Replaced)]);
}

/// P17
#[test]
fn presence_is_sent_together_and_only_the_latest() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.join(2, Role::View);
    table.now_ms += 1_000;
    table.event(Event::Tick);
    table.take(1);
    table.take(2);
    let at = |cell: &str| Presence {
        sheet: SheetId(1),
        selection: Range::parse_a1(cell).expect("valid"),
        is_editing: false,
    };
    table.frame(1, &ClientFrame::Presence(at("A1")));
    table.frame(1, &ClientFrame::Presence(at("B2")));
    assert_eq!(table.take(2), []);
    assert!(table.room.next_tick_ms().is_some());
    table.now_ms += 1_000;
    table.event(Event::Tick);
    let frames = table.take(2);
    let [ServerFrame::People { changed, departed, count: 2 }] = &frames[..] else { panic!("{frames:?}") };
    assert_eq!((changed.len(), departed.len()), (1, 0));
    assert_eq!(changed[0].presence, Some(at("B2")));
    assert_eq!(table.appended.len(), 0, "presence is not stored");
    table.event(Event::Disconnect { session: SessionId(1) });
    table.now_ms += 1_000;
    table.event(Event::Tick);
    let frames = table.take(2);
    assert!(
        matches!(&frames[..], [ServerFrame::People { departed, count: 1, .. }] if departed[..] == [SessionId(1)])
    );
}

#[test]
fn a_request_is_answered_when_its_change_is_durable() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    let command = Command::TypeText { sheet: 1, cell: "B2".into(), text: "by REST".into() };
    for (token, role) in [(1, Role::Edit), (2, Role::View)] {
        let change = Change::Command(Box::new(command.clone()));
        let author = Author::named("REST");
        table.event(Event::Request {
            token: Token(token),
            author,
            role,
            email: None,
            counter: Counter(0),
            change,
        });
    }
    assert_eq!(table.answers, [(Token(2), Err(RejectCode::Forbidden))]);
    table.durable();
    assert_eq!(table.answers[1..], [(Token(1), Ok(Revision(1)))]);
    assert_eq!(table.revisions(1), [1]);
    assert_eq!(table.text_in("B2"), "by REST");
}

#[test]
fn record_times_never_decrease() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    let mut at = |unix_ms: i64, counter: u64| {
        let moment = Moment { unix_ms, monotonic_ms: 5_000, random: 3 };
        let transaction = write("A1", "x");
        let submit = ClientFrame::Submit { counter: Counter(counter), base: Revision(0), transaction };
        let frame = Event::Frame { session: SessionId(1), bytes: submit.encode().into() };
        let effects = table.room.handle(moment, frame);
        let record = effects.iter().find_map(|effect| match effect {
            Effect::Append { records, .. } => Some(Record::decode(&records[0]).expect("readable")),
            _ => None,
        });
        record.expect("recorded").time_and_seed.time_ms
    };
    assert_eq!([at(1_000, 1), at(400, 2), at(1_001, 3)], [1_000, 1_000, 1_001]);
}

#[test]
fn deleting_the_room_closes_all_sessions() {
    let mut table = Table::new();
    table.join(1, Role::Edit);
    table.join(2, Role::Edit);
    table.event(Event::Close(CloseReason::Deleted));
    assert_eq!(table.closed, [(SessionId(1), CloseReason::Deleted), (SessionId(2), CloseReason::Deleted)]);
    assert!(table.is_stopped);
}

#[test]
fn pongs_are_droppable_like_presence() {
    let mut table = Table::new();
    table.connect(1, Role::Edit);
    let moment = Moment { unix_ms: 0, monotonic_ms: 0, random: 0 };
    let ping = Event::Frame { session: SessionId(1), bytes: ClientFrame::Ping.encode().into() };
    assert!(matches!(
        table.room.handle(moment, ping)[..],
        [Effect::Send { priority: FramePriority::Presence, .. }]
    ));
}

fn delete_rows(at: u32, count: u32) -> Transaction {
    let (sheet, dimension, kind) = (SheetId(1), Dimension::Rows, EditKind::Delete);
    Transaction {
        operations: vec![Operation::Restructure(StructuralEdit { sheet, dimension, kind, at, count })],
    }
}

/// P8: the rebase window is rebased over resent transactions, too. Found by the simulator: the
/// first session's transaction was recorded but not durable when the second session began.
#[test]
fn transactions_after_a_resend_are_rebased_as_after_the_first_submission() {
    let mut table = Table::new();
    let welcome = table.join(1, Role::Edit);
    table.join(2, Role::Edit);
    table.submit(2, 1, 0, delete_rows(0, 2));
    table.submit(1, 1, 0, delete_rows(1, 1));
    // No record is durable yet when the connection breaks.
    let again = table.reconnect(3, &welcome, 0);
    assert_eq!(again.head, Revision(0));
    table.submit(3, 1, 0, delete_rows(1, 1));
    table.submit(3, 2, 0, write("A3", "x"));
    assert_eq!(table.room.counts().duplicates, 1);
    // Two rows were deleted in all, one of them by both sessions: the replica's A3 is A2 in the
    // room.
    assert_eq!((table.text_in("A2"), table.text_in("A1")), ("x".into(), String::new()));
}
