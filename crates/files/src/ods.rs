//! OpenDocument spreadsheets (ODF 1.3, ISO/IEC 26300): values, formulas, looks, merged cells, sizes, names and notes.
//! What else such files hold is left out, and said.

mod filters;
mod formulas;
mod numbers;
mod read;
mod styles;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;
