//! References in A1 notation with `$` before absolute rows and columns.

use quadrille_cell::{CellAddress, Range, column_name};

/// A reference to a cell.
pub(super) fn cell_reference(cell: CellAddress, is_column_fixed: bool, is_row_fixed: bool) -> String {
    let dollar = |is_fixed: bool| if is_fixed { "$" } else { "" };
    let (column, row) = (column_name(cell.column), cell.row.get() + 1);
    format!("{}{column}{}{row}", dollar(is_column_fixed), dollar(is_row_fixed))
}

/// A reference to a range with absolute rows and columns.
pub(crate) fn absolute(range: Range) -> String {
    if range.is_whole_columns() {
        return format!("${}:${}", column_name(range.first().column), column_name(range.last().column));
    }
    let [first, last] = [range.first(), range.last()].map(|cell| cell_reference(cell, true, true));
    if first == last { first } else { format!("{first}:{last}") }
}
