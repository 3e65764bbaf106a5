//! Passkeys, with an authenticator that also lies. `web/e2e/passkeys.spec.ts` has the same with the
//! virtual authenticator of a browser.

use serde_json::{Value as Json, json};

use crate::fake_provider::{FakeProvider, cookie, key};
use crate::openid::refusals;
use crate::soft_authenticator::{Answer, PRESENT, SoftAuthenticator};
use crate::support::{Reply, Server};

const CREATE: &str = "webauthn.create";
const GET: &str = "webauthn.get";

/// A server on which people sign in by a provider first.
struct World {
    data: tempfile::TempDir,
    server: Server,
    provider: FakeProvider,
    origin: String,
    host: String,
}

impl World {
    fn new() -> World {
        let provider = FakeProvider::start();
        let data = tempfile::tempdir().expect("a directory");
        let setting = provider.setting(json!({}));
        let server = Server::start_on(data.path(), &["--access", "accounts", "--openid", &setting]);
        let host = format!("localhost:{}", server.address.port());
        World { data, origin: format!("http://{host}"), host, server, provider }
    }

    /// Sends JSON as a page at `localhost` does: passkeys need a domain.
    fn send(&self, method: &str, path: &str, session: &str, address: &str, body: &Json) -> Reply {
        let cookie = format!("quadrille={session}");
        let mut headers = vec![
            ("host", self.host.as_str()),
            ("content-type", "application/json"),
            ("x-forwarded-for", address),
        ];
        if !session.is_empty() {
            headers.push(("cookie", &cookie));
        }
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.server.send(method, path, &headers, body.as_bytes())
    }

    fn post(&self, path: &str, session: &str, body: &Json) -> Reply {
        self.send("POST", path, session, "198.51.100.1", body)
    }

    /// A session of the person with this subject at the provider.
    fn session(&self, subject: &str) -> String {
        let email = format!("{subject}@example.org");
        let reply = self.provider.sign_in(&self.server, json!({ "sub": subject, "email": email }));
        cookie(&reply, "quadrille").unwrap_or_else(|| panic!("no session: {}", reply.text()))
    }

    fn registration_options(&self, session: &str) -> Json {
        let reply = self.post("/api/v1/account/passkeys/options", session, &json!({}));
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    }

    fn register(&self, session: &str, state: &Json, credential: &Json) -> Reply {
        let body = json!({ "state": state, "label": "Laptop", "credential": credential });
        self.post("/api/v1/account/passkeys", session, &body)
    }

    /// Registers the passkey of an authenticator.
    fn add_passkey(&self, session: &str, authenticator: &mut SoftAuthenticator) {
        let options = self.registration_options(session);
        let credential = authenticator.register(&options, &Answer::to(&options, CREATE, &self.origin));
        let added = self.register(session, &options["state"], &credential);
        assert_eq!(added.status, 201, "{added:?}");
        assert_eq!(added.json()["label"], "Laptop");
    }

    fn sign_in_options(&self) -> Json {
        let reply = self.post("/api/v1/session/passkey/options", "", &Json::Null);
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    }

    fn sign_in(&self, state: &Json, credential: &Json) -> Reply {
        self.post("/api/v1/session/passkey", "", &json!({ "state": state, "credential": credential }))
    }

    fn refusals(mut self) -> Vec<String> {
        self.server.kill();
        refusals(self.data.path())
    }
}

