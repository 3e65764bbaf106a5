//! [`Timestamp`]: the time of an event, passed in by the caller.

/// Wall-clock time of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timestamp {
    /// Milliseconds since 1970-01-01 UTC.
    pub unix_ms: i64,
}
