//! Delimited text: comma-, tab- or otherwise separated values, in and out.

mod cell_input;
mod delimiter;
mod encoding;
mod read;
mod records;
mod write;

pub(crate) use cell_input::Typing;
pub(crate) use read::read;
pub(crate) use write::{write_delimited, write_rows_json};
