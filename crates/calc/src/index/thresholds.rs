//! When an index is worth its memory.

/// Requests after which a column or row is indexed: reading it this often costs about as much.
pub(super) const REQUESTS_MIN: u32 = 16;
/// Shorter columns and rows are read faster than an index is maintained.
pub(super) const LENGTH_MIN: u32 = 64;
