//! One room in memory, with the outboxes of its sessions, waiting requests and computed values.
//! Carries out the room's effects.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quadrille_document::EvaluationContext;
use quadrille_journal::{Append, RoomKey, Snapshot, StorageError, StoredChatMessage};
use quadrille_protocol::{CloseReason, Counter, Revision, Role, RoomName, SessionId, fresh_sheet_id};
use quadrille_room::{Change as RoomChange, Counts, Effect, Event, FramePriority, Moment, Room, Token};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::broadcast_streams::BroadcastStreams;
use super::change::{Change, Changed, MissingRoom, Reading};
use super::change_feeds::ChangeFeeds;
use super::client::Client;
use super::clock::Clock;
use super::computed_values::{Calculated, Calculation, Values};
use super::delivery_latency::DeliveryLatency;
use super::errors::{error_code, no_such_room};
use super::facts::{FactsListener, ReportedFacts};
use super::fanout::{Fanout, SharedFrame};
use super::import_listener::{ImportListener, RoomEvent};
use super::journal::Journal;
use super::journal_request::{Request, is_durable};
use super::outbox::{Flushed, Outbox, Pushed};
use super::preview::PreviewCache;
use super::readers::{Reader, Readers};
use super::room_message::{Answer, AnswerSender, Arrival, ChatReply, ReadRequest, RoomMessage};
use super::send_pacing::{MEMBERS_PER_SLICE, SendPacing};
use super::transaction_traces::TransactionTraces;
use super::workbook_handle::WorkbookHandle;
use super::workers::{Size, Workers};
use crate::error::{ApiError, ErrorCode};
use crate::metrics::Metrics;
use crate::websocket::outgoing_frame::OutFrame;

/// Resources shared by the rooms of a thread.
pub struct ThreadContext {
    pub journal: Journal,
    pub workers: Workers,
    /// Sends answers back to the rooms of this thread.
    pub answers: AnswerSender,
    pub clock: Clock,
    pub metrics: Arc<Metrics>,
    pub facts: FactsListener,
    pub feeds: ChangeFeeds,
    pub imports: ImportListener,
    /// Bytes of a room's broadcasts that are kept for slow sessions.
    pub fanout_bytes_max: usize,
}

pub struct OpenRoom {
    pub room: Room,
    pub(super) name: RoomName,
    pub(super) key: RoomKey,
    /// Number of this opening; answers to earlier openings are ignored.
    pub opening: u64,
    /// When the thread will wake this room, in monotonic microseconds.
    pub wake_us: Option<u64>,
    pub opened: Instant,
    /// Time of the last message that was not an answer.
    pub last_used: Instant,
    pub busy: Duration,
    pub reported_facts: ReportedFacts,
    pub is_stopped: bool,
    /// Shared with sessions that are about to connect.
    pub expected: Arc<()>,
    /// The server stops, and the room has been told to store a snapshot.
    pub is_stopping: bool,
    pub(super) sessions: BTreeMap<SessionId, Arc<dyn Outbox>>,
    pub(super) clients: BTreeMap<SessionId, Client>,
    /// Those that write the broadcasts for sessions at other servers.
    streams: BroadcastStreams,
    fanout: Arc<Fanout>,
    pacing: SendPacing,
    traces: TransactionTraces,
    latency: DeliveryLatency,
    /// Counters already included in `/metrics`.
    reported_counts: Counts,
    /// Durable revision that the room is told with the next round of sending.
    durable: Option<Revision>,
    /// Sessions with new frames of their own, to be flushed.
    to_flush: BTreeSet<SessionId>,
    requests: BTreeMap<Token, WaitingChange>,
    chat_requests: BTreeMap<Token, ChatReply>,
    tokens_issued: u64,
    values: Values,
    previews: PreviewCache,
    readers: Readers,
    /// Permits of handled frames, held back while the journal is overloaded so that sessions send
    /// no more.
    parked_permits: Vec<OwnedSemaphorePermit>,
}

