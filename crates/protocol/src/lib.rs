//! The byte formats of Quadrille: frames, records, snapshots and digests. No other crate knows
//! them.
//!
//! Start with [`ClientFrame`] and [`ServerFrame`], the messages of a session, then [`Record`], an
//! entry of a room's journal that is also sent to clients as it is. `docs/protocol.md` has the
//! rules.
//!
//! Decoding never panics, never allocates by a count that the bytes only declare, and refuses
//! unknown bytes (P14). Encoding is a function of the value alone (P13).

mod access_frames;
mod bytes;
mod chat;
mod expression;
mod following;
mod format_patch;
mod frame;
mod identity;
mod inputs;
mod item;
pub mod limits;
mod persisted_replica;
mod ranges;
mod record;
mod room_snapshot;
mod snapshot;
mod transaction;

pub use access_frames::AccessFrame;
pub use bytes::DecodeError;
pub use chat::{ChatFrame, ChatMessage, ChatRejectionReason, ChatRequest};
pub use following::{FollowFrame, FollowRequest};
pub use frame::{
    ClientFrame, ClientFrameKind, CloseReason, FrameError, Hello, PROTOCOL_VERSION, Person, Presence,
    RejectCode, Resume, ServerFrame, Welcome,
};
pub use identity::{
    Author, Counter, Incarnation, ReplicaId, ReplicaSecret, Revision, Role, RoomName, RoomNameError,
    SessionId, TimeAndSeed, fresh_sheet_id,
};
pub use persisted_replica::{PersistedHead, PersistedTransaction};
pub use record::{Record, RecordHeader};
pub use room_snapshot::{RoomSnapshot, Submitted};
pub use snapshot::{decode_snapshot, digest, digest_of_snapshot, snapshot_bytes};
pub use transaction::{decode_transaction, encode_transaction};
