//! EtherCalc's workbooks of several rooms: a table of contents and `R.1`, `R.2` …, which are the sheets
//! of one workbook here.

use serde_json::{Value as Json, json};

use crate::access::{Restricted, send};
use crate::ethercalc_bot::Bot;
use crate::person::Person;
use crate::support::{Reply, Server};

const TABLE: &str = "\"#url\",\"#title\"\n\"/sales.1\",\"North\"\n\"/sales.2\",\"South\"\n";

/// A server with the workbook `sales` of two sheets.
fn server_with_workbook() -> Server {
    let server = Server::start();
    let put = server.put("/_/sales", "text/csv", TABLE);
    assert_eq!((put.status, put.text().as_str()), (201, "OK"));
    server
}

fn commands(server: &Server, room: &str, commands: &str) -> Reply {
    server.send("POST", &format!("/_/{room}"), &[("content-type", "text/plain")], commands.as_bytes())
}

/// The table of contents without its header.
fn table(server: &Server, room: &str) -> Vec<(String, String)> {
    let rows: Vec<(String, String)> =
        serde_json::from_value(server.get(&format!("/_/{room}/csv.json")).json()).expect("pairs");
    assert_eq!(rows[0], ("#url".to_owned(), "#title".to_owned()));
    rows[1..].to_vec()
}

fn pairs(rows: &[[&str; 2]]) -> Vec<(String, String)> {
    rows.iter().map(|[link, title]| ((*link).to_owned(), (*title).to_owned())).collect()
}

