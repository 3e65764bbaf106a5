//! SocialCalc's commands over EtherCalc's `POST /_/{room}`. Each expected result is what EtherCalc 0.20200127
//! answers to the same commands, unless `docs/ethercalc.md` says otherwise.

use serde_json::json;

use crate::person::Person;
use crate::support::{Reply, Server};

fn post(server: &Server, room: &str, commands: &[&str]) -> Reply {
    let body = json!({ "command": commands }).to_string();
    server.send("POST", &format!("/_/{room}"), &[("content-type", "application/json")], body.as_bytes())
}

/// Carries out commands in a new room and returns it as csv.
fn csv(server: &Server, commands: &[&str]) -> String {
    let room = format!("r{}", commands.join("").len());
    server.delete(&format!("/_/{room}"));
    let response = post(server, &room, commands);
    assert_eq!(response.status, 202, "{commands:?}: {}", response.text());
    server.get(&format!("/{room}.csv")).text()
}

#[test]
fn commands_are_echoed_and_carried_out_in_order() {
    let server = Server::start();
    let mut ann = Person::join(&server, "r", "Ann");
    let commands = ["set A1 value n 5", "set A2 formula A1*2"];
    let response = post(&server, "r", &commands);
    assert_eq!((response.status, response.json()), (202, json!({ "command": commands })));
    ann.wait_for_value("A2", 10.0);
    let one = server.send(
        "POST",
        "/_/r",
        &[("content-type", "application/json")],
        br#"{"command":"set A1 value n 7"}"#,
    );
    assert_eq!((one.status, one.json()), (202, json!({ "command": ["set A1 value n 7"] })));
    let lines =
        server.send("POST", "/_/r", &[("content-type", "text/plain")], b"set B1 text t x\nset B2 empty");
    assert_eq!((lines.status, lines.json()), (202, json!({ "command": ["set B1 text t x\nset B2 empty"] })));
    assert_eq!(server.get("/r.csv").text(), "7,x\n14,\n");
}

#[test]
fn commands_and_saves_are_sent_as_forms_too() {
    let server = Server::start();
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let send = |path: &str, body: &str| server.send("POST", path, &form, body.as_bytes());
    // `qs.stringify` of the package `ethercalc-client` of Apereo OAE.
    let one = send("/_/r", "command=set%20A1%20value%20n%205");
    assert_eq!((one.status, one.json()), (202, json!({ "command": ["set A1 value n 5"] })));
    let all = send("/_/r", "command%5B0%5D=set+B1+text+t+x%26y&command%5B1%5D=set+A2+formula+A1*2");
    assert_eq!(all.json(), json!({ "command": ["set B1 text t x&y", "set A2 formula A1*2"] }));
    // `curl --data` without a content type.
    assert_eq!(send("/_/r", "set B2 value n 1").status, 202);
    assert_eq!(server.get("/r.csv").text(), "5,x&y\n10,1\n");
    for wrong in ["command=", "command=jump+A1", "command=%FF"] {
        assert_eq!(send("/_/r", wrong).status, 400, "{wrong}");
    }
    let made = send("/_", "room=copy&snapshot=version%3A1.5%0Acell%3AA1%3Av%3A7%0A");
    assert_eq!((made.status, made.text().as_str()), (201, "/copy"));
    assert_eq!(server.get("/copy.csv").text(), "7\n");
    assert_eq!(send("/_", "snapshot=").status, 201);
    // `createRoom(room, snapshot)` of this package.
    let save = "room=plan&snapshot=version%3A1.5%0Acell%3AA1%3Av%3A7%0Acell%3AA2%3Avtf%3An%3A14%3AA1*2%0A";
    let named = send("/_/plan", save);
    assert_eq!((named.status, named.text().as_str()), (201, "/plan"));
    assert_eq!(server.get("/plan.csv").text(), "7\n14\n");
    assert_eq!(send("/_/plan", save).status, 409);
    assert_eq!(server.get("/plan.csv").text(), "7\n14\n");
    let csv = server.send("POST", "/_/", &[("content-type", "text/csv")], b"1,2\n");
    assert_eq!(csv.status, 201);
    assert_eq!(server.get(&format!("{}.csv", csv.text())).text(), "1,2\n");
}