struct WaitingChange {
    was_new: bool,
    reply: oneshot::Sender<Result<Changed, ApiError>>,
}

impl OpenRoom {
    pub fn new(name: RoomName, key: RoomKey, opening: u64, room: Room, context: &ThreadContext) -> OpenRoom {
        OpenRoom {
            room,
            name,
            key,
            opening,
            wake_us: None,
            opened: Instant::now(),
            last_used: Instant::now(),
            busy: Duration::ZERO,
            reported_facts: ReportedFacts::default(),
            is_stopped: false,
            expected: Arc::default(),
            is_stopping: false,
            sessions: BTreeMap::new(),
            clients: BTreeMap::new(),
            streams: BroadcastStreams::default(),
            fanout: Arc::new(Fanout::new(context.fanout_bytes_max)),
            pacing: SendPacing::default(),
            traces: TransactionTraces::default(),
            latency: DeliveryLatency::default(),
            reported_counts: Counts::default(),
            durable: None,
            to_flush: BTreeSet::new(),
            requests: BTreeMap::new(),
            chat_requests: BTreeMap::new(),
            tokens_issued: 0,
            values: Values::default(),
            previews: PreviewCache::default(),
            readers: Readers::default(),
            parked_permits: Vec::new(),
        }
    }

    /// Whether the room can be unloaded: it has no sessions and nothing waits.
    pub fn is_idle(&self) -> bool {
        self.room.is_idle()
            && self.sessions.is_empty()
            && Arc::strong_count(&self.expected) == 1
            && self.readers.is_empty()
            && self.previews.is_idle()
            && !self.pacing.is_waiting()
    }

    /// Handles a message on the room's thread.
    pub fn handle_message(&mut self, message: RoomMessage, context: &mut ThreadContext, sessions_max: usize) {
        if message.is_use() {
            self.last_used = Instant::now();
        }
        match message {
            RoomMessage::Connect { session, outbox, .. } if self.sessions.len() >= sessions_max => {
                tracing::warn!(room = %self.name, session = session.0, "the room is full");
                outbox.close(CloseReason::RoomFull);
            }
            RoomMessage::Connect { session, client, outbox } => {
                outbox.set_broadcasts(Arc::clone(&self.fanout));
                self.streams.add(outbox.broadcast_stream());
                self.sessions.insert(session, outbox);
                let (role, author, email) = (client.role, client.author(), client.email());
                let picture = client.picture();
                let connect = Event::Connect { session, role, author, email, picture };
                self.clients.insert(session, client);
                self.handle(connect, context);
            }
            RoomMessage::Reauthorize { document, default_access } => {
                self.reauthorize(&document, default_access, context);
            }
            RoomMessage::CloseSessions { reason } => self.close_sessions(reason),
            RoomMessage::Revoke { revoked } => self.revoke(&revoked, context),
            RoomMessage::AccessRequested => self.handle(Event::AccessRequested, context),
            // Fails when nobody waits for the answer any more.
            RoomMessage::ListAccounts { reply } => _ = reply.send(self.accounts()),
            RoomMessage::SetRole { session, role } => self.handle(Event::SetRole { session, role }, context),
            RoomMessage::Frame { session, bytes, permit, arrival } => {
                self.set_arrival(Some(arrival));
                if self.sessions.contains_key(&session) {
                    self.handle(Event::Frame { session, bytes: Arc::from(&bytes[..]) }, context);
                }
                self.set_arrival(None);
                match context.journal.is_overloaded(&self.name) {
                    true => self.parked_permits.push(permit),
                    false => drop(permit),
                }
            }
            RoomMessage::Missed { session, from, .. } => {
                // A snapshot may have subscribed the session again in the meantime.
                if self.sessions.get(&session).is_some_and(|outbox| !outbox.is_subscribed()) {
                    self.handle(Event::Missed { session, from }, context);
                }
            }
            RoomMessage::Drained { session, .. } => self.handle(Event::Drained { session }, context),
            RoomMessage::Disconnect { session, .. } => {
                if self.remove_session(session).is_some() {
                    self.handle(Event::Disconnect { session }, context);
                }
            }
            RoomMessage::Read { request, reply } => self.read(request, reply, context),
            RoomMessage::Preview { reply, .. } if self.room.head() == Revision(0) => {
                let _ = reply.send(Err(no_such_room(&self.name)));
            }
            RoomMessage::Preview { wanted, reply, .. } => {
                self.previews.request(wanted, reply);
                self.poll_reads(context);
            }
            RoomMessage::Change { change, role, reply, .. } => self.change(*change, role, reply, context),
            RoomMessage::Chat { chat, role, reply, .. } => {
                self.tokens_issued += 1;
                let token = Token(self.tokens_issued);
                self.chat_requests.insert(token, reply);
                self.handle(Event::Chat { token, role, chat }, context);
            }
            RoomMessage::Answer { opening, answer, .. } if opening == self.opening => {
                self.answer(answer, context)
            }
            RoomMessage::Answer { .. } => {}
            RoomMessage::Delete { .. } | RoomMessage::Expect { .. } => unreachable!("handled by the thread"),
        }
    }

