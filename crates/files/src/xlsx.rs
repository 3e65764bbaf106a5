//! Excel's .xlsx (ECMA-376): an archive of XML parts. Read part by part as a stream; written by `rust_xlsxwriter`.
//!
//! [`archive`] guards against archives that expand without end, [`xml`] against documents that nest without end.
//! The parts are read in the order workbook → styles → strings → sheets.

pub(crate) mod archive;
mod arrays;
mod charts;
mod colors;
mod conditional_formats;
mod drawing;
mod formulas;
mod implicit_intersection;
mod page_setup;
mod protection;
mod read;
mod sheet;
mod sheet_parts;
mod sparklines;
mod strings;
mod styles;
mod workbook_part;
mod workbook_settings;
mod write;
mod write_charts;
mod write_conditional_formats;
mod write_images;
mod write_items;
mod write_target;
pub(crate) mod xml;

pub(crate) use implicit_intersection::intersected;
pub(crate) use read::read;
pub(crate) use write::write;
