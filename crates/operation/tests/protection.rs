//! Protected cells (`docs/operations.md`, "Protected cells").

use quadrille_cell::SheetId;
use quadrille_operation::{Command, Transaction, apply, plan, protected_from};
use quadrille_workbook::Workbook;
use serde_json::{Value, json};

fn planned(workbook: &Workbook, command: &Value) -> Transaction {
    let command: Command =
        serde_json::from_value(command.clone()).expect("commands in tests are well-formed");
    let mut number = 100;
    let mut new_id = || {
        number += 1;
        SheetId(number)
    };
    plan(&command, workbook, &mut new_id).expect("commands in tests are possible")
}

fn with(commands: &[Value]) -> Workbook {
    let mut workbook = Workbook::new();
    for command in commands {
        let transaction = planned(&workbook, command);
        apply(&mut workbook, &transaction);
    }
    workbook
}

fn protection(anchors: &[&str], fields: Value) -> Value {
    json!({"type": "setItem", "sheet": 1, "item": 9, "kind": "protectedRange", "anchors": anchors, "fields": fields})
}

/// Checks whether a person without an account may run the command.
fn check(workbook: &Workbook, command: Value, expected: &str) {
    let outcome = protected_from(Some(""), &planned(workbook, &command), workbook);
    let text = outcome.map_or_else(|protected| protected.to_string(), |()| "yes".to_owned());
    assert_eq!(text, expected, "{command}");
}

const NO: &str = "these cells are protected: Sheet1!B2:C9";

fn typed(cell: &str) -> Value {
    json!({"type": "typeText", "sheet": 1, "cell": cell, "text": "x"})
}

#[test]
fn protected_cells_and_their_rows_cannot_be_changed() {
    let workbook = with(&[
        typed("B3"),
        typed("C4"),
        typed("A3"),
        json!({"type": "addSheet"}),
        protection(&["B2:C9"], json!({})),
    ]);
    check(&workbook, typed("A1"), "yes");
    check(&workbook, typed("B2"), NO);
    check(&workbook, json!({"type": "typeText", "sheet": 101, "cell": "B2", "text": "x"}), "yes");
    check(&workbook, json!({"type": "clear", "sheet": 1, "range": "A1:Z99", "what": "contents"}), NO);
    check(&workbook, json!({"type": "format", "sheet": 1, "range": "C9", "format": {"bold": true}}), NO);
    let sort = |range: &str| {
        let keys = json!([{"column": 0, "descending": true}]);
        json!({"type": "sort", "sheet": 1, "range": range, "keys": keys, "hasHeader": false})
    };
    check(&workbook, sort("A1:B4"), NO);
    let insert = |at: u32| json!({"type": "insertRows", "sheet": 1, "at": at, "count": 1});
    check(&workbook, insert(0), "yes");
    check(&workbook, insert(1), "yes");
    check(&workbook, insert(2), NO);
    check(&workbook, insert(8), NO);
    check(&workbook, insert(9), "yes");
    let delete = |at: u32, count: u32| json!({"type": "deleteColumns", "sheet": 1, "at": at, "count": count});
    check(&workbook, delete(0, 1), "yes");
    check(&workbook, delete(0, 2), NO);
    check(&workbook, delete(3, 1), "yes");
    check(&workbook, json!({"type": "removeSheet", "sheet": 1}), NO);
    check(&workbook, json!({"type": "merge", "sheet": 1, "range": "C8:D8", "how": "all"}), NO);
    let note =
        json!({"type": "setItem", "sheet": 1, "kind": "note", "anchors": ["B2"], "fields": {"text": "?"}});
    check(&workbook, note, "yes");
    check(
        &workbook,
        json!({"type": "cutPaste", "fromSheet": 1, "source": "B3", "sheet": 1, "target": "F1"}),
        NO,
    );
}

