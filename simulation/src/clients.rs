//! The clients of a run: real replicas, and what they are told.

use std::collections::BTreeSet;

use quadrille_protocol::{ChatFrame, CloseReason, Record, Role, ServerFrame, SessionId};
use quadrille_replica as replica;
use quadrille_replica::{Replica, Status};
use quadrille_room as room;

use crate::network::{Connection, Packet};
use crate::random::Random;
use crate::world::{Client, Failure, Page, START_UNIX_MS, ScheduledEvent, World};

impl World {
    pub(crate) fn new_client(&mut self, number: usize) -> Client {
        let random = Random::stream(self.plan.seed, 3, number as u64).next();
        let replica = Replica::new(format!("person {number}").into(), None, random);
        Client {
            replica,
            connection: None,
            reads_from_ms: 0,
            apart_until_ms: 0,
            clock_offset_ms: 0,
            retries: 0,
            submitted: BTreeSet::new(),
            page: Page::default(),
        }
    }

    /// Something the person at a client does. Nobody can type into a page that is still loading.
    pub(crate) fn person(&mut self, client: usize, event: replica::Event<'_>) -> Result<(), Failure> {
        if self.clients[client].replica.status() == Status::Loading {
            return Ok(());
        }
        self.client_event(client, event)
    }

    pub(crate) fn client_event(&mut self, client: usize, event: replica::Event<'_>) -> Result<(), Failure> {
        let unix_ms = START_UNIX_MS + self.now_ms as i64 + self.clients[client].clock_offset_ms;
        let now = replica::Moment { unix_ms };
        let effects = self.clients[client].replica.handle(now, event);
        self.clients[client].replica.evaluate(1 << 20);
        let _ = self.clients[client].replica.take_changes();
        for effect in effects {
            if let Some((ending, effects_left)) = &mut self.client_ends
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
                    self.note_submission(client, &bytes)?;
                    if let Some(id) = self.clients[client].connection {
                        self.send_to_server(id, bytes);
                    }
                }
                replica::Effect::Close { .. } => {
                    self.report.count("client gave up a connection");
                    if let Some(id) = self.clients[client].connection {
                        self.after(1, ScheduledEvent::ServerSeesEnd { connection: id });
                        self.client_loses(id, None, 10)?;
                    }
                }
                replica::Effect::Problem(replica::ReplicaError::Refused { .. }) => {
                    self.report.count("refused")
                }
                replica::Effect::Problem(replica::ReplicaError::BadFrame { error }) => {
                    return Err(format!("a client could not read the room's bytes: {error}"));
                }
                replica::Effect::Problem(_) => self.report.count("problems told to people"),
                replica::Effect::Status(_) | replica::Effect::People => {}
            }
        }
        Ok(())
    }

    /// Remembers what a client claims, and that it claims nothing twice in different words.
    pub(crate) fn note_submission(&mut self, client: usize, bytes: &[u8]) -> Result<(), Failure> {
        use quadrille_protocol::ClientFrame;
        match ClientFrame::decode(bytes) {
            Ok(ClientFrame::Submit { counter, .. }) => {
                let me = self.clients[client].replica.replica_id().expect("submits after Welcome");
                if !self.clients[client].submitted.insert((me, counter)) {
                    self.report.count("resends");
                }
            }
            Ok(ClientFrame::Withdrawn { counter }) => {
                let me = self.clients[client].replica.replica_id().expect("has submitted before");
                self.clients[client].submitted.remove(&(me, counter));
            }
            Ok(_) => {}
            Err(error) => return Err(format!("a client sent what cannot be read: {error}")),
        }
        Ok(())
    }

    pub(crate) fn client_connects(&mut self, client: usize) -> Result<(), Failure> {
        if self.clients[client].connection.is_some() {
            return Ok(());
        }
        if !self.server_is_up || self.now_ms < self.clients[client].apart_until_ms {
            self.retry(client);
            return Ok(());
        }
        self.connections_made += 1;
        let id = self.connections_made;
        let delays = Random::stream(self.plan.seed, 4, id);
        let connection = Connection::new(client, SessionId(id), self.life, delays, self.plan.delay_ms);
        self.connections.insert(id, connection);
        self.clients[client].connection = Some(id);
        self.open_room()?;
        let event = room::Event::Connect { session: SessionId(id), role: Role::Edit, account: "".into() };
        self.room_event(event)?;
        self.client_event(client, replica::Event::Connected)
    }

    pub(crate) fn retry(&mut self, client: usize) {
        self.clients[client].retries += 1;
        let wait = Random::stream(self.plan.seed, 5, self.clients[client].retries + 1_000 * client as u64)
            .between(5, 300);
        self.after(wait, ScheduledEvent::ClientConnects { client });
    }

    pub(crate) fn client_loses(
        &mut self,
        id: u64,
        reason: Option<CloseReason>,
        again_after_ms: u64,
    ) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("kept for ever");
        if std::mem::replace(&mut connection.client_has_left, true) {
            return Ok(());
        }
        let client = connection.client;
        if self.clients[client].connection == Some(id) {
            self.clients[client].connection = None;
            self.after(again_after_ms, ScheduledEvent::ClientConnects { client });
            let code = reason.map(|reason| reason.code());
            self.client_event(client, replica::Event::Disconnected { code })?;
        }
        Ok(())
    }

    pub(crate) fn client_sees_end(&mut self, id: u64, reason: Option<CloseReason>) -> Result<(), Failure> {
        let wait = self.random.between(5, 200);
        self.client_loses(id, reason, wait)
    }

    pub(crate) fn at_client(&mut self, id: u64, packet: &Packet) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("kept for ever");
        if packet.counts && !connection.is_dead {
            connection.outgoing_bytes -= packet.bytes.len();
        }
        // What a dead connection does not take stays with the server until it notices.
        if connection.is_dead {
            return Ok(());
        }
        let is_drained = connection.has_missed && connection.outgoing_bytes == 0;
        let (client, life, session) = (connection.client, connection.life, connection.session);
        let is_gone = connection.client_has_left;
        let server_listens = !connection.server_has_left && life == self.life;
        if is_drained {
            connection.has_missed = false;
        }
        // Talk does not pass the replica.
        if !is_gone && let Ok(frame) = ChatFrame::decode(&packet.bytes) {
            if self.has_chat() {
                self.hear(client, id, frame)?;
            }
        } else if !is_gone {
            self.check_delivery(client, &packet.bytes)?;
            self.client_event(client, replica::Event::Frame(&packet.bytes))?;
            if self.has_chat() {
                self.listen(client);
            }
        }
        if is_drained && server_listens {
            self.room_event(room::Event::Drained { session })?;
        }
        Ok(())
    }

    /// Nobody may hear of what a crash could take back, and everybody hears the journal's very bytes.
    pub(crate) fn check_delivery(&mut self, client: usize, bytes: &[u8]) -> Result<(), Failure> {
        let stored = self.storage.disk().records(self.key);
        match ServerFrame::decode(bytes) {
            Ok(ServerFrame::Records { records }) => {
                for bytes in records {
                    let record =
                        Record::decode(&bytes).map_err(|error| format!("unreadable record: {error}"))?;
                    let kept = stored.get(record.revision.0 as usize - 1).map(|kept| &kept.bytes);
                    if kept != Some(&bytes) {
                        return Err(format!(
                            "revision {} was told but is not in the journal",
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
                    "a snapshot of revision {revision} was told, the journal ends at {}",
                    stored.len()
                ));
            }
            Ok(_) => {}
            Err(error) => return Err(format!("the room sent what cannot be read: {error}")),
        }
        Ok(())
    }

    pub(crate) fn send_to_server(&mut self, id: u64, bytes: Vec<u8>) {
        let connection = self.connections.get_mut(&id).expect("kept for ever");
        let is_hello = bytes.first() == Some(&1);
        let packet = Packet { bytes: bytes.into(), counts: false };
        let times = if !is_hello && connection.takes_duplicate() { 2 } else { 1 };
        for copy in 0..times {
            if copy > 0 {
                self.report.count("fault: frame twice");
            }
            let connection = self.connections.get_mut(&id).expect("kept for ever");
            let apart_until_ms = self.clients[connection.client].apart_until_ms;
            let at = connection.arrival_at_server_ms(self.now_ms, apart_until_ms);
            self.after(at - self.now_ms, ScheduledEvent::AtServer { connection: id, packet: packet.clone() });
        }
    }
}
