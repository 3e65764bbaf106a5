//! [`Load`]: the load generator, one thread and one poll for thousands of users.
//!
//! Delays count from the time when a write is due, even if the generator is late. Each broadcast is
//! decoded once and compared byte by byte for all other receivers. Order and completeness of the
//! revisions are checked for each user.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};
use quadrille_replica::Event as ReplicaEvent;

use super::client_protocol::{ClientProtocol, ServerMessage, Write};
use super::connection::{Connection, Stage};
use super::histogram::Histogram;
use super::replica_client::ReplicaClient;
use super::websocket_frames::{self, Opcode};
use crate::setting::Outcome;

/// Maximum number of concurrent connection attempts in a gradual join.
const JOINING_MAX: usize = 128;
/// A join that takes longer fails.
const JOIN_SECONDS_MAX: u64 = 60;
/// Time to wait for outstanding deliveries after the last write.
const LINGER_SECONDS: f64 = 3.0;
const SCRATCH_BYTES: usize = 1 << 20;

pub struct Load {
    poll: Poll,
    events: Events,
    pub connections: Vec<Connection>,
    rest: Shared,
    address: SocketAddr,
    scratch: Vec<u8>,
    due: BinaryHeap<Reverse<(u64, Due)>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Write { user: u32, period_ns: u64 },
    Connect { user: u32 },
}

/// A user and a time in nanoseconds since the start.
type UserTime = (u32, u64);

/// The state that all connections share.
struct Shared {
    started: Instant,
    client_protocol: Box<dyn ClientProtocol>,
    rooms: Vec<String>,
    /// The due time of each write of each user.
    written: Vec<Vec<u64>>,
    window: (u64, u64),
    /// The last looked up writes with their due times, which are the same for all users of the room.
    known: Option<(Rc<Vec<Write>>, Vec<UserTime>)>,
    tally: Tally,
    ready: usize,
    join: Histogram,
}

/// The counts of a measurement.
#[derive(Clone, Default)]
pub struct Tally {
    /// Delays from the due time of a write to its arrival at each other user.
    pub delivery: Histogram,
    /// Delays from the due time of a write to its acknowledgement.
    pub acknowledgement: Histogram,
    /// Lateness of the generator: from the due time of a write to its sending.
    pub lateness: Histogram,
    pub writes: u64,
    pub deliveries_expected: u64,
    /// Number of closed connections and invalid messages.
    pub faults: u64,
    pub first_fault: Option<String>,
    /// Number of digests that replicas rejected.
    pub mismatches: u64,
    pub seconds: f64,
}

impl Tally {
    pub fn lost(&self) -> u64 {
        self.deliveries_expected.saturating_sub(self.delivery.count())
    }
}

/// How often users write and for how long.
#[derive(Clone, Copy)]
pub struct Pace {
    pub period: Duration,
    /// Time before the counted part.
    pub warm_up: Duration,
    pub counted: Duration,
}

impl Load {
    /// `documents` rooms with `users` each. The first users of the first `replica_clients` rooms (or the
    /// first users of a single room) are complete replicas.
    pub fn new(
        address: SocketAddr,
        client_protocol: Box<dyn ClientProtocol>,
        documents: u32,
        users: u32,
        replica_clients: u32,
    ) -> Outcome<Load> {
        let mut load = Load {
            poll: Poll::new().map_err(|error| format!("poll: {error}"))?,
            events: Events::with_capacity(4_096),
            connections: Vec::new(),
            rest: Shared {
                started: Instant::now(),
                client_protocol,
                rooms: (0..documents).map(|document| format!("load-{document}")).collect(),
                written: Vec::new(),
                window: (u64::MAX, u64::MAX),
                known: None,
                tally: Tally::default(),
                ready: 0,
                join: Histogram::default(),
            },
            address,
            scratch: vec![0; SCRATCH_BYTES],
            due: BinaryHeap::new(),
        };
        for user in 0..documents * users {
            load.add(user / users);
        }
        for replica in 0..replica_clients.min(documents * users) {
            let user = if documents == 1 { replica } else { replica % documents * users };
            load.connections[user as usize].replica = Some(Box::new(ReplicaClient::new(user)));
        }
        Ok(load)
    }

