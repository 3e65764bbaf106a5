//! A replica with a scripted room: its document, its frames and its effects.

use std::collections::VecDeque;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_operation::{Axis, Command, Operation, Transaction};
use quadrille_protocol::{
    Author, ClientFrame, CloseReason, Counter, Incarnation, PROTOCOL_VERSION, Record, RejectCode, ReplicaId,
    ReplicaSecret, Resume, Revision, Role, ServerFrame, SessionId, TimeAndSeed, Welcome, snapshot_bytes,
};
use quadrille_replica::{Effect, Event, IN_FLIGHT_MAX, Replica, ReplicaError, Status, Timestamp};
use quadrille_workbook::{Field, FieldValue, Input, Item, ItemId, ItemKind, Literal, Workbook};

const SHEET: SheetId = SheetId(1);
const OWN: ReplicaId = ReplicaId(77);
const OTHER: ReplicaId = ReplicaId(99);

/// A replica, and the frames that it has sent and the scripted room has not handled.
struct Script {
    replica: Replica,
    sent: VecDeque<ClientFrame>,
    problems: Vec<ReplicaError>,
    closes: usize,
    head: u64,
}

impl Script {
    fn offline() -> Script {
        let replica = Replica::new("Ada".into(), None, 1);
        Script { replica, sent: VecDeque::new(), problems: Vec::new(), closes: 0, head: 0 }
    }

    fn live() -> Script {
        let mut script = Script::offline();
        script.connect();
        script
    }

    fn event(&mut self, event: Event<'_>) {
        for effect in self.replica.handle(Timestamp { unix_ms: 1_000_000 }, event) {
            match effect {
                Effect::Send(bytes) => {
                    self.sent.push_back(ClientFrame::decode(&bytes).expect("replicas send what can be read"));
                }
                Effect::Problem(problem) => self.problems.push(problem),
                Effect::Close { .. } => self.closes += 1,
                Effect::Status(status) => assert_eq!(status, self.replica.status()),
                Effect::People => {}
            }
        }
    }

    fn frame(&mut self, frame: &ServerFrame) {
        self.event(Event::Frame(&frame.encode()));
    }

    fn connect(&mut self) {
        self.connect_as(Role::Edit, Resume::Tail, 0);
    }

    fn connect_as(&mut self, role: Role, resume: Resume, confirmed: u64) {
        self.event(Event::Connected);
        assert!(matches!(self.sent.pop_front(), Some(ClientFrame::Hello(_))));
        self.frame(&ServerFrame::Welcome(Welcome {
            version: PROTOCOL_VERSION,
            replica: OWN,
            incarnation: Incarnation(5),
            session: SessionId(3),
            role,
            color: 0x12_34_56,
            head: Revision(self.head),
            confirmed: Counter(confirmed),
            resume,
            time_ms: 1_000_000,
            secret: Some(ReplicaSecret(5)),
        }));
    }

    fn disconnect(&mut self) {
        self.sent.clear();
        self.event(Event::Disconnected { code: None });
    }

    fn type_text(&mut self, cell: &str, text: &str) {
        self.event(Event::Command(Command::TypeText { sheet: 1, cell: cell.into(), text: text.into() }));
    }

    fn record(&mut self, replica: ReplicaId, counter: u64, operations: Vec<Operation>) -> Vec<u8> {
        self.head += 1;
        Record {
            revision: Revision(self.head),
            replica,
            counter: Counter(counter),
            author: Author::named("Grace"),
            time_and_seed: TimeAndSeed { time_ms: 2_000_000 + self.head as i64, seed: self.head },
            transaction: Transaction { operations },
        }
        .encode()
    }

    /// An operation of another replica arrives.
    fn other(&mut self, operation: Operation) {
        let record = self.record(OTHER, 1, vec![operation]);
        self.frame(&ServerFrame::Records { records: vec![record.into()] });
    }

