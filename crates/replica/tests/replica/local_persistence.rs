//! A replica whose state is stored in increments, and another that is restored from them.

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_operation::{Command, Operation, Transaction};
use quadrille_protocol::{
    Author, ClientFrame, Counter, Incarnation, PROTOCOL_VERSION, Record, RejectCode, ReplicaId,
    ReplicaSecret, Resume, Revision, Role, ServerFrame, SessionId, TimeAndSeed, Welcome,
};
use quadrille_replica::{Effect, Event, PersistedReplica, Replica, Status, Timestamp};
use quadrille_workbook::{Input, Literal};

const SHEET: SheetId = SheetId(1);
const OWN: ReplicaId = ReplicaId(77);
const OTHER: ReplicaId = ReplicaId(99);
const CELLS: [&str; 6] = ["A1", "A2", "A3", "A4", "A5", "A6"];

/// Storage as the browser implements it.
#[derive(Default)]
struct LocalStorage {
    head: Vec<u8>,
    base: Vec<u8>,
    records: BTreeMap<Revision, Vec<u8>>,
    unconfirmed: BTreeMap<Counter, Vec<u8>>,
    bases: usize,
}

impl LocalStorage {
    fn write(&mut self, replica: &mut Replica) {
        let Some(changes) = replica.take_persisted() else { return };
        self.head = changes.head;
        if let Some((revision, base)) = changes.base {
            self.records.retain(|record, _| *record > revision);
            self.base = base;
            self.bases += 1;
        }
        self.records.extend(changes.records.into_iter().map(|(revision, bytes)| (revision, bytes.to_vec())));
        for counter in changes.removed {
            self.unconfirmed.remove(&counter);
        }
        self.unconfirmed.extend(changes.unconfirmed);
        assert_eq!(replica.persistence_due(), (false, false));
    }

    fn read(&self) -> PersistedReplica {
        PersistedReplica {
            head: self.head.clone(),
            base: self.base.clone(),
            records: self.records.values().cloned().collect(),
            unconfirmed: self.unconfirmed.clone().into_iter().collect(),
        }
    }
}

/// A replica, its storage, and a scripted room.
struct Script {
    replica: Replica,
    storage: LocalStorage,
    sent: Vec<ClientFrame>,
    head: u64,
}

impl Script {
    fn live() -> Script {
        let mut replica = Replica::new("Ada".into(), None, 1);
        replica.enable_persistence();
        let mut script = Script { replica, storage: LocalStorage::default(), sent: Vec::new(), head: 0 };
        script.connect(0);
        script
    }

    fn event(&mut self, event: Event<'_>) {
        for effect in self.replica.handle(Timestamp { unix_ms: 1_000_000 }, event) {
            if let Effect::Send(bytes) = effect {
                self.sent.push(ClientFrame::decode(&bytes).expect("replicas send what can be read"));
            }
        }
    }

    fn frame(&mut self, frame: &ServerFrame) {
        self.event(Event::Frame(&frame.encode()));
    }

    fn connect(&mut self, confirmed: u64) {
        self.event(Event::Connected);
        self.frame(&ServerFrame::Welcome(Welcome {
            version: PROTOCOL_VERSION,
            replica: OWN,
            incarnation: Incarnation(5),
            session: SessionId(3),
            role: Role::Edit,
            color: 0x12_34_56,
            head: Revision(self.head),
            confirmed: Counter(confirmed),
            resume: Resume::Tail,
            time_ms: 1_000_000,
            secret: Some(ReplicaSecret(5)),
        }));
    }

    fn disconnect(&mut self) {
        self.event(Event::Disconnected { code: None });
    }

    fn type_text(&mut self, cell: &str, text: &str) {
        self.event(Event::Command(Command::TypeText { sheet: 1, cell: cell.into(), text: text.into() }));
    }

