//! A server: it routes sessions to the owner of their room, claims rooms that nobody runs, and carries out the
//! effects of its rooms.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_journal::{Append, Claim, Loaded, PeerId, Snapshot};
use quadrille_operation::Limits;
use quadrille_protocol::{Author, CloseReason, Counter, Revision, Role, SessionId};
use quadrille_room as room;
use quadrille_room::limits::Bounds;
use quadrille_room::{Change, FramePriority, Moment, Room, SharedFrame, Token};

use super::messages::{Caller, Input, Opening, Request};
use super::outbox::Ring;
use super::state::{Machine, OpenRoom, Slot, Waiting};
use super::world::ClusterWorld;
use crate::edits::{Edit, random_edit};
use crate::people::{Person, person_of};
use crate::random::Random;
use crate::world::{Failure, START_UNIX_MS, TICK_MS};

/// Time without sessions after which a room is unloaded.
const ROOM_IDLE_MS: u64 = 300;
/// Pause before the owner is looked up again, as `AGREEMENT_PAUSE` of the server.
const AGREEMENT_PAUSE_MS: u64 = 50;
/// Frames of a ring.
const RING_FRAMES_MAX: usize = 64;

impl ClusterWorld {
    /// Something reaches a server.
    pub(super) fn machine_input(&mut self, machine: usize, input: Input) -> Result<(), Failure> {
        match input {
            Input::ClientArrives { connection } | Input::Route { connection } => {
                self.route(machine, connection)
            }
            Input::ClientSends { connection, bytes } => self.client_sent(machine, connection, bytes),
            Input::ClientLeft { connection } => self.client_left(machine, connection),
            Input::Writable { connection } => self.pump_client(connection),
            Input::Answer { caller, call, answer } => self.answered(machine, caller, call, *answer),
            Input::CallLost { caller, call } => self.call_lost(machine, caller, call),
            Input::Retry { caller } => self.retry(machine, caller),
            Input::Beat => self.beat(machine),
            Input::Drain => self.continue_drain(machine),
            Input::HandOver { opening } => self.continue_hand_over(machine, opening),
            Input::Tick { opening } => {
                let open = self.machines[machine].open_room(opening.room);
                if let Some(open) = open.filter(|open| open.opening == opening) {
                    open.tick_is_due = false;
                    self.room_event(machine, opening.room, room::Event::Tick)?;
                }
                Ok(())
            }
            Input::Encoded { opening, encoded } => {
                self.opening_event(machine, opening, room::Event::Encoded(*encoded))
            }
            Input::Unload { opening } => self.unload(machine, opening),
            Input::ToOwner { stream, message } => self.owner_receives(stream, message),
            Input::ToRelay { stream, message, bytes } => self.relay_receives(stream, message, bytes),
            Input::StreamWritable { stream } => self.pump_stream(stream),
            Input::StreamLost { stream } => self.stream_lost(machine, stream),
            Input::Silence { stream } => self.check_silence(stream),
        }
    }

    /// Finds the server of a connection's room: this one, or another, or nobody.
    fn route(&mut self, machine: usize, connection: u64) -> Result<(), Failure> {
        let Some(known) = self.connections.get(&connection).filter(|known| known.is_waiting()) else {
            return Ok(());
        };
        let (room, deadline_ms) = (known.room, known.deadline_ms);
        let state = &self.machines[machine];
        if state.node.is_none()
            || state.drain_until_ms.is_some()
            || state.is_leaving
            || self.now_ms > deadline_ms
        {
            return self.refuse_client(machine, connection);
        }
        if state.rooms.contains_key(&room) || state.claimed.named(&self.names[room]).is_some() {
            return self.open(machine, room, Waiting::Client { connection });
        }
        self.request(machine, Caller::Lookups, Request::Owner { connection, room })
    }

    /// The owner of a connection's room was looked up.
    pub(super) fn owner_found(
        &mut self,
        machine: usize,
        connection: u64,
        room: usize,
        owner: Option<PeerId>,
    ) -> Result<(), Failure> {
        match owner.filter(|owner| Some(*owner) != self.machines[machine].node) {
            Some(owner) => self.relay_session(machine, connection, room, owner),
            None => self.open(machine, room, Waiting::Client { connection }),
        }
    }

    /// Looks the owner up again after a pause.
    pub(super) fn route_again(&mut self, machine: usize, connection: u64) {
        self.report.count("owners looked up again");
        self.machine_after(machine, AGREEMENT_PAUSE_MS, Input::Route { connection });
    }

