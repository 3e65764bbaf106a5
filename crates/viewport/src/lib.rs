//! What a grid draws, laid out for it: cells of a window, the shape of a sheet, and both together for the first look.
//!
//! The page's engine gives these buffers to the grid, and so does the server before the engine has loaded; drawing does not know
//! which. Nothing here knows of sessions. Read by `web/protocol`. Start with `cell_window.rs`.

pub mod cell_markers;
pub mod cell_window;
pub mod preview;
pub mod sheet_dimensions;
pub mod table_styles;
pub mod view_settings;

use serde::Serialize;

#[cfg(test)]
fn test_document(cells: &str) -> quadrille_document::Document {
    let mut document =
        quadrille_document::Document::from_workbook(quadrille_testkit::cell_notation::read_cells(cells));
    document.evaluate(u64::MAX);
    document
}

fn to_json(message: &impl Serialize) -> Vec<u8> {
    quadrille_json::write(message)
}
