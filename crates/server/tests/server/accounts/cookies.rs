//! The session cookie: forged, replayed, expired and renewed ones, and requests of other sites.

use quadrille_access::{AccessStore, AccountSession, DatedHash, SecretId};
use serde_json::json;
use tungstenite::Message;

use super::{Accounts, Browser, PASSWORD};
use crate::person::socket_with;

const DAY_MS: i64 = 24 * 3_600_000;

/// Changes the only session of Ada in the store.
fn change_session(accounts: &Accounts, edit: impl FnOnce(&mut AccountSession)) {
    accounts.with_store(|store| {
        let ada = store.account_by_email(&super::email("ada")).expect("readable").expect("there").value.id;
        let mut session = store.sessions_of(ada).expect("readable").remove(0);
        edit(&mut session);
        store.put_session(&session, &[]).expect("stored");
    });
}

#[test]
fn forged_cookies_prove_nothing() {
    let accounts = Accounts::start(&["bob"], &[]);
    let (ada, bob) = (accounts.sign_in("ada"), accounts.sign_in("bob"));
    let (mine, theirs) = (ada.secret(), bob.secret());
    let token = accounts.token(&ada, &json!({ "label": "x", "scope": "admin" }));
    // `qs_`, then 32 characters: the first 11 contain the identifier, which is not secret.
    for (what, value) in [
        ("truncated", mine[..34].to_owned()),
        ("longer", format!("{mine}A")),
        ("empty", String::new()),
        ("the identifier of Ada's session with Bob's bits", format!("{}{}", &mine[..14], &theirs[14..])),
        ("an unknown session", format!("qs_{}", "A".repeat(32))),
        ("another kind of secret", token.clone()),
        ("an API token under the name of a session", token.replace("qt_", "qs_")),
        ("not ASCII", "qs_é".to_owned()),
    ] {
        let cookie = Browser(format!("quadrille={value}"));
        if what != "not ASCII" {
            assert_eq!(accounts.who(&cookie), None, "{what}");
        }
        let raw = format!(
            "GET /api/v1/account HTTP/1.1\r\nhost: localhost\r\ncookie: quadrille={value}\r\nconnection: close\r\n\r\n"
        );
        let answer = accounts.server().raw(raw.as_bytes());
        assert!(
            answer.starts_with("HTTP/1.1 401 ") && answer.contains("sign_in_required"),
            "{what}: {answer}"
        );
    }
    // A session is not a bearer token.
    let bearer = accounts.by_token(mine, "GET", "/api/v1/account", "");
    assert_eq!((bearer.status, bearer.code().as_str()), (401, "bad_credentials"));
    assert_eq!(accounts.who(&ada).as_deref(), Some("ada"));
}

/// Somebody puts a cookie into the browser of a victim, who then signs in.
#[test]
fn signing_in_never_continues_a_session_that_was_there_before() {
    let accounts = Accounts::start(&["bob"], &[]);
    let planted = accounts.sign_in("bob");
    let body = json!({ "email": "ada@example.org", "password": super::PASSWORD }).to_string();
    let reply = accounts.request(&[("cookie", &planted.0)], "POST", "/api/v1/session", &body);
    let ada = Browser::of(&reply);
    assert_ne!(ada.secret()[..14], planted.secret()[..14], "another session");
    assert_eq!(accounts.who(&ada).as_deref(), Some("ada"));
    assert_eq!(accounts.who(&planted), None, "the session before has ended");
    // A cookie that the server did not give is not adopted either.
    let chosen = Browser(format!("quadrille=qs_{}", "A".repeat(32)));
    let reply = accounts.request(&[("cookie", &chosen.0)], "POST", "/api/v1/session", &body);
    assert_ne!(Browser::of(&reply).secret(), chosen.secret());
    assert_eq!(accounts.who(&chosen), None);
    // With two cookies of the same name, one was set by somebody else.
    let both = Browser(format!("{}; {}", planted.0, ada.0));
    assert_eq!(accounts.who(&both), None);
}

