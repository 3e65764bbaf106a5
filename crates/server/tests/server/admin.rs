//! The admin API: accounts, workbooks, sessions, tokens and quotas of the whole server.

use std::collections::BTreeSet;
use std::path::Path;

use quadrille_access::{
    AccessStore, Account, AccountId, AccountSession, ApiToken, Email, GeneralAccess, Scope, Secret,
    SecretKind, Version, WorkbookAccess,
};
use quadrille_protocol::RoomName;
use quadrille_storage_sqlite::SqliteAccessStore;
use serde_json::{Value as Json, json};

use crate::access::send;
use crate::support::{Reply, Server, binary};

const ADMIN: AccountId = AccountId(0xad);
pub const ADA: AccountId = AccountId(0xada);

/// A data directory with the account of an admin and of Ada, each with an API token and a session.
pub struct Prepared {
    pub data: tempfile::TempDir,
    pub admin: String,
    pub ada: String,
}

impl Prepared {
    pub fn new() -> Prepared {
        let data = tempfile::tempdir().expect("a temporary directory");
        let mut store = SqliteAccessStore::open(data.path()).expect("a new store");
        let admin = add_account(&mut store, ADMIN, "admin@example.org", true);
        let ada = add_account(&mut store, ADA, "ada@example.org", false);
        Prepared { data, admin, ada }
    }

    pub fn start(&self, more: &[&str]) -> Server {
        Server::start_on(self.data.path(), more)
    }

    /// Changes the stopped server's access store.
    pub fn store(&self) -> SqliteAccessStore {
        SqliteAccessStore::open(self.data.path()).expect("the store")
    }
}

/// Adds an account with a session and an API token of the scope `admin`; returns the token.
pub fn add_account(store: &mut SqliteAccessStore, id: AccountId, email: &str, is_admin: bool) -> String {
    let account = Account {
        id,
        name: email.split('@').next().expect("a local part").to_owned(),
        email: Email::parse(email),
        is_email_verified: true,
        is_admin,
        is_disabled: false,
        identities: BTreeSet::new(),
        password_hash: None,
        passkeys: Vec::new(),
        sign_in_link: None,
        recovery_link: None,
        refuses_notification_mail: false,
        created_ms: 1,
        last_seen_ms: 0,
    };
    store.put_account(Version(0), &account, &[]).expect("stored");
    let byte = id.0 as u8;
    let token = Secret::new(SecretKind::ApiToken, [byte; 24]);
    let stored = ApiToken {
        id: token.id(),
        hash: token.hash(),
        account: id,
        label: "script".into(),
        scope: Scope::Admin,
        rooms: None,
        created_ms: 1,
        expires_ms: None,
        last_used_ms: 0,
    };
    store.put_token(&stored, &[]).expect("stored");
    let session = Secret::new(SecretKind::Session, [byte; 24]);
    let far_ms = i64::MAX / 2;
    let stored = AccountSession {
        id: session.id(),
        hash: session.hash(),
        account: id,
        created_ms: far_ms - 10,
        expires_ms: far_ms,
        last_used_ms: far_ms - 10,
        user_agent: "Firefox".into(),
        address: "192.0.2.1".into(),
        renewed_ms: far_ms - 10,
        provider: None,
        next: None,
        previous: None,
    };
    store.put_session(&stored, &[]).expect("stored");
    token.reveal()
}

/// Sends a request to the admin API.
pub fn admin(server: &Server, token: &str, method: &str, path: &str, body: Json) -> Reply {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    send(server, token, method, &format!("/api/v1/admin{path}"), &body)
}

/// The names in a member of the rows of a list.
pub fn texts(list: &Json, rows: &str, member: &str) -> Vec<String> {
    let rows = list[rows].as_array().unwrap_or_else(|| panic!("no {rows} in {list}"));
    rows.iter().map(|row| row[member].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn only_admins_call_the_admin_api() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    let document: Json = server.get("/api/v1/openapi.json").json();
    let mut count = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        let Some(path) = path.strip_prefix("/api/v1/admin") else { continue };
        for method in item.as_object().expect("operations").keys().filter(|key| *key != "parameters") {
            count += 1;
            let filled = path
                .replace("{account}", "00000000000000ff")
                .replace("{room}", "absent")
                .replace("{session}", "AQEBAQEBAQE")
                .replace("{token}", "AQEBAQEBAQE")
                .replace("{webhook}", "AQEBAQEBAQE")
                .replace("{tenant}", "absent.example.org");
            let example = &item[method]["requestBody"]["content"]["application/json"]["example"];
            let call = |token: &str| {
                let reply = admin(&server, token, &method.to_uppercase(), &filled, example.clone());
                (reply.status, if reply.status < 300 { String::new() } else { reply.code() })
            };
            assert_eq!(call(""), (401, "sign_in_required".into()), "{method} {path}");
            assert_eq!(call(&prepared.ada), (403, "forbidden".into()), "{method} {path}");
            let (status, code) = call(&prepared.admin);
            assert!(status < 300 || status == 404, "{method} {path}: {status} {code}");
        }
    }
    assert_eq!(count, 30);
}

