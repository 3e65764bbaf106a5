//! Lookups in long tables, by index and in loops: after each edit all values equal the reference
//! evaluator, which reads cell by cell. `PROPTEST_CASES` sets the number of cases.

use crate::support::{Book, edit_rows, range};
use proptest::prelude::*;
use quadrille_calc::Budget;
use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};

/// Long enough for indexes, and for runs whose dependents are narrowed.
const ROWS: u32 = 150;
const LOOKUPS: u32 = 100;

/// Formulas for a run from row 1. Keys are in A, results in B and C, lookup values in E.
const FORMULAS: &[&str] = &[
    "=VLOOKUP(E1,$A$1:$C$150,3,FALSE)",
    "=VLOOKUP(E1,$A:$C,2,0)",
    "=VLOOKUP(E1,$A$1:$C$150,1)",
    "=IFERROR(VLOOKUP(E1,$A:$B,2,FALSE),\"none\")",
    "=IFNA(VLOOKUP(E1,$A$3:$B$140,2,),-1)",
    "=MATCH(E1,$A$1:$A$150,0)",
    "=MATCH(E1,$A$1:$A$150)",
    "=INDEX($C$2:$C$120,MATCH(E1,$A$2:$A$150,0))",
    "=INDEX($C$1:$C$150,MATCH(E1,$A$1:$A$150,1))",
    "=XLOOKUP(E1,$A$1:$A$150,$C$1:$C$150)",
    "=XLOOKUP(E1,$A$1:$A$150,$C$2:$C$151,\"none\")",
    "=XLOOKUP(E1,$A$1:$A$150,$C$1:$C$150,,0,-1)",
    "=XMATCH(E1,$A$1:$A$150)",
    "=XMATCH(E1,$A$1:$A$150,-1)",
    "=COUNTIF($A$1:$A$150,E1)",
    "=SUMIF($A$1:$A$150,E1,$C$1:$C$150)",
    "=SUMIF($A:$A,E1)",
    "=AVERAGEIF($A$1:$A$150,E1,$C$1:$C$150)",
    "=VLOOKUP(E1,$A$1:$C$150,3,FALSE)*2",
    "=VLOOKUP(E1,$E$1:$E$100,1,FALSE)",
    "=MATCH(B1,$E$1:$E$100,0)",
    "=SUM(VLOOKUP(E1:E3,$A$1:$C$150,3,FALSE))",
];

#[derive(Clone, Debug)]
enum Edit {
    Set(Range, String),
    /// A formula for a whole run in a column from G on.
    Run(u32, usize),
    /// Ascending numbers, so that approximate lookups find something.
    Ascending(u32),
    Rows(EditKind, u32),
    Batch(Vec<Edit>),
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0u32..12).prop_map(|number| (f64::from(number) / 2.0).to_string()),
        1 => Just(String::new()),
        3 => proptest::sample::select(vec!["a", "A", "b", "ab", "a*", "?", "5", "TRUE", "FALSE", "\u{e9}", "\u{c9}"])
            .prop_map(String::from),
        1 => proptest::sample::select(vec!["=1/0", "=E3", "=A7", "=\"3\"", "=IF(A1>2,1,\"b\")", "=ROW()/3", "=NA()"])
            .prop_map(String::from),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    let cell = prop_oneof![3 => (0..ROWS, 0u32..3), 2 => (0..LOOKUPS, Just(4u32))];
    let area = (cell, prop_oneof![4 => Just(1u32), 1 => 1u32..100]).prop_map(|((row, column), rows)| {
        let last = CellAddress::clamped((row + rows - 1).min(ROWS - 1), column);
        Range::new(CellAddress::clamped(row, column), last)
    });
    let one = prop_oneof![
        12 => (area, content()).prop_map(|(range, text)| Edit::Set(range, text)),
        3 => (6u32..9, 0..FORMULAS.len()).prop_map(|(column, formula)| Edit::Run(column, formula)),
        1 => (0u32..3).prop_map(Edit::Ascending),
    ];
    let kind = prop_oneof![Just(EditKind::Insert), Just(EditKind::Delete)];
    prop_oneof![
        8 => one.clone(),
        2 => proptest::collection::vec(one, 1..6).prop_map(Edit::Batch),
        1 => (kind, 0..ROWS).prop_map(|(kind, at)| Edit::Rows(kind, at)),
    ]
}