    fn add(&mut self, document: u32) -> u32 {
        let user = self.connections.len() as u32;
        self.connections.push(Connection::new(user, document));
        self.rest.written.push(Vec::new());
        user
    }

    fn now(&self) -> u64 {
        self.rest.now()
    }

    /// Connects all users gradually and waits until each has the document. Returns the delays.
    pub fn join(&mut self) -> Outcome<Histogram> {
        self.join_at_most(JOINING_MAX)
    }

    /// Breaks all connections and reconnects all users at once. Returns the delays.
    pub fn reconnect(&mut self) -> Outcome<Histogram> {
        for connection in &mut self.connections {
            connection.close();
            connection.user_state.reconnect();
            if let Some(replica) = &mut connection.replica {
                replica.handle(ReplicaEvent::Disconnected { code: None })?;
            }
        }
        self.rest.ready = 0;
        self.join_at_most(usize::MAX)
    }

    fn join_at_most(&mut self, joining_max: usize) -> Outcome<Histogram> {
        self.rest.join = Histogram::default();
        let deadline = Instant::now() + Duration::from_secs(JOIN_SECONDS_MAX);
        let mut next = 0;
        while self.rest.ready < self.connections.len() {
            while next < self.connections.len() && next.saturating_sub(self.rest.ready) < joining_max {
                self.connect(next as u32)?;
                next += 1;
            }
            self.turn(Duration::from_millis(20))?;
            self.no_faults()?;
            if Instant::now() > deadline {
                let missing = self.connections.len() - self.rest.ready;
                return Err(format!("{missing} users did not get in within {JOIN_SECONDS_MAX} s"));
            }
        }
        Ok(std::mem::take(&mut self.rest.join))
    }

    pub fn no_faults(&self) -> Outcome<()> {
        match &self.rest.tally.first_fault {
            Some(fault) => Err(fault.clone()),
            None => Ok(()),
        }
    }

    fn connect(&mut self, user: u32) -> Outcome<()> {
        let failed = |error: io::Error| format!("connect: {error}");
        let now = self.now();
        let connection = &mut self.connections[user as usize];
        let path = self.rest.client_protocol.path(&self.rest.rooms[connection.document as usize]);
        let request = websocket_frames::upgrade_request(&path, &self.address.to_string());
        let stream = connection.connect(self.address, &request, now).map_err(failed)?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(stream, Token(user as usize), interest).map_err(failed)
    }

    /// Lets all users write at the pace, each with its own offset. `joiners` more users join within a second
    /// in the middle of it.
    pub fn write(&mut self, pace: Pace, joiners: u32) -> Outcome<(Tally, Histogram)> {
        self.rest.tally = Tally::default();
        self.rest.join = Histogram::default();
        let users = self.connections.len() as u32;
        let start = self.now() + 50_000_000;
        let counted_from = start + pace.warm_up.as_nanos() as u64;
        let end = counted_from + pace.counted.as_nanos() as u64;
        self.rest.window = (counted_from, end);
        let period_ns = pace.period.as_nanos() as u64;
        for user in 0..users {
            // Multiples of the golden ratio spread the users evenly over the period.
            let share = (f64::from(user) * 0.618_033_988_749_895).fract();
            let at = start + (share * period_ns as f64) as u64;
            self.due.push(Reverse((at, Due::Write { user, period_ns })));
        }
        for joiner in 0..joiners {
            let user = self.add(0);
            self.connections[user as usize].is_joiner = true;
            let at = counted_from
                + (end - counted_from) / 3
                + u64::from(joiner) * 1_000_000_000 / u64::from(joiners);
            self.due.push(Reverse((at, Due::Connect { user })));
        }
        let in_first =
            self.connections[..users as usize].iter().filter(|other| other.document == 0).count() as u64;
        while self.now() < end {
            self.perform_due(end)?;
            let wake = self.due.peek().map_or(end, |Reverse((at, _))| (*at).min(end));
            let wait = Duration::from_nanos(wake.saturating_sub(self.now()));
            self.turn(wait)?;
        }
        // Writes that were due while the last messages were read are sent late.
        self.perform_due(end)?;
        self.due.clear();
        // All documents have as many users as the first; joiners are not counted.
        self.rest.tally.deliveries_expected = self.rest.tally.writes * in_first.saturating_sub(1);
        let linger_end = self.now() + (LINGER_SECONDS * 1e9) as u64;
        while self.rest.tally.lost() > 0 && self.now() < linger_end {
            self.turn(Duration::from_millis(10))?;
        }
        self.rest.tally.seconds = pace.counted.as_secs_f64();
        for connection in &self.connections {
            self.rest.tally.mismatches += connection.replica.as_ref().map_or(0, |replica| replica.mismatches);
        }
        self.rest.window = (u64::MAX, u64::MAX);
        Ok((std::mem::take(&mut self.rest.tally), std::mem::take(&mut self.rest.join)))
    }

