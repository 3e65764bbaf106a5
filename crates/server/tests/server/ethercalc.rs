//! Routes of EtherCalc: status codes and bodies as documented in `docs/rest.md`.

use crate::person::Person;
use crate::support::Server;

#[test]
fn rooms_are_read_and_replaced_as_in_ethercalc() {
    let server = Server::start();
    let put = server.put("/_/r", "text/csv", "name,amount\nA,1\nB,=B2+1\n");
    assert_eq!((put.status, put.text().as_str()), (201, "OK"));
    for (path, media_type, starts) in [
        ("/_/r/csv", "text/csv", "name,amount\nA,1\nB,2\n"),
        ("/r.csv", "text/csv", "name,amount\nA,1\nB,2\n"),
        ("/_/r/csv.json", "application/json", "["),
        ("/r.csv.json", "application/json", "["),
        ("/_/r/html", "text/html", "<"),
        ("/r.html", "text/html", "<"),
        ("/_/r/md", "text/x-markdown", "|"),
        ("/r.fods", "application/vnd.oasis.opendocument.spreadsheet", "<?xml"),
        ("/_/r/xlsx", "application/vnd.openxmlformats", "PK"),
        ("/r.xlsx", "application/vnd.openxmlformats", "PK"),
        ("/_/r", "text/plain", "socialcalc:version:1.0"),
        ("/_/r/cells", "application/json", "{\"A1\":"),
        ("/_exists/r", "application/json", "true"),
        ("/_exists/nothing", "application/json", "false"),
        ("/_/r/cells/Z99", "application/json", "null"),
    ] {
        let reply = server.get(path);
        assert_eq!(reply.status, 200, "{path}");
        assert!(reply.header("content-type").starts_with(media_type), "{path}: {reply:?}");
        assert!(String::from_utf8_lossy(&reply.body).starts_with(starts), "{path}: {reply:?}");
    }
    let csv_json = server.get("/_/r/csv.json").json();
    assert_eq!(csv_json, serde_json::json!([["name", "amount"], ["A", "1"], ["B", "2"]]));
    let cell = server.get("/_/r/cells/B3").json();
    assert_eq!(
        [&cell["coord"], &cell["datatype"], &cell["datavalue"], &cell["valuetype"], &cell["formula"]],
        [&"B3".into(), &"f".into(), &serde_json::json!(2), &"n".into(), &serde_json::json!("B2+1")]
    );
    assert!(server.get("/r.csv").header("content-disposition").starts_with("attachment"));
}

#[test]
fn missing_rooms_and_formats_are_not_found() {
    let server = Server::start();
    for path in [
        "/_/nothing",
        "/_/nothing/csv",
        "/_/nothing/csv.json",
        "/_/nothing/html",
        "/_/nothing/xlsx",
        "/nothing.csv",
        "/nothing.xlsx",
        "/_/nothing/cells",
        "/_/nothing/cells/A1",
        "/_/nothing/what",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert_eq!(server.get("/_/nothing/ods").status, 404);
    assert_eq!(server.get("/_/nothing/fods").status, 404);
}

#[test]
fn socialcalc_saves_are_exported_and_imported() {
    let server = Server::start();
    server.put("/_/r", "text/csv", "a,b\n1,=A2*2\n");
    let save = server.get("/_/r").text();
    for (media_type, body) in [
        ("text/x-socialcalc", save.clone()),
        ("text/plain", save.clone()),
        ("application/json", serde_json::json!({ "snapshot": save }).to_string()),
    ] {
        let reply = server.put("/_/copy", media_type, body);
        assert_eq!((reply.status, reply.text().as_str()), (201, "OK"), "{media_type}");
        assert_eq!(server.get("/copy.csv").text(), "a,b\n1,2\n", "{media_type}");
    }
    let body = serde_json::json!({ "room": "named", "snapshot": save }).to_string();
    let made = server.send("POST", "/_", &[("content-type", "application/json")], body.as_bytes());
    assert_eq!((made.status, made.text().as_str(), made.header("location")), (201, "/named", "/_/named"));
    let made = server.send("POST", "/_", &[("content-type", "text/csv")], b"1,2");
    assert_eq!((made.status, made.text().len()), (201, 13));
    let deleted = server.delete("/_/named");
    assert_eq!((deleted.status, deleted.text().as_str()), (201, "OK"));
}

#[test]
fn what_a_save_leaves_out_is_named_in_a_header() {
    let server = Server::start();
    let save = "version:1.5\ncell:A1:t:x:tvf:1:cssc:big\ncell:B1:v:1\nvalueformat:1:text-custom\\c@s\n";
    let put = server.put("/_/r", "text/x-socialcalc", save);
    let warnings = "left out: CSS classes and styles; left out: texts in formats of their own";
    assert_eq!((put.status, put.text().as_str(), put.header("quadrille-warnings")), (201, "OK", warnings));
    let created = server.send("POST", "/_", &[("content-type", "text/x-socialcalc")], save.as_bytes());
    assert_eq!((created.status, created.header("quadrille-warnings")), (201, warnings));

    assert_eq!(server.get("/_/r").header("quadrille-warnings"), "");
    let command =
        server.send("POST", "/_/r", &[("content-type", "text/plain")], b"set B1 formula LET(x,1,x)");
    assert_eq!(command.status, 202);
    let lossy = "left out: results of functions that SocialCalc does not have (LET)";
    for path in ["/_/r", "/api/v1/rooms/r?format=socialcalc"] {
        assert_eq!(server.get(path).header("quadrille-warnings"), lossy, "{path}");
    }
    assert_eq!(server.get("/r.csv").header("quadrille-warnings"), "");
}

#[test]
fn replacing_a_room_updates_open_sessions() {
    let server = Server::start();
    let mut ann = Person::join(&server, "r", "Ann");
    assert_eq!(server.put("/_/r", "text/csv", "7").status, 201);
    ann.wait_for_value("A1", 7.0);
}

#[test]
fn stale_values_in_a_save_are_recalculated() {
    let server = Server::start();
    let save = "version:1.5\ncell:A1:v:2\ncell:A2:vtf:n:99:A1*3\nsheet:c:1:r:2\n";
    assert_eq!(server.put("/_/r", "text/x-socialcalc", save).status, 201);
    assert_eq!(server.get("/r.csv").text(), "2\n6\n");
}
