//! Idempotency keys: a request that is sent again is carried out once, whatever happened to the first
//! answer.

use serde_json::json;

use crate::support::{Reply, Server};

const ROWS: &str = "/api/v1/rooms/plan/sheets/Sheet1/rows";
const KEY: &str = "8e03978e-40d5-43dd-bc93-6894a57f9324";

/// Sends JSON with a key.
fn keyed(server: &Server, method: &str, path: &str, key: &str, body: &str) -> Reply {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    // A body without a content would need no content type.
    let headers = if body.is_empty() { &headers[1..] } else { &headers[..] };
    server.send(method, path, headers, body.as_bytes())
}

fn answer(reply: &Reply) -> (u16, String) {
    (reply.status, reply.text())
}

#[test]
fn a_repeated_request_gets_the_recorded_answer() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    let body = r#"{"rows":[["x"]]}"#;
    let first = keyed(&server, "POST", ROWS, KEY, body);
    assert_eq!((first.status, first.header("idempotent-replayed")), (201, ""), "{first:?}");
    // With and without quotes it is the same key.
    for key in [KEY.to_owned(), format!("\"{KEY}\"")] {
        let again = keyed(&server, "POST", ROWS, &key, body);
        assert_eq!(answer(&again), answer(&first));
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(again.header("content-type"), "application/json");
    }
    assert_eq!(server.csv("plan"), "1\nx\n");
    // A conditional write is not repeated because the room is at another revision now.
    let put = |value: &str| {
        let headers =
            [("content-type", "application/json"), ("idempotency-key", "put"), ("if-match", "\"2\"")];
        server.send("PUT", "/api/v1/rooms/plan/sheets/Sheet1/cells/B1", &headers, value.as_bytes())
    };
    let first = put("5");
    assert_eq!((first.status, first.header("etag")), (200, "\"3\""));
    let again = put("5");
    assert_eq!((again.status, again.header("etag")), (200, "\"3\""));
    assert_eq!(put("6").code(), "idempotency_key_reused");
}

#[test]
fn a_key_belongs_to_one_request_of_a_workbook() {
    let server = Server::start();
    for room in ["plan", "other"] {
        server.make_room(room, "1\n");
    }
    let body = r#"{"rows":[["x"]]}"#;
    assert_eq!(keyed(&server, "POST", ROWS, KEY, body).status, 201);
    for (method, path, body) in [
        ("POST", ROWS, r#"{"rows":[["y"]]}"#),
        ("POST", "/api/v1/rooms/plan/sheets/Other/rows", body),
        ("POST", "/api/v1/rooms/plan/commands", r#"{"commands":[]}"#),
    ] {
        let reply = keyed(&server, method, path, KEY, body);
        assert_eq!((reply.status, reply.code().as_str()), (422, "idempotency_key_reused"), "{path}");
    }
    let other = keyed(&server, "POST", "/api/v1/rooms/other/sheets/Sheet1/rows", KEY, body);
    assert_eq!((other.status, other.header("idempotent-replayed")), (201, ""), "{other:?}");
    for (key, path, method) in [
        ("", ROWS, "POST"),
        ("a b", ROWS, "POST"),
        (&"x".repeat(256), ROWS, "POST"),
        (KEY, "/api/v1/rooms", "POST"),
        (KEY, "/api/v1/rooms/plan/access/claim", "POST"),
    ] {
        let reply = keyed(&server, method, path, key, "");
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{key} {path}");
    }
    // A workbook that was deleted leaves no answers to one of the same name.
    assert_eq!(server.delete("/api/v1/rooms/plan").status, 204);
    server.make_room("plan", "1\n");
    let reply = keyed(&server, "POST", ROWS, KEY, body);
    assert_eq!((reply.status, reply.header("idempotent-replayed")), (201, ""), "{reply:?}");
}

#[test]
fn an_error_leaves_the_key_free() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    let path = "/api/v1/rooms/plan/sheets/Later/rows";
    let body = r#"{"rows":[["x"]]}"#;
    assert_eq!(keyed(&server, "POST", path, KEY, body).code(), "no_such_sheet");
    let added = server
        .post_json("/api/v1/rooms/plan/commands", r#"{"commands":[{"type":"addSheet","name":"Later"}]}"#);
    assert_eq!(added.status, 200, "{added:?}");
    assert_eq!(keyed(&server, "POST", path, KEY, body).status, 201);
    assert_eq!(keyed(&server, "POST", path, KEY, body).header("idempotent-replayed"), "true");
}

#[test]
fn requests_that_are_sent_at_the_same_time_are_carried_out_once() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    let body = r#"{"rows":[["x"]]}"#;
    let replies: Vec<Reply> = std::thread::scope(|scope| {
        let senders: Vec<_> =
            (0..16).map(|_| scope.spawn(|| keyed(&server, "POST", ROWS, KEY, body))).collect();
        senders.into_iter().map(|sender| sender.join().expect("an answer")).collect()
    });
    let done: Vec<_> = replies.iter().filter(|reply| reply.status == 201).map(answer).collect();
    assert!(!done.is_empty() && done.iter().all(|answer| *answer == done[0]), "{done:?}");
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        assert_eq!((reply.status, reply.code().as_str()), (409, "idempotency_key_in_use"));
    }
    assert_eq!(server.csv("plan"), "1\nx\n");
}