#[test]
fn each_command_has_its_effect() {
    let server = Server::start();
    for (commands, expected) in [
        (&["set A1:B1 value n 3", "set A2:B2 formula A1+1"][..], "3,3\n4,4\n"),
        (
            &["set A1 value n% 0.5", "set B1 constant nd 45352 1-Mar-2024", "set C1 constant nl 1 TRUE"],
            "0.5,45352,1\n",
        ),
        (&["set A1 text t a\\cb", "set B1 constant e#N/A 0 #N/A"], "a:b,#N/A\n"),
        (&["set A1 value n 1", "set B1 value n 2", "erase A1 all"], ",2\n"),
        (&["set A1 value n 1", "set A2 formula A1*2", "copy A1:A2 all", "paste B1 all"], "1,1\n2,2\n"),
        (&["set A1 value n 1", "copy A1 all", "set A1 value n 9", "paste B1:C2 all"], "9,1,1\n,1,1\n"),
        (&["set A1 value n 1", "cut A1 all", "paste C1 all"], ",,1\n"),
        (&["set A1 value n 1", "set B1 formula A1+1", "filldown A1:B3 all"], "1,2\n1,2\n1,2\n"),
        (&["set A1 value n 1", "set A2 value n 2", "fillright A1:C2 formulas"], "1,1,1\n2,2,2\n"),
        (&["set A1 value n 1", "set A2 formula A1", "insertrow A1"], "\n1\n1\n"),
        (&["set A1 value n 1", "set B1 formula A1", "insertcol B"], "1,,1\n"),
        (&["set A1 value n 1", "set A2 value n 2", "set A3 value n 3", "deleterow A1:A2"], "3\n"),
        (&["set A1 value n 1", "set B1 value n 2", "deletecol A"], "2\n"),
        (&["set A1 value n 1", "set B1 formula A1*2", "movepaste A1 A3 all"], ",2\n,\n1,\n"),
        (
            &[
                "set A1 value n 1",
                "set B1 value n 2",
                "set C1 value n 3",
                "set A2 formula B1",
                "moveinsert C1 A1 all",
            ],
            "3,1,2\n2,,\n",
        ),
        (&["set A1 value n 1", "set A2 value n 2", "set A3 value n 3", "moveinsert A1 A4 all"], "2\n3\n1\n"),
        (
            &[
                "set A1 value n 3",
                "set A2 value n 1",
                "set B1 text t c",
                "set B2 text t a",
                "sort A1:B2 A up",
            ],
            "1,a\n3,c\n",
        ),
        (&["set A1 value n 3", "set A2 value n 1", "set A3 value n 2", "sort A1:A3 A down"], "3\n2\n1\n"),
        (&["set A1 value n 4", "name define tax A1", "set B1 formula TAX*2"], "4,8\n"),
        (&["set A1 value n 4", "name define twice =A1*2", "set B2 formula TWICE"], "4,\n,8\n"),
        (&["set A1 formula LOG(1)", "set B1 formula IF(A1,5)", "set C1 formula ROUND(2.4)"], "0,0,2\n"),
        (&["set A1 value n 4", "set B1 value n 5", "merge A1:B1"], "4\n"),
        (&["set A1 value n 4", "merge A1:B1", "unmerge A1", "set B1 value n 5"], "4,5\n"),
        (&["set A1 all :vtf:n:0:2+3:comment:why", "recalc", "redisplay"], "5\n"),
        (
            &["loadclipboard version\\c1.5\\ncell\\cB2\\cv\\c8\\ncopiedfrom\\cB2\\cB2\\n", "paste A1:A2 all"],
            "8\n8\n",
        ),
        (&["copy A1 all", "clearclipboard", "paste B1 all", "set A1 value n 1"], "1\n"),
    ] {
        assert_eq!(csv(&server, commands), expected, "{commands:?}");
    }
}

#[test]
fn formats_sizes_notes_and_panes_are_those_of_the_page() {
    let server = Server::start();
    let commands = [
        "set A1 text t styled",
        "set A1 font italic bold 12pt Arial,Helvetica",
        "set A1 color rgb(255,0,0)",
        "set A1 bgcolor #ffff00",
        "set A1 bt 1px solid rgb(0,0,0)",
        "set A1 cellformat right",
        "set A1 layout padding:* * * *;vertical-align:top;",
        "set B1 value n 0.5",
        "set B1 nontextvalueformat 0.0%",
        "set A1 comment see\\c there",
        "set A:B width 130",
        "set 3 hide yes",
        "pane row 2",
        "set C1 readonly yes",
    ];
    assert_eq!(post(&server, "r", &commands).status, 202);
    let cells = server.get("/api/v1/rooms/r/sheets/Sheet1/cells/A1:B1").json();
    let format = &cells["cells"][0][0]["format"];
    assert_eq!(
        [
            &format["bold"],
            &format["italic"],
            &format["textColor"],
            &format["fillColor"],
            &format["horizontal"],
            &format["vertical"]
        ],
        [&json!(true), &json!(true), &json!("#ff0000"), &json!("#ffff00"), &json!("right"), &json!("top")]
    );
    assert_eq!(cells["cells"][0][1]["text"], "50.0%");
    let items = server.get("/api/v1/rooms/r/sheets/Sheet1/items").json();
    let items = items["items"].as_array().expect("a list").clone();
    let of_kind = |kind: &str| items.iter().find(|item| item["kind"] == kind).cloned().unwrap_or_default();
    assert_eq!(of_kind("note")["fields"]["text"], "see: there");
    assert_eq!(of_kind("protectedRange")["anchors"], json!(["C1"]));
    assert_eq!(of_kind("sheetSettings")["fields"]["frozenRows"], 1.0);
    // Locked cells are refused until they are unlocked.
    let refused = post(&server, "r", &["set B2 value n 1", "set C1 value n 1"]);
    assert_eq!(refused.status, 403, "{}", refused.text());
    assert_eq!(post(&server, "r", &["set C1 readonly no", "set C1 value n 1"]).status, 202);
    assert_eq!(post(&server, "r", &["set A1 comment "]).status, 202);
    let notes = server.get("/api/v1/rooms/r/sheets/Sheet1/items?kind=note").json();
    assert_eq!(notes["items"], json!([]));
}

