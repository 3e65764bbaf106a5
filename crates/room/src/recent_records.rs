//! The room's newest records: what sessions a little behind are served from, and what submissions are
//! rebased over.

use std::collections::VecDeque;
use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::Transaction;
use quadrille_protocol::{Counter, ReplicaId, Revision};

use crate::limits::{Bounds, LONG_RECORD_BYTES};

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub revision: Revision,
    pub replica: ReplicaId,
    pub counter: Counter,
    pub bytes: Arc<[u8]>,
    pub transaction: Arc<Transaction>,
}

/// Consecutive revisions up to the room's head.
#[derive(Clone, Debug)]
pub(crate) struct RecentRecords {
    entries: VecDeque<Entry>,
    bytes: usize,
    /// The revision before the first entry.
    base: Revision,
}

impl RecentRecords {
    /// A ring that holds nothing and knows nothing before `base`.
    pub fn new(base: Revision) -> RecentRecords {
        RecentRecords { entries: VecDeque::new(), bytes: 0, base }
    }

    pub fn push(&mut self, entry: Entry) {
        debug_assert_eq!(
            entry.revision.0,
            self.base.0 + self.entries.len() as u64 + 1,
            "revisions have no gaps"
        );
        self.bytes += entry.bytes.len();
        self.entries.push_back(entry);
    }

    /// Forgets the oldest records beyond the bounds, but none after `keep_after`; gives those that are long.
    pub fn trim(&mut self, bounds: &Bounds, keep_after: Revision) -> Vec<Entry> {
        let mut long = Vec::new();
        if is_planted(Fault::RingGrows) {
            return long;
        }
        while self.entries.len() > bounds.ring_records || self.bytes > bounds.ring_bytes {
            match self.entries.front() {
                Some(oldest) if oldest.revision <= keep_after => {
                    self.bytes -= oldest.bytes.len();
                    self.base = oldest.revision;
                    let forgotten = self.entries.pop_front();
                    long.extend(forgotten.filter(|entry| entry.bytes.len() >= LONG_RECORD_BYTES));
                }
                _ => break,
            }
        }
        long
    }

    /// Everything after `base`, which the ring must still know.
    pub fn after(&self, base: Revision) -> Option<impl Iterator<Item = &Entry>> {
        let skip = base.0.checked_sub(self.base.0)?;
        Some(self.entries.iter().skip(skip as usize))
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes of the records after a revision.
    pub fn bytes_after(&self, revision: Revision) -> usize {
        let newest_first = self.entries.iter().rev();
        newest_first.take_while(|entry| entry.revision > revision).map(|entry| entry.bytes.len()).sum()
    }

    pub fn knows(&self, base: Revision) -> bool {
        base >= self.base
    }
}
