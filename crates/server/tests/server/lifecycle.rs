//! Starting, stopping, and what prevents either.

use std::process::Stdio;

use quadrille_replica::Status;

use crate::person::Person;
use crate::support::{Server, binary, file};

/// Runs `serve` with arguments that cannot work: exit code and the last line on standard error.
fn refused(arguments: &[&str]) -> (i32, String) {
    let output =
        binary().arg("serve").args(arguments).stdout(Stdio::null()).output().expect("the binary starts");
    let text = String::from_utf8_lossy(&output.stderr);
    (output.status.code().expect("not killed"), text.lines().last().unwrap_or_default().to_owned())
}

#[test]
fn what_prevents_a_start_is_said_in_one_line() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &[]);
    let data = data.path().to_str().expect("UTF-8");
    let other = tempfile::tempdir().expect("a temporary directory");
    let other = other.path().to_str().expect("UTF-8");
    let port = server.address.to_string();
    let (_guard, not_a_directory) = file("plain", "a file");
    let not_a_directory = not_a_directory.to_str().expect("UTF-8");
    let (_guard, config) = file("quadrille.toml", "lissten = \"x\"\n");
    let config = config.to_str().expect("UTF-8");
    for (arguments, code, message) in [
        (vec!["--listen", "127.0.0.1:0", "--data", data], 1, "in use by another quadrille process"),
        (vec!["--listen", &port, "--data", other], 1, "another program uses this port"),
        (vec!["--listen", "127.0.0.1:0", "--data", not_a_directory], 1, "cannot use data directory"),
        (vec!["--listen", "127.0.0.1:0", "--data", "/proc/nothing"], 1, "cannot use data directory"),
        (vec!["--listen", "nowhere", "--data", other], 1, "cannot listen on nowhere"),
        (vec!["--config", config, "--data", other], 2, "unknown field `lissten`"),
        (vec!["--config", "/nothing.toml"], 2, "cannot read the configuration file"),
    ] {
        let (exit, said) = refused(&arguments);
        assert_eq!(exit, code, "{arguments:?}: {said}");
        assert!(said.starts_with("quadrille: ") && said.contains(message), "{arguments:?}: {said}");
    }
    assert_eq!(server.get("/readyz").status, 200);
}

#[test]
fn a_stop_closes_sessions_finishes_writes_and_ends_with_0() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.types("A1", "1");
    ann.saves();
    server.signal("TERM");
    ann.until("closed", |ann| ann.closed_with == Some(1012));
    drop(ann);
    assert_eq!(server.wait().code(), Some(0));
    let mut server = Server::start_on(data.path(), &[]);
    assert_eq!(server.csv("plan"), "1\n");
    server.signal("INT");
    assert_eq!(server.wait().code(), Some(0));
}

/// How many records the next start replays, and what it finds.
fn replayed(data: &std::path::Path, room: &str) -> u64 {
    use quadrille_journal::Storage;
    let mut storage = quadrille_storage_sqlite::SqliteStorage::open(data).expect("nobody else has it");
    let room = quadrille_protocol::RoomName::new(room).expect("a name");
    let key = storage.find(&room).expect("reads").expect("is there").key;
    storage.load(key).expect("loads").records.len() as u64
}

#[test]
fn a_stop_stores_snapshots_of_rooms_that_would_open_slowly() {
    let data = tempfile::tempdir().expect("a temporary directory");
    // The first server has no time for it, the second has.
    for (drain_seconds, signal, is_stored) in
        [("0", "TERM", false), ("25", "TERM", true), ("25", "INT", true)]
    {
        let mut server = Server::start_on(data.path(), &["--drain-seconds", drain_seconds]);
        let (mut ann, mut ben) =
            (Person::join(&server, "much", "Ann"), Person::join(&server, "little", "Ben"));
        for row in 1..=100 {
            ann.types(&format!("A{row}"), &format!("{row} {drain_seconds} {signal}"));
        }
        ben.types("A1", "1");
        ann.saves();
        ben.saves();
        let csv = server.csv("much");
        server.signal(signal);
        // Without time for it, connections are cut, and whether the goodbye still gets out is chance.
        let is_cut = |person: &Person| {
            drain_seconds == "0" && matches!(person.replica.status(), Status::Offline { .. })
        };
        ann.until("closed", |ann| ann.closed_with == Some(1012) || is_cut(ann));
        ben.until("closed", |ben| ben.closed_with == Some(1012) || is_cut(ben));
        drop((ann, ben));
        assert_eq!(server.wait().code(), Some(0));
        assert_eq!(replayed(data.path(), "much") == 0, is_stored, "{drain_seconds} {signal}");
        assert!(replayed(data.path(), "little") > 0, "a snapshot of that would not be worth it");
        let mut server = Server::start_on(data.path(), &[]);
        assert_eq!(server.csv("much"), csv);
        server.kill();
    }
}

#[test]
fn while_it_stops_it_is_not_ready() {
    use std::io::{Read, Write};
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    // A request under way keeps the server from ending.
    let mut slow = server.connect();
    slow.write_all(
        b"PUT /api/v1/rooms/r HTTP/1.1\r\nhost: x\r\ncontent-type: text/csv\r\ncontent-length: 2\r\n\r\n1",
    )
    .expect("open");
    assert_eq!(server.get("/readyz").status, 200);
    server.signal("TERM");
    slow.write_all(b"\n").expect("open");
    let mut answer = String::new();
    slow.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert_eq!(server.wait().code(), Some(0));
    let server = Server::start_on(data.path(), &[]);
    assert_eq!(server.csv("r"), "1\n");
}

#[test]
fn settings_come_from_flag_variable_and_file() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let (_guard, config) = file("quadrille.toml", "default_role = \"view\"\n");
    let server = Server::start_on(data.path(), &["--config", config.to_str().expect("UTF-8")]);
    let reply = server.put("/api/v1/rooms/r", "text/csv", "1");
    assert_eq!((reply.status, reply.code().as_str()), (403, "forbidden"));
}
