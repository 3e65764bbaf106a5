//! Circular references: their cells are listed, or iterative calculation evaluates them.

use crate::support::{Book, edit_rows, text_of};
use proptest::prelude::*;
use quadrille_calc::{Budget, Calculation};
use quadrille_cell::{CellAddress, EditKind, Range, SheetId, Value};
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind};

fn circular_reference(book: &Book, cell: &str) -> String {
    let Some(cycle) = book.calculation.circular_reference(SheetId(1), crate::support::at(cell)) else {
        return "none".to_owned();
    };
    let cells: Vec<String> = cycle.cells.iter().map(|(_, cell)| cell.to_string()).collect();
    format!("{} of {}", cells.join(" "), cycle.length)
}

fn iterative(book: &mut Book, iterations_max: f64, change_max: f64) {
    let mut settings = Item::new(ItemKind::WorkbookSettings);
    settings.fields.insert(Field::Iterative, FieldValue::Boolean(true));
    settings.fields.insert(Field::MaxIterations, FieldValue::Number(iterations_max));
    settings.fields.insert(Field::MaxChange, FieldValue::Number(change_max));
    book.workbook.set_item(None, ItemId::SETTINGS, Some(settings));
    book.calculation.settings_changed(&book.workbook);
}

fn not_iterative(book: &mut Book) {
    book.workbook.set_item(None, ItemId::SETTINGS, None);
    book.calculation.settings_changed(&book.workbook);
}

#[test]
fn circular_references_list_their_cells() {
    let mut book = Book::new("A1: =B1+1 | B1: =C1 | C1: =A1*2 | D1: =A1 | E1: =E1 | F1: 5");
    assert_eq!(book.show("A1 B1 C1 D1 E1"), "A1: #CIRC! | B1: #CIRC! | C1: #CIRC! | D1: #CIRC! | E1: #CIRC!");
    assert_eq!(circular_reference(&book, "A1"), "A1 B1 C1 of 3");
    assert_eq!(circular_reference(&book, "C1"), "A1 B1 C1 of 3");
    assert_eq!(circular_reference(&book, "E1"), "E1 of 1");
    // D1 shows the error but is on no circular reference.
    assert_eq!(circular_reference(&book, "D1"), "none");
    book.restructure(edit_rows(EditKind::Insert, 0, 1));
    book.evaluate();
    assert_eq!(circular_reference(&book, "B2"), "A2 B2 C2 of 3");
    assert_eq!(book.edit("C2: 7").show("A2 D2 E2"), "A2: 8 | D2: 8 | E2: #CIRC!");
    assert_eq!(
        (circular_reference(&book, "A2"), circular_reference(&book, "C2")),
        ("none".to_owned(), "none".to_owned())
    );
    assert_eq!(book.calculation.circular_cells().count(), 1);
}

#[test]
fn long_circular_references_are_truncated() {
    let mut book = Book::new("A1: =A500");
    book.fill("A2:A500", "=A1+1").evaluate();
    let cycle =
        book.calculation.circular_reference(SheetId(1), crate::support::at("A77")).expect("A77 is on it");
    assert_eq!((cycle.cells.len(), cycle.length), (32, 500));
}

#[test]
fn circular_references_converge_with_iterative_calculation() {
    // A price that includes a tenth of itself: 90 / 0.9.
    let mut book = Book::new("A1: 90 | B1: =A1+C1 | C1: =B1*10% | D1: =B1*2");
    book.evaluate();
    assert_eq!(circular_reference(&book, "B1"), "B1 C1 of 2");
    iterative(&mut book, 100.0, 1e-9);
    book.evaluate();
    let Value::Number(price) = book.value("B1") else { panic!("{:?}", book.value("B1")) };
    assert!((price - 100.0).abs() < 1e-8, "{price}");
    assert_eq!(book.value("D1"), Value::from(price * 2.0));
    // Still reported, since the circular reference may be unintended.
    assert_eq!(circular_reference(&book, "B1"), "B1 C1 of 2");
    book.edit("A1: 180").evaluate();
    let Value::Number(price) = book.value("B1") else { panic!("{:?}", book.value("B1")) };
    assert!((price - 200.0).abs() < 1e-8, "{price}");
    not_iterative(&mut book);
    assert_eq!(book.show("B1 C1 D1"), "B1: #CIRC! | C1: #CIRC! | D1: #CIRC!");
}

#[test]
fn iterations_start_at_zero() {
    let mut book = Book::new("A1: =A1+1 | B1: =B1+A1");
    iterative(&mut book, 10.0, 0.001);
    // Excel continues from the last values; here the same inputs always give the same values.
    assert_eq!(book.show("A1 B1"), "A1: 10 | B1: 55");
    assert_eq!(book.edit("C1: 1").show("A1 B1"), "A1: 10 | B1: 55");
}

#[test]
fn removing_a_circular_reference_resets_the_others() {
    // The slower of two circular references determines the number of iterations of both.
    let mut book = Book::new("A3: =B1*0.5+1 | B1: =A3*0.5 | A2: =A2*0.3-1");
    iterative(&mut book, 20.0, 1e-6);
    let mut never = Book::new("A3: =B1*0.5+1 | B1: =A3*0.5 | A2: 3");
    iterative(&mut never, 20.0, 1e-6);
    assert_ne!(book.show("B1"), never.show("B1"));
    assert_eq!(book.edit("A2: 3").show("B1"), never.show("B1"));
}

