//! `quadrille admin create`.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

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

/// Runs `quadrille admin create` on a running server and returns its exit code, standard output and
/// standard error.
fn create_on(server: &str, token: &str, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut process = binary()
        .args(["admin", "create", "--server", server, "--token", token])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // A command that needs no password ends without reading it.
    _ = process.stdin.take().expect("piped").write_all(input.as_bytes());
    let output = process.wait_with_output().expect("a child");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

#[test]
fn a_running_server_creates_the_account() {
    let accounts = Accounts::start(&[], &[]);
    let ada = accounts.sign_in("ada");
    let token = accounts.token(&ada, &json!({ "label": "command", "scope": "admin" }));
    // With and without the slash that browsers put after the host.
    let url = accounts.server().url("/");
    let arguments = ["--email", "bob@example.org", "--name", "Bob Example"];
    let (code, output, error) = create_on(&url, &token, &arguments, "");
    assert_eq!((code, error.as_str()), (0, ""), "{output}");
    let (first, second) = output.trim_end().split_once('\n').expect("two lines");
    let id = first.strip_prefix("admin\tbob@example.org\t").expect(first);
    let link = second.strip_prefix("sign in\t").and_then(|link| link.strip_prefix(&url)).expect(second);
    let link = link.strip_prefix("_sign-in#once=").expect(link);
    let signed_in = accounts.anonymous("POST", "/api/v1/session", &json!({ "link": link }).to_string());
    let account = signed_in.json()["account"].clone();
    assert_eq!(
        (&account["id"], &account["name"], &account["isAdmin"]),
        (&json!(id), &json!("Bob Example"), &json!(true))
    );

    // The link has the address by which browsers reach the server, if it is given.
    let arguments = ["--email", "cy@example.org", "--public-url", "https://sheets.example.org"];
    let (code, output, _) = create_on(url.trim_end_matches('/'), &token, &arguments, "");
    assert_eq!(code, 0);
    assert!(output.contains("\nsign in\thttps://sheets.example.org/_sign-in#once=qi_"), "{output}");

    let arguments = ["--email", "dan@example.org", "--password"];
    let (code, output, _) = create_on(&url, &token, &arguments, &format!("{PASSWORD}\n"));
    assert_eq!((code, output.lines().count()), (0, 1), "no link: {output}");
    let dan = accounts.sign_in("dan");
    assert_eq!(accounts.by(&dan, "GET", "/api/v1/admin/overview", "").status, 200);

    let created = |(event, _): &(String, String)| event == "account_created";
    let stopped = accounts.stop();
    assert_eq!(stopped.audit().iter().filter(|entry| created(entry)).count(), 4, "Ada and these");
}

#[test]
fn a_running_server_refuses_others_and_says_why() {
    let accounts = Accounts::start(&["bob"], &[]);
    let (ada, bob) = (accounts.sign_in("ada"), accounts.sign_in("bob"));
    let token = |browser, scope: &str| accounts.token(browser, &json!({ "label": "x", "scope": scope }));
    let admin = token(&ada, "admin");
    let url = accounts.server().url("");
    let unknown = format!("{}AAAAAAAA", &admin[..admin.len() - 8]);
    let new = ["--email", "eve@example.org"];
    let password = ["--email", "eve@example.org", "--password"];
    for (what, token, arguments, input, message) in [
        ("an unknown token", unknown.as_str(), &new[..], "", "the API token is unknown, revoked or expired"),
        ("another text", "secret", &new, "", "the bearer token is not a key, link or token of this server"),
        ("scope", &token(&ada, "write"), &new, "", "this needs an API token with the scope admin"),
        ("not an admin", &token(&bob, "admin"), &new, "", "this is for admins"),
        ("taken", &admin, &["--email", "bob@example.org"], "", "belongs to another account: bob@example.org"),
        ("a short password", &admin, &password, "short\n", "a password has at least 8 characters"),
    ] {
        let (code, output, error) = create_on(&url, token, arguments, input);
        assert_eq!((code, output.as_str(), error.lines().count()), (1, "", 1), "{what}: {error}");
        assert!(error.contains(message), "{what}: {error}");
        assert!(!error.contains(token), "{what}: {error}");
    }
    // Nothing of this was stored.
    let stored = accounts.by(&ada, "GET", "/api/v1/admin/accounts", "").json();
    assert_eq!(stored["accounts"].as_array().map(Vec::len), Some(2), "{stored}");

    // No program has this port: it is reserved, and the system gives it to nobody who asks for any.
    let (code, _, error) = create_on("http://127.0.0.1:1", &admin, &new, "");
    assert_eq!((code, error.lines().count()), (1, 1), "{error}");
    assert!(error.contains("cannot reach http://127.0.0.1:1/api/v1/admin/accounts: "), "{error}");
}
