//! Nothing acknowledged is lost, whatever happens to the process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::person::Person;
use crate::support::Server;

/// Kills the server in the middle of writing, a few milliseconds later each time.
#[test]
fn slow_what_was_acknowledged_survives_kill_9() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    server.make_room("rows", "first\n");
    let mut ann = Person::join(&server, "typed", "Ann");
    let (mut typed, mut appended) = (0u64, 0u64);
    for round in 0..6u64 {
        let appends = AtomicU64::new(appended);
        let mut acknowledged = 0;
        std::thread::scope(|scope| {
            let program = scope.spawn(|| {
                loop {
                    let next = appends.load(Ordering::Relaxed) + 1;
                    let body = format!("{{\"rows\":[[{next}]]}}");
                    let path = "/api/v1/rooms/rows/sheets/Sheet1/rows";
                    let headers = [("content-type", "application/json")];
                    match server.try_send("POST", path, &headers, body.as_bytes()) {
                        Ok(reply) if reply.status == 201 => appends.store(next, Ordering::Relaxed),
                        _ => return,
                    }
                }
            });
            let kill_at = Instant::now() + Duration::from_millis(100 + 37 * round);
            while Instant::now() < kill_at {
                typed += 1;
                ann.types(&format!("A{typed}"), &typed.to_string());
                ann.listens();
                acknowledged = typed - ann.replica.unconfirmed() as u64;
            }
            server.signal("KILL");
            program.join().expect("no panic");
        });
        server.wait();
        ann.until("gone", |ann| !ann.listens());
        server = Server::start_on(data.path(), &[]);

        // What the program was told is there, in order, and at most the one more that it was not told of.
        let rows = server.csv("rows");
        let rows: Vec<&str> = rows.lines().skip(1).collect();
        let told = appends.load(Ordering::Relaxed);
        let more = rows.len() as u64 - told;
        assert!(more <= 1, "{told} were acknowledged, {} are there", rows.len());
        // The one that was not told of is taken as done, so that numbers stay those of their rows.
        appended = told + more;
        assert!(rows.iter().zip(1..).all(|(row, number): (_, u64)| *row == number.to_string()), "{rows:?}");

        // What Ann saw as saved is there before she is back.
        if acknowledged > 0 {
            let there = server.csv("typed");
            let there: Vec<&str> = there.lines().collect();
            let expected: Vec<String> = (1..=acknowledged).map(|number| number.to_string()).collect();
            assert_eq!(there[..acknowledged as usize], expected[..]);
        }
        // What she had typed beyond that comes with her, once.
        ann.connect(&server, "typed", "");
        ann.saves();
        let all: String = (1..=typed).map(|number| format!("{number}\n")).collect();
        assert_eq!(server.csv("typed"), all);
    }
    assert!(typed > 6 && appended > 6, "the machine was too slow for this test to mean anything");
}

#[test]
fn a_resend_after_a_restart_has_no_second_effect() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.types("A1", "1");
    ann.saves();
    // Inserting is what shows a second effect. The answers get lost with the connection.
    let sheet = ann.sheet();
    for _ in 0..3 {
        ann.does(quadrille_operation::Command::InsertRows { sheet, at: 0, count: 1 });
    }
    let patience = Instant::now() + crate::support::PATIENCE;
    while server.get("/api/v1/rooms/plan").json()["revision"] != 4 {
        assert!(Instant::now() < patience);
    }
    assert_eq!(ann.replica.unconfirmed(), 3, "nothing was read since");
    server.kill();
    ann.lose_connection();
    let server = Server::start_on(data.path(), &[]);
    ann.connect(&server, "plan", "");
    ann.saves();
    ann.sees("A4", 1.0);
    assert_eq!(server.get("/api/v1/rooms/plan").json()["revision"], 4);
}

#[test]
fn rooms_leave_memory_and_come_back() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--room-idle-seconds", "0", "--metrics", "true"]);
    for room in 0..20 {
        server.make_room(&format!("room{room}"), &format!("{room},=A1*2\n"));
    }
    let patience = Instant::now() + crate::support::PATIENCE;
    while server.metric("quadrille_rooms") != Some(0.0) {
        assert!(Instant::now() < patience, "nobody uses them");
        std::thread::sleep(Duration::from_millis(50));
    }
    for room in 0..20 {
        assert_eq!(server.csv(&format!("room{room}")), format!("{room},{}\n", room * 2));
    }
}
