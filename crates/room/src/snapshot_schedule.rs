//! When a snapshot of the room is encoded, cached, stored or hashed.

use std::sync::Arc;

use quadrille_protocol::{Revision, TimeAndSeed, limits::DIGEST_EVERY};
use quadrille_workbook::Workbook;

use crate::event::Moment;
use crate::limits::{Bounds, SNAPSHOT_BYTES_PER_RECORD, SNAPSHOT_TTL_MS, SNAPSHOT_WORTH_BYTES};

#[derive(Default)]
pub(crate) struct SnapshotSchedule {
    /// The newest encoded snapshot, as frames.
    pub cached: Option<CachedSnapshot>,
    /// The revision of the running encode job, and when it was started.
    pub running: Option<(Revision, u64)>,
    /// No job is started before this time, unless a session waits for a snapshot.
    pub paused_until_ms: u64,
    /// Monotonic time of the last event.
    pub now_ms: u64,
    pub bytes_since_stored: usize,
    pub records_since_stored: u64,
    /// When the first of those records was noticed.
    pub waiting_since_ms: Option<u64>,
    /// The room is about to be unloaded: a snapshot is stored if that makes the next opening
    /// faster.
    pub is_unloading: bool,
    pub bytes_since_digest: usize,
    /// Size of the last snapshot, to decide when the next is worth its cost.
    pub bytes_last: usize,
    /// Sent as soon as its revision is durable, and kept to compare with replicas that report a
    /// difference.
    pub digest: Option<(Revision, u64)>,
    /// The newest revision whose digest has been sent.
    pub digest_sent: Revision,
    /// The workbook at a revision whose digest is to be sent.
    pub to_hash: Option<(Revision, TimeAndSeed, Workbook)>,
    /// Waits for its revision to be durable: a stored snapshot must never be ahead of the journal.
    pub to_store: Option<(Revision, Arc<[u8]>)>,
}

pub(crate) struct CachedSnapshot {
    pub revision: Revision,
    pub frames: Vec<Arc<[u8]>>,
    /// Monotonic time of the last use.
    pub used_ms: u64,
}

impl SnapshotSchedule {
    /// The schedule of a room restored from a snapshot of `stored_bytes` bytes.
    pub fn after(stored_bytes: usize) -> SnapshotSchedule {
        SnapshotSchedule { bytes_last: stored_bytes, ..SnapshotSchedule::default() }
    }

    /// Counts a record of so many bytes.
    pub fn count(&mut self, bytes: usize) {
        self.bytes_since_stored += bytes;
        self.bytes_since_digest += bytes;
        self.records_since_stored += 1;
    }

    /// Keeps the workbook of this revision for hashing, if replicas keep theirs at this revision
    /// and hashing is due. Hashing costs as much as the workbook is large, so it waits for a
    /// comparable amount of change.
    pub fn consider_for_digest(
        &mut self,
        revision: Revision,
        time_and_seed: TimeAndSeed,
        workbook: &Workbook,
    ) {
        let is_worthwhile = self.bytes_since_digest >= self.bytes_last / 4 && !self.is_paused();
        let is_due = self.to_hash.is_none() && self.running.is_none() && is_worthwhile;
        if is_due && revision.0.is_multiple_of(DIGEST_EVERY) {
            self.to_hash = Some((revision, time_and_seed, workbook.clone()));
        }
    }

    /// Drops the workbook kept for hashing during replay, when no session was connected.
    pub fn discard_digest_candidate(&mut self) {
        self.to_hash = None;
    }

    /// Monotonic time in milliseconds at which the cached snapshot expires or a snapshot is due to be
    /// stored, whichever is earlier; `None` if neither is pending.
    pub fn next_tick_ms(&self, bounds: &Bounds) -> Option<u64> {
        let expires = self.cached.as_ref().map(|cached| cached.used_ms + SNAPSHOT_TTL_MS);
        let can_store =
            self.running.is_none() && bounds.snapshot_after_ms > 0 && self.is_worth_storing(bounds);
        let stores = self.waiting_since_ms.filter(|_| can_store).map(|ms| ms + bounds.snapshot_after_ms);
        [expires, stores].into_iter().flatten().min()
    }

    /// The room is in use again and will not be unloaded.
    pub fn cancel_unloading(&mut self) {
        self.is_unloading = false;
    }

    /// Whether a snapshot for storage is being encoded, or waits for its revision to be durable.
    pub fn is_storing(&self) -> bool {
        self.is_unloading && self.running.is_some() || self.to_store.is_some()
    }

    /// Drops an expired cached snapshot.
    pub fn tick(&mut self, moment: Moment) {
        let is_old = |cached: &CachedSnapshot| cached.used_ms + SNAPSHOT_TTL_MS <= moment.monotonic_ms;
        if self.cached.as_ref().is_some_and(is_old) {
            self.cached = None;
        }
    }

    /// Whether a snapshot must be stored now, because of the time or the number of records since the
    /// last one.
    pub fn is_store_due(&self, bounds: &Bounds) -> bool {
        let has_waited = |since: u64| since + bounds.snapshot_after_ms <= self.now_ms;
        let is_time = bounds.snapshot_after_ms > 0 && self.waiting_since_ms.is_some_and(has_waited);
        let mut records = bounds.snapshot_after_records;
        if bounds.snapshot_pause_factor > 0 {
            records = records.max((self.bytes_last / SNAPSHOT_BYTES_PER_RECORD) as u64);
        }
        let is_much = self.bytes_since_stored >= bounds.snapshot_after_bytes.max(self.bytes_last)
            || self.records_since_stored >= records;
        is_much && !self.is_paused() || (is_time || self.is_unloading) && self.is_worth_storing(bounds)
    }

    fn is_paused(&self) -> bool {
        self.now_ms < self.paused_until_ms
    }

    /// Whether reading a new snapshot would be faster than replaying the records since the last
    /// one.
    fn is_worth_storing(&self, bounds: &Bounds) -> bool {
        self.records_since_stored >= bounds.snapshot_worth_records
            || self.bytes_since_stored >= SNAPSHOT_WORTH_BYTES.max(self.bytes_last / 4)
    }
}
