//! The change feed: no revision is missed or repeated, whatever happens to the connection.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value as Json, json};

use crate::access::{Restricted, send};
use crate::person::Person;
use crate::support::Server;

/// A stream of Server-Sent Events, read as its bytes arrive.
pub struct Events {
    reader: BufReader<TcpStream>,
    /// The newest `id`, and the revision in it.
    id: String,
    position: Option<u64>,
}

/// One event: its type, and its data as JSON.
type Event = (String, Json);

impl Events {
    /// Opens a stream; fails with the status line of another answer.
    pub fn open(server: &Server, path: &str, headers: &[(&str, &str)]) -> Result<Events, String> {
        let mut stream = server.connect();
        let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        // HTTP/1.0: the body is not chunked and ends with the connection.
        let request =
            format!("GET {path} HTTP/1.0\r\nhost: localhost\r\naccept: text/event-stream\r\n{more}\r\n");
        stream.write_all(request.as_bytes()).expect("open");
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).expect("readable") > 0, "{head}");
        }
        let status = head.lines().next().unwrap_or_default().to_owned();
        if !status.contains(" 200 ") {
            return Err(status);
        }
        assert!(head.contains("content-type: text/event-stream"), "{head}");
        Ok(Events { reader, id: String::new(), position: None })
    }

    /// Returns the next event as the standard for `EventSource` reads it; `None` at the end.
    pub fn next(&mut self) -> Option<Event> {
        let (mut kind, mut data) = ("message".to_owned(), String::new());
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).expect("readable") == 0 {
                return None;
            }
            let line = line.trim_end_matches('\n');
            match line.split_once(": ") {
                Some(("id", id)) => {
                    let (revision, _) = id.split_once('-').expect("a revision and an incarnation");
                    self.position = Some(revision.parse().expect("a revision"));
                    id.clone_into(&mut self.id);
                }
                Some(("event", name)) => name.clone_into(&mut kind),
                Some(("data", text)) => text.clone_into(&mut data),
                Some(("retry", _)) => {}
                _ if line.is_empty() && data.is_empty() => {}
                _ if line.is_empty() => return Some((kind, serde_json::from_str(&data).expect("JSON"))),
                _ => panic!("not a line of an event stream: {line}"),
            }
        }
    }
}

fn write(server: &Server, cell: &str, body: &str) {
    let reply = server.put_json(&format!("/api/v1/rooms/plan/sheets/Sheet1/cells/{cell}"), body);
    assert_eq!(reply.status, 200, "{reply:?}");
}

fn changes(server: &Server, query: &str) -> Json {
    let reply = server.get(&format!("/api/v1/rooms/plan/changes?{query}"));
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

fn revisions(answer: &Json) -> Vec<u64> {
    let list = answer["revisions"].as_array().expect("a list");
    list.iter().map(|entry| entry["revision"].as_u64().expect("a number")).collect()
}

#[test]
fn changes_have_what_was_written_and_continue_where_they_ended() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    write(&server, "B1:C1", r#"{"cells":[[{"formula":"=A1*2"},"x"]]}"#);
    write(&server, "A1", r#"{"format":{"bold":true}}"#);
    let answer = changes(&server, "after=1&limit=1");
    assert_eq!((&answer["head"], &answer["next"]), (&json!(3), &json!(2)));
    let change = &answer["revisions"][0];
    assert_eq!((&change["revision"], &change["author"]["name"]), (&json!(2), &json!("API")));
    let operation = &change["operations"][0];
    assert_eq!(operation["cells"], json!([[{ "formula": "=A1*2" }, "x"]]), "{operation}");
    assert_eq!((&operation["sheet"], &operation["range"]), (&json!("Sheet1"), &json!("B1:C1")));
    let answer = changes(&server, "after=2");
    assert_eq!(answer["revisions"][0]["operations"][0]["format"], json!({ "bold": true }), "{answer}");
    assert_eq!(revisions(&changes(&server, "after=3")), [0; 0]);
    // Without `after` the feed begins now.
    assert_eq!(revisions(&changes(&server, "")), [0; 0]);
    let values = changes(&server, "after=1&include=values");
    assert_eq!(values["revisions"][0]["operations"][0]["values"], json!([[2, "x"]]), "{values}");
    assert_eq!(values["revisions"][0]["valuesRevision"], json!(3));
}

#[test]
fn a_waiting_request_gets_the_next_change() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| changes(&server, "after=1&wait=60"));
        write(&server, "A1", "2");
        assert_eq!(revisions(&waiting.join().expect("an answer")), [2]);
    });
}

