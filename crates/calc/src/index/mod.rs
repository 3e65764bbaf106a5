//! Indexes over columns, where a value stands and where numbers rise, and over rows, where a value stands.
//!
//! Lookups ask for them ([`RangeView::with_places_of`](quadrille_functions::RangeView)). A column that is asked about often
//! gets one, which is kept from then on: when the column changes, the index is brought up to date by comparing the
//! blocks that are no longer the same, so that an edited cell costs about a block. An index is only ever an
//! abbreviation: without it the same cells are read one by one, with the same outcome.

mod column;
mod row;
mod table;

use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeMap;

use quadrille_cell::{ColumnIndex as ColumnNumber, Range, SheetId, Value};
use quadrille_functions::Cancel;
use quadrille_workbook::{Column, Sheet, Workbook};

pub(crate) use column::ColumnIndex;
pub(crate) use row::RowIndex;
use row::RowIndexes;
pub(crate) use table::{RowsByValue, may_stand_for_many};

/// Reading a column so often costs about as much as indexing it.
const ASKED_MIN: u32 = 16;
/// Shorter columns and rows are read faster than an index is looked after.
const ROWS_MIN: u32 = 64;
/// Bytes of all indexes together. Beyond it those go that were not used for longest; a column longer than the sheet
/// allows cannot be, so one always fits.
const BYTES_MAX: usize = 128 << 20;
/// Columns about which anything is kept. Beyond it those are forgotten that were not asked about for longest.
const COLUMNS_MAX: usize = 256;
/// Changed areas looked at one by one before every index is compared with its column.
const AREAS_MAX: usize = 64;

/// The indexes of a workbook.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    columns: RefCell<BTreeMap<(SheetId, u32), ColumnIndex>>,
    rows: RowIndexes,
    /// Up to which moment the indexes of rows have been told what changed. They are of no use at a later one.
    told: u64,
    /// Counts the moments at which values may have changed.
    epoch: Cell<u64>,
    /// Cells that may differ from what the indexes were last settled with.
    unsettled: Vec<(SheetId, Range)>,
    /// Whether the evaluation that asks is to end, and with it the making of an index.
    pub cancel: Cancel,
    /// So many that all columns have to be compared.
    everything_unsettled: bool,
}

impl Indexes {
    /// Values may have changed: each index is compared with its column before it is used again.
    pub fn move_on(&self) {
        self.epoch.set(self.epoch.get() + 1);
    }

    /// The indexes of rows have been told all that has changed until now.
    pub fn all_told(&mut self) {
        self.told = self.epoch.get();
    }

    /// Tells the indexes of rows of cells that changed.
    pub fn range_changed(&mut self, sheet: SheetId, range: Range) {
        self.rows.changed(sheet, range);
    }