    fn record(&mut self, replica: ReplicaId, counter: u64, operations: Vec<Operation>) -> ServerFrame {
        self.head += 1;
        let record = Record {
            revision: Revision(self.head),
            replica,
            counter: Counter(counter),
            author: Author::named("Grace"),
            time_and_seed: TimeAndSeed { time_ms: 2_000_000 + self.head as i64, seed: self.head },
            transaction: Transaction { operations },
        };
        ServerFrame::Records { records: vec![record.encode().into()] }
    }

    fn other(&mut self, operation: Operation) {
        let records = self.record(OTHER, 1, vec![operation]);
        self.frame(&records);
    }

    fn submits(&mut self) -> Vec<(u64, Transaction)> {
        let sent = std::mem::take(&mut self.sent);
        sent.into_iter()
            .filter_map(|frame| match frame {
                ClientFrame::Submit { counter, transaction, .. } => Some((counter.0, transaction)),
                _ => None,
            })
            .collect()
    }

    fn confirm_all(&mut self) {
        for (counter, transaction) in self.submits() {
            let records = self.record(OWN, counter, transaction.operations);
            self.frame(&records);
        }
    }

    fn values(&self) -> Vec<String> {
        displayed_values(&self.replica)
    }

    /// Closes the page and opens it again.
    fn reopen(&mut self) {
        let mut replica = Replica::new("Ada".into(), None, 2);
        replica.enable_persistence();
        replica.restore(&self.storage.read(), false).expect("what was changes can be read");
        self.replica = replica;
        self.sent.clear();
    }
}

fn displayed_values(replica: &Replica) -> Vec<String> {
    let address = |cell: &str| CellAddress::parse_a1(cell).expect("valid");
    CELLS.map(|cell| replica.document().edit_text(SHEET, address(cell))).to_vec()
}

fn write(cell: &str, number: f64) -> Operation {
    let range = Range::parse_a1(cell).expect("valid");
    Operation::SetCells { sheet: SHEET, range, inputs: vec![Input::Value(Literal::Number(number))] }
}

fn rows(kind: EditKind, at: u32, count: u32) -> Operation {
    Operation::Restructure(StructuralEdit { sheet: SHEET, dimension: Dimension::Rows, kind, at, count })
}

#[test]
fn edits_of_a_closed_page_are_sent_once_after_reopening() {
    let mut script = Script::live();
    script.other(write("A1", 1.0));
    script.disconnect();
    script.type_text("A2", "two");
    script.type_text("A3", "=A1+1");
    script.storage.write(&mut script.replica);
    script.reopen();
    assert_eq!(script.replica.unconfirmed(), 2);
    assert_eq!(script.values()[..3], ["1", "two", "=A1+1"]);
    // Others have made changes in the meantime.
    let inserted = script.record(OTHER, 2, vec![rows(EditKind::Insert, 0, 1)]);
    script.connect(0);
    assert!(script.submits().is_empty(), "waits for the tail");
    script.frame(&inserted);
    assert_eq!(script.values()[..4], ["", "1", "two", "=A2+1"]);
    script.confirm_all();
    assert_eq!(script.replica.status(), Status::Saved);
    script.storage.write(&mut script.replica);
    script.reopen();
    assert_eq!((script.replica.unconfirmed(), script.values()[2].as_str()), (0, "two"));
    script.type_text("A1", "next");
    script.connect(2);
    assert_eq!(script.submits()[0].0, 3, "counters go on");
}

#[test]
fn an_edit_with_a_lost_acknowledgement_is_applied_once() {
    let mut script = Script::live();
    script.type_text("A1", "once");
    script.storage.write(&mut script.replica);
    let (counter, transaction) = script.submits().remove(0);
    let record = script.record(OWN, counter, transaction.operations);
    script.reopen();
    script.connect(1);
    script.frame(&record);
    assert_eq!(script.replica.status(), Status::Saved);
    assert!(script.submits().is_empty());
    assert_eq!(script.values()[0], "once");
}

