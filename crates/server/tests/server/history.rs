//! History of a room over REST: revisions with their authors, past workbooks, and restoring them.

use serde_json::json;

use crate::person::Person;
use crate::support::Server;

fn write(server: &Server, cell: &str, body: &str) {
    let reply = server.put_json(&format!("/api/v1/rooms/plan/sheets/Sheet1/cells/{cell}"), body);
    assert_eq!(reply.status, 200, "{reply:?}");
}

#[test]
fn revisions_are_listed_newest_first_and_in_pages() {
    let server = Server::start();
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A1", "2");
    ann.wait_until_saved();
    ann.type_text("B1", "=A1*3");
    ann.wait_until_saved();
    write(&server, "C1", "\"x\"");
    let reply = server.get("/api/v1/rooms/plan/history?limit=2").json();
    assert_eq!((&reply["head"], &reply["next"]), (&json!(3), &json!(2)), "{reply}");
    let authors: Vec<_> =
        reply["revisions"].as_array().expect("a list").iter().map(|entry| &entry["author"]["name"]).collect();
    assert_eq!(authors, ["API", "Ann"]);
    assert_eq!(reply["revisions"][1]["operations"][0]["range"], "B1");
    let words = reply["revisions"][1]["operations"][0]["words"].as_str().expect("words");
    assert!(words.ends_with("B1: =A1*3"), "{words}");
    let rest = server.get("/api/v1/rooms/plan/history?limit=2&before=2").json();
    assert_eq!((rest["revisions"][0]["revision"].as_u64(), &rest["next"]), (Some(1), &json!(null)), "{rest}");
    let later = server.get("/api/v1/rooms/plan/history?after=2").json();
    assert_eq!(later["revisions"].as_array().map(Vec::len), Some(1), "{later}");
    assert_eq!(server.get("/api/v1/rooms/nothing/history").status, 404);
    assert_eq!(server.get("/api/v1/rooms/plan/history?cell=nonsense!").status, 404);
    assert_eq!(server.get("/api/v1/rooms/plan/history?cell=A").status, 400);
}

