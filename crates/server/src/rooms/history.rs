//! A room's past, brought back from its journal: pieces of it, and the workbook as it was at a revision.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quadrille_document::EvaluationContext;
use quadrille_journal::{Claim, RoomKey};
use quadrille_protocol::{Record, Revision, RoomName, RoomSnapshot};
use quadrille_workbook::Workbook;
use tokio::sync::oneshot;

use super::computed_values::Calculation;
use super::journal::Request;
use super::workers::Size;
use super::{Rooms, no_such_room, storage_error, thread_ended};
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// Bytes of records read at once; others' commits come in between.
const PIECE_BYTES: usize = 1 << 20;

/// A workbook as it was.
#[derive(Clone)]
pub struct HistoricalWorkbook {
    pub inputs: Workbook,
    /// With every formula computed, as of the moment of the revision.
    pub values: Workbook,
}

/// Workbooks of the past that were looked at lately, the last one first: whoever pages through one does not make it
/// anew with every page.
#[derive(Default)]
pub struct HistoryCache {
    kept: Mutex<VecDeque<(RoomKey, Revision, HistoricalWorkbook)>>,
}

impl HistoryCache {
    fn get(&self, key: RoomKey, revision: Revision) -> Option<HistoricalWorkbook> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let index = kept.iter().position(|(of, at, _)| (*of, *at) == (key, revision))?;
        let found = kept.remove(index)?;
        let workbook = found.2.clone();
        kept.push_front(found);
        Some(workbook)
    }

    /// The workbook to begin with on the way to a revision.
    fn before(&self, key: RoomKey, revision: Revision) -> Option<(Revision, Workbook)> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let of_room = kept.iter().filter(|(of, at, _)| *of == key && *at <= revision);
        of_room.max_by_key(|(_, at, _)| *at).map(|(_, at, past)| (*at, past.inputs.clone()))
    }

    fn keep(&self, key: RoomKey, revision: Revision, past: HistoricalWorkbook) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front((key, revision, past));
        kept.truncate(limits::HISTORY_WORKBOOKS_CACHED);
    }
}

/// A workbook on its way from the past.
struct Replay {
    workbook: Workbook,
    revision: Revision,
    time_and_seed: EvaluationContext,
}

impl Rooms {
    /// The records after one revision up to another, oldest first, or a first part of them. Fewer when the journal no
    /// longer has them.
    pub async fn records(
        &self,
        room: &RoomName,
        after: Revision,
        up_to: Revision,
    ) -> Result<Vec<Record>, ApiError> {
        let claim = self.claim(room).await?;
        let mut records = self.piece(claim.key, after).await?;
        records.retain(|record| record.revision <= up_to);
        Ok(records)
    }

    /// The last revision that is no longer kept, 0 while all are.
    pub async fn history_base(&self, room: &RoomName) -> Result<Revision, ApiError> {
        Ok(self.claim(room).await?.base)
    }

