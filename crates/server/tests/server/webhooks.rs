//! Webhooks: what a receiver gets, in which order, and what happens when it does not answer.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use quadrille_access::WebhookStore;
use serde_json::{Value as Json, json};
use sha2::Sha256;

use crate::access::{Restricted, send};
use crate::admin::{Prepared, admin, stored};
use crate::support::{Reply, Server, TIMEOUT};

/// A receiver that answers each request with the next status, and 204 after the last.
struct Receiver {
    address: SocketAddr,
    requests: mpsc::Receiver<Received>,
    answers: Arc<Mutex<VecDeque<u16>>>,
    is_over: Arc<AtomicBool>,
}

/// A request that has arrived.
#[derive(Debug)]
struct Received {
    id: String,
    sent_s: String,
    signature: String,
    body: String,
}

impl Receiver {
    fn start() -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (sender, requests) = mpsc::channel();
        let answers = Arc::new(Mutex::new(VecDeque::new()));
        let queue = Arc::clone(&answers);
        let is_over = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&is_over);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let received = answer(stream.expect("a connection"), &queue);
                let Some(received) = received else {
                    if end.load(Ordering::Relaxed) {
                        return;
                    }
                    // A server was killed before it had sent its request.
                    continue;
                };
                if sender.send(received).is_err() {
                    return;
                }
            }
        });
        Receiver { address, requests, answers, is_over }
    }

    fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    fn answer_with(&self, statuses: &[u16]) {
        self.answers.lock().expect("no panic").extend(statuses);
    }

    fn next(&self) -> Received {
        self.requests.recv_timeout(TIMEOUT).expect("a request")
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // A connection without a request wakes the thread.
        self.is_over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

/// Reads a request and answers it; `None` for a connection without one.
fn answer(mut stream: TcpStream, answers: &Mutex<VecDeque<u16>>) -> Option<Received> {
    stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        // A killed server ends its connections, with or without a reset.
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        headers.push(line.trim().to_owned());
    }
    assert!(headers[0].starts_with("POST /hook"), "{headers:?}");
    let header = |name: &str| {
        let of = |line: &String| {
            let (given, value) = line.split_once(':')?;
            given.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        };
        headers.iter().find_map(of).unwrap_or_default()
    };
    let mut body = vec![0; header("content-length").parse().expect("a length")];
    reader.read_exact(&mut body).ok()?;
    let status = answers.lock().expect("no panic").pop_front().unwrap_or(204);
    let more = if status == 302 { "location: /hook/elsewhere\r\n" } else { "" };
    // A server that was killed meanwhile sends the request again.
    let _ = write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: 0\r\n{more}\r\n");
    Some(Received {
        id: header("webhook-id"),
        sent_s: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body: String::from_utf8(body).expect("UTF-8"),
    })
}

impl Received {
    fn json(&self) -> Json {
        serde_json::from_str(&self.body).expect("JSON")
    }

    fn revisions(&self) -> Vec<u64> {
        let json = self.json();
        let revisions = json["data"]["revisions"].as_array().expect("revisions");
        revisions.iter().map(|revision| revision["revision"].as_u64().expect("a number")).collect()
    }

    /// Checks the signature as the specification of Standard Webhooks says.
    fn is_signed_with(&self, secret: &str) -> bool {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).expect("Base64");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
        mac.update(format!("{}.{}.{}", self.id, self.sent_s, self.body).as_bytes());
        self.signature == format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// A server that may send webhooks to this machine, with a restricted workbook.
struct Hooked {
    server: Server,
    workbook: Restricted,
}

fn start(data: &Path, retries: &str) -> Server {
    let arguments = ["--webhook-private-networks", "127.0.0.1", "--webhook-retry-seconds", retries];
    Server::start_on(data, &arguments)
}

impl Hooked {
    fn new(data: &Path, retries: &str) -> Hooked {
        let server = start(data, retries);
        let workbook = Restricted::new(&server, "plan");
        Hooked { server, workbook }
    }