    /// Joins a room of this server, which claims it if it is not in memory.
    pub(super) fn open(&mut self, machine: usize, room: usize, waiting: Waiting) -> Result<(), Failure> {
        let state = &mut self.machines[machine];
        if state.drain_until_ms.is_some() || state.is_leaving {
            return self.not_opened(machine, waiting);
        }
        match state.rooms.get_mut(&room) {
            Some(Slot::Open(open)) if open.heir.is_some() => {
                open.held.push(waiting);
                Ok(())
            }
            Some(Slot::Open(_)) => self.join_room(machine, room, waiting),
            Some(Slot::Opening { waiting: others }) => {
                others.push(waiting);
                Ok(())
            }
            None => {
                state.rooms.insert(room, Slot::Opening { waiting: vec![waiting] });
                self.request(machine, Caller::Rooms, Request::Open { room, claim: None })
            }
        }
    }

    /// Another server has the room, or the database is away.
    pub(super) fn open_failed(&mut self, machine: usize, room: usize) -> Result<(), Failure> {
        self.report.count("rooms not opened");
        let Some(Slot::Opening { waiting }) = self.machines[machine].rooms.remove(&room) else {
            return Ok(());
        };
        waiting.into_iter().try_for_each(|waiting| self.not_opened(machine, waiting))
    }

    fn not_opened(&mut self, machine: usize, waiting: Waiting) -> Result<(), Failure> {
        match waiting {
            Waiting::Client { connection } => self.route_again(machine, connection),
            Waiting::Relayed { stream, number } => self.refuse_relayed(stream, number),
        }
        Ok(())
    }

    /// The records of a claimed room are read.
    pub(super) fn opened(
        &mut self,
        machine: usize,
        number: usize,
        claim: Claim,
        loaded: &Loaded,
    ) -> Result<(), Failure> {
        let limits = Limits { cells_per_transaction: self.plan.room.cells, ..Limits::default() };
        let opened = Room::open(self.names[number].clone(), claim.incarnation, loaded, limits);
        let mut opened = opened.map_err(|error| format!("a room cannot be opened: {error}"))?;
        opened.set_bounds(Bounds {
            ring_records: self.plan.room.ring,
            tail_revisions: self.plan.room.tail,
            tail_piece_bytes: 200,
            tail_bytes: 1_000,
            snapshot_after_records: self.plan.room.snapshot_after,
            snapshot_pause_factor: 0,
            snapshot_after_ms: self.plan.room.snapshot_after_ms,
            snapshot_worth_records: self.plan.room.snapshot_worth,
            ..Bounds::default()
        });
        self.report.count("rooms opened");
        let opening = Opening { room: number, number: self.new_number() };
        let ring = Ring::new(self.plan.ring_bytes_max, RING_FRAMES_MAX);
        let open = OpenRoom {
            room: opened,
            key: claim.key,
            opening,
            ring,
            sessions: BTreeMap::new(),
            tick_is_due: false,
            heir: None,
            held: Vec::new(),
        };
        let before = self.machines[machine].rooms.insert(number, Slot::Open(Box::new(open)));
        self.room_event(machine, number, room::Event::SetVolatileInterval { ms: None })?;
        if let Some(Slot::Opening { waiting }) = before {
            for waiting in waiting {
                self.join_room(machine, number, waiting)?;
            }
        }
        self.unload_later(machine, number);
        Ok(())
    }

    /// Connects a session to a room in memory.
    fn join_room(&mut self, machine: usize, number: usize, waiting: Waiting) -> Result<(), Failure> {
        let session = self.new_session();
        let Some((client, session_of)) = self.session_begins(waiting, session) else { return Ok(()) };
        let Some(open) = self.machines[machine].open_room(number) else { return Ok(()) };
        open.sessions.insert(session, session_of);
        self.report.count("sessions");
        let Person { role, author, email } = person_of(client);
        self.room_event(
            machine,
            number,
            room::Event::Connect { session, role, author, email, picture: None },
        )?;
        self.session_began(waiting)
    }

    /// Passes an answer of the storage to a room, unless it was opened again in the meantime.
    pub(super) fn opening_event(
        &mut self,
        machine: usize,
        opening: Opening,
        event: room::Event,
    ) -> Result<(), Failure> {
        let open = self.machines[machine].open_room(opening.room);
        match open.is_some_and(|open| open.opening == opening) {
            true => self.room_event(machine, opening.room, event),
            false => Ok(()),
        }
    }

