//! Examples of operations and calculation in a notation that reads like a manual.

use expect_test::Expect;
use quadrille_cell::Value;
use quadrille_document::{Document, EvaluationContext};
use quadrille_number_format::general;
use quadrille_operation::Transaction;
use quadrille_operation::notation::read_operation;

use crate::cell_notation::{prefix, read_cells, write_cells};

/// Applies operations to a workbook and compares the result.
///
/// `given` holds cells (see [`read_cells`]), `actions` holds operations separated by ` | ` (see
/// [`quadrille_operation::notation`]), and `expected` holds the cells afterwards, then the results
/// of formulas after `⇒`.
///
/// # Panics
///
/// Panics if the result differs from `expected` or if a text is malformed.
///
/// ```
/// # use expect_test::expect;
/// # use quadrille_testkit::check;
/// check("A1: 2 | B1: =A1*3", "insert column before A", expect!["B1: 2 | C1: =B1*3 | C1 ⇒ 6"]);
/// ```
pub fn check(given: &str, actions: &str, expected: Expect) {
    let mut document = Document::from_workbook(read_cells(given));
    evaluate(&mut document);
    for action in actions.split(" | ").filter(|action| !action.trim().is_empty()) {
        let operation = read_operation(action, document.workbook()).expect(action);
        document.apply(&Transaction::from(operation), EvaluationContext::default());
        evaluate(&mut document);
    }
    expected.assert_eq(&write_document(&document));
}

fn evaluate(document: &mut Document) {
    while !document.evaluate(1_000_000).finished {}
}

/// The cells of a document followed by the results of its formulas.
pub fn write_document(document: &Document) -> String {
    let workbook = document.workbook();
    let mut parts = Vec::new();
    let cells = write_cells(workbook);
    if !cells.is_empty() {
        parts.push(cells);
    }
    for sheet in workbook.sheets() {
        let Some(used) = sheet.used_range() else { continue };
        for cell in used.cells() {
            if sheet.formula(cell).is_some() || sheet.spill_anchor(cell).is_some() {
                let address = format!("{}{cell}", prefix(workbook, sheet.id()));
                parts.push(format!("{address} ⇒ {}", write_value(&sheet.value(cell))));
            }
        }
    }
    parts.join(" | ")
}

fn write_value(value: &Value) -> String {
    match value {
        Value::Blank => "blank".to_owned(),
        Value::Number(number) => general(*number, None),
        Value::Boolean(boolean) => if *boolean { "TRUE" } else { "FALSE" }.to_owned(),
        Value::Text(text) => text.to_string(),
        Value::Error(error) => error.text().to_owned(),
    }
}
