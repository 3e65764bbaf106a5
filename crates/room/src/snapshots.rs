//! Snapshots: taken in no time, made into bytes elsewhere, shared by all who join, kept in storage now and
//! then, and hashed so that replicas can compare.

use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::{
    CloseReason, Counter, ReplicaId, Revision, ServerFrame, SessionId, TimeAndSeed, limits::DIGEST_EVERY,
};
use quadrille_workbook::Workbook;

use crate::event::{Effect, EncodeJob, Encoded, FramePriority, Moment};
use crate::limits::{Bounds, SNAPSHOT_BYTES_PER_RECORD, SNAPSHOT_TTL_MS, SNAPSHOT_WORTH_BYTES};
use crate::room::Room;

#[derive(Default)]
pub(crate) struct Snapshots {
    /// The newest that was encoded, as frames.
    cached: Option<Cached>,
    /// The revision of a job that is running, and when it was asked for.
    running: Option<(Revision, u64)>,
    /// Before this no job is begun that nobody waits for.
    rests_until_ms: u64,
    /// As of the last event.
    pub now_ms: u64,
    bytes_since_stored: usize,
    records_since_stored: u64,
    /// When the first of those records was seen to be there.
    waiting_since_ms: Option<u64>,
    /// The room rests: a last snapshot is worth less than otherwise.
    is_resting: bool,
    bytes_since_digest: usize,
    /// Size of the last one, for deciding when the next is worth its cost.
    bytes_last: usize,
    /// Stated as soon as its revision is durable, and kept for answering replicas that differ.
    digest: Option<(Revision, u64)>,
    digest_stated: Revision,
    /// The workbook at a revision whose digest is to be stated.
    to_hash: Option<(Revision, TimeAndSeed, Workbook)>,
    /// Waits for its revision to be durable: a snapshot must never be ahead of the journal.
    to_store: Option<(Revision, Arc<[u8]>)>,
}

struct Cached {
    revision: Revision,
    frames: Vec<Arc<[u8]>>,
    used_ms: u64,
}

impl Snapshots {
    /// Of a room that was brought back from a snapshot of so many bytes.
    pub fn after(stored_bytes: usize) -> Snapshots {
        Snapshots { bytes_last: stored_bytes, ..Snapshots::default() }
    }

    pub fn count(&mut self, bytes: usize) {
        self.bytes_since_stored += bytes;
        self.bytes_since_digest += bytes;
        self.records_since_stored += 1;
    }

    /// Keeps the workbook as it is at this revision, if replicas will have kept theirs and hashing is due:
    /// it costs what the workbook is big, so it waits for as much change.
    pub fn keep_for_digest(&mut self, revision: Revision, time_and_seed: TimeAndSeed, workbook: &Workbook) {
        let is_worth_it = self.bytes_since_digest >= self.bytes_last / 4 && !self.rests();
        let is_due = self.to_hash.is_none() && self.running.is_none() && is_worth_it;
        if is_due && revision.0.is_multiple_of(DIGEST_EVERY) {
            self.to_hash = Some((revision, time_and_seed, workbook.clone()));
        }
    }

    /// What replay kept is of no use: nobody was there.
    pub fn forget_kept(&mut self) {
        self.to_hash = None;
    }

    pub fn next_tick_ms(&self, bounds: &Bounds) -> Option<u64> {
        let forgets = self.cached.as_ref().map(|cached| cached.used_ms + SNAPSHOT_TTL_MS);
        let may_store =
            self.running.is_none() && bounds.snapshot_after_ms > 0 && self.is_worth_storing(bounds);
        let stores = self.waiting_since_ms.filter(|_| may_store).map(|ms| ms + bounds.snapshot_after_ms);
        [forgets, stores].into_iter().flatten().min()
    }

    /// Somebody is here: the room does not rest any more.
    pub fn wakes(&mut self) {
        self.is_resting = false;
    }

    /// Whether a job is running whose snapshot is to be stored, or one waits for the disk.
    pub fn is_storing(&self) -> bool {
        self.is_resting && self.running.is_some() || self.to_store.is_some()
    }

