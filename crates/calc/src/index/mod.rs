//! Indexes for lookups: rows by value and ascending numbers of columns, columns by value of rows.
//!
//! Views of ranges query them. A column gets an index after a number of requests and keeps it. When
//! the column changes, the index is refreshed by comparing the blocks that are no longer the same
//! allocation, so an edited cell costs about one block. Without an index the same cells are read
//! one by one, with the same result.

mod column;
mod row;
mod table;
mod thresholds;

use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeMap;

use quadrille_cell::{ColumnIndex as ColumnNumber, Range, SheetId, Value};
use quadrille_functions::Cancel;
use quadrille_workbook::{Column, Sheet, Workbook};

pub(crate) use column::ColumnIndex;
pub(crate) use row::RowIndex;
use row::RowIndexes;
pub(crate) use table::{RowsByValue, contains_wildcard};
use thresholds::{LENGTH_MIN, REQUESTS_MIN};

/// Memory of all indexes together. Beyond it the least recently used ones are evicted; the index of
/// the longest possible column is smaller, so one always fits.
const BYTES_MAX: usize = 128 << 20;
/// Columns with an entry. Beyond it the least recently used one is evicted.
const COLUMNS_MAX: usize = 256;
/// Changed ranges that are tracked one by one; beyond that every index is compared with its column.
const STALE_RANGES_MAX: usize = 64;

/// The indexes of a workbook.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    columns: RefCell<BTreeMap<(SheetId, u32), ColumnIndex>>,
    rows: RowIndexes,
    /// Epoch up to which row indexes have been told about all changes; in a later epoch they are
    /// not used.
    rows_current_epoch: u64,
    /// Incremented whenever values may have changed.
    epoch: Cell<u64>,
    /// Ranges that may differ from the last refresh.
    stale_ranges: Vec<(SheetId, Range)>,
    /// Cancels building an index together with the evaluation.
    pub cancel: Cancel,
    /// Whether so many ranges changed that all columns must be compared.
    all_columns_stale: bool,
}

impl Indexes {
    /// Starts a new epoch because values may have changed: each index is compared with its column
    /// before it is used again.
    pub fn advance_epoch(&self) {
        self.epoch.set(self.epoch.get() + 1);
    }

    /// Declares that the row indexes have been told about all changes so far.
    pub fn mark_rows_current(&mut self) {
        self.rows_current_epoch = self.epoch.get();
    }

    /// Marks cells of row indexes stale.
    pub fn range_changed(&mut self, sheet: SheetId, range: Range) {
        self.rows.changed(sheet, range);
    }

