//! More than one may do: who is slowed down, who is sent away, and that nothing is lost by it.

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
fn slow_who_writes_too_fast_is_slowed_down_and_loses_nothing() {
    let (_data, server) = start(&["--connection-operations-per-second", "50"]);
    let mut ann = Person::join(&server, "plan", "Ann");
    let began = std::time::Instant::now();
    // A burst of ten seconds' worth, and two seconds' worth more.
    for number in 1..=600 {
        ann.types("A1", &number.to_string());
        if number % 50 == 0 {
            ann.listens();
        }
    }
    ann.saves();
    assert!(began.elapsed().as_secs_f64() > 1.5, "{:?}", began.elapsed());
    assert_eq!((head(&server), ann.closed_with), (600, None));
    // Others are not slowed down by it.
    let mut bob = Person::join(&server, "plan", "Bob");
    bob.sees("A1", 600.0);
}

#[test]
fn r2_who_would_have_to_wait_long_is_sent_away_with_the_time_and_comes_back_with_everything() {
    let (_data, server) = start(&["--room-operations-per-second", "1", "--metrics", "true"]);
    let mut people: Vec<Person> =
        (0..20).map(|number| Person::join(&server, "plan", &format!("Person {number}"))).collect();
    for (row, person) in (1..).zip(&mut people) {
        person.types(&format!("A{row}"), "1");
    }
    // Ten may write at once; those after them owe the room seconds, the last ones more than anyone is kept waiting.
    let mut sent_away = 0;
    for person in &mut people {
        person.until("saved or sent away", |person| {
            person.closed_with.is_some() || person.replica.status() == quadrille_replica::Status::Saved
        });
        if let Some(code) = person.closed_with {
            assert_eq!(code, 4429);
            sent_away += 1;
            person.connect(&server, "plan", "");
            person.saves();
        }
    }
    assert!(sent_away > 0);
    assert_eq!(head(&server), 20, "each once");
    // REST is told the same, with the time to wait.
    let refused = server.put_json("/api/v1/rooms/plan/sheets/Sheet1/cells/B1", "1");
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many_requests"), "{refused:?}");
    assert!(refused.header("retry-after").parse::<u64>().expect("seconds") >= 1);
    assert!(server.metric("quadrille_limits_hit_total{limit=\"room\"}") >= Some(sent_away.into()));
}

#[test]
fn joins_beyond_the_rate_are_closed_with_the_time_to_wait() {
    let (_data, server) = start(&["--room-joins-per-second", "1"]);
    let held: Vec<_> = (0..10).map(|_| socket(&server, "plan", "")).collect();
    // The burst is gone, and a second may have passed.
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
    assert_eq!(held.len(), 10);
}

#[test]
fn requests_of_one_address_are_limited_and_this_machine_is_not() {
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
fn metrics_count_and_are_off_unless_asked_for() {
    let (_data, server) = start(&[]);
    assert_eq!(server.get("/metrics").status, 404);
    let (_data, server) = start(&["--metrics", "true"]);
    let mut ann = Person::join(&server, "plan", "Ann");
    for number in 1..=40 {
        ann.types("A1", &number.to_string());
    }
    ann.saves();
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
    // Two who write without having heard of one another: the second is rebased over the first.
    let mut bob = Person::join(&server, "plan", "Bob");
    ann.types("A2", "1");
    bob.types("A3", "1");
    ann.saves();
    bob.saves();
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
