//! The client half of a session: a copy of a room's document that is edited at once and agrees in the end.
//!
//! A [`Replica`] takes [`Event`]s (frames from the room, commands from the person, the connection coming and
//! going) and returns [`Effect`]s (frames to send, notices for the person). It has no socket, clock or chance of
//! its own: the browser's worker, the load generator and the simulator all run this one.
//!
//! Its document is *optimistic*: the confirmed transactions in the room's order, then the person's own
//! unconfirmed ones. When a confirmed one arrives, those are taken back, it is applied, and they are applied
//! again, rebased (`unconfirmed.rs`). Between two pages it is written down piece by piece (`local_persistence.rs`). Start with `replica.rs`; `docs/protocol.md` holds the rules of a session.

mod digests;
mod errors;
mod event;
mod history;
mod limits;
mod local_persistence;
mod locale;
mod moment;
mod people;
mod random_source;
mod replica;
mod restore;
mod session;
mod unconfirmed;

pub use crate::moment::Moment;
pub use errors::ReplicaError;
pub use event::{Effect, Event, Status};
pub use limits::{
    IN_FLIGHT_MAX, PRESENCE_INTERVAL_MS, UNCONFIRMED_BYTES_MAX, UNCONFIRMED_MAX, UNDO_STEPS_MAX,
    UNDO_TRANSACTIONS_MAX,
};
pub use local_persistence::{PersistedState, Restored};
pub use locale::LocaleSettings;
pub use people::People;
pub use replica::Replica;
