//! Buttons and forms in cells, as EtherCalc's formulas make them.

use quadrille_cell::Value;
use serde_json::{Value as Json, json};

use crate::access::Restricted;
use crate::person::Person;
use crate::support::{Reply, Server};

/// Makes a room by commands.
fn make(server: &Server, room: &str, commands: &[&str]) {
    let body = json!({ "command": commands }).to_string();
    let reply = server.post_json(&format!("/_/{room}"), &body);
    assert_eq!(reply.status, 202, "{reply:?}");
}

fn post(server: &Server, path: &str) -> Reply {
    server.send("POST", path, &[], b"")
}

fn press(server: &Server, room: &str, cell: &str) -> (u16, Json) {
    let reply = post(server, &format!("/api/v1/rooms/{room}/sheets/Sheet1/buttons/{cell}"));
    (reply.status, reply.json())
}

#[test]
fn a_button_carries_out_its_actions_with_calculated_values() {
    let server = Server::start();
    let commands = [
        "set A1 formula BUTTON(\"Add\")",
        "set A2 formula TEXTBOX(\"pear\")",
        "set B1 formula UPPER(A2)&\"s\"",
        "set C1 formula INSERT(A1,D1:D2,E1,B1)",
        "set D1 text t Kind",
        "set D2 text t End",
        "set E1 formula ROW()*10",
        "set C2 formula COPYVALUE(A1,B2,B1)",
    ];
    make(&server, "shop", &commands);
    let mut web = Person::join(&server, "shop", "Web");
    let (status, reply) = press(&server, "shop", "A1");
    let carried_out =
        json!(["insertrow D2", "set D2 formula ROW()*10", "set E2 text t PEARs", "set B2 text t PEARs"]);
    assert_eq!((status, &reply["commands"]), (200, &carried_out));
    web.wait_for_value("D2", 20.0);
    assert_eq!(web.value("E2"), Value::text("PEARs"));
    // Nothing is triggered by a cell without an action.
    let (status, reply) = press(&server, "shop", "D1");
    assert_eq!((status, &reply["commands"]), (200, &json!([])));
}

#[test]
fn an_action_that_is_impossible_changes_nothing() {
    let server = Server::start();
    let commands = [
        "set A1 formula BUTTON(\"Go\")",
        "set B1 formula COPYVALUE(A1,C1,5)",
        "set B2 formula COMMAND(A1,\"fly\")",
        "set B3 formula COPYVALUE(A2,C1)",
    ];
    make(&server, "r", &commands);
    for (cell, reason) in [("A1", "fly"), ("A2", "COPYVALUE in B3")] {
        let (status, reply) = press(&server, "r", cell);
        assert_eq!((status, &reply["error"]["code"]), (400, &json!("bad_request")), "{reply}");
        assert!(reply["error"]["message"].as_str().expect("a message").contains(reason), "{reply}");
    }
    assert_eq!(server.get("/_/r/cells/C1").text(), "null");
    let missing = post(&server, "/api/v1/rooms/r/sheets/No/buttons/A1");
    assert_eq!(missing.code(), "no_such_sheet");
}

#[test]
fn submit_appends_the_fields_below_their_names() {
    let server = Server::start();
    let commands = [
        "set B1 formula TEXTBOX(\"Ada\")",
        "set B2 formula SELECT(\"tea\",\"tea,coffee\")",
        "set B3 formula CHECKBOX(\"TRUE\")",
        "set B4 formula SUBMIT()",
    ];
    make(&server, "survey_k3j2", &commands);
    let (status, reply) = press(&server, "survey_k3j2", "B4");
    assert_eq!((status, &reply["collectedIn"]), (200, &json!("survey_formdata")), "{reply}");
    // A copy with another order of the fields and one more.
    let commands = [
        "set B1 formula SELECT(\"coffee\",\"tea,coffee\")",
        "set B2 formula SELECT(\"a:b\",\"x\")",
        "set C1 formula TEXTBOX(\"\")",
        "set B4 formula SUBMIT(\"Send\")",
    ];
    make(&server, "survey_other", &commands);
    assert_eq!(press(&server, "survey_other", "B4").0, 200);
    let rows = server.get("/survey_formdata.csv.json").json();
    let rows: Vec<Vec<&str>> = rows
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row.as_array().expect("cells").iter().map(|cell| cell.as_str().unwrap_or("")).collect())
        .collect();
    assert_eq!(rows[0], ["", "textboxB1", "selectB2", "checkboxB3", "selectB1", "textboxC1"]);
    assert_eq!(rows[1][1..], ["Ada", "tea", "TRUE", "", ""]);
    assert_eq!(rows[2][1..], ["", "a:b", "", "coffee", ""]);
    let is_time = |text: &str| text.len() == 19 && text.starts_with("20") && text.as_bytes()[10] == b' ';
    assert!(rows[1..].iter().all(|row| is_time(row[0])), "{rows:?}");
}

#[test]
fn answers_need_the_permission_to_edit_their_room() {
    let server = Server::start();
    make(&server, "form", &["set A1 formula TEXTBOX(\"x\")", "set A2 formula SUBMIT()"]);
    Restricted::new(&server, "form_formdata");
    let (status, reply) = press(&server, "form", "A2");
    assert_eq!((status, &reply["error"]["code"]), (404, &json!("no_such_room")));
}
