//! The history of a room over REST: who did what, the workbook as it was, and bringing that back.

use serde_json::json;

use crate::person::Person;
use crate::support::Server;

fn write(server: &Server, cell: &str, body: &str) {
    let reply = server.put_json(&format!("/api/v1/rooms/plan/sheets/Sheet1/cells/{cell}"), body);
    assert_eq!(reply.status, 200, "{reply:?}");
}

#[test]
fn who_did_what_is_told_newest_first_and_page_by_page() {
    let server = Server::start();
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.types("A1", "2");
    ann.saves();
    ann.types("B1", "=A1*3");
    ann.saves();
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
fn a_cell_has_a_history_of_its_own_wherever_it_was_moved() {
    let server = Server::start();
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.types("A2", "first");
    ann.types("B9", "elsewhere");
    ann.types("A2", "second");
    let sheet = ann.sheet();
    ann.does(quadrille_operation::Command::InsertRows { sheet, at: 0, count: 2 });
    ann.types("A4", "third");
    ann.saves();
    let reply = server.get("/api/v1/rooms/plan/history?cell=Sheet1!A4").json();
    let told: Vec<_> = reply["revisions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| (entry["cell"].as_str().expect("a cell"), entry["input"].as_str().expect("an input")))
        .collect();
    assert_eq!(told, [("A4", "third"), ("A2", "second"), ("A2", "first")], "{reply}");
    assert_eq!(reply["next"], json!(null));
}

#[test]
fn a_workbook_of_the_past_can_be_read_and_brought_back_as_a_new_edit() {
    let server = Server::start();
    write_first(&server);
    write(&server, "A1", "5");
    write(&server, "A2", "\"gone tomorrow\"");
    let past = |path: &str| server.get(&format!("/api/v1/rooms/plan/history/2{path}"));
    assert_eq!(past("?format=csv").text(), "5,10\n");
    assert_eq!(past("/sheets/Sheet1/cells/B1").json()["cell"]["value"], 10.0);
    assert_eq!(past("").json()["revision"], 2);
    assert!(past("?format=xlsx").body.starts_with(b"PK"));
    // Again, and one before it, now that the later one is in memory.
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
    ann.sees("B1", 10.0);
    assert_eq!(server.csv("plan"), "5,10\n");
    let told = server.get("/api/v1/rooms/plan/history?limit=1").json();
    assert_eq!(told["revisions"][0]["author"]["name"], "Bob");
    // Nothing of the history is lost.
    assert_eq!(server.get("/api/v1/rooms/plan/history/3?format=csv").text(), "5,10\ngone tomorrow,\n");
}

fn write_first(server: &Server) {
    server.make_room("plan", "1,=A1*2\n");
}

#[test]
fn the_history_survives_a_stop_and_snapshots() {
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

/// J7 with a bound: what is old goes, and who asks for it is told where the history begins.
#[test]
fn less_history_is_kept_when_told() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let arguments = ["--history-revisions-max", "5", "--snapshot-after-records", "1"];
    let mut server = Server::start_on(data.path(), &arguments);
    server.make_room("plan", "1\n");
    for number in 2..=60 {
        let body = format!("{{\"rows\":[[{number}]]}}");
        assert_eq!(server.post_json("/api/v1/rooms/plan/sheets/Sheet1/rows", &body).status, 201);
    }
    // Snapshots come by and by; each stop and start looks again.
    server.signal("TERM");
    assert!(server.wait().success());
    let server = Server::start_on(data.path(), &arguments);
    let told = server.get("/api/v1/rooms/plan/history?limit=500").json();
    assert_eq!(told["head"], 60);
    let first = told["first"].as_u64().expect("a number");
    assert!(first > 1 && first <= 56, "{first}");
    let revisions = told["revisions"].as_array().expect("a list");
    assert_eq!(revisions.len() as u64, 61 - first);
    assert_eq!(told["next"], serde_json::Value::Null);
    // The workbook is there from the revision before the first that is told.
    let past = server.get(&format!("/api/v1/rooms/plan/history/{}?format=csv", first - 1));
    assert_eq!(past.text().lines().count() as u64, first - 1);
    let gone = server.get(&format!("/api/v1/rooms/plan/history/{}?format=csv", first - 2));
    assert_eq!((gone.status, gone.json()["error"]["code"].as_str()), (404, Some("not_found")), "{gone:?}");
    assert_eq!(server.csv("plan").lines().count(), 60);
}

/// The journal says what the title became; what it was before, the revision before says.
#[test]
fn a_renamed_workbook_is_told_from_what_to_what() {
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
    // A page that ends in between.
    assert_eq!(titles("?limit=2"), [third, second]);
}
