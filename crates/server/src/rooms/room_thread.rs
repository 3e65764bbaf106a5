//! A thread that runs rooms: takes messages one by one, gives them to the room they are for, and carries out what the
//! room asks for. Rooms share nothing; a panic in one costs that room a reload and the others nothing.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SendError, Sender, channel};
use std::time::{Duration, Instant};

use bytes::Bytes;
use quadrille_journal::{Claim, Loaded, Outcome, RoomKey, StorageError};
use quadrille_operation::Limits;
use quadrille_protocol::{CloseReason, Revision, Role, RoomName, SessionId};
use quadrille_room::limits::Bounds;
use quadrille_room::{ChatSubmission, Effect, Encoded, Event, Room};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::chat::{ChatReply, NOT_SAID};
use super::clock::Clock;
use super::computed_values::Calculated;
use super::journal::{AppendResult, Journal, Request};
use super::open_room::{OpenRoom, ThreadContext};
use super::outbox::Outbox;
use super::preview::{self, Wanted};
use super::workers::{Size, Workers};
use super::{Change, Changed, Reading, storage_error};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::metrics::Metrics;

/// What a thread is told.
pub enum Message {
    Connect {
        room: RoomName,
        session: SessionId,
        role: Role,
        outbox: Arc<Outbox>,
    },
    Frame {
        room: RoomName,
        session: SessionId,
        bytes: Bytes,
        permit: OwnedSemaphorePermit,
        /// When it was read from its socket.
        received: Instant,
    },
    /// The session was so slow that broadcasts from this revision on are gone.
    Missed {
        room: RoomName,
        session: SessionId,
        from: Revision,
    },
    /// The session has sent everything that was queued for it after something had found no room.
    Drained {
        room: RoomName,
        session: SessionId,
    },
    Disconnect {
        room: RoomName,
        session: SessionId,
    },
    Read {
        room: RoomName,
        what: ReadRequest,
        reply: oneshot::Sender<Result<Reading, ApiError>>,
    },
    Preview {
        room: RoomName,
        wanted: Wanted,
        reply: preview::Reply,
    },
    Change {
        room: RoomName,
        change: Change,
        role: Role,
        reply: oneshot::Sender<Result<Changed, ApiError>>,
    },
    /// Something said over REST in a room that exists.
    Chat {
        room: RoomName,
        chat: ChatSubmission,
        role: Role,
        reply: ChatReply,
    },
    Delete {
        room: RoomName,
        reply: oneshot::Sender<Result<(), ApiError>>,
    },
    Opened {
        room: RoomName,
        opened: Result<(RoomKey, Box<Room>), OpenFailure>,
    },
    Deleted {
        room: RoomName,
        result: Result<bool, StorageError>,
        reply: oneshot::Sender<Result<(), ApiError>>,
    },
    /// For the room as opened the `opening`th time; what comes later than that is of no use any more.
    Answer {
        room: RoomName,
        opening: u64,
        answer: Answer,
    },
    /// A room is back from a worker that did something heavy for it.
    Back {
        room: RoomName,
        open: Box<OpenRoom>,
        /// What the room asks for; `None` when it panicked.
        effects: Option<Vec<Effect>>,
    },
    CloseSessions {
        reason: CloseReason,
    },
    /// The end, when rooms that would open slowly have stored a snapshot, or it is this late.
    Stop {
        snapshots_until: Instant,
    },
}

/// What a reader wants to see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadRequest {
    /// What was entered; costs nothing.
    Inputs,
    /// What formulas give.
    Values,
}

/// What others have done for an open room.
pub enum Answer {
    Appended {
        up_to: Revision,
        result: AppendResult,
    },
    Tail {
        session: SessionId,
        after: Revision,
        records: Result<Vec<quadrille_journal::StoredRecord>, StorageError>,
    },
    ChatMessages(Result<Vec<Arc<[u8]>>, StorageError>),
    Said {
        number: u64,
        is_stored: bool,
    },
    Encoded(Option<Encoded>),
    Calculated(Option<Calculated>),
    Previews(Option<preview::Made>),
}

