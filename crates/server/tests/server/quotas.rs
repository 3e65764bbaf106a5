//! Quotas of accounts and tenants, and the separation of tenants.

use serde_json::{Value as Json, json};

use crate::access::{close_code, join, send, socket};
use crate::admin::{ADA, Prepared, admin, texts};
use crate::person::Person;
use crate::support::{Reply, Server, file};

/// A server with the tenants `a.example.org` and `b.example.org`.
fn with_tenants(prepared: &Prepared, limits: &str) -> (tempfile::TempDir, Server) {
    let settings = format!(
        "public_url = [\"https://a.example.org\", \"https://b.example.org\"]\n\
         [[tenants]]\nhost = \"a.example.org\"\n{limits}\n[[tenants]]\nhost = \"b.example.org\"\n"
    );
    let (directory, path) = file("quadrille.toml", settings);
    let server = prepared.start(&["--config", path.to_str().expect("UTF-8")]);
    (directory, server)
}

/// Sends a request to the host of a tenant.
fn at(server: &Server, host: &str, token: &str, method: &str, path: &str, body: &str) -> Reply {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("host", host), ("content-type", "text/csv")];
    if !token.is_empty() {
        headers.push(("authorization", &bearer));
    }
    server.send(method, path, &headers, body.as_bytes())
}

fn make(server: &Server, token: &str, room: &str) -> Reply {
    send(server, token, "POST", "/api/v1/rooms", &json!({ "name": room }).to_string())
}

#[test]
fn an_account_owns_as_many_workbooks_as_its_quota_says() {
    let prepared = Prepared::new();
    let server = prepared.start(&["--account-workbooks-max", "2"]);
    for room in ["one", "two"] {
        assert_eq!(make(&server, &prepared.ada, room).status, 201);
    }
    let refused = make(&server, &prepared.ada, "three");
    assert_eq!((refused.status, refused.code().as_str()), (403, "quota_exceeded"));
    assert!(refused.text().contains("has 2 of at most 2 workbooks"), "{refused:?}");
    // Creating it by writing is the same.
    let path = "/api/v1/rooms/three";
    assert_eq!(at(&server, "localhost", &prepared.ada, "PUT", path, "1\n").code(), "quota_exceeded");
    let account = format!("/accounts/{ADA}");
    let quota =
        &admin(&server, &prepared.admin, "GET", "/accounts?q=ada", Json::Null).json()["accounts"][0]["quota"];
    assert_eq!(quota["workbooks"], json!({ "used": 2, "limit": 2 }));
    // Others have their own, and an admin can change it.
    assert_eq!(make(&server, &prepared.admin, "four").status, 201);
    let quota =
        admin(&server, &prepared.admin, "PUT", &format!("{account}/quota"), json!({ "workbooks": 3 }));
    assert_eq!(quota.json()["workbooks"], json!({ "used": 2, "limit": 3 }));
    assert_eq!(make(&server, &prepared.ada, "three").status, 201);
    assert_eq!(make(&server, &prepared.ada, "five").code(), "quota_exceeded");
    // A deleted workbook makes room for another one.
    assert_eq!(send(&server, &prepared.ada, "DELETE", "/api/v1/rooms/one", "").status, 204);
    assert_eq!(make(&server, &prepared.ada, "five").status, 201);
    // Changed quotas survive a restart.
    drop(server);
    let server = prepared.start(&["--account-workbooks-max", "2"]);
    assert_eq!(make(&server, &prepared.ada, "six").code(), "quota_exceeded");
    let quota = admin(&server, &prepared.admin, "PUT", &format!("{account}/quota"), json!({}));
    assert_eq!(quota.json()["workbooks"], json!({ "used": 3, "limit": 2 }));
}

#[test]
fn a_first_edit_beyond_a_quota_closes_the_session_with_that_reason() {
    let prepared = Prepared::new();
    let server = prepared.start(&["--account-workbooks-max", "1"]);
    assert_eq!(make(&server, &prepared.ada, "one").status, 201);
    let mut person = Person::join_by(socket(&server, "two", "", &prepared.ada), "Ada");
    person.type_text("A1", "7");
    person.wait_until("closed", |person| person.closed_with.is_some());
    assert_eq!(person.closed_with, Some(4413));
    assert_eq!(send(&server, &prepared.ada, "GET", "/api/v1/rooms/two", "").status, 404);
}