fn apply(book: &mut Book, edit: &Edit) {
    match edit {
        Edit::Set(range, text) => {
            let input = book.input(SheetId(1), range.first(), text);
            book.set(SheetId(1), *range, &input);
        }
        Edit::Run(column, formula) => {
            let cells = Range::from_indices(0, *column, LOOKUPS - 1, *column).expect("within the sheet");
            let host = cells.first();
            // The formulas are written for column G.
            let moved = book.input(SheetId(1), host, FORMULAS[*formula]);
            book.set(SheetId(1), cells, &moved);
        }
        Edit::Ascending(step) => {
            (0..ROWS).for_each(|row| type_into(book, row, 0, &(row * step / 4).to_string()))
        }
        Edit::Rows(kind, at) => book.restructure(edit_rows(*kind, *at, 1)),
        Edit::Batch(edits) => edits.iter().for_each(|edit| apply(book, edit)),
    }
}

fn type_into(book: &mut Book, row: u32, column: u32, text: &str) {
    let cell = CellAddress::clamped(row, column);
    let input = book.input(SheetId(1), cell, text);
    book.set(SheetId(1), Range::cell(cell), &input);
}

/// Compares with the reference evaluator at first and after each edit.
fn assert_edits_match_scratch<E: std::fmt::Debug>(
    book: &mut Book,
    edits: &[E],
    apply: impl Fn(&mut Book, &E),
) {
    book.evaluate();
    book.assert_matches_scratch("initially");
    for edit in edits {
        apply(book, edit);
        book.evaluate();
        book.assert_matches_scratch(&format!("after {edit:?} of {edits:?}"));
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn lookups_equal_a_linear_search(
        table in proptest::collection::vec(content(), ROWS as usize),
        sought in proptest::collection::vec(content(), LOOKUPS as usize),
        runs in proptest::collection::vec(0..FORMULAS.len(), 3),
        edits in proptest::collection::vec(edit(), 1..12),
    ) {
        let mut book = Book::new("");
        for (row, text) in (0..ROWS).zip(&table) {
            for column in 0..3 {
                type_into(&mut book, (row * (column + 1)) % ROWS, column, text);
            }
        }
        for (row, text) in (0..LOOKUPS).zip(&sought) {
            type_into(&mut book, row, 4, text);
        }
        for (column, formula) in (6..).zip(&runs) {
            apply(&mut book, &Edit::Run(column, *formula));
        }
        assert_edits_match_scratch(&mut book, &edits, apply);
    }
}

/// Lookups along rows, in rows 6 and below. Keys are in row 1, results in rows 2 and 3, lookup
/// values in row 5.
const ROW_LOOKUPS: &[&str] = &[
    "=HLOOKUP(A$5,$A$1:$ET$3,3,FALSE)",
    "=HLOOKUP(A$5,$1:$3,2,0)",
    "=HLOOKUP(A$5,$A$1:$ET$3,3)",
    "=IFERROR(HLOOKUP(A$5,$C$1:$EJ$2,2,FALSE),\"none\")",
    "=MATCH(A$5,$1:$1,0)",
    "=MATCH(A$5,$A$1:$ET$1)",
    "=INDEX($B$3:$DP$3,MATCH(A$5,$B$1:$ET$1,0))",
    "=XLOOKUP(A$5,$A$1:$ET$1,$A$2:$ET$2,\"none\")",
    "=XLOOKUP(A$5,$A$1:$ET$1,$A$2:$ET$2,,0,-1)",
    "=XMATCH(A$5,$A$1:$ET$1,-1)",
    "=XMATCH(A$5,$1:$1,0,-1)",
    "=SUM(HLOOKUP($A$5:$C$5,$A$1:$ET$3,2,FALSE))",
    "=HLOOKUP(A$5,$A$6:$ET$6,1,FALSE)",
];

/// The same filled down from row 12, with lookup values in EX.
const ROW_LOOKUP_RUNS: &[&str] = &[
    "=HLOOKUP($EX12,$A$1:$ET$3,3,FALSE)",
    "=HLOOKUP($EX12,$1:$3,2,0)",
    "=HLOOKUP($EX12,$A$1:$ET$3,2)",
    "=IFERROR(HLOOKUP($EX12,$C$1:$EJ$2,2,FALSE),\"none\")",
    "=MATCH($EX12,$1:$1,0)",
    "=INDEX($B$3:$DP$3,MATCH($EX12,$B$1:$ET$1,0))",
    "=INDEX($A$1:$A$150,MATCH($EX12,$A$1:$ET$1,0))",
    "=XLOOKUP($EX12,$A$1:$ET$1,$A$2:$ET$2,\"none\")",
    "=XLOOKUP($EX12,$A$1:$ET$1,$B$3:$EU$3)",
    "=XMATCH($EX12,$A$1:$ET$1)",
];

/// The column EX.
const LOOKUP_COLUMN: u32 = 153;

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn lookups_along_rows_equal_a_linear_search(
        table in proptest::collection::vec(content(), ROWS as usize),
        sought in proptest::collection::vec(content(), 30),
        lines in proptest::collection::vec(0..ROW_LOOKUPS.len(), 3),
        runs in proptest::collection::vec(0..ROW_LOOKUP_RUNS.len(), 3),
        edits in proptest::collection::vec(row_lookup_edit(), 1..12),
    ) {
        let mut book = Book::new("");
        for (column, text) in (0..ROWS).zip(&table) {
            for row in 0..3 {
                type_into(&mut book, row, (column * (row + 1)) % ROWS, text);
            }
        }
        for (column, text) in (0..).zip(&sought) {
            type_into(&mut book, 4, column, text);
        }
        for (row, text) in (11..11 + LOOKUPS).zip(sought.iter().cycle()) {
            type_into(&mut book, row, LOOKUP_COLUMN, text);
        }
        for (row, formula) in (5..).zip(&lines) {
            apply_row_lookup_edit(&mut book, &RowLookupEdit::Line(row, *formula));
        }
        for (column, formula) in (0..).zip(&runs) {
            apply_row_lookup_edit(&mut book, &RowLookupEdit::Run(column, *formula));
        }
        assert_edits_match_scratch(&mut book, &edits, apply_row_lookup_edit);
    }
}

