//! The room: its state, and which event goes where.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_document::{Document, has_context, is_time_dependent};
use quadrille_fault_injection::{Fault, is_planted};
use quadrille_journal::Loaded;
use quadrille_operation::Limits;
use quadrille_protocol::{
    CloseReason, DecodeError, Incarnation, Record, RejectCode, ReplicaId, Revision, RoomName, RoomSnapshot,
    ServerFrame, SessionId, Submitted, TimeAndSeed,
};
use quadrille_workbook::Workbook;

use crate::chat::Chat;
use crate::content::Content;
use crate::event::{Discarded, Effect, Event, FramePriority, Moment, Token};
use crate::following::Following;
use crate::limits::{Bounds, REQUEST_CELLS_MAX, REQUEST_OPERATIONS_MAX};
use crate::people::People;
use crate::recent_records::{Entry, RecentRecords};
use crate::session::{Session, Waits};
use crate::snapshots::Snapshots;
use crate::volatile::Volatile;

/// A live workbook with its sessions: gives every transaction its place, and tells everyone.
///
/// Memory runs ahead of the journal by what is being appended; nothing of that is sent to anyone (P5).
pub struct Room {
    pub(crate) name: RoomName,
    pub(crate) incarnation: Incarnation,
    pub(crate) limits: Limits,
    /// Of changes from outside sessions: an imported file is one.
    pub(crate) request_limits: Limits,
    pub(crate) bounds: Bounds,
    pub(crate) content: Content,
    /// The last revision that has a place; `content` is the workbook there.
    pub(crate) head: Revision,
    /// Up to here everything is on the disk and has been broadcast.
    pub(crate) durable: Revision,
    pub(crate) ring: RecentRecords,
    pub(crate) last_context: TimeAndSeed,
    pub(crate) submitted: BTreeMap<ReplicaId, Submitted>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) waits: Waits,
    /// Which session speaks for a replica.
    pub(crate) speakers: BTreeMap<ReplicaId, SessionId>,
    /// Requests that wait for their revision to be durable.
    pub(crate) requests: BTreeMap<Revision, Vec<Token>>,
    pub(crate) people: People,
    pub(crate) chat: Chat,
    pub(crate) following: Following,
    pub(crate) snapshots: Snapshots,
    pub(crate) volatile: Volatile,
    pub(crate) counts: Counts,
    pub(crate) is_stopped: bool,
}

/// What a room has counted since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub transactions: u64,
    /// In those transactions.
    pub operations: u64,
    /// Transactions that had to be rebased over others.
    pub rebased: u64,
    /// Resends of what the room had already.
    pub duplicates: u64,
    pub rejected: u64,
    pub bad_frames: u64,
    pub resumed_by_tail: u64,
    pub resumed_by_snapshot: u64,
    pub missed: u64,
    pub digests: u64,
    pub digest_mismatches: u64,
    /// Records that only stamp the document anew.
    pub ticks: u64,
}