    fn send(&self, method: &str, path: &str, body: Json) -> Reply {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        send(&self.server, &self.workbook.owner_key, method, &self.workbook.path(path), &body)
    }

    /// Creates a webhook; returns its path and its secret.
    fn hook(&self, body: Json) -> (String, String) {
        let reply = self.send("POST", "/webhooks", body);
        assert_eq!(reply.status, 201, "{reply:?}");
        let json = reply.json();
        let text = |name: &str| json[name].as_str().expect(name).to_owned();
        (format!("/webhooks/{}", text("id")), text("secret"))
    }

    fn write(&self, cell: &str, value: u64) -> u64 {
        let reply = self.send("PUT", &format!("/sheets/Sheet1/cells/{cell}"), json!(value));
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()["revision"].as_u64().expect("a revision")
    }
}

#[test]
fn a_receiver_gets_signed_changes_of_its_range() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let hooked = Hooked::new(data.path(), "60");
    let receiver = Receiver::start();
    let (path, secret) = hooked.hook(json!({
        "url": receiver.url(), "events": ["range.changed"], "sheet": "sheet1", "range": "B1:B9",
    }));
    hooked.write("C3", 1);
    let wanted = hooked.write("B2", 7);
    let received = receiver.next();
    assert!(received.is_signed_with(&secret), "{received:?}");
    assert_eq!(received.revisions(), [wanted]);
    let json = received.json();
    assert_eq!((&json["type"], &json["data"]["room"]), (&json!("workbook.changed"), &json!("plan")));
    let revision = &json["data"]["revisions"][0];
    assert_eq!(revision["events"], json!(["range.changed"]));
    let operation = &revision["operations"][0];
    assert_eq!((&operation["kind"], &operation["range"]), (&json!("fillCells"), &json!("B2")), "{json}");
    // The list says how far it has come.
    let listed = hooked.send("GET", "/webhooks", Json::Null).json();
    let listed = listed["webhooks"].as_array().expect("a list").last().cloned().expect("the newest");
    assert_eq!((&listed["sheet"], &listed["range"]), (&json!("Sheet1"), &json!("B1:B9")));
    assert!(path.ends_with(listed["id"].as_str().expect("an id")) && listed.get("secret").is_none());
    // A pause holds changes back.
    assert_eq!(hooked.send("PUT", &path, json!({ "isPaused": true })).status, 200);
    let during = hooked.write("B3", 8);
    assert_eq!(hooked.send("PUT", &path, json!({ "isPaused": false })).status, 200);
    assert_eq!(receiver.next().revisions(), [during]);
    assert_eq!(hooked.send("DELETE", &path, Json::Null).status, 204);
    assert_eq!(hooked.send("DELETE", &path, Json::Null).code(), "not_found");
    let log = hooked.send("GET", "/access/audit", Json::Null).json();
    let events = log["entries"].as_array().expect("entries").iter();
    let events: Vec<&str> = events.filter_map(|entry| entry["event"].as_str()).collect();
    for event in ["webhook_created", "webhook_changed", "webhook_deleted"] {
        assert!(events.contains(&event), "{event} is missing in {events:?}");
    }
}

#[test]
fn appended_rows_and_comments_are_events() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let hooked = Hooked::new(data.path(), "60");
    let receiver = Receiver::start();
    hooked.hook(json!({ "url": receiver.url(), "events": ["row.appended", "comment.added"] }));
    hooked.write("A1", 5);
    let rows = hooked.send("POST", "/sheets/Sheet1/rows", json!({ "rows": [[1, 2], [3]] }));
    let range = rows.json()["range"].clone();
    let received = receiver.next().json();
    let revision = &received["data"]["revisions"][0];
    assert_eq!(revision["events"], json!(["row.appended"]), "{received}");
    assert_eq!(revision["appended"], json!([{ "sheet": "Sheet1", "range": range }]));
    let comment = json!({ "kind": "comment", "fields": { "parent": 4711, "text": "why?" } });
    assert_eq!(hooked.send("POST", "/sheets/Sheet1/items", comment).status, 201);
    let received = receiver.next().json();
    let revision = &received["data"]["revisions"][0];
    assert_eq!(revision["events"], json!(["comment.added"]), "{received}");
    assert_eq!(revision["comments"][0]["anchors"], json!(["A1"]));
    assert_eq!(revision["comments"][0]["fields"]["text"], json!("why?"));
}

