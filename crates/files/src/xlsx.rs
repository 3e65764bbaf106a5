//! Excel's .xlsx (ECMA-376): an archive of XML parts. Read part by part as a stream; written by `rust_xlsxwriter`.
//!
//! [`archive`] guards against archives that expand without end, [`xml`] against documents that nest without end.
//! The parts are read in the order workbook → styles → strings → sheets.

pub(crate) mod archive;
mod arrays;
mod belongings;
mod book;
mod charts;
mod colors;
mod drawing;
mod formulas;
mod legacy;
mod page;
mod protection;
mod read;
mod rules;
mod settings;
mod sheet;
mod sparklines;
mod strings;
mod styles;
mod write;
mod write_charts;
mod write_images;
mod write_items;
mod write_rules;
pub(crate) mod xml;

pub(crate) use legacy::intersected;
pub(crate) use read::read;
pub(crate) use write::write;
