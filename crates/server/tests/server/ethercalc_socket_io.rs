//! EtherCalc's live protocol over socket.io, as its releases up to 2020 speak it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

use crate::access::Restricted;
use crate::ethercalc_bot::Bot;
use crate::support::Server;

/// A program with the real client of socket.io (`socket-io-client.mjs`), ended with the test.
pub struct Client {
    room: String,
    program: Child,
    messages: ChildStdin,
    received: BufReader<ChildStdout>,
}

impl Client {
    pub fn connect(server: &Server, room: &str, transports: &str) -> Client {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut program = Command::new("node")
            .arg(tests.join("tests/server/socket-io-client.mjs"))
            .arg(tests.join("../../web/package.json"))
            .args([&server.url(""), transports])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node.js is installed");
        let messages = program.stdin.take().expect("piped");
        let received = BufReader::new(program.stdout.take().expect("piped"));
        Client { room: room.to_owned(), program, messages, received }
    }

    pub fn send(&mut self, mut message: Json) {
        message["room"] = self.room.as_str().into();
        message["user"] = "0.4711".into();
        writeln!(self.messages, "{message}").expect("the program reads");
    }

    pub fn wait_for(&mut self, kind: &str) -> Json {
        loop {
            let mut line = String::new();
            self.received.read_line(&mut line).expect("readable");
            assert!(!line.is_empty(), "run `npm ci` in web first, or the client has ended without {kind}");
            let message: Json = serde_json::from_str(&line).expect("JSON");
            assert_ne!(message["type"], "connect_error", "{message}");
            if message["type"] == kind {
                return message;
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Fails when the program has ended.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn programs_edit_over_each_transport_of_socket_io() {
    let server = Server::start();
    for (room, transports) in [("a", "polling"), ("b", "websocket"), ("c", "polling,websocket")] {
        server.put(&format!("/_/{room}"), "text/csv", "1,Zürich 😀\n");
        let mut client = Client::connect(&server, room, transports);
        client.send(json!({ "type": "ask.log" }));
        let log = client.wait_for("log");
        assert!(log["snapshot"].as_str().expect("a save").contains("Zürich 😀"), "{log}");
        let mut bot = Bot::join(&server, room, "bot");
        client.send(json!({ "type": "execute", "cmdstr": "set A2 text t naïve 😀" }));
        let told = bot.wait_for("execute");
        assert_eq!((&told["cmdstr"], &told["user"]), (&json!("set A2 text t naïve 😀"), &json!("0.4711")));
        bot.execute("set B2 text t Ümlaut");
        assert_eq!(client.wait_for("execute")["cmdstr"], "set B2 text t Ümlaut");
        assert_eq!(server.get(&format!("/{room}.csv")).text(), "1,\"Zürich 😀\"\n\"naïve 😀\",Ümlaut\n");
    }
}

#[test]
fn a_client_that_polls_goes_on_by_websocket() {
    let server = Server::start();
    let mut client = Client::connect(&server, "plan", "polling,websocket");
    assert_eq!(client.wait_for("upgrade")["transport"], "websocket");
    client.send(json!({ "type": "ask.log" }));
    assert_eq!(client.wait_for("log")["room"], "plan");
}

#[test]
fn a_page_that_connects_again_gets_the_edits_that_it_missed() {
    let server = Server::start();
    server.put("/_/plan", "text/csv", "1\n");
    for missed in ["first", "second"] {
        server.post_json("/_/plan", &json!({ "command": format!("set B1 text t {missed}") }).to_string());
        // The page asks for the log and ignores it the second time; it takes the snapshot.
        let mut page = Client::connect(&server, "plan", "websocket");
        page.send(json!({ "type": "ask.log" }));
        page.wait_for("log");
        let snapshot = page.wait_for("snapshot");
        assert!(snapshot["snapshot"].as_str().expect("a save").contains(missed), "{snapshot}");
    }
}

#[test]
fn messages_of_a_client_have_one_order_over_its_rooms() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a", "websocket");
    let mut bot = Bot::join(&server, "b", "bot");
    let rows = 200;
    for round in 1..=5 {
        let set = |row: usize| format!("set A{row} value n {round}");
        let many = (1..=rows).map(set).collect::<Vec<_>>().join("\n");
        client.room = "a".to_owned();
        client.send(json!({ "type": "execute", "cmdstr": many }));
        client.send(json!({ "type": "execute", "cmdstr": format!("set B1 value n {round}") }));
        client.room = "b".to_owned();
        client.send(json!({ "type": "execute", "cmdstr": set(1) }));
        assert_eq!(bot.wait_for("execute")["cmdstr"], set(1));
        let first = server.get("/a.csv").text();
        assert!(first.starts_with(&format!("{round},{round}\n{round},\n")), "round {round}: {first}");
    }
}

#[test]
fn requests_of_socket_io_are_answered_as_its_server_does() {
    let server = Server::start();
    let opened = server.get("/socket.io/?EIO=3&transport=polling&b64=1");
    assert_eq!((opened.status, opened.header("content-type")), (200, "text/plain; charset=UTF-8"));
    let text = opened.text();
    assert!(text.contains(r#""upgrades":["websocket"]"#) && text.ends_with("2:40"), "{text}");
    // Clients of 2014 in browsers take bytes: a text, its length in digits, 255, the packet.
    let opened = server.get("/socket.io/?EIO=2&transport=polling");
    assert_eq!(opened.header("content-type"), "application/octet-stream");
    assert!(opened.body.ends_with(&[0, 2, 255, b'4', b'0']), "{:?}", opened.body);
    let length = opened.body.iter().position(|byte| *byte == 255).expect("the end of the length");
    let sid = String::from_utf8_lossy(&opened.body[length..]);
    let sid = sid.split("\"sid\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a session");
    let path = format!("/socket.io/?EIO=2&transport=polling&sid={sid}");
    // Each byte of a text is a character of its own: `é` is `Ã©`.
    let message = r#"42["data",{"type":"execute","room":"old","user":"1","cmdstr":"set A1 text t Ã©"}]"#;
    let body = format!("{}:{message}1:2", message.chars().count());
    let sent = server.send("POST", &path, &[("content-type", "text/plain;charset=UTF-8")], body.as_bytes());
    assert_eq!((sent.status, sent.text().as_str()), (200, "ok"));
    let pong = server.get(&path);
    assert_eq!(pong.body, [0, 1, 255, b'3']);
    // The command is carried out in its turn.
    let mut bot = Bot::join(&server, "old", "bot");
    if !server.get("/old.csv").text().contains('é') {
        assert_eq!(bot.wait_for("execute")["cmdstr"], "set A1 text t é");
    }
    assert_eq!(server.get("/old.csv").text(), "é\n");

    for (path, code) in
        [("/socket.io/?EIO=3&transport=polling&sid=unknown", 1), ("/socket.io/?EIO=3&transport=telegraph", 0)]
    {
        let refused = server.get(path);
        assert_eq!((refused.status, &refused.json()["code"]), (400, &json!(code)), "{path}");
    }
    let bad = server.send("POST", &path, &[("content-type", "text/plain")], b"99:x");
    assert_eq!((bad.status, &bad.json()["code"]), (400, &json!(3)));
    let elsewhere = [("origin", "https://elsewhere.example")];
    let refused = server.send("GET", "/socket.io/?EIO=3&transport=polling", &elsewhere, b"");
    assert_eq!(refused.status, 403, "{refused:?}");
}

#[test]
fn a_room_that_may_not_be_opened_says_nothing() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "secret");
    let mut client = Client::connect(&server, "secret", "websocket");
    client.send(json!({ "type": "ask.log" }));
    client.send(json!({ "type": "execute", "cmdstr": "set A1 value n 5" }));
    // The same connection still serves a room that is open to it.
    client.room = "open".to_owned();
    client.send(json!({ "type": "ask.log" }));
    assert_eq!(client.wait_for("log")["room"], "open");
    let read = crate::access::send(&server, &workbook.owner_key, "GET", "/_/secret/csv", "");
    assert!(!read.text().contains('5'), "{read:?}");
}