#[test]
fn filters_pass_changes_of_a_sheet_and_a_range() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    for cell in ["A1", "B2", "B9", "C3"] {
        write(&server, cell, "7");
    }
    let answer = changes(&server, "after=1&sheet=Sheet1&range=B1:B5");
    assert_eq!((revisions(&answer), &answer["next"]), (vec![3], &json!(5)), "{answer}");
    assert_eq!(revisions(&changes(&server, "after=1&sheet=sheet1")), [2, 3, 4, 5]);
    for (query, status, code) in [
        ("after=1&range=B1", 400, "bad_query"),
        ("after=1&sheet=Sheet1&range=B0", 400, "bad_address"),
        ("after=1&sheet=No", 404, "no_such_sheet"),
        ("after=-1", 400, "bad_query"),
        ("after=99", 410, "history_gone"),
        ("wait=61", 400, "bad_query"),
        ("include=everything", 400, "bad_query"),
        ("aftr=1", 400, "bad_query"),
    ] {
        let reply = server.get(&format!("/api/v1/rooms/plan/changes?{query}"));
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{query}");
    }
    // With the number of the room it is known that there was no other of the name.
    let incarnation = answer["incarnation"].as_str().expect("a text");
    let later = server.get(&format!("/api/v1/rooms/plan/changes?after=99&incarnation={incarnation}"));
    assert_eq!((later.status, later.code().as_str()), (400, "bad_query"), "{later:?}");
    assert!(later.text().contains("after is the later revision 99: the room is at revision 5"), "{later:?}");
    assert_eq!(server.get("/api/v1/rooms/nothing/changes").code(), "no_such_room");
    let reply = server.send(
        "GET",
        "/api/v1/rooms/plan/changes",
        &[("accept", "text/event-stream"), ("last-event-id", "soon")],
        b"",
    );
    assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"));
}

/// Four listeners follow 3,000 edits of two people. They lose their connections at different points
/// and connect again as `EventSource` does.
#[test]
fn listeners_that_reconnect_get_every_revision_once() {
    const EDITS: u64 = 1_500;
    let server = Server::start();
    server.make_room("plan", "1\n");
    let path = "/api/v1/rooms/plan/changes";
    let last = 2 * EDITS + 1;
    std::thread::scope(|scope| {
        let listeners: Vec<_> = (1..=4_u64)
            .map(|seed| {
                let first = Events::open(&server, path, &[("last-event-id", "1")]).expect("a stream");
                let server = &server;
                scope.spawn(move || {
                    // A linear congruential generator (Knuth, MMIX).
                    let mut random = seed;
                    let mut got = Vec::new();
                    let mut events = first;
                    while got.last() != Some(&last) {
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        for _ in 0..random >> 56 {
                            let (kind, data) = events.next().expect("the stream goes on");
                            assert_eq!(kind, "message");
                            got.push(data["revision"].as_u64().expect("a number"));
                            assert_eq!(got.last().copied(), events.position);
                            if got.last() == Some(&last) {
                                break;
                            }
                        }
                        let id = if events.id.is_empty() { "1" } else { &events.id };
                        events = Events::open(server, path, &[("last-event-id", id)]).expect("again");
                    }
                    got
                })
            })
            .collect();
        let writers = ["Ann", "Bob"].map(|name| {
            let server = &server;
            scope.spawn(move || {
                let mut person = Person::join(server, "plan", name);
                for edit in 0..EDITS {
                    person.type_text(&format!("A{}", edit % 50 + 1), &edit.to_string());
                    person.wait_until_saved();
                }
            })
        });
        for writer in writers {
            writer.join().expect("a writer");
        }
        for listener in listeners {
            let got = listener.join().expect("a listener");
            assert!(got.iter().copied().eq(2..=last), "{} revisions", got.len());
        }
    });
}

#[test]
fn a_listener_that_does_not_read_is_served_from_the_history() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    let mut slow = Events::open(&server, "/api/v1/rooms/plan/changes", &[]).expect("a stream");
    // More bytes than the buffers of two sockets hold.
    let text = "x".repeat(30_000);
    let row = json!({ "cells": [vec![text; 20]] }).to_string();
    for row_number in 1..=40 {
        write(&server, &format!("A{row_number}:T{row_number}"), &row);
    }
    for revision in 2..=41 {
        assert_eq!(slow.next().expect("an event").1["revision"], revision);
    }
}