#[test]
fn a_full_account_cannot_write_and_its_workbooks_open_for_reading() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    assert_eq!(make(&server, &prepared.ada, "plan").status, 201);
    let write = || send(&server, &prepared.ada, "PUT", "/api/v1/rooms/plan/sheets/Sheet1/cells/A1", "1");
    assert_eq!(write().status, 200);
    let mut open = socket(&server, "plan", "", &prepared.ada);
    assert_eq!(join(&mut open), quadrille_protocol::Role::Owner);
    let path = format!("/accounts/{ADA}/quota");
    let set = |bytes: u64| admin(&server, &prepared.admin, "PUT", &path, json!({ "bytes": bytes })).status;
    assert_eq!(set(1), 200);
    let refused = write();
    assert_eq!((refused.status, refused.code().as_str()), (403, "quota_exceeded"));
    assert!(refused.text().contains("of at most 1 bytes"), "{refused:?}");
    assert_eq!(join(&mut socket(&server, "plan", "", &prepared.ada)), quadrille_protocol::Role::View);
    let access = send(&server, &prepared.ada, "GET", "/api/v1/rooms/plan/access", "").json();
    assert_eq!(access["quota"]["bytes"]["limit"], 1);
    assert!(access["quota"]["bytes"]["used"].as_u64() > Some(1), "{access}");
    assert_eq!(set(1 << 30), 200);
    assert_eq!(write().status, 200);
    // Deleting is always allowed.
    assert_eq!(set(1), 200);
    assert_eq!(send(&server, &prepared.ada, "DELETE", "/api/v1/rooms/plan", "").status, 204);
}

#[test]
fn sessions_of_a_full_account_may_write_again_when_there_is_storage() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    for room in ["plan", "large"] {
        assert_eq!(make(&server, &prepared.ada, room).status, 201);
    }
    let write = |room: &str, text: &str| {
        let path = format!("/api/v1/rooms/{room}/sheets/Sheet1/cells/A1");
        send(&server, &prepared.ada, "PUT", &path, &json!(text).to_string()).status
    };
    assert_eq!((write("plan", "small"), write("large", &"long ".repeat(5_000))), (200, 200));
    let used = || {
        let access = send(&server, &prepared.ada, "GET", "/api/v1/rooms/plan/access", "").json();
        access["quota"]["bytes"]["used"].as_u64().expect("a number")
    };
    let path = format!("/accounts/{ADA}/quota");
    let set = |bytes: u64| admin(&server, &prepared.admin, "PUT", &path, json!({ "bytes": bytes })).status;
    let opened = |expected: quadrille_protocol::Role| {
        let mut session = socket(&server, "plan", "", &prepared.ada);
        assert_eq!(join(&mut session), expected);
        session
    };
    // Clients connect again after this code, and have their role then.
    let access_changed = 4412;
    // A higher limit.
    assert_eq!(set(used()), 200);
    let mut limited = opened(quadrille_protocol::Role::View);
    assert_eq!(set(1 << 30), 200);
    assert_eq!(close_code(&mut limited).0, access_changed);
    // A workbook is deleted.
    let full = used();
    assert_eq!(set(full), 200);
    let mut limited = opened(quadrille_protocol::Role::View);
    assert_eq!(send(&server, &prepared.ada, "DELETE", "/api/v1/rooms/large", "").status, 204);
    assert_eq!(close_code(&mut limited).0, access_changed);
    assert!(used() < full);
    opened(quadrille_protocol::Role::Owner);
    assert_eq!(write("plan", "again"), 200);
}

#[test]
fn bytes_of_a_body_without_a_length_count_as_they_arrive() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    assert_eq!(make(&server, &prepared.ada, "plan").status, 201);
    let path = format!("/accounts/{ADA}/quota");
    let set = |bytes: u64| admin(&server, &prepared.admin, "PUT", &path, json!({ "bytes": bytes })).json();
    let used = set(1 << 30)["bytes"]["used"].as_u64().expect("bytes");
    set(used + 2_000);
    let upload = |chunks: usize| {
        let chunk = format!("3e8\r\n{}\r\n", "1\n".repeat(500));
        server.raw(
            format!(
                "PUT /api/v1/rooms/plan HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
                 content-type: text/csv\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n{}0\r\n\r\n",
                prepared.ada,
                chunk.repeat(chunks)
            )
            .as_bytes(),
        )
    };
    let refused = upload(20);
    assert!(refused.starts_with("HTTP/1.1 403") && refused.contains("quota_exceeded"), "{refused}");
    let cell = "/api/v1/rooms/plan/sheets/Sheet1/cells/A1";
    assert_eq!(
        send(&server, &prepared.ada, "GET", cell, "").json()["value"],
        Json::Null,
        "nothing is stored"
    );
    set(1 << 30);
    assert!(upload(20).starts_with("HTTP/1.1 200"));
}

