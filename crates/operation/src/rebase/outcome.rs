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
