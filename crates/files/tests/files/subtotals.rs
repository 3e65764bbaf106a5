//! SUBTOTAL and AGGREGATE with filtered and hidden rows, compared with LibreOffice.
//!
//! `fixtures/hidden-rows.xlsx` has a filtered table (`A1:C13`, rows 3, 6 and 9 hidden by the
//! filter), rows 22 and 25 hidden manually, subtotals among the numbers, and formulas below column
//! F. `hidden-rows.tsv` has the formulas with the values of LibreOffice 7.4.7 (`soffice --headless
//! --convert-to fods hidden-rows.xlsx`) and, where Excel documents another result, that result with
//! its reason.

use crate::notation::differences;

/// Row and column of the first formula, counted from 0.
const FIRST: (u32, u32) = (39, 5);

#[test]
fn subtotals_treat_hidden_rows_as_libreoffice_does() {
    let table = include_str!("../fixtures/hidden-rows.tsv");
    let differences = differences(include_bytes!("../fixtures/hidden-rows.xlsx"), table, FIRST);
    assert!(
        differences.is_empty(),
        "{} of {}:\n{}",
        differences.len(),
        table.lines().count(),
        differences.join("\n")
    );
}
