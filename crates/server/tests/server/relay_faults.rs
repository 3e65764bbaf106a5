//! What a client at one server notices when the server that runs its room is killed, paused, stopped or
//! not reached.

use std::time::{Duration, Instant};

use quadrille_test_database::TestDatabase;
use tungstenite::Message;

use crate::access::close_code;
use crate::person::{Person, socket};
use crate::relay_sessions::Cluster;
use crate::several_servers::assert_owner;
use crate::support::{Server, TIMEOUT, free_port};

/// Long enough for a killed server to be removed and its room to be claimed.
const FAIL_OVER_MAX: Duration = Duration::from_secs(10);

/// Types numbers into a column, and reconnects to the same server whenever the connection ends, until one
/// was acknowledged after `disturb`. Returns how often it connected again.
fn edit_through(person: &mut Person, server: &Server, room: &str, disturb: impl FnOnce()) -> usize {
    let mut row = 0;
    let mut type_next = |person: &mut Person| {
        row += 1;
        person.type_text(&format!("A{row}"), "1");
    };
    for _ in 0..20 {
        type_next(person);
    }
    disturb();
    type_next(person);
    let (began, mut reconnects) = (Instant::now(), 0);
    while person.replica.unconfirmed() > 0 {
        if !person.receive() {
            reconnects += 1;
            person.connect(server, room, "");
        }
        assert!(began.elapsed() < FAIL_OVER_MAX, "{:?}", person.closed_with);
    }
    let rows = row;
    assert_eq!(server.csv(room), "1\n".repeat(rows), "each edit once");
    let revision = server.get(&format!("/api/v1/rooms/{room}")).header("etag").to_owned();
    assert_eq!(revision, format!("\"{rows}\""), "no edit was recorded twice");
    reconnects
}

#[test]
fn edits_at_another_server_survive_the_kill_of_the_owner() {
    let mut cluster = Cluster::<2>::start(&[]);
    let ann = Person::join(&cluster.servers[0], "sales", "Ann");
    assert_owner(cluster.database, &cluster.url, "sales", &cluster.servers[0]);
    let mut ben = Person::join(&cluster.servers[1], "sales", "Ben");
    let [first, second] = &mut cluster.servers;
    let reconnects = edit_through(&mut ben, second, "sales", || first.kill());
    assert_eq!(reconnects, 1, "the server that it reconnects to waits for the room");
    drop(ann);
}

#[test]
fn the_session_is_closed_with_the_code_for_a_restart_when_the_owner_is_killed() {
    let mut cluster = Cluster::<2>::start(&[]);
    let _ann = Person::join(&cluster.servers[0], "sales", "Ann");
    let mut ben = Person::join(&cluster.servers[1], "sales", "Ben");
    cluster.servers[0].kill();
    ben.wait_until("closed", |ben| ben.closed_with.is_some());
    assert_eq!(ben.closed_with, Some(1012));
    cluster.wait_for_relayed(1, 0.0);
}

/// The kernel keeps the connections of a paused process open.
#[test]
fn edits_at_another_server_survive_a_pause_of_the_owner() {
    let mut cluster = Cluster::<2>::start(&[]);
    let _ann = Person::join(&cluster.servers[0], "sales", "Ann");
    let mut ben = Person::join(&cluster.servers[1], "sales", "Ben");
    let [first, second] = &mut cluster.servers;
    let reconnects = edit_through(&mut ben, second, "sales", || first.pause());
    assert_eq!(reconnects, 1);
    first.signal("CONT");
    assert_eq!(first.wait().code(), Some(3), "it has lost its rooms");
}

#[test]
fn requests_wait_for_the_room_of_a_killed_server() {
    let mut cluster = Cluster::<2>::start(&[]);
    cluster.servers[0].make_room("sales", "1\n");
    let _ann = Person::join(&cluster.servers[0], "sales", "Ann");
    cluster.servers[0].kill();
    // Nothing was sent to the killed server, so a change is as safe as a read.
    let second = &cluster.servers[1];
    let written = second.put_json("/api/v1/rooms/sales/sheets/Sheet1/cells/A2", "2");
    assert_eq!(written.status, 200, "{written:?}");
    assert_eq!(second.csv("sales"), "1\n2\n");
}

#[test]
fn a_read_that_waits_for_a_paused_server_is_answered_by_its_successor() {
    let cluster = Cluster::<2>::start(&[]);
    let [first, second] = &cluster.servers;
    first.make_room("sales", "1\n");
    let _ann = Person::join(first, "sales", "Ann");
    first.pause();
    let cell = "/api/v1/rooms/sales/sheets/Sheet1/cells/A2";
    let (read, written) = std::thread::scope(|scope| {
        let written = scope.spawn(|| second.put_json(cell, "2"));
        (second.get("/api/v1/rooms/sales?format=csv"), written.join().expect("an answer"))
    });
    assert_eq!(read.status, 200, "{read:?}");
    // Whether the paused server has carried it out is not known.
    assert_eq!((written.status, written.code().as_str()), (503, "room_elsewhere"), "{written:?}");
    assert_eq!(written.header("retry-after"), "1");
    assert_eq!(second.put_json(cell, "2").status, 200);
    first.signal("CONT");
}

