//! The history of a room, read from its journal: records, and the workbook at a past revision.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quadrille_document::EvaluationContext;
use quadrille_journal::{Claim, RoomKey};
use quadrille_protocol::{Counter, Incarnation, Record, ReplicaId, Revision, RoomName, RoomSnapshot};
use quadrille_workbook::Workbook;
use tokio::sync::oneshot;

use super::computed_values::Calculation;
use super::errors::{no_such_room, storage_error};
use super::history_cache::HistoricalWorkbook;
use super::journal_request::Request;
use super::registry::Rooms;
use super::workers::Size;
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// Bytes of records read at once; commits run in between.
const PIECE_BYTES: usize = 1 << 20;

/// The revisions of a room that the journal has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryBounds {
    /// Differs from that of a deleted room of the same name.
    pub incarnation: Incarnation,
    /// The last revision that is no longer in the journal; 0 when all are.
    pub base: Revision,
    /// The newest durable revision.
    pub head: Revision,
}

/// A workbook being replayed.
struct Replay {
    workbook: Workbook,
    revision: Revision,
    time_and_seed: EvaluationContext,
}

impl Rooms {
    /// Returns records after one revision up to another, oldest first. Returns at least the first
    /// of them, and not necessarily all.
    pub async fn records(
        &self,
        room: &RoomName,
        after: Revision,
        up_to: Revision,
    ) -> Result<Vec<Record>, ApiError> {
        let claim = self.claim(room).await?;
        let mut records = self.read_records(claim.key, after).await?;
        records.retain(|record| record.revision <= up_to);
        Ok(records)
    }

