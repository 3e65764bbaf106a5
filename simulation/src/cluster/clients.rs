//! Clients with real replicas, and the balancer that chooses a server for each connection.

use std::sync::Arc;

use quadrille_protocol::{ClientFrame, CloseReason, Record, ServerFrame};
use quadrille_replica as replica;
use quadrille_replica::Status;
use quadrille_room as room;

use super::messages::{Event, Input, Link, ToOwner};
use super::outbox::{Next, Outbox, Ring};
use super::state::{ClientConnection, ConnectionState, Slot};
use super::world::ClusterWorld;
use crate::people::{Person, person_of};
use crate::random::Random;
use crate::world::{Failure, START_UNIX_MS};

/// How long a server looks for the owner of a room, as `RELAY_OWNER_WAIT_MS`.
const OWNER_WAIT_MS: u64 = 10_000;
/// How long a client waits for a connection.
const CONNECT_TIMEOUT_MS: u64 = 15_000;

impl ClusterWorld {
    /// Opens a connection to the server that the balancer chooses.
    pub(super) fn client_connects(&mut self, client: usize) -> Result<(), Failure> {
        if self.clients[client].connection.is_some() {
            return Ok(());
        }
        let machine = self.random.between(0, self.plan.machines as u64 - 1) as usize;
        let state = &self.machines[machine];
        if !state.is_up
            || state.node.is_none()
            || state.drain_until_ms.is_some()
            || self.is_cut(Link::Client(client))
        {
            self.reconnect_later(client);
            return Ok(());
        }
        let id = self.new_number();
        let (room, process) = (self.clients[client].room, self.machines[machine].process);
        self.connections.insert(
            id,
            ClientConnection {
                client,
                room,
                machine,
                process,
                state: ConnectionState::Waiting,
                outbox: Outbox::new(),
                waiting_frames: Vec::new(),
                deadline_ms: self.now_ms + OWNER_WAIT_MS,
                subscription: 0,
                client_has_closed: false,
                server_has_closed: false,
                has_received: false,
            },
        );
        self.clients[client].connection = Some(id);
        self.report.count("connections");
        self.send_input(Link::Client(client), (id, true), machine, Input::ClientArrives { connection: id });
        self.at(self.now_ms + CONNECT_TIMEOUT_MS, Event::ClientGivesUp { connection: id });
        // The other replicas do not know who their person is, and leave the check to the room.
        if client.is_multiple_of(2) {
            let Person { author, email, .. } = person_of(client);
            let account = author.map_or("".into(), |author| author.id);
            let email = email.unwrap_or_default();
            self.client_event(client, replica::Event::Identified { account, email })?;
        }
        self.client_event(client, replica::Event::Connected)
    }

    fn reconnect_later(&mut self, client: usize) {
        self.clients[client].retries += 1;
        let number = self.clients[client].retries + 1_000 * client as u64;
        let wait_ms = Random::stream(self.plan.seed, 23, number).between(5, 300);
        self.at(self.now_ms + wait_ms, Event::ClientConnects { client });
    }

    /// An event that the user of a client causes; ignored while the client is loading.
    pub(super) fn user_event(&mut self, client: usize, event: replica::Event<'_>) -> Result<(), Failure> {
        match self.clients[client].replica.status() {
            Status::Loading => Ok(()),
            _ => self.client_event(client, event),
        }
    }

    fn client_event(&mut self, client: usize, event: replica::Event<'_>) -> Result<(), Failure> {
        let now = replica::Timestamp { unix_ms: START_UNIX_MS + self.now_ms as i64 };
        let effects = self.clients[client].replica.handle(now, event);
        self.clients[client].replica.evaluate(1 << 20);
        let _ = self.clients[client].replica.take_changes();
        for effect in effects {
            match effect {
                replica::Effect::Send(bytes) => {
                    self.record_submission(client, &bytes)?;
                    if let Some(id) = self.clients[client].connection {
                        let ClientConnection { machine, process, .. } = self.connections[&id];
                        let at = self.arrival(Link::Client(client), (id, true));
                        let input = Input::ClientSends { connection: id, bytes };
                        self.at(at, Event::Machine { machine, process, input });
                    }
                }
                replica::Effect::Close { .. } => {
                    self.report.count("connections closed by a client");
                    if let Some(id) = self.clients[client].connection {
                        self.client_leaves(id, None, 10)?;
                    }
                }
                replica::Effect::Problem(replica::ReplicaError::BadFrame { error }) => {
                    return Err(format!("a client could not decode a frame of the room: {error}"));
                }
                replica::Effect::Problem(_) => self.report.count("errors shown to users"),
                replica::Effect::Status(_) | replica::Effect::People => {}
            }
        }
        Ok(())
    }