    /// The room confirms the replica's next submission unchanged.
    fn confirm(&mut self) {
        let Some(ClientFrame::Submit { counter, transaction, .. }) = self.sent.pop_front() else {
            panic!("nothing was submitted")
        };
        let record = self.record(OWN, counter.0, transaction.operations);
        self.frame(&ServerFrame::Records { records: vec![record.into()] });
    }

    fn value(&self, cell: &str) -> String {
        self.replica.document().edit_text(SHEET, CellAddress::parse_a1(cell).expect("valid"))
    }
}

fn write(cell: &str, number: f64) -> Operation {
    let range = Range::parse_a1(cell).expect("valid");
    Operation::SetCells { sheet: SHEET, range, inputs: vec![Input::Value(Literal::Number(number))] }
}

fn rows(kind: EditKind, at: u32, count: u32) -> Operation {
    Operation::Restructure(StructuralEdit { sheet: SHEET, dimension: Dimension::Rows, kind, at, count })
}

#[test]
fn an_edit_is_applied_at_once_and_saved_on_acknowledgement() {
    let mut script = Script::live();
    assert_eq!(script.replica.status(), Status::Saved);
    script.type_text("A1", "42");
    assert_eq!(script.value("A1"), "42");
    assert_eq!(script.replica.status(), Status::Saving { unconfirmed: 1 });
    script.confirm();
    assert_eq!(script.replica.status(), Status::Saved);
    assert_eq!(script.replica.revision(), Revision(1));
}

#[test]
fn offline_edits_are_sent_once_after_connecting() {
    let mut script = Script::live();
    script.disconnect();
    script.type_text("A1", "1");
    script.type_text("A2", "2");
    assert_eq!(script.replica.status(), Status::Offline { unconfirmed: 2 });
    script.connect();
    script.confirm();
    script.confirm();
    assert!(script.sent.is_empty());
    assert_eq!((script.value("A1"), script.value("A2")), ("1".into(), "2".into()));
}

/// P22: the replica refuses what the room would refuse, once it knows who its person is.
#[test]
fn cells_of_named_editors_are_refused_before_anything_is_sent() {
    let mut script = Script::live();
    let mut protection = Item::new(ItemKind::ProtectedRange);
    protection.anchors = vec![Range::parse_a1("A1").expect("valid")];
    let editors =
        vec![FieldValue::Text("account:1 Ada".into()), FieldValue::Text("grace@example.org".into())];
    protection.fields.insert(Field::Editors, FieldValue::List(editors));
    script.other(Operation::PutItem { sheet: Some(SHEET), item: ItemId(9), content: protection.into() });
    for (account, email, expected) in [
        ("account:2", "bob@example.org", ""),
        ("", "", ""),
        ("account:1", "", "by Ada"),
        ("account:3", "grace@example.org", "by Grace"),
    ] {
        script.event(Event::Identified { account: account.into(), email: email.into() });
        script.type_text("A1", if expected.is_empty() { "x" } else { expected });
        assert_eq!(script.value("A1"), expected, "{account}");
        assert_eq!(script.sent.is_empty(), expected.is_empty(), "{account}");
    }
}

#[test]
fn an_unconfirmed_edit_follows_its_row() {
    let mut script = Script::live();
    script.type_text("A5", "mine");
    script.other(rows(EditKind::Insert, 2, 1));
    assert_eq!(script.value("A6"), "mine");
    assert_eq!(script.value("A5"), "");
    script.other(rows(EditKind::Delete, 0, 2));
    assert_eq!(script.value("A4"), "mine");
}

#[test]
fn the_later_write_to_a_cell_wins() {
    let mut script = Script::live();
    script.type_text("A1", "7");
    script.other(write("A1", 1.0));
    assert_eq!(script.value("A1"), "7", "mine will come later");
    script.confirm();
    assert_eq!(script.value("A1"), "7");
    script.other(write("A1", 2.0));
    assert_eq!(script.value("A1"), "2");
}

