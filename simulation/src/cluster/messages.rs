//! What travels: statements' requests, inputs of servers, messages between servers, and the links they take.

use std::rc::Rc;
use std::sync::Arc;

use quadrille_journal::ownership::{Commit, Heartbeat, PeerPoll};
use quadrille_journal::{Append, Claim, RoomKey, Snapshot};
use quadrille_protocol::{CloseReason, Revision, SessionId};
use quadrille_room as room;

use super::database::{Answer, Statement};

/// Bytes of a message besides its payload.
const ENVELOPE_BYTES: usize = 17;

/// A part of the network that can be cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Link {
    Client(usize),
    Database(usize),
    /// The lower number first.
    Machines(usize, usize),
}

impl Link {
    pub fn machines(one: usize, other: usize) -> Link {
        Link::Machines(one.min(other), one.max(other))
    }
}

/// An opening of a room by a server; later events of an earlier opening are ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opening {
    pub room: usize,
    pub number: u64,
}

/// An event in the queue of the run.
#[derive(Debug)]
pub enum Event {
    Act(usize),
    ClientConnects {
        client: usize,
    },
    ClientReceives {
        connection: u64,
        bytes: std::sync::Arc<[u8]>,
    },
    ClientSeesClose {
        connection: u64,
        reason: Option<CloseReason>,
    },
    /// The client has waited too long for an answer to its request to connect.
    ClientGivesUp {
        connection: u64,
    },
    Database {
        machine: usize,
        process: u64,
        caller: Caller,
        connection: u64,
        call: u64,
        statement: Statement,
    },
    DatabaseStarts,
    DatabaseSeesEnd {
        machine: usize,
        process: u64,
    },
    Machine {
        machine: usize,
        process: u64,
        input: Input,
    },
    MachineStarts {
        machine: usize,
    },
    MachineResumes {
        machine: usize,
    },
}

/// What reaches a server's process.
#[derive(Debug)]
pub enum Input {
    ClientArrives {
        connection: u64,
    },
    ClientSends {
        connection: u64,
        bytes: Vec<u8>,
    },
    ClientLeft {
        connection: u64,
    },
    /// A client has received something, so that more can be sent.
    Writable {
        connection: u64,
    },
    Route {
        connection: u64,
    },
    Answer {
        caller: Caller,
        call: u64,
        answer: Box<Answer>,
    },
    CallLost {
        caller: Caller,
        call: u64,
    },
    Retry {
        caller: Caller,
    },
    Beat,
    Tick {
        opening: Opening,
    },
    Encoded {
        opening: Opening,
        encoded: Box<room::Encoded>,
    },
    Unload {
        opening: Opening,
    },
    Drain,
    /// Whether a room that goes to another server can be released.
    HandOver {
        opening: Opening,
    },
    ToOwner {
        stream: u64,
        message: ToOwner,
    },
    ToRelay {
        stream: u64,
        message: ToRelay,
        bytes: usize,
    },
    StreamWritable {
        stream: u64,
    },
    StreamLost {
        stream: u64,
    },
    Silence {
        stream: u64,
    },
}

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Caller {
    Rooms = 0,
    Heartbeat = 1,
    Lookups = 2,
}

/// A request in its present state.
pub enum Request {
    Join,
    Leave,
    Beat {
        poll: Option<PeerPoll>,
        to_remove: Vec<Heartbeat>,
    },
    Open {
        room: usize,
        claim: Option<Claim>,
    },
    /// An append of an opening of a room; those that wait are committed together.
    Append {
        append: Append,
        opening: Opening,
    },
    Commit {
        batch: Rc<Vec<Append>>,
        openings: Vec<Opening>,
        commit: Option<Commit>,
        stored: Vec<RoomKey>,
        was_sent: bool,
        step: CommitStep,
    },
    Tail {
        opening: Opening,
        key: RoomKey,
        session: SessionId,
        after: Revision,
        bytes_max: usize,
    },
    Piece {
        key: RoomKey,
        snapshot: Snapshot,
        written: usize,
    },
    Release {
        key: RoomKey,
        /// The server that gets the room.
        heir: Option<usize>,
    },
    Owner {
        connection: u64,
        room: usize,
    },
}

/// What a commit waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommitStep {
    Append,
    FindStored,
    IsJoined,
}

/// A message of the relay.
#[derive(Clone, Debug)]
pub enum ToOwner {
    Connect { number: u32, client: usize },
    Bytes { number: u32, bytes: Arc<[u8]> },
    Disconnected { number: u32 },
    Missed { number: u32, from: Revision, subscription: u32 },
    Drained { number: u32 },
    Ping,
}

/// A message of the owner.
#[derive(Clone, Debug)]
pub enum ToRelay {
    Opened {
        number: u32,
    },
    /// The server does not run the room.
    Refused {
        number: u32,
    },
    Frame {
        number: u32,
        bytes: Arc<[u8]>,
    },
    Broadcast {
        bytes: Arc<[u8]>,
        up_to: Option<Revision>,
    },
    Subscribe {
        number: u32,
        next_revision: Revision,
        count: u32,
    },
    Close {
        number: u32,
        reason: CloseReason,
    },
    Pong,
}

impl ToRelay {
    pub fn bytes(&self) -> usize {
        let payload = match self {
            ToRelay::Frame { bytes, .. } | ToRelay::Broadcast { bytes, .. } => bytes.len(),
            _ => 0,
        };
        payload + ENVELOPE_BYTES
    }
}
