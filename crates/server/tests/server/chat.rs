//! Chat messages over REST.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Reply, Server};

fn send_chat_message(server: &Server, room: &str, body: &Value) -> Reply {
    let path = format!("/api/v1/rooms/{room}/chat");
    server.send("POST", &path, &[("content-type", "application/json")], body.to_string().as_bytes())
}

/// Reads a page of the chat: numbers and texts, and the value of `next`.
fn read(server: &Server, query: &str) -> (Vec<(u64, String)>, Option<u64>) {
    let reply = server.get(&format!("/api/v1/rooms/plan/chat{query}"));
    assert_eq!(reply.status, 200, "{reply:?}");
    let json = reply.json();
    let chat_messages = json["remarks"].as_array().expect("a list").iter().map(|chat_message| {
        let text = chat_message["text"].as_str().expect("a text").to_owned();
        (chat_message["number"].as_u64().expect("a number"), text)
    });
    (chat_messages.collect(), json["next"].as_u64())
}

#[test]
fn chat_messages_are_read_in_pages_and_survive_a_restart() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut server = Server::start_on(directory.path(), &[]);
    let missing = server.get("/api/v1/rooms/plan/chat");
    assert_eq!((missing.status, missing.code().as_str()), (404, "no_such_room"));
    assert_eq!(
        send_chat_message(&server, "plan", &json!({"text": "Hello"})).status,
        404,
        "a chat message does not create a room"
    );
    server.make_room("plan", "1,2\n");
    assert_eq!(read(&server, ""), (vec![], None));
    for number in 1..=5 {
        let sent =
            send_chat_message(&server, "plan", &json!({"text": format!("message {number}"), "name": "Ann"}));
        assert_eq!(sent.status, 201, "{sent:?}");
        let sent = sent.json();
        assert_eq!((&sent["number"], &sent["name"]), (&json!(number), &json!("Ann")));
        assert!(sent["timeMs"].as_i64() > Some(1_700_000_000_000), "{sent}");
        assert_eq!((sent["color"].as_str(), sent["id"].as_str().map(str::len)), (Some("#5f6368"), Some(16)));
    }
    let texts = |numbers: std::ops::RangeInclusive<u64>| -> Vec<(u64, String)> {
        numbers.map(|number| (number, format!("message {number}"))).collect()
    };
    assert_eq!(read(&server, ""), (texts(1..=5), None));
    assert_eq!(read(&server, "?limit=2"), (texts(4..=5), Some(4)));
    assert_eq!(read(&server, "?limit=2&before=4"), (texts(2..=3), Some(2)));
    assert_eq!(read(&server, "?limit=2&before=2"), (texts(1..=1), None));
    assert_eq!(read(&server, "?after=1&limit=2"), (texts(2..=3), None));
    assert_eq!(read(&server, "?after=5"), (vec![], None));
    assert_eq!(server.get("/api/v1/rooms/plan/chat?from=1").code(), "bad_query");
    // A chat message does not change the revision.
    assert_eq!(server.get("/api/v1/rooms/plan").json()["revision"], 1);
    server.signal("KILL");
    server.wait();
    let server = Server::start_on(Path::new(directory.path()), &[]);
    assert_eq!(read(&server, ""), (texts(1..=5), None), "acknowledged messages are stored");
    assert_eq!(send_chat_message(&server, "plan", &json!({"text": "message 6"})).json()["number"], 6);
}

#[test]
fn a_message_sent_again_is_stored_once() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    let given = json!({"text": "once", "id": "00000000000000ff"});
    let replies: Vec<Value> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| send_chat_message(&server, "plan", &given).json())).collect();
        threads.into_iter().map(|thread| thread.join().expect("answered")).collect()
    });
    assert!(replies.iter().all(|reply| *reply == replies[0] && reply["number"] == 1), "{replies:?}");
    assert_eq!(replies[0]["id"], "00000000000000ff");
    assert_eq!(read(&server, ""), (vec![(1, "once".to_owned())], None));
}

#[test]
fn what_may_not_be_said_is_refused_with_the_reason() {
    let server = Server::start();
    server.make_room("plan", "1\n");
    for (body, status, code) in [
        (json!({"text": " \n "}), 400, "bad_request"),
        (json!({"text": "é".repeat(2_001)}), 400, "bad_request"),
        (json!({"text": "x", "id": "12"}), 400, "bad_json"),
        (json!({"text": "x", "who": "Ann"}), 400, "bad_json"),
        (json!({"name": "Ann"}), 400, "bad_json"),
        (json!({"text": "x", "name": "n".repeat(10_000)}), 400, "bad_json"),
    ] {
        let refused = send_chat_message(&server, "plan", &body);
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{refused:?}");
    }
    assert_eq!(send_chat_message(&server, "plan", &json!({"text": "é".repeat(2_000)})).status, 201);
    let text = server.send("POST", "/api/v1/rooms/plan/chat", &[("content-type", "text/plain")], b"hello");
    assert_eq!(text.status, 415);
    // More messages than the burst that a room accepts.
    let replies: Vec<Reply> =
        (0..200).map(|_| send_chat_message(&server, "plan", &json!({"text": "flood"}))).collect();
    let refused: Vec<&Reply> = replies.iter().filter(|reply| reply.status != 201).collect();
    for reply in &refused {
        assert_eq!((reply.status, reply.code().as_str()), (429, "too_many_requests"));
        assert!(reply.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0), "{reply:?}");
    }
    let numbers: BTreeSet<u64> = replies.iter().filter_map(|reply| reply.json()["number"].as_u64()).collect();
    assert_eq!(numbers.len(), 200 - refused.len(), "each message has its own number");
}

#[test]
fn viewers_can_read_the_chat_but_not_write() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut server = Server::start_on(directory.path(), &[]);
    server.make_room("plan", "1\n");
    assert_eq!(send_chat_message(&server, "plan", &json!({"text": "Hello"})).status, 201);
    server.signal("TERM");
    assert!(server.wait().success());
    let viewers = Server::start_on(directory.path(), &["--default-role", "view"]);
    assert_eq!(read(&viewers, ""), (vec![(1, "Hello".to_owned())], None));
    let refused = send_chat_message(&viewers, "plan", &json!({"text": "x"}));
    assert_eq!((refused.status, refused.code().as_str()), (403, "forbidden"));
}
