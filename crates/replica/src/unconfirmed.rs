//! [`Unconfirmed`]: the queue of own transactions without a revision, on top of the confirmed
//! document.
//!
//! Each transaction of the queue is always rebased over the confirmed document and the entries
//! before it. The room keeps the counterpart for each session, its rebase window, and uses the same
//! [`rebase_pair`](quadrille_operation::rebase_pair), so both agree on the meaning of a submission
//! (P8).

use std::collections::{BTreeMap, VecDeque};

use quadrille_document::{Changes, Document, EvaluationContext};
use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{Transaction, are_disjoint, rebase_pair};
use quadrille_protocol::{Counter, PersistedTransaction};

use crate::limits::{IN_FLIGHT_MAX, UNCONFIRMED_BYTES_MAX, UNCONFIRMED_MAX};

/// An unconfirmed transaction.
pub struct Pending {
    pub counter: Counter,
    pub transaction: Transaction,
    /// Reverts the transaction if it is the last one applied.
    inverse: Transaction,
    context: EvaluationContext,
    bytes: usize,
    /// Whether local storage has the transaction in this form.
    is_persisted: bool,
}

/// The queue of unconfirmed transactions.
#[derive(Default)]
pub struct Unconfirmed {
    queue: VecDeque<Pending>,
    bytes: usize,
    /// Counters that have left the queue since the last call of `take_changed`; `None` if the queue
    /// is not persisted.
    removed: Option<Vec<Counter>>,
    /// Number of transactions, from the first, that were sent in this session.
    in_flight: usize,
}

impl Unconfirmed {
    /// Returns the number of unconfirmed transactions.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Returns whether there are no unconfirmed transactions.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns whether a limit of the queue is reached.
    pub fn is_full(&self) -> bool {
        self.queue.len() >= UNCONFIRMED_MAX || self.bytes >= UNCONFIRMED_BYTES_MAX
    }

    /// Starts to collect changes for [`take_changed`](Self::take_changed).
    pub fn enable_persistence(&mut self) {
        self.removed = Some(Vec::new());
    }

    /// Returns whether the queue has transactions that are not stored.
    pub fn has_unpersisted(&self) -> bool {
        self.removed.is_some() && self.queue.iter().any(|pending| !pending.is_persisted)
    }

    /// Returns whether transactions have left the queue since they were last stored.
    pub fn has_removed(&self) -> bool {
        self.removed.as_ref().is_some_and(|removed| !removed.is_empty())
    }

    /// Returns the counters that have left the queue, and the transactions that are new or were
    /// rebased, since the last call.
    pub fn take_changed(&mut self) -> (Vec<Counter>, Vec<(Counter, Vec<u8>)>) {
        let removed = self.removed.as_mut().map(std::mem::take).unwrap_or_default();
        let mut changed = Vec::new();
        for pending in self.queue.iter_mut().filter(|pending| !pending.is_persisted) {
            pending.is_persisted = true;
            let time_and_seed = quadrille_protocol::TimeAndSeed {
                time_ms: pending.context.time_ms,
                seed: pending.context.seed,
            };
            changed
                .push((pending.counter, PersistedTransaction::encode(time_and_seed, &pending.transaction)));
        }
        (removed, changed)
    }

    /// Returns the inverses of all transactions, the newest first.
    pub fn inverses_newest_first(&self) -> impl Iterator<Item = &Transaction> {
        self.queue.iter().rev().map(|pending| &pending.inverse)
    }

    /// Returns the counter of the first transaction.
    pub fn first_counter(&self) -> Option<Counter> {
        self.queue.front().map(|first| first.counter)
    }

    /// Returns the counter of the last transaction.
    pub fn last_counter(&self) -> Option<Counter> {
        self.queue.back().map(|last| last.counter)
    }

    /// Starts a new session, in which all transactions have to be sent again.
    pub fn reset_in_flight(&mut self) {
        self.in_flight = 0;
    }

    /// Returns the next transaction to send and counts it as sent; `None` if too many are in
    /// flight.
    pub fn next_to_send(&mut self) -> Option<&Pending> {
        if self.in_flight >= IN_FLIGHT_MAX {
            return None;
        }
        let next = self.queue.get(self.in_flight)?;
        self.in_flight += 1;
        Some(next)
    }

    /// Applies and queues a new transaction, whose encoding has `bytes` bytes. Returns its inverse.
    pub fn push(
        &mut self,
        document: &mut Document,
        changes: &mut Changes,
        counter: Counter,
        transaction: Transaction,
        bytes: usize,
        context: EvaluationContext,
    ) -> Transaction {
        let applied = document.apply(&transaction, context);
        changes.merge(applied.changes);
        self.bytes += bytes;
        let inverse = applied.inverse.clone();
        self.queue.push_back(Pending {
            counter,
            transaction,
            inverse: applied.inverse,
            context,
            bytes,
            is_persisted: false,
        });
        inverse
    }

