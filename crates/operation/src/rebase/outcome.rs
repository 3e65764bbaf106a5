//! [`Outcome`]: the result of rebasing two operations over each other.

use crate::Operation;

/// The operations that replace each of two operations when it follows the other. `None`: the
/// operation does not change; an empty list: it has no effect left.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub later: Option<Vec<Operation>>,
    pub earlier: Option<Vec<Operation>>,
}

impl Outcome {
    /// Neither operation changes.
    pub(super) fn unchanged() -> Outcome {
        Outcome::default()
    }

    /// Only the later operation changes.
    pub(super) fn later(operations: Vec<Operation>) -> Outcome {
        Outcome { later: Some(operations), earlier: None }
    }

    /// Only the earlier operation changes.
    pub(super) fn earlier(operations: Vec<Operation>) -> Outcome {
        Outcome { later: None, earlier: Some(operations) }
    }

    /// Both operations change.
    pub(super) fn both(later: Vec<Operation>, earlier: Vec<Operation>) -> Outcome {
        Outcome { later: Some(later), earlier: Some(earlier) }
    }
}
