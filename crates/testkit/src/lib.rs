//! Test support: a notation for sheets, comparable workbook contents and generators for property
//! tests.
//!
//! - [`check`]: one-line examples of operations and calculation;
//! - [`cell_notation`]: workbooks from text and back;
//! - [`content`]: the contents of a workbook in comparable form;
//! - [`generators`]: random workbooks, operations and transactions.

pub mod cell_notation;
pub mod content;
pub mod generators;
pub mod sheet_examples;

pub use sheet_examples::check;
