//! Who may create workbooks, to whom a new one belongs, and who has the default role.

use serde_json::{Value as Json, json};

use super::{Accounts, Browser};
use crate::person::{Person, socket_with};

/// Somebody: a browser that is signed in, or nobody in particular.
type Who<'a> = Option<&'a Browser>;

fn send(accounts: &Accounts, who: Who<'_>, method: &str, path: &str, media_type: &str, body: &str) -> u16 {
    let mut headers = vec![("content-type", media_type)];
    headers.extend(who.map(|browser| ("cookie", browser.0.as_str())));
    accounts.request(&headers, method, path, body).status
}

/// Every way in which a workbook comes into being, over HTTP: its name and what the server answers.
const WAYS: [&str; 6] = ["create", "put", "import", "image", "ethercalc-put", "ethercalc-post"];

fn make(accounts: &Accounts, who: Who<'_>, way: &str, room: &str) -> u16 {
    let path = format!("/api/v1/rooms/{room}");
    let json = "application/json";
    match way {
        "create" => send(accounts, who, "POST", "/api/v1/rooms", json, &json!({ "name": room }).to_string()),
        "put" => send(accounts, who, "PUT", &path, "text/csv", "1"),
        "import" => send(accounts, who, "POST", &format!("{path}/import?name=a.csv"), "text/csv", "1"),
        "image" => send(accounts, who, "POST", &format!("{path}/images"), "image/gif", "GIF89a"),
        "ethercalc-put" => send(accounts, who, "PUT", &format!("/_/{room}"), "text/csv", "1"),
        "ethercalc-post" => {
            let snapshot = json!({ "room": room, "snapshot": "a,b" }).to_string();
            send(accounts, who, "POST", "/_", json, &snapshot)
        }
        _ => unreachable!("a way"),
    }
}

fn exists(accounts: &Accounts, who: Who<'_>, room: &str) -> bool {
    send(accounts, who, "GET", &format!("/api/v1/rooms/{room}"), "text/plain", "") == 200
}

#[test]
fn the_setting_says_who_creates_workbooks_in_every_way() {
    for (policy, anonymous_may, account_may) in
        [("anyone", true, true), ("accounts", false, true), ("nobody", false, false)]
    {
        let accounts = Accounts::start(&[], &["--create-workbooks", policy]);
        let ada = accounts.sign_in("ada");
        for (who, may) in [(None, anonymous_may), (Some(&ada), account_may)] {
            for way in WAYS {
                let room = format!("{way}-{}", who.is_some());
                let status = make(&accounts, who, way, &room);
                let what = format!("{policy} {room}: {status}");
                // A workbook that nobody may create does not exist for whoever writes to it.
                let refused = match way {
                    "create" | "ethercalc-post" if who.is_none() && policy == "accounts" => 401,
                    "create" | "ethercalc-post" => 403,
                    _ => 404,
                };
                assert!(if may { status == 200 || status == 201 } else { status == refused }, "{what}");
                assert_eq!(exists(&accounts, who, &room), may, "{what}");
            }
            let room = format!("socket-{}", who.is_some());
            let headers: Vec<_> = who.map(|browser| ("cookie", browser.0.as_str())).into_iter().collect();
            match may {
                true => {
                    let mut person =
                        Person::join_by(socket_with(accounts.server(), &room, "", &headers), "Ada");
                    person.type_text("A1", "7");
                    person.wait_until_saved();
                }
                false => {
                    let mut socket = socket_with(accounts.server(), &room, "", &headers);
                    assert!(!super::cookies::is_welcome(&mut socket), "{policy} {room}");
                }
            }
            assert_eq!(exists(&accounts, who, &room), may, "{policy} {room}");
            let session = match who {
                Some(browser) => accounts.by(browser, "GET", "/api/v1/session", ""),
                None => accounts.anonymous("GET", "/api/v1/session", ""),
            };
            assert_eq!(session.json()["mayCreate"], may, "{policy}");
        }
        let location = |reply: crate::support::Reply| (reply.status, reply.header("location").to_owned());
        let (status, to) = location(accounts.anonymous("GET", "/_new", ""));
        match policy {
            "anyone" => assert_eq!((status, to.len()), (302, 13), "{to}"),
            "accounts" => assert_eq!((status, to.as_str()), (302, "/_sign-in?return=/_new")),
            _ => assert_eq!(status, 403),
        }
        let (status, to) = location(accounts.by(&ada, "GET", "/_new", ""));
        assert_eq!((status, to.len()), if account_may { (302, 13) } else { (403, 0) });
        // Existing workbooks stay as open as they were.
        if anonymous_may {
            assert_eq!(make(&accounts, None, "put", "put-false"), 200);
        }
    }
}

#[test]
fn whoever_may_not_create_workbooks_edits_existing_ones() {
    let accounts = Accounts::start(&[], &["--create-workbooks", "accounts"]);
    let ada = accounts.sign_in("ada");
    assert_eq!(make(&accounts, Some(&ada), "put", "plan"), 201);
    assert_eq!(make(&accounts, None, "put", "plan"), 200);
    let mut person = Person::join(accounts.server(), "plan", "Eve");
    person.type_text("A1", "7");
    person.wait_until_saved();
    // Not by the back door: a claim is for workbooks that can be created.
    assert_eq!(send(&accounts, None, "POST", "/api/v1/rooms/new/access/claim", "text/plain", ""), 404);
}

