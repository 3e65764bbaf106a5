//! The load generator: one thread, one poll, thousands of users.
//!
//! A user writes when it is due and not when the generator gets round to it: delays count from then on. Each message with
//! writes is decoded once and compared byte for byte for everyone else who gets it; order and completeness of the revisions are
//! followed for each user.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};
use quadrille_replica::Event as ReplicaEvent;

use super::connection::{Connection, Stage};
use super::dialect::{Dialect, Heard, Write};
use super::histogram::Histogram;
use super::whole::Whole;
use super::wire::{self, Opcode};
use crate::Outcome;

/// Connections being made at a time while joining calmly.
const JOINING_MAX: usize = 128;
/// Longer than any join that is still of use.
const JOIN_SECONDS_MAX: u64 = 60;
/// How long to wait for deliveries that are under way when writing ends.
const LINGER_SECONDS: f64 = 3.0;
const SCRATCH_BYTES: usize = 1 << 20;

pub struct Load {
    poll: Poll,
    events: Events,
    pub connections: Vec<Connection>,
    rest: Rest,
    address: SocketAddr,
    scratch: Vec<u8>,
    due: BinaryHeap<Reverse<(u64, Due)>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Write { user: u32, period_ns: u64 },
    Connect { user: u32 },
}

/// A user, and nanoseconds since the start.
type UserTime = (u32, u64);

/// What all connections share.
struct Rest {
    started: Instant,
    dialect: Box<dyn Dialect>,
    rooms: Vec<String>,
    /// When each write of each user was due.
    written: Vec<Vec<u64>>,
    window: (u64, u64),
    /// The writes looked up last, and when they were due; the same for everyone in the room.
    known: Option<(Rc<Vec<Write>>, Vec<UserTime>)>,
    tally: Tally,
    ready: usize,
    join: Histogram,
}

/// What was counted while writing.
#[derive(Clone, Default)]
pub struct Tally {
    /// From when a write was due to its arrival at each other user.
    pub delivery: Histogram,
    /// … and at its author, which is the acknowledgement.
    pub acknowledgement: Histogram,
    /// From when a write was due to when it was written: what the generator itself had to wait.
    pub lateness: Histogram,
    pub writes: u64,
    pub deliveries_expected: u64,
    /// Connections that ended, and messages that made no sense.
    pub faults: u64,
    pub first_fault: Option<String>,
    /// Digests that a whole client disputed.
    pub mismatches: u64,
    pub seconds: f64,
}

impl Tally {
    pub fn lost(&self) -> u64 {
        self.deliveries_expected.saturating_sub(self.delivery.count())
    }
}

/// Who writes how often, for how long.
#[derive(Clone, Copy)]
pub struct Pace {
    pub period: Duration,
    /// Not counted.
    pub warm_up: Duration,
    pub counted: Duration,
}

