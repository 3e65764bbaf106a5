//! One run: clients, connections, lives of the server and a disk, moved by a queue of what happens when.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quadrille_journal::{
    Append, FaultRates, FaultyStorage, Outcome, RoomKey, Snapshot, Storage, StorageError,
};
use quadrille_operation::Limits;
use quadrille_protocol::{
    Author, CloseReason, Counter, Record, ReplicaId, Revision, Role, RoomName, ServerFrame, SessionId,
};
use quadrille_replica as replica;
use quadrille_replica::{Replica, Status};
use quadrille_room as room;
use quadrille_room::limits::Bounds;
use quadrille_room::{Change, Encoded, Lane, Moment, Room, Token};

use crate::edits::{Edit, random_edit};
use crate::network::{Connection, Packet};
use crate::plan::{Plan, What};
use crate::random::Random;
use crate::report::Report;

/// After the last action, a run in which all is well is quiet long before.
const QUIET_WITHIN_MS: u64 = 120_000;
/// Wall clock at the start of every run: 2026-01-01.
const START_UNIX_MS: i64 = 1_767_225_600_000;
const TICK_MS: u64 = 50;

/// What went wrong, in words.
pub type Failure = String;

pub struct World {
    pub(crate) plan: Plan,
    pub(crate) storage: FaultyStorage,
    pub(crate) key: RoomKey,
    pub(crate) room: Option<Room>,
    pub(crate) clients: Vec<Client>,
    pub(crate) report: Report,
    /// Transactions whose record has reached their author, by replica and counter.
    pub(crate) acknowledged: BTreeSet<(ReplicaId, Counter)>,
    /// Requests that were answered with a revision.
    pub(crate) requests_done: Vec<Revision>,
    name: RoomName,
    now_ms: u64,
    clock_offset_ms: i64,
    happenings: BTreeMap<(u64, u64), Happening>,
    happenings_made: u64,
    /// Counts the server's processes; events of an earlier one mean nothing.
    life: u64,
    server_is_up: bool,
    /// Counts the times the room was opened; answers for an earlier one mean nothing.
    opening: u64,
    connections: BTreeMap<u64, Connection>,
    connections_made: u64,
    to_append: Vec<Append>,
    is_appending: bool,
    tick_is_due: bool,
    random: Random,
    actions_done: usize,
    is_healing: bool,
}

pub(crate) struct Client {
    pub replica: Replica,
    connection: Option<u64>,
    reads_from_ms: u64,
    retries: u64,
    /// Counters of transactions it has sent, and not been refused, under its replica identity.
    pub submitted: BTreeSet<(ReplicaId, Counter)>,
}

#[derive(Debug)]
enum Happening {
    Act(usize),
    ClientConnects {
        client: usize,
    },
    AtServer {
        connection: u64,
        packet: Packet,
    },
    AtClient {
        connection: u64,
        packet: Packet,
    },
    ServerSeesEnd {
        connection: u64,
    },
    ClientSeesEnd {
        connection: u64,
        reason: Option<CloseReason>,
    },
    StartServer,
    /// The journal's thread takes what has gathered.
    Append {
        life: u64,
    },
    Appended {
        life: u64,
        opening: u64,
        up_to: Revision,
    },
    AppendFailed {
        life: u64,
        opening: u64,
    },
    Encoded {
        opening: u64,
        encoded: Box<Encoded>,
    },
    Tail {
        opening: u64,
        session: SessionId,
        after: Revision,
        records: Vec<(Revision, Arc<[u8]>)>,
    },
    RoomTick {
        life: u64,
    },
}

impl World {
    pub fn new(plan: Plan) -> World {
        let rates = FaultRates {
            full_disk: plan.disk.full,
            failing_sync: plan.disk.failing_sync,
            lost_snapshot: plan.disk.lost_snapshot,
        };
        let name = RoomName::new("simulated").expect("a plain name");
        let mut storage = FaultyStorage::new(plan.seed, rates);
        let key = storage.claim(&name).expect("claiming has no faults").key;
        let mut world = World {
            storage,
            key,
            room: None,
            clients: Vec::new(),
            report: Report { seeds: 1, ..Report::default() },
            acknowledged: BTreeSet::new(),
            requests_done: Vec::new(),
            name,
            now_ms: 0,
            clock_offset_ms: 0,
            happenings: BTreeMap::new(),
            happenings_made: 0,
            life: 1,
            server_is_up: true,
            opening: 0,
            connections: BTreeMap::new(),
            connections_made: 0,
            to_append: Vec::new(),
            is_appending: false,
            tick_is_due: false,
            random: Random::stream(plan.seed, 2, 0),
            actions_done: 0,
            is_healing: false,
            plan,
        };
        for number in 0..world.plan.clients {
            let client = world.new_client(number);
            world.clients.push(client);
            world.after(number as u64, Happening::ClientConnects { client: number });
        }
        for (index, action) in world.plan.actions.iter().enumerate() {
            world.happenings_made += 1;
            world.happenings.insert((action.at_ms, world.happenings_made), Happening::Act(index));
        }
        world
    }