#[test]
fn a_response_to_a_form_is_an_event_of_its_own_with_the_row() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let hooked = Hooked::new(data.path(), "60");
    let receiver = Receiver::start();
    let header = hooked.send("PUT", "/sheets/Sheet1/cells/A1:B1", json!({ "cells": [["Name", "Pieces"]] }));
    assert_eq!(header.status, 200, "{header:?}");
    let form = json!({ "sheet": "Sheet1", "range": "A1:B1", "title": "Order" });
    let form = hooked.send("POST", "/forms", form).json();
    let (_, secret) = hooked.hook(json!({ "url": receiver.url(), "events": ["form.submitted"] }));
    // An edit of a person is no response.
    hooked.write("D1", 5);
    let id = |index: usize| form["questions"][index]["id"].as_str().expect("a number").to_owned();
    let answers = json!({ id(0): "Ada", id(1): "3" });
    let response = json!({ "submission": "s1", "answers": answers }).to_string();
    let link = form["url"].as_str().expect("a link").trim_start_matches("/_form/");
    for _ in 0..2 {
        let reply = hooked.server.post_json(&format!("/api/v1/forms/{link}/responses"), &response);
        assert_eq!(reply.status, 201, "{reply:?}");
    }
    let received = receiver.next();
    assert!(received.is_signed_with(&secret), "{received:?}");
    let json = received.json();
    let revisions = json["data"]["revisions"].as_array().expect("revisions");
    assert_eq!(revisions.len(), 1, "{json}");
    let revision = &revisions[0];
    assert_eq!((&revision["events"], &revision["form"]), (&json!(["form.submitted"]), &form["id"]), "{json}");
    assert_eq!(revision["author"]["name"], "Order");
    let written = revision["operations"].to_string();
    assert!(written.contains("\"Ada\"") && written.contains("A2:B2"), "{json}");
    // Sent twice, recorded once: the next request is that of the next response.
    let second = response.replace("s1", "s2").replace("Ada", "Bob");
    assert_eq!(hooked.server.post_json(&format!("/api/v1/forms/{link}/responses"), &second).status, 201);
    let next = receiver.next();
    assert!(
        next.is_signed_with(&secret) && next.body.contains("Bob") && !next.body.contains("Ada"),
        "{next:?}"
    );
}

#[test]
fn a_failed_request_is_sent_again_unchanged_and_nothing_overtakes_it() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let hooked = Hooked::new(data.path(), "0,0,0");
    let receiver = Receiver::start();
    let (path, secret) = hooked.hook(json!({ "url": receiver.url(), "events": ["range.changed"] }));
    // A redirect is a failure, too.
    receiver.answer_with(&[500, 302]);
    let first = hooked.write("A1", 1);
    let attempts = [receiver.next(), receiver.next(), receiver.next()];
    let second = hooked.write("A1", 2);
    for attempt in &attempts {
        assert_eq!((&attempt.id, &attempt.body), (&attempts[0].id, &attempts[0].body));
        assert!(attempt.is_signed_with(&secret), "{attempt:?}");
        assert_eq!(attempt.revisions(), [first]);
    }
    let next = receiver.next();
    assert_eq!(next.revisions(), [second]);
    assert_ne!(next.id, attempts[0].id);
    let letters = hooked.send("GET", &format!("{path}/dead-letters"), Json::Null).json();
    assert_eq!(letters, json!({ "deadLetters": [], "next": null }));
}

