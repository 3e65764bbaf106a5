//! A room's computed values, for reads over REST.
//!
//! Sessions calculate for themselves and a room keeps only inputs, so a room that is never read
//! over REST spends nothing on formulas. The first read calculates the whole workbook; later reads
//! calculate the changes since.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use quadrille_document::{Cancel, Document, EvaluationContext};
use quadrille_protocol::{Record, Revision};
use quadrille_workbook::{ImportSource, Workbook};

use super::workers::{Size, Slice};
use crate::limits;
use crate::thread_priority::{processor_time, yield_periodically};

/// Records not yet applied beyond which a calculated document is dropped.
const PENDING_MAX: usize = 4_096;

/// The calculated document of a room, if it has been read.
#[derive(Default)]
pub struct Values {
    state: State,
    /// Dropped with the room, which ends its calculation.
    interest: Arc<Interest>,
    /// Calculations in a row that newer records have ended.
    superseded: u32,
    /// Records that the document does not have yet.
    pending: Vec<Arc<[u8]>>,
    /// The last calculation took more than its first slice.
    was_long: bool,
}

/// Held by the owner of a calculation, which ends when it is dropped. `true` when there are newer
/// records than those being calculated.
pub type Interest = AtomicBool;

/// Calculations in a row that newer records can end. The next one runs to its end: calculated cells
/// keep their values, but otherwise a single long formula would be restarted forever.
const SUPERSEDED_MAX: u32 = 8;

/// Evaluation steps of the first slice: a millisecond or two.
const FIRST_STEPS: u64 = 100_000;
/// Processor time of the first slice: a single formula may take long in few steps. It is restarted
/// in the next slice.
const FIRST_TIME_MAX: Duration = Duration::from_millis(20);

#[derive(Default)]
enum State {
    /// There is no document.
    #[default]
    Absent,
    /// A worker calculates the document.
    OnWorker,
    Present(Box<Document>),
}

/// A job for a worker: calculates the document at `revision`.
pub struct Calculation {
    source: Source,
    records: Vec<Arc<[u8]>>,
    revision: Revision,
    time_and_seed: EvaluationContext,
    /// Time taken so far.
    took: Duration,
    /// No slice has run yet. The first is short, so that readers of small workbooks are served at
    /// once.
    is_new: bool,
    /// The calculation ends when the owner has dropped its [`Interest`].
    interest: Weak<Interest>,
    /// Newer records end the calculation.
    is_interruptible: bool,
}

enum Source {
    Workbook(Workbook),
    Document(Box<Document>),
}

/// A calculated document.
pub struct Calculated {
    document: Box<Document>,
    pub revision: Revision,
    /// `false` when the time limit was reached or newer records arrived first.
    pub is_finished: bool,
    /// Newer records ended the calculation.
    pub is_superseded: bool,
    /// The calculation took more than one slice.
    was_long: bool,
}

impl Values {
    /// Adds new records of the room. Returns a document that is no longer needed, which takes long
    /// to drop.
    #[must_use]
    pub fn add_records(&mut self, records: &[Arc<[u8]>]) -> Option<Box<Document>> {
        match &self.state {
            State::Absent => {}
            State::Present(_) if self.pending.len() + records.len() > PENDING_MAX => return self.discard(),
            State::Present(_) => self.pending.extend_from_slice(records),
            State::OnWorker => {
                self.pending.extend_from_slice(records);
                self.interest.store(!self.pending.is_empty(), Ordering::Relaxed);
            }
        }
        None
    }

    fn discard(&mut self) -> Option<Box<Document>> {
        match mem::take(self).state {
            State::Present(document) => Some(document),
            State::Absent | State::OnWorker => None,
        }
    }

    /// Returns the workbook with values if it is up to date.
    pub fn ready(&self) -> Option<Workbook> {
        match &self.state {
            State::Present(document) if self.pending.is_empty() && document.is_calculated() => {
                Some(document.snapshot())
            }
            _ => None,
        }
    }

    /// The sources of imported data that formulas need, as of the last calculation.
    pub fn import_sources(&self) -> Vec<ImportSource> {
        match &self.state {
            State::Present(document) => document.import_sources(),
            State::Absent | State::OnWorker => Vec::new(),
        }
    }

