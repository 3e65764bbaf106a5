//! Columns in which every formula differs: after each edit all values equal the reference
//! evaluator. `PROPTEST_CASES` sets the number of cases.

use crate::support::{Book, edit_rows};
use proptest::prelude::*;
use quadrille_cell::{CellAddress, EditKind, Range, SheetId};

/// Longer than a batch.
const ROWS: u32 = 300;

/// `#` is the row, `<` and `>` the rows before and after it, `N` a number.
const SHAPES: &[&[&str]] = &[
    &["=C<+N", "=C<*2", "=N-C<", "=(C<)%"],
    &["=C>+N", "=C>/N", "=-C>"],
    &["=A#*N", "=A#+N", "=N^A#", "=A#&\"N\"", "=A#"],
    &["=A#+B<", "=B<*A#", "=IF(A#>N,B<,A#)", "=SUM(A#,B<)+N"],
    &["=SUM(A$1:A#)+N", "=MAX(A$1:A#)*N"],
    &["=C<+N", "=A#*2", "=C>-1", "5", "text", "=1/0", "=C<", "=RAND()*N", "=ROW()"],
];

fn formula(shape: usize, row: u32, number: u32) -> String {
    let written = SHAPES[shape][(row as usize + number as usize / 7) % SHAPES[shape].len()];
    let rows = [("#", row + 1), ("<", row.max(1)), (">", row + 2), ("N", number)];
    rows.iter().fold(written.to_owned(), |text, (sign, row)| text.replace(sign, &row.to_string()))
}

#[derive(Clone, Debug)]
enum Edit {
    Cell(CellAddress, String),
    Formulas { shape: usize, first: u32, rows: u32, seed: u32 },
    Rows(EditKind, u32),
}

fn edit() -> impl Strategy<Value = Edit> {
    let text = proptest::sample::select(vec!["1", "0.5", "", "x", "TRUE", "=1/0", "=A1"]);
    let cell = (0..ROWS, prop_oneof![3 => 0u32..2, 1 => Just(2u32)])
        .prop_map(|(row, column)| CellAddress::clamped(row, column));
    let kind = prop_oneof![Just(EditKind::Insert), Just(EditKind::Delete)];
    prop_oneof![
        4 => (cell, text).prop_map(|(cell, text)| Edit::Cell(cell, text.to_owned())),
        2 => (0..SHAPES.len(), 0..ROWS, 1u32..200, 0u32..50)
            .prop_map(|(shape, first, rows, seed)| Edit::Formulas { shape, first, rows, seed }),
        1 => (kind, 0..ROWS).prop_map(|(kind, at)| Edit::Rows(kind, at)),
    ]
}

fn apply(book: &mut Book, edit: &Edit) {
    let mut set = |cell: CellAddress, text: &str| {
        let input = book.input(SheetId(1), cell, text);
        book.set(SheetId(1), Range::cell(cell), &input);
    };
    match edit {
        Edit::Cell(cell, text) => set(*cell, text),
        Edit::Formulas { shape, first, rows, seed } => {
            for row in *first..(first + rows).min(ROWS) {
                set(CellAddress::clamped(row, 2), &formula(*shape, row, row * 31 % 50 + seed));
            }
        }
        Edit::Rows(kind, at) => book.restructure(edit_rows(*kind, *at, 1)),
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn formula_batches_equal_single_formulas(shape in 0..SHAPES.len(), edits in proptest::collection::vec(edit(), 1..12)) {
        let mut book = Book::new("");
        for row in 0..ROWS {
            book.edit(&format!("A{0}: {1} | B{0}: {2}", row + 1, row % 7, row % 5));
        }
        apply(&mut book, &Edit::Formulas { shape, first: 0, rows: ROWS, seed: 0 });
        book.evaluate();
        book.assert_matches_scratch("initially");
        for edit in &edits {
            apply(&mut book, edit);
            book.evaluate();
            book.assert_matches_scratch(&format!("after {edit:?} of {edits:?}"));
        }
    }
}