    fn record_submission(&mut self, client: usize, bytes: &[u8]) -> Result<(), Failure> {
        let state = &mut self.clients[client];
        match ClientFrame::decode(bytes)
            .map_err(|error| format!("a client sent a malformed frame: {error}"))?
        {
            ClientFrame::Submit { counter, .. } => {
                let id = state.replica.replica_id().expect("submits after Welcome");
                if !state.submitted.insert((id, counter)) {
                    self.report.count("resends");
                }
            }
            ClientFrame::Withdrawn { counter } => {
                let id = state.replica.replica_id().expect("has submitted before");
                state.submitted.remove(&(id, counter));
            }
            _ => {}
        }
        Ok(())
    }

    /// A client's connection ends; it connects again after a while.
    pub(super) fn client_leaves(
        &mut self,
        id: u64,
        reason: Option<CloseReason>,
        offline_ms: u64,
    ) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        if std::mem::replace(&mut connection.client_has_closed, true) {
            return Ok(());
        }
        let ClientConnection { client, machine, process, .. } = *connection;
        let at = self.arrival(Link::Client(client), (id, true));
        self.at(at, Event::Machine { machine, process, input: Input::ClientLeft { connection: id } });
        if self.clients[client].connection == Some(id) {
            self.clients[client].connection = None;
            self.at(self.now_ms + offline_ms, Event::ClientConnects { client });
            let code = reason.map(|reason| reason.code());
            self.client_event(client, replica::Event::Disconnected { code })?;
        }
        Ok(())
    }

    /// A close of the connection reaches the client.
    pub(super) fn client_sees_close(&mut self, id: u64, reason: Option<CloseReason>) -> Result<(), Failure> {
        let wait_ms = self.random.between(5, 200);
        self.client_leaves(id, reason, wait_ms)
    }

    /// The client has waited for an answer.
    pub(super) fn client_gives_up(&mut self, id: u64) -> Result<(), Failure> {
        let connection = &self.connections[&id];
        if connection.has_received || connection.client_has_closed {
            return Ok(());
        }
        self.report.count("connections given up");
        self.client_leaves(id, None, 10)
    }

    /// A frame reaches the client.
    pub(super) fn client_receives(&mut self, id: u64, bytes: Arc<[u8]>) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        connection.outbox.in_flight -= bytes.len();
        connection.has_received = true;
        let ClientConnection { client, machine, process, client_has_closed, .. } = *connection;
        self.at(self.now_ms, Event::Machine { machine, process, input: Input::Writable { connection: id } });
        if client_has_closed {
            return Ok(());
        }
        self.check_delivery(client, &bytes)?;
        self.client_event(client, replica::Event::Frame(&bytes))
    }

    /// P5: delivered records and snapshots are durable, and no record is skipped.
    fn check_delivery(&mut self, client: usize, bytes: &[u8]) -> Result<(), Failure> {
        let number = self.clients[client].room;
        let key = self.key_of(number);
        let replica = &self.clients[client].replica;
        let (id, mut revision) = (replica.replica_id(), replica.revision());
        let stored = key.map_or(&[][..], |key| self.database.shared.records(key));
        match ServerFrame::decode(bytes)
            .map_err(|error| format!("the room sent a malformed frame: {error}"))?
        {
            ServerFrame::Records { records } => {
                for bytes in records {
                    let record =
                        Record::decode(&bytes).map_err(|error| format!("unreadable record: {error}"))?;
                    let durable = stored.get(record.revision.0 as usize - 1).map(|durable| &durable.bytes);
                    if durable != Some(&bytes) {
                        return Err(format!("revision {} was delivered but is not stored", record.revision));
                    }
                    if record.revision > revision.next() {
                        return Err(format!("revision {} was delivered after {revision}", record.revision));
                    }
                    revision = revision.max(record.revision);
                    if id == Some(record.replica) {
                        self.acknowledged.insert((number, record.replica, record.counter), record.revision);
                    }
                }
            }
            ServerFrame::Snapshot { revision, .. } if revision.0 > stored.len() as u64 => {
                return Err(format!(
                    "a snapshot of revision {revision} was delivered, {} are stored",
                    stored.len()
                ));
            }
            _ => {}
        }
        Ok(())
    }

    /// A frame of a client reaches its server.
    pub(super) fn client_sent(&mut self, machine: usize, id: u64, bytes: Vec<u8>) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        if connection.server_has_closed {
            return Ok(());
        }
        match connection.state {
            ConnectionState::Waiting | ConnectionState::Relayed { is_open: false, .. } => {
                connection.waiting_frames.push(bytes);
                Ok(())
            }
            ConnectionState::Direct { session } => {
                let room = connection.room;
                self.session_sends(machine, room, session, bytes.into())
            }
            ConnectionState::Relayed { stream, number, .. } => {
                self.send_to_owner(stream, ToOwner::Bytes { number, bytes: bytes.into() });
                Ok(())
            }
        }
    }

    /// The server notices that a client has left.
    pub(super) fn client_left(&mut self, machine: usize, id: u64) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        if std::mem::replace(&mut connection.server_has_closed, true) {
            return Ok(());
        }
        match connection.state {
            ConnectionState::Waiting => Ok(()),
            ConnectionState::Direct { session } => {
                let room = connection.room;
                self.session_ends(machine, room, session)
            }
            ConnectionState::Relayed { stream, number, .. } => {
                self.relayed_left(stream, number);
                Ok(())
            }
        }
    }

    /// Closes a connection after the frames that are queued for it.
    pub(super) fn close_client(&mut self, id: u64, reason: CloseReason) {
        let Some(connection) = self.connections.get_mut(&id).filter(|known| !known.server_has_closed) else {
            return;
        };
        (connection.outbox.close, connection.outbox.cursor) = (Some(reason), None);
        // Nothing is missed and no room is told: there are no broadcasts any more.
        let _ = self.pump_client(id);
    }

    /// Closes a connection that this server relays, because it stops.
    pub(super) fn close_relayed(&mut self, id: u64, reason: CloseReason) -> Result<(), Failure> {
        let connection = &self.connections[&id];
        let ConnectionState::Relayed { stream, number, .. } = connection.state else { return Ok(()) };
        if connection.server_has_closed || connection.client_has_closed {
            return Ok(());
        }
        self.relayed_left(stream, number);
        self.close_client(id, reason);
        Ok(())
    }

    /// Closes a connection whose room was not found in time.
    pub(super) fn refuse_client(&mut self, _machine: usize, id: u64) -> Result<(), Failure> {
        self.report.count("connections refused");
        self.close_client(id, CloseReason::Restarting);
        Ok(())
    }

    /// Sends what a client's connection takes.
    pub(super) fn pump_client(&mut self, id: u64) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        if connection.server_has_closed || connection.client_has_closed {
            return Ok(());
        }
        let ClientConnection { client, room, machine, state, subscription, .. } = *connection;
        let mut outbox = std::mem::replace(&mut connection.outbox, Outbox::new());
        let empty = Ring::new(0, 1);
        let ring = match state {
            ConnectionState::Direct { .. } => match self.machines[machine].rooms.get(&room) {
                Some(Slot::Open(open)) => &open.ring,
                _ => &empty,
            },
            ConnectionState::Relayed { stream, .. } => &self.streams[&stream].ring,
            ConnectionState::Waiting => &empty,
        };
        let mut sent = Vec::new();
        let next = loop {
            match outbox.next(ring, self.plan.client_bytes_max, |shared| shared.frame.clone()) {
                Next::Send(frame) => {
                    outbox.in_flight += frame.len();
                    sent.push(frame);
                }
                other => break other,
            }
        };
        let connection = self.connections.get_mut(&id).expect("looked at above");
        connection.outbox = outbox;
        let reads_from_ms = self.clients[client].reads_from_ms;
        for bytes in sent {
            let at = self.arrival_after(Link::Client(client), (id, false), reads_from_ms);
            self.at(at, Event::ClientReceives { connection: id, bytes });
        }
        match (next, state) {
            (Next::Close(reason), _) => {
                let at = self.arrival(Link::Client(client), (id, false));
                self.at(at, Event::ClientSeesClose { connection: id, reason: Some(reason) });
                let connection = self.connections.get_mut(&id).expect("looked at above");
                connection.server_has_closed = true;
                Ok(())
            }
            (Next::Missed(from), ConnectionState::Direct { session }) => {
                self.session_missed(machine, room, session, from)?;
                self.pump_client(id)
            }
            (Next::Drained, ConnectionState::Direct { session }) => {
                self.room_event(machine, room, room::Event::Drained { session })
            }
            (Next::Missed(from), ConnectionState::Relayed { stream, number, .. }) => {
                self.send_to_owner(stream, ToOwner::Missed { number, from, subscription });
                self.pump_client(id)
            }
            (Next::Drained, ConnectionState::Relayed { stream, number, .. }) => {
                self.send_to_owner(stream, ToOwner::Drained { number });
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
