//! Tests of the audit log of the server: contents, reading and retention.

use std::collections::BTreeSet;

use quadrille_access::{AccessStore, Actor, AuditEntry, AuditEvent, AuditNumber};
use serde_json::{Value as Json, json};

use crate::access::{Restricted, send};
use crate::admin::{ADA, Prepared, admin, texts};
use crate::support::binary;

#[test]
fn admin_actions_and_refused_requests_are_in_the_log() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    let workbook = Restricted::new(&server, "secret");
    for _ in 0..5 {
        assert_eq!(send(&server, "", "GET", &workbook.path(""), "").status, 404);
    }
    assert_eq!(admin(&server, &prepared.ada, "GET", "/overview", Json::Null).status, 403);
    let ada = format!("/accounts/{ADA}");
    admin(&server, &prepared.admin, "PATCH", &ada, json!({ "name": "Ada Lovelace" }));
    admin(&server, &prepared.admin, "PUT", &format!("{ada}/quota"), json!({ "workbooks": 5 }));
    admin(&server, &prepared.admin, "DELETE", &format!("{ada}/sessions"), Json::Null);
    let read =
        |query: &str| admin(&server, &prepared.admin, "GET", &format!("/audit{query}"), Json::Null).json();
    let log = read("?limit=200");
    let events: BTreeSet<String> = texts(&log, "entries", "event").into_iter().collect();
    for event in ["access_denied", "account_changed", "quota_changed", "session_ended", "link_created"] {
        assert!(events.contains(event), "{event} is missing in {events:?}");
    }
    let numbers: Vec<u64> = log["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .filter_map(|entry| entry["number"].as_u64())
        .collect();
    assert!(numbers.is_sorted_by(|a, b| a > b), "newest first: {numbers:?}");
    // One entry however often it was tried.
    let denied = read("?event=access_denied&room=secret");
    assert_eq!(texts(&denied, "entries", "target"), ["5 requests"]);
    let about_ada = read(&format!("?account={ADA}"));
    assert!(texts(&about_ada, "entries", "event").contains(&"account_changed".to_owned()), "{about_ada}");
    let first = read("?limit=2");
    let older = read(&format!("?limit=2&before={}", first["next"]));
    assert_eq!(older["entries"][0]["number"].as_u64(), first["next"].as_u64().map(|number| number - 1));
    assert_eq!(
        admin(&server, &prepared.admin, "GET", "/audit?event=nonsense", Json::Null).code(),
        "bad_request"
    );
}

#[test]
fn the_log_is_read_as_json_lines() {
    let prepared = Prepared::new();
    let mut store = prepared.store();
    let entry = |number: i64| AuditEntry {
        number: AuditNumber(0),
        time_ms: 1_000_000 * number,
        actor: Actor::Account(ADA),
        event: AuditEvent::SignedIn,
        room: None,
        target: "password".into(),
        address: "192.0.2.1".into(),
    };
    // More than are read at once.
    let entries: Vec<AuditEntry> = (1..=1_200).map(entry).collect();
    store.append_audit(&entries).expect("stored");
    drop(store);
    let server = prepared.start(&["--audit-days", "0"]);
    let headers =
        [("authorization", &*format!("Bearer {}", prepared.admin)), ("accept", "application/x-ndjson")];
    let path = "/api/v1/admin/audit?event=signed_in&sinceMs=2000000";
    let reply = server.send("GET", path, &headers, b"");
    assert_eq!(reply.header("content-type"), "application/x-ndjson");
    let lines: Vec<Json> =
        reply.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 1_199);
    assert_eq!(
        lines[0],
        json!({
            "number": 2,
            "timeMs": 2_000_000,
            "actor": { "kind": "account", "id": ADA.to_string() },
            "event": "signed_in",
            "room": null,
            "target": "password",
            "address": "192.0.2.1",
        })
    );
    drop(server);
    // The same from the data directory.
    let output = binary()
        .args(["admin", "audit", "--data"])
        .arg(prepared.data.path())
        .args(["--event", "signed_in", "--since-ms", "2000000"])
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), reply.text());
}

#[test]
fn old_entries_are_forgotten() {
    let prepared = Prepared::new();
    let mut store = prepared.store();
    let entry = AuditEntry {
        number: AuditNumber(0),
        time_ms: 5,
        actor: Actor::Operator,
        event: AuditEvent::AccountCreated,
        room: None,
        target: "1970".into(),
        address: String::new(),
    };
    store.append_audit(&vec![entry; 1_500]).expect("stored");
    drop(store);
    let old = |days: &str| {
        let server = prepared.start(&["--audit-days", days]);
        admin(&server, &prepared.admin, "POST", "/maintenance", Json::Null);
        let log = admin(&server, &prepared.admin, "GET", "/audit?untilMs=10", Json::Null).json();
        texts(&log, "entries", "target").len()
    };
    assert_eq!([old("0"), old("1")], [50, 0]);
}