    /// Applies a confirmed transaction of another replica beneath the queue. Returns its form after
    /// the queue, and whether the queue was reverted and applied again.
    pub fn confirm_other(
        &mut self,
        document: &mut Document,
        changes: &mut Changes,
        transaction: &Transaction,
        context: EvaluationContext,
    ) -> (Transaction, bool) {
        if self.queue.iter().all(|pending| are_disjoint(&pending.transaction, transaction)) {
            // The order does not matter, so the queue need not be reverted.
            changes.merge(document.apply(transaction, context).changes);
            return (transaction.clone(), false);
        }
        self.revert_from(document, changes, 0);
        changes.merge(document.apply(transaction, context).changes);
        let mut other = transaction.clone();
        for pending in &mut self.queue {
            let (own, on_top) = rebase_pair(&pending.transaction, &other);
            if !is_planted(Fault::UnconfirmedNotRebased) {
                pending.is_persisted &= own == pending.transaction;
                pending.transaction = own;
            }
            other = on_top;
        }
        self.reapply_from(document, changes, 0);
        (other, true)
    }

    /// Returns the current inverse of each transaction by counter.
    pub fn inverses(&self) -> BTreeMap<Counter, Transaction> {
        let mut inverses = BTreeMap::new();
        for pending in &self.queue {
            inverses.insert(pending.counter, pending.inverse.clone());
        }
        inverses
    }

    /// Removes the first transaction, which the room has confirmed as `transaction`. If that
    /// differs from the applied form, the queue is reverted and applied again, and the inverse of
    /// the confirmed form is returned.
    pub fn confirm_own(
        &mut self,
        document: &mut Document,
        changes: &mut Changes,
        transaction: &Transaction,
        context: EvaluationContext,
    ) -> Option<Transaction> {
        let first = self.queue.front().expect("the caller compared the first one's counter");
        if first.transaction == *transaction {
            self.remove_first();
            // The server's time and seed replace the local ones, which affects NOW() and RAND().
            changes.merge(document.apply(&Transaction::default(), context).changes);
            return None;
        }
        self.revert_from(document, changes, 0);
        self.remove_first();
        let applied = document.apply(transaction, context);
        changes.merge(applied.changes);
        self.reapply_from(document, changes, 0);
        Some(applied.inverse)
    }

    fn remove_first(&mut self) {
        if let Some(first) = self.queue.pop_front() {
            self.bytes -= first.bytes;
            self.in_flight = self.in_flight.saturating_sub(1);
            self.record_removed(first.counter);
        }
    }

    fn record_removed(&mut self, counter: Counter) {
        if let Some(removed) = &mut self.removed {
            removed.push(counter);
        }
    }

    /// Reverts and removes the transaction with this counter, and rebases the later ones as if it
    /// had never been made. They have to be sent again. Returns `false` if the transaction is not
    /// in the queue.
    pub fn withdraw(&mut self, document: &mut Document, changes: &mut Changes, counter: Counter) -> bool {
        let Some(at) = self.queue.iter().position(|pending| pending.counter == counter) else { return false };
        self.revert_from(document, changes, at);
        let withdrawn = self.queue.remove(at).expect("found above");
        self.bytes -= withdrawn.bytes;
        self.record_removed(withdrawn.counter);
        self.in_flight = self.in_flight.min(at);
        let mut inverse = withdrawn.inverse;
        for pending in self.queue.iter_mut().skip(at) {
            let (transaction, rest) = rebase_pair(&pending.transaction, &inverse);
            pending.is_persisted = false;
            (pending.transaction, inverse) = (transaction, rest);
        }
        self.reapply_from(document, changes, at);
        true
    }

    /// Removes the transactions that a new snapshot contains and applies the others on top of it.
    pub fn reapply_on_snapshot(
        &mut self,
        document: &mut Document,
        changes: &mut Changes,
        confirmed: Counter,
    ) {
        while self.queue.front().is_some_and(|first| first.counter <= confirmed) {
            self.remove_first();
        }
        self.reapply_from(document, changes, 0);
    }

    fn revert_from(&mut self, document: &mut Document, changes: &mut Changes, from: usize) {
        for pending in self.queue.iter().skip(from).rev() {
            changes.merge(document.apply(&pending.inverse, pending.context).changes);
        }
    }

    fn reapply_from(&mut self, document: &mut Document, changes: &mut Changes, from: usize) {
        for pending in self.queue.iter_mut().skip(from) {
            let applied = document.apply(&pending.transaction, pending.context);
            pending.inverse = applied.inverse;
            changes.merge(applied.changes);
        }
    }
}
