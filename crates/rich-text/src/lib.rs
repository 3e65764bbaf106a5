//! The texts of cells that EtherCalc shows as HTML, wiki text, links or images.
//!
//! A text becomes a list of [`Piece`]s: elements and attributes of a fixed list, and plain text. From it,
//! [`to_html`] writes HTML, and [`to_runs`] the text with formats that the grid draws. Whatever is not in
//! the list (scripts, event handlers, addresses that would run a script, styles that could cover other
//! content) has no representation here, so that nothing depends on how another program would have read
//! the text. Nothing is loaded.
//!
//! Start reading with `piece.rs`.

mod entities;
mod html;
mod link;
mod piece;
mod runs;
mod style;
mod url;
mod wiki;
mod wiki_phrases;
mod write;

use quadrille_workbook::TextFormat;

pub use entities::decoded;
pub use piece::{Attribute, Element, Piece};
pub use runs::{RichText, Run, to_runs};
pub use style::{CssFormat, color, css_format};
pub use write::to_html;

/// The pieces of a cell's text in a format.
pub fn pieces(format: TextFormat, text: &str) -> Vec<Piece> {
    match format {
        TextFormat::Html => html::pieces(text),
        TextFormat::Wiki => wiki::pieces(text),
        TextFormat::Link => link::pieces(text),
        TextFormat::Image => link::image(text),
    }
}