fn sheet_names(server: &Server, room: &str) -> Vec<String> {
    let facts = server.get(&format!("/api/v1/rooms/{room}")).json();
    let sheets = facts["sheets"].as_array().expect("sheets");
    sheets.iter().map(|sheet| sheet["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn rooms_with_a_table_of_contents_are_the_sheets_of_one_workbook() {
    let server = server_with_workbook();
    assert_eq!(sheet_names(&server, "sales"), ["North", "South"]);
    assert_eq!(table(&server, "sales"), pairs(&[["/sales.1", "North"], ["/sales.2", "South"]]));
    for (room, number) in [("sales.1", 5), ("sales.2", 6)] {
        let set = commands(&server, room, &format!("set A1 value n {number}"));
        assert_eq!(set.status, 202, "{set:?}");
        assert_eq!(server.get(&format!("/_/{room}/cells/A1")).json()["datavalue"], number);
        assert_eq!(server.get(&format!("/{room}.csv")).text(), format!("{number}\n"));
        assert_eq!(server.get(&format!("/_/{room}/csv.json")).json(), json!([[number.to_string()]]));
        assert!(server.get(&format!("/_/{room}")).text().contains(&format!("cell:A1:v:{number}")));
        assert_eq!(server.get(&format!("/_exists/{room}")).text(), "true");
        // The page has all sheets.
        let page = server.get(&format!("/{room}"));
        assert_eq!((page.status, page.header("location")), (302, "/sales"));
    }
    let south = server.get("/api/v1/rooms/sales/sheets/South/cells/A1").json();
    assert!(south.to_string().contains('6'), "{south}");
    assert_eq!(server.get("/=sales").header("location"), "/sales");
    for missing in ["/_/sales.3", "/_/sales.0", "/_/sales.01", "/_/other.1", "/sales.3.csv"] {
        assert_eq!(server.get(missing).status, 404, "{missing}");
    }
    assert_eq!(server.get("/_exists/sales.3").text(), "false");
}

#[test]
fn the_table_of_contents_adds_renames_and_removes_sheets() {
    let server = Server::start();
    // As EtherCalc's page begins a workbook.
    let rows = "\"#url\",\"#title\"\n\"/new.1\",\"Sheet1\"\n";
    let append = |rows: &str| {
        let reply = server.send("POST", "/_/new", &[("content-type", "text/csv")], rows.as_bytes());
        assert_eq!(reply.status, 202, "{reply:?}");
        reply.json()["command"][1].clone()
    };
    assert_eq!(append(rows), "paste A2 all");
    assert_eq!(table(&server, "new"), pairs(&[["/new.1", "Sheet1"]]));
    assert_eq!(append("\"/new.2\",\"Sheet2\"\n"), "paste A3 all");
    assert_eq!(commands(&server, "new.2", "set A1 text t kept").status, 202);
    assert_eq!(commands(&server, "new", "set B3 text t Costs").status, 202);
    assert_eq!(sheet_names(&server, "new"), ["Sheet1", "Costs"]);
    // A sheet keeps its address, whatever happens to it in the web client.
    let moved = r#"{"commands":[{"type":"moveSheet","sheet":"Costs","position":0}]}"#;
    assert_eq!(server.post_json("/api/v1/rooms/new/commands", moved).status, 200);
    assert_eq!(table(&server, "new"), pairs(&[["/new.2", "Costs"], ["/new.1", "Sheet1"]]));
    assert_eq!(server.get("/new.2.csv").text(), "kept\n");
    assert_eq!(append("\"/new.3\",\"Third\"\n"), "paste A4 all");
    let removed = commands(&server, "new", "set A3:B3 empty multi-cascade");
    assert_eq!(removed.status, 202, "{removed:?}");
    assert_eq!(server.get("/_/new.1").status, 404);
    assert_eq!(server.get("/new.2.csv").text(), "kept\n");
    assert_eq!(server.delete("/_/new.2").status, 201);
    assert_eq!(table(&server, "new"), pairs(&[["/new.3", "Third"]]));
}

#[test]
fn a_file_with_all_sheets_is_read_and_written() {
    let server = server_with_workbook();
    assert_eq!(commands(&server, "sales.2", "set B2 text t here").status, 202);
    let file = server.get("/=sales.xlsx");
    assert_eq!(file.status, 200, "{file:?}");
    assert_eq!(server.get("/_/=sales/xlsx").status, 200);
    for path in ["/=copy.xlsx", "/_/=copy/xlsx"] {
        let put = server.put(path, "application/octet-stream", &file.body);
        assert_eq!((put.status, put.text().as_str()), (201, "OK"), "{path}");
        assert_eq!(table(&server, "copy"), pairs(&[["/copy.1", "North"], ["/copy.2", "South"]]), "{path}");
        assert_eq!(server.get("/copy.2.csv").text(), ",\n,here\n");
    }
    assert_eq!(server.put("/sales", "text/csv", "1").status, 405);
    for bad in ["", "1,2\n"] {
        assert_eq!(server.put("/_/=sales/xlsx", "text/csv", bad).status, 400, "{bad}");
    }
    assert_eq!(sheet_names(&server, "sales"), ["North", "South"]);
}

#[test]
fn replacing_one_sheet_keeps_what_refers_to_it() {
    let server = server_with_workbook();
    assert_eq!(commands(&server, "sales.1", "set A1 value n 1\nset C9 text t old").status, 202);
    let formula =
        server.put_json("/api/v1/rooms/sales/sheets/South/cells/A1", r#"{"formula":"=North!A1*2"}"#);
    assert_eq!(formula.status, 200, "{formula:?}");
    let put = server.put("/_/sales.1", "text/csv", "7,8\n");
    assert_eq!(put.status, 201, "{put:?}");
    assert_eq!(server.get("/sales.1.csv").text(), "7,8\n");
    assert_eq!(server.get("/sales.2.csv").text(), "14\n");
    assert_eq!(table(&server, "sales"), pairs(&[["/sales.1", "North"], ["/sales.2", "South"]]));
}

#[test]
fn formulas_refer_to_sheets_by_their_rooms() {
    let server = server_with_workbook();
    let mut south = Bot::join(&server, "sales.2", "bob");
    let mut other = Bot::join(&server, "sales.2", "cy");
    assert_eq!(commands(&server, "sales.1", "set A1 value n 6").status, 202);
    let formula = "set A1 formula \"sales.1\"!A1*2";
    assert_eq!(commands(&server, "sales.2", formula).status, 202);
    assert_eq!(other.next_of("execute")["cmdstr"].as_str().map(|text| text.contains(formula)), Some(true));
    assert_eq!(server.get("/sales.2.csv").text(), "12\n");
    let cell = server.get("/api/v1/rooms/sales/sheets/South/cells/A1").text();
    assert!(cell.contains("=North!A1*2"), "{cell}");
    assert_eq!(server.get("/_/sales.2/cells/A1").json()["formula"], "\"sales.1\"!A1*2");
    // A save has them too, and reading it keeps them.
    let save = server.get("/_/sales.2").text();
    assert!(save.contains("cell:A1:vtf:n:12:\"sales.1\"!A1*2"), "{save}");
    assert_eq!(server.put("/_/sales.2", "text/x-socialcalc", &save).status, 201);
    assert_eq!(commands(&server, "sales.1", "set A1 value n 7").status, 202);
    assert_eq!(server.get("/sales.2.csv").text(), "14\n");
    south.execute("set B1 formula \"sales.1\"!A1+1");
    south.catch_up();
    assert_eq!(server.get("/sales.2.csv").text(), "14,8\n");
}

/// EtherCalc's page calculates with the saves of other rooms, for which it asks.
#[test]
fn formulas_refer_to_rooms_of_other_workbooks() {
    let server = server_with_workbook();
    assert_eq!(commands(&server, "sales.2", "set A1 value n 6").status, 202);
    assert_eq!(server.put("/_/rates", "text/csv", "3,4\n").status, 201);
    let mut ann = Bot::join(&server, "report", "ann");
    let mut bob = Bot::join(&server, "report", "bob");
    let formulas = "set A1 formula rates!A1*2\nset A2 formula \"sales.2\"!A1+SUM(rates!A1:B1)";
    ann.execute(formulas);
    assert_eq!(bob.next_of("execute")["cmdstr"], formulas);
    let mut web = Person::join(&server, "report", "Web");
    web.wait_for_value("A1", 6.0);
    web.wait_for_value("A2", 13.0);
    let cell = server.get("/api/v1/rooms/report/sheets/Sheet1/cells/A1").json();
    assert_eq!(cell["cell"]["formula"], "='[rates]'!A1*2", "{cell}");
    // They are relative, also where they are copied.
    web.type_text("B5", "='[rates]'!A1");
    assert_eq!(commands(&server, "report", "copy A1 all\npaste C1 all").status, 202);
    let save = server.get("/_/report").text();
    for line in
        ["cell:A1:vtf:n:6:rates!A1*2", "cell:B5:vtf:n:3:rates!A1", ":\"sales.2\"!A1+SUM(rates!A1\\cB1)"]
    {
        assert!(save.contains(line), "{line}: {save}");
    }
    assert!(save.contains(":rates!C1*2"), "{save}");
    // They follow the other room, and a save has them as it came.
    assert_eq!(commands(&server, "rates", "set A1 value n 5").status, 202);
    web.wait_for_value("A1", 10.0);
    assert_eq!(server.put("/_/again", "text/x-socialcalc", &save).status, 201);
    let mut again = Person::join(&server, "again", "Web");
    again.wait_for_value("A2", 15.0);
    assert_eq!(server.get("/_/again/cells/A1").json()["formula"], "rates!A1*2");
}

#[test]
fn clients_of_the_live_protocol_edit_the_sheets_by_their_names() {
    let server = server_with_workbook();
    let mut north = Bot::join(&server, "sales.1", "ann");
    let mut south = Bot::join(&server, "sales.2", "bob");
    let mut other = Bot::join(&server, "sales.2", "cy");
    let mut web = Person::join(&server, "sales", "Web");
    south.execute("set A1 value n 4");
    assert_eq!(other.next_of("execute")["room"], "sales.2");
    web.type_text("A1", "5");
    assert_eq!(
        north.next_of("execute")["cmdstr"].as_str().map(|text| text.contains("set A1 value n 5")),
        Some(true)
    );
    south.catch_up();
    let save = north.load()["snapshot"].clone();
    assert!(save.as_str().is_some_and(|save| save.contains("cell:A1:v:5")), "{save}");
    let all = [server.get("/sales.1.csv").text(), server.get("/sales.2.csv").text()];
    assert_eq!(all, ["5\n", "4\n"]);
}

#[test]
fn rooms_of_their_own_stay() {
    let server = Server::start();
    assert_eq!(server.put("/_/sales.2", "text/csv", "mine\n").status, 201);
    assert_eq!(server.put("/_/sales", "text/csv", TABLE).status, 201);
    assert_eq!(server.get("/sales.2.csv").text(), "mine\n");
    assert_eq!(sheet_names(&server, "sales"), ["Sheet1"]);
    assert_eq!(table(&server, "sales"), pairs(&[["/sales.1", "North"], ["/sales.2", "South"]]));
    // An ordinary workbook has no such addresses.
    server.make_room("plan", "1");
    assert_eq!(server.get("/_/plan.1").status, 404);
    assert_eq!(server.put("/_/plan.1", "text/csv", "2\n").status, 201);
    assert_eq!(server.csv("plan"), "1\n");
}

#[test]
fn what_a_table_of_contents_cannot_say_is_refused() {
    let server = server_with_workbook();
    for (room, body, status) in [
        ("sales", "1,2\n", 400),
        ("sales", "#url,#title\n/other.1,x\n", 400),
        ("sales", "#url,#title\n", 400),
    ] {
        let put = server.put(&format!("/_/{room}"), "text/csv", body);
        assert_eq!(put.status, status, "{body}: {put:?}");
    }
    assert_eq!(commands(&server, "sales", "set A2 text t https://example.org").status, 400);
    assert_eq!(commands(&server, "sales", "set A2:B3 empty").status, 400);
    assert_eq!(sheet_names(&server, "sales"), ["North", "South"]);
}

#[test]
fn the_access_to_a_sheet_is_that_of_its_workbook() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "sales");
    let owner = |path: &str, body: &str| {
        let bearer = format!("Bearer {}", workbook.owner_key);
        let headers = [("authorization", &*bearer), ("content-type", "text/csv")];
        server.send("PUT", path, &headers, body.as_bytes()).status
    };
    assert_eq!(owner("/api/v1/rooms/sales", ""), 200);
    assert_eq!(owner("/_/sales", TABLE), 201);
    assert_eq!(owner("/_/sales.1", "secret\n"), 201);
    let viewed = send(&server, workbook.view_link(), "GET", "/_/sales.1/csv", "");
    assert_eq!((viewed.status, viewed.text().as_str()), (200, "secret\n"));
    assert_eq!(send(&server, workbook.view_link(), "PUT", "/_/sales.1", "").status, 403);
    // A stranger cannot tell the sheet from a room that does not exist.
    for path in ["/_/sales.N", "/_/sales.N/csv", "/_/sales.N/cells", "/sales.N", "/_exists/sales.N"] {
        let answer = |number: &str| {
            let reply = server.get(&path.replace('N', number));
            (reply.status, reply.text().replace(&format!("sales.{number}"), ""))
        };
        assert_eq!(answer("1"), answer("7"), "{path}");
    }
    let refused: Json = json!(server.put("/_/sales.1", "text/csv", "x").status);
    assert_eq!(refused, 404);
}
