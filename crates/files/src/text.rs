//! Delimited text: values separated by commas, tabs or other characters.

mod cell_input;
mod delimiter;
mod encoding;
mod read;
mod records;
mod write;

pub(crate) use cell_input::FieldParser;
pub(crate) use read::read;
pub(crate) use write::{write_delimited, write_rows_json};
