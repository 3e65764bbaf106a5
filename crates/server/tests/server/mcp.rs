//! Agents: the tools of the Model Context Protocol, as JSON-RPC messages over HTTP and over the
//! standard input of `quadrille mcp`. The web client's tests use the SDK of the protocol.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value as Json, json};

use crate::access::Restricted;
use crate::person::Person;
use crate::support::{Server, binary};

const URL: &str = "/mcp?agent=Claude";

/// Sends a request, and returns the result or the error.
fn request(server: &Server, credential: &str, method: &str, params: Json) -> Json {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let bearer = format!("Bearer {credential}");
    let mut headers =
        vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    if !credential.is_empty() {
        headers.push(("authorization", bearer.as_str()));
    }
    let reply = server.send("POST", URL, &headers, message.to_string().as_bytes());
    assert_eq!(reply.status, 200, "{reply:?}");
    let answer = reply.json();
    assert_eq!(answer["id"], 1, "{answer}");
    answer
}

/// Calls a tool, and returns its result.
pub fn call(server: &Server, credential: &str, tool: &str, arguments: Json) -> Json {
    let answer = request(server, credential, "tools/call", json!({ "name": tool, "arguments": arguments }));
    let result = &answer["result"];
    assert_eq!(result["isError"], false, "{tool}: {answer}");
    result["structuredContent"].clone()
}

/// Calls a tool, and returns the text of its error.
pub fn error(server: &Server, credential: &str, tool: &str, arguments: Json) -> String {
    let answer = request(server, credential, "tools/call", json!({ "name": tool, "arguments": arguments }));
    assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
    answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
}

