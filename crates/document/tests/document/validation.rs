//! Data validation follows Excel; its rules are described in ECMA-376, part 1, 18.3.1.32.

use quadrille_cell::{Range, SheetId};
use quadrille_document::{Document, EvaluationContext};
use quadrille_operation::{Command, plan};
use serde_json::{Value, json};

const SHEET: SheetId = SheetId(1);

fn planned(document: &Document, command: &Value) -> quadrille_operation::Transaction {
    let command: Command =
        serde_json::from_value(command.clone()).expect("commands in tests are well-formed");
    let mut no_sheets = || unreachable!("no test adds a sheet");
    plan(&command, document.workbook(), &mut no_sheets).expect("commands in tests are possible")
}

fn run(document: &mut Document, command: &Value) {
    let transaction = planned(document, command);
    document.apply(&transaction, EvaluationContext { time_ms: 1_795_348_800_000, seed: 1 });
    while !document.evaluate(1_000_000).finished {}
}

/// Applies the rule to A1:A9 and types each text into A2; `ok` or `no` is the expected result.
fn check(cells: &[(&str, &str)], fields: Value, typed: &[(&str, &str)]) {
    let mut document = Document::new();
    for (cell, text) in cells {
        run(&mut document, &json!({"type": "typeText", "sheet": 1, "cell": cell, "text": text}));
    }
    run(
        &mut document,
        &json!({"type": "setItem", "sheet": 1, "item": 9, "kind": "validation", "anchors": ["A1:A9"], "fields": fields}),
    );
    for (text, expected) in typed {
        let command = json!({"type": "typeText", "sheet": 1, "cell": "A2", "text": text});
        let broken = document.first_invalid_cell(&planned(&document, &command));
        assert_eq!(if broken.is_some() { "no" } else { "ok" }, *expected, "{fields} {text}");
        // A value in the cell is validated like a typed one.
        let before = document.snapshot();
        run(&mut document, &command);
        let cell = Range::from_indices(1, 0, 1, 0).expect("A2");
        let value = document.workbook().sheet(SHEET).expect("the sheet").value(cell.first());
        let marked = document.validations(SHEET, cell).violated_rule(cell.first(), &value);
        assert_eq!(marked.is_some(), broken.is_some(), "{fields} {text} in the cell");
        document = Document::from_workbook(before);
        while !document.evaluate(1_000_000).finished {}
    }
}

#[test]
fn numbers_within_limits() {
    let whole = json!({"rule": "whole", "operator": "between", "formula1": "=1", "formula2": "=$C$1"});
    let typed =
        [("1", "ok"), ("10", "ok"), ("11", "no"), ("0", "no"), ("2.5", "no"), ("two", "no"), ("", "ok")];
    check(&[("C1", "10")], whole, &typed);
    let decimal = json!({"rule": "decimal", "operator": "greater", "formula1": "=0"});
    check(&[], decimal, &[("0.01", "ok"), ("0", "no"), ("5%", "ok"), ("TRUE", "no")]);
    let outside = json!({"rule": "decimal", "operator": "notBetween", "formula1": "=1", "formula2": "=2"});
    check(&[], outside, &[("0", "ok"), ("1", "no"), ("2", "no"), ("3", "ok")]);
}

#[test]
fn blank_cells_are_allowed_unless_the_rule_says_otherwise() {
    let strict =
        json!({"rule": "textLength", "operator": "lessOrEqual", "formula1": "=3", "allowBlank": false});
    check(&[], strict, &[("", "no"), ("abc", "ok"), ("abcd", "no"), ("1234", "no")]);
}

#[test]
fn a_blank_limit_does_not_restrict() {
    let rule = json!({"rule": "whole", "operator": "less", "formula1": "=$C$1"});
    check(&[], rule.clone(), &[("5", "ok")]);
    check(&[("C1", "5")], rule.clone(), &[("5", "no"), ("4", "ok")]);
    check(&[("C1", "five")], rule, &[("4", "no")]);
}

#[test]
fn dates_and_times_are_numbers() {
    let date = json!({"rule": "date", "operator": "greaterOrEqual", "formula1": "=DATE(2026,1,1)"});
    check(&[], date, &[("2026-01-01", "ok"), ("2025-12-31", "no"), ("soon", "no")]);
    let time = json!({"rule": "time", "operator": "between", "formula1": "=TIME(9,0,0)", "formula2": "=TIME(17,0,0)"});
    check(&[], time, &[("09:00", "ok"), ("17:30", "no")]);
}

#[test]
fn written_lists_are_case_sensitive_cell_lists_are_not() {
    let written = json!({"rule": "list", "choices": ["Yes", "No", "5"]});
    check(&[], written, &[("Yes", "ok"), ("yes", "no"), ("5", "ok"), ("6", "no")]);
    let cells = json!({"rule": "list", "formula1": "=$C$1:$C$3"});
    let list = [("C1", "Ink"), ("C2", "Paper"), ("C3", "7")];
    check(&list, cells, &[("ink", "ok"), ("7", "ok"), ("Glue", "no")]);
}

