//! The client side of a session: a copy of a room's document that applies edits at once and
//! converges with the room.
//!
//! A [`Replica`] takes [`Event`]s (frames from the room, commands of the user, changes of the
//! connection) and returns [`Effect`]s (frames to send, errors to show). It has no socket, clock or
//! source of randomness of its own, so the browser's worker, the load generator and the simulator
//! all use it.
//!
//! Its document is *optimistic*: the confirmed transactions in the room's order, followed by the
//! user's unconfirmed ones. When a confirmed transaction of another replica arrives, the
//! unconfirmed ones are reverted, it is applied, and they are rebased and applied again
//! (`unconfirmed.rs`). `history.rs` is the undo history, `local_persistence.rs` stores the state of
//! a replica between sessions.
//!
//! Start with `replica.rs`. `docs/protocol.md` has the rules of a session.

mod digests;
mod errors;
mod event;
mod history;
mod limits;
mod local_persistence;
mod locale;
mod people;
mod random_source;
mod replica;
mod restore;
mod session;
mod timestamp;
mod unconfirmed;

pub use crate::timestamp::Timestamp;
pub use errors::ReplicaError;
pub use event::{Effect, Event, Status};
pub use limits::{
    IN_FLIGHT_MAX, PRESENCE_INTERVAL_MS, UNCONFIRMED_BYTES_MAX, UNCONFIRMED_MAX, UNDO_STEPS_MAX,
    UNDO_TRANSACTIONS_MAX,
};
pub use local_persistence::{PersistedChanges, PersistedReplica};
pub use locale::LocaleSettings;
pub use people::People;
pub use replica::Replica;