/// The server is killed, and in the second half the recorded answers are lost as well, as if it had
/// been killed between the journal and the answer.
#[test]
fn keys_survive_a_crash() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let requests = [
        ("POST", ROWS, r#"{"rows":[["x",{"formula":"=A1+1"}],["y"]]}"#),
        ("PUT", "/api/v1/rooms/plan/sheets/Sheet1/cells/D1", "7"),
        ("POST", "/api/v1/rooms/plan/commands", r#"{"commands":[{"type":"addSheet","name":"New"}]}"#),
        (
            "POST",
            "/api/v1/rooms/plan/sheets/Sheet1/items",
            r#"{"kind":"note","anchors":["A1"],"fields":{"text":"a"}}"#,
        ),
        ("PUT", "/api/v1/rooms/plan/items/0", r#"{"fields":{"title":"Plan"}}"#),
        ("POST", "/api/v1/rooms/plan/chat", r#"{"text":"done"}"#),
        ("POST", "/api/v1/rooms/plan/history/1/restore", ""),
    ];
    let send_all = |server: &Server| {
        let replies = requests.iter().enumerate().map(|(index, (method, path, body))| {
            let reply = keyed(server, method, path, &format!("key-{index}"), body);
            assert!(reply.status < 300, "{path}: {reply:?}");
            (answer(&reply), reply.header("etag").to_owned(), reply.header("idempotent-replayed").to_owned())
        });
        replies.collect::<Vec<_>>()
    };
    let mut server = Server::start_on(data.path(), &[]);
    server.make_room("plan", "1\n");
    let first = send_all(&server);
    let revision =
        || json!(first.last().expect("answers").1.trim_matches('"').parse::<u64>().expect("a number"));
    for is_lost in [false, true] {
        server.kill();
        if is_lost {
            let database = rusqlite::Connection::open(data.path().join("access.db")).expect("a database");
            let update = "UPDATE keyed_request SET document = json_remove(document, '$.answer')";
            assert_eq!(database.execute(update, []), Ok(requests.len()));
        }
        server = Server::start_on(data.path(), &[]);
        for (index, (again, first)) in send_all(&server).iter().zip(&first).enumerate() {
            assert_eq!((&again.0, &again.1), (&first.0, &first.1), "{:?}", requests[index]);
            assert_eq!(again.2, if is_lost { "" } else { "true" });
        }
        assert_eq!(server.get("/api/v1/rooms/plan").json()["revision"], revision());
        assert_eq!(server.get("/api/v1/rooms/plan/chat").json()["remarks"].as_array().map(Vec::len), Some(1));
    }
}
