//! An OpenID Connect provider that answers with whatever a test wants, valid or not.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::support::{Reply, Server};

pub const CLIENT: &str = "quadrille";
pub const SECRET: &str = "the secret of the client";

/// The provider. It stops with the process of the tests.
pub struct FakeProvider {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    key: SigningKey,
    key_id: String,
    /// The ID token of the next answer, and whatever else is in it.
    answer: Json,
    user_info: Json,
    /// What the next code must be exchanged with.
    challenge: String,
    /// Requests by path.
    requests: HashMap<String, usize>,
}

impl FakeProvider {
    pub fn start() -> FakeProvider {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let state = Arc::new(Mutex::new(State {
            key: key(1),
            key_id: "key-1".into(),
            answer: Json::Null,
            user_info: Json::Null,
            challenge: String::new(),
            requests: HashMap::new(),
        }));
        let served = Arc::clone(&state);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                serve(connection.expect("a connection"), address, &served);
            }
        });
        FakeProvider { address, state }
    }

    pub fn issuer(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The setting `openid` of a server with this provider as `fake`, and `more` members.
    pub fn setting(&self, more: Json) -> String {
        json!([self.provider("fake", more)]).to_string()
    }

    /// This provider under an identifier, for a setting with several.
    pub fn provider(&self, id: &str, more: Json) -> Json {
        let mut provider = json!({
            "id": id, "name": "Fake", "issuer": self.issuer(),
            "client_id": CLIENT, "client_secret": SECRET,
        });
        provider.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        provider
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it holds it")
    }

    /// How often a path was requested.
    pub fn requests(&self, path: &str) -> usize {
        self.state().requests.get(path).copied().unwrap_or(0)
    }

    /// Signs with another key from now on, and publishes it.
    pub fn rotate(&self, number: u8) {
        let mut state = self.state();
        state.key = key(number);
        state.key_id = format!("key-{number}");
    }

    /// The claims of a valid ID token for a sign-in.
    pub fn claims(&self, begun: &Begun, more: Json) -> Json {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
        let mut claims = json!({
            "iss": self.issuer(), "sub": "ada-1", "aud": CLIENT, "iat": now, "exp": now + 300,
            "nonce": begun.nonce, "name": "Ada Lovelace", "email": "ada@example.org", "email_verified": true,
        });
        for (name, value) in more.as_object().expect("an object") {
            match value {
                Json::Null => _ = claims.as_object_mut().expect("an object").remove(name),
                value => claims[name] = value.clone(),
            }
        }
        claims
    }

    /// The claims, signed with the provider's key.
    pub fn token(&self, claims: &Json) -> String {
        let state = self.state();
        sign(&json!({ "alg": "ES256", "kid": state.key_id, "typ": "JWT" }), claims, &state.key)
    }

    /// Answers the next code with this ID token.
    pub fn answer(&self, begun: &Begun, token: &str) {
        self.answer_with(begun, json!({ "id_token": token }));
    }

    /// Answers the next code with these members.
    pub fn answer_with(&self, begun: &Begun, members: Json) {
        let mut answer = json!({ "access_token": "access", "token_type": "Bearer", "expires_in": 60 });
        answer.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        let mut state = self.state();
        state.answer = answer;
        state.challenge = begun.challenge.clone();
    }

    /// What the user info endpoint says.
    pub fn user_info(&self, claims: Json) {
        self.state().user_info = claims;
    }

    /// The public key as a JSON Web Key.
    pub fn public_key(&self) -> Json {
        let state = self.state();
        public_key(&state)
    }

    /// Signs in and returns the answer to the browser that came back.
    pub fn sign_in(&self, server: &Server, claims: Json) -> Reply {
        let begun = begin(server, "fake", "/");
        self.answer(&begun, &self.token(&self.claims(&begun, claims)));
        begun.come_back(server)
    }
}

/// A key that every run of the tests has.
pub fn key(number: u8) -> SigningKey {
    SigningKey::from_slice(&[number; 32]).expect("a number below the order of the curve")
}

