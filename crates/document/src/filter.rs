//! Rows that filters hide.
//!
//! Hidden rows follow from the filter's conditions and the current values and are not stored.
//! Filters compare texts in the invariant locale (English), so that the same rows are hidden for
//! every user and formulas can exclude them (`quadrille_calc::Filters`).

mod cell_colors;
mod condition;
mod date_groups;
mod displayed_texts;
pub(crate) mod sheet_filters;

use quadrille_calc::{Cancel, rows_in_filter};
use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_number_format::date::civil_from_serial;
use quadrille_workbook::{ItemId, ItemKind, Sheet};

pub use cell_colors::ColumnColors;
pub use sheet_filters::{SheetFilters, open_filters};

use crate::cell_text::{invariant_text, with_number_format};
use crate::document::Document;
use cell_colors::CellColors;
use sheet_filters::{filter, hide};

impl Document {
    /// Returns the rows that the sheet's filters hide, as first row and count, or those of an open
    /// filter view instead. The cost is proportional to the filters' ranges: call it when cells or
    /// items change.
    pub fn filtered_rows(&self, sheet: SheetId, view: Option<ItemId>) -> Vec<(u32, u32)> {
        let Some(sheet) = self.workbook().sheet(sheet) else { return Vec::new() };
        // There are no cells to hide below the used range.
        let used = sheet.used_range().map_or(0, |used| used.last().row.get());
        let mut hidden = vec![0u64; used as usize / 64 + 1];
        for (id, item) in open_filters(sheet, view) {
            let dates = self.workbook().date_system();
            let Some(filter) = filter(sheet, id, item, dates).filter(|filter| filter.rows.0 <= used) else {
                continue;
            };
            for column in &filter.columns {
                let rows = (filter.rows.0, filter.rows.1.min(used));
                let cells = Range::from_indices(rows.0, column.column, rows.1, column.column);
                let Some(cells) = cells else { continue };
                let colors = CellColors::new(self, sheet, cells);
                let appearance = |cell: CellAddress| colors.of(cell);
                let tested = rows_in_filter(sheet, column.column, rows);
                hide(sheet, column, &tested, &Cancel::NEVER, &appearance, &mut |row| {
                    hidden[row as usize / 64] |= 1 << (row % 64);
                });
            }
        }
        runs(&hidden)
    }

    /// The text by which filters compare the cell: its text in the invariant locale.
    pub fn filtered_text(&self, sheet: SheetId, cell: CellAddress) -> String {
        let Some(sheet) = self.workbook().sheet(sheet) else { return String::new() };
        let (value, dates) = (sheet.value(cell), self.workbook().date_system());
        invariant_text(&value, sheet.format(cell), dates, &self.number_formats).into_owned()
    }

    /// The day of a date in ISO 8601, such as `2026-11-28`; `None` for other cells.
    pub fn displayed_day(&self, sheet: SheetId, cell: CellAddress) -> Option<String> {
        let dates = self.workbook().date_system();
        let sheet = self.workbook().sheet(sheet)?;
        let (Value::Number(number), Some(code)) = (sheet.value(cell), &sheet.format(cell).number_format)
        else {
            return None;
        };
        let shows_day = with_number_format(&self.number_formats, code, dates, |format| format.shows_day());
        let day =
            civil_from_serial(number.floor() as i64 + dates.offset_from_1900()).filter(|_| shows_day)?;
        Some(format!("{:04}-{:02}-{:02}", day.year, day.month, day.day))
    }

    /// Whether cells of `range` are within a filter that has conditions.
    pub fn affects_filters(&self, sheet: SheetId, range: Range) -> bool {
        let items = self.workbook().sheet(sheet).map(Sheet::items);
        let columns = items.into_iter().flat_map(|items| items.of_kind(ItemKind::FilterColumn));
        let filters = columns.filter_map(|(_, column)| items?.get(column.parent()?));
        let mut areas = filters.flat_map(|filter| &filter.anchors);
        areas.any(|area| area.intersects(range))
    }
}

/// Runs of set bits, as first row and count.
fn runs(rows: &[u64]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (word, first) in rows.iter().zip((0u32..).step_by(64)) {
        let mut left = *word;
        while left != 0 {
            let row = first + left.trailing_zeros();
            // All consecutive set bits up to the end of the word.
            let count = (left >> left.trailing_zeros()).trailing_ones();
            match runs.last_mut() {
                Some((start, length)) if *start + *length == row => *length += count,
                _ => runs.push((row, count)),
            }
            left &= !(u64::MAX >> (64 - count) << (row - first));
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bit_runs_equal_the_set_rows(rows in prop::collection::btree_set(0..200u32, 0..200)) {
            let mut bits = vec![0u64; 4];
            for row in &rows {
                bits[*row as usize / 64] |= 1 << (row % 64);
            }
            let runs = runs(&bits);
            prop_assert!(runs.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0), "{:?}", runs);
            let expanded: Vec<u32> = runs.into_iter().flat_map(|(first, count)| first..first + count).collect();
            prop_assert_eq!(expanded, rows.into_iter().collect::<Vec<u32>>());
        }
    }
}
