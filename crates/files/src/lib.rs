//! Workbooks from files and to files.
//!
//! [`read`] turns the bytes of a file into a [`Workbook`](quadrille_workbook::Workbook), or says in which row they are
//! broken; [`write`] goes the other way. [`import_transaction`] puts what was read into a room.
//! This crate neither computes formulas nor opens files: bytes come in and go out.
//!
//! Every reader fills a [`Contents`](contents::Contents), which [`assemble`](assemble::assemble) makes a workbook of. What
//! a file may hold is in [`limits`]; no reader allocates by a count that the file declares.
//! Formats and what they keep: `docs/files.md`.

mod contents;
mod date_system;
mod displayed_rows;
#[cfg(feature = "xlsx")]
mod document_title;
mod error;
mod file_format;
mod html;
mod images;
mod json;
pub mod limits;
mod markdown;
#[cfg(feature = "xlsx")]
mod ods;
mod progress;
mod read;
mod socialcalc;
mod text;
mod transaction;
mod workbook_builder;
mod write;
mod write_options;
#[cfg(feature = "xlsx")]
mod xlsx;

pub use displayed_rows::Numbers;
pub use error::{FileError, FileErrorCode};
pub use file_format::FileFormat;
pub use images::{Images, image_type};
pub use progress::{Progress, ShouldContinue};
pub use read::{Imported, ReadOptions, read};
pub use transaction::{Placement, import_transaction};
pub use write::{write, write_with_images};
pub use write_options::WriteOptions;
