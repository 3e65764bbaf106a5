//! A view of a range for the function library.

use std::ops::ControlFlow;

use quadrille_cell::{Array, CellAddress, ColumnIndex, DeferredVec, Range, Value};
use quadrille_functions::{Cancel, CellSequence, Chunk, IndexMatches, RangeView, RowOrColumn, ValueRef};
use quadrille_workbook::{MixedSlice, Sheet, Slice};

use crate::index::Indexes;
use crate::value_access::borrowed_value;

/// Borrows the cells of a range; all blank when the sheet does not exist.
#[derive(Clone, Copy)]
pub(crate) struct SheetView<'a> {
    sheet: Option<&'a Sheet>,
    range: Range,
    indexes: Option<&'a Indexes>,
    /// After cancellation the rest of the range reads as blank; the result is discarded.
    cancel: &'a Cancel,
}

impl<'a> SheetView<'a> {
    /// A view without indexes that cannot be cancelled.
    pub fn new(sheet: Option<&'a Sheet>, range: Range) -> SheetView<'a> {
        SheetView { sheet, range, indexes: None, cancel: &Cancel::NEVER }
    }

    /// Lets lookups use indexes.
    pub fn with_indexes(self, indexes: Option<&'a Indexes>) -> SheetView<'a> {
        SheetView { indexes, ..self }
    }

    /// Lets reads end early.
    pub fn with_cancel(self, cancel: &'a Cancel) -> SheetView<'a> {
        SheetView { cancel, ..self }
    }

    /// First and last row in the sheet.
    fn row_bounds(&self) -> (u32, u32) {
        (self.range.first().row.get(), self.range.last().row.get())
    }

    /// Copies all values, row by row.
    pub fn to_array(self) -> Array {
        let (rows, columns) = (self.range.row_count(), self.range.column_count());
        let mut values = DeferredVec::from(vec![Value::Blank; rows as usize * columns as usize]);
        let top = self.range.first().row.get();
        for (index, column) in self.sheet.into_iter().flat_map(|sheet| sheet.columns_in(self.range)) {
            let offset = (index.get() - self.range.first().column.get()) as usize;
            for (row, slice) in column.slices(top, self.range.last().row.get()) {
                if self.cancel.is_requested_within(slice.len() as u64) {
                    break;
                }
                for at in 0..slice.len() {
                    let row = (row - top) as usize + at;
                    values[row * columns as usize + offset] = slice.get(at);
                }
            }
        }
        Array::new(rows, columns, values).expect("a range is not empty, and all its values are there")
    }
}

impl RangeView for SheetView<'_> {
    fn rows(&self) -> u32 {
        self.range.row_count()
    }

    fn columns(&self) -> u32 {
        self.range.column_count()
    }

    fn used_rows(&self) -> u32 {
        let top = self.range.first().row.get();
        let columns = self.sheet.into_iter().flat_map(|sheet| sheet.columns_in(self.range));
        let used_end =
            columns.filter_map(|(_, column)| column.extent()).map(|(_, last)| last + 1).max().unwrap_or(0);
        used_end.saturating_sub(top).min(self.rows())
    }

    fn used_columns(&self) -> u32 {
        let end = self.sheet.map_or(0, Sheet::columns_end);
        end.saturating_sub(self.range.first().column.get()).min(self.columns())
    }

    fn value(&self, row: u32, column: u32) -> Value {
        let first = self.range.first();
        let cell = CellAddress::new(first.row.get() + row, first.column.get() + column);
        match (self.sheet, cell) {
            _ if self.cancel.is_requested_within(1) => Value::Blank,
            (Some(sheet), Some(cell)) => sheet.value(cell),
            _ => Value::Blank,
        }
    }

    fn for_each_chunk(&self, column: u32, visit: &mut dyn FnMut(Chunk<'_>) -> ControlFlow<()>) {
        let index = ColumnIndex::clamped(self.range.first().column.get() + column);
        let Some(column) = self.sheet.and_then(|sheet| sheet.column(index)) else { return };
        let mut next = self.range.first().row.get();
        for (row, slice) in column.slices(next, self.range.last().row.get()) {
            if self.cancel.is_requested_within(slice.len() as u64)
                || row > next && visit(Chunk::Blank(row - next)).is_break()
            {
                return;
            }
            next = row + slice.len() as u32;
            let flow = match slice {
                Slice::Numbers(numbers) => visit(Chunk::Numbers(numbers)),
                Slice::Mixed(mixed) => visit(Chunk::Mixed(&MixedLane(mixed))),
            };
            if flow.is_break() {
                return;
            }
        }
    }

    fn with_positions_of(
        &self,
        line: RowOrColumn,
        value: ValueRef<'_>,
        found: &mut dyn FnMut(IndexMatches<'_>),
    ) -> bool {
        let (Some(sheet), Some(indexes)) = (self.sheet, self.indexes) else { return false };
        let first = self.range.first();
        match line {
            RowOrColumn::Column(column) => {
                let index = indexes.by_value(sheet, first.column.get() + column, self.row_bounds(), 1);
                index.map(|index| found(index.values().matches_in(value, self.row_bounds()))).is_some()
            }
            RowOrColumn::Row(row) => {
                let columns = (first.column.get(), self.range.last().column.get());
                let index = indexes.row_by_value(sheet, first.row.get() + row, columns, 1);
                index.map(|index| found(index.values().matches_in(value, columns))).is_some()
            }
        }
    }

    fn last_row_up_to(&self, column: u32, number: f64) -> Option<Option<u32>> {
        let (sheet, indexes) = (self.sheet?, self.indexes?);
        indexes.last_row_up_to(sheet, self.range.first().column.get() + column, self.row_bounds(), number)
    }
}

struct MixedLane<'a>(MixedSlice<'a>);

impl CellSequence for MixedLane<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> ValueRef<'_> {
        borrowed_value(&self.0, index)
    }
}
