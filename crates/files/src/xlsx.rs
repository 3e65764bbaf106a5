//! Excel workbooks (`.xlsx`, ECMA-376): archives of XML parts, read as streams and written by
//! `rust_xlsxwriter`.
//!
//! [`archive`] limits the expansion of archives, [`xml`] the nesting of documents. The parts are
//! read in the order workbook, styles, strings, sheets.

pub(crate) mod archive;
mod arrays;
mod charts;
mod colors;
mod conditional_formats;
mod drawing;
mod formulas;
mod implicit_intersection;
mod package_parts;
mod page_setup;
mod pivot_fields;
mod pivots;
mod protection;
mod read;
mod read_package_parts;
mod scenarios;
mod sheet;
mod sheet_parts;
mod sparklines;
mod strings;
mod style_marks;
mod styles;
mod workbook_part;
mod workbook_settings;
mod write;
mod write_cell_styles;
mod write_charts;
mod write_conditional_formats;
mod write_images;
mod write_items;
mod write_package_parts;
mod write_pivots;
mod write_target;
pub(crate) mod xml;

pub(crate) use implicit_intersection::with_implicit_intersection;
pub(crate) use package_parts::PackageParts;
pub use package_parts::has_macros;
pub(crate) use read::read;
pub(crate) use style_marks::WRITTEN_STYLES_MAX;
pub(crate) use write::{TITLE_LENGTH_MAX, rejected_names, write};
pub(crate) use write_pivots::written_pivots;
