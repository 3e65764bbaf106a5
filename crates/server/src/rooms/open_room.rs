//! One room in memory, with everything around it: sessions' outboxes, requests that wait, computed values.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Instant;

use quadrille_document::EvaluationContext;
use quadrille_journal::{Append, RoomKey, Snapshot, StorageError, StoredChatMessage};
use quadrille_protocol::{CloseReason, RejectCode, Revision, Role, RoomName, SessionId, fresh_sheet_id};
use quadrille_room::{Change as RoomChange, Counts, Effect, Event, FramePriority, Moment, Room, Token};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::borrowed_workbook::BorrowedWorkbook;
use super::chat::ChatReply;
use super::clock::Clock;
use super::computed_values::{Calculated, Calculation, Values};
use super::delivery::Deliveries;
use super::fanout::{Fanout, SharedFrame};
use super::journal::{Journal, Request};
use super::outbox::{Flushed, Outbox, Pushed};
use super::preview::PreviewCache;
use super::room_thread::{Answer, Message, ReadRequest, ThreadCommand, is_durable};
use super::send_pacing::{MEMBERS_PER_SLICE, SendPacing};
use super::transaction_traces::TransactionTraces;
use super::workers::{Size, Workers};
use super::{Change, Changed, MissingRoom, Reading, no_such_room};
use crate::error::{ApiError, ErrorCode};
use crate::metrics::Metrics;
use crate::trace;
use crate::websocket::outgoing::OutFrame;

/// What the rooms of a thread share.
pub struct ThreadContext {
    pub journal: Journal,
    pub workers: Workers,
    /// The way back to this thread.
    pub own: ThreadCommand,
    pub clock: Clock,
    pub metrics: Arc<Metrics>,
    /// Bytes of a room's broadcasts that are kept for slow readers.
    pub fanout_bytes_max: usize,
}

pub struct OpenRoom {
    pub room: Room,
    name: RoomName,
    key: RoomKey,
    /// Tells this stay in memory from earlier ones.
    pub opening: u64,
    /// When the thread will wake this room, on its clock in microseconds.
    pub wake_us: Option<u64>,
    pub used: Instant,
    pub is_stopped: bool,
    /// The server ends: what there is to store has been asked for.
    pub is_resting: bool,
    sessions: BTreeMap<SessionId, Arc<Outbox>>,
    fanout: Arc<Fanout>,
    pace: SendPacing,
    traced: TransactionTraces,
    deliveries: Deliveries,
    /// What `/metrics` knows of already.
    counted: Counts,
    /// Durable up to here, which the room learns with the next round.
    durable: Option<Revision>,
    /// Sessions that were sent something for them alone and are still to be written to.
    touched: BTreeSet<SessionId>,
    requests: BTreeMap<Token, WaitingChange>,
    talks: BTreeMap<Token, ChatReply>,
    tokens_issued: u64,
    values: Values,
    previews: PreviewCache,
    readers: Vec<Reader>,
    /// Of frames whose effects the journal is not yet up to; sessions send nothing more while theirs are here.
    parked: Vec<OwnedSemaphorePermit>,
}

struct WaitingChange {
    was_new: bool,
    reply: oneshot::Sender<Result<Changed, ApiError>>,
}

/// Waits for values of `revision` or later, then for that to be durable.
struct Reader {
    revision: Revision,
    found: Option<BorrowedWorkbook>,
    reply: oneshot::Sender<Result<Reading, ApiError>>,
}

impl OpenRoom {
    pub fn new(name: RoomName, key: RoomKey, opening: u64, room: Room, around: &ThreadContext) -> OpenRoom {
        OpenRoom {
            room,
            name,
            key,
            opening,
            wake_us: None,
            used: Instant::now(),
            is_stopped: false,
            is_resting: false,
            sessions: BTreeMap::new(),
            fanout: Arc::new(Fanout::new(around.fanout_bytes_max)),
            pace: SendPacing::default(),
            traced: TransactionTraces::default(),
            deliveries: Deliveries::default(),
            counted: Counts::default(),
            durable: None,
            touched: BTreeSet::new(),
            requests: BTreeMap::new(),
            talks: BTreeMap::new(),
            tokens_issued: 0,
            values: Values::default(),
            previews: PreviewCache::default(),
            readers: Vec::new(),
            parked: Vec::new(),
        }
    }

