//! Random edits of a small, crowded sheet: after each, all values equal the reference evaluator bit
//! for bit. `PROPTEST_CASES` sets the number of cases.

use crate::support::Book;
use proptest::prelude::*;
use quadrille_calc::Budget;
use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_workbook::Input;

const ROWS: u32 = 9;
const COLUMNS: u32 = 5;
/// Far more slices than so few cells need.
const SLICES_MAX: u32 = 20_000;

#[derive(Clone, Debug)]
enum Edit {
    Set(Range, String),
    Structure(StructuralEdit),
    Sort(Range),
    Name(&'static str),
    SecondSheet(bool),
    Seed(u64),
}

fn cell() -> impl Strategy<Value = CellAddress> {
    (0..ROWS, 0..COLUMNS).prop_map(|(row, column)| CellAddress::clamped(row, column))
}

fn area() -> impl Strategy<Value = Range> {
    prop_oneof![
        3 => cell().prop_map(Range::cell),
        2 => (cell(), 1u32..5).prop_map(|(cell, rows)| {
            let last = CellAddress::clamped((cell.row.get() + rows).min(ROWS - 1), cell.column.get());
            Range::new(cell, last)
        }),
        1 => (cell(), cell()).prop_map(|(a, b)| Range::new(a, b)),
    ]
}

/// Kinds of formulas. Not every state has one correct result: arrays that depend on where they
/// spill end as circular in both evaluators, but not always in the same cells.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Formulas {
    /// Any formula, circular references included, with a single value as its result.
    OneValue,
    /// Arrays of one column that read only columns further left.
    Arrays,
    Anything,
}

fn written(cell: CellAddress, row_dollar: bool, column_dollar: bool) -> String {
    let a1 = cell.to_string();
    let (letters, digits) = a1.split_at(1);
    let dollar = |is_there: bool| if is_there { "$" } else { "" };
    format!("{}{letters}{}{digits}", dollar(column_dollar), dollar(row_dollar))
}

/// A single cell within the first `columns` columns, with dollar signs anywhere.
fn corner(columns: u32) -> BoxedStrategy<String> {
    (0..ROWS, 0..columns, any::<bool>(), any::<bool>())
        .prop_map(|(row, column, a, b)| written(CellAddress::clamped(row, column), a, b))
        .boxed()
}

/// A part of one column.
fn column_part(columns: u32) -> BoxedStrategy<String> {
    (0..ROWS, 0..ROWS, 0..columns, any::<bool>(), any::<bool>())
        .prop_map(|(first, last, column, a, b)| {
            let cell = |row: u32, dollar: bool| written(CellAddress::clamped(row, column), dollar, b);
            format!("{}:{}", cell(first, a), cell(last, b))
        })
        .boxed()
}

