//! The ring of the room's newest records: sessions a little behind are served from it, and
//! submissions are rebased over it.

use std::collections::VecDeque;
use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_operation::Transaction;
use quadrille_protocol::{Counter, ReplicaId, Revision};

use crate::limits::{Bounds, LARGE_RECORD_BYTES};

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub revision: Revision,
    pub replica: ReplicaId,
    pub counter: Counter,
    /// The encoded record.
    pub bytes: Arc<[u8]>,
    pub transaction: Arc<Transaction>,
}

/// Records of consecutive revisions up to the room's head.
#[derive(Clone, Debug)]
pub(crate) struct RecentRecords {
    entries: VecDeque<Entry>,
    bytes: usize,
    /// The revision before the first entry.
    base: Revision,
}

impl RecentRecords {
    /// An empty ring that continues after `base`.
    pub fn new(base: Revision) -> RecentRecords {
        RecentRecords { entries: VecDeque::new(), bytes: 0, base }
    }

    /// Appends the record of the next revision.
    pub fn push(&mut self, entry: Entry) {
        debug_assert_eq!(
            entry.revision.0,
            self.base.0 + self.entries.len() as u64 + 1,
            "revisions have no gaps"
        );
        self.bytes += entry.bytes.len();
        self.entries.push_back(entry);
    }

    /// Removes the oldest records beyond the bounds, but none after `keep_after`. Returns the large
    /// ones, which take long to free.
    pub fn trim(&mut self, bounds: &Bounds, keep_after: Revision) -> Vec<Entry> {
        let mut large = Vec::new();
        if is_planted(Fault::RecentRecordsNotTrimmed) {
            return large;
        }
        while self.entries.len() > bounds.ring_records || self.bytes > bounds.ring_bytes {
            match self.entries.front() {
                Some(oldest) if oldest.revision <= keep_after => {
                    self.bytes -= oldest.bytes.len();
                    self.base = oldest.revision;
                    let removed = self.entries.pop_front();
                    large.extend(removed.filter(|entry| entry.bytes.len() >= LARGE_RECORD_BYTES));
                }
                _ => break,
            }
        }
        large
    }

    /// Returns the records after `base`, or `None` when the ring no longer has all of them.
    pub fn after(&self, base: Revision) -> Option<impl Iterator<Item = &Entry>> {
        let skip = base.0.checked_sub(self.base.0)?;
        Some(self.entries.iter().skip(skip as usize))
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Bytes of all records.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes of the records after a revision.
    pub fn bytes_after(&self, revision: Revision) -> usize {
        let newest_first = self.entries.iter().rev();
        newest_first.take_while(|entry| entry.revision > revision).map(|entry| entry.bytes.len()).sum()
    }

    /// Whether the ring has all records after `base`.
    pub fn reaches_back_to(&self, base: Revision) -> bool {
        base >= self.base
    }
}
