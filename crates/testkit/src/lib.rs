//! Sheet notation, generators and the fake network, disk and clock of the tests.

pub mod cells;
pub mod content;
pub mod generate;
pub mod sheet;

pub use sheet::check;