    /// Passes an event to a room in memory, carries out its effects and sends what the connections take.
    pub(super) fn room_event(
        &mut self,
        machine: usize,
        number: usize,
        event: room::Event,
    ) -> Result<(), Failure> {
        let Machine { drift, clock_offset_ms, process, .. } = self.machines[machine];
        let own_ms = (self.now_ms as i64 * (1_000 + drift) / 1_000) as u64;
        let unix_ms = START_UNIX_MS + own_ms as i64 + clock_offset_ms;
        let moment = Moment { unix_ms, monotonic_ms: own_ms, random: self.random.next() };
        let Some(open) = self.machines[machine].open_room(number) else { return Ok(()) };
        let opening = open.opening;
        for effect in open.room.handle(moment, event) {
            self.effect(machine, opening, effect)?;
            if self.machines[machine].process != process {
                return Ok(());
            }
        }
        self.flush_room(machine, number)?;
        let Some(open) = self.machines[machine].open_room(number) else { return Ok(()) };
        if let Some(at_ms) = open.room.next_tick_ms().filter(|_| !open.tick_is_due) {
            open.tick_is_due = true;
            let wait_ms = at_ms.saturating_sub(own_ms).max(TICK_MS);
            self.machine_after(machine, wait_ms, Input::Tick { opening });
        }
        Ok(())
    }

    fn effect(&mut self, machine: usize, opening: Opening, effect: room::Effect) -> Result<(), Failure> {
        let number = opening.room;
        let Some(open) = self.machines[machine].open_room(number) else { return Ok(()) };
        match effect {
            room::Effect::Append { base, records, time_ms } => {
                let append = Append { room: open.key, base, records, time_ms };
                self.request(machine, Caller::Rooms, Request::Append { append, opening })?;
            }
            room::Effect::Send { session, frame, priority } => {
                self.send_to_session(machine, number, session, frame, priority)?;
            }
            room::Effect::Broadcast { frame, priority, .. } => {
                let up_to = (priority == FramePriority::Ordered).then(|| open.room.durable());
                let bytes = frame.len();
                open.ring.push(SharedFrame { frame, up_to }, bytes);
            }
            room::Effect::Subscribe { session } => {
                let next_revision = open.room.durable().next();
                self.subscribe(machine, number, session, next_revision);
            }
            room::Effect::Close { session, reason } => self.close_session(machine, number, session, reason),
            room::Effect::Encode(job) => {
                let encoded = Box::new(job.run());
                let wait_ms = self.random.between(0, 20);
                self.machine_after(machine, wait_ms, Input::Encoded { opening, encoded });
            }
            room::Effect::PutSnapshot { revision, bytes } => {
                let (key, snapshot) = (open.key, Snapshot { revision, bytes });
                self.request(machine, Caller::Rooms, Request::Piece { key, snapshot, written: 0 })?;
            }
            room::Effect::ReadTail { session, after, bytes_max } => {
                let key = open.key;
                self.request(
                    machine,
                    Caller::Rooms,
                    Request::Tail { opening, key, session, after, bytes_max },
                )?;
            }
            room::Effect::RequestCommitted { revision, .. } => {
                let durable = self.database.shared.records(open.key).len() as u64;
                if revision.0 > durable {
                    return Err(format!(
                        "a request was answered with revision {revision} of {durable} stored ones"
                    ));
                }
                self.requests_done.push((number, revision));
            }
            room::Effect::RequestRejected { .. } => self.report.count("requests rejected"),
            room::Effect::DigestMismatch { revision, .. } => {
                return Err(format!("digests differ at revision {revision}"));
            }
            room::Effect::Stopped => {
                self.report.count("rooms stopped");
                self.release_room(machine, number)?;
            }
            room::Effect::ReadChat
            | room::Effect::StoreChatMessage { .. }
            | room::Effect::ChatAccepted { .. }
            | room::Effect::Discard(_) => {}
        }
        Ok(())
    }

