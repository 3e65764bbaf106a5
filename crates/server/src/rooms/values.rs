//! A room's computed values, for those who read it over REST.
//!
//! Sessions calculate for themselves and a room keeps only what was entered, so a room that nobody reads this way spends
//! nothing on formulas. The first reader has the whole workbook calculated, the next ones what changed since.

use std::mem;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use quadrille_document::{Document, Stamp};
use quadrille_protocol::{Record, Revision};
use quadrille_workbook::Workbook;

use super::workers::Slice;
use crate::limits;

/// Records after which a calculated document that nobody reads is given up.
const BEHIND_MAX: usize = 4_096;

/// The calculated document of a room, or where it is.
#[derive(Default)]
pub struct Values {
    state: State,
    /// Gone with the room, and with it the reason to calculate.
    wanted: Arc<()>,
    /// Records that the document does not have yet.
    behind: Vec<Arc<[u8]>>,
}

#[derive(Default)]
enum State {
    /// Nobody has read lately.
    #[default]
    Absent,
    /// A worker has it.
    Away,
    Here(Box<Document>),
}

/// What a worker does: calculates the document at `revision`.
pub struct Calculation {
    from: From,
    records: Vec<Arc<[u8]>>,
    revision: Revision,
    stamp: Stamp,
    /// What it has taken so far.
    took: Duration,
    /// Nobody wants to know any more when this is the only one left.
    wanted: Weak<()>,
}

enum From {
    Workbook(Workbook),
    Document(Box<Document>),
}

/// A calculated document.
pub struct Calculated {
    document: Box<Document>,
    pub revision: Revision,
    /// False when the time was up before all was calculated.
    pub is_finished: bool,
}

impl Values {
    /// The room has given these records their place.
    pub fn placed(&mut self, records: &[Arc<[u8]>]) {
        match &self.state {
            State::Absent => {}
            State::Here(_) if self.behind.len() + records.len() > BEHIND_MAX => *self = Values::default(),
            State::Here(_) | State::Away => self.behind.extend_from_slice(records),
        }
    }

    /// The calculated workbook if there is nothing to do for it.
    pub fn ready(&self) -> Option<Workbook> {
        match &self.state {
            State::Here(document) if self.behind.is_empty() && document.is_calculated() => {
                Some(document.snapshot())
            }
            _ => None,
        }
    }

    /// What a worker has to do so that the values are those of the room's head; `None` while one is at it.
    pub fn calculation(&mut self, workbook: &Workbook, head: Revision, stamp: Stamp) -> Option<Calculation> {
        let from = match mem::replace(&mut self.state, State::Away) {
            State::Away => return None,
            State::Absent => {
                self.behind.clear();
                From::Workbook(workbook.clone())
            }
            State::Here(document) => From::Document(document),
        };
        let (records, wanted) = (mem::take(&mut self.behind), Arc::downgrade(&self.wanted));
        Some(Calculation { from, records, revision: head, stamp, took: Duration::ZERO, wanted })
    }

    /// A worker is done.
    pub fn calculated(&mut self, calculated: Calculated) {
        self.state = State::Here(calculated.document);
        if self.behind.len() > BEHIND_MAX {
            *self = Values::default();
        }
    }

    /// The worker failed: begin anew with the next reader.
    pub fn give_up(&mut self) {
        *self = Values::default();
    }
}

impl Calculation {
    /// Of a workbook that belongs to no open room, for as long as `wanted` is there.
    pub fn of(workbook: Workbook, revision: Revision, stamp: Stamp, wanted: &Arc<()>) -> Calculation {
        Calculation {
            from: From::Workbook(workbook),
            records: Vec::new(),
            revision,
            stamp,
            took: Duration::ZERO,
            wanted: Arc::downgrade(wanted),
        }
    }

    /// One slice of it; done when all is calculated, the time is up or nobody wants to know any more.
    pub fn slice(self) -> Slice<Calculated, Calculation> {
        let began = Instant::now();
        let mut document = match self.from {
            From::Document(document) => document,
            From::Workbook(workbook) => {
                let mut document = Box::new(Document::from_workbook(workbook));
                // NOW() and RAND() of a room just opened see the moment it is read.
                document.apply(&Default::default(), self.stamp);
                document
            }
        };
        for bytes in &self.records {
            let record = Record::decode(bytes).expect("the room wrote this record");
            let stamp = Stamp { time_ms: record.stamp.time_ms, seed: record.stamp.seed };
            document.apply(&record.transaction, stamp);
        }
        if !document.is_calculated() {
            document.evaluate(limits::EVALUATION_STEPS);
        }
        let (is_finished, took) = (document.is_calculated(), self.took + began.elapsed());
        let is_given_up =
            took >= Duration::from_secs(limits::EVALUATION_SECONDS_MAX) || self.wanted.strong_count() == 0;
        if is_finished || is_given_up {
            return Slice::Done(Calculated { document, revision: self.revision, is_finished });
        }
        Slice::More(Calculation { from: From::Document(document), records: Vec::new(), took, ..self })
    }
}

impl Calculated {
    pub fn workbook(&self) -> Workbook {
        self.document.snapshot()
    }
}
