//! Excel's .xlsx (ECMA-376): an archive of XML parts. Read part by part as a stream; written by `rust_xlsxwriter`.
//!
//! [`archive`] guards against archives that expand without end, [`xml`] against documents that nest without end.
//! The parts are read in the order workbook → styles → strings → sheets.

mod archive;
mod book;
mod colors;
mod read;
mod sheet;
mod strings;
mod styles;
mod write;
mod xml;

pub(crate) use read::read;
pub(crate) use write::write;
