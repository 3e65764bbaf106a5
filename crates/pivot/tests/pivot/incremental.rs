//! After any edits, an updated pivot table has the bits of a new one.

use crate::support::{evaluate, item, output, refresh, set, text, workbook};
use proptest::prelude::*;
use quadrille_workbook::{Field, FieldValue};

const CELLS: [&str; 12] = ["East", "east", "West", "", "7", "7.5", "0.1", "-3", "1e15", "45000", "#N/A", "x"];

fn row() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(&CELLS[..]), 4)
}

/// Layouts with every kind of field.
const LAYOUTS: [(&[&str], &[&str], &[&str]); 5] = [
    (&["A"], &["B"], &["C sum"]),
    (&["A", "B descending"], &[], &["C average", "D countUnique", "C deviation"]),
    (&["C step 5"], &["A by 0"], &["D median as runningTotal", "B count"]),
    (&["A top 1", "D year"], &["B"], &["C minimum as percentOfColumn"]),
    (&[], &["A", "B flat"], &["C product as rank", "D sum as difference"]),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn updates_equal_new_pivot_tables(
        rows in prop::collection::vec(row(), 1..40),
        layout in 0..LAYOUTS.len(),
        edits in prop::collection::vec((0..4_usize, 1..45_u32, prop::sample::select(&CELLS[..])), 1..20),
    ) {
        let header = vec!["A", "B", "C", "D"];
        let rows: Vec<Vec<&str>> = std::iter::once(header).chain(rows).collect();
        let mut workbook = workbook(&rows);
        let (row_fields, column_fields, values) = LAYOUTS[layout];
        let mut item = item(&workbook, row_fields, column_fields, values);
        // Whole columns, so that rows are added below.
        let source = crate::support::field(&workbook, "A");
        let FieldValue::Formula { at, .. } = source[&Field::Column].clone() else { unreachable!("a reference") };
        let template = quadrille_formula::parse(
            "$A$1:$D$60",
            quadrille_formula::Host { sheet: crate::support::SHEET, cell: at },
            &workbook,
        );
        item.fields.insert(Field::Source, FieldValue::Formula { at, template });
        let mut pivot = evaluate(&workbook, &item);
        for (column, row, cell) in edits {
            if cell.starts_with('#') {
                continue;
            }
            let address = format!("{}{}", ["A", "B", "C", "D"][column], row + 1);
            set(&mut workbook, &address, cell);
            pivot = refresh(Some(pivot), &workbook, &item);
            let new = evaluate(&workbook, &item);
            prop_assert_eq!(text(output(&pivot)), text(output(&new)), "after {} = {}", address, cell);
            prop_assert_eq!(&output(&pivot).cells, &output(&new).cells);
        }
    }
}