#[test]
fn sessions_and_exports_of_an_account_are_limited() {
    let prepared = Prepared::new();
    let server = prepared.start(&["--account-sessions-max", "1", "--account-exports-per-hour", "2"]);
    assert_eq!(make(&server, &prepared.ada, "plan").status, 201);
    let mut first = socket(&server, "plan", "", &prepared.ada);
    join(&mut first);
    assert_eq!(close_code(&mut socket(&server, "plan", "", &prepared.ada)).0, 4429);
    let export = || send(&server, &prepared.ada, "GET", "/api/v1/rooms/plan?format=csv", "");
    assert_eq!([export().status, export().status], [200, 200]);
    let refused = export();
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many_requests"));
    assert!(refused.header("retry-after").parse::<u64>().expect("seconds") > 3_000, "{refused:?}");
    // Reading cells is no export.
    let cells = "/api/v1/rooms/plan/sheets/Sheet1/cells/A1";
    assert_eq!(send(&server, &prepared.ada, "GET", cells, "").status, 200);
}

#[test]
fn a_workbook_of_a_tenant_is_found_at_its_host_only() {
    let prepared = Prepared::new();
    let (_settings, server) = with_tenants(&prepared, "");
    let path = "/api/v1/rooms/plan";
    let made = at(&server, "a.example.org", "", "PUT", path, "1,2\n");
    assert_eq!(made.status, 201, "{made:?}");
    let read = |host: &str, path: &str| at(&server, host, "", "GET", path, "").status;
    assert_eq!(read("a.example.org", path), 200);
    for host in ["b.example.org", "localhost"] {
        assert_eq!(read(host, path), 404, "{host}");
        // As if it did not exist.
        let answer = |room: &str| {
            let reply = at(&server, host, "", "GET", &format!("/api/v1/rooms/{room}"), "");
            (reply.status, reply.text().replace(room, "ROOM"))
        };
        assert_eq!(answer("plan"), answer("absent"), "{host}");
        assert_eq!(read(host, "/_exists/plan"), 200);
        assert_eq!(at(&server, host, "", "GET", "/_exists/plan", "").text(), "false", "{host}");
        assert_eq!(at(&server, host, "", "DELETE", path, "").status, 404, "{host}");
    }
    // Not even for an owner: Ada's workbook is at the host where she made it.
    assert_eq!(at(&server, "b.example.org", &prepared.ada, "PUT", "/api/v1/rooms/ada", "1\n").status, 201);
    let own = |host: &str| at(&server, host, &prepared.ada, "GET", "/api/v1/rooms/ada", "").status;
    assert_eq!([own("b.example.org"), own("a.example.org"), own("localhost")], [200, 404, 404]);
    // A workbook from before the tenants belongs to the other names of the server.
    assert_eq!(at(&server, "localhost", "", "PUT", "/api/v1/rooms/common", "1\n").status, 201);
    let common = |host: &str| read(host, "/api/v1/rooms/common");
    assert_eq!([common("localhost"), common("a.example.org")], [200, 404]);
    let rows = admin(&server, &prepared.admin, "GET", "/workbooks", Json::Null).json();
    assert_eq!(texts(&rows, "workbooks", "tenant"), ["b.example.org", "", "a.example.org"]);
}

#[test]
fn a_tenant_has_as_many_workbooks_as_its_settings_say() {
    let prepared = Prepared::new();
    let (_settings, server) = with_tenants(&prepared, "workbooks_max = 1");
    let make = |host: &str, room: &str| at(&server, host, "", "PUT", &format!("/api/v1/rooms/{room}"), "1\n");
    assert_eq!(make("a.example.org", "one").status, 201);
    let refused = make("a.example.org", "two");
    assert_eq!(refused.code(), "quota_exceeded");
    assert!(refused.text().contains("a.example.org has 1 of at most 1 workbooks"), "{refused:?}");
    assert_eq!(make("b.example.org", "two").status, 201);
    let tenants = admin(&server, &prepared.admin, "GET", "/tenants", Json::Null).json();
    assert_eq!(texts(&tenants, "tenants", "name"), ["a.example.org", "b.example.org"]);
    assert_eq!(tenants["tenants"][0]["workbooks"], json!({ "used": 1, "limit": 1 }));
    assert_eq!(tenants["tenants"][1]["workbooks"], json!({ "used": 1, "limit": null }));
    let path = "/tenants/a.example.org/quota";
    assert_eq!(admin(&server, &prepared.admin, "PUT", path, json!({ "workbooks": 0 })).status, 200);
    assert_eq!(make("a.example.org", "three").status, 201);
}

#[test]
fn a_tenant_must_be_a_host_of_the_server() {
    let prepared = Prepared::new();
    let (_directory, path) = file("quadrille.toml", "[[tenants]]\nhost = \"a.example.org\"\n");
    let output = crate::support::binary()
        .args(["serve", "--listen", "127.0.0.1:0", "--config"])
        .arg(path)
        .arg("--data")
        .arg(prepared.data.path())
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("tenants: a.example.org is not a host of public_url"), "{message}");
}