#[test]
fn a_feed_of_dropped_history_says_what_to_do() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let arguments = ["--history-revisions-max", "5", "--snapshot-after-records", "1"];
    let mut server = Server::start_on(data.path(), &arguments);
    server.make_room("plan", "1\n");
    for value in 2..=40 {
        write(&server, "A1", &value.to_string());
    }
    // Old records are dropped after a snapshot, which an orderly stop stores.
    server.signal("TERM");
    server.wait();
    let server = Server::start_on(data.path(), &arguments);
    let first = server.get("/api/v1/rooms/plan/history").json()["first"].as_u64().expect("a revision");
    assert!(first > 1);
    let gone = server.get("/api/v1/rooms/plan/changes?after=0");
    assert_eq!((gone.status, gone.code().as_str()), (410, "history_gone"), "{gone:?}");
    let answer = changes(&server, &format!("after={}", first - 1));
    assert!(revisions(&answer).into_iter().eq(first..=40), "{answer}");
}

#[test]
fn a_feed_does_not_go_on_in_another_room_of_the_same_name() {
    let server = Server::start();
    let path = "/api/v1/rooms/plan/changes";
    server.make_room("plan", "1\n");
    write(&server, "A1", "2");
    let answer = changes(&server, "after=1");
    let incarnation = answer["incarnation"].as_str().expect("a text").to_owned();
    let mut events = Events::open(&server, path, &[("last-event-id", "1")]).expect("a stream");
    assert_eq!(events.next().expect("an event").1["revision"], 2);
    let id = events.id.clone();
    assert_eq!(id, format!("2-{incarnation}"));
    assert_eq!(server.delete("/api/v1/rooms/plan").status, 204);
    server.make_room("plan", "1\n");
    for value in ["2", "3", "4"] {
        write(&server, "A1", value);
    }
    // It has these revisions, too, but they are not those that the client knows.
    assert_eq!(revisions(&changes(&server, "after=2")), [3, 4]);
    let gone = server.get(&format!("{path}?after=2&incarnation={incarnation}"));
    assert_eq!((gone.status, gone.code().as_str()), (410, "history_gone"), "{gone:?}");
    assert!(Events::open(&server, path, &[("last-event-id", &id)]).is_err_and(|line| line.contains(" 410 ")));
    let new = changes(&server, "after=2")["incarnation"].as_str().expect("a text").to_owned();
    assert_eq!(revisions(&changes(&server, &format!("after=2&incarnation={new}"))), [3, 4]);
}

#[test]
fn a_feed_ends_when_access_ends_or_the_workbook_is_deleted() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    let link =
        send(&server, &workbook.owner_key, "POST", &workbook.path("/access/links"), r#"{"role":"edit"}"#)
            .json();
    let (id, link) = (link["id"].as_str().expect("an id"), link["link"].as_str().expect("a link"));
    let path = workbook.path("/changes");
    let open = |credential: &str| {
        Events::open(&server, &path, &[("authorization", &format!("Bearer {credential}"))])
    };
    assert!(open(workbook.view_link()).is_err_and(|status| status.contains(" 403 ")));
    let (mut linked, mut owner) = (open(link).expect("a stream"), open(&workbook.owner_key).expect("one"));
    let revoke = workbook.path(&format!("/access/links/{id}"));
    assert_eq!(send(&server, &workbook.owner_key, "DELETE", &revoke, "").status, 204);
    let (kind, data) = linked.next().expect("the last event");
    assert_eq!((kind.as_str(), &data["error"]["code"]), ("end", &json!("forbidden")));
    assert!(linked.next().is_none());
    assert!(open(link).is_err_and(|status| status.contains(" 404 ")));
    // The owner's goes on until the workbook is deleted.
    let put = workbook.path("/sheets/Sheet1/cells/A1");
    assert_eq!(send(&server, &workbook.owner_key, "PUT", &put, "5").status, 200);
    assert_eq!(owner.next().expect("an event").0, "message");
    assert_eq!(send(&server, &workbook.owner_key, "DELETE", &workbook.path(""), "").status, 204);
    let (kind, data) = owner.next().expect("the last event");
    assert_eq!((kind.as_str(), &data["error"]["code"]), ("end", &json!("no_such_room")));
    assert!(owner.next().is_none());
}

#[test]
fn feeds_end_when_the_server_stops() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    server.make_room("plan", "1\n");
    let mut events = Events::open(&server, "/api/v1/rooms/plan/changes", &[]).expect("a stream");
    server.signal("TERM");
    let (kind, data) = events.next().expect("the last event");
    assert_eq!((kind.as_str(), &data["error"]["code"]), ("end", &json!("draining")));
    assert!(server.wait().success());
}
