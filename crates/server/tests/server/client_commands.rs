//! Every command of the web client can be sent over REST.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::Server;

/// An example of every command, in the tests of the crate that reads them.
const EXAMPLES: &str = include_str!("../../../operation/src/json_reader/tests.rs");
const PAGE: &str = include_str!("../../../../docs/rest.md");

/// The types of all commands, as the examples have them: a test of their crate misses none.
fn known_types() -> BTreeSet<String> {
    let commands = EXAMPLES.split_once("const COMMANDS").expect("the examples").1;
    let commands = commands.split_once("];").expect("their end").0;
    let starts = commands.split("{\"type\":\"").skip(1);
    starts.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

/// The types in the first column of the table of commands.
fn documented_types() -> BTreeSet<String> {
    let table = PAGE.split_once("### What the client can do").expect("the section").1;
    let table = table.split_once("| beside the commands |").expect("the second table").0;
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// Creates a room whose first sheet has the number 1, with something for each command.
fn make(server: &Server, room: &str) {
    let made = server.post_json("/api/v1/rooms", &json!({ "name": room }).to_string());
    assert_eq!(made.status, 201, "{made:?}");
    let cells = json!({ "cells": [[1, 2, "a-b"], [1, null, " c  d"], [3, 4, null]] }).to_string();
    let path = format!("/api/v1/rooms/{room}/sheets/Sheet1/cells/A1:C3");
    assert_eq!(server.put_json(&path, &cells).status, 200);
    let commands = json!({ "commands": [
        { "type": "addSheet", "name": "Second" },
        { "type": "merge", "sheet": 1, "range": "E20:F21", "how": "all" },
        { "type": "setItem", "sheet": 1, "item": 9, "kind": "note", "anchors": ["G1"],
          "fields": { "text": "a" } },
        { "type": "setItem", "sheet": 1, "item": 10, "kind": "autoFilter", "anchors": ["A1:C3"],
          "fields": {} },
        { "type": "setItem", "sheet": 1, "item": 11, "kind": "slicer", "anchors": ["E1"],
          "fields": { "column": "=$A$1:$A$3" } },
        { "type": "setItem", "sheet": 1, "item": 12, "kind": "suggestion", "anchors": ["H1"],
          "fields": { "value": "5" } },
        { "type": "setItem", "sheet": 1, "item": 13, "kind": "chart", "anchors": ["E9"],
          "fields": { "series": [{ "values": "=A1:A3" }] } }] });
    let reply = server.post_json(&format!("/api/v1/rooms/{room}/commands"), &commands.to_string());
    assert_eq!(reply.status, 200, "{reply:?}");
}

#[test]
fn every_command_of_the_client_is_carried_out_over_rest() {
    let server = Server::start();
    let mut carried_out = BTreeSet::new();
    for command in [
        json!({ "type": "typeText", "sheet": "Sheet1", "cell": "B2", "text": "=A1*2" }),
        json!({ "type": "typeTexts", "sheet": 1, "at": "B2", "texts": [["1", "12%"]] }),
        json!({ "type": "typeEverywhere", "sheet": 1, "range": "A1:B2", "text": "x" }),
        json!({ "type": "setCells", "sheet": 1, "at": "A1", "cells": [["keep", { "number": 2.5 }]] }),
        json!({ "type": "appendRows", "sheet": 1, "rows": [[{ "text": "last" }]] }),
        json!({ "type": "clear", "sheet": 1, "range": "A1", "what": "all" }),
        json!({ "type": "copyPaste", "fromSheet": "Sheet1", "source": "A1:A3", "sheet": "Sheet1",
                "target": "D1", "what": "transposed" }),
        json!({ "type": "cutPaste", "fromSheet": 1, "source": "A1", "sheet": 1, "target": "D4" }),
        json!({ "type": "pasteText", "sheet": 1, "target": "A5", "text": "a\tb\nc" }),
        json!({ "type": "fill", "sheet": 1, "source": "A1:A2", "target": "A1:A9", "mode": "series" }),
        json!({ "type": "fillDown", "sheet": 1, "range": "A1:A3" }),
        json!({ "type": "fillRight", "sheet": 1, "range": "A1:C1" }),
        json!({ "type": "insertRows", "sheet": 1, "at": 1, "count": 2 }),
        json!({ "type": "deleteRows", "sheet": 1, "at": 1, "count": 1 }),
        json!({ "type": "insertColumns", "sheet": 1, "at": 1, "count": 2 }),
        json!({ "type": "deleteColumns", "sheet": 1, "at": 1, "count": 1 }),
        json!({ "type": "moveLines", "sheet": 1, "dimension": "rows", "first": 0, "count": 1, "to": 3 }),
        json!({ "type": "resize", "sheet": 1, "dimension": "columns", "first": 0, "count": 2, "size": 40 }),
        json!({ "type": "setHidden", "sheet": 1, "dimension": "rows", "first": 1, "count": 1,
                "hidden": true }),
        json!({ "type": "sort", "sheet": 1, "range": "A1:A3",
                "keys": [{ "column": 0, "descending": true }], "hasHeader": false }),
        json!({ "type": "removeDuplicates", "sheet": 1, "range": "A1:A3", "columns": [0],
                "hasHeader": false }),
        json!({ "type": "splitText", "sheet": 1, "range": "C1:C1", "separator": "-" }),
        json!({ "type": "trimWhitespace", "sheet": 1, "range": "C2:C2" }),
        json!({ "type": "suggest", "fields": { "author": "Ada", "time": 1_000 },
                "command": { "type": "typeText", "sheet": "Sheet1", "cell": "H30", "text": "5" } }),
        json!({ "type": "acceptSuggestions", "sheet": 1, "items": [12] }),
        json!({ "type": "rejectSuggestions", "sheet": 1, "items": [12] }),
        json!({ "type": "format", "sheet": 1, "range": "A1",
                "format": { "bold": true, "borderTop": { "style": "thin" }, "fontFamily": "Arial" } }),
        json!({ "type": "toggle", "sheet": 1, "range": "A1", "attribute": "bold", "active": "A1" }),
        json!({ "type": "merge", "sheet": 1, "range": "A1:B2", "how": "all" }),
        json!({ "type": "unmerge", "sheet": 1, "range": "E20" }),
        json!({ "type": "freezePanes", "sheet": 1, "rows": 1, "columns": 0 }),
        json!({ "type": "filterBySlicer", "sheet": 1, "item": 11, "shown": ["3"] }),
        json!({ "type": "addSheet", "name": "New", "position": 0 }),
        json!({ "type": "copyToNewSheet", "fromSheet": "Sheet1", "source": "A1:C3", "leavingOut": [[1, 1]],
                "position": 1 }),
        json!({ "type": "renameSheet", "sheet": "Sheet1", "name": "First" }),
        json!({ "type": "moveSheet", "sheet": "Sheet1", "position": 1 }),
        json!({ "type": "removeSheet", "sheet": "Second" }),
        json!({ "type": "duplicateSheet", "sheet": "Sheet1", "name": "Copy" }),
        json!({ "type": "defineName", "name": "rate", "definition": "=7", "sheet": 1, "local": false }),
        json!({ "type": "setItem", "sheet": 1, "item": 7, "kind": "note", "anchors": ["A1"],
                "fields": { "text": "a" } }),
        json!({ "type": "removeItem", "sheet": 1, "item": 9 }),
        json!({ "type": "moveChart", "sheet": "Sheet1", "item": 13, "toSheet": "Second",
                "ownSheet": true }),
        json!({ "type": "inSight", "sheet": 1, "hidden": [[1, 1]],
                "command": { "type": "fillDown", "sheet": 1, "range": "A1:A3" } }),
        json!({ "type": "many", "commands": [
            { "type": "addSheet", "name": "Other" },
            { "type": "setItem", "sheet": 1, "item": 8, "kind": "note", "anchors": ["A1"],
              "fields": { "text": "a" } },
            { "type": "removeItem", "sheet": 1, "item": 8 }] }),
    ] {
        let kind = command["type"].as_str().expect("a type").to_owned();
        // Each on a workbook of its own, on which it changes something.
        let room = format!("r-{}", kind.to_lowercase());
        make(&server, &room);
        let path = format!("/api/v1/rooms/{room}/commands");
        let reply = server.post_json(&path, &json!({ "commands": [command] }).to_string());
        assert_eq!(
            (reply.status, &reply.json()["revision"]),
            (200, &json!(4)),
            "{command}: {}",
            reply.text()
        );
        let changes = server.get(&format!("/api/v1/rooms/{room}/changes?after=3")).json();
        assert_ne!(changes["revisions"][0]["operations"], json!([]), "{command} changes nothing");
        carried_out.insert(kind);
    }
    assert_eq!(carried_out, known_types());
    assert_eq!(documented_types(), known_types());
}
