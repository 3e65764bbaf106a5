//! What is stored about a person is exported and erased.

use quadrille_access::{AccessStore, GeneralAccess, Grant, Person, Version, WorkbookAccess};
use quadrille_protocol::{Role, RoomName};
use serde_json::{Value as Json, json};

use crate::access::{Restricted, send};
use crate::access_roles::example;
use crate::admin::{ADA, Prepared, add_account, admin, give_workbooks, stored, texts};
use crate::support::Server;

/// Ada owns `plan` and `old`, and was invited to `shared` by her address.
fn prepared() -> Prepared {
    let prepared = Prepared::new();
    let server = prepared.start(&[]);
    for room in ["old", "plan", "shared"] {
        server.make_room(room, "1\n");
    }
    drop(server);
    give_workbooks(&prepared, i64::MAX / 2);
    let mut store = prepared.store();
    let address = quadrille_access::Email::parse("ada@example.org").expect("an address");
    let grant = Grant { person: Person::Email(address), role: Role::Edit, created_ms: 7, last_seen_ms: 0 };
    let shared = WorkbookAccess {
        grants: vec![grant],
        ..WorkbookAccess::with_owner(quadrille_access::AccountId(0xad), GeneralAccess::Restricted, 1)
    };
    let room = RoomName::new("shared").expect("a name");
    store.put_workbook(&room, Version(0), Some(&shared), &[]).expect("stored");
    drop(store);
    prepared
}

#[test]
fn no_route_tells_a_workbook_without_access_from_a_missing_one() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = Server::start_on(data.path(), &[]);
    let workbook = Restricted::new(&server, "secret");
    drop(server);
    // Nobody can create the missing one, so that changes can be compared, too.
    let server = Server::start_on(data.path(), &["--create-workbooks", "nobody"]);
    let document = server.get("/api/v1/openapi.json").json();
    let mut count = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        if !path.contains("{room}") || path.starts_with("/api/v1/admin") {
            continue;
        }
        for method in item.as_object().expect("operations").keys().filter(|key| *key != "parameters") {
            count += 1;
            let (filled, media_type, body) = example(&document, method, path);
            let filled = workbook.filled(&filled.replace("{room}", "ROOM"));
            let answer = |room: &str| {
                let headers = [("content-type", media_type.as_str())];
                let headers = if body.is_empty() { &[][..] } else { &headers[..] };
                let path = filled.replace("ROOM", room);
                let reply = server.send(&method.to_uppercase(), &path, headers, body.as_bytes());
                (reply.status, reply.text().replace(room, "ROOM"))
            };
            assert_eq!(answer("secret"), answer("absent"), "{method} {path}");
        }
    }
    assert!(count >= 40, "{count}");
    for (method, path) in [
        ("GET", "/_exists/ROOM"),
        ("GET", "/_/ROOM"),
        ("PUT", "/_/ROOM"),
        ("DELETE", "/_/ROOM"),
        ("GET", "/ROOM.csv"),
        ("POST", "/_"),
        ("POST", "/api/v1/rooms"),
    ] {
        let answer = |room: &str| {
            let body = match path {
                "/_" => json!({ "room": room, "snapshot": "a" }).to_string(),
                "/api/v1/rooms" => json!({ "name": room }).to_string(),
                _ => String::new(),
            };
            let reply = send(&server, "", method, &path.replace("ROOM", room), &body);
            (reply.status, reply.text().replace(room, "ROOM"))
        };
        assert_eq!(answer("secret"), answer("absent"), "{method} {path}");
    }
}

#[test]
fn a_person_exports_everything_stored_about_it() {
    let prepared = prepared();
    let server = prepared.start(&[]);
    let reply = send(&server, &prepared.ada, "GET", "/api/v1/account/export", "");
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.header("content-disposition").starts_with("attachment"), "{reply:?}");
    let own = reply.json();
    assert_eq!(own["account"]["email"], "ada@example.org");
    assert_eq!(texts(&own, "sessions", "userAgent"), ["Firefox"]);
    assert_eq!(texts(&own, "tokens", "label"), ["script"]);
    assert_eq!(texts(&own, "workbooks", "room"), ["old", "plan", "shared"]);
    let shared = &own["workbooks"][2];
    assert_eq!([&shared["isOwner"], &shared["role"]], [&json!(false), &json!("edit")]);
    assert!(!reply.text().contains("hash"), "nothing by which somebody could sign in");
    // An admin gets the same; the log says who has asked.
    let by_admin =
        admin(&server, &prepared.admin, "GET", &format!("/accounts/{ADA}/export"), Json::Null).json();
    assert_eq!(by_admin["workbooks"], own["workbooks"]);
    assert_eq!(texts(&by_admin, "audit", "event"), ["account_exported", "account_exported"]);
}

#[test]
fn an_erased_person_leaves_no_account_workbooks_and_roles() {
    let prepared = prepared();
    let mut server = prepared.start(&[]);
    let erased = admin(&server, &prepared.admin, "DELETE", &format!("/accounts/{ADA}"), Json::Null);
    assert_eq!(erased.status, 204, "{erased:?}");
    assert_eq!(send(&server, &prepared.ada, "GET", "/api/v1/account", "").status, 401);
    let workbooks = admin(&server, &prepared.admin, "GET", "/workbooks", Json::Null).json();
    assert_eq!(texts(&workbooks, "workbooks", "room"), ["shared"]);
    let access = send(&server, &prepared.admin, "GET", "/api/v1/rooms/shared/access", "").json();
    assert_eq!(access["people"], json!([]));
    server.signal("TERM");
    server.wait();
    let mut store = stored(prepared.data.path());
    assert_eq!(store.account(ADA), Ok(None));
    assert_eq!((store.sessions_of(ADA), store.tokens_of(ADA)), (Ok(vec![]), Ok(vec![])));
}

#[test]
fn workbooks_of_an_erased_person_can_be_kept_by_somebody_else() {
    let prepared = prepared();
    let bob = quadrille_access::AccountId(0xb0b);
    let token = add_account(&mut prepared.store(), bob, "bob@example.org", false);
    let server = prepared.start(&[]);
    let path = format!("/accounts/{ADA}?transferTo={bob}");
    assert_eq!(admin(&server, &prepared.admin, "DELETE", &path, Json::Null).status, 204);
    assert_eq!(send(&server, &token, "GET", "/api/v1/rooms/plan", "").status, 200);
    let own = admin(&server, &prepared.admin, "GET", &format!("/workbooks?owner={bob}"), Json::Null).json();
    assert_eq!(texts(&own, "workbooks", "room"), ["old", "plan"]);
}
