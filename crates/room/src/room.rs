//! The state of a room, and the dispatch of events.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_document::{Document, has_context, has_import_formulas, imports_data, is_time_dependent};
use quadrille_fault_injection::{Fault, is_planted};
use quadrille_journal::Loaded;
use quadrille_operation::Limits;
use quadrille_protocol::{
    CloseReason, DecodeError, Incarnation, Record, RejectCode, ReplicaId, Revision, RoomName, RoomSnapshot,
    ServerFrame, SessionId, Submitted, TimeAndSeed,
};
use quadrille_workbook::Workbook;

use crate::chat::ChatLog;
use crate::content::Content;
use crate::edit_permission::editor_identity;
use crate::effect::{Discarded, Effect, FramePriority};
use crate::event::{Event, Moment, Token};
use crate::followers::Followers;
use crate::limits::{Bounds, REQUEST_CELLS_MAX, REQUEST_OPERATIONS_MAX};
use crate::people::People;
use crate::recent_records::{Entry, RecentRecords};
use crate::session::{DeliveryIndex, Session};
use crate::snapshot_schedule::SnapshotSchedule;
use crate::volatile::Volatile;

/// A live workbook with its sessions: orders all transactions and distributes them.
///
/// Memory is ahead of the journal by the records being appended; none of these is sent to anyone
/// before it is durable (`P5`).
pub struct Room {
    pub(crate) name: RoomName,
    pub(crate) incarnation: Incarnation,
    pub(crate) limits: Limits,
    /// Limits of changes from outside any session, such as an imported file.
    pub(crate) request_limits: Limits,
    pub(crate) bounds: Bounds,
    pub(crate) content: Content,
    /// The newest revision; `content` is the workbook at this revision.
    pub(crate) head: Revision,
    /// The newest revision that is durable and has been broadcast.
    pub(crate) durable: Revision,
    pub(crate) ring: RecentRecords,
    /// The evaluation context of the newest record.
    pub(crate) last_context: TimeAndSeed,
    /// The last recorded transaction of each replica, to recognize resends (`P7`).
    pub(crate) submitted: BTreeMap<ReplicaId, Submitted>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) deliveries: DeliveryIndex,
    /// The current session of each replica.
    pub(crate) replica_sessions: BTreeMap<ReplicaId, SessionId>,
    /// Requests that wait for their revision to become durable.
    pub(crate) requests: BTreeMap<Revision, Vec<Token>>,
    pub(crate) people: People,
    pub(crate) chat: ChatLog,
    pub(crate) followers: Followers,
    pub(crate) snapshots: SnapshotSchedule,
    pub(crate) volatile: Volatile,
    /// Whether some formula imports data. Stays `true` when that formula is deleted, as
    /// `Volatile::has_volatile_formulas` does.
    pub(crate) has_imports: bool,
    pub(crate) counts: Counts,
    pub(crate) is_stopped: bool,
}

/// Counters of a room since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Transactions recorded.
    pub transactions: u64,
    /// Operations in those transactions.
    pub operations: u64,
    /// Transactions that were rebased over others.
    pub rebased: u64,
    /// Transactions received again after they had been recorded.
    pub duplicates: u64,
    /// Transactions rejected.
    pub rejected: u64,
    /// Frames that could not be decoded.
    pub bad_frames: u64,
    /// Sessions that resumed from records.
    pub resumed_by_tail: u64,
    /// Sessions that resumed from a snapshot.
    pub resumed_by_snapshot: u64,
    /// Times a session missed a broadcast because its outgoing queue was full.
    pub missed: u64,
    /// Digests sent.
    pub digests: u64,
    /// Digests in which a replica differed.
    pub digest_mismatches: u64,
    /// Records that only bring a new evaluation context.
    pub ticks: u64,
}

