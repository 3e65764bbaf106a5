//! The person's own transactions that have no revision yet, on top of the confirmed document.
//!
//! What stands in the queue is always in the form that fits on the confirmed document plus the entries before
//! it; the room keeps the mirror image for each session (its bridge) and uses the same
//! [`rebase_pair`](quadrille_operation::rebase_pair), so that both agree on what a submission means.

use std::collections::{BTreeMap, VecDeque};

use quadrille_document::{Changes, Document, EvaluationContext};
use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{Transaction, are_apart, rebase_pair};
use quadrille_protocol::{Counter, PersistedTransaction};

use crate::limits::{IN_FLIGHT_MAX, UNCONFIRMED_BYTES_MAX, UNCONFIRMED_MAX};

/// One transaction that waits to be confirmed.
pub struct Pending {
    pub counter: Counter,
    pub transaction: Transaction,
    /// Takes it back, as long as it is the last one applied.
    inverse: Transaction,
    time_and_seed: EvaluationContext,
    bytes: usize,
    /// Whether whoever keeps the queue has it as it is.
    is_persisted: bool,
}

#[derive(Default)]
pub struct Unconfirmed {
    queue: VecDeque<Pending>,
    bytes: usize,
    /// Counters that have left the queue since they were last asked for; only while somebody keeps the queue.
    gone: Option<Vec<Counter>>,
    /// How many of the first ones were sent in this session.
    in_flight: usize,
}