#[test]
fn the_stored_state_restores_the_same_replica_at_any_time() {
    let mut script = Script::live();
    let mut bases = 0;
    for round in 0..60_u32 {
        match round % 6 {
            0 => script.type_text("A3", &format!("={round}+A1")),
            1 => script.other(rows(EditKind::Insert, 1, 1)),
            2 => script.type_text("A5", &round.to_string()),
            3 => script.other(write("A5", f64::from(round))),
            4 => script.confirm_all(),
            _ => {
                let counter = Counter(script.submits().first().map_or(0, |(counter, _)| *counter));
                let message = String::new();
                script.frame(&ServerFrame::Rejected { counter, code: RejectCode::Forbidden, message });
                script.other(rows(EditKind::Delete, 1, 1));
            }
        }
        // A busy page stores less often.
        if round % 4 != 1 {
            script.storage.write(&mut script.replica);
            let mut copy = Replica::new("Ada".into(), None, 3);
            copy.restore(&script.storage.read(), false).expect("what was changes can be read");
            assert_eq!(displayed_values(&copy), script.values(), "round {round}");
            assert_eq!(copy.unconfirmed(), script.replica.unconfirmed(), "round {round}");
            assert_eq!(copy.revision(), script.replica.revision(), "round {round}");
        }
        bases = script.storage.bases;
    }
    assert_eq!(bases, 1, "a few records do not cost a new base");
}

#[test]
fn a_new_base_replaces_records_that_exceed_its_size() {
    let mut script = Script::live();
    script.storage.write(&mut script.replica);
    script.type_text("A1", "waits");
    for _ in 0..3 {
        let range = Range::parse_a1("B1:B9000").expect("valid");
        let inputs = (0..9000).map(|number| Input::Value(Literal::Number(f64::from(number) + 0.1))).collect();
        script.other(Operation::SetCells { sheet: SHEET, range, inputs });
        script.storage.write(&mut script.replica);
    }
    assert!(script.storage.bases > 1);
    assert!(script.storage.records.len() < 3);
    script.reopen();
    assert_eq!((script.values()[0].as_str(), script.replica.unconfirmed()), ("waits", 1));
}

#[test]
fn a_copy_restores_only_the_document() {
    let mut script = Script::live();
    script.other(write("A1", 1.0));
    script.type_text("A2", "mine");
    script.storage.write(&mut script.replica);
    let mut copy = Replica::new("Ada".into(), None, 4);
    copy.enable_persistence();
    copy.restore(&script.storage.read(), true).expect("what was changes can be read");
    assert_eq!(displayed_values(&copy)[..2], ["1", ""]);
    assert_eq!((copy.replica_id(), copy.unconfirmed()), (None, 0));
    // The copy is stored before the room has assigned its identity, and its new identity is stored
    // before it sends.
    let mut storage = LocalStorage::default();
    let mut typed = Script { replica: copy, storage: LocalStorage::default(), sent: Vec::new(), head: 1 };
    typed.type_text("A3", "offline");
    storage.write(&mut typed.replica);
    assert_eq!(storage.unconfirmed.len(), 1);
    typed.connect(0);
    assert_eq!(typed.replica.persistence_due(), (true, true));
}

#[test]
fn unreadable_state_is_refused_without_changes() {
    let mut script = Script::live();
    script.other(write("A1", 1.0));
    script.storage.write(&mut script.replica);
    let whole = script.storage.read();
    for broken in [
        PersistedReplica { head: Vec::new(), ..whole.clone() },
        PersistedReplica { base: whole.base[1..].to_vec(), ..whole.clone() },
        PersistedReplica { unconfirmed: vec![(Counter(9), vec![7])], ..whole.clone() },
    ] {
        let mut replica = Replica::new("Ada".into(), None, 5);
        assert!(replica.restore(&broken, false).is_err());
        assert_eq!((replica.revision(), replica.status()), (Revision(0), Status::Loading));
    }
}