    fn perform_due(&mut self, end: u64) -> Outcome<()> {
        let now = self.now();
        while let Some(Reverse((at, due))) = self.due.peek().copied()
            && at <= now
        {
            self.due.pop();
            match due {
                Due::Connect { user } => self.connect(user)?,
                Due::Write { user, period_ns } => {
                    self.rest.tally.lateness.add(self.rest.now() - at);
                    self.rest.perform_write(&mut self.connections[user as usize], at);
                    let next = at + period_ns;
                    if next < end {
                        self.due.push(Reverse((next, due)));
                    }
                }
            }
        }
        Ok(())
    }

    /// Lets one user keep `window` transactions outstanding for `duration`; returns the number confirmed per
    /// second.
    pub fn pipeline(&mut self, user: u32, window: u64, duration: Duration) -> Outcome<f64> {
        self.rest.tally = Tally::default();
        let start = self.now();
        let end = start + duration.as_nanos() as u64;
        let confirmed_before = self.connections[user as usize].user_state.confirmed;
        let mut now = start;
        while now < end {
            let connection = &mut self.connections[user as usize];
            let in_flight = connection.user_state.counter - connection.user_state.confirmed;
            for _ in in_flight..window {
                self.rest.perform_write(connection, now);
            }
            self.turn(Duration::from_millis(5))?;
            self.no_faults()?;
            now = self.now();
        }
        let confirmed = self.connections[user as usize].user_state.confirmed - confirmed_before;
        Ok(confirmed as f64 / ((now - start) as f64 / 1e9))
    }

    /// Receives outstanding messages for `duration`.
    pub fn settle(&mut self, duration: Duration) -> Outcome<()> {
        let end = Instant::now() + duration;
        while Instant::now() < end {
            self.turn(Duration::from_millis(10))?;
        }
        Ok(())
    }

    /// Waits for events and handles them.
    fn turn(&mut self, wait: Duration) -> Outcome<()> {
        match self.poll.poll(&mut self.events, Some(wait)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            Err(error) => return Err(format!("poll: {error}")),
        }
        for event in &self.events {
            let connection = &mut self.connections[event.token().0];
            if connection.stage == Stage::Gone {
                continue;
            }
            let mut handled = Ok(());
            if event.is_writable() {
                handled = connection.writable().map_err(|error| error.to_string());
            }
            if handled.is_ok() && event.is_readable() {
                handled = self.rest.read(connection, &mut self.scratch);
            }
            if let Err(reason) = handled {
                self.rest.fault(connection, reason);
            }
        }
        Ok(())
    }
}

