//! The cells of a sheet that a row element has to mention, without a look at each cell between them: a
//! value far from the others makes a range of billions of blank cells.

use quadrille_cell::Range;
use quadrille_workbook::{Sheet, Slice};

use super::sheet_parts::{BLANKS_MAX, SheetParts};

/// Cells of the written range, row by row from the first.
pub(super) struct WrittenCells {
    /// Columns of the written range.
    pub columns_end: u32,
    /// Blank cells that can still be written because of their format.
    pub blanks_left: u64,
    /// Row and column of cells with content or an item, in order and without repetition.
    occupied: Vec<(u32, u32)>,
    next: usize,
    /// Ranges with a format, by their first row.
    formatted: Vec<Range>,
    next_formatted: usize,
    /// Those of them that reach the last row asked for.
    current: Vec<Range>,
}

impl WrittenCells {
    /// The cells of the range that is written.
    pub fn new(sheet: &Sheet, parts: &SheetParts, bound: Range) -> WrittenCells {
        let mut occupied = Vec::new();
        let (first, last) = (bound.first().row.get(), bound.last().row.get());
        for (column, cells) in sheet.columns_in(bound) {
            let column = column.get();
            for (start, slice) in cells.slices(first, last) {
                let is_filled = |index: &u32| match slice {
                    Slice::Numbers(_) => true,
                    Slice::Mixed(mixed) => !mixed.get(*index as usize).is_blank(),
                };
                occupied
                    .extend((0..slice.len() as u32).filter(is_filled).map(|index| (start + index, column)));
            }
            let runs = cells.formula_runs(first, last);
            occupied.extend(runs.flat_map(|run| run.first..=run.last).map(|row| (row, column)));
        }
        let of_items = parts
            .merges
            .keys()
            .chain(&parts.covered)
            .chain(parts.notes.keys())
            .chain(parts.validations.keys());
        occupied.extend(
            of_items.filter(|cell| bound.contains(**cell)).map(|cell| (cell.row.get(), cell.column.get())),
        );
        for pivot in &parts.pivots {
            let (first, last) = (pivot.area.first(), pivot.area.last());
            let columns = first.column.get()..=last.column.get();
            let rows = first.row.get()..=last.row.get();
            occupied.extend(rows.flat_map(|row| columns.clone().map(move |column| (row, column))));
        }
        occupied.extend(parts.frames.keys().copied());
        occupied.sort_unstable();
        occupied.dedup();
        let mut formatted: Vec<Range> = sheet.format_runs(bound).map(|(range, _)| range).collect();
        formatted.sort_unstable_by_key(|range| range.first().row);
        WrittenCells {
            columns_end: bound.last().column.get() + 1,
            blanks_left: BLANKS_MAX,
            occupied,
            next: 0,
            formatted,
            next_formatted: 0,
            current: Vec::new(),
        }
    }

    /// The columns of the cells of a row, in order, with those that only have a format if blank cells can
    /// still be written. Rows have to be asked for in order.
    pub fn columns(&mut self, row: u32) -> Vec<u32> {
        let start = self.next + self.occupied[self.next..].partition_point(|(at, _)| *at < row);
        self.next = start + self.occupied[start..].partition_point(|(at, _)| *at == row);
        let mut columns: Vec<u32> =
            self.occupied[start..self.next].iter().map(|(_, column)| *column).collect();
        if self.blanks_left > 0 {
            while let Some(range) =
                self.formatted.get(self.next_formatted).filter(|range| range.first().row.get() <= row)
            {
                self.current.push(*range);
                self.next_formatted += 1;
            }
            self.current.retain(|range| range.last().row.get() >= row);
            if !self.current.is_empty() {
                columns.extend(
                    self.current
                        .iter()
                        .flat_map(|range| range.first().column.get()..=range.last().column.get()),
                );
                columns.sort_unstable();
                columns.dedup();
            }
        }
        columns
    }
}
