//! Messages to a room: from sessions, from REST, and answers to what the room asked for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use quadrille_access::AccountId;
use quadrille_journal::{StorageError, StoredRecord};
use quadrille_protocol::{
    ChatMessage, ChatRejectionReason, CloseReason, Revision, Role, RoomName, SessionId,
};
use quadrille_room::{ChatRejection, ChatSubmission, Encoded};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::change::{Change, Changed, Reading};
use super::client::Client;
use super::computed_values::Calculated;
use super::journal_request::AppendResult;
use super::outbox::Outbox;
use super::preview::{self, Wanted};
use crate::access::{DefaultAccess, Document, Revoked};
use crate::error::ApiError;
use crate::limits;
use crate::trace::TraceTime;

pub type ChatReply = oneshot::Sender<Result<Arc<ChatMessage>, ChatRejection>>;

/// When a frame was received.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When this server read the frame.
    pub received: Instant,
    /// When the server of its client read it, if that relays and traces.
    pub relayed: Option<TraceTime>,
}

/// A message to one room.
pub enum RoomMessage {
    Connect {
        session: SessionId,
        client: Client,
        outbox: Arc<dyn Outbox>,
    },
    Frame {
        session: SessionId,
        bytes: Bytes,
        /// Released when the room has handled the frame; limits the session's frames in flight.
        permit: OwnedSemaphorePermit,
        arrival: Arrival,
    },
    /// The session was too slow: broadcasts from this revision on were dropped.
    Missed {
        session: SessionId,
        from: Revision,
    },
    /// All frames queued for a session that missed broadcasts have been sent.
    Drained {
        session: SessionId,
    },
    Disconnect {
        session: SessionId,
    },
    /// The access document of the workbook was changed: the role of each session is decided again.
    Reauthorize {
        document: Document,
        default_access: DefaultAccess,
    },
    /// Credentials of an account have ended: sessions that were opened by them are closed.
    Revoke {
        revoked: Revoked,
    },
    /// Ends all sessions; clients connect again if they may.
    CloseSessions {
        reason: CloseReason,
    },
    /// Somebody asks for access to the workbook.
    AccessRequested,
    /// Lists the accounts of people who have the workbook open.
    ListAccounts {
        reply: oneshot::Sender<BTreeSet<AccountId>>,
    },
    /// The role of one session was decided again.
    SetRole {
        session: SessionId,
        role: Option<Role>,
    },
    Read {
        request: ReadRequest,
        reply: oneshot::Sender<Result<Reading, ApiError>>,
    },
    Preview {
        wanted: Wanted,
        reply: preview::Reply,
    },
    Change {
        /// Boxed, because messages are moved through queues.
        change: Box<Change>,
        role: Role,
        reply: oneshot::Sender<Result<Changed, ApiError>>,
    },
    /// A chat message over REST, for a room that exists.
    Chat {
        chat: ChatSubmission,
        role: Role,
        reply: ChatReply,
    },
    /// A session is about to connect: the room is opened and stays, also one that does not exist yet.
    Expect {
        reply: oneshot::Sender<Result<Expected, ApiError>>,
    },
    Delete {
        /// The revision that the client has read; otherwise the room stays.
        expected: Option<Revision>,
        reply: oneshot::Sender<Result<(), ApiError>>,
    },
    /// An answer for the `opening`th opening of a room; ignored by later ones.
    Answer {
        opening: u64,
        answer: Answer,
    },
}

/// Keeps a room in memory until it is dropped.
pub struct Expected {
    _room: Arc<()>,
}

impl Expected {
    /// Shares what the room looks at.
    pub fn new(room: &Arc<()>) -> Expected {
        Expected { _room: Arc::clone(room) }
    }
}

/// What a reader needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadRequest {
    /// Inputs only; O(1).
    Inputs,
    /// The values of all formulas.
    Values,
    /// As `Values`, with the sources of imported data. Does not keep the room in memory.
    Imports,
}