#[test]
fn dead_letters_are_kept_and_replayed() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let hooked = Hooked::new(data.path(), "0");
    let receiver = Receiver::start();
    let (path, _) = hooked.hook(json!({ "url": receiver.url(), "events": ["range.changed"] }));
    receiver.answer_with(&[500, 503]);
    let lost = hooked.write("A1", 1);
    let attempts = [receiver.next(), receiver.next()];
    let next = hooked.write("A1", 2);
    assert_eq!(receiver.next().revisions(), [next], "later revisions go on");
    let listed = hooked.send("GET", &format!("{path}/dead-letters"), Json::Null).json();
    let letter = &listed["deadLetters"][0];
    let expected = json!([lost, lost, 2, "503", "plan"]);
    let members = ["first", "last", "attempts", "reason", "room"].map(|name| letter[name].clone());
    assert_eq!(json!(members), expected, "{listed}");
    // Replayed by revision, as a message of its own.
    let replay = json!({ "after": lost - 1, "upTo": lost });
    assert_eq!(hooked.send("POST", &format!("{path}/replay"), replay).status, 202);
    let replayed = receiver.next();
    assert_eq!((replayed.revisions(), &replayed.body), (vec![lost], &attempts[0].body));
    assert_ne!(replayed.id, attempts[0].id);
    assert_eq!(hooked.send("DELETE", &format!("{path}/dead-letters"), Json::Null).status, 204);
    let listed = hooked.send("GET", &format!("{path}/dead-letters"), Json::Null).json();
    assert_eq!(listed["deadLetters"], json!([]));
    for (body, status, code) in [
        (json!({ "after": 99 }), 400, "bad_request"),
        (json!({ "after": 1, "upTo": 99 }), 400, "bad_request"),
        (json!({ "after": 1, "room": "other" }), 400, "bad_request"),
        (json!({}), 400, "bad_json"),
    ] {
        let reply = hooked.send("POST", &format!("{path}/replay"), body.clone());
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{body}");
    }
}

#[test]
fn nothing_is_lost_when_the_server_is_killed() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut hooked = Hooked::new(data.path(), "0,0,0,0,0,0");
    let receiver = Receiver::start();
    hooked.hook(json!({ "url": receiver.url(), "events": ["range.changed"] }));
    let mut written = Vec::new();
    let mut received = Vec::new();
    for round in 0..3 {
        for row in 1..=5 {
            written.push(hooked.write(&format!("A{row}"), round));
        }
        hooked.server.kill();
        hooked.server = start(data.path(), "0,0,0,0,0,0");
        // A request that was on its way when the server was killed comes again.
        while received.last() != written.last() {
            received.extend(receiver.next().revisions());
        }
    }
    received.dedup();
    let mut first_times: Vec<u64> = Vec::new();
    for revision in received {
        if first_times.last().is_none_or(|last| *last < revision) {
            first_times.push(revision);
        }
    }
    assert_eq!(first_times, written);
}

#[test]
fn a_receiver_that_is_gone_pauses_its_webhook() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let hooked = Hooked::new(data.path(), "0,0,0");
    let receiver = Receiver::start();
    let (path, _) = hooked.hook(json!({ "url": receiver.url(), "events": ["range.changed"] }));
    receiver.answer_with(&[410]);
    let lost = hooked.write("A1", 1);
    assert_eq!(receiver.next().revisions(), [lost]);
    // The dead letter is stored before the webhook is paused.
    let is_paused = || {
        let listed = hooked.send("GET", "/webhooks", Json::Null).json();
        let listed = listed["webhooks"].as_array().expect("a list").last().cloned().expect("the newest");
        listed["isPaused"] == true
    };
    let deadline = std::time::Instant::now() + TIMEOUT;
    while !is_paused() {
        assert!(std::time::Instant::now() < deadline, "the webhook is not paused");
        std::thread::yield_now();
    }
    let letters = hooked.send("GET", &format!("{path}/dead-letters"), Json::Null).json();
    assert_eq!(letters["deadLetters"][0]["reason"], json!("410"));
    let held_back = hooked.write("A1", 2);
    assert_eq!(hooked.send("PUT", &path, json!({ "isPaused": false })).status, 200);
    assert_eq!(receiver.next().revisions(), [held_back]);
}

