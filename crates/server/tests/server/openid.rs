//! Sign-in by OpenID Connect, with a provider that also lies. `web/e2e/sign-in.spec.ts` has the same
//! with a certified one and a browser.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use quadrille_access::{AccessStore, AuditEvent, AuditFilter};
use quadrille_storage_sqlite::SqliteAccessStore;
use serde_json::{Value as Json, json};
use sha2::Sha256;

use crate::fake_provider::{Begun, FakeProvider, SECRET, begin, cookie, key, sign, unsigned};
use crate::support::{Reply, Server};

/// A server with a provider.
struct World {
    data: tempfile::TempDir,
    server: Server,
    provider: FakeProvider,
}

impl World {
    fn new(more: Json) -> World {
        let provider = FakeProvider::start();
        let data = tempfile::tempdir().expect("a directory");
        let server =
            Server::start_on(data.path(), &["--access", "accounts", "--openid", &provider.setting(more)]);
        World { data, server, provider }
    }

    /// Signs in with these claims.
    fn sign_in(&self, claims: Json) -> Reply {
        self.provider.sign_in(&self.server, claims)
    }

    /// The account of a session.
    fn account(&self, signed_in: &Reply) -> Json {
        assert_eq!(signed_in.status, 302, "{}", signed_in.text());
        let session = format!("quadrille={}", cookie(signed_in, "quadrille").expect("a session"));
        let account = self.server.send("GET", "/api/v1/account", &[("cookie", &session)], b"");
        assert_eq!(account.status, 200, "{account:?}");
        account.json()
    }

    /// Stops the server and returns the reasons of failed sign-ins in the audit log.
    fn refusals(mut self) -> Vec<String> {
        self.server.kill();
        refusals(self.data.path())
    }
}

/// The reasons of failed sign-ins in the audit log of a server that has stopped.
pub fn refusals(data: &std::path::Path) -> Vec<String> {
    let mut store = SqliteAccessStore::open(data).expect("the data directory");
    let filter = AuditFilter { event: Some(AuditEvent::SignInFailed), ..AuditFilter::default() };
    let entries = store.audit(&filter, 10_000).expect("the audit log");
    entries.into_iter().map(|entry| entry.target).collect()
}

#[test]
fn a_person_signs_in_and_is_the_same_account_the_next_time() {
    let world = World::new(json!({}));
    let begun = begin(&world.server, "fake", "/budget");
    for part in [
        "response_type=code",
        "code_challenge_method=S256",
        "scope=openid+email+profile",
        "client_id=quadrille",
    ] {
        assert!(begun.location.contains(part), "{part} in {}", begun.location);
    }
    world.provider.answer(&begun, &world.provider.token(&world.provider.claims(&begun, json!({}))));
    let back = begun.come_back(&world.server);
    assert_eq!((back.status, back.header("location")), (302, "/budget"), "{}", back.text());
    assert_eq!(cookie(&back, "quadrille-sign-in").as_deref(), Some(""), "the state is removed");
    let account = world.account(&back);
    assert_eq!(account["name"], "Ada Lovelace");
    assert_eq!((&account["email"], &account["isEmailVerified"]), (&json!("ada@example.org"), &json!(true)));
    assert_eq!(account["identities"][0]["subject"], "ada-1");
    // Identity is issuer and subject, whatever else the provider says.
    let again = world.account(&world.sign_in(json!({ "email": "ada@new.example", "name": "Ada King" })));
    assert_eq!((&again["id"], &again["name"]), (&account["id"], &json!("Ada Lovelace")));
    let other = world.account(&world.sign_in(json!({ "sub": "ada-2", "email": "grace@example.org" })));
    assert_ne!(other["id"], account["id"]);
}

