//! What leaves the server is in the audit log, and when people with access were last seen.

use std::time::Instant;

use serde_json::{Value as Json, json};

use crate::access::send;
use crate::person::Person;
use crate::prepared_accounts::prepare_accounts;
use crate::support::{Server, TIMEOUT};

/// The events of a workbook with their targets, oldest first.
fn events(server: &Server, key: &str, room: &str) -> Vec<String> {
    let log = send(server, key, "GET", &format!("/api/v1/rooms/{room}/access/audit"), "").json();
    let entries = log["entries"].as_array().unwrap_or_else(|| panic!("no entries in {log}"));
    let text = |entry: &Json, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    entries.iter().map(|entry| format!("{} {}", text(entry, "event"), text(entry, "target"))).collect()
}

fn owned(server: &Server, room: &str) -> String {
    let made = server.post_json("/api/v1/rooms", &json!({ "name": room, "claim": true }).to_string());
    assert_eq!(made.status, 201, "{made:?}");
    made.json()["ownerKey"].as_str().expect("claimed").to_owned()
}

#[test]
fn exports_copies_and_restored_revisions_are_in_the_audit_log() {
    let server = Server::start();
    let key = owned(&server, "plan");
    let before = events(&server, &key, "plan").len();
    for (method, path) in [
        ("GET", "/api/v1/rooms/plan?format=csv"),
        // A program that reads the file again and again.
        ("GET", "/api/v1/rooms/plan?format=csv"),
        ("GET", "/api/v1/rooms/plan/history/1?format=xlsx"),
        ("GET", "/plan.md"),
        ("GET", "/_/plan"),
        ("GET", "/_/plan/cells"),
        ("GET", "/_/plan/ods"),
        ("POST", "/api/v1/rooms/plan/history/1/restore"),
        // Facts and single cells are no export.
        ("GET", "/api/v1/rooms/plan"),
        ("GET", "/api/v1/rooms/plan/sheets/Sheet1/cells/A1"),
    ] {
        let reply = send(&server, &key, method, path, "");
        assert!(reply.status < 300, "{method} {path}: {reply:?}");
    }
    let copied = send(&server, &key, "POST", "/api/v1/rooms", r#"{"copyOf":"plan"}"#);
    assert_eq!(copied.status, 201, "{copied:?}");
    assert_eq!(
        events(&server, &key, "plan")[before..],
        [
            "workbook_exported csv",
            "workbook_exported xlsx",
            "workbook_exported md",
            "workbook_exported socialcalc",
            "workbook_exported cells",
            "workbook_exported ods",
            "revision_restored 1",
            "workbook_exported copy",
        ]
    );
}

#[test]
fn the_last_visit_of_people_with_access_is_known() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let [ada, bob] = prepare_accounts(data.path(), [("Ada", "ada@example.org"), ("Bob", "bob@example.org")]);
    let server = Server::start_on(data.path(), &[]);
    let key = owned(&server, "plan");
    for person in ["ada@example.org", &bob.id, "nobody@example.org"] {
        let body = json!({ "person": person, "role": "edit" }).to_string();
        assert_eq!(send(&server, &key, "POST", "/api/v1/rooms/plan/access/people", &body).status, 201);
    }
    for person in [&ada, &bob] {
        Person::join_with(&server, "plan", "x", &format!("bearer.{}", person.token));
    }
    // Counters are stored some seconds later, together.
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let access = send(&server, &key, "GET", "/api/v1/rooms/plan/access", "").json();
        let people = access["people"].as_array().expect("people");
        let seen: Vec<bool> = people.iter().map(|person| person["lastSeenMs"].as_i64() > Some(0)).collect();
        if seen == [true, true, false] {
            break;
        }
        assert!(Instant::now() < deadline, "{access}");
        std::thread::yield_now();
    }
    // A change of the access does not reset it.
    assert_eq!(send(&server, &key, "PUT", "/api/v1/rooms/plan/access", r#"{"general":"view"}"#).status, 204);
    let access = send(&server, &key, "GET", "/api/v1/rooms/plan/access", "").json();
    assert!(access["people"][0]["lastSeenMs"].as_i64() > Some(0), "{access}");
}
