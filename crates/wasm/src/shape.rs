//! Extent and sizes of a sheet, in one buffer. Read by `web/protocol/src/shape.ts`.
//!
//! u32, little-endian: magic, sheet, used rows, used columns, runs of row heights, runs of column widths; then
//! first, count and size in CSS pixels of each run.

use quadrille_cell::{Dimension, SheetId};
use quadrille_document::Document;

const MAGIC: u32 = 0x3153_5100;

/// Rows and columns up to the last one in use; zero for an empty sheet and for one that is gone.
pub fn used(document: &Document, sheet: SheetId) -> (u32, u32) {
    document
        .workbook()
        .sheet(sheet)
        .and_then(|sheet| sheet.used_range())
        .map_or((0, 0), |used| (used.last().row.get() + 1, used.last().column.get() + 1))
}

pub fn encode(document: &Document, sheet: SheetId) -> Vec<u8> {
    let (rows, columns) = used(document, sheet);
    let runs = |dimension| {
        let found = document.workbook().sheet(sheet);
        found.into_iter().flat_map(move |sheet| sheet.size_runs(dimension)).collect::<Vec<_>>()
    };
    let (heights, widths) = (runs(Dimension::Rows), runs(Dimension::Columns));
    let header = [MAGIC, sheet.0, rows, columns, heights.len() as u32, widths.len() as u32];
    let sizes = heights.into_iter().chain(widths);
    let words = header.into_iter().chain(sizes.flat_map(|(first, count, size)| [first, count, size.into()]));
    words.flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_shape_holds_extent_and_sizes() {
        let mut workbook = testing::document("C4: 1").snapshot();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet has number 1");
        sheet.set_sizes(Dimension::Rows, 2, 3, Some(40));
        sheet.set_sizes(Dimension::Columns, 0, 1, Some(7));
        let bytes = encode(&Document::from_workbook(workbook), SheetId(1));
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
            .collect();
        assert_eq!(words, [MAGIC, 1, 4, 3, 1, 1, 2, 3, 40, 0, 1, 7]);
    }
}