#[test]
fn the_history_of_a_cell_follows_its_moves() {
    let server = Server::start();
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A2", "first");
    ann.type_text("B9", "elsewhere");
    ann.type_text("A2", "second");
    let sheet = ann.sheet();
    ann.execute(quadrille_operation::Command::InsertRows { sheet, at: 0, count: 2 });
    ann.type_text("A4", "third");
    ann.wait_until_saved();
    let reply = server.get("/api/v1/rooms/plan/history?cell=Sheet1!A4").json();
    let page: Vec<_> = reply["revisions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| (entry["cell"].as_str().expect("a cell"), entry["input"].as_str().expect("an input")))
        .collect();
    assert_eq!(page, [("A4", "third"), ("A2", "second"), ("A2", "first")], "{reply}");
    assert_eq!(reply["next"], json!(null));
}

#[test]
fn a_past_revision_can_be_read_and_restored_as_a_new_revision() {
    let server = Server::start();
    write_first(&server);
    write(&server, "A1", "5");
    write(&server, "A2", "\"removed later\"");
    let past = |path: &str| server.get(&format!("/api/v1/rooms/plan/history/2{path}"));
    assert_eq!(past("?format=csv").text(), "5,10\n");
    assert_eq!(past("/sheets/Sheet1/cells/B1").json()["cell"]["value"], 10.0);
    assert_eq!(past("").json()["revision"], 2);
    assert!(past("?format=xlsx").body.starts_with(b"PK"));
    // Read again, and read an earlier revision while this one is cached.
    assert_eq!(past("?format=csv").text(), "5,10\n");
    assert_eq!(server.get("/api/v1/rooms/plan/history/1?format=csv").text(), "1,2\n");
    for (revision, status) in [("0", 404), ("99", 404), ("x", 400)] {
        assert_eq!(
            server.get(&format!("/api/v1/rooms/plan/history/{revision}")).status,
            status,
            "{revision}"
        );
    }
    let mut ann = Person::join(&server, "plan", "Ann");
    let restore = |query: &str, headers: &[(&str, &str)]| {
        server.send("POST", &format!("/api/v1/rooms/plan/history/2/restore{query}"), headers, b"")
    };
    assert_eq!(restore("", &[("if-match", "\"1\"")]).status, 412);
    let restored = restore("?name=Bob", &[]);
    assert_eq!((restored.status, &restored.json()["revision"]), (200, &json!(4)), "{restored:?}");
    ann.wait_for_value("B1", 10.0);
    assert_eq!(server.csv("plan"), "5,10\n");
    let page = server.get("/api/v1/rooms/plan/history?limit=1").json();
    assert_eq!(page["revisions"][0]["author"]["name"], "Bob");
    // Restoring keeps the later revisions.
    assert_eq!(server.get("/api/v1/rooms/plan/history/3?format=csv").text(), "5,10\nremoved later,\n");
}

/// Undoes the changes of an author; the query is that of the members.
fn undo(server: &Server, members: serde_json::Value) -> crate::support::Reply {
    server.post_json("/api/v1/rooms/plan/history/undo?name=Ann", &members.to_string())
}

#[test]
fn the_changes_of_one_author_are_undone_among_those_of_others() {
    let server = Server::start();
    let (mut ann, mut bob) = (Person::join(&server, "plan", "Ann"), Person::join(&server, "plan", "Bob"));
    ann.type_text("A1", "plan");
    ann.wait_until_saved();
    bob.wait_for_value("A1", "plan");
    for (cell, text) in [("A1", "wrong"), ("B1", "7"), ("A3", "junk"), ("B1", "8")] {
        bob.type_text(cell, text);
    }
    bob.wait_until_saved();
    ann.wait_for_value("B1", 8.0);
    // Ann overwrites one of Bob's cells and moves another.
    ann.type_text("B1", "9");
    let sheet = ann.sheet();
    ann.execute(quadrille_operation::Command::InsertRows { sheet, at: 1, count: 2 });
    ann.wait_until_saved();
    assert_eq!(server.csv("plan"), "wrong,9\n,\n,\n,\njunk,\n");
    let bob_is = json!({ "name": "Bob", "id": "" });
    let tried = undo(&server, json!({ "author": bob_is, "dryRun": true })).json();
    assert_eq!((&tried["undone"], &tried["dryRun"]), (&json!(4), &json!(true)), "{tried}");
    assert_eq!(server.csv("plan"), "wrong,9\n,\n,\n,\njunk,\n");
    // Only the last of his changes, which Ann has overwritten.
    let revisions = server.get("/api/v1/rooms/plan/history").json();
    let head = revisions["head"].as_u64().expect("a revision");
    let last = undo(&server, json!({ "author": bob_is, "after": 4 })).json();
    assert_eq!((&last["undone"], &last["operationCount"]), (&json!(1), &json!(0)), "{last}");
    assert_eq!(last["revision"], head);
    let undone = undo(&server, json!({ "author": bob_is, "upTo": head })).json();
    assert_eq!((&undone["undone"], &undone["revision"]), (&json!(4), &json!(head + 1)), "{undone}");
    assert_eq!(server.csv("plan"), "plan,9\n");
    bob.wait_for_value("A1", "plan");
    let newest = server.get("/api/v1/rooms/plan/history?limit=1").json();
    assert_eq!(newest["revisions"][0]["author"]["name"], "Ann");
    let again = undo(&server, json!({ "author": bob_is, "upTo": head })).json();
    assert_eq!((&again["operationCount"], &again["revision"]), (&json!(0), &json!(head + 1)), "{again}");
    for (members, status) in [
        (json!({ "author": { "name": "Cid" } }), 404),
        (json!({ "author": bob_is, "after": 99 }), 404),
        (json!({ "author": "Bob" }), 400),
    ] {
        assert_eq!(undo(&server, members.clone()).status, status, "{members}");
    }
}

#[test]
fn an_undo_in_a_room_that_others_edit_loses_none_of_their_edits() {
    let server = Server::start();
    let (mut ann, mut bob) = (Person::join(&server, "plan", "Ann"), Person::join(&server, "plan", "Bob"));
    bob.type_text("A1", "junk");
    bob.wait_until_saved();
    let done = std::thread::scope(|scope| {
        let undone = scope.spawn(|| undo(&server, json!({ "author": { "name": "Bob" }, "upTo": 1 })));
        for row in 1..=40 {
            ann.type_text(&format!("B{row}"), &row.to_string());
        }
        ann.wait_until_saved();
        undone.join().expect("a reply")
    });
    assert_eq!(done.status, 200, "{done:?}");
    let expected: String = (1..=40).map(|row| format!(",{row}\n")).collect();
    assert_eq!(server.csv("plan"), expected);
}

#[test]
fn revisions_are_compared_where_their_rows_are_now() {
    let server = Server::start();
    server.make_room("plan", "Region,Units\nNorth,5\nSouth,3\nSum,=SUM(B2:B3)\n");
    let mut ann = Person::join(&server, "plan", "Ann");
    let sheet = ann.sheet();
    ann.execute(quadrille_operation::Command::InsertRows { sheet, at: 1, count: 1 });
    ann.type_text("A2", "West");
    ann.type_text("B4", "4");
    ann.wait_until_saved();
    let differences = server.get("/api/v1/rooms/plan/history/1/differences").json();
    let sheet = &differences["sheets"][0];
    let run = |before: Option<u32>, after: u32, count: u32| json!({ "before": before, "after": after, "count": count });
    assert_eq!(
        sheet["rows"],
        json!([run(Some(1), 1, 1), run(None, 2, 1), run(Some(2), 3, 3)]),
        "{differences}"
    );
    let found: Vec<String> = sheet["cells"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|cell| {
            let text = |side: &str| cell[side]["text"].as_str().unwrap_or("-").to_owned();
            format!("{} {}: {} > {}", cell["kind"], cell["after"]["cell"], text("before"), text("after"))
        })
        .collect();
    // The formula follows its cells; its value differs.
    let expected = [r#""added" "A2": - > West"#, r#""content" "B4": 3 > 4"#, r#""content" "B5": 8 > 9"#];
    assert_eq!(found, expected, "{differences}");
    let limited = server.get("/api/v1/rooms/plan/history/1/differences?to=2&limit=1").json();
    assert_eq!((&limited["to"], &limited["sheets"][0]["cellCount"]), (&json!(2), &json!(0)), "{limited}");
    for (path, status) in [("2/differences?to=1", 400), ("99/differences", 400), ("0/differences", 404)] {
        assert_eq!(server.get(&format!("/api/v1/rooms/plan/history/{path}")).status, status, "{path}");
    }
}

fn write_first(server: &Server) {
    server.make_room("plan", "1,=A1*2\n");
}

#[test]
fn the_history_survives_a_restart_and_snapshots() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    write_first(&server);
    let row = format!("[{}]", vec!["1"; 400].join(","));
    for _ in 0..30 {
        let rows = format!("{{\"rows\":[{}]}}", vec![row.as_str(); 20].join(","));
        assert_eq!(server.post_json("/api/v1/rooms/plan/sheets/Sheet1/rows", &rows).status, 201);
    }
    server.signal("TERM");
    assert!(server.wait().success());
    let server = Server::start_on(data.path(), &[]);
    assert_eq!(server.get("/api/v1/rooms/plan/history/1?format=csv").text(), "1,2\n");
    let all = server.get("/api/v1/rooms/plan/history?limit=100").json();
    assert_eq!(all["revisions"].as_array().map(Vec::len), Some(31));
}

/// J7 with a retention setting: old history is dropped, and the list reports where it begins.
#[test]
fn history_older_than_the_retention_is_dropped() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let arguments = ["--history-revisions-max", "5", "--snapshot-after-records", "1"];
    let mut server = Server::start_on(data.path(), &arguments);
    server.make_room("plan", "1\n");
    assert_eq!(name_version(&server, 1, "old"), 200);
    for number in 2..=60 {
        let body = format!("{{\"rows\":[[{number}]]}}");
        assert_eq!(server.post_json("/api/v1/rooms/plan/sheets/Sheet1/rows", &body).status, 201);
    }
    assert_eq!(name_version(&server, 60, "new"), 200);
    // Snapshots are stored in the background; each restart applies the retention again.
    server.signal("TERM");
    assert!(server.wait().success());
    let server = Server::start_on(data.path(), &arguments);
    let page = server.get("/api/v1/rooms/plan/history?limit=500").json();
    assert_eq!(page["head"], 62);
    let first = page["first"].as_u64().expect("a number");
    assert!(first > 1 && first <= 58, "{first}");
    let revisions = page["revisions"].as_array().expect("a list");
    assert_eq!(revisions.len() as u64, 63 - first);
    assert_eq!(page["next"], serde_json::Value::Null);
    // A name stays when its version is dropped.
    let versions = server.get("/api/v1/rooms/plan/versions").json();
    let kept =
        |index: usize| (&versions["versions"][index]["revision"], &versions["versions"][index]["isKept"]);
    assert_eq!([kept(0), kept(1)], [(&json!(60), &json!(true)), (&json!(1), &json!(false))], "{versions}");
    // The oldest workbook is that of the revision before the first listed one.
    let past = server.get(&format!("/api/v1/rooms/plan/history/{}?format=csv", first - 1));
    assert_eq!(past.text().lines().count() as u64, first - 2);
    let dropped = server.get(&format!("/api/v1/rooms/plan/history/{}?format=csv", first - 2));
    assert_eq!(
        (dropped.status, dropped.json()["error"]["code"].as_str()),
        (404, Some("not_found")),
        "{dropped:?}"
    );
    assert_eq!(server.csv("plan").lines().count(), 60);
}

