//! Sheets, columnar cell store, formats, names and geometry; copy-on-write.

mod format;
mod input;

pub use format::{Color, Format, FormatPatch, HorizontalAlignment, VerticalAlignment};
pub use input::{Input, Literal};
