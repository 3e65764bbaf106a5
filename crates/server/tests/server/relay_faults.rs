//! What a client at one server notices when the server that runs its room is killed, paused, stopped or
//! not reached.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
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

/// What a server sends to another one, taken down on its way.
struct Taken {
    head: String,
    body: Vec<u8>,
}

impl Taken {
    /// Reads a request, and answers as somebody who is no server of the database.
    fn read(listener: &TcpListener) -> Taken {
        let (stream, _) = listener.accept().expect("the server connects");
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let begin = head.len();
            reader.read_line(&mut head).expect("readable");
            if let Some(value) = head[begin..].strip_prefix("content-length: ") {
                length = value.trim().parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("the body");
        // An answer that is not signed is that of nobody.
        let forged = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged";
        reader.get_mut().write_all(forged).expect("open");
        Taken { head, body }
    }

    /// Sends it to a server. Returns the status.
    fn send(&self, server: &Server) -> u16 {
        self.send_changed(server, |_, _| ())
    }

    fn send_changed(&self, server: &Server, change: impl FnOnce(&mut String, &mut Vec<u8>)) -> u16 {
        let (mut head, mut body) = (self.head.clone(), self.body.clone());
        change(&mut head, &mut body);
        let mut stream = server.connect();
        stream.write_all(&[head.as_bytes(), &body].concat()).expect("open");
        let mut status = [0; 12];
        stream.read_exact(&mut status).expect("an answer");
        std::str::from_utf8(&status[9..]).expect("ASCII").parse().expect("a status")
    }
}

/// A server whose `node_url` is a port of the test, at which it reads what the second one sends to the first.
struct Tapped {
    first: Server,
    second: Server,
    listener: TcpListener,
    arguments: Vec<String>,
}

impl Tapped {
    fn start() -> Tapped {
        let database = TestDatabase::shared();
        let url = database.create();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let node_url = format!("http://{}", listener.local_addr().expect("bound"));
        let arguments = ["--storage", &url, "--node-url", &node_url].map(str::to_owned).to_vec();
        let first = Tapped::start_first(&arguments);
        let second = Server::start_on(&std::env::temp_dir(), &["--storage", &url]);
        Tapped { first, second, listener, arguments }
    }

    fn start_first(arguments: &[String]) -> Server {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Server::start_on(&std::env::temp_dir(), &arguments)
    }

    /// Lets the second server relay a request, which does not arrive.
    fn take(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Taken {
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| self.second.send(method, path, headers, body));
            let taken = Taken::read(&self.listener);
            // Later attempts, of requests that may be repeated.
            while !asking.is_finished() {
                self.listener.set_nonblocking(true).expect("a socket");
                drop(self.listener.accept());
                std::thread::sleep(Duration::from_millis(10));
            }
            self.listener.set_nonblocking(false).expect("a socket");
            assert_eq!(asking.join().expect("an answer").status, 503);
            taken
        })
    }
}

/// The head that a real server sends is taken down and used again for something else.
#[test]
fn a_header_of_another_request_is_refused() {
    let tapped = Tapped::start();
    let first = &tapped.first;
    first.make_room("sales", "1\n");
    let _ann = Person::join(first, "sales", "Ann");
    let credentials = [("authorization", "Bearer qt_1"), ("x-forwarded-for", "203.0.113.9")];
    let taken = tapped.take("GET", "/api/v1/rooms/sales?format=csv", &credentials, b"");
    let replaced = |from: &'static str, to: &'static str| {
        taken.send_changed(first, |head, _| {
            assert!(head.contains(from), "{head}");
            *head = head.replacen(from, to, 1);
        })
    };
    for (from, to) in [
        ("format=csv", "format=ods"),
        ("GET ", "DELETE "),
        ("rooms/sales", "rooms/other"),
        ("203.0.113.9", "203.0.113.8"),
        ("x-forwarded-for: 203.0.113.9\r\n", ""),
        ("Bearer qt_1", "Bearer qt_2"),
        ("\r\n\r\n", "\r\ncookie: a=b\r\n\r\n"),
        ("quadrille-relayed-once: ", "x-once: "),
    ] {
        assert_eq!(replaced(from, to), 421, "{from}");
    }
    assert_eq!(taken.send(&tapped.second), 421, "it is for the first server");
    assert_eq!(taken.send(first), 401, "as it was sent: there is no such token");
    assert_eq!(taken.send(first), 421, "it has arrived before");
}

/// A change was taken down on its way: it is made once, and only as it was sent.
#[test]
fn a_request_that_is_sent_again_with_the_same_header_is_refused() {
    const TWO: &[u8] = br#"{"rows":[[2]]}"#;
    const NINE: &[u8] = br#"{"rows":[[9]]}"#;
    let mut tapped = Tapped::start();
    tapped.first.make_room("sales", "1\n");
    let ann = Person::join(&tapped.first, "sales", "Ann");
    let json = [("content-type", "application/json")];
    let rows = "/api/v1/rooms/sales/sheets/Sheet1/rows";
    let kept = tapped.take("POST", rows, &json, TWO);
    let changed = kept.send_changed(&tapped.first, |_, body| *body = NINE.to_vec());
    assert_eq!(changed, 421, "another body");
    assert_eq!(kept.send(&tapped.first), 421, "that was its one arrival");
    let again = tapped.take("POST", rows, &json, TWO);
    assert_eq!(again.send(&tapped.first), 201);
    for body in [TWO, NINE] {
        assert_eq!(again.send_changed(&tapped.first, |_, sent| *sent = body.to_vec()), 421);
    }
    assert_eq!(tapped.first.csv("sales"), "1\n2\n");

    // A long body is passed on as it arrives; it is accepted once all the same.
    let row = format!(r#"["{}"]"#, "x".repeat(30_000));
    let long = format!(r#"{{"rows":[{row},{row},{row}]}}"#);
    let streamed = tapped.take("POST", rows, &json, long.as_bytes());
    assert_eq!(streamed.send(&tapped.first), 201);
    assert_eq!(streamed.send(&tapped.first), 421);

    // Nor does a server that has started again since accept what was for the process before.
    let before = tapped.take("POST", rows, &json, TWO);
    drop(ann);
    tapped.first.kill();
    tapped.first = Tapped::start_first(&tapped.arguments);
    assert_eq!(before.send(&tapped.first), 421);
}

/// The stream of a room, in which the sessions of another server are.
#[test]
fn a_request_for_a_stream_is_accepted_once() {
    let tapped = Tapped::start();
    let _ann = Person::join(&tapped.first, "sales", "Ann");
    let taken = std::thread::scope(|scope| {
        let asking = scope.spawn(|| close_code(&mut socket(&tapped.second, "sales", "")).0);
        let taken = Taken::read(&tapped.listener);
        while !asking.is_finished() {
            tapped.listener.set_nonblocking(true).expect("a socket");
            drop(tapped.listener.accept());
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(asking.join().expect("closed"), 1012);
        taken
    });
    assert!(taken.head.starts_with("GET /internal/room-streams/sales HTTP/1.1\r\n"), "{}", taken.head);
    assert_eq!(taken.send(&tapped.first), 101);
    assert_eq!(taken.send(&tapped.first), 421);
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
