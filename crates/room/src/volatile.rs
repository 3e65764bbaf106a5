//! State of volatile functions (`NOW`, `RAND`): when the document last got a new evaluation
//! context.

use crate::limits::VOLATILE_EVERY_MS;

pub(crate) struct Volatile {
    /// Whether some formula depends on time or randomness. Stays `true` when that formula is
    /// deleted: finding out costs as much as the workbook is large, and a needless tick costs
    /// nothing.
    pub has_volatile_formulas: bool,
    /// `None`: the evaluation context changes with edits only.
    pub every_ms: Option<u64>,
    /// Monotonic time of the last record; every record brings a new evaluation context.
    pub context_time_ms: u64,
}

impl Volatile {
    /// Creates the schedule with the default interval, `VOLATILE_EVERY_MS`.
    pub fn new(has_volatile_formulas: bool) -> Volatile {
        Volatile { has_volatile_formulas, every_ms: Some(VOLATILE_EVERY_MS), context_time_ms: 0 }
    }
}