    /// Passes the records after one revision up to another to `take`, oldest first, until it refuses one or
    /// about `count_max` have been read.
    pub async fn each_record(
        &self,
        room: &RoomName,
        after: Revision,
        up_to: Revision,
        count_max: usize,
        mut take: impl FnMut(&Record) -> bool,
    ) -> Result<(), ApiError> {
        let (mut read_up_to, mut count) = (after, 0);
        while read_up_to < up_to && count < count_max {
            let records = self.records(room, read_up_to, up_to).await?;
            let Some(last) = records.last() else { break };
            read_up_to = last.revision;
            count += records.len();
            if !records.iter().all(&mut take) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the record of a marked request among the durable ones after a revision; `None` when the
    /// request has not been carried out.
    ///
    /// # Errors
    ///
    /// Fails with `no_such_room`, with `history_gone` when the journal no longer has all of these
    /// records, and with `overloaded` when reading them takes longer than `HISTORY_SECONDS_MAX`.
    pub async fn record_of_request(
        &self,
        room: &RoomName,
        after: Revision,
        counter: Counter,
    ) -> Result<Option<Record>, ApiError> {
        let claim = self.claim(room).await?;
        if after < claim.base {
            let message = "the history no longer says whether this request has been carried out";
            return Err(ApiError::new(ErrorCode::HistoryGone, message));
        }
        let deadline = Instant::now() + Duration::from_secs(limits::HISTORY_SECONDS_MAX);
        let mut read_up_to = after;
        while read_up_to < claim.head {
            if Instant::now() > deadline {
                let message = "looking for the record of this request takes too long";
                return Err(ApiError::new(ErrorCode::Overloaded, message));
            }
            let records = self.read_records(claim.key, read_up_to).await?;
            let Some(last) = records.last() else { break };
            read_up_to = last.revision;
            let is_marked =
                |record: &Record| record.replica == ReplicaId::SERVER && record.counter == counter;
            if let Some(record) = records.into_iter().find(is_marked) {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// Returns the last revision that is no longer in the journal; 0 when all are.
    pub async fn history_base(&self, room: &RoomName) -> Result<Revision, ApiError> {
        Ok(self.claim(room).await?.base)
    }

    /// Returns which revisions the journal has.
    pub async fn history_bounds(&self, room: &RoomName) -> Result<HistoryBounds, ApiError> {
        let Claim { incarnation, base, head, .. } = self.claim(room).await?;
        Ok(HistoryBounds { incarnation, base, head })
    }

    /// Returns the contents of the workbook at a past revision, without the values of formulas.
    ///
    /// # Errors
    ///
    /// As for [`workbook_at`](Rooms::workbook_at).
    pub async fn inputs_at(&self, room: &RoomName, revision: Revision) -> Result<Workbook, ApiError> {
        if revision == Revision(0) {
            return Ok(Workbook::new());
        }
        let claim = self.claim(room).await?;
        check_revision(&claim, revision)?;
        Ok(self.replay(&claim, revision).await?.workbook)
    }

    /// Returns the workbook at a past revision.
    ///
    /// # Errors
    ///
    /// Fails with `not_found` when the journal does not have the revision, and with `overloaded`
    /// when replaying or calculating it takes longer than `HISTORY_SECONDS_MAX` or
    /// `EVALUATION_SECONDS_MAX`.
    pub async fn workbook_at(
        &self,
        room: &RoomName,
        revision: Revision,
    ) -> Result<HistoricalWorkbook, ApiError> {
        let claim = self.claim(room).await?;
        check_revision(&claim, revision)?;
        if let Some(cached) = self.history_cache().get(claim.key, revision) {
            return Ok(cached);
        }
        let Replay { workbook, time_and_seed, .. } = self.replay(&claim, revision).await?;
        let inputs = workbook.clone();
        let (reply, answer) = oneshot::channel();
        // Dropped with this future when the client disconnects, which ends the calculation.
        let interest = Arc::new(super::computed_values::Interest::default());
        let calculation = Calculation::of(workbook, revision, time_and_seed, &interest);
        let done = move |done| drop(reply.send(done));
        let is_short = Size::of(&inputs) == Size::Small;
        self.workers().run_in_slices(is_short, calculation, Calculation::slice, done);
        let calculated = answer.await.ok().flatten().ok_or_else(panicked)?;
        if !calculated.is_finished {
            let message = "calculating the formulas of this revision takes too long";
            return Err(ApiError::new(ErrorCode::Overloaded, message));
        }
        let workbook = HistoricalWorkbook { inputs, values: calculated.workbook() };
        self.history_cache().insert(claim.key, revision, workbook.clone());
        Ok(workbook)
    }

    /// Replays the history up to a revision that the journal has.
    async fn replay(&self, claim: &Claim, revision: Revision) -> Result<Replay, ApiError> {
        let deadline = Instant::now() + Duration::from_secs(limits::HISTORY_SECONDS_MAX);
        let mut replay = self.start_replay(claim.key, revision).await?;
        while replay.revision < revision {
            let records = self.read_records(claim.key, replay.revision).await?;
            if records.first().is_none_or(|first| first.revision != replay.revision.next()) {
                let message = format!("the journal no longer has revision {}", replay.revision.next());
                return Err(ApiError::new(ErrorCode::NotFound, message));
            }
            if Instant::now() > deadline {
                let message = "replaying the history up to this revision takes too long";
                return Err(ApiError::new(ErrorCode::Overloaded, message));
            }
            let size = Size::of(&replay.workbook);
            replay = self.run_on_worker(size, move || replay.apply(records, revision)).await?;
        }
        Ok(replay)
    }

    /// Returns the start of a replay up to `revision`: a cached workbook, a stored snapshot or the
    /// empty workbook, whichever is newest.
    async fn start_replay(&self, room: RoomKey, revision: Revision) -> Result<Replay, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |snapshot| drop(reply.send(snapshot)));
        self.journal().send(Request::SnapshotBefore { room, revision, reply });
        let stored = self.found_by_key(answer).await?.map_err(|error| storage_error(&error))?;
        let no_context = EvaluationContext { time_ms: 0, seed: 0 };
        let cached = self.history_cache().newest_before(room, revision);
        let is_newer = |at: Revision| cached.as_ref().is_none_or(|(cached, _)| at > *cached);
        if let Some(stored) = stored.filter(|stored| is_newer(stored.revision)) {
            let size = Size::of_bytes(stored.bytes.len());
            let decoded = self.run_on_worker(size, move || RoomSnapshot::decode(&stored.bytes)).await?;
            // Without a readable snapshot the replay only takes longer: the journal has all
            // records.
            if let Ok(snapshot) = decoded {
                let time_and_seed = EvaluationContext {
                    time_ms: snapshot.time_and_seed.time_ms,
                    seed: snapshot.time_and_seed.seed,
                };
                return Ok(Replay {
                    workbook: snapshot.workbook,
                    revision: snapshot.revision,
                    time_and_seed,
                });
            }
        }
        let (revision, workbook) = cached.unwrap_or_else(|| (Revision(0), Workbook::new()));
        Ok(Replay { workbook, revision, time_and_seed: no_context })
    }

    async fn claim(&self, room: &RoomName) -> Result<Claim, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |found| drop(reply.send(found)));
        self.journal().send(Request::Find { room: room.clone(), reply });
        let found = self.found(room, answer).await?;
        found.map_err(|error| storage_error(&error))?.ok_or_else(|| no_such_room(room))
    }

    async fn read_records(&self, room: RoomKey, after: Revision) -> Result<Vec<Record>, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |records| drop(reply.send(records)));
        self.journal().send(Request::Tail { room, after, bytes_max: PIECE_BYTES, reply });
        let stored = self.found_by_key(answer).await?.map_err(|error| storage_error(&error))?;
        let size = Size::of_bytes(stored.iter().map(|record| record.bytes.len()).sum());
        let decode =
            move || stored.iter().map(|record| Record::decode(&record.bytes)).collect::<Result<_, _>>();
        let decoded = self.run_on_worker(size, decode).await?;
        decoded.map_err(|error| {
            ApiError::new(ErrorCode::StorageFailed, format!("cannot decode a record of the journal: {error}"))
        })
    }

    /// Runs work on a worker thread.
    pub(super) async fn run_on_worker<T: Send + 'static>(
        &self,
        size: Size,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.workers().run_sized(size, work, move |done| drop(reply.send(done)));
        answer.await.ok().flatten().ok_or_else(panicked)
    }
}

