//! The result of every command of this program.

/// The error is a sentence for the terminal.
pub type Outcome = Result<(), String>;
