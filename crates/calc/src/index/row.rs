//! Indexes along rows: in which columns of a row a value stands.
//!
//! The cells of a row lie in as many blocks as columns, so an index cannot see by its blocks what has changed, as that
//! of a column does. It is told instead, each changed range, and compares those cells before it is used again.

use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;

use quadrille_cell::{ColumnIndex, Range, SheetId, Value};
use quadrille_functions::{Cancel, ValueRef};
use quadrille_workbook::{Sheet, Workbook};

use super::table::RowsByValue;
use super::{ASKED_MIN, ROWS_MIN};

/// Rows about which anything is kept. The index of one row takes a megabyte at most. Beyond it those are forgotten that
/// were not asked about for longest.
const ROWS_MAX: usize = 64;

/// The indexes of a workbook's rows.
#[derive(Debug, Default)]
pub(crate) struct RowIndexes {
    rows: RefCell<BTreeMap<(SheetId, u32), RowIndex>>,
}

/// What is known of a row, as of when it was last looked at.
#[derive(Debug, Default)]
pub(crate) struct RowIndex {
    /// The columns of each value, where that of a column has rows.
    by_value: Option<RowsByValue>,
    /// What the index shows, by column; blank behind.
    shown: Vec<Value>,
    /// First and last of the columns that may have changed since.
    stale: Option<(u32, u32)>,
    /// How often somebody would have liked an index.
    asked: u32,
    /// When it was last asked.
    used: u64,
}

impl RowIndexes {
    /// The index of a row, made or brought up to date; `None` as long as it is not worth one.
    pub fn by_value(
        &self,
        sheet: &Sheet,
        row: u32,
        columns: (u32, u32),
        sought: u32,
        now: u64,
        cancel: &Cancel,
    ) -> Option<Ref<'_, RowIndex>> {
        let end = columns.1.min(sheet.columns_end().saturating_sub(1));
        if end.saturating_sub(columns.0) < ROWS_MIN {
            return None;
        }
        let mut rows = self.rows.borrow_mut();
        let key = (sheet.id(), row);
        if rows.len() >= ROWS_MAX && !rows.contains_key(&key) {
            forget_one(&mut rows);
        }
        let index = rows.entry(key).or_default();
        index.used = now;
        if index.by_value.is_none() {
            index.asked = index.asked.saturating_add(sought);
            if index.asked < ASKED_MIN || cancel.is_requested_within(u64::from(sheet.columns_end())) {
                return None;
            }
            index.by_value = Some(RowsByValue::default());
            index.stale = Some((0, u32::MAX));
        }
        index.refresh(sheet, row);
        drop(rows);
        Ref::filter_map(self.rows.borrow(), |rows| rows.get(&key)).ok()
    }

    /// Cells that may have changed.
    pub fn changed(&mut self, sheet: SheetId, range: Range) {
        let rows = self.rows.get_mut();
        if rows.is_empty() {
            return;
        }
        let lines = (sheet, range.first().row.get())..=(sheet, range.last().row.get());
        let (first, last) = (range.first().column.get(), range.last().column.get());
        for (_, index) in rows.range_mut(lines) {
            let known = index.stale.unwrap_or((first, last));
            index.stale = Some((known.0.min(first), known.1.max(last)));
        }
    }

    pub fn clear(&mut self) {
        self.rows.get_mut().clear();
    }

    pub fn is_empty(&self) -> bool {
        self.rows.borrow().is_empty()
    }

    /// What a cell held when the indexes were last settled; `None` when its row has no index.
    pub fn value_before(&self, sheet: SheetId, row: u32, column: u32) -> Option<Value> {
        let rows = self.rows.borrow();
        let index = rows.get(&(sheet, row)).filter(|index| index.by_value.is_some())?;
        Some(index.shown.get(column as usize).cloned().unwrap_or_default())
    }

    /// Makes every index show what formulas have seen when all is calculated.
    pub fn settle(&mut self, workbook: &Workbook) {
        for ((sheet, row), index) in self.rows.get_mut() {
            if let Some(sheet) = workbook.sheet(*sheet) {
                index.refresh(sheet, *row);
            }
        }
    }
}

impl RowIndex {
    /// Only for an index that has been asked for often enough.
    pub fn values(&self) -> &RowsByValue {
        self.by_value.as_ref().expect("an index without values is not handed out")
    }

    /// Makes the index show the row again.
    fn refresh(&mut self, sheet: &Sheet, row: u32) {
        let (Some((first, last)), Some(table)) = (self.stale.take(), &mut self.by_value) else { return };
        let end = (self.shown.len() as u32).max(sheet.columns_end());
        self.shown.resize(end as usize, Value::Blank);
        for column in first..end.min(last.saturating_add(1)) {
            let cells = sheet.column(ColumnIndex::clamped(column));
            let now = cells.map_or(Value::Blank, |cells| cells.value(row));
            let shown = &mut self.shown[column as usize];
            if *shown != now {
                table.remove(column, ValueRef::from(&*shown));
                table.add(column, ValueRef::from(&now));
                *shown = now;
            }
        }
    }
}

/// Forgets the index that was not asked for longest; of several that of the first row.
fn forget_one(rows: &mut BTreeMap<(SheetId, u32), RowIndex>) {
    let unused = rows.iter().min_by_key(|(_, index)| index.used).map(|(key, _)| *key);
    if let Some(key) = unused {
        rows.remove(&key);
    }
}
