//! The database: it executes statements of live connections, and checks at each one what must never happen.

use std::collections::BTreeMap;
use std::rc::Rc;

use quadrille_journal::ownership::{Commit, DISCONNECTED_POLLS_MAX, Epoch, Heartbeat};
use quadrille_journal::{
    Append, Claimed, Loaded, PeerId, RoomKey, SharedMemory, Snapshot, Storage, StorageError, StoredRecord,
};
use quadrille_protocol::{Revision, RoomName};

use crate::world::Failure;

/// The database of a run.
pub struct Database {
    pub shared: SharedMemory,
    pub is_up: bool,
    /// The live connections, with the server's process and its row.
    connections: BTreeMap<u64, DatabaseSession>,
    connections_opened: u64,
    /// The last claim of each room, for checks.
    last_claims: BTreeMap<RoomKey, Epoch>,
    /// Polls of each server since the last beat of another, for checks.
    polls: BTreeMap<(PeerId, PeerId), u32>,
}

struct DatabaseSession {
    machine: usize,
    process: u64,
    node: Option<PeerId>,
}

/// What a server sends.
#[derive(Clone, Debug)]
pub enum Statement {
    Connect { node: Option<PeerId> },
    Join,
    Leave { node: PeerId },
    Beat { node: PeerId },
    Heartbeats { node: PeerId },
    Remove { node: PeerId, silent: Heartbeat },
    IsJoined { node: PeerId },
    Claim { node: PeerId, room: RoomName },
    Load { key: RoomKey },
    Owner { room: RoomName },
    Append { batch: Rc<Vec<Append>>, commit: Commit },
    FindStored { batch: Rc<Vec<Append>>, commit: Commit, stored: Vec<RoomKey> },
    Tail { key: RoomKey, after: Revision, bytes_max: usize },
    Piece { key: RoomKey, epoch: Epoch, snapshot: Snapshot, from: usize, bytes_max: usize },
    Release { room: RoomName, epoch: Epoch, heir: Option<PeerId> },
}

/// What the database answers.
#[derive(Debug)]
pub enum Answer {
    Connected(u64),
    Joined(PeerId),
    /// Of `Beat`, `Remove` and `IsJoined`.
    Is(bool),
    Heartbeats(Vec<Heartbeat>),
    Claimed(Claimed),
    Loaded(Loaded),
    Owner(Option<PeerId>),
    Stored(Vec<RoomKey>),
    Tail(Result<Vec<StoredRecord>, StorageError>),
    Piece(Result<usize, StorageError>),
    Done,
}

impl Database {
    pub fn new() -> Database {
        Database {
            shared: SharedMemory::default(),
            is_up: true,
            connections: BTreeMap::new(),
            connections_opened: 0,
            last_claims: BTreeMap::new(),
            polls: BTreeMap::new(),
        }
    }

    /// Returns whether a connection is live.
    pub fn is_live(&self, connection: u64) -> bool {
        self.is_up && self.connections.contains_key(&connection)
    }

    /// Opens a connection.
    pub fn connect(&mut self, machine: usize, process: u64, node: Option<PeerId>) -> u64 {
        self.connections_opened += 1;
        self.connections.insert(self.connections_opened, DatabaseSession { machine, process, node });
        self.note_connected();
        self.connections_opened
    }

    /// Ends a connection: what arrives on it later is not executed.
    pub fn disconnect(&mut self, connection: u64) {
        self.connections.remove(&connection);
        self.note_connected();
    }

    /// Ends the connections of a process.
    pub fn disconnect_process(&mut self, machine: usize, process: u64) {
        self.connections.retain(|_, session| (session.machine, session.process) != (machine, process));
        self.note_connected();
    }

    /// Stops the database: all connections end.
    pub fn stop(&mut self) {
        self.is_up = false;
        self.connections.clear();
        self.note_connected();
    }