#[test]
fn an_agent_reads_writes_and_undoes() {
    let server = Server::start();
    server.make_room("plan", "item,price\npen,2\nink,5\n");
    let room = |more: Json| {
        let mut arguments = json!({ "room": "plan" });
        for (name, value) in more.as_object().expect("an object") {
            arguments[name] = value.clone();
        }
        arguments
    };
    let described = call(&server, "", "describe_workbook", room(json!({})));
    assert_eq!(described["sheets"][0]["usedRange"], "A1:B3");

    // A dry run tells what would change, and changes nothing.
    let total = json!({ "at": "B4", "rows": [["=SUM(B2:B3)"]], "dryRun": true });
    let tried = call(&server, "", "write_range", room(total.clone()));
    assert_eq!(
        tried["changed"]["cells"],
        json!([{ "sheet": "Sheet1", "cell": "B4", "before": { "value": null },
                 "after": { "value": 7, "formula": "=SUM(B2:B3)" } }])
    );
    assert_eq!(server.csv("plan"), "item,price\npen,2\nink,5\n");

    let written = call(&server, "", "write_range", room(json!({ "at": "B4", "rows": [["=SUM(B2:B3)"]] })));
    assert_eq!(written["changed"]["total"], 1);
    // A change names the formulas that it changes too.
    let changed = call(&server, "", "write_range", room(json!({ "at": "B2", "rows": [[3]] })));
    let cells = changed["changed"]["cells"].as_array().expect("cells").iter().map(|cell| &cell["cell"]);
    assert_eq!(cells.collect::<Vec<_>>(), ["B2", "B4"]);
    let read = call(&server, "", "read_range", room(json!({ "range": "A2:B4" })));
    assert_eq!(read["rows"], json!([["pen", 3], ["ink", 5], [null, 8]]));
    assert_eq!(read["formulas"], json!({ "B4": "=SUM(B2:B3)" }));

    let explained = call(&server, "", "explain_formula", room(json!({ "cell": "B4" })));
    assert_eq!(explained["value"], 8);
    assert_eq!(explained["precedents"][0]["range"], "Sheet1!B2:B3");
    assert!(explained["functions"]["SUM"].as_str().expect("help").starts_with("SUM("), "{explained}");
    let found = call(&server, "", "search", room(json!({ "text": "INK" })));
    assert_eq!((&found["total"], &found["cells"][0]["cell"]), (&json!(1), &json!("A3")));

    // Somebody else changes the same workbook; undo takes back only what the agent did.
    server.put_json("/api/v1/rooms/plan/sheets/Sheet1/cells/A3", r#"{"value":"paper"}"#);
    assert_eq!(call(&server, "", "undo", room(json!({ "steps": 2 })))["undone"], 2);
    assert_eq!(server.csv("plan"), "item,price\npen,2\npaper,5\n");
    assert_eq!(error(&server, "", "undo", room(json!({}))), "bad_command: nothing to undo");

    let history = server.get("/api/v1/rooms/plan/history").text();
    assert!(history.contains("\"Claude\""), "{history}");
}

#[test]
fn commands_are_carried_out_together_or_not_at_all() {
    let server = Server::start();
    server.make_room("plan", "b,2\na,1\n");
    let sort = json!({ "type": "sort", "sheet": "Sheet1", "range": "A1:B2", "hasHeader": false,
                       "keys": [{ "column": 0, "descending": false }] });
    let wrong = json!({ "type": "renameSheet", "sheet": "Sheet1", "name": "" });
    let refused = error(&server, "", "edit", json!({ "room": "plan", "commands": [sort, wrong] }));
    assert!(refused.starts_with("bad_command: command 2:"), "{refused}");
    assert_eq!(server.csv("plan"), "b,2\na,1\n");
    let unknown = error(&server, "", "edit", json!({ "room": "plan", "commands": [{ "type": "explode" }] }));
    assert!(unknown.starts_with("bad_json: command 1: unknown command: explode"), "{unknown}");

    let insert = json!({ "type": "insertRows", "sheet": "Sheet1", "at": 0, "count": 1 });
    call(&server, "", "edit", json!({ "room": "plan", "commands": [sort, insert] }));
    assert_eq!(server.csv("plan"), ",\na,1\nb,2\n");
    call(&server, "", "add_sheet", json!({ "room": "plan", "name": "Notes", "dryRun": true }));
    call(&server, "", "add_sheet", json!({ "room": "plan", "name": "Notes" }));
    let chart = json!({ "room": "plan", "at": "D1", "type": "column", "title": "Both",
                        "series": [{ "values": "Sheet1!B2:B3", "categories": "Sheet1!A2:A3" }] });
    call(&server, "", "create_chart", chart);
    let items = server.get("/api/v1/rooms/plan/sheets/Sheet1/items?kind=chart").json();
    assert_eq!(items["items"][0]["fields"]["title"], "Both", "{items}");
    // One step takes all of an edit back.
    call(&server, "", "undo", json!({ "room": "plan", "steps": 3 }));
    assert_eq!(server.csv("plan"), "b,2\na,1\n");
}

#[test]
fn an_agent_makes_a_pivot_table_of_a_list() {
    let server = Server::start();
    server.make_room("sales", "Region,Quarter,Amount\nNorth,1,5\nSouth,1,2\nNorth,2,4\n");
    let mut arguments = json!({
        "room": "sales", "source": "Sheet1!A1:C4", "rows": [{ "column": "region" }],
        "columns": [{ "column": "B", "order": "descending" }], "values": [{ "column": "Amount" }],
        "dryRun": true,
    });
    let tried = call(&server, "", "create_pivot_table", arguments.clone());
    let cells = tried["changed"]["cells"].as_array().expect("cells");
    let total = cells.iter().find(|cell| cell["cell"] == "D5").expect("the grand total");
    assert_eq!((&total["sheet"], &total["after"]["value"]), (&json!("Pivot table"), &json!(11)), "{tried}");
    let sheets =
        |server: &Server| call(server, "", "describe_workbook", json!({ "room": "sales" }))["sheets"].clone();
    assert_eq!(sheets(&server).as_array().expect("sheets").len(), 1);

    arguments["dryRun"] = json!(false);
    call(&server, "", "create_pivot_table", arguments.clone());
    let read = json!({ "room": "sales", "sheet": "Pivot table", "range": "A1:D5" });
    let rows = call(&server, "", "read_range", read)["rows"].clone();
    assert_eq!(rows[2], json!(["North", 4, 5, 9]), "{rows}");
    assert_eq!(rows[4], json!(["Grand total", 4, 7, 11]), "{rows}");
    // It is an item whose fields the agent can change; a second one gets another sheet.
    let listed = call(
        &server,
        "",
        "list_items",
        json!({ "room": "sales", "sheet": "Pivot table", "kind": "pivotTable" }),
    );
    let item = &listed["items"][0];
    assert_eq!(item["fields"]["rows"][0]["column"], "=Sheet1!$A:$A", "{listed}");
    let change = json!({ "type": "setItem", "sheet": "Pivot table", "item": item["id"],
                         "fields": { "columns": [], "layout": "compact" } });
    call(&server, "", "edit", json!({ "room": "sales", "commands": [change] }));
    call(&server, "", "create_pivot_table", arguments.clone());
    assert_eq!(sheets(&server)[2]["name"], "Pivot table 2");
    call(&server, "", "undo", json!({ "room": "sales", "steps": 3 }));
    assert_eq!(sheets(&server).as_array().expect("sheets").len(), 1);

    arguments["values"] = json!([{ "column": "Profit" }]);
    let unknown = error(&server, "", "create_pivot_table", arguments.clone());
    assert_eq!(unknown, "bad_address: the list has no column Profit; it has: Region, Quarter, Amount");
    arguments["source"] = json!("Nowhere");
    let unknown = error(&server, "", "create_pivot_table", arguments);
    assert!(unknown.starts_with("bad_address: the source is a range"), "{unknown}");
}

#[test]
fn precedents_are_traced_through_ranges_and_names() {
    let server = Server::start();
    server.make_room("plan", "2,=A1*2,=SUM(B1:B2)\n3,=A2*Rate,\n10,,\n");
    let name =
        json!({ "type": "defineName", "name": "Rate", "definition": "Sheet1!$A$3", "sheet": "Sheet1" });
    call(&server, "", "edit", json!({ "room": "plan", "commands": [name] }));
    let traced = call(&server, "", "trace_precedents", json!({ "room": "plan", "cell": "C1" }));
    assert_eq!(traced["value"], 34, "{traced}");
    let formulas = &traced["precedents"][0]["formulas"];
    assert_eq!((&formulas[0]["cell"], &formulas[1]["value"]), (&json!("Sheet1!B1"), &json!(30)), "{traced}");
    assert_eq!(
        formulas[1]["precedents"],
        json!([{ "range": "Sheet1!A2", "value": 3, "formula": null },
               { "range": "Sheet1!A3", "name": "Rate", "value": 10, "formula": null }])
    );
    let shallow = call(&server, "", "trace_precedents", json!({ "room": "plan", "cell": "C1", "depth": 1 }));
    assert_eq!(shallow["precedents"], json!([{ "range": "Sheet1!B1:B2" }]));
}

#[test]
fn an_agent_is_in_the_room_with_the_role_of_its_credential() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    let missing = error(&server, "", "describe_workbook", json!({ "room": "plan" }));
    assert!(missing.starts_with("no_such_room:"), "{missing}");
    let described = call(&server, workbook.view_link(), "describe_workbook", json!({ "room": "plan" }));
    assert_eq!(described["role"], "view");
    let write = json!({ "room": "plan", "at": "A1", "rows": [["no"]] });
    let refused = error(&server, workbook.view_link(), "write_range", write.clone());
    assert!(refused.starts_with("forbidden:"), "{refused}");
    call(&server, &workbook.owner_key, "write_range", write);

    // A revoked link ends the presence of its agent as it ends a session.
    let link = workbook.filled("/api/v1/rooms/{room}/access/links/{link}");
    let authorization = format!("Bearer {}", workbook.owner_key);
    let revoked = server.send("DELETE", &link, &[("authorization", &authorization)], b"");
    assert_eq!(revoked.status, 204);
    let gone = error(&server, workbook.view_link(), "describe_workbook", json!({ "room": "plan" }));
    assert!(gone.starts_with("no_such_room:"), "{gone}");
}

