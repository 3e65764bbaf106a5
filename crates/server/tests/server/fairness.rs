//! An expensive room does not block other rooms. The tests assert progress, not times, which depend
//! on the machine.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use quadrille_cell::{Range, SheetId, Value};
use quadrille_formula::{Host, parse};
use quadrille_operation::{Operation, Transaction};
use quadrille_replica::Event;
use quadrille_workbook::{Input, Workbook};

use crate::person::Person;
use crate::support::Server;

/// Sets the flag when it is dropped.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writes a formula into every cell of a range.
fn fill(person: &mut Person, range: &str, formula: &str) {
    let (sheet, range) = (SheetId(person.sheet()), Range::parse_a1(range).expect("a range"));
    let host = Host { sheet, cell: range.first() };
    let input = Input::Formula(parse(formula, host, &Workbook::new()));
    let transaction = Transaction { operations: vec![Operation::FillCells { sheet, range, input }] };
    person.handle(Event::Transaction { transaction, is_undoable: true });
}

#[test]
fn slow_long_calculations_do_not_block_other_rooms() {
    let server = Server::start();
    // A chain of 1,000,000 dependent cells, and an array of 1,000,000,000 values.
    let mut heavy = Person::join(&server, "chain", "Heavy");
    heavy.type_text("A1", "1");
    fill(&mut heavy, "A2:A1000000", "A1+1");
    heavy.wait_until_saved();
    let mut array = Person::join(&server, "array", "Heavier");
    array.type_text("A1", "=SUM(SEQUENCE(1000000,1000)*SEQUENCE(1000000,1000))");
    array.wait_until_saved();
    let is_finished = AtomicBool::new(false);
    let heavy_reads = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for room in ["chain", "chain", "array", "array"] {
            let (server, is_finished, heavy_reads) = (&server, &is_finished, &heavy_reads);
            scope.spawn(move || {
                while !is_finished.load(Ordering::Relaxed) {
                    let path = format!("/api/v1/rooms/{room}/sheets/Sheet1/cells/A1:A3");
                    // The server answers, or refuses because of its time limit; it has calculated
                    // in both cases.
                    if server.try_send("GET", &path, &[], b"").is_ok() {
                        heavy_reads.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        scope.spawn(|| {
            let mut number = 0;
            while !is_finished.load(Ordering::Relaxed) {
                number += 1;
                heavy.type_text("A1", &number.to_string());
                heavy.receive();
            }
        });
        // Ends the other threads, also when an assertion below panics.
        let _guard = SetOnDrop(&is_finished);
        // Wait until the expensive rooms are being edited.
        while server.get("/api/v1/rooms/chain/history?limit=1").json()["head"].as_u64() < Some(5) {}
        let mut ann = Person::join(&server, "plan", "Ann");
        let mut bob = Person::join(&server, "plan", "Bob");
        for number in 1..=100 {
            ann.type_text("A1", &number.to_string());
            ann.wait_until_saved();
            bob.wait_for_value("A1", f64::from(number));
            if number % 10 == 0 {
                let csv = server.get("/api/v1/rooms/plan?format=csv");
                assert_eq!((csv.status, csv.text()), (200, format!("{number}\n")));
            }
        }
        // A room that is not loaded yet opens too.
        server.make_room("new", "1,=A1*2\n");
        assert_eq!(server.csv("new"), "1,2\n");
    });
    assert!(heavy_reads.load(Ordering::Relaxed) > 0, "the expensive rooms were served too");
}

/// Writes texts into the first column from row 2 on, in one transaction of more than
/// `HEAVY_FRAME_BYTES`.
fn paste(person: &mut Person, rows: u32) {
    let sheet = SheetId(person.sheet());
    let range = Range::from_indices(1, 0, rows, 0).expect("within the sheet");
    let inputs =
        (1..=rows).map(|row| Value::text(format!("row {row} of a long text that was pasted")).into());
    let operation = Operation::SetCells { sheet, range, inputs: inputs.collect() };
    let transaction = Transaction { operations: vec![operation] };
    person.handle(Event::Transaction { transaction, is_undoable: true });
}

#[test]
fn transactions_of_a_worker_keep_their_order() {
    let server = Server::start();
    let mut ann = Person::join(&server, "plan", "Ann");
    let mut bob = Person::join(&server, "plan", "Bob");
    for round in 1..=5 {
        ann.type_text("A5", "before");
        paste(&mut ann, 4_000);
        ann.type_text("A1", &round.to_string());
        bob.type_text("B1", &round.to_string());
        ann.wait_until_saved();
        bob.wait_until_saved();
        bob.wait_for_value("A1", f64::from(round));
        bob.wait_for_value("A5", "row 4 of a long text that was pasted");
        ann.wait_for_value("B1", f64::from(round));
    }
    // A file replaces the workbook while both sessions are connected.
    server.make_room("plan", &"1,2\n".repeat(30_000));
    ann.wait_for_value("B1", 2.0);
    bob.wait_for_value("B1", 2.0);
    ann.type_text("C1", "mine");
    bob.type_text("C2", "mine, too");
    ann.wait_until_saved();
    bob.wait_until_saved();
    let csv = server.csv("plan");
    assert_eq!((csv.lines().next(), csv.lines().nth(1)), (Some("1,2,mine"), Some("1,2,\"mine, too\"")));
    let revision = server.get("/api/v1/rooms/plan").json()["revision"].as_u64();
    assert_eq!(revision, Some(5 * 4 + 1 + 2), "each transaction was applied once");
}