/// The journal stores the new title; the server finds the old title in the previous revision.
#[test]
fn a_title_change_is_listed_with_old_and_new_title() {
    let server = Server::start();
    server.make_room("plan", "a\n");
    let settings = "/api/v1/rooms/plan/items/0";
    for fields in
        [r#"{"title":"Budget"}"#, r#"{"iterative":true}"#, r#"{"title":"Budget 2027"}"#, r#"{"title":null}"#]
    {
        let changed = server.put_json(settings, &format!(r#"{{"fields":{fields}}}"#));
        assert_eq!(changed.status, 200, "{changed:?}");
    }
    let titles = |query: &str| {
        let page = server.get(&format!("/api/v1/rooms/plan/history{query}")).json();
        let revisions = page["revisions"].as_array().expect("a list").iter();
        revisions.map(|revision| revision["title"].clone()).collect::<Vec<_>>()
    };
    let (first, second) =
        (json!({"from": null, "to": "Budget"}), json!({"from": "Budget", "to": "Budget 2027"}));
    let third = json!({"from": "Budget 2027", "to": null});
    assert_eq!(titles(""), [third.clone(), second.clone(), json!(null), first, json!(null)]);
    // A page that ends between two titles.
    assert_eq!(titles("?limit=2"), [third, second]);
}

/// The names of the versions, newest first.
fn version_names(server: &Server, room: &str) -> Vec<(u64, String)> {
    let reply = server.get(&format!("/api/v1/rooms/{room}/versions")).json();
    let versions = reply["versions"].as_array().unwrap_or_else(|| panic!("no list: {reply}"));
    let pair = |version: &serde_json::Value| {
        let name = version["name"].as_str().expect("a name").to_owned();
        (version["revision"].as_u64().expect("a revision"), name)
    };
    versions.iter().map(pair).collect()
}

fn name_version(server: &Server, revision: u64, name: &str) -> u16 {
    let body = json!({ "name": name }).to_string();
    server.put_json(&format!("/api/v1/rooms/plan/versions/{revision}?name=Ann"), &body).status
}

#[test]
fn versions_are_named_renamed_and_listed() {
    let server = Server::start();
    write_first(&server);
    write(&server, "A1", "2");
    assert_eq!(version_names(&server, "plan"), []);
    assert_eq!(name_version(&server, 2, " Printed "), 200);
    assert_eq!(name_version(&server, 1, "Draft"), 200);
    assert_eq!(name_version(&server, 2, "Sent: 2026"), 200);
    assert_eq!(version_names(&server, "plan"), [(2, "Sent: 2026".to_owned()), (1, "Draft".to_owned())]);
    // The time is that of the revision, and the author is in the history.
    let history = server.get("/api/v1/rooms/plan/history").json();
    let versions = server.get("/api/v1/rooms/plan/versions").json();
    assert_eq!(versions["versions"][0]["timeMs"], history["revisions"][3]["timeMs"], "{versions}");
    assert_eq!(versions["versions"][0]["isKept"], true);
    assert_eq!(history["revisions"][0]["author"]["name"], "Ann");
    // Cells and revisions stay as they are.
    assert_eq!(server.csv("plan"), "2,4\n");
    for (revision, name, status) in
        [(99, "later", 404), (0, "before", 404), (1, "  ", 422), (1, "two\nlines", 422)]
    {
        assert_eq!(name_version(&server, revision, name), status, "{revision} {name:?}");
    }
    assert_eq!(name_version(&server, 1, &"n".repeat(101)), 422);
    assert_eq!(name_version(&server, 1, &"n".repeat(100)), 200);
    let remove = |revision: u64| server.delete(&format!("/api/v1/rooms/plan/versions/{revision}")).status;
    assert_eq!((remove(1), remove(1)), (204, 404));
    assert_eq!(version_names(&server, "plan"), [(2, "Sent: 2026".to_owned())]);
    assert_eq!(server.get("/api/v1/rooms/plan/history/1?format=csv").text(), "1,2\n");
}

#[test]
fn names_of_versions_survive_restarts_restored_versions_and_imported_files_and_are_not_copied() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    write_first(&server);
    assert_eq!(name_version(&server, 1, "First"), 200);
    write(&server, "A1", "2");
    assert_eq!(name_version(&server, 3, "Third"), 200);
    let names = [(3, "Third".to_owned()), (1, "First".to_owned())];
    server.kill();
    let server = Server::start_on(data.path(), &[]);
    assert_eq!(version_names(&server, "plan"), names);
    // The names are newer than the restored contents.
    assert_eq!(server.send("POST", "/api/v1/rooms/plan/history/1/restore", &[], b"").status, 200);
    assert_eq!((server.csv("plan").as_str(), version_names(&server, "plan")), ("1,2\n", names.to_vec()));
    server.make_room("plan", "5,6\n");
    assert_eq!((server.csv("plan").as_str(), version_names(&server, "plan")), ("5,6\n", names.to_vec()));
    for copy in [r#"{"name":"copy","copyOf":"plan"}"#, r#"{"name":"older","copyOf":"plan","revision":4}"#] {
        let made = server.post_json("/api/v1/rooms", copy);
        assert_eq!(made.status, 201, "{made:?}");
    }
    assert_eq!(version_names(&server, "copy"), []);
    assert_eq!(version_names(&server, "older"), []);
}

#[test]
fn named_versions_are_limited() {
    let server = Server::start();
    write_first(&server);
    // `NAMED_VERSIONS_MAX` of `docs/configuration.md`.
    let max = 500;
    for revision in 1..=max {
        assert_eq!(name_version(&server, revision, "again"), 200, "{revision}");
    }
    assert_eq!(name_version(&server, max + 1, "one more"), 422);
    assert_eq!(name_version(&server, 1, "renamed"), 200);
}
