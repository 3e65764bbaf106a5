//! SUBTOTAL and AGGREGATE over a file with filtered and hidden rows, as LibreOffice has them.
//!
//! `fixtures/hidden-rows.xlsx` holds a filtered table (`A1:C13`, rows 3, 6, 9 hidden by the filter), rows 22 and 25 hidden by
//! hand, subtotals among the numbers, and the formulas below column F. `hidden-rows.tsv` has them with the values of LibreOffice
//! 7.4.7 (`soffice --headless --convert-to fods hidden-rows.xlsx`), and where Excel documents something else that, with its reason.

mod notation;

use notation::different;

/// Where the formulas begin.
const FIRST: (u32, u32) = (39, 5);

#[test]
fn hidden_rows_count_as_libreoffice_counts_them() {
    let table = include_str!("fixtures/hidden-rows.tsv");
    let different = different(include_bytes!("fixtures/hidden-rows.xlsx"), table, FIRST);
    assert!(
        different.is_empty(),
        "{} of {}:\n{}",
        different.len(),
        table.lines().count(),
        different.join("\n")
    );
}
