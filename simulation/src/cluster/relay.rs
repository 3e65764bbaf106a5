//! Streams: all sessions of a room at one server share a connection to the owner of the room, with a cursor
//! in the owner's ring of broadcasts and a ring of its own for their clients, as in `owner_relay/room_stream`
//! of the server.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_journal::PeerId;
use quadrille_protocol::{CloseReason, Revision, SessionId};
use quadrille_room as room;
use quadrille_room::{FramePriority, SharedFrame};

use super::messages::{Event, Input, Link, ToOwner, ToRelay};
use super::outbox::{Next, Outbox, Ring};
use super::state::{ConnectionState, Session, Slot, Stream, Waiting};
use super::world::ClusterWorld;
use crate::world::Failure;

const PING_EVERY_MS: u64 = 5_000;
/// Time without a message after which the other server is not there, as `RELAY_SILENCE_SECONDS_MAX`.
const SILENCE_MS_MAX: u64 = 15_000;
/// Pause before a server that was not reached is asked again, as `ANSWER_PAUSE` of the server.
const ANSWER_PAUSE_MS: u64 = 100;
/// Frames of a ring at the relay.
const RING_FRAMES_MAX: usize = 64;
impl ClusterWorld {
    /// Relays a connection to the server that runs its room.
    pub(super) fn relay_session(
        &mut self,
        machine: usize,
        connection: u64,
        room: usize,
        owner_node: PeerId,
    ) -> Result<(), Failure> {
        let Some(known) = self.connections.get_mut(&connection).filter(|known| known.is_waiting()) else {
            return Ok(());
        };
        let client = known.client;
        let relay_process = self.machines[machine].process;
        let is_same = |(id, stream): (&u64, &Stream)| {
            let is_open =
                !stream.has_ended_at_relay && stream.owner_node == owner_node && stream.room == room;
            (is_open && (stream.relay, stream.relay_process) == (machine, relay_process)).then_some(*id)
        };
        let id = match self.streams.iter().find_map(is_same) {
            Some(id) => id,
            None => {
                let Some(owner) = self.machines.iter().position(|owner| owner.node == Some(owner_node))
                else {
                    // Its process has ended.
                    self.report.count("owners not reached");
                    self.machine_after(machine, ANSWER_PAUSE_MS, Input::Route { connection });
                    return Ok(());
                };
                self.report.count("streams");
                let id = self.new_number();
                self.streams.insert(
                    id,
                    Stream {
                        relay: machine,
                        relay_process,
                        owner,
                        owner_process: self.machines[owner].process,
                        owner_node,
                        room,
                        out: Outbox::new(),
                        opening: None,
                        requested: BTreeMap::new(),
                        owner_sessions: BTreeMap::new(),
                        has_ended_at_owner: false,
                        ring: Ring::new(self.plan.ring_bytes_max, RING_FRAMES_MAX),
                        relay_sessions: BTreeMap::new(),
                        last_number: 0,
                        has_ended_at_relay: false,
                        heard_ms: self.now_ms,
                    },
                );
                self.machine_after(machine, PING_EVERY_MS, Input::Silence { stream: id });
                id
            }
        };
        let stream = self.streams.get_mut(&id).expect("found or inserted above");
        stream.last_number += 1;
        let number = stream.last_number;
        stream.relay_sessions.insert(number, connection);
        if let Some(known) = self.connections.get_mut(&connection) {
            known.state = ConnectionState::Relayed { stream: id, number, is_open: false };
        }
        self.send_to_owner(id, ToOwner::Connect { number, client });
        Ok(())
    }

    /// Sends a message of the relay to the owner.
    pub(super) fn send_to_owner(&mut self, id: u64, message: ToOwner) {
        let Stream { relay, owner, owner_process: process, has_ended_at_relay, .. } = self.streams[&id];
        if !has_ended_at_relay {
            let at = self.arrival(Link::machines(relay, owner), (id, true));
            self.at(
                at,
                Event::Machine { machine: owner, process, input: Input::ToOwner { stream: id, message } },
            );
        }
    }