/// Why a room cannot be opened. Opening never changes the journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpenError {
    /// The snapshot cannot be decoded.
    SnapshotUnreadable { revision: Revision, error: DecodeError },
    /// A record cannot be decoded.
    RecordUnreadable { revision: Revision, error: DecodeError },
    /// Records are missing, or do not continue after the snapshot.
    Gap { expected: Revision, found: Revision },
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenError::SnapshotUnreadable { revision, error } => {
                write!(f, "snapshot at revision {revision} cannot be read: {error}")
            }
            OpenError::RecordUnreadable { revision, error } => {
                write!(f, "record of revision {revision} cannot be read: {error}")
            }
            OpenError::Gap { expected, found } => {
                write!(f, "records are missing: expected revision {expected}, found {found}")
            }
        }
    }
}

impl std::error::Error for OpenError {}

impl Room {
    /// Restores a room from its newest snapshot and the records after it. Without either, the room
    /// is empty.
    ///
    /// # Errors
    ///
    /// Fails when the snapshot or a record cannot be decoded, or when a revision is missing.
    pub fn open(
        name: RoomName,
        incarnation: Incarnation,
        loaded: &Loaded,
        limits: Limits,
    ) -> Result<Room, OpenError> {
        let mut head = Revision(0);
        let mut last_context = TimeAndSeed::default();
        let mut submitted = BTreeMap::new();
        let mut workbook = Workbook::new();
        if let Some(stored) = &loaded.snapshot {
            let revision = stored.revision;
            let snapshot = RoomSnapshot::decode(&stored.bytes)
                .map_err(|error| OpenError::SnapshotUnreadable { revision, error })?;
            if snapshot.revision != revision {
                return Err(OpenError::Gap { expected: revision, found: snapshot.revision });
            }
            head = revision;
            last_context = snapshot.time_and_seed;
            submitted = snapshot.submitted.into_iter().collect();
            workbook = snapshot.workbook;
        }
        let volatile = Volatile::new(is_time_dependent(&workbook));
        let has_imports = has_import_formulas(&workbook);
        let mut room = Room {
            name,
            incarnation,
            request_limits: Limits {
                operations_per_transaction: REQUEST_OPERATIONS_MAX,
                cells_per_transaction: REQUEST_CELLS_MAX,
                ..limits.clone()
            },
            limits,
            bounds: Bounds::default(),
            content: Content::new(workbook, last_context),
            head,
            durable: head,
            ring: RecentRecords::new(head),
            last_context,
            submitted,
            sessions: BTreeMap::new(),
            deliveries: DeliveryIndex::default(),
            replica_sessions: BTreeMap::new(),
            requests: BTreeMap::new(),
            people: People::default(),
            chat: ChatLog::default(),
            followers: Followers::default(),
            snapshots: SnapshotSchedule::after(
                loaded.snapshot.as_ref().map_or(0, |stored| stored.bytes.len()),
            ),
            volatile,
            has_imports,
            counts: Counts::default(),
            is_stopped: false,
        };
        for stored in &loaded.records {
            let revision = stored.revision;
            let record = Record::decode(&stored.bytes)
                .map_err(|error| OpenError::RecordUnreadable { revision, error })?;
            if record.revision != room.head.next() {
                return Err(OpenError::Gap { expected: room.head.next(), found: record.revision });
            }
            room.apply_record(record, stored.bytes.clone());
        }
        if is_planted(Fault::TakeoverForgetsCounters) {
            room.submitted.clear();
        }
        room.durable = room.head;
        room.ring.trim(&room.bounds, room.durable);
        room.snapshots.discard_digest_candidate();
        Ok(room)
    }

