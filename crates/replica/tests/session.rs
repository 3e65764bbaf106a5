//! A replica against a scripted room: what it shows, what it sends, what it says of itself.

use std::collections::VecDeque;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_operation::{Command, Operation, Transaction};
use quadrille_protocol::{
    Author, ClientFrame, CloseReason, Counter, Incarnation, PROTOCOL_VERSION, Record, RejectCode, ReplicaId,
    ReplicaSecret, Resume, Revision, Role, ServerFrame, SessionId, TimeAndSeed, Welcome, snapshot_bytes,
};
use quadrille_replica::{Effect, Event, IN_FLIGHT_MAX, Moment, Replica, ReplicaError, Status};
use quadrille_workbook::{Input, Literal, Workbook};

const SHEET: SheetId = SheetId(1);
const OWN: ReplicaId = ReplicaId(77);
const OTHER: ReplicaId = ReplicaId(99);

/// One replica, and the frames it has sent that the scripted room has not looked at.
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
        for effect in self.replica.handle(Moment { unix_ms: 1_000_000 }, event) {
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

    /// Somebody else's operation arrives.
    fn other(&mut self, operation: Operation) {
        let record = self.record(OTHER, 1, vec![operation]);
        self.frame(&ServerFrame::Records { records: vec![record.into()] });
    }

    /// The room confirms the replica's next submission as it was sent.
    fn confirm(&mut self) {
        let Some(ClientFrame::Submit { counter, transaction, .. }) = self.sent.pop_front() else {
            panic!("nothing was submitted")
        };
        let record = self.record(OWN, counter.0, transaction.operations);
        self.frame(&ServerFrame::Records { records: vec![record.into()] });
    }

    fn shows(&self, cell: &str) -> String {
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
fn what_is_typed_shows_at_once_and_is_saved_when_the_room_says_so() {
    let mut script = Script::live();
    assert_eq!(script.replica.status(), Status::Saved);
    script.type_text("A1", "42");
    assert_eq!(script.shows("A1"), "42");
    assert_eq!(script.replica.status(), Status::Saving { unconfirmed: 1 });
    script.confirm();
    assert_eq!(script.replica.status(), Status::Saved);
    assert_eq!(script.replica.revision(), Revision(1));
}

#[test]
fn what_is_typed_offline_is_sent_on_connection_once() {
    let mut script = Script::live();
    script.disconnect();
    script.type_text("A1", "1");
    script.type_text("A2", "2");
    assert_eq!(script.replica.status(), Status::Offline { unconfirmed: 2 });
    script.connect();
    script.confirm();
    script.confirm();
    assert!(script.sent.is_empty());
    assert_eq!((script.shows("A1"), script.shows("A2")), ("1".into(), "2".into()));
}

#[test]
fn an_unconfirmed_edit_follows_its_row() {
    let mut script = Script::live();
    script.type_text("A5", "mine");
    script.other(rows(EditKind::Insert, 2, 1));
    assert_eq!(script.shows("A6"), "mine");
    assert_eq!(script.shows("A5"), "");
    script.other(rows(EditKind::Delete, 0, 2));
    assert_eq!(script.shows("A4"), "mine");
}

#[test]
fn on_one_cell_the_later_one_in_the_rooms_order_wins() {
    let mut script = Script::live();
    script.type_text("A1", "7");
    script.other(write("A1", 1.0));
    assert_eq!(script.shows("A1"), "7", "mine will come later");
    script.confirm();
    assert_eq!(script.shows("A1"), "7");
    script.other(write("A1", 2.0));
    assert_eq!(script.shows("A1"), "2");
}

#[test]
fn a_rejected_edit_is_taken_back_and_later_ones_are_sent_again() {
    let mut script = Script::live();
    script.other(write("A1", 1.0));
    script.type_text("A1", "bad");
    script.type_text("B1", "good");
    script.sent.clear();
    let message = "no".to_owned();
    script.frame(&ServerFrame::Rejected { counter: Counter(1), code: RejectCode::Forbidden, message });
    assert_eq!((script.shows("A1"), script.shows("B1")), ("1".into(), "good".into()));
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
    // The room had it; its acknowledgement was lost. The tail brings it.
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
fn a_snapshot_replaces_the_document_and_keeps_what_it_does_not_hold() {
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
    assert_eq!((script.shows("A1"), script.shows("A2")), ("in the snapshot".into(), "not yet".into()));
    let submit = script.sent.pop_front();
    assert!(
        matches!(submit, Some(ClientFrame::Submit { counter: Counter(2), base: Revision(9), .. })),
        "{submit:?}"
    );
    // A snapshot does not say how it came about, so that nobody knows where what was not sent belongs now, nor what
    // undo would have to leave alone.
    assert_eq!(script.problems, [ReplicaError::NotFollowed { transactions: 1 }]);
    script.event(Event::Undo);
    assert_eq!(script.problems[1..], [ReplicaError::UndoForgotten]);
}

/// P18
#[test]
fn undo_takes_back_ones_own_and_leaves_others_alone() {
    let mut script = Script::live();
    script.type_text("A1", "1");
    script.type_text("A1", "2");
    script.type_text("B2", "3");
    script.other(write("C3", 9.0));
    script.other(rows(EditKind::Insert, 0, 1));
    for (expected_a, expected_b) in [("2", ""), ("1", ""), ("", "")] {
        script.event(Event::Undo);
        assert_eq!((script.shows("A2").as_str(), script.shows("B3").as_str()), (expected_a, expected_b));
        assert_eq!(script.shows("C4"), "9");
    }
    script.event(Event::Undo);
    assert_eq!(script.problems, [ReplicaError::NothingToUndo]);
    for (expected_a, expected_b) in [("1", ""), ("2", ""), ("2", "3")] {
        script.event(Event::Redo);
        assert_eq!((script.shows("A2").as_str(), script.shows("B3").as_str()), (expected_a, expected_b));
    }
}

/// P18
#[test]
fn undo_leaves_what_others_have_written_since() {
    let mut script = Script::live();
    script.type_text("A1", "mine");
    script.confirm();
    script.other(write("A1", 5.0));
    script.event(Event::Undo);
    assert_eq!(script.shows("A1"), "5");
    assert_eq!(script.problems, [ReplicaError::OverwrittenByOthers]);
}

/// P18: what others wrote before one's own came to stand on top of it is what undo brings back.
#[test]
fn undo_brings_back_what_the_room_had_beneath_it() {
    let mut script = Script::live();
    script.type_text("A1", "before");
    script.confirm();
    script.type_text("A1", "mine");
    script.type_text("B1", "mine too");
    script.other(write("A1", 5.0)); // has its place before ours
    script.other(write("C1", 6.0));
    script.other(rows(EditKind::Insert, 0, 1));
    assert_eq!((script.shows("A2"), script.shows("B2")), ("mine".into(), "mine too".into()));
    for (expected_a, expected_b) in [("mine", ""), ("5", ""), ("5", "")] {
        script.event(Event::Undo);
        assert_eq!((script.shows("A2"), script.shows("B2")), (expected_a.into(), expected_b.into()));
    }
    assert_eq!(script.problems, [ReplicaError::OverwrittenByOthers]);
    for (expected_a, expected_b) in [("mine", ""), ("mine", "mine too")] {
        script.event(Event::Redo);
        assert_eq!((script.shows("A2"), script.shows("B2")), (expected_a.into(), expected_b.into()));
    }
}

#[test]
fn only_so_many_are_on_their_way_at_once() {
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
fn a_viewer_is_told_that_the_link_does_not_allow_changes() {
    let mut script = Script::offline();
    script.connect_as(Role::View, Resume::Tail, 0);
    script.type_text("A1", "1");
    assert_eq!(script.problems, [ReplicaError::EditNotAllowed { role: Role::View }]);
    assert_eq!(script.shows("A1"), "");
    assert!(script.sent.is_empty());
}

#[test]
fn nonsense_from_the_server_starts_the_session_anew() {
    let mut script = Script::live();
    script.type_text("A1", "kept");
    script.event(Event::Frame(&[250, 1, 2]));
    script.head = 5;
    script.other(write("A1", 1.0)); // revision 6 where 1 is due
    assert_eq!(script.closes, 2);
    assert_eq!(script.shows("A1"), "kept");
}

#[test]
fn an_end_for_good_is_told_in_words() {
    let mut script = Script::live();
    script.event(Event::Disconnected { code: Some(CloseReason::Deleted.code()) });
    assert_eq!(script.problems, [ReplicaError::Ended { reason: CloseReason::Deleted }]);
    assert_eq!(script.problems[0].to_string(), "the room was deleted");
}

#[test]
fn others_are_listed_without_oneself() {
    let mut script = Script::live();
    let person = |session: u64, name: &str| quadrille_protocol::Person {
        session: SessionId(session),
        name: Arc::from(name),
        color: 1,
        role: Role::Edit,
        presence: None,
    };
    let changed = vec![person(3, "Ada"), person(4, "Grace"), person(5, "Mary")];
    script.frame(&ServerFrame::People { changed, gone: vec![], count: 3 });
    script.frame(&ServerFrame::People { changed: vec![], gone: vec![SessionId(5)], count: 2 });
    let names: Vec<&str> = script.replica.people().listed().map(|person| &*person.name).collect();
    assert_eq!((names, script.replica.people().count()), (vec!["Grace"], 2));
}

#[test]
fn a_refusal_leaves_the_other_steps_to_undo() {
    let mut script = Script::live();
    script.type_text("A1", "one");
    script.confirm();
    script.type_text("A2", "bad");
    script.other(write("C1", 7.0));
    script.type_text("A3", "three");
    let message = "no".to_owned();
    script.frame(&ServerFrame::Rejected { counter: Counter(2), code: RejectCode::Forbidden, message });
    assert_eq!((script.shows("A1"), script.shows("A2")), ("one".into(), String::new()));
    script.problems.clear();
    script.event(Event::Undo);
    assert_eq!(script.shows("A3"), "");
    script.event(Event::Undo);
    assert_eq!((script.shows("A1"), script.shows("C1")), (String::new(), "7".into()));
    script.event(Event::Undo);
    assert_eq!(script.problems, [ReplicaError::NothingToUndo]);
    script.event(Event::Redo);
    script.event(Event::Redo);
    assert_eq!((script.shows("A1"), script.shows("A3")), ("one".into(), "three".into()));
}

#[test]
fn what_cannot_be_undone_says_why() {
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
    assert_eq!(script.shows("B1"), "2");
}
