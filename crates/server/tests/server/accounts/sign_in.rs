//! Signing in and out with a password or a link.

use serde_json::{Value as Json, json};

use super::{Accounts, Browser, PASSWORD, create_admin};
use crate::support::Reply;

#[test]
fn somebody_signs_in_and_out() {
    let accounts = Accounts::start(&["bob"], &["--access", "accounts"]);
    let nobody = accounts.anonymous("GET", "/api/v1/session", "");
    let expected = json!({
        "access": "accounts",
        "mayCreate": true,
        "account": null,
        "provider": null,
        "signIn": { "password": true, "passkey": true, "header": false, "recovery": false, "providers": [] },
    });
    assert_eq!((nobody.json(), nobody.header("cache-control")), (expected.clone(), "no-store"));

    let reply = accounts.try_sign_in("BOB", PASSWORD);
    let bob = Browser::of(&reply);
    assert_eq!(attributes(&reply), "quadrille=SECRET; Max-Age=90 days; Path=/; HttpOnly; SameSite=Lax");
    let mut signed_in = expected;
    signed_in["account"] = json!({
        "id": "0000000000000001", "name": "bob", "email": "bob@example.org",
        "isEmailVerified": true, "isAdmin": false,
    });
    assert_eq!(reply.json(), signed_in);
    assert_eq!(accounts.by(&bob, "GET", "/api/v1/session", "").json(), signed_in);

    let out = accounts.by(&bob, "DELETE", "/api/v1/session", "");
    assert_eq!(out.status, 204);
    assert_eq!(out.header("set-cookie"), "quadrille=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
    let after = accounts.by(&bob, "GET", "/api/v1/session", "");
    assert_eq!(after.json()["account"], Json::Null, "the session has ended on the server too");
    // It could arrive after the answer to another sign-in, and remove that cookie.
    assert_eq!(after.header("set-cookie"), "");
    let audit = accounts.stop().audit();
    let events: Vec<&str> = audit.iter().map(|(event, _)| event.as_str()).collect();
    assert_eq!(events, ["account_created", "signed_in", "signed_out"]);
}

/// The cookie that an answer sets, without its secret and the seconds of its last hour.
fn attributes(reply: &Reply) -> String {
    let cookie = reply.header("set-cookie").replace(Browser::of(reply).secret(), "SECRET");
    let seconds = cookie.split("Max-Age=").nth(1).and_then(|rest| rest.split(';').next()).expect("an age");
    let days = seconds.parse::<u64>().expect("seconds").div_ceil(3_600) / 24;
    cookie.replace(seconds, &format!("{days} days"))
}

#[test]
fn over_https_the_cookie_has_a_prefix_and_is_secure() {
    let accounts = Accounts::start(&[], &["--public-url", "https://sheets.example.org"]);
    let reply = accounts.try_sign_in("ada", PASSWORD);
    let ada = Browser::of(&reply);
    let expected = "__Host-quadrille=SECRET; Max-Age=90 days; Path=/; HttpOnly; SameSite=Lax; Secure";
    assert_eq!(attributes(&reply), expected);
    assert_eq!(accounts.who(&ada).as_deref(), Some("ada"));
    // Another page of this host, or of another port, can set a cookie without the prefix.
    assert_eq!(accounts.who(&Browser(ada.0.replace("__Host-", ""))), None);
}

/// The answer tells nothing, and neither does the work: one hash is computed in each case.
#[test]
fn every_failure_gets_the_same_answer_after_the_same_work() {
    let accounts = Accounts::prepare(&["bob", "carol", "dan"]);
    accounts.with_store(|store| {
        use quadrille_access::{AccessStore, Account};
        let mut change = |name, edit: fn(&mut Account)| {
            let stored = store.account_by_email(&super::email(name)).expect("readable").expect("there");
            let mut account = stored.value;
            edit(&mut account);
            store.put_account(stored.version, &account, &[]).expect("stored");
        };
        change("bob", |bob| bob.is_disabled = true);
        change("carol", |carol| carol.password_hash = None);
    });
    let accounts = accounts.serve(&["--metrics", "true"]);
    let hashes = || accounts.server().metric("quadrille_password_hashes_total").expect("a metric");
    let mut answers = Vec::new();
    for (name, password) in [
        ("dan", "wrong horse"),
        ("nobody", PASSWORD),
        ("bob", PASSWORD),       // disabled
        ("carol", PASSWORD),     // signs in otherwise
        ("not an address", "x"), // shorter than any password
    ] {
        let before = hashes();
        let reply = accounts.try_sign_in(name, password);
        assert_eq!(hashes() - before, 1.0, "{name}");
        assert_eq!(reply.header("set-cookie"), "", "{name}");
        answers.push((reply.status, reply.text()));
    }
    assert_eq!((answers[0].0, answers[0].1.contains("sign_in_failed")), (401, true), "{answers:?}");
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    // Not what was typed, which may be a password in the wrong field.
    let audit = accounts.stop().audit();
    let failed: Vec<&str> =
        audit.iter().filter(|(event, _)| event == "sign_in_failed").map(|(_, target)| &**target).collect();
    let (id, unknown) = (|number: u64| format!("{number:016x}"), "unknown account");
    assert_eq!(failed, [&*id(3), unknown, &*id(1), &*id(2), unknown]);
}

#[test]
fn other_bodies_are_refused() {
    let accounts = Accounts::start(&[], &[]);
    for (body, code) in [
        ("{", "bad_json"),
        (r#"{"email":"ada@example.org","password":"x","extra":1}"#, "bad_json"),
        (r#"{"email":"ada@example.org"}"#, "bad_request"),
        (r#"{"email":"ada@example.org","password":"x","link":"qi_x"}"#, "bad_request"),
        ("{}", "bad_request"),
    ] {
        assert_eq!(accounts.anonymous("POST", "/api/v1/session", body).code(), code, "{body}");
    }
    // A form of another site cannot send JSON.
    let form = [("content-type", "text/plain")];
    let body = json!({ "email": "ada@example.org", "password": PASSWORD }).to_string();
    let reply = accounts.request(&form, "POST", "/api/v1/session", &body);
    assert_eq!((reply.status, reply.code().as_str()), (415, "unsupported_media_type"));
}

#[test]
fn failures_are_limited_for_each_account() {
    let accounts = Accounts::start(&["bob"], &[]);
    for _ in 0..20 {
        assert_eq!(accounts.try_sign_in("bob", "wrong horse").status, 401);
    }
    let refused = accounts.try_sign_in("bob", PASSWORD);
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many_requests"));
    let seconds: u64 = refused.header("retry-after").parse().expect("seconds");
    assert!((1..=301).contains(&seconds), "{seconds}");
    // It does not matter whether there is such an account.
    for _ in 0..20 {
        assert_eq!(accounts.try_sign_in("nobody", "wrong horse").status, 401);
    }
    assert_eq!(accounts.try_sign_in("nobody", PASSWORD).status, 429);
    // Others can still sign in, as often as they want.
    for _ in 0..25 {
        accounts.sign_in("ada");
    }
}

#[test]
fn failures_are_limited_for_each_address() {
    let accounts = Accounts::start(&[], &[]);
    let from = |address: &str, name: String, password: &str| {
        let headers = [("x-forwarded-for", address)];
        let body = json!({ "email": name, "password": password }).to_string();
        accounts.request(&headers, "POST", "/api/v1/session", &body)
    };
    for number in 0..100 {
        let reply = from("198.51.100.1", format!("p{number}@example.org"), "wrong horse");
        assert_eq!(reply.status, 401, "{number}");
    }
    let refused = from("198.51.100.1", "ada@example.org".into(), PASSWORD);
    assert_eq!((refused.status, refused.header("retry-after").is_empty()), (429, false));
    assert_eq!(from("198.51.100.2", "ada@example.org".into(), PASSWORD).status, 200);
    // Nobody fills the audit log.
    let audit = accounts.stop().audit();
    assert_eq!(audit.iter().filter(|(event, _)| event == "sign_in_failed").count(), 50);
}

#[test]
fn a_server_can_do_without_passwords_and_without_accounts() {
    let accounts = Accounts::start(&[], &["--password-sign-in", "false"]);
    let session = accounts.anonymous("GET", "/api/v1/session", "").json();
    assert_eq!(session["signIn"]["password"], false);
    assert_eq!(accounts.try_sign_in("ada", PASSWORD).code(), "forbidden");

    // Without accounts the page does not offer to sign in.
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = crate::support::Server::start_on(data.path(), &[]);
    let session = server.get("/api/v1/session").json();
    assert_eq!((&session["access"], &session["signIn"]["password"]), (&json!("open"), &json!(false)));
    drop(server);
    create_admin(data.path(), "ada@example.org");
    let server = crate::support::Server::start_on(data.path(), &[]);
    assert_eq!(server.get("/api/v1/session").json()["signIn"]["password"], true);
}