    /// Runs to the end and past it, until everything is quiet.
    pub fn run(&mut self) -> Result<(), Failure> {
        let last_action_ms = self.plan.actions.last().map_or(0, |action| action.at_ms);
        loop {
            if !self.is_healing && self.actions_done == self.plan.actions.len() {
                self.heal();
            }
            if self.is_healing && self.is_quiet() {
                break;
            }
            let Some(((at_ms, _), happening)) = self.happenings.pop_first() else {
                return Err(format!("stuck: nothing will happen any more, {}", self.describe()));
            };
            self.now_ms = at_ms;
            self.report.steps += 1;
            if self.now_ms > last_action_ms + QUIET_WITHIN_MS {
                return Err(format!(
                    "stuck: not quiet {QUIET_WITHIN_MS} ms after the last action, {}",
                    self.describe()
                ));
            }
            self.happen(happening)?;
        }
        self.report.simulated_ms = self.now_ms;
        self.check_end()
    }

    /// No more faults: from now on everything must come right by itself.
    fn heal(&mut self) {
        self.is_healing = true;
        self.storage.heal();
        self.clients.iter_mut().for_each(|client| client.reads_from_ms = 0);
    }

    pub fn into_report(self) -> Report {
        self.report
    }

    /// What the room holds at the end.
    pub fn workbook(&self) -> Option<&quadrille_workbook::Workbook> {
        self.room.as_ref().map(Room::workbook)
    }

    fn is_quiet(&self) -> bool {
        let Some(room) = &self.room else { return false };
        let all_saved = self.clients.iter().all(|client| {
            client.replica.status() == Status::Saved && client.replica.revision() == room.head()
        });
        all_saved
            && room.head() == room.durable()
            && self.connections.values().all(|connection| !connection.has_missed)
    }

    pub(crate) fn describe(&self) -> String {
        let clients: Vec<String> = self
            .clients
            .iter()
            .map(|client| format!("{:?} at {}", client.replica.status(), client.replica.revision()))
            .collect();
        let room = self.room.as_ref().map(|room| (room.head(), room.durable()));
        format!("{} ms, room {room:?}, clients {clients:?}", self.now_ms)
    }

    fn happen(&mut self, happening: Happening) -> Result<(), Failure> {
        match happening {
            Happening::Act(index) => self.act(index)?,
            Happening::ClientConnects { client } => self.client_connects(client)?,
            Happening::AtServer { connection, packet } => self.at_server(connection, &packet)?,
            Happening::AtClient { connection, packet } => self.at_client(connection, &packet)?,
            Happening::ServerSeesEnd { connection } => self.server_sees_end(connection)?,
            Happening::ClientSeesEnd { connection, reason } => self.client_sees_end(connection, reason)?,
            Happening::StartServer => {
                self.storage.restart();
                self.server_is_up = true;
            }
            Happening::Append { life } if life == self.life => self.append()?,
            Happening::Appended { life, opening, up_to } if (life, opening) == (self.life, self.opening) => {
                self.room_event(room::Event::Durable { up_to })?;
            }
            Happening::AppendFailed { life, opening } if (life, opening) == (self.life, self.opening) => {
                self.room_event(room::Event::AppendFailed)?;
            }
            Happening::Encoded { opening, encoded } if opening == self.opening => {
                self.room_event(room::Event::Encoded(*encoded))?;
            }
            Happening::Tail { opening, session, after, records } if opening == self.opening => {
                self.room_event(room::Event::Tail { session, after, records })?;
            }
            Happening::RoomTick { life } if life == self.life => {
                self.tick_is_due = false;
                self.room_event(room::Event::Tick)?;
            }
            Happening::Append { .. }
            | Happening::Appended { .. }
            | Happening::AppendFailed { .. }
            | Happening::Encoded { .. }
            | Happening::Tail { .. }
            | Happening::RoomTick { .. } => {} // of a life that is over
        }
        Ok(())
    }

