//! Forgotten passwords: the link by mail, with a mail server from npm.

use quadrille_access::{AccessStore, AccountId};
use serde_json::json;

use crate::accounts::{Accounts, Browser, PASSWORD, email};
use crate::invitations::MailServer;
use crate::support::Reply;

/// A server with accounts and mail.
fn start(mail: &MailServer, people: &[&str]) -> Accounts {
    let accounts = Accounts::prepare(people);
    let server = mail.sheets(accounts.data(), &["--access", "accounts"]);
    accounts.with_server(server)
}

fn ask(accounts: &Accounts, address: &str) -> Reply {
    accounts.anonymous("POST", "/api/v1/session/recovery", &json!({ "email": address }).to_string())
}

fn choose(accounts: &Accounts, link: &str, password: &str) -> Reply {
    let body = json!({ "link": link, "password": password }).to_string();
    accounts.anonymous("PUT", "/api/v1/session/recovery", &body)
}

/// The secret of the link in the next message, which is for this address.
fn mailed_link(mail: &mut MailServer, address: &str) -> String {
    let (envelope, message) = mail.message();
    assert_eq!(envelope["to"], json!([address]), "{message}");
    assert!(message.contains("Subject: Choose a new password\r\n"), "{message}");
    let link = message.split("https://sheets.example.org/_sign-in#recover=").nth(1).expect("a link");
    link.chars().take_while(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).collect()
}

const NEW_PASSWORD: &str = "battery staple";

#[test]
fn a_mailed_link_replaces_a_forgotten_password_once_and_ends_all_sessions() {
    let mut mail = MailServer::start();
    let accounts = start(&mail, &["bob"]);
    let session = accounts.anonymous("GET", "/api/v1/session", "").json();
    assert_eq!(session["signIn"]["recovery"], true, "{session}");
    let bob = accounts.sign_in("bob");
    assert_eq!(ask(&accounts, " Bob@Example.org ").status, 202);
    let link = mailed_link(&mut mail, "bob@example.org");
    // Whoever has asked has changed nothing yet, and the link alone signs nobody in.
    assert_eq!(accounts.who(&bob).as_deref(), Some("bob"));
    let once = accounts.anonymous("POST", "/api/v1/session", &json!({ "link": link }).to_string());
    assert_eq!((once.status, once.code().as_str()), (401, "sign_in_failed"));
    let short = choose(&accounts, &link, "1234567");
    assert_eq!((short.status, short.code().as_str()), (400, "bad_request"), "{short:?}");
    let signed_in = choose(&accounts, &link, NEW_PASSWORD);
    assert_eq!((signed_in.status, &signed_in.json()["account"]["name"]), (200, &json!("bob")));
    assert_eq!(accounts.who(&Browser::of(&signed_in)).as_deref(), Some("bob"));
    assert_eq!(accounts.who(&bob), None, "the sessions from before have ended");
    assert_eq!(choose(&accounts, &link, "another one").code(), "sign_in_failed", "used");
    assert_eq!(accounts.try_sign_in("bob", PASSWORD).code(), "sign_in_failed");
    assert_eq!(accounts.try_sign_in("bob", NEW_PASSWORD).status, 200);
    let accounts = accounts.stop();
    let audit = accounts.audit();
    let id = AccountId(1).to_string();
    for (event, target) in [
        ("recovery_requested", id.clone()),
        ("password_changed", format!("{id}: by a link")),
        ("signed_in", "recovery".into()),
        ("sign_in_failed", "recovery link".into()),
    ] {
        assert!(audit.contains(&(event.to_owned(), target.clone())), "{event} {target} in {audit:?}");
    }
    assert!(audit.iter().all(|(_, target)| !target.contains(&link[14..])), "no secret in {audit:?}");
}

