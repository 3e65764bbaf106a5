//! Mail about mentions, replies and tasks, against a mail server from npm.
//!
//! Most tests stop the server, which sends what waits, and then look at all messages: so nothing depends
//! on time, and a message that must not be sent is seen to be missing.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use quadrille_test_database::TestDatabase;
use serde_json::{Value as Json, json};

use crate::access::send;
use crate::accounts::{Accounts, Browser, PASSWORD};
use crate::invitations::MailServer;
use crate::person::{Person, socket_with};
use crate::prepared_accounts::{PreparedAccount, prepare_accounts};
use crate::several_servers::{create_admin, until_here};
use crate::support::{Reply, Server, TIMEOUT, file};

/// A server that sends mail, and the workbook `plan` of Ada, on which Bo and Cy may comment. Dee has an
/// account only.
struct Sheets {
    mail: MailServer,
    _data: tempfile::TempDir,
    server: Server,
    ada: PreparedAccount,
    bo: PreparedAccount,
    cy: PreparedAccount,
}

/// Longer than a test: messages are sent when the server stops.
const LONG: &str = "3600";

impl Sheets {
    fn start(seconds: &str, more: &[&str]) -> Sheets {
        let (mail, data) = (MailServer::start(), tempfile::tempdir().expect("a temporary directory"));
        let people =
            ["Ada", "Bo", "Cy", "Dee"].map(|name| (name, format!("{}@example.org", name.to_lowercase())));
        let [ada, bo, cy, _] =
            prepare_accounts(data.path(), people.each_ref().map(|(name, email)| (*name, email.as_str())));
        let settings = ["--mail-notification-seconds", seconds, "--metrics", "true"];
        let server = mail.sheets(data.path(), &[&settings, more].concat());
        let sheets = Sheets { mail, _data: data, server, ada, bo, cy };
        sheets.make("plan");
        sheets
    }

    /// Makes a workbook of Ada, for Bo by his address and for Cy by her account.
    fn make(&self, room: &str) {
        let made = self.by(&self.ada, "POST", "/api/v1/rooms", json!({ "name": room, "title": "Budget" }));
        assert_eq!(made.status, 201, "{made:?}");
        let path = format!("/api/v1/rooms/{room}/access/people");
        let account = self.cy.id.trim_start_matches("account:");
        for person in [json!({ "email": "bo@example.org" }), json!({ "account": account })] {
            let mut body = person;
            (body["role"], body["notify"]) = ("comment".into(), false.into());
            let added = self.by(&self.ada, "POST", &path, body);
            assert_eq!(added.status, 201, "{added:?}");
        }
    }

    fn by(&self, person: &PreparedAccount, method: &str, path: &str, body: Json) -> Reply {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        send(&self.server, &person.token, method, path, &body)
    }

    /// Starts a thread at a cell; its number.
    fn thread(&self, person: &PreparedAccount, room: &str, cell: &str) -> u64 {
        let item = json!({ "kind": "commentThread", "anchors": [cell] });
        self.put(person, room, item)
    }

    /// Adds a comment that mentions people; its number.
    fn comment(&self, person: &PreparedAccount, thread: u64, text: &str, mentions: &[&str]) -> u64 {
        self.comment_in("plan", person, thread, text, mentions)
    }

    fn comment_in(
        &self,
        room: &str,
        person: &PreparedAccount,
        thread: u64,
        text: &str,
        mentions: &[&str],
    ) -> u64 {
        // As the client writes it.
        let mut fields = json!({ "parent": thread, "text": text, "authorId": person.id, "time": later_ms() });
        if !mentions.is_empty() {
            fields["mentions"] = json!(mentions);
        }
        self.put(person, room, json!({ "kind": "comment", "fields": fields }))
    }

    fn put(&self, person: &PreparedAccount, room: &str, item: Json) -> u64 {
        let made = self.by(person, "POST", &format!("/api/v1/rooms/{room}/sheets/Sheet1/items"), item);
        assert_eq!(made.status, 201, "{made:?}");
        made.json()["item"].as_u64().expect("a number")
    }

    fn change(&self, person: &PreparedAccount, item: u64, fields: Json) {
        let path = format!("/api/v1/rooms/plan/sheets/Sheet1/items/{item}");
        let changed = self.by(person, "PUT", &path, json!({ "fields": fields }));
        assert_eq!(changed.status, 200, "{changed:?}");
    }

