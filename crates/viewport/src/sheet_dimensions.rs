//! Extent, sizes and hidden lines of a sheet, in one buffer. Read by `web/protocol/src/shape.ts`.
//!
//! u32, little-endian: magic, sheet, used rows, used columns, frozen rows, frozen columns, bits (1 right to left, 2 without
//! gridlines), and how many runs follow: row heights, column widths, hidden rows, hidden columns. Then first, count
//! and CSS pixels of each size, first and count of each hidden run.

use quadrille_cell::{Dimension, SheetId};
use quadrille_document::Document;
use quadrille_workbook::{Field, ItemId, Sheet};

const MAGIC: u32 = 0x3253_5100;

/// Rows and columns up to the last one in use; zero for an empty sheet and for one that is gone.
pub fn used(document: &Document, sheet: SheetId) -> (u32, u32) {
    document
        .workbook()
        .sheet(sheet)
        .and_then(|sheet| sheet.used_range())
        .map_or((0, 0), |used| (used.last().row.get() + 1, used.last().column.get() + 1))
}

/// Whether the sheet's tab is out of sight, until somebody wants to see it.
pub fn is_hidden(sheet: &Sheet) -> bool {
    sheet.item(ItemId::SETTINGS).and_then(|settings| settings.boolean(Field::Hidden)) == Some(true)
}

pub fn encode(document: &Document, sheet: SheetId, view: Option<ItemId>) -> Vec<u8> {
    let (rows, columns) = used(document, sheet);
    let found = document.workbook().sheet(sheet);
    let sizes = |dimension| {
        let runs = found.into_iter().flat_map(move |sheet| sheet.size_runs(dimension));
        runs.flat_map(|(first, count, size)| [first, count, size.into()]).collect::<Vec<_>>()
    };
    let hidden = |dimension| {
        let runs = found.into_iter().flat_map(move |sheet| sheet.hidden_runs(dimension));
        runs.flat_map(|(first, count)| [first, count]).collect::<Vec<_>>()
    };
    let settings = found.and_then(|sheet| sheet.item(ItemId::SETTINGS));
    let number = |field| settings.and_then(|item| item.number(field)).unwrap_or(0.0) as u32; // at most 1,000
    let boolean = |field| settings.and_then(|item| item.boolean(field));
    let bits = u32::from(boolean(Field::RightToLeft) == Some(true))
        | u32::from(boolean(Field::ShowGridlines) == Some(false)) << 1;
    let (heights, widths) = (sizes(Dimension::Rows), sizes(Dimension::Columns));
    let hidden_rows =
        hidden_rows(document, sheet, view).into_iter().flat_map(|(first, count)| [first, count]);
    let (hidden_rows, hidden_columns) = (hidden_rows.collect::<Vec<_>>(), hidden(Dimension::Columns));
    let header = [
        MAGIC,
        sheet.0,
        rows,
        columns,
        number(Field::FrozenRows),
        number(Field::FrozenColumns),
        bits,
        heights.len() as u32 / 3,
        widths.len() as u32 / 3,
        hidden_rows.len() as u32 / 2,
        hidden_columns.len() as u32 / 2,
    ];
    let words = header.into_iter().chain(heights).chain(widths).chain(hidden_rows).chain(hidden_columns);
    words.flat_map(u32::to_le_bytes).collect()
}

/// First and count of the rows that somebody or a filter hides, from above.
pub fn hidden_rows(document: &Document, sheet: SheetId, view: Option<ItemId>) -> Vec<(u32, u32)> {
    let found = document.workbook().sheet(sheet);
    let hidden = found.into_iter().flat_map(|sheet| sheet.hidden_runs(Dimension::Rows));
    let mut runs: Vec<(u32, u32)> = hidden.chain(document.filtered_rows(sheet, view)).collect();
    runs.sort();
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
    fn a_shape_holds_extent_and_sizes() {
        let mut workbook = test_document("C4: 1").snapshot();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet has number 1");
        sheet.set_sizes(Dimension::Rows, 2, 3, Some(40));
        sheet.set_sizes(Dimension::Columns, 0, 1, Some(7));
        sheet.set_hidden(Dimension::Rows, 8, 2, true);
        let bytes = encode(&Document::from_workbook(workbook), SheetId(1), None);
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
            .collect();
        assert_eq!(words, [MAGIC, 1, 4, 3, 0, 0, 0, 1, 1, 1, 0, 2, 3, 40, 0, 1, 7, 8, 2]);
    }
}
