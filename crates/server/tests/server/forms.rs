//! Forms: whoever has the link adds rows to a table, once each, and gets nothing else.

use serde_json::{Value as Json, json};

use crate::support::{Reply, Server};

const FORMS: &str = "/api/v1/rooms/plan/forms";

/// A workbook with a table of orders: choices, limits, a formula and a total row come with it.
fn orders(server: &Server) {
    server.make_room("plan", "Name,Pieces,Kind,Due,Double,Time\nAda,2,Tea,,=B2*2,\n");
    let commands = json!({ "commands": [
        { "type": "setItem", "sheet": "Sheet1", "kind": "table", "anchors": ["A1:F2"],
          "fields": { "name": "Orders", "headerRow": true } },
        { "type": "setItem", "sheet": "Sheet1", "kind": "validation", "anchors": ["B2"],
          "fields": { "rule": "whole", "operator": "between", "formula1": "=1", "formula2": "=9" } },
        { "type": "setItem", "sheet": "Sheet1", "kind": "validation", "anchors": ["C2"],
          "fields": { "rule": "list", "choices": ["Tea", "Coffee"], "errorMessage": "We have tea and coffee." } },
        { "type": "setItem", "sheet": "Sheet1", "kind": "validation", "anchors": ["D2"],
          "fields": { "rule": "date" } },
    ]});
    let reply = server.post_json("/api/v1/rooms/plan/commands", &commands.to_string());
    assert_eq!(reply.status, 200, "{}", reply.text());
}

fn create(server: &Server, members: Json) -> Json {
    let mut body = json!({ "table": "Orders", "title": "Order" });
    body.as_object_mut().expect("an object").extend(members.as_object().expect("members").clone());
    let reply = server.post_json(FORMS, &body.to_string());
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()
}

fn link(form: &Json) -> String {
    form["url"].as_str().expect("a link").trim_start_matches("/_form/").to_owned()
}

/// The answers by the names of the columns.
fn answers(form: &Json, given: &[(&str, Json)]) -> Json {
    let id = |name: &str| {
        let questions = form["questions"].as_array().expect("questions");
        let question = questions.iter().find(|question| question["column"] == name);
        question.expect(name)["id"].as_str().expect("a number").to_owned()
    };
    Json::Object(given.iter().map(|(name, answer)| (id(name), answer.clone())).collect())
}

fn respond(server: &Server, form: &Json, submission: &str, given: &[(&str, Json)]) -> Reply {
    let body = json!({ "submission": submission, "answers": answers(form, given) });
    server.post_json(&format!("/api/v1/forms/{}/responses", link(form)), &body.to_string())
}

