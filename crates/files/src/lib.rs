//! Reads workbooks from files and writes them to files.
//!
//! [`read`] converts the bytes of a file to a [`Workbook`](quadrille_workbook::Workbook), or fails
//! with the row of the error; [`write()`] does the reverse. [`import_transaction`] makes the
//! transaction that puts an imported workbook into a room. [`FileFormat`] detects formats;
//! `docs/files.md` lists what each format preserves.
//!
//! This crate neither calculates formulas nor opens files: it maps bytes to workbooks and back.
//! Every reader fills a `Contents`, from which
//! `build_workbook` makes the workbook. [`limits`] lists what a
//! file may contain; no reader allocates memory by a count that the file declares.
//!
//! Start reading with `read.rs`, `contents.rs` and `workbook_builder.rs`.

#[cfg(feature = "xlsx")]
mod alternating_colors;
#[cfg(feature = "xlsx")]
mod charts;
mod contents;
mod date_system;
mod displayed_rows;
#[cfg(feature = "xlsx")]
mod document_title;
mod error;
#[cfg(feature = "xlsx")]
mod excel_binary;
mod file_format;
mod filtered_rows;
mod fitted_rows;
#[cfg(feature = "xlsx")]
mod frame;
mod html;
mod images;
mod json;
pub mod limits;
mod losses;
mod markdown;
#[cfg(feature = "xlsx")]
mod ods;
mod page_fields;
#[cfg(feature = "xlsx")]
mod pivot_source;
mod printed_name;
mod progress;
mod read;
#[cfg(feature = "xlsx")]
mod read_image;
#[cfg(feature = "xlsx")]
mod read_shape;
#[cfg(feature = "xlsx")]
mod rule_stops;
#[cfg(feature = "xlsx")]
mod shapes;
mod sheet_titles;
mod socialcalc;
#[cfg(feature = "xlsx")]
mod table_references;
mod text;
mod transaction;
mod workbook_builder;
mod write;
mod write_options;
#[cfg(feature = "xlsx")]
mod xlsx;

pub use displayed_rows::Numbers;
pub use error::{FileError, FileErrorCode};
pub use file_format::FileFormat;
pub use filtered_rows::{FilteredRows, has_filtered_rows};
pub use html::{rich_text_html, style as css_style};
pub use images::{Images, displayed_type, image_type, is_shape, package_parts};
pub use losses::{Loss, LossKind, LossPlace, losses, warnings};
pub use progress::{Progress, ShouldContinue};
pub use read::{Imported, ReadOptions, read};
#[cfg(feature = "xlsx")]
pub use shapes::{
    Crop, Dash, Horizontal, ObjectKind, Rgb, ShapeAttributes, ShapeError, ShapeImage, ShownImage, Vertical,
    change_shape, new_shape, shape_attributes,
};
pub use socialcalc::{
    FormulaResult, comments as socialcalc_comments, dialect as socialcalc_dialect,
    escapes as socialcalc_escapes, formula_results as socialcalc_formula_results, socialcalc_content,
    styles as socialcalc_styles,
};
pub use transaction::{Placement, import_transaction};
pub use write::{write, write_with_filtered_rows, write_with_images};
pub use write_options::WriteOptions;
#[cfg(feature = "xlsx")]
pub use xlsx::has_macros;
