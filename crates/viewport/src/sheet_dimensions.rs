//! Extent of a sheet, its row heights, column widths and hidden rows and columns, in one buffer.
//! `web/protocol/src/sheet-dimensions.ts` decodes it.
//!
//! Layout, in little-endian `u32`: magic, sheet, used rows, used columns, frozen rows, frozen
//! columns, flags (1: right to left, 2: no gridlines), then the number of runs of row heights,
//! column widths, hidden rows and hidden columns. Then first, count and CSS pixels of each size
//! run, and first and count of each hidden run.

use quadrille_cell::{Dimension, SheetId};
use quadrille_document::Document;
use quadrille_workbook::{Field, ItemId, Sheet};

use crate::panels::hidden_around;
use crate::view_settings::ViewSettings;

const MAGIC: u32 = 0x3253_5100;

/// Number of rows and columns up to the last one in use; zero for an empty or unknown sheet.
pub fn used_extent(document: &Document, sheet: SheetId) -> (u32, u32) {
    document
        .workbook()
        .sheet(sheet)
        .and_then(|sheet| sheet.used_range())
        .map_or((0, 0), |used| (used.last().row.get() + 1, used.last().column.get() + 1))
}

/// Whether the sheet's tab is hidden.
pub fn is_hidden(sheet: &Sheet) -> bool {
    sheet.item(ItemId::SETTINGS).and_then(|settings| settings.boolean(Field::Hidden)) == Some(true)
}

/// Encodes the dimensions of a sheet as seen with these settings: through a filter view or the sheet's
/// filter, and in EtherCalc's view `/app` without what its panels hide. An unknown sheet is encoded as an
/// empty one.
pub fn encode(document: &Document, sheet_id: SheetId, view: &ViewSettings) -> Vec<u8> {
    let (rows, columns) = used_extent(document, sheet_id);
    let sheet = document.workbook().sheet(sheet_id);
    let shown = sheet.and_then(|sheet| view.shown_ranges(sheet));
    let sizes = |dimension| {
        let runs = sheet.into_iter().flat_map(move |sheet| sheet.size_runs(dimension));
        runs.flat_map(|(first, count, size)| [first, count, size.into()]).collect::<Vec<_>>()
    };
    let settings = sheet.and_then(|sheet| sheet.item(ItemId::SETTINGS));
    let number = |field| settings.and_then(|item| item.number(field)).unwrap_or(0.0) as u32; // at most 1,000
    let boolean = |field| settings.and_then(|item| item.boolean(field));
    let flags = u32::from(boolean(Field::RightToLeft) == Some(true))
        | u32::from(boolean(Field::ShowGridlines) == Some(false) || view.shows_panels) << 1;
    let (heights, widths) = (sizes(Dimension::Rows), sizes(Dimension::Columns));
    let (hidden_rows, hidden_columns) = match &shown {
        Some(ranges) => (
            joined(hidden_around(ranges, Dimension::Rows), document.filtered_rows(sheet_id, None)),
            hidden_around(ranges, Dimension::Columns),
        ),
        None => (
            hidden_rows(document, sheet_id, view.filter_view(sheet_id)),
            sheet.into_iter().flat_map(|sheet| sheet.hidden_runs(Dimension::Columns)).collect(),
        ),
    };
    let words = |runs: Vec<(u32, u32)>| -> Vec<u32> {
        runs.into_iter().flat_map(|(first, count)| [first, count]).collect()
    };
    let (hidden_rows, hidden_columns) = (words(hidden_rows), words(hidden_columns));
    let header = [
        MAGIC,
        sheet_id.0,
        rows,
        columns,
        number(Field::FrozenRows),
        number(Field::FrozenColumns),
        flags,
        heights.len() as u32 / 3,
        widths.len() as u32 / 3,
        hidden_rows.len() as u32 / 2,
        hidden_columns.len() as u32 / 2,
    ];
    let words = header.into_iter().chain(heights).chain(widths).chain(hidden_rows).chain(hidden_columns);
    words.flat_map(u32::to_le_bytes).collect()
}

/// First row and count of each run of rows that are hidden manually or by the filter, in ascending
/// order.
pub fn hidden_rows(document: &Document, sheet_id: SheetId, view: Option<ItemId>) -> Vec<(u32, u32)> {
    let sheet = document.workbook().sheet(sheet_id);
    let hidden = sheet.into_iter().flat_map(|sheet| sheet.hidden_runs(Dimension::Rows));
    joined(hidden.collect(), document.filtered_rows(sheet_id, view))
}

/// The runs of both lists in ascending order, without overlaps.
fn joined(mut runs: Vec<(u32, u32)>, others: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    runs.extend(others);
    runs.sort_unstable();
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for (first, count) in runs {
        match joined.last_mut() {
            Some((start, length)) if first <= *start + *length => {
                *length = (*length).max(first + count - *start);
            }
            _ => joined.push((first, count)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_document;

    #[test]
    fn dimensions_hold_extent_and_sizes() {
        let mut workbook = test_document("C4: 1").snapshot();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet has number 1");
        sheet.set_sizes(Dimension::Rows, 2, 3, Some(40));
        sheet.set_sizes(Dimension::Columns, 0, 1, Some(7));
        sheet.set_hidden(Dimension::Rows, 8, 2, true);
        let bytes = encode(&Document::from_workbook(workbook), SheetId(1), &ViewSettings::default());
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
            .collect();
        assert_eq!(words, [MAGIC, 1, 4, 3, 0, 0, 0, 1, 1, 1, 0, 2, 3, 40, 0, 1, 7, 8, 2]);
    }

    #[test]
    fn panels_replace_what_is_hidden_otherwise() {
        let mut workbook = test_document("A1: =PANEL(1,B2:C3)").snapshot();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet has number 1");
        sheet.set_hidden(Dimension::Rows, 1, 1, true);
        let mut document = Document::from_workbook(workbook);
        document.evaluate(u64::MAX);
        let mut view = ViewSettings::default();
        view.shows_panels = true;
        let bytes = encode(&document, SheetId(1), &view);
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
            .collect();
        let (rows, columns) = (Dimension::Rows.len_max(), Dimension::Columns.len_max());
        let hidden = [0, 1, 3, rows - 3, 0, 1, 3, columns - 3];
        assert_eq!(words, [&[MAGIC, 1, 1, 1, 0, 0, 2, 0, 0, 2, 2], &hidden[..]].concat());
    }
}
