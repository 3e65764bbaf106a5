//! Random edits of a small, crowded sheet: after each, everything shown is what a plain evaluation from nothing
//! gives, bit for bit. `PROPTEST_CASES` sets how many.

mod support;

use proptest::prelude::*;
use quadrille_cell::{CellAddress, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_workbook::Input;
use support::Book;

const ROWS: u32 = 9;
const COLUMNS: u32 = 5;

#[derive(Clone, Debug)]
enum Edit {
    Set(Range, String),
    Structure(StructuralEdit),
    Sort(Range),
    Name(&'static str),
    SecondSheet(bool),
    Stamp(u64),
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

/// A reference as written: with dollars anywhere, to a cell, a range, whole columns or the other sheet.
fn reference() -> impl Strategy<Value = String> {
    let dollars = |cell: CellAddress, row: bool, column: bool| {
        let a1 = cell.to_string();
        let (letters, digits) = a1.split_at(1);
        format!("{}{letters}{}{digits}", if column { "$" } else { "" }, if row { "$" } else { "" })
    };
    let corner = move || {
        (cell(), any::<bool>(), any::<bool>()).prop_map(move |(c, row, column)| dollars(c, row, column))
    };
    prop_oneof![
        6 => corner(),
        3 => (corner(), corner()).prop_map(|(a, b)| format!("{a}:{b}")),
        1 => corner().prop_map(|a| format!("Other!{a}")),
        1 => corner().prop_map(|a| format!("{a}#")),
    ]
}

fn formula() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => reference(),
        1 => (0u32..5).prop_map(|number: u32| number.to_string()),
        1 => proptest::sample::select(vec!["\"x\"", "TRUE", "1.5", "rate", "{1,2;3,4}", "RAND()", "ROW()"]).prop_map(String::from),
    ];
    let tree = leaf.prop_recursive(3, 8, 3, |inner| {
        let operator = proptest::sample::select(vec!["+", "-", "*", "/", "^", "&", "=", "<", " ", ":"]);
        prop_oneof![
            4 => (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("{a}{o}{b}")),
            2 => inner.clone().prop_map(|a| format!("SUM({a})")),
            1 => inner.clone().prop_map(|a| format!("-({a})")),
            1 => inner.clone().prop_map(|a| format!("@{a}")),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("IF({a},{b},{c})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("IFERROR({a},{b})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("LET(v,{a},v+{b})")),
            1 => (inner.clone(), cell()).prop_map(|(a, cell)| format!("SUM(OFFSET({cell},{a},0))")),
            1 => (0..COLUMNS).prop_map(|column| {
                let letter = char::from(b'A' + column as u8);
                format!("SUM({letter}:{letter})")
            }),
            1 => (1..=ROWS).prop_map(|row| format!("SUM({row}:{row})")),
            1 => cell().prop_map(|cell| format!("INDIRECT(\"{cell}\")")),
            1 => inner.prop_map(|a| format!("ABS({a})")),
        ]
    });
    tree.prop_map(|text| format!("={text}"))
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just(String::new()),
        3 => (0u32..100).prop_map(|number| (f64::from(number) / 8.0).to_string()),
        1 => proptest::sample::select(vec!["text", "TRUE", "5"]).prop_map(String::from),
        6 => formula(),
    ]
}

fn structure() -> impl Strategy<Value = StructuralEdit> {
    let kind = prop_oneof![Just(EditKind::Insert), Just(EditKind::Delete)];
    let dimension = prop_oneof![3 => Just(Dimension::Rows), 1 => Just(Dimension::Columns)];
    (kind, dimension, 0u32..6, 1u32..3, 1u32..3).prop_map(|(kind, dimension, at, count, sheet)| {
        StructuralEdit { sheet: SheetId(sheet), dimension, kind, at, count }
    })
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        20 => (area(), content()).prop_map(|(range, text)| Edit::Set(range, text)),
        2 => structure().prop_map(Edit::Structure),
        1 => area().prop_map(Edit::Sort),
        1 => proptest::sample::select(vec!["", "0.5", "Sheet1!$B$2", "Sheet1!$A$1:$A$3", "rate+1"]).prop_map(Edit::Name),
        1 => any::<bool>().prop_map(Edit::SecondSheet),
        1 => (0u64..3).prop_map(Edit::Stamp),
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
            } else if !*exists {
                book.workbook.remove_sheet(id);
            }
            book.calculation.sheets_changed(&book.workbook);
        }
        Edit::Stamp(seed) => book.stamp.seed = *seed,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_is_as_from_nothing(edits in prop::collection::vec(edit(), 1..25)) {
        let mut book = Book::new("");
        for (number, edit) in edits.iter().enumerate() {
            apply(&mut book, edit);
            // Some edits are evaluated together.
            if number % 3 != 1 || number + 1 == edits.len() {
                book.evaluate();
                book.assert_as_plain(&format!("after edit {number}: {edit:?}"));
            }
        }
    }
}