    fn remove(&self, item: u64) {
        let path = format!("/api/v1/rooms/plan/sheets/Sheet1/items/{item}");
        assert_eq!(self.by(&self.ada, "DELETE", &path, Json::Null).status, 204);
    }

    /// Stops the server; all messages, by their recipient.
    fn stop(mut self) -> Vec<(String, String)> {
        stop(&mut self.server);
        self.mail.rest()
    }
}

/// The time, later than that of each comment before.
fn later_ms() -> i64 {
    static LAST_MS: AtomicI64 = AtomicI64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    LAST_MS.fetch_max(since.as_millis() as i64, Ordering::SeqCst);
    LAST_MS.fetch_add(1, Ordering::SeqCst)
}

fn stop(server: &mut Server) {
    server.signal("TERM");
    assert!(server.wait().success());
}

fn recipients(messages: &[(String, String)]) -> Vec<&str> {
    messages.iter().map(|(to, _)| to.as_str()).collect()
}

/// The address in a header of a message.
fn unsubscribe_url(message: &str) -> String {
    let mut lines = message.split("\r\n");
    let line = lines.find_map(|line| line.strip_prefix("List-Unsubscribe: <")).expect("the header");
    line.trim_end_matches('>').to_owned()
}

#[test]
fn people_are_told_of_mentions_replies_and_tasks() {
    let sheets = Sheets::start(LONG, &[]);
    let thread = sheets.thread(&sheets.ada, "plan", "B7");
    sheets.comment(&sheets.ada, thread, "@Bo is this right?", &["Bo"]);
    sheets.comment(&sheets.bo, thread, "No, <b>see</b> there", &[]);
    sheets.change(&sheets.bo, thread, json!({ "assignee": "Cy", "assignedBy": "Bo" }));
    let messages = sheets.stop();
    assert_eq!(recipients(&messages), ["ada@example.org", "bo@example.org", "cy@example.org"]);
    let link = "https://sheets.example.org/plan#sheet=Sheet1&range=B7";
    for ((_, message), parts) in messages.iter().zip([
        ["Bo replied", "No, <b>see</b> there", "No, &lt;b&gt;see&lt;/b&gt; there", link],
        ["Ada mentioned you", "@Bo is this right?", "Subject: Comments for you in \"Budget\"", link],
        // The task of a thread has its first comment.
        ["Bo assigned you a task", "@Bo is this right?", "Sheet1 =C2=B7 B7", link],
    ]) {
        for part in parts {
            assert!(message.contains(part), "{part} in {message}");
        }
        assert!(message.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"), "{message}");
    }
}

#[test]
fn what_happens_within_a_while_is_one_message() {
    let sheets = Sheets::start(LONG, &[]);
    let thread = sheets.thread(&sheets.ada, "plan", "A1");
    for number in 0..23 {
        sheets.comment(&sheets.ada, thread, &format!("@Bo number {number}."), &["Bo"]);
    }
    let messages = sheets.stop();
    assert_eq!(recipients(&messages), ["bo@example.org"]);
    let plain = messages[0].1.split("text/html").next().expect("the plain text");
    assert_eq!(plain.matches("Ada mentioned you").count(), 20, "{plain}");
    assert!(plain.contains("number 19.") && plain.contains("Further notifications: 3"), "{plain}");
}

#[test]
fn what_comes_later_is_another_message() {
    let mut sheets = Sheets::start("1", &[]);
    let thread = sheets.thread(&sheets.ada, "plan", "A1");
    for text in ["@Bo the first one", "@Bo the last one"] {
        sheets.comment(&sheets.ada, thread, text, &["Bo"]);
        let (envelope, message) = sheets.mail.message();
        assert_eq!(envelope["to"], json!(["bo@example.org"]));
        let plain = message.split("text/html").next().expect("the plain text");
        assert!(plain.contains(text) && plain.matches("mentioned you").count() == 1, "{plain}");
    }
    assert_eq!(sheets.stop(), []);
}

#[test]
fn nobody_is_told_of_what_is_not_for_them_or_no_longer_true() {
    let sheets = Sheets::start(LONG, &[]);
    let thread = sheets.thread(&sheets.ada, "plan", "A1");
    // Oneself, somebody without access, and a name that nobody has.
    sheets.comment(&sheets.ada, thread, "@Ada @Dee @Eve", &["Ada", "Dee", "Eve"]);
    // Deleted before it is sent.
    let deleted = sheets.comment(&sheets.ada, thread, "@Bo gone", &["Bo"]);
    sheets.remove(deleted);
    // A task that is done, and one that somebody else has now.
    let [done, moved] = ["B1", "C1"].map(|cell| {
        let task = sheets.thread(&sheets.ada, "plan", cell);
        sheets.comment(&sheets.ada, task, "do it", &[]);
        sheets.change(&sheets.ada, task, json!({ "assignee": "Bo", "assignedBy": "Ada" }));
        task
    });
    sheets.change(&sheets.ada, done, json!({ "resolved": true, "resolvedBy": "Ada" }));
    sheets.change(&sheets.ada, moved, json!({ "assignee": "Ada", "assignedBy": "Ada" }));
    // In the name of somebody else.
    let forged = json!({ "parent": thread, "text": "@Ada", "mentions": ["Ada"], "author": "Bo", "authorId": sheets.bo.id });
    sheets.put(&sheets.cy, "plan", json!({ "kind": "comment", "fields": forged }));
    // Access that is taken away.
    let other = sheets.thread(&sheets.ada, "plan", "D1");
    sheets.comment(&sheets.ada, other, "@Cy secret", &["Cy"]);
    let person = format!("/api/v1/rooms/plan/access/people/{}", sheets.cy.id);
    assert_eq!(sheets.by(&sheets.ada, "DELETE", &person, Json::Null).status, 204);
    assert_eq!(sheets.stop(), []);
}

#[test]
fn a_workbook_in_the_trash_or_deleted_tells_nobody() {
    let sheets = Sheets::start(LONG, &[]);
    sheets.make("gone");
    for room in ["plan", "gone"] {
        let thread = sheets.thread(&sheets.ada, room, "A1");
        sheets.comment_in(room, &sheets.ada, thread, "@Bo", &["Bo"]);
    }
    assert_eq!(sheets.by(&sheets.ada, "POST", "/api/v1/rooms/plan/access/trash", Json::Null).status, 204);
    assert_eq!(sheets.by(&sheets.ada, "DELETE", "/api/v1/rooms/gone", Json::Null).status, 204);
    assert_eq!(sheets.stop(), []);
}

#[test]
fn the_setting_of_an_account_is_kept_and_exported() {
    let sheets = Sheets::start(LONG, &[]);
    let account = |sheets: &Sheets| {
        let read = sheets.by(&sheets.bo, "GET", "/api/v1/account", Json::Null).json();
        (read["notificationMail"].clone(), read["canGetNotificationMail"].clone(), read["name"].clone())
    };
    assert_eq!(account(&sheets), (json!(true), json!(true), json!("Bo")));
    let set = |body: Json| sheets.by(&sheets.bo, "PATCH", "/api/v1/account", body);
    assert_eq!(set(json!({ "notificationMail": false })).json()["notificationMail"], false);
    assert_eq!(account(&sheets), (json!(false), json!(true), json!("Bo")));
    for body in [json!({}), json!({ "notificationMail": "no" }), json!({ "mail": false })] {
        assert_eq!(set(body.clone()).status, 400, "{body}");
    }
    let exported = sheets.by(&sheets.bo, "GET", "/api/v1/account/export", Json::Null).json();
    assert_eq!(exported["account"]["notificationMail"], false, "{exported}");
    let thread = sheets.thread(&sheets.ada, "plan", "A1");
    sheets.comment(&sheets.ada, thread, "@Bo @Cy", &["Bo", "Cy"]);
    assert_eq!(recipients(&sheets.stop()), ["cy@example.org"]);
}

#[test]
fn a_link_in_the_message_switches_it_off_without_signing_in() {
    let mut sheets = Sheets::start("0", &[]);
    let thread = sheets.thread(&sheets.ada, "plan", "A1");
    sheets.comment(&sheets.ada, thread, "@Bo", &["Bo"]);
    let (_, message) = sheets.mail.message();
    let url = unsubscribe_url(&message);
    assert!(message.contains(&format!("href=\"{url}\"")), "{message}");
    let path = url.strip_prefix("https://sheets.example.org").expect("the public address");
    let is_on = |sheets: &Sheets| {
        sheets.by(&sheets.bo, "GET", "/api/v1/account", Json::Null).json()["notificationMail"].clone()
    };
    // Filters of mail follow links: that changes nothing.
    let page = sheets.server.send("GET", path, &[("accept-language", "de")], b"");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    let text = page.text();
    assert!(text.contains("<form method=\"post\">") && text.contains("Ausschalten"), "{text}");
    assert_eq!(is_on(&sheets), json!(true));
    let other = if path.ends_with('x') { "y" } else { "x" };
    let changed = format!("{}{other}", &path[..path.len() - 1]);
    for wrong in ["/_unsubscribe/x", "/_unsubscribe/%FF", &changed] {
        for method in ["GET", "POST"] {
            let status = sheets.server.send(method, wrong, &[], b"").status;
            assert!(status == 404 || status == 400, "{method} {wrong}: {status}");
        }
    }
    assert_eq!(is_on(&sheets), json!(true));
    // The request of a mail program: RFC 8058, section 3.2.
    let form = [("content-type", "application/x-www-form-urlencoded")];
    for _ in 0..2 {
        let done = sheets.server.send("POST", path, &form, b"List-Unsubscribe=One-Click");
        assert_eq!(done.status, 200, "{done:?}");
    }
    assert_eq!(is_on(&sheets), json!(false));
    sheets.comment(&sheets.ada, thread, "@Bo @Cy", &["Bo", "Cy"]);
    assert_eq!(recipients(&sheets.stop()), ["cy@example.org"]);
}

#[test]
fn messages_of_an_hour_are_limited() {
    let sheets = Sheets::start("0", &[]);
    for number in 0..21 {
        let room = format!("plan-{number}");
        sheets.make(&room);
        let thread = sheets.thread(&sheets.ada, &room, "A1");
        sheets.comment_in(&room, &sheets.ada, thread, "@Bo", &["Bo"]);
    }
    let began = Instant::now();
    let metric = |name: &str| sheets.server.metric(&format!("quadrille_{name}_total"));
    while metric("notifications_dropped") != Some(1.0) {
        assert!(began.elapsed() < TIMEOUT, "{:?}", metric("notification_mails"));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(metric("notification_mails"), Some(20.0));
    assert_eq!(recipients(&sheets.stop()), ["bo@example.org"; 20]);
}

#[test]
fn a_server_can_switch_it_off() {
    let sheets = Sheets::start("0", &["--mail-notifications", "false"]);
    let read = sheets.by(&sheets.bo, "GET", "/api/v1/account", Json::Null).json();
    assert_eq!(read["canGetNotificationMail"], false);
    let thread = sheets.thread(&sheets.ada, "plan", "A1");
    sheets.comment(&sheets.ada, thread, "@Bo @Dee", &["Bo", "Dee"]);
    assert_eq!(sheets.stop(), []);
}

#[test]
fn whoever_has_the_workbook_open_gets_no_message() {
    let accounts = Accounts::prepare(&["bo", "cy"]);
    let mut mail = MailServer::start();
    let server = mail.sheets(accounts.data(), &["--mail-notification-seconds", "1"]);
    let accounts = accounts.with_server(server);
    let [ada, bo, cy] = ["ada", "bo", "cy"].map(|name| accounts.sign_in(name));
    let made = accounts.by(&ada, "POST", "/api/v1/rooms", r#"{"name":"plan"}"#);
    assert_eq!(made.status, 201, "{made:?}");
    for name in ["bo", "cy"] {
        let body =
            json!({ "email": format!("{name}@example.org"), "role": "view", "notify": false }).to_string();
        assert_eq!(accounts.by(&ada, "POST", "/api/v1/rooms/plan/access/people", &body).status, 201);
    }
    let open = Person::join_by(socket_with(accounts.server(), "plan", "", &[("cookie", &bo.0)]), "bo");
    // A program of Cy follows the workbook: she does not see it.
    let token = accounts.token(&cy, &json!({ "label": "program", "scope": "read" }));
    let program = Person::join_with(accounts.server(), "plan", "cy", &format!("bearer.{token}"));
    let items = "/api/v1/rooms/plan/sheets/Sheet1/items";
    let thread = accounts.by(&ada, "POST", items, r#"{"kind":"commentThread","anchors":["A1"]}"#).json();
    let fields = json!({ "parent": thread["item"], "text": "@bo @cy", "mentions": ["bo", "cy"] });
    let body = json!({ "kind": "comment", "fields": fields }).to_string();
    assert_eq!(accounts.by(&ada, "POST", items, &body).status, 201);
    let (envelope, _) = mail.message();
    assert_eq!(envelope["to"], json!(["cy@example.org"]));
    drop((open, program));
    accounts.stop();
    assert_eq!(mail.rest(), []);
}

#[test]
fn links_are_those_of_the_tenant() {
    let (mail, data) = (MailServer::start(), tempfile::tempdir().expect("a temporary directory"));
    let [ada, _] = prepare_accounts(data.path(), [("Ada", "ada@example.org"), ("Bo", "bo@example.org")]);
    let (_directory, path) = file("quadrille.toml", "[[tenants]]\npath = \"/acme\"\n");
    let settings = ["--config", path.to_str().expect("UTF-8"), "--mail-notification-seconds", LONG];
    let mut server = mail.sheets(data.path(), &settings);
    for (path, body) in [
        ("rooms", json!({ "name": "plan" })),
        ("rooms/plan/access/people", json!({ "email": "bo@example.org", "role": "view", "notify": false })),
        ("rooms/plan/sheets/Sheet1/items", json!({ "kind": "commentThread", "anchors": ["A1"] })),
    ] {
        let made = send(&server, &ada.token, "POST", &format!("/acme/api/v1/{path}"), &body.to_string());
        assert_eq!(made.status, 201, "{made:?}");
        if let Some(thread) = made.json()["item"].as_u64() {
            let fields = json!({ "parent": thread, "text": "@Bo", "mentions": ["Bo"] });
            let comment = json!({ "kind": "comment", "fields": fields }).to_string();
            let items = "/acme/api/v1/rooms/plan/sheets/Sheet1/items";
            assert_eq!(send(&server, &ada.token, "POST", items, &comment).status, 201);
        }
    }
    stop(&mut server);
    let messages = mail.rest();
    assert_eq!(recipients(&messages), ["bo@example.org"]);
    let message = &messages[0].1;
    assert!(message.contains("https://sheets.example.org/acme/plan#sheet=Sheet1&range=A1"), "{message}");
    let url = unsubscribe_url(message);
    let path = url.strip_prefix("https://sheets.example.org").expect("the public address");
    let server = Server::start_on(data.path(), &settings);
    let page = server.get(path);
    assert!(page.status == 200 && page.text().contains("href=\"/acme/form.css\""), "{page:?}");
    for style in ["/acme/form.css", "/acme/logo.svg"] {
        assert_eq!(server.get(style).status, 200, "{style}");
    }
}

#[test]
fn of_several_servers_the_one_that_runs_the_room_sends_once() {
    let (mail, database) = (MailServer::start(), TestDatabase::shared());
    let url = database.create();
    create_admin(&url);
    let data = tempfile::tempdir().expect("a temporary directory");
    let settings = ["--storage", &url, "--mail-notification-seconds", LONG];
    let (mut first, mut second) = (mail.sheets(data.path(), &settings), mail.sheets(data.path(), &settings));
    let body = json!({ "email": "ada@example.org", "password": PASSWORD }).to_string();
    let ada = Browser::of(&first.post_json("/api/v1/session", &body));
    let headers = [("cookie", ada.0.as_str()), ("content-type", "application/json")];
    let made = first.send("POST", "/api/v1/rooms", &headers, br#"{"name":"plan"}"#);
    assert_eq!(made.status, 201, "{made:?}");
    // Somebody keeps it on the first server.
    let ann = Person::join(&first, "plan", "Ann");
    let items = "/api/v1/rooms/plan/sheets/Sheet1/items";
    let thread =
        until_here(|| second.post_json(items, r#"{"kind":"commentThread","anchors":["A1"]}"#)).json();
    for server in [&first, &second] {
        let fields = json!({ "parent": thread["item"], "text": "@ada", "mentions": ["ada"] });
        let body = json!({ "kind": "comment", "fields": fields }).to_string();
        let added = until_here(|| server.post_json(items, &body));
        assert_eq!(added.status, 201, "{added:?}");
    }
    drop(ann);
    stop(&mut second);
    stop(&mut first);
    let messages = mail.rest();
    assert_eq!(recipients(&messages), ["ada@example.org"]);
    assert_eq!(
        messages[0].1.split("text/html").next().map(|plain| plain.matches("mentioned you").count()),
        Some(2)
    );
}