#[test]
fn an_address_links_accounts_only_when_it_is_verified() {
    let first = FakeProvider::start();
    let second = FakeProvider::start();
    let setting = json!([first.provider("first", json!({})), second.provider("fake", json!({}))]).to_string();
    let data = tempfile::tempdir().expect("a directory");
    let server = Server::start_on(data.path(), &["--access", "accounts", "--openid", &setting]);
    let begun = begin(&server, "first", "/");
    first.answer(&begun, &first.token(&first.claims(&begun, json!({}))));
    let world = World { data, server, provider: second };
    let account = world.account(&begun.come_back(&world.server));
    for unverified in [json!(false), Json::Null] {
        let claims = json!({ "sub": "eve", "email_verified": unverified });
        let other = world.account(&world.sign_in(claims));
        assert_ne!(other["id"], account["id"]);
        assert_eq!(other["isEmailVerified"], false);
    }
    let same = world.account(&world.sign_in(json!({ "sub": "ada-at-second" })));
    assert_eq!(same["id"], account["id"]);
    assert_eq!(same["identities"].as_array().map(Vec::len), Some(2));
}

#[test]
fn groups_decide_who_signs_in_and_who_is_an_admin() {
    let world = World::new(json!({ "sign_in_groups": ["staff"], "admin_groups": ["ops"] }));
    let refused = world.sign_in(json!({ "groups": ["guests"] }));
    assert_eq!((refused.status, refused.code().as_str()), (401, "sign_in_failed"));
    assert!(refused.json()["error"]["request"].is_string());
    let admin = world.account(&world.sign_in(json!({ "groups": ["staff", "ops"] })));
    assert_eq!(admin["isAdmin"], true);
    let last = world.account(&world.sign_in(json!({ "groups": ["staff"] })));
    assert_eq!(last["isAdmin"], true, "the last admin stays one");
    let other = json!({ "sub": "grace-1", "email": "grace@example.org", "groups": ["staff", "ops"] });
    assert_eq!(world.account(&world.sign_in(other))["isAdmin"], true);
    let member = world.account(&world.sign_in(json!({ "groups": ["staff"] })));
    assert_eq!((&member["id"], &member["isAdmin"]), (&admin["id"], &json!(false)));
    // A claim that the token lacks is asked of the user info endpoint.
    world.provider.user_info(json!({ "sub": "ada-1", "groups": ["staff", "ops"] }));
    assert_eq!(world.account(&world.sign_in(json!({})))["isAdmin"], true);
    world.provider.user_info(json!({ "sub": "somebody-else", "groups": ["staff", "ops"] }));
    assert_eq!(world.sign_in(json!({})).code(), "sign_in_failed");
    let refusals = world.refusals();
    assert!(refusals[0].contains("not a member of a group"), "{refusals:?}");
    assert!(refusals[1].contains("user info"), "{refusals:?}");
}

#[test]
fn a_provider_is_asked_for_the_factors_that_a_setting_wants() {
    let world = World::new(json!({ "acr_values": ["phr", "phrh"], "amr_values": ["mfa"] }));
    let begun = world.server.get("/_sign-in/fake");
    assert!(begun.header("location").contains("acr_values=phr+phrh"), "{begun:?}");
    for claims in [json!({}), json!({ "acr": "0", "amr": ["mfa"] }), json!({ "acr": "phr", "amr": ["pwd"] })]
    {
        assert_eq!(world.sign_in(claims.clone()).code(), "sign_in_failed", "{claims}");
    }
    world.account(&world.sign_in(json!({ "acr": "phr", "amr": ["pwd", "mfa"] })));
    let refusals = world.refusals();
    assert!(refusals.iter().all(|reason| reason.contains("(acr, amr)")), "{refusals:?}");
}