#[test]
fn a_rejected_edit_is_reverted_and_later_edits_are_resent() {
    let mut script = Script::live();
    script.other(write("A1", 1.0));
    script.type_text("A1", "bad");
    script.type_text("B1", "good");
    script.sent.clear();
    let message = "no".to_owned();
    script.frame(&ServerFrame::Rejected { counter: Counter(1), code: RejectCode::Forbidden, message });
    assert_eq!((script.value("A1"), script.value("B1")), ("1".into(), "good".into()));
    assert_eq!(script.sent.pop_front(), Some(ClientFrame::Withdrawn { counter: Counter(1) }));
    assert!(matches!(script.problems[..], [ReplicaError::Refused { code: RejectCode::Forbidden, .. }]));
    script.confirm();
    assert_eq!(script.replica.status(), Status::Saved);
}

#[test]
fn a_resend_after_a_lost_acknowledgement_is_applied_once() {
    let mut script = Script::live();
    script.type_text("A1", "=1+1");
    let Some(ClientFrame::Submit { counter, transaction, .. }) = script.sent.pop_front() else {
        panic!("submitted")
    };
    script.disconnect();
    // The room has recorded the transaction and its acknowledgement was lost. The tail contains it.
    let record = script.record(OWN, counter.0, transaction.operations);
    script.connect_as(Role::Edit, Resume::Tail, 1);
    assert!(script.sent.is_empty(), "waits for the tail before it resends");
    script.frame(&ServerFrame::Records { records: vec![record.clone().into()] });
    assert_eq!(script.replica.status(), Status::Saved);
    assert!(script.sent.is_empty());
    script.frame(&ServerFrame::Records { records: vec![record.into()] });
    assert_eq!(script.replica.revision(), Revision(1), "the same record again changes nothing");
}

#[test]
fn a_snapshot_replaces_the_document_and_unconfirmed_edits_stay() {
    let mut script = Script::live();
    script.type_text("A1", "in the snapshot");
    script.type_text("A2", "not yet");
    script.disconnect();
    script.head = 9;
    let mut workbook = Workbook::new();
    let sheet = workbook.sheet_mut(SHEET).expect("a new workbook has it");
    sheet.set_input(
        CellAddress::parse_a1("A1").expect("valid"),
        &Input::Value(Literal::Text("in the snapshot".into())),
    );
    script.connect_as(Role::Edit, Resume::Snapshot, 1);
    script.frame(&ServerFrame::Resync { revision: Revision(9), confirmed: Counter(1) });
    let bytes = snapshot_bytes(&workbook);
    let (first, second) = bytes.split_at(bytes.len() / 2);
    for (part, bytes) in [(0, first), (1, second)] {
        assert_eq!(script.sent.len(), 0);
        script.frame(&ServerFrame::Snapshot {
            revision: Revision(9),
            time_and_seed: TimeAndSeed { time_ms: 5, seed: 6 },
            part,
            parts: 2,
            bytes: bytes.to_vec(),
        });
    }
    assert_eq!((script.value("A1"), script.value("A2")), ("in the snapshot".into(), "not yet".into()));
    let submit = script.sent.pop_front();
    assert!(
        matches!(submit, Some(ClientFrame::Submit { counter: Counter(2), base: Revision(9), .. })),
        "{submit:?}"
    );
    // A snapshot has no history, so unconfirmed transactions and undo steps cannot be rebased.
    assert_eq!(script.problems, [ReplicaError::NotRebased { transactions: 1 }]);
    script.event(Event::Undo);
    assert_eq!(script.problems[1..], [ReplicaError::UndoDiscarded]);
}

/// P18
#[test]
fn undo_reverts_only_own_edits() {
    let mut script = Script::live();
    script.type_text("A1", "1");
    script.type_text("A1", "2");
    script.type_text("B2", "3");
    script.other(write("C3", 9.0));
    script.other(rows(EditKind::Insert, 0, 1));
    for (expected_a, expected_b) in [("2", ""), ("1", ""), ("", "")] {
        script.event(Event::Undo);
        assert_eq!((script.value("A2").as_str(), script.value("B3").as_str()), (expected_a, expected_b));
        assert_eq!(script.value("C4"), "9");
    }
    script.event(Event::Undo);
    assert_eq!(script.problems, [ReplicaError::NothingToUndo]);
    for (expected_a, expected_b) in [("1", ""), ("2", ""), ("2", "3")] {
        script.event(Event::Redo);
        assert_eq!((script.value("A2").as_str(), script.value("B3").as_str()), (expected_a, expected_b));
    }
}