#[derive(Clone, Debug)]
enum RowLookupEdit {
    Type(u32, u32, String),
    /// Thirty formulas in a row, from row 6 on.
    Line(u32, usize),
    /// A run of formulas in a column.
    Run(u32, usize),
    Ascending,
    Columns(EditKind, u32),
    Rows(EditKind, u32),
}

fn row_lookup_edit() -> impl Strategy<Value = RowLookupEdit> {
    let kind = || prop_oneof![Just(EditKind::Insert), Just(EditKind::Delete)];
    prop_oneof![
        8 => (0u32..3, 0..ROWS, content()).prop_map(|(row, column, text)| RowLookupEdit::Type(row, column, text)),
        4 => (0u32..30, content()).prop_map(|(column, text)| RowLookupEdit::Type(4, column, text)),
        2 => (11..11 + LOOKUPS, content()).prop_map(|(row, text)| RowLookupEdit::Type(row, LOOKUP_COLUMN, text)),
        3 => (5u32..9, 0..ROW_LOOKUPS.len()).prop_map(|(row, formula)| RowLookupEdit::Line(row, formula)),
        3 => (0u32..4, 0..ROW_LOOKUP_RUNS.len()).prop_map(|(column, formula)| RowLookupEdit::Run(column, formula)),
        1 => Just(RowLookupEdit::Ascending),
        1 => (kind(), 0..ROWS).prop_map(|(kind, at)| RowLookupEdit::Columns(kind, at)),
        1 => (kind(), 0u32..6).prop_map(|(kind, at)| RowLookupEdit::Rows(kind, at)),
    ]
}

fn apply_row_lookup_edit(book: &mut Book, edit: &RowLookupEdit) {
    match edit {
        RowLookupEdit::Type(row, column, text) => type_into(book, *row, *column, text),
        RowLookupEdit::Line(row, formula) => {
            let cells = Range::from_indices(*row, 0, *row, 29).expect("within the sheet");
            let input = book.input(SheetId(1), cells.first(), ROW_LOOKUPS[*formula]);
            book.set(SheetId(1), cells, &input);
        }
        RowLookupEdit::Run(column, formula) => {
            let cells = Range::from_indices(11, *column, 10 + LOOKUPS, *column).expect("within the sheet");
            let input = book.input(SheetId(1), cells.first(), ROW_LOOKUP_RUNS[*formula]);
            book.set(SheetId(1), cells, &input);
        }
        RowLookupEdit::Ascending => {
            (0..ROWS).for_each(|column| type_into(book, 0, column, &(column / 8).to_string()))
        }
        RowLookupEdit::Columns(kind, at) => {
            book.restructure(StructuralEdit { dimension: Dimension::Columns, ..edit_rows(*kind, *at, 1) })
        }
        RowLookupEdit::Rows(kind, at) => book.restructure(edit_rows(*kind, *at, 1)),
    }
}

