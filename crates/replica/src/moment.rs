//! The date, time and random seed under which a calculation runs.

/// The wall clock at the time of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Milliseconds since 1970-01-01 UTC.
    pub unix_ms: i64,
}