    /// Whether nobody would notice if the room left memory.
    pub fn is_idle(&self) -> bool {
        self.room.is_idle()
            && self.sessions.is_empty()
            && self.readers.is_empty()
            && self.previews.is_idle()
            && !self.pace.is_waiting()
    }

    pub fn take(&mut self, message: Message, around: &mut ThreadContext, sessions_max: usize) {
        if !matches!(message, Message::Answer { .. }) {
            self.used = Instant::now();
        }
        match message {
            Message::Connect { session, outbox, .. } if self.sessions.len() >= sessions_max => {
                tracing::warn!(room = %self.name, session = session.0, "the room is full");
                outbox.close(CloseReason::RoomFull);
            }
            Message::Connect { session, role, outbox, .. } => {
                outbox.enter(Arc::clone(&self.fanout));
                self.sessions.insert(session, outbox);
                self.handle(Event::Connect { session, role, account: "".into() }, around);
            }
            Message::Frame { session, bytes, permit, received, .. } => {
                self.takes(Some(received));
                if self.sessions.contains_key(&session) {
                    self.handle(Event::Frame { session, bytes: Arc::from(&bytes[..]) }, around);
                }
                self.takes(None);
                match around.journal.is_overloaded() {
                    true => self.parked.push(permit),
                    false => drop(permit),
                }
            }
            Message::Missed { session, from, .. } => {
                // A snapshot may have brought it back meanwhile.
                if self.sessions.get(&session).is_some_and(|outbox| !outbox.is_subscribed()) {
                    self.handle(Event::Missed { session, from }, around);
                }
            }
            Message::Drained { session, .. } => self.handle(Event::Drained { session }, around),
            Message::Disconnect { session, .. } => {
                if self.sessions.remove(&session).is_some() {
                    self.handle(Event::Disconnect { session }, around);
                }
            }
            Message::Read { what, reply, .. } => self.read(what, reply, around),
            Message::Preview { reply, .. } if self.room.head() == Revision(0) => {
                let _ = reply.send(Err(no_such_room(&self.name)));
            }
            Message::Preview { wanted, reply, .. } => {
                self.previews.ask(wanted, reply);
                self.poll_reads(around);
            }
            Message::Change { change, role, reply, .. } => self.change(change, role, reply, around),
            Message::Chat { chat, role, reply, .. } => {
                self.tokens_issued += 1;
                let token = Token(self.tokens_issued);
                self.talks.insert(token, reply);
                self.handle(Event::Chat { token, role, chat }, around);
            }
            Message::Answer { opening, answer, .. } if opening == self.opening => self.answer(answer, around),
            Message::Answer { .. } => {}
            Message::Delete { .. }
            | Message::Opened { .. }
            | Message::Deleted { .. }
            | Message::Back { .. }
            | Message::CloseSessions { .. }
            | Message::Stop { .. } => unreachable!("the thread deals with these"),
        }
    }

    /// As [`take`](Self::take) for what is heavy, on a worker: what the room asks for is carried out when it is back.
    pub fn take_heavy(&mut self, message: Message, moment: Moment, unique: u64) -> Vec<Effect> {
        self.used = Instant::now();
        match message {
            Message::Change { change, role, reply, .. } => match self.request(change, role, reply, unique) {
                Some(event) => self.room.handle(moment, event),
                None => Vec::new(),
            },
            Message::Frame { session, bytes, permit, received, .. } => {
                self.takes(Some(received));
                self.parked.push(permit);
                match self.sessions.contains_key(&session) {
                    true => self.room.handle(moment, Event::Frame { session, bytes: Arc::from(&bytes[..]) }),
                    false => Vec::new(),
                }
            }
            _ => unreachable!("only changes and frames are heavy"),
        }
    }

    /// Back from a worker: carries out what [`take_heavy`](Self::take_heavy) gave.
    pub fn come_back(&mut self, effects: Vec<Effect>, around: &mut ThreadContext) {
        self.carry_out_all(effects, around);
        self.takes(None);
        self.unpark(around);
    }

    /// A frame that was read then is dealt with now; none is any more.
    fn takes(&mut self, received: Option<Instant>) {
        self.traced.takes(received.and_then(trace::at));
        self.deliveries.takes(received);
    }

