//! Lists of workbooks.

use std::path::Path;

use quadrille_access::{AccessStore, AccountId, GeneralAccess, Grant, Person, Version, WorkbookAccess};
use quadrille_protocol::{Role, RoomName};
use quadrille_storage_sqlite::SqliteAccessStore;
use serde_json::{Value as Json, json};

use crate::access::{Restricted, send};
use crate::prepared_accounts::prepare_accounts;
use crate::support::Server;

fn look_up(server: &Server, workbooks: Json) -> Json {
    let body = json!({ "workbooks": workbooks }).to_string();
    let reply = send(server, "", "POST", "/api/v1/workbooks/lookup", &body);
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["workbooks"].clone()
}

fn rename(server: &Server, credential: &str, room: &str, title: &str) {
    let path = format!("/api/v1/rooms/{room}/items/0");
    let body = json!({ "fields": { "title": title } }).to_string();
    assert_eq!(send(server, credential, "PUT", &path, &body).status, 200);
}

#[test]
fn a_browser_looks_up_the_workbooks_that_it_knows() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    let plan = Restricted::new(&server, "plan");
    server.make_room("open", "1\n");
    rename(&server, &plan.owner_key, "plan", "Plan of 2027");
    let rows = |server: &Server| {
        look_up(
            server,
            json!([
                { "room": "plan", "token": plan.owner_key },
                { "room": "plan" },
                { "room": "open" },
                { "room": "absent" },
                { "room": ".invalid" },
                { "room": "open", "token": "nonsense" },
            ]),
        )
    };
    let found = rows(&server);
    let short =
        |row: &Json| (row["room"].clone(), row["title"].clone(), row["role"].clone(), row["isMine"].clone());
    let found_short: Vec<_> = found.as_array().expect("rows").iter().map(short).collect();
    let open = (json!("open"), json!(null), json!("edit"), json!(false));
    assert_eq!(
        found_short,
        [(json!("plan"), json!("Plan of 2027"), json!("owner"), json!(true)), open.clone(), open]
    );
    assert!(found[0]["changedMs"].as_i64().expect("a time") > 1_700_000_000_000);
    // The facts are stored, and deleted with the workbook.
    server.signal("TERM");
    server.wait();
    let server = Server::start_on(data.path(), &[]);
    assert_eq!(rows(&server)[0]["title"], "Plan of 2027");
    assert_eq!(send(&server, &plan.owner_key, "DELETE", &plan.path(""), "").status, 204);
    server.make_room("plan", "2\n");
    assert_eq!(look_up(&server, json!([{ "room": "plan" }]))[0]["title"], json!(null));
}

#[test]
fn a_workbook_in_the_trash_is_listed_for_its_owner_only() {
    let server = Server::start();
    let plan = Restricted::new(&server, "plan");
    let known = |token: &str| json!([{ "room": "plan", "token": token }]);
    assert_eq!(look_up(&server, known(plan.view_link()))[0]["role"], "view");
    assert_eq!(send(&server, &plan.owner_key, "POST", &plan.path("/access/trash"), "").status, 204);
    assert_eq!(look_up(&server, known(plan.view_link())), json!([]));
    assert!(look_up(&server, known(&plan.owner_key))[0]["trashedMs"].is_i64());
}

#[test]
fn too_many_workbooks_are_refused() {
    let server = Server::start();
    let workbooks: Vec<Json> = (0..101).map(|number| json!({ "room": format!("r{number}") })).collect();
    let body = json!({ "workbooks": workbooks }).to_string();
    let refused = send(&server, "", "POST", "/api/v1/workbooks/lookup", &body);
    assert_eq!((refused.status, refused.code().as_str()), (400, "bad_request"));
}

/// Writes a restricted workbook of an account, shared with another one.
fn put_workbook(data: &Path, room: &str, owner: u64, editor: u64, trashed_ms: Option<i64>) {
    let mut access = WorkbookAccess::with_owner(AccountId(owner), GeneralAccess::Restricted, 1);
    let person = Person::Account(AccountId(editor));
    access.grants.push(Grant { person, role: Role::Edit, created_ms: 1, last_seen_ms: 0 });
    access.trashed_ms = trashed_ms;
    let mut store = SqliteAccessStore::open(data).expect("a store");
    let room = RoomName::new(room).expect("a valid name");
    store.put_workbook(&room, Version(0), Some(&access), &[]).expect("stored");
}

