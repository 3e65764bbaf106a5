//! Tenants by path prefix (docs/decisions/0017-tenants-by-path.md).

use quadrille_access::{Secret, SecretKind};
use serde_json::{Value as Json, json};

use crate::access::{join, send, socket_at};
use crate::admin::{ADA, Prepared, admin, texts};
use crate::ethercalc_bot::Bot;
use crate::support::{Reply, Server, binary, file};

/// A server with the tenants `/acme` and `/lab` by path, and `b.example.org` by host.
fn with_paths(prepared: &Prepared, limits: &str) -> (tempfile::TempDir, Server) {
    let settings = format!(
        "public_url = [\"http://b.example.org\", \"http://a.example.org\"]\n\
         [[tenants]]\npath = \"/acme\"\n{limits}\n[[tenants]]\npath = \"/lab\"\n\
         [[tenants]]\nhost = \"b.example.org\"\n"
    );
    let (directory, path) = file("quadrille.toml", settings);
    let server = prepared.start(&["--config", path.to_str().expect("UTF-8")]);
    (directory, server)
}

fn make(server: &Server, token: &str, below: &str, room: &str) -> Reply {
    let body = json!({ "name": room }).to_string();
    send(server, token, "POST", &format!("{below}/api/v1/rooms"), &body)
}