    /// The index by value of a row in whose columns `columns` so many values are sought; `None` as long as that is not
    /// worth an index.
    pub fn row_by_value(
        &self,
        sheet: &Sheet,
        row: u32,
        columns: (u32, u32),
        sought: u32,
    ) -> Option<Ref<'_, RowIndex>> {
        if self.told != self.epoch.get() {
            return None;
        }
        self.rows.by_value(sheet, row, columns, sought, self.told, &self.cancel)
    }

    /// What a cell of an indexed row held when all was calculated last. Only before anything is calculated again.
    pub fn row_value_before(&self, sheet: SheetId, row: u32, column: u32) -> Option<Value> {
        self.rows.value_before(sheet, row, column)
    }

    /// The index by value of a column of whose rows `rows` so many values are sought; `None` as long as that is not
    /// worth an index.
    pub fn by_value(
        &self,
        sheet: &Sheet,
        column: u32,
        rows: (u32, u32),
        sought: u32,
    ) -> Option<Ref<'_, ColumnIndex>> {
        let cells = long_column(sheet, column, rows)?;
        let key = (sheet.id(), column);
        let mut columns = self.columns.borrow_mut();
        let index = self.current(&mut columns, key, cells);
        if !index.has_values() {
            index.asked = index.asked.saturating_add(sought);
            if index.asked < ASKED_MIN {
                return None;
            }
            index.build_by_value(cells, &self.cancel);
            forget_unused(&mut columns);
        }
        drop(columns);
        Ref::filter_map(self.columns.borrow(), |columns| columns.get(&key).filter(|index| index.has_values()))
            .ok()
    }

    /// As [`RangeView::last_row_up_to`](quadrille_functions::RangeView).
    pub fn last_row_up_to(
        &self,
        sheet: &Sheet,
        column: u32,
        rows: (u32, u32),
        number: f64,
    ) -> Option<Option<u32>> {
        let found = self.rising(sheet, column, rows)?.last_row_up_to(number, rows.0, rows.1)?;
        Some(found.map(|row| row - rows.0))
    }

    /// An index that knows where the column's numbers rise.
    pub fn rising(&self, sheet: &Sheet, column: u32, rows: (u32, u32)) -> Option<Ref<'_, ColumnIndex>> {
        let cells = long_column(sheet, column, rows)?;
        let key = (sheet.id(), column);
        self.current(&mut self.columns.borrow_mut(), key, cells).build_rising(cells);
        Ref::filter_map(self.columns.borrow(), |columns| columns.get(&key)).ok()
    }

    pub fn is_empty(&self) -> bool {
        self.columns.borrow().is_empty() && self.rows.is_empty()
    }

    /// As [`known`](Self::known), if it has not been made or brought up to date since the last move: it still says what
    /// was.
    pub fn known_before(&self, sheet: SheetId, column: u32) -> Option<Ref<'_, ColumnIndex>> {
        self.known(sheet, column).filter(|index| index.checked != self.epoch.get())
    }

    /// The index by value if there is one, as it was last brought up to date.
    pub fn known(&self, sheet: SheetId, column: u32) -> Option<Ref<'_, ColumnIndex>> {
        let has_values = |index: &&ColumnIndex| index.has_values();
        Ref::filter_map(self.columns.borrow(), |columns| columns.get(&(sheet, column)).filter(has_values))
            .ok()
    }

    fn current<'a>(
        &self,
        columns: &'a mut BTreeMap<(SheetId, u32), ColumnIndex>,
        key: (SheetId, u32),
        cells: &Column,
    ) -> &'a mut ColumnIndex {
        if columns.len() >= COLUMNS_MAX && !columns.contains_key(&key) {
            forget_one(columns);
        }
        let index = columns.entry(key).or_default();
        let epoch = self.epoch.get();
        if index.checked != epoch && !index.is_empty() {
            index.refresh(Some(cells), &self.cancel, |_| {});
        }
        index.checked = epoch;
        index.used = epoch;
        index
    }

    /// Notes cells that changed.
    pub fn unsettle(&mut self, changed: &[(SheetId, Range)]) {
        changed.iter().for_each(|(sheet, range)| self.range_changed(*sheet, *range));
        if self.columns.get_mut().is_empty() || self.everything_unsettled {
            return;
        }
        if self.unsettled.len() + changed.len() > AREAS_MAX {
            self.every_column_unsettled();
        } else {
            self.unsettled.extend_from_slice(changed);
        }
    }

    /// Cells have moved.
    pub fn unsettle_everything(&mut self) {
        self.rows.clear();
        self.every_column_unsettled();
    }

    fn every_column_unsettled(&mut self) {
        self.everything_unsettled = true;
        self.unsettled.clear();
    }

    /// Brings indexes up to date when all is calculated, so that they hold no old blocks and know what formulas have
    /// seen.
    pub fn settle(&mut self, workbook: &Workbook) {
        self.move_on();
        for ((sheet, column), index) in self.columns.get_mut() {
            let is_in =
                |range: &Range| (range.first().column.get()..=range.last().column.get()).contains(column);
            let is_concerned =
                || self.unsettled.iter().any(|(changed, range)| changed == sheet && is_in(range));
            if !index.is_empty() && (self.everything_unsettled || is_concerned()) {
                index.refresh(column_of(workbook, *sheet, *column), &self.cancel, |_| {});
            }
        }
        self.everything_unsettled = false;
        self.unsettled.clear();
        self.rows.settle(workbook);
    }
}

fn column_of(workbook: &Workbook, sheet: SheetId, column: u32) -> Option<&Column> {
    workbook.sheet(sheet)?.column(ColumnNumber::clamped(column))
}

/// The column if it is long enough for an index to pay.
fn long_column(sheet: &Sheet, column: u32, rows: (u32, u32)) -> Option<&Column> {
    let cells = sheet.column(ColumnNumber::clamped(column))?;
    let (first, last) = cells.extent()?;
    (last.min(rows.1).saturating_sub(first.max(rows.0)) >= ROWS_MIN).then_some(cells)
}

fn forget_unused(columns: &mut BTreeMap<(SheetId, u32), ColumnIndex>) {
    while columns.values().map(ColumnIndex::bytes).sum::<usize>() > BYTES_MAX {
        forget_one(columns);
    }
}

/// Forgets the index that was not used for longest; of several the one of the first column.
fn forget_one(columns: &mut BTreeMap<(SheetId, u32), ColumnIndex>) {
    let unused = columns.iter().min_by_key(|(_, index)| index.used).map(|(key, _)| *key);
    if let Some(key) = unused {
        columns.remove(&key);
    }
}