    /// The workbook as it was at a revision.
    pub async fn past(&self, room: &RoomName, revision: Revision) -> Result<HistoricalWorkbook, ApiError> {
        let claim = self.claim(room).await?;
        if revision == Revision(0) || revision > claim.head {
            let message = format!("the room has revisions 1 to {}, not {revision}", claim.head);
            return Err(ApiError::new(ErrorCode::NotFound, message));
        }
        if revision < claim.base {
            let message = format!("the history of this room is kept from revision {} on", claim.base);
            return Err(ApiError::new(ErrorCode::NotFound, message));
        }
        if let Some(past) = self.inner.history_cache.get(claim.key, revision) {
            return Ok(past);
        }
        let deadline = Instant::now() + Duration::from_secs(limits::HISTORY_SECONDS_MAX);
        let mut replay = self.nearest(claim.key, revision).await?;
        while replay.revision < revision {
            let records = self.piece(claim.key, replay.revision).await?;
            if records.first().is_none_or(|first| first.revision != replay.revision.next()) {
                let message = format!("the journal no longer has revision {}", replay.revision.next());
                return Err(ApiError::new(ErrorCode::NotFound, message));
            }
            if Instant::now() > deadline {
                let message = "bringing back this revision takes too long";
                return Err(ApiError::new(ErrorCode::Overloaded, message));
            }
            let size = Size::of(&replay.workbook);
            replay = self.work(size, move || replay.through(records, revision)).await?;
        }
        let Replay { workbook, time_and_seed, .. } = replay;
        let inputs = workbook.clone();
        let (reply, answer) = oneshot::channel();
        // Gone with this future, when the reader hangs up.
        let wanted = Arc::new(super::computed_values::Wanted::default());
        let calculation = Calculation::of(workbook, revision, time_and_seed, &wanted);
        let done = move |done| drop(reply.send(done));
        let is_short = Size::of(&inputs) == Size::Small;
        self.inner.workers.run_in_slices(is_short, calculation, Calculation::slice, done);
        let calculated = answer.await.ok().flatten().ok_or_else(fault)?;
        if !calculated.is_finished {
            let message = "the formulas of this revision take too long to compute";
            return Err(ApiError::new(ErrorCode::Overloaded, message));
        }
        let past = HistoricalWorkbook { inputs, values: calculated.workbook() };
        self.inner.history_cache.keep(claim.key, revision, past.clone());
        Ok(past)
    }

    /// Where to begin on the way to a revision: what was looked at lately, a kept snapshot, or the empty workbook.
    async fn nearest(&self, room: RoomKey, revision: Revision) -> Result<Replay, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |snapshot| drop(reply.send(snapshot)));
        self.inner.journal.ask(Request::SnapshotBefore { room, revision, reply });
        let stored = answer.await.map_err(|_| thread_ended())?.map_err(|error| storage_error(&error))?;
        let no_stamp = EvaluationContext { time_ms: 0, seed: 0 };
        let lately = self.inner.history_cache.before(room, revision);
        let is_nearer = |at: Revision| lately.as_ref().is_none_or(|(lately, _)| at > *lately);
        if let Some(stored) = stored.filter(|stored| is_nearer(stored.revision)) {
            let size = Size::of_bytes(stored.bytes.len());
            let decoded = self.work(size, move || RoomSnapshot::decode(&stored.bytes)).await?;
            // A snapshot that cannot be read costs time only: the records have everything.
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
        let (revision, workbook) = lately.unwrap_or_else(|| (Revision(0), Workbook::new()));
        Ok(Replay { workbook, revision, time_and_seed: no_stamp })
    }

    async fn claim(&self, room: &RoomName) -> Result<Claim, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |found| drop(reply.send(found)));
        self.inner.journal.ask(Request::Find { room: room.clone(), reply });
        let found = answer.await.map_err(|_| thread_ended())?;
        found.map_err(|error| storage_error(&error))?.ok_or_else(|| no_such_room(room))
    }

    async fn piece(&self, room: RoomKey, after: Revision) -> Result<Vec<Record>, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |records| drop(reply.send(records)));
        self.inner.journal.ask(Request::Tail { room, after, bytes_max: PIECE_BYTES, reply });
        let stored = answer.await.map_err(|_| thread_ended())?.map_err(|error| storage_error(&error))?;
        let size = Size::of_bytes(stored.iter().map(|record| record.bytes.len()).sum());
        let decode =
            move || stored.iter().map(|record| Record::decode(&record.bytes)).collect::<Result<_, _>>();
        let decoded = self.work(size, decode).await?;
        decoded.map_err(|error| {
            ApiError::new(
                ErrorCode::StorageFailed,
                format!("a record of the journal cannot be read: {error}"),
            )
        })
    }

    /// Runs it where it holds up nobody.
    async fn work<T: Send + 'static>(
        &self,
        size: Size,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.inner.workers.run_sized(size, work, move |done| drop(reply.send(done)));
        answer.await.ok().flatten().ok_or_else(fault)
    }
}

fn fault() -> ApiError {
    ApiError::new(ErrorCode::Internal, "a fault of the server while reading the history")
}

impl Replay {
    fn through(mut self, records: Vec<Record>, up_to: Revision) -> Replay {
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