#[test]
fn an_edited_key_affects_only_its_lookups() {
    let mut book = Book::new("");
    for row in 1..=1000 {
        book.edit(&format!("A{row}: {} | B{row}: {row} | D{row}: {}", row * 2, row * 2 + 1000));
    }
    book.fill("E1:E1000", "=VLOOKUP(D1,$A$1:$B$1000,2,FALSE)");
    book.evaluate();
    let mut changed = |edit: &str| changed_by(&mut book, edit);
    // A1000 is 2000, which D500 looks up.
    assert_eq!(changed("B1000: 7"), [range("E500")]);
    assert_eq!(changed("A1000: 2001"), [range("E500")]);
    assert_eq!(changed("A3: 2000"), [range("E500")]);
    // A600 is 1200, which D100 looks up. From now on D100 and D500 find the same row.
    assert_eq!(changed("A600: 1 | D100: 2000"), [range("E100")]);
    assert_eq!(changed("B3: 0.5"), [range("E100"), range("E500")]);
    assert_eq!(changed("A3: =1000*2"), []);
    assert_eq!(changed("A4: 3000 | A5: 3000 | B4: 9"), [range("E1000")]);
}

/// The cells whose values an edit changes.
fn changed_by(book: &mut Book, edit: &str) -> Vec<Range> {
    book.edit(edit);
    let mut cells: Vec<Range> = book.evaluate().changed.into_iter().map(|(_, range)| range).collect();
    cells.sort();
    book.assert_matches_scratch(edit);
    cells
}

/// Number of steps that an edit takes; every evaluated lookup costs at least one.
fn steps_of(book: &mut Book, edit: &str) -> u64 {
    book.edit(edit);
    let mut budget = Budget::UNLIMITED;
    book.calculation.evaluate(&mut book.workbook, book.time_and_seed, &mut budget);
    Budget::UNLIMITED.steps_left - budget.steps_left
}

#[test]
fn an_edited_key_in_a_row_affects_only_its_lookups() {
    for filled in ["A5:ALL5", "A12:A1011"] {
        let mut book = Book::new("");
        for column in 0..1000 {
            for (row, number) in [(0, column * 2), (1, column + 1), (2, column * 2 + 1000)] {
                type_into(&mut book, row, column, &number.to_string());
            }
            type_into(&mut book, 11 + column, 1, &(column * 2 + 1000).to_string());
        }
        // Lookup values are in A3 and to the right, or in B12 and below.
        let is_line = filled == "A5:ALL5";
        book.fill(
            filled,
            if is_line { "=HLOOKUP(A3,$A$1:$ALL$2,2,FALSE)" } else { "=HLOOKUP($B12,$A$1:$ALL$2,2,FALSE)" },
        );
        book.evaluate();
        let place = |at: u32| match is_line {
            true => Range::from_indices(4, at, 4, at).expect("within the sheet"),
            false => Range::from_indices(11 + at, 0, 11 + at, 0).expect("within the sheet"),
        };
        // ALL1 is 1998, which the lookup at 499 finds; ALI1 is 1992, which the lookup at 496 finds.
        assert_eq!(changed_by(&mut book, "ALL2: 7"), [place(499)]);
        assert_eq!(changed_by(&mut book, "ALL1: 1996.5"), [place(499)]);
        assert_eq!(changed_by(&mut book, "C1: 1998"), [place(499)]);
        assert_eq!(changed_by(&mut book, "C2: 9 | ALI2: 8"), [place(496), place(499)]);
        assert_eq!(changed_by(&mut book, "D1: 5000"), []);
        // Unaffected lookups are not evaluated.
        assert!(steps_of(&mut book, "C2: 10") < 100);
        assert!(steps_of(&mut book, "C1: 4") < 100);
    }
}