#[test]
fn a_response_becomes_a_row_with_values_of_their_kinds() {
    let server = Server::start();
    orders(&server);
    let form = create(&server, json!({ "timestampColumn": "Time" }));
    let kinds: Vec<_> = form["questions"].as_array().expect("questions").iter().collect();
    let kinds: Vec<_> =
        kinds.iter().map(|question| format!("{} {}", question["column"], question["shownKind"])).collect();
    assert_eq!(
        kinds,
        [r#""Name" "shortText""#, r#""Pieces" "number""#, r#""Kind" "choice""#, r#""Due" "date""#]
    );
    let given = [
        ("Name", json!("=1+1")),
        ("Pieces", json!(3)),
        ("Kind", json!("Coffee")),
        ("Due", json!("2026-11-26")),
    ];
    let reply = respond(&server, &form, "s1", &given);
    assert_eq!(
        (reply.status, reply.json()),
        (201, json!({ "confirmation": "Your response has been recorded." }))
    );
    let csv = server.csv("plan");
    let row = csv.lines().nth(2).expect("a third row");
    assert!(row.starts_with("=1+1,3,Coffee,2026-11-26,6,20"), "{csv}");
    let cells = server.get("/api/v1/rooms/plan/sheets/Sheet1/cells/A3:F3").json();
    let cells = &cells["cells"][0];
    assert_eq!((&cells[0]["value"], &cells[0]["formula"]), (&json!("=1+1"), &Json::Null), "{cells}");
    assert_eq!((&cells[3]["value"], &cells[4]["formula"]), (&json!(46_352), &json!("=B3*2")), "{cells}");
    // The table and its rules have grown with it.
    assert_eq!(server.get(FORMS).json()["forms"][0]["range"], "A1:F3");
    assert_eq!(respond(&server, &form, "s2", &[("Kind", json!("Cocoa"))]).code(), "bad_answers");
}

#[test]
fn a_list_with_several_choices_is_a_question_with_checkboxes() {
    let server = Server::start();
    orders(&server);
    let list = json!({ "kind": "validation", "anchors": ["A2"], "fields": {
        "rule": "list", "choices": ["Ada", "Bob", "Cy"], "allowMultiple": true } });
    assert_eq!(server.post_json("/api/v1/rooms/plan/sheets/Sheet1/items", &list.to_string()).status, 201);
    let form = create(&server, json!({}));
    assert_eq!(form["questions"][0]["shownKind"], "multipleChoice");
    let given = [("Name", json!(["Cy", "Ada"])), ("Pieces", json!(1)), ("Kind", json!("Tea"))];
    assert_eq!(respond(&server, &form, "s1", &given).status, 201);
    assert!(server.csv("plan").contains("\"Ada, Cy\",1,Tea"), "{}", server.csv("plan"));
}

#[test]
fn the_rows_of_a_table_with_totals_and_cells_below_move_down() {
    let server = Server::start();
    server.make_room("plan", "Name,Pieces\nAda,2\nTotal,=SUM(B2:B2)\nNote,\n");
    let table =
        json!({ "kind": "table", "anchors": ["A1:B3"], "fields": { "name": "Orders", "totalRow": true } });
    assert_eq!(server.post_json("/api/v1/rooms/plan/sheets/Sheet1/items", &table.to_string()).status, 201);
    let form = create(&server, json!({}));
    for name in ["Bob", "Cy"] {
        assert_eq!(respond(&server, &form, name, &[("Name", json!(name)), ("Pieces", json!(5))]).status, 201);
    }
    let csv = server.csv("plan");
    assert!(csv.starts_with("Name,Pieces\nAda,2\nBob,5\nCy,5\nTotal,"), "{csv}");
    assert!(csv.ends_with("Note,\n"), "{csv}");
}

#[test]
fn a_range_becomes_a_table_and_its_blank_rows_are_used_first() {
    let server = Server::start();
    server.make_room("plan", "Name,City\n");
    let body = json!({ "sheet": "Sheet1", "range": "A1:B3", "title": "Guests" });
    let form = server.post_json(FORMS, &body.to_string()).json();
    assert_eq!((&form["table"], &form["range"]), (&json!("Table1"), &json!("A1:B3")));
    for name in ["Ada", "Bob", "Cy"] {
        assert_eq!(respond(&server, &form, name, &[("Name", json!(name))]).status, 201);
    }
    assert_eq!(server.csv("plan"), "Name,City\nAda,\nBob,\nCy,\n");
    // A renamed and moved column is still the same question.
    let commands = json!({ "commands": [
        { "type": "insertColumns", "sheet": "Sheet1", "at": 0, "count": 1 },
        { "type": "setCells", "sheet": "Sheet1", "at": "B1", "cells": [[{ "text": "Guest" }]] },
    ]});
    assert_eq!(server.post_json("/api/v1/rooms/plan/commands", &commands.to_string()).status, 200);
    assert_eq!(respond(&server, &form, "d", &[("Name", json!("Di"))]).status, 201);
    assert!(server.csv("plan").ends_with(",Di,\n"), "{}", server.csv("plan"));
}

#[test]
fn a_response_that_is_sent_again_is_recorded_once_also_after_a_crash() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut server = Server::start_on(directory.path(), &[]);
    orders(&server);
    let form = create(&server, json!({}));
    let given = [("Name", json!("Bob")), ("Pieces", json!(1))];
    for _ in 0..2 {
        assert_eq!(respond(&server, &form, "once", &given).status, 201);
    }
    let other = respond(&server, &form, "once", &[("Name", json!("Eve")), ("Pieces", json!(1))]);
    assert_eq!((other.status, other.code().as_str()), (422, "idempotency_key_reused"));
    server.kill();
    let late =
        json!({ "submission": "once", "isRepeated": true, "revision": 0, "answers": answers(&form, &given) });
    let path = format!("/api/v1/forms/{}/responses", link(&form));
    let database = rusqlite::Connection::open(directory.path().join("access.db")).expect("a database");
    // The answer was not recorded; then the key is forgotten, as after a day: the journal knows the response.
    for statement in
        ["UPDATE keyed_request SET document = json_remove(document, '$.answer')", "DELETE FROM keyed_request"]
    {
        assert_eq!(database.execute(statement, []), Ok(1));
        let mut server = Server::start_on(directory.path(), &[]);
        assert_eq!(server.post_json(&path, &late.to_string()).status, 201);
        assert_eq!(server.csv("plan").matches("Bob").count(), 1);
        server.kill();
    }
}

