//! Local persistence: the state of a replica that is stored between sessions, as increments.
//!
//! The state consists of a snapshot of the confirmed document (the *base*), the records after it as
//! the room sent them, the unconfirmed transactions, and a head with identity and revisions. A new
//! base replaces the records when they exceed its size, so the cost of storing is proportional to
//! the changes. All parts of one [`PersistedChanges`] are stored atomically.
//!
//! A transaction must be stored before it is sent. Otherwise the room could have a transaction
//! under a counter that the restored replica assigns again.

use std::sync::Arc;

use quadrille_protocol::{Counter, Revision, TimeAndSeed};

/// Bytes of records that are stored beside even the smallest base.
const RECORD_BYTES_MIN: usize = 64 << 10;

/// The changes of the stored state since the previous [`PersistedChanges`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PersistedChanges {
    pub head: Vec<u8>,
    /// A new base, which replaces every earlier base and the records up to its revision.
    pub base: Option<(Revision, Vec<u8>)>,
    pub records: Vec<(Revision, Arc<[u8]>)>,
    /// Own transactions that are no longer unconfirmed.
    pub removed: Vec<Counter>,
    /// Own transactions that are new, or replace the stored ones with the same counter.
    pub unconfirmed: Vec<(Counter, Vec<u8>)>,
}

/// The whole stored state. Records and transactions are in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PersistedReplica {
    pub head: Vec<u8>,
    pub base: Vec<u8>,
    pub records: Vec<Vec<u8>>,
    pub unconfirmed: Vec<(Counter, Vec<u8>)>,
}

/// Changes collected between calls of [`Replica::take_persisted`](crate::Replica::take_persisted).
#[derive(Default)]
pub(crate) struct LocalPersistence {
    pub records: Vec<(Revision, Arc<[u8]>)>,
    /// The stored base; `None` if there is none.
    pub base: Option<Base>,
    /// The bytes of the document as received, if no record has followed.
    pub arrived: Option<(Revision, Vec<u8>)>,
    pub is_changed: bool,
    /// Whether the replica has a new identity, which must be stored before anything is sent.
    pub has_new_identity: bool,
}

/// Revision and size of the stored base.
pub(crate) struct Base {
    pub revision: Revision,
    pub time_and_seed: TimeAndSeed,
    pub bytes: usize,
    pub record_bytes: usize,
}

impl LocalPersistence {
    /// Adds a confirmed record.
    pub fn record(&mut self, revision: Revision, bytes: &Arc<[u8]>) {
        self.is_changed = true;
        self.arrived = None;
        if let Some(base) = &mut self.base {
            base.record_bytes += bytes.len();
            self.records.push((revision, Arc::clone(bytes)));
            if base.is_outgrown() {
                // The next base contains them.
                self.records.clear();
            }
        }
    }

    /// Records that the room has assigned a new identity.
    pub fn identified(&mut self) {
        self.has_new_identity = true;
    }

    /// Records that a snapshot has replaced the document.
    pub fn replaced(&mut self, revision: Revision, bytes: &[u8]) {
        *self = LocalPersistence {
            arrived: Some((revision, bytes.to_vec())),
            is_changed: true,
            has_new_identity: self.has_new_identity,
            ..LocalPersistence::default()
        };
    }

    /// Returns whether a new base must be stored.
    pub fn needs_base(&self) -> bool {
        self.base.as_ref().is_none_or(Base::is_outgrown)
    }
}

impl Base {
    fn is_outgrown(&self) -> bool {
        self.record_bytes > self.bytes.max(RECORD_BYTES_MIN)
    }
}
