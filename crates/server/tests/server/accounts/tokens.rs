//! API tokens: scopes, workbooks, expiry and revocation.

use quadrille_access::AccessStore;
use serde_json::{Value as Json, json};

use super::{Accounts, Browser};
use crate::person::socket_with;

const ROOM: &str = "/api/v1/rooms/plan";

/// Ada's restricted workbook `plan`.
fn restricted(accounts: &Accounts, ada: &Browser) {
    let made = accounts.by(ada, "POST", "/api/v1/rooms", r#"{"name":"plan"}"#);
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("{ROOM}/access");
    let restricted = accounts.by(ada, "PUT", &path, r#"{"general":"restricted"}"#);
    assert_eq!(restricted.status, 204, "{restricted:?}");
}

#[test]
fn a_token_may_do_what_its_scope_allows() {
    let accounts = Accounts::start(&[], &[]);
    let ada = accounts.sign_in("ada");
    restricted(&accounts, &ada);
    let cells = format!("{ROOM}/sheets/Sheet1/cells/A1");
    let access = format!("{ROOM}/access");
    let history = format!("{ROOM}/history");
    for (scope, [read, write, manage, account, create]) in [
        ("read", [200, 403, 403, 403, 403]),
        ("write", [200, 200, 403, 403, 201]),
        ("admin", [200, 200, 204, 200, 201]),
    ] {
        let token = accounts.token(&ada, &json!({ "label": scope, "scope": scope }));
        let status =
            |method: &str, path: &str, body: &str| accounts.by_token(&token, method, path, body).status;
        assert_eq!(status("GET", ROOM, ""), read, "{scope}");
        assert_eq!(status("GET", &history, ""), write, "{scope}");
        assert_eq!(status("PUT", &cells, "7"), write, "{scope}");
        assert_eq!(status("PUT", &access, r#"{"general":"restricted"}"#), manage, "{scope}");
        assert_eq!(status("GET", "/api/v1/account", ""), 200, "{scope}");
        assert_eq!(status("PATCH", "/api/v1/account", r#"{"name":"Ada"}"#), account, "{scope}");
        assert_eq!(status("POST", "/api/v1/rooms", ""), create, "{scope}");
        // Ways to sign in need a person.
        let other = r#"{"label":"other","scope":"read"}"#;
        assert_eq!(status("POST", "/api/v1/account/tokens", other), 403, "{scope}");
        let password = json!({ "current": super::PASSWORD, "new": "battery staple" }).to_string();
        assert_eq!(status("PUT", "/api/v1/account/password", &password), 403, "{scope}");
        let confirm = r#"{"confirm":"ada@example.org"}"#;
        assert_eq!(status("DELETE", "/api/v1/account", confirm), 403, "{scope}");
    }
    // The author of a change by a program is the account.
    let newest = accounts.by(&ada, "GET", &format!("{history}?limit=1"), "").json();
    assert_eq!(newest["revisions"][0]["author"]["name"], "ada");
}

#[test]
fn a_token_for_some_workbooks_opens_no_others() {
    let accounts = Accounts::start(&[], &[]);
    let ada = accounts.sign_in("ada");
    restricted(&accounts, &ada);
    accounts.by(&ada, "POST", "/api/v1/rooms", r#"{"name":"other"}"#);
    accounts.server().make_room("open", "1\n");
    let token = accounts.token(&ada, &json!({ "label": "one", "scope": "admin", "rooms": ["plan", "new"] }));
    let answer = |method: &str, path: &str, body: &str| {
        let reply = accounts.by_token(&token, method, path, body);
        (reply.status, if reply.status < 300 { String::new() } else { reply.code() })
    };
    let (fine, forbidden) = ((200, String::new()), (403, "forbidden".to_owned()));
    assert_eq!(answer("GET", ROOM, ""), fine);
    for (method, path, body) in [
        ("GET", "/api/v1/rooms/other", ""),
        ("GET", "/api/v1/rooms/open", ""), // open to everybody, but not with this token
        ("DELETE", "/api/v1/rooms/other", ""),
        ("POST", "/api/v1/rooms", r#"{"name":"x"}"#),
        ("POST", "/api/v1/rooms", ""),
        ("POST", "/api/v1/rooms", r#"{"name":"new","copyOf":"other"}"#),
        ("GET", "/api/v1/account", ""),
    ] {
        assert_eq!(answer(method, path, body), forbidden, "{method} {path} {body}");
    }
    assert_eq!(answer("POST", "/api/v1/rooms", r#"{"name":"new","copyOf":"plan"}"#).0, 201);
    let csv = accounts.by_token(&token, "GET", "/other.csv", "");
    assert_eq!(csv.status, 403, "{csv:?}");
}

#[test]
fn tokens_are_listed_without_their_secret_and_revoked() {
    let accounts = Accounts::start(&["bob"], &[]);
    let (ada, bob) = (accounts.sign_in("ada"), accounts.sign_in("bob"));
    restricted(&accounts, &ada);
    let token = accounts.token(&ada, &json!({ "label": "import", "scope": "write", "rooms": ["plan"] }));
    assert_eq!(accounts.by_token(&token, "GET", ROOM, "").status, 200);
    let list = || accounts.by(&ada, "GET", "/api/v1/account/tokens", "");
    let listed = list().json()["tokens"][0].clone();
    let shown: Vec<&Json> =
        ["label", "scope", "rooms", "expiresMs"].iter().map(|name| &listed[*name]).collect();
    assert_eq!(shown, [&json!("import"), &json!("write"), &json!(["plan"]), &Json::Null]);
    assert!(!list().text().contains(&token[14..]), "the secret is shown once");

    // An open session of the token ends with it.
    let bearer = format!("quadrille, bearer.{token}");
    let mut socket = socket_with(accounts.server(), "plan", "", &[("sec-websocket-protocol", &bearer)]);
    assert!(super::cookies::is_welcome(&mut socket));
    let path = format!("/api/v1/account/tokens/{}", listed["id"].as_str().expect("an identifier"));
    assert_eq!(accounts.by(&bob, "DELETE", &path, "").code(), "not_found", "not Bob's");
    assert_eq!(accounts.by(&ada, "DELETE", &path, "").status, 204);
    assert_eq!(accounts.by(&ada, "DELETE", &path, "").code(), "not_found");
    assert_eq!(close_code(&mut socket), 4412);
    assert_eq!(accounts.by_token(&token, "GET", ROOM, "").code(), "bad_credentials");
    let accounts = accounts.stop();
    let events: Vec<String> = accounts.audit().into_iter().map(|(event, _)| event).collect();
    for event in ["token_created", "token_revoked", "token_refused"] {
        assert!(events.iter().any(|found| found == event), "{event} in {events:?}");
    }
    assert_eq!(accounts.with_store(|store| store.tokens(None, 10).expect("readable").len()), 0);
}

/// The code by which the server closes a session.
pub fn close_code(socket: &mut tungstenite::WebSocket<std::net::TcpStream>) -> u16 {
    loop {
        if let tungstenite::Message::Close(Some(frame)) = socket.read().expect("a message") {
            return frame.code.into();
        }
    }
}

#[test]
fn an_expired_or_forged_token_proves_nothing() {
    let accounts = Accounts::start(&["bob"], &[]);
    let (ada, bob) = (accounts.sign_in("ada"), accounts.sign_in("bob"));
    restricted(&accounts, &ada);
    let token = |browser, label: &str| accounts.token(browser, &json!({ "label": label, "scope": "admin" }));
    let (mine, theirs) = (token(&ada, "mine"), token(&bob, "theirs"));
    for (what, value) in [
        ("truncated", mine[..34].to_owned()),
        ("swapped", format!("{}{}", &mine[..14], &theirs[14..])),
        ("unknown", format!("qt_{}", "A".repeat(32))),
        ("a session", ada.secret().to_owned()),
        ("a session under the name of a token", ada.secret().replace("qs_", "qt_")),
    ] {
        let reply = accounts.by_token(&value, "GET", ROOM, "");
        assert_eq!((reply.status, reply.code().as_str()), (401, "bad_credentials"), "{what}");
        assert_eq!(reply.header("www-authenticate"), "Bearer", "{what}");
        // A wrong token is an error also for what everybody may do: its program must notice.
        assert_eq!(accounts.by_token(&value, "POST", "/api/v1/rooms", "").status, 401, "{what}");
    }
    assert_eq!(accounts.by_token(&theirs, "GET", ROOM, "").code(), "no_such_room", "Bob has no role");
    let accounts = accounts.stop();
    let refused = accounts.audit().into_iter().filter(|(event, _)| event == "token_refused").count();
    assert_eq!(refused, 10);
    accounts.with_store(|store| {
        for mut token in store.tokens(None, 10).expect("readable") {
            token.expires_ms = Some(token.created_ms + 1);
            store.put_token(&token, &[]).expect("stored");
        }
    });
    let accounts = accounts.serve(&[]);
    assert_eq!(accounts.by_token(&mine, "GET", ROOM, "").code(), "bad_credentials");
    assert_eq!(accounts.stop().with_store(|store| store.tokens(None, 10).expect("readable").len()), 0);
}

#[test]
fn invalid_tokens_are_not_created() {
    let accounts = Accounts::start(&[], &[]);
    let ada = accounts.sign_in("ada");
    let rooms: Vec<String> = (0..101).map(|number| format!("r{number}")).collect();
    for (body, code) in [
        (json!({ "label": " ", "scope": "read" }), "bad_request"),
        (json!({ "label": "x".repeat(201), "scope": "read" }), "bad_request"),
        (json!({ "label": "x", "scope": "owner" }), "bad_json"),
        (json!({ "label": "x", "scope": "read", "rooms": [] }), "bad_request"),
        (json!({ "label": "x", "scope": "read", "rooms": rooms }), "bad_request"),
        (json!({ "label": "x", "scope": "read", "rooms": ["a b"] }), "bad_room_name"),
        (json!({ "label": "x", "scope": "read", "expiresMs": 1 }), "bad_request"),
        (json!({ "label": "x", "scope": "read", "admin": true }), "bad_json"),
    ] {
        let reply = accounts.by(&ada, "POST", "/api/v1/account/tokens", &body.to_string());
        assert_eq!(reply.code(), code, "{body}");
    }
    for number in 0..100 {
        accounts.token(&ada, &json!({ "label": format!("t{number}"), "scope": "read" }));
    }
    let body = r#"{"label":"one more","scope":"read"}"#;
    assert_eq!(accounts.by(&ada, "POST", "/api/v1/account/tokens", body).code(), "conflict");
}
