//! Undo and redo of one's own transactions, whatever others did in between.
//!
//! A step keeps the inverse as it was when the step was made, and what others did between it and the next own
//! step. Undoing brings the inverse past those transactions and leaves alone what they wrote; what they
//! become without the step is handed down to the step before. So the cost of a remote transaction is one
//! push, and the work is done when somebody presses Ctrl+Z.

use std::collections::{BTreeMap, VecDeque};

use quadrille_cell::SheetId;
use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{Operation, Transaction, rebase, rebase_undo};
use quadrille_protocol::Counter;

use crate::limits::{UNDO_STEPS_MAX, UNDO_TRANSACTIONS_MAX};

struct Step {
    /// The transaction that made the step.
    made_by: Counter,
    inverse: Transaction,
    /// Others' transactions since this step and before the next.
    since: Vec<Transaction>,
}

impl Step {
    /// What takes the step back now, and what the others' transactions are without it.
    fn now(self) -> (Transaction, Vec<Transaction>) {
        let mut inverse = self.inverse;
        let mut without = Vec::with_capacity(self.since.len());
        for other in self.since {
            let next = match is_planted(Fault::UndoOverOthers) {
                true => rebase(&inverse, &other),
                false => rebase_undo(&inverse, &other),
            };
            without.push(rebase(&other, &inverse));
            inverse = next;
        }
        (inverse, without)
    }
}

/// Steps of one direction, the newest last.
#[derive(Default)]
struct Steps {
    steps: VecDeque<Step>,
    /// Transactions in all `since` together.
    transactions: usize,
}

impl Steps {
    fn push(&mut self, made_by: Counter, inverse: Transaction) {
        self.steps.push_back(Step { made_by, inverse, since: Vec::new() });
        if self.steps.len() > UNDO_STEPS_MAX {
            self.forget_oldest();
        }
    }

    fn others(&mut self, transactions: impl IntoIterator<Item = Transaction>) {
        let Some(newest) = self.steps.back_mut() else { return };
        let before = newest.since.len();
        newest.since.extend(transactions);
        self.transactions += newest.since.len() - before;
        while self.transactions > UNDO_TRANSACTIONS_MAX && !self.steps.is_empty() {
            self.shorten();
        }
    }

    /// Makes the oldest step carry less: nothing below it needs what it remembers of others.
    fn shorten(&mut self) {
        let Some(oldest) = self.steps.pop_front() else { return };
        self.transactions -= oldest.since.len();
        let (was_current, made_by) = (oldest.since.is_empty(), oldest.made_by);
        let (inverse, _) = oldest.now();
        if !was_current && !inverse.operations.is_empty() {
            self.steps.push_front(Step { made_by, inverse, since: Vec::new() });
        }
    }

    /// The unconfirmed steps, which are the newest, stand on other ground now: what others did meanwhile is
    /// beneath them. `false` when no step here is unconfirmed.
    fn lift(&mut self, unconfirmed: &BTreeMap<Counter, Transaction>, beneath: Option<&Transaction>) -> bool {
        let Some(first) = self.steps.iter().position(|step| unconfirmed.contains_key(&step.made_by)) else {
            return false;
        };
        let mut others = Vec::new();
        for step in self.steps.iter_mut().skip(first) {
            others.append(&mut step.since);
            if let Some(inverse) = unconfirmed.get(&step.made_by) {
                step.inverse = inverse.clone();
            }
        }
        self.transactions -= others.len();
        others.extend(beneath.cloned());
        if let Some(below) = first.checked_sub(1) {
            self.transactions += others.len();
            self.steps[below].since.append(&mut others);
        }
        true
    }

    fn pop(&mut self) -> Option<UndoStep> {
        let step = self.steps.pop_back()?;
        self.transactions -= step.since.len();
        let sheets = step.inverse.operations.iter().filter_map(Operation::sheet).collect();
        let made_by = step.made_by;
        let (transaction, without) = step.now();
        self.others(without);
        Some(UndoStep { made_by, transaction, sheets })
    }