    fn after(&mut self, delay_ms: u64, happening: Happening) {
        self.happenings_made += 1;
        self.happenings.insert((self.now_ms + delay_ms, self.happenings_made), happening);
    }

    // What the plan says

    fn act(&mut self, index: usize) -> Result<(), Failure> {
        self.actions_done += 1;
        match self.plan.actions[index].what.clone() {
            What::Edit { client, seed } => {
                let mut random = Random::new(seed);
                let event = match random_edit(&mut random, self.clients[client].replica.document().workbook())
                {
                    Edit::Command(command) => replica::Event::Command(command),
                    Edit::Transaction(transaction) => {
                        replica::Event::Transaction { transaction, is_undoable: true }
                    }
                };
                self.report.count("edits");
                self.person(client, event)?;
            }
            What::Command { client, command } => {
                self.report.count("edits");
                self.person(client, replica::Event::Command(command))?;
            }
            What::Undo { client } => {
                self.report.count("undos");
                self.person(client, replica::Event::Undo)?;
            }
            What::Redo { client } => {
                self.report.count("redos");
                self.person(client, replica::Event::Redo)?;
            }
            What::Request { seed } => self.request(seed)?,
            What::Disconnect { client, offline_ms, server_sees_after_ms } => {
                let Some(id) = self.clients[client].connection else { return Ok(()) };
                self.report.count("fault: connection lost");
                self.after(server_sees_after_ms, Happening::ServerSeesEnd { connection: id });
                self.client_loses(id, None, offline_ms)?;
            }
            What::Slow { client, ms } => {
                self.report.count("fault: slow reader");
                self.clients[client].reads_from_ms = self.now_ms + ms;
            }
            What::Duplicate { client, frames } => {
                let id = self.clients[client].connection;
                if let Some(connection) = id.and_then(|id| self.connections.get_mut(&id)) {
                    connection.duplicates += frames;
                }
            }
            What::CrashClient { client } => {
                self.report.count("fault: client crash");
                let connection = self.clients[client].connection;
                if let Some(id) = connection {
                    self.after(100, Happening::ServerSeesEnd { connection: id });
                    self.connections.get_mut(&id).expect("kept for ever").client_has_left = true;
                }
                self.clients[client] = self.new_client(client + 100 * (index + 1));
                self.after(20, Happening::ClientConnects { client });
            }
            What::CrashServer { down_ms } => {
                self.report.count("fault: server crash");
                self.crash_server(down_ms);
            }
            What::CloseRoom => {
                self.report.count("room closed");
                self.room_event(room::Event::Close(CloseReason::Restarting))?;
            }
            What::ClockJump { by_ms } => {
                self.report.count("fault: clock jump");
                self.clock_offset_ms += by_ms;
            }
            What::Nonsense { client, seed } => {
                self.report.count("fault: nonsense");
                let mut random = Random::new(seed);
                let mut bytes: Vec<u8> = (0..random.between(0, 40)).map(|_| random.next() as u8).collect();
                bytes.insert(0, random.between(0, 8) as u8);
                // These could by chance be taken for what a client means.
                if matches!(bytes[0], 1 | 2 | 4) {
                    bytes.truncate(2);
                }
                if let Some(id) = self.clients[client].connection {
                    self.send_to_server(id, bytes);
                }
            }
        }
        Ok(())
    }

    // The clients

    fn new_client(&mut self, number: usize) -> Client {
        let random = Random::stream(self.plan.seed, 3, number as u64).next();
        let replica = Replica::new(format!("person {number}").into(), None, random);
        Client { replica, connection: None, reads_from_ms: 0, retries: 0, submitted: BTreeSet::new() }
    }

    /// Something the person at a client does. Nobody can type into a page that is still loading.
    fn person(&mut self, client: usize, event: replica::Event<'_>) -> Result<(), Failure> {
        if self.clients[client].replica.status() == Status::Loading {
            return Ok(());
        }
        self.client_event(client, event)
    }

