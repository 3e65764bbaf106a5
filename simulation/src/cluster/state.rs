//! The parts of a run: servers with their rooms and connections, streams, clients.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use quadrille_journal::ownership::{ClaimedRooms, Head, PeerMonitor};
use quadrille_journal::{PeerId, RoomKey};
use quadrille_protocol::{Counter, ReplicaId, SessionId};
use quadrille_replica::Replica;
use quadrille_room::Room;

use super::messages::{Caller, Input, Opening, Request, ToRelay};
use super::outbox::{Outbox, Ring};

/// A server, with its present process.
#[derive(Default)]
pub struct Machine {
    /// Number of the process; events of earlier ones are ignored.
    pub process: u64,
    pub is_up: bool,
    /// Until then the process is stopped.
    pub paused_until_ms: u64,
    /// What has reached it since then.
    pub held: VecDeque<Input>,
    /// How much faster its clock is, in thousandths.
    pub drift: i64,
    pub clock_offset_ms: i64,
    pub lost_answers: u32,
    /// Its row, once it has joined.
    pub node: Option<PeerId>,
    pub monitor: PeerMonitor,
    pub heads: BTreeMap<RoomKey, Head>,
    pub claimed: ClaimedRooms,
    pub callers: [CallerState; 3],
    /// The rooms in memory.
    pub rooms: BTreeMap<usize, Slot>,
    /// While the server stops in order: when it stops in any case.
    pub drain_until_ms: Option<u64>,
    pub down_ms: u64,
    pub is_leaving: bool,
}

impl Machine {
    pub fn new(drift: i64) -> Machine {
        Machine { drift, ..Machine::default() }
    }

    /// Whether an append waits or is being stored.
    pub fn has_appends(&self) -> bool {
        self.callers[Caller::Rooms as usize].has_appends()
    }

    /// The state for failure messages.
    pub fn describe(&self) -> String {
        let room = |(number, slot): (&usize, &Slot)| match slot {
            Slot::Opening { waiting } => format!("{number} opening for {}", waiting.len()),
            Slot::Open(open) => format!("{number} at {}, {} sessions", open.room.head(), open.sessions.len()),
        };
        let rooms: Vec<String> = self.rooms.iter().map(room).collect();
        format!("up {} row {:?} rooms {rooms:?}", self.is_up, self.node.map(|node| node.0))
    }

    pub fn open_room(&mut self, room: usize) -> Option<&mut OpenRoom> {
        match self.rooms.get_mut(&room) {
            Some(Slot::Open(open)) => Some(open),
            _ => None,
        }
    }
}

/// A room of a server.
pub enum Slot {
    /// Being claimed and loaded for these connections and streams' sessions.
    Opening {
        waiting: Vec<Waiting>,
    },
    Open(Box<OpenRoom>),
}

/// Who waits for a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    Client {
        connection: u64,
    },
    /// A session of a stream from another server.
    Relayed {
        stream: u64,
        number: u32,
    },
}

/// A room in memory.
pub struct OpenRoom {
    pub room: Room,
    pub key: RoomKey,
    pub opening: Opening,
    pub ring: Ring,
    pub sessions: BTreeMap<SessionId, Session>,
    pub tick_is_due: bool,
    /// The server that gets the room, and who has come since that was decided.
    pub heir: Option<usize>,
    pub held: Vec<Waiting>,
}

/// A connection with its queue.
#[derive(Default)]
pub struct CallerState {
    pub connection: Option<u64>,
    pub current: Option<Call>,
    pub queue: VecDeque<Request>,
    pub retry_delay_ms: u64,
}

impl CallerState {
    /// Whether an append waits or is being stored.
    pub fn has_appends(&self) -> bool {
        let is_append =
            |request: &Request| matches!(request, Request::Append { .. } | Request::Commit { .. });
        self.queue.iter().any(is_append) || self.current.as_ref().is_some_and(|call| is_append(&call.request))
    }
}

pub struct Call {
    /// Of the statement that is waited for.
    pub number: u64,
    pub request: Request,
    /// Whether the request began on a connection that was open before.
    pub can_repeat: bool,
}

/// A stream, with what each end knows of it.
pub struct Stream {
    pub relay: usize,
    pub relay_process: u64,
    pub owner: usize,
    pub owner_process: u64,
    pub owner_node: PeerId,
    pub room: usize,
    /// The owner's end: messages that wait, and its cursor into the broadcasts of an opening of the room.
    pub out: Outbox<ToRelay>,
    pub opening: Option<Opening>,
    /// The owner's end: requests for sessions, by number, with the client.
    pub requested: BTreeMap<u32, usize>,
    /// The owner's end: sessions and how often each was subscribed.
    pub owner_sessions: BTreeMap<u32, (SessionId, u32)>,
    pub has_ended_at_owner: bool,
    /// The relay's end: broadcasts for its clients, and their connections.
    pub ring: Ring,
    pub relay_sessions: BTreeMap<u32, u64>,
    pub last_number: u32,
    pub has_ended_at_relay: bool,
    pub heard_ms: u64,
}

/// A connection between a client and a server.
pub struct ClientConnection {
    pub client: usize,
    pub room: usize,
    pub machine: usize,
    pub process: u64,
    pub state: ConnectionState,
    /// At the server to which the client is connected.
    pub outbox: Outbox<Arc<[u8]>>,
    /// What the client has sent before its session began.
    pub waiting_frames: Vec<Vec<u8>>,
    /// When the server stops looking for the owner of the room.
    pub deadline_ms: u64,
    /// At a relay: how often the owner has subscribed the session.
    pub subscription: u32,
    pub client_has_closed: bool,
    pub server_has_closed: bool,
    pub has_received: bool,
}

impl ClientConnection {
    /// Whether the server has not found the room yet.
    pub fn is_waiting(&self) -> bool {
        self.state == ConnectionState::Waiting && !self.server_has_closed
    }
}

/// What a server does with a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionState {
    /// The owner of the room is looked for, or the room is opened.
    Waiting,
    Direct {
        session: SessionId,
    },
    Relayed {
        stream: u64,
        number: u32,
        is_open: bool,
    },
}

/// Where the client of a session is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Session {
    Direct { connection: u64 },
    Stream { stream: u64, number: u32 },
}

/// A client of a room.
pub struct ClusterClient {
    pub room: usize,
    pub replica: Replica,
    pub connection: Option<u64>,
    pub reads_from_ms: u64,
    pub retries: u64,
    pub submitted: BTreeSet<(ReplicaId, Counter)>,
}
