//! JSON in and out: our own shape of a workbook (`docs/files.md`), and to read, arrays of rows or of records.

mod read;
mod tree;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;