    /// Sessions may send again when the journal is not behind.
    fn unpark(&mut self, around: &ThreadContext) {
        if !around.journal.is_overloaded() {
            self.parked.clear();
        }
    }

    /// Gives the room an event and does what it asks for, in its order.
    pub fn handle(&mut self, event: Event, around: &mut ThreadContext) {
        let moment = around.clock.now();
        let effects = self.room.handle(moment, event);
        self.carry_out_all(effects, around);
    }

    fn carry_out_all(&mut self, effects: Vec<Effect>, around: &mut ThreadContext) {
        for effect in effects {
            self.carry_out(effect, around);
        }
        let counts = self.room.counts();
        if counts != self.counted {
            around.metrics.add(&counts, &self.counted);
            self.counted = counts;
        }
        for session in std::mem::take(&mut self.touched) {
            if let Some(outbox) = self.sessions.get(&session) {
                outbox.flush();
            }
        }
        self.serve_readers();
    }

    /// When the room has something to do without being told.
    pub fn wants_wake_us(&self) -> Option<u64> {
        let milliseconds = [self.room.next_tick_ms(), self.previews.wake_ms()];
        let milliseconds = milliseconds.into_iter().flatten().min();
        [milliseconds.map(|at| at * 1_000), self.pace.wake_us()].into_iter().flatten().min()
    }

    /// It is time for what [`wants_wake_us`](Self::wants_wake_us) said.
    pub fn wake(&mut self, around: &mut ThreadContext) {
        let now_us = around.clock.monotonic_us();
        self.previews.wake(now_us / 1_000);
        if self.room.next_tick_ms().is_some_and(|at| at * 1_000 <= now_us) {
            self.handle(Event::Tick, around);
        }
        if self.pace.begin(now_us) {
            self.report_durable(around);
            self.pace.nothing_waits();
            self.traced.round_begins(&self.name, self.room.durable());
            self.deliveries.round_begins(self.room.durable());
        }
        self.go_round(around);
    }

    /// Everything durable goes into the ring, in one frame.
    fn report_durable(&mut self, around: &mut ThreadContext) {
        if let Some(up_to) = self.durable.take() {
            self.handle(Event::Durable { up_to }, around);
        }
    }

    /// Writes to the next members of the round; others have a turn before it goes on.
    fn go_round(&mut self, around: &ThreadContext) {
        let Some(done) = self.pace.after() else { return };
        let from = done.map_or(Bound::Unbounded, Bound::Excluded);
        let mut is_last_slice = true;
        for (index, (session, outbox)) in self.sessions.range((from, Bound::Unbounded)).enumerate() {
            if index == MEMBERS_PER_SLICE {
                is_last_slice = false;
                break;
            }
            let is_all = outbox.flush() == Flushed::All;
            self.pace.went_on(*session, is_all);
        }
        if is_last_slice {
            let ended = self.pace.end(around.clock.monotonic_us());
            around.metrics.round_seconds.observe(ended.took_us as f64 / 1e6);
            self.traced.round_ends(&self.name);
            self.deliveries.round_ends(&around.metrics.delivery_seconds);
            if ended.is_all {
                self.fanout.clear();
            }
        }
    }

    pub fn close_sessions(&self, reason: CloseReason) {
        for outbox in self.sessions.values() {
            outbox.close(reason);
        }
    }

    /// Sends everyone away. What was submitted is with the journal already.
    pub fn stop(&mut self, reason: CloseReason, around: &mut ThreadContext) {
        self.report_durable(around);
        self.handle(Event::Close(reason), around);
    }