#[test]
fn others_see_the_agent_and_where_it_reads() {
    let server = Server::start();
    server.make_room("plan", "1,2\n");
    let mut ada = Person::join(&server, "plan", "Ada");
    call(&server, "", "read_range", json!({ "room": "plan", "range": "A1:B1" }));
    ada.wait_until("the agent reads A1:B1", |ada| {
        let claude = ada.replica.people().listed().find(|person| &*person.name == "Claude").cloned();
        claude
            .and_then(|person| person.presence)
            .is_some_and(|presence| presence.selection.to_string() == "A1:B1")
    });
}

#[test]
fn messages_and_arguments_that_are_wrong_get_clear_errors() {
    let server = Server::start();
    let tools = request(&server, "", "tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    for name in [
        "list_workbooks",
        "describe_workbook",
        "read_range",
        "search",
        "list_items",
        "explain_formula",
        "trace_precedents",
        "write_range",
        "add_sheet",
        "create_chart",
        "create_pivot_table",
        "edit",
        "undo",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    let unknown = request(&server, "", "tools/call", json!({ "name": "format_disk", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    for (tool, arguments, expected) in [
        ("read_range", json!({ "room": "a b", "range": "A1" }), "bad_room_name"),
        ("read_range", json!({ "room": "plan", "range": "A0" }), "bad_address"),
        ("read_range", json!({ "room": "plan", "sheet": "Nope", "range": "A1" }), "no_such_sheet"),
        ("read_range", json!({ "room": "plan", "range": "A1:Z9999" }), "too_many_cells"),
        ("search", json!({ "room": "plan", "text": "" }), "bad_query"),
        ("explain_formula", json!({ "room": "plan", "cell": "A1" }), "bad_address"),
        ("write_range", json!({ "room": "plan", "at": "A1", "rows": [[{}]] }), "bad_json"),
        ("edit", json!({ "room": "plan", "commands": [] }), "bad_json"),
        ("list_workbooks", json!({}), "sign_in_required"),
    ] {
        let answered = error(&server, "", tool, arguments);
        assert!(answered.starts_with(&format!("{expected}: ")), "{tool}: {answered}");
    }
    let headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    assert!(server.send("POST", URL, &headers, b"{").status >= 400);
}

#[test]
fn an_agent_that_starts_programs_uses_standard_input() {
    let server = Server::start();
    server.make_room("plan", "1,2\n");
    let mut program = binary()
        .args(["mcp", "--name", "Desk agent", "--server", &server.url("")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let initialize = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                             "clientInfo": { "name": "test", "version": "1" } });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": "two", "method": "tools/call",
                "params": { "name": "read_range", "arguments": { "room": "plan", "range": "A1:B1" } } }),
    ];
    let mut input = program.stdin.take().expect("piped");
    for message in messages {
        writeln!(input, "{message}").expect("the program reads");
    }
    drop(input);
    let output = program.wait_with_output().expect("the program ends");
    let answers: Vec<Json> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is one message"))
        .collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "quadrille", "{answers:?}");
    assert_eq!(
        (&answers[1]["id"], &answers[1]["result"]["structuredContent"]["rows"]),
        (&json!("two"), &json!([[1, 2]]))
    );
}
