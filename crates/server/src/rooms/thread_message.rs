//! Messages to a thread that runs rooms.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::time::{Duration, Instant};

use quadrille_journal::{RoomKey, StorageError};
use quadrille_protocol::{CloseReason, RoomName};
use quadrille_room::{Effect, Room};
use tokio::sync::oneshot;

use super::open_room::OpenRoom;
use super::open_room_info::OpenRoomInfo;
use super::room_message::RoomMessage;
use crate::access::Revoked;
use crate::error::ApiError;
use crate::metrics::Metrics;

pub enum ThreadMessage {
    /// For one room, which is opened if necessary.
    Room {
        room: RoomName,
        message: RoomMessage,
    },
    /// A room has been loaded from storage.
    Opened {
        room: RoomName,
        opened: Result<(RoomKey, Box<Room>), OpenFailure>,
    },
    /// A room has been deleted from storage; `false` when it did not exist.
    Deleted {
        room: RoomName,
        result: Result<bool, StorageError>,
        reply: oneshot::Sender<Result<(), ApiError>>,
    },
    /// A worker returns a room after a heavy message.
    Returned {
        room: RoomName,
        open: Box<OpenRoom>,
        /// The effects of the message; `None` when the room panicked.
        effects: Option<Vec<Effect>>,
    },
    CloseSessions {
        reason: CloseReason,
    },
    /// Lists the rooms that are open on this thread.
    ListOpen {
        reply: oneshot::Sender<Vec<OpenRoomInfo>>,
    },
    /// Lists the rooms with sessions that have been open for at least this long and may go to another server.
    ListMovable {
        open_for: Duration,
        reply: oneshot::Sender<Vec<RoomName>>,
    },
    /// Gives a room to the server at the URL `heir`.
    HandOver {
        room: RoomName,
        heir: String,
    },
    /// Credentials of an account have ended, in whatever room they were used.
    Revoke {
        revoked: Revoked,
    },
    /// Ends the thread, after rooms that open slowly have stored a snapshot, but not later than
    /// this.
    Stop {
        snapshots_until: Instant,
    },
}

/// The reason why a room cannot be opened.
pub enum OpenFailure {
    Storage(StorageError),
    Unreadable(String),
    /// The room does not exist, and was to be opened for reads only.
    Missing,
}

/// Sends messages to a thread and counts those that wait.
#[derive(Clone)]
pub struct ThreadSender {
    messages: Sender<ThreadMessage>,
    metrics: Arc<Metrics>,
}

impl ThreadSender {
    pub fn new(metrics: &Arc<Metrics>) -> (ThreadSender, Receiver<ThreadMessage>) {
        let (messages, received) = channel();
        (ThreadSender { messages, metrics: Arc::clone(metrics) }, received)
    }

    pub fn send(&self, message: ThreadMessage) -> Result<(), SendError<ThreadMessage>> {
        self.metrics.room_queue.inc();
        self.messages.send(message)
    }

    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }
}
