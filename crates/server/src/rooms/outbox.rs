//! The outgoing side of a session, as its room and its task see it.

use std::sync::Arc;

use quadrille_protocol::{CloseReason, Revision};
use quadrille_room::FramePriority;
use tokio::sync::futures::Notified;

use super::fanout::Fanout;
use crate::websocket::outgoing_frame::OutFrame;

/// The frames for one session: its own, and the broadcasts of its room from a cursor on. Shared by the
/// room's thread and the session's task.
pub trait Outbox: Send + Sync {
    /// Sets the broadcasts of the session's room. To be called once, before any frame is pushed.
    fn set_broadcasts(&self, broadcasts: Arc<Fanout>);

    /// Queues a frame for this session alone; [`flush`](Self::flush) writes it.
    fn push(&self, frame: OutFrame, priority: FramePriority) -> Pushed;

    /// Subscribes the session to broadcasts, which begin with this revision.
    fn subscribe(&self, next_revision: Revision);

    /// Whether the session gets broadcasts.
    fn is_subscribed(&self) -> bool;

    /// Closes the session after the queued frames. Later calls keep the first reason.
    fn close(&self, reason: CloseReason);

    /// Writes what the connection takes now. Called by the room's thread.
    fn flush(&self) -> Flushed;

    /// As [`flush`](Self::flush), after broadcasts: nothing for a session with a
    /// [stream](Self::broadcast_stream), which is flushed once for all its sessions.
    fn flush_broadcasts(&self) -> Flushed {
        self.flush()
    }

    /// The outbox that writes the broadcasts for this session and others, in place of this one: that of a
    /// connection to a server that relays them.
    fn broadcast_stream(&self) -> Option<Arc<dyn Outbox>> {
        None
    }

    /// Whether the connection has ended, so that nothing is written any more.
    fn is_disconnected(&self) -> bool;

    /// Writes what the connection takes now, and returns what has happened. Called by the session's task.
    fn advance(&self) -> Progress;

    /// Wakes the session's task without a frame.
    fn wake(&self);

    /// Completes when the session's task has to call [`advance`](Self::advance), or was woken.
    fn changed(&self) -> Notified<'_>;
}

/// Result of queueing a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pushed {
    Queued,
    /// Presence, which a later frame replaces, or a frame after the close.
    Dropped,
    /// An ordered frame does not fit: the client reads too slowly.
    Overflowed,
}

/// Result of writing by the room's thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flushed {
    /// All frames have been written.
    All,
    /// The session's task writes the rest.
    Behind,
}

/// Result of writing by the session's task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Bytes written.
    pub bytes: usize,
    /// The task has more to write.
    pub is_behind: bool,
    /// The first missed revision, to be reported to the room before `is_drained`.
    pub missed: Option<Revision>,
    /// The queue is empty after a missed revision, to be reported to the room.
    pub is_drained: bool,
    /// All frames including the close frame have been written.
    pub closed: Option<CloseReason>,
    pub is_disconnected: bool,
}

/// Bytes of own frames that may be queued, and which frames are refused beyond them.
///
/// Snapshots are not counted: their bytes are shared, and a session cannot continue without them.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnBytes(pub usize);

impl OwnBytes {
    /// Counts a frame, unless it is refused.
    pub fn add(&mut self, bytes: usize, priority: FramePriority, bytes_max: usize) -> Pushed {
        let sum = self.0 + bytes;
        match priority {
            FramePriority::Snapshot => return Pushed::Queued,
            FramePriority::Presence if sum > bytes_max / 2 => return Pushed::Dropped,
            // A single frame larger than the limit, such as a record with a whole file, is queued when the
            // queue is empty: it cannot be split.
            FramePriority::Ordered if sum > bytes_max && self.0 > 0 => return Pushed::Overflowed,
            FramePriority::Ordered | FramePriority::Presence => {}
        }
        self.0 = sum;
        Pushed::Queued
    }

    /// Counts a written frame.
    pub fn remove(&mut self, bytes: usize) {
        self.0 -= bytes;
    }
}
