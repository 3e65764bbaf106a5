//! Less frequent commands, so that every kind of operation and item is concurrent with the others.

use quadrille_operation::Command;
use serde_json::{Value, json};

use crate::random::Random;
use crate::random_values::{cell, range, text};

/// Item ids used here, apart from those of `edits.rs`.
const ITEMS: (u64, u64) = (30, 37);

/// A random command of a less frequent type.
pub fn uncommon_command(random: &mut Random, sheet: u32) -> Command {
    let command = match random.between(0, 5) {
        0 | 1 => contents(random, sheet),
        2 => sheet_or_move(random, sheet),
        3 => format(random, sheet),
        _ => item(random, sheet),
    };
    serde_json::from_value(command).expect("a command as the client writes it")
}

fn contents(random: &mut Random, sheet: u32) -> Value {
    match random.between(0, 11) {
        9 => {
            let text = if random.one_in(3) { format!("={}+1", cell(random)) } else { text(random) };
            let command =
                json!({"type": "typeEverywhere", "sheet": sheet, "range": range(random), "text": text});
            json!({"type": "suggest", "command": command, "fields": {"author": "Ada", "time": 1}})
        }
        10 => {
            let item = random.between(ITEMS.0, ITEMS.1);
            let what = *random.pick(&["acceptSuggestions", "rejectSuggestions"]);
            json!({"type": what, "sheet": sheet, "items": [item]})
        }
        0 => json!({"type": "typeEverywhere", "sheet": sheet, "range": range(random), "text": text(random)}),
        1 => {
            let cells = [[content(random), content(random)], [content(random), content(random)]];
            json!({"type": "setCells", "sheet": sheet, "at": cell(random), "cells": cells})
        }
        2 => json!({"type": "appendRows", "sheet": sheet, "rows": [[content(random), content(random)]]}),
        3 => {
            let what = *random.pick(&["all", "contents", "values", "formats", "transposed"]);
            json!({"type": "copyPaste", "fromSheet": sheet, "source": range(random), "sheet": sheet,
                "target": range(random), "what": what})
        }
        4 => {
            let text = format!("{}\t{}\n\"a\nb\"\t{}", text(random), text(random), text(random));
            json!({"type": "pasteText", "sheet": sheet, "target": cell(random), "text": text})
        }
        5 => {
            let (row, rows) = (random.between(1, 9), random.between(1, 5));
            let (source, target) = (format!("A{row}:B{row}"), format!("A{row}:B{}", row + rows));
            let mode = *random.pick(&["series", "copy"]);
            json!({"type": "fill", "sheet": sheet, "source": source, "target": target, "mode": mode})
        }
        6 => json!({"type": "fillRight", "sheet": sheet, "range": range(random)}),
        7 => json!({"type": "removeDuplicates", "sheet": sheet, "range": "A1:C9", "columns": [0],
            "hasHeader": random.one_in(2)}),
        8 => json!({"type": "trimWhitespace", "sheet": sheet, "range": range(random)}),
        _ => json!({"type": "splitText", "sheet": sheet, "range": "A1:A9", "separator": " "}),
    }
}

fn content(random: &mut Random) -> Value {
    match random.between(0, 6) {
        0 => json!("keep"),
        1 => json!("blank"),
        2 => json!({"boolean": random.one_in(2)}),
        3 => json!({"text": format!("some {}", random.between(0, 99))}),
        4 => json!({"typed": text(random)}),
        5 => json!({"formula": format!("={}*2", cell(random))}),
        _ => json!({"number": random.between(0, 999)}),
    }
}

fn sheet_or_move(random: &mut Random, sheet: u32) -> Value {
    let dimension = *random.pick(&["rows", "columns"]);
    match random.between(0, 5) {
        0 => json!({"type": "duplicateSheet", "sheet": sheet}),
        4 => {
            let (item, name) = (random.between(1, 6), *random.pick(&["Sheet1", "Sheet2", "Sheet3"]));
            json!({"type": "moveChart", "sheet": sheet, "item": item, "toSheet": name,
                "ownSheet": random.one_in(2)})
        }
        1 => {
            json!({"type": "copyToNewSheet", "fromSheet": sheet, "source": range(random), "leavingOut": [[1, 2]]})
        }
        _ => json!({"type": "moveLines", "sheet": sheet, "dimension": dimension,
            "first": random.between(0, 6), "count": random.between(1, 3), "to": random.between(0, 9)}),
    }
}

fn format(random: &mut Random, sheet: u32) -> Value {
    let range = range(random);
    match random.between(0, 2) {
        0 => {
            let attribute = *random.pick(&["bold", "italic", "underline", "strikethrough", "wrap"]);
            json!({"type": "toggle", "sheet": sheet, "range": range, "attribute": attribute})
        }
        _ => {
            let format = match random.between(0, 4) {
                0 => json!({"numberFormat": *random.pick(&[Some("0.0%"), Some("yyyy-mm-dd"), None])}),
                1 => json!({"textColor": "#aa0000", "horizontal": "center"}),
                2 => json!({"fillColor": null, "vertical": "top"}),
                3 => json!({"cellStyle": random.between(ITEMS.0, ITEMS.1), "italic": true}),
                _ => json!({"bold": true, "wrap": true}),
            };
            json!({"type": "format", "sheet": sheet, "range": range, "format": format})
        }
    }
}

