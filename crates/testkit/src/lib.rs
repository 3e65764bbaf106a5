//! Sheet notation, generators and the fake network, disk and clock of the tests.

pub mod content;
pub mod generate;