#[test]
fn the_link_gives_no_access_to_the_workbook_and_ends_when_it_is_renewed() {
    let server = Server::start();
    orders(&server);
    let form = create(&server, json!({}));
    let first = link(&form);
    assert!(!first.contains("plan") && first.len() < 100, "{first}");
    let page = server.get(&format!("/_form/{first}"));
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    for secret in ["Orders", "Ada", "plan", "Sheet1"] {
        assert!(!page.text().contains(secret), "{secret}");
    }
    let id = form["id"].as_str().expect("an identifier");
    let renewed = server.post_json(&format!("{FORMS}/{id}/link"), "").json();
    assert_eq!(server.get(&format!("/_form/{first}")).status, 404);
    assert_eq!(respond(&server, &form, "a", &[("Name", json!("x"))]).status, 404);
    assert_eq!(server.get(&format!("/_form/{}", link(&renewed))).status, 200);
    assert_eq!(server.delete(&format!("{FORMS}/{id}/link")).status, 204);
    assert_eq!(server.get(&format!("/_form/{}", link(&renewed))).status, 404);
    assert_eq!(server.get(&format!("{FORMS}/{id}")).json()["url"], Json::Null);
    assert_eq!(server.delete(&format!("{FORMS}/{id}")).status, 204);
    assert_eq!(server.get(FORMS).json(), json!({ "forms": [] }));
}