#[test]
fn nobody_learns_whether_an_address_has_an_account() {
    let mut mail = MailServer::start();
    let accounts = start(&mail, &["bob", "eve"]);
    let ada = accounts.sign_in("ada");
    let eve = format!("/api/v1/admin/accounts/{}", AccountId(2));
    assert_eq!(accounts.by(&ada, "PATCH", &eve, r#"{"isDisabled":true}"#).status, 200);
    for address in ["nobody@example.org", "eve@example.org", "bob@example.org"] {
        let reply = ask(&accounts, address);
        assert_eq!((reply.status, reply.text().as_str()), (202, ""), "{address}");
    }
    // The first message is for the only one who has an account and can use it.
    mailed_link(&mut mail, "bob@example.org");
}

#[test]
fn links_are_replaced_expire_and_cannot_be_forged() {
    let mut mail = MailServer::start();
    let accounts = start(&mail, &["bob"]);
    let mut link = || {
        assert_eq!(ask(&accounts, "bob@example.org").status, 202);
        mailed_link(&mut mail, "bob@example.org")
    };
    let (first, second) = (link(), link());
    for (what, forged) in [
        ("replaced", first),
        ("truncated", second[..34].to_owned()),
        ("other bits", format!("{}AAAA", &second[..31])),
        ("another account", format!("qi_{}", "A".repeat(32))),
        ("another kind", second.replace("qi_", "qs_")),
        ("nothing", String::new()),
    ] {
        let reply = choose(&accounts, &forged, NEW_PASSWORD);
        assert_eq!((reply.status, reply.code().as_str()), (401, "sign_in_failed"), "{what}");
    }
    let accounts = accounts.stop();
    accounts.with_store(|store| {
        let stored = store.account_by_email(&email("bob")).expect("readable").expect("bob");
        let mut account = stored.value;
        let left = account.recovery_link.as_ref().expect("a link").expires_ms - account_now_ms();
        assert!((50 * 60_000..=60 * 60_000).contains(&left), "an hour: {left} ms");
        account.recovery_link.as_mut().expect("a link").expires_ms = 1;
        store.put_account(stored.version, &account, &[]).expect("stored");
    });
    let accounts = accounts.serve(&[]);
    assert_eq!(choose(&accounts, &second, NEW_PASSWORD).code(), "sign_in_failed", "expired");
    // Without a mail server nobody can ask.
    let reply = ask(&accounts, "bob@example.org");
    assert_eq!((reply.status, reply.code().as_str()), (403, "forbidden"));
}

fn account_now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    now.as_millis() as i64
}

#[test]
fn requests_for_links_are_limited_by_client_and_by_account() {
    let mut mail = MailServer::start();
    let accounts = start(&mail, &["bob", "eve"]);
    // The sixth and later ones send nothing, and the answer is the same.
    for _ in 0..8 {
        assert_eq!(ask(&accounts, "bob@example.org").status, 202);
    }
    for _ in 0..5 {
        mailed_link(&mut mail, "bob@example.org");
    }
    assert_eq!(ask(&accounts, "eve@example.org").status, 202);
    mailed_link(&mut mail, "eve@example.org");
    let refused = (0..20).map(|_| ask(&accounts, "nobody@example.org")).find(|reply| reply.status == 429);
    let refused = refused.expect("at most 20 in five minutes");
    assert!(refused.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds <= 301), "{refused:?}");
}

#[test]
fn the_link_of_an_administrator_replaces_a_forgotten_password_too() {
    let accounts = Accounts::start(&["bob"], &[]);
    let ada = accounts.sign_in("ada");
    let path = format!("/api/v1/admin/accounts/{}/invitation", AccountId(1));
    let made = accounts.by(&ada, "POST", &path, "").json();
    let url = made["invitation"]["url"].as_str().expect("a link").to_owned();
    let link = url.split("#once=").nth(1).expect("a secret");
    assert_eq!(choose(&accounts, link, NEW_PASSWORD).status, 200);
    assert_eq!(accounts.try_sign_in("bob", NEW_PASSWORD).status, 200);
    let used = accounts.anonymous("POST", "/api/v1/session", &json!({ "link": link }).to_string());
    assert_eq!(used.code(), "sign_in_failed");
}
