//! Functions on ranges that several plans use.

use crate::CommandError;
use quadrille_cell::CellAddress;
use quadrille_cell::ColumnIndex;
use quadrille_cell::Dimension;
use quadrille_cell::Range;
use quadrille_cell::RowIndex;
use quadrille_workbook::Sheet;

/// Returns the row `row` of the range's columns.
pub fn with_first_row(range: Range, row: u32) -> Range {
    let row = RowIndex::clamped(row);
    Range::new(
        CellAddress { row, column: range.first().column },
        CellAddress { row, column: range.last().column },
    )
}

/// Returns the column `column` of the range's rows.
pub fn with_first_column(range: Range, column: u32) -> Range {
    let column = ColumnIndex::clamped(column);
    Range::new(CellAddress { row: range.first().row, column }, CellAddress { row: range.last().row, column })
}

/// Returns the range of this size whose top left cell is `at`. Fails if it is empty or exceeds the
/// sheet.
pub fn block_at(at: CellAddress, rows: usize, columns: usize) -> Result<Range, CommandError> {
    if rows == 0 || columns == 0 {
        return Err(CommandError::NotARectangle);
    }
    let end =
        |first: u32, count: usize| u32::try_from(count).ok().and_then(|count| first.checked_add(count - 1));
    let last = match (end(at.row.get(), rows), end(at.column.get(), columns)) {
        (Some(row), Some(column)) => CellAddress::new(row, column),
        _ => None,
    };
    last.map(|last| Range::new(at, last)).ok_or(CommandError::OutsideSheet)
}

/// Returns the first index and the count of rows or columns.
pub fn span_of(range: Range, dimension: Dimension) -> (u32, u32) {
    let first = range.first().index(dimension);
    (first, range.last().index(dimension) - first + 1)
}

/// Returns the intersection of `range` and the sheet's used range, so that whole columns cost only
/// as much as they contain.
pub fn used_part(sheet: &Sheet, range: Range) -> Option<Range> {
    sheet.used_range()?.intersection(range)
}

/// Returns `range` moved by the offset between `from` and `to`; `None` if it leaves the sheet.
pub fn shifted(range: Range, from: CellAddress, to: CellAddress) -> Option<Range> {
    let shift = |index: u32, from: u32, to: u32| (index + to).checked_sub(from);
    let cell = |cell: CellAddress| {
        CellAddress::new(
            shift(cell.row.get(), from.row.get(), to.row.get())?,
            shift(cell.column.get(), from.column.get(), to.column.get())?,
        )
    };
    Some(Range::new(cell(range.first())?, cell(range.last())?))
}
