//! Items (notes, merged ranges, settings and others) over REST.

use serde_json::json;

use crate::support::Server;

#[test]
fn items_are_created_changed_listed_and_removed() {
    let server = Server::start();
    server.make_room("plan", "a,b\n1,2\n");
    let items = "/api/v1/rooms/plan/sheets/Sheet1/items";
    let made = server.post_json(items, r#"{"kind":"note","anchors":["A2"],"fields":{"text":"ask Ann"}}"#);
    assert_eq!(made.status, 201, "{made:?}");
    let note = made.json()["item"].as_u64().expect("an item");
    let changed = server.put_json(&format!("{items}/{note}"), r#"{"fields":{"text":"ask Bob"}}"#);
    assert_eq!((changed.status, &changed.json()["revision"]), (200, &json!(3)), "{changed:?}");
    assert_eq!(server.post_json(items, r#"{"kind":"merge","anchors":["A1:B1"]}"#).status, 201);
    let notes = server.get(&format!("{items}?kind=note")).json();
    assert_eq!(
        notes["items"],
        json!([{ "id": note, "kind": "note", "anchors": ["A2"], "fields": { "text": "ask Bob" } }])
    );
    assert_eq!(server.get(items).json()["items"].as_array().map(Vec::len), Some(2));
    let path = format!("{items}/{note}");
    let stale = server.send("DELETE", &path, &[("if-match", "\"1\"")], b"");
    assert_eq!(stale.status, 412);
    assert_eq!(server.delete(&path).status, 204);
    assert_eq!(server.delete(&path).status, 404);
    assert_eq!(server.get(&format!("{items}?kind=note")).json()["items"], json!([]));
    for (what, body, status) in [
        ("unknown kind", r#"{"kind":"spell"}"#, 422),
        ("no kind", r#"{"anchors":["A1"]}"#, 422),
        ("not a range", r#"{"kind":"note","anchors":["?"]}"#, 422),
        ("unknown member", r#"{"kimd":"note"}"#, 400),
    ] {
        let reply = server.post_json(items, body);
        assert_eq!(reply.status, status, "{what}: {reply:?}");
    }
    assert_eq!(server.get("/api/v1/rooms/plan/sheets/Nowhere/items").status, 404);
    // Workbook settings are an item too.
    let settings = server
        .put_json("/api/v1/rooms/plan/items/0", r#"{"kind":"workbookSettings","fields":{"locale":"de-DE"}}"#);
    assert_eq!(settings.status, 200, "{settings:?}");
    let own = server.get("/api/v1/rooms/plan/items").json();
    assert_eq!(own["items"][0]["fields"]["locale"], "de-DE", "{own}");
}

#[test]
fn cells_have_a_style_by_its_name_and_follow_it() {
    let server = Server::start();
    server.make_room("plan", "a,b\n1,2\n");
    let items = "/api/v1/rooms/plan/items";
    let style =
        r##"{"kind":"cellStyle","fields":{"name":"Harvest","format":{"bold":true,"fillColor":"#ffe000"}}}"##;
    let id = 77;
    let made = server.put_json(&format!("{items}/{id}"), style);
    assert_eq!(made.status, 200, "{made:?}");
    let cell = "/api/v1/rooms/plan/sheets/Sheet1/cells/A1";
    let written = server.put_json(cell, r#"{"format":{"cellStyle":"harvest","italic":true}}"#);
    assert_eq!(written.status, 200, "{written:?}");
    let format = || server.get(cell).json()["cell"]["format"].clone();
    let styled = json!({ "bold": true, "italic": true, "fillColor": "#ffe000", "cellStyle": id });
    assert_eq!(format(), styled);
    let changed = server.put_json(&format!("{items}/{id}"), r#"{"fields":{"format":{"underline":true}}}"#);
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(format(), json!({ "underline": true, "italic": true, "cellStyle": id }));
    let normal = json!({ "commands": [
        { "type": "format", "sheet": "Sheet1", "range": "A1", "format": { "cellStyle": "Normal" } },
        { "type": "format", "sheet": "Sheet1", "range": "B1", "format": { "cellStyle": "Harvest" } }
    ] });
    assert_eq!(server.post_json("/api/v1/rooms/plan/commands", &normal.to_string()).status, 200);
    assert_eq!(format(), json!(null));
    let unknown = server.put_json(cell, r#"{"format":{"cellStyle":"Autumn"}}"#);
    assert_eq!(unknown.status, 400, "{unknown:?}");
    assert!(unknown.text().contains("unknown cell style: Autumn"), "{unknown:?}");
}

#[test]
fn commands_are_one_revision_or_nothing() {
    let server = Server::start();
    server.make_room("plan", "b,2\na,1\n");
    let before = server.get("/api/v1/rooms/plan").json()["revision"].as_u64().expect("a number");
    let commands = r#"{"commands":[
        {"type":"addSheet","name":"Copy"},
        {"type":"copyPaste","fromSheet":"Sheet1","source":"A1:B2","sheet":"Copy","target":"A2","what":"all"},
        {"type":"sort","sheet":"Sheet1","range":"A1:B2","keys":[{"column":0,"descending":false}],"hasHeader":false},
        {"type":"deleteColumns","sheet":"Sheet1","at":1,"count":1}]}"#;
    let done = server.post_json("/api/v1/rooms/plan/commands", commands);
    assert_eq!((done.status, &done.json()["revision"]), (200, &(before + 1).into()), "{done:?}");
    assert_eq!(server.csv("plan"), "a\nb\n");
    let copied = server.get("/api/v1/rooms/plan/sheets/Copy/cells/B3").json();
    assert_eq!(copied["cell"]["value"], 1, "{copied}");

    for (commands, status, code, message) in [
        (r#"{"commands":[]}"#, 400, "bad_json", "a batch has 1 to 1000 commands: 0"),
        (r#"{"commands":[{"type":"explode"}]}"#, 400, "bad_json", "command 1: unknown command: explode"),
        (
            r#"{"commands":[{"type":"removeSheet","sheet":"Copy"},{"type":"removeSheet","sheet":"Copy"}]}"#,
            404,
            "no_such_sheet",
            "command 2: unknown sheet: Copy",
        ),
        (
            r#"{"commands":[{"type":"removeSheet","sheet":"Copy"},{"type":"removeSheet","sheet":"Sheet1"}]}"#,
            422,
            "bad_command",
            "command 2: ",
        ),
    ] {
        let refused = server.post_json("/api/v1/rooms/plan/commands", commands);
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{refused:?}");
        let text = refused.json()["error"]["message"].as_str().map(str::to_owned).unwrap_or_default();
        assert!(text.starts_with(message), "{refused:?}");
    }
    assert_eq!(server.get("/api/v1/rooms/plan").json()["revision"], before + 1);
}
