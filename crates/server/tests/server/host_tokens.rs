//! Signed tokens of host applications: what they allow, and how each wrong one is refused.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use quadrille_access::{AccessStore, AuditEvent, AuditFilter};
use quadrille_protocol::Role;
use quadrille_storage_sqlite::SqliteAccessStore;
use serde_json::{Value as Json, json};

use crate::access::{Restricted, close_code, join, send, socket};
use crate::mcp;
use crate::person::Person;
use crate::support::{Reply, Server, binary};

const SECRET: &str = "a secret of thirty-two bytes ...";
const ED25519: [&str; 2] =
    [include_str!("keys/ed25519-private.pem"), include_str!("keys/ed25519-public.pem")];
const P256: [&str; 2] = [include_str!("keys/p256-private.pem"), include_str!("keys/p256-public.pem")];
const RSA: [&str; 2] = [include_str!("keys/rsa-private.pem"), include_str!("keys/rsa-public.pem")];

/// A server that trusts the issuers of a configuration file.
struct Trusting {
    server: Server,
    data: tempfile::TempDir,
}

impl Trusting {
    fn start(issuers: &str) -> Trusting {
        Trusting::start_with(issuers, &[])
    }

    fn start_with(issuers: &str, more: &[&str]) -> Trusting {
        let data = tempfile::tempdir().expect("a temporary directory");
        for (name, pem) in [("ed25519", ED25519[1]), ("p256", P256[1]), ("rsa", RSA[1])] {
            std::fs::write(data.path().join(format!("{name}.pem")), pem).expect("writable");
        }
        let config = data.path().join("quadrille.toml");
        let folder = data.path().to_str().expect("UTF-8");
        std::fs::write(&config, issuers.replace("FOLDER", folder)).expect("writable");
        let config = config.to_str().expect("UTF-8");
        let server = Server::start_on(&data.path().join("data"), &[&["--config", config], more].concat());
        Trusting { server, data }
    }

    /// With one issuer, which shares a secret.
    fn wiki() -> Trusting {
        Trusting::start(&format!("[[token_issuers]]\nissuer = \"wiki\"\nsecret = \"{SECRET}\"\n"))
    }

    fn read(&self, token: &str) -> Reply {
        send(&self.server, token, "GET", "/api/v1/rooms/plan", "")
    }

    /// Stops the server and returns what the audit log says about refused credentials.
    fn refusals(mut self) -> Vec<String> {
        self.server.kill();
        refusals(&self.data.path().join("data"))
    }
}

/// The reasons of refused credentials in the audit log of a data directory without a server.
pub fn refusals(data: &Path) -> Vec<String> {
    let mut store = SqliteAccessStore::open(data).expect("a store");
    let filter = AuditFilter { event: Some(AuditEvent::TokenRefused), ..AuditFilter::default() };
    let entries = store.audit(&filter, 1_000).expect("readable");
    entries.into_iter().map(|entry| entry.target).collect()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}

/// The claims of a valid token for the workbook `plan`, with others; `null` removes one.
fn claims(more: Json) -> Json {
    let mut claims = json!({
        "iss": "wiki", "aud": "quadrille", "exp": now() + 300, "room": "plan", "role": "edit",
        "sub": "7", "name": "Ada",
    });
    let object = claims.as_object_mut().expect("an object");
    object.extend(more.as_object().expect("an object").clone());
    object.retain(|_, value| !value.is_null());
    claims
}

fn signed(header: &Header, claims: &Json, key: &EncodingKey) -> String {
    encode(header, claims, key).expect("signs")
}

/// A token that is signed with the shared secret.
fn token(more: Json) -> String {
    signed(&Header::new(Algorithm::HS256), &claims(more), &EncodingKey::from_secret(SECRET.as_bytes()))
}

fn part(json: &Json) -> String {
    URL_SAFE_NO_PAD.encode(json.to_string())
}

