//! What a replica holds at most, and what happens then.

/// Unconfirmed transactions, for instance while offline. Beyond it commands are refused with words.
pub const UNCONFIRMED_MAX: usize = 10_000;
/// Bytes of unconfirmed transactions as they will be sent; likewise.
pub const UNCONFIRMED_BYTES_MAX: usize = 64 << 20;
/// Transactions sent and not yet confirmed; the others wait their turn. The room allows more.
pub const IN_FLIGHT_MAX: usize = 64;
/// Steps that can be undone; the oldest is forgotten.
pub const UNDO_STEPS_MAX: usize = 200;
/// Transactions of others remembered so that older steps can still be undone after them; beyond it the oldest
/// step is brought up to date, and if that is not enough forgotten.
pub const UNDO_TRANSACTIONS_MAX: usize = 20_000;
/// Milliseconds between two frames that say where the person is.
// Twenty a second look continuous, and typing or dragging makes many more selections than that.
pub const PRESENCE_INTERVAL_MS: i64 = 50;
/// Structural edits of others remembered until the page asks for them; a page that never asks loses the rest.
pub const MOVES_MAX: usize = 10_000;
