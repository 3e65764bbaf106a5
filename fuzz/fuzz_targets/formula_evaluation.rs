//! Evaluates random formulas in a small sheet: evaluation ends within its budget, and every value
//! is valid.
//!
//! If the first byte is even, the rest of the input is the text of up to four formulas, one per
//! line. Otherwise each byte selects a token of one formula, so that most inputs call known
//! functions.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use quadrille_calc::{Budget, Calculation, EvaluationContext};
use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_formula::{Host, parse};
use quadrille_functions::{TEXT_LENGTH_MAX, all};
use quadrille_number_format::parse_input;
use quadrille_workbook::{Input, Workbook};

const SHEET: SheetId = SheetId(1);
const FORMULAS_MAX: usize = 4;

/// Values that are edge cases of functions, in the first four columns.
const CELLS: [&str; 40] = [
    "3", "-1", "0", "1e300", "-1e308", "0.1", "45000.5", "60", "2958465", "1e15", "apple", "a*", "", "'5", "TRUE", "FALSE", "#N/A",
    "#DIV/0!", "12%", "2024-02-29", "x", "7", "é😀ß", "1", "2", "3", "5", "8", "13", "21", "10", "20", "30", "40", "50", "-1000", "300",
    "400", "500", "200",
];

static FILLED: LazyLock<Workbook> = LazyLock::new(|| {
    let mut workbook = Workbook::new();
    let sheet = workbook.sheet_mut(SHEET).expect("the first sheet exists");
    for (index, text) in (0u32..).zip(CELLS) {
        sheet.set_input(CellAddress::clamped(index % 10, index / 10), &Input::from(parse_input(text).value));
    }
    workbook
});

const PIECES: [&str; 56] = [
    "(", ")", ")", ",", ",", ",", ";", "{", "}", "+", "-", "*", "/", "^", "&", "=", "<", ">", "<>", "%", "#", "@", ":", " ", "1", "0",
    "2", "-1", "0.5", "1e308", "1E-300", "99999999999999999991", "255", "1048576", "16384", "45000", "\"\"", "\"a\"", "\"a*\"",
    "\"2024-02-29\"", "\"0.00\"", "\"yyyy-mm-dd\"", "\"select Col1\"", "TRUE", "FALSE", "#N/A", "A1", "A1:A10", "A1:D10", "B:B", "1:3", "C1#",
    "LAMBDA(x,", "LET(x,", "x", "SUM",
];

/// The formula whose tokens are selected by `bytes`.
fn assembled(bytes: &[u8]) -> String {
    let functions = all();
    let mut text = String::new();
    let mut bytes = bytes.iter().map(|byte| usize::from(*byte));
    while let Some(byte) = bytes.next() {
        if byte < 128 {
            text.push_str(PIECES[byte % PIECES.len()]);
            continue;
        }
        let index = (byte - 128) * 256 + bytes.next().unwrap_or(0);
        text.push_str(functions[index % functions.len()].name);
        text.push('(');
    }
    text
}

/// Whether a cell can hold the value: a finite number that is not `-0.0`, or a text of valid
/// length.
fn is_valid(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_finite() && (*number != 0.0 || number.is_sign_positive()),
        Value::Text(text) => text.encode_utf16().count() <= TEXT_LENGTH_MAX,
        _ => true,
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let text = if first % 2 == 0 { String::from_utf8_lossy(rest).into_owned() } else { assembled(rest) };
    let mut workbook = FILLED.clone();
    for (index, line) in (0u32..).zip(text.lines().take(FORMULAS_MAX)) {
        let cell = CellAddress::clamped(20 + index * 50, 5);
        let template = parse(line.trim_start_matches('='), Host { sheet: SHEET, cell }, &workbook);
        let sheet = workbook.sheet_mut(SHEET).expect("the first sheet exists");
        sheet.set_input(cell, &Input::Formula(template));
    }
    let mut calculation = Calculation::new(&workbook);
    calculation.inputs_changed(&workbook, SHEET, Range::whole_sheet());
    let context = EvaluationContext { time_ms: 1_750_000_000_000, seed: 42 };
    calculation.evaluate(&mut workbook, context, &mut Budget { steps_left: 50_000_000, cells_left: 10_000_000, ..Budget::UNLIMITED });
    let sheet = workbook.sheet(SHEET).expect("the first sheet exists");
    for row in 0..300 {
        for column in 5..9 {
            let value = sheet.value(CellAddress::clamped(row, column));
            assert!(is_valid(&value), "{value:?}");
        }
    }
});
