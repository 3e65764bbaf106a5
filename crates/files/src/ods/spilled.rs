//! The ranges that results of formulas fill.

use quadrille_cell::{CellAddress, Range};
use quadrille_workbook::Sheet;

/// The range that the result of a formula fills.
pub(super) fn spilled(sheet: &Sheet, cell: CellAddress) -> Range {
    let is_spilled =
        |row: u32, column: u32| sheet.spill_anchor(CellAddress::clamped(row, column)) == Some(cell);
    let (mut row, mut column) = (cell.row.get(), cell.column.get());
    while is_spilled(row + 1, cell.column.get()) {
        row += 1;
    }
    while is_spilled(cell.row.get(), column + 1) {
        column += 1;
    }
    Range::new(cell, CellAddress::clamped(row, column))
}