/// Why a room is not served.
pub enum OpenFailure {
    Storage(StorageError),
    Unreadable(String),
}

/// The way to a thread of rooms; counts what waits there.
#[derive(Clone)]
pub struct ThreadCommand {
    messages: Sender<Message>,
    metrics: Arc<Metrics>,
}

impl ThreadCommand {
    pub fn new(metrics: &Arc<Metrics>) -> (ThreadCommand, Receiver<Message>) {
        let (messages, received) = channel();
        (ThreadCommand { messages, metrics: Arc::clone(metrics) }, received)
    }

    pub fn send(&self, message: Message) -> Result<(), SendError<Message>> {
        self.metrics.room_queue.inc();
        self.messages.send(message)
    }
}

#[derive(Clone, Copy)]
pub struct ThreadSettings {
    pub room_idle: Duration,
    pub rooms_open_max: usize,
    pub sessions_per_room_max: usize,
    pub fanout_bytes_max: usize,
    pub bounds: Bounds,
}

pub struct RoomThread {
    settings: ThreadSettings,
    surroundings: ThreadContext,
    /// Of all threads.
    rooms_open: Arc<AtomicUsize>,
    rooms: HashMap<RoomName, Slot>,
    /// Rooms that want to be woken, by time in microseconds.
    due: BTreeMap<(u64, u64), RoomName>,
    openings: u64,
    swept: Instant,
    /// Sessions have been told this; those of rooms that were away then are told when these are back.
    closing: Option<CloseReason>,
}

enum Slot {
    /// On its way from or to the disk, or with a worker; these messages come after.
    Busy {
        waiting: Vec<Message>,
    },
    Open(Box<OpenRoom>),
}

/// Messages that are dealt with before rooms that are due have their turn.
const MESSAGES_PER_TURN: usize = 64;
/// Turns from here on are counted.
const LONG_TURN: Duration = Duration::from_millis(1);
/// How often idle rooms are looked for.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

impl RoomThread {
    pub fn new(
        settings: ThreadSettings,
        journal: Journal,
        workers: Workers,
        own: ThreadCommand,
        rooms_open: Arc<AtomicUsize>,
    ) -> RoomThread {
        let metrics = Arc::clone(&own.metrics);
        RoomThread {
            settings,
            surroundings: ThreadContext {
                journal,
                workers,
                own,
                clock: Clock::new(),
                metrics,
                fanout_bytes_max: settings.fanout_bytes_max,
            },
            rooms_open,
            rooms: HashMap::new(),
            due: BTreeMap::new(),
            openings: 0,
            swept: Instant::now(),
            closing: None,
        }
    }

