//! The clients of a run: real replicas with simulated connections.

use std::collections::BTreeSet;

use quadrille_protocol::{ChatFrame, CloseReason, Record, ServerFrame, SessionId};
use quadrille_replica as replica;
use quadrille_replica::{Replica, Status};
use quadrille_room as room;

use crate::network::{Connection, Packet};
use crate::people::{Person, person_of};
use crate::random::Random;
use crate::world::{ChatClient, Client, Failure, START_UNIX_MS, ScheduledEvent, World};

impl World {
    /// Creates a client with a new replica; `number` selects its random stream.
    pub(crate) fn new_client(&mut self, number: usize) -> Client {
        let random = Random::stream(self.plan.seed, 3, number as u64).next();
        let replica = Replica::new(format!("person {number}").into(), None, random);
        Client {
            replica,
            connection: None,
            reads_from_ms: 0,
            partitioned_until_ms: 0,
            clock_offset_ms: 0,
            retries: 0,
            submitted: BTreeSet::new(),
            chat: ChatClient::default(),
        }
    }

    /// An event that the user of a client causes; ignored while the client is loading.
    pub(crate) fn user_event(&mut self, client: usize, event: replica::Event<'_>) -> Result<(), Failure> {
        if self.clients[client].replica.status() == Status::Loading {
            return Ok(());
        }
        self.client_event(client, event)
    }