#[test]
fn iterative_calculation_completes_with_small_budgets() {
    let mut book = Book::new("A1: =A300*0.5+1 | B1: =SUM(A1:A300)");
    book.fill("A2:A300", "=A1+0.001");
    iterative(&mut book, 50.0, 1e-12);
    let mut expected = Book::new("A1: =A300*0.5+1 | B1: =SUM(A1:A300)");
    expected.fill("A2:A300", "=A1+0.001");
    iterative(&mut expected, 50.0, 1e-12);
    expected.evaluate();
    for _ in 0..10_000 {
        let mut budget = Budget { steps_left: 100, ..Budget::UNLIMITED };
        if book.calculation.evaluate(&mut book.workbook, book.time_and_seed, &mut budget).finished {
            break;
        }
    }
    assert!(book.calculation.is_clean());
    assert_eq!(book.value("B1"), expected.value("B1"));
    assert!(matches!(book.value("B1"), Value::Number(_)));
}

/// Evaluates in slices of `steps`; returns the index of the last slice.
fn evaluate_in_slices(book: &mut Book, steps: u64) -> Option<usize> {
    (0..10_000).find(|_| {
        let mut budget = Budget { steps_left: steps, ..Budget::UNLIMITED };
        book.calculation.evaluate(&mut book.workbook, book.time_and_seed, &mut budget).finished
    })
}

#[test]
fn circular_references_larger_than_a_slice_complete() {
    let fill = |book: &mut Book| {
        book.fill("A1:A40", "=SUM(A$1:A$40)+B1");
        book.fill("B1:B40", "=AVERAGE(A$1:A$40)");
        book.fill("C1:C40", "=SUM(C$1:C$40)*0.01+1");
    };
    for (is_iterative, steps) in [(false, 5), (false, 20), (true, 5), (true, 20), (true, 100)] {
        let [mut book, mut expected] = [Book::new("D1: =A7 | D2: =C7"), Book::new("D1: =A7 | D2: =C7")];
        for book in [&mut book, &mut expected] {
            fill(book);
            if is_iterative {
                iterative(book, 50.0, 1e-9);
            }
        }
        expected.evaluate();
        let slices = evaluate_in_slices(&mut book, steps);
        assert!(slices.is_some_and(|slices| slices > 1), "{slices:?} of {steps}, iterative: {is_iterative}");
        for cell in ["A1", "A40", "B13", "C1", "C40", "D1", "D2"] {
            assert_eq!(book.value(cell), expected.value(cell), "{cell}, iterative: {is_iterative}");
        }
    }
}

const FORMULAS: &[&str] = &[
    "=B1*0.5+1",
    "=A2*0.3-C1",
    "=SUM(A1:C3)*0.1",
    "=IF(A1>2,B2*0.2,3)",
    "=C3+1",
    "=A1&B2",
    "=1/A3",
    "=OFFSET(A1,1,1)*0.5",
    "=A3*0.5",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// The values of circular references depend neither on the order of edits nor on the slices.
    #[test]
    fn circular_references_equal_a_new_calculation(
        edits in proptest::collection::vec((0u32..4, 0u32..4, 0..FORMULAS.len() + 2), 1..15),
        is_iterative in any::<bool>(),
        steps in 1u64..60,
    ) {
        let mut book = Book::new("");
        if is_iterative {
            iterative(&mut book, 20.0, 1e-6);
        }
        for (row, column, formula) in edits {
            let cell = CellAddress::clamped(row, column);
            let text = FORMULAS.get(formula).copied().unwrap_or("2");
            let input = book.input(SheetId(1), cell, text);
            book.set(SheetId(1), Range::cell(cell), &input);
            prop_assert!(evaluate_in_slices(&mut book, steps).is_some(), "the evaluation finishes");
            let mut workbook = book.workbook.clone();
            let mut anew = Calculation::new(&workbook);
            let evaluated = anew.evaluate(&mut workbook, book.time_and_seed, &mut Budget::UNLIMITED.clone());
            prop_assert!(evaluated.finished);
            for cell in Range::from_indices(0, 0, 3, 3).expect("within the sheet").cells() {
                let (now, then) = (book.workbook.sheet(SheetId(1)), workbook.sheet(SheetId(1)));
                let (now, then) = (now.expect("it stays").value(cell), then.expect("it stays").value(cell));
                prop_assert_eq!(text_of(&now), text_of(&then), "{}", cell);
            }
        }
    }
}

/// Before the edit the array filled the cell that A1 reads now.
#[test]
fn an_array_that_an_entry_blocks_is_not_circular() {
    for array in ["=A1:A6", "=IFERROR(#REF!,A6:A1)"] {
        let mut book = Book::new(&format!("B1: {array}"));
        assert_eq!(book.edit("A1: =B2 | B2: 5").show("A1 B1 B2 B3"), "A1: 5 | B1: #SPILL! | B2: 5 | B3: -");
        book.assert_matches_scratch(array);
        assert_eq!(book.edit("A1: 7 | B2: ").show("A1 B1 B2"), "A1: 7 | B1: 7 | B2: 0");
    }
}
