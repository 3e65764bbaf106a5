//! Indexes along rows: columns by value.
//!
//! The cells of a row are spread over one block per column, so a row index cannot detect changes by
//! comparing blocks as a column index does. It is told every changed range and compares those cells
//! before its next use (rule L7 in docs/engine.md).

use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;

use quadrille_cell::{ColumnIndex, Range, SheetId, Value};
use quadrille_functions::{Cancel, ValueRef};
use quadrille_workbook::{Sheet, Workbook};

use super::table::RowsByValue;
use super::thresholds::{LENGTH_MIN, REQUESTS_MIN};

/// Rows with an entry; an index takes at most one megabyte. Beyond it the least recently used one
/// is evicted.
const ROWS_MAX: usize = 64;

/// The row indexes of a workbook.
#[derive(Debug, Default)]
pub(crate) struct RowIndexes {
    rows: RefCell<BTreeMap<(SheetId, u32), RowIndex>>,
}

/// Index of a row as of its last refresh.
#[derive(Debug, Default)]
pub(crate) struct RowIndex {
    /// Columns by value: positions in the table are columns.
    by_value: Option<RowsByValue>,
    /// The indexed values by column; blank beyond the end.
    values: Vec<Value>,
    /// First and last column that may have changed since the last refresh.
    stale: Option<(u32, u32)>,
    /// Number of requests for an index.
    request_count: u32,
    /// Epoch of the last use.
    used_epoch: u64,
}

impl RowIndexes {
    /// The index of a row, built or refreshed; `None` while an index does not pay.
    pub fn by_value(
        &self,
        sheet: &Sheet,
        row: u32,
        columns: (u32, u32),
        lookup_count: u32,
        now: u64,
        cancel: &Cancel,
    ) -> Option<Ref<'_, RowIndex>> {
        let end = columns.1.min(sheet.columns_end().saturating_sub(1));
        if end.saturating_sub(columns.0) < LENGTH_MIN {
            return None;
        }
        let mut rows = self.rows.borrow_mut();
        let key = (sheet.id(), row);
        if rows.len() >= ROWS_MAX && !rows.contains_key(&key) {
            evict_least_recently_used(&mut rows);
        }
        let index = rows.entry(key).or_default();
        index.used_epoch = now;
        if index.by_value.is_none() {
            index.request_count = index.request_count.saturating_add(lookup_count);
            if index.request_count < REQUESTS_MIN
                || cancel.is_requested_within(u64::from(sheet.columns_end()))
            {
                return None;
            }
            index.by_value = Some(RowsByValue::default());
            index.stale = Some((0, u32::MAX));
        }
        index.refresh(sheet, row);
        drop(rows);
        Ref::filter_map(self.rows.borrow(), |rows| rows.get(&key)).ok()
    }

    /// Marks cells stale.
    pub fn changed(&mut self, sheet: SheetId, range: Range) {
        let rows = self.rows.get_mut();
        if rows.is_empty() {
            return;
        }
        let keys = (sheet, range.first().row.get())..=(sheet, range.last().row.get());
        let (first, last) = (range.first().column.get(), range.last().column.get());
        for (_, index) in rows.range_mut(keys) {
            let previous = index.stale.unwrap_or((first, last));
            index.stale = Some((previous.0.min(first), previous.1.max(last)));
        }
    }

    /// Drops all indexes.
    pub fn clear(&mut self) {
        self.rows.get_mut().clear();
    }

    /// Whether there is no index.
    pub fn is_empty(&self) -> bool {
        self.rows.borrow().is_empty()
    }

    /// The value that a cell had at the last refresh; `None` when its row has no index.
    pub fn value_before(&self, sheet: SheetId, row: u32, column: u32) -> Option<Value> {
        let rows = self.rows.borrow();
        let index = rows.get(&(sheet, row)).filter(|index| index.by_value.is_some())?;
        Some(index.values.get(column as usize).cloned().unwrap_or_default())
    }

    /// Refreshes all indexes at the end of an evaluation.
    pub fn refresh_all(&mut self, workbook: &Workbook) {
        for ((sheet, row), index) in self.rows.get_mut() {
            if let Some(sheet) = workbook.sheet(*sheet) {
                index.refresh(sheet, *row);
            }
        }
    }
}

impl RowIndex {
    /// The columns by value. Panics for an index that is not built.
    pub fn values(&self) -> &RowsByValue {
        self.by_value.as_ref().expect("an index without values is not handed out")
    }

    /// Compares the stale cells with the row.
    fn refresh(&mut self, sheet: &Sheet, row: u32) {
        let (Some((first, last)), Some(table)) = (self.stale.take(), &mut self.by_value) else { return };
        let end = (self.values.len() as u32).max(sheet.columns_end());
        self.values.resize(end as usize, Value::Blank);
        for column in first..end.min(last.saturating_add(1)) {
            let cells = sheet.column(ColumnIndex::clamped(column));
            let now = cells.map_or(Value::Blank, |cells| cells.value(row));
            let values = &mut self.values[column as usize];
            if *values != now {
                table.remove(column, ValueRef::from(&*values));
                table.add(column, ValueRef::from(&now));
                *values = now;
            }
        }
    }
}

/// Evicts the least recently used index; of several, the one of the first row.
fn evict_least_recently_used(rows: &mut BTreeMap<(SheetId, u32), RowIndex>) {
    let unused = rows.iter().min_by_key(|(_, index)| index.used_epoch).map(|(key, _)| *key);
    if let Some(key) = unused {
        rows.remove(&key);
    }
}
