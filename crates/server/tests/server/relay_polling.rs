//! Clients of socket.io that poll: each of their requests may reach another server.

use quadrille_test_database::TestDatabase;
use serde_json::json;

use crate::several_servers::{csv, start};
use crate::support::Server;

const POLL: &str = "/socket.io/?EIO=3&transport=polling";

fn post(server: &Server, path: &str, packet: &str) {
    let body = format!("{}:{packet}", packet.chars().count());
    let sent = server.send("POST", path, &[("content-type", "text/plain;charset=UTF-8")], body.as_bytes());
    assert_eq!((sent.status, sent.text().as_str()), (200, "ok"));
}

/// Polls at one server and the other until a packet has a text.
fn poll_until(servers: [&Server; 2], path: &str, expected: &str) {
    for server in servers.into_iter().cycle().take(20) {
        let polled = server.get(path);
        assert_eq!(polled.status, 200, "{polled:?}");
        if polled.text().contains(expected) {
            return;
        }
    }
    panic!("no packet has {expected}");
}

#[test]
fn a_client_that_polls_may_reach_any_server() {
    let database = TestDatabase::shared();
    let url = database.create();
    let (mut first, second) = (start(&url), start(&url));
    second.make_room("plan", "1\n");
    let opened = first.get(&format!("{POLL}&b64=1")).text();
    let sid = opened.split("\"sid\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a session");
    let path = format!("{POLL}&b64=1&sid={sid}");
    let message = |content: serde_json::Value| format!("42{}", json!(["data", content]));
    post(&second, &path, &message(json!({ "type": "ask.log", "room": "plan", "user": "0.1" })));
    poll_until([&second, &first], &path, "\"log\"");
    post(
        &first,
        &path,
        &message(json!({
            "type": "execute", "room": "plan", "user": "0.1", "cmdstr": "set A2 value n 7"
        })),
    );
    post(
        &second,
        &path,
        &message(json!({
            "type": "execute", "room": "plan", "user": "0.1", "cmdstr": "set A3 value n 8"
        })),
    );
    let began = std::time::Instant::now();
    while csv(&second, "plan") != "1\n7\n8\n" {
        assert!(began.elapsed() < crate::support::TIMEOUT, "{}", csv(&second, "plan"));
    }
    // An id that no server has given, and one of a server that has ended: the client begins anew.
    let forged = path.replace(sid, &sid.replace(&sid[sid.len() - 4..], "0000"));
    let refused = second.get(&forged);
    assert_eq!((refused.status, &refused.json()["code"]), (400, &json!(1)));
    first.kill();
    let refused = second.get(&path);
    assert_eq!((refused.status, &refused.json()["code"]), (400, &json!(1)));
}
