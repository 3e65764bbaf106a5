//! A thread that runs rooms: opens them, passes them messages, wakes them when they are due and
//! unloads idle ones. Rooms share nothing: a panic in one makes only that room reload from the
//! journal.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use quadrille_journal::{Claim, Loaded, RoomKey, StorageError};
use quadrille_operation::Limits;
use quadrille_protocol::{CloseReason, Revision, RoomName};
use quadrille_room::limits::Bounds;
use quadrille_room::{Effect, Event, Room};
use tokio::sync::oneshot;

use super::change_feeds::ChangeFeeds;
use super::clock::Clock;
use super::errors::{no_such_room, room_elsewhere, stopping, storage_error};
use super::facts::FactsListener;
use super::hand_over::{self, Leaving};
use super::import_listener::{ImportListener, RoomEvent};
use super::journal::Journal;
use super::journal_request::Request;
use super::open_room::{OpenRoom, ThreadContext};
use super::room_message::{Expected, RoomMessage};
use super::thread_message::{OpenFailure, ThreadMessage, ThreadSender};
use super::workers::{Size, Workers};
use crate::error::{ApiError, ErrorCode};

#[derive(Clone, Copy)]
pub struct ThreadSettings {
    /// Time after which an unused room is unloaded.
    pub room_idle: Duration,
    /// Limit of open rooms of all threads together.
    pub rooms_open_max: usize,
    pub sessions_per_room_max: usize,
    /// Bytes of a room's broadcasts that are kept for slow sessions.
    pub fanout_bytes_max: usize,
    pub bounds: Bounds,
}

pub struct RoomThread {
    settings: ThreadSettings,
    context: ThreadContext,
    own: ThreadSender,
    /// Number of open rooms of all threads.
    rooms_open: Arc<AtomicUsize>,
    rooms: HashMap<RoomName, Slot>,
    /// Rooms to be woken, by monotonic time in microseconds and opening.
    due: BTreeMap<(u64, u64), RoomName>,
    /// Number of rooms opened so far.
    openings: u64,
    last_sweep: Instant,
    /// The reason by which all sessions were closed; applied to rooms on a worker when they return.
    closing: Option<CloseReason>,
    /// Rooms that go to another server.
    leaving: HashMap<RoomName, Leaving>,
}

enum Slot {
    /// Being loaded or deleted, or on a worker. The messages are handled afterwards.
    Busy {
        waiting: Vec<RoomMessage>,
    },
    Open(Box<OpenRoom>),
}

/// Messages that are handled before rooms that are due get a turn.
const MESSAGES_PER_TURN: usize = 64;
/// Messages that take longer are counted in `/metrics`.
const LONG_TURN: Duration = Duration::from_millis(1);
/// How often idle rooms are searched for.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// The same while others wait for rooms of this server.
const HAND_OVER_EVERY: Duration = Duration::from_millis(10);

/// Who is told about the rooms of a thread.
pub struct Listeners {
    pub facts: FactsListener,
    pub feeds: ChangeFeeds,
    pub imports: ImportListener,
}

impl RoomThread {
    pub fn new(
        settings: ThreadSettings,
        journal: Journal,
        workers: Workers,
        own: ThreadSender,
        rooms_open: Arc<AtomicUsize>,
        listeners: Listeners,
    ) -> RoomThread {
        let metrics = Arc::clone(own.metrics());
        let sender = own.clone();
        RoomThread {
            settings,
            context: ThreadContext {
                journal,
                workers,
                answers: Arc::new(move |room, opening, answer| {
                    // A thread that has ended needs no answers.
                    let message = RoomMessage::Answer { opening, answer };
                    let _ = sender.send(ThreadMessage::Room { room, message });
                }),
                clock: Clock::new(),
                metrics,
                facts: listeners.facts,
                feeds: listeners.feeds,
                imports: listeners.imports,
                fanout_bytes_max: settings.fanout_bytes_max,
            },
            own,
            rooms_open,
            rooms: HashMap::new(),
            due: BTreeMap::new(),
            openings: 0,
            last_sweep: Instant::now(),
            closing: None,
            leaving: HashMap::new(),
        }
    }