#[test]
fn sessions_end_when_they_are_idle_and_at_their_end() {
    let mut accounts = Accounts::start(&[], &[]);
    let hours = ["--session-idle-hours", "2", "--session-hours-max", "5"];
    for (what, edit) in [
        ("idle", (|session| session.last_used_ms -= 3 * 3_600_000) as fn(&mut AccountSession)),
        ("at its end", |session| session.expires_ms = session.created_ms),
    ] {
        let ada = accounts.sign_in("ada");
        accounts = accounts.stop();
        change_session(&accounts, |session| session.created_ms -= 3 * 3_600_000);
        accounts = accounts.serve(&hours);
        assert_eq!(accounts.who(&ada).as_deref(), Some("ada"), "{what}");
        accounts = accounts.stop();
        change_session(&accounts, edit);
        accounts = accounts.serve(&hours);
        assert_eq!(accounts.who(&ada), None, "{what}");
    }
    // Expired ones are deleted; the idle one is kept until its end.
    let left = accounts.stop().with_store(|store| store.sessions(None, 10).expect("readable").len());
    assert_eq!(left, 1);
}

#[test]
fn ways_to_sign_in_are_changed_soon_after_a_sign_in_only() {
    let mut accounts = Accounts::start(&[], &[]);
    let ada = accounts.sign_in("ada");
    let token = json!({ "label": "script", "scope": "read" }).to_string();
    let confirm = json!({ "confirm": "ada@example.org" }).to_string();
    let requests = [
        ("POST", "/api/v1/account/tokens", token.as_str()),
        ("POST", "/api/v1/account/passkeys/options", ""),
        ("DELETE", "/api/v1/account/passkeys/none", ""),
        ("DELETE", "/api/v1/account", confirm.as_str()),
    ];
    assert_eq!(accounts.by(&ada, "POST", "/api/v1/account/tokens", &token).status, 201);
    accounts = accounts.stop();
    change_session(&accounts, |session| session.created_ms -= 31 * 60_000);
    accounts = accounts.serve(&[]);
    for (method, path, body) in requests {
        let refused = accounts.by(&ada, method, path, body);
        assert_eq!((refused.status, refused.code().as_str()), (403, "sign_in_again"), "{method} {path}");
    }
    // What needs the password anyway, or takes rights away, is possible.
    let sessions = accounts.by(&ada, "DELETE", "/api/v1/account/sessions", "");
    assert_eq!(sessions.status, 204);
    let password = json!({ "current": PASSWORD, "new": "battery staple" }).to_string();
    assert_eq!(accounts.by(&ada, "PUT", "/api/v1/account/password", &password).status, 204);
    let again = Browser::of(&accounts.try_sign_in("ada", "battery staple"));
    assert_eq!(accounts.by(&again, "POST", "/api/v1/account/tokens", &token).status, 201);
}

#[test]
fn a_cookie_gets_a_new_secret_every_day_and_a_copy_of_the_old_one_ends_the_session() {
    let mut accounts = Accounts::start(&["bob"], &[]);
    let old = accounts.sign_in("ada");
    assert_eq!(accounts.by(&old, "GET", "/api/v1/session", "").header("set-cookie"), "");
    accounts = accounts.stop();
    change_session(&accounts, |session| session.renewed_ms -= DAY_MS);
    change_session(&accounts, |session| session.created_ms -= DAY_MS);
    accounts = accounts.serve(&[]);

    let renewed = accounts.by(&old, "GET", "/api/v1/session", "");
    let new = Browser::of(&renewed);
    assert_eq!(new.secret()[..13], old.secret()[..13], "the same session");
    assert_ne!(new.secret()[14..], old.secret()[14..], "another secret");
    // Requests that were sent at the same time get no other secret, and their cookie still counts.
    for _ in 0..3 {
        let reply = accounts.by(&old, "GET", "/api/v1/session", "");
        assert_eq!((&reply.json()["account"]["name"], reply.header("set-cookie")), (&json!("ada"), ""));
    }
    assert_eq!(accounts.who(&new).as_deref(), Some("ada"));
    assert_eq!(accounts.who(&old).as_deref(), Some("ada"), "within a minute");

    accounts = accounts.stop();
    change_session(&accounts, |session| {
        let previous = session.previous.take().expect("replaced");
        session.previous = Some(DatedHash { time_ms: previous.time_ms - 60_000, ..previous });
    });
    accounts = accounts.serve(&[]);
    assert_eq!(accounts.who(&new).as_deref(), Some("ada"));
    assert_eq!(accounts.who(&old), None, "somebody has a copy");
    assert_eq!(accounts.who(&new), None, "nobody knows who of the two is Ada");
    let audit = accounts.stop().audit();
    assert_eq!(audit.last(), Some(&("session_ended".to_owned(), "replayed cookie".to_owned())));
}

