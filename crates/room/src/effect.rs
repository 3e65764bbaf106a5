//! The output of a room: what the caller must send, store, read or run.

use std::sync::Arc;

use quadrille_protocol::{ChatMessage, ChatRejectionReason, CloseReason, RejectCode, Revision, SessionId};

use crate::event::Token;
use crate::recent_records::Entry;
use crate::snapshot_encoding::EncodeJob;

/// Delivery class of a frame: whether it may be dropped, and whether it counts against the
/// session's outgoing queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FramePriority {
    /// In order, never dropped: a session whose queue is full is reported by `Event::Missed`.
    Ordered,
    /// In order with the others, shared by all joining sessions; not counted against the session's
    /// queue.
    Snapshot,
    /// Dropped first, without notice.
    Presence,
}

/// The reason for rejecting a chat message, and when to retry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChatRejection {
    pub reason: ChatRejectionReason,
    /// Milliseconds until a retry can succeed; 0 when waiting does not help.
    pub wait_ms: u64,
}

/// An output of [`Room::handle`](crate::Room::handle). Effects are carried out in their order.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Store these records after `base`; answered by `Event::Durable` or `Event::AppendFailed`.
    Append {
        base: Revision,
        records: Vec<Arc<[u8]>>,
        /// Milliseconds since 1970-01-01 UTC.
        time_ms: i64,
    },
    /// Send a frame to one session.
    Send { session: SessionId, frame: Arc<[u8]>, priority: FramePriority },
    /// Send a frame to every subscribed session. With `FramePriority::Ordered`, `from` is the first
    /// revision in the frame.
    Broadcast { frame: Arc<[u8]>, priority: FramePriority, from: Revision },
    /// From here on, in the order of effects, the session gets broadcasts.
    Subscribe { session: SessionId },
    /// Close the connection after sending the frames queued for it; no `Event::Disconnect` is
    /// expected.
    Close { session: SessionId, reason: CloseReason },
    /// Run the job, on any thread, and pass the result in as `Event::Encoded`.
    Encode(EncodeJob),
    /// Store a snapshot. No answer is expected; losing it only makes the next opening slower.
    PutSnapshot { revision: Revision, bytes: Arc<[u8]> },
    /// Read the records after a revision, at most `bytes_max` bytes but at least one record;
    /// answered by `Event::Tail`.
    ReadTail { session: SessionId, after: Revision, bytes_max: usize },
    /// Read the stored chat messages; answered by `Event::ChatRead`.
    ReadChat,
    /// Store a chat message after the records appended before it, and delete the messages up to
    /// `forget_up_to`; answered by `Event::ChatStored`.
    StoreChatMessage { number: u64, bytes: Arc<[u8]>, forget_up_to: u64 },
    /// The answer to `Event::Chat`: the stored message, or the reason for rejecting it.
    ChatAccepted { token: Token, result: Result<Arc<ChatMessage>, ChatRejection> },
    /// The request's change is durable.
    RequestCommitted { token: Token, revision: Revision },
    /// The request's change was rejected, or the room stopped before it was durable (`ReadOnly`).
    RequestRejected { token: Token, code: RejectCode, message: String },
    /// The digests of a replica and of the room differ: a bug, to be counted and logged.
    DigestMismatch {
        session: SessionId,
        revision: Revision,
        /// `None` when the room no longer has the digest of that revision.
        room: Option<u64>,
        replica: u64,
    },
    /// Drop this value, preferably on another thread: freeing a record of a million cells takes
    /// many milliseconds.
    Discard(Discarded),
    /// The room has stopped: drop it, and open it again from storage when it is needed.
    Stopped,
}

/// Large records that the room no longer needs.
#[derive(Clone, Debug)]
pub struct Discarded {
    pub(crate) _entries: Vec<Entry>,
}
