//! [`Setting`], the options of a run, and [`Outcome`], the result of all fallible functions.

use std::path::PathBuf;

/// The error is a message for the terminal.
pub type Outcome<T> = Result<T, String>;

/// The options of a run.
pub struct Setting {
    pub binary: PathBuf,
    pub root: PathBuf,
    /// Fewer repetitions, for use during development.
    pub is_quick: bool,
    /// Whether other products are measured, too.
    pub with_peers: bool,
    /// Names of the parts of a workload to run; empty for all.
    pub only: Vec<String>,
}

impl Setting {
    /// Whether a part of the workload is to be run.
    pub fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == part)
    }
}