impl Unconfirmed {
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.queue.len() >= UNCONFIRMED_MAX || self.bytes >= UNCONFIRMED_BYTES_MAX
    }

    /// From now on [`take_changed`](Self::take_changed) tells what to keep.
    pub fn keep(&mut self) {
        self.gone = Some(Vec::new());
    }

    /// Whether the queue has what is not kept yet.
    pub fn has_unpersisted(&self) -> bool {
        self.gone.is_some() && self.queue.iter().any(|pending| !pending.is_persisted)
    }

    pub fn has_gone(&self) -> bool {
        self.gone.as_ref().is_some_and(|gone| !gone.is_empty())
    }

    /// Counters that have left the queue, and what is new or was rebased, since the last call.
    pub fn take_changed(&mut self) -> (Vec<Counter>, Vec<(Counter, Vec<u8>)>) {
        let gone = self.gone.as_mut().map(std::mem::take).unwrap_or_default();
        let mut changed = Vec::new();
        for pending in self.queue.iter_mut().filter(|pending| !pending.is_persisted) {
            pending.is_persisted = true;
            let time_and_seed = quadrille_protocol::TimeAndSeed {
                time_ms: pending.time_and_seed.time_ms,
                seed: pending.time_and_seed.seed,
            };
            changed
                .push((pending.counter, PersistedTransaction::encode(time_and_seed, &pending.transaction)));
        }
        (gone, changed)
    }

    /// What takes the whole queue back, the newest first.
    pub fn inverses_newest_first(&self) -> impl Iterator<Item = &Transaction> {
        self.queue.iter().rev().map(|pending| &pending.inverse)
    }

    pub fn first_counter(&self) -> Option<Counter> {
        self.queue.front().map(|first| first.counter)
    }

    pub fn last_counter(&self) -> Option<Counter> {
        self.queue.back().map(|last| last.counter)
    }

    /// A new session begins: what was sent in an earlier one has to be sent again.
    pub fn nothing_is_sent(&mut self) {
        self.in_flight = 0;
    }

    /// The next one to send, as long as not too many are on their way; it counts as sent.
    pub fn next_to_send(&mut self) -> Option<&Pending> {
        if self.in_flight >= IN_FLIGHT_MAX {
            return None;
        }
        let next = self.queue.get(self.in_flight)?;
        self.in_flight += 1;
        Some(next)
    }

    /// Applies a new transaction of so many encoded bytes and queues it; its inverse, for undo.
    pub fn push(
        &mut self,
        document: &mut Document,
        changes: &mut Changes,
        counter: Counter,
        transaction: Transaction,
        bytes: usize,
        time_and_seed: EvaluationContext,
    ) -> Transaction {
        let applied = document.apply(&transaction, time_and_seed);
        changes.merge(applied.changes);
        self.bytes += bytes;
        let inverse = applied.inverse.clone();
        self.queue.push_back(Pending {
            counter,
            transaction,
            inverse: applied.inverse,
            time_and_seed,
            bytes,
            is_persisted: false,
        });
        inverse
    }

    /// Applies a confirmed transaction of somebody else beneath the queue. Returned are what it became on top
    /// of the queue, and whether the queue was taken back and applied again.
    pub fn confirm_other(
        &mut self,
        document: &mut Document,
        changes: &mut Changes,
        transaction: &Transaction,
        time_and_seed: EvaluationContext,
    ) -> (Transaction, bool) {
        if self.queue.iter().all(|pending| are_apart(&pending.transaction, transaction)) {
            // The order makes no difference: nothing needs to be taken back.
            changes.merge(document.apply(transaction, time_and_seed).changes);
            return (transaction.clone(), false);
        }
        self.take_back(document, changes, 0);
        changes.merge(document.apply(transaction, time_and_seed).changes);
        let mut other = transaction.clone();
        for pending in &mut self.queue {
            let (own, on_top) = rebase_pair(&pending.transaction, &other);
            if !is_planted(Fault::QueueStandsStill) {
                pending.is_persisted &= own == pending.transaction;
                pending.transaction = own;
            }
            other = on_top;
        }
        self.apply_again(document, changes, 0);
        (other, true)
    }

    /// By counter, what takes back each of the queue now.
    pub fn inverses(&self) -> BTreeMap<Counter, Transaction> {
        let mut inverses = BTreeMap::new();
        for pending in &self.queue {
            inverses.insert(pending.counter, pending.inverse.clone());
        }
        inverses
    }

    /// Takes note that the room has confirmed the first of the queue as `transaction`. When that is not what
    /// was applied here, the queue is taken back and applied again, and what takes the first back is returned.
    pub fn confirm_own(
        &mut self,
        document: &mut Document,
        changes: &mut Changes,
        transaction: &Transaction,
        time_and_seed: EvaluationContext,
    ) -> Option<Transaction> {
        let first = self.queue.front().expect("the caller compared the first one's counter");
        if first.transaction == *transaction {
            self.forget_first();
            // The server's stamp takes the place of the guess; NOW() and RAND() follow.
            changes.merge(document.apply(&Transaction::default(), time_and_seed).changes);
            return None;
        }
        self.take_back(document, changes, 0);
        self.forget_first();
        let applied = document.apply(transaction, time_and_seed);
        changes.merge(applied.changes);
        self.apply_again(document, changes, 0);
        Some(applied.inverse)
    }

    fn forget_first(&mut self) {
        if let Some(first) = self.queue.pop_front() {
            self.bytes -= first.bytes;
            self.in_flight = self.in_flight.saturating_sub(1);
            self.leave(first.counter);
        }
    }

    fn leave(&mut self, counter: Counter) {
        if let Some(gone) = &mut self.gone {
            gone.push(counter);
        }
    }

    /// Takes back the one with this counter, and rebases those after it as if it had never been; they have to
    /// be sent again.
    /// `false` when it is not in the queue.
    pub fn withdraw(&mut self, document: &mut Document, changes: &mut Changes, counter: Counter) -> bool {
        let Some(at) = self.queue.iter().position(|pending| pending.counter == counter) else { return false };
        self.take_back(document, changes, at);
        let withdrawn = self.queue.remove(at).expect("found above");
        self.bytes -= withdrawn.bytes;
        self.leave(withdrawn.counter);
        self.in_flight = self.in_flight.min(at);
        let mut inverse = withdrawn.inverse;
        for pending in self.queue.iter_mut().skip(at) {
            let (transaction, rest) = rebase_pair(&pending.transaction, &inverse);
            pending.is_persisted = false;
            (pending.transaction, inverse) = (transaction, rest);
        }
        self.apply_again(document, changes, at);
        true
    }

    /// After the document was replaced by a snapshot: forgets what the snapshot holds, applies the rest.
    pub fn start_again(&mut self, document: &mut Document, changes: &mut Changes, confirmed: Counter) {
        while self.queue.front().is_some_and(|first| first.counter <= confirmed) {
            self.forget_first();
        }
        self.apply_again(document, changes, 0);
    }

    fn take_back(&mut self, document: &mut Document, changes: &mut Changes, from: usize) {
        for pending in self.queue.iter().skip(from).rev() {
            changes.merge(document.apply(&pending.inverse, pending.time_and_seed).changes);
        }
    }

    fn apply_again(&mut self, document: &mut Document, changes: &mut Changes, from: usize) {
        for pending in self.queue.iter_mut().skip(from) {
            let applied = document.apply(&pending.transaction, pending.time_and_seed);
            pending.inverse = applied.inverse;
            changes.merge(applied.changes);
        }
    }
}