/// A formula for a range whose first column is `column`.
fn formula(formulas: Formulas, column: u32) -> BoxedStrategy<String> {
    let columns = if formulas == Formulas::Arrays { column } else { COLUMNS };
    if columns == 0 {
        let texts = vec!["={1;2;3}", "={4;5}", "=1+1", "=RAND()", "=rate", "=Other!B2:B4", "=ROW()"];
        return proptest::sample::select(texts).prop_map(String::from).boxed();
    }
    let constants = match formulas {
        Formulas::Arrays => vec!["\"x\"", "TRUE", "1.5", "{1;2;3}", "RAND()", "ROW()"],
        _ => vec!["\"x\"", "TRUE", "1.5", "rate", "{1,2;3,4}", "RAND()", "ROW()"],
    };
    let constant = proptest::sample::select(constants).prop_map(String::from);
    let arithmetic =
        (corner(columns), corner(columns), proptest::sample::select(vec!["+", "-", "*", "/", "^"]))
            .prop_map(|(a, b, operator)| format!("{a}{operator}{b}*2"));
    let range = match formulas {
        Formulas::Arrays => column_part(columns),
        _ => (corner(columns), corner(columns)).prop_map(|(a, b)| format!("{a}:{b}")).boxed(),
    };
    let spilled = corner(columns).prop_map(move |cell| match formulas {
        Formulas::OneValue => cell,
        _ => format!("{cell}#"),
    });
    let other = corner(COLUMNS).prop_map(|a| format!("Other!{a}"));
    let leaf = prop_oneof![6 => corner(columns), 3 => range, 1 => constant, 1 => other, 1 => spilled];
    let tree = leaf.prop_recursive(3, 8, 3, move |inner| {
        let mut operators = vec!["+", "-", "*", "/", "^", "&", "=", "<"];
        if formulas != Formulas::Arrays {
            operators.extend([" ", ":"]);
        }
        let operator = proptest::sample::select(operators);
        prop_oneof![
            4 => (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("{a}{o}{b}")),
            2 => inner.clone().prop_map(|a| format!("SUM({a})")),
            1 => inner.clone().prop_map(|a| format!("-({a})")),
            1 => inner.clone().prop_map(|a| format!("@{a}")),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("IF({a},{b},{c})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("IFERROR({a},{b})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("LET(v,{a},v+{b})")),
            1 => (inner.clone(), corner(columns)).prop_map(|(a, cell)| format!("SUM(OFFSET({cell},SUM({a}),0))")),
            1 => (0..columns).prop_map(|column| {
                let letter = char::from(b'A' + column as u8);
                format!("SUM({letter}:{letter})")
            }),
            1 => (1..=ROWS).prop_map(move |row| match formulas {
                Formulas::Arrays => "2".to_owned(),
                _ => format!("SUM({row}:{row})"),
            }),
            1 => corner(columns).prop_map(|cell| format!("INDIRECT(\"{cell}\")")),
            1 => (corner(columns), corner(columns), inner.clone()).prop_map(move |(formula, cell, value)| {
                match formulas {
                    // In a data table, arrays may fill cells whose dependents are not calculated again.
                    Formulas::Arrays => "3".to_owned(),
                    _ => format!("MULTIPLE.OPERATIONS({formula},{cell},SUM({value}))"),
                }
            }),
            1 => inner.prop_map(|a| format!("ABS({a})")),
        ]
    });
    let tree = match formulas {
        Formulas::OneValue => tree.prop_map(|text| format!("SUM({text})")).boxed(),
        _ => tree.boxed(),
    };
    prop_oneof![1 => arithmetic, 3 => tree].prop_map(|text| format!("={text}")).boxed()
}

fn content(formulas: Formulas, column: u32) -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just(String::new()),
        3 => (0u32..100).prop_map(|number| (f64::from(number) / 8.0).to_string()),
        1 => proptest::sample::select(vec!["text", "TRUE", "5"]).prop_map(String::from),
        6 => formula(formulas, column),
    ]
}

fn structure() -> impl Strategy<Value = StructuralEdit> {
    let kind = prop_oneof![
        Just(EditKind::Insert),
        Just(EditKind::Delete),
        (0u32..9).prop_map(|to| EditKind::Move { to })
    ];
    let dimension = prop_oneof![3 => Just(Dimension::Rows), 1 => Just(Dimension::Columns)];
    (kind, dimension, 0u32..6, 1u32..3, 1u32..3).prop_map(|(kind, dimension, at, count, sheet)| {
        StructuralEdit { sheet: SheetId(sheet), dimension, kind, at, count }
    })
}

fn edit(formulas: Formulas) -> impl Strategy<Value = Edit> {
    let set = area().prop_flat_map(move |range| {
        content(formulas, range.first().column.get()).prop_map(move |text| Edit::Set(range, text))
    });
    prop_oneof![
        20 => set,
        2 => structure().prop_map(Edit::Structure),
        1 => area().prop_map(Edit::Sort),
        1 => proptest::sample::select(vec!["", "0.5", "Sheet1!$B$2", "Sheet1!$A$1:$A$3", "rate+1"]).prop_map(Edit::Name),
        1 => any::<bool>().prop_map(Edit::SecondSheet),
        1 => (0u64..3).prop_map(Edit::Seed),
    ]
}

