//! Previews: the first cells of a room, which the web client draws while it loads the engine and
//! the workbook (`P21`).
//!
//! A worker makes previews, one for all clients that request the same cells. A preview may be a
//! second old, because the client gets later changes with its session. Previews are sent only when
//! their revision is durable.

use bytes::Bytes;
use quadrille_cell::Range;
use quadrille_document::{Document, EvaluationContext};
use quadrille_protocol::Revision;
use quadrille_viewport::{preview, sheet_dimensions};
use quadrille_workbook::Workbook;
use tokio::sync::oneshot;

use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::sheet_lookup::sheet_by_name;

/// The requested cells. Without a sheet name: the first visible sheet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    pub sheet: Option<String>,
    pub range: Range,
}

/// An encoded preview; `preview.rs` of `viewport` describes the bytes.
#[derive(Clone)]
pub struct Preview {
    pub revision: Revision,
    pub bytes: Bytes,
}

pub type Reply = oneshot::Sender<Result<Preview, ApiError>>;

/// The previews of one room.
#[derive(Default)]
pub struct PreviewCache {
    waiting: Vec<(Wanted, Reply)>,
    cached: Vec<CachedPreview>,
    is_running: bool,
}

struct CachedPreview {
    wanted: Wanted,
    preview: Preview,
    made_ms: u64,
}

/// A worker's job: makes previews.
pub struct Job {
    wanted: Vec<Wanted>,
    workbook: Workbook,
    revision: Revision,
    time_and_seed: EvaluationContext,
}

/// The results of a job.
pub type Results = Vec<(Wanted, Result<Preview, ApiError>)>;

impl PreviewCache {
    /// Adds a request; [`serve`](Self::serve) answers it.
    pub fn request(&mut self, wanted: Wanted, reply: Reply) {
        self.waiting.push((wanted, reply));
    }

    /// Whether no request waits and no job runs.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && !self.is_running
    }

    /// Returns a job for the requests that the cache cannot answer; `None` when there are none or a
    /// job is running.
    pub fn job(
        &mut self,
        workbook: &Workbook,
        head: Revision,
        time_and_seed: EvaluationContext,
        now_ms: u64,
    ) -> Option<Job> {
        if self.is_running {
            return None;
        }
        let is_fresh = |cached: &CachedPreview| {
            cached.preview.revision == head || cached.made_ms + limits::PREVIEW_TTL_MS > now_ms
        };
        self.cached.retain(is_fresh);
        let mut wanted: Vec<Wanted> = Vec::new();
        for (requested, _) in &self.waiting {
            let is_covered =
                self.cached.iter().any(|cached| cached.wanted == *requested) || wanted.contains(requested);
            if !is_covered && wanted.len() < limits::PREVIEWS_AT_ONCE {
                wanted.push(requested.clone());
            }
        }
        if wanted.is_empty() {
            return None;
        }
        self.is_running = true;
        Some(Job { wanted, workbook: workbook.clone(), revision: head, time_and_seed })
    }

    /// Takes the results of a job; `None` when it panicked.
    pub fn finish(&mut self, results: Option<Results>, now_ms: u64) {
        self.is_running = false;
        let Some(results) = results else {
            let error = ApiError::new(ErrorCode::Internal, "internal error while reading the room");
            for (_, reply) in self.waiting.drain(..) {
                let _ = reply.send(Err(error.clone()));
            }
            return;
        };
        for (wanted, result) in results {
            match result {
                Ok(preview) => self.cached.push(CachedPreview { wanted, preview, made_ms: now_ms }),
                Err(error) => {
                    for (_, reply) in self.waiting.extract_if(.., |(requested, _)| *requested == wanted) {
                        let _ = reply.send(Err(error.clone()));
                    }
                }
            }
        }
    }

    /// Answers the requests for which there is a durable preview.
    pub fn serve(&mut self, durable: Revision) {
        let cached = &self.cached;
        let newest = |wanted: &Wanted| {
            let fits =
                |cached: &&CachedPreview| cached.wanted == *wanted && cached.preview.revision <= durable;
            cached.iter().rev().find(fits).map(|cached| cached.preview.clone())
        };
        let mut still_waiting = Vec::new();
        for (wanted, reply) in self.waiting.drain(..) {
            match newest(&wanted) {
                // Sending fails when the client has disconnected.
                Some(preview) => drop(reply.send(Ok(preview))),
                None => still_waiting.push((wanted, reply)),
            }
        }
        self.waiting = still_waiting;
    }

    /// Returns when the whole cache has expired.
    pub fn expires_ms(&self) -> Option<u64> {
        let latest = self.cached.iter().map(|cached| cached.made_ms + limits::PREVIEW_TTL_MS).max();
        latest.filter(|_| self.waiting.is_empty())
    }

    /// Frees the cache when it has expired.
    pub fn expire(&mut self, now_ms: u64) {
        if self.expires_ms().is_some_and(|at| at <= now_ms) {
            self.cached = Vec::new();
        }
    }
}

impl Job {
    /// Makes the previews.
    pub fn run(self) -> Results {
        let mut document = Document::from_workbook(self.workbook);
        // Volatile functions get the time of the preview.
        document.apply(&Default::default(), self.time_and_seed);
        document.evaluate(limits::PREVIEW_STEPS);
        let revision = self.revision;
        let make = |wanted: &Wanted| {
            let sheets = document.workbook().sheets();
            let sheet = match &wanted.sheet {
                None => {
                    sheets.iter().find(|sheet| !sheet_dimensions::is_hidden(sheet)).unwrap_or(&sheets[0]).id()
                }
                Some(name) => sheet_by_name(document.workbook(), name)?.id(),
            };
            let bytes = preview::encode(&document, revision.0, sheet, wanted.range).into();
            Ok(Preview { revision, bytes })
        };
        self.wanted.iter().map(|wanted| (wanted.clone(), make(wanted))).collect()
    }
}