/// A JSON Web Token signed with ES256 (RFC 7518, 3.4).
pub fn sign(header: &Json, claims: &Json, key: &SigningKey) -> String {
    let signed = unsigned(header, claims);
    let signature: Signature = key.sign(signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
}

/// The first two parts of a token.
pub fn unsigned(header: &Json, claims: &Json) -> String {
    let encode = |part: &Json| URL_SAFE_NO_PAD.encode(part.to_string());
    format!("{}.{}", encode(header), encode(claims))
}

/// A sign-in that a browser has begun: it was sent to the provider.
#[derive(Clone, Debug)]
pub struct Begun {
    pub provider: String,
    pub cookie: String,
    pub state: String,
    pub nonce: String,
    pub challenge: String,
    pub location: String,
    /// Network address of the browser.
    pub address: String,
}

/// Begins a sign-in.
pub fn begin(server: &Server, provider: &str, to: &str) -> Begun {
    let reply = server.get(&format!("/_sign-in/{provider}?return={to}"));
    assert_eq!(reply.status, 302, "{reply:?}");
    Begun::of(&reply, provider, reply.header("location"))
}

impl Begun {
    /// The sign-in of an answer that sends the browser to this address of the provider.
    pub fn of(reply: &Reply, provider: &str, location: &str) -> Begun {
        let query = |name: &str| {
            let pairs = location.split_once('?').expect("a query").1.split('&');
            let mut values = pairs.filter_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            values.next().unwrap_or_else(|| panic!("no {name} in {location}")).to_owned()
        };
        Begun {
            provider: provider.to_owned(),
            cookie: cookie(reply, "quadrille-sign-in").expect("a cookie for the state"),
            state: query("state"),
            nonce: query("nonce"),
            challenge: query("code_challenge"),
            address: "198.51.100.1".into(),
            location: location.to_owned(),
        }
    }

    /// The request of the browser that the provider has sent back.
    pub fn come_back(&self, server: &Server) -> Reply {
        self.come_back_with(server, &format!("code=code-1&state={}", self.state))
    }

    /// As [`come_back`](Begun::come_back), with another query.
    pub fn come_back_with(&self, server: &Server, query: &str) -> Reply {
        let path = format!("/_sign-in/{}/callback?{query}", self.provider);
        let cookie = format!("quadrille-sign-in={}", self.cookie);
        // Behind a proxy, so that sign-ins of a test are not limited as those of one client.
        let mut headers = vec![("x-forwarded-for", self.address.as_str())];
        if !self.cookie.is_empty() {
            headers.push(("cookie", cookie.as_str()));
        }
        server.send("GET", &path, &headers, b"")
    }
}

/// The value of a cookie that a response sets.
pub fn cookie(reply: &Reply, name: &str) -> Option<String> {
    let set = reply.headers.get_all("set-cookie").into_iter().filter_map(|value| value.to_str().ok());
    let mut values = set.filter_map(|cookie| cookie.split(';').next()?.strip_prefix(name)?.strip_prefix('='));
    values.next().map(str::to_owned)
}

fn public_key(state: &State) -> Json {
    let point = state.key.verifying_key().to_encoded_point(false);
    let coordinate =
        |bytes: Option<&p256::FieldBytes>| URL_SAFE_NO_PAD.encode(bytes.expect("not compressed"));
    json!({
        "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": state.key_id,
        "x": coordinate(point.x()), "y": coordinate(point.y()),
    })
}

fn serve(connection: TcpStream, address: SocketAddr, state: &Mutex<State>) {
    let mut reader = BufReader::new(connection.try_clone().expect("a socket"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("a request");
    let path = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).expect("a header");
        if header.trim().is_empty() {
            break;
        }
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let body = String::from_utf8(body).expect("a form");
    let mut state = state.lock().expect("no test panics while it holds it");
    *state.requests.entry(path.clone()).or_default() += 1;
    let issuer = format!("http://{address}");
    let (status, answer) = match path.as_str() {
        "/.well-known/openid-configuration" => (
            200,
            json!({
                "issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize"),
                "token_endpoint": format!("{issuer}/token"), "jwks_uri": format!("{issuer}/keys"),
                "userinfo_endpoint": format!("{issuer}/userinfo"),
                "end_session_endpoint": format!("{issuer}/end"),
                "response_types_supported": ["code"], "subject_types_supported": ["public"],
                // A provider can claim anything; the server has its own list.
                "id_token_signing_alg_values_supported": ["ES256", "HS256", "none"],
            }),
        ),
        "/keys" => (200, json!({ "keys": [public_key(&state)] })),
        "/token" => token_answer(&state, &body),
        "/userinfo" => (200, state.user_info.clone()),
        _ => (404, json!({})),
    };
    let answer = answer.to_string();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        answer.len()
    );
    // The server may have given up.
    let _ = (&connection).write_all((head + &answer).as_bytes());
}

/// RFC 7636, 4.6: the code is only for whoever has the verifier of the challenge.
fn token_answer(state: &State, form: &str) -> (u16, Json) {
    let field = |name: &str| form.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let verifier = field("code_verifier").unwrap_or_default();
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
    match field("code") == Some("code-1") && challenge == state.challenge {
        true => (200, state.answer.clone()),
        false => (400, json!({ "error": "invalid_grant", "error_description": "a <secret> reason" })),
    }
}
