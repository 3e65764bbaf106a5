//! Starting and stopping the server, and the errors that prevent a start.

use std::path::Path;
use std::process::Stdio;

use quadrille_replica::Status;

use crate::person::Person;
use crate::support::{Server, binary, file};

/// Runs `serve` with invalid arguments and returns the exit code and the last line of standard
/// error.
fn refused(arguments: &[&str]) -> (i32, String) {
    let output =
        binary().arg("serve").args(arguments).stdout(Stdio::null()).output().expect("the binary starts");
    let text = String::from_utf8_lossy(&output.stderr);
    (output.status.code().expect("not killed"), text.lines().last().unwrap_or_default().to_owned())
}

#[test]
fn a_failed_start_prints_a_one_line_error() {
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
        (vec!["--listen", &port, "--data", other], 1, "the port is in use by another program"),
        (vec!["--listen", "127.0.0.1:0", "--data", not_a_directory], 1, "cannot use data directory"),
        (vec!["--listen", "127.0.0.1:0", "--data", "/proc/nothing"], 1, "cannot use data directory"),
        (vec!["--listen", "nowhere", "--data", other], 1, "cannot listen on nowhere"),
        (vec!["--config", config, "--data", other], 2, "unknown field `lissten`"),
        (vec!["--config", "/nothing.toml"], 2, "cannot read the configuration file"),
        (vec!["--node-url", "foo", "--data", other], 2, "such as http://10.0.0.5:8000"),
        (vec!["--node-url", "http://a:8000/b", "--data", other], 2, "node_url is not the URL of a server"),
        (
            vec!["--storage", "postgres://a@db1/x postgres://b@db1:5432/x", "--data", other],
            2,
            "storage: the list names the database postgres://b@db1:5432/x twice",
        ),
        (vec!["--storage", "postgres://a:top@s3cret@db1/x", "--data", other], 2, "it has more than one @"),
    ] {
        let (exit, message_line) = refused(&arguments);
        assert_eq!(exit, code, "{arguments:?}: {message_line}");
        assert!(
            message_line.starts_with("quadrille: ") && message_line.contains(message),
            "{arguments:?}: {message_line}"
        );
    }
    assert_eq!(server.get("/readyz").status, 200);
}

#[test]
fn others_cannot_read_a_new_data_directory() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path().join("new/data");
    let mode = |path: &Path| path.metadata().expect("exists").permissions().mode() & 0o777;
    let server = Server::start_on(&data, &[]);
    server.make_room("plan", "1\n");
    assert_eq!(server.post_json("/_/plan", r#"{"command":"settimetrigger B9 99999999"}"#).status, 202);
    assert_eq!(mode(&data), 0o700);
    let entries = std::fs::read_dir(&data).expect("lists");
    let files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    // Each with a write-ahead log and its index, the lock, and the time triggers.
    assert!(files.len() >= 9, "{files:?}");
    assert!(
        files.iter().all(|file| mode(file) == 0o600),
        "{:?}",
        files.iter().map(|file| mode(file)).collect::<Vec<_>>()
    );
}

#[test]
fn sigterm_closes_sessions_finishes_writes_and_exits_with_0() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A1", "1");
    ann.wait_until_saved();
    server.signal("TERM");
    ann.wait_until("closed", |ann| ann.closed_with == Some(1012));
    drop(ann);
    assert_eq!(server.wait().code(), Some(0));
    let mut server = Server::start_on(data.path(), &[]);
    assert_eq!(server.csv("plan"), "1\n");
    server.signal("INT");
    assert_eq!(server.wait().code(), Some(0));
}

/// Number of records that the next start replays for the room.
fn records_to_replay(data: &Path, room: &str) -> u64 {
    use quadrille_journal::Storage;
    let mut storage =
        quadrille_storage_sqlite::SqliteStorage::open(data).expect("the directory is not in use");
    let room = quadrille_protocol::RoomName::new(room).expect("a name");
    let key = storage.find(&room).expect("reads").expect("the room exists").key;
    storage.load(key).expect("loads").records.len() as u64
}

#[test]
fn shutdown_stores_snapshots_of_rooms_with_many_records() {
    let data = tempfile::tempdir().expect("a temporary directory");
    // The first server has no time to store snapshots; the others have.
    for (drain_seconds, signal, is_stored) in
        [("0", "TERM", false), ("25", "TERM", true), ("25", "INT", true)]
    {
        let mut server = Server::start_on(data.path(), &["--drain-seconds", drain_seconds]);
        let (mut ann, mut ben) =
            (Person::join(&server, "much", "Ann"), Person::join(&server, "little", "Ben"));
        for row in 1..=100 {
            ann.type_text(&format!("A{row}"), &format!("{row} {drain_seconds} {signal}"));
        }
        ben.type_text("A1", "1");
        ann.wait_until_saved();
        ben.wait_until_saved();
        let csv = server.csv("much");
        server.signal(signal);
        // Without drain time, the server drops connections, and the close frame may not be sent.
        let is_cut = |person: &Person| {
            drain_seconds == "0" && matches!(person.replica.status(), Status::Offline { .. })
        };
        ann.wait_until("closed", |ann| ann.closed_with == Some(1012) || is_cut(ann));
        ben.wait_until("closed", |ben| ben.closed_with == Some(1012) || is_cut(ben));
        drop((ann, ben));
        assert_eq!(server.wait().code(), Some(0));
        assert_eq!(records_to_replay(data.path(), "much") == 0, is_stored, "{drain_seconds} {signal}");
        assert!(records_to_replay(data.path(), "little") > 0, "a room with few records gets no snapshot");
        let mut server = Server::start_on(data.path(), &[]);
        assert_eq!(server.csv("much"), csv);
        server.kill();
    }
}

#[test]
fn a_request_under_way_is_finished_before_the_server_stops() {
    use std::io::{Read, Write};
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    // The server does not stop while a request is under way.
    let mut slow = server.connect();
    slow.write_all(
        b"PUT /api/v1/rooms/r HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/csv\r\ncontent-length: 2\r\n\r\n1",
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
fn settings_are_read_from_the_configuration_file() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let (_guard, config) = file("quadrille.toml", "default_role = \"view\"\n");
    let server = Server::start_on(data.path(), &["--config", config.to_str().expect("UTF-8")]);
    let reply = server.put("/api/v1/rooms/r", "text/csv", "1");
    assert_eq!((reply.status, reply.code().as_str()), (403, "forbidden"));
}