#[test]
fn a_form_closes_by_hand_by_its_date_and_by_the_rows_of_the_table() {
    let server = Server::start();
    orders(&server);
    let form = create(&server, json!({ "rowsMax": 2 }));
    let path = format!("{FORMS}/{}", form["id"].as_str().expect("an identifier"));
    assert_eq!(respond(&server, &form, "a", &[("Name", json!("Bob"))]).status, 201);
    assert_eq!(respond(&server, &form, "b", &[("Name", json!("Cy"))]).code(), "conflict");
    // What has been recorded stays recorded.
    assert_eq!(respond(&server, &form, "a", &[("Name", json!("Bob"))]).status, 201);
    for members in [json!({ "rowsMax": null, "isClosed": true }), json!({ "isClosed": false, "closesMs": 1 })]
    {
        assert_eq!(server.put_json(&path, &members.to_string()).status, 200);
        assert_eq!(respond(&server, &form, "c", &[("Name", json!("Cy"))]).code(), "conflict");
        assert!(server.get(form["url"].as_str().expect("a link")).text().contains("no longer accepts"));
    }
    assert_eq!(server.put_json(&path, r#"{"closesMs":null}"#).status, 200);
    assert_eq!(respond(&server, &form, "c", &[("Name", json!("Cy"))]).status, 201);
}

#[test]
fn the_page_works_without_a_script_in_the_language_of_the_browser() {
    let server = Server::start();
    orders(&server);
    let questions =
        json!([{ "column": "Name", "isRequired": true, "label": "Who <b>?" }, { "column": "Pieces" }]);
    let form = create(&server, json!({ "questions": questions }));
    let path = form["url"].as_str().expect("a link");
    let name = &form["questions"][0]["id"].as_str().expect("a number").to_owned();
    let pieces = &form["questions"][1]["id"].as_str().expect("a number").to_owned();
    let page = server.send("GET", path, &[("accept-language", "ar,en;q=0.5")], b"").text();
    assert!(page.contains("lang=\"ar\" dir=\"rtl\"") && page.contains("Who &lt;b&gt;?"), "{page}");
    let send = |body: String| {
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("accept-language", "de")];
        server.send("POST", path, &headers, body.as_bytes())
    };
    let reply = send(format!("submission=s&revision=1&website=&q{name}=&q{pieces}=99"));
    assert_eq!(reply.status, 422);
    for sentence in
        ["Beantworten Sie diese Frage.", "Muss zwischen 1 und 9 liegen.", "value=\"99\"", "value=\"s\""]
    {
        assert!(reply.text().contains(sentence), "{sentence}: {}", reply.text());
    }
    let reply = send(format!("submission=s&revision=1&website=&q{name}=J%C3%BCrgen+%26+Co&q{pieces}=4"));
    assert_eq!((reply.status, reply.header("location")), (303, &*format!("{path}?sent&lang=de")));
    assert!(server.get(&format!("{path}?sent&lang=de")).text().contains("Ihre Antwort wurde gespeichert."));
    // What fills in the field that people do not see is thanked and forgotten.
    assert_eq!(send(format!("submission=t&website=spam&q{name}=Spam")).status, 303);
    let csv = server.csv("plan");
    assert!(csv.contains("Jürgen & Co,4") && !csv.contains("Spam"), "{csv}");
}

#[test]
fn bad_definitions_and_responses_get_a_clear_error() {
    let server = Server::start();
    orders(&server);
    for (body, code) in [
        (json!({ "title": "x" }), "bad_request"),
        (json!({ "table": "Orders" }), "bad_request"),
        (json!({ "table": "Orders", "title": " " }), "bad_request"),
        (json!({ "table": "Nothing", "title": "x" }), "not_found"),
        (json!({ "sheet": "Nothing", "range": "A1:B2", "title": "x" }), "no_such_sheet"),
        (json!({ "sheet": "Sheet1", "range": "?", "title": "x" }), "bad_address"),
        (json!({ "sheet": "Sheet1", "range": "H:I", "title": "x" }), "bad_request"),
        (json!({ "table": "Orders", "title": "x", "questions": [] }), "bad_request"),
        (json!({ "table": "Orders", "title": "x", "questions": [{ "column": "Z" }] }), "bad_request"),
        (json!({ "table": "Orders", "title": "x", "questions": [{ "column": "Double" }] }), "bad_request"),
        (
            json!({ "table": "Orders", "title": "x", "questions": [{ "column": "Name", "kind": "photo" }] }),
            "bad_json",
        ),
        (json!({ "table": "Orders", "title": "x", "timestampColumn": "Z" }), "bad_request"),
        (json!({ "table": "Orders", "title": "x", "rowsMax": 0 }), "bad_request"),
        (json!({ "table": "Orders", "title": "x", "colour": "red" }), "bad_json"),
    ] {
        assert_eq!(server.post_json(FORMS, &body.to_string()).code(), code, "{body:.200}");
    }
    let form = create(&server, json!({}));
    let path = format!("/api/v1/forms/{}/responses", link(&form));
    for (body, code) in [
        (r#"{"answers":{"1":"x"}}"#.to_owned(), "bad_request"),
        (r#"{"answers":{"x":"x"}}"#.to_owned(), "bad_request"),
        (r#"{"answers":[]}"#.to_owned(), "bad_json"),
        (json!({ "answers": answers(&form, &[("Name", json!({}))]) }).to_string(), "bad_request"),
        (json!({ "answers": {}, "submission": "x".repeat(65) }).to_string(), "bad_request"),
        (
            json!({ "answers": answers(&form, &[("Name", json!("x".repeat(32_768)))]) }).to_string(),
            "bad_answers",
        ),
        (json!({ "answers": answers(&form, &[("Pieces", json!(1.5))]) }).to_string(), "bad_answers"),
    ] {
        assert_eq!(server.post_json(&path, &body).code(), code, "{body:.200}");
    }
    for path in [FORMS, &*path] {
        // The server does not read a body that is declared as too long.
        let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
        let head = format!("{head}content-type: application/json\r\ncontent-length: 300000\r\n\r\n");
        let reply = server.raw(head.as_bytes());
        assert!(reply.starts_with("HTTP/1.1 413") && reply.contains("body_too_large"), "{reply}");
    }
    let reply = respond(&server, &form, "x", &[("Kind", json!("Cocoa"))]).json();
    assert_eq!(reply["answers"][0]["message"], "We have tea and coffee.");
    for link in ["x", "%ff", &"A".repeat(2_000)] {
        let reply = server.get(&format!("/api/v1/forms/{link}"));
        assert!(matches!(reply.status, 400 | 404), "{link}: {}", reply.status);
    }
}

#[test]
fn responses_of_one_address_are_limited() {
    let server = Server::start();
    orders(&server);
    let form = create(&server, json!({}));
    let sent: Vec<Reply> = (0..61)
        .map(|number| respond(&server, &form, &format!("s{number}"), &[("Pieces", json!(99))]))
        .collect();
    let last = sent.last().expect("the last reply");
    assert_eq!((last.status, last.code().as_str()), (429, "too_many_requests"));
    let seconds: u64 = last.header("retry-after").parse().expect("seconds");
    assert!((1..=301).contains(&seconds), "{seconds}");
}
