//! IMPORTRANGE: cells of other workbooks of the server, as they change.

use std::time::{Duration, Instant};

use quadrille_cell::{ErrorValue, Value};
use serde_json::json;

use crate::access::{Restricted, send};
use crate::person::Person;
use crate::support::{Server, TIMEOUT};

/// Writes a cell of the first sheet.
fn put(server: &Server, room: &str, cell: &str, input: &str) {
    put_by(server, "", room, cell, input);
}

fn put_by(server: &Server, credential: &str, room: &str, cell: &str, input: &str) {
    let path = format!("/api/v1/rooms/{room}/sheets/Sheet1/cells/{cell}");
    let reply = send(server, credential, "PUT", &path, &json!({ "input": input }).to_string());
    assert!(reply.status < 300, "{room} {cell}: {reply:?}");
}

/// Waits until a workbook reads as `expected` over REST.
fn wait_for_csv(server: &Server, room: &str, expected: &str) {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let csv = server.csv(room);
        if csv == expected {
            return;
        }
        assert!(Instant::now() < deadline, "{room} is {csv:?}, not {expected:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn revision(server: &Server, room: &str) -> u64 {
    let reply = server.get(&format!("/api/v1/rooms/{room}"));
    reply.json()["revision"].as_u64().unwrap_or_else(|| panic!("{reply:?}"))
}

#[test]
fn cells_of_another_workbook_follow_its_changes() {
    let server = Server::start();
    server.make_room("sales", "Region,Units\nNorth,2\nSouth,3\n");
    let mut ada = Person::join(&server, "report", "Ada");
    ada.type_text("A1", r#"=IMPORTRANGE("sales","B2:B3")"#);
    ada.type_text("B1", r#"=SUM(IMPORTRANGE("/sales","Sheet1!B:B"))"#);
    ada.wait_for_value("A2", 3.0);
    ada.wait_for_value("B1", 5.0);
    // By somebody else, in a workbook that Ada has not opened.
    let mut ben = Person::join(&server, "sales", "Ben");
    ben.type_text("B2", "40");
    ada.wait_for_value("A1", 40.0);
    ada.wait_for_value("B1", 43.0);
    // The argument is a formula as any other.
    ada.type_text("C1", "B3");
    ada.type_text("C2", r#"=IMPORTRANGE("sales",C1)"#);
    ada.wait_for_value("C2", 3.0);
    ada.type_text("C1", "A3");
    ada.wait_for_value("C2", Value::text("South"));
    wait_for_csv(&server, "report", "40,43,A3\n3,,South\n");
    assert_eq!(ada.problems, Vec::<String>::new());
}

/// As in Excel, whose references to other workbooks have this form.
#[test]
fn references_to_another_workbook_follow_its_changes() {
    let server = Server::start();
    server.make_room("sales", "Region,Units\nNorth,2\nSouth,3\n");
    let mut ada = Person::join(&server, "report", "Ada");
    ada.type_text("A1", "='[sales]'!B2+1");
    ada.type_text("A2", "=SUM([sales]Sheet1!B2:B3)");
    ada.wait_for_value("A1", 3.0);
    ada.wait_for_value("A2", 5.0);
    put(&server, "sales", "B2", "40");
    ada.wait_for_value("A1", 41.0);
    ada.wait_for_value("A2", 43.0);
    // A name that the workbook uses imports as well, and so does a new definition.
    ada.type_text("A3", "='[absent]'!A1");
    ada.wait_for_value("A3", Value::Error(ErrorValue::Reference));
    wait_for_csv(&server, "report", "41\n43\n#REF!\n");
    assert_eq!(ada.problems, Vec::<String>::new());
}

#[test]
fn imported_data_is_nobodys_change() {
    let server = Server::start();
    server.make_room("sales", "1\n");
    let mut ada = Person::join(&server, "report", "Ada");
    ada.type_text("A1", r#"=IMPORTRANGE("sales","A1")"#);
    ada.wait_for_value("A1", 1.0);
    ada.wait_until_saved();
    // Nothing is written while nothing changes.
    let written = revision(&server, "report");
    put(&server, "sales", "B7", "9");
    put(&server, "sales", "A1", "2");
    ada.wait_for_value("A1", 2.0);
    assert_eq!(revision(&server, "report"), written + 1);
    let history = server.get("/api/v1/rooms/report/history").json();
    assert_eq!(history["revisions"][0]["author"]["name"], "Imported data", "{history}");
    // Undo takes back what Ada has done, and the data of a formula that is gone goes as well.
    ada.handle(quadrille_replica::Event::Undo);
    ada.wait_for_value("A1", Value::Blank);
    let deadline = Instant::now() + TIMEOUT;
    let items = || server.get("/api/v1/rooms/report/items").json()["items"].clone();
    while items() != json!([]) {
        assert!(Instant::now() < deadline, "{}", items());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_restart_and_an_unloaded_room_lose_nothing() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    server.make_room("sales", "1\n");
    server.make_room("report", "\"=IMPORTRANGE(\"\"sales\"\",\"\"A1\"\")*10\"\n");
    wait_for_csv(&server, "report", "10\n");
    server.kill();
    let mut server = Server::start_on(data.path(), &["--room-idle-seconds", "1"]);
    assert_eq!(server.csv("report"), "10\n", "the data is stored with the workbook");
    put(&server, "sales", "A1", "2");
    wait_for_csv(&server, "report", "20\n");
    // What has changed while the workbook was not in memory is there soon after it is opened.
    server.kill();
    let server = Server::start_on(data.path(), &[]);
    put(&server, "sales", "A1", "3");
    wait_for_csv(&server, "report", "30\n");
}

#[test]
fn chains_are_followed_and_circles_are_reported() {
    let server = Server::start();
    server.make_room("a", "1\n");
    server.make_room("b", "\"=IMPORTRANGE(\"\"a\"\",\"\"A1\"\")+1\"\n");
    server.make_room("c", "\"=IMPORTRANGE(\"\"b\"\",\"\"A1\"\")+1\"\n");
    let mut ada = Person::join(&server, "d", "Ada");
    ada.type_text("A1", r#"=IMPORTRANGE("c","A1")+1"#);
    ada.wait_for_value("A1", 4.0);
    put(&server, "a", "A1", "11");
    ada.wait_for_value("A1", 14.0);
    // The circle a, b, c is found in each of them; d only shows the error.
    put(&server, "a", "A1", r#"=IMPORTRANGE("c","B1")"#);
    let circular = Value::Error(ErrorValue::Circular);
    ada.wait_for_value("A1", circular.clone());
    for room in ["a", "b", "c"] {
        wait_for_csv(&server, room, "#CIRC!\n");
    }
    put(&server, "a", "A1", "21");
    ada.wait_for_value("A1", 24.0);
    // A workbook of its own, and one too far away.
    ada.type_text("B1", r#"=IMPORTRANGE("d","A1")"#);
    ada.wait_for_value("B1", circular);
    for number in 1..9 {
        let csv = format!("\"=IMPORTRANGE(\"\"far{}\"\",\"\"A1\"\")\"\n", number - 1);
        server.make_room(&format!("far{number}"), &csv);
    }
    server.make_room("far0", "5\n");
    wait_for_csv(&server, "far7", "5\n");
    wait_for_csv(&server, "far8", "#N/A\n");
}

#[test]
fn workbooks_that_are_closed_or_missing_are_not_read() {
    let server = Server::start();
    let secret = Restricted::new(&server, "secret");
    put_by(&server, &secret.owner_key, "secret", "A1", "42");
    let mut ada = Person::join(&server, "report", "Ada");
    ada.type_text("A1", r#"=IMPORTRANGE("secret","A1")"#);
    ada.type_text("A2", r#"=IMPORTRANGE("missing","A1")"#);
    ada.type_text("A3", r#"=IMPORTRANGE("https://elsewhere.example.org/secret","A1")"#);
    ada.type_text("A4", r#"=IMPORTRANGE("secret")"#);
    ada.type_text("A5", r#"=IMPORTRANGE("report2","Nowhere!A1")"#);
    server.make_room("report2", "1\n");
    let reference = Value::Error(ErrorValue::Reference);
    for cell in ["A1", "A2", "A3", "A5"] {
        ada.wait_for_value(cell, reference.clone());
    }
    ada.wait_for_value("A4", Value::Error(ErrorValue::Value));
    // They are read from the moment on at which they may be.
    server.make_room("missing", "7\n");
    ada.wait_for_value("A2", 7.0);
    let open = r#"{"general":"view"}"#;
    let opened = send(&server, &secret.owner_key, "PUT", &secret.path("/access"), open);
    assert!(opened.status < 300, "{opened:?}");
    ada.wait_for_value("A1", 42.0);
    let closed =
        send(&server, &secret.owner_key, "PUT", &secret.path("/access"), r#"{"general":"restricted"}"#);
    assert!(closed.status < 300, "{closed:?}");
    ada.wait_for_value("A1", reference.clone());
    server.delete("/api/v1/rooms/missing");
    ada.wait_for_value("A2", reference);
}

#[test]
fn too_much_is_not_imported() {
    let server = Server::start();
    server.make_room("large", "1\n");
    let mut ada = Person::join(&server, "report", "Ada");
    ada.type_text("A1", r#"=IMPORTRANGE("large","A1:B30000")"#);
    ada.wait_for_value("A1", Value::Error(ErrorValue::NotAvailable));
    ada.type_text("A2", r#"=COUNT(IMPORTRANGE("large","A1:B25000"))"#);
    ada.wait_for_value("A2", 1.0);
    let imports = |state: &str| {
        let items = server.get("/api/v1/rooms/report/items").json()["items"].clone();
        let items = items.as_array().expect("a list").clone();
        items.iter().filter(|item| item["fields"]["state"] == state).count()
    };
    assert_eq!((imports("tooLarge"), imports("ready")), (1, 1));
}

#[test]
fn only_the_server_writes_imported_data() {
    let server = Server::start();
    server.make_room("report", "1\n");
    let forged = json!({
        "kind": "import",
        "fields": { "source": r#"IMPORTRANGE("sales","A1")"#, "state": "ready", "rows": 1, "columns": 1 },
    });
    let reply = server.put_json("/api/v1/rooms/report/items/512", &forged.to_string());
    assert_eq!((reply.status, reply.code().as_str()), (422, "bad_command"), "{reply:?}");
    assert!(reply.text().contains("imported data is written by the server only"), "{reply:?}");
}

#[test]
fn somebody_who_may_view_a_workbook_allows_its_import_and_the_owner_revokes_it() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &[]);
    let secret = Restricted::new(&server, "secret");
    put_by(&server, &secret.owner_key, "secret", "A1", "42");
    server.make_room("report", "\"=IMPORTRANGE(\"\"secret\"\",\"\"A1\"\")\"\n");
    wait_for_csv(&server, "report", "#REF!\n");
    let imports = secret.path("/access/imports");
    let report = json!({ "room": "report" }).to_string();
    // Only whoever may view the workbook allows it, and without that right it does not exist.
    let refused = send(&server, "", "POST", &imports, &report);
    assert_eq!((refused.status, refused.code().as_str()), (404, "no_such_room"), "{refused:?}");
    for (body, status) in [(r#"{"room":"a b"}"#, 400), (r#"{"room":"secret"}"#, 400), ("{}", 400)] {
        let wrong = send(&server, secret.view_link(), "POST", &imports, body);
        assert_eq!(wrong.status, status, "{body}: {wrong:?}");
    }
    for _ in 0..2 {
        let allowed = send(&server, secret.view_link(), "POST", &imports, &report);
        assert_eq!(allowed.status, 204, "{allowed:?}");
    }
    wait_for_csv(&server, "report", "42\n");
    // Another workbook is not meant.
    server.make_room("other", "\"=IMPORTRANGE(\"\"secret\"\",\"\"A1\"\")\"\n");
    wait_for_csv(&server, "other", "#REF!\n");
    server.kill();
    let server = Server::start_on(data.path(), &[]);
    put_by(&server, &secret.owner_key, "secret", "A1", "43");
    wait_for_csv(&server, "report", "43\n");
    let access = send(&server, &secret.owner_key, "GET", &secret.path("/access"), "").json();
    let imports = access["imports"].as_array().expect("a list");
    let allowed: Vec<_> = imports.iter().filter(|import| import["room"] == "report").collect();
    assert_eq!(allowed.len(), 1, "{access}");
    assert_eq!(allowed[0]["allowedBy"], json!(null));
    let viewer = send(&server, secret.view_link(), "GET", &secret.path("/access"), "").json();
    assert_eq!(viewer["imports"], json!(null));
    let path = secret.path("/access/imports/report");
    assert_eq!(send(&server, &secret.edit, "DELETE", &path, "").status, 403);
    assert_eq!(send(&server, &secret.owner_key, "DELETE", &path, "").status, 204);
    assert_eq!(send(&server, &secret.owner_key, "DELETE", &path, "").status, 404);
    wait_for_csv(&server, "report", "#REF!\n");
    let audit = send(&server, &secret.owner_key, "GET", &secret.path("/access/audit"), "").json();
    let events = audit["entries"].as_array().expect("a list").iter();
    let events: Vec<&str> = events.filter_map(|entry| entry["event"].as_str()).collect();
    for event in ["import_allowed", "import_revoked"] {
        assert!(events.contains(&event), "{events:?}");
    }
}
