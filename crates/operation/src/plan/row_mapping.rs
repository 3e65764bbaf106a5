//! [`RowMapping`]: maps a plan made as if no row were hidden to the visible rows.

use crate::CommandError;
use crate::Operation;
use crate::plan::visible_rows::VisibleRows;
use crate::rebase::relocate::with_span;
use quadrille_cell::CellAddress;
use quadrille_cell::Dimension;
use quadrille_cell::ROWS_MAX;
use quadrille_cell::Range;
use quadrille_cell::SheetId;
use std::sync::Arc;

/// How the rows of a plan made as if no row were hidden map to visible rows.
pub(super) enum RowMapping<'a> {
    /// The visible rows among those of the plan.
    VisibleOnly(&'a VisibleRows),
    /// The rows of the plan from `first` on map to as many visible rows from `first` on; rows above
    /// do not change.
    SpreadFrom { rows: &'a VisibleRows, first: u32 },
    /// The rows of the plan below `last` map to as many visible rows below `last`, and those above
    /// `first` to as many visible rows above `first`, upwards; rows between do not change.
    SpreadAround { rows: &'a VisibleRows, first: u32, last: u32 },
    /// The rows of the plan from `first` on map to the listed rows in their order, and then to those below the
    /// last listed one; rows above do not change.
    Listed { rows: &'a [u32], first: u32 },
}

impl RowMapping<'_> {
    /// Returns the cell to which a cell of the plan maps; at most the sheet's last row.
    pub fn cell(&self, cell: CellAddress) -> CellAddress {
        CellAddress::clamped(self.row(cell.row.get()), cell.column.get())
    }

    /// Returns whether the row of the cell is visible.
    pub fn is_visible(&self, cell: CellAddress) -> bool {
        match self {
            RowMapping::VisibleOnly(rows)
            | RowMapping::SpreadFrom { rows, .. }
            | RowMapping::SpreadAround { rows, .. } => rows.count(cell.row.get(), cell.row.get()) > 0,
            RowMapping::Listed { .. } => true,
        }
    }

    /// Returns the row to which a row of the plan maps.
    fn row(&self, row: u32) -> u32 {
        let nth_row = |rows: &VisibleRows, rank: u32| rows.select(rank).unwrap_or(ROWS_MAX - 1);
        match self {
            RowMapping::SpreadFrom { rows, first } if row >= *first => {
                nth_row(rows, rows.rank(*first) + (row - first))
            }
            RowMapping::SpreadAround { rows, last, .. } if row > *last => {
                nth_row(rows, rows.rank(last + 1) + (row - last - 1))
            }
            RowMapping::SpreadAround { rows, first, .. } if row < *first => {
                nth_row(rows, rows.rank(*first).saturating_sub(first - row))
            }
            RowMapping::Listed { rows, first } if row >= *first => listed_row(rows, row - first),
            _ => row,
        }
    }

    /// Maps rows of the plan to spans of rows, from above: offset within the plan's rows, first row
    /// and count. At the sheet's end the spans may have fewer rows.
    fn map_rows(&self, first: u32, last: u32) -> Vec<(u32, u32, u32)> {
        // Start of each part of the plan's rows, which ends where the next one starts, and the rank
        // of its first visible row; `None` if the part does not change.
        let parts = match *self {
            RowMapping::VisibleOnly(rows) => {
                return rows.spans(first, last).map(|(row, count)| (row - first, row, count)).collect();
            }
            RowMapping::Listed { .. } => {
                return (first..=last).map(|row| (row - first, self.row(row), 1)).collect();
            }
            RowMapping::SpreadFrom { rows, first: from } => {
                vec![(0, None), (from, Some((rows, rows.rank(from))))]
            }
            RowMapping::SpreadAround { rows, first: top, last: bottom } => vec![
                // The rows above end right above the source, as the visible ones do.
                (top - rows.rank(top), Some((rows, 0))),
                (top, None),
                (bottom + 1, Some((rows, rows.rank(bottom + 1)))),
            ],
        };
        let ends = parts.iter().skip(1).map(|(start, _)| *start).chain([ROWS_MAX]);
        let mut spans = Vec::new();
        for (&(start, target), end) in parts.iter().zip(ends) {
            let (from, to) = (start.max(first), end.min(last + 1));
            if from >= to {
                continue;
            }
            match target {
                None => spans.push((from - first, from, to - from)),
                Some((rows, rank)) => {
                    let mut offset = from - first;
                    for (row, count) in rows.spans_from_rank(rank + (from - start), to - from) {
                        spans.push((offset, row, count));
                        offset += count;
                    }
                }
            }
        }
        spans
    }

    /// Appends the operations that `operation` becomes on the visible rows of the sheet `on`.
    /// Fails with [`CommandError::OutsideSheet`] if there are too few visible rows.
    pub fn map_operation(
        &self,
        operation: Operation,
        on: SheetId,
        mapped: &mut Vec<Operation>,
    ) -> Result<(), CommandError> {
        let Some((first, last)) = rows_of(&operation, on) else {
            mapped.push(self.with_mapped_anchors(operation, on));
            return Ok(());
        };
        if matches!(self, RowMapping::Listed { .. }) && last - first >= LISTED_ROWS_MAX {
            return Err(CommandError::TooManyRowRanges { count: (last - first) as usize + 1 });
        }
        let spans = self.map_rows(first, last);
        if spans.as_slice() == [(0, first, last - first + 1)] {
            mapped.push(operation);
            return Ok(());
        }
        // Whole columns end at the sheet's end; listed contents have to fit.
        let is_whole = last == ROWS_MAX - 1 && !matches!(operation, Operation::SetCells { .. });
        let mapped_rows: u32 = spans.iter().map(|(_, _, count)| count).sum();
        if !is_whole && !matches!(self, RowMapping::VisibleOnly(_)) && mapped_rows < last - first + 1 {
            return Err(CommandError::OutsideSheet);
        }
        mapped.extend(spans.into_iter().map(|span| restricted_to_span(&operation, span)));
        Ok(())
    }

    /// Returns the operation with the anchors of a new item mapped.
    fn with_mapped_anchors(&self, mut operation: Operation, on: SheetId) -> Operation {
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

/// Listed rows are written one by one, and a transaction has as many operations.
const LISTED_ROWS_MAX: u32 = 10_000;

/// The row at `index` of the listed rows, or of those below the last one.
fn listed_row(rows: &[u32], index: u32) -> u32 {
    let below = |last: &u32| last.saturating_add(index).saturating_sub(rows.len() as u32 - 1); // in a message
    rows.get(index as usize).copied().or_else(|| rows.last().map(below)).unwrap_or(index).min(ROWS_MAX - 1)
}

/// Returns first and last row that the operation on sheet `on` affects. Rows outside the sheet are
/// left to validation.
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

/// Restricts an operation to one span of its rows: offset, row to which it maps, and count.
pub fn restricted_to_span(operation: &Operation, (offset, row, rows): (u32, u32, u32)) -> Operation {
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
        | Operation::SetFormat { range, .. } => *range = with_span(*range, Dimension::Rows, row, rows),
        Operation::SetSizes { first, count, .. } | Operation::SetHidden { first, count, .. } => {
            (*first, *count) = (row, rows);
        }
        _ => {}
    }
    part
}

/// Returns whether the rows exist.
pub(super) fn is_within_sheet(first: u32, count: u32) -> bool {
    count > 0 && count <= ROWS_MAX && first <= ROWS_MAX - count
}
