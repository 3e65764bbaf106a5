//! The server half of a session: gives transactions their order and tells everyone.
//!
//! A [`Room`] is a state machine: [`Event`]s and the [`Moment`] they happen at go in, [`Effect`]s come out.
//! It opens no socket, reads no clock and touches no disk, so that the simulator can run it a million times.
//! Start with `room.rs`; `submit.rs` is the way of a transaction, `joining.rs` the way of a session,
//! `docs/protocol.md` the rules of both.

mod chat;
mod content;
mod event;
mod following;
mod joining;
pub mod limits;
mod people;
mod queue_levels;
mod recent_records;
mod room;
mod session;
mod snapshots;
mod submit;
mod volatile;

pub use chat::{ChatRejection, ChatSubmission};
pub use event::{Change, Discarded, Effect, EncodeJob, Encoded, Event, FramePriority, Moment, Token};
pub use queue_levels::Queue;
pub use room::{Counts, OpenError, Room};