#[test]
fn accounts_are_listed_in_pages_and_searched() {
    let prepared = Prepared::new();
    let mut store = prepared.store();
    for number in 0..5 {
        add_account(&mut store, AccountId(0x100 + number), &format!("bob{number}@example.org"), false);
    }
    drop(store);
    let server = prepared.start(&[]);
    let list =
        |query: &str| admin(&server, &prepared.admin, "GET", &format!("/accounts{query}"), Json::Null).json();
    assert_eq!(texts(&list("?q=BOB"), "accounts", "name"), ["bob0", "bob1", "bob2", "bob3", "bob4"]);
    let first = list("?q=bob&limit=2");
    assert_eq!(texts(&first, "accounts", "name"), ["bob0", "bob1"]);
    let next = first["next"].as_str().expect("more").to_owned();
    let second = list(&format!("?q=bob&limit=3&after={next}"));
    assert_eq!((texts(&second, "accounts", "name").len(), &second["next"]), (3, &Json::Null));
    let ada = &list("?q=ada@example")["accounts"][0];
    assert_eq!(ada["id"], ADA.to_string());
    assert_eq!(
        [&ada["sessionCount"], &ada["tokenCount"], &ada["workbookCount"]],
        [1, 1, 0].map(|n| json!(n)).each_ref()
    );
    assert_eq!(admin(&server, &prepared.admin, "GET", "/accounts?after=x", Json::Null).code(), "bad_request");
}

#[test]
fn an_account_is_made_changed_disabled_and_deleted() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    let call = |method: &str, path: &str, body: Json| admin(&server, &prepared.admin, method, path, body);
    let made = call("POST", "/accounts", json!({ "name": "Grace", "email": "grace@example.org" }));
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    let url = made["invitation"]["url"].as_str().expect("a link").to_owned();
    let secret = url.strip_prefix("/_sign-in#once=").expect("the page of sign-in");
    // The link signs in once.
    let sign_in =
        |link: &str| send(&server, "", "POST", "/api/v1/session", &json!({ "link": link }).to_string());
    let signed_in = sign_in(secret);
    assert_eq!((signed_in.status, &signed_in.json()["account"]["name"]), (200, &json!("Grace")));
    assert_eq!(sign_in(secret).status, 401);
    let id = made["account"]["id"].as_str().expect("an identifier").to_owned();
    let path = format!("/accounts/{id}");
    let same = call("POST", "/accounts", json!({ "name": "Other", "email": "grace@example.org" }));
    assert_eq!(same.code(), "conflict");
    let changed = call("PATCH", &path, json!({ "name": "Grace Hopper", "isAdmin": true })).json();
    assert_eq!(
        [&changed["name"], &changed["isAdmin"], &changed["sessionCount"]],
        [&json!("Grace Hopper"), &json!(true), &json!(1)]
    );
    // A new password ends the sessions.
    let changed = call("PATCH", &path, json!({ "password": "correct horse battery" }));
    assert_eq!(
        (changed.status, &changed.json()["hasPassword"], &changed.json()["sessionCount"]),
        (200, &json!(true), &json!(0))
    );
    let with_password =
        json!({ "email": "grace@example.org", "password": "correct horse battery" }).to_string();
    assert_eq!(send(&server, "", "POST", "/api/v1/session", &with_password).status, 200);
    let disabled = call("PATCH", &path, json!({ "isDisabled": true }));
    assert_eq!((disabled.status, &disabled.json()["sessionCount"]), (200, &json!(0)));
    assert_eq!(send(&server, "", "POST", "/api/v1/session", &with_password).status, 401);
    assert_eq!(call("DELETE", &path, Json::Null).status, 204);
    assert_eq!(call("DELETE", &path, Json::Null).code(), "not_found");
}