    /// Handles a heavy message on a worker. The returned effects are carried out by
    /// [`finish_heavy`](Self::finish_heavy) on the room's thread.
    pub fn handle_heavy(&mut self, message: RoomMessage, moment: Moment, unique: u64) -> Vec<Effect> {
        self.last_used = Instant::now();
        match message {
            RoomMessage::Change { change, role, reply, .. } => {
                match self.request(*change, role, reply, unique) {
                    Some(event) => self.room.handle(moment, event),
                    None => Vec::new(),
                }
            }
            RoomMessage::Frame { session, bytes, permit, arrival } => {
                self.set_arrival(Some(arrival));
                self.parked_permits.push(permit);
                match self.sessions.contains_key(&session) {
                    true => self.room.handle(moment, Event::Frame { session, bytes: Arc::from(&bytes[..]) }),
                    false => Vec::new(),
                }
            }
            _ => unreachable!("only changes and frames are heavy"),
        }
    }

    /// Carries out the effects of [`handle_heavy`](Self::handle_heavy).
    pub fn finish_heavy(&mut self, effects: Vec<Effect>, context: &mut ThreadContext) {
        self.carry_out_all(effects, context);
        self.set_arrival(None);
        self.release_permits(context);
    }

    /// Sets when the frame being handled was received; `None` after handling it.
    fn set_arrival(&mut self, arrival: Option<Arrival>) {
        self.traces.set_arrival(arrival);
        self.latency.set_received(arrival.map(|arrival| arrival.received));
    }

    /// Lets sessions send again when the journal is not overloaded.
    fn release_permits(&mut self, context: &ThreadContext) {
        if !context.journal.is_overloaded(&self.name) {
            self.parked_permits.clear();
        }
    }

    /// Passes an event to the room and carries out its effects in their order.
    pub fn handle(&mut self, event: Event, context: &mut ThreadContext) {
        let moment = context.clock.now();
        let effects = self.room.handle(moment, event);
        self.carry_out_all(effects, context);
    }

    fn carry_out_all(&mut self, effects: Vec<Effect>, context: &mut ThreadContext) {
        for effect in effects {
            self.carry_out(effect, context);
        }
        let counts = self.room.counts();
        if counts != self.reported_counts {
            context.metrics.add(&counts, &self.reported_counts);
            self.reported_counts = counts;
        }
        for session in std::mem::take(&mut self.to_flush) {
            if let Some(outbox) = self.sessions.get(&session) {
                outbox.flush();
            }
        }
        self.serve_readers();
    }