#[test]
fn a_passkey_signs_in_without_a_name() {
    let world = World::new();
    let session = world.session("ada");
    let mut authenticator = SoftAuthenticator::new(7);
    let options = world.registration_options(&session);
    assert_eq!(options["publicKey"]["rp"]["id"], "localhost");
    assert_eq!(options["publicKey"]["user"]["name"], "ada@example.org");
    let selection = &options["publicKey"]["authenticatorSelection"];
    assert_eq!(
        (&selection["residentKey"], &selection["userVerification"]),
        (&json!("required"), &json!("required"))
    );
    world.add_passkey(&session, &mut authenticator);
    let account = world.send("GET", "/api/v1/account", &session, "198.51.100.1", &Json::Null).json();
    assert_eq!(account["passkeys"].as_array().map(Vec::len), Some(1));
    let again = world.registration_options(&session);
    assert_eq!(again["publicKey"]["excludeCredentials"][0]["id"], account["passkeys"][0]["id"]);

    let options = world.sign_in_options();
    assert_eq!(options["publicKey"]["userVerification"], "required");
    assert!(options["publicKey"]["allowCredentials"].as_array().is_none_or(Vec::is_empty), "it names nobody");
    let credential = authenticator.sign_in(&Answer::to(&options, GET, &world.origin));
    let signed_in = world.sign_in(&options["state"], &credential);
    assert_eq!(signed_in.status, 200, "{signed_in:?}");
    assert_eq!(signed_in.json()["account"]["id"], account["id"]);
    let session = cookie(&signed_in, "quadrille").expect("a session");
    let after = world.send("GET", "/api/v1/account", &session, "198.51.100.1", &Json::Null).json();
    assert!(after["passkeys"][0]["lastUsedMs"].as_i64() > Some(0));

    let path = format!("/api/v1/account/passkeys/{}", account["passkeys"][0]["id"].as_str().expect("a text"));
    assert_eq!(world.send("DELETE", &path, &session, "198.51.100.1", &Json::Null).status, 204);
    assert_eq!(world.send("DELETE", &path, &session, "198.51.100.1", &Json::Null).status, 404);
    let options = world.sign_in_options();
    let credential = authenticator.sign_in(&Answer::to(&options, GET, &world.origin));
    assert_eq!(world.sign_in(&options["state"], &credential).code(), "sign_in_failed");
}

#[test]
fn forged_swapped_and_replayed_assertions_are_refused() {
    let world = World::new();
    let mut authenticator = SoftAuthenticator::new(7);
    world.add_passkey(&world.session("ada"), &mut authenticator);
    let mut other = SoftAuthenticator::new(8);
    world.add_passkey(&world.session("grace"), &mut other);
    let origin = world.origin.clone();
    type Forge = Box<dyn Fn(&mut SoftAuthenticator, Answer, &SoftAuthenticator) -> Json>;
    let wrong = |change: fn(&mut Answer)| -> Forge {
        Box::new(move |authenticator, mut answer, _| {
            change(&mut answer);
            authenticator.sign_in(&answer)
        })
    };
    let with = |change: fn(&mut Json)| -> Forge {
        Box::new(move |authenticator, answer, _| {
            let mut credential = authenticator.sign_in(&answer);
            change(&mut credential);
            credential
        })
    };
    let cases: Vec<(&str, Forge)> = vec![
        ("clientDataJSON", wrong(|answer| answer.kind = CREATE)),
        ("challenge", wrong(|answer| answer.challenge = "AAAAAAAAAAAAAAAAAAAAAA".into())),
        ("clientDataJSON", wrong(|answer| answer.challenge = "AAAA".into())),
        ("origin", wrong(|answer| answer.origin = "http://evil.example".into())),
        ("origin", wrong(|answer| answer.origin = "http://localhost:1".into())),
        ("cross", wrong(|answer| answer.cross_origin = true)),
        ("RP ID", wrong(|answer| answer.rp_id = "evil.example".into())),
        ("user was not verified", wrong(|answer| answer.flags = PRESENT)),
        ("user", wrong(|answer| answer.flags = 0x04)),
        (
            "signature",
            Box::new(|authenticator, answer, _| {
                let mut forged = SoftAuthenticator { key: key(9), ..authenticator.clone() };
                forged.sign_in(&answer)
            }),
        ),
        (
            "user handle",
            Box::new(|authenticator, answer, other| {
                let mut swapped =
                    SoftAuthenticator { user_handle: other.user_handle.clone(), ..authenticator.clone() };
                swapped.sign_in(&answer)
            }),
        ),
        (
            "unknown passkey",
            Box::new(|authenticator, answer, _| {
                let mut unknown = SoftAuthenticator { id: [1; 16], ..authenticator.clone() };
                unknown.sign_in(&answer)
            }),
        ),
        ("not a credential", with(|credential| credential["response"]["userHandle"] = Json::Null)),
        ("not a credential", with(|credential| credential["response"]["userHandle"] = json!("AA"))),
        ("not a credential", with(|credential| credential["rawId"] = json!("AAAAAAAAAAAAAAAAAAAAAA"))),
        (
            "",
            with(|credential| {
                let data = credential["response"]["authenticatorData"].as_str().expect("a text").to_owned();
                credential["response"]["authenticatorData"] = json!(data[..20]);
            }),
        ),
        ("not a credential", with(|credential| *credential = json!({}))),
        ("not a credential", with(|credential| *credential = json!("credential"))),
    ];
    let expected: Vec<&str> = cases.iter().map(|(reason, _)| *reason).collect();
    let attempt = |number: usize, state: &Json, credential: &Json| {
        let address = format!("198.51.100.{number}");
        let body = json!({ "state": state, "credential": credential });
        world.send("POST", "/api/v1/session/passkey", "", &address, &body)
    };
    for (number, (_, forge)) in cases.iter().enumerate() {
        let options = world.sign_in_options();
        let credential = forge(&mut authenticator.clone(), Answer::to(&options, GET, &origin), &other);
        let refused = attempt(number, &options["state"], &credential);
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (401, "sign_in_failed"),
            "{number}: {refused:?}"
        );
    }
    let (options, second) = (world.sign_in_options(), world.sign_in_options());
    let before = authenticator.clone();
    let credential = authenticator.sign_in(&Answer::to(&options, GET, &origin));
    let registration = world.registration_options(&world.session("ada"));
    let text = options["state"].as_str().expect("a text");
    for state in [&second["state"], &json!(text[..40]), &json!("state"), &registration["state"]] {
        assert_eq!(attempt(50, state, &credential).code(), "sign_in_failed", "{state}");
    }
    // The right one, once.
    assert_eq!(attempt(51, &options["state"], &credential).status, 200);
    assert_eq!(attempt(51, &options["state"], &credential).code(), "sign_in_failed");
    // A copy of the authenticator has a counter that the server has seen.
    let copied = before.clone().sign_in(&Answer::to(&second, GET, &origin));
    assert_eq!(attempt(52, &second["state"], &copied).code(), "sign_in_failed");
    // The real one still works.
    let third = world.sign_in_options();
    let credential = authenticator.sign_in(&Answer::to(&third, GET, &origin));
    assert_eq!(attempt(53, &third["state"], &credential).status, 200);

    let refusals = world.refusals();
    assert_eq!(refusals.len(), expected.len() + 6, "{refusals:#?}");
    for (found, expected) in refusals.iter().zip(&expected) {
        assert!(found.starts_with("passkey: ") && found.contains(expected), "{expected}: {found}");
    }
    assert!(refusals[expected.len() + 4].contains("used before"), "{refusals:#?}");
    assert!(refusals[expected.len() + 5].contains("counter"), "{refusals:#?}");
}

