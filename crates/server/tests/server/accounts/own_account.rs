//! One's own account: name, password, sessions, and deleting it.

use serde_json::{Value as Json, json};

use super::tokens::close_code;
use super::{Accounts, Browser, PASSWORD};
use crate::person::{Person, socket_with};

#[test]
fn a_name_is_changed_and_signs_changes() {
    let accounts = Accounts::start(&[], &[]);
    let ada = accounts.sign_in("ada");
    let rename =
        |name: &str| accounts.by(&ada, "PATCH", "/api/v1/account", &json!({ "name": name }).to_string());
    let renamed = rename("  Ada Lovelace ").json();
    assert_eq!((&renamed["name"], &renamed["hasPassword"]), (&json!("Ada Lovelace"), &json!(true)));
    for name in ["", "  ", "Ada\nLovelace", "Ada\u{7}", &"é".repeat(65)] {
        assert_eq!(rename(name).code(), "bad_request", "{name:?}");
    }
    // A request cannot choose another name.
    accounts.by(&ada, "POST", "/api/v1/rooms", r#"{"name":"plan","author":"Eve"}"#);
    let history = accounts.by(&ada, "GET", "/api/v1/rooms/plan/history", "").json();
    let author = &history["revisions"][0]["author"];
    assert_eq!(author["name"], "Ada Lovelace");
    assert!(author["id"].as_str().expect("an identity").starts_with("account:"), "{author}");
}

#[test]
fn a_new_password_ends_the_other_sessions() {
    let accounts = Accounts::start(&[], &[]);
    let (here, there) = (accounts.sign_in("ada"), accounts.sign_in("ada"));
    let set = |current: Json, new: &str| {
        let body = json!({ "current": current, "new": new }).to_string();
        accounts.by(&here, "PUT", "/api/v1/account/password", &body)
    };
    for (current, new, code) in [
        (json!("wrong horse"), "battery staple", "sign_in_failed"),
        (Json::Null, "battery staple", "sign_in_failed"),
        (json!(PASSWORD), "short", "bad_request"),
        (json!(PASSWORD), &"x".repeat(1_025), "bad_request"),
        (json!(PASSWORD), "Sunshine", "weak_password"),
        (json!(PASSWORD), "ada@example.org", "weak_password"),
    ] {
        assert_eq!(set(current, new).code(), code, "{new}");
    }
    assert_eq!(accounts.who(&there).as_deref(), Some("ada"));
    assert_eq!(set(json!(PASSWORD), "battery staple").status, 204);
    assert_eq!([accounts.who(&here).as_deref(), accounts.who(&there).as_deref()], [Some("ada"), None]);
    assert_eq!(accounts.try_sign_in("ada", PASSWORD).status, 401);
    assert_eq!(accounts.try_sign_in("ada", "battery staple").status, 200);
}

#[test]
fn passwords_are_not_guessed_by_changing_them() {
    let accounts = Accounts::start(&[], &[]);
    let ada = accounts.sign_in("ada");
    let set = || {
        let body = json!({ "current": "wrong horse", "new": "battery staple" }).to_string();
        accounts.by(&ada, "PUT", "/api/v1/account/password", &body).status
    };
    assert!((0..20).all(|_| set() == 401));
    assert_eq!(set(), 429);
}

#[test]
fn sessions_are_listed_and_ended_with_their_open_workbooks() {
    let accounts = Accounts::start(&["bob"], &["--access", "accounts"]);
    let (here, bob) = (accounts.sign_in("ada"), accounts.sign_in("bob"));
    let body = json!({ "email": "ada@example.org", "password": PASSWORD }).to_string();
    let headers = [("user-agent", "Firefox on a phone"), ("x-forwarded-for", "198.51.100.7")];
    let phone = Browser::of(&accounts.request(&headers, "POST", "/api/v1/session", &body));
    accounts.sign_in("ada");
    let list = || accounts.by(&here, "GET", "/api/v1/account/sessions", "").json()["sessions"].clone();
    let sessions = list();
    assert_eq!(sessions.as_array().expect("sessions").len(), 3);
    let current: Vec<&Json> =
        sessions.as_array().expect("sessions").iter().map(|one| &one["isCurrent"]).collect();
    assert_eq!(current.iter().filter(|is_current| ***is_current == json!(true)).count(), 1);
    let found = sessions.as_array().expect("sessions").iter().find(|one| one["address"] == "198.51.100.7");
    let found = found.expect("the phone");
    assert_eq!(found["userAgent"], "Firefox on a phone");

    let mut open = socket_with(accounts.server(), "plan", "", &[("cookie", &phone.0)]);
    let mut own = socket_with(accounts.server(), "plan", "", &[("cookie", &here.0)]);
    assert!(super::cookies::is_welcome(&mut open) && super::cookies::is_welcome(&mut own));
    let path = format!("/api/v1/account/sessions/{}", found["id"].as_str().expect("an identifier"));
    assert_eq!(accounts.by(&bob, "DELETE", &path, "").code(), "not_found", "not Bob's");
    let began = std::time::Instant::now();
    assert_eq!(accounts.by(&here, "DELETE", &path, "").status, 204);
    assert_eq!(close_code(&mut open), 4412);
    assert!(began.elapsed() < std::time::Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!(accounts.who(&phone), None);
    assert_eq!(accounts.by(&here, "DELETE", "/api/v1/account/sessions", "").status, 204);
    assert_eq!(list().as_array().expect("sessions").len(), 1);
    assert_eq!(accounts.who(&bob).as_deref(), Some("bob"));
    // The session of the request is not closed by ending the others.
    own.get_ref().set_read_timeout(Some(std::time::Duration::from_millis(50))).expect("a socket");
    assert!(!matches!(own.read(), Ok(tungstenite::Message::Close(_))));
}

#[test]
fn deleting_an_account_deletes_what_only_it_owns() {
    let accounts = Accounts::start(&["bob"], &["--access", "accounts"]);
    let (ada, bob) = (accounts.sign_in("ada"), accounts.sign_in("bob"));
    for (browser, name) in [(&bob, "own"), (&ada, "adas")] {
        let made = accounts.by(browser, "POST", "/api/v1/rooms", &json!({ "name": name }).to_string());
        assert_eq!(made.status, 201, "{made:?}");
    }
    let share = r#"{"person":"bob@example.org","role":"edit"}"#;
    assert_eq!(accounts.by(&ada, "POST", "/api/v1/rooms/adas/access/people", share).status, 201);
    let token = accounts.token(&bob, &json!({ "label": "x", "scope": "admin" }));
    let delete = |confirm: &str| {
        accounts.by(&bob, "DELETE", "/api/v1/account", &json!({ "confirm": confirm }).to_string())
    };
    for confirm in ["", "ada@example.org", "0000000000000002"] {
        assert_eq!(delete(confirm).code(), "bad_request", "{confirm}");
    }
    let mut person =
        Person::join_by(socket_with(accounts.server(), "adas", "", &[("cookie", &bob.0)]), "Bob");
    let deleted = delete(" BOB@example.org ");
    assert_eq!((deleted.status, deleted.header("set-cookie").starts_with("quadrille=;")), (204, true));
    person.wait_until("closed", |person| person.closed_with.is_some());
    assert_eq!(person.closed_with, Some(4412));
    assert_eq!(accounts.who(&bob), None);
    assert_eq!(accounts.by_token(&token, "GET", "/api/v1/account", "").code(), "bad_credentials");
    assert_eq!(accounts.try_sign_in("bob", PASSWORD).status, 401);
    assert_eq!(accounts.by(&ada, "GET", "/api/v1/rooms/own", "").code(), "no_such_room");
    let access = accounts.by(&ada, "GET", "/api/v1/rooms/adas/access", "").json();
    assert_eq!(access["people"], json!([]));
    let audit = accounts.stop().audit();
    assert!(audit.contains(&("account_deleted".to_owned(), "0000000000000001".to_owned())), "{audit:?}");
}