    pub fn tick(&mut self, moment: Moment) {
        let is_old = |cached: &Cached| cached.used_ms + SNAPSHOT_TTL_MS <= moment.monotonic_ms;
        if self.cached.as_ref().is_some_and(is_old) {
            self.cached = None;
        }
    }

    fn is_store_due(&self, bounds: &Bounds) -> bool {
        let has_waited = |since: u64| since + bounds.snapshot_after_ms <= self.now_ms;
        let is_time = bounds.snapshot_after_ms > 0 && self.waiting_since_ms.is_some_and(has_waited);
        let mut records = bounds.snapshot_after_records;
        if bounds.snapshot_rest > 0 {
            records = records.max((self.bytes_last / SNAPSHOT_BYTES_PER_RECORD) as u64);
        }
        let is_much = self.bytes_since_stored >= bounds.snapshot_after_bytes.max(self.bytes_last)
            || self.records_since_stored >= records;
        is_much && !self.rests() || (is_time || self.is_resting) && self.is_worth_storing(bounds)
    }

    fn rests(&self) -> bool {
        self.now_ms < self.rests_until_ms
    }

    /// Whether reading a snapshot would be quicker than replaying what has no snapshot yet.
    fn is_worth_storing(&self, bounds: &Bounds) -> bool {
        self.records_since_stored >= bounds.snapshot_worth_records
            || self.bytes_since_stored >= SNAPSHOT_WORTH_BYTES.max(self.bytes_last / 4)
    }
}

impl Room {
    /// Starts encoding when somebody waits for a snapshot, or one is due for storage or for its digest.
    pub(crate) fn want_snapshots(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        if self.snapshots.records_since_stored > 0 {
            self.snapshots.waiting_since_ms.get_or_insert(moment.monotonic_ms);
        }
        if self.snapshots.running.is_some() {
            return;
        }
        // One that is only waiting for the disk will do; another would have to wait longer.
        let is_coming = self.snapshots.cached.as_ref().is_some_and(|cached| cached.revision > self.durable);
        let is_awaited = !is_coming && self.is_snapshot_awaited();
        let store = self.snapshots.is_store_due(&self.bounds);
        let (revision, time_and_seed, workbook) = if is_awaited || store {
            (self.head, self.last_context, self.content.workbook().clone())
        } else {
            match self.snapshots.to_hash.take() {
                Some(kept) => kept,
                None => return,
            }
        };
        if store {
            (self.snapshots.bytes_since_stored, self.snapshots.records_since_stored) = (0, 0);
            self.snapshots.waiting_since_ms = None;
        }
        self.snapshots.running = Some((revision, self.snapshots.now_ms));
        let submitted = store.then(|| match is_planted(Fault::SnapshotForgetsCounters) {
            true => Default::default(),
            false => self.submitted.clone(),
        });
        effects.push(Effect::Encode(EncodeJob { revision, time_and_seed, workbook, submitted }));
    }

    fn is_snapshot_awaited(&self) -> bool {
        !self.waits.for_snapshot().is_empty()
    }

    pub(crate) fn encoded(&mut self, moment: Moment, encoded: Encoded, effects: &mut Vec<Effect>) {
        let Encoded { revision, digest, length, frames, stored } = encoded;
        let began_ms = match self.snapshots.running {
            Some((running, began_ms)) if running == revision => began_ms,
            _ => return,
        };
        self.snapshots.running = None;
        let took_ms = moment.monotonic_ms.saturating_sub(began_ms);
        self.snapshots.rests_until_ms = moment.monotonic_ms + took_ms * self.bounds.snapshot_rest;
        self.snapshots.bytes_last = length;
        self.snapshots.bytes_since_digest = 0;
        self.snapshots.digest = Some((revision, digest));
        self.snapshots.to_store = stored.map(|bytes| (revision, bytes)).or(self.snapshots.to_store.take());
        if self.is_snapshot_awaited() {
            self.snapshots.cached = Some(Cached { revision, frames, used_ms: moment.monotonic_ms });
        }
        self.store_snapshot(effects);
        self.state_digest(effects);
        self.serve_snapshot(moment, effects);
        self.want_snapshots(moment, effects);
    }

