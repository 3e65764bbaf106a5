//! Invitations by mail and requests for access, against a mail server from npm.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use quadrille_protocol::{AccessFrame, ClientFrame, Hello, PROTOCOL_VERSION};
use serde_json::{Value as Json, json};
use tungstenite::Message;
use tungstenite::client::IntoClientRequest;

use crate::access::send;
use crate::prepared_accounts::prepare_accounts;
use crate::support::{Server, TIMEOUT, binary};

const PUBLIC_URL: &str = "https://sheets.example.org";

/// `smtp-server.mjs`, ended with the test.
pub struct MailServer {
    process: Child,
    lines: Receiver<String>,
    port: String,
}

impl MailServer {
    pub fn start() -> MailServer {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut process = Command::new("node")
            .arg(tests.join("tests/server/smtp-server.mjs"))
            .arg(tests.join("../../web"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node.js is installed");
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        // Ends with the process.
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let mut server = MailServer { process, lines, port: String::new() };
        server.port = server.line();
        server
    }

    fn line(&mut self) -> String {
        let line = self.lines.recv_timeout(TIMEOUT);
        line.expect("a line of the mail server; run `npm ci` in web first").trim().to_owned()
    }

    /// The next message: its envelope, and its text without the encodings of lines.
    pub fn message(&mut self) -> (Json, String) {
        let envelope: Json = serde_json::from_str(&self.line()).expect("JSON");
        let message = envelope["message"].as_str().expect("a message").to_owned();
        (envelope, message.replace("=\r\n", "").replace("=3D", "="))
    }

    /// All further messages, by their recipient, after the servers have stopped.
    pub fn rest(mut self) -> Vec<(String, String)> {
        // It has written a line for each message before it has accepted it.
        self.process.kill().expect("running");
        let mut messages: Vec<(String, String)> = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(TIMEOUT) {
            let envelope: Json = serde_json::from_str(&line).expect("JSON");
            let message = envelope["message"].as_str().expect("a message");
            let to = envelope["to"][0].as_str().expect("a recipient");
            messages.push((to.to_owned(), message.replace("=\r\n", "").replace("=3D", "=")));
        }
        messages.sort();
        messages
    }

    /// Starts a server that sends by this one.
    pub fn sheets(&self, data: &Path, more: &[&str]) -> Server {
        let url = format!("smtp://127.0.0.1:{}", self.port);
        let mail = ["--smtp-url", &url, "--mail-from", "Sheets <sheets@example.org>"];
        Server::start_on(data, &[&mail[..], &["--public-url", PUBLIC_URL], more].concat())
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn data() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// Creates a restricted workbook and returns its owner key.
fn restricted(server: &Server, room: &str, title: &str) -> String {
    let body = json!({ "name": room, "title": title, "claim": true }).to_string();
    let made = send(server, "", "POST", "/api/v1/rooms", &body);
    assert_eq!(made.status, 201, "{made:?}");
    let key = made.json()["ownerKey"].as_str().expect("claimed").to_owned();
    let path = format!("/api/v1/rooms/{room}/access");
    assert_eq!(send(server, &key, "PUT", &path, r#"{"general":"restricted"}"#).status, 204);
    key
}

fn invite(server: &Server, key: &str, room: &str, email: &str) -> Json {
    let path = format!("/api/v1/rooms/{room}/access/people");
    let added = send(server, key, "POST", &path, &json!({ "email": email, "role": "comment" }).to_string());
    assert_eq!(added.status, 201, "{added:?}");
    added.json()["invitation"].clone()
}

/// The secret of an invitation's link.
fn secret(invitation: &Json) -> String {
    let url = invitation["url"].as_str().expect("a link");
    url.split("#link=").nth(1).unwrap_or_else(|| panic!("no secret in {url}")).to_owned()
}

#[test]
fn an_invitation_is_mailed_with_a_link_that_opens_the_workbook() {
    let (mut mail, data) = (MailServer::start(), data());
    let server = mail.sheets(data.path(), &[]);
    let key = restricted(&server, "plan", "Budget 2026");
    let invitation = invite(&server, &key, "plan", "Grace@Example.org");
    assert_eq!(invitation["sent"], true, "{invitation}");
    let (envelope, message) = mail.message();
    assert_eq!(
        (&envelope["from"], &envelope["to"]),
        (&json!("sheets@example.org"), &json!(["grace@example.org"]))
    );
    let url = invitation["url"].as_str().expect("a link");
    assert!(url.starts_with("https://sheets.example.org/plan#link=ql_"), "{url}");
    for part in ["Subject: Workbook shared with you: \"Budget 2026\"", "comment on the workbook", url] {
        assert!(message.contains(part), "{part} in {message}");
    }
    // The link has the role of the person, follows it, and ends with it.
    let role = |link: &str| {
        let read = send(&server, link, "GET", "/api/v1/rooms/plan/access", "");
        if read.status == 200 {
            read.json()["role"].as_str().expect("a role").to_owned()
        } else {
            "none".into()
        }
    };
    let link = secret(&invitation);
    assert_eq!(role(&link), "comment");
    let person = "/api/v1/rooms/plan/access/people/grace@example.org";
    assert_eq!(send(&server, &key, "PUT", person, r#"{"role":"edit"}"#).status, 204);
    assert_eq!(role(&link), "edit");
    assert_eq!(send(&server, &key, "DELETE", person, "").status, 204);
    assert_eq!(role(&link), "none");
}

#[test]
fn a_deferred_message_is_sent_again_and_a_refused_one_given_up() {
    let (mut mail, data) = (MailServer::start(), data());
    let server = mail.sheets(data.path(), &[]);
    let key = restricted(&server, "plan", "Budget");
    for email in ["never@example.org", "later@example.org"] {
        assert_eq!(invite(&server, &key, "plan", email)["sent"], true);
    }
    assert_eq!(mail.message().0["to"], json!(["later@example.org"]));
}

#[test]
fn the_name_of_an_account_adds_no_header_and_no_recipient() {
    let (mut mail, data) = (MailServer::start(), data());
    let people =
        prepare_accounts(data.path(), [("Ada\r\nBcc: victim@example.org\r\n\r\n<b>", "ada@example.org")]);
    let server = mail.sheets(data.path(), &["--access", "accounts"]);
    let body = json!({ "name": "plan", "title": "<b>Budget</b> & more" }).to_string();
    assert_eq!(send(&server, &people[0].token, "POST", "/api/v1/rooms", &body).status, 201);
    let invitation = invite(&server, &people[0].token, "plan", "grace@example.org");
    // Grace signs in and proves her address: the link needs no secret.
    assert_eq!(invitation, json!({ "sent": true, "url": "https://sheets.example.org/plan" }));
    let (envelope, message) = mail.message();
    assert_eq!(envelope["to"], json!(["grace@example.org"]));
    let head = message.split("\r\n\r\n").next().expect("a head").to_lowercase();
    assert!(!head.contains("\nbcc:"), "{head}");
    assert!(message.contains("&lt;b&gt;Budget&lt;/b&gt; &amp; more"), "{message}");
}

#[test]
fn without_a_mail_server_the_link_is_in_the_answer() {
    let server = Server::start();
    let key = restricted(&server, "plan", "Budget");
    let invitation = invite(&server, &key, "plan", "grace@example.org");
    assert_eq!(invitation["sent"], false);
    assert!(invitation["url"].as_str().is_some_and(|url| url.starts_with("/plan#link=ql_")), "{invitation}");
    let read = send(&server, &secret(&invitation), "GET", "/api/v1/rooms/plan/access", "");
    assert_eq!(read.json()["role"], "comment");
    for body in [
        r#"{"role":"edit"}"#,
        r#"{"email":"x","role":"edit"}"#,
        r#"{"account":"x","role":"edit"}"#,
        r#"{"email":"a@example.org\r\nBcc: b@example.org","role":"edit"}"#,
        r#"{"email":"a@example.org","person":"b@example.org","role":"edit"}"#,
    ] {
        let path = "/api/v1/rooms/plan/access/people";
        assert_eq!(send(&server, &key, "POST", path, body).status, 400, "{body}");
    }
}

#[test]
fn nobody_gets_more_than_a_few_messages_a_day() {
    let (mail, data) = (MailServer::start(), data());
    let server = mail.sheets(data.path(), &[]);
    let key = restricted(&server, "plan", "Budget");
    let sent: Vec<Json> = (0..12)
        .map(|_| {
            let invitation = invite(&server, &key, "plan", "grace@example.org");
            let person = "/api/v1/rooms/plan/access/people/grace@example.org";
            assert_eq!(send(&server, &key, "DELETE", person, "").status, 204);
            invitation["sent"].clone()
        })
        .collect();
    assert_eq!(sent, [vec![json!(true); 10], vec![json!(false); 2]].concat());
}

#[test]
fn owners_are_told_that_somebody_asks_for_access() {
    let (mut mail, data) = (MailServer::start(), data());
    let people = prepare_accounts(data.path(), [("Ada", "ada@example.org")]);
    let server = mail.sheets(data.path(), &["--access", "accounts", "--mail-language", "de"]);
    let body = json!({ "name": "plan", "title": "Budget" }).to_string();
    assert_eq!(send(&server, &people[0].token, "POST", "/api/v1/rooms", &body).status, 201);
    // The owner has the workbook open.
    let mut request =
        format!("ws://{}/api/v1/rooms/plan/socket", server.address).into_client_request().expect("a URL");
    let offered = format!("quadrille, bearer.{}", people[0].token).parse().expect("a header value");
    request.headers_mut().insert("sec-websocket-protocol", offered);
    let (mut socket, _) = tungstenite::client(request, server.connect()).expect("the server upgrades");
    socket.get_ref().set_read_timeout(Some(TIMEOUT)).expect("a socket");
    let hello = Hello {
        version: PROTOCOL_VERSION,
        replica: None,
        last: None,
        unconfirmed: 0,
        name: "".into(),
        color: None,
        secret: None,
    };
    for frame in [ClientFrame::Hello(hello), ClientFrame::Identify] {
        socket.send(Message::binary(frame.encode())).expect("open");
    }
    let mut next = || loop {
        if let Message::Binary(bytes) = socket.read().expect("open")
            && let Ok(frame) = AccessFrame::decode(&bytes)
        {
            return frame;
        }
    };
    let (account, email) = (people[0].id.as_str().into(), "ada@example.org".into());
    assert_eq!(next(), AccessFrame::Identified { account, email });
    let ask = r#"{"name":"Bob","email":"bob@example.org","message":"please"}"#;
    assert_eq!(server.post_json("/api/v1/rooms/plan/access/requests", ask).status, 202);
    assert_eq!(next(), AccessFrame::AccessRequested);
    let (envelope, message) = mail.message();
    assert_eq!(envelope["to"], json!(["ada@example.org"]));
    assert!(message.contains("Bob bittet um Zugriff"), "{message}");
}

#[test]
fn incomplete_settings_are_refused() {
    for (arguments, part) in [
        (&["--smtp-url", "smtps://mail.example.org", "--mail-from", "a@example.org"][..], "public_url"),
        (&["--smtp-url", "smtps://mail.example.org", "--public-url", PUBLIC_URL], "mail_from"),
        (
            &[
                "--smtp-url",
                "smtp://mail.example.org",
                "--public-url",
                PUBLIC_URL,
                "--mail-from",
                "a@example.org",
            ],
            "must be encrypted",
        ),
    ] {
        let data = data();
        let mut serve = binary();
        serve.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data.path()).args(arguments);
        let output = serve.output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(part), "{error}");
    }
}