    fn client_event(&mut self, client: usize, event: replica::Event<'_>) -> Result<(), Failure> {
        let now = replica::Moment { unix_ms: START_UNIX_MS + self.now_ms as i64 };
        let effects = self.clients[client].replica.handle(now, event);
        self.clients[client].replica.evaluate(1 << 20);
        let _ = self.clients[client].replica.take_changes();
        for effect in effects {
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
                        self.after(1, Happening::ServerSeesEnd { connection: id });
                        self.client_loses(id, None, 10)?;
                    }
                }
                replica::Effect::Problem(replica::Problem::Refused { .. }) => self.report.count("refused"),
                replica::Effect::Problem(replica::Problem::BadFrame { error }) => {
                    return Err(format!("a client could not read the room's bytes: {error}"));
                }
                replica::Effect::Problem(_) => self.report.count("problems told to people"),
                replica::Effect::Status(_) | replica::Effect::People => {}
            }
        }
        Ok(())
    }

    /// Remembers what a client claims, and that it claims nothing twice in different words.
    fn note_submission(&mut self, client: usize, bytes: &[u8]) -> Result<(), Failure> {
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

    fn client_connects(&mut self, client: usize) -> Result<(), Failure> {
        if self.clients[client].connection.is_some() {
            return Ok(());
        }
        if !self.server_is_up {
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

    fn retry(&mut self, client: usize) {
        self.clients[client].retries += 1;
        let wait = Random::stream(self.plan.seed, 5, self.clients[client].retries + 1_000 * client as u64)
            .between(5, 300);
        self.after(wait, Happening::ClientConnects { client });
    }

    fn client_loses(
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
            self.after(again_after_ms, Happening::ClientConnects { client });
            let code = reason.map(|reason| reason.code());
            self.client_event(client, replica::Event::Disconnected { code })?;
        }
        Ok(())
    }

    fn client_sees_end(&mut self, id: u64, reason: Option<CloseReason>) -> Result<(), Failure> {
        let wait = self.random.between(5, 200);
        self.client_loses(id, reason, wait)
    }

    fn at_client(&mut self, id: u64, packet: &Packet) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("kept for ever");
        if packet.counts {
            connection.outgoing_bytes -= packet.bytes.len();
        }
        let is_drained = connection.has_missed && connection.outgoing_bytes == 0;
        let (client, life, session) = (connection.client, connection.life, connection.session);
        let is_gone = connection.client_has_left;
        let server_listens = !connection.server_has_left && life == self.life;
        if is_drained {
            connection.has_missed = false;
        }
        if !is_gone {
            self.check_delivery(client, &packet.bytes)?;
            self.client_event(client, replica::Event::Frame(&packet.bytes))?;
        }
        if is_drained && server_listens {
            self.room_event(room::Event::Drained { session })?;
        }
        Ok(())
    }

    /// Nobody may hear of what a crash could take back, and everybody hears the journal's very bytes.
    fn check_delivery(&mut self, client: usize, bytes: &[u8]) -> Result<(), Failure> {
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

    fn send_to_server(&mut self, id: u64, bytes: Vec<u8>) {
        let connection = self.connections.get_mut(&id).expect("kept for ever");
        let is_hello = bytes.first() == Some(&1);
        let packet = Packet { bytes: bytes.into(), counts: false };
        let times = if !is_hello && connection.takes_duplicate() { 2 } else { 1 };
        for copy in 0..times {
            if copy > 0 {
                self.report.count("fault: frame twice");
            }
            let connection = self.connections.get_mut(&id).expect("kept for ever");
            let at = connection.arrival_at_server_ms(self.now_ms);
            self.after(at - self.now_ms, Happening::AtServer { connection: id, packet: packet.clone() });
        }
    }

    // The server

    fn at_server(&mut self, id: u64, packet: &Packet) -> Result<(), Failure> {
        let connection = &self.connections[&id];
        if connection.server_has_left || connection.life != self.life {
            return Ok(());
        }
        let session = connection.session;
        self.room_event(room::Event::Frame { session, bytes: packet.bytes.clone() })
    }

    fn server_sees_end(&mut self, id: u64) -> Result<(), Failure> {
        let connection = self.connections.get_mut(&id).expect("kept for ever");
        if std::mem::replace(&mut connection.server_has_left, true) || connection.life != self.life {
            return Ok(());
        }
        connection.is_subscribed = false;
        let session = connection.session;
        self.room_event(room::Event::Disconnect { session })
    }

    fn crash_server(&mut self, down_ms: u64) {
        self.life += 1;
        self.forget_room();
        self.server_is_up = false;
        self.to_append.clear();
        self.is_appending = false;
        self.tick_is_due = false;
        self.after(down_ms, Happening::StartServer);
        let open: Vec<u64> = self
            .connections
            .iter()
            .filter(|(_, connection)| !connection.client_has_left)
            .map(|(id, _)| *id)
            .collect();
        for id in open {
            // What the kernel had taken may still arrive in the meantime.
            let wait = self.random.between(0, 400);
            self.after(wait, Happening::ClientSeesEnd { connection: id, reason: None });
        }
    }

    fn forget_room(&mut self) {
        if let Some(room) = self.room.take() {
            self.note_counts(&room);
        }
        self.opening += 1;
    }

    pub(crate) fn note_counts(&mut self, room: &Room) {
        let counts = room.counts();
        for (what, count) in [
            ("transactions placed", counts.transactions),
            ("transactions rebased", counts.rebased),
            ("resends recognised", counts.duplicates),
            ("resumed by tail", counts.resumed_by_tail),
            ("resumed by snapshot", counts.resumed_by_snapshot),
            ("broadcasts missed", counts.missed),
            ("digests stated", counts.digests),
            ("digest mismatches", counts.digest_mismatches),
        ] {
            self.report.add(what, count);
        }
    }

    fn open_room(&mut self) -> Result<(), Failure> {
        if self.room.is_some() {
            return Ok(());
        }
        let claim = self.storage.claim(&self.name).map_err(|error| error.to_string())?;
        let loaded = self.storage.load(self.key).map_err(|error| error.to_string())?;
        let limits = Limits { cells_per_transaction: self.plan.room.cells, ..Limits::default() };
        let opened = Room::open(self.name.clone(), claim.incarnation, &loaded, limits);
        let mut opened = opened.map_err(|error| format!("the room cannot be opened: {error}"))?;
        opened.set_bounds(Bounds {
            ring_records: self.plan.room.ring,
            tail_revisions: self.plan.room.tail,
            tail_piece_bytes: 200,
            tail_bytes: 1_000,
            snapshot_after_records: self.plan.room.snapshot_after,
            ..Bounds::default()
        });
        self.room = Some(opened);
        self.report.count("room opened");
        Ok(())
    }

    fn request(&mut self, seed: u64) -> Result<(), Failure> {
        if !self.server_is_up {
            return Ok(());
        }
        self.open_room()?;
        self.report.count("requests");
        let mut random = Random::new(seed);
        let workbook = self.room.as_ref().expect("opened above").workbook();
        let change = match random_edit(&mut random, workbook) {
            Edit::Command(command) => Change::Command(Box::new(command)),
            Edit::Transaction(transaction) => Change::Transaction(transaction),
        };
        let author = Author::named("REST");
        self.room_event(room::Event::Request { token: Token(seed), author, role: Role::Edit, change })
    }

    fn room_event(&mut self, event: room::Event) -> Result<(), Failure> {
        let moment = Moment {
            unix_ms: START_UNIX_MS + self.now_ms as i64 + self.clock_offset_ms,
            monotonic_ms: self.now_ms,
            random: self.random.next(),
        };
        let Some(room) = &mut self.room else { return Ok(()) };
        let effects = room.handle(moment, event);
        for effect in effects {
            self.carry_out(effect)?;
        }
        let next_tick_ms = self.room.as_ref().and_then(Room::next_tick_ms);
        if let Some(at) = next_tick_ms.filter(|_| !self.tick_is_due) {
            self.tick_is_due = true;
            let wait = at.saturating_sub(self.now_ms).max(TICK_MS);
            self.after(wait, Happening::RoomTick { life: self.life });
        }
        Ok(())
    }

    fn carry_out(&mut self, effect: room::Effect) -> Result<(), Failure> {
        match effect {
            room::Effect::Append { base, records, time_ms } => {
                self.to_append.push(Append { room: self.key, base, records, time_ms });
                if !self.is_appending {
                    self.is_appending = true;
                    let wait = self.disk_delay();
                    self.after(wait, Happening::Append { life: self.life });
                }
            }
            room::Effect::Send { session, frame, lane } => self.send_to_client(session.0, frame, lane),
            room::Effect::Broadcast { frame, lane, from } => {
                let listeners: Vec<u64> = self
                    .connections
                    .iter()
                    .filter(|(_, connection)| connection.is_subscribed && connection.life == self.life)
                    .map(|(id, _)| *id)
                    .collect();
                for id in listeners {
                    self.broadcast_to(id, &frame, lane, from)?;
                }
            }
            room::Effect::Subscribe { session } => {
                self.connections.get_mut(&session.0).expect("kept for ever").is_subscribed = true;
            }
            room::Effect::Close { session, reason } => {
                self.report.count("sessions closed by the room");
                let connection = self.connections.get_mut(&session.0).expect("kept for ever");
                connection.server_has_left = true;
                connection.is_subscribed = false;
                let at = connection.arrival_at_client_ms(self.now_ms, 0);
                let reason = Some(reason);
                self.after(at - self.now_ms, Happening::ClientSeesEnd { connection: session.0, reason });
            }
            room::Effect::Encode(job) => {
                let wait = self.disk_delay();
                self.after(wait, Happening::Encoded { opening: self.opening, encoded: Box::new(job.run()) });
            }
            room::Effect::PutSnapshot { revision, bytes } => {
                self.report.count("snapshots stored");
                // Losing a snapshot is not an error; that storage has failed shows at the next append.
                let _ = self.storage.put_snapshot(self.key, &Snapshot { revision, bytes });
            }
            room::Effect::NeedTail { session, after, bytes_max } => {
                let records = self.storage.tail(self.key, after, bytes_max).unwrap_or_default();
                let records = records.into_iter().map(|record| (record.revision, record.bytes)).collect();
                let wait = self.disk_delay();
                self.after(wait, Happening::Tail { opening: self.opening, session, after, records });
            }
            room::Effect::Done { revision, .. } => {
                if revision.0 > self.storage.disk().records(self.key).len() as u64 {
                    return Err(format!(
                        "a request was answered before revision {revision} was in the journal"
                    ));
                }
                self.requests_done.push(revision);
            }
            room::Effect::Refused { .. } => self.report.count("requests refused"),
            room::Effect::DigestMismatch { revision, room, replica, .. } => {
                return Err(format!(
                    "digests differ at revision {revision}: room {room:x?}, replica {replica:x}"
                ));
            }
            room::Effect::Stopped => {
                self.report.count("room stopped");
                // What it had handed over for appending is behind a gap now, and will be fenced.
                self.to_append.clear();
                self.forget_room();
            }
        }
        Ok(())
    }

    fn disk_delay(&mut self) -> u64 {
        let (low, high) = self.plan.disk_ms;
        self.random.between(low, high)
    }

    fn append(&mut self) -> Result<(), Failure> {
        self.is_appending = false;
        let batch = std::mem::take(&mut self.to_append);
        if batch.is_empty() {
            return Ok(());
        }
        let (life, opening) = (self.life, self.opening);
        let wait = self.disk_delay();
        match self.storage.append(&batch) {
            Ok(outcomes) => {
                self.report.count("batches appended");
                for outcome in outcomes {
                    match outcome {
                        Outcome::Durable { head } => {
                            self.after(wait, Happening::Appended { life, opening, up_to: head });
                        }
                        Outcome::Fenced => self.after(wait, Happening::AppendFailed { life, opening }),
                    }
                }
            }
            Err(StorageError::Full) => {
                self.report.count("fault: disk full");
                self.after(0, Happening::AppendFailed { life, opening });
            }
            Err(_) => {
                self.report.count("fault: sync failed");
                let down = self.random.between(1, 300);
                self.crash_server(down);
            }
        }
        Ok(())
    }

    fn broadcast_to(
        &mut self,
        id: u64,
        frame: &Arc<[u8]>,
        lane: Lane,
        from: Revision,
    ) -> Result<(), Failure> {
        let outgoing_bytes_max = self.plan.outgoing_bytes_max;
        let connection = self.connections.get_mut(&id).expect("kept for ever");
        if connection.outgoing_bytes + frame.len() <= outgoing_bytes_max || connection.outgoing_bytes == 0 {
            self.send_to_client(id, frame.clone(), lane);
            return Ok(());
        }
        if lane == Lane::Ordered {
            connection.is_subscribed = false;
            connection.has_missed = true;
            let session = connection.session;
            self.room_event(room::Event::Missed { session, from })?;
        }
        Ok(())
    }

    fn send_to_client(&mut self, id: u64, frame: Arc<[u8]>, lane: Lane) {
        let connection = self.connections.get_mut(&id).expect("kept for ever");
        let counts = lane != Lane::Snapshot;
        let is_records = frame.first() == Some(&3);
        let times = if is_records && connection.takes_duplicate() { 2 } else { 1 };
        let reads_from_ms = self.clients[connection.client].reads_from_ms;
        for copy in 0..times {
            if copy > 0 {
                self.report.count("fault: frame twice");
            }
            let connection = self.connections.get_mut(&id).expect("kept for ever");
            connection.outgoing_bytes += if counts { frame.len() } else { 0 };
            let at = connection.arrival_at_client_ms(self.now_ms, reads_from_ms);
            let packet = Packet { bytes: frame.clone(), counts };
            self.after(at - self.now_ms, Happening::AtClient { connection: id, packet });
        }
    }
}