    pub fn run(mut self, received: &Receiver<Message>) {
        loop {
            match received.recv_timeout(self.pause()) {
                Ok(first) => {
                    for message in std::iter::once(first).chain(received.try_iter()).take(MESSAGES_PER_TURN) {
                        self.surroundings.metrics.room_queue.dec();
                        match message {
                            Message::Stop { snapshots_until } => return self.stop(received, snapshots_until),
                            message => self.take_timed(message),
                        }
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return self.stop(received, Instant::now()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.wake_rooms();
            self.sweep();
        }
    }

    fn pause(&mut self) -> Duration {
        let now = self.surroundings.clock.monotonic_us();
        let due = self.due.first_key_value().map_or(u64::MAX, |((at, _), _)| at.saturating_sub(now));
        Duration::from_micros(due).min(SWEEP_EVERY)
    }

    /// Long turns are counted: the other rooms of the thread wait meanwhile.
    fn take_timed(&mut self, message: Message) {
        let began = Instant::now();
        self.take(message);
        let took = began.elapsed();
        if took >= LONG_TURN {
            self.surroundings.metrics.long_turn_seconds.observe(took.as_secs_f64());
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::CloseSessions { reason } => {
                self.closing = Some(reason);
                for slot in self.rooms.values() {
                    if let Slot::Open(open) = slot {
                        open.close_sessions(reason);
                    }
                }
            }
            Message::Opened { room, opened } => self.opened(room, opened),
            Message::Deleted { room, result, reply } => self.deleted(room, result, reply),
            Message::Back { room, open, effects } => self.back(room, open, effects),
            Message::Stop { .. } => unreachable!("taken out before"),
            other => self.for_room(other),
        }
    }

    /// A message for a room, which is opened when it is not open yet.
    fn for_room(&mut self, message: Message) {
        let room = room_of(&message).clone();
        match self.rooms.get_mut(&room) {
            Some(Slot::Busy { waiting }) => waiting.push(message),
            Some(Slot::Open(open)) => {
                if let Message::Delete { reply, .. } = message {
                    return self.delete(room, reply);
                }
                if is_heavy(&message) {
                    return self.send_away(room, message);
                }
                let surroundings = &mut self.surroundings;
                let sessions_max = self.settings.sessions_per_room_max;
                let survived =
                    catch_unwind(AssertUnwindSafe(|| open.take(message, surroundings, sessions_max)));
                self.after(&room, survived.is_ok());
            }
            None if !opens(&message) => {}
            None => self.open(room, message),
        }
    }

    /// Gives the room to a worker that carries out a heavy message. What comes for it waits; other rooms do not.
    fn send_away(&mut self, room: RoomName, message: Message) {
        let Some(Slot::Open(mut open)) = self.rooms.remove(&room) else { return };
        self.do_not_wake(&mut open);
        self.rooms.insert(room.clone(), Slot::Busy { waiting: Vec::new() });
        let (moment, unique) = (self.surroundings.clock.now(), self.surroundings.clock.random());
        let own = self.surroundings.own.clone();
        let work = move || {
            let survived = catch_unwind(AssertUnwindSafe(|| open.take_heavy(message, moment, unique)));
            (open, survived.ok())
        };
        let done = move |worked: Option<(Box<OpenRoom>, Option<Vec<Effect>>)>| {
            let (open, effects) = worked.expect("a panic of the room was caught inside");
            let _ = own.send(Message::Back { room, open, effects });
        };
        self.surroundings.workers.run_whole(work, done);
    }

    fn back(&mut self, room: RoomName, mut open: Box<OpenRoom>, effects: Option<Vec<Effect>>) {
        let Some(Slot::Busy { waiting }) = self.rooms.remove(&room) else { return };
        if let Some(reason) = self.closing {
            open.close_sessions(reason);
        }
        let surroundings = &mut self.surroundings;
        let survived = effects.is_some_and(|effects| {
            catch_unwind(AssertUnwindSafe(|| open.come_back(effects, surroundings))).is_ok()
        });
        self.rooms.insert(room.clone(), Slot::Open(open));
        self.after(&room, survived);
        waiting.into_iter().for_each(|message| self.for_room(message));
    }

    fn open(&mut self, room: RoomName, first: Message) {
        if let Message::Delete { reply, .. } = first {
            return self.delete(room, reply);
        }
        if self.rooms_open.load(Ordering::Relaxed) >= self.settings.rooms_open_max {
            let error = ApiError::new(ErrorCode::Overloaded, "too many rooms are open; try again later");
            return refuse(first, &error, CloseReason::RoomFull);
        }
        self.rooms_open.fetch_add(1, Ordering::Relaxed);
        self.rooms.insert(room.clone(), Slot::Busy { waiting: vec![first] });
        let (own, workers) = (self.surroundings.own.clone(), self.surroundings.workers.clone());
        let name = room.clone();
        let reply = Box::new(move |loaded: Result<(Claim, Loaded), StorageError>| {
            let told = name.clone();
            let size = loaded.as_ref().map_or(Size::Small, |(_, loaded)| size_of_loaded(loaded));
            let work = move || match loaded {
                Err(error) => Err(OpenFailure::Storage(error)),
                Ok((claim, loaded)) => Room::open(name, claim.incarnation, &loaded, Limits::DEFAULT)
                    .map(|room| (claim.key, Box::new(room)))
                    .map_err(|error| OpenFailure::Unreadable(error.to_string())),
            };
            let done = move |opened: Option<_>| {
                let fault =
                    || Err(OpenFailure::Unreadable("a fault of the server while opening the room".into()));
                let _ = own.send(Message::Opened { room: told, opened: opened.unwrap_or_else(fault) });
            };
            workers.run_sized(size, work, done);
        });
        self.surroundings.journal.ask(Request::Open { room, reply });
    }

    fn opened(&mut self, room: RoomName, opened: Result<(RoomKey, Box<Room>), OpenFailure>) {
        let Some(Slot::Busy { waiting }) = self.rooms.remove(&room) else { return };
        match opened {
            Ok((key, mut opened)) => {
                opened.set_bounds(self.settings.bounds);
                self.openings += 1;
                let open = OpenRoom::new(room.clone(), key, self.openings, *opened, &self.surroundings);
                self.rooms.insert(room.clone(), Slot::Open(Box::new(open)));
                waiting.into_iter().for_each(|message| self.for_room(message));
                self.forget_if_unused(&room);
            }
            Err(failure) => {
                self.rooms_open.fetch_sub(1, Ordering::Relaxed);
                let error = match failure {
                    OpenFailure::Storage(error) => storage_error(&error),
                    OpenFailure::Unreadable(why) => ApiError::new(ErrorCode::StorageFailed, why),
                };
                tracing::error!(%room, reason = error.message, "a room cannot be opened");
                waiting.into_iter().for_each(|message| refuse(message, &error, CloseReason::RoomStopped));
            }
        }
    }

    fn delete(&mut self, room: RoomName, reply: oneshot::Sender<Result<(), ApiError>>) {
        match self.rooms.remove(&room) {
            Some(Slot::Open(mut open)) => {
                self.do_not_wake(&mut open);
                open.stop(CloseReason::Deleted, &mut self.surroundings);
                self.drop_elsewhere(open);
            }
            Some(Slot::Busy { .. }) => unreachable!("messages wait while a room is busy"),
            None => drop(self.rooms_open.fetch_add(1, Ordering::Relaxed)),
        }
        self.rooms.insert(room.clone(), Slot::Busy { waiting: Vec::new() });
        let own = self.surroundings.own.clone();
        let name = room.clone();
        let told = Box::new(move |result| drop(own.send(Message::Deleted { room, result, reply })));
        self.surroundings.journal.ask(Request::Delete { room: name, reply: told });
    }

    fn deleted(
        &mut self,
        room: RoomName,
        result: Result<bool, StorageError>,
        reply: oneshot::Sender<Result<(), ApiError>>,
    ) {
        let result = match result {
            Ok(true) => Ok(()),
            Ok(false) => Err(super::no_such_room(&room)),
            Err(error) => Err(storage_error(&error)),
        };
        let _ = reply.send(result);
        self.rooms_open.fetch_sub(1, Ordering::Relaxed);
        if let Some(Slot::Busy { waiting }) = self.rooms.remove(&room) {
            waiting.into_iter().for_each(|message| self.for_room(message));
        }
    }

    /// After a room did something: it may have stopped or panicked, and it may want time.
    fn after(&mut self, room: &RoomName, survived: bool) {
        let Some(Slot::Open(open)) = self.rooms.get_mut(room) else { return };
        if !survived {
            // What the panicking message asked for was not journaled, or is read from the journal like everything else.
            tracing::error!(%room, "a room panicked; it is opened anew from the journal");
            open.close_sessions(CloseReason::RoomStopped);
        }
        if !survived || open.is_stopped {
            self.forget(room);
            return;
        }
        let wanted = open.wants_wake_us();
        if wanted != open.wake_us {
            if let Some(at) = open.wake_us {
                self.due.remove(&(at, open.opening));
            }
            open.wake_us = wanted;
            if let Some(at) = wanted {
                self.due.insert((at, open.opening), room.clone());
            }
        }
    }

    /// Every room that is due has one turn.
    fn wake_rooms(&mut self) {
        let now = self.surroundings.clock.monotonic_us();
        let later = self.due.split_off(&(now + 1, 0));
        for room in std::mem::replace(&mut self.due, later).into_values() {
            let Some(Slot::Open(open)) = self.rooms.get_mut(&room) else { continue };
            open.wake_us = None;
            let surroundings = &mut self.surroundings;
            let survived = catch_unwind(AssertUnwindSafe(|| open.wake(surroundings)));
            self.after(&room, survived.is_ok());
        }
    }

    fn sweep(&mut self) {
        if self.swept.elapsed() < SWEEP_EVERY {
            return;
        }
        self.swept = Instant::now();
        let idle = |slot: &Slot| match slot {
            Slot::Open(open) => open.is_idle() && open.used.elapsed() >= self.settings.room_idle,
            Slot::Busy { .. } => false,
        };
        let idle: Vec<RoomName> =
            self.rooms.iter().filter(|(_, slot)| idle(slot)).map(|(room, _)| room.clone()).collect();
        for room in idle {
            let Some(Slot::Open(open)) = self.rooms.get_mut(&room) else { continue };
            // It may want to store a snapshot, and leaves when that is done.
            let surroundings = &mut self.surroundings;
            let survived = catch_unwind(AssertUnwindSafe(|| open.handle(Event::Rest, surroundings)));
            match survived.is_ok() && open.is_idle() {
                true => self.forget(&room),
                false => self.after(&room, survived.is_ok()),
            }
        }
    }

    /// A room that was only asked for and does not exist takes no memory.
    fn forget_if_unused(&mut self, room: &RoomName) {
        if let Some(Slot::Open(open)) = self.rooms.get(room)
            && open.is_idle()
            && open.room.head() == Revision(0)
        {
            self.forget(room);
        }
    }

    fn forget(&mut self, room: &RoomName) {
        if let Some(Slot::Open(mut open)) = self.rooms.remove(room) {
            self.do_not_wake(&mut open);
            self.rooms_open.fetch_sub(1, Ordering::Relaxed);
            self.drop_elsewhere(open);
        }
    }

    /// A big workbook takes long to give back.
    fn drop_elsewhere(&self, open: Box<OpenRoom>) {
        let size = Size::of(open.room.workbook());
        self.surroundings.workers.run_sized(size, move || drop(open), |_| {});
    }

    fn do_not_wake(&mut self, open: &mut OpenRoom) {
        if let Some(at) = open.wake_us.take() {
            self.due.remove(&(at, open.opening));
        }
    }

    /// What would make the next opening slow goes into snapshots now, as when a room leaves memory. Nobody can come any
    /// more; what others still do for a room is waited for.
    fn store_snapshots(&mut self, received: &Receiver<Message>, until: Instant) {
        loop {
            for slot in self.rooms.values_mut() {
                if let Slot::Open(open) = slot
                    && !std::mem::replace(&mut open.is_resting, true)
                {
                    let surroundings = &mut self.surroundings;
                    // One that panics is as it was: the journal has everything.
                    let _ = catch_unwind(AssertUnwindSafe(|| open.handle(Event::Rest, surroundings)));
                }
            }
            let is_waited_for = |slot: &Slot| match slot {
                Slot::Open(open) => open.room.is_storing(),
                Slot::Busy { .. } => true,
            };
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.rooms.values().any(is_waited_for) {
                return;
            }
            match received.recv_timeout(self.pause().min(left)) {
                Ok(message) => {
                    self.surroundings.metrics.room_queue.dec();
                    match message {
                        Message::Stop { .. } => {}
                        message if opens(&message) => {
                            refuse(message, &super::stopping(), CloseReason::Restarting);
                        }
                        message => self.take(message),
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.wake_rooms();
        }
    }

    fn stop(mut self, received: &Receiver<Message>, snapshots_until: Instant) {
        self.store_snapshots(received, snapshots_until);
        for (_, slot) in std::mem::take(&mut self.rooms) {
            match slot {
                Slot::Open(mut open) => open.stop(CloseReason::Restarting, &mut self.surroundings),
                Slot::Busy { waiting } => {
                    let error = super::stopping();
                    waiting.into_iter().for_each(|message| refuse(message, &error, CloseReason::Restarting));
                }
            }
        }
    }
}

fn size_of_loaded(loaded: &Loaded) -> Size {
    let snapshot = loaded.snapshot.as_ref().map_or(0, |snapshot| snapshot.bytes.len());
    Size::of_bytes(snapshot + loaded.records.iter().map(|record| record.bytes.len()).sum::<usize>())
}

fn room_of(message: &Message) -> &RoomName {
    match message {
        Message::Connect { room, .. }
        | Message::Frame { room, .. }
        | Message::Missed { room, .. }
        | Message::Drained { room, .. }
        | Message::Disconnect { room, .. }
        | Message::Read { room, .. }
        | Message::Preview { room, .. }
        | Message::Change { room, .. }
        | Message::Chat { room, .. }
        | Message::Delete { room, .. }
        | Message::Opened { room, .. }
        | Message::Deleted { room, .. }
        | Message::Answer { room, .. } => room,
        Message::Back { .. } => unreachable!("taken back before"),
        Message::CloseSessions { .. } | Message::Stop { .. } => unreachable!("for all rooms"),
    }
}

/// Whether other rooms would notice that this one carries it out on the thread they share.
fn is_heavy(message: &Message) -> bool {
    match message {
        Message::Change { change, .. } => change.is_heavy,
        Message::Frame { bytes, .. } => bytes.len() >= limits::HEAVY_FRAME_BYTES,
        _ => false,
    }
}

/// Whether a room is opened for this message. What belongs to a session is of no use when its room has gone.
fn opens(message: &Message) -> bool {
    matches!(
        message,
        Message::Connect { .. }
            | Message::Read { .. }
            | Message::Preview { .. }
            | Message::Change { .. }
            | Message::Chat { .. }
            | Message::Delete { .. }
    )
}

/// Answers a message that cannot be served.
fn refuse(message: Message, error: &ApiError, reason: CloseReason) {
    // Whoever does not wait any more for the answer does not miss it.
    match message {
        Message::Connect { outbox, .. } => outbox.close(reason),
        Message::Read { reply, .. } => drop(reply.send(Err(error.clone()))),
        Message::Preview { reply, .. } => drop(reply.send(Err(error.clone()))),
        Message::Change { reply, .. } => drop(reply.send(Err(error.clone()))),
        Message::Delete { reply, .. } => drop(reply.send(Err(error.clone()))),
        Message::Chat { reply, .. } => drop(reply.send(Err(NOT_SAID))),
        Message::Frame { .. }
        | Message::Missed { .. }
        | Message::Drained { .. }
        | Message::Disconnect { .. }
        | Message::Opened { .. }
        | Message::Deleted { .. }
        | Message::Answer { .. }
        | Message::Back { .. }
        | Message::CloseSessions { .. }
        | Message::Stop { .. } => {}
    }
}

/// Whether an append made everything up to its revision durable.
pub fn is_durable(result: &AppendResult) -> bool {
    matches!(result, Ok(Outcome::Durable { .. }))
}
