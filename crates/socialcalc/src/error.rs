//! Why a command was refused.

use std::fmt;

/// A command that cannot be read or carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatementError {
    /// The number of the command in its request, from 1.
    pub number: usize,
    /// What is wrong, with the word that is wrong, and what would be right.
    pub reason: String,
}

impl fmt::Display for StatementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "command {}: {}", self.number, self.reason)
    }
}

impl std::error::Error for StatementError {}