    /// Queues a message of the owner.
    fn push_to_relay(&mut self, id: u64, message: ToRelay) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        let ring_head = match self.machines[stream.owner].open_room(stream.room) {
            Some(open) if Some(open.opening) == stream.opening => open.ring.head(),
            _ => 0,
        };
        stream.out.push(ring_head, message);
    }

    /// A message reaches the owner.
    pub(super) fn owner_receives(&mut self, id: u64, message: ToOwner) -> Result<(), Failure> {
        let stream = self.streams.get_mut(&id).expect("streams are never removed");
        if stream.has_ended_at_owner {
            return Ok(());
        }
        let (owner, number_of_room) = (stream.owner, stream.room);
        let session =
            |stream: &Stream, number| stream.owner_sessions.get(&number).map(|(session, _)| *session);
        match message {
            ToOwner::Connect { number, client } => {
                stream.requested.insert(number, client);
                self.open(owner, number_of_room, Waiting::Relayed { stream: id, number })?;
            }
            ToOwner::Bytes { number, bytes } => {
                if let Some(session) = session(stream, number) {
                    self.session_sends(owner, number_of_room, session, bytes)?;
                }
            }
            ToOwner::Disconnected { number } => {
                stream.requested.remove(&number);
                if let Some((session, _)) = stream.owner_sessions.remove(&number) {
                    self.session_ends(owner, number_of_room, session)?;
                }
            }
            ToOwner::Missed { number, from, subscription } => {
                // A snapshot may have subscribed the session again in the meantime.
                if let Some((session, count)) = stream.owner_sessions.get(&number).copied()
                    && count == subscription
                {
                    self.session_missed(owner, number_of_room, session, from)?;
                }
            }
            ToOwner::Drained { number } => {
                if let Some(session) = session(stream, number) {
                    self.room_event(owner, number_of_room, room::Event::Drained { session })?;
                }
            }
            ToOwner::Ping => self.push_to_relay(id, ToRelay::Pong),
        }
        self.pump_stream(id)
    }

    /// The owner does not run the room.
    pub(super) fn refuse_relayed(&mut self, id: u64, number: u32) {
        self.push_to_relay(id, ToRelay::Refused { number });
        // Nothing else is to be sent to a server that relays no session of the room.
        let _ = self.pump_stream(id);
    }

    /// Begins a session of a room that was opened for it. `None` when nobody waits for it any more.
    pub(super) fn session_begins(
        &mut self,
        waiting: Waiting,
        session: SessionId,
    ) -> Option<(usize, Session)> {
        match waiting {
            Waiting::Client { connection } => {
                let known = self.connections.get_mut(&connection).filter(|known| known.is_waiting())?;
                known.state = ConnectionState::Direct { session };
                Some((known.client, Session::Direct { connection }))
            }
            Waiting::Relayed { stream: id, number } => {
                let stream = self.streams.get_mut(&id).filter(|stream| !stream.has_ended_at_owner)?;
                let client = stream.requested.remove(&number)?;
                let opening = self.machines[stream.owner].open_room(stream.room).map(|open| open.opening);
                if stream.opening.is_some() && stream.opening != opening {
                    // The room was opened again. Sessions of the earlier opening have ended; this one comes back.
                    self.end_at_owner(id);
                    return None;
                }
                stream.opening = opening;
                stream.owner_sessions.insert(number, (session, 0));
                self.push_to_relay(id, ToRelay::Opened { number });
                Some((client, Session::Stream { stream: id, number }))
            }
        }
    }

    /// Passes on what a client has sent before its session began.
    pub(super) fn session_began(&mut self, waiting: Waiting) -> Result<(), Failure> {
        let Waiting::Client { connection } = waiting else { return Ok(()) };
        let Some(known) = self.connections.get_mut(&connection) else { return Ok(()) };
        let (machine, frames) = (known.machine, std::mem::take(&mut known.waiting_frames));
        frames.into_iter().try_for_each(|bytes| self.client_sent(machine, connection, bytes))
    }

    /// Queues a frame for one session.
    pub(super) fn send_to_session(
        &mut self,
        machine: usize,
        number: usize,
        session: SessionId,
        frame: Arc<[u8]>,
        _priority: FramePriority,
    ) -> Result<(), Failure> {
        let Some(open) = self.machines[machine].open_room(number) else { return Ok(()) };
        let ring_head = open.ring.head();
        match open.sessions.get(&session).copied() {
            Some(Session::Direct { connection }) => {
                if let Some(known) = self.connections.get_mut(&connection) {
                    known.outbox.push(ring_head, frame);
                }
            }
            Some(Session::Stream { stream, number }) => {
                self.push_to_relay(stream, ToRelay::Frame { number, bytes: frame });
            }
            None => {}
        }
        Ok(())
    }

    /// Subscribes a session to the broadcasts from here on.
    pub(super) fn subscribe(
        &mut self,
        machine: usize,
        number: usize,
        session: SessionId,
        next_revision: Revision,
    ) {
        let Some(open) = self.machines[machine].open_room(number) else { return };
        let ring_head = open.ring.head();
        match open.sessions.get(&session).copied() {
            Some(Session::Direct { connection }) => {
                if let Some(known) = self.connections.get_mut(&connection) {
                    known.outbox.subscribe(ring_head, next_revision);
                }
            }
            Some(Session::Stream { stream: id, number }) => {
                let Some(stream) = self.streams.get_mut(&id) else { return };
                if stream.out.cursor.is_none() {
                    stream.out.subscribe(ring_head, next_revision);
                }
                let Some((_, count)) = stream.owner_sessions.get_mut(&number) else { return };
                *count += 1;
                let count = *count;
                self.push_to_relay(id, ToRelay::Subscribe { number, next_revision, count });
            }
            None => {}
        }
    }

    /// Closes a session after the frames that are queued for it.
    pub(super) fn close_session(
        &mut self,
        machine: usize,
        number: usize,
        session: SessionId,
        reason: CloseReason,
    ) {
        self.report.count("sessions closed by rooms");
        let open = self.machines[machine].open_room(number);
        match open.and_then(|open| open.sessions.remove(&session)) {
            Some(Session::Direct { connection }) => self.close_client(connection, reason),
            Some(Session::Stream { stream: id, number }) => {
                if let Some(stream) = self.streams.get_mut(&id) {
                    stream.owner_sessions.remove(&number);
                }
                self.push_to_relay(id, ToRelay::Close { number, reason });
            }
            None => {}
        }
    }

    /// Sends what the connections of a room take.
    pub(super) fn flush_room(&mut self, machine: usize, number: usize) -> Result<(), Failure> {
        let Some(open) = self.machines[machine].open_room(number) else { return Ok(()) };
        let direct = |session: &Session| match session {
            Session::Direct { connection } => Some(*connection),
            Session::Stream { .. } => None,
        };
        let connections: Vec<u64> = open.sessions.values().filter_map(direct).collect();
        let process = self.machines[machine].process;
        let of_room = |(id, stream): (&u64, &Stream)| {
            let is_here = (stream.owner, stream.owner_process, stream.room) == (machine, process, number);
            (is_here && !stream.has_ended_at_owner).then_some(*id)
        };
        let streams: Vec<u64> = self.streams.iter().filter_map(of_room).collect();
        connections.into_iter().try_for_each(|connection| self.pump_client(connection))?;
        streams.into_iter().try_for_each(|stream| self.pump_stream(stream))
    }

    /// Sends what a stream takes.
    pub(super) fn pump_stream(&mut self, id: u64) -> Result<(), Failure> {
        let stream = self.streams.get_mut(&id).expect("streams are never removed");
        if stream.has_ended_at_owner {
            return Ok(());
        }
        let (relay, relay_process, owner) = (stream.relay, stream.relay_process, stream.owner);
        let empty = Ring::new(0, 1);
        let ring = match self.machines[owner].rooms.get(&stream.room) {
            Some(Slot::Open(open)) if Some(open.opening) == stream.opening => &open.ring,
            _ => {
                stream.out.cursor = None;
                &empty
            }
        };
        let mut sent = Vec::new();
        let broadcast = |shared: &SharedFrame<Arc<[u8]>>| ToRelay::Broadcast {
            bytes: shared.frame.clone(),
            up_to: shared.up_to,
        };
        let is_too_slow = loop {
            match stream.out.next(ring, self.plan.stream_bytes_max, broadcast) {
                Next::Send(message) => {
                    stream.out.in_flight += message.bytes();
                    sent.push(message);
                }
                Next::Missed(_) => break true,
                _ => break false,
            }
        };
        for message in sent {
            let at = self.arrival(Link::machines(relay, owner), (id, false));
            let bytes = message.bytes();
            let input = Input::ToRelay { stream: id, message, bytes };
            self.at(at, Event::Machine { machine: relay, process: relay_process, input });
        }
        if is_too_slow {
            self.report.count("streams ended because the relay was slow");
            self.end_at_owner(id);
            self.sessions_of_ended(id)?;
        }
        Ok(())
    }

    /// A message reaches the relay.
    pub(super) fn relay_receives(&mut self, id: u64, message: ToRelay, bytes: usize) -> Result<(), Failure> {
        let stream = self.streams.get_mut(&id).expect("streams are never removed");
        let (owner, process) = (stream.owner, stream.owner_process);
        stream.out.in_flight -= bytes;
        stream.heard_ms = self.now_ms;
        let has_ended = stream.has_ended_at_relay;
        self.at(
            self.now_ms,
            Event::Machine { machine: owner, process, input: Input::StreamWritable { stream: id } },
        );
        if has_ended {
            return Ok(());
        }
        let stream = self.streams.get_mut(&id).expect("looked at above");
        let relay = stream.relay;
        let ring_head = stream.ring.head();
        let connection = |stream: &Stream, number: u32| stream.relay_sessions.get(&number).copied();
        match message {
            ToRelay::Broadcast { bytes, up_to } => {
                let length = bytes.len();
                stream.ring.push(SharedFrame { frame: bytes, up_to }, length);
                let connections: Vec<u64> = stream.relay_sessions.values().copied().collect();
                connections.into_iter().try_for_each(|connection| self.pump_client(connection))?;
            }
            ToRelay::Opened { number } => {
                if let Some(connection) = connection(stream, number)
                    && let Some(known) = self.connections.get_mut(&connection)
                {
                    known.state = ConnectionState::Relayed { stream: id, number, is_open: true };
                    self.report.count("sessions relayed");
                    for bytes in std::mem::take(&mut known.waiting_frames) {
                        self.client_sent(relay, connection, bytes)?;
                    }
                }
            }
            ToRelay::Refused { number } => {
                if let Some(connection) = stream.relay_sessions.remove(&number)
                    && let Some(known) = self.connections.get_mut(&connection)
                {
                    known.state = ConnectionState::Waiting;
                    self.route_again(relay, connection);
                }
                self.end_unused(id);
            }
            ToRelay::Frame { number, bytes } => {
                if let Some(connection) = connection(stream, number)
                    && let Some(known) = self.connections.get_mut(&connection)
                {
                    known.outbox.push(ring_head, bytes);
                    self.pump_client(connection)?;
                }
            }
            ToRelay::Subscribe { number, next_revision, count } => {
                if let Some(connection) = connection(stream, number)
                    && let Some(known) = self.connections.get_mut(&connection)
                {
                    known.outbox.subscribe(ring_head, next_revision);
                    known.subscription = count;
                }
            }
            ToRelay::Close { number, reason } => {
                if let Some(connection) = stream.relay_sessions.remove(&number) {
                    self.close_client(connection, reason);
                }
                self.end_unused(id);
            }
            ToRelay::Pong => {}
        }
        Ok(())
    }

    /// A client of the relay has left.
    pub(super) fn relayed_left(&mut self, id: u64, number: u32) {
        self.send_to_owner(id, ToOwner::Disconnected { number });
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.relay_sessions.remove(&number);
        }
        self.end_unused(id);
    }

    fn end_unused(&mut self, id: u64) {
        if self.streams[&id].relay_sessions.is_empty() {
            self.end_at_relay(id);
        }
    }

    /// Ends the relay's end of a stream; its clients connect again.
    fn end_at_relay(&mut self, id: u64) {
        let stream = self.streams.get_mut(&id).expect("streams are never removed");
        if std::mem::replace(&mut stream.has_ended_at_relay, true) {
            return;
        }
        let (owner, process) = (stream.owner, stream.owner_process);
        let link = Link::machines(stream.relay, owner);
        for connection in std::mem::take(&mut stream.relay_sessions).into_values() {
            self.close_client(connection, CloseReason::Restarting);
        }
        let at = self.arrival(link, (id, true));
        self.at(at, Event::Machine { machine: owner, process, input: Input::StreamLost { stream: id } });
    }

    /// Ends the owner's end of a stream, and tells the relay.
    fn end_at_owner(&mut self, id: u64) {
        let stream = self.streams.get_mut(&id).expect("streams are never removed");
        if std::mem::replace(&mut stream.has_ended_at_owner, true) {
            return;
        }
        let (machine, process) = (stream.relay, stream.relay_process);
        let link = Link::machines(machine, stream.owner);
        let at = self.arrival(link, (id, false));
        self.at(at, Event::Machine { machine, process, input: Input::StreamLost { stream: id } });
    }

    /// The connection of a stream was lost.
    pub(super) fn stream_lost(&mut self, machine: usize, id: u64) -> Result<(), Failure> {
        if self.streams[&id].relay == machine {
            self.end_at_relay(id);
            return Ok(());
        }
        self.end_at_owner(id);
        self.sessions_of_ended(id)
    }

    /// Ends the sessions of a stream that has ended at the owner.
    fn sessions_of_ended(&mut self, id: u64) -> Result<(), Failure> {
        let stream = self.streams.get_mut(&id).expect("streams are never removed");
        let (owner, number) = (stream.owner, stream.room);
        stream.requested.clear();
        let sessions = std::mem::take(&mut stream.owner_sessions);
        sessions.into_values().try_for_each(|(session, _)| self.session_ends(owner, number, session))
    }

    /// The relay asks whether the owner is there.
    pub(super) fn check_silence(&mut self, id: u64) -> Result<(), Failure> {
        let Stream { heard_ms, has_ended_at_relay, relay, .. } = self.streams[&id];
        if has_ended_at_relay {
            return Ok(());
        }
        if self.now_ms - heard_ms > SILENCE_MS_MAX {
            self.report.count("streams ended because of silence");
            self.end_at_relay(id);
            return Ok(());
        }
        self.send_to_owner(id, ToOwner::Ping);
        self.machine_after(relay, PING_EVERY_MS, Input::Silence { stream: id });
        Ok(())
    }

    /// A server has left: its streams end.
    pub(super) fn end_streams_to(&mut self, machine: usize, peer: PeerId) -> Result<(), Failure> {
        let to_peer = |(id, stream): (&u64, &Stream)| {
            let is_mine = (stream.relay, stream.relay_process) == (machine, self.machines[machine].process);
            (is_mine && stream.owner_node == peer && !stream.has_ended_at_relay).then_some(*id)
        };
        let streams: Vec<u64> = self.streams.iter().filter_map(to_peer).collect();
        for id in streams {
            self.report.count("streams ended by a departure");
            self.end_at_relay(id);
        }
        Ok(())
    }

    /// Sends what is queued for the streams of a room that the server drops from memory.
    pub(super) fn end_streams_of_room(&mut self, machine: usize, number: usize) -> Result<(), Failure> {
        let process = self.machines[machine].process;
        let of_room = |(id, stream): (&u64, &Stream)| {
            let is_here = (stream.owner, stream.owner_process, stream.room) == (machine, process, number);
            is_here.then_some(*id)
        };
        let streams: Vec<u64> = self.streams.iter().filter_map(of_room).collect();
        streams.into_iter().try_for_each(|id| self.pump_stream(id))
    }

    /// The other ends of a process's streams notice its end.
    pub(super) fn streams_of_ended(&mut self, machine: usize, process: u64) {
        let ends = |(id, stream): (&u64, &Stream)| {
            let (is_owner, is_relay) = (
                (stream.owner, stream.owner_process) == (machine, process),
                (stream.relay, stream.relay_process) == (machine, process),
            );
            (is_owner || is_relay).then_some((*id, is_owner))
        };
        let streams: Vec<(u64, bool)> = self.streams.iter().filter_map(ends).collect();
        for (id, is_owner) in streams {
            match is_owner {
                true => self.end_at_owner(id),
                false => {
                    // Its clients lose their connections with it.
                    self.streams.entry(id).and_modify(|stream| stream.relay_sessions.clear());
                    self.end_at_relay(id);
                }
            }
        }
    }
}