#[test]
fn forged_and_foreign_tokens_are_refused() {
    let world = World::new(json!({}));
    let provider = &world.provider;
    let own_key = json!({ "alg": "ES256", "kid": "key-1" });
    let hs256 = |claims: &Json, secret: &[u8]| {
        let signed = unsigned(&json!({ "alg": "HS256", "kid": "key-1" }), claims);
        let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("any length");
        mac.update(signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
    };
    let public_point = key(1).verifying_key().to_encoded_point(false).as_bytes().to_vec();
    let public_json = provider.public_key().to_string().into_bytes();
    let changed = |begun: &Begun, more: Json| provider.token(&provider.claims(begun, more));
    type Forge<'a> = Box<dyn Fn(&Begun) -> String + 'a>;
    let cases: Vec<(&str, Forge)> = vec![
        (
            "No signature found",
            Box::new(|begun| {
                format!("{}.", unsigned(&json!({ "alg": "none" }), &provider.claims(begun, json!({}))))
            }),
        ),
        ("HS256", Box::new(|begun| hs256(&provider.claims(begun, json!({})), SECRET.as_bytes()))),
        ("HS256", Box::new(|begun| hs256(&provider.claims(begun, json!({})), &public_point))),
        ("HS256", Box::new(|begun| hs256(&provider.claims(begun, json!({})), &public_json))),
        ("Crypto error", Box::new(|begun| sign(&own_key, &provider.claims(begun, json!({})), &key(2)))),
        (
            "No matching key",
            Box::new(|begun| {
                sign(&json!({ "alg": "ES256", "kid": "key-9" }), &provider.claims(begun, json!({})), &key(1))
            }),
        ),
        ("Invalid issuer", Box::new(|begun| changed(begun, json!({ "iss": "https://evil.example" })))),
        ("Invalid audience", Box::new(|begun| changed(begun, json!({ "aud": "another" })))),
        ("Invalid audience", Box::new(|begun| changed(begun, json!({ "aud": ["quadrille", "another"] })))),
        ("azp", Box::new(|begun| changed(begun, json!({ "azp": "another" })))),
        ("Expired", Box::new(|begun| changed(begun, json!({ "exp": 1_700_000_000, "iat": 1_699_999_000 })))),
        ("Invalid nonce", Box::new(|begun| changed(begun, json!({ "nonce": "another" })))),
        ("Invalid nonce", Box::new(|begun| changed(begun, json!({ "nonce": null })))),
        ("token response", Box::new(|begun| changed(begun, json!({ "sub": null })))),
        (
            "token response",
            Box::new(|begun| changed(begun, json!({})).rsplit_once('.').expect("parts").0.to_owned()),
        ),
        (
            "Crypto error",
            Box::new(|begun| {
                let token = changed(begun, json!({}));
                token[..token.len() - 8].to_owned()
            }),
        ),
        (
            "Crypto error",
            Box::new(|begun| {
                // The signature of one token behind the claims of another.
                let (good, other) = (changed(begun, json!({})), changed(begun, json!({ "sub": "eve" })));
                format!(
                    "{}.{}",
                    other.rsplit_once('.').expect("parts").0,
                    good.rsplit_once('.').expect("parts").1
                )
            }),
        ),
        ("token response", Box::new(|_| "not a token".into())),
    ];
    for (number, (_, forge)) in cases.iter().enumerate() {
        let mut begun = begin(&world.server, "fake", "/");
        begun.address = format!("198.51.100.{}", number + 1);
        provider.answer(&begun, &forge(&begun));
        let refused = begun.come_back(&world.server);
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (401, "sign_in_failed"),
            "{number}: {refused:?}"
        );
        assert!(cookie(&refused, "quadrille").is_none(), "{number}");
        assert!(!refused.text().contains(SECRET), "{number}");
    }
    let begun = begin(&world.server, "fake", "/");
    provider.answer_with(&begun, json!({}));
    assert_eq!(begun.come_back(&world.server).code(), "sign_in_failed", "there is no ID token");
    let expected: Vec<&str> = cases.iter().map(|(reason, _)| *reason).collect();
    drop(cases);
    let refusals = world.refusals();
    assert_eq!(refusals.len(), expected.len() + 1, "{refusals:#?}");
    for (found, expected) in refusals.iter().zip(expected) {
        assert!(found.starts_with("oidc:fake: ") && found.contains(expected), "{expected}: {found}");
    }
}

