//! Acknowledged edits survive the end of the process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::person::Person;
use crate::support::Server;

/// Kills the server while it writes, a few milliseconds later in each round.
#[test]
fn slow_acknowledged_edits_survive_kill_9() {
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
                ann.type_text(&format!("A{typed}"), &typed.to_string());
                ann.receive();
                acknowledged = typed - ann.replica.unconfirmed() as u64;
            }
            server.signal("KILL");
            program.join().expect("no panic");
        });
        server.wait();
        ann.wait_until("disconnected", |ann| !ann.receive());
        server = Server::start_on(data.path(), &[]);

        // The acknowledged rows are stored in order, with at most one row that was not
        // acknowledged.
        let rows = server.csv("rows");
        let rows: Vec<&str> = rows.lines().skip(1).collect();
        let acknowledged_rows = appends.load(Ordering::Relaxed);
        let unacknowledged = rows.len() as u64 - acknowledged_rows;
        assert!(unacknowledged <= 1, "{acknowledged_rows} were acknowledged, {} are stored", rows.len());
        // Counting the unacknowledged row keeps the numbers equal to the row positions.
        appended = acknowledged_rows + unacknowledged;
        assert!(rows.iter().zip(1..).all(|(row, number): (_, u64)| *row == number.to_string()), "{rows:?}");

        // Ann's acknowledged edits are stored before she reconnects.
        if acknowledged > 0 {
            let stored = server.csv("typed");
            let stored: Vec<&str> = stored.lines().collect();
            let expected: Vec<String> = (1..=acknowledged).map(|number| number.to_string()).collect();
            assert_eq!(stored[..acknowledged as usize], expected[..]);
        }
        // Her other edits arrive once when she reconnects.
        ann.connect(&server, "typed", "");
        ann.wait_until_saved();
        let all: String = (1..=typed).map(|number| format!("{number}\n")).collect();
        assert_eq!(server.csv("typed"), all);
    }
    assert!(typed > 6 && appended > 6, "the machine is too slow for this test");
}

#[test]
fn a_resend_after_a_restart_is_applied_once() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A1", "1");
    ann.wait_until_saved();
    // A repeated insertion would be visible. The acknowledgements are lost with the connection.
    let sheet = ann.sheet();
    for _ in 0..3 {
        ann.execute(quadrille_operation::Command::InsertRows { sheet, at: 0, count: 1 });
    }
    let deadline = Instant::now() + crate::support::TIMEOUT;
    while server.get("/api/v1/rooms/plan").json()["revision"] != 4 {
        assert!(Instant::now() < deadline);
    }
    assert_eq!(ann.replica.unconfirmed(), 3, "no frame was received since");
    server.kill();
    ann.lose_connection();
    let server = Server::start_on(data.path(), &[]);
    ann.connect(&server, "plan", "");
    ann.wait_until_saved();
    ann.wait_for_value("A4", 1.0);
    assert_eq!(server.get("/api/v1/rooms/plan").json()["revision"], 4);
}

#[test]
fn idle_rooms_are_unloaded_and_loaded_again() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--room-idle-seconds", "0", "--metrics", "true"]);
    for room in 0..20 {
        server.make_room(&format!("room{room}"), &format!("{room},=A1*2\n"));
    }
    let deadline = Instant::now() + crate::support::TIMEOUT;
    while server.metric("quadrille_rooms") != Some(0.0) {
        assert!(Instant::now() < deadline, "idle rooms are not unloaded");
        std::thread::sleep(Duration::from_millis(50));
    }
    for room in 0..20 {
        assert_eq!(server.csv(&format!("room{room}")), format!("{room},{}\n", room * 2));
    }
}
