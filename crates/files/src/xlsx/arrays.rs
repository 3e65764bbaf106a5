//! Legacy array formulas (Ctrl+Shift+Enter) over a fixed range of cells.
//!
//! A legacy array formula fills its range whatever the size of its result: a single row or column
//! is repeated, and cells beyond the result have the value `#N/A`. A spilling formula has the size
//! of its result. Where the cached values in the file show either case, the formula gets an
//! explicit size: `IF(SEQUENCE(4,2),…)` repeats and pads in the same way (rule F18).

use std::collections::BTreeMap;

use quadrille_cell::{CellAddress, ColumnIndex, Range};

/// Cells of a range whose cached values are examined; larger ranges are left to spilling.
const CELLS_MAX: u64 = 10_000;

/// The array formulas of a sheet whose cells are read row by row.
#[derive(Default)]
pub struct Arrays {
    formulas: Vec<ArrayFormula>,
    /// Indices of the formulas by the first column of their range, where the ranges do not overlap.
    by_column: BTreeMap<ColumnIndex, usize>,
}

impl Arrays {
    /// Number of formulas.
    pub fn count(&self) -> usize {
        self.formulas.len()
    }

    /// Adds a formula below, or to the right of, those added before.
    pub fn push(&mut self, formula: ArrayFormula) {
        self.by_column.insert(formula.area.first().column, self.formulas.len());
        self.formulas.push(formula);
    }

    /// The formula added last if it is that of `cell`.
    pub fn at_anchor(&mut self, cell: CellAddress) -> Option<&mut ArrayFormula> {
        self.formulas.last_mut().filter(|formula| formula.anchor == cell)
    }

    /// The formula that fills a cell.
    pub fn filling(&mut self, cell: CellAddress) -> Option<&mut ArrayFormula> {
        while let Some((column, index)) = self.by_column.range(..=cell.column).next_back() {
            let (column, index) = (*column, *index);
            let area = self.formulas[index].area;
            if area.last().row >= cell.row {
                return area.contains(cell).then(|| &mut self.formulas[index]);
            }
            // It ends above this row and those that follow.
            self.by_column.remove(&column);
        }
        None
    }

    /// Indices of formulas, and the numbers of rows and columns that they fill, where a spilling formula
    /// would not.
    pub fn explicit_sizes(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        self.formulas.iter().filter_map(ArrayFormula::explicit_size)
    }
}

/// An array formula and its range.
pub struct ArrayFormula {
    anchor: CellAddress,
    area: Range,
    /// Index of the formula among those of the sheet, if it may need an explicit size.
    formula: Option<usize>,
    /// Cached values of the cells, row by row; `None` where the file has none.
    cached: Vec<Option<Box<str>>>,
}

impl ArrayFormula {
    /// `formula` is the index of the formula among those of the sheet, or `None` for a spilling
    /// formula.
    pub fn new(anchor: CellAddress, area: Range, formula: Option<usize>) -> ArrayFormula {
        let formula = formula.filter(|_| area.first() == anchor && area.cell_count() <= CELLS_MAX);
        let cells = if formula.is_some() { area.cell_count() as usize } else { 0 };
        ArrayFormula { anchor, area, formula, cached: vec![None; cells] }
    }

    /// Number of cells whose cached values are kept until the end of the sheet.
    pub fn cells_examined(&self) -> usize {
        self.cached.len()
    }

    /// Stores the cached value of a cell of the range.
    pub fn set_cached(&mut self, cell: CellAddress, text: &str) {
        // Ranges of formulas without an index may begin before their formula.
        if self.formula.is_none() {
            return;
        }
        let (row, column) =
            (cell.row.get() - self.anchor.row.get(), cell.column.get() - self.anchor.column.get());
        let index = (row * self.area.column_count() + column) as usize;
        if let Some(cached) = self.cached.get_mut(index) {
            *cached = Some(text.into());
        }
    }

    /// Index of the formula, and the numbers of rows and columns of its range, if a spilling
    /// formula would not fill that range.
    fn explicit_size(&self) -> Option<(usize, u32, u32)> {
        let formula = self.formula?;
        let (rows, columns) = (self.area.row_count() as usize, self.area.column_count() as usize);
        let cached = |row: usize, column: usize| self.cached[row * columns + column].as_deref();
        let all = |from: (usize, usize), holds: &dyn Fn(usize, usize) -> bool| {
            (from.0..rows).all(|row| (from.1..columns).all(|column| holds(row, column)))
        };
        let is_padding = |row, column| cached(row, column) == Some("#N/A");
        let is_repeated_down =
            |row, column| cached(row, column).is_some() && cached(row, column) == cached(0, column);
        let is_repeated_right =
            |row, column| cached(row, column).is_some() && cached(row, column) == cached(row, 0);
        let by_rows = rows > 1 && (all((rows - 1, 0), &is_padding) || all((1, 0), &is_repeated_down));
        let by_columns =
            columns > 1 && (all((0, columns - 1), &is_padding) || all((0, 1), &is_repeated_right));
        (by_rows || by_columns).then_some((formula, rows as u32, columns as u32))
    }
}

/// The formula with an explicit size.
pub fn with_size(formula: &str, rows: u32, columns: u32) -> String {
    format!("IF(SEQUENCE({rows},{columns}),{formula})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(row: u32, column: u32) -> CellAddress {
        CellAddress::clamped(row, column)
    }

    #[test]
    fn the_formula_that_fills_a_cell_is_found() {
        let mut arrays = Arrays::default();
        let add = |arrays: &mut Arrays, first: CellAddress, last: CellAddress| {
            arrays.push(ArrayFormula::new(first, Range::new(first, last), None));
        };
        let anchor = |arrays: &mut Arrays, cell| arrays.filling(cell).map(|formula| formula.anchor);
        add(&mut arrays, cell(0, 0), cell(9, 1));
        add(&mut arrays, cell(0, 5), cell(1, 6));
        assert_eq!(anchor(&mut arrays, cell(1, 0)), Some(cell(0, 0)));
        assert_eq!(anchor(&mut arrays, cell(1, 2)), None);
        assert_eq!(anchor(&mut arrays, cell(1, 6)), Some(cell(0, 5)));
        // Below a range that ended, the one to the left of it is found.
        assert_eq!(anchor(&mut arrays, cell(2, 6)), None);
        add(&mut arrays, cell(3, 5), cell(3, 8));
        assert_eq!(anchor(&mut arrays, cell(3, 1)), Some(cell(0, 0)));
        assert_eq!(anchor(&mut arrays, cell(3, 8)), Some(cell(3, 5)));
        assert_eq!(anchor(&mut arrays, cell(10, 0)), None);
    }
}