#[test]
fn a_sign_in_belongs_to_the_browser_that_began_it_and_is_used_once() {
    let provider = FakeProvider::start();
    let other = FakeProvider::start();
    let setting =
        json!([provider.provider("fake", json!({})), other.provider("other", json!({}))]).to_string();
    let data = tempfile::tempdir().expect("a directory");
    let server = Server::start_on(data.path(), &["--access", "accounts", "--openid", &setting]);
    let world = World { data, server, provider };
    let (server, provider) = (&world.server, &world.provider);
    let begun = begin(server, "fake", "/");
    let second = begin(server, "fake", "/");
    provider.answer(&begun, &provider.token(&provider.claims(&begun, json!({}))));
    let state = &begun.state;
    let with_cookie = |cookie: &str| Begun { cookie: cookie.to_owned(), ..begun.clone() };
    let good = format!("code=code-1&state={state}");
    let mut changed = begun.cookie.clone().into_bytes();
    changed[20] ^= 1;
    let changed = String::from_utf8(changed).expect("ASCII");
    for (what, begun, query, reason) in [
        ("no cookie", with_cookie(""), good.clone(), "has not begun"),
        ("cookie of another sign-in", with_cookie(&second.cookie), good.clone(), "not the one"),
        ("truncated cookie", with_cookie(&begun.cookie[..40]), good.clone(), "not one of this server"),
        ("changed cookie", with_cookie(&changed), good.clone(), "not one of this server"),
        ("no state", begun.clone(), "code=code-1".into(), "not the one"),
        ("truncated state", begun.clone(), format!("code=code-1&state={}", &state[1..]), "not the one"),
        ("another state", begun.clone(), format!("code=code-1&state={}", second.state), "not the one"),
        (
            "another provider",
            Begun { provider: "other".into(), ..begun.clone() },
            good.clone(),
            "another provider",
        ),
        ("another issuer", begun.clone(), format!("{good}&iss=https://evil.example"), "(iss)"),
        ("no code", begun.clone(), format!("state={state}"), "no code"),
        ("long code", begun.clone(), format!("state={state}&code={}", "a".repeat(8_193)), "too long"),
        ("wrong code", begun.clone(), format!("code=code-2&state={state}"), "invalid_grant"),
        ("swapped code", second.clone(), format!("code=code-1&state={}", second.state), "invalid_grant"),
        ("cancelled", begun.clone(), format!("error=access_denied&state={state}"), "access_denied"),
    ] {
        let refused = begun.come_back_with(server, &query);
        assert_eq!((refused.status, refused.code().as_str()), (401, "sign_in_failed"), "{what}: {refused:?}");
        assert!(refused.text().contains(reason), "{what}: {}", refused.text());
        assert!(!refused.text().contains("secret"), "{what}: descriptions of providers are not passed on");
        assert!(cookie(&refused, "quadrille").is_none(), "{what}");
    }
    assert_eq!(begun.come_back(server).status, 302);
    let replayed = begun.come_back(server);
    assert!(replayed.text().contains("used before"), "{}", replayed.text());
    let refusals = world.refusals();
    assert_eq!(refusals.len(), 15, "{refusals:#?}");
}

