//! A heavy room slows nobody. What is asserted is progress, not time: the times of a test machine say nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use quadrille_cell::{Range, SheetId, Value};
use quadrille_formula::{Host, parse};
use quadrille_operation::{Operation, Transaction};
use quadrille_replica::Event;
use quadrille_workbook::{Input, Workbook};

use crate::person::Person;
use crate::support::Server;

/// Says so when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A formula in every cell of a range, written by someone who edits.
fn fills(person: &mut Person, range: &str, formula: &str) {
    let (sheet, range) = (SheetId(person.sheet()), Range::parse_a1(range).expect("a range"));
    let host = Host { sheet, cell: range.first() };
    let input = Input::Formula(parse(formula, host, &Workbook::new()));
    let transaction = Transaction { operations: vec![Operation::FillCells { sheet, range, input }] };
    person.happens(Event::Transaction { transaction, is_undoable: true });
}

#[test]
fn slow_rooms_that_calculate_without_end_keep_no_other_room_waiting() {
    let server = Server::start();
    // A million cells that depend on one another, and an array of a thousand million.
    let mut heavy = Person::join(&server, "chain", "Heavy");
    heavy.types("A1", "1");
    fills(&mut heavy, "A2:A1000000", "A1+1");
    heavy.saves();
    let mut array = Person::join(&server, "array", "Heavier");
    array.types("A1", "=SUM(SEQUENCE(1000000,1000)*SEQUENCE(1000000,1000))");
    array.saves();
    let is_over = AtomicBool::new(false);
    let heavy_reads = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for room in ["chain", "chain", "array", "array"] {
            let (server, is_over, heavy_reads) = (&server, &is_over, &heavy_reads);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let path = format!("/api/v1/rooms/{room}/sheets/Sheet1/cells/A1:A3");
                    // Answered, or refused because it takes too long; either way the server has worked on it.
                    if server.try_send("GET", &path, &[], b"").is_ok() {
                        heavy_reads.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        scope.spawn(|| {
            let mut number = 0;
            while !is_over.load(Ordering::Relaxed) {
                number += 1;
                heavy.types("A1", &number.to_string());
                heavy.listens();
            }
        });
        // Also when something below panics, or the others would go on for ever.
        let _over = Over(&is_over);
        // Until the heavy rooms are under way.
        while server.get("/api/v1/rooms/chain/history?limit=1").json()["head"].as_u64() < Some(5) {}
        let mut ann = Person::join(&server, "plan", "Ann");
        let mut bob = Person::join(&server, "plan", "Bob");
        for number in 1..=100 {
            ann.types("A1", &number.to_string());
            ann.saves();
            bob.sees("A1", f64::from(number));
            if number % 10 == 0 {
                let csv = server.get("/api/v1/rooms/plan?format=csv");
                assert_eq!((csv.status, csv.text()), (200, format!("{number}\n")));
            }
        }
        // Somebody comes to a room that is not open yet.
        server.make_room("new", "1,=A1*2\n");
        assert_eq!(server.csv("new"), "1,2\n");
    });
    assert!(heavy_reads.load(Ordering::Relaxed) > 0, "the heavy rooms had their share");
}

/// Texts in the first column from row 2 on, in one transaction of more bytes than a room's thread takes at once.
fn pastes(person: &mut Person, rows: u32) {
    let sheet = SheetId(person.sheet());
    let range = Range::from_indices(1, 0, rows, 0).expect("within the sheet");
    let inputs =
        (1..=rows).map(|row| Value::text(format!("row {row} of a long text that was pasted")).into());
    let operation = Operation::SetCells { sheet, range, inputs: inputs.collect() };
    let transaction = Transaction { operations: vec![operation] };
    person.happens(Event::Transaction { transaction, is_undoable: true });
}

#[test]
fn what_a_worker_carries_out_keeps_its_place_among_the_others() {
    let server = Server::start();
    let mut ann = Person::join(&server, "plan", "Ann");
    let mut bob = Person::join(&server, "plan", "Bob");
    for round in 1..=5 {
        ann.types("A5", "before");
        pastes(&mut ann, 4_000);
        ann.types("A1", &round.to_string());
        bob.types("B1", &round.to_string());
        ann.saves();
        bob.saves();
        bob.sees("A1", f64::from(round));
        bob.sees("A5", "row 4 of a long text that was pasted");
        ann.sees("B1", f64::from(round));
    }
    // A whole file in place of all that, sheets included, while both are there.
    server.make_room("plan", &"1,2\n".repeat(30_000));
    ann.sees("B1", 2.0);
    bob.sees("B1", 2.0);
    ann.types("C1", "mine");
    bob.types("C2", "mine, too");
    ann.saves();
    bob.saves();
    let csv = server.csv("plan");
    assert_eq!((csv.lines().next(), csv.lines().nth(1)), (Some("1,2,mine"), Some("1,2,\"mine, too\"")));
    let revision = server.get("/api/v1/rooms/plan").json()["revision"].as_u64();
    assert_eq!(revision, Some(5 * 4 + 1 + 2), "each once");
}
