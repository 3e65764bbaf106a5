//! EtherCalc's links with the setting `ethercalc_key`: who has the code of a room edits it, everybody
//! else views it.

use hmac::{Hmac, KeyInit, Mac};
use quadrille_protocol::Role;
use serde_json::json;
use sha2::Sha256;

use crate::access::{close_code, join, send, socket};
use crate::host_tokens::refusals;
use crate::support::{Reply, Server};

const KEY: &str = "a key";

/// A server with a key.
pub struct Keyed {
    pub server: Server,
    data: tempfile::TempDir,
}

impl Keyed {
    pub fn start(more: &[&str]) -> Keyed {
        let data = tempfile::tempdir().expect("a temporary directory");
        let server = Server::start_on(data.path(), &[&["--ethercalc-key", KEY], more].concat());
        Keyed { server, data }
    }

    fn put(&self, path: &str, csv: &str) -> Reply {
        self.server.put(path, "text/csv", csv)
    }
}

/// The code as EtherCalc computes it: HMAC-SHA256 of the name of the room, in hexadecimal digits.
pub fn code(room: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(KEY.as_bytes()).expect("any length");
    mac.update(room.as_bytes());
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_addresses_of_ethercalc_lead_to_the_code() {
    let keyed = Keyed::start(&[]);
    let code = code("budget");
    for (path, location) in [
        ("/budget/edit", format!("/budget?auth={code}")),
        ("/budget/view", format!("/budget?auth={code}&view=1")),
        ("/=budget/edit", format!("/budget?auth={code}")),
        ("/budget", "/budget?auth=0".to_owned()),
        ("/budget?embed=view", "/budget?embed=view&auth=0".to_owned()),
        ("/=budget?auth=0&view=1", "/budget?auth=0&view=1".to_owned()),
    ] {
        let reply = keyed.server.get(path);
        assert_eq!((reply.status, reply.header("location")), (302, location.as_str()), "{path}");
        assert_eq!(reply.header("cache-control"), "no-store", "{path}");
        assert_eq!(reply.header("referrer-policy"), "no-referrer", "{path}");
    }
    for path in [format!("/budget?auth={code}"), "/budget?auth=0".to_owned()] {
        let page = keyed.server.get(&path);
        assert_eq!((page.status, page.header("referrer-policy")), (200, "no-referrer"), "{path}");
    }
    let new = keyed.server.get("/_new");
    assert!(new.status == 302 && new.header("location").ends_with("/edit"), "{new:?}");
}

#[test]
fn reading_needs_no_code_and_writing_does() {
    let keyed = Keyed::start(&[]);
    let code = code("budget");
    assert_eq!(keyed.put("/_/budget", "1").status, 403);
    let put = keyed.put(&format!("/_/budget?auth={code}"), "1,2\n");
    assert_eq!((put.status, put.text().as_str()), (201, "OK"));
    for query in ["", "?auth=0", &format!("?auth={code}")] {
        for path in ["/_/budget", "/_/budget/csv", "/_/budget/cells", "/_/budget/cells/A1", "/budget.csv"] {
            assert_eq!(keyed.server.get(&format!("{path}{query}")).status, 200, "{path}{query}");
        }
        let expected = if query.len() > 10 { 201 } else { 403 };
        assert_eq!(keyed.put(&format!("/_/budget{query}"), "3\n").status, expected, "{query}");
        let snapshot = json!({ "room": "budget", "snapshot": "a,b" }).to_string();
        let post = keyed.server.send(
            "POST",
            &format!("/_{query}"),
            &[("content-type", "application/json")],
            snapshot.as_bytes(),
        );
        assert_eq!(post.status, expected, "{query}");
    }
    assert_eq!(keyed.server.delete("/_/budget").status, 403);
    assert_eq!(keyed.server.delete("/_/budget?auth=0").status, 403);
    assert_eq!(keyed.server.delete(&format!("/_/budget?auth={code}")).status, 201);
}

#[test]
fn the_page_and_the_rest_api_have_the_same_roles() {
    let keyed = Keyed::start(&[]);
    let code = format!("qe_{}", code("budget"));
    let new = r#"{"name":"budget"}"#;
    assert_eq!(send(&keyed.server, &code, "POST", "/api/v1/rooms", new).status, 201);
    let cells = "/api/v1/rooms/budget/sheets/Sheet1/cells/A1";
    assert_eq!(send(&keyed.server, "", "PUT", cells, "1").code(), "forbidden");
    assert_eq!(send(&keyed.server, &code, "PUT", cells, "1").status, 200);
    assert_eq!(join(&mut socket(&keyed.server, "budget", "", "")), Role::View);
    assert_eq!(join(&mut socket(&keyed.server, "budget", "", &code)), Role::Edit);
    assert_eq!(join(&mut socket(&keyed.server, "budget", "?view", &code)), Role::View);
}

#[test]
fn a_wrong_code_is_refused_with_a_line_in_the_audit_log() {
    let mut keyed = Keyed::start(&[]);
    let own = code("budget");
    keyed.put(&format!("/_/budget?auth={own}"), "1\n");
    let wrong = [code("plan"), own[..63].to_owned(), own.to_uppercase(), format!("{own}0"), "1".to_owned()];
    for code in &wrong {
        let refused = keyed.put(&format!("/_/budget?auth={code}"), "2\n");
        assert_eq!(refused.status, 401, "{code}: {refused:?}");
        assert_eq!(refused.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(keyed.server.get(&format!("/budget.csv?auth={code}")).status, 401, "{code}");
        let session = &mut socket(&keyed.server, "budget", "", &format!("qe_{code}"));
        assert_eq!(close_code(session).0, 4403, "{code}");
    }
    assert_eq!(keyed.server.get("/budget.csv").text(), "1\n");
    keyed.server.kill();
    let found = refusals(keyed.data.path());
    assert_eq!(found.len(), 3 * wrong.len(), "{found:?}");
    assert!(found.iter().all(|reason| reason == "the code in `auth` is not the one of this workbook"));
}

#[test]
fn a_code_opens_nothing_that_its_owner_has_restricted() {
    let keyed = Keyed::start(&[]);
    let code = code("plan");
    let bearer = format!("qe_{code}");
    let new = json!({ "name": "plan", "claim": true }).to_string();
    let made = send(&keyed.server, &bearer, "POST", "/api/v1/rooms", &new).json();
    let owner_key = made["ownerKey"].as_str().expect("a key");
    let restrict = r#"{"general":"restricted"}"#;
    assert_eq!(send(&keyed.server, owner_key, "PUT", "/api/v1/rooms/plan/access", restrict).status, 204);
    // `/plan/edit` gives the code to everybody, whether there is such a workbook or not.
    assert_eq!(keyed.server.get("/plan/edit").header("location"), format!("/plan?auth={code}"));
    assert_eq!(keyed.put(&format!("/_/plan?auth={code}"), "2\n").status, 404);
    assert_eq!(send(&keyed.server, &bearer, "GET", "/api/v1/rooms/plan", "").status, 404);
    // The credentials of the workbook count as without a key.
    let cells = "/api/v1/rooms/plan/sheets/Sheet1/cells/A1";
    assert_eq!(send(&keyed.server, owner_key, "PUT", cells, "1").status, 200);
}

#[test]
fn a_new_workbook_needs_the_code_of_its_name_or_a_random_name() {
    let keyed = Keyed::start(&[]);
    let create =
        |credential: &str, body: &str| send(&keyed.server, credential, "POST", "/api/v1/rooms", body);
    let named = r#"{"name":"budget"}"#;
    assert_eq!(create("", named).code(), "forbidden");
    assert_eq!(create(&format!("qe_{}", code("plan")), named).code(), "bad_credentials");
    assert_eq!(create(&format!("qe_{}", code("budget")), named).status, 201);
    assert_eq!(create("", "").status, 201);
}

#[test]
fn with_accounts_the_code_counts_only_for_whoever_is_signed_in() {
    let keyed = Keyed::start(&["--access", "accounts"]);
    let code = code("budget");
    assert_eq!(keyed.put(&format!("/_/budget?auth={code}"), "1\n").status, 404);
}

#[test]
fn without_a_key_the_addresses_lead_to_the_page() {
    let server = Server::start();
    for (path, location) in [
        ("/budget/edit", "/budget?auth=budget"),
        ("/budget/view", "/budget?auth=budget&view=1"),
        ("/=budget", "/budget"),
    ] {
        assert_eq!(server.get(path).header("location"), location, "{path}");
    }
    // Links from a server with a key still lead to the workbook.
    assert_eq!(server.get(&format!("/budget?auth={}", code("budget"))).status, 200);
    assert_eq!(server.put("/_/budget?auth=0", "text/csv", "1\n").status, 201);
}

#[test]
fn codes_are_not_logged() {
    let (data, log) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let path = log.path().join("log");
    let file = std::fs::File::create(&path).expect("writable");
    let key = data.path().join("key");
    std::fs::write(&key, format!("{KEY}\n")).expect("writable");
    let trace = log.path().join("trace.json");
    let arguments = [
        "--log",
        "trace",
        "--trace",
        trace.to_str().expect("UTF-8"),
        "--ethercalc-key-file",
        key.to_str().expect("UTF-8"),
    ];
    let mut server = Server::start_logging_to(file.into(), &data.path().join("data"), &arguments);
    let code = code("budget");
    assert_eq!(server.put(&format!("/_/budget?auth={code}"), "text/csv", "1\n").status, 201);
    assert_eq!(server.get(&format!("/budget?auth={code}")).status, 200);
    assert_eq!(server.get("/budget/edit").status, 302);
    join(&mut socket(&server, "budget", "", &format!("qe_{code}")));
    server.signal("TERM");
    server.wait();
    for file in [&path, &trace] {
        let text = std::fs::read_to_string(file).expect("readable");
        assert!(!text.contains(&code) && !text.contains(KEY), "{}", file.display());
    }
    assert!(std::fs::read_to_string(&path).expect("readable").contains("/_/budget"));
}