    /// A random edit through REST at the server that runs the room, if one does.
    pub(super) fn rest_request(&mut self, number: usize, seed: u64) -> Result<(), Failure> {
        let is_open = |machine: &Machine| {
            machine.paused_until_ms <= self.now_ms
                && matches!(machine.rooms.get(&number), Some(Slot::Open(_)))
        };
        let Some(machine) = self.machines.iter().position(is_open) else { return Ok(()) };
        let Some(open) = self.machines[machine].open_room(number) else { return Ok(()) };
        let change = match random_edit(&mut Random::new(seed), open.room.workbook()) {
            Edit::Command(command) => Change::Command(Box::new(command)),
            Edit::Transaction(transaction) => Change::Transaction(transaction),
        };
        self.report.count("requests");
        let (token, author) = (Token(self.new_number()), Author::named("REST"));
        let event = room::Event::Request {
            token,
            author,
            role: Role::Edit,
            email: None,
            counter: Counter(0),
            change,
        };
        self.room_event(machine, number, event)
    }

    /// The records for a session could not be read: it is closed, and its client connects again.
    pub(super) fn tail_failed(
        &mut self,
        machine: usize,
        opening: Opening,
        session: SessionId,
    ) -> Result<(), Failure> {
        self.close_session(machine, opening.room, session, CloseReason::RoomStopped);
        self.opening_event(machine, opening, room::Event::Disconnect { session })
    }

    /// A room has no sessions: it is unloaded after a while.
    pub(super) fn unload_later(&mut self, machine: usize, number: usize) {
        if let Some(open) = self.machines[machine].open_room(number)
            && open.room.is_idle()
        {
            let opening = open.opening;
            self.machine_after(machine, ROOM_IDLE_MS, Input::Unload { opening });
        }
    }

    fn unload(&mut self, machine: usize, opening: Opening) -> Result<(), Failure> {
        let is_idle = |machine: &mut Machine| {
            machine
                .open_room(opening.room)
                .filter(|open| open.opening == opening)
                .map(|open| open.room.is_idle())
        };
        if is_idle(&mut self.machines[machine]) != Some(true) {
            return Ok(());
        }
        self.room_event(machine, opening.room, room::Event::PrepareUnload)?;
        match is_idle(&mut self.machines[machine]) {
            Some(true) => {
                self.report.count("rooms unloaded");
                self.release_room(machine, opening.room)?;
            }
            Some(false) => self.machine_after(machine, ROOM_IDLE_MS, Input::Unload { opening }),
            None => {}
        }
        Ok(())
    }

    /// Drops a room from memory. Its claim is released after its snapshots are written (O5).
    pub(super) fn release_room(&mut self, machine: usize, number: usize) -> Result<(), Failure> {
        let Some(Slot::Open(open)) = self.machines[machine].rooms.remove(&number) else { return Ok(()) };
        self.count_room(&open.room);
        self.end_streams_of_room(machine, number)?;
        self.request(machine, Caller::Rooms, Request::Release { key: open.key, heir: open.heir })?;
        // Whoever has come meanwhile finds the room where it is now.
        open.held.into_iter().try_for_each(|waiting| self.open(machine, number, waiting))
    }

    /// Adds the counters of a room to the report.
    pub(super) fn count_room(&mut self, room: &Room) {
        let counts = room.counts();
        for (name, count) in [
            ("transactions recorded", counts.transactions),
            ("resends recognized", counts.duplicates),
            ("resumed by tail", counts.resumed_by_tail),
            ("resumed by snapshot", counts.resumed_by_snapshot),
            ("broadcasts dropped", counts.missed),
        ] {
            self.report.add(name, count);
        }
    }

    /// A frame for a session reaches its room, if the room and the session are still there.
    pub(super) fn session_sends(
        &mut self,
        machine: usize,
        number: usize,
        session: SessionId,
        bytes: Arc<[u8]>,
    ) -> Result<(), Failure> {
        let open = self.machines[machine].open_room(number);
        match open.is_some_and(|open| open.sessions.contains_key(&session)) {
            true => self.room_event(machine, number, room::Event::Frame { session, bytes }),
            false => Ok(()),
        }
    }

    /// The client of a session has disconnected.
    pub(super) fn session_ends(
        &mut self,
        machine: usize,
        number: usize,
        session: SessionId,
    ) -> Result<(), Failure> {
        let open = self.machines[machine].open_room(number);
        if open.and_then(|open| open.sessions.remove(&session)).is_some() {
            self.room_event(machine, number, room::Event::Disconnect { session })?;
            self.unload_later(machine, number);
        }
        Ok(())
    }

    /// A session has missed broadcasts from a revision on.
    pub(super) fn session_missed(
        &mut self,
        machine: usize,
        number: usize,
        session: SessionId,
        from: Revision,
    ) -> Result<(), Failure> {
        self.report.count("listeners that fell off the ring");
        self.room_event(machine, number, room::Event::Missed { session, from })
    }
}
