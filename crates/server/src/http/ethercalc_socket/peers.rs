//! What EtherCalc's clients of a room tell each other and the room does not know: cursors under the
//! clients' own names, and the end of a room.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadrille_operation::Transaction;
use quadrille_protocol::{Counter, Record, ReplicaId, RoomName, SessionId};
use serde_json::Value as Json;
use tokio::sync::broadcast;

use super::messages;
use crate::limits;

/// The connected clients of all rooms. Clones share them.
#[derive(Clone, Default)]
pub struct EtherCalcPeers {
    rooms: Arc<Mutex<HashMap<RoomName, RoomPeers>>>,
    /// When rooms were replaced, in milliseconds since 1970; the last one at the end.
    replaced: Arc<Mutex<VecDeque<(RoomName, i64)>>>,
}

struct RoomPeers {
    relay: broadcast::Sender<Relayed>,
    clients: BTreeMap<SessionId, Peer>,
    /// The messages behind the newest records.
    sent_commands: VecDeque<SentCommands>,
    /// The names behind the newest chat messages, which the room knows by other ones.
    chat_users: VecDeque<(u64, String)>,
}

/// Commands of a client, which the room knows as a record.
#[derive(Clone)]
pub struct SentCommands {
    pub replica: ReplicaId,
    pub counter: Counter,
    pub transaction: Arc<Transaction>,
    /// The client's message.
    pub message: Arc<Json>,
}

impl SentCommands {
    /// The client's own commands, if the record is what they ask for and other clients carry them out
    /// with the same result: they set contents of cells.
    pub fn commands_for(&self, record: &Record) -> Option<&str> {
        let commands = self.message.get("cmdstr")?.as_str()?;
        let is_content = |command: &str| {
            let mut words = command.split(' ');
            words.next() == Some("set")
                && words.next().is_some_and(|range| range.ends_with(|last: char| last.is_ascii_digit()))
                && matches!(words.next(), Some("value" | "text" | "formula" | "constant" | "empty"))
        };
        let is_same = *self.transaction == record.transaction && commands.lines().all(is_content);
        is_same.then_some(commands)
    }
}

/// A client.
struct Peer {
    user: String,
    ecell: Option<String>,
}

/// A message of one client for the others.
#[derive(Clone)]
pub struct Relayed {
    /// `None`: the server, for all clients.
    pub from: Option<SessionId>,
    /// The only client that it is for.
    pub to: Option<String>,
    pub message: Arc<str>,
}

/// The place of one client among the others of its room; it leaves when this is dropped.
pub struct Joined {
    peers: EtherCalcPeers,
    room: RoomName,
    session: SessionId,
    pub relayed: broadcast::Receiver<Relayed>,
}

impl EtherCalcPeers {
    /// Joins a client.
    pub fn join(&self, room: &RoomName, session: SessionId, user: &str) -> Joined {
        let mut rooms = self.lock();
        let peers = rooms.entry(room.clone()).or_insert_with(|| RoomPeers {
            relay: broadcast::Sender::new(limits::ETHERCALC_RELAYED_MAX),
            clients: BTreeMap::new(),
            sent_commands: VecDeque::new(),
            chat_users: VecDeque::new(),
        });
        peers.clients.insert(session, Peer { user: user.to_owned(), ecell: None });
        let relayed = peers.relay.subscribe();
        Joined { peers: self.clone(), room: room.clone(), session, relayed }
    }

    /// Notes that a room was replaced, with which EtherCalc forgets its chat.
    pub fn note_replaced(&self, room: &RoomName, time_ms: i64) {
        let mut replaced = self.replaced.lock().unwrap_or_else(PoisonError::into_inner);
        replaced.retain(|(name, _)| name != room);
        replaced.push_back((room.clone(), time_ms));
        if replaced.len() > limits::ETHERCALC_REPLACED_MAX {
            replaced.pop_front();
        }
    }

    /// When a room was replaced; `None` when it was not, or long ago.
    pub fn replaced_ms(&self, room: &RoomName) -> Option<i64> {
        let replaced = self.replaced.lock().unwrap_or_else(PoisonError::into_inner);
        replaced.iter().find(|(name, _)| name == room).map(|(_, time_ms)| *time_ms)
    }

    /// Tells the clients of a room that its mail was handed over for sending, or was not.
    pub fn tell_mail(&self, room: &RoomName, is_accepted: bool) {
        if let Some(peers) = self.lock().get(room) {
            let message = messages::mail(is_accepted).into();
            // Fails when no client listens.
            _ = peers.relay.send(Relayed { from: None, to: None, message });
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RoomName, RoomPeers>> {
        // No code under this lock panics.
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Joined {
    /// Sends a message to the other clients, or to those named `to`.
    pub fn relay(&self, message: &str, to: Option<String>) {
        if let Some(peers) = self.peers.lock().get(&self.room) {
            // Fails when no other client listens.
            _ = peers.relay.send(Relayed { from: Some(self.session), to, message: message.into() });
        }
    }

    /// Notes the commands that this client sends to the room.
    pub fn note_commands(&self, commands: SentCommands) {
        if let Some(peers) = self.peers.lock().get_mut(&self.room) {
            peers.sent_commands.push_back(commands);
            if peers.sent_commands.len() > limits::ETHERCALC_RELAYED_MAX {
                peers.sent_commands.pop_front();
            }
        }
    }

    /// The commands behind a record, if a client sent them.
    pub fn sent_commands(&self, record: &Record) -> Option<SentCommands> {
        let rooms = self.peers.lock();
        let mut sent = rooms.get(&self.room)?.sent_commands.iter();
        sent.find(|sent| sent.replica == record.replica && sent.counter == record.counter).cloned()
    }

    /// Notes the name under which this client sends a chat message.
    pub fn note_chat(&self, id: u64, user: String) {
        if let Some(peers) = self.peers.lock().get_mut(&self.room) {
            peers.chat_users.push_back((id, user));
            if peers.chat_users.len() > limits::ETHERCALC_RELAYED_MAX {
                peers.chat_users.pop_front();
            }
        }
    }

    /// The name under which a client has sent a chat message.
    pub fn chat_user(&self, id: u64) -> Option<String> {
        let rooms = self.peers.lock();
        let mut users = rooms.get(&self.room)?.chat_users.iter();
        users.find(|(sent, _)| *sent == id).map(|(_, user)| user.clone())
    }

    /// Notes the cursor of this client.
    pub fn set_cursor(&self, ecell: &str) {
        if let Some(client) =
            self.peers.lock().get_mut(&self.room).and_then(|peers| peers.clients.get_mut(&self.session))
        {
            client.ecell = Some(ecell.to_owned());
        }
    }

    /// The cursors of the clients by their names.
    pub fn cursors(&self) -> Vec<(String, String)> {
        let rooms = self.peers.lock();
        let clients = rooms.get(&self.room).into_iter().flat_map(|peers| peers.clients.values());
        clients.filter_map(|client| Some((client.user.clone(), client.ecell.clone()?))).collect()
    }

    /// Whether a session of the room is a client of EtherCalc.
    pub fn contains(&self, session: SessionId) -> bool {
        self.peers.lock().get(&self.room).is_some_and(|peers| peers.clients.contains_key(&session))
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        let mut rooms = self.peers.lock();
        if let Some(peers) = rooms.get_mut(&self.room) {
            peers.clients.remove(&self.session);
            if peers.clients.is_empty() {
                rooms.remove(&self.room);
            }
        }
    }
}
