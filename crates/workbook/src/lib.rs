//! Sheets, columnar cell store, formats, names and geometry; copy-on-write.
//!
//! A [`Workbook`] is a list of [`Sheet`]s and the defined names. A sheet keeps its cells by [`Column`]; a column
//! keeps values in [`Block`]s and its formulas as [`Runs`] of templates. Cloning anything is cheap: what is shared
//! is copied when written. This crate stores; it neither evaluates formulas nor rewrites them.

mod block;
mod column;
mod format;
mod formats;
mod input;
mod items;
mod runs;
mod sheet;
mod tables;
mod values;
mod workbook;

pub use block::{BLOCK_ROWS, Block, Mixed, MixedSlice, Slice, Tag};
pub use column::Column;
pub use format::{
    Border, BorderStyle, Color, FontSize, Format, FormatPatch, HorizontalAlignment, Overflow, Rotation,
    VerticalAlignment,
};
pub use input::{Input, Literal};
pub use items::{
    Field, FieldType, FieldValue, Fields, Item, ItemHome, ItemId, ItemKind, Items, Schema, WORKBOOK_TITLE_MAX,
};
pub use runs::{Run, Runs};
pub use sheet::Sheet;
pub use tables::TableColumns;
pub use values::ReadyRows;
pub use workbook::Workbook;
