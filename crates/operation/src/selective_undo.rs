//! [`SelectiveUndo`]: reverts chosen transactions of a history and keeps all others.
//!
//! Source: the selective undo of collaborative editors, as described by Prakash and Knister, "A
//! framework for undoing actions in collaborative systems" (ACM TOCHI 1, 1994): an earlier operation
//! is reverted by its inverse, transformed over everything that followed.

use quadrille_workbook::Workbook;

use crate::{Transaction, apply, rebase, rebase_undo};

/// A history that is replayed, oldest transaction first, to revert some of its transactions.
///
/// The rules are those of a user's own undo (P18): later changes by others are kept, and the
/// reverted cells follow rows and columns that moved. The newest of the chosen transactions is
/// reverted first, so that the contents before the oldest of them come back.
#[derive(Clone)]
pub struct SelectiveUndo {
    workbook: Workbook,
    reverted: Vec<Reverted>,
}

/// A transaction to revert.
#[derive(Clone)]
struct Reverted {
    inverse: Transaction,
    /// The transactions that stay, after this one and before the next reverted one.
    kept_since: Vec<Transaction>,
}

impl SelectiveUndo {
    /// Begins with the workbook before the first transaction.
    pub fn new(workbook: Workbook) -> SelectiveUndo {
        SelectiveUndo { workbook, reverted: Vec::new() }
    }

    /// Adds the next transaction of the history.
    pub fn add(&mut self, transaction: Transaction, is_reverted: bool) {
        let inverse = apply(&mut self.workbook, &transaction).inverse;
        if is_reverted {
            self.reverted.push(Reverted { inverse, kept_since: Vec::new() });
        } else if let Some(last) = self.reverted.last_mut() {
            last.kept_since.push(transaction);
        }
    }

    /// The number of transactions to revert.
    pub fn reverted_count(&self) -> usize {
        self.reverted.len()
    }

    /// The workbook after all transactions that were added.
    pub fn workbook(&self) -> &Workbook {
        &self.workbook
    }

    /// Returns the transaction that reverts the chosen ones, to be applied after all that were
    /// added. It has no operations if later transactions have overwritten everything.
    pub fn transaction(&self) -> Transaction {
        let mut operations = Vec::new();
        // The kept transactions after the current one, as if the newer chosen ones had not been made.
        let mut kept: Vec<Transaction> = Vec::new();
        for step in self.reverted.iter().rev() {
            let mut inverse = step.inverse.clone();
            let mut without = Vec::with_capacity(step.kept_since.len() + kept.len());
            for other in step.kept_since.iter().chain(&kept) {
                let next = rebase_undo(&inverse, other);
                without.push(rebase(other, &inverse));
                inverse = next;
            }
            operations.extend(inverse.operations);
            kept = without;
        }
        Transaction { operations }
    }
}
