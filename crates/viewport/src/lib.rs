//! The binary encodings that the grid draws from.
//!
//! - [`cell_window`]: the visible cells of a rectangle, with styles, merges and
//!   [markers](cell_markers);
//! - [`sheet_dimensions`]: the extent of a sheet, its row and column sizes and hidden rows and
//!   columns;
//! - [`preview`]: sheet names, dimensions and a cell window in one buffer.
//!
//! The engine encodes windows in the browser; the server encodes a preview before the engine is
//! loaded. The grid decodes both with the same code, in `web/protocol`. This crate knows nothing of
//! sessions, frames and drawing. Start reading with `cell_window.rs`.

pub mod cell_markers;
pub mod cell_marks;
pub mod cell_window;
mod chips;
mod form_controls;
pub mod panels;
pub mod preview;
pub mod sheet_dimensions;
pub mod table_styles;
mod validation_marks;
pub mod view_settings;

use serde::Serialize;

#[cfg(test)]
fn test_document(cells: &str) -> quadrille_document::Document {
    let mut document =
        quadrille_document::Document::from_workbook(quadrille_testkit::cell_notation::read_cells(cells));
    document.evaluate(u64::MAX);
    document
}

/// `message` as JSON in UTF-8.
fn to_json(message: &impl Serialize) -> Vec<u8> {
    quadrille_json::write(message)
}
