//! The input of a room: events, with the time and randomness that come with each.

use std::sync::Arc;

use quadrille_operation::{Command, Transaction};
use quadrille_protocol::{Author, CloseReason, Counter, Revision, Role, SessionId};

use crate::snapshot_encoding::Encoded;

/// The time of an event and an unpredictable number. A room has no other source of time or
/// randomness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Milliseconds since 1970-01-01 UTC; recorded with transactions.
    pub unix_ms: i64,
    /// Milliseconds of a monotonic clock; for intervals.
    pub monotonic_ms: u64,
    /// Random bits; replica secrets, random seeds and sheet ids derive from them.
    pub random: u64,
}

/// Identifies an [`Event::Request`] or [`Event::Chat`] in its answer. Chosen by the caller, never
/// reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Token(pub u64);

/// The change that a request asks for.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// A command, planned against the room's newest document.
    Command(Box<Command>),
    /// A transaction made for the room's newest document.
    Transaction(Transaction),
    /// As `Transaction`, for imported data that the server has fetched (`P30`).
    Import(Transaction),
}

/// A chat message from outside any session, for example over REST.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChatSubmission {
    /// Random identity that makes resends idempotent, as in `ChatRequest::Send`.
    pub id: u64,
    /// Displayed name of the author.
    pub name: Arc<str>,
    pub text: Arc<str>,
}

/// An input of [`Room::handle`](crate::Room::handle).
#[derive(Clone, Debug)]
pub enum Event {
    /// A client connected. The caller numbers sessions and never reuses a number.
    Connect {
        session: SessionId,
        role: Role,
        /// The person who has signed in, with the name of the account; `None` for a visitor, who
        /// chooses a name in `Hello`.
        author: Option<Author>,
        /// A verified e-mail address of that person, in lower case; protected ranges may name it.
        email: Option<Arc<str>>,
        /// The URL of that person's picture, which others may show.
        picture: Option<Arc<str>>,
    },
    /// The access of a session was decided again. Without a role the session is closed with
    /// [`CloseReason::Forbidden`], with another role than before with
    /// [`CloseReason::AccessChanged`].
    SetRole { session: SessionId, role: Option<Role> },
    /// The credentials of a session have ended: it is closed, and its client may connect again with others.
    CredentialsEnded { session: SessionId },
    /// One message from the session.
    Frame { session: SessionId, bytes: Arc<[u8]> },
    /// The connection of the session ended.
    Disconnect { session: SessionId },
    /// A broadcast that begins at `from` did not fit into the session's outgoing queue and was
    /// dropped. The session gets no broadcasts until it is subscribed again.
    Missed { session: SessionId, from: Revision },
    /// The outgoing queue of a session that missed a broadcast is empty.
    Drained { session: SessionId },
    /// Somebody asks for access to the workbook: its owners who are here are told.
    AccessRequested,
    /// A change from outside any session (REST, an import), with the verified e-mail address of
    /// its author, if there is one. `counter` is stored in its record, so that the request is found
    /// there again; zero for a request that is never repeated. Answered by
    /// [`Effect::RequestCommitted`] or [`Effect::RequestRejected`].
    ///
    /// [`Effect::RequestCommitted`]: crate::Effect::RequestCommitted
    /// [`Effect::RequestRejected`]: crate::Effect::RequestRejected
    Request {
        token: Token,
        author: Author,
        role: Role,
        email: Option<Arc<str>>,
        counter: Counter,
        change: Change,
    },
    /// All records up to this revision are durable.
    Durable { up_to: Revision },
    /// An append was fenced or failed: the room's memory is ahead of the journal.
    AppendFailed,
    /// The answer to [`Effect::ReadTail`](crate::Effect::ReadTail): records after `after`, possibly
    /// not all.
    Tail { session: SessionId, after: Revision, records: Vec<(Revision, Arc<[u8]>)> },
    /// The answer to [`Effect::Encode`](crate::Effect::Encode).
    Encoded(Encoded),
    /// A chat message from outside any session. Answered by
    /// [`Effect::ChatAccepted`](crate::Effect::ChatAccepted).
    Chat { token: Token, role: Role, chat: ChatSubmission },
    /// The answer to [`Effect::ReadChat`](crate::Effect::ReadChat): encoded chat messages, oldest
    /// first; `None` when storage could not read them.
    ChatRead { chat_messages: Option<Vec<Arc<[u8]>>> },
    /// The answer to [`Effect::StoreChatMessage`](crate::Effect::StoreChatMessage).
    ChatStored { number: u64, is_stored: bool },
    /// Sets the interval at which volatile functions (`NOW`, `RAND`) are reevaluated while nobody
    /// edits; `None` turns it off. The default is
    /// [`VOLATILE_EVERY_MS`](crate::limits::VOLATILE_EVERY_MS).
    SetVolatileInterval { ms: Option<u64> },
    /// The caller intends to unload the unused room. The room may store a snapshot first, and is
    /// not idle until that is done.
    PrepareUnload,
    /// Time passed. Only needed when [`Room::next_tick_ms`](crate::Room::next_tick_ms) asks for it.
    Tick,
    /// Closes all sessions: the room was deleted or the server stops.
    Close(CloseReason),
}
