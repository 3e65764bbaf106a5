//! The target of Ctrl+arrow: the edge of the data region.

use quadrille_cell::{COLUMNS_MAX, CellAddress, ROWS_MAX, SheetId};
use quadrille_workbook::Sheet;

use crate::Document;

/// Direction of an arrow key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

impl Document {
    /// Returns the last filled cell of the block that contains `from`, otherwise the next filled
    /// cell, or the end of the sheet.
    pub fn data_edge(&self, sheet: SheetId, from: CellAddress, direction: Direction) -> CellAddress {
        let Some(sheet) = self.workbook().sheet(sheet) else { return from };
        let Some(mut at) = neighbour(from, direction) else { return from };
        let end = sheet_end(from, direction);
        if is_filled(sheet, from) && is_filled(sheet, at) {
            while let Some(next) = neighbour(at, direction).filter(|next| is_filled(sheet, *next)) {
                at = next;
            }
            return at;
        }
        // No cell is filled beyond the used range.
        let Some(used) = sheet.used_range() else { return end };
        if let Some(entry) = entry_into_used_range(at, direction, used) {
            at = entry;
        }
        while used.contains(at) {
            if is_filled(sheet, at) {
                return at;
            }
            match neighbour(at, direction) {
                Some(next) => at = next,
                None => break,
            }
        }
        end
    }
}

fn is_filled(sheet: &Sheet, cell: CellAddress) -> bool {
    !sheet.value(cell).is_blank() || sheet.formula(cell).is_some()
}

fn neighbour(cell: CellAddress, direction: Direction) -> Option<CellAddress> {
    let (row, column) = (cell.row.get(), cell.column.get());
    match direction {
        Direction::Up => CellAddress::new(row.checked_sub(1)?, column),
        Direction::Down => CellAddress::new(row + 1, column),
        Direction::Left => CellAddress::new(row, column.checked_sub(1)?),
        Direction::Right => CellAddress::new(row, column + 1),
    }
}

fn sheet_end(cell: CellAddress, direction: Direction) -> CellAddress {
    let (row, column) = (cell.row.get(), cell.column.get());
    match direction {
        Direction::Up => CellAddress::clamped(0, column),
        Direction::Down => CellAddress::clamped(ROWS_MAX - 1, column),
        Direction::Left => CellAddress::clamped(row, 0),
        Direction::Right => CellAddress::clamped(row, COLUMNS_MAX - 1),
    }
}

/// The cell in which a movement enters the used range; `None` when it starts inside or never
/// enters.
fn entry_into_used_range(
    cell: CellAddress,
    direction: Direction,
    used: quadrille_cell::Range,
) -> Option<CellAddress> {
    let (first, last) = (used.first(), used.last());
    let entry = match direction {
        Direction::Up if cell.row > last.row => CellAddress { row: last.row, ..cell },
        Direction::Down if cell.row < first.row => CellAddress { row: first.row, ..cell },
        Direction::Left if cell.column > last.column => CellAddress { column: last.column, ..cell },
        Direction::Right if cell.column < first.column => CellAddress { column: first.column, ..cell },
        _ => return None,
    };
    used.contains(entry).then_some(entry)
}