/// Why a room cannot be opened. The journal is left as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpenError {
    SnapshotUnreadable {
        revision: Revision,
        error: DecodeError,
    },
    RecordUnreadable {
        revision: Revision,
        error: DecodeError,
    },
    /// Records are missing, or are not those the snapshot asks for.
    Gap {
        expected: Revision,
        found: Revision,
    },
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
    /// Brings a room back from its newest snapshot and the records after it; from neither, it is empty.
    pub fn open(
        name: RoomName,
        incarnation: Incarnation,
        loaded: &Loaded,
        limits: Limits,
    ) -> Result<Room, OpenError> {
        let mut head = Revision(0);
        let mut last_stamp = TimeAndSeed::default();
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
            last_stamp = snapshot.time_and_seed;
            submitted = snapshot.submitted.into_iter().collect();
            workbook = snapshot.workbook;
        }
        let volatile = Volatile::new(is_time_dependent(&workbook));
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
            content: Content::new(workbook, last_stamp),
            head,
            durable: head,
            ring: RecentRecords::new(head),
            last_context: last_stamp,
            submitted,
            sessions: BTreeMap::new(),
            waits: Waits::default(),
            speakers: BTreeMap::new(),
            requests: BTreeMap::new(),
            people: People::default(),
            chat: Chat::default(),
            following: Following::default(),
            snapshots: Snapshots::after(loaded.snapshot.as_ref().map_or(0, |stored| stored.bytes.len())),
            volatile,
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
            room.place(record, stored.bytes.clone());
        }
        room.durable = room.head;
        room.ring.trim(&room.bounds, room.durable);
        room.snapshots.forget_kept();
        Ok(room)
    }

    /// Replaces the bounds of memory and snapshots; for simulations.
    pub fn set_bounds(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    pub fn handle(&mut self, moment: Moment, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.is_stopped {
            return effects;
        }
        self.snapshots.now_ms = moment.monotonic_ms;
        match event {
            Event::Connect { session, role, account } => self.connect(session, role, account, &mut effects),
            Event::Frame { session, bytes } => self.frame(moment, session, &bytes, &mut effects),
            Event::Disconnect { session } => self.leave(session),
            Event::Missed { session, from } => self.missed(session, from),
            Event::Drained { session } => self.drained(moment, session, &mut effects),
            Event::Request { token, author, role, change } => {
                self.request(moment, token, author, role, change, &mut effects)
            }
            Event::Durable { up_to } => self.publish(moment, up_to, &mut effects),
            Event::AppendFailed => self.stop(CloseReason::RoomStopped, &mut effects),
            Event::Tail { session, after, records } => {
                self.tail(moment, session, after, records, &mut effects)
            }
            Event::Encoded(encoded) => self.encoded(moment, encoded, &mut effects),
            Event::Chat { token, role, chat } => self.submit_chat(moment, token, role, chat, &mut effects),
            Event::ChatRead { chat_messages } => self.chat_read(moment, chat_messages, &mut effects),
            Event::Said { number, is_stored } => self.said(number, is_stored, &mut effects),
            Event::VolatileEvery { ms } => self.volatile.every_ms = ms,
            Event::Rest => self.rest(moment, &mut effects),
            Event::Tick => self.tick(moment, &mut effects),
            Event::Close(reason) => self.stop(reason, &mut effects),
        }
        let long = self.ring.trim(&self.bounds, self.durable);
        if !long.is_empty() {
            effects.push(Effect::Discard(Discarded { _entries: long }));
        }
        effects
    }

    /// When `Event::Tick` is wanted next, on the monotonic clock; `None` while nothing waits for time.
    pub fn next_tick_ms(&self) -> Option<u64> {
        let next =
            [self.people.next_tick_ms(), self.snapshots.next_tick_ms(&self.bounds), self.next_timestamp_ms()];
        next.into_iter().flatten().min()
    }

    pub fn name(&self) -> &RoomName {
        &self.name
    }

    /// The last revision with a place, maybe not durable yet.
    pub fn head(&self) -> Revision {
        self.head
    }

    pub fn durable(&self) -> Revision {
        self.durable
    }

    /// Inputs as of [`head`](Self::head); clone it to keep it.
    pub fn workbook(&self) -> &Workbook {
        self.content.workbook()
    }

    /// The document with its values, as of [`head`](Self::head). The first call makes it, at the cost of the
    /// sheet; from then on it is kept up to date. Not calculated until the caller evaluates it.
    pub fn document(&mut self) -> &mut Document {
        self.content.document()
    }

    /// Gives back the memory of what [`document`](Self::document) made.
    pub fn forget_values(&mut self) {
        self.content.forget_values(self.last_context);
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    pub fn session_count(&self) -> usize {
        self.sessions.len()
    }

    /// Whether the room can be dropped from memory without anyone noticing.
    pub fn is_idle(&self) -> bool {
        let is_waiting = self.snapshots.is_storing() || self.chat.is_waiting();
        let is_unused = self.sessions.is_empty() && self.requests.is_empty() && !is_waiting;
        self.is_stopped || is_unused && self.durable == self.head
    }

    /// Whether a snapshot is on its way to storage that [`Event::Rest`] has asked for.
    pub fn is_storing(&self) -> bool {
        !self.is_stopped && self.snapshots.is_storing()
    }

    /// Takes a record as the room's next: into the workbook, the table of resends and the ring.
    pub(crate) fn place(&mut self, record: Record, bytes: Arc<[u8]>) {
        debug_assert_eq!(record.revision, self.head.next());
        self.head = record.revision;
        self.last_context = record.time_and_seed;
        self.content.apply(&record.transaction, record.time_and_seed);
        self.volatile.is_shown = self.volatile.is_shown || has_context(&record.transaction);
        if record.replica != ReplicaId::SERVER {
            self.remember(record.replica, Submitted { counter: record.counter, revision: record.revision });
        }
        self.snapshots.count(bytes.len());
        self.snapshots.keep_for_digest(record.revision, record.time_and_seed, self.content.workbook());
        self.ring.push(Entry {
            revision: record.revision,
            replica: record.replica,
            counter: record.counter,
            bytes,
            transaction: Arc::new(record.transaction),
        });
    }

    fn remember(&mut self, replica: ReplicaId, submitted: Submitted) {
        self.submitted.insert(replica, submitted);
        if self.submitted.len() > crate::limits::REPLICAS_REMEMBERED_MAX {
            let silent_longest = self.submitted.iter().min_by_key(|(_, submitted)| submitted.revision);
            let silent_longest = silent_longest.map(|(replica, _)| *replica);
            self.submitted.remove(&silent_longest.expect("there are more than the bound"));
        }
    }

    /// The server's clock may be set back; a room's time never goes back.
    pub(crate) fn time_and_seed(&self, moment: Moment) -> TimeAndSeed {
        let no_earlier_than =
            if is_planted(Fault::ClockGoesBack) { i64::MIN } else { self.last_context.time_ms };
        TimeAndSeed { time_ms: moment.unix_ms.max(no_earlier_than), seed: moment.random }
    }

    /// Everything up to `up_to` is on the disk: it goes out.
    pub(crate) fn publish(&mut self, moment: Moment, up_to: Revision, effects: &mut Vec<Effect>) {
        let up_to = up_to.min(self.head);
        if up_to <= self.durable {
            return;
        }
        let from = self.durable.next();
        let entries: Vec<&Entry> =
            self.ring.after(self.durable).expect("the ring keeps what is not published").collect();
        let count = (up_to.0 - self.durable.0) as usize;
        for entry in &entries[..count] {
            let session = self.speakers.get(&entry.replica);
            if let Some(member) = session.and_then(|id| self.sessions.get_mut(id)?.member.as_mut()) {
                member.undurable = member.undurable.saturating_sub(1);
            }
        }
        let records: Vec<Arc<[u8]>> = entries[..count].iter().map(|entry| entry.bytes.clone()).collect();
        if self.waits.anyone_listens() {
            let frame = ServerFrame::Records { records }.encode().into();
            effects.push(Effect::Broadcast { frame, lane: FramePriority::Ordered, from });
        }
        self.durable = up_to;
        let still_waiting = self.requests.split_off(&up_to.next());
        for (revision, tokens) in std::mem::replace(&mut self.requests, still_waiting) {
            effects.extend(tokens.into_iter().map(|token| Effect::Done { token, revision }));
        }
        self.store_snapshot(effects);
        self.state_digest(effects);
        self.serve_snapshot(moment, effects);
        self.want_snapshots(moment, effects);
    }

    fn stop(&mut self, reason: CloseReason, effects: &mut Vec<Effect>) {
        self.is_stopped = true;
        for session in std::mem::take(&mut self.sessions).into_keys() {
            effects.push(Effect::Close { session, reason });
        }
        for token in std::mem::take(&mut self.requests).into_values().flatten() {
            let message = "the room stopped before the change was stored".to_owned();
            effects.push(Effect::Refused { token, code: RejectCode::ReadOnly, message });
        }
        effects.push(Effect::Stopped);
    }
}
