//! `quadrille admin create`.

use std::path::Path;

use quadrille_access::AccessStore;
use serde_json::json;

use super::{Accounts, Browser, PASSWORD, email};
use crate::support::binary;

/// Runs `quadrille admin create` and returns its exit code, standard output and standard error.
fn create(data: &Path, more: &[&str]) -> (i32, String, String) {
    let mut command = binary();
    command.args(["admin", "create", "--email", "bob@example.org"]).args(more).arg("--data").arg(data);
    let process = command.output().expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (process.status.code().expect("not killed"), text(&process.stdout), text(&process.stderr))
}

#[test]
fn a_sign_in_link_works_once() {
    let accounts = Accounts::prepare(&[]);
    let url = ["--public-url", "https://sheets.example.org/", "--name", "Bob Example"];
    let (code, output, error) = create(accounts.data(), &url);
    assert_eq!((code, error.as_str()), (0, ""), "{output}");
    let line = output.lines().nth(1).expect("a second line");
    let link = line.strip_prefix("sign in\thttps://sheets.example.org/_sign-in#once=").expect(line);
    assert!(link.starts_with("qi_") && link.len() == 35, "{link}");

    let accounts = accounts.serve(&[]);
    let use_link = |link: &str| {
        let body = json!({ "link": link }).to_string();
        accounts.anonymous("POST", "/api/v1/session", &body)
    };
    for (what, forged) in [
        ("truncated", link[..34].to_owned()),
        ("other bits", format!("{}AAAA", &link[..31])),
        ("another account", format!("qi_{}", "A".repeat(32))),
        ("another kind", link.replace("qi_", "qs_")),
    ] {
        let reply = use_link(&forged);
        assert_eq!((reply.status, reply.code().as_str()), (401, "sign_in_failed"), "{what}");
    }
    let signed_in = use_link(link);
    let account = signed_in.json()["account"].clone();
    assert_eq!((&account["name"], &account["isAdmin"]), (&json!("Bob Example"), &json!(true)));
    assert_eq!(use_link(link).code(), "sign_in_failed", "used");
    // The person sets a password then.
    let bob = Browser::of(&signed_in);
    let body = json!({ "new": PASSWORD }).to_string();
    assert_eq!(accounts.by(&bob, "PUT", "/api/v1/account/password", &body).status, 204);
    accounts.sign_in("bob");
}

#[test]
fn a_sign_in_link_expires_and_a_new_one_replaces_it() {
    let accounts = Accounts::prepare(&[]);
    let link = || {
        let (code, output, _) = create(accounts.data(), &[]);
        assert_eq!(code, 0);
        let at = output.find("qi_").expect("a link");
        output[at..].trim().to_owned()
    };
    let (first, second) = (link(), link());
    let change = |accounts: &Accounts, ms: i64| {
        accounts.with_store(|store| {
            let stored = store.account_by_email(&email("bob")).expect("readable").expect("there");
            let mut account = stored.value;
            account.sign_in_link.as_mut().expect("a link").expires_ms -= ms;
            store.put_account(stored.version, &account, &[]).expect("stored");
        });
    };
    let week_ms = 7 * 24 * 3_600_000;
    change(&accounts, week_ms);
    let use_link = |accounts: &Accounts, link: &str| {
        accounts.anonymous("POST", "/api/v1/session", &json!({ "link": link }).to_string()).status
    };
    let accounts = accounts.serve(&[]);
    assert_eq!(use_link(&accounts, &second), 401, "expired");
    let accounts = accounts.stop();
    change(&accounts, -week_ms);
    let accounts = accounts.serve(&[]);
    assert_eq!([use_link(&accounts, &first), use_link(&accounts, &second)], [401, 200]);
}

#[test]
fn an_account_that_exists_becomes_an_admin() {
    let accounts = Accounts::prepare(&["bob"]);
    let (code, output, _) = create(accounts.data(), &[]);
    assert_eq!(code, 0);
    assert!(output.starts_with("admin\tbob@example.org\t0000000000000001\n"), "{output}");
    let bob = accounts.with_store(|store| store.account_by_email(&email("bob")).expect("readable"));
    let bob = bob.expect("there").value;
    assert!(bob.is_admin && bob.password_hash.is_some() && bob.sign_in_link.is_some());
    assert_eq!(bob.name, "bob");
}

#[test]
fn errors_say_what_to_do() {
    let accounts = Accounts::start(&[], &[]);
    let (code, _, error) = create(accounts.data(), &[]);
    assert_eq!(code, 1);
    assert!(error.contains("a server is running on") && error.contains("--server"), "{error}");
    let url = accounts.server().url("");
    let run = |arguments: &[&str]| {
        let process = binary().args(["admin", "create"]).args(arguments).output().expect("starts");
        let error = String::from_utf8_lossy(&process.stderr).into_owned();
        assert_eq!((process.status.code(), error.lines().count()), (Some(1), 1), "{error}");
        error
    };
    let error = run(&["--email", "bob@example.org", "--server", &url]);
    assert!(error.contains("QUADRILLE_TOKEN"), "{error}");
    let error = run(&["--email", "bob"]);
    assert!(error.contains("not an e-mail address: bob"), "{error}");
    let error = run(&["--email", "bob@example.org", "--password"]);
    assert!(error.contains("no password was given"), "{error}");
}