impl Load {
    /// `documents` rooms with `users` each; the first user of the first `wholes` rooms (or the first users of
    /// the only one) are whole clients.
    pub fn new(
        address: SocketAddr,
        dialect: Box<dyn Dialect>,
        documents: u32,
        users: u32,
        wholes: u32,
    ) -> Outcome<Load> {
        let mut load = Load {
            poll: Poll::new().map_err(|error| format!("poll: {error}"))?,
            events: Events::with_capacity(4_096),
            connections: Vec::new(),
            rest: Rest {
                started: Instant::now(),
                dialect,
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
        for whole in 0..wholes.min(documents * users) {
            let user = if documents == 1 { whole } else { whole % documents * users };
            load.connections[user as usize].replica = Some(Box::new(Whole::new(user)));
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

    /// Everyone comes in, a few at a time; ready when the document is there.
    pub fn join(&mut self) -> Outcome<Histogram> {
        self.join_at_most(JOINING_MAX)
    }

    /// Everybody's connection breaks and everybody is back at once.
    pub fn reconnect(&mut self) -> Outcome<Histogram> {
        for connection in &mut self.connections {
            connection.close();
            connection.speaker.reconnect();
            if let Some(whole) = &mut connection.replica {
                whole.handle(ReplicaEvent::Disconnected { code: None })?;
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
        let path = self.rest.dialect.path(&self.rest.rooms[connection.document as usize]);
        let request = wire::upgrade_request(&path, &self.address.to_string());
        let stream = connection.connect(self.address, &request, now).map_err(failed)?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(stream, Token(user as usize), interest).map_err(failed)
    }

    /// Everyone writes at their own pace, starting at a moment of their own. `joiners` more come in within a second in the
    /// middle of it.
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
            // The golden ratio spreads users evenly and without pattern over the period.
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
        // What was due while the last messages were read is written too, if late.
        self.perform_due(end)?;
        self.due.clear();
        // Every document has as many members as the first; joiners are not counted.
        self.rest.tally.deliveries_expected = self.rest.tally.writes * in_first.saturating_sub(1);
        let linger_end = self.now() + (LINGER_SECONDS * 1e9) as u64;
        while self.rest.tally.lost() > 0 && self.now() < linger_end {
            self.turn(Duration::from_millis(10))?;
        }
        self.rest.tally.seconds = pace.counted.as_secs_f64();
        for connection in &self.connections {
            self.rest.tally.mismatches += connection.replica.as_ref().map_or(0, |whole| whole.mismatches);
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

    /// One writer keeps `window` transactions under way for `duration`; returns how many were confirmed per second.
    pub fn pipeline(&mut self, user: u32, window: u64, duration: Duration) -> Outcome<f64> {
        self.rest.tally = Tally::default();
        let start = self.now();
        let end = start + duration.as_nanos() as u64;
        let confirmed_before = self.connections[user as usize].speaker.confirmed;
        let mut now = start;
        while now < end {
            let connection = &mut self.connections[user as usize];
            let in_flight = connection.speaker.counter - connection.speaker.confirmed;
            for _ in in_flight..window {
                self.rest.perform_write(connection, now);
            }
            self.turn(Duration::from_millis(5))?;
            self.no_faults()?;
            now = self.now();
        }
        let confirmed = self.connections[user as usize].speaker.confirmed - confirmed_before;
        Ok(confirmed as f64 / ((now - start) as f64 / 1e9))
    }

    /// Lets everything come in that is under way.
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

impl Rest {
    fn now(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn fault(&mut self, connection: &mut Connection, reason: String) {
        self.tally.faults += 1;
        self.tally.first_fault.get_or_insert(format!("user {}: {reason}", connection.speaker.user));
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
            // A full buffer is the only sign that there is more; the next event says the rest.
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
        let heard = self.dialect.receive(&mut connection.speaker, room, message, &mut replies);
        if let Some(mut whole) = connection.replica.take() {
            whole.handle(ReplicaEvent::Frame(message))?;
            if let Heard::Writes(writes) = &heard {
                whole.shows(writes)?;
            }
            replies = std::mem::take(&mut whole.frames);
            connection.replica = Some(whole);
        }
        for reply in replies {
            connection.send(self.dialect.opcode(), &reply).map_err(failed)?;
        }
        match heard {
            Heard::Nothing => {}
            Heard::Ready => {
                if connection.stage == Stage::Open {
                    connection.stage = Stage::Ready;
                    self.ready += 1;
                    self.join.add(now - connection.began);
                }
            }
            Heard::Writes(writes) => self.count(connection, writes, now)?,
            Heard::Wrong(reason) => return Err(reason),
        }
        Ok(())
    }

    /// The upgrade is done; the user says hello.
    fn open(&mut self, connection: &mut Connection) -> Result<(), String> {
        let room = &self.rooms[connection.document as usize];
        let mut hellos = self.dialect.open(&mut connection.speaker, room);
        if let Some(whole) = &mut connection.replica {
            whole.handle(ReplicaEvent::Connected)?;
            hellos = std::mem::take(&mut whole.frames);
        }
        for hello in hellos {
            connection.send(self.dialect.opcode(), &hello).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn count(&mut self, connection: &Connection, writes: Rc<Vec<Write>>, now: u64) -> Result<(), String> {
        if !self.known.as_ref().is_some_and(|(known, _)| Rc::ptr_eq(known, &writes)) {
            let mut dues = Vec::with_capacity(writes.len());
            for write in writes.iter() {
                let due = self.written.get(write.writer as usize).and_then(|of| of.get(write.index as usize));
                let due = due.ok_or_else(|| format!("nobody wrote {write:?}"))?;
                dues.push((write.writer, *due));
            }
            self.known = Some((writes, dues));
        }
        let Some((_, dues)) = &self.known else { return Ok(()) };
        let user = connection.speaker.user;
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
        let user = connection.speaker.user;
        let index = self.written[user as usize].len() as u32;
        self.written[user as usize].push(at);
        if at >= self.window.0 && at < self.window.1 {
            self.tally.writes += 1;
        }
        let write = Write { writer: user, index };
        let (messages, made) = match &mut connection.replica {
            Some(whole) => {
                let made = whole.write(write);
                (std::mem::take(&mut whole.frames), made)
            }
            None => {
                let room = &self.rooms[connection.document as usize];
                (vec![self.dialect.write(&mut connection.speaker, room, write)], Ok(()))
            }
        };
        connection.speaker.counter += u64::from(connection.replica.is_some());
        let opcode = self.dialect.opcode();
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
