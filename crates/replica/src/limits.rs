//! Upper bounds of a replica's queues, and what happens when they are reached.

/// Unconfirmed transactions, for instance while offline. Further commands are refused.
pub const UNCONFIRMED_MAX: usize = 10_000;
/// Bytes of encoded unconfirmed transactions. Further commands are refused.
pub const UNCONFIRMED_BYTES_MAX: usize = 64 << 20;
/// Transactions sent and not yet confirmed; others wait. The room's limit is higher.
pub const IN_FLIGHT_MAX: usize = 64;
/// Undo steps. The oldest step is discarded.
pub const UNDO_STEPS_MAX: usize = 200;
/// Transactions of others that are stored for undo. Beyond it the oldest step is rebased over its
/// transactions, and if that does not suffice discarded.
pub const UNDO_TRANSACTIONS_MAX: usize = 20_000;
/// Minimum interval between two presence frames, in milliseconds. Twenty frames per second look
/// continuous; typing and dragging change the selection more often.
pub const PRESENCE_INTERVAL_MS: i64 = 50;
/// Structural edits of others that are stored until the client takes them. Further ones are
/// discarded.
pub const STRUCTURAL_EDITS_MAX: usize = 10_000;
