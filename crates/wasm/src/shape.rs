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
