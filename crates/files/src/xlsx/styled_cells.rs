//! [`StyledCells`]: the cells of a sheet whose styles have a property, collected while its part is read.

use quadrille_cell::{CellAddress, ColumnIndex, Range};

use crate::contents::FormatRuns;

/// Cells whose styles have a property.
pub struct StyledCells {
    runs: Vec<Range>,
    cells: FormatRuns<()>,
    /// First and last column of columns whose style has the property.
    columns: Vec<(u32, u32)>,
    /// Cells of these columns without the property.
    exceptions: Vec<CellAddress>,
}

impl StyledCells {
    /// Starts without cells.
    pub fn new() -> StyledCells {
        StyledCells {
            runs: Vec::new(),
            cells: FormatRuns::new(),
            columns: Vec::new(),
            exceptions: Vec::new(),
        }
    }

    /// Adds columns whose style has the property.
    pub fn add_columns(&mut self, first: u32, last: u32) {
        self.columns.push((first, last));
    }

    /// Adds a cell with a style of its own; `has`: whether that has the property.
    pub fn add_cell(&mut self, cell: CellAddress, has: bool) {
        let (row, column) = (cell.row.get(), cell.column.get());
        let is_in_column = self.columns.iter().any(|(first, last)| (*first..=*last).contains(&column));
        match (is_in_column, has) {
            (true, false) => self.exceptions.push(cell),
            (false, true) => self.runs.extend(self.cells.put(row, column, ()).map(|(run, ())| run)),
            _ => {}
        }
    }

    /// The ranges of the cells. They can be more than `ranges_max`, but not all of them are then named.
    pub fn into_ranges(self, ranges_max: usize) -> Vec<Range> {
        let mut ranges = self.runs;
        ranges.extend(self.cells.finish().into_iter().map(|(run, ())| run));
        for (first, last) in self.columns {
            let columns = Range::columns(ColumnIndex::clamped(first), ColumnIndex::clamped(last));
            let mut pieces = vec![columns];
            for cell in self.exceptions.iter().filter(|cell| columns.contains(**cell)) {
                pieces = without(pieces, Range::cell(*cell));
                if pieces.len() > ranges_max {
                    break;
                }
            }
            ranges.extend(pieces);
        }
        ranges
    }
}

/// The ranges without the cells of another one.
pub fn without(ranges: Vec<Range>, hole: Range) -> Vec<Range> {
    ranges.into_iter().flat_map(|range| range.subtract(hole)).collect()
}

/// Joins adjacent ranges of the same rows.
pub fn joined(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(|range| (range.first().row, range.last().row, range.first().column));
    let mut joined: Vec<Range> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last)
                if last.first().row == range.first().row
                    && last.last().row == range.last().row
                    && last.last().column.get() + 1 == range.first().column.get() =>
            {
                *last = last.union(range);
            }
            _ => joined.push(range),
        }
    }
    joined
}
