//! The vocabulary of change: apply, invert, rebase; commands to operations.

mod vocabulary;

pub use vocabulary::{Operation, Transaction};