#[test]
fn a_registration_is_for_the_account_that_asked_and_is_checked() {
    let world = World::new();
    let (ada, grace) = (world.session("ada"), world.session("grace"));
    let options = world.registration_options(&ada);
    let right = Answer::to(&options, CREATE, &world.origin);
    let mut authenticator = SoftAuthenticator::new(7);
    let wrong = [
        Answer { kind: GET, ..right.clone() },
        Answer { challenge: "AAAAAAAAAAAAAAAAAAAAAA".into(), ..right.clone() },
        Answer { origin: "http://evil.example".into(), ..right.clone() },
        Answer { rp_id: "evil.example".into(), ..right.clone() },
        Answer { flags: PRESENT, ..right.clone() },
    ];
    for answer in wrong {
        let credential = authenticator.register(&options, &answer);
        let refused = world.register(&ada, &options["state"], &credential);
        assert_eq!((refused.status, refused.code().as_str()), (400, "bad_request"), "{refused:?}");
    }
    let credential = authenticator.register(&options, &right);
    let refused = world.register(&grace, &options["state"], &credential);
    assert!(refused.text().contains("another account"), "{refused:?}");
    let sign_in = world.sign_in_options();
    assert_eq!(
        world.register(&ada, &sign_in["state"], &credential).status,
        400,
        "a state for something else"
    );
    assert_eq!(world.register(&ada, &options["state"], &credential).status, 201);
    assert_eq!(world.register(&ada, &options["state"], &credential).status, 400, "used before");
    // The same passkey again, with new options.
    let options = world.registration_options(&grace);
    let credential = authenticator.register(&options, &Answer::to(&options, CREATE, &world.origin));
    assert_eq!(world.register(&grace, &options["state"], &credential).code(), "conflict");
    assert_eq!(world.post("/api/v1/account/passkeys/options", "", &json!({})).code(), "sign_in_required");
    assert_eq!(world.refusals().len(), 8);
}

#[test]
fn passkeys_need_a_domain() {
    let world = World::new();
    let reply = world.server.post_json("/api/v1/session/passkey/options", "{}");
    assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{reply:?}");
    assert!(reply.text().contains("localhost"), "{reply:?}");
}
