//! Aggregates over long columns, cached by segment, running or shared: after each edit all values
//! equal the reference evaluator bit for bit. `PROPTEST_CASES` sets the number of cases.

use crate::support::{Book, edit_rows, range};
use proptest::prelude::*;
use quadrille_calc::Budget;
use quadrille_cell::{CellAddress, ColumnIndex, EditKind, Range, SheetId};

/// Long enough for segments to be cached.
const ROWS: u32 = 6_000;

/// Ranges and the formulas they are filled with.
const FORMULAS: &[(&str, &str)] = &[
    ("E1", "=SUM(A:A)"),
    ("E2:E9", "=SUM(A$1:A$6000)"),
    ("F1:F300", "=SUM(A$1:A1)"),
    ("F1:F300", "=AVERAGE(B$3:B5700)"),
    ("G1:G40", "=SUM(A5701:A$2)*2"),
    ("E10", "=AVERAGE(A:C)"),
    ("E11", "=MIN(A:A)+MAX(B2:B5999)"),
    ("E12", "=COUNT(A:C)"),
    ("E13", "=MAX(A1:A5000)-SUM(A1:A5500)"),
    ("H1:H20", "=SUM(A1:A4200)"),
    ("H21:H30", "=IF(SUM($A:$A)>0,$B$1,\"less\")"),
    ("C5000:C5010", "=SUM(A:A)/B1"),
    ("B7:B9", "=SUM(A$100:A$5800)"),
];

#[derive(Clone, Debug)]
enum Edit {
    Set(Range, &'static str),
    Formula(usize),
    Rows(EditKind, u32),
}

fn content() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["1", "0.1", "1E15", "-7.3", "", "text", "TRUE", "=1/0", "=ROW()/3", "=A7"])
}

fn edit() -> impl Strategy<Value = Edit> {
    let area =
        (0..ROWS, 0u32..3, prop_oneof![4 => Just(1u32), 1 => 1u32..3000]).prop_map(|(row, column, rows)| {
            Range::new(
                CellAddress::clamped(row, column),
                CellAddress::clamped((row + rows - 1).min(ROWS), column),
            )
        });
    let kind = prop_oneof![Just(EditKind::Insert), Just(EditKind::Delete)];
    prop_oneof![
        6 => (area, content()).prop_map(|(range, text)| Edit::Set(range, text)),
        2 => (0..FORMULAS.len()).prop_map(Edit::Formula),
        1 => (kind, 0..ROWS).prop_map(|(kind, at)| Edit::Rows(kind, at)),
    ]
}

fn apply(book: &mut Book, edit: &Edit) {
    match edit {
        Edit::Set(range, text) => {
            let input = book.input(SheetId(1), range.first(), text);
            book.set(SheetId(1), *range, &input);
        }
        Edit::Formula(index) => {
            book.fill(FORMULAS[*index].0, FORMULAS[*index].1);
        }
        Edit::Rows(kind, at) => book.restructure(edit_rows(*kind, *at, 1)),
    }
}

fn long_columns() -> Book {
    let mut book = Book::new("");
    for column in 0..3 {
        let numbers: Vec<f64> =
            (0..ROWS).map(|row| f64::from(row * (column + 3) % 977) / 7.0 - 50.0).collect();
        let sheet = book.workbook.sheet_mut(SheetId(1)).expect("there is one sheet");
        sheet.set_column_numbers(ColumnIndex::clamped(column), 0, &numbers);
    }
    book.calculation.inputs_changed(&book.workbook, SheetId(1), range("A1:C6000"));
    book
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn partial_aggregates_equal_a_full_read(
        formulas in proptest::collection::vec(0..FORMULAS.len(), 4),
        edits in proptest::collection::vec(edit(), 1..8),
    ) {
        let mut book = long_columns();
        for formula in &formulas {
            apply(&mut book, &Edit::Formula(*formula));
        }
        book.evaluate();
        book.assert_matches_scratch("initially");
        for edit in &edits {
            apply(&mut book, edit);
            book.evaluate();
            book.assert_matches_scratch(&format!("after {edit:?} of {formulas:?} {edits:?}"));
        }
    }
}

fn steps_of_an_edit(book: &mut Book, cells: &str) -> u64 {
    book.edit(cells);
    let mut budget = Budget::UNLIMITED;
    assert!(book.calculation.evaluate(&mut book.workbook, book.time_and_seed, &mut budget).finished);
    Budget::UNLIMITED.steps_left - budget.steps_left
}

#[test]
fn an_edit_in_a_summed_column_reads_one_segment() {
    let mut book = long_columns();
    book.fill("E1", "=SUM(A:A)").fill("E2", "=AVERAGE(A1:B6000)").fill("E3:E900", "=MAX($A:$A)*2");
    book.evaluate();
    // Segments have 1,024 rows. The limit allows one segment for each of five formulas, and the
    // ends that are not cached.
    let steps = steps_of_an_edit(&mut book, "A3000: 7");
    assert!(steps < 8 * 1_024, "{steps}");
}
