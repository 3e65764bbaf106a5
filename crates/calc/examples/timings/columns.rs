//! Timings over whole columns: lookups, conditional sums, formulas filled to the right.

use quadrille_cell::{CellAddress, ColumnIndex, Range};
use quadrille_formula::{Host, parse};
use quadrille_workbook::Input;

use crate::{Book, SHEET, edits, report, report_each, timed};

const TABLE_ROWS: u32 = 100_000;
const LOOKUPS: u32 = 10_000;

pub fn figures(wanted: &dyn Fn(&str) -> bool) {
    if wanted("lookup") {
        for (name, formula) in [
            ("VLOOKUP exact", "VLOOKUP(E1,$A$1:$C$100000,3,FALSE)"),
            ("XLOOKUP exact", "XLOOKUP(E1,$A$1:$A$100000,$C$1:$C$100000)"),
            ("INDEX and MATCH", "INDEX($C$1:$C$100000,MATCH(E1,$A$1:$A$100000,0))"),
            ("IFERROR of VLOOKUP", "IFERROR(VLOOKUP(E1,$A:$C,3,FALSE),\"\")"),
            ("VLOOKUP approximate", "VLOOKUP(E1,$A$1:$C$100000,3,TRUE)"),
            ("COUNTIF equal", "COUNTIF($A$1:$A$100000,E1)"),
            ("SUMIF equal", "SUMIF($A$1:$A$100000,E1,$C$1:$C$100000)"),
        ] {
            let mut book = table();
            book.fill(&format!("F1:F{LOOKUPS}"), formula);
            let first = timed(|| {
                book.evaluate();
            });
            report(&format!("lookup: 10,000 {name}, first time"), first);
            edits("lookup:   edit a result in the table", &mut book, "C777", 9);
            edits("lookup:   edit one value looked up", &mut book, "E777", 9);
        }
    }
    if wanted("sideways") {
        for (name, formula, cells) in [
            ("HLOOKUP exact", "HLOOKUP(A10,$A$1:$NTP$2,2,FALSE)", "B10:B10009"),
            ("HLOOKUP approximate", "HLOOKUP(A10,$A$1:$NTP$2,2)", "B10:B10009"),
            ("INDEX and MATCH", "INDEX($2:$2,MATCH(A10,$1:$1,0))", "B10:B10009"),
            ("XLOOKUP, filled to the right", "XLOOKUP(A2,$A$1:$NTP$1,$A$2:$NTP$2)", "A5:NTP5"),
        ] {
            let mut book = wide_table();
            book.fill(cells, formula);
            let first = timed(|| {
                book.evaluate();
            });
            report(&format!("sideways: 10,000 {name}, first time"), first);
            edits("sideways:   edit a key", &mut book, "GG1", 9);
            edits("sideways:   edit one value looked up", &mut book, "A77", 9);
        }
    }
    if wanted("sumifs") {
        let mut book = Book::new();
        for column in 0..3 {
            book.numbers(column, 1_000_000);
        }
        book.evaluate();
        for formula in ["SUMIFS(C:C,A:A,\">=100\",B:B,\"<900\")", "COUNTIFS(A:A,\">=100\",B:B,\"<900\")"] {
            book.fill("E1", formula);
            report(
                &format!("sumifs: {formula} over 1,000,000"),
                timed(|| {
                    book.evaluate();
                }),
            );
            edits("sumifs:   edit one cell", &mut book, "A500", 9);
        }
    }
    if wanted("right") {
        let mut book = Book::new();
        for column in 0..1000 {
            book.numbers(column, 100);
        }
        book.evaluate();
        let range = Range::from_indices(100, 0, 100, 999).expect("within the sheet");
        let formula =
            Input::Formula(parse("SUM(A1:A100)", Host { sheet: SHEET, cell: range.first() }, &book.workbook));
        let filled = timed(|| {
            book.set(range, &formula);
            book.evaluate();
        });
        report("right: 1,000 sums filled to the right", filled);
        let range = Range::from_indices(101, 1, 101, 16_000).expect("within the sheet");
        let formula =
            Input::Formula(parse("A102+1", Host { sheet: SHEET, cell: range.first() }, &book.workbook));
        let filled = timed(|| {
            book.set(range, &formula);
            book.evaluate();
        });
        report("right: a chain of 16,000 to the right", filled);
        edits("right:   edit its first", &mut book, "A102", 9);
    }
    if wanted("flat") {
        for rows in [1_000u32, 10_000, 100_000, 1_000_000] {
            let mut book = Book::new();
            for column in 0..10 {
                book.numbers(column, rows as usize);
            }
            book.fill(&format!("L1:L{rows}"), "A1*2+B1");
            book.fill("M1", "SUM(C:C)");
            book.evaluate();
            report_each(&format!("flat: {} cells, edit with one dependent", rows * 10), |turn| {
                book.type_number(CellAddress::clamped(turn * 37 % rows, 0), f64::from(turn));
                book.evaluate();
            });
            report_each(&format!("flat: {} cells, edit below a sum of the column", rows * 10), |turn| {
                book.type_number(CellAddress::clamped(turn * 37 % rows, 2), f64::from(turn));
                book.evaluate();
            });
        }
    }
}

/// Ascending keys in row 1, some of them in row 2, and lookup values from A10 down.
fn wide_table() -> Book {
    let mut book = Book::new();
    let sheet = book.workbook.sheet_mut(SHEET).expect("there is one sheet");
    for column in 0..LOOKUPS {
        let sought = column.wrapping_mul(7_919) % LOOKUPS * 3;
        let numbers = [column * 3, sought].map(f64::from);
        sheet.set_column_numbers(ColumnIndex::clamped(column), 0, &numbers);
    }
    let looked_up: Vec<f64> =
        (0..LOOKUPS).map(|row| f64::from(row.wrapping_mul(7_919) % (LOOKUPS * 3) / 2 * 2)).collect();
    sheet.set_column_numbers(ColumnIndex::clamped(0), 9, &looked_up);
    let all = Range::from_indices(0, 0, LOOKUPS + 9, LOOKUPS - 1).expect("within the sheet");
    book.calculation.inputs_changed(&book.workbook, SHEET, all);
    book.evaluate();
    book
}

/// Ascending keys in A, other numbers in B and C, lookup values in E, a third of them missing in A.
fn table() -> Book {
    let mut book = Book::new();
    let keys: Vec<f64> = (0..TABLE_ROWS).map(|row| f64::from(row) * 3.0).collect();
    let sheet = book.workbook.sheet_mut(SHEET).expect("there is one sheet");
    sheet.set_column_numbers(ColumnIndex::clamped(0), 0, &keys);
    let looked_up: Vec<f64> =
        (0..LOOKUPS).map(|row| f64::from(row.wrapping_mul(7_919) % (TABLE_ROWS * 3) / 2 * 2)).collect();
    sheet.set_column_numbers(ColumnIndex::clamped(4), 0, &looked_up);
    book.numbers(1, TABLE_ROWS as usize);
    book.numbers(2, TABLE_ROWS as usize);
    book.evaluate();
    book
}