#[test]
fn a_formula_rule_sees_the_entered_value() {
    let unique = json!({"rule": "formula", "formula1": "=COUNTIF($A$1:$A$9,A1)=1"});
    check(&[("A1", "x"), ("A3", "y")], unique, &[("x", "no"), ("z", "ok")]);
    let own = json!({"rule": "formula", "formula1": "=A1>B1"});
    check(&[("B2", "10")], own, &[("11", "ok"), ("10", "no")]);
    // An error or a text counts as false.
    let failing = json!({"rule": "formula", "formula1": "=1/0"});
    check(&[], failing, &[("1", "no")]);
}

#[test]
fn entered_formulas_are_validated_by_their_value() {
    let whole = json!({"rule": "whole", "operator": "between", "formula1": "=1", "formula2": "=10"});
    check(&[("C1", "4")], whole, &[("=C1*2", "ok"), ("=C1*3", "no"), ("=1/0", "no")]);
}

#[test]
fn email_and_url_rules() {
    let email = json!({"rule": "email"});
    let typed =
        [("ada@example.org", "ok"), ("ada@example", "no"), ("@example.org", "no"), ("a b@example.org", "no")];
    check(&[], email, &typed);
    let url = json!({"rule": "url"});
    let typed = [
        ("https://example.org/a?b", "ok"),
        ("example.org", "ok"),
        ("http://localhost:8080", "ok"),
        ("example", "no"),
        ("javascript://example.org", "no"),
    ];
    check(&[], url, &typed);
}

#[test]
fn checkboxes_accept_their_two_values() {
    check(&[], json!({"rule": "checkbox"}), &[("TRUE", "ok"), ("false", "ok"), ("yes", "no")]);
    let own = json!({"rule": "checkbox", "checkedValue": "yes", "uncheckedValue": "no"});
    check(&[], own, &[("yes", "ok"), ("no", "ok"), ("maybe", "no")]);
}

#[test]
fn the_first_invalid_cell_of_a_large_edit_is_returned() {
    let mut document = Document::new();
    run(
        &mut document,
        &json!({"type": "setItem", "sheet": 1, "item": 9, "kind": "validation", "anchors": ["A1:A9"],
            "fields": {"rule": "decimal", "operator": "less", "formula1": "=5"}}),
    );
    let texts = json!([["1", "9"], ["2", "9"], ["7", "9"]]);
    let command = json!({"type": "typeTexts", "sheet": 1, "at": "A1", "texts": texts});
    let broken = document.first_invalid_cell(&planned(&document, &command)).expect("7 is no less than 5");
    assert_eq!(broken.cell.to_string(), "A3");
    let elsewhere = json!({"type": "typeTexts", "sheet": 1, "at": "B1", "texts": texts});
    assert_eq!(document.first_invalid_cell(&planned(&document, &elsewhere)), None);
}

#[test]
fn invalid_cells_are_listed_once_in_row_order() {
    let mut document = Document::new();
    for (cell, text) in [("B1", "3"), ("A1", "0"), ("A2", "5"), ("B3", "x"), ("C9", "0"), ("D1", "0")] {
        run(&mut document, &json!({"type": "typeText", "sheet": 1, "cell": cell, "text": text}));
    }
    let fields = json!({"rule": "decimal", "operator": "greater", "formula1": "=1", "allowBlank": false});
    for (item, anchors) in [(1, json!(["A1:B5", "C9:C1048576"])), (2, json!(["B1:B3"]))] {
        run(
            &mut document,
            &json!({"type": "setItem", "sheet": 1, "item": item, "kind": "validation", "anchors": anchors, "fields": fields}),
        );
    }
    let found = document.invalid_cells(SHEET);
    let names: Vec<String> = found.cells.iter().map(ToString::to_string).collect();
    assert_eq!((found.total, names.join(" ").as_str()), (3, "A1 B3 C9"));
    assert_eq!(document.invalid_cells(SheetId(9)).total, 0);
}

#[test]
fn several_choices_of_a_list_are_allowed_where_the_rule_says_so() {
    let list = |multiple: bool| json!({"rule": "list", "choices": ["Red", "Blue", "1", "a, b"], "allowMultiple": multiple});
    let typed =
        [("Red, Blue", "ok"), ("Blue,Red", "ok"), ("Red, 1", "ok"), ("Red, Green", "no"), ("a, b", "ok")];
    check(&[], list(true), &typed);
    check(&[], list(false), &[("Red, Blue", "no"), ("a, b", "ok")]);
    let cells = json!({"rule": "list", "formula1": "=$C$1:$C$2", "allowMultiple": true});
    check(&[("C1", "Red"), ("C2", "2")], cells, &[("red, 2", "ok"), ("2", "ok"), ("red, 3", "no")]);
}
