//! Accounts: signing in, cookies, API tokens, and who may create workbooks.
//!
//! [`Accounts`] prepares a data directory with people and starts a server on it.

mod admin_command;
mod cookies;
mod creation;
mod own_account;
mod sign_in;
mod tokens;

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use quadrille_access::{AccessStore, Account, AccountId, AuditFilter, Email, Version};
use quadrille_storage_sqlite::SqliteAccessStore;
use serde_json::{Value as Json, json};

use crate::support::{Reply, Server, binary};

pub use cookies::is_welcome;

pub const PASSWORD: &str = "correct horse";

/// A server with the admin Ada, and people by the names that a test gives.
pub struct Accounts {
    data: tempfile::TempDir,
    server: Option<Server>,
}

/// Somebody who is signed in: the cookie as a browser sends it.
#[derive(Clone)]
pub struct Browser(pub String);

impl Accounts {
    /// Starts a server with these settings. Everybody has [`PASSWORD`] and an address such as
    /// `ada@example.org`.
    pub fn start(people: &[&str], settings: &[&str]) -> Accounts {
        let accounts = Accounts::prepare(people);
        accounts.serve(settings)
    }

    /// Prepares the data directory without a server.
    pub fn prepare(people: &[&str]) -> Accounts {
        let data = tempfile::tempdir().expect("a temporary directory");
        create_admin(data.path(), "ada@example.org");
        let accounts = Accounts { data, server: None };
        accounts.with_store(|store| {
            let ada = store.account_by_email(&email("ada")).expect("readable").expect("created").value;
            for (number, name) in people.iter().enumerate() {
                let account = Account {
                    id: AccountId(number as u64 + 1),
                    name: (*name).to_owned(),
                    email: Some(email(name)),
                    is_admin: false,
                    ..ada.clone()
                };
                store.put_account(Version(0), &account, &[]).expect("stored");
            }
        });
        accounts
    }

    /// Starts the server.
    pub fn serve(mut self, settings: &[&str]) -> Accounts {
        self.server = Some(Server::start_on(self.data.path(), settings));
        self
    }

    /// With a server that was started on [`data`](Accounts::data).
    pub fn with_server(mut self, server: Server) -> Accounts {
        self.server = Some(server);
        self
    }

    /// Stops the server in an orderly way, so that it stores everything.
    pub fn stop(mut self) -> Accounts {
        let mut server = self.server.take().expect("running");
        server.signal("TERM");
        assert!(server.wait().success());
        self
    }

    pub fn server(&self) -> &Server {
        self.server.as_ref().expect("running")
    }

    pub fn data(&self) -> &Path {
        self.data.path()
    }

    /// Reads or changes the store while no server runs.
    pub fn with_store<T>(&self, work: impl FnOnce(&mut SqliteAccessStore) -> T) -> T {
        assert!(self.server.is_none(), "a server has the store");
        work(&mut SqliteAccessStore::open(self.data.path()).expect("a store"))
    }

    /// The events of the audit log with their targets, oldest first, while no server runs.
    pub fn audit(&self) -> Vec<(String, String)> {
        let entries = self.with_store(|store| store.audit(&AuditFilter::default(), 1_000).expect("readable"));
        let event = |event| serde_json::to_value(event).expect("plain").as_str().expect("a name").to_owned();
        entries.into_iter().map(|entry| (event(entry.event), entry.target)).collect()
    }

    /// Tries to sign in.
    pub fn try_sign_in(&self, name: &str, password: &str) -> Reply {
        let body = json!({ "email": format!("{name}@example.org"), "password": password });
        self.server().post_json("/api/v1/session", &body.to_string())
    }

    /// Signs somebody in.
    pub fn sign_in(&self, name: &str) -> Browser {
        let reply = self.try_sign_in(name, PASSWORD);
        assert_eq!(reply.status, 200, "{reply:?}");
        Browser::of(&reply)
    }

    /// Sends a request without credentials.
    pub fn anonymous(&self, method: &str, path: &str, body: &str) -> Reply {
        self.request(&[], method, path, body)
    }

    /// Sends a request with an API token.
    pub fn by_token(&self, token: &str, method: &str, path: &str, body: &str) -> Reply {
        self.request(&[("authorization", &format!("Bearer {token}"))], method, path, body)
    }