    fn carry_out(&mut self, effect: Effect, around: &mut ThreadContext) {
        match effect {
            Effect::Append { base, records, time_ms } => self.append(base, records, time_ms, around),
            Effect::Send { session, frame, lane } => {
                if let Some(outbox) = self.sessions.get(&session) {
                    self.touched.insert(session);
                    if outbox.push(OutFrame::binary(frame), lane) == Pushed::Overflowed {
                        // What it was owed alone does not fit: it has to begin again.
                        outbox.close(CloseReason::TooFast);
                    }
                }
            }
            Effect::Broadcast { frame, lane, .. } => {
                // What is ordered reaches up to where the room has just become durable.
                let up_to = (lane == FramePriority::Ordered).then(|| self.room.durable());
                around.metrics.frames_broadcast.inc();
                self.fanout.push(SharedFrame { frame: OutFrame::binary(frame), up_to });
                self.pace.wait(around.clock.monotonic_us());
            }
            Effect::Subscribe { session } => {
                if let Some(outbox) = self.sessions.get(&session) {
                    outbox.subscribe(self.room.durable().next());
                }
            }
            Effect::Close { session, reason } => {
                if let Some(outbox) = self.sessions.remove(&session) {
                    outbox.close(reason);
                }
            }
            Effect::Encode(job) => {
                around.metrics.encoded.inc();
                let send = self.way_back(around);
                let size = Size::of(job.workbook());
                let done = move |encoded| send(Answer::Encoded(encoded));
                around.workers.run_sized(size, move || job.run(), done);
            }
            Effect::PutSnapshot { revision, bytes } => {
                let snapshot = Snapshot { revision, bytes };
                around.journal.ask(Request::PutSnapshot { room: self.key, snapshot });
            }
            Effect::NeedTail { session, after, bytes_max } => {
                let send = self.way_back(around);
                let reply = Box::new(move |records| send(Answer::Tail { session, after, records }));
                around.journal.ask(Request::Tail { room: self.key, after, bytes_max, reply });
            }
            Effect::ReadChat => {
                let send = self.way_back(around);
                let reply = Box::new(move |chat_messages| send(Answer::ChatMessages(chat_messages)));
                around.journal.ask(Request::ChatMessages { room: self.key, reply });
            }
            Effect::Say { number, bytes, forget_up_to } => {
                let send = self.way_back(around);
                let reply = Box::new(move |is_stored| send(Answer::Said { number, is_stored }));
                let chat_message = StoredChatMessage { room: self.key, number, bytes, forget_up_to };
                around.journal.ask(Request::Say { chat_message, reply });
            }
            Effect::ChatAccepted { token, result } => {
                if let Some(reply) = self.talks.remove(&token) {
                    let _ = reply.send(result);
                }
            }
            Effect::Done { token, revision } => {
                if let Some(WaitingChange { was_new, reply }) = self.requests.remove(&token) {
                    let _ = reply.send(Ok(Changed { revision, was_new }));
                }
            }
            Effect::Refused { token, code, message } => {
                if let Some(waiting) = self.requests.remove(&token) {
                    let _ = waiting.reply.send(Err(ApiError::new(refusal(code), message)));
                }
            }
            Effect::DigestMismatch { session, revision, room, replica } => {
                tracing::error!(room = %self.name, session = session.0, revision = revision.0, ours = room, replica,
                    "a replica differs from the room; it gets a snapshot");
            }
            Effect::Discard(forgotten) => drop_elsewhere(forgotten, around),
            Effect::Stopped => self.is_stopped = true,
        }
    }

    fn append(&mut self, base: Revision, records: Vec<Arc<[u8]>>, time_ms: i64, around: &mut ThreadContext) {
        if let Some(forgotten) = self.values.placed(&records) {
            drop_elsewhere(forgotten, around);
        }
        self.traced.placed(&self.name, base, &records);
        self.deliveries.placed(base, records.len());
        let bytes = records.iter().map(|record| record.len()).sum();
        let up_to = Revision(base.0 + records.len() as u64);
        let send = self.way_back(around);
        let reply = Box::new(move |result| send(Answer::Appended { up_to, result }));
        let append = Append { room: self.key, base, records, time_ms };
        let is_patient = self.values.are_long();
        around.journal.ask(Request::Append { append, bytes, is_patient, reply });
    }