    /// Returns when [`wake`](Self::wake) is to be called next, in monotonic microseconds.
    pub fn next_wake_us(&self) -> Option<u64> {
        let milliseconds = [self.room.next_tick_ms(), self.previews.expires_ms()];
        let milliseconds = milliseconds.into_iter().flatten().min();
        [milliseconds.map(|at| at * 1_000), self.pacing.wake_us()].into_iter().flatten().min()
    }

    /// Does the work that is due now.
    pub fn wake(&mut self, context: &mut ThreadContext) {
        let now_us = context.clock.monotonic_us();
        self.previews.expire(now_us / 1_000);
        if self.room.next_tick_ms().is_some_and(|at| at * 1_000 <= now_us) {
            self.handle(Event::Tick, context);
        }
        if self.pacing.begin_round(now_us) {
            self.report_durable(context);
            self.pacing.clear_pending();
            self.traces.round_begins(&self.name, self.room.durable());
            self.latency.round_begins(self.room.durable());
        }
        self.continue_round(context);
    }

    /// Tells the room of all durable records at once, so that they are broadcast in one frame; lists
    /// have the new title by then.
    fn report_durable(&mut self, context: &mut ThreadContext) {
        if let Some(up_to) = self.durable.take() {
            self.reported_facts.update(&context.facts, &self.room, false);
            self.handle(Event::Durable { up_to }, context);
        }
    }

    /// Writes to the next slice of members; other rooms get a turn before the next slice (F4).
    fn continue_round(&mut self, context: &ThreadContext) {
        let Some(last_written) = self.pacing.last_written() else { return };
        if last_written.is_none() {
            self.streams.flush();
        }
        let from = last_written.map_or(Bound::Unbounded, Bound::Excluded);
        let mut is_last_slice = true;
        for (index, (session, outbox)) in self.sessions.range((from, Bound::Unbounded)).enumerate() {
            if index == MEMBERS_PER_SLICE {
                is_last_slice = false;
                break;
            }
            let is_all = outbox.flush_broadcasts() == Flushed::All;
            self.pacing.record_written(*session, is_all);
        }
        if is_last_slice {
            let ended = self.pacing.end_round(context.clock.monotonic_us());
            context.metrics.round_seconds.observe(ended.took_us as f64 / 1e6);
            self.traces.round_ends(&self.name);
            self.latency.round_ends(&context.metrics.delivery_seconds);
            if ended.is_all && self.streams.flush() {
                self.fanout.clear();
            }
        }
    }

    pub fn close_sessions(&self, reason: CloseReason) {
        for outbox in self.sessions.values() {
            outbox.close(reason);
        }
    }

    /// Closes all sessions. Submitted transactions are with the journal already.
    pub fn stop(&mut self, reason: CloseReason, context: &mut ThreadContext) {
        self.report_durable(context);
        self.handle(Event::Close(reason), context);
    }

    fn remove_session(&mut self, session: SessionId) -> Option<Arc<dyn Outbox>> {
        self.clients.remove(&session);
        self.sessions.remove(&session)
    }