    /// Replaces the limits of memory and snapshots.
    pub fn set_bounds(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    /// Handles one event and returns the effects to be carried out, in their order. A stopped room
    /// returns none.
    pub fn handle(&mut self, moment: Moment, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.is_stopped {
            return effects;
        }
        self.snapshots.now_ms = moment.monotonic_ms;
        match event {
            Event::Connect { session, role, author, email, picture } => {
                let connected = Session { role, author, email, picture, member: None, bad_frames: 0 };
                self.connect(session, connected, &mut effects)
            }
            Event::SetRole { session, role } => self.set_role(session, role, &mut effects),
            Event::CredentialsEnded { session } => self.end_credentials(session, &mut effects),
            Event::AccessRequested => self.access_requested(&mut effects),
            Event::Frame { session, bytes } => self.frame(moment, session, &bytes, &mut effects),
            Event::Disconnect { session } => self.leave(session),
            Event::Missed { session, from } => self.missed(session, from),
            Event::Drained { session } => self.drained(moment, session, &mut effects),
            Event::Request { token, author, role, email, counter, change } => {
                let editor = editor_identity(role, &author, email);
                self.request(moment, (token, counter), author, (role, &editor), change, &mut effects)
            }
            Event::Durable { up_to } => self.publish(moment, up_to, &mut effects),
            Event::AppendFailed => self.stop(CloseReason::RoomStopped, &mut effects),
            Event::Tail { session, after, records } => {
                self.tail(moment, session, after, records, &mut effects)
            }
            Event::Encoded(encoded) => self.encoded(moment, encoded, &mut effects),
            Event::Chat { token, role, chat } => self.submit_chat(moment, token, role, chat, &mut effects),
            Event::ChatRead { chat_messages } => self.chat_read(moment, chat_messages, &mut effects),
            Event::ChatStored { number, is_stored } => self.chat_stored(number, is_stored, &mut effects),
            Event::SetVolatileInterval { ms } => self.volatile.every_ms = ms,
            Event::PrepareUnload => self.prepare_unload(moment, &mut effects),
            Event::Tick => self.tick(moment, &mut effects),
            Event::Close(reason) => self.stop(reason, &mut effects),
        }
        let large = self.ring.trim(&self.bounds, self.durable);
        if !large.is_empty() {
            effects.push(Effect::Discard(Discarded { _entries: large }));
        }
        effects
    }

    /// Returns the name of the room.
    pub fn name(&self) -> &RoomName {
        &self.name
    }

    /// Returns the newest revision, which may not be durable yet.
    pub fn head(&self) -> Revision {
        self.head
    }

    /// Returns the newest durable revision.
    pub fn durable(&self) -> Revision {
        self.durable
    }

    /// Returns the time of the newest record, in milliseconds since 1970-01-01 UTC.
    pub fn changed_ms(&self) -> i64 {
        self.last_context.time_ms
    }

    /// Returns the workbook at [`head`](Self::head), with inputs only. Cloning it is O(1).
    pub fn workbook(&self) -> &Workbook {
        self.content.workbook()
    }

    /// Returns the document at [`head`](Self::head). The first call creates it, in time
    /// proportional to the workbook; from then on it follows every transaction. Values are not
    /// calculated until the caller evaluates the document.
    pub fn document(&mut self) -> &mut Document {
        self.content.document()
    }

    /// Frees the memory of the document created by [`document`](Self::document).
    pub fn discard_values(&mut self) {
        self.content.discard_values(self.last_context);
    }

    /// Returns the counters since the room was opened.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether some formula imports data, or did so since the room was opened.
    pub fn has_imports(&self) -> bool {
        self.has_imports
    }

    /// Returns the number of connected sessions.
    pub fn session_count(&self) -> usize {
        self.sessions.len()
    }

    /// Whether the room can be dropped from memory: it has no sessions, and nothing waits for
    /// storage.
    pub fn is_idle(&self) -> bool {
        let is_waiting = self.snapshots.is_storing() || self.chat.is_waiting();
        let is_unused = self.sessions.is_empty() && self.requests.is_empty() && !is_waiting;
        self.is_stopped || is_unused && self.durable == self.head
    }

    /// Whether a snapshot that [`Event::PrepareUnload`] asked for is not yet with storage.
    pub fn is_storing(&self) -> bool {
        !self.is_stopped && self.snapshots.is_storing()
    }

    /// Applies a record as the next revision: to the workbook, the counters of replicas and the
    /// ring.
    pub(crate) fn apply_record(&mut self, record: Record, bytes: Arc<[u8]>) {
        debug_assert_eq!(record.revision, self.head.next());
        self.head = record.revision;
        self.last_context = record.time_and_seed;
        self.content.apply(&record.transaction, record.time_and_seed);
        self.volatile.has_volatile_formulas =
            self.volatile.has_volatile_formulas || has_context(&record.transaction);
        self.has_imports = self.has_imports || imports_data(&record.transaction);
        if record.replica != ReplicaId::SERVER {
            self.remember_submitted(
                record.replica,
                Submitted { counter: record.counter, revision: record.revision },
            );
        }
        self.snapshots.count(bytes.len());
        self.snapshots.consider_for_digest(record.revision, record.time_and_seed, self.content.workbook());
        self.ring.push(Entry {
            revision: record.revision,
            replica: record.replica,
            counter: record.counter,
            bytes,
            transaction: Arc::new(record.transaction),
        });
    }

    fn remember_submitted(&mut self, replica: ReplicaId, submitted: Submitted) {
        self.submitted.insert(replica, submitted);
        if self.submitted.len() > crate::limits::REPLICAS_REMEMBERED_MAX {
            let oldest = self.submitted.iter().min_by_key(|(_, submitted)| submitted.revision);
            let oldest = oldest.map(|(replica, _)| *replica);
            self.submitted.remove(&oldest.expect("there are more replicas than the limit"));
        }
    }

    /// Returns the evaluation context of the next record. The server's clock may be set back; the
    /// time of a room's records never decreases.
    pub(crate) fn time_and_seed(&self, moment: Moment) -> TimeAndSeed {
        let no_earlier_than =
            if is_planted(Fault::TimestampsNotMonotonic) { i64::MIN } else { self.last_context.time_ms };
        TimeAndSeed { time_ms: moment.unix_ms.max(no_earlier_than), seed: moment.random }
    }

    /// Broadcasts the records up to `up_to`, which have become durable, and answers their requests.
    pub(crate) fn publish(&mut self, moment: Moment, up_to: Revision, effects: &mut Vec<Effect>) {
        let up_to = up_to.min(self.head);
        if up_to <= self.durable {
            return;
        }
        let from = self.durable.next();
        let entries: Vec<&Entry> =
            self.ring.after(self.durable).expect("the ring keeps unpublished records").collect();
        let count = (up_to.0 - self.durable.0) as usize;
        for entry in &entries[..count] {
            let session = self.replica_sessions.get(&entry.replica);
            if let Some(member) = session.and_then(|id| self.sessions.get_mut(id)?.member.as_mut()) {
                member.undurable = member.undurable.saturating_sub(1);
            }
        }
        let records: Vec<Arc<[u8]>> = entries[..count].iter().map(|entry| entry.bytes.clone()).collect();
        if self.deliveries.has_subscribers() {
            let frame = ServerFrame::Records { records }.encode().into();
            effects.push(Effect::Broadcast { frame, priority: FramePriority::Ordered, from });
        }
        self.durable = up_to;
        let still_waiting = self.requests.split_off(&up_to.next());
        for (revision, tokens) in std::mem::replace(&mut self.requests, still_waiting) {
            effects.extend(tokens.into_iter().map(|token| Effect::RequestCommitted { token, revision }));
        }
        self.store_snapshot(effects);
        self.broadcast_digest(effects);
        self.serve_snapshot(moment, effects);
        self.start_snapshot_if_due(moment, effects);
    }

    fn stop(&mut self, reason: CloseReason, effects: &mut Vec<Effect>) {
        self.is_stopped = true;
        for session in std::mem::take(&mut self.sessions).into_keys() {
            effects.push(Effect::Close { session, reason });
        }
        for token in std::mem::take(&mut self.requests).into_values().flatten() {
            let message = "the room stopped before the change was stored".to_owned();
            effects.push(Effect::RequestRejected { token, code: RejectCode::ReadOnly, message });
        }
        effects.push(Effect::Stopped);
    }
}
