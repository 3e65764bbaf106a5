//! References through sheets, unions, intersections and wildcards over a file, as LibreOffice has them.
//!
//! `fixtures/references.xlsx` holds numbers and texts in the sheets Jan, Feb and Mar, and the formulas in the first sheet from A20 on.
//! `references.tsv` has them with the values of LibreOffice 7.4.7 (`soffice --headless --convert-to csv references.xlsx`), and where
//! Excel documents something else that: LibreOffice lets wildcards match numbers, and has no whole columns through sheets.

mod notation;

use notation::different;

/// Where the formulas begin.
const FIRST: (u32, u32) = (19, 0);

#[test]
fn references_of_all_kinds_give_what_libreoffice_gives() {
    let table = include_str!("fixtures/references.tsv");
    assert_eq!(table.lines().count(), 137);
    let different = different(include_bytes!("fixtures/references.xlsx"), table, FIRST);
    assert!(
        different.is_empty(),
        "{} of {}:\n{}",
        different.len(),
        table.lines().count(),
        different.join("\n")
    );
}