    /// Brings an answer back to this room, if it is still the same then.
    fn way_back(&self, around: &ThreadContext) -> impl FnOnce(Answer) + Send + 'static {
        let (own, room, opening) = (around.own.clone(), self.name.clone(), self.opening);
        // A thread that has stopped needs no answers.
        move |answer| drop(own.send(Message::Answer { room, opening, answer }))
    }

    fn answer(&mut self, answer: Answer, around: &mut ThreadContext) {
        self.unpark(around);
        match answer {
            Answer::Appended { up_to, result } if is_durable(&result) => {
                self.durable = Some(up_to);
                self.traced.durable(&self.name, up_to);
                self.pace.wait(around.clock.monotonic_us());
            }
            Answer::Appended { result, .. } => {
                self.report_durable(around);
                tracing::error!(room = %self.name, ?result, "an append was not stored; the room is opened anew");
                self.handle(Event::AppendFailed, around);
            }
            Answer::Tail { session, after, records: Ok(records) } => {
                let records = records.into_iter().map(|record| (record.revision, record.bytes)).collect();
                self.handle(Event::Tail { session, after, records }, around);
            }
            // None means that the room has to make do without them: it sends a snapshot.
            Answer::Tail { session, after, records: Err(StorageError::Forgotten { .. }) } => {
                self.handle(Event::Tail { session, after, records: Vec::new() }, around);
            }
            Answer::Tail { session, records: Err(error), .. } => {
                tracing::error!(room = %self.name, %error, "the journal's tail cannot be read");
                if let Some(outbox) = self.sessions.remove(&session) {
                    outbox.close(CloseReason::RoomStopped);
                }
                self.handle(Event::Disconnect { session }, around);
            }
            Answer::ChatMessages(Ok(chat_messages)) => {
                self.handle(Event::ChatRead { chat_messages: Some(chat_messages) }, around)
            }
            Answer::ChatMessages(Err(error)) => {
                tracing::error!(room = %self.name, %error, "what was said in the room cannot be read");
                self.handle(Event::ChatRead { chat_messages: None }, around);
            }
            Answer::Said { number, is_stored } => self.handle(Event::Said { number, is_stored }, around),
            Answer::Encoded(Some(encoded)) => self.handle(Event::Encoded(encoded), around),
            Answer::Encoded(None) => {
                tracing::error!(room = %self.name, "the workbook cannot be encoded; the room is opened anew");
                self.handle(Event::AppendFailed, around);
            }
            Answer::Calculated(Some(calculated)) if calculated.is_superseded => {
                self.calculated(calculated, around);
                self.calculate(around);
            }
            Answer::Calculated(Some(calculated)) if !calculated.is_finished => {
                self.calculated(calculated, around);
                self.refuse_readers(
                    ErrorCode::Overloaded,
                    "the formulas of this room take too long to compute",
                );
            }
            Answer::Calculated(Some(calculated)) => {
                let (revision, workbook) = (calculated.revision, calculated.workbook());
                self.calculated(calculated, around);
                for reader in &mut self.readers {
                    if reader.found.is_none() && reader.revision <= revision {
                        (reader.revision, reader.found) =
                            (revision, Some(BorrowedWorkbook::new(workbook.clone(), &around.workers)));
                    }
                }
                self.serve_readers();
                self.calculate(around);
            }
            Answer::Previews(made) => {
                self.previews.made(made, around.clock.monotonic_ms());
                self.poll_reads(around);
            }
            Answer::Calculated(None) => {
                self.values.give_up();
                self.refuse_readers(
                    ErrorCode::Internal,
                    "a fault of the server while calculating the workbook",
                );
            }
        }
    }

    fn read(
        &mut self,
        what: ReadRequest,
        reply: oneshot::Sender<Result<Reading, ApiError>>,
        around: &mut ThreadContext,
    ) {
        if self.room.head() == Revision(0) {
            let _ = reply.send(Err(no_such_room(&self.name)));
            return;
        }
        let found = match what {
            ReadRequest::Inputs => Some(self.room.workbook().clone()),
            ReadRequest::Values => self.values.ready(),
        };
        let found = found.map(|workbook| BorrowedWorkbook::new(workbook, &around.workers));
        self.readers.push(Reader { revision: self.room.head(), found, reply });
        self.serve_readers();
        self.calculate(around);
    }

    fn calculated(&mut self, calculated: Calculated, around: &ThreadContext) {
        if let Some(forgotten) = self.values.calculated(calculated) {
            drop_elsewhere(forgotten, around);
        }
    }

    /// Sends the document to a worker when somebody waits for its values.
    fn calculate(&mut self, around: &mut ThreadContext) {
        if self.readers.iter().all(|reader| reader.found.is_some()) {
            return;
        }
        let moment = around.clock.now();
        let time_and_seed = EvaluationContext { time_ms: moment.unix_ms, seed: moment.random };
        let is_likely_short = self.values.is_likely_short(self.room.workbook());
        if let Some(calculation) =
            self.values.calculation(self.room.workbook(), self.room.head(), time_and_seed)
        {
            let send = self.way_back(around);
            let done = move |calculated| send(Answer::Calculated(calculated));
            around.workers.run_in_slices(is_likely_short, calculation, Calculation::slice, done);
        }
    }

    /// Serves those who want to see the room, and has made what they cannot be served yet.
    fn poll_reads(&mut self, around: &mut ThreadContext) {
        self.previews.serve(self.room.durable());
        let moment = around.clock.now();
        let time_and_seed = EvaluationContext { time_ms: moment.unix_ms, seed: moment.random };
        let (workbook, head) = (self.room.workbook(), self.room.head());
        if let Some(job) = self.previews.job(workbook, head, time_and_seed, moment.monotonic_ms) {
            let send = self.way_back(around);
            around.workers.run(move || job.run(), move |made| send(Answer::Previews(made)));
        }
    }

    fn refuse_readers(&mut self, code: ErrorCode, message: &str) {
        for reader in self.readers.extract_if(.., |reader| reader.found.is_none()) {
            let _ = reader.reply.send(Err(ApiError::new(code, message)));
        }
    }

    /// Nobody is told what a crash could take back.
    fn serve_readers(&mut self) {
        let (durable, sessions) = (self.room.durable(), self.sessions.len());
        self.previews.serve(durable);
        let is_served = |reader: &mut Reader| reader.found.is_some() && reader.revision <= durable;
        for reader in self.readers.extract_if(.., is_served) {
            let workbook = reader.found.expect("looked at above");
            let _ = reader.reply.send(Ok(Reading { workbook, revision: reader.revision, sessions }));
        }
    }

    fn change(
        &mut self,
        change: Change,
        role: Role,
        reply: oneshot::Sender<Result<Changed, ApiError>>,
        around: &mut ThreadContext,
    ) {
        let unique = around.clock.random();
        if let Some(event) = self.request(change, role, reply, unique) {
            self.handle(event, around);
        }
    }

    /// The change as the room takes it; `None` when the requester has been told why not.
    fn request(
        &mut self,
        change: Change,
        role: Role,
        reply: oneshot::Sender<Result<Changed, ApiError>>,
        unique: u64,
    ) -> Option<Event> {
        let was_new = self.room.head() == Revision(0);
        let Change { room404, expected, author, plan, .. } = change;
        let planned = self.check(room404, expected, was_new).and_then(|()| {
            let mut number = 0;
            let mut new_sheet = || {
                number += 1;
                fresh_sheet_id(unique, number)
            };
            plan(self.room.workbook(), &mut new_sheet)
        });
        let transaction = match planned {
            Ok(transaction) => transaction,
            Err(error) => {
                let _ = reply.send(Err(error));
                return None;
            }
        };
        self.tokens_issued += 1;
        let token = Token(self.tokens_issued);
        self.requests.insert(token, WaitingChange { was_new, reply });
        let change = RoomChange::Transaction(transaction);
        Some(Event::Request { token, author, role, change })
    }

    fn check(&self, room404: MissingRoom, expected: Option<Revision>, was_new: bool) -> Result<(), ApiError> {
        match room404 {
            MissingRoom::MustExist if was_new => return Err(no_such_room(&self.name)),
            MissingRoom::MustNotExist if !was_new => {
                return Err(ApiError::new(
                    ErrorCode::RoomExists,
                    format!("the room exists already: {}", self.name),
                ));
            }
            _ => {}
        }
        match expected {
            Some(expected) if expected != self.room.head() => {
                let message = format!("the room is at revision {}, not {expected}", self.room.head());
                Err(ApiError::new(ErrorCode::RevisionMismatch, message))
            }
            _ => Ok(()),
        }
    }
}

/// Drops what takes as long as a workbook is big.
fn drop_elsewhere(forgotten: impl Send + 'static, around: &ThreadContext) {
    around.workers.run_sized(Size::Big, move || drop(forgotten), |_| {});
}

fn refusal(code: RejectCode) -> ErrorCode {
    match code {
        RejectCode::Forbidden => ErrorCode::Forbidden,
        RejectCode::BadOperation | RejectCode::OutOfBounds => ErrorCode::BadCommand,
        RejectCode::TooLarge => ErrorCode::TooManyCells,
        RejectCode::ReadOnly => ErrorCode::StorageFailed,
    }
}