    /// Runs until a stop message, or until no sender is left.
    pub fn run(mut self, received: &Receiver<ThreadMessage>) {
        loop {
            match received.recv_timeout(self.pause()) {
                Ok(first) => {
                    for message in std::iter::once(first).chain(received.try_iter()).take(MESSAGES_PER_TURN) {
                        self.context.metrics.room_queue.dec();
                        match message {
                            ThreadMessage::Stop { snapshots_until } => {
                                return self.stop(received, snapshots_until);
                            }
                            message => self.handle_timed(message),
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

    /// Time until a room is due or idle rooms are searched for.
    fn pause(&mut self) -> Duration {
        let now = self.context.clock.monotonic_us();
        let due = self.due.first_key_value().map_or(u64::MAX, |((at, _), _)| at.saturating_sub(now));
        Duration::from_micros(due).min(self.sweep_every())
    }

    /// Whether rooms are released one by one, for other servers: this one stops.
    fn hands_over(&self) -> bool {
        self.closing.is_some() && self.context.journal.is_shared()
    }

    fn sweep_every(&self) -> Duration {
        if self.hands_over() || !self.leaving.is_empty() { HAND_OVER_EVERY } else { SWEEP_EVERY }
    }

    /// Handles a message and counts it when it takes long, because the other rooms of the thread
    /// wait for it.
    fn handle_timed(&mut self, message: ThreadMessage) {
        let room = match &message {
            ThreadMessage::Room { room, .. } => Some(room.clone()),
            _ => None,
        };
        let began = Instant::now();
        self.handle(message);
        let took = began.elapsed();
        if let Some(Slot::Open(open)) = room.and_then(|room| self.rooms.get_mut(&room)) {
            open.busy += took;
        }
        if took >= LONG_TURN {
            self.context.metrics.long_turn_seconds.observe(took.as_secs_f64());
        }
    }

    fn handle(&mut self, message: ThreadMessage) {
        match message {
            ThreadMessage::CloseSessions { reason } => {
                self.closing = Some(reason);
                for slot in self.rooms.values_mut() {
                    if let Slot::Open(open) = slot {
                        // Sessions that have ended may keep theirs until the client has closed.
                        open.expected = Arc::default();
                        open.close_sessions(reason);
                    }
                }
            }
            ThreadMessage::ListOpen { reply } => {
                let open = self.rooms.values().filter_map(|slot| match slot {
                    Slot::Open(open) => Some(open.info()),
                    Slot::Busy { .. } => None,
                });
                _ = reply.send(open.collect());
            }
            ThreadMessage::ListMovable { open_for, reply } => _ = reply.send(self.movable(open_for)),
            ThreadMessage::HandOver { room, heir } => self.begin_hand_over(room, heir),
            ThreadMessage::Revoke { revoked } => {
                let rooms: Vec<RoomName> = self.rooms.keys().cloned().collect();
                for room in rooms {
                    self.pass_to_room(room, RoomMessage::Revoke { revoked: revoked.clone() });
                }
            }
            ThreadMessage::Opened { room, opened } => self.opened(room, opened),
            ThreadMessage::Deleted { room, result, reply } => self.deleted(room, result, reply),
            ThreadMessage::Returned { room, open, effects } => self.returned(room, open, effects),
            ThreadMessage::Stop { .. } => unreachable!("handled by the caller"),
            ThreadMessage::Room { room, message } => self.pass_to_room(room, message),
        }
    }

    /// Passes a message to a room, and opens the room if necessary.
    fn pass_to_room(&mut self, room: RoomName, message: RoomMessage) {
        let Some(message) = self.hold_back(&room, message) else { return };
        match self.rooms.get_mut(&room) {
            Some(Slot::Busy { waiting }) => waiting.push(message),
            Some(Slot::Open(open)) => {
                if let RoomMessage::Delete { expected, reply } = message {
                    return match expected.map_or(Ok(()), |expected| open.check_revision(expected)) {
                        Ok(()) => self.delete(room, reply),
                        Err(error) => drop(reply.send(Err(error))),
                    };
                }
                if let RoomMessage::Expect { reply } = message {
                    // Fails when the client has gone.
                    _ = reply.send(Ok(Expected::new(&open.expected)));
                    return;
                }
                if message.is_heavy() {
                    return self.handle_on_worker(room, message);
                }
                let context = &mut self.context;
                let sessions_max = self.settings.sessions_per_room_max;
                let survived =
                    catch_unwind(AssertUnwindSafe(|| open.handle_message(message, context, sessions_max)));
                self.after_turn(&room, survived.is_ok());
            }
            None if !message.opens_room() => {}
            None => self.open(room, message),
        }
    }

    /// Moves the room to a worker that handles a heavy message. Meanwhile only messages for this
    /// room wait.
    fn handle_on_worker(&mut self, room: RoomName, message: RoomMessage) {
        let Some(Slot::Open(mut open)) = self.rooms.remove(&room) else { return };
        self.cancel_wake(&mut open);
        self.rooms.insert(room.clone(), Slot::Busy { waiting: Vec::new() });
        let (moment, unique) = (self.context.clock.now(), self.context.clock.random());
        let own = self.own.clone();
        let work = move || {
            let survived = catch_unwind(AssertUnwindSafe(|| open.handle_heavy(message, moment, unique)));
            (open, survived.ok())
        };
        let done = move |worked: Option<(Box<OpenRoom>, Option<Vec<Effect>>)>| {
            let (open, effects) = worked.expect("a panic of the room is caught above");
            let _ = own.send(ThreadMessage::Returned { room, open, effects });
        };
        self.context.workers.run_whole(work, done);
    }

    fn returned(&mut self, room: RoomName, mut open: Box<OpenRoom>, effects: Option<Vec<Effect>>) {
        let Some(Slot::Busy { waiting }) = self.rooms.remove(&room) else { return };
        if let Some(reason) = self.closing {
            open.close_sessions(reason);
        }
        let context = &mut self.context;
        let survived = effects.is_some_and(|effects| {
            catch_unwind(AssertUnwindSafe(|| open.finish_heavy(effects, context))).is_ok()
        });
        self.rooms.insert(room.clone(), Slot::Open(open));
        self.after_turn(&room, survived);
        self.pass_all(&room, waiting);
    }

    /// Handles messages that waited for a busy room.
    fn pass_all(&mut self, room: &RoomName, waiting: Vec<RoomMessage>) {
        waiting.into_iter().for_each(|message| self.pass_to_room(room.clone(), message));
    }

    fn open(&mut self, room: RoomName, first: RoomMessage) {
        let first = match first {
            // A room that is deleted at any revision is not loaded before.
            RoomMessage::Delete { expected: None, reply } => return self.delete(room, reply),
            first => first,
        };
        if self.rooms_open.load(Ordering::Relaxed) >= self.settings.rooms_open_max {
            let error = ApiError::new(ErrorCode::Overloaded, "too many rooms are open; try again later");
            return first.reject(&error, CloseReason::RoomFull);
        }
        self.rooms_open.fetch_add(1, Ordering::Relaxed);
        let creates = !first.only_reads();
        self.rooms.insert(room.clone(), Slot::Busy { waiting: vec![first] });
        let (own, workers) = (self.own.clone(), self.context.workers.clone());
        let name = room.clone();
        let reply = Box::new(move |loaded: Result<Option<(Claim, Loaded)>, StorageError>| {
            let opened_name = name.clone();
            let size = match &loaded {
                Ok(Some((_, loaded))) => size_of_loaded(loaded),
                _ => Size::Small,
            };
            let work = move || match loaded {
                Err(error) => Err(OpenFailure::Storage(error)),
                Ok(None) => Err(OpenFailure::Missing),
                Ok(Some((claim, loaded))) => Room::open(name, claim.incarnation, &loaded, Limits::DEFAULT)
                    .map(|room| (claim.key, Box::new(room)))
                    .map_err(|error| OpenFailure::Unreadable(error.to_string())),
            };
            let done = move |opened: Option<_>| {
                let panicked =
                    || Err(OpenFailure::Unreadable("internal error while opening the room".into()));
                let opened = opened.unwrap_or_else(panicked);
                let _ = own.send(ThreadMessage::Opened { room: opened_name, opened });
            };
            workers.run_sized(size, work, done);
        });
        self.context.journal.send(Request::Open { room, creates, reply });
    }

    fn opened(&mut self, room: RoomName, opened: Result<(RoomKey, Box<Room>), OpenFailure>) {
        let Some(Slot::Busy { waiting }) = self.rooms.remove(&room) else { return };
        match opened {
            Ok((key, mut opened)) => {
                opened.set_bounds(self.settings.bounds);
                self.openings += 1;
                let mut open = OpenRoom::new(room.clone(), key, self.openings, *opened, &self.context);
                open.reported_facts.update(&self.context.facts, &open.room, false);
                self.context.imports.report(&room, RoomEvent::Opened, open.room.has_imports());
                self.rooms.insert(room.clone(), Slot::Open(Box::new(open)));
                self.pass_all(&room, waiting);
                self.unload_if_nonexistent(&room);
            }
            Err(OpenFailure::Missing) => {
                self.rooms_open.fetch_sub(1, Ordering::Relaxed);
                let (reads, others): (Vec<_>, Vec<_>) =
                    waiting.into_iter().partition(RoomMessage::only_reads);
                let error = no_such_room(&room);
                reads.into_iter().for_each(|message| message.reject(&error, CloseReason::RoomStopped));
                // One of them may create the room.
                self.pass_all(&room, others);
            }
            Err(OpenFailure::Storage(StorageError::Elsewhere { url })) => {
                self.rooms_open.fetch_sub(1, Ordering::Relaxed);
                let error = room_elsewhere(Some(&room), &url);
                waiting.into_iter().for_each(|message| message.reject(&error, CloseReason::Restarting));
            }
            Err(OpenFailure::Storage(error @ StorageError::Away { .. })) => {
                self.rooms_open.fetch_sub(1, Ordering::Relaxed);
                tracing::warn!(%room, %error, "a room cannot be opened now");
                // Nothing is wrong with the room: clients connect again.
                let error = storage_error(&error);
                waiting.into_iter().for_each(|message| message.reject(&error, CloseReason::Restarting));
            }
            Err(failure) => {
                self.rooms_open.fetch_sub(1, Ordering::Relaxed);
                let error = match failure {
                    OpenFailure::Storage(error) => storage_error(&error),
                    OpenFailure::Unreadable(reason) => ApiError::new(ErrorCode::StorageFailed, reason),
                    OpenFailure::Missing => unreachable!("handled above"),
                };
                tracing::error!(%room, reason = error.message, "failed to open a room");
                waiting.into_iter().for_each(|message| message.reject(&error, CloseReason::RoomStopped));
            }
        }
    }

    fn delete(&mut self, room: RoomName, reply: oneshot::Sender<Result<(), ApiError>>) {
        match self.rooms.remove(&room) {
            Some(Slot::Open(mut open)) => {
                self.cancel_wake(&mut open);
                open.stop(CloseReason::Deleted, &mut self.context);
                self.drop_on_worker(open);
            }
            Some(Slot::Busy { .. }) => unreachable!("messages wait while a room is busy"),
            None => drop(self.rooms_open.fetch_add(1, Ordering::Relaxed)),
        }
        self.rooms.insert(room.clone(), Slot::Busy { waiting: Vec::new() });
        let own = self.own.clone();
        let name = room.clone();
        let deleted = Box::new(move |result| drop(own.send(ThreadMessage::Deleted { room, result, reply })));
        self.context.journal.send(Request::Delete { room: name, reply: deleted });
    }

    fn deleted(
        &mut self,
        room: RoomName,
        result: Result<bool, StorageError>,
        reply: oneshot::Sender<Result<(), ApiError>>,
    ) {
        let result = match result {
            Ok(true) => {
                self.context.feeds.deleted(&room);
                self.context.imports.report(&room, RoomEvent::Deleted, false);
                Ok(())
            }
            Ok(false) => Err(no_such_room(&room)),
            Err(error) => Err(storage_error(&error)),
        };
        let _ = reply.send(result);
        self.rooms_open.fetch_sub(1, Ordering::Relaxed);
        if let Some(Slot::Busy { waiting }) = self.rooms.remove(&room) {
            self.pass_all(&room, waiting);
        }
    }

    /// After a room's turn: unloads it when it stopped or panicked, and schedules its next wake-up.
    fn after_turn(&mut self, room: &RoomName, survived: bool) {
        let Some(Slot::Open(open)) = self.rooms.get_mut(room) else { return };
        if !survived {
            // The change of the panicking message either is not in the journal or is read from it
            // like all others.
            tracing::error!(%room, "a room panicked and is reloaded from the journal");
            open.close_sessions(CloseReason::RoomStopped);
        }
        if !survived || open.is_stopped {
            self.unload(room);
            return;
        }
        let next = open.next_wake_us();
        if next != open.wake_us {
            if let Some(at) = open.wake_us {
                self.due.remove(&(at, open.opening));
            }
            open.wake_us = next;
            if let Some(at) = next {
                self.due.insert((at, open.opening), room.clone());
            }
        }
    }

    /// Gives every room that is due one turn.
    fn wake_rooms(&mut self) {
        let now = self.context.clock.monotonic_us();
        let later = self.due.split_off(&(now + 1, 0));
        for room in std::mem::replace(&mut self.due, later).into_values() {
            let Some(Slot::Open(open)) = self.rooms.get_mut(&room) else { continue };
            open.wake_us = None;
            let context = &mut self.context;
            let survived = catch_unwind(AssertUnwindSafe(|| open.wake(context)));
            self.after_turn(&room, survived.is_ok());
        }
    }

    /// Unloads idle rooms.
    fn sweep(&mut self) {
        if self.last_sweep.elapsed() < self.sweep_every() {
            return;
        }
        self.finish_hand_overs();
        let hands_over = self.hands_over();
        let room_idle = if hands_over { Duration::ZERO } else { self.settings.room_idle };
        self.last_sweep = Instant::now();
        // Another server could claim the room, and its feeds here would not see the changes.
        let is_followed = |room| self.context.journal.is_shared() && self.context.feeds.has(room);
        let idle = |room, slot: &Slot| match slot {
            Slot::Open(open) => open.is_idle() && open.last_used.elapsed() >= room_idle && !is_followed(room),
            Slot::Busy { .. } => false,
        };
        let idle: Vec<RoomName> =
            self.rooms.iter().filter(|(room, slot)| idle(room, slot)).map(|(room, _)| room.clone()).collect();
        for room in idle {
            let Some(Slot::Open(open)) = self.rooms.get_mut(&room) else { continue };
            // The room may store a snapshot first; a later sweep then unloads it. People wait for the ones that are
            // handed over: their successor reads the records since the last snapshot.
            let context = &mut self.context;
            let survived = catch_unwind(AssertUnwindSafe(|| match hands_over {
                true => open.reported_facts.update(&context.facts, &open.room, true),
                false => prepare_unload(open, context),
            }));
            match survived.is_ok() && open.is_idle() {
                true => self.unload(&room),
                false => self.after_turn(&room, survived.is_ok()),
            }
        }
    }

    /// The rooms with sessions that have been open for so long and may go to another server. A change feed of this
    /// server would not see the changes that another one stores.
    fn movable(&self, open_for: Duration) -> Vec<RoomName> {
        let movable = |room: &RoomName, slot: &Slot| match slot {
            Slot::Open(open) => {
                (1..=hand_over::SESSIONS_MAX).contains(&open.sessions.len())
                    && open.opened.elapsed() >= open_for
                    && !self.context.feeds.has(room)
            }
            Slot::Busy { .. } => false,
        };
        let rooms = self.rooms.iter().filter(|(room, slot)| movable(room, slot));
        rooms.map(|(room, _)| room.clone()).collect()
    }

    /// Begins to give a room to the server at the URL `heir`.
    fn begin_hand_over(&mut self, room: RoomName, heir: String) {
        let Some(Slot::Open(open)) = self.rooms.get_mut(&room) else { return };
        if self.closing.is_some() || self.leaving.contains_key(&room) {
            return;
        }
        // Neither a client that does not close its connection nor a session that is about to connect holds it up.
        open.expected = Arc::default();
        let context = &mut self.context;
        if catch_unwind(AssertUnwindSafe(|| open.end_sessions(CloseReason::Restarting, context))).is_err() {
            return self.after_turn(&room, false);
        }
        self.leaving.insert(room, Leaving { heir, since: Instant::now(), waiting: Vec::new() });
    }

    /// Keeps a message back that would use a room which is about to go. Returns other messages.
    fn hold_back(&mut self, room: &RoomName, message: RoomMessage) -> Option<RoomMessage> {
        match self.leaving.get_mut(room) {
            Some(leaving) if message.opens_room() => {
                leaving.waiting.push(message);
                None
            }
            _ => Some(message),
        }
    }

    /// Drops rooms that have nothing left to do, and gives up those that do not come to rest.
    fn finish_hand_overs(&mut self) {
        let rooms: Vec<RoomName> = self.leaving.keys().cloned().collect();
        for room in rooms {
            let is_idle = match self.rooms.get_mut(&room) {
                Some(Slot::Open(open)) => open.is_idle(),
                // It is on a worker, or was unloaded by itself.
                Some(Slot::Busy { .. }) => false,
                None => true,
            };
            let is_late =
                self.leaving.get(&room).is_some_and(|leaving| leaving.since.elapsed() >= hand_over::TIMEOUT);
            if !is_idle && !is_late {
                continue;
            }
            let Some(leaving) = self.leaving.remove(&room) else { continue };
            if is_idle {
                if let Some(Slot::Open(open)) = self.rooms.get_mut(&room) {
                    let context = &mut self.context;
                    // A room that panics needs no handling: the journal has all its records.
                    _ = catch_unwind(AssertUnwindSafe(|| {
                        open.reported_facts.update(&context.facts, &open.room, true);
                    }));
                    context.metrics.rooms_handed_over.inc();
                }
                self.unload_for(&room, Some(leaving.heir));
            }
            self.pass_all(&room, leaving.waiting);
        }
    }

    /// Unloads a room that does not exist and was opened for a read only.
    fn unload_if_nonexistent(&mut self, room: &RoomName) {
        if let Some(Slot::Open(open)) = self.rooms.get(room)
            && open.is_idle()
            && open.room.head() == Revision(0)
        {
            self.unload(room);
        }
    }

    fn unload(&mut self, room: &RoomName) {
        self.unload_for(room, None);
    }

    /// Drops a room from memory, and gives it to the server at the URL `heir`.
    fn unload_for(&mut self, room: &RoomName, heir: Option<String>) {
        if let Some(Slot::Open(mut open)) = self.rooms.remove(room) {
            self.cancel_wake(&mut open);
            self.context.imports.report(room, RoomEvent::Closed, open.room.has_imports());
            self.rooms_open.fetch_sub(1, Ordering::Relaxed);
            self.context.journal.send(Request::Release { room: open.key, heir });
            self.drop_on_worker(open);
        }
    }

    /// Frees a room on a worker: freeing a large workbook takes long.
    fn drop_on_worker(&self, open: Box<OpenRoom>) {
        let size = Size::of(open.room.workbook());
        self.context.workers.run_sized(size, move || drop(open), |_| {});
    }

    fn cancel_wake(&mut self, open: &mut OpenRoom) {
        if let Some(at) = open.wake_us.take() {
            self.due.remove(&(at, open.opening));
        }
    }

    /// Stores snapshots of rooms that would otherwise open slowly, as when a room is unloaded. New
    /// requests are rejected; work in progress for a room is waited for.
    fn store_snapshots(&mut self, received: &Receiver<ThreadMessage>, until: Instant) {
        loop {
            for slot in self.rooms.values_mut() {
                if let Slot::Open(open) = slot
                    && !std::mem::replace(&mut open.is_stopping, true)
                {
                    let context = &mut self.context;
                    // A room that panics needs no handling: the journal has all its records.
                    let _ = catch_unwind(AssertUnwindSafe(|| prepare_unload(open, context)));
                }
            }
            let is_pending = |slot: &Slot| match slot {
                Slot::Open(open) => open.room.is_storing(),
                Slot::Busy { .. } => true,
            };
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.rooms.values().any(is_pending) {
                return;
            }
            match received.recv_timeout(self.pause().min(left)) {
                Ok(message) => {
                    self.context.metrics.room_queue.dec();
                    match message {
                        ThreadMessage::Stop { .. } => {}
                        ThreadMessage::Room { message, .. } if message.opens_room() => {
                            message.reject(&stopping(), CloseReason::Restarting);
                        }
                        message => self.handle(message),
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.wake_rooms();
        }
    }

    fn stop(mut self, received: &Receiver<ThreadMessage>, snapshots_until: Instant) {
        self.store_snapshots(received, snapshots_until);
        for (_, slot) in std::mem::take(&mut self.rooms) {
            match slot {
                Slot::Open(mut open) => open.stop(CloseReason::Restarting, &mut self.context),
                Slot::Busy { waiting } => {
                    let error = stopping();
                    waiting.into_iter().for_each(|message| message.reject(&error, CloseReason::Restarting));
                }
            }
        }
    }
}

fn size_of_loaded(loaded: &Loaded) -> Size {
    let snapshot = loaded.snapshot.as_ref().map_or(0, |snapshot| snapshot.bytes.len());
    Size::of_bytes(snapshot + loaded.records.iter().map(|record| record.bytes.len()).sum::<usize>())
}

/// Lets a room store a snapshot, and report its facts, before it is unloaded.
fn prepare_unload(open: &mut OpenRoom, context: &mut ThreadContext) {
    open.handle(Event::PrepareUnload, context);
    open.reported_facts.update(&context.facts, &open.room, true);
}
