//! Storage of a workbook: sheets, cells in columns, formats, row and column sizes, names and items.
//!
//! A [`Workbook`] is a list of [`Sheet`]s with defined names and [`Items`]. A sheet stores its
//! cells by [`Column`]; a column stores values in [`Block`]s of up to 4,096 rows and formulas as
//! [`Runs`] of templates in relative form. Everything is copy-on-write: a clone shares sheets,
//! columns and blocks until one of the copies is written, so a clone costs one pointer per sheet
//! and is a snapshot.
//!
//! This crate neither evaluates formulas nor rewrites their references, and it knows nothing of
//! operations: `calc` and `operation` do that. Start reading with `workbook.rs`, then `sheet.rs`
//! and `column.rs`.

mod block;
mod column;
mod format;
mod formats;
mod imports;
mod input;
mod item_id;
mod items;
mod rich_text;
mod runs;
mod sheet;
mod tables;
mod text_runs;
mod values;
mod workbook;

pub use block::{BLOCK_ROWS, Block, Mixed, MixedSlice, Slice, Tag};
pub use column::Column;
pub use format::{
    Border, BorderStyle, Color, FillPattern, FontScript, FontSize, Format, FormatPatch, HorizontalAlignment,
    Overflow, ReadingOrder, Rotation, TextFormat, UnderlineStyle, VerticalAlignment,
};
pub use imports::{
    ImportFailure, ImportFunction, ImportSource, Imported, import_of, imports_data, is_import,
};
pub use input::{Input, Literal};
pub use items::{
    Field, FieldType, FieldValue, Fields, Item, ItemHome, ItemId, ItemKind, Items, Schema,
    WORKBOOK_TITLE_MAX, range_of_reference, without_parentheses,
};
pub use runs::{Run, Runs};
pub use sheet::Sheet;
pub use tables::TableColumns;
pub use text_runs::{TextFont, TextRun, TextRuns};
pub use values::PreparedBlocks;
pub use workbook::Workbook;