#[test]
fn pictures_come_from_named_origins_only() {
    use quadrille_protocol::{AccessFrame, ClientFrame};
    use tungstenite::Message;
    let host = Trusting::start(&format!(
        "[[token_issuers]]\nissuer = \"wiki\"\nsecret = \"{SECRET}\"\n\
         picture_origins = [\"https://wiki.example.org\"]\n"
    ));
    let policy = host.server.get("/").header("content-security-policy").to_owned();
    assert!(policy.contains("img-src 'self' data: blob: https://wiki.example.org; "), "{policy}");
    let picture = |claim: &str| {
        let mut socket = socket(&host.server, "plan", "", &token(json!({ "picture": claim })));
        join(&mut socket);
        let ask = ClientFrame::AskPicture(None);
        socket.send(Message::Binary(ask.encode().into())).expect("the server reads");
        loop {
            if let Message::Binary(bytes) = socket.read().expect("a message")
                && let Ok(AccessFrame::Picture { of: None, url }) = AccessFrame::decode(&bytes)
            {
                return url.to_string();
            }
        }
    };
    let named = "https://wiki.example.org/people/7.png";
    let pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
    assert_eq!([picture(named), picture(pixel)], [named, pixel]);
    assert_eq!(picture("https://elsewhere.example/7.png"), "");
}

#[test]
fn a_token_opens_its_workbook_with_its_role_and_name() {
    let host = Trusting::wiki();
    let workbook = Restricted::new(&host.server, "plan");
    assert_eq!(host.read("").status, 404);
    let write = |token: &str| {
        send(&host.server, token, "PUT", "/api/v1/rooms/plan/sheets/Sheet1/cells/A1", "1").status
    };
    for (role, read, written) in [("view", 200, 403), ("comment", 200, 403), ("edit", 200, 200)] {
        let token = token(json!({ "role": role }));
        assert_eq!((host.read(&token).status, write(&token)), (read, written), "{role}");
    }
    assert_eq!(
        send(&host.server, &token(json!({})), "GET", "/api/v1/rooms/plan/access/audit", "").status,
        403
    );
    // The name cannot be chosen by whoever presents the token.
    let restore = "/api/v1/rooms/plan/history/1/restore?name=Grace";
    assert_eq!(send(&host.server, &token(json!({})), "POST", restore, "").status, 200);
    let history = send(&host.server, &workbook.owner_key, "GET", "/api/v1/rooms/plan/history", "").json();
    let authors: Vec<&Json> = history["revisions"]
        .as_array()
        .expect("revisions")
        .iter()
        .map(|revision| &revision["author"])
        .collect();
    assert_eq!([&authors[0]["name"], &authors[1]["name"]], ["Ada", "Ada"], "{history}");
    let id = authors[0]["id"].as_str().expect("a text");
    assert!(id.starts_with("host:"), "{id}");
    for (role, expected) in [("view", Role::View), ("comment", Role::Comment), ("edit", Role::Edit)] {
        let mut session = socket(&host.server, "plan", "", &token(json!({ "role": role })));
        assert_eq!(join(&mut session), expected);
    }
}

#[test]
fn others_see_the_name_of_the_token_whatever_the_client_says() {
    let host = Trusting::wiki();
    host.server.make_room("plan", "1\n");
    let mut grace = Person::join(&host.server, "plan", "Grace");
    // `join` says hello as Ada; the token says Mary.
    let mut session = socket(&host.server, "plan", "", &token(json!({ "name": "Mary" })));
    join(&mut session);
    grace.wait_until("Mary is there", |grace| {
        let mut names: Vec<String> =
            grace.replica.people().listed().map(|person| person.name.to_string()).collect();
        names.sort();
        names.contains(&"Mary".to_owned()) && !names.contains(&"Ada".to_owned())
    });
}

