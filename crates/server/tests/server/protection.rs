//! Protected ranges that name who may edit them, over REST and WebSocket.

use serde_json::json;

use crate::access::send;
use crate::person::Person;
use crate::prepared_accounts::{PreparedAccount, prepare_accounts};
use crate::support::{Reply, Server};

/// A server with two people who have accounts.
fn with_people() -> (tempfile::TempDir, Server, [PreparedAccount; 2]) {
    let data = tempfile::tempdir().expect("a temporary directory");
    let people = prepare_accounts(data.path(), [("Ada", "ada@example.org"), ("Bob", "bob@example.org")]);
    let server = Server::start_on(data.path(), &[]);
    (data, server, people)
}

/// Creates a workbook with an owner key; everybody with its address may edit it.
fn make_owned(server: &Server, room: &str) -> String {
    let body = json!({ "name": room, "claim": true }).to_string();
    let made = send(server, "", "POST", "/api/v1/rooms", &body);
    assert_eq!(made.status, 201, "{made:?}");
    let key = made.json()["ownerKey"].as_str().expect("claimed").to_owned();
    let general = send(server, &key, "PUT", &format!("/api/v1/rooms/{room}/access"), r#"{"general":"edit"}"#);
    assert_eq!(general.status, 204, "{general:?}");
    key
}

fn protect(server: &Server, credential: &str, room: &str, range: &str, editors: &[&str]) -> Reply {
    let item = json!({ "kind": "protectedRange", "anchors": [range], "fields": { "editors": editors } });
    send(server, credential, "PUT", &format!("/api/v1/rooms/{room}/sheets/Sheet1/items/9"), &item.to_string())
}

fn write(server: &Server, credential: &str, room: &str, cell: &str) -> Reply {
    let path = format!("/api/v1/rooms/{room}/sheets/Sheet1/cells/{cell}");
    send(server, credential, "PUT", &path, "1")
}

#[test]
fn only_named_people_and_owners_change_protected_cells() {
    let (_data, server, [ada, bob]) = with_people();
    let key = make_owned(&server, "plan");
    let label = format!("{} Ada Lovelace", ada.id);
    assert_eq!(protect(&server, &key, "plan", "B2:B9", &[&label]).status, 200);
    for (credential, may_edit) in [(&*key, true), (&*ada.token, true), (&*bob.token, false), ("", false)] {
        let written = write(&server, credential, "plan", "B2");
        assert_eq!(written.status, if may_edit { 200 } else { 403 }, "{written:?}");
        assert_eq!(write(&server, credential, "plan", "A1").status, 200);
    }
    let refused = write(&server, &bob.token, "plan", "B2").json();
    assert_eq!(refused["error"]["code"], "forbidden");
    assert_eq!(refused["error"]["message"], "these cells are protected: Sheet1!B2:B9; editors: Ada Lovelace");
    // Nor can others lift the protection, or replace the whole workbook.
    let item = "/api/v1/rooms/plan/sheets/Sheet1/items/9";
    assert_eq!(send(&server, &bob.token, "DELETE", item, "").status, 403);
    assert_eq!(protect(&server, &bob.token, "plan", "Z1", &[&bob.id]).status, 403);
    let csv = server.send("PUT", "/api/v1/rooms/plan", &[("content-type", "text/csv")], b"1,2");
    assert_eq!(csv.status, 403, "{csv:?}");
    let restored = send(&server, &bob.token, "POST", "/api/v1/rooms/plan/history/1/restore", "");
    assert_eq!(restored.status, 403, "{restored:?}");
    assert_eq!(send(&server, &ada.token, "DELETE", item, "").status, 204);
    assert_eq!(write(&server, &bob.token, "plan", "B2").status, 200);
}

#[test]
fn a_verified_address_is_an_editor_whatever_its_case() {
    let (_data, server, [ada, bob]) = with_people();
    let key = make_owned(&server, "plan");
    assert_eq!(protect(&server, &key, "plan", "B2", &["Bob@Example.org"]).status, 200);
    assert_eq!(write(&server, &bob.token, "plan", "B2").status, 200);
    assert_eq!(write(&server, &ada.token, "plan", "B2").status, 403);
}

#[test]
fn nobody_locks_others_out_of_a_workbook_without_being_an_editor() {
    let (_data, server, [ada, _]) = with_people();
    server.make_room("open", "1,2");
    let refused = protect(&server, "", "open", "A1", &["owner"]);
    assert_eq!(refused.status, 403, "{refused:?}");
    assert_eq!(
        refused.json()["error"]["message"],
        "only people whom a protection names as editors can set it: Sheet1"
    );
    assert_eq!(protect(&server, &ada.token, "open", "A1", &[&ada.id]).status, 200);
}

#[test]
fn the_name_of_a_rest_request_is_no_account() {
    let (_data, server, [ada, _]) = with_people();
    let key = make_owned(&server, "plan");
    assert_eq!(protect(&server, &key, "plan", "B2", &[&ada.id]).status, 200);
    let path = format!("/api/v1/rooms/plan/history/1/restore?name={}", ada.id);
    assert_eq!(send(&server, "", "POST", &path, "").status, 403);
}

#[test]
fn a_session_is_bound_by_its_account() {
    let (_data, server, [ada, bob]) = with_people();
    let key = make_owned(&server, "plan");
    assert_eq!(protect(&server, &key, "plan", "B2", &[&ada.id]).status, 200);
    let mut others = [
        Person::join_with(&server, "plan", "Bob", &format!("bearer.{}", bob.token)),
        // A name like that of the editor proves nothing.
        Person::join(&server, "plan", "Ada"),
    ];
    for person in &mut others {
        person.type_text("B2", "not mine");
        person.wait_until("refused", |person| !person.problems.is_empty());
        assert!(person.problems[0].contains("these cells are protected"), "{:?}", person.problems);
        person.wait_until_saved();
        person.wait_for_value("B2", quadrille_cell::Value::Blank);
    }
    let mut editor = Person::join_with(&server, "plan", "Ada", &format!("bearer.{}", ada.token));
    editor.type_text("B2", "mine");
    editor.wait_until_saved();
    let mut owner = Person::join_with(&server, "plan", "Olga", &format!("bearer.{key}"));
    owner.wait_for_value("B2", "mine");
    owner.type_text("B2", "and the owner's");
    owner.wait_until_saved();
    assert!(owner.problems.is_empty() && editor.problems.is_empty());
    others[0].wait_for_value("B2", "and the owner's");
}

#[test]
fn a_copy_has_no_editors() {
    let (_data, server, [ada, _]) = with_people();
    let key = make_owned(&server, "plan");
    assert_eq!(protect(&server, &key, "plan", "B2", &["ada@example.org", &ada.id]).status, 200);
    let body = json!({ "name": "copy", "copyOf": "plan" }).to_string();
    assert_eq!(server.post_json("/api/v1/rooms", &body).status, 201);
    let items = server.get("/api/v1/rooms/copy/sheets/Sheet1/items?kind=protectedRange").json();
    assert_eq!(items["items"].as_array().map(Vec::len), Some(1), "{items}");
    assert!(!items.to_string().contains("ada@example.org"), "{items}");
    assert_eq!(server.delete("/api/v1/rooms/copy/sheets/Sheet1/items/9").status, 204);
    // A sheet that is copied within the workbook is open to everybody too.
    let path = "/api/v1/rooms/plan/sheets/Sheet1/items/9";
    assert_eq!(server.delete(path).status, 403);
}