/// Checks that the journal has a revision.
fn check_revision(claim: &Claim, revision: Revision) -> Result<(), ApiError> {
    if revision == Revision(0) || revision > claim.head {
        let message = format!("the room has revisions 1 to {}: {revision}", claim.head);
        return Err(ApiError::new(ErrorCode::NotFound, message));
    }
    if revision < claim.base {
        let message = format!("the history of this room begins at revision {}", claim.base);
        return Err(ApiError::new(ErrorCode::NotFound, message));
    }
    Ok(())
}

/// Checks that the journal has all revisions after one.
pub(super) fn check_begin(bounds: &HistoryBounds, after: Revision) -> Result<(), ApiError> {
    let message = match after {
        _ if after > bounds.head => format!("the room has revisions 1 to {}: {after}", bounds.head),
        _ if after < bounds.base => format!("the history of this room begins at revision {}", bounds.base),
        _ => return Ok(()),
    };
    Err(ApiError::new(ErrorCode::NotFound, message))
}

fn panicked() -> ApiError {
    ApiError::new(ErrorCode::Internal, "internal error while reading the history")
}

impl Replay {
    /// Applies the records up to `up_to`.
    fn apply(mut self, records: Vec<Record>, up_to: Revision) -> Replay {
        for record in records {
            if record.revision > up_to {
                break;
            }
            quadrille_operation::apply(&mut self.workbook, &record.transaction);
            self.revision = record.revision;
            self.time_and_seed =
                EvaluationContext { time_ms: record.time_and_seed.time_ms, seed: record.time_and_seed.seed };
        }
        self
    }
}