#[test]
fn a_new_workbook_belongs_to_the_account_that_creates_it() {
    let accounts = Accounts::start(&["bob"], &["--default-role", "edit"]);
    let (ada, bob) = (accounts.sign_in("ada"), accounts.sign_in("bob"));
    let role = |who: &Browser, room: &str| {
        let path = format!("/api/v1/rooms/{room}/access");
        accounts.by(who, "GET", &path, "").json()["role"].clone()
    };
    for way in WAYS {
        let status = make(&accounts, Some(&ada), way, way);
        assert!(status == 200 || status == 201, "{way}: {status}");
        assert_eq!([role(&ada, way), role(&bob, way)], ["owner", "edit"], "{way}");
    }
    // By the first edit in a browser: opening the page is not enough.
    let mut person =
        Person::join_by(socket_with(accounts.server(), "typed", "", &[("cookie", &ada.0)]), "Ada");
    assert!(!exists(&accounts, Some(&ada), "typed"));
    person.type_text("A1", "7");
    person.wait_until_saved();
    assert_eq!(person.closed_with, None, "the session goes on");
    assert_eq!([role(&ada, "typed"), role(&bob, "typed")], ["owner", "edit"]);
    // One that somebody else made does not become Ada's by her edit.
    accounts.server().make_room("theirs", "1\n");
    assert_eq!(make(&accounts, Some(&ada), "put", "theirs"), 200);
    assert_eq!(role(&ada, "theirs"), "edit");
    // A write that fails leaves nothing.
    let headers = [("cookie", ada.0.as_str()), ("content-type", "text/csv"), ("if-match", "\"7\"")];
    assert_eq!(accounts.request(&headers, "PUT", "/api/v1/rooms/broken", "1").code(), "revision_mismatch");
    let access = accounts.by(&ada, "GET", "/api/v1/rooms/broken/access", "");
    assert_eq!(access.code(), "no_such_room", "{access:?}");
    // Claiming gives the workbook to the account, too.
    let claimed = accounts.by(&ada, "POST", "/api/v1/rooms/claimed/access/claim", "");
    assert_eq!((claimed.status, claimed.json()["owner"].is_string()), (201, true), "{claimed:?}");
    let made = accounts.by(&ada, "POST", "/api/v1/rooms", r#"{"claim":true}"#).json();
    assert_eq!((made["owner"].is_string(), &made["ownerKey"]), (true, &Json::Null));
}

#[test]
fn with_accounts_a_new_workbook_is_restricted_unless_the_setting_says_otherwise() {
    for (settings, expected) in [
        (&["--access", "accounts"][..], "restricted"),
        (&["--access", "accounts", "--new-workbook-access", "default"], "default"),
        (&["--new-workbook-access", "restricted"], "default"),
        (&[], "default"),
    ] {
        let accounts = Accounts::start(&["bob"], settings);
        let (ada, bob) = (accounts.sign_in("ada"), accounts.sign_in("bob"));
        for way in WAYS {
            assert!(matches!(make(&accounts, Some(&ada), way, way), 200 | 201), "{way}");
        }
        assert_eq!(accounts.by(&ada, "POST", "/api/v1/rooms/claimed/access/claim", "").status, 201);
        for room in WAYS.into_iter().chain(["claimed"]) {
            let access = accounts.by(&ada, "GET", &format!("/api/v1/rooms/{room}/access"), "").json();
            assert_eq!(access["general"], expected, "{settings:?} {room}");
        }
        // A workbook that was only claimed has no contents yet.
        for way in WAYS {
            assert_eq!(exists(&accounts, Some(&bob), way), expected == "default", "{settings:?} {way}");
        }
    }
}

#[test]
fn nobody_owns_workbooks_with_the_setting_nobody() {
    let accounts = Accounts::start(&[], &["--claim", "nobody"]);
    let ada = accounts.sign_in("ada");
    assert_eq!(make(&accounts, Some(&ada), "create", "plan"), 201);
    let access = accounts.by(&ada, "GET", "/api/v1/rooms/plan/access", "").json();
    assert_eq!((&access["role"], &access["isClaimed"]), (&json!("edit"), &json!(false)));
}

#[test]
fn with_accounts_the_default_role_is_for_whoever_is_signed_in() {
    let accounts = Accounts::start(&["bob"], &["--access", "accounts"]);
    let bob = accounts.sign_in("bob");
    assert_eq!(make(&accounts, None, "put", "plan"), 404);
    assert_eq!(make(&accounts, None, "create", "plan"), 403);
    assert_eq!(make(&accounts, Some(&bob), "put", "plan"), 201);
    assert!(!exists(&accounts, None, "plan"));
    // Somebody without an account can own a workbook by a key.
    let claim = r#"{"name":"own","claim":true}"#;
    let made = accounts.anonymous("POST", "/api/v1/rooms", claim).json();
    let key = made["ownerKey"].as_str().expect("a key");
    assert_eq!(accounts.by_token(key, "GET", "/api/v1/rooms/own", "").status, 200);
    assert!(!exists(&accounts, None, "own") && exists(&accounts, Some(&bob), "own"));
    // Signing out closes open workbooks.
    let mut person = Person::join_by(socket_with(accounts.server(), "own", "", &[("cookie", &bob.0)]), "Bob");
    assert_eq!(accounts.by(&bob, "DELETE", "/api/v1/session", "").status, 204);
    person.wait_until("closed", |person| person.closed_with.is_some());
    assert_eq!(person.closed_with, Some(4412));
    // General access for everybody is for everybody.
    let general = r#"{"general":"view"}"#;
    assert_eq!(accounts.by_token(key, "PUT", "/api/v1/rooms/own/access", general).status, 204);
    assert!(exists(&accounts, None, "own"));
}