#[test]
fn files_are_appended_below_the_last_row_or_inserted() {
    let server = Server::start();
    server.put("/_/r", "text/csv", "a,b\n1,2\n");
    let csv = |path: &str| server.send("POST", path, &[("content-type", "text/csv")], b"3,4\n5,6\n");
    let response = csv("/_/r");
    assert_eq!(response.status, 202, "{}", response.text());
    let commands = response.json()["command"].as_array().expect("a list").clone();
    assert!(
        commands[0].as_str().is_some_and(|load| load.starts_with("loadclipboard cell\\cA1\\c")),
        "{commands:?}"
    );
    assert_eq!(commands[1..], [json!("paste A3 all")]);
    assert_eq!(server.get("/r.csv").text(), "a,b\n1,2\n3,4\n5,6\n");
    // As in EtherCalc, one row is inserted, and the file overwrites what follows.
    let commands = csv("/_/r?row=2").json()["command"].clone();
    assert_eq!([&commands[1], &commands[2]], [&json!("insertrow A2"), &json!("paste A2 all")]);
    assert_eq!(server.get("/r.csv").text(), "a,b\n3,4\n5,6\n3,4\n5,6\n");
    // The first row of an empty sheet is left free.
    assert_eq!(csv("/_/new").json()["command"][1], "paste A2 all");
}

#[test]
fn the_clipboard_of_a_room_lasts_between_requests() {
    let server = Server::start();
    assert_eq!(post(&server, "r", &["set A1 value n 4", "copy A1 all"]).status, 202);
    assert_eq!(post(&server, "other", &["paste A1 all", "set B1 value n 1"]).status, 202);
    assert_eq!(post(&server, "r", &["paste B1 all"]).status, 202);
    assert_eq!(server.get("/r.csv").text(), "4,4\n");
    assert_eq!(server.get("/other.csv").text(), ",1\n");
}

#[test]
fn bad_commands_are_refused_and_nothing_is_half_applied() {
    let server = Server::start();
    server.put("/_/r", "text/csv", "1\n");
    for (commands, word) in [
        (&["set A1 value n 2", "jump A1"][..], "command 2: 'jump'"),
        (&["set A1 value n 2", "set A1 shade red"], "command 2: 'shade'"),
        (&["set A1 value n two"], "command 1: 'two'"),
        (&["set A1 value n 2", "deleterow A0"], "command 2: 'A0'"),
        (&["set A1 value n 2", "sendemail a b"], "command 2: 'sendemail'"),
        (&["set A1 value n 2", "loadclipboard nonsense"], "command 2: the clipboard"),
        (&["set A1 value n 2", "copy A1:XFD1048576 all"], "command 2: A:XFD has more than"),
        (&["set A1 value n 2", "name define 1 A1"], "command 2:"),
    ] {
        let response = post(&server, "r", commands);
        assert_eq!(response.status, 400, "{commands:?}: {}", response.text());
        assert!(response.text().starts_with(word), "{commands:?}: {}", response.text());
    }
    for body in
        ["{}", r#"{"command":[]}"#, r#"{"command":5}"#, r#"{"command":["recalc",5]}"#, r#"{"command":""}"#]
    {
        let response = server.send("POST", "/_/r", &[("content-type", "application/json")], body.as_bytes());
        assert_eq!((response.status, response.text().as_str()), (400, "Please send command"), "{body}");
    }
    for (media_type, body) in
        [("application/json", &b"{"[..]), ("text/plain", b""), ("text/plain", b"\xff"), ("text/csv", b"")]
    {
        let response = server.send("POST", "/_/r", &[("content-type", media_type)], body);
        assert_eq!(response.status, 400, "{media_type} {body:?}: {}", response.text());
    }
    assert_eq!(server.get("/r.csv").text(), "1\n");
    assert_eq!(server.get("/nothing.csv").status, 404);
    assert_eq!(post(&server, "nothing", &["jump"]).status, 400);
    assert_eq!(server.get("/nothing.csv").status, 404, "no room is made for commands that are refused");
}
