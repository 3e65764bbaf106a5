//! [`History`]: undo and redo of the user's own transactions, independent of concurrent changes by
//! others (P18).
//!
//! A step has the inverse at the time it was made, and the transactions of others between it and
//! the next own step. Undo rebases the inverse over those transactions, so it does not revert what
//! they wrote; their form without the step is passed on to the previous step. A remote transaction
//! therefore costs one push, and the rebasing is done on undo.

use std::collections::{BTreeMap, VecDeque};

use quadrille_cell::SheetId;
use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{Operation, Transaction, rebase, rebase_undo};
use quadrille_protocol::Counter;

use crate::limits::{UNDO_STEPS_MAX, UNDO_TRANSACTIONS_MAX};

/// A step that can be undone or redone.
struct Step {
    /// The transaction that made the step.
    made_by: Counter,
    inverse: Transaction,
    /// Transactions of others since this step and before the next one.
    since: Vec<Transaction>,
}

impl Step {
    /// Rebases the inverse over the others' transactions. Returns the inverse to apply now, and the
    /// others' transactions without the step.
    fn rebase_inverse(self) -> (Transaction, Vec<Transaction>) {
        let mut inverse = self.inverse;
        let mut without = Vec::with_capacity(self.since.len());
        for other in self.since {
            let next = match is_planted(Fault::UndoOverwritesOthers) {
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
    /// Number of transactions in all `since` lists.
    transactions: usize,
}

impl Steps {
    fn push(&mut self, made_by: Counter, inverse: Transaction) {
        self.steps.push_back(Step { made_by, inverse, since: Vec::new() });
        if self.steps.len() > UNDO_STEPS_MAX {
            self.discard_oldest();
        }
    }

    fn push_remote(&mut self, transactions: impl IntoIterator<Item = Transaction>) {
        let Some(newest) = self.steps.back_mut() else { return };
        let before = newest.since.len();
        newest.since.extend(transactions);
        self.transactions += newest.since.len() - before;
        while self.transactions > UNDO_TRANSACTIONS_MAX && !self.steps.is_empty() {
            self.reduce_oldest();
        }
    }

    /// Reduces the oldest step: its inverse is rebased, and the transactions of others are
    /// discarded, because no older step needs them.
    fn reduce_oldest(&mut self) {
        let Some(oldest) = self.steps.pop_front() else { return };
        self.transactions -= oldest.since.len();
        let (was_up_to_date, made_by) = (oldest.since.is_empty(), oldest.made_by);
        let (inverse, _) = oldest.rebase_inverse();
        if !was_up_to_date && !inverse.operations.is_empty() {
            self.steps.push_front(Step { made_by, inverse, since: Vec::new() });
        }
    }

    /// Updates the unconfirmed steps, which are the newest, after they were rebased: the concurrent
    /// changes of others now precede them. Returns whether there is an unconfirmed step.
    fn update_unconfirmed(
        &mut self,
        unconfirmed: &BTreeMap<Counter, Transaction>,
        beneath: Option<&Transaction>,
    ) -> bool {
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
        let (transaction, without) = step.rebase_inverse();
        self.push_remote(without);
        Some(UndoStep { made_by, transaction, sheets })
    }

    /// Removes the step of a transaction, as if it had never been made.
    fn remove(&mut self, made_by: Counter) {
        let Some(at) = self.steps.iter().position(|step| step.made_by == made_by) else { return };
        let step = self.steps.remove(at).expect("found above");
        self.transactions -= step.since.len();
        let (_, without) = step.rebase_inverse();
        if let Some(below) = at.checked_sub(1) {
            self.transactions += without.len();
            self.steps[below].since.extend(without);
        }
    }

    fn discard_oldest(&mut self) {
        if let Some(oldest) = self.steps.pop_front() {
            self.transactions -= oldest.since.len();
        }
    }

    fn clear(&mut self) {
        *self = Steps::default();
    }
}

/// A step to undo or redo now.
pub struct UndoStep {
    made_by: Counter,
    /// The transaction to apply; empty if others have overwritten everything.
    pub transaction: Transaction,
    /// Sheets that the step changed when it was made.
    pub sheets: Vec<SheetId>,
}

/// Direction of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UndoDirection {
    Undo,
    Redo,
}

/// The undo and redo steps of a replica.
#[derive(Default)]
pub struct History {
    undo: Steps,
    redo: Steps,
    /// Whether steps were discarded by [`clear`](Self::clear).
    is_discarded: bool,
}

impl History {
    /// Adds a step for a new transaction and discards the steps to redo.
    pub fn push(&mut self, made_by: Counter, inverse: Transaction) {
        self.undo.push(made_by, inverse);
        self.redo.clear();
    }

    /// Adds a transaction of another replica, in its form after all own transactions.
    pub fn push_remote(&mut self, transaction: Transaction) {
        if transaction.operations.iter().all(|operation| *operation == Operation::Tick) {
            return; // changes no content
        }
        self.redo.push_remote([transaction.clone()]);
        self.undo.push_remote([transaction]);
    }

    /// Updates the steps after the unconfirmed transactions were reverted and applied again.
    /// `unconfirmed` has their current inverses by counter. If the cause was a transaction of
    /// another replica, `beneath` is its confirmed form and `on_top` its form after all own
    /// transactions.
    pub fn rebased(
        &mut self,
        unconfirmed: &BTreeMap<Counter, Transaction>,
        beneath: Option<&Transaction>,
        on_top: Option<Transaction>,
    ) {
        for steps in [&mut self.undo, &mut self.redo] {
            if !steps.update_unconfirmed(unconfirmed, beneath) {
                steps.push_remote(on_top.clone().filter(|other| !other.operations.is_empty()));
            }
        }
    }

    /// Returns whether there is a step.
    pub fn has_step(&self, direction: UndoDirection) -> bool {
        match direction {
            UndoDirection::Undo => !self.undo.steps.is_empty(),
            UndoDirection::Redo => !self.redo.steps.is_empty(),
        }
    }

    /// Removes the newest step and returns the transaction to apply. The transaction is empty if
    /// others have overwritten everything. After applying it, call
    /// [`finish_step`](History::finish_step).
    pub fn begin_step(&mut self, direction: UndoDirection) -> Option<UndoStep> {
        match direction {
            UndoDirection::Undo => self.undo.pop(),
            UndoDirection::Redo => self.redo.pop(),
        }
    }

    /// Restores the step of [`begin_step`](History::begin_step), whose transaction was not applied.
    pub fn cancel_step(&mut self, direction: UndoDirection, taken: UndoStep) {
        match direction {
            UndoDirection::Undo => self.undo.push(taken.made_by, taken.transaction),
            UndoDirection::Redo => self.redo.push(taken.made_by, taken.transaction),
        }
    }

    /// Records that the transaction of [`begin_step`](History::begin_step) was applied; `inverse`
    /// reverts it.
    pub fn finish_step(&mut self, direction: UndoDirection, made_by: Counter, inverse: Transaction) {
        match direction {
            UndoDirection::Undo => self.redo.push(made_by, inverse),
            UndoDirection::Redo => self.undo.push(made_by, inverse),
        }
    }

    /// Removes the step of a transaction that the room rejected. `unconfirmed` has the current
    /// inverses of the later unconfirmed transactions by counter.
    pub fn remove_rejected(&mut self, made_by: Counter, unconfirmed: &BTreeMap<Counter, Transaction>) {
        for steps in [&mut self.undo, &mut self.redo] {
            steps.update_unconfirmed(unconfirmed, None);
            steps.remove(made_by);
        }
    }

    /// Discards all steps.
    pub fn clear(&mut self) {
        let is_discarded = self.is_discarded || self.has_step(UndoDirection::Undo);
        *self = History { is_discarded, ..History::default() };
    }

    /// Returns whether steps were discarded.
    pub fn is_discarded(&self) -> bool {
        self.is_discarded
    }
}
