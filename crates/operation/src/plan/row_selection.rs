//! [`RowSelection`]: the visible rows that a plan is moved to.

use crate::CommandError;
use crate::Operation;
use crate::plan::seen_rows::VisibleRows;
use crate::rebase::relocate::with_lines;
use quadrille_cell::CellAddress;
use quadrille_cell::Dimension;
use quadrille_cell::ROWS_MAX;
use quadrille_cell::Range;
use quadrille_cell::SheetId;
use std::sync::Arc;

/// Which rows a plan means that was made as if nothing were hidden.
pub(super) enum RowSelection<'a> {
    /// Those that it names, as far as they are seen.
    Within(&'a VisibleRows),
    /// From `first` on, as many as it names; those before are those that it names.
    From { rows: &'a VisibleRows, first: u32 },
    /// Below `last`, and above `first` upwards, as many as it names; those between are those that it names.
    Round { rows: &'a VisibleRows, first: u32, last: u32 },
}

impl RowSelection<'_> {
    /// The cell that one of the plan becomes; below the sheet's last row, that of the last.
    pub fn cell(&self, cell: CellAddress) -> CellAddress {
        CellAddress::clamped(self.row(cell.row.get()), cell.column.get())
    }

    pub fn is_visible(&self, cell: CellAddress) -> bool {
        let (RowSelection::Within(rows) | RowSelection::From { rows, .. } | RowSelection::Round { rows, .. }) =
            self;
        rows.count(cell.row.get(), cell.row.get()) > 0
    }

    fn row(&self, row: u32) -> u32 {
        let nth = |rows: &VisibleRows, above: u32| rows.nth(above).unwrap_or(ROWS_MAX - 1);
        match self {
            RowSelection::From { rows, first } if row >= *first => {
                nth(rows, rows.above(*first) + (row - first))
            }
            RowSelection::Round { rows, last, .. } if row > *last => {
                nth(rows, rows.above(last + 1) + (row - last - 1))
            }
            RowSelection::Round { rows, first, .. } if row < *first => {
                nth(rows, rows.above(*first).saturating_sub(first - row))
            }
            _ => row,
        }
    }

    /// What rows of the plan become, from above: offset, first row and count of each stretch. Fewer rows where the sheet
    /// ends.
    fn stretches(&self, first: u32, last: u32) -> Vec<(u32, u32, u32)> {
        // Parts of the plan's rows, each up to before the next, and above how many seen ones they begin; or none where
        // they stay.
        let parts = match *self {
            RowSelection::Within(rows) => {
                return rows.within(first, last).map(|(row, count)| (row - first, row, count)).collect();
            }
            RowSelection::From { rows, first: from } => {
                vec![(0, None), (from, Some((rows, rows.above(from))))]
            }
            RowSelection::Round { rows, first: top, last: bottom } => vec![
                // They end right above the source, as the seen ones do.
                (top - rows.above(top), Some((rows, 0))),
                (top, None),
                (bottom + 1, Some((rows, rows.above(bottom + 1)))),
            ],
        };
        let ends = parts.iter().skip(1).map(|(start, _)| *start).chain([ROWS_MAX]);
        let mut stretches = Vec::new();
        for (&(start, seen), end) in parts.iter().zip(ends) {
            let (from, to) = (start.max(first), end.min(last + 1));
            if from >= to {
                continue;
            }
            match seen {
                None => stretches.push((from - first, from, to - from)),
                Some((rows, above)) => {
                    let mut offset = from - first;
                    for (row, count) in rows.numbered(above + (from - start), to - from) {
                        stretches.push((offset, row, count));
                        offset += count;
                    }
                }
            }
        }
        stretches
    }

    pub fn place(
        &self,
        operation: Operation,
        on: SheetId,
        placed: &mut Vec<Operation>,
    ) -> Result<(), CommandError> {
        let Some((first, last)) = rows_of(&operation, on) else {
            placed.push(self.with_anchors(operation, on));
            return Ok(());
        };
        let stretches = self.stretches(first, last);
        if stretches.as_slice() == [(0, first, last - first + 1)] {
            placed.push(operation);
            return Ok(());
        }
        // Whole columns end with the sheet; what is listed has to fit.
        let is_whole = last == ROWS_MAX - 1 && !matches!(operation, Operation::SetCells { .. });
        let found: u32 = stretches.iter().map(|(_, _, count)| count).sum();
        if !is_whole && !matches!(self, RowSelection::Within(_)) && found < last - first + 1 {
            return Err(CommandError::OutsideSheet);
        }
        placed.extend(stretches.into_iter().map(|stretch| part(&operation, stretch)));
        Ok(())
    }

    fn with_anchors(&self, mut operation: Operation, on: SheetId) -> Operation {
        if let Operation::PutItem { sheet, content, .. } = &mut operation
            && *sheet == Some(on)
        {
            for anchor in &mut Arc::make_mut(content).anchors {
                *anchor = Range::new(self.cell(anchor.first()), self.cell(anchor.last()));
            }
        }
        operation
    }
}

/// First and last of the rows that the operation is about; what lies outside of the sheet is refused as it is.
pub fn rows_of(operation: &Operation, on: SheetId) -> Option<(u32, u32)> {
    let (sheet, rows) = match operation {
        Operation::SetCells { sheet, range, .. }
        | Operation::FillCells { sheet, range, .. }
        | Operation::SetFormat { sheet, range, .. } => {
            (sheet, Some((range.first().row.get(), range.last().row.get())))
        }
        Operation::SetSizes { sheet, dimension: Dimension::Rows, first, count, .. }
        | Operation::SetHidden { sheet, dimension: Dimension::Rows, first, count, .. } => {
            (sheet, is_within_sheet(*first, *count).then(|| (*first, first + count - 1)))
        }
        _ => return None,
    };
    rows.filter(|_| *sheet == on)
}

/// What becomes of one stretch of an operation's rows.
pub fn part(operation: &Operation, (offset, row, rows): (u32, u32, u32)) -> Operation {
    let mut part = match operation {
        Operation::SetCells { sheet, range, inputs } => {
            let cell = |row: u32| row as usize * range.column_count() as usize;
            let inputs = inputs[cell(offset)..cell(offset + rows)].to_vec();
            Operation::SetCells { sheet: *sheet, range: *range, inputs }
        }
        operation => operation.clone(),
    };
    match &mut part {
        Operation::SetCells { range, .. }
        | Operation::FillCells { range, .. }
        | Operation::SetFormat { range, .. } => *range = with_lines(*range, Dimension::Rows, row, rows),
        Operation::SetSizes { first, count, .. } | Operation::SetHidden { first, count, .. } => {
            (*first, *count) = (row, rows);
        }
        _ => {}
    }
    part
}

pub(super) fn is_within_sheet(first: u32, count: u32) -> bool {
    count > 0 && count <= ROWS_MAX && first <= ROWS_MAX - count
}
