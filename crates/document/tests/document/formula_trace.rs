//! Arrows between cells and formulas, as Excel's Trace Precedents and Trace Dependents draw them.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_document::FormulaTrace;

use crate::support::Sheet;

fn range(name: &str) -> Range {
    let mut corners = name.split(':').map(|corner| CellAddress::parse_a1(corner).expect("a cell"));
    let first = corners.next().expect("a cell");
    Range::new(first, corners.next().unwrap_or(first))
}

/// Arrows as `from > to`, with the name of the second sheet and `!` behind errors.
fn arrows(trace: &FormulaTrace) -> Vec<String> {
    let sheet = |SheetId(id)| if id == 1 { "" } else { "Other!" };
    let shown = trace.arrows.iter().map(|arrow| {
        let error = if arrow.is_error { "!" } else { "" };
        let (from, to) = (arrow.from, arrow.to);
        format!("{}{}{error} > {}{}", sheet(from.0), from.1, sheet(to.0), to.1)
    });
    shown.collect()
}

fn precedents(sheet: &Sheet, of: &str) -> Vec<String> {
    arrows(&sheet.document.trace_precedents(SheetId(1), range(of)))
}

fn dependents(sheet: &Sheet, of: &str) -> Vec<String> {
    arrows(&sheet.document.trace_dependents(SheetId(1), range(of).first()))
}

fn sheet(contents: &[(&str, &str)]) -> Sheet {
    let mut sheet = Sheet::new("[]");
    contents.iter().for_each(|(cell, text)| sheet.set(cell, text));
    sheet.evaluate();
    sheet
}

#[test]
fn precedents_are_the_references_of_the_formula_each_once_and_in_its_order() {
    let sheet = sheet(&[("A1", "1"), ("A2", "2"), ("B1", "=A2+A1*A2"), ("B2", "=SUM(A1:A2,$D:$D)+1")]);
    assert_eq!(precedents(&sheet, "B1"), ["A2 > B1", "A1 > B1"]);
    assert_eq!(precedents(&sheet, "B2"), ["A1:A2 > B2", "D:D > B2"]);
    assert_eq!(precedents(&sheet, "A1"), [""; 0], "no formula");
    // Of all formulas of a range, for the next level.
    assert_eq!(precedents(&sheet, "A1:B1"), ["A2 > B1", "A1 > B1"]);
}

#[test]
fn dependents_are_the_formulas_that_read_the_cell() {
    let sheet = sheet(&[
        ("A1", "1"),
        ("B1", "=A1"),
        ("B2", "=A2"),
        ("B3", "=A1+A1"),
        ("C1", "=SUM(A1:A3)"),
        ("C2", "=SUM(A2:A3)"),
        ("D1", "=B1"),
        ("D2", "=SUM(A1:A3)+A1"),
    ]);
    assert_eq!(dependents(&sheet, "A1"), ["A1 > B1", "A1 > B3", "A1 > C1", "A1 > D2"]);
    assert_eq!(dependents(&sheet, "A3"), ["A3 > C1", "A3 > C2", "A3 > D2"]);
    assert_eq!(dependents(&sheet, "D1"), [""; 0]);
}

#[test]
fn filled_formulas_have_their_own_cells() {
    let mut sheet = sheet(&[]);
    for row in 1..=300 {
        sheet.set(&format!("A{row}"), &row.to_string());
        sheet.set(&format!("B{row}"), &format!("=A{row}*2"));
        sheet.set(&format!("C{row}"), &format!("=SUM(A$1:A{row})"));
    }
    sheet.evaluate();
    assert_eq!(precedents(&sheet, "B150"), ["A150 > B150"]);
    assert_eq!(precedents(&sheet, "C150"), ["A1:A150 > C150"]);
    assert_eq!(dependents(&sheet, "A299"), ["A299 > B299", "A299 > C299", "A299 > C300"]);
}

#[test]
fn names_and_computed_references_count() {
    let mut sheet = sheet(&[("A1", "1"), ("A2", "2"), ("B1", "=rate*2"), ("B2", "=OFFSET(A1,1,0)")]);
    sheet.run(r#"{"type":"defineName","sheet":1,"name":"rate","definition":"=Sheet1!$A$2"}"#);
    sheet.evaluate();
    assert_eq!(precedents(&sheet, "B1"), ["A2 > B1"]);
    let computed = precedents(&sheet, "B2");
    assert!(computed.contains(&"A2 > B2".to_owned()), "{computed:?}");
    assert_eq!(dependents(&sheet, "A2"), ["A2 > B1", "A2 > B2"]);
}

#[test]
fn arrows_lead_to_other_sheets_and_tell_errors() {
    let mut sheet = sheet(&[("A1", "=1/0"), ("A2", "=A1")]);
    sheet.run(r#"{"type":"addSheet","name":"Other"}"#);
    sheet.set_in(101, "C3", "=Sheet1!A2");
    sheet.evaluate();
    assert_eq!(precedents(&sheet, "A2"), ["A1! > A2"]);
    assert_eq!(dependents(&sheet, "A2"), ["A2! > Other!C3"]);
}

#[test]
fn too_many_dependents_are_told() {
    let mut sheet = sheet(&[("A1", "1")]);
    for row in 1..=600 {
        sheet.set(&format!("B{row}"), "=$A$1");
    }
    sheet.evaluate();
    let trace = sheet.document.trace_dependents(SheetId(1), range("A1").first());
    assert_eq!((trace.arrows.len(), trace.is_all), (500, false));
    // Formulas that were not looked at could refer to cells.
    for row in 1..=600 {
        sheet.set(&format!("C{row}"), "=1+1");
    }
    sheet.evaluate();
    let trace = sheet.document.trace_precedents(SheetId(1), range("C1:C600"));
    assert_eq!((trace.arrows.len(), trace.is_all), (0, false));
}