    fn carry_out(&mut self, effect: Effect, context: &mut ThreadContext) {
        match effect {
            Effect::Append { base, records, time_ms } => self.append(base, records, time_ms, context),
            Effect::Send { session, frame, priority } => {
                if let Some(outbox) = self.sessions.get(&session) {
                    self.to_flush.insert(session);
                    if outbox.push(OutFrame::binary(frame), priority) == Pushed::Overflowed {
                        // Frames for this session alone cannot be skipped: it has to reconnect.
                        outbox.close(CloseReason::TooFast);
                    }
                }
            }
            Effect::Broadcast { frame, priority, .. } => {
                // An ordered frame ends at the revision that has just become durable.
                let up_to = (priority == FramePriority::Ordered).then(|| self.room.durable());
                context.metrics.frames_broadcast.inc();
                self.fanout.push(SharedFrame { frame: OutFrame::binary(frame), up_to });
                self.pacing.request_round(context.clock.monotonic_us());
            }
            Effect::Subscribe { session } => {
                if let Some(outbox) = self.sessions.get(&session) {
                    outbox.subscribe(self.room.durable().next());
                }
            }
            Effect::Close { session, reason } => {
                if let Some(outbox) = self.remove_session(session) {
                    outbox.close(reason);
                }
            }
            Effect::Encode(job) => {
                context.metrics.encoded.inc();
                let send = self.answer_sender(context);
                let size = Size::of(job.workbook());
                let done = move |encoded| send(Answer::Encoded(encoded));
                context.workers.run_sized(size, move || job.run(), done);
            }
            Effect::PutSnapshot { revision, bytes } => {
                let snapshot = Snapshot { revision, bytes };
                context.journal.send(Request::PutSnapshot { room: self.key, snapshot });
            }
            Effect::ReadTail { session, after, bytes_max } => {
                let send = self.answer_sender(context);
                let reply = Box::new(move |records| send(Answer::Tail { session, after, records }));
                context.journal.send(Request::Tail { room: self.key, after, bytes_max, reply });
            }
            Effect::ReadChat => {
                let send = self.answer_sender(context);
                let reply = Box::new(move |chat_messages| send(Answer::ChatMessages(chat_messages)));
                context.journal.send(Request::ChatMessages { room: self.key, reply });
            }
            Effect::StoreChatMessage { number, bytes, forget_up_to } => {
                let send = self.answer_sender(context);
                let reply = Box::new(move |is_stored| send(Answer::ChatStored { number, is_stored }));
                let chat_message = StoredChatMessage { room: self.key, number, bytes, forget_up_to };
                context.journal.send(Request::StoreChatMessage { chat_message, reply });
            }
            Effect::ChatAccepted { token, result } => {
                if let Some(reply) = self.chat_requests.remove(&token) {
                    let _ = reply.send(result);
                }
            }
            Effect::RequestCommitted { token, revision } => {
                if let Some(WaitingChange { was_new, reply }) = self.requests.remove(&token) {
                    let _ = reply.send(Ok(Changed { revision, was_new, recorded: None }));
                }
            }
            Effect::RequestRejected { token, code, message } => {
                if let Some(waiting) = self.requests.remove(&token) {
                    let _ = waiting.reply.send(Err(ApiError::new(error_code(code), message)));
                }
            }
            Effect::DigestMismatch { session, revision, room, replica } => {
                tracing::error!(room = %self.name, session = session.0, revision = revision.0, ours = room, replica,
                    "a replica differs from the room and is sent a snapshot");
            }
            Effect::Discard(discarded) => drop_on_worker(discarded, context),
            Effect::Stopped => self.is_stopped = true,
        }
    }

    fn append(&mut self, base: Revision, records: Vec<Arc<[u8]>>, time_ms: i64, context: &mut ThreadContext) {
        if let Some(discarded) = self.values.add_records(&records) {
            drop_on_worker(discarded, context);
        }
        self.traces.recorded(&self.name, base, &records);
        self.latency.recorded(base, records.len());
        let up_to = Revision(base.0 + records.len() as u64);
        let send = self.answer_sender(context);
        let reply = Box::new(move |result| send(Answer::Appended { base, up_to, result }));
        let append = Append { room: self.key, base, records, time_ms };
        let can_wait = self.values.take_long();
        context.journal.append(append, can_wait, reply);
    }

