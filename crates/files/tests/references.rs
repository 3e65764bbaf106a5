//! References through sheets, unions, intersections and wildcards over a file, as LibreOffice has them.
//!
//! `fixtures/references.xlsx` holds numbers and texts in the sheets Jan, Feb and Mar, and the formulas in the first sheet from A20 on.
//! `references.tsv` has them with the values of LibreOffice 7.4.7 (`soffice --headless --convert-to csv references.xlsx`), and where
//! Excel documents something else that: LibreOffice lets wildcards match numbers, and has no whole columns through sheets.

mod notation;

use notation::import;
use quadrille_cell::{CellAddress, Value};
use quadrille_document::Document;
use quadrille_files::FileFormat;

/// Where the formulas begin.
const FIRST_ROW: u32 = 19;

#[test]
fn references_of_all_kinds_give_what_libreoffice_gives() {
    let imported = import(FileFormat::Xlsx, include_bytes!("fixtures/references.xlsx")).expect("valid");
    let mut document = Document::from_workbook(imported.workbook);
    while !document.evaluate(u64::MAX).finished {}
    let sheet = &document.workbook().sheets()[0];
    let mut different = Vec::new();
    let table = include_str!("fixtures/references.tsv");
    assert_eq!(table.lines().count(), 137);
    for (row, line) in (FIRST_ROW..).zip(table.lines()) {
        let mut fields = line.split('\t');
        let formula = fields.next().expect("a formula");
        let answer = fields.next().expect("LibreOffice's answer");
        let expected = fields.next().unwrap_or(answer);
        let value = sheet.value(CellAddress::clamped(row, 0));
        if !agrees(&value, expected) {
            different.push(format!("row {} {formula}: {value:?}, expected {expected}", row + 1));
        }
    }
    assert!(different.is_empty(), "{}:\n{}", different.len(), different.join("\n"));
}

/// Numbers to twelve digits: LibreOffice writes fifteen.
fn agrees(value: &Value, expected: &str) -> bool {
    match (value, expected.parse::<f64>()) {
        (Value::Number(number), Ok(expected)) => (number - expected).abs() <= expected.abs() * 1e-12,
        (Value::Boolean(boolean), Err(_)) => expected == if *boolean { "TRUE" } else { "FALSE" },
        (Value::Text(text), Err(_)) => **text == *expected,
        (Value::Error(error), Err(_)) => error.text() == expected,
        _ => false,
    }
}