impl Shared {
    fn now(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn fault(&mut self, connection: &mut Connection, reason: String) {
        self.tally.faults += 1;
        self.tally.first_fault.get_or_insert(format!("user {}: {reason}", connection.user_state.user));
        connection.close();
    }

    fn read(&mut self, connection: &mut Connection, scratch: &mut [u8]) -> Result<(), String> {
        while let Some(length) = connection.read(scratch).map_err(|error| error.to_string())? {
            if length == 0 {
                return Err("the server closed the connection".to_owned());
            }
            let now = self.now();
            connection.messages(&scratch[..length], |connection, opcode, message| {
                self.message(connection, opcode, message, now)
            })?;
            // Only a full buffer means that more data may be available.
            if length < scratch.len() {
                break;
            }
        }
        Ok(())
    }

    fn message(
        &mut self,
        connection: &mut Connection,
        opcode: Opcode,
        message: &[u8],
        now: u64,
    ) -> Result<(), String> {
        let failed = |error: io::Error| error.to_string();
        match opcode {
            Opcode::Ping => return connection.send(Opcode::Pong, message).map_err(failed),
            Opcode::Pong => return Ok(()),
            Opcode::Close => {
                let code = message.get(..2).map(|code| u16::from_be_bytes([code[0], code[1]]));
                let reason = String::from_utf8_lossy(message.get(2..).unwrap_or_default()).into_owned();
                return Err(format!("the server closed: {code:?} {reason}"));
            }
            Opcode::Text | Opcode::Binary => {}
        }
        if message.is_empty() {
            return self.open(connection);
        }
        let mut replies = Vec::new();
        let room = &self.rooms[connection.document as usize];
        let heard = self.client_protocol.receive(&mut connection.user_state, room, message, &mut replies);
        if let Some(mut replica) = connection.replica.take() {
            replica.handle(ReplicaEvent::Frame(message))?;
            if let ServerMessage::Writes(writes) = &heard {
                replica.shows(writes)?;
            }
            replies = std::mem::take(&mut replica.frames);
            connection.replica = Some(replica);
        }
        for reply in replies {
            connection.send(self.client_protocol.opcode(), &reply).map_err(failed)?;
        }
        match heard {
            ServerMessage::Nothing => {}
            ServerMessage::Ready => {
                if connection.stage == Stage::Open {
                    connection.stage = Stage::Ready;
                    self.ready += 1;
                    self.join.add(now - connection.began);
                }
            }
            ServerMessage::Writes(writes) => self.count(connection, writes, now)?,
            ServerMessage::Wrong(reason) => return Err(reason),
        }
        Ok(())
    }

    /// Opens the session after the upgrade.
    fn open(&mut self, connection: &mut Connection) -> Result<(), String> {
        let room = &self.rooms[connection.document as usize];
        let mut hellos = self.client_protocol.open(&mut connection.user_state, room);
        if let Some(replica) = &mut connection.replica {
            replica.handle(ReplicaEvent::Connected)?;
            hellos = std::mem::take(&mut replica.frames);
        }
        for hello in hellos {
            connection.send(self.client_protocol.opcode(), &hello).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn count(&mut self, connection: &Connection, writes: Rc<Vec<Write>>, now: u64) -> Result<(), String> {
        if !self.known.as_ref().is_some_and(|(known, _)| Rc::ptr_eq(known, &writes)) {
            let mut dues = Vec::with_capacity(writes.len());
            for write in writes.iter() {
                let due = self.written.get(write.writer as usize).and_then(|of| of.get(write.index as usize));
                let due = due.ok_or_else(|| format!("a write that was not sent: {write:?}"))?;
                dues.push((write.writer, *due));
            }
            self.known = Some((writes, dues));
        }
        let Some((_, dues)) = &self.known else { return Ok(()) };
        let user = connection.user_state.user;
        for (writer, due) in dues {
            if *due < self.window.0 || *due >= self.window.1 {
                continue;
            }
            if *writer == user {
                self.tally.acknowledgement.add(now - due);
            } else if !connection.is_joiner {
                self.tally.delivery.add(now - due);
            }
        }
        Ok(())
    }

    fn perform_write(&mut self, connection: &mut Connection, at: u64) {
        if connection.stage != Stage::Ready {
            return;
        }
        let user = connection.user_state.user;
        let index = self.written[user as usize].len() as u32;
        self.written[user as usize].push(at);
        if at >= self.window.0 && at < self.window.1 {
            self.tally.writes += 1;
        }
        let write = Write { writer: user, index };
        let (messages, made) = match &mut connection.replica {
            Some(replica) => {
                let made = replica.write(write);
                (std::mem::take(&mut replica.frames), made)
            }
            None => {
                let room = &self.rooms[connection.document as usize];
                (vec![self.client_protocol.write(&mut connection.user_state, room, write)], Ok(()))
            }
        };
        connection.user_state.counter += u64::from(connection.replica.is_some());
        let opcode = self.client_protocol.opcode();
        let mut messages = messages.iter();
        let sent = made.and_then(|()| {
            messages
                .try_for_each(|message| connection.send(opcode, message).map_err(|error| error.to_string()))
        });
        if let Err(reason) = sent {
            self.fault(connection, reason);
        }
    }
}
