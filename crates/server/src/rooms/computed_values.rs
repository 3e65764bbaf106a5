//! A room's computed values, for those who read it over REST.
//!
//! Sessions calculate for themselves and a room keeps only what was entered, so a room that nobody reads this way spends
//! nothing on formulas. The first reader has the whole workbook calculated, the next ones what changed since.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use quadrille_document::{Cancel, Document, EvaluationContext};
use quadrille_protocol::{Record, Revision};
use quadrille_workbook::Workbook;

use super::workers::{Size, Slice};
use crate::limits;
use crate::priority::{processor_time, rest};

/// Records after which a calculated document that nobody reads is given up.
const BEHIND_MAX: usize = 4_096;

/// The calculated document of a room, or where it is.
#[derive(Default)]
pub struct Values {
    state: State,
    /// Gone with the room, and with it the reason to calculate.
    wanted: Arc<Wanted>,
    /// How often in a row records came before all was calculated.
    superseded: u32,
    /// Records that the document does not have yet.
    behind: Vec<Arc<[u8]>>,
    /// The last calculation was not done within its first slice.
    was_long: bool,
}

/// Kept by whoever wants to know values. True when there are newer records than those being calculated.
pub type Wanted = AtomicBool;

/// Calculations in a row that newer records may end. The next one ends of itself, however much is written: what has a
/// value keeps it, but a single long formula would begin again and again.
const OVERTAKEN_MAX: u32 = 8;

/// Evaluation steps of the first slice: a millisecond or two.
const FIRST_STEPS: u64 = 100_000;
/// Of the processor's time: one formula may be long in few steps. What was begun is then begun anew in the next slice.
const FIRST_TIME_MAX: Duration = Duration::from_millis(20);
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
    time_and_seed: EvaluationContext,
    /// What it has taken so far.
    took: Duration,
    /// No slice of it has run yet. The first is short, since those who wait for little have it at once.
    is_new: bool,
    /// Nobody wants to know any more when this is the only one left.
    wanted: Weak<Wanted>,
    /// Newer records end it; they are calculated with.
    yields: bool,
}

enum From {
    Workbook(Workbook),
    Document(Box<Document>),
}

/// A calculated document.
pub struct Calculated {
    document: Box<Document>,
    pub revision: Revision,
    /// False when the time was up before all was calculated, or newer records came.
    pub is_finished: bool,
    /// There are newer records to go on with.
    pub is_superseded: bool,
    /// One slice was not enough.
    was_long: bool,
}

impl Values {
    /// The room has given these records their place. Gives the document that is of no more use, which takes long to drop.
    #[must_use]
    pub fn placed(&mut self, records: &[Arc<[u8]>]) -> Option<Box<Document>> {
        match &self.state {
            State::Absent => {}
            State::Here(_) if self.behind.len() + records.len() > BEHIND_MAX => return self.forget(),
            State::Here(_) => self.behind.extend_from_slice(records),
            State::Away => {
                self.behind.extend_from_slice(records);
                self.wanted.store(!self.behind.is_empty(), Ordering::Relaxed);
            }
        }
        None
    }