#[test]
fn a_person_sees_a_page_and_a_program_json() {
    let world = World::new(json!({}));
    let page = world.server.send(
        "GET",
        "/_sign-in/fake/callback?error=%3Cscript%3E",
        &[("accept", "text/html,application/xhtml+xml")],
        b"",
    );
    assert_eq!((page.status, page.header("content-type")), (401, "text/html; charset=utf-8"));
    assert!(page.text().contains("Sign-in failed") && !page.text().contains("<script>"), "{}", page.text());
    for (path, status, code) in [
        ("/_sign-in/unknown", 404, "not_found"),
        ("/_sign-in/unknown/callback", 404, "not_found"),
        ("/_sign-in/fake?return=//evil.example", 400, "bad_query"),
        ("/_sign-in/fake?return=https://evil.example", 400, "bad_query"),
        ("/_sign-in/fake?return=/%5Cevil.example", 400, "bad_query"),
        ("/_sign-in/fake?return=/%0d%0aset-cookie:a=b", 400, "bad_query"),
        ("/_sign-in/fake?next=/", 400, "bad_query"),
    ] {
        let reply = world.server.get(path);
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{path}");
    }
}

#[test]
fn new_keys_of_the_provider_are_fetched_but_not_all_the_time() {
    let world = World::new(json!({}));
    assert_eq!(world.sign_in(json!({})).status, 302);
    assert_eq!(world.sign_in(json!({})).status, 302);
    assert_eq!(world.provider.requests("/keys"), 1, "the keys are cached");
    world.provider.rotate(3);
    assert_eq!(world.sign_in(json!({})).status, 302);
    assert_eq!(world.provider.requests("/keys"), 2);
    world.provider.rotate(4);
    assert_eq!(world.sign_in(json!({})).code(), "sign_in_failed");
    assert_eq!(world.provider.requests("/keys"), 2, "at most once a minute");
}

#[test]
fn a_provider_that_does_not_answer_is_named() {
    let data = tempfile::tempdir().expect("a directory");
    let unused = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = unused.local_addr().expect("bound");
    drop(unused);
    let provider =
        json!([{ "id": "fake", "name": "Fake", "issuer": format!("http://{address}"), "client_id": "q" }]);
    let server = Server::start_on(data.path(), &["--access", "accounts", "--openid", &provider.to_string()]);
    let reply = server.get("/_sign-in/fake");
    assert_eq!((reply.status, reply.code().as_str()), (502, "provider_failed"), "{reply:?}");
    assert_eq!(server.get("/healthz").status, 200, "the rest of the server works");
}

#[test]
fn signing_out_ends_the_session_at_the_provider_too() {
    let world = World::new(json!({}));
    let reply = world.server.get("/_sign-in/fake/sign-out");
    assert_eq!(reply.status, 302, "{reply:?}");
    let location = reply.header("location");
    assert!(
        location.starts_with(&format!("{}/end?client_id=quadrille", world.provider.issuer())),
        "{location}"
    );
    let back =
        format!("post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%3A{}%2F", world.server.address.port());
    assert!(location.contains(&back), "{location}");
}

/// Begins to add the identity at the provider to the account of a session.
fn begin_adding(world: &World, session: &str) -> (Reply, Option<Begun>) {
    let headers = [("cookie", session), ("content-type", "application/json")];
    let body = json!({ "provider": "fake", "return": "/_account" }).to_string();
    let reply = world.server.send("POST", "/api/v1/account/identities", &headers, body.as_bytes());
    let begun = (reply.status == 200)
        .then(|| Begun::of(&reply, "fake", reply.json()["url"].as_str().expect("a URL")));
    (reply, begun)
}

/// The same browser, with its session, comes back from the provider.
fn come_back_as(world: &World, begun: &Begun, session: &str, claims: Json) -> Reply {
    world.provider.answer(begun, &world.provider.token(&world.provider.claims(begun, claims)));
    let path = format!("/_sign-in/fake/callback?code=code-1&state={}", begun.state);
    let cookies = format!("quadrille-sign-in={}; {session}", begun.cookie);
    world.server.send("GET", &path, &[("cookie", &cookies)], b"")
}