    /// Passes an event to a replica and performs its effects.
    pub(crate) fn client_event(&mut self, client: usize, event: replica::Event<'_>) -> Result<(), Failure> {
        let unix_ms = START_UNIX_MS + self.now_ms as i64 + self.clients[client].clock_offset_ms;
        let now = replica::Timestamp { unix_ms };
        let effects = self.clients[client].replica.handle(now, event);
        self.clients[client].replica.evaluate(1 << 20);
        let _ = self.clients[client].replica.take_changes();
        for effect in effects {
            if let Some((ending, effects_left)) = &mut self.planned_client_crash
                && *ending == client
            {
                *effects_left -= 1;
                if *effects_left == 0 {
                    self.crash_client(client);
                    return Ok(());
                }
            }
            match effect {
                replica::Effect::Send(bytes) => {
                    self.record_submission(client, &bytes)?;
                    if let Some(id) = self.clients[client].connection {
                        self.send_to_server(id, bytes);
                    }
                }
                replica::Effect::Close { .. } => {
                    self.report.count("connections closed by a client");
                    if let Some(id) = self.clients[client].connection {
                        self.after(1, ScheduledEvent::ServerSeesClose { connection: id });
                        self.client_disconnects(id, None, 10)?;
                    }
                }
                replica::Effect::Problem(replica::ReplicaError::Refused { .. }) => {
                    self.report.count("transactions rejected")
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

    /// Records the transactions that a client submits, and counts resends.
    pub(crate) fn record_submission(&mut self, client: usize, bytes: &[u8]) -> Result<(), Failure> {
        use quadrille_protocol::ClientFrame;
        match ClientFrame::decode(bytes) {
            Ok(ClientFrame::Submit { counter, .. }) => {
                let id = self.clients[client].replica.replica_id().expect("submits after Welcome");
                if !self.clients[client].submitted.insert((id, counter)) {
                    self.report.count("resends");
                }
            }
            Ok(ClientFrame::Withdrawn { counter }) => {
                let id = self.clients[client].replica.replica_id().expect("has submitted before");
                self.clients[client].submitted.remove(&(id, counter));
            }
            Ok(_) => {}
            Err(error) => return Err(format!("a client sent a malformed frame: {error}")),
        }
        Ok(())
    }

    /// Opens a connection, or schedules another attempt if the server cannot be reached.
    pub(crate) fn client_connects(&mut self, client: usize) -> Result<(), Failure> {
        if self.clients[client].connection.is_some() {
            return Ok(());
        }
        if !self.server_is_up || self.now_ms < self.clients[client].partitioned_until_ms {
            self.schedule_reconnect(client);
            return Ok(());
        }
        self.connections_opened += 1;
        let id = self.connections_opened;
        let delays = Random::stream(self.plan.seed, 4, id);
        let connection =
            Connection::new(client, SessionId(id), self.server_process, delays, self.plan.delay_ms);
        self.connections.insert(id, connection);
        self.clients[client].connection = Some(id);
        self.open_room()?;
        let Person { role, author, email } = person_of(client);
        // The other replicas do not know who their person is, and leave the check to the room.
        if client.is_multiple_of(2) {
            let account = author.as_ref().map_or("".into(), |author| author.id.clone());
            let email = email.clone().unwrap_or_default();
            self.client_event(client, replica::Event::Identified { account, email })?;
        }
        self.room_event(room::Event::Connect { session: SessionId(id), role, author, email, picture: None })?;
        self.client_event(client, replica::Event::Connected)
    }

    /// Schedules the next connection attempt.
    pub(crate) fn schedule_reconnect(&mut self, client: usize) {
        self.clients[client].retries += 1;
        let wait = Random::stream(self.plan.seed, 5, self.clients[client].retries + 1_000 * client as u64)
            .between(5, 300);
        self.after(wait, ScheduledEvent::ClientConnects { client });
    }

    /// The client notices that its connection is closed, and connects again after a delay.
    pub(crate) fn client_disconnects(
        &mut self,
        id: u64,
        reason: Option<CloseReason>,
        reconnect_after_ms: u64,
    ) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        if std::mem::replace(&mut connection.client_has_closed, true) {
            return Ok(());
        }
        let client = connection.client;
        if self.clients[client].connection == Some(id) {
            self.clients[client].connection = None;
            self.after(reconnect_after_ms, ScheduledEvent::ClientConnects { client });
            let code = reason.map(|reason| reason.code());
            self.client_event(client, replica::Event::Disconnected { code })?;
        }
        Ok(())
    }

    /// A close of the connection reaches the client.
    pub(crate) fn client_sees_close(&mut self, id: u64, reason: Option<CloseReason>) -> Result<(), Failure> {
        let wait = self.random.between(5, 200);
        self.client_disconnects(id, reason, wait)
    }

    /// A frame reaches the client.
    pub(crate) fn client_receives(&mut self, id: u64, packet: &Packet) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        if packet.counts && !connection.is_dead {
            connection.outgoing_bytes -= packet.bytes.len();
        }
        // Frames on a dead connection remain in the server's queue until the server notices.
        if connection.is_dead {
            return Ok(());
        }
        let is_drained = connection.has_dropped_broadcast && connection.outgoing_bytes == 0;
        let (client, server_process, session) =
            (connection.client, connection.server_process, connection.session);
        let is_gone = connection.client_has_closed;
        let server_listens = !connection.server_has_closed && server_process == self.server_process;
        if is_drained {
            connection.has_dropped_broadcast = false;
        }
        // Chat frames are handled by the client, not by the replica.
        if !is_gone && let Ok(frame) = ChatFrame::decode(&packet.bytes) {
            if self.has_chat() {
                self.receive_chat(client, id, frame)?;
            }
        } else if !is_gone {
            self.check_delivered_is_durable(client, &packet.bytes)?;
            self.check_role_allows(id, &packet.bytes)?;
            self.client_event(client, replica::Event::Frame(&packet.bytes))?;
            if self.has_chat() {
                self.subscribe_to_chat(client);
            }
        }
        if is_drained && server_listens {
            self.room_event(room::Event::Drained { session })?;
        }
        Ok(())
    }

    /// P5: delivered records are durable, with exactly the bytes of the journal; a delivered
    /// snapshot has a durable revision.
    pub(crate) fn check_delivered_is_durable(&mut self, client: usize, bytes: &[u8]) -> Result<(), Failure> {
        let stored = self.storage.disk().records(self.key);
        match ServerFrame::decode(bytes) {
            Ok(ServerFrame::Records { records }) => {
                for bytes in records {
                    let record =
                        Record::decode(&bytes).map_err(|error| format!("unreadable record: {error}"))?;
                    let durable = stored.get(record.revision.0 as usize - 1).map(|durable| &durable.bytes);
                    if durable != Some(&bytes) {
                        return Err(format!(
                            "revision {} was delivered but is not in the journal",
                            record.revision
                        ));
                    }
                    if self.clients[client].replica.replica_id() == Some(record.replica) {
                        self.acknowledged.insert((record.replica, record.counter));
                    }
                }
            }
            Ok(ServerFrame::Snapshot { revision, .. }) if revision.0 > stored.len() as u64 => {
                return Err(format!(
                    "a snapshot of revision {revision} was delivered, the journal ends at {}",
                    stored.len()
                ));
            }
            Ok(_) => {}
            Err(error) => return Err(format!("the room sent a malformed frame: {error}")),
        }
        Ok(())
    }

    /// P27: a session whose role was changed gets no later record.
    fn check_role_allows(&self, id: u64, bytes: &[u8]) -> Result<(), Failure> {
        let Some(last) = self.connections[&id].last_revision else { return Ok(()) };
        let Ok(ServerFrame::Records { records }) = ServerFrame::decode(bytes) else { return Ok(()) };
        for record in records.iter().filter_map(|bytes| Record::decode(bytes).ok()) {
            if record.revision > last {
                return Err(format!("revision {} was delivered after the role was changed", record.revision));
            }
        }
        Ok(())
    }

    /// Sends a frame from a client to the server, twice if the plan duplicates it.
    pub(crate) fn send_to_server(&mut self, id: u64, bytes: Vec<u8>) {
        let connection = self.connections.get_mut(&id).expect("connections are never removed");
        let is_hello = bytes.first() == Some(&1);
        let packet = Packet { bytes: bytes.into(), counts: false };
        let times = if !is_hello && connection.takes_duplicate() { 2 } else { 1 };
        for copy in 0..times {
            if copy > 0 {
                self.report.count("fault: frame duplicated");
            }
            let connection = self.connections.get_mut(&id).expect("connections are never removed");
            let partitioned_until_ms = self.clients[connection.client].partitioned_until_ms;
            let at = connection.arrival_at_server_ms(self.now_ms, partitioned_until_ms);
            self.after(
                at - self.now_ms,
                ScheduledEvent::ServerReceives { connection: id, packet: packet.clone() },
            );
        }
    }
}