#[test]
fn a_token_decides_alone() {
    let host = Trusting::wiki();
    // Everybody may edit, but whom the host lets view views.
    host.server.make_room("plan", "1\n");
    let cells = "/api/v1/rooms/plan/sheets/Sheet1/cells/A1";
    assert_eq!(send(&host.server, "", "PUT", cells, "1").status, 200);
    assert_eq!(send(&host.server, &token(json!({ "role": "view" })), "PUT", cells, "1").code(), "forbidden");
    // A host may have its users create the workbooks that it names.
    let new = token(json!({ "room": null, "room_prefix": "team-" }));
    let bearer = format!("Bearer {new}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "text/csv")];
    assert_eq!(host.server.send("PUT", "/api/v1/rooms/team-1", &headers, b"1").status, 201);
    // Without owning them: that would outlast the token.
    let claim = send(&host.server, &new, "POST", "/api/v1/rooms", r#"{"name":"team-2","claim":true}"#);
    assert_eq!(claim.code(), "forbidden", "{claim:?}");
    assert_eq!(send(&host.server, "", "GET", "/api/v1/rooms/team-2", "").status, 404, "it is not created");
}

#[test]
fn people_of_a_host_do_not_act_by_the_agents_of_others() {
    let host = Trusting::wiki();
    Restricted::new(&host.server, "plan");
    let editor = token(json!({ "role": "edit" }));
    let write = json!({ "room": "plan", "at": "C1", "rows": [["by an editor"]] });
    mcp::call(&host.server, &editor, "write_range", write);

    // The same host and the same name of the agent, but somebody else with another role.
    let commenter = token(json!({ "role": "comment", "sub": "8", "name": "Bob" }));
    let clear = json!({ "type": "clear", "sheet": "Sheet1", "range": "C1", "what": "contents" });
    let edit = json!({ "room": "plan", "commands": [clear] });
    let refused = mcp::error(&host.server, &commenter, "edit", edit);
    assert!(refused.starts_with("forbidden:"), "{refused}");
    // And somebody else with the same role has nothing to undo.
    let other = token(json!({ "role": "edit", "sub": "9", "name": "Cy" }));
    assert_eq!(
        mcp::error(&host.server, &other, "undo", json!({ "room": "plan" })),
        "bad_command: nothing to undo"
    );
    let cell = send(&host.server, &editor, "GET", "/api/v1/rooms/plan/sheets/Sheet1/cells/C1", "");
    assert_eq!(cell.json()["cell"]["value"], "by an editor");
}

#[test]
fn a_session_ends_at_the_expiry_of_its_token() {
    let host = Trusting::wiki();
    // Also where everybody may edit.
    host.server.make_room("plan", "1\n");
    let expires =
        SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970") + Duration::from_millis(1_500);
    let short = token(json!({ "exp": expires.as_secs_f64() }));
    let mut session = socket(&host.server, "plan", "", &short);
    assert_eq!(join(&mut session), Role::Edit);
    let (code, took) = close_code(&mut session);
    assert_eq!(code, 4412);
    assert!(took < Duration::from_millis(2_500), "{took:?}");
    let expired = host.read(&short);
    assert_eq!((expired.status, expired.code().as_str()), (401, "token_expired"));
    assert_eq!(expired.header("www-authenticate"), "Bearer");
    assert_eq!(close_code(&mut socket(&host.server, "plan", "", &short)).0, 4403);
}

#[test]
fn each_wrong_token_is_refused_with_its_reason_and_a_line_in_the_audit_log() {
    let host = Trusting::start(&format!(
        "[[token_issuers]]\nissuer = \"wiki\"\nsecret = \"{SECRET}\"\nroom_prefixes = [\"plan\", \"wiki-\"]\n\
         [[token_issuers]]\nissuer = \"shop\"\nkey_file = \"FOLDER/ed25519.pem\"\nrole_max = \"view\"\n\
         [[token_issuers]]\nissuer = \"bank\"\nkey_file = \"FOLDER/rsa.pem\"\n"
    ));
    host.server.make_room("plan", "1\n");
    assert_eq!(host.read(&token(json!({}))).status, 200, "a right one");
    let secret = EncodingKey::from_secret(SECRET.as_bytes());
    let other = EncodingKey::from_secret(b"another secret of thirty-two b..");
    let hs256 = Header::new(Algorithm::HS256);
    let ed25519 = EncodingKey::from_ed_pem(ED25519[0].as_bytes()).expect("a key");
    let valid = token(json!({}));
    let parts: Vec<&str> = valid.split('.').collect();
    let viewer = token(json!({ "role": "view" }));
    let viewer_parts: Vec<&str> = viewer.split('.').collect();
    let none = |signature: &str| format!("{}.{}.{signature}", part(&json!({ "alg": "none" })), parts[1]);
    let with_header = |header: Json| {
        let unsigned = format!("{}.{}", part(&header), parts[1]);
        let signature = jsonwebtoken::crypto::sign(unsigned.as_bytes(), &secret, Algorithm::HS256);
        format!("{unsigned}.{}", signature.expect("signs"))
    };
    let (malformed, signature) =
        ("the signed token is malformed", "the signature of the signed token is wrong");
    let algorithm = "the algorithm of the signed token (alg) is not accepted";
    let issuer = "the issuer of the signed token (iss) is unknown";
    let audience = "the signed token is not for this server (aud)";
    let room = "the signed token is not for this workbook (room)";
    let long = "the signed token is valid for too long (exp): at most 24 hours";
    let role = "the role of the signed token is higher than its issuer may give (role_max)";
    let lacks = |claim: &str| format!("the signed token lacks the claim {claim}");
    let invalid = |claim: &str| format!("the claim {claim} of the signed token has an invalid value");
    let of = |iss: &str, key: &EncodingKey, algorithm| {
        signed(&Header::new(algorithm), &claims(json!({ "iss": iss })), key)
    };
    let cases: Vec<(&str, String, String)> = vec![
        ("another secret", signed(&hs256, &claims(json!({})), &other), signature.into()),
        ("truncated signature", valid[..valid.len() - 3].to_owned(), signature.into()),
        ("no signature", format!("{}.{}.", parts[0], parts[1]), signature.into()),
        (
            "claims of another token",
            format!("{}.{}.{}", parts[0], viewer_parts[1], parts[2]),
            signature.into(),
        ),
        ("swapped parts", format!("{}.{}.{}", parts[1], parts[0], parts[2]), malformed.into()),
        ("truncated claims", format!("{}.{}.{}", parts[0], &parts[1][..20], parts[2]), malformed.into()),
        ("not base64", "a.b.c".into(), malformed.into()),
        ("padded", format!("{}=.{}.{}", parts[0], parts[1], parts[2]), malformed.into()),
        (
            "two parts",
            parts[..2].join("."),
            "the bearer token is not a key, link or token of this server".into(),
        ),
        (
            "four parts",
            format!("{valid}.x"),
            "the bearer token is not a key, link or token of this server".into(),
        ),
        ("alg none", none(""), algorithm.into()),
        ("alg none with a signature", none(parts[2]), algorithm.into()),
        ("alg in lower case", with_header(json!({ "alg": "hs256" })), algorithm.into()),
        ("no alg", with_header(json!({ "typ": "JWT" })), malformed.into()),
        ("critical extension", with_header(json!({ "alg": "HS256", "crit": ["exp"] })), malformed.into()),
        ("another HMAC", of("wiki", &secret, Algorithm::HS512), algorithm.into()),
        // Key confusion: the public key, which everybody knows, as a secret.
        (
            "RSA key as a secret",
            of("bank", &EncodingKey::from_secret(RSA[1].as_bytes()), Algorithm::HS256),
            algorithm.into(),
        ),
        ("key of another issuer", of("wiki", &ed25519, Algorithm::EdDSA), algorithm.into()),
        ("secret of another issuer", of("shop", &secret, Algorithm::HS256), algorithm.into()),
        ("key of its own in the header", with_own_key(&ed25519), algorithm.into()),
        ("unknown issuer", token(json!({ "iss": "evil" })), issuer.into()),
        ("no issuer", token(json!({ "iss": null })), malformed.into()),
        ("two issuers", token(json!({ "iss": ["evil", "wiki"] })), malformed.into()),
        ("another audience", token(json!({ "aud": "shop" })), audience.into()),
        ("no audience", token(json!({ "aud": null })), lacks("aud")),
        (
            "not yet valid",
            token(json!({ "nbf": now() + 600 })),
            "the signed token is not valid yet (nbf)".into(),
        ),
        ("no expiry", token(json!({ "exp": null })), lacks("exp")),
        ("an expiry that is far away", token(json!({ "exp": now() + 90_000 })), long.into()),
        ("an expiry in milliseconds", token(json!({ "exp": now() * 1_000 })), long.into()),
        ("an expiry that is a text", token(json!({ "exp": "2100-01-01" })), malformed.into()),
        ("another workbook", token(json!({ "room": "sales" })), room.into()),
        ("a workbook of another issuer", token(json!({ "room": "plan", "iss": "shop" })), algorithm.into()),
        ("a pattern as a name", token(json!({ "room": "*" })), room.into()),
        ("no workbook", token(json!({ "room": null })), lacks("room")),
        ("an empty prefix", token(json!({ "room_prefix": "" })), invalid("room_prefix")),
        ("no role", token(json!({ "role": null })), lacks("role")),
        ("an unknown role", token(json!({ "role": "admin" })), invalid("role")),
        ("a role that is too high", token(json!({ "role": "owner" })), role.into()),
        ("a role that this issuer cannot give", of("shop", &ed25519, Algorithm::EdDSA), role.into()),
        ("too long", token(json!({ "name": "x".repeat(9_000) })), "the bearer token is too long".into()),
    ];
    for (what, token, reason) in &cases {
        let refused = host.read(token);
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (401, "bad_credentials"),
            "{what}: {refused:?}"
        );
        assert_eq!(refused.json()["error"]["message"], reason.as_str(), "{what}");
    }
    let expired = host.read(&token(json!({ "exp": now() - 1 })));
    assert_eq!((expired.status, expired.code().as_str()), (401, "token_expired"));
    let reasons: Vec<String> = cases.into_iter().map(|(_, _, reason)| reason).collect();
    let found = host.refusals();
    assert_eq!(found[..reasons.len()], reasons);
    assert_eq!(found.len(), reasons.len() + 1, "{found:?}");
}

/// A token that brings the key that has signed it.
fn with_own_key(key: &EncodingKey) -> String {
    let jwk = jsonwebtoken::jwk::Jwk::from_encoding_key(key, Algorithm::EdDSA).expect("a key");
    let header = Header { jwk: Some(jwk), ..Header::new(Algorithm::EdDSA) };
    signed(&header, &claims(json!({})), key)
}

#[test]
fn a_token_of_one_workbook_does_not_open_another() {
    let host = Trusting::wiki();
    host.server.make_room("sales", "1\n");
    let refused = send(&host.server, &token(json!({})), "GET", "/api/v1/rooms/sales", "");
    assert_eq!((refused.status, refused.code().as_str()), (401, "bad_credentials"));
    let refused = send(&host.server, &token(json!({})), "GET", "/sales.csv", "");
    assert_eq!(refused.status, 401, "{refused:?}");
    let copy = json!({ "copyOf": "sales" }).to_string();
    assert_eq!(send(&host.server, &token(json!({})), "POST", "/api/v1/rooms", &copy).status, 401);
    assert_eq!(close_code(&mut socket(&host.server, "sales", "", &token(json!({})))).0, 4403);
}

#[test]
fn tokens_are_verified_with_public_keys_of_each_type() {
    let host = Trusting::start(
        "[[token_issuers]]\nissuer = \"ed\"\nkey_file = \"FOLDER/ed25519.pem\"\n\
         [[token_issuers]]\nissuer = \"ec\"\nkey_file = \"FOLDER/p256.pem\"\n\
         [[token_issuers]]\nissuer = \"rsa\"\nkey_file = \"FOLDER/rsa.pem\"\n\
         [[token_issuers]]\nissuer = \"pss\"\nkey_file = \"FOLDER/rsa.pem\"\nalgorithms = [\"PS256\"]\n",
    );
    host.server.make_room("plan", "1\n");
    let ed = EncodingKey::from_ed_pem(ED25519[0].as_bytes()).expect("a key");
    let ec = EncodingKey::from_ec_pem(P256[0].as_bytes()).expect("a key");
    let rsa = EncodingKey::from_rsa_pem(RSA[0].as_bytes()).expect("a key");
    for (issuer, key, algorithm, expected) in [
        ("ed", &ed, Algorithm::EdDSA, 200),
        ("ec", &ec, Algorithm::ES256, 200),
        ("rsa", &rsa, Algorithm::RS256, 200),
        ("pss", &rsa, Algorithm::PS256, 200),
        ("rsa", &rsa, Algorithm::PS256, 401),
        ("pss", &rsa, Algorithm::RS256, 401),
    ] {
        let token = signed(&Header::new(algorithm), &claims(json!({ "iss": issuer })), key);
        assert_eq!(host.read(&token).status, expected, "{issuer} {algorithm:?}");
    }
}

/// A host that publishes its keys.
struct KeyServer {
    address: SocketAddr,
    /// What it answers: head and body.
    answer: Arc<Mutex<String>>,
    requests: Arc<AtomicUsize>,
}

impl KeyServer {
    fn start() -> KeyServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound");
        let answer = Arc::new(Mutex::new(String::new()));
        let requests = Arc::new(AtomicUsize::new(0));
        let (answered, counted) = (Arc::clone(&answer), Arc::clone(&requests));
        // Ends with the process of the tests.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let head = BufReader::new(stream.try_clone().expect("a socket"));
                for line in head.lines() {
                    if line.is_ok_and(|line| line.is_empty()) {
                        break;
                    }
                }
                counted.fetch_add(1, Ordering::SeqCst);
                let answer = answered.lock().expect("no panic").clone();
                // The server may have read enough and closed the connection.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        KeyServer { address, answer, requests }
    }

    fn answers(&self, status: &str, body: &str) {
        let length = body.len();
        let answer =
            format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
        *self.answer.lock().expect("no panic") = answer;
    }

    /// Publishes the public key of each private key, by its name.
    fn publishes(&self, keys: &[(&str, &EncodingKey, Algorithm)]) {
        let keys: Vec<Json> = keys
            .iter()
            .map(|(id, key, algorithm)| {
                let mut jwk = jsonwebtoken::jwk::Jwk::from_encoding_key(key, *algorithm).expect("a key");
                jwk.common.key_id = Some((*id).to_owned());
                serde_json::to_value(jwk).expect("JSON")
            })
            .collect();
        self.answers("200 OK", &json!({ "keys": keys }).to_string());
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    fn issuer(&self) -> String {
        format!("[[token_issuers]]\nissuer = \"wiki\"\njwks_url = \"http://{}/keys.json\"\n", self.address)
    }
}

fn signed_by(id: Option<&str>, key: &EncodingKey, algorithm: Algorithm) -> String {
    let header = Header { kid: id.map(str::to_owned), ..Header::new(algorithm) };
    signed(&header, &claims(json!({})), key)
}

#[test]
fn published_keys_are_fetched_once_and_unknown_ones_seldom() {
    let keys = KeyServer::start();
    let ed = EncodingKey::from_ed_pem(ED25519[0].as_bytes()).expect("a key");
    let rsa = EncodingKey::from_rsa_pem(RSA[0].as_bytes()).expect("a key");
    keys.publishes(&[("a", &ed, Algorithm::EdDSA), ("b", &rsa, Algorithm::RS256)]);
    let host = Trusting::start(&keys.issuer());
    host.server.make_room("plan", "1\n");
    assert_eq!(keys.requests(), 0, "nothing needed them yet");
    for (id, key, algorithm, expected) in [
        (Some("a"), &ed, Algorithm::EdDSA, ""),
        (Some("b"), &rsa, Algorithm::RS256, ""),
        // Without a name, the only key for the algorithm.
        (None, &ed, Algorithm::EdDSA, ""),
        (Some("b"), &ed, Algorithm::EdDSA, "the key of the signed token (kid) is unknown"),
        (Some("c"), &ed, Algorithm::EdDSA, "the key of the signed token (kid) is unknown"),
        // The public key of RS256 as a secret.
        (
            Some("b"),
            &EncodingKey::from_secret(RSA[1].as_bytes()),
            Algorithm::HS256,
            "the algorithm of the signed token (alg) is not accepted",
        ),
    ] {
        let reply = host.read(&signed_by(id, key, algorithm));
        let message =
            if reply.status == 200 { Json::from("") } else { reply.json()["error"]["message"].clone() };
        assert_eq!(message, expected, "{id:?} {algorithm:?}");
    }
    assert_eq!(keys.requests(), 1, "unknown keys do not make the server ask all the time");
}

#[test]
fn keys_that_cannot_be_fetched_are_not_the_fault_of_the_token() {
    let ed = EncodingKey::from_ed_pem(ED25519[0].as_bytes()).expect("a key");
    let token = signed_by(Some("a"), &ed, Algorithm::EdDSA);
    for (status, body) in [
        ("500 Internal Server Error", "{}"),
        ("302 Found\r\nlocation: http://127.0.0.1:1/", ""),
        ("200 OK", "<html>"),
        ("200 OK", "x".repeat(300_000).as_str()),
    ] {
        let keys = KeyServer::start();
        keys.answers(status, body);
        let host = Trusting::start(&keys.issuer());
        host.server.make_room("plan", "1\n");
        for _ in 0..3 {
            let refused = host.read(&token);
            assert_eq!(
                (refused.status, refused.code().as_str()),
                (503, "overloaded"),
                "{status}: {refused:?}"
            );
        }
        assert_eq!(keys.requests(), 1, "{status}");
        assert_eq!(host.refusals(), Vec::<String>::new(), "{status}");
    }
}

#[test]
fn a_wrong_issuer_prevents_the_start() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let short = data.path().join("short.pem");
    std::fs::write(&short, include_str!("keys/rsa-1024-public.pem")).expect("writable");
    let short = format!("[{{\"issuer\":\"wiki\",\"key_file\":{:?}}}]", short.to_str().expect("UTF-8"));
    for (issuers, message) in [
        (r#"[{"issuer":"wiki","secret":"short"}]"#, "at least 32 bytes"),
        (r#"[{"issuer":"wiki","jwks_url":"http://wiki.example.org/keys"}]"#, "https"),
        (&short, "2,048"),
        ("nonsense", "not a JSON array"),
    ] {
        let data = data.path().join("data");
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--token-issuers", issuers, "--data"];
        let output = binary().args(arguments).arg(data).stdout(Stdio::null()).output().expect("starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(message) && !error.contains("short\""), "{error}");
    }
}

#[test]
fn tokens_and_secrets_are_not_logged() {
    let (data, log) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let path = log.path().join("log");
    let file = std::fs::File::create(&path).expect("writable");
    let issuers = format!(r#"[{{"issuer":"wiki","secret":"{SECRET}"}}]"#);
    let arguments = ["--log", "trace", "--token-issuers", &issuers];
    let mut server = Server::start_logging_to(file.into(), data.path(), &arguments);
    server.make_room("plan", "1\n");
    let (valid, expired) = (token(json!({})), token(json!({ "exp": 1 })));
    assert_eq!(send(&server, &valid, "GET", "/api/v1/rooms/plan", "").status, 200);
    assert_eq!(send(&server, &expired, "GET", "/api/v1/rooms/plan", "").status, 401);
    join(&mut socket(&server, "plan", "", &valid));
    server.signal("TERM");
    server.wait();
    let log = std::fs::read_to_string(&path).expect("readable");
    assert!(log.contains("/api/v1/rooms/plan"), "requests are logged at this level");
    for token in [&valid, &expired] {
        let parts: Vec<&str> = token.split('.').collect();
        assert!(!log.contains(parts[1]) && !log.contains(parts[2]), "the log contains a token");
    }
    assert!(!log.contains(SECRET), "the log contains the secret");
}

/// Starts a host of `docs/embedding.md` and returns it with its address.
fn example_host(program: &str, file: &str, server: &str) -> (std::process::Child, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples").join(file);
    let mut host = Command::new(program)
        .arg(path)
        .env("QUADRILLE", server)
        .env("PORT", "0")
        .env("SECRET", SECRET)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error}; `make test` installs what tests need"));
    let mut line = String::new();
    BufReader::new(host.stdout.take().expect("piped")).read_line(&mut line).expect("readable");
    let address = line.split_whitespace().last().expect("its address").to_owned();
    (host, address)
}

#[test]
fn the_hosts_of_the_documentation_open_workbooks() {
    for (program, file) in [("node", "host.mjs"), ("python3", "host.py")] {
        // The host needs the address of the server for its page only, so it can start first.
        let (mut process, address) = example_host(program, file, "https://sheets.example.org");
        let keys = match file {
            "host.mjs" => format!("jwks_url = \"{address}/keys.json\""),
            _ => format!("secret = \"{SECRET}\""),
        };
        let issuer = format!("[[token_issuers]]\nissuer = \"{address}\"\n{keys}\n");
        let host = Trusting::start_with(&issuer, &["--public-url", "https://sheets.example.org"]);
        host.server.make_room("budget", "1\n");
        let page = ureq::get(&format!("{address}/")).call().expect("answers").into_body().read_to_string();
        let page = page.expect("UTF-8");
        let token = page.split("#token=").nth(1).and_then(|rest| rest.split('"').next()).expect("a token");
        let opened = send(&host.server, token, "GET", "/api/v1/rooms/budget", "");
        assert_eq!(opened.status, 200, "{file}: {opened:?}");
        let elsewhere = send(&host.server, token, "GET", "/api/v1/rooms/plan", "");
        assert_eq!(elsewhere.code(), "bad_credentials", "{file}");
        process.kill().expect("running");
        process.wait().expect("a child");
    }
}
