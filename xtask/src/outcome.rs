//! The result type of all commands.

/// The error is a message for the terminal.
pub type Outcome = Result<(), String>;