#[test]
fn operations_are_checked_after_earlier_moves() {
    let workbook = with(&[protection(&["B2:C9"], json!({}))]);
    let many = |row: u32| {
        let insert = json!({"type": "insertRows", "sheet": 1, "at": 0, "count": 5});
        json!({"type": "many", "commands": [insert, typed(&format!("B{row}"))]})
    };
    check(&workbook, many(6), "yes");
    check(&workbook, many(7), "these cells are protected: Sheet1!B7:C14");
    check(&workbook, many(14), "these cells are protected: Sheet1!B7:C14");
    check(&workbook, many(15), "yes");
    let opened =
        json!({"type": "many", "commands": [{"type": "removeItem", "sheet": 1, "item": 9}, typed("B2")]});
    check(&workbook, opened, "yes");
}

#[test]
fn a_protected_sheet_allows_its_unprotected_ranges() {
    let whole = |fields: Value| with(&[protection(&["B2:B5", "B6"], fields)]);
    let workbook = whole(json!({"wholeSheet": true, "description": "wages"}));
    const NO: &str = "this sheet is protected: Sheet1 (wages)";
    check(&workbook, typed("A1"), NO);
    check(&workbook, typed("B2"), "yes");
    check(&workbook, json!({"type": "clear", "sheet": 1, "range": "B3:B6", "what": "contents"}), "yes");
    check(&workbook, json!({"type": "clear", "sheet": 1, "range": "B3:B7", "what": "contents"}), NO);
    check(&workbook, json!({"type": "insertRows", "sheet": 1, "at": 90, "count": 1}), NO);
    let hide = json!({"type": "setHidden", "sheet": 1, "dimension": "rows", "first": 90, "count": 1, "hidden": true});
    check(&workbook, hide.clone(), NO);
    check(&workbook, json!({"type": "freezePanes", "sheet": 1, "rows": 1, "columns": 0}), NO);
    check(&workbook, json!({"type": "renameSheet", "sheet": 1, "name": "x"}), NO);
    let workbook = whole(json!({"wholeSheet": true, "allow": ["insert", "format"]}));
    check(&workbook, json!({"type": "insertRows", "sheet": 1, "at": 90, "count": 1}), "yes");
    check(&workbook, hide, "yes");
    check(&workbook, typed("A1"), "this sheet is protected: Sheet1");
}

#[test]
fn only_editors_may_change_cells_and_protection() {
    let workbook = with(&[protection(&["B2:C9"], json!({"editors": ["ada"]}))]);
    let type_it = planned(&workbook, &typed("B2"));
    assert!(protected_from(Some("ada"), &type_it, &workbook).is_ok());
    assert!(protected_from(Some("bob"), &type_it, &workbook).is_err());
    // A name without an account proves nothing.
    assert!(protected_from(Some(""), &type_it, &workbook).is_err());
    // A replica that does not know its account leaves the check to the room.
    assert!(protected_from(None, &type_it, &workbook).is_ok());
    let open = planned(&workbook, &json!({"type": "removeItem", "sheet": 1, "item": 9}));
    assert!(protected_from(Some("ada"), &open, &workbook).is_ok());
    assert!(protected_from(Some("bob"), &open, &workbook).is_err());
    let nobodys = with(&[protection(&["B2:C9"], json!({}))]);
    assert!(protected_from(Some("bob"), &open, &nobodys).is_ok());
    assert!(protected_from(None, &type_it, &nobodys).is_err());
}

#[test]
fn warning_only_protection_refuses_nothing() {
    let workbook = with(&[protection(&["B2:C9"], json!({"warningOnly": true}))]);
    check(&workbook, typed("B2"), "yes");
}

#[test]
fn a_merge_cannot_remove_a_merge_in_protected_cells() {
    let merge = |range: &str| json!({"type": "merge", "sheet": 1, "range": range, "how": "all"});
    let workbook = with(&[merge("A1:B4"), protection(&["B2:C9"], json!({}))]);
    let put = json!({"type": "setItem", "sheet": 1, "item": 77, "kind": "merge", "anchors": ["A1:A2"], "fields": {}});
    check(&workbook, put, NO);
    let own = json!({"type": "many", "commands": [
        {"type": "setItem", "sheet": 1, "item": 5, "kind": "filterView", "anchors": ["A1:D9"], "fields": {"name": "mine"}},
        {"type": "setItem", "sheet": 1, "item": 6, "kind": "filterColumn", "anchors": ["B1:B9"],
            "fields": {"parent": 5, "rule": "values", "shown": ["x"]}}]});
    check(&workbook, own, "yes");
}