#[test]
fn requests_of_other_sites_are_not_made_in_the_name_of_the_person() {
    let settings = ["--access", "accounts", "--origins", "https://wiki.example.org"];
    let accounts = Accounts::start(&[], &settings);
    let ada = accounts.sign_in("ada");
    let own = format!("http://{}", accounts.server().address);
    let name = r#"{"name":"Eve"}"#;
    for (method, path, origin, site, expected) in [
        ("PATCH", "/api/v1/account", "", "", 200), // a program
        ("PATCH", "/api/v1/account", own.as_str(), "same-origin", 200),
        ("PATCH", "/api/v1/account", "https://evil.example", "cross-site", 403),
        ("PATCH", "/api/v1/account", "null", "cross-site", 403),
        // The setting lets these pages use the server, but not as Ada.
        ("PATCH", "/api/v1/account", "https://wiki.example.org", "cross-site", 401),
        ("GET", "/api/v1/account", "https://wiki.example.org", "cross-site", 401),
        // A form or an image of another site sends no origin, or hides it.
        ("PATCH", "/api/v1/account", "", "cross-site", 401),
        ("PATCH", "/api/v1/account", "", "same-site", 401),
        // Another port of the same host is the same site.
        ("PATCH", "/api/v1/account", "http://127.0.0.1:1", "same-site", 403),
        // A link on another site.
        ("GET", "/api/v1/account", "", "cross-site", 200),
    ] {
        let headers = [("cookie", ada.0.as_str()), ("origin", origin), ("sec-fetch-site", site)];
        let headers: Vec<_> = headers.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let body = if method == "GET" { "" } else { name };
        let reply = accounts.request(&headers, method, path, body);
        assert_eq!(reply.status, expected, "{method} {origin} {site}: {reply:?}");
    }
}

#[test]
fn a_websocket_of_another_site_is_not_opened_in_the_name_of_the_person() {
    let settings = ["--access", "accounts", "--origins", "https://wiki.example.org"];
    let accounts = Accounts::start(&[], &settings);
    let ada = accounts.sign_in("ada");
    let own = format!("http://{}", accounts.server().address);
    for (origin, is_open) in [(own.as_str(), true), ("https://wiki.example.org", false)] {
        let headers = [("cookie", ada.0.as_str()), ("origin", origin)];
        let mut socket = socket_with(accounts.server(), "plan", "", &headers);
        assert_eq!(is_welcome(&mut socket), is_open, "{origin}");
    }
}

/// Sends `Hello`; whether the server answers with a welcome, or closes.
pub fn is_welcome(socket: &mut tungstenite::WebSocket<std::net::TcpStream>) -> bool {
    use quadrille_protocol::{ClientFrame, Hello, PROTOCOL_VERSION, ServerFrame};
    let hello = Hello {
        version: PROTOCOL_VERSION,
        replica: None,
        last: None,
        unconfirmed: 0,
        name: "Ada".into(),
        color: None,
        secret: None,
    };
    // Fails when the server has closed already.
    let _ = socket.send(Message::Binary(ClientFrame::Hello(hello).encode().into()));
    loop {
        match socket.read() {
            Ok(Message::Binary(bytes)) => {
                if matches!(ServerFrame::decode(&bytes), Ok(ServerFrame::Welcome(_))) {
                    return true;
                }
            }
            Ok(Message::Close(_)) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

#[test]
fn the_oldest_of_too_many_sessions_ends() {
    let accounts = Accounts::prepare(&[]);
    accounts.with_store(|store| {
        let ada = store.account_by_email(&super::email("ada")).expect("readable").expect("there").value.id;
        for number in 0..100 {
            let secret = quadrille_access::Secret::new(quadrille_access::SecretKind::Session, [number; 24]);
            let session = AccountSession {
                id: SecretId(u64::from(number)),
                hash: secret.hash(),
                account: ada,
                created_ms: i64::from(number) + 1,
                expires_ms: i64::MAX,
                last_used_ms: 1,
                user_agent: String::new(),
                address: String::new(),
                renewed_ms: 0,
                provider: None,
                next: None,
                previous: None,
            };
            store.put_session(&session, &[]).expect("stored");
        }
    });
    let accounts = accounts.serve(&[]);
    accounts.sign_in("ada");
    let sessions = accounts.stop().with_store(|store| store.sessions(None, 1_000).expect("readable"));
    assert_eq!(sessions.len(), 100);
    assert!(!sessions.iter().any(|session| session.id == SecretId(0)), "the oldest");
}
