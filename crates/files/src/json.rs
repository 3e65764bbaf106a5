//! JSON: Quadrille's format of a workbook (`docs/files.md`), and reading of arrays of rows or
//! records.

mod read;
mod tree;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;