    fn forget(&mut self) -> Option<Box<Document>> {
        match mem::take(self).state {
            State::Here(document) => Some(document),
            State::Absent | State::Away => None,
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
    pub fn calculation(
        &mut self,
        workbook: &Workbook,
        head: Revision,
        time_and_seed: EvaluationContext,
    ) -> Option<Calculation> {
        let from = match mem::replace(&mut self.state, State::Away) {
            State::Away => return None,
            State::Absent => {
                self.behind.clear();
                From::Workbook(workbook.clone())
            }
            State::Here(document) => From::Document(document),
        };
        self.wanted.store(false, Ordering::Relaxed);
        let (records, wanted) = (mem::take(&mut self.behind), Arc::downgrade(&self.wanted));
        let gives_way = self.superseded < OVERTAKEN_MAX;
        Some(Calculation {
            from,
            records,
            revision: head,
            time_and_seed,
            took: Duration::ZERO,
            is_new: true,
            wanted,
            yields: gives_way,
        })
    }

    /// Whether `workbook` is likely to be calculated within the first slice: the last time it was, or there is little of it.
    pub fn is_likely_short(&self, workbook: &Workbook) -> bool {
        match self.state {
            _ if self.was_long => false,
            State::Here(_) => true,
            _ => Size::of(workbook) == Size::Small,
        }
    }

    /// Whether calculating them is what takes long, not storing what was written.
    pub fn are_long(&self) -> bool {
        self.was_long
    }

    /// A worker is done. Gives the document if it is of no more use.
    #[must_use]
    pub fn calculated(&mut self, calculated: Calculated) -> Option<Box<Document>> {
        self.was_long = calculated.was_long;
        self.superseded = if calculated.is_superseded { self.superseded + 1 } else { 0 };
        self.state = State::Here(calculated.document);
        if self.behind.len() > BEHIND_MAX { self.forget() } else { None }
    }

    /// The worker failed: begin anew with the next reader.
    pub fn give_up(&mut self) {
        *self = Values::default();
    }
}

impl Calculation {
    /// What ends a slice that began then before its steps are done.
    fn cancel(&self, began: Instant) -> Cancel {
        let (wanted, gives_way) = (self.wanted.clone(), self.yields);
        let until = began + TIME_MAX.saturating_sub(self.took);
        let first = self.is_new.then(|| (began + FIRST_TIME_MAX, processor_time() + FIRST_TIME_MAX));
        Cancel::when(move || {
            let now = Instant::now();
            rest(now);
            // On a busy machine the time may have gone to others.
            let is_first_over = || first.is_some_and(|(wall, own)| now >= wall && processor_time() >= own);
            wanted.strong_count() == 0 || gives_way && is_behind(&wanted) || now >= until || is_first_over()
        })
    }

    /// Of a workbook that belongs to no open room, for as long as `wanted` is there.
    pub fn of(
        workbook: Workbook,
        revision: Revision,
        time_and_seed: EvaluationContext,
        wanted: &Arc<Wanted>,
    ) -> Calculation {
        Calculation {
            from: From::Workbook(workbook),
            records: Vec::new(),
            revision,
            time_and_seed,
            took: Duration::ZERO,
            is_new: true,
            wanted: Arc::downgrade(wanted),
            yields: false,
        }
    }

    /// One slice of it; done when all is calculated, the time is up, nobody wants to know any more or newer records came. Of
    /// these the engine hears within milliseconds, also in the middle of a formula.
    pub fn slice(self) -> Slice<Calculated, Calculation> {
        let began = Instant::now();
        let cancel = self.cancel(began);
        let mut document = match self.from {
            From::Document(document) => document,
            From::Workbook(workbook) => {
                let mut document = Box::new(Document::from_workbook(workbook));
                // NOW() and RAND() of a room just opened see the moment it is read.
                document.apply(&Default::default(), self.time_and_seed);
                document
            }
        };
        for bytes in &self.records {
            let record = Record::decode(bytes).expect("the room wrote this record");
            let time_and_seed =
                EvaluationContext { time_ms: record.time_and_seed.time_ms, seed: record.time_and_seed.seed };
            document.apply(&record.transaction, time_and_seed);
        }
        if !document.is_calculated() {
            let steps = if self.is_new { FIRST_STEPS } else { limits::EVALUATION_STEPS };
            document.evaluate_until(steps, &cancel);
        }
        let (is_finished, took) = (document.is_calculated(), self.took + began.elapsed());
        let is_overtaken = !is_finished && self.yields && is_behind(&self.wanted);
        let is_given_up = is_overtaken || took >= TIME_MAX || self.wanted.strong_count() == 0;
        if is_finished || is_given_up {
            let was_long = !(is_finished && self.is_new);
            return Slice::Done(Calculated {
                document,
                revision: self.revision,
                is_finished,
                is_superseded: is_overtaken,
                was_long,
            });
        }
        let from = From::Document(document);
        Slice::More(Calculation { from, records: Vec::new(), took, is_new: false, ..self })
    }
}

const TIME_MAX: Duration = Duration::from_secs(limits::EVALUATION_SECONDS_MAX);

fn is_behind(wanted: &Weak<Wanted>) -> bool {
    wanted.upgrade().is_some_and(|is_behind| is_behind.load(Ordering::Relaxed))
}

impl Calculated {
    pub fn workbook(&self) -> Workbook {
        self.document.snapshot()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_cell::{CellAddress, SheetId};
    use quadrille_formula::{Host, parse};
    use quadrille_protocol::{Author, Counter, ReplicaId};
    use quadrille_workbook::Input;

    /// Some million steps, all of them within one formula.
    fn long() -> Workbook {
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
    fn newer_records_end_a_calculation_in_the_middle_of_a_formula_but_not_for_ever() {
        let workbook = long();
        let mut values = Values::default();
        let mut overtaken = 0;
        for revision in 1.. {
            let calculation = values.calculation(&workbook, Revision(revision), EvaluationContext::default());
            let calculation = calculation.expect("no worker is at it");
            // Somebody writes while it is under way.
            assert!(values.placed(&[empty_record(revision + 1)]).is_none());
            let calculated = finish(calculation);
            if !calculated.is_superseded {
                assert!(calculated.is_finished);
                break;
            }
            assert!(!calculated.is_finished);
            let shown = calculated.workbook().sheets()[0].value(CellAddress::clamped(0, 0));
            assert!(shown.is_blank(), "half of a formula is shown: {shown:?}");
            overtaken += 1;
            assert!(values.calculated(calculated).is_none());
            assert!(values.ready().is_none());
        }
        assert_eq!(overtaken, OVERTAKEN_MAX);
    }

    #[test]
    fn long_work_is_remembered() {
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
        assert!(values.calculated(finish(calculation.expect("no worker is at it"))).is_none());
        assert!(!values.is_likely_short(&workbook));
        // Nothing is dirty this time.
        assert!(values.placed(&[empty_record(2)]).is_none());
        let calculation = values.calculation(&workbook, Revision(2), EvaluationContext::default());
        assert!(values.calculated(finish(calculation.expect("no worker is at it"))).is_none());
        assert!(values.is_likely_short(&workbook));
    }

    #[test]
    fn a_closed_room_is_not_calculated() {
        let mut values = Values::default();
        let calculation = values.calculation(&long(), Revision(1), EvaluationContext::default());
        drop(values);
        let calculated = finish(calculation.expect("no worker is at it"));
        assert!(!calculated.is_finished && !calculated.is_superseded);
    }
}
