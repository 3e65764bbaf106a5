//! Who may do what: roles, owner keys, share links, and what happens to open sessions.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::CloseFrame;
use tungstenite::{Message, WebSocket};

use crate::access_roles::example;
use crate::form_files::send_file;
use crate::person::Person;
use crate::support::{Reply, Server, TIMEOUT};

/// A restricted workbook with a link for each role, and one of everything that its access can have.
pub struct Restricted {
    pub room: String,
    pub owner_key: String,
    pub edit: String,
    pub comment: String,
    pub view: String,
    /// Values for the parameters of paths.
    ids: Vec<(&'static str, String)>,
}

/// Sends JSON with a credential; an empty credential is none.
pub fn send(server: &Server, credential: &str, method: &str, path: &str, body: &str) -> Reply {
    let bearer = format!("Bearer {credential}");
    let mut headers = Vec::new();
    if !credential.is_empty() {
        headers.push(("authorization", bearer.as_str()));
    }
    if !body.is_empty() {
        headers.push(("content-type", "application/json"));
    }
    server.send(method, path, &headers, body.as_bytes())
}

fn text(json: &Json, name: &str) -> String {
    json[name].as_str().unwrap_or_else(|| panic!("no {name} in {json}")).to_owned()
}

impl Restricted {
    /// Creates the workbook.
    pub fn new(server: &Server, room: &str) -> Restricted {
        let made =
            send(server, "", "POST", "/api/v1/rooms", &json!({ "name": room, "claim": true }).to_string());
        assert_eq!(made.status, 201, "{made:?}");
        let owner_key = text(&made.json(), "ownerKey");
        let path = format!("/api/v1/rooms/{room}");
        let owner = |method: &str, rest: &str, body: &str| {
            let reply = send(server, &owner_key, method, &format!("{path}{rest}"), body);
            assert!(reply.status < 300, "{method} {rest}: {reply:?}");
            reply
        };
        let link = |role: &str| owner("POST", "/access/links", &json!({ "role": role }).to_string()).json();
        let (edit, comment, view) = (link("edit"), link("comment"), link("view"));
        let second = owner("POST", "/access/owner-keys", "").json();
        owner("POST", "/access/people", r#"{"person":"ada@example.org","role":"edit"}"#);
        owner("PUT", "/access", r#"{"general":"restricted"}"#);
        owner("POST", "/access/imports", r#"{"room":"plans"}"#);
        let page = owner("POST", "/published", "{}").json();
        owner("PUT", "/sheets/Sheet1/cells/A1", "1");
        let thread = r#"{"kind":"commentThread","anchors":["A1"],"fields":{"author":"Ada"}}"#;
        owner("PUT", "/sheets/Sheet1/items/4711", thread);
        let hook = r#"{"url":"https://hooks.example.org/","events":["range.changed"],"isPaused":true}"#;
        let hook = owner("POST", "/webhooks", hook).json();
        let image =
            server.send("POST", &format!("{path}/images"), &[bearer(&owner_key).as_header()], b"GIF89a");
        Restricted {
            room: room.to_owned(),
            edit: text(&edit, "link"),
            comment: text(&comment, "link"),
            view: text(&view, "link"),
            ids: vec![
                ("room", room.to_owned()),
                ("key", text(&second, "id")),
                ("link", text(&view, "id")),
                ("person", "ada@example.org".to_owned()),
                ("importer", "plans".to_owned()),
                ("page", text(&page, "id")),
                ("image", text(&image.json(), "image")),
                ("webhook", text(&hook, "id")),
            ],
            owner_key,
        }
    }

    /// The share link with the role `view`.
    pub fn view_link(&self) -> &str {
        &self.view
    }

    /// Asks for access, so that there is a request to answer.
    pub fn ask(&mut self, server: &Server) {
        let path = self.path("/access/requests");
        let asked = send(server, "", "POST", &path, r#"{"name":"Ada","email":"ada@example.org"}"#);
        assert_eq!(asked.status, 202, "{asked:?}");
        let access = send(server, &self.owner_key, "GET", &self.path("/access"), "").json();
        self.ids.push(("request", text(&access["requests"][0], "id")));
    }

    /// Makes a form, so that there is one to fill in or change.
    pub fn add_form(&mut self, server: &Server) {
        let form = r#"{"sheet":"Sheet1","range":"A1:A9","title":"Guests"}"#;
        let form = send(server, &self.owner_key, "POST", &self.path("/forms"), form).json();
        self.ids.push(("form", text(&form, "id")));
        // In the paths of forms, the link is that of the form.
        self.ids.retain(|(name, _)| *name != "link");
        self.ids.push(("link", text(&form, "url").trim_start_matches("/_form/").to_owned()));
    }

    /// Sends a file with a form, so that there is one to download.
    pub fn add_file(&mut self, server: &Server) {
        let file = send_file(server, &self.owner_key, &self.room);
        self.ids.push(("file", file));
    }

    /// Names the first version, so that there is a name to remove.
    pub fn name_version(&self, server: &Server) {
        let named = send(server, &self.owner_key, "PUT", &self.path("/versions/1"), r#"{"name":"x"}"#);
        assert_eq!(named.status, 200, "{named:?}");
    }

    /// Gives the view link a password.
    pub fn lock(&self, server: &Server, password: &str) {
        let path = self.path(&format!("/access/links/{}", self.id("link")));
        let body = json!({ "password": password }).to_string();
        let locked = send(server, &self.owner_key, "PUT", &path, &body);
        assert_eq!(locked.status, 204, "{locked:?}");
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/api/v1/rooms/{}{rest}", self.room)
    }

    /// The path with the values of this workbook for its parameters.
    pub fn filled(&self, path: &str) -> String {
        self.ids.iter().fold(path.to_owned(), |path, (name, id)| path.replace(&format!("{{{name}}}"), id))
    }

    /// The body of an example with the link of this workbook.
    pub fn filled_body(&self, body: &str) -> String {
        body.replace("ql_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB", &self.view)
    }

    pub fn id(&self, name: &str) -> &str {
        self.ids.iter().find(|(own, _)| *own == name).map(|(_, id)| id).expect("prepared above")
    }
}

pub struct Bearer(String);

impl Bearer {
    pub fn as_header(&self) -> (&str, &str) {
        ("authorization", &self.0)
    }
}

pub fn bearer(credential: &str) -> Bearer {
    Bearer(format!("Bearer {credential}"))
}

#[test]
fn a_missing_and_a_forbidden_workbook_get_the_same_answer() {
    let server = Server::start();
    let document = server.get("/api/v1/openapi.json").json();
    let workbook = Restricted::new(&server, "secret");
    let paths = document["paths"].as_object().expect("paths");
    let reads = paths.iter().filter(|(path, item)| path.contains("{room}") && item["get"].is_object());
    let ethercalc =
        ["/_/{room}", "/_/{room}/csv", "/_/{room}/cells", "/_/{room}/cells/A1", "/_exists/{room}"];
    // A wrong name tells nothing either.
    let wrong = ["/api/v1/rooms/{R}/images/1", "/api/v1/rooms/{R}/files/1"].map(str::to_owned);
    let paths =
        reads.map(|(path, _)| workbook.filled(&example(&document, "get", path).0.replace("{room}", "{R}")));
    let paths = paths.chain(ethercalc.map(|path| path.replace("{room}", "{R}")));
    for path in paths.chain(["/{R}.csv".to_owned(), "/{R}.xlsx".to_owned()]).chain(wrong) {
        let answer = |room: &str| {
            let reply = server.get(&path.replace("{R}", room));
            (reply.status, reply.header("content-type").to_owned(), reply.text().replace(room, "ROOM"))
        };
        assert_eq!(answer("secret"), answer("absent"), "{path}");
    }
    // A change would create the missing one, so it is compared with an unknown item.
    for (method, path) in
        [("DELETE", ""), ("PUT", "/sheets/Sheet1/cells/A1"), ("POST", "/sheets/Sheet1/rows")]
    {
        let answer = |room: &str| {
            let body = if method == "POST" { r#"{"rows":[[1]]}"# } else { "1" };
            let body = if method == "DELETE" { "" } else { body };
            let reply = send(&server, "", method, &format!("/api/v1/rooms/{room}{path}"), body);
            (reply.status, reply.text().replace(room, "ROOM"))
        };
        assert_eq!(answer("secret"), answer("absent"), "{method} {path}");
    }
    let asked = |room: &str| {
        let path = format!("/api/v1/rooms/{room}/access/requests");
        let reply = send(&server, "", "POST", &path, r#"{"name":"Eve"}"#);
        (reply.status, reply.text())
    };
    assert_eq!(asked("secret"), asked("absent"));
}

#[test]
fn unclaimed_workbooks_are_as_open_as_the_default_role() {
    let server = Server::start();
    server.make_room("open", "1\n");
    let access = server.get("/api/v1/rooms/open/access").json();
    assert_eq!((&access["role"], &access["isClaimed"]), (&json!("edit"), &json!(false)));
    // By default only a new workbook can be claimed.
    assert_eq!(send(&server, "", "POST", "/api/v1/rooms/open/access/claim", "").code(), "conflict");
    let claimed = send(&server, "", "POST", "/api/v1/rooms/fresh/access/claim", "");
    assert_eq!(claimed.status, 201, "{claimed:?}");
    assert_eq!(send(&server, "", "POST", "/api/v1/rooms/fresh/access/claim", "").code(), "conflict");
    // It stays open until its owner restricts it.
    server.make_room("fresh", "2\n");
    assert_eq!(server.csv("fresh"), "2\n");
    let key = text(&claimed.json(), "ownerKey");
    let restricted = send(&server, &key, "PUT", "/api/v1/rooms/fresh/access", r#"{"general":"restricted"}"#);
    assert_eq!(restricted.status, 204, "{restricted:?}");
    assert_eq!(server.get("/api/v1/rooms/fresh").status, 404);
    // A deleted workbook leaves nothing of its access behind.
    assert_eq!(send(&server, &key, "DELETE", "/api/v1/rooms/fresh", "").status, 204);
    server.make_room("fresh", "3\n");
    assert_eq!(server.csv("fresh"), "3\n");
}

#[test]
fn access_survives_a_crash_and_nobody_claims_with_the_setting_nobody() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    let workbook = Restricted::new(&server, "plan");
    server.kill();
    let server = Server::start_on(data.path(), &["--claim", "nobody"]);
    assert_eq!(server.get(&workbook.path("")).status, 404);
    assert_eq!(send(&server, &workbook.view, "GET", &workbook.path(""), "").status, 200);
    assert_eq!(send(&server, "", "POST", "/api/v1/rooms", r#"{"claim":true}"#).code(), "forbidden");
    assert_eq!(send(&server, "", "POST", "/api/v1/rooms/new/access/claim", "").code(), "forbidden");
}

#[test]
fn the_last_owner_key_stays_and_a_revoked_one_proves_nothing() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    let access = send(&server, &workbook.owner_key, "GET", &workbook.path("/access"), "").json();
    let ids: Vec<String> =
        access["ownerKeys"].as_array().expect("keys").iter().map(|key| text(key, "id")).collect();
    let delete = |id: &str| {
        let path = workbook.path(&format!("/access/owner-keys/{id}"));
        send(&server, &workbook.owner_key, "DELETE", &path, "").status
    };
    assert_eq!(ids.len(), 2);
    assert_eq!([delete(&ids[1]), delete(&ids[1]), delete(&ids[0])], [204, 404, 409]);
    // Forged credentials: the right identifier with other random bits, and other texts.
    let forged = format!("{}AAAA", &workbook.owner_key[..workbook.owner_key.len() - 4]);
    assert_eq!(send(&server, &forged, "GET", &workbook.path(""), "").status, 404);
    let malformed = send(&server, "nonsense", "GET", &workbook.path(""), "");
    assert_eq!((malformed.status, malformed.code().as_str()), (401, "bad_credentials"));
    assert_eq!(malformed.header("www-authenticate"), "Bearer");
}

#[test]
fn owners_see_how_often_a_link_was_used_and_when() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    for name in ["Ann", "Bob"] {
        drop(Person::join_with(&server, "plan", name, &format!("bearer.{}", workbook.view)));
    }
    let access = send(&server, &workbook.owner_key, "GET", &workbook.path("/access"), "").json();
    let link = |role: &str| {
        let links = access["links"].as_array().expect("links");
        links.iter().find(|link| link["role"] == role).expect("a link with the role").clone()
    };
    assert_eq!((&link("view")["uses"], &link("edit")["uses"]), (&json!(2), &json!(0)));
    let used_ms = link("view")["lastUsedMs"].as_i64().expect("a time");
    assert!(used_ms >= link("view")["createdMs"].as_i64().expect("a time"), "{access}");
}

#[test]
fn a_copy_needs_a_role_in_its_source() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    let copy = |credential: &str, body: Json| {
        send(&server, credential, "POST", "/api/v1/rooms", &body.to_string()).status
    };
    assert_eq!(copy("", json!({ "copyOf": "plan" })), 404);
    assert_eq!(copy(&workbook.view, json!({ "copyOf": "plan" })), 201);
    assert_eq!(copy(&workbook.view, json!({ "copyOf": "plan", "revision": 1 })), 403);
    assert_eq!(copy(&workbook.edit, json!({ "copyOf": "plan", "revision": 1 })), 201);
}

#[test]
fn a_link_with_a_password_opens_after_it_was_given() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    workbook.lock(&server, "correct horse");
    let read = |credential: &str| send(&server, credential, "GET", &workbook.path(""), "").status;
    let unlock = |password: &str| {
        let body = json!({ "link": workbook.view, "password": password }).to_string();
        send(&server, "", "POST", &workbook.path("/access/unlock"), &body)
    };
    assert_eq!(read(&workbook.view), 404);
    assert_eq!((unlock("wrong").status, unlock("wrong").code().as_str()), (403, "forbidden"));
    let unlocked = format!("{}.{}", workbook.view, text(&unlock("correct horse").json(), "unlock"));
    assert_eq!(read(&unlocked), 200);
    // Also for routes whose path does not name the workbook, and there for no other one.
    Restricted::new(&server, "secret");
    let routes = |credential: &str, room: &str| {
        let copy = json!({ "copyOf": room }).to_string();
        let copied = send(&server, credential, "POST", "/api/v1/rooms", &copy).status;
        [copied, send(&server, credential, "GET", &format!("/{room}.csv"), "").status]
    };
    assert_eq!(routes(&workbook.view, "plan"), [404, 404]);
    assert_eq!(routes(&unlocked, "plan"), [201, 200]);
    assert_eq!(routes(&unlocked, "secret"), [404, 404]);
    let audit = send(&server, &workbook.owner_key, "GET", &workbook.path("/access/audit"), "").json();
    let events: Vec<&str> = audit["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .filter_map(|entry| entry["event"].as_str())
        .collect();
    assert_eq!(events.iter().filter(|event| **event == "link_password_failed").count(), 2, "{events:?}");
    // A new password makes the proof useless.
    workbook.lock(&server, "another horse");
    assert_eq!(read(&unlocked), 404);
}

#[test]
fn an_answered_request_gives_the_role() {
    let server = Server::start();
    let mut workbook = Restricted::new(&server, "plan");
    workbook.ask(&server);
    let owner =
        |method: &str, path: &str| send(&server, &workbook.owner_key, method, &workbook.path(path), "");
    let answered = owner("DELETE", &format!("/access/requests/{}?role=comment", workbook.id("request")));
    // A role is answered with what has come of the invitation.
    assert_eq!(answered.status, 200, "{answered:?}");
    assert_eq!(answered.json()["invitation"]["sent"], false);
    let access = owner("GET", "/access").json();
    assert_eq!(access["requests"], json!([]));
    assert_eq!(access["people"][0]["role"], "comment");
}

#[test]
fn the_trash_is_open_to_owners_only() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    let status = |credential: &str| send(&server, credential, "GET", &workbook.path(""), "").status;
    assert_eq!(send(&server, &workbook.owner_key, "POST", &workbook.path("/access/trash"), "").status, 204);
    assert_eq!([status(&workbook.edit), status(&workbook.owner_key)], [404, 200]);
    assert_eq!(send(&server, &workbook.owner_key, "DELETE", &workbook.path("/access/trash"), "").status, 204);
    assert_eq!(status(&workbook.edit), 200);
}

/// Opens a WebSocket as a browser does, with the credential as a sub-protocol.
pub fn socket(server: &Server, room: &str, query: &str, credential: &str) -> WebSocket<TcpStream> {
    socket_at(server, &format!("/api/v1/rooms/{room}/socket{query}"), credential)
}

/// Opens a WebSocket at a path of the server.
pub fn socket_at(server: &Server, path: &str, credential: &str) -> WebSocket<TcpStream> {
    let url = format!("ws://{}{path}", server.address);
    let mut request = url.into_client_request().expect("a URL");
    let offered = match credential {
        "" => "quadrille".to_owned(),
        _ => format!("quadrille, bearer.{credential}"),
    };
    request.headers_mut().insert("sec-websocket-protocol", offered.parse().expect("a header value"));
    let (socket, response) = tungstenite::client(request, server.connect()).expect("the server upgrades");
    assert_eq!(response.headers()["sec-websocket-protocol"], "quadrille");
    socket
}

/// Sends `Hello` and returns the role in the server's `Welcome`.
pub fn join(socket: &mut WebSocket<TcpStream>) -> quadrille_protocol::Role {
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
    socket.send(Message::Binary(ClientFrame::Hello(hello).encode().into())).expect("the server reads");
    loop {
        let message = socket.read().expect("a message");
        if let Message::Binary(bytes) = &message
            && let Ok(ServerFrame::Welcome(welcome)) = ServerFrame::decode(bytes)
        {
            return welcome.role;
        }
        assert!(!matches!(message, Message::Close(_)), "{message:?}");
    }
}

/// Reads until the server closes, and returns the close code and the time it took.
pub fn close_code(socket: &mut WebSocket<TcpStream>) -> (u16, Duration) {
    let began = Instant::now();
    while began.elapsed() < TIMEOUT {
        if let Message::Close(Some(CloseFrame { code, .. })) = socket.read().expect("a message") {
            return (code.into(), began.elapsed());
        }
    }
    panic!("the server does not close");
}

#[test]
fn a_session_has_the_role_of_its_credential() {
    use quadrille_protocol::Role;
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    for (credential, query, role) in [
        (&workbook.owner_key, "", Role::Owner),
        (&workbook.edit, "", Role::Edit),
        (&workbook.comment, "", Role::Comment),
        (&workbook.view, "", Role::View),
        (&workbook.edit, "?view", Role::View),
    ] {
        assert_eq!(join(&mut socket(&server, "plan", query, credential)), role);
    }
    for credential in ["", "ql_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB", "nonsense"] {
        assert_eq!(close_code(&mut socket(&server, "plan", "", credential)).0, 4403, "{credential}");
    }
    let access = send(&server, &workbook.owner_key, "GET", &workbook.path("/access"), "");
    assert_eq!(access.status, 200);
}

#[test]
fn a_changed_access_reaches_open_sessions_within_a_second() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    let change = |method: &str, path: &str, body: &str| {
        let reply = send(&server, &workbook.owner_key, method, &workbook.path(path), body);
        assert_eq!(reply.status, 204, "{reply:?}");
    };
    let link = format!("/access/links/{}", workbook.id("link"));
    let mut changed = socket(&server, "plan", "", &workbook.view);
    let mut other = socket(&server, "plan", "", &workbook.edit);
    join(&mut changed);
    join(&mut other);
    change("PUT", &link, r#"{"role":"comment"}"#);
    let (code, took) = close_code(&mut changed);
    assert_eq!(code, 4412);
    assert!(took < Duration::from_secs(1), "{took:?}");
    let mut revoked = socket(&server, "plan", "", &workbook.view);
    assert_eq!(join(&mut revoked), quadrille_protocol::Role::Comment);
    change("DELETE", &link, "");
    let (code, took) = close_code(&mut revoked);
    assert_eq!(code, 4403);
    assert!(took < Duration::from_secs(1), "{took:?}");
    // The others stay.
    let sessions = send(&server, &workbook.edit, "GET", &workbook.path(""), "").json()["sessions"].clone();
    assert_eq!(sessions, 1);
    change("POST", "/access/trash", "");
    assert_eq!(close_code(&mut other).0, 4403);
}

#[test]
fn a_session_is_closed_when_its_link_expires() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    let mut earlier = socket(&server, "plan", "", &workbook.view);
    join(&mut earlier);
    let now_ms = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let expires_ms = now_ms.as_millis() as u64 + 1_500;
    let link = workbook.path(&format!("/access/links/{}", workbook.id("link")));
    let body = json!({ "expiresMs": expires_ms }).to_string();
    assert_eq!(send(&server, &workbook.owner_key, "PUT", &link, &body).status, 204);
    let mut session = socket(&server, "plan", "", &workbook.view);
    join(&mut session);
    let (code, took) = close_code(&mut session);
    assert_eq!(code, 4412);
    assert!(took < Duration::from_millis(2_500), "{took:?}");
    // The session that was open before the link had an expiry ends, too.
    let (code, took) = close_code(&mut earlier);
    assert_eq!(code, 4412);
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(send(&server, &workbook.view, "GET", &workbook.path(""), "").status, 404);
    assert_eq!(close_code(&mut socket(&server, "plan", "", &workbook.view)).0, 4403);
}

#[test]
fn secrets_are_not_logged() {
    let (data, log) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let path = log.path().join("log");
    let file = std::fs::File::create(&path).expect("writable");
    let mut server = Server::start_logging_to(file.into(), data.path(), &["--log", "trace"]);
    let workbook = Restricted::new(&server, "plan");
    workbook.lock(&server, "correct horse");
    let body = json!({ "link": workbook.view, "password": "correct horse" }).to_string();
    let unlocked = send(&server, "", "POST", &workbook.path("/access/unlock"), &body).json();
    join(&mut socket(&server, "plan", "", &workbook.edit));
    send(&server, "nonsense.of.token", "GET", &workbook.path(""), "");
    server.signal("TERM");
    server.wait();
    let log = std::fs::read_to_string(&path).expect("readable");
    assert!(log.contains("/api/v1/rooms/plan"), "requests are logged at this level");
    let secret = |text: &str| text[14..].to_owned();
    for text in [
        secret(&workbook.owner_key),
        secret(&workbook.edit),
        secret(&workbook.view),
        text(&unlocked, "unlock"),
        "correct horse".to_owned(),
        "nonsense.of.token".to_owned(),
    ] {
        assert!(!log.contains(&text), "the log contains {text}");
        assert!(!search(data.path(), &text), "the data directory contains {text}");
    }
}

/// Whether a file of the directory contains the text.
fn search(directory: &std::path::Path, text: &str) -> bool {
    std::fs::read_dir(directory).expect("readable").any(|entry| {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => search(&path, text),
            false => {
                let bytes = std::fs::read(&path).expect("readable");
                bytes.windows(text.len()).any(|window| window == text.as_bytes())
            }
        }
    })
}

#[test]
fn the_server_answers_only_to_its_own_host_names() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &["--public-url", "https://sheets.example.org"]);
    for (method, host, origin, status) in [
        // DNS rebinding: the origin is the host.
        ("PUT", "evil.example", "http://evil.example", 421),
        ("GET", "evil.example", "", 421),
        ("PUT", "sheets.example.org", "https://sheets.example.org", 201),
        ("GET", "localhost:8000", "", 200),
    ] {
        let origin = if origin.is_empty() { String::new() } else { format!("origin: {origin}\r\n") };
        let body =
            if method == "PUT" { "content-type: text/csv\r\ncontent-length: 1\r\n\r\n1" } else { "\r\n" };
        let request =
            format!("{method} /_/x HTTP/1.1\r\nhost: {host}\r\n{origin}connection: close\r\n{body}");
        let answer = server.raw(request.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {answer}");
    }
}