    fn note_connected(&mut self) {
        let nodes: Vec<PeerId> = self.connections.values().filter_map(|session| session.node).collect();
        for node in self.shared.heartbeats(PeerId(0)) {
            self.shared.set_connected(node.peer, nodes.contains(&node.peer));
        }
    }

    /// Executes a statement. Fails with the violated invariant.
    pub fn execute(&mut self, connection: u64, statement: Statement) -> Result<Answer, Failure> {
        let failed = |error: StorageError| format!("the database failed: {error}");
        Ok(match statement {
            Statement::Connect { .. } => return Err("a connection is opened by `connect`".to_owned()),
            Statement::Join => {
                let node = self.shared.join();
                if let Some(session) = self.connections.get_mut(&connection) {
                    session.node = Some(node);
                }
                Answer::Joined(node)
            }
            Statement::Leave { node } => {
                self.shared.leave(node);
                Answer::Done
            }
            Statement::Beat { node } => {
                self.polls.retain(|(_, peer), _| *peer != node);
                Answer::Is(self.shared.beat(node))
            }
            Statement::Heartbeats { node } => {
                let heartbeats = self.shared.heartbeats(node);
                for heartbeat in &heartbeats {
                    *self.polls.entry((node, heartbeat.peer)).or_default() += 1;
                }
                Answer::Heartbeats(heartbeats)
            }
            Statement::Remove { node, silent } => {
                let polls = self.polls.get(&(node, silent.peer)).copied().unwrap_or_default();
                let is_removed = self.shared.remove(silent);
                // O3: after the poll in which the beat was seen first.
                if is_removed && polls <= DISCONNECTED_POLLS_MAX {
                    return Err(format!("a server was removed after {polls} polls without a beat"));
                }
                if is_removed {
                    self.connections.retain(|_, session| session.node != Some(silent.peer));
                }
                Answer::Is(is_removed)
            }
            Statement::IsJoined { node } => Answer::Is(self.shared.is_joined(node)),
            Statement::Claim { node, room } => {
                let before = self.shared.owner(&room);
                let claimed = self.shared.claim(node, &room).map_err(failed)?;
                if let Claimed::Own { epoch, claim, .. } = claimed {
                    // O2
                    if let Some(before) = before.filter(|before| *before != node) {
                        return Err(format!("the room {room} was claimed while server {} had it", before.0));
                    }
                    self.last_claims.insert(claim.key, epoch);
                }
                Answer::Claimed(claimed)
            }
            Statement::Load { key } => Answer::Loaded(self.shared.rooms().load(key).map_err(failed)?),
            Statement::Owner { room } => Answer::Owner(self.shared.owner(&room)),
            Statement::Append { batch, commit } => {
                let stored = self.shared.append(&batch, &commit).map_err(failed)?;
                for room in commit.rooms().iter().filter(|room| stored.contains(&room.room)) {
                    // O2
                    let last = self.last_claims.get(&room.room);
                    if last != Some(&room.epoch) {
                        return Err(format!(
                            "records were stored by the claim {} after the claim {last:?}",
                            room.epoch.0
                        ));
                    }
                }
                Answer::Stored(stored)
            }
            Statement::FindStored { batch, commit, mut stored } => {
                let found = commit.unknown(&stored).filter(|room| self.shared.is_stored(&batch, room));
                let found: Vec<RoomKey> = found.map(|room| room.room).collect();
                stored.extend(found);
                Answer::Stored(stored)
            }
            Statement::Tail { key, after, bytes_max } => {
                Answer::Tail(self.shared.rooms().tail(key, after, bytes_max))
            }
            Statement::Piece { key, epoch, snapshot, from, bytes_max } => {
                Answer::Piece(self.shared.put_piece((key, epoch), &snapshot, from, bytes_max))
            }
            Statement::Release { room, epoch, heir } => {
                match heir {
                    Some(heir) => self.shared.hand_over(&room, epoch, heir),
                    None => self.shared.release(&room, epoch),
                }
                Answer::Done
            }
        })
    }
}