    /// Returns a calculation of the values at the room's head; `None` while a worker is
    /// calculating.
    pub fn calculation(
        &mut self,
        workbook: &Workbook,
        head: Revision,
        time_and_seed: EvaluationContext,
    ) -> Option<Calculation> {
        let source = match mem::replace(&mut self.state, State::OnWorker) {
            State::OnWorker => return None,
            State::Absent => {
                self.pending.clear();
                Source::Workbook(workbook.clone())
            }
            State::Present(document) => Source::Document(document),
        };
        self.interest.store(false, Ordering::Relaxed);
        let (records, interest) = (mem::take(&mut self.pending), Arc::downgrade(&self.interest));
        let is_interruptible = self.superseded < SUPERSEDED_MAX;
        Some(Calculation {
            source,
            records,
            revision: head,
            time_and_seed,
            took: Duration::ZERO,
            is_new: true,
            interest,
            is_interruptible,
        })
    }

    /// Whether `workbook` is likely to be calculated within the first slice: it was the last time,
    /// or it is small.
    pub fn is_likely_short(&self, workbook: &Workbook) -> bool {
        match self.state {
            _ if self.was_long => false,
            State::Present(_) => true,
            _ => Size::of(workbook) == Size::Small,
        }
    }

    /// Whether calculating takes longer than a commit would be delayed.
    pub fn take_long(&self) -> bool {
        self.was_long
    }

    /// Takes back the document from a worker. Returns it if it is no longer needed.
    #[must_use]
    pub fn calculated(&mut self, calculated: Calculated) -> Option<Box<Document>> {
        self.was_long = calculated.was_long;
        self.superseded = if calculated.is_superseded { self.superseded + 1 } else { 0 };
        self.state = State::Present(calculated.document);
        if self.pending.len() > PENDING_MAX { self.discard() } else { None }
    }

    /// Drops the document after the worker panicked; the next read starts over.
    pub fn reset(&mut self) {
        *self = Values::default();
    }
}

impl Calculation {
    /// Returns the condition that ends a slice begun at `began` before its steps are done.
    fn cancel(&self, began: Instant) -> Cancel {
        let (interest, is_interruptible) = (self.interest.clone(), self.is_interruptible);
        let until = began + TIME_MAX.saturating_sub(self.took);
        let first = self.is_new.then(|| (began + FIRST_TIME_MAX, processor_time() + FIRST_TIME_MAX));
        Cancel::when(move || {
            let now = Instant::now();
            yield_periodically(now);
            // On a busy machine other threads may have used the wall time.
            let is_first_over = || first.is_some_and(|(wall, own)| now >= wall && processor_time() >= own);
            interest.strong_count() == 0
                || is_interruptible && has_newer_records(&interest)
                || now >= until
                || is_first_over()
        })
    }

    /// Returns a calculation of a workbook that belongs to no open room. It ends when `interest` is
    /// dropped.
    pub fn of(
        workbook: Workbook,
        revision: Revision,
        time_and_seed: EvaluationContext,
        interest: &Arc<Interest>,
    ) -> Calculation {
        Calculation {
            source: Source::Workbook(workbook),
            records: Vec::new(),
            revision,
            time_and_seed,
            took: Duration::ZERO,
            is_new: true,
            interest: Arc::downgrade(interest),
            is_interruptible: false,
        }
    }

    /// Runs one slice. The calculation is done when all cells are calculated, the time limit is
    /// reached, the owner has dropped its interest or newer records have arrived; the engine checks
    /// this every few milliseconds, also within a formula.
    pub fn slice(self) -> Slice<Calculated, Calculation> {
        let began = Instant::now();
        let cancel = self.cancel(began);
        let mut document = match self.source {
            Source::Document(document) => document,
            Source::Workbook(workbook) => {
                let mut document = Box::new(Document::from_workbook(workbook));
                // Volatile functions of a room just opened get the time of the read.
                document.apply(&Default::default(), self.time_and_seed);
                document
            }
        };
        for bytes in &self.records {
            let record = Record::decode(bytes).expect("the room encoded this record");
            let time_and_seed =
                EvaluationContext { time_ms: record.time_and_seed.time_ms, seed: record.time_and_seed.seed };
            document.apply(&record.transaction, time_and_seed);
        }
        if !document.is_calculated() {
            let steps = if self.is_new { FIRST_STEPS } else { limits::EVALUATION_STEPS };
            document.evaluate_until(steps, &cancel);
        }
        let (is_finished, took) = (document.is_calculated(), self.took + began.elapsed());
        let is_superseded = !is_finished && self.is_interruptible && has_newer_records(&self.interest);
        let is_ended = is_superseded || took >= TIME_MAX || self.interest.strong_count() == 0;
        if is_finished || is_ended {
            let was_long = !(is_finished && self.is_new);
            return Slice::Done(Calculated {
                document,
                revision: self.revision,
                is_finished,
                is_superseded,
                was_long,
            });
        }
        let source = Source::Document(document);
        Slice::More(Calculation { source, records: Vec::new(), took, is_new: false, ..self })
    }
}

