//! Random cells, ranges and texts for commands.

use quadrille_cell::Range;
use quadrille_workbook::{Input, Literal};

use crate::random::Random;

/// Last row of a random range's first cell, counted from 0.
pub const ROWS: u64 = 12;

/// Last column of a random range's first cell, counted from 0.
pub const COLUMNS: u64 = 5;

/// A random range of at most 5 × 3 cells.
pub fn area(random: &mut Random) -> Range {
    let (row, column) = (random.between(0, ROWS) as u32, random.between(0, COLUMNS) as u32);
    let (rows, columns) = (random.between(0, 4) as u32, random.between(0, 2) as u32);
    Range::from_indices(row, column, row + rows, column + columns).expect("far from the end of the sheet")
}

/// A random range in A1 notation.
pub(crate) fn range(random: &mut Random) -> String {
    area(random).to_string()
}

/// A random cell in A1 notation.
pub(crate) fn cell(random: &mut Random) -> String {
    area(random).first().to_string()
}

/// A random input that is not a formula.
pub fn literal(random: &mut Random) -> Input {
    match random.between(0, 3) {
        0 => Input::Blank,
        1 => Input::Value(Literal::Text(random.between(0, 99).to_string().into())),
        2 => Input::Value(Literal::Boolean(random.one_in(2))),
        _ => Input::Value(Literal::Number(random.between(0, 9_999) as f64 / 8.0)),
    }
}

/// A random text to type into a cell; half of the texts are formulas.
pub(crate) fn text(random: &mut Random) -> String {
    match random.between(0, 9) {
        0 => String::new(),
        1 => format!("={}+1", cell(random)),
        2 => format!("=SUM({})", range(random)),
        3 => format!("=$B$2*{}", random.between(1, 9)),
        4 => format!("=SUM(A:A)&\"{}\"", random.between(0, 9)),
        5 if random.one_in(4) => (*random.pick(&["=NOW()", "=RAND()*10", "=TODAY()"])).to_owned(),
        5 => "=rate+2".to_owned(),
        6 => format!("text {}", random.between(0, 99)),
        _ => random.between(0, 99_999).to_string(),
    }
}
