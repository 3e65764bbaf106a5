//! Snapshots of the room: encoded by the caller, shared by joining sessions, stored when due, and
//! hashed so that replicas can compare their documents (`P3`, `P15`). `snapshot_schedule.rs`
//! decides when.

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::{
    CloseReason, Counter, ReplicaId, Revision, ServerFrame, SessionId, limits::DIGEST_EVERY,
};

use crate::effect::{Effect, FramePriority};
use crate::event::Moment;
use crate::room::Room;
use crate::snapshot_encoding::{EncodeJob, Encoded};
use crate::snapshot_schedule::CachedSnapshot;

impl Room {
    /// Starts encoding when a session waits for a snapshot, or one is due for storage or for its
    /// digest.
    pub(crate) fn start_snapshot_if_due(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        if self.snapshots.records_since_stored > 0 {
            self.snapshots.waiting_since_ms.get_or_insert(moment.monotonic_ms);
        }
        if self.snapshots.running.is_some() {
            return;
        }
        // A cached snapshot that only waits to become durable is enough; a new one would take
        // longer.
        let is_pending = self.snapshots.cached.as_ref().is_some_and(|cached| cached.revision > self.durable);
        let is_awaited = !is_pending && self.is_snapshot_awaited();
        let store = self.snapshots.is_store_due(&self.bounds);
        let (revision, time_and_seed, workbook) = if is_awaited || store {
            (self.head, self.last_context, self.content.workbook().clone())
        } else {
            match self.snapshots.to_hash.take() {
                Some(to_hash) => to_hash,
                None => return,
            }
        };
        if store {
            (self.snapshots.bytes_since_stored, self.snapshots.records_since_stored) = (0, 0);
            self.snapshots.waiting_since_ms = None;
        }
        self.snapshots.running = Some((revision, self.snapshots.now_ms));
        let submitted = store.then(|| match is_planted(Fault::SnapshotOmitsCounters) {
            true => Default::default(),
            false => self.submitted.clone(),
        });
        effects.push(Effect::Encode(EncodeJob { revision, time_and_seed, workbook, submitted }));
    }

    fn is_snapshot_awaited(&self) -> bool {
        !self.deliveries.awaiting_snapshot().is_empty()
    }

    /// Handles the result of an encode job.
    pub(crate) fn encoded(&mut self, moment: Moment, encoded: Encoded, effects: &mut Vec<Effect>) {
        let Encoded { revision, digest, length, frames, stored } = encoded;
        let started_ms = match self.snapshots.running {
            Some((running, started_ms)) if running == revision => started_ms,
            _ => return,
        };
        self.snapshots.running = None;
        let took_ms = moment.monotonic_ms.saturating_sub(started_ms);
        self.snapshots.paused_until_ms = moment.monotonic_ms + took_ms * self.bounds.snapshot_pause_factor;
        self.snapshots.bytes_last = length;
        self.snapshots.bytes_since_digest = 0;
        self.snapshots.digest = Some((revision, digest));
        self.snapshots.to_store = stored.map(|bytes| (revision, bytes)).or(self.snapshots.to_store.take());
        if self.is_snapshot_awaited() {
            self.snapshots.cached = Some(CachedSnapshot { revision, frames, used_ms: moment.monotonic_ms });
        }
        self.store_snapshot(effects);
        self.broadcast_digest(effects);
        self.serve_snapshot(moment, effects);
        self.start_snapshot_if_due(moment, effects);
    }

    /// Stores a snapshot before the room is unloaded, if that makes the next opening faster.
    pub(crate) fn prepare_unload(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        self.snapshots.is_unloading = true;
        self.start_snapshot_if_due(moment, effects);
    }

    /// Passes the newest snapshot to storage once its revision is durable.
    pub(crate) fn store_snapshot(&mut self, effects: &mut Vec<Effect>) {
        if let Some((revision, bytes)) =
            self.snapshots.to_store.take_if(|(revision, _)| *revision <= self.durable)
        {
            effects.push(Effect::PutSnapshot { revision, bytes });
        }
    }

    /// Sends the cached snapshot to every session that waits for one, if it is durable and the ring
    /// continues from it.
    pub(crate) fn serve_snapshot(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        let Some(cached) = &mut self.snapshots.cached else { return };
        if cached.revision > self.durable && !is_planted(Fault::SnapshotSentBeforeDurable) {
            return;
        }
        if !self.ring.reaches_back_to(cached.revision) {
            self.snapshots.cached = None;
            return;
        }
        let waiting: Vec<SessionId> = self.deliveries.awaiting_snapshot().iter().copied().collect();
        if waiting.is_empty() {
            return;
        }
        cached.used_ms = moment.monotonic_ms;
        let (revision, frames) = (cached.revision, cached.frames.clone());
        for session in waiting {
            let replica = self.member(session).expect("listed above").replica;
            let confirmed = self.confirmed_at(replica, revision);
            let head = ServerFrame::Resync { revision, confirmed }.encode().into();
            effects.push(Effect::Send { session, frame: head, priority: FramePriority::Ordered });
            for frame in &frames {
                effects.push(Effect::Send {
                    session,
                    frame: frame.clone(),
                    priority: FramePriority::Snapshot,
                });
            }
            self.member(session).expect("listed above").sent = revision;
            self.subscribe(session, effects);
        }
    }

    /// Returns the counter of a replica's last transaction at `revision`, to which the ring must
    /// reach back.
    pub(crate) fn confirmed_at(&self, replica: ReplicaId, revision: Revision) -> Counter {
        let Some(last) = self.submitted.get(&replica) else { return Counter(0) };
        let later = self.ring.after(revision).expect("the caller checked that the ring reaches back");
        let first_later = later.filter(|entry| entry.replica == replica).map(|entry| entry.counter).next();
        first_later.map_or(last.counter, |counter| Counter(counter.0.saturating_sub(1)))
    }

    /// Broadcasts the digest of the document once its revision is durable.
    pub(crate) fn broadcast_digest(&mut self, effects: &mut Vec<Effect>) {
        let Some((revision, digest)) = self.snapshots.digest else { return };
        let is_comparable = revision.0.is_multiple_of(DIGEST_EVERY) && revision.0 > 0;
        if revision > self.durable || revision <= self.snapshots.digest_sent || !is_comparable {
            return;
        }
        self.snapshots.digest_sent = revision;
        self.counts.digests += 1;
        let frame = ServerFrame::Digest { revision, digest }.encode().into();
        effects.push(Effect::Broadcast { frame, priority: FramePriority::Presence, from: revision });
    }

    /// Handles a replica's report that its digest differs from the room's: counts it and sends a
    /// snapshot.
    pub(crate) fn digest_differs(
        &mut self,
        moment: Moment,
        session: SessionId,
        revision: Revision,
        replica: u64,
        effects: &mut Vec<Effect>,
    ) {
        if revision > self.snapshots.digest_sent {
            return self.close(session, CloseReason::BadFrame, effects);
        }
        let room = self.snapshots.digest.filter(|(sent, _)| *sent == revision).map(|(_, digest)| digest);
        self.counts.digest_mismatches += 1;
        effects.push(Effect::DigestMismatch { session, revision, room, replica });
        self.send_snapshot(moment, session, effects);
    }
}
