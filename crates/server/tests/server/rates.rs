//! Rate limits: sessions over a limit are delayed or disconnected, without losing edits.

use tungstenite::{Error, Message};

use crate::person::{Person, socket};
use crate::support::Server;

fn start(more: &[&str]) -> (tempfile::TempDir, Server) {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), more);
    (data, server)
}

fn head(server: &Server) -> u64 {
    server.get("/api/v1/rooms/plan").json()["revision"].as_u64().expect("a revision")
}

#[test]
fn slow_a_session_over_its_rate_is_delayed_without_losing_edits() {
    let (_data, server) = start(&["--connection-operations-per-second", "50"]);
    let mut ann = Person::join(&server, "plan", "Ann");
    let began = std::time::Instant::now();
    // The burst allows ten seconds of operations; these are twelve.
    for number in 1..=600 {
        ann.type_text("A1", &number.to_string());
        if number % 50 == 0 {
            ann.receive();
        }
    }
    ann.wait_until_saved();
    assert!(began.elapsed().as_secs_f64() > 1.5, "{:?}", began.elapsed());
    assert_eq!((head(&server), ann.closed_with), (600, None));
    // Other sessions are not delayed.
    let mut bob = Person::join(&server, "plan", "Bob");
    bob.wait_for_value("A1", 600.0);
}

#[test]
fn r2_a_session_over_the_room_rate_is_disconnected_and_keeps_its_edits() {
    let (_data, server) = start(&["--room-operations-per-second", "1", "--metrics", "true"]);
    let mut people: Vec<Person> =
        (0..20).map(|number| Person::join(&server, "plan", &format!("Person {number}"))).collect();
    for (row, person) in (1..).zip(&mut people) {
        person.type_text(&format!("A{row}"), "1");
    }
    // The burst allows ten edits; the others are delayed, the last ones by more than the longest
    // delay.
    let mut disconnected = 0;
    for person in &mut people {
        person.wait_until("saved or disconnected", |person| {
            person.closed_with.is_some() || person.replica.status() == quadrille_replica::Status::Saved
        });
        if let Some(code) = person.closed_with {
            assert_eq!(code, 4429);
            disconnected += 1;
            person.connect(&server, "plan", "");
            person.wait_until_saved();
        }
    }
    assert!(disconnected > 0);
    assert_eq!(head(&server), 20, "each edit was applied once");
    // REST requests get the same error, with the time to wait.
    let refused = server.put_json("/api/v1/rooms/plan/sheets/Sheet1/cells/B1", "1");
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many_requests"), "{refused:?}");
    assert!(refused.header("retry-after").parse::<u64>().expect("seconds") >= 1);
    assert!(server.metric("quadrille_limits_hit_total{limit=\"room\"}") >= Some(disconnected.into()));
}

#[test]
fn joins_beyond_the_rate_are_closed_with_the_time_to_wait() {
    let (_data, server) = start(&["--room-joins-per-second", "1"]);
    let sessions: Vec<_> = (0..10).map(|_| socket(&server, "plan", "")).collect();
    // The burst is used up; a second may have passed since.
    let reason = (0..5).find_map(|_| {
        let mut socket = socket(&server, "plan", "");
        socket.get_ref().set_read_timeout(Some(std::time::Duration::from_millis(300))).expect("a socket");
        match socket.read() {
            Ok(Message::Close(frame)) => frame.map(|frame| (u16::from(frame.code), frame.reason.to_string())),
            Ok(_) | Err(Error::Io(_)) => None,
            Err(error) => panic!("{error}"),
        }
    });
    assert_eq!(reason, Some((4429, "too_fast retry-after=1".into())));
    assert_eq!(sessions.len(), 10);
}

#[test]
fn requests_are_limited_per_address_except_from_loopback() {
    let (_data, server) = start(&["--address-requests-per-second", "1"]);
    let forwarded = [("x-forwarded-for", "192.0.2.7")];
    let statuses: Vec<u16> =
        (0..14).map(|_| server.send("GET", "/healthz", &forwarded, b"").status).collect();
    assert_eq!(statuses[..10], [200; 10]);
    assert!(statuses[10..].contains(&429), "{statuses:?}");
    assert!((0..14).all(|_| server.get("/healthz").status == 200));
    let other = [("x-forwarded-for", "192.0.2.8")];
    assert_eq!(server.send("GET", "/healthz", &other, b"").status, 200);
}

#[test]
fn metrics_are_disabled_by_default_and_count_events() {
    let (_data, server) = start(&[]);
    assert_eq!(server.get("/metrics").status, 404);
    let (_data, server) = start(&["--metrics", "true"]);
    let mut ann = Person::join(&server, "plan", "Ann");
    for number in 1..=40 {
        ann.type_text("A1", &number.to_string());
    }
    ann.wait_until_saved();
    let reply = server.get("/metrics");
    assert_eq!(reply.header("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    let text = reply.text();
    for line in [
        "quadrille_rooms 1",
        "quadrille_sessions 1",
        "quadrille_transactions_total 40",
        "quadrille_operations_total 40",
        "quadrille_digest_mismatches_total 0",
        "quadrille_journal_queue_bytes 0",
        "# EOF",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in {text}");
    }
    // Two concurrent edits: the room rebases the second over the first.
    let mut bob = Person::join(&server, "plan", "Bob");
    ann.type_text("A2", "1");
    bob.type_text("A3", "1");
    ann.wait_until_saved();
    bob.wait_until_saved();
    for name in [
        "quadrille_rebases_total",
        "quadrille_commit_appends_count",
        "quadrille_commit_seconds_count",
        "quadrille_broadcast_round_seconds_count",
        "quadrille_delivery_seconds_count",
        "quadrille_received_bytes_total",
        "quadrille_sent_bytes_total",
        "quadrille_broadcast_frames_total",
    ] {
        assert!(server.metric(name) >= Some(1.0), "{name}: {:?}", server.metric(name));
    }
    for name in ["quadrille_room_queue_messages", "quadrille_worker_queue_tasks"] {
        assert!(server.metric(name).is_some(), "{name}");
    }
}
