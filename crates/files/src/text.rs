//! Delimited text: comma-, tab- or otherwise separated values, in and out.

mod delimiter;
mod encoding;
mod read;
mod records;
mod typed;
mod write;

pub(crate) use read::read;
pub(crate) use typed::Typing;
pub(crate) use write::{write_delimited, write_rows_json};
