//! Sheet notation, generators and the fake network, disk and clock of the tests.

pub mod cell_notation;
pub mod content;
pub mod generators;
pub mod sheet_examples;

pub use sheet_examples::check;