/// Time limit of a calculation.
const TIME_MAX: Duration = Duration::from_secs(limits::EVALUATION_SECONDS_MAX);

fn has_newer_records(interest: &Weak<Interest>) -> bool {
    interest.upgrade().is_some_and(|has_newer| has_newer.load(Ordering::Relaxed))
}

impl Calculated {
    /// Returns the workbook with values.
    pub fn workbook(&self) -> Workbook {
        self.document.snapshot()
    }

    /// The sources of imported data that formulas need.
    pub fn import_sources(&self) -> Vec<ImportSource> {
        self.document.import_sources()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_cell::{CellAddress, SheetId};
    use quadrille_formula::{Host, parse};
    use quadrille_protocol::{Author, Counter, ReplicaId};
    use quadrille_workbook::Input;

    /// A workbook with a single formula of some million steps.
    fn long_formula() -> Workbook {
        let mut workbook = Workbook::new();
        let (sheet, cell) = (SheetId(1), CellAddress::clamped(0, 0));
        let formula = parse("SUM(SORT(MOD(SEQUENCE(300000)*7919,65521)))", Host { sheet, cell }, &workbook);
        workbook.sheet_mut(sheet).expect("the first sheet exists").set_input(cell, &Input::Formula(formula));
        workbook
    }

    fn empty_record(revision: u64) -> Arc<[u8]> {
        let record = Record {
            revision: Revision(revision),
            replica: ReplicaId(1),
            counter: Counter(revision),
            author: Author::default(),
            time_and_seed: quadrille_protocol::TimeAndSeed { time_ms: 0, seed: revision },
            transaction: quadrille_operation::Transaction { operations: Vec::new() },
        };
        record.encode().into()
    }

    fn finish(mut calculation: Calculation) -> Calculated {
        loop {
            match calculation.slice() {
                Slice::More(more) => calculation = more,
                Slice::Done(calculated) => return calculated,
            }
        }
    }

    #[test]
    fn newer_records_interrupt_a_calculation_within_a_formula_but_not_forever() {
        let workbook = long_formula();
        let mut values = Values::default();
        let mut superseded = 0;
        for revision in 1.. {
            let calculation = values.calculation(&workbook, Revision(revision), EvaluationContext::default());
            let calculation = calculation.expect("no worker is calculating");
            // A record arrives during the calculation.
            assert!(values.add_records(&[empty_record(revision + 1)]).is_none());
            let calculated = finish(calculation);
            if !calculated.is_superseded {
                assert!(calculated.is_finished);
                break;
            }
            assert!(!calculated.is_finished);
            let value = calculated.workbook().sheets()[0].value(CellAddress::clamped(0, 0));
            assert!(value.is_blank(), "an unfinished formula has a value: {value:?}");
            superseded += 1;
            assert!(values.calculated(calculated).is_none());
            assert!(values.ready().is_none());
        }
        assert_eq!(superseded, SUPERSEDED_MAX);
    }

    #[test]
    fn a_long_calculation_makes_the_next_one_likely_long() {
        let mut workbook = Workbook::new();
        for row in 1..2 * FIRST_STEPS as u32 {
            let cell = CellAddress::clamped(row, 0);
            let formula = parse(&format!("A{row}+1"), Host { sheet: SheetId(1), cell }, &workbook);
            workbook
                .sheet_mut(SheetId(1))
                .expect("the first sheet exists")
                .set_input(cell, &Input::Formula(formula));
        }
        let mut values = Values::default();
        assert!(!values.is_likely_short(&workbook), "many cells");
        let calculation = values.calculation(&workbook, Revision(1), EvaluationContext::default());
        assert!(values.calculated(finish(calculation.expect("no worker is calculating"))).is_none());
        assert!(!values.is_likely_short(&workbook));
        // This time no cell is dirty.
        assert!(values.add_records(&[empty_record(2)]).is_none());
        let calculation = values.calculation(&workbook, Revision(2), EvaluationContext::default());
        assert!(values.calculated(finish(calculation.expect("no worker is calculating"))).is_none());
        assert!(values.is_likely_short(&workbook));
    }

    #[test]
    fn dropping_the_room_ends_its_calculation() {
        let mut values = Values::default();
        let calculation = values.calculation(&long_formula(), Revision(1), EvaluationContext::default());
        drop(values);
        let calculated = finish(calculation.expect("no worker is calculating"));
        assert!(!calculated.is_finished && !calculated.is_superseded);
    }
}
