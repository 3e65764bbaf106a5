//! Protected cells (`docs/operations.md`, "Protected cells").

use quadrille_cell::{Range, SheetId};
use quadrille_operation::{Command, EditorIdentity, Operation, Transaction, apply, plan, protected_from};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Workbook};
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
    check_as(&EditorIdentity::default(), workbook, command, expected);
}

fn check_as(author: &EditorIdentity, workbook: &Workbook, command: Value, expected: &str) {
    let outcome = protected_from(Some(author), &planned(workbook, &command), workbook);
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

fn account(id: &str) -> EditorIdentity {
    EditorIdentity { account: id.into(), ..EditorIdentity::default() }
}

fn email(address: &str) -> EditorIdentity {
    EditorIdentity { email: Some(address.into()), ..account("account:7") }
}

#[test]
fn only_editors_and_owners_may_change_cells_and_protection() {
    let editors = json!(["account:1 Ada Lovelace", "Grace@Example.org", "owner"]);
    let workbook = with(&[protection(&["B2:C9"], json!({ "editors": editors }))]);
    let remove = json!({"type": "removeItem", "sheet": 1, "item": 9});
    let widen = json!({"type": "setItem", "sheet": 1, "item": 9, "anchors": ["A1"], "fields": {}});
    const REFUSED: &str =
        "these cells are protected: Sheet1!B2:C9; editors: Ada Lovelace, Grace@Example.org, owner";
    for command in [typed("B2"), remove, widen] {
        for author in [account("account:1"), email("grace@example.org"), EditorIdentity::owner()] {
            check_as(&author, &workbook, command.clone(), "yes");
        }
        for author in [
            account("account:2"),
            account("account:1 Ada"),
            account("owner"),
            email("ada@example.org"),
            // A name without an account proves nothing.
            account(""),
        ] {
            check_as(&author, &workbook, command.clone(), REFUSED);
        }
        // A replica that does not know its identity leaves the check to the room.
        assert!(protected_from(None, &planned(&workbook, &command), &workbook).is_ok());
    }
    // No command replaces a protection by another kind of item, but a client could.
    let mut note = Item::new(ItemKind::Note);
    note.anchors = vec![Range::parse_a1("F1").expect("valid")];
    let put = Operation::PutItem { sheet: Some(SheetId(1)), item: ItemId(9), content: note.into() };
    let replace = Transaction { operations: vec![put] };
    assert!(protected_from(Some(&account("account:2")), &replace, &workbook).is_err());
    assert!(protected_from(Some(&account("account:1")), &replace, &workbook).is_ok());
}

#[test]
fn the_owner_entry_names_nobody_but_owners() {
    let workbook = with(&[protection(&["B2"], json!({ "editors": ["owner"] }))]);
    check_as(&EditorIdentity::owner(), &workbook, typed("B2"), "yes");
    let stranger = account("account:1");
    check_as(&stranger, &workbook, typed("B2"), "these cells are protected: Sheet1!B2; editors: owner");
}

#[test]
fn protection_without_editors_is_closed_to_owners_until_somebody_removes_it() {
    let workbook = with(&[protection(&["B2:C9"], json!({}))]);
    check_as(&EditorIdentity::owner(), &workbook, typed("B2"), NO);
    check(&workbook, json!({"type": "removeItem", "sheet": 1, "item": 9}), "yes");
    assert!(protected_from(None, &planned(&workbook, &typed("B2")), &workbook).is_err());
}

#[test]
fn nobody_sets_a_protection_that_excludes_themselves() {
    const REFUSED: &str = "only people whom a protection names as editors can set it: Sheet1";
    let workbook = with(&[]);
    for (editors, author, expected) in [
        (json!(["owner"]), account(""), REFUSED),
        (json!(["owner"]), EditorIdentity::owner(), "yes"),
        (json!(["account:1"]), account("account:1"), "yes"),
        (json!(["account:2"]), account("account:1"), REFUSED),
        (json!(["account:2"]), EditorIdentity::owner(), "yes"),
        (json!([]), account(""), "yes"),
    ] {
        check_as(&author, &workbook, protection(&["B2"], json!({ "editors": editors })), expected);
    }
    // Editors cannot exclude themselves later, and an open protection cannot be closed that way.
    let patch =
        |editors: Value| json!({"type": "setItem", "sheet": 1, "item": 9, "fields": { "editors": editors }});
    let named = with(&[protection(&["B2"], json!({ "editors": ["account:1", "account:2"] }))]);
    check_as(&account("account:1"), &named, patch(json!(["account:2"])), REFUSED);
    check_as(&account("account:1"), &named, patch(json!(["account:1"])), "yes");
    let open = with(&[protection(&["B2"], json!({}))]);
    check_as(&account("account:1"), &open, patch(json!(["account:2"])), REFUSED);
}

#[test]
fn an_insertion_cannot_push_protected_cells_off_the_sheet() {
    let workbook = with(&[protection(&["B1048570:C1048575"], json!({}))]);
    let insert = |count: u32| json!({"type": "insertRows", "sheet": 1, "at": 0, "count": count});
    check(&workbook, insert(1), "yes");
    check(&workbook, insert(2), "these cells are protected: Sheet1!B1048570:C1048575");
}

#[test]
fn the_copy_of_a_sheet_is_protected_against_accidents_only() {
    let workbook = with(&[protection(&["B2"], json!({ "editors": ["account:1", "owner"] }))]);
    let copied = planned(&workbook, &json!({"type": "duplicateSheet", "sheet": 1, "name": null}));
    assert!(protected_from(Some(&account("")), &copied, &workbook).is_ok());
    let protections: Vec<_> = copied
        .operations
        .iter()
        .filter_map(|operation| match operation {
            Operation::PutItem { content, .. } if content.kind == ItemKind::ProtectedRange => Some(content),
            _ => None,
        })
        .collect();
    assert_eq!(protections.len(), 1);
    assert_eq!(protections[0].fields.get(&Field::Editors), None::<&FieldValue>);
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