/// Settings of the sheet and of the workbook, and items of the kinds that `edits.rs` does not
/// create.
fn item(random: &mut Random, sheet: u32) -> Value {
    let number = random.between(ITEMS.0, ITEMS.1);
    let parent = random.between(ITEMS.0, ITEMS.1);
    let (at, area) = (cell(random), range(random));
    let some = random.between(1, 99);
    let is_so = random.one_in(2);
    let (number, kind, anchors, fields) = match random.between(0, 15) {
        0 => (0, "sheetSettings", json!([]), json!({"tabColor": "#00aa00", "showGridlines": is_so})),
        1 => {
            let fields = match random.between(0, 2) {
                0 => json!({"title": *random.pick(&[Some(format!("title {some}")), None])}),
                _ => json!({"iterative": is_so, "locale": *random.pick(&[Some("de-DE"), None])}),
            };
            return json!({"type": "setItem", "sheet": null, "item": 0, "fields": fields});
        }
        2 => (number, "autoFilter", json!([area]), json!({})),
        3 => {
            let fields = match random.between(0, 2) {
                0 => json!({"parent": parent, "shownDates": [format!("2026-{:02}", some % 12 + 1), "2024"]}),
                1 => json!({"parent": parent, "rule": "icon", "iconSet": "3Arrows", "iconIndex": some % 3}),
                _ => json!({"parent": parent, "shown": [some.to_string()]}),
            };
            (number, "filterColumn", json!(["A1:A9"]), fields)
        }
        4 if some.is_multiple_of(3) => {
            return json!({"type": "filterBySlicer", "sheet": sheet, "item": number, "shown": [some.to_string()]});
        }
        4 => (number, "filterView", json!([area]), json!({"name": format!("view {some}")})),
        5 => (number, "image", json!([at]), json!({"source": "https://example.org/a.png", "width": some})),
        6 => (number, "sparkline", json!([at]), json!({"type": "line", "source": format!("={area}")})),
        7 | 8 => {
            let fields = json!({"name": format!("Table{}", random.between(1, 3)), "headerRow": true,
                "totalRow": is_so});
            (number, "table", json!(["A1:C6"]), fields)
        }
        9 => {
            let fields = json!({"parent": parent, "name": format!("column {some}"), "totalFunction": "sum"});
            (number, "tableColumn", json!(["B1:B6"]), fields)
        }
        10 => {
            let anchor = *random.pick(&["2:4", "3:8"]);
            (number, "outlineGroup", json!([anchor]), json!({"dimension": "rows", "collapsed": is_so}))
        }
        11 => (number, "alternatingColors", json!([area]), json!({"firstColor": "#eeeeee"})),
        12 | 13 => return rare_item(random, sheet, number, some),
        14 => {
            let axis = *random.pick(&["rows", "columns"]);
            let function = *random.pick(&["sum", "countUnique", "median"]);
            let groups = json!([{"name": format!("group {}", some % 3), "values": [some.to_string(), "x"]}]);
            let fields = json!({"source": format!("={area}"), axis: [{"column": "=$A:$A", "groups": groups}],
                "values": [{"column": "=$B:$B", "function": function}], "showTotalRow": is_so});
            (number, "pivotTable", json!([at]), fields)
        }
        15 if some.is_multiple_of(4) => return json!({"type": "removeItem", "sheet": null, "item": number}),
        _ => return json!({"type": "removeItem", "sheet": sheet, "item": number}),
    };
    match kind {
        "sheetSettings" => json!({"type": "setItem", "sheet": sheet, "item": number, "fields": fields}),
        _ => json!({"type": "setItem", "sheet": sheet, "item": number, "kind": kind, "anchors": anchors,
            "fields": fields}),
    }
}

/// Items of the kinds that few people use. `choice` selects the kind.
fn rare_item(random: &mut Random, sheet: u32, number: u64, choice: u64) -> Value {
    let (at, area) = (cell(random), range(random));
    let (sheet, kind, anchors, fields) = match choice % 11 {
        0 => (
            Some(sheet),
            "slicer",
            json!([at]),
            json!({"column": "=$A$1:$A$9", "title": format!("slicer {choice}")}),
        ),
        1 => (Some(sheet), "pageBreak", json!([*random.pick(&["4:4", "C:C"])]), json!({})),
        2 => (Some(sheet), "printArea", json!([area]), json!({})),
        3 => (Some(sheet), "printTitles", json!(["1:2"]), json!({})),
        4 => {
            let cells = json!([{"formula": format!("={at}"), "value": choice.to_string()}]);
            let fields = json!({"name": format!("scenario {choice}"), "cells": cells});
            (Some(sheet), "scenario", json!([]), fields)
        }
        5 => (Some(sheet), "suggestion", json!([at]), json!({"value": text(random), "author": "Ada"})),
        6 => {
            let fields = json!({"parent": random.between(1, 6), "text": "👍", "author": "Ada"});
            (Some(sheet), "reaction", json!([]), fields)
        }
        7 => {
            let fields = json!({"name": format!("version {choice}"), "revision": choice, "time": 0});
            (None, "namedVersion", json!([]), fields)
        }
        8 => {
            let fields =
                json!({"name": format!("style {choice}"), "format": {"bold": choice.is_multiple_of(2)}});
            (None, "cellStyle", json!([]), fields)
        }
        9 => (None, "packageParts", json!([]), json!({"source": format!("parts {choice}")})),
        _ => {
            let fields =
                json!({"formula": "=twice", "description": format!("text {choice}"), "arguments": ["x"]});
            (None, "namedFunction", json!([]), fields)
        }
    };
    json!({"type": "setItem", "sheet": sheet, "item": number, "kind": kind, "anchors": anchors, "fields": fields})
}