#[test]
fn the_last_admin_stays() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    let call = |method: &str, path: &str, body: Json| admin(&server, &prepared.admin, method, path, body);
    let own = format!("/accounts/{ADMIN}");
    for body in [json!({ "isAdmin": false }), json!({ "isDisabled": true })] {
        let refused = call("PATCH", &own, body);
        assert_eq!((refused.status, refused.code().as_str()), (409, "conflict"));
    }
    assert_eq!(call("DELETE", &own, Json::Null).code(), "conflict");
    assert_eq!(call("PATCH", &format!("/accounts/{ADA}"), json!({ "isAdmin": true })).status, 200);
    assert_eq!(call("PATCH", &own, json!({ "isAdmin": false })).status, 200);
    assert_eq!(call("GET", "/overview", Json::Null).code(), "forbidden", "no longer an admin");
    let ada = |path: &str| admin(&server, &prepared.ada, "PATCH", path, json!({ "isAdmin": false }));
    assert_eq!(ada(&format!("/accounts/{ADA}")).code(), "conflict");
}

/// Gives workbooks to Ada: `plan`, and `old`, which is in the trash since `trashed_ms`.
pub fn give_workbooks(prepared: &Prepared, trashed_ms: i64) {
    let mut store = prepared.store();
    for (name, trashed_ms) in [("plan", None), ("old", Some(trashed_ms))] {
        let access =
            WorkbookAccess { trashed_ms, ..WorkbookAccess::with_owner(ADA, GeneralAccess::Restricted, 1) };
        let room = RoomName::new(name).expect("a name");
        store.put_workbook(&room, Version(0), Some(&access), &[]).expect("stored");
    }
}

#[test]
fn workbooks_are_listed_transferred_restored_and_deleted() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    for room in ["old", "open", "plan"] {
        server.make_room(room, "1,2,3\n");
    }
    drop(server);
    give_workbooks(&prepared, 5);
    let server = prepared.start(&["--trash-days", "0"]);
    let call = |method: &str, path: &str, body: Json| admin(&server, &prepared.admin, method, path, body);
    let list = |query: &str| call("GET", &format!("/workbooks{query}"), Json::Null).json();
    let all = list("");
    assert_eq!(texts(&all, "workbooks", "room"), ["old", "open", "plan"]);
    let plan = &all["workbooks"][2];
    assert_eq!(plan["owner"], json!({ "id": ADA.to_string(), "name": "ada" }));
    assert!(plan["bytes"].as_u64() > Some(0) && plan["changedMs"].as_i64() > Some(0), "{plan}");
    assert_eq!(texts(&list("?list=trash"), "workbooks", "room"), ["old"]);
    assert_eq!(texts(&list("?owner=none"), "workbooks", "room"), ["open"]);
    assert_eq!(texts(&list(&format!("?owner={ADA}&q=PLA")), "workbooks", "room"), ["plan"]);
    let first = list("?limit=2");
    assert_eq!((texts(&first, "workbooks", "room").len(), &first["next"]), (2, &json!("open")));
    assert_eq!(texts(&list("?limit=2&after=open"), "workbooks", "room"), ["plan"]);
    // Ada opens it until it belongs to somebody else.
    let read = |token: &str| send(&server, token, "GET", "/api/v1/rooms/plan", "").status;
    assert_eq!([read(&prepared.ada), read(&prepared.admin)], [200, 404]);
    assert_eq!(call("POST", "/workbooks/plan/owner", json!({ "account": ADMIN.to_string() })).status, 200);
    assert_eq!([read(&prepared.ada), read(&prepared.admin)], [404, 200]);
    assert_eq!(call("POST", "/workbooks/old/restore", Json::Null).status, 204);
    assert_eq!(call("POST", "/workbooks/old/restore", Json::Null).code(), "conflict");
    assert_eq!(send(&server, &prepared.ada, "GET", "/api/v1/rooms/old", "").status, 200);
    assert_eq!(call("DELETE", "/workbooks/plan", Json::Null).status, 204);
    assert_eq!(call("DELETE", "/workbooks/plan", Json::Null).code(), "no_such_room");
    assert_eq!(texts(&list(""), "workbooks", "room"), ["old", "open"]);
}

