//! A room at first sight: cells for a page to draw while its engine and the workbook are still on their way.
//!
//! Made off the room's thread, once for everyone who asks for the same cells meanwhile. What is a second old will do: the page
//! gets everything since with the session. Nothing of it is told before it is durable.

use bytes::Bytes;
use quadrille_cell::Range;
use quadrille_document::{Document, EvaluationContext};
use quadrille_protocol::Revision;
use quadrille_viewport::{preview, sheet_dimensions};
use quadrille_workbook::Workbook;
use tokio::sync::oneshot;

use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// Which cells; the room's first sheet that is not hidden when none is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    pub sheet: Option<String>,
    pub range: Range,
}

/// What the page gets, laid out as `preview.rs` of `viewport` says.
#[derive(Clone)]
pub struct Preview {
    pub revision: Revision,
    pub bytes: Bytes,
}

pub type Reply = oneshot::Sender<Result<Preview, ApiError>>;

/// Those of one room.
#[derive(Default)]
pub struct PreviewCache {
    waiting: Vec<(Wanted, Reply)>,
    kept: Vec<Kept>,
    is_running: bool,
}

struct Kept {
    wanted: Wanted,
    look: Preview,
    made_ms: u64,
}

/// What a worker does.
pub struct Job {
    wanted: Vec<Wanted>,
    workbook: Workbook,
    revision: Revision,
    time_and_seed: EvaluationContext,
}

/// What a worker has done.
pub type Made = Vec<(Wanted, Result<Preview, ApiError>)>;

impl PreviewCache {
    pub fn ask(&mut self, wanted: Wanted, reply: Reply) {
        self.waiting.push((wanted, reply));
    }

    /// Whether somebody waits.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && !self.is_running
    }

    /// What is to be made, unless something is being made or everybody who waits can be served.
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
        let is_fresh =
            |kept: &Kept| kept.look.revision == head || kept.made_ms + limits::PREVIEW_TTL_MS > now_ms;
        self.kept.retain(is_fresh);
        let mut wanted: Vec<Wanted> = Vec::new();
        for (one, _) in &self.waiting {
            let is_there = self.kept.iter().any(|kept| kept.wanted == *one) || wanted.contains(one);
            if !is_there && wanted.len() < limits::PREVIEWS_AT_ONCE {
                wanted.push(one.clone());
            }
        }
        if wanted.is_empty() {
            return None;
        }
        self.is_running = true;
        Some(Job { wanted, workbook: workbook.clone(), revision: head, time_and_seed })
    }

    /// A worker is done; `None` when it failed.
    pub fn made(&mut self, made: Option<Made>, now_ms: u64) {
        self.is_running = false;
        let Some(made) = made else {
            let fault = ApiError::new(ErrorCode::Internal, "a fault of the server while reading the room");
            for (_, reply) in self.waiting.drain(..) {
                let _ = reply.send(Err(fault.clone()));
            }
            return;
        };
        for (wanted, result) in made {
            match result {
                Ok(look) => self.kept.push(Kept { wanted, look, made_ms: now_ms }),
                Err(error) => {
                    for (_, reply) in self.waiting.extract_if(.., |(one, _)| *one == wanted) {
                        let _ = reply.send(Err(error.clone()));
                    }
                }
            }
        }
    }

    /// Answers those for whom there is something durable.
    pub fn serve(&mut self, durable: Revision) {
        let kept = &self.kept;
        let found = |wanted: &Wanted| {
            let fits = |kept: &&Kept| kept.wanted == *wanted && kept.look.revision <= durable;
            kept.iter().rev().find(fits).map(|kept| kept.look.clone())
        };
        let mut still_waiting = Vec::new();
        for (wanted, reply) in self.waiting.drain(..) {
            match found(&wanted) {
                // Whoever has gone meanwhile does not miss it.
                Some(look) => drop(reply.send(Ok(look))),
                None => still_waiting.push((wanted, reply)),
            }
        }
        self.waiting = still_waiting;
    }

    /// When what is kept is of no more use.
    pub fn wake_ms(&self) -> Option<u64> {
        let last = self.kept.iter().map(|kept| kept.made_ms + limits::PREVIEW_TTL_MS).max();
        last.filter(|_| self.waiting.is_empty())
    }

    /// Gives back the memory when it is time.
    pub fn wake(&mut self, now_ms: u64) {
        if self.wake_ms().is_some_and(|at| at <= now_ms) {
            self.kept = Vec::new();
        }
    }
}

impl Job {
    pub fn run(self) -> Made {
        let mut document = Document::from_workbook(self.workbook);
        // NOW() and RAND() see the moment of looking.
        document.apply(&Default::default(), self.time_and_seed);
        document.evaluate(limits::PREVIEW_STEPS);
        let revision = self.revision;
        let look = |wanted: &Wanted| {
            let sheets = document.workbook().sheets();
            let sheet = match &wanted.sheet {
                None => {
                    sheets.iter().find(|sheet| !sheet_dimensions::is_hidden(sheet)).unwrap_or(&sheets[0]).id()
                }
                Some(name) => crate::http::named_sheet(document.workbook(), name)?.id(),
            };
            let bytes = preview::encode(&document, revision.0, sheet, wanted.range).into();
            Ok(Preview { revision, bytes })
        };
        self.wanted.iter().map(|wanted| (wanted.clone(), look(wanted))).collect()
    }
}
