//! SUBTOTAL and AGGREGATE over a file with filtered and hidden rows, as LibreOffice has them.
//!
//! `fixtures/hidden-rows.xlsx` holds a filtered table (`A1:C13`, rows 3, 6, 9 hidden by the filter), rows 22 and 25 hidden by
//! hand, subtotals among the numbers, and the formulas below column F. `hidden-rows.tsv` has them with the values of LibreOffice
//! 7.4.7 (`soffice --headless --convert-to fods hidden-rows.xlsx`), and where Excel documents something else that, with its reason.

mod notation;

use notation::import;
use quadrille_cell::{CellAddress, Value};
use quadrille_document::Document;
use quadrille_files::FileFormat;

/// Where the formulas begin.
const FIRST: (u32, u32) = (39, 5);

#[test]
fn hidden_rows_count_as_libreoffice_counts_them() {
    let imported = import(FileFormat::Xlsx, include_bytes!("fixtures/hidden-rows.xlsx")).expect("valid");
    let mut document = Document::from_workbook(imported.workbook);
    while !document.evaluate(u64::MAX).finished {}
    let sheet = &document.workbook().sheets()[0];
    let mut different = Vec::new();
    let table = include_str!("fixtures/hidden-rows.tsv");
    for (row, line) in (FIRST.0..).zip(table.lines()) {
        let mut fields = line.split('\t');
        let formula = fields.next().expect("a formula");
        let answer = fields.next().expect("LibreOffice's answer");
        let expected = fields.next().unwrap_or(answer);
        let value = sheet.value(CellAddress::clamped(row, FIRST.1));
        if !agrees(&value, expected) {
            different.push(format!("row {} {formula}: {value:?}, expected {expected}", row + 1));
        }
    }
    assert!(
        different.is_empty(),
        "{} of {}:\n{}",
        different.len(),
        table.lines().count(),
        different.join("\n")
    );
}

/// Numbers to twelve digits: LibreOffice writes fifteen, and adds in another order.
fn agrees(value: &Value, expected: &str) -> bool {
    match (value, expected.parse::<f64>()) {
        (Value::Number(number), Ok(expected)) => (number - expected).abs() <= expected.abs() * 1e-12,
        // Its own errors have numbers.
        (Value::Error(_), Err(_)) if expected.starts_with("Err:") => true,
        (Value::Error(error), Err(_)) => error.text() == expected,
        _ => false,
    }
}