    /// Returns a function that sends an answer to this opening of the room.
    fn answer_sender(&self, context: &ThreadContext) -> impl FnOnce(Answer) + Send + 'static {
        let (answers, room, opening) =
            (AnswerSender::clone(&context.answers), self.name.clone(), self.opening);
        move |answer| answers(room, opening, answer)
    }

    fn answer(&mut self, answer: Answer, context: &mut ThreadContext) {
        self.release_permits(context);
        match answer {
            Answer::Appended { base, up_to, result } if is_durable(&result) => {
                self.durable = Some(up_to);
                context.feeds.durable(&self.name, base, up_to);
                context.imports.report(&self.name, RoomEvent::Changed { up_to }, self.room.has_imports());
                self.traces.durable(&self.name, up_to);
                self.pacing.request_round(context.clock.monotonic_us());
            }
            Answer::Appended { result, .. } => {
                self.report_durable(context);
                tracing::error!(room = %self.name, ?result, "an append failed; the room is reloaded from the journal");
                self.handle(Event::AppendFailed, context);
            }
            Answer::Tail { session, after, records: Ok(records) } => {
                let records = records.into_iter().map(|record| (record.revision, record.bytes)).collect();
                self.handle(Event::Tail { session, after, records }, context);
            }
            // Without records the room sends a snapshot.
            Answer::Tail { session, after, records: Err(StorageError::Forgotten { .. }) } => {
                self.handle(Event::Tail { session, after, records: Vec::new() }, context);
            }
            Answer::Tail { session, records: Err(error), .. } => {
                tracing::error!(room = %self.name, %error, "cannot read the tail of the journal");
                if let Some(outbox) = self.remove_session(session) {
                    outbox.close(CloseReason::RoomStopped);
                }
                self.handle(Event::Disconnect { session }, context);
            }
            Answer::ChatMessages(Ok(chat_messages)) => {
                self.handle(Event::ChatRead { chat_messages: Some(chat_messages) }, context)
            }
            Answer::ChatMessages(Err(error)) => {
                tracing::error!(room = %self.name, %error, "cannot read the chat messages");
                self.handle(Event::ChatRead { chat_messages: None }, context);
            }
            Answer::ChatStored { number, is_stored } => {
                self.handle(Event::ChatStored { number, is_stored }, context)
            }
            Answer::Encoded(Some(encoded)) => self.handle(Event::Encoded(encoded), context),
            Answer::Encoded(None) => {
                tracing::error!(room = %self.name, "encoding the workbook panicked; the room is reloaded from the journal");
                self.handle(Event::AppendFailed, context);
            }
            Answer::Calculated(Some(calculated)) if calculated.is_superseded => {
                self.calculated(calculated, context);
                self.calculate(context);
            }
            Answer::Calculated(Some(calculated)) if !calculated.is_finished => {
                self.calculated(calculated, context);
                let message = "calculating the formulas of this room takes too long";
                self.readers.reject(ErrorCode::Overloaded, message);
            }
            Answer::Calculated(Some(calculated)) => {
                let (revision, workbook) = (calculated.revision, calculated.workbook());
                let import_sources = match self.readers.want_import_sources() {
                    true => calculated.import_sources(),
                    false => Vec::new(),
                };
                self.calculated(calculated, context);
                let handle = || WorkbookHandle::new(workbook.clone(), &context.workers);
                self.readers.set_values(revision, &import_sources, handle);
                self.serve_readers();
                self.calculate(context);
            }
            Answer::Previews(results) => {
                self.previews.finish(results, context.clock.monotonic_ms());
                self.poll_reads(context);
            }
            Answer::Calculated(None) => {
                self.values.reset();
                self.readers.reject(ErrorCode::Internal, "internal error while calculating the workbook");
            }
        }
    }

    fn read(
        &mut self,
        request: ReadRequest,
        reply: oneshot::Sender<Result<Reading, ApiError>>,
        context: &mut ThreadContext,
    ) {
        if self.room.head() == Revision(0) {
            let _ = reply.send(Err(no_such_room(&self.name)));
            return;
        }
        let workbook = match request {
            ReadRequest::Inputs => Some(self.room.workbook().clone()),
            ReadRequest::Values | ReadRequest::Imports => self.values.ready(),
        };
        let workbook = workbook.map(|workbook| WorkbookHandle::new(workbook, &context.workers));
        let wants_import_sources = request == ReadRequest::Imports;
        let import_sources = match wants_import_sources && workbook.is_some() {
            true => self.values.import_sources(),
            false => Vec::new(),
        };
        let revision = self.room.head();
        self.readers.push(Reader { revision, workbook, wants_import_sources, import_sources, reply });
        self.serve_readers();
        self.calculate(context);
    }

    fn calculated(&mut self, calculated: Calculated, context: &ThreadContext) {
        if let Some(discarded) = self.values.calculated(calculated) {
            drop_on_worker(discarded, context);
        }
    }

    /// Has a worker calculate the document when a reader waits for its values.
    fn calculate(&mut self, context: &mut ThreadContext) {
        if !self.readers.want_values() {
            return;
        }
        let moment = context.clock.now();
        let time_and_seed = EvaluationContext { time_ms: moment.unix_ms, seed: moment.random };
        let is_likely_short = self.values.is_likely_short(self.room.workbook());
        if let Some(calculation) =
            self.values.calculation(self.room.workbook(), self.room.head(), time_and_seed)
        {
            let send = self.answer_sender(context);
            let done = move |calculated| send(Answer::Calculated(calculated));
            context.workers.run_in_slices(is_likely_short, calculation, Calculation::slice, done);
        }
    }

    /// Answers preview requests from the cache, and has a worker make the missing previews.
    fn poll_reads(&mut self, context: &mut ThreadContext) {
        self.previews.serve(self.room.durable());
        let moment = context.clock.now();
        let time_and_seed = EvaluationContext { time_ms: moment.unix_ms, seed: moment.random };
        let (workbook, head) = (self.room.workbook(), self.room.head());
        if let Some(job) = self.previews.job(workbook, head, time_and_seed, moment.monotonic_ms) {
            let send = self.answer_sender(context);
            context.workers.run(move || job.run(), move |results| send(Answer::Previews(results)));
        }
    }

    /// Answers the reads that are ready.
    fn serve_readers(&mut self) {
        let durable = self.room.durable();
        self.previews.serve(durable);
        self.readers.serve(durable, self.sessions.len());
    }

    fn change(
        &mut self,
        change: Change,
        role: Role,
        reply: oneshot::Sender<Result<Changed, ApiError>>,
        context: &mut ThreadContext,
    ) {
        let unique = context.clock.random();
        if let Some(event) = self.request(change, role, reply, unique) {
            self.handle(event, context);
        }
    }

    /// Plans the change and returns it as an event; `None` when it failed and the reply has been
    /// sent.
    fn request(
        &mut self,
        change: Change,
        role: Role,
        reply: oneshot::Sender<Result<Changed, ApiError>>,
        unique: u64,
    ) -> Option<Event> {
        let was_new = self.room.head() == Revision(0);
        let Change { if_missing, expected, author, email, plan, mark, is_import, .. } = change;
        let counter = mark.map_or(Counter(0), |mark| mark.counter);
        let planned = self.check(if_missing, expected, was_new).and_then(|()| {
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
        let change = match is_import {
            true => RoomChange::Import(transaction),
            false => RoomChange::Transaction(transaction),
        };
        Some(Event::Request { token, author, role, email, counter, change })
    }

    /// Fails unless the room exists and is at this revision.
    pub fn check_revision(&self, expected: Revision) -> Result<(), ApiError> {
        self.check(MissingRoom::MustExist, Some(expected), self.room.head() == Revision(0))
    }

    fn check(
        &self,
        if_missing: MissingRoom,
        expected: Option<Revision>,
        was_new: bool,
    ) -> Result<(), ApiError> {
        match if_missing {
            MissingRoom::MustExist if was_new => return Err(no_such_room(&self.name)),
            MissingRoom::MustNotExist if !was_new => {
                return Err(ApiError::new(
                    ErrorCode::RoomExists,
                    format!("the room already exists: {}", self.name),
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

/// Frees a value on a worker, because freeing takes as long as the workbook is large.
fn drop_on_worker(discarded: impl Send + 'static, context: &ThreadContext) {
    context.workers.run_sized(Size::Large, move || drop(discarded), |_| {});
}