/// P18
#[test]
fn undo_keeps_later_writes_of_others() {
    let mut script = Script::live();
    script.type_text("A1", "mine");
    script.confirm();
    script.other(write("A1", 5.0));
    script.event(Event::Undo);
    assert_eq!(script.value("A1"), "5");
    assert_eq!(script.problems, [ReplicaError::OverwrittenByOthers]);
}

/// P18: undo restores what others wrote before the user's own transaction in the room's order.
#[test]
fn undo_restores_earlier_writes_of_others() {
    let mut script = Script::live();
    script.type_text("A1", "before");
    script.confirm();
    script.type_text("A1", "mine");
    script.type_text("B1", "mine too");
    script.other(write("A1", 5.0)); // ordered before the own transaction
    script.other(write("C1", 6.0));
    script.other(rows(EditKind::Insert, 0, 1));
    assert_eq!((script.value("A2"), script.value("B2")), ("mine".into(), "mine too".into()));
    for (expected_a, expected_b) in [("mine", ""), ("5", ""), ("5", "")] {
        script.event(Event::Undo);
        assert_eq!((script.value("A2"), script.value("B2")), (expected_a.into(), expected_b.into()));
    }
    assert_eq!(script.problems, [ReplicaError::OverwrittenByOthers]);
    for (expected_a, expected_b) in [("mine", ""), ("mine", "mine too")] {
        script.event(Event::Redo);
        assert_eq!((script.value("A2"), script.value("B2")), (expected_a.into(), expected_b.into()));
    }
}

#[test]
fn transactions_in_flight_are_limited() {
    let mut script = Script::live();
    for number in 0..IN_FLIGHT_MAX + 10 {
        script.type_text(&format!("A{}", number + 1), "x");
    }
    assert_eq!(script.sent.len(), IN_FLIGHT_MAX);
    for _ in 0..IN_FLIGHT_MAX + 10 {
        script.confirm();
    }
    assert_eq!(script.replica.status(), Status::Saved);
}

#[test]
fn a_viewer_cannot_edit() {
    let mut script = Script::offline();
    script.connect_as(Role::View, Resume::Tail, 0);
    script.type_text("A1", "1");
    assert_eq!(script.problems, [ReplicaError::EditNotAllowed { role: Role::View }]);
    assert_eq!(script.value("A1"), "");
    assert!(script.sent.is_empty());
}

/// P26
#[test]
fn a_commenter_can_comment_and_nothing_else() {
    let mut script = Script::offline();
    script.connect_as(Role::Comment, Resume::Tail, 0);
    script.type_text("A1", "1");
    let item = |item: u64, kind: &str| Command::SetItem {
        sheet: Some(1),
        item: Some(item),
        kind: Some(kind.into()),
        anchors: Some(vec!["A1".into()]),
        fields: Default::default(),
    };
    script.event(Event::Command(item(7, "note")));
    let refused = ReplicaError::EditNotAllowed { role: Role::Comment };
    assert_eq!(script.problems, [refused.clone(), refused.clone()]);
    assert!(script.sent.is_empty());
    script.event(Event::Command(item(7, "commentThread")));
    script.event(Event::Command(Command::Many { commands: vec![item(7, "commentThread"), item(8, "note")] }));
    assert_eq!(script.problems, [refused.clone(), refused.clone(), refused]);
    assert_eq!(script.sent.len(), 1, "the thread");
    script.event(Event::Undo);
    assert_eq!(script.problems.len(), 3, "a commenter can undo a comment");
}

#[test]
fn an_invalid_frame_restarts_the_session() {
    let mut script = Script::live();
    script.type_text("A1", "kept");
    script.event(Event::Frame(&[250, 1, 2]));
    script.head = 5;
    script.other(write("A1", 1.0)); // revision 6 instead of 1
    assert_eq!(script.closes, 2);
    assert_eq!(script.value("A1"), "kept");
}