    /// Sends a request of somebody who is signed in, as a page of the server does.
    pub fn by(&self, browser: &Browser, method: &str, path: &str, body: &str) -> Reply {
        self.request(&[("cookie", &browser.0)], method, path, body)
    }

    /// Sends JSON with headers.
    pub fn request(&self, headers: &[(&str, &str)], method: &str, path: &str, body: &str) -> Reply {
        let mut headers = headers.to_vec();
        if !body.is_empty() && !headers.iter().any(|(name, _)| *name == "content-type") {
            headers.push(("content-type", "application/json"));
        }
        self.server().send(method, path, &headers, body.as_bytes())
    }

    /// Who is signed in, by the name of the account.
    pub fn who(&self, browser: &Browser) -> Option<String> {
        let session = self.by(browser, "GET", "/api/v1/session", "").json();
        session["account"]["name"].as_str().map(str::to_owned)
    }

    /// Creates an API token.
    pub fn token(&self, browser: &Browser, given: &Json) -> String {
        let made = self.by(browser, "POST", "/api/v1/account/tokens", &given.to_string());
        assert_eq!(made.status, 201, "{made:?}");
        made.json()["token"].as_str().expect("a token").to_owned()
    }
}

impl Browser {
    /// The browser after it got an answer that sets its cookie.
    pub fn of(reply: &Reply) -> Browser {
        let cookie = reply.header("set-cookie").split(';').next().unwrap_or_default();
        assert!(!cookie.is_empty(), "no cookie in {reply:?}");
        Browser(cookie.to_owned())
    }

    /// The value of the cookie.
    pub fn secret(&self) -> &str {
        self.0.split_once('=').expect("name and value").1
    }
}

pub fn email(name: &str) -> Email {
    Email::parse(&format!("{name}@example.org")).expect("an address")
}

/// Creates an admin with [`PASSWORD`] by the command.
pub fn create_admin(data: &Path, address: &str) {
    let mut process = binary()
        .args(["admin", "create", "--password", "--email", address, "--data"])
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = process.stdin.take().expect("piped");
    writeln!(stdin, "{PASSWORD}").expect("read");
    drop(stdin);
    let output = process.wait_with_output().expect("a child");
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(printed.starts_with(&format!("admin\t{address}\t")), "{printed}");
}

/// Every operation of an account answers somebody without one with 401, and programs by the scope of
/// their token.
#[test]
fn operations_of_an_account_need_one() {
    let accounts = Accounts::start(&["bob"], &[]);
    let ada = accounts.sign_in("ada");
    let bob = accounts.sign_in("bob");
    let token = |browser, given: Json| accounts.token(browser, &given);
    let read = token(&ada, json!({ "label": "read", "scope": "read" }));
    let admin = token(&bob, json!({ "label": "admin", "scope": "admin" }));
    let room = token(&ada, json!({ "label": "room", "scope": "admin", "rooms": ["plan"] }));
    let document = accounts.server().get("/api/v1/openapi.json").json();
    let mut count = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        let is_admin = path.starts_with("/api/v1/admin/");
        if !is_admin && !path.starts_with("/api/v1/account") {
            continue;
        }
        let filled = path.replace(['{', '}'], "");
        for method in item.as_object().expect("operations").keys().filter(|key| *key != "parameters") {
            count += 1;
            let method = method.to_uppercase();
            let answer = |reply: Reply| (reply.status, reply.code());
            let forbidden = (403, "forbidden".to_owned());
            let what = format!("{method} {path}");
            let anonymous = accounts.anonymous(&method, &filled, "{}");
            assert_eq!(answer(anonymous), (401, "sign_in_required".to_owned()), "{what}");
            let by_room = accounts.by_token(&room, &method, &filled, "{}");
            assert_eq!(answer(by_room), forbidden, "{what}");
            if is_admin {
                assert_eq!(answer(accounts.by(&bob, &method, &filled, "{}")), forbidden, "{what}");
                assert_eq!(answer(accounts.by_token(&admin, &method, &filled, "{}")), forbidden, "{what}");
            }
            if is_admin || method != "GET" {
                assert_eq!(answer(accounts.by_token(&read, &method, &filled, "{}")), forbidden, "{what}");
            }
        }
    }
    assert!(count >= 10, "{count}");
}
