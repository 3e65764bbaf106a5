//! Operations together with calculation.

use expect_test::{Expect, expect};
use quadrille_cell::{CellAddress, SheetId};
use quadrille_document::{Direction, Document, EvaluationContext};
use quadrille_operation::{Command, plan};
use quadrille_testkit::cell_notation::read_cells;
use quadrille_testkit::check;

#[test]
fn references_follow_inserted_and_deleted_rows_and_columns() {
    check("A1: 2 | B1: =A1*3", "insert column before A", expect!["B1: 2 | C1: =B1*3 | C1 ⇒ 6"]);
    check(
        "A1: 1 | A2: 2 | A3: 3 | B1: =SUM(A1:A3) | B3: =A3",
        "insert row before 2 | set A2: 10",
        expect!["A1: 1 | B1: =SUM(A1:A4) | A2: 10 | A3: 2 | A4: 3 | B4: =A4 | B1 ⇒ 16 | B4 ⇒ 3"],
    );
    check(
        "A1: 1 | A2: 2 | B1: =A2 | C1: =SUM(A1:A2)",
        "delete rows 2:2",
        expect!["A1: 1 | B1: =#REF! | C1: =SUM(A1:A1) | B1 ⇒ #REF! | C1 ⇒ 1"],
    );
    check(
        "A1: =Data!A2 | Data!A2: 5",
        "on 2: insert row before 1",
        expect!["A1: =Data!A3 | Data!A3: 5 | A1 ⇒ 5"],
    );
}

#[test]
fn sorted_formulas_keep_their_relative_references() {
    check(
        "A1: 3 | B1: =A1*2 | A2: 1 | B2: =A2*2",
        "sort A1:B2: 2 1",
        expect!["A1: 1 | B1: =A1*2 | A2: 3 | B2: =A2*2 | B1 ⇒ 2 | B2 ⇒ 6"],
    );
}

#[test]
fn formulas_follow_names_and_sheets() {
    check("A1: =rate*2", "name rate: =21", expect!["A1: =rate*2 | A1 ⇒ 42"]);
    check(
        "A1: =Data!A1 | Data!A1: 1",
        "rename sheet 2: Figures | remove sheet 2",
        expect!["A1: =#REF! | A1 ⇒ #REF!"],
    );
}

#[test]
fn every_cell_of_a_filled_range_is_calculated() {
    check(
        "A1: 1 | A2: 2 | A3: 3",
        "fill B1:B3: =A1*A1 | set A2: 5",
        expect!["A1: 1 | B1: =A1*A1 | A2: 5 | B2: =A2*A2 | A3: 3 | B3: =A3*A3 | B1 ⇒ 1 | B2 ⇒ 25 | B3 ⇒ 9"],
    );
}

/// A document after one typing command for each cell.
fn typed(cells: &[(&str, &str)]) -> Document {
    let mut document = Document::from_workbook(read_cells(""));
    for (cell, text) in cells {
        let command = Command::TypeText { sheet: 1, cell: (*cell).to_owned(), text: (*text).to_owned() };
        let transaction = plan(&command, document.workbook(), &mut || SheetId(9)).expect("valid");
        document.apply(&transaction, EvaluationContext::default());
    }
    while !document.evaluate(1_000_000).finished {}
    document
}

#[test]
fn typed_text_determines_display_and_edit_text() {
    for (text, displayed, edited) in [
        ("12", "12", "12"),
        ("12%", "12%", "12%"),
        ("=1/4", "0.25", "=1/4"),
        ("2024-02-29", "2024-02-29", "2024-02-29"),
        ("true", "TRUE", "TRUE"),
        ("'12", "12", "'12"),
        ("'=A1", "=A1", "'=A1"),
        ("word", "word", "word"),
        ("#N/A", "#N/A", "#N/A"),
        ("123456789012", "1.23457E+11", "123456789012"),
        ("=1/0", "#DIV/0!", "=1/0"),
    ] {
        let document = typed(&[("B2", text)]);
        let cell = CellAddress::clamped(1, 1);
        assert_eq!(document.display(SheetId(1), cell).text, displayed, "{text}");
        assert_eq!(document.edit_text(SheetId(1), cell), edited, "{text}");
    }
}

fn edges(given: &str, from: &str, expected: Expect) {
    let document = Document::from_workbook(read_cells(given));
    let from = CellAddress::parse_a1(from).expect("valid");
    let edges: Vec<String> = [Direction::Up, Direction::Down, Direction::Left, Direction::Right]
        .into_iter()
        .map(|direction| document.data_edge(SheetId(1), from, direction).to_string())
        .collect();
    expected.assert_eq(&edges.join(" "));
}

#[test]
fn control_arrow_moves_to_the_edge_of_the_data() {
    let given = "B2: 1 | B3: 2 | B4: 3 | B9: 4 | D2: 5";
    edges(given, "B2", expect!["B1 B4 A2 D2"]);
    edges(given, "B4", expect!["B2 B9 A4 XFD4"]);
    edges(given, "B12", expect!["B9 B1048576 A12 XFD12"]);
    edges(given, "A1", expect!["A1 A1048576 A1 XFD1"]);
}

#[test]
fn changes_contain_written_cells_and_their_dependents() {
    let mut document = Document::from_workbook(read_cells("A1: 2 | C5: =A1*3"));
    while !document.evaluate(1_000_000).finished {}
    let command = Command::TypeText { sheet: 1, cell: "A1".into(), text: "7".into() };
    let transaction = plan(&command, document.workbook(), &mut || SheetId(9)).expect("valid");
    let applied = document.apply(&transaction, EvaluationContext::default());
    let mut changes = applied.changes;
    assert!(!changes.finished);
    changes.merge(document.evaluate(1_000_000));
    let ranges: Vec<String> = changes.ranges.iter().map(|(_, range)| range.to_string()).collect();
    assert_eq!(ranges, ["A1", "C5"]);
    assert!(changes.finished && !changes.sheets && !changes.names && changes.geometry.is_empty());
}
