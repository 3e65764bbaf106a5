//! The rebase window of a session: the changes of others since the session's base revision, rebased
//! over the transactions that the session has submitted since (`P8`). Operational transformation
//! calls this the bridge of the client.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::{Transaction, are_disjoint, rebase_pair};
use quadrille_protocol::{Counter, ReplicaId, Revision};

use crate::recent_records::RecentRecords;

/// Changes of others that the next transaction of a session is rebased over.
///
/// The ring has them as they were recorded; `changed` holds only those that rebasing has altered.
/// Usually there are none, so that thousands of sessions use no memory here.
#[derive(Clone, Default)]
pub(crate) struct RebaseWindow {
    pub changed: BTreeMap<Revision, Arc<Transaction>>,
    /// All records after `own_after` up to `own_up_to` are the session's own.
    pub own_after: Revision,
    pub own_up_to: Revision,
}

impl RebaseWindow {
    /// Rebases the window over a transaction of the session that is already recorded as `recorded`.
    /// Returns `false` when the ring no longer has the records after `base`.
    pub fn skip_recorded(
        &mut self,
        mut transaction: Transaction,
        base: Revision,
        recorded: (ReplicaId, Counter),
        ring: &RecentRecords,
    ) -> bool {
        let Some(mut entries) = ring.after(base) else { return false };
        let Some(own) = entries.find(|entry| (entry.replica, entry.counter) == recorded) else { return true };
        let before =
            ring.after(base).expect("checked above").take_while(|entry| entry.revision < own.revision);
        for entry in before.filter(|entry| entry.replica != recorded.0) {
            let earlier = self.changed.get(&entry.revision).unwrap_or(&entry.transaction);
            let (rebased, earlier_rebased) = rebase_pair(&transaction, earlier);
            if earlier_rebased != **earlier {
                self.changed.insert(entry.revision, Arc::new(earlier_rebased));
            }
            transaction = rebased;
        }
        true
    }

    /// Rebases a transaction with base revision `base` over the changes of others up to the room's
    /// head. Returns it with whether there were such changes, or `None` when the ring no longer has
    /// the records after `base`.
    pub fn transform_against(
        &mut self,
        mut transaction: Transaction,
        base: Revision,
        replica: ReplicaId,
        ring: &RecentRecords,
    ) -> Option<(Transaction, bool)> {
        self.changed = self.changed.split_off(&base.next());
        if self.own_up_to == Revision(0) {
            self.own_after = base;
        }
        // A single fast writer can submit more than the ring holds; its own records need no
        // rebasing.
        let start = if base >= self.own_after { base.max(self.own_up_to) } else { base };
        let mut was_rebased = false;
        if is_planted(Fault::SubmissionsNotRebased) {
            return Some((transaction, was_rebased));
        }
        for entry in ring.after(start)?.filter(|entry| entry.replica != replica) {
            was_rebased = true;
            self.own_after = entry.revision;
            let earlier = self.changed.get(&entry.revision).unwrap_or(&entry.transaction);
            if are_disjoint(&transaction, earlier) {
                continue;
            }
            let (rebased, earlier_rebased) = rebase_pair(&transaction, earlier);
            if earlier_rebased != **earlier && !is_planted(Fault::RebaseWindowNotRebased) {
                self.changed.insert(entry.revision, Arc::new(earlier_rebased));
            }
            transaction = rebased;
        }
        Some((transaction, was_rebased))
    }
}