    /// The index by value of a row for `lookup_count` lookups in its columns `columns`; `None`
    /// while an index does not pay.
    pub fn row_by_value(
        &self,
        sheet: &Sheet,
        row: u32,
        columns: (u32, u32),
        lookup_count: u32,
    ) -> Option<Ref<'_, RowIndex>> {
        if self.rows_current_epoch != self.epoch.get() {
            return None;
        }
        self.rows.by_value(sheet, row, columns, lookup_count, self.rows_current_epoch, &self.cancel)
    }

    /// The value that a cell of an indexed row had at the end of the last evaluation. Valid only
    /// until the next evaluation writes values.
    pub fn row_value_before(&self, sheet: SheetId, row: u32, column: u32) -> Option<Value> {
        self.rows.value_before(sheet, row, column)
    }

    /// The index by value of a column for `lookup_count` lookups in its rows `rows`; `None` while
    /// an index does not pay.
    pub fn by_value(
        &self,
        sheet: &Sheet,
        column: u32,
        rows: (u32, u32),
        lookup_count: u32,
    ) -> Option<Ref<'_, ColumnIndex>> {
        let cells = long_column(sheet, column, rows)?;
        let key = (sheet.id(), column);
        let mut columns = self.columns.borrow_mut();
        let index = self.up_to_date(&mut columns, key, cells);
        if !index.has_values() {
            index.request_count = index.request_count.saturating_add(lookup_count);
            if index.request_count < REQUESTS_MIN {
                return None;
            }
            index.build_by_value(cells, &self.cancel);
            enforce_memory_limit(&mut columns);
        }
        drop(columns);
        Ref::filter_map(self.columns.borrow(), |columns| columns.get(&key).filter(|index| index.has_values()))
            .ok()
    }

    /// See [`RangeView::last_row_up_to`](quadrille_functions::RangeView).
    pub fn last_row_up_to(
        &self,
        sheet: &Sheet,
        column: u32,
        rows: (u32, u32),
        number: f64,
    ) -> Option<Option<u32>> {
        let found = self.ascending(sheet, column, rows)?.last_row_up_to(number, rows.0, rows.1)?;
        Some(found.map(|row| row - rows.0))
    }

    /// An index that records where the column's numbers ascend.
    pub fn ascending(&self, sheet: &Sheet, column: u32, rows: (u32, u32)) -> Option<Ref<'_, ColumnIndex>> {
        let cells = long_column(sheet, column, rows)?;
        let key = (sheet.id(), column);
        self.up_to_date(&mut self.columns.borrow_mut(), key, cells).build_ascending(cells);
        Ref::filter_map(self.columns.borrow(), |columns| columns.get(&key)).ok()
    }

    /// Whether there is no index.
    pub fn is_empty(&self) -> bool {
        self.columns.borrow().is_empty() && self.rows.is_empty()
    }

    /// As [`existing`](Self::existing), if it has not been built or refreshed in the current epoch
    /// and still holds the old values.
    pub fn existing_before_edit(&self, sheet: SheetId, column: u32) -> Option<Ref<'_, ColumnIndex>> {
        self.existing(sheet, column).filter(|index| index.checked_epoch != self.epoch.get())
    }

    /// The index by value as of its last refresh, if there is one.
    pub fn existing(&self, sheet: SheetId, column: u32) -> Option<Ref<'_, ColumnIndex>> {
        let has_values = |index: &&ColumnIndex| index.has_values();
        Ref::filter_map(self.columns.borrow(), |columns| columns.get(&(sheet, column)).filter(has_values))
            .ok()
    }

    fn up_to_date<'a>(
        &self,
        columns: &'a mut BTreeMap<(SheetId, u32), ColumnIndex>,
        key: (SheetId, u32),
        cells: &Column,
    ) -> &'a mut ColumnIndex {
        if columns.len() >= COLUMNS_MAX && !columns.contains_key(&key) {
            evict_least_recently_used(columns);
        }
        let index = columns.entry(key).or_default();
        let epoch = self.epoch.get();
        if index.checked_epoch != epoch && !index.is_empty() {
            index.refresh(Some(cells), &self.cancel, |_| {});
        }
        index.checked_epoch = epoch;
        index.used_epoch = epoch;
        index
    }

    /// Marks ranges stale.
    pub fn note_changed_ranges(&mut self, changed: &[(SheetId, Range)]) {
        changed.iter().for_each(|(sheet, range)| self.range_changed(*sheet, *range));
        if self.columns.get_mut().is_empty() || self.all_columns_stale {
            return;
        }
        if self.stale_ranges.len() + changed.len() > STALE_RANGES_MAX {
            self.mark_all_columns_stale();
        } else {
            self.stale_ranges.extend_from_slice(changed);
        }
    }

    /// Drops what is known about cells that have moved.
    pub fn invalidate(&mut self) {
        self.rows.clear();
        self.mark_all_columns_stale();
    }

    fn mark_all_columns_stale(&mut self) {
        self.all_columns_stale = true;
        self.stale_ranges.clear();
    }

    /// Refreshes the indexes when an evaluation finishes, so that they release old blocks and hold
    /// the values that formulas have seen.
    pub fn refresh_all(&mut self, workbook: &Workbook) {
        self.advance_epoch();
        for ((sheet, column), index) in self.columns.get_mut() {
            let is_in =
                |range: &Range| (range.first().column.get()..=range.last().column.get()).contains(column);
            let is_concerned =
                || self.stale_ranges.iter().any(|(changed, range)| changed == sheet && is_in(range));
            if !index.is_empty() && (self.all_columns_stale || is_concerned()) {
                index.refresh(column_of(workbook, *sheet, *column), &self.cancel, |_| {});
            }
        }
        self.all_columns_stale = false;
        self.stale_ranges.clear();
        self.rows.refresh_all(workbook);
    }
}

fn column_of(workbook: &Workbook, sheet: SheetId, column: u32) -> Option<&Column> {
    workbook.sheet(sheet)?.column(ColumnNumber::clamped(column))
}

/// The column, if it is long enough for an index to pay.
fn long_column(sheet: &Sheet, column: u32, rows: (u32, u32)) -> Option<&Column> {
    let cells = sheet.column(ColumnNumber::clamped(column))?;
    let (first, last) = cells.extent()?;
    (last.min(rows.1).saturating_sub(first.max(rows.0)) >= LENGTH_MIN).then_some(cells)
}

fn enforce_memory_limit(columns: &mut BTreeMap<(SheetId, u32), ColumnIndex>) {
    while columns.values().map(ColumnIndex::bytes).sum::<usize>() > BYTES_MAX {
        evict_least_recently_used(columns);
    }
}

/// Evicts the least recently used index; of several, the one of the first column.
fn evict_least_recently_used(columns: &mut BTreeMap<(SheetId, u32), ColumnIndex>) {
    let unused = columns.iter().min_by_key(|(_, index)| index.used_epoch).map(|(key, _)| *key);
    if let Some(key) = unused {
        columns.remove(&key);
    }
}