#[test]
fn sessions_and_tokens_of_everybody_are_listed_and_ended() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    let call = |method: &str, path: &str| admin(&server, &prepared.admin, method, path, Json::Null);
    let sessions = call("GET", "/sessions?q=ada").json();
    let ada = &sessions["sessions"][0];
    assert_eq!(
        [&ada["account"]["name"], &ada["userAgent"], &ada["address"]],
        ["ada", "Firefox", "192.0.2.1"].map(|text| json!(text)).each_ref()
    );
    let path = format!("/sessions/{}", ada["id"].as_str().expect("an identifier"));
    assert_eq!([call("DELETE", &path).status, call("DELETE", &path).status], [204, 404]);
    let tokens = call("GET", "/tokens?q=ada").json();
    assert!(!tokens.to_string().contains("hash"), "{tokens}");
    let path = format!("/tokens/{}", tokens["tokens"][0]["id"].as_str().expect("an identifier"));
    assert_eq!([call("DELETE", &path).status, call("DELETE", &path).status], [204, 404]);
    assert_eq!(send(&server, &prepared.ada, "GET", "/api/v1/account", "").code(), "bad_credentials");
    assert_eq!(call("GET", "/overview").json()["tokens"], 1);
}

#[test]
fn open_workbooks_are_listed_with_their_sessions_which_can_be_ended() {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    server.make_room("plan", "1\n");
    let mut session = crate::access::socket(&server, "plan", "", &prepared.ada);
    crate::access::join(&mut session);
    let call = |method: &str, path: &str| admin(&server, &prepared.admin, method, path, Json::Null);
    let rooms = call("GET", "/rooms").json();
    let plan = &rooms["rooms"][0];
    assert_eq!([&plan["room"], &plan["sessionCount"]], [&json!("plan"), &json!(1)]);
    assert_eq!(
        [&plan["sessions"][0]["account"]["name"], &plan["sessions"][0]["role"]],
        ["ada", "edit"].map(|text| json!(text)).each_ref()
    );
    assert_eq!(call("GET", "/overview").json()["people"], 1);
    assert_eq!(call("DELETE", "/rooms/plan/sessions").status, 204);
    assert_eq!(crate::access::close_code(&mut session).0, 4412);
}

/// Runs `quadrille admin` on a running server; the standard output.
fn command(server: &Server, token: &str, arguments: &[&str]) -> Result<String, String> {
    let output = binary()
        .args(["admin", "--server", &server.url("")])
        .args(arguments)
        .env("QUADRILLE_TOKEN", token)
        .output()
        .expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    match output.status.success() {
        true => Ok(text(output.stdout)),
        false => Err(text(output.stderr)),
    }
}

#[test]
fn the_command_line_calls_the_same_api() {
    let prepared = Prepared::new();
    let mut store = prepared.store();
    for number in 0..120 {
        add_account(&mut store, AccountId(0x100 + number), &format!("bob{number}@example.org"), false);
    }
    drop(store);
    let server = prepared.start(&[]);
    server.make_room("plan", "1\n");
    let run = |arguments: &[&str]| command(&server, &prepared.admin, arguments);
    // All pages, one account a line.
    let accounts = run(&["accounts", "--search", "bob"]).expect("listed");
    assert_eq!(accounts.lines().count(), 120);
    let first: Json = serde_json::from_str(accounts.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["name"], "bob0");
    let ada = ADA.to_string();
    let changed = run(&["change-account", &ada, "--name", "Ada Lovelace"]).expect("changed");
    assert!(changed.contains(r#""name":"Ada Lovelace""#), "{changed}");
    run(&["quota", "--account", &ada, "--workbooks", "3"]).expect("set");
    assert!(run(&["workbooks"]).expect("listed").starts_with(r#"{"#));
    run(&["transfer", "plan", &ada]).expect("transferred");
    assert!(run(&["workbooks", "--owner", &ada]).expect("listed").contains(r#""room":"plan""#));
    assert!(run(&["audit", "--event", "owner_changed"]).expect("read").contains(r#""room":"plan""#));
    assert!(run(&["invite", &ada]).expect("a link").contains("/_sign-in#once=qi_"));
    run(&["delete-workbook", "plan"]).expect("deleted");
    run(&["delete-account", &ada]).expect("deleted");
    assert_eq!(run(&["delete-account", &ada]), Err(format!("quadrille: no such account: {ada}\n")));
    let refused = command(&server, "qt_7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u", &["overview"]);
    let refused = refused.expect_err("an unknown token");
    assert!(refused.contains("API token"), "{refused}");
}

/// Reads the access store of a stopped server.
pub fn stored(data: &Path) -> SqliteAccessStore {
    SqliteAccessStore::open(data).expect("the store")
}
