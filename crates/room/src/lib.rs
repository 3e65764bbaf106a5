//! The server half of a session: a room orders transactions, stores them through its caller and
//! distributes them to all sessions.
//!
//! A [`Room`] is a state machine. The caller passes in [`Event`]s, each with the [`Moment`] at
//! which it happens, and carries out the [`Effect`]s that come back. The crate opens no socket,
//! reads no clock, starts no thread and touches no disk, so that the simulator can run a room with
//! any timing.
//!
//! ```no_run
//! # use quadrille_room::{Effect, Event, Moment, Room};
//! # fn example(room: &mut Room, moment: Moment, event: Event) {
//! for effect in room.handle(moment, event) {
//!     match effect {
//!         Effect::Append { .. } => { /* store the records, then pass in `Event::Durable` */ }
//!         Effect::Send { .. } => { /* queue the frame for one session */ }
//!         _ => {}
//!     }
//! }
//! # }
//! ```
//!
//! Start reading with `room.rs`. `submit.rs` follows a transaction through the room, `joining.rs` a
//! session; `docs/protocol.md` has the numbered rules (`P1` …) of both.

mod chat;
mod content;
mod edit_permission;
mod effect;
mod event;
mod followers;
mod following;
mod frame_ring;
mod identification;
mod joining;
pub mod limits;
mod people;
mod queue_levels;
mod rebase_window;
mod recent_records;
mod room;
mod session;
mod snapshot_encoding;
mod snapshot_schedule;
mod snapshots;
mod submit;
mod tick;
mod volatile;

pub use effect::{ChatRejection, Discarded, Effect, FramePriority};
pub use event::{Change, ChatSubmission, Event, Moment, Token};
pub use frame_ring::{FrameLookup, FrameRing, Position, SharedFrame};
pub use limits::QueueLevel;
pub use room::{Counts, OpenError, Room};
pub use snapshot_encoding::{EncodeJob, Encoded};