fn apply(book: &mut Book, edit: &Edit) {
    match edit {
        Edit::Set(range, text) => {
            let input = book.input(SheetId(1), range.first(), text);
            book.set(SheetId(1), *range, &input);
        }
        Edit::Structure(edit) => {
            if book.workbook.sheet(edit.sheet).is_some() {
                book.restructure(*edit);
            }
        }
        Edit::Sort(range) => {
            let order: Vec<u32> = (0..range.row_count()).rev().collect();
            book.workbook.sheet_mut(SheetId(1)).expect("it stays").permute_rows(*range, &order);
            book.calculation.inputs_changed(&book.workbook, SheetId(1), *range);
        }
        Edit::Name(text) => {
            book.define("rate", text);
        }
        Edit::SecondSheet(exists) => {
            let id = SheetId(2);
            if *exists && book.workbook.add_sheet(id, "Other", 1) {
                let cell = Range::cell(CellAddress::clamped(1, 1));
                let input = Input::from(quadrille_cell::Value::from(3.0));
                book.set(id, cell, &input);
            } else {
                book.workbook.remove_sheet(id);
            }
            book.calculation.sheets_changed(&book.workbook);
        }
        Edit::Seed(seed) => book.time_and_seed.seed = *seed,
    }
}

/// Applies the edits, some of them together, and calls `check` after each evaluation.
fn run(edits: &[Edit], check: impl Fn(&Book, &str)) {
    let mut book = Book::new("");
    for (number, edit) in edits.iter().enumerate() {
        apply(&mut book, edit);
        if number % 3 != 1 || number + 1 == edits.len() {
            book.evaluate();
            check(&book, &format!("after edit {number}: {edit:?}"));
        }
    }
}

/// As [`run`], in slices of `steps`; an edit may arrive before the evaluation of the last one
/// finishes.
fn run_in_slices(edits: &[Edit], steps: u64, check: impl Fn(&Book, &str)) {
    let mut book = Book::new("");
    for (number, edit) in edits.iter().enumerate() {
        apply(&mut book, edit);
        let is_checked = number % 3 != 1 || number + 1 == edits.len();
        let slices = if is_checked { SLICES_MAX } else { 2 };
        let is_finished = (0..slices).any(|_| {
            let mut budget = Budget { steps_left: steps, ..Budget::UNLIMITED };
            book.calculation.evaluate(&mut book.workbook, book.time_and_seed, &mut budget).finished
        });
        if is_checked {
            assert!(is_finished, "after edit {number} it does not finish: {edit:?}");
            check(&book, &format!("after edit {number}: {edit:?}"));
        }
    }
}

fn edits(formulas: Formulas) -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec(edit(formulas), 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn incremental_evaluation_equals_evaluation_from_scratch(edits in edits(Formulas::OneValue)) {
        run(&edits, |book, what| book.assert_matches_scratch(what));
    }

    #[test]
    fn arrays_equal_evaluation_from_scratch(edits in edits(Formulas::Arrays)) {
        run(&edits, |book, what| book.assert_matches_scratch(what));
    }

    #[test]
    fn slices_equal_evaluation_from_scratch(edits in edits(Formulas::OneValue), steps in 5u64..300) {
        run_in_slices(&edits, steps, |book, what| book.assert_matches_scratch(what));
    }

    #[test]
    fn slices_with_arrays_equal_evaluation_from_scratch(edits in edits(Formulas::Arrays), steps in 5u64..300) {
        run_in_slices(&edits, steps, |book, what| book.assert_matches_scratch(what));
    }

    #[test]
    fn every_evaluation_ends(edits in edits(Formulas::Anything)) {
        run(&edits, |_, _| {});
    }
}