/// Results of work that an open room has asked for.
pub enum Answer {
    Appended {
        /// The revision before the appended ones.
        base: Revision,
        up_to: Revision,
        result: AppendResult,
    },
    Tail {
        session: SessionId,
        after: Revision,
        records: Result<Vec<StoredRecord>, StorageError>,
    },
    ChatMessages(Result<Vec<Arc<[u8]>>, StorageError>),
    ChatStored {
        number: u64,
        is_stored: bool,
    },
    /// `None` when the worker panicked; likewise below.
    Encoded(Option<Encoded>),
    Calculated(Option<Calculated>),
    Previews(Option<preview::Results>),
}

/// Sends an answer back to the room that asked: name, opening, answer.
pub type AnswerSender = Arc<dyn Fn(RoomName, u64, Answer) + Send + Sync>;

/// The answer to a chat message when its room cannot be opened.
const CHAT_NOT_STORED: ChatRejection = ChatRejection { reason: ChatRejectionReason::NotStored, wait_ms: 0 };

impl RoomMessage {
    /// Whether handling the message takes so long that other rooms on the thread would notice.
    pub fn is_heavy(&self) -> bool {
        match self {
            RoomMessage::Change { change, .. } => change.is_heavy,
            RoomMessage::Frame { bytes, .. } => bytes.len() >= limits::HEAVY_FRAME_BYTES,
            _ => false,
        }
    }

    /// Whether somebody uses the room by this message, so that it stays in memory.
    pub fn is_use(&self) -> bool {
        match self {
            RoomMessage::Answer { .. } | RoomMessage::ListAccounts { .. } => false,
            RoomMessage::Read { request, .. } => *request != ReadRequest::Imports,
            RoomMessage::Change { change, .. } => !change.is_import,
            _ => true,
        }
    }

    /// Whether a room is opened for this message. Messages of sessions are dropped when their room
    /// is not open.
    pub fn opens_room(&self) -> bool {
        match self {
            RoomMessage::Connect { .. }
            | RoomMessage::Expect { .. }
            | RoomMessage::Read { .. }
            | RoomMessage::Preview { .. }
            | RoomMessage::Change { .. }
            | RoomMessage::Chat { .. }
            | RoomMessage::Delete { .. } => true,
            RoomMessage::Frame { .. }
            | RoomMessage::Missed { .. }
            | RoomMessage::Drained { .. }
            | RoomMessage::Disconnect { .. }
            | RoomMessage::Reauthorize { .. }
            | RoomMessage::CloseSessions { .. }
            | RoomMessage::Revoke { .. }
            | RoomMessage::AccessRequested
            | RoomMessage::ListAccounts { .. }
            | RoomMessage::SetRole { .. }
            | RoomMessage::Answer { .. } => false,
        }
    }

    /// Whether the message only looks at a room, so that one that does not exist need not be opened.
    pub fn only_reads(&self) -> bool {
        matches!(self, RoomMessage::Read { .. } | RoomMessage::Preview { .. })
    }

    /// Answers a message that cannot be handled.
    pub fn reject(self, error: &ApiError, reason: CloseReason) {
        // Sending fails when the client has gone, who needs no answer then.
        match self {
            RoomMessage::Connect { outbox, .. } => outbox.close(reason),
            RoomMessage::Read { reply, .. } => drop(reply.send(Err(error.clone()))),
            RoomMessage::Preview { reply, .. } => drop(reply.send(Err(error.clone()))),
            RoomMessage::Change { reply, .. } => drop(reply.send(Err(error.clone()))),
            RoomMessage::Delete { reply, .. } => drop(reply.send(Err(error.clone()))),
            RoomMessage::Expect { reply } => drop(reply.send(Err(error.clone()))),
            RoomMessage::Chat { reply, .. } => drop(reply.send(Err(CHAT_NOT_STORED))),
            RoomMessage::Frame { .. }
            | RoomMessage::Missed { .. }
            | RoomMessage::Drained { .. }
            | RoomMessage::Disconnect { .. }
            | RoomMessage::Reauthorize { .. }
            | RoomMessage::CloseSessions { .. }
            | RoomMessage::Revoke { .. }
            | RoomMessage::AccessRequested
            | RoomMessage::ListAccounts { .. }
            | RoomMessage::SetRole { .. }
            | RoomMessage::Answer { .. } => {}
        }
    }
}