#[test]
fn requests_go_to_public_addresses_only() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--webhook-retry-seconds", "0"]);
    let workbook = Restricted::new(&server, "plan");
    let hooked = Hooked { server, workbook };
    let receiver = Receiver::start();
    for url in [
        receiver.url(),
        "https://127.0.0.1/".into(),
        "https://[::1]/".into(),
        "https://169.254.169.254/latest/meta-data".into(),
        "http://example.org/".into(),
        "https://ann@example.org/".into(),
        "ftp://example.org/".into(),
        "not a URL".into(),
        format!("https://example.org/{}", "x".repeat(2_000)),
    ] {
        let reply = hooked.send("POST", "/webhooks", json!({ "url": url, "events": ["range.changed"] }));
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{url}");
    }
    for body in [
        json!({ "url": "https://example.org/", "events": [] }),
        json!({ "url": "https://example.org/", "events": ["range.changed"], "range": "A1" }),
    ] {
        assert_eq!(hooked.send("POST", "/webhooks", body.clone()).code(), "bad_request", "{body}");
    }
    // A name is resolved when a request is sent.
    let url = format!("https://localhost:{}/", receiver.address.port());
    let (path, _) = hooked.hook(json!({ "url": url, "events": ["range.changed"] }));
    hooked.write("A1", 1);
    let deadline = std::time::Instant::now() + TIMEOUT;
    let reason = loop {
        let letters = hooked.send("GET", &format!("{path}/dead-letters"), Json::Null).json();
        if let Some(reason) = letters["deadLetters"][0]["reason"].as_str() {
            break reason.to_owned();
        }
        assert!(std::time::Instant::now() < deadline, "no dead letter");
        std::thread::yield_now();
    };
    assert_eq!(reason, "the address is not allowed");
    assert!(receiver.requests.try_recv().is_err(), "nothing was sent");
}

#[test]
fn webhooks_of_the_server_hear_of_all_workbooks() {
    let prepared = Prepared::new();
    let server =
        prepared.start(&["--webhook-private-networks", "127.0.0.1", "--webhook-retry-seconds", "60"]);
    let receiver = Receiver::start();
    let body = json!({ "url": receiver.url(), "events": ["range.changed"] });
    let made = admin(&server, &prepared.admin, "POST", "/webhooks", body).json();
    let path = format!("/webhooks/{}", made["id"].as_str().expect("an id"));
    for room in ["one", "two"] {
        server.make_room(room, "1\n");
        let received = receiver.next().json();
        let data = &received["data"];
        assert_eq!((&data["room"], &data["revisions"][0]["revision"]), (&json!(room), &json!(1)));
    }
    // A deleted workbook begins again.
    assert_eq!(server.delete("/api/v1/rooms/one").status, 204);
    server.make_room("one", "1\n");
    assert_eq!(receiver.next().revisions(), [1]);
    let replay = |body: Json| admin(&server, &prepared.admin, "POST", &format!("{path}/replay"), body);
    assert_eq!(replay(json!({ "after": 0 })).code(), "bad_request");
    assert_eq!(replay(json!({ "room": "two", "after": 0 })).status, 202);
    assert_eq!(receiver.next().json()["data"]["room"], json!("two"));
    let sheet = json!({ "url": receiver.url(), "events": ["range.changed"], "sheet": "Sheet1" });
    assert_eq!(admin(&server, &prepared.admin, "POST", "/webhooks", sheet).code(), "bad_request");
    assert_eq!(admin(&server, &prepared.admin, "DELETE", &path, Json::Null).status, 204);
}

#[test]
fn a_workbook_has_a_limited_number_of_webhooks_which_are_deleted_with_it() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let hooked = Hooked::new(data.path(), "60");
    let body = json!({ "url": "https://hooks.example.org/", "events": ["range.changed"], "isPaused": true });
    // The workbook of the tests has one already.
    for _ in 0..19 {
        hooked.hook(body.clone());
    }
    assert_eq!(hooked.send("POST", "/webhooks", body).code(), "conflict");
    assert_eq!(hooked.send("DELETE", "", Json::Null).status, 204);
    drop(hooked);
    assert_eq!(stored(data.path()).all_webhooks(), Ok(vec![]));
}
