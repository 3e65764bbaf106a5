//! The cost of an edit depends on the change, not on the size of the sheet: steps and allocated
//! bytes are the same for a thousand cells and for ten million.

#[path = "calc/support/mod.rs"]
#[allow(dead_code)] // uses part of it
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use quadrille_calc::Budget;
use quadrille_cell::{ColumnIndex, Range, SheetId};
use quadrille_workbook::{FormatPatch, Input, Literal};
use support::{Book, at, range};

/// Counts allocated bytes, which show whether something copies or rebuilds a sheet.
struct Counting;

thread_local! {
    /// The bytes that this thread has allocated; the test runner and other tests have their own
    /// threads. Made at compile time and without a destructor, so that counting allocates nothing.
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

/// The bytes that the calling thread has allocated until now.
fn allocated() -> u64 {
    ALLOCATED.get()
}

// SAFETY: every call is forwarded unchanged to the system allocator; counting touches no memory
// that it manages.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.set(ALLOCATED.get() + layout.size() as u64);
        // SAFETY: the caller's guarantees hold for the forwarded call.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's guarantees hold for the forwarded call.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SHEET: SheetId = SheetId(1);

/// A sheet with this many numbers; also returns the number of rows.
fn sheet_of(cells: u32) -> (Book, u32) {
    let columns = cells.div_ceil(1_000_000).max(4);
    let rows = cells / columns;
    let mut book = Book::new("");
    let numbers: Vec<f64> = (0..rows).map(f64::from).collect();
    for column in 0..columns {
        let sheet = book.workbook.sheet_mut(SHEET).expect("the first sheet exists");
        sheet.set_column_numbers(ColumnIndex::clamped(column), 0, &numbers);
        let written = Range::from_indices(0, column, rows - 1, column).expect("within the sheet");
        book.calculation.inputs_changed(&book.workbook, SHEET, written);
    }
    (book, rows)
}

/// Steps and bytes of an edit of one cell: the median of several.
fn cost_of_edit(book: &mut Book, cell: &str) -> (u64, u64) {
    book.evaluate();
    let mut costs: Vec<(u64, u64)> = (0..9)
        .map(|turn| {
            let input = Input::Value(Literal::Number(f64::from(turn) + 0.25));
            let before = allocated();
            book.set(SHEET, Range::cell(at(cell)), &input);
            let mut budget = Budget::UNLIMITED;
            let evaluated = book.calculation.evaluate(&mut book.workbook, book.time_and_seed, &mut budget);
            assert!(evaluated.finished);
            (Budget::UNLIMITED.steps_left - budget.steps_left, allocated() - before)
        })
        .collect();
    costs.sort_unstable();
    costs[4]
}

#[test]
fn the_cost_of_an_edit_is_independent_of_the_sheet_size() {
    type Prepare = fn(&mut Book, u32);
    let cases: [(&str, &str, Prepare); 6] = [
        ("no dependents", "A7", |_, _| {}),
        ("one dependent", "A7", |book, _| {
            book.edit("AA7: =A7*2+1");
        }),
        ("a column of formulas beside it", "A7", |book, rows| {
            book.fill(&format!("AA1:AA{rows}"), "=A1*2+B1");
        }),
        ("in a column that is summed", "A7", |book, rows| {
            book.edit(&format!("AA7: =SUM(A1:A{rows})"));
        }),
        ("in a lookup table", "B7", |book, rows| {
            book.fill("AA1:AA200", &format!("=VLOOKUP(C1,A$1:B${rows},2,FALSE)"));
        }),
        ("with formats", "A7", |book, _| {
            let sheet = book.workbook.sheet_mut(SHEET).expect("the first sheet exists");
            sheet.patch_format(
                range("A1:D1048576"),
                &FormatPatch { bold: Some(true), ..FormatPatch::default() },
            );
            book.edit("AA7: =A7*2+1");
        }),
    ];
    for (what, cell, prepare) in cases {
        let mut costs = Vec::new();
        for cells in [1_000, 100_000, 10_000_000] {
            let (mut book, rows) = sheet_of(cells);
            prepare(&mut book, rows);
            costs.push(cost_of_edit(&mut book, cell));
        }
        let [(steps_few, bytes_few), _, (steps_many, bytes_many)] = costs[..] else {
            panic!("there are three sizes")
        };
        // A summed column reads one segment of 1,024 rows again, which a small sheet may not have,
        // and one lookup is evaluated.
        assert!(steps_many <= steps_few + 2_048, "{what}: {steps_few} steps, then {steps_many}");
        // One block of a column, or of an index on it, is copied: 4,096 values.
        assert!(bytes_many <= bytes_few + 4 * 32_768, "{what}: {bytes_few} bytes, then {bytes_many}");
    }
}

#[test]
fn edits_of_a_workbook_that_is_never_evaluated_need_no_memory() {
    let mut book = Book::new("A1: =SUM(B1:D9) | B1: 1");
    // Every formula is evaluated anyway, so nothing is remembered of the edits.
    assert_eq!(allocated_by_a_million_edits(&mut book), 0);
    assert_eq!(book.edit("D9: 2").show("A1"), "A1: 3");

    // Nor without end if it was evaluated once.
    let allocated = allocated_by_a_million_edits(&mut book);
    assert!(allocated < 20_000_000, "{allocated} bytes");
    assert_eq!(book.edit("D9: 5").show("A1"), "A1: 6");
}

/// Reports edits of cells that do not follow one another.
fn allocated_by_a_million_edits(book: &mut Book) -> u64 {
    let before = allocated();
    for number in 0..1_000_000 {
        let cell = Range::cell(at(if number % 2 == 0 { "B1" } else { "D9" }));
        book.calculation.inputs_changed(&book.workbook, SHEET, cell);
    }
    allocated() - before
}