#[test]
fn a_second_identity_is_added_to_an_account_and_removed() {
    let world = World::new(json!({}));
    let signed_in = world.sign_in(json!({}));
    let session = format!("quadrille={}", cookie(&signed_in, "quadrille").expect("a session"));
    let account = || world.server.send("GET", "/api/v1/account", &[("cookie", &session)], b"").json();
    // The way back from the provider is the way out too.
    let read = world.server.send("GET", "/api/v1/session", &[("cookie", &session)], b"").json();
    assert_eq!(read["provider"], json!({ "id": "fake", "name": "Fake" }));
    let begun = begin_adding(&world, &session).1.expect("signed in");
    let back =
        come_back_as(&world, &begun, &session, json!({ "sub": "ada-private", "email": "other@example.org" }));
    assert_eq!((back.status, back.header("location")), (302, "/_account"), "{}", back.text());
    assert_eq!(cookie(&back, "quadrille"), None, "the session stays");
    let identities = account()["identities"].clone();
    assert_eq!(identities.as_array().map(Vec::len), Some(2), "{identities}");
    assert!(identities.as_array().expect("a list").iter().all(|identity| identity["provider"] == "fake"));
    // It signs in to the same account, whatever its address.
    let other = world.sign_in(json!({ "sub": "ada-private", "email": "other@example.org" }));
    assert_eq!(world.account(&other)["id"], account()["id"]);
    assert_eq!(account()["email"], "ada@example.org");
    // The only way to sign in stays.
    let remove =
        || world.server.send("DELETE", "/api/v1/account/identities/fake", &[("cookie", &session)], b"");
    assert_eq!((remove().status, remove().code().as_str()), (409, "conflict"));
    let headers = [("cookie", session.as_str()), ("content-type", "application/json")];
    let password = json!({ "new": "correct horse" }).to_string();
    let set = world.server.send("PUT", "/api/v1/account/password", &headers, password.as_bytes());
    assert_eq!(set.status, 204, "{set:?}");
    assert_eq!(remove().status, 204);
    assert_eq!(account()["identities"], json!([]));
    assert_eq!((remove().status, remove().code().as_str()), (404, "not_found"));
}

#[test]
fn an_identity_is_added_only_by_the_person_who_began_it() {
    let world = World::new(json!({}));
    let session_of = |reply: &Reply| format!("quadrille={}", cookie(reply, "quadrille").expect("a session"));
    let ada = session_of(&world.sign_in(json!({})));
    let eve = session_of(&world.sign_in(json!({ "sub": "eve", "email": "eve@example.org", "name": "Eve" })));
    assert_eq!(begin_adding(&world, "").0.code(), "sign_in_required");
    // By a page of another site, which would send Ada to a provider where Eve is signed in.
    let evil = [
        ("cookie", ada.as_str()),
        ("content-type", "application/json"),
        ("origin", "https://evil.example"),
        ("sec-fetch-site", "cross-site"),
    ];
    let forged = world.server.send("POST", "/api/v1/account/identities", &evil, br#"{"provider":"fake"}"#);
    assert_eq!((forged.status, forged.code().as_str()), (403, "bad_origin"));
    let claims = || json!({ "sub": "eve-too", "email": "eve@example.com" });
    for (what, session) in [("signed out meanwhile", ""), ("another account meanwhile", eve.as_str())] {
        let begun = begin_adding(&world, &ada).1.expect("signed in");
        let back = come_back_as(&world, &begun, session, claims());
        assert_eq!((back.status, back.code().as_str()), (401, "sign_in_failed"), "{what}: {back:?}");
    }
    // An identity of somebody else.
    let begun = begin_adding(&world, &ada).1.expect("signed in");
    let taken = come_back_as(&world, &begun, &ada, json!({ "sub": "eve" }));
    assert_eq!((taken.status, taken.code().as_str()), (409, "conflict"), "{taken:?}");
    let refusals = world.refusals();
    let wanted = "the account that began this is no longer signed in";
    assert_eq!(refusals.iter().filter(|reason| reason.contains(wanted)).count(), 2, "{refusals:?}");
}
