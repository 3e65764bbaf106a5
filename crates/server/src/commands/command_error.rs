//! Errors of subcommands.

/// The error of a subcommand, with a message of one line. The numbers are exit codes; code 3 is the
/// storage failure of a running server (`serve.rs`).
pub enum CommandError {
    /// 1: the command failed.
    Failed(String),
    /// 2: the configuration is invalid.
    Misconfigured(String),
    /// 4: stored data is damaged; the details have been printed line by line.
    Damaged(String),
}

/// Exit code after the storage failed while serving; see `docs/configuration.md`.
pub const STORAGE_FAILED: i32 = 3;
