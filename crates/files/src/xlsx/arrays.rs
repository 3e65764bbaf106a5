//! Array formulas from before arrays spilled, over cells that somebody chose.
//!
//! Such a formula fills its cells whatever the size of its result: a single row or column is repeated, and cells behind the
//! result show `#N/A`. A formula that spills has the size of its result, so where the file's values show either, the
//! formula is told the size: `IF(SEQUENCE(4,2),…)` repeats and fills in the same way.

use quadrille_cell::{CellAddress, Range};

/// Larger ones are left to spilling whatever they show.
const CELLS_MAX: u64 = 10_000;

pub struct ArrayFormula {
    pub anchor: CellAddress,
    area: Range,
    /// Index of the formula among those of the sheet, if its size may have to be told.
    formula: Option<usize>,
    /// What the cells show, row by row; `None` where the file says nothing.
    shown: Vec<Option<Box<str>>>,
}

impl ArrayFormula {
    /// `formula` is `None` when the formula spills.
    pub fn new(anchor: CellAddress, area: Range, formula: Option<usize>) -> ArrayFormula {
        let formula = formula.filter(|_| area.first() == anchor && area.cell_count() <= CELLS_MAX);
        let cells = if formula.is_some() { area.cell_count() as usize } else { 0 };
        ArrayFormula { anchor, area, formula, shown: vec![None; cells] }
    }

    pub fn fills(&self, cell: CellAddress) -> bool {
        self.area.contains(cell)
    }

    pub fn show(&mut self, cell: CellAddress, text: &str) {
        // The area of others may begin before their formula.
        if self.formula.is_none() {
            return;
        }
        let (row, column) =
            (cell.row.get() - self.anchor.row.get(), cell.column.get() - self.anchor.column.get());
        let index = (row * self.area.column_count() + column) as usize;
        if let Some(shown) = self.shown.get_mut(index) {
            *shown = Some(text.into());
        }
    }

    /// The formula's index, and how many rows and columns it fills, when that is not what it spills into.
    pub fn size_to_report(&self) -> Option<(usize, u32, u32)> {
        let formula = self.formula?;
        let (rows, columns) = (self.area.row_count() as usize, self.area.column_count() as usize);
        let shown = |row: usize, column: usize| self.shown[row * columns + column].as_deref();
        let all = |from: (usize, usize), holds: &dyn Fn(usize, usize) -> bool| {
            (from.0..rows).all(|row| (from.1..columns).all(|column| holds(row, column)))
        };
        let is_behind = |row, column| shown(row, column) == Some("#N/A");
        let is_repeated_down =
            |row, column| shown(row, column).is_some() && shown(row, column) == shown(0, column);
        let is_repeated_right =
            |row, column| shown(row, column).is_some() && shown(row, column) == shown(row, 0);
        let by_rows = rows > 1 && (all((rows - 1, 0), &is_behind) || all((1, 0), &is_repeated_down));
        let by_columns =
            columns > 1 && (all((0, columns - 1), &is_behind) || all((0, 1), &is_repeated_right));
        (by_rows || by_columns).then_some((formula, rows as u32, columns as u32))
    }
}

/// The formula over so many cells, as one that spills into them.
pub fn of_size(formula: &str, rows: u32, columns: u32) -> String {
    format!("IF(SEQUENCE({rows},{columns}),{formula})")
}
