//! Several servers with one PostgreSQL database: each runs the rooms that it has claimed.

use std::net::TcpStream;
use std::process::Stdio;
use std::time::Instant;

use quadrille_test_database::{Durability, TestDatabase};
use serde_json::json;

use crate::accounts::{Browser, PASSWORD, is_welcome};
use crate::form_files::{parts, post_parts};
use crate::person::{Person, socket_with};
use crate::proxy_sign_in::Nginx;
use crate::support::{Reply, Server, TIMEOUT, binary};

/// Starts a server on the database. Rooms are released a second after they were used last.
pub fn start(url: &str) -> Server {
    let data = std::env::temp_dir();
    Server::start_on(&data, &["--storage", url, "--room-idle-seconds", "0"])
}

/// Repeats a request until the answer is another than that of a room elsewhere.
pub fn until_here(send: impl Fn() -> Reply) -> Reply {
    let began = Instant::now();
    loop {
        let reply = send();
        if reply.status != 503 || reply.code() != "room_elsewhere" {
            return reply;
        }
        assert!(began.elapsed() < TIMEOUT, "{reply:?}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

pub fn csv(server: &Server, room: &str) -> String {
    let reply = until_here(|| server.get(&format!("/api/v1/rooms/{room}?format=csv")));
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.text()
}

/// The server that runs a room, as the database says it; empty if none does.
pub fn owner(database: &TestDatabase, url: &str, room: &str) -> String {
    let query = format!(
        "SELECT coalesce(max(url), '') FROM quadrille.room_owner
         JOIN quadrille.node ON node.id = room_owner.node WHERE room = '{room}'"
    );
    database.sql(url, &query)
}

/// Checks which server runs a room.
pub fn assert_owner(database: &TestDatabase, url: &str, room: &str, server: &Server) {
    assert_eq!(owner(database, url, room), server.url(""), "{room}");
}

#[test]
fn every_server_answers_the_link_of_a_form() {
    let database = TestDatabase::shared();
    let url = database.create();
    let (mut first, second) = (start(&url), start(&url));
    first.make_room("guests", "Name,Photo\n");
    // Whoever has it open keeps it on the first server.
    let ann = Person::join(&first, "guests", "Ann");
    let questions = json!([{ "column": "Name", "isRequired": true }, { "column": "Photo", "kind": "file" }]);
    let form = json!({ "sheet": "Sheet1", "range": "A1:B1", "title": "Guests", "questions": questions });
    let form = first.post_json("/api/v1/rooms/guests/forms", &form.to_string()).json();
    let page = form["url"].as_str().expect("a link").to_owned();
    let api = page.replace("/_form/", "/api/v1/forms/");
    let id = |index: usize| form["questions"][index]["id"].as_str().expect("a number").to_owned();
    let (name, photo) = (format!("q{}", id(0)), format!("q{}", id(1)));

    assert_owner(database, &url, "guests", &first);
    assert_eq!(second.get(&api).json()["title"], "Guests");
    let german = second.send("GET", &page, &[("accept-language", "de")], b"");
    assert_eq!((german.status, german.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(german.text().contains("lang=\"de\""), "{}", german.text());
    let origin = format!("http://{}", second.address);
    let answer = json!({ "submission": "a", "answers": { id(0): "Ada" } }).to_string();
    let headers = [("content-type", "application/json"), ("origin", &*origin)];
    // Twice, at either server: one row.
    for server in [&second, &first, &second] {
        let headers = if std::ptr::eq(server, &first) { &headers[..1] } else { &headers[..] };
        let reply = server.send("POST", &format!("{api}/responses"), headers, answer.as_bytes());
        assert_eq!(reply.status, 201, "{reply:?}");
    }
    let body = parts(&[("submission", "b"), (&name, "Bob")], &[(&photo, "bob.gif", b"GIF89a")]);
    let reply = post_parts(&second, &page, &body);
    assert_eq!((reply.status, reply.header("location")), (303, &*format!("{page}?sent")), "{reply:?}");
    assert_eq!(second.get(&format!("{page}?sent")).status, 200);
    let refused = post_parts(&second, &page, &parts(&[("submission", "c"), (&name, "")], &[]));
    assert!(refused.status == 422 && refused.text().contains("Answer this question."), "{refused:?}");
    assert_eq!(csv(&first, "guests"), "Name,Photo\nAda,\nBob,bob.gif\n");
    assert_eq!(second.get("/_form/nothing").status, 404);

    drop(ann);
    first.kill();
    let reply = until_here(|| second.send("POST", &format!("{api}/responses"), &headers, answer.as_bytes()));
    assert_eq!(reply.status, 201, "{reply:?}");
    assert_eq!(csv(&second, "guests"), "Name,Photo\nAda,\nBob,bob.gif\n");
}

#[test]
fn two_servers_run_different_rooms_of_one_database() {
    let database = TestDatabase::shared();
    let url = database.create();
    let (mut first, second) = (start(&url), start(&url));
    let mut ann = Person::join(&first, "sales", "Ann");
    ann.type_text("A1", "4");
    ann.wait_until_saved();
    let mut ben = Person::join(&second, "plan", "Ben");
    ben.type_text("A1", "5");
    ben.wait_until_saved();

    assert_owner(database, &url, "sales", &first);
    assert_owner(database, &url, "plan", &second);
    // Each answers for the other, which goes on running its room.
    assert_eq!(csv(&second, "sales"), "4\n");
    assert_eq!(csv(&first, "plan"), "5\n");
    assert_owner(database, &url, "sales", &first);
    assert_owner(database, &url, "plan", &second);

    // A room that nobody has belongs to the server that opens it.
    drop(ben);
    let began = Instant::now();
    while !owner(database, &url, "plan").is_empty() {
        assert!(began.elapsed() < TIMEOUT, "the room is not released");
    }
    let cat = Person::join(&first, "plan", "Cat");
    assert_owner(database, &url, "plan", &first);
    drop(cat);

    // A server that stops releases its rooms.
    first.signal("TERM");
    ann.wait_until("closed", |ann| ann.closed_with == Some(1012));
    assert_eq!(first.wait().code(), Some(0));
    assert_eq!(second.get("/api/v1/rooms/sales?format=csv").text(), "4\n");
    ann.connect(&second, "sales", "");
    ann.type_text("A2", "6");
    ann.wait_until_saved();
    assert_eq!(csv(&second, "sales"), "4\n6\n");
}

/// The recipe of the operator's guide: nginx sends all requests for a room to the same server.
#[test]
fn nginx_chooses_the_server_by_the_room() {
    let database = TestDatabase::shared();
    let url = database.create();
    let data = tempfile::tempdir().expect("a temporary directory");
    let servers = [(); 2].map(|()| Server::start_on(data.path(), &["--storage", &url]));
    let [first, second] = servers.each_ref().map(|server| server.address.to_string());
    let nginx = Nginx::balance(&[("10.0.0.5:8000", &first), ("10.0.0.6:8000", &second)]);
    for number in 0..12 {
        let room = format!("room-{number}");
        let api = format!("/api/v1/rooms/{room}");
        assert_eq!(nginx.send("POST", &format!("{api}/access/claim"), &[]).0, 201);
        for path in
            [format!("/{room}"), format!("/{room}/view"), format!("/_/{room}"), format!("{api}/access")]
        {
            let status = nginx.send("GET", &path, &[]).0;
            assert!(status == 200 || status == 404, "{path}: {status}");
        }
        let stream = TcpStream::connect(nginx.url.trim_start_matches("http://")).expect("nginx listens");
        let socket = format!("{}{api}/socket", nginx.url.replace("http", "ws"));
        let (mut socket, _) = tungstenite::client(socket, stream).expect("nginx upgrades");
        assert!(is_welcome(&mut socket), "{room}");
    }
    assert_eq!(database.sql(&url, "SELECT count(DISTINCT node) FROM quadrille.room_owner"), "2");
}

#[test]
fn a_server_takes_over_when_the_owner_is_killed() {
    let database = TestDatabase::start(Durability::Synced);
    let url = database.create();
    let (mut first, mut second) = (start(&url), start(&url));
    let mut ann = Person::join(&first, "sales", "Ann");
    ann.type_text("A1", "acknowledged");
    ann.wait_until_saved();
    ann.type_text("A2", "perhaps");
    first.kill();
    assert!(csv(&second, "sales").starts_with("acknowledged\n"));
    ann.wait_until("offline", |ann| !ann.receive());
    ann.connect(&second, "sales", "");
    ann.wait_until_saved();
    assert_eq!(csv(&second, "sales"), "acknowledged\nperhaps\n", "once, whether it was stored before or not");

    // Started again at the same address, a server does not wait for itself.
    let address = second.address.to_string();
    second.kill();
    let again = Server::start_on(
        &std::env::temp_dir(),
        &["--storage", &url, "--node-url", &format!("http://{address}")],
    );
    assert_eq!(again.get("/api/v1/rooms/sales?format=csv").text(), "acknowledged\nperhaps\n");
}

/// A process that is stopped and goes on later, as a paused virtual machine does, believes that it runs the
/// room. It must not acknowledge what its successor has not seen.
#[test]
fn an_owner_that_was_paused_acknowledges_nothing_afterwards() {
    let database = TestDatabase::shared();
    let url = database.create();
    let (mut first, second) = (start(&url), start(&url));
    let mut ann = Person::join(&first, "sales", "Ann");
    ann.type_text("A1", "before");
    ann.wait_until_saved();

    first.pause();
    ann.type_text("A2", "to the paused one");
    assert_eq!(csv(&second, "sales"), "before\n");
    let mut ben = Person::join(&second, "sales", "Ben");
    ben.type_text("A3", "to the successor");
    ben.wait_until_saved();

    first.signal("CONT");
    assert_eq!(first.wait().code(), Some(3), "it ends, and a service manager starts it again");
    ann.wait_until("offline", |ann| !ann.receive());
    assert_eq!(ann.replica.unconfirmed(), 1, "the edit was not acknowledged");
    assert_eq!(csv(&second, "sales"), "before\n\nto the successor\n");
    // It is kept in the client, and stored by the successor.
    ann.connect(&second, "sales", "");
    ann.wait_until_saved();
    assert_eq!(csv(&second, "sales"), "before\nto the paused one\nto the successor\n");
}

#[test]
fn changes_of_access_reach_the_other_servers() {
    let database = TestDatabase::shared();
    let url = database.create();
    create_admin(&url);
    let (first, second) = (start(&url), start(&url));

    // Signing out at one server closes sessions at the other.
    let body = json!({ "email": "ada@example.org", "password": PASSWORD }).to_string();
    let ada = Browser::of(&second.post_json("/api/v1/session", &body));
    let mut page = Person::join_by(socket_with(&first, "open", "", &[("cookie", &ada.0)]), "Ada");
    assert_eq!(second.send("DELETE", "/api/v1/session", &[("cookie", &ada.0)], b"").status, 204);
    page.wait_until("closed", |page| page.closed_with.is_some());
    assert_eq!(page.closed_with, Some(4412));
    drop(page);

    // A server that has a workbook's access in memory does not go by it after another one has changed it.
    let claimed = until_here(|| first.post_json("/api/v1/rooms/plan/access/claim", ""));
    assert_eq!(claimed.status, 201, "{claimed:?}");
    let owner = format!("Bearer {}", claimed.json()["ownerKey"].as_str().expect("a key"));
    first.make_room("plan", "1\n");
    assert_eq!(csv(&second, "plan"), "1\n");
    let headers = [("authorization", owner.as_str()), ("content-type", "application/json")];
    let restricted = until_here(|| {
        first.send("PUT", "/api/v1/rooms/plan/access", &headers, br#"{"general":"restricted"}"#)
    });
    assert_eq!(restricted.status, 204, "{restricted:?}");
    let began = Instant::now();
    while until_here(|| second.get("/api/v1/rooms/plan")).status != 404 {
        assert!(began.elapsed() < TIMEOUT, "the second server goes by the old access");
    }
}

/// Adds the admin ada@example.org to a database.
pub fn create_admin(url: &str) {
    let created = binary()
        .args(["admin", "create", "--password", "--email", "ada@example.org", "--storage", url])
        .stdin(password())
        .stdout(Stdio::null())
        .status();
    assert!(created.expect("the binary starts").success());
}

/// The standard input with the password of an account.
fn password() -> Stdio {
    use std::io::{Seek, Write};
    let mut file = tempfile::tempfile().expect("a file");
    writeln!(file, "{PASSWORD}").expect("written");
    file.rewind().expect("a file");
    file.into()
}

#[test]
fn a_second_server_with_the_url_of_another_is_refused_and_the_first_goes_on() {
    let database = TestDatabase::shared();
    let url = database.create();
    let data = std::env::temp_dir();
    let options = ["--storage", &url, "--node-url", "http://sheets1.example.org:8000"];
    let mut first = Server::start_on(&data, &options);
    let mut ann = Person::join(&first, "sales", "Ann");
    ann.type_text("A1", "1");
    ann.wait_until_saved();
    let second = binary().args(["serve", "--listen", "127.0.0.1:0"]).args(options).output().expect("starts");
    let error = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{error}");
    assert!(error.contains("another server has the URL http://sheets1.example.org:8000"), "{error}");
    ann.type_text("A2", "2");
    ann.wait_until_saved();
    // One that was killed does not stand in the way.
    first.kill();
    let again = Server::start_on(&data, &options);
    assert_eq!(csv(&again, "sales"), "1\n2\n");
}
