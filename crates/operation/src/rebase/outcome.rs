//! [`Outcome`]: the operations that replace one operation when it is rebased over another.

use crate::Operation;

/// What two operations become after one another; `None` where an operation stays as it is.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub later: Option<Vec<Operation>>,
    pub earlier: Option<Vec<Operation>>,
}

impl Outcome {
    pub(super) fn unchanged() -> Outcome {
        Outcome::default()
    }

    pub(super) fn later(operations: Vec<Operation>) -> Outcome {
        Outcome { later: Some(operations), earlier: None }
    }

    pub(super) fn earlier(operations: Vec<Operation>) -> Outcome {
        Outcome { later: None, earlier: Some(operations) }
    }

    pub(super) fn both(later: Vec<Operation>, earlier: Vec<Operation>) -> Outcome {
        Outcome { later: Some(later), earlier: Some(earlier) }
    }
}