#[test]
fn an_account_lists_its_own_workbooks_the_shared_ones_and_the_trash() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let [ada, bob] = prepare_accounts(data.path(), [("Ada", "ada@example.org"), ("Bob", "bob@example.org")]);
    // The trash is emptied after 30 days.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let now_ms = now.as_millis() as i64;
    for (room, owner, editor, trashed_ms) in
        [("budget", 1, 2, None), ("plan", 1, 2, None), ("old", 1, 2, Some(now_ms)), ("harvest", 2, 1, None)]
    {
        put_workbook(data.path(), room, owner, editor, trashed_ms);
    }
    let server = Server::start_on(data.path(), &[]);
    let list = |token: &str, query: &str| {
        let reply = send(&server, token, "GET", &format!("/api/v1/account/workbooks{query}"), "");
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    };
    let rooms = |token: &str, query: &str| -> Vec<String> {
        let reply = list(token, query);
        let rows = reply["workbooks"].as_array().expect("rows");
        rows.iter().map(|row| row["room"].as_str().expect("a room").to_owned()).collect()
    };
    assert_eq!(rooms(&ada.token, ""), ["budget", "plan"]);
    assert_eq!(rooms(&ada.token, "?list=shared"), ["harvest"]);
    assert_eq!(rooms(&ada.token, "?list=trash"), ["old"]);
    assert_eq!(rooms(&bob.token, "?list=shared"), ["budget", "plan"]);
    assert_eq!(rooms(&bob.token, "?list=trash"), [""; 0]);
    let shared = list(&bob.token, "?list=shared")["workbooks"][0].clone();
    assert_eq!((&shared["role"], &shared["owner"]["name"]), (&json!("edit"), &json!("Ada")));
    // The last changed first, page by page.
    let headers = [("authorization", format!("Bearer {}", ada.token)), ("content-type", "text/csv".into())];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(server.send("PUT", "/api/v1/rooms/plan", &headers, b"1\n").status, 201);
    rename(&server, &ada.token, "plan", "Plan of 2027");
    assert_eq!(rooms(&ada.token, ""), ["plan", "budget"]);
    assert_eq!(rooms(&ada.token, "?q=OF+2027"), ["plan"]);
    let first = list(&ada.token, "?limit=1");
    let next = first["next"].as_str().expect("another page").replace(' ', "%20");
    assert_eq!(rooms(&ada.token, &format!("?limit=1&after={next}")), ["budget"]);
    assert_eq!(list(&ada.token, &format!("?after={next}"))["next"], json!(null));
    let refused = send(&server, &ada.token, "GET", "/api/v1/account/workbooks?after=x", "");
    assert_eq!((refused.status, refused.code().as_str()), (400, "bad_query"));
    let anonymous = server.get("/api/v1/account/workbooks");
    assert_eq!((anonymous.status, anonymous.code().as_str()), (401, "sign_in_required"));
}

#[test]
fn an_owner_transfers_a_workbook_to_a_person_with_a_role() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let [ada, bob] = prepare_accounts(data.path(), [("Ada", "ada@example.org"), ("Bob", "bob@example.org")]);
    put_workbook(data.path(), "plan", 1, 2, None);
    let server = Server::start_on(data.path(), &[]);
    let transfer = |token: &str, person: &str| {
        let body = json!({ "person": person }).to_string();
        send(&server, token, "PUT", "/api/v1/rooms/plan/access/owner", &body).status
    };
    assert_eq!(transfer(&bob.token, &bob.id), 403);
    // Bob has a role by his account, not by his address; nobody else has one.
    assert_eq!(
        [transfer(&ada.token, "bob@example.org"), transfer(&ada.token, "eve@example.org")],
        [404, 404]
    );
    assert_eq!(transfer(&ada.token, &bob.id), 204);
    let role =
        |token: &str| send(&server, token, "GET", "/api/v1/rooms/plan/access", "").json()["role"].clone();
    // The workbook was never written to: it exists by its access alone.
    assert_eq!((role(&ada.token), role(&bob.token)), (json!("edit"), json!("owner")));
}