#[test]
fn a_server_that_stops_tells_those_whose_sessions_it_relays() {
    let mut cluster = Cluster::<2>::start(&[]);
    let mut ann = Person::join(&cluster.servers[0], "sales", "Ann");
    let mut ben = Person::join(&cluster.servers[1], "sales", "Ben");
    cluster.servers[1].signal("TERM");
    ben.wait_until("closed", |ben| ben.closed_with.is_some());
    assert_eq!(ben.closed_with, Some(1012));
    assert_eq!(cluster.servers[1].wait().code(), Some(0));
    ben.connect(&cluster.servers[0], "sales", "");
    ben.type_text("A1", "7");
    ann.wait_for_value("A1", 7.0);
}

#[test]
fn edits_at_another_server_survive_an_orderly_stop_of_the_owner() {
    let mut cluster = Cluster::<2>::start(&[]);
    let _ann = Person::join(&cluster.servers[0], "sales", "Ann");
    let mut ben = Person::join(&cluster.servers[1], "sales", "Ben");
    let [first, second] = &mut cluster.servers;
    edit_through(&mut ben, second, "sales", || first.signal("TERM"));
    assert_eq!(first.wait().code(), Some(0));
    drop(ben);
}

/// A server that stops may have requests to finish; its rooms do not wait for them.
#[test]
fn a_server_that_stops_hands_its_rooms_over_before_it_has_ended() {
    use std::io::{Read, Write};
    let mut cluster = Cluster::<2>::start(&["--drain-seconds", "30"]);
    let [first, second] = &mut cluster.servers;
    first.make_room("sales", "1\n");
    let _ann = Person::join(first, "sales", "Ann");
    let mut ben = Person::join(second, "sales", "Ben");
    let mut unfinished = first.connect();
    let head = "PUT /api/v1/rooms/other HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/csv\r\n\
                content-length: 100\r\nexpect: 100-continue\r\n\r\n";
    unfinished.write_all(head.as_bytes()).expect("open");
    // From here on the request is in progress.
    let mut goes_on = [0; 25];
    unfinished.read_exact(&mut goes_on).expect("an answer");
    assert_eq!(&goes_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    first.signal("TERM");
    ben.wait_until("closed", |ben| ben.closed_with.is_some());
    assert_eq!(ben.closed_with, Some(1012));
    let began = Instant::now();
    ben.connect(second, "sales", "");
    ben.type_text("A2", "2");
    ben.wait_until_saved();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(second.csv("sales"), "1\n2\n");
    assert_owner(cluster.database, &cluster.url, "sales", second);
    // It has not ended yet: it answers the request when that is complete.
    unfinished.write_all(&[b'1'; 100]).expect("open");
    let mut answer = [0; 12];
    unfinished.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 201");
    assert_eq!(first.wait().code(), Some(0));
}

/// A server whose `node_url` is wrong, so that the others do not reach it.
#[test]
fn a_room_of_a_server_that_is_not_reached_is_elsewhere() {
    let database = TestDatabase::shared();
    let url = database.create();
    let nowhere = format!("http://127.0.0.1:{}", free_port());
    let first = Server::start_on(&std::env::temp_dir(), &["--storage", &url, "--node-url", &nowhere]);
    let second = Server::start_on(&std::env::temp_dir(), &["--storage", &url]);
    first.make_room("sales", "1\n");
    let _ann = Person::join(&first, "sales", "Ann");
    for (method, path) in [("GET", "/api/v1/rooms/sales"), ("DELETE", "/api/v1/rooms/sales")] {
        let reply = second.send(method, path, &[], b"");
        assert_eq!((reply.status, reply.code().as_str()), (503, "room_elsewhere"), "{reply:?}");
        let message = format!("another server runs the room: {nowhere}");
        assert_eq!(reply.json()["error"]["message"], message);
        assert_eq!(reply.header("retry-after"), "1");
    }
    let plain = second.get("/_/sales");
    assert_eq!((plain.status, plain.header("content-type")), (503, "text/plain; charset=utf-8"));
    // Browsers see close codes only: this one says that the client has to connect again.
    assert_eq!(close_code(&mut socket(&second, "sales", "")).0, 1012);
    assert_eq!(first.csv("sales"), "1\n");
}

/// The address of a server was given to one of another database.
#[test]
fn a_server_of_another_database_answers_no_relayed_request() {
    let database = TestDatabase::shared();
    let (url, other_url) = (database.create(), database.create());
    let other = Server::start_on(&std::env::temp_dir(), &["--storage", &other_url]);
    let node_url = other.url("");
    let first = Server::start_on(&std::env::temp_dir(), &["--storage", &url, "--node-url", &node_url]);
    let second = Server::start_on(&std::env::temp_dir(), &["--storage", &url]);
    first.make_room("sales", "1\n");
    let _ann = Person::join(&first, "sales", "Ann");
    let reply = second.put_json("/api/v1/rooms/sales/sheets/Sheet1/cells/A1", "2");
    assert_eq!((reply.status, reply.code().as_str()), (503, "room_elsewhere"), "{reply:?}");
    assert_eq!(other.get("/api/v1/rooms/sales").status, 404, "nothing was written there");
    assert_eq!(first.csv("sales"), "1\n");
}

/// Only a server of the database can say for whom it asks.
#[test]
fn forged_headers_are_refused() {
    let database = TestDatabase::shared();
    let url = database.create();
    let data = tempfile::tempdir().expect("a temporary directory");
    for server in
        [Server::start_on(&std::env::temp_dir(), &["--storage", &url]), Server::start_on(data.path(), &[])]
    {
        server.make_room("sales", "1\n");
        for text in ["", "1 203.0.113.7 00", &format!("1795000000000 203.0.113.7 {}", "0".repeat(64))] {
            for (method, path) in
                [("GET", "/api/v1/rooms/sales"), ("DELETE", "/_/sales"), ("GET", "/metrics")]
            {
                let reply = server.send(method, path, &[("quadrille-relayed-for", text)], b"");
                assert_eq!((reply.status, reply.code().as_str()), (421, "misdirected_request"), "{text}");
            }
        }
        assert_eq!(server.csv("sales"), "1\n");
    }
}

/// The header that a real server sends is taken down and used again for something else.
#[test]
fn a_header_of_another_request_is_refused() {
    use std::io::{BufRead, BufReader, Write};
    let database = TestDatabase::shared();
    let url = database.create();
    // A port at which the test reads what the second server sends to the first.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let node_url = format!("http://{}", listener.local_addr().expect("bound"));
    let first = Server::start_on(&std::env::temp_dir(), &["--storage", &url, "--node-url", &node_url]);
    let second = Server::start_on(&std::env::temp_dir(), &["--storage", &url]);
    first.make_room("sales", "1\n");
    let _ann = Person::join(&first, "sales", "Ann");
    let taken = std::thread::scope(|scope| {
        let asking = scope.spawn(|| second.get("/api/v1/rooms/sales?format=csv"));
        let (stream, _) = listener.accept().expect("the second server connects");
        let mut reader = BufReader::new(stream);
        let mut header = String::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("readable");
            if let Some(value) = line.strip_prefix("quadrille-relayed-for: ") {
                value.trim().clone_into(&mut header);
            }
            if line == "\r\n" {
                break;
            }
        }
        // An answer that is not signed is that of nobody.
        let forged = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged";
        reader.get_mut().write_all(forged).expect("open");
        drop(listener);
        assert_eq!(asking.join().expect("an answer").status, 503);
        header
    });
    let headers = [("quadrille-relayed-for", taken.as_str())];
    let used = first.send("GET", "/api/v1/rooms/sales?format=csv", &headers, b"");
    assert_eq!(used.status, 200, "as it was sent");
    for (method, path) in [
        ("GET", "/api/v1/rooms/sales?format=ods"),
        ("DELETE", "/api/v1/rooms/sales?format=csv"),
        ("GET", "/api/v1/rooms/other?format=csv"),
    ] {
        assert_eq!(first.send(method, path, &headers, b"").status, 421, "{method} {path}");
    }
    let forwarded = [headers[0], ("x-forwarded-for", "203.0.113.9")];
    assert_eq!(first.send("GET", "/api/v1/rooms/sales?format=csv", &forwarded, b"").status, 421);
    // A request that was relayed is not relayed again.
    let again = second.send("GET", "/api/v1/rooms/sales?format=csv", &headers, b"");
    assert_eq!((again.status, again.code().as_str()), (503, "room_elsewhere"), "{again:?}");
}

/// Messages that were sent before the owner was killed may be acknowledged or not; the client asks again.
#[test]
fn a_relayed_socket_is_not_left_open_when_the_owner_is_killed() {
    let mut cluster = Cluster::<2>::start(&[]);
    let _ann = Person::join(&cluster.servers[0], "sales", "Ann");
    let mut raw = socket(&cluster.servers[1], "sales", "");
    raw.send(Message::Ping(Vec::new().into())).expect("open");
    assert!(matches!(raw.read(), Ok(Message::Pong(_))));
    cluster.servers[0].kill();
    let (code, took) = close_code(&mut raw);
    assert_eq!(code, 1012);
    assert!(took < TIMEOUT);
}
