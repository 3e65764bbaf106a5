//! What `quadrille doctor` finds.

use std::fmt;

use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    /// Works, but not as well or as safely as it could.
    Warning,
    /// The server does not start, or people cannot use it.
    Problem,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Ok => "ok",
            Status::Warning => "warning",
            Status::Problem => "problem",
        })
    }
}

/// What a check has found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    pub status: Status,
    /// What was looked at, in one word.
    pub check: &'static str,
    pub message: String,
    /// What to do about it; empty when nothing has to be done.
    pub advice: String,
}

/// The findings, in the order of the checks.
#[derive(Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// The findings, in the order of the checks.
    pub fn list(&self) -> &[Finding] {
        &self.0
    }

    /// Adds that something is as it should be.
    pub fn ok(&mut self, check: &'static str, message: impl Into<String>) {
        self.add(Status::Ok, check, message, "");
    }

    /// Adds something that works, but not well.
    pub fn warning(&mut self, check: &'static str, message: impl Into<String>, advice: impl Into<String>) {
        self.add(Status::Warning, check, message, advice);
    }

    /// Adds something that does not work.
    pub fn problem(&mut self, check: &'static str, message: impl Into<String>, advice: impl Into<String>) {
        self.add(Status::Problem, check, message, advice);
    }

    fn add(
        &mut self,
        status: Status,
        check: &'static str,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.0.push(Finding { status, check, message: message.into(), advice: advice.into() });
    }
}
