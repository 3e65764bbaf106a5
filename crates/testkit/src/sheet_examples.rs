//! Examples of what a sheet does, as one would write them into the manual.

use expect_test::Expect;
use quadrille_cell::{Range, SheetId, Value};
use quadrille_document::{Document, EvaluationContext};
use quadrille_number_format::general;
use quadrille_operation::Transaction;
use quadrille_operation::notation::read_operation;

use crate::cell_notation::{prefix, read_cells, write_cells};

/// Cells (see [`read_cells`]), operations in words (see [`quadrille_operation::notation`]) separated by ` | `,
/// and what the sheet holds afterwards: cells, and after `⇒` what formulas give.
///
/// ```
/// # use expect_test::expect;
/// # use quadrille_testkit::check;
/// check("A1: 2 | B1: =A1*3", "insert column before A", expect!["B1: 2 | C1: =B1*3 | C1 ⇒ 6"]);
/// ```
pub fn check(given: &str, actions: &str, expected: Expect) {
    let mut document = Document::from_workbook(read_cells(given));
    evaluate(&mut document);
    for words in actions.split(" | ").filter(|words| !words.trim().is_empty()) {
        let operation = read_operation(words, document.workbook()).expect(words);
        document.apply(&Transaction::from(operation), EvaluationContext::default());
        evaluate(&mut document);
    }
    expected.assert_eq(&write_document(&document));
}

fn evaluate(document: &mut Document) {
    while !document.evaluate(1_000_000).finished {}
}

/// Cells, and what formulas give.
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
                let place = format!("{}{cell}", prefix(workbook, sheet.id()));
                parts.push(format!("{place} ⇒ {}", write_value(&sheet.value(cell))));
            }
        }
    }
    parts.join(" | ")
}

/// The value of one cell of the first sheet, in words.
pub fn value_of(document: &Document, sheet: SheetId, cell: &str) -> String {
    let cell = Range::parse_a1(cell).expect("test addresses are valid").first();
    let sheet = document.workbook().sheet(sheet).expect("test sheets exist");
    write_value(&sheet.value(cell))
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