    /// Forgets the step that this transaction made, as if it had never been.
    fn forget(&mut self, made_by: Counter) {
        let Some(at) = self.steps.iter().position(|step| step.made_by == made_by) else { return };
        let step = self.steps.remove(at).expect("found above");
        self.transactions -= step.since.len();
        let (_, without) = step.now();
        if let Some(below) = at.checked_sub(1) {
            self.transactions += without.len();
            self.steps[below].since.extend(without);
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(oldest) = self.steps.pop_front() {
            self.transactions -= oldest.since.len();
        }
    }

    fn clear(&mut self) {
        *self = Steps::default();
    }
}

/// A step to take back now.
pub struct UndoStep {
    made_by: Counter,
    /// Without operations when others have overwritten all of it.
    pub transaction: Transaction,
    /// The sheets it was about when it was made.
    pub sheets: Vec<SheetId>,
}

/// Which way a step goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UndoDirection {
    Undo,
    Redo,
}

#[derive(Default)]
pub struct History {
    undo: Steps,
    redo: Steps,
    /// There were steps when it was cleared.
    is_forgotten: bool,
}

impl History {
    /// Something new was done: it can be undone, and what was undone before can no longer be redone.
    pub fn done(&mut self, made_by: Counter, inverse: Transaction) {
        self.undo.push(made_by, inverse);
        self.redo.clear();
    }

    /// Somebody else did something, in the form it has on top of everything own.
    pub fn other(&mut self, transaction: Transaction) {
        if transaction.operations.iter().all(|operation| *operation == Operation::Tick) {
            return; // changes nothing that could be undone
        }
        self.redo.others([transaction.clone()]);
        self.undo.others([transaction]);
    }

    /// The unconfirmed transactions were taken back and applied again; by counter, what takes them back now.
    /// If somebody else's transaction was the reason, it is `beneath` them as the room has it, and `on_top` of
    /// everything in the other form.
    pub fn lifted(
        &mut self,
        unconfirmed: &BTreeMap<Counter, Transaction>,
        beneath: Option<&Transaction>,
        on_top: Option<Transaction>,
    ) {
        for steps in [&mut self.undo, &mut self.redo] {
            if !steps.lift(unconfirmed, beneath) {
                steps.others(on_top.clone().filter(|other| !other.operations.is_empty()));
            }
        }
    }

    pub fn can(&self, way: UndoDirection) -> bool {
        match way {
            UndoDirection::Undo => !self.undo.steps.is_empty(),
            UndoDirection::Redo => !self.redo.steps.is_empty(),
        }
    }

    /// The transaction that takes the newest step back (or does it again). It may have no operations, when
    /// others have overwritten all of it. Apply it, then say so with [`stepped`](History::stepped).
    pub fn step(&mut self, way: UndoDirection) -> Option<UndoStep> {
        match way {
            UndoDirection::Undo => self.undo.pop(),
            UndoDirection::Redo => self.redo.pop(),
        }
    }

    /// The transaction of [`step`](History::step) may not be applied now; perhaps later.
    pub fn not_stepped(&mut self, way: UndoDirection, taken: UndoStep) {
        match way {
            UndoDirection::Undo => self.undo.push(taken.made_by, taken.transaction),
            UndoDirection::Redo => self.redo.push(taken.made_by, taken.transaction),
        }
    }

    /// The transaction of [`step`](History::step) was applied; `inverse` takes it back.
    pub fn stepped(&mut self, way: UndoDirection, made_by: Counter, inverse: Transaction) {
        match way {
            UndoDirection::Undo => self.redo.push(made_by, inverse),
            UndoDirection::Redo => self.undo.push(made_by, inverse),
        }
    }

    /// The room has refused this transaction, and the unconfirmed ones after it were applied without it; by
    /// counter, what takes those back now.
    pub fn refused(&mut self, made_by: Counter, unconfirmed: &BTreeMap<Counter, Transaction>) {
        for steps in [&mut self.undo, &mut self.redo] {
            steps.lift(unconfirmed, None);
            steps.forget(made_by);
        }
    }

    pub fn clear(&mut self) {
        let is_forgotten = self.is_forgotten || self.can(UndoDirection::Undo);
        *self = History { is_forgotten, ..History::default() };
    }

    /// Whether there were steps that nobody can take back any more.
    pub fn is_forgotten(&self) -> bool {
        self.is_forgotten
    }
}