#[test]
fn a_final_close_reports_its_reason() {
    let mut script = Script::live();
    script.event(Event::Disconnected { code: Some(CloseReason::Deleted.code()) });
    assert_eq!(script.problems, [ReplicaError::Ended { reason: CloseReason::Deleted }]);
    assert_eq!(script.problems[0].to_string(), "the room was deleted");
}

#[test]
fn people_are_listed_without_oneself() {
    let mut script = Script::live();
    let person = |session: u64, name: &str| quadrille_protocol::Person {
        session: SessionId(session),
        name: Arc::from(name),
        color: 1,
        role: Role::Edit,
        presence: None,
    };
    let changed = vec![person(3, "Ada"), person(4, "Grace"), person(5, "Mary")];
    script.frame(&ServerFrame::People { changed, departed: vec![], count: 3 });
    script.frame(&ServerFrame::People { changed: vec![], departed: vec![SessionId(5)], count: 2 });
    let names: Vec<&str> = script.replica.people().listed().map(|person| &*person.name).collect();
    assert_eq!((names, script.replica.people().count()), (vec!["Grace"], 2));
}

#[test]
fn a_rejection_keeps_the_other_undo_steps() {
    let mut script = Script::live();
    script.type_text("A1", "one");
    script.confirm();
    script.type_text("A2", "bad");
    script.other(write("C1", 7.0));
    script.type_text("A3", "three");
    let message = "no".to_owned();
    script.frame(&ServerFrame::Rejected { counter: Counter(2), code: RejectCode::Forbidden, message });
    assert_eq!((script.value("A1"), script.value("A2")), ("one".into(), String::new()));
    script.problems.clear();
    script.event(Event::Undo);
    assert_eq!(script.value("A3"), "");
    script.event(Event::Undo);
    assert_eq!((script.value("A1"), script.value("C1")), (String::new(), "7".into()));
    script.event(Event::Undo);
    assert_eq!(script.problems, [ReplicaError::NothingToUndo]);
    script.event(Event::Redo);
    script.event(Event::Redo);
    assert_eq!((script.value("A1"), script.value("A3")), ("one".into(), "three".into()));
}

#[test]
fn failed_undo_reports_the_reason() {
    let mut script = Script::live();
    let (sheet, position) = (SheetId(9), 1);
    script.other(Operation::AddSheet { sheet, name: "Plan".into(), position });
    let command = Command::TypeText { sheet: sheet.0, cell: "A1".into(), text: "1".into() };
    script.event(Event::Command(command));
    script.confirm();
    script.type_text("B1", "mine");
    script.confirm();
    script.other(write("B1", 2.0));
    script.other(Operation::RemoveSheet { sheet });
    script.event(Event::Undo);
    script.event(Event::Undo);
    assert_eq!(script.problems, [ReplicaError::OverwrittenByOthers, ReplicaError::SheetDeleted]);
    assert_eq!(script.value("B1"), "2");
}

#[test]
fn automatic_commands_are_no_undo_steps_and_are_refused_silently() {
    let mut script = Script::live();
    let fit = |sheet, size| {
        Event::Automatic(Command::Resize { sheet, dimension: Axis::Rows, first: 0, count: 1, size })
    };
    script.type_text("A1", "two\nlines");
    script.event(fit(1, Some(40)));
    let height = |script: &Script| {
        let sheet = script.replica.document().workbook().sheet(SHEET).expect("the first sheet");
        sheet.size(Dimension::Rows, 0)
    };
    assert_eq!(height(&script), Some(40));
    script.event(Event::Undo);
    assert_eq!((script.value("A1").as_str(), height(&script)), ("", Some(40)));
    script.event(Event::Redo);
    assert_eq!(script.value("A1"), "two\nlines");
    script.event(fit(2, None)); // no such sheet
    assert_eq!(script.problems, []);
}
