//! Three-dimensional references, unions, intersections and wildcards, compared with LibreOffice.
//!
//! `fixtures/references.xlsx` has numbers and texts in the sheets Jan, Feb and Mar, and formulas in
//! the first sheet from A20 on. `references.tsv` has the formulas with the values of LibreOffice
//! 7.4.7 (`soffice --headless --convert-to csv references.xlsx`) and, where Excel documents another
//! result, that result: in LibreOffice, wildcards match numbers, and whole columns cannot extend
//! over several sheets.

use crate::notation::differences;

/// Row and column of the first formula, counted from 0.
const FIRST: (u32, u32) = (19, 0);

#[test]
fn references_have_the_values_of_libreoffice() {
    let table = include_str!("../fixtures/references.tsv");
    assert_eq!(table.lines().count(), 137);
    let differences = differences(include_bytes!("../fixtures/references.xlsx"), table, FIRST);
    assert!(
        differences.is_empty(),
        "{} of {}:\n{}",
        differences.len(),
        table.lines().count(),
        differences.join("\n")
    );
}