#[test]
fn pages_and_routes_of_a_tenant_are_below_its_path() {
    let prepared = Prepared::new();
    let (_settings, server) = with_paths(&prepared, "");
    for page in ["/acme/", "/acme/plan", "/acme/_sign-in", "/acme/_admin"] {
        let reply = server.get(page);
        assert_eq!((reply.status, reply.header("content-type")), (200, "text/html; charset=utf-8"), "{page}");
    }
    // The client reads its prefix from the address, which therefore has a slash behind it.
    let reply = server.get("/acme?lang=de");
    assert_eq!((reply.status, reply.header("location")), (308, "/acme/"));
    assert!(!reply.header("content-security-policy").is_empty());
    // Redirects, and addresses in answers, have the prefix.
    assert!(server.get("/acme/_new").header("location").starts_with("/acme/"), "a new workbook");
    assert_eq!(server.get("/acme/=multi").header("location"), "/acme/multi");
    assert_eq!(server.get("/acme/plan/edit").header("location"), "/acme/plan?auth=plan");
    let made = make(&server, &prepared.ada, "/acme", "plan");
    assert_eq!((made.status, made.header("location")), (201, "/acme/api/v1/rooms/plan"), "{made:?}");
    assert_eq!(made.json()["url"], "/acme/plan");
    let link =
        send(&server, &prepared.ada, "POST", "/acme/api/v1/rooms/plan/access/links", r#"{"role":"view"}"#);
    let (url, secret) =
        (link.json()["url"].to_string(), link.json()["link"].as_str().expect("one").to_owned());
    assert_eq!(url, format!("\"/acme/plan#link={secret}\""));
    let published = send(&server, &prepared.ada, "POST", "/acme/api/v1/rooms/plan/published", "{}").json();
    let published = published["url"].as_str().expect("a link");
    assert!(published.starts_with("/acme/_published/"), "{published}");
    let elsewhere = published.trim_start_matches("/acme").to_owned();
    let statuses =
        [published, &elsewhere, &format!("/lab{elsewhere}")].map(|address| server.get(address).status);
    assert_eq!(statuses, [200, 404, 404]);
    // Invitations name the tenant, at a host that is not another tenant's.
    let people = "/acme/api/v1/rooms/plan/access/people";
    let invited =
        send(&server, &prepared.ada, "POST", people, r#"{"email":"bob@example.org","role":"view"}"#);
    let url = invited.json()["invitation"]["url"].as_str().expect("a link").to_owned();
    assert!(url.starts_with("http://a.example.org/acme/plan"), "{url}");
    // EtherCalc's routes are there too.
    assert_eq!(server.send("PUT", "/acme/_/old", &[("content-type", "text/csv")], b"1,2\n").status, 201);
    assert_eq!(server.get("/acme/old.csv").text(), "1,2\n");
    assert_eq!(server.get("/acme/_exists/old").text(), "true");
    assert_eq!(server.get("/_exists/old").text(), "false");
    // A path that only begins like one is a workbook of the server, or nothing.
    assert_eq!(server.get("/acmes/plan").status, 404);
    assert_eq!(server.get("/acmes").status, 200);
}

#[test]
fn a_workbook_of_a_path_is_found_below_it_only() {
    let prepared = Prepared::new();
    let (_settings, server) = with_paths(&prepared, "workbooks_max = 2");
    assert_eq!(make(&server, &prepared.ada, "/acme", "plan").status, 201);
    assert_eq!(make(&server, &prepared.ada, "/lab", "trial").status, 201);
    assert_eq!(make(&server, &prepared.ada, "", "own").status, 201);
    for (room, found_below) in [("plan", "/acme"), ("trial", "/lab"), ("own", "")] {
        for below in ["", "/acme", "/lab"] {
            let path = format!("{below}/api/v1/rooms/{room}");
            let expected = if below == found_below { 200 } else { 404 };
            assert_eq!(send(&server, &prepared.ada, "GET", &path, "").status, expected, "{path}");
        }
    }
    // Sessions too.
    let mut open = socket_at(&server, "/acme/api/v1/rooms/plan/socket", &prepared.ada);
    assert_eq!(join(&mut open), quadrille_protocol::Role::Owner);
    // At the host of another tenant, the path is a workbook like any other.
    let reply = server.send("GET", "/acme/api/v1/session", &[("host", "b.example.org")], b"");
    assert_eq!(reply.status, 404);
    // Quotas are those of the path.
    assert_eq!(make(&server, &prepared.ada, "/acme", "second").status, 201);
    let refused = make(&server, &prepared.ada, "/acme", "third");
    assert_eq!((refused.status, refused.code().as_str()), (403, "quota_exceeded"));
    assert!(refused.text().contains("/acme has 2 of at most 2 workbooks"), "{refused:?}");
    let tenants = admin(&server, &prepared.admin, "GET", "/tenants", Json::Null).json();
    assert_eq!(texts(&tenants, "tenants", "name"), ["/acme", "/lab", "b.example.org"]);
    let raised = admin(&server, &prepared.admin, "PUT", "/tenants/%2Facme/quota", json!({ "workbooks": 3 }));
    assert_eq!(raised.json()["workbooks"], json!({ "used": 2, "limit": 3 }));
    assert_eq!(make(&server, &prepared.ada, "/acme", "third").status, 201);
}

#[test]
fn clients_of_ethercalcs_live_protocol_edit_below_the_path() {
    let prepared = Prepared::new();
    let (_settings, server) = with_paths(&prepared, "");
    let made = server.send("PUT", "/acme/_/old", &[("content-type", "text/csv")], b"1,2\n");
    assert_eq!(made.status, 201);
    let mut ann = Bot::connect_below(&server, "/acme", "old", "ann");
    let mut bob = Bot::connect_below(&server, "/acme", "old", "bob");
    assert!(ann.load()["snapshot"].as_str().expect("a save").contains("cell:B1:v:2"));
    bob.load();
    ann.execute("set B1 value n 7");
    assert_eq!(bob.next_of("execute")["cmdstr"], "set B1 value n 7");
    assert_eq!(server.get("/acme/old.csv").text(), "1,7\n");
    // A workbook that a command makes is the tenant's too.
    let mut maker = Bot::connect_below(&server, "/lab", "new", "maker");
    maker.load();
    maker.execute("set A1 value n 1");
    maker.load();
    let found = |path: &str| server.get(path).status;
    assert_eq!([found("/lab/new.csv"), found("/acme/new.csv"), found("/new.csv")], [200, 404, 404]);
    // Elsewhere the workbook is as if it did not exist.
    for mut stranger in
        [Bot::connect(&server, "old", "eve", ""), Bot::connect_below(&server, "/lab", "old", "eve")]
    {
        assert_eq!(stranger.close_code(), 4403);
    }
}

#[test]
fn a_session_of_a_path_is_a_cookie_of_that_path() {
    let prepared = Prepared::new();
    let (_settings, server) = with_paths(&prepared, "");
    let session = Secret::new(SecretKind::Session, [ADA.0 as u8; 24]).reveal();
    let cookie = format!("quadrille.acme={session}");
    for (path, is_signed_in) in
        [("/acme/api/v1/session", true), ("/api/v1/session", false), ("/lab/api/v1/session", false)]
    {
        let session = server.send("GET", path, &[("cookie", &cookie)], b"").json();
        assert_eq!(!session["account"].is_null(), is_signed_in, "{path}");
    }
    // The cookie of the server, which the browser sends to all paths, does not count below a prefix.
    let own = format!("quadrille={session}");
    assert!(server.send("GET", "/acme/api/v1/session", &[("cookie", &own)], b"").json()["account"].is_null());
    let signed_out = server.send("DELETE", "/acme/api/v1/session", &[("cookie", &cookie)], b"");
    let cleared = "quadrille.acme=; Max-Age=0; Path=/acme; HttpOnly; SameSite=Lax";
    assert_eq!((signed_out.status, signed_out.header("set-cookie")), (204, cleared));
}

#[test]
fn a_tenant_is_a_host_or_a_path_that_the_server_does_not_use() {
    for (tenant, expected) in [
        ("", "each needs a `host` or a `path`"),
        ("path = \"/acme\"\nhost = \"localhost\"", "a tenant is one of both"),
        ("path = \"acme\"", "a path is like /acme"),
        ("path = \"/\"", "a path is like /acme"),
        ("path = \"/Acme\"", "a path is like /acme"),
        ("path = \"/a/b\"", "a path is like /acme"),
        ("path = \"/_admin\"", "a path is like /acme"),
        ("path = \"/api\"", "the server uses this path itself: /api"),
        ("path = \"/assets\"", "the server uses this path itself: /assets"),
        ("path = \"/a\"\n[[tenants]]\npath = \"/a\"", "/a is named twice"),
    ] {
        let (_directory, path) = file("quadrille.toml", format!("[[tenants]]\n{tenant}\n"));
        let data = tempfile::tempdir().expect("a temporary directory");
        let output = binary().args(["serve", "--config"]).arg(&path).arg("--data").arg(data.path()).output();
        let output = output.expect("it runs");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{tenant}");
        assert!(message.contains(expected), "{tenant}: {message}");
    }
}