    /// Nobody is here: what would make the next opening slow goes into a snapshot now.
    pub(crate) fn rest(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        self.snapshots.is_resting = true;
        self.want_snapshots(moment, effects);
    }

    /// Hands the newest snapshot to storage, once storage has the records that led to it.
    pub(crate) fn store_snapshot(&mut self, effects: &mut Vec<Effect>) {
        if let Some((revision, bytes)) =
            self.snapshots.to_store.take_if(|(revision, _)| *revision <= self.durable)
        {
            effects.push(Effect::PutSnapshot { revision, bytes });
        }
    }

    /// Gives the cached snapshot to everyone who waits for one, if it is durable and the ring goes on from it.
    pub(crate) fn serve_snapshot(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        let Some(cached) = &mut self.snapshots.cached else { return };
        if cached.revision > self.durable && !is_planted(Fault::SnapshotSentEarly) {
            return;
        }
        if !self.ring.knows(cached.revision) {
            self.snapshots.cached = None;
            return;
        }
        let waiting: Vec<SessionId> = self.waits.for_snapshot().iter().copied().collect();
        if waiting.is_empty() {
            return;
        }
        cached.used_ms = moment.monotonic_ms;
        let (revision, frames) = (cached.revision, cached.frames.clone());
        for session in waiting {
            let replica = self.member(session).expect("listed above").replica;
            let confirmed = self.confirmed_at(replica, revision);
            let head = ServerFrame::Resync { revision, confirmed }.encode().into();
            effects.push(Effect::Send { session, frame: head, lane: FramePriority::Ordered });
            for frame in &frames {
                effects.push(Effect::Send { session, frame: frame.clone(), lane: FramePriority::Snapshot });
            }
            self.member(session).expect("listed above").sent = revision;
            self.subscribe(session, effects);
        }
    }

    /// The last transaction of a replica in the document at `revision`, which the ring must know.
    pub(crate) fn confirmed_at(&self, replica: ReplicaId, revision: Revision) -> Counter {
        let Some(last) = self.submitted.get(&replica) else { return Counter(0) };
        let later = self.ring.after(revision).expect("the caller checked that the ring knows it");
        let first_later = later.filter(|entry| entry.replica == replica).map(|entry| entry.counter).next();
        first_later.map_or(last.counter, |counter| Counter(counter.0.saturating_sub(1)))
    }

    /// Tells everyone what the document hashes to, once that revision is durable.
    pub(crate) fn state_digest(&mut self, effects: &mut Vec<Effect>) {
        let Some((revision, digest)) = self.snapshots.digest else { return };
        let is_comparable = revision.0.is_multiple_of(DIGEST_EVERY) && revision.0 > 0;
        if revision > self.durable || revision <= self.snapshots.digest_stated || !is_comparable {
            return;
        }
        self.snapshots.digest_stated = revision;
        self.counts.digests += 1;
        let frame = ServerFrame::Digest { revision, digest }.encode().into();
        effects.push(Effect::Broadcast { frame, lane: FramePriority::Presence, from: revision });
    }

    pub(crate) fn digest_differs(
        &mut self,
        moment: Moment,
        session: SessionId,
        revision: Revision,
        replica: u64,
        effects: &mut Vec<Effect>,
    ) {
        if revision > self.snapshots.digest_stated {
            return self.close(session, CloseReason::BadFrame, effects);
        }
        let room = self.snapshots.digest.filter(|(stated, _)| *stated == revision).map(|(_, digest)| digest);
        self.counts.digest_mismatches += 1;
        effects.push(Effect::DigestMismatch { session, revision, room, replica });
        self.send_snapshot(moment, session, effects);
    }

    pub(crate) fn tick(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        self.snapshots.tick(moment);
        self.want_snapshots(moment, effects);
        self.report_people(moment, effects);
        self.refresh_context(moment, effects);
    }
}
