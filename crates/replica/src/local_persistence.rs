//! Coming back after the page was closed: what a replica leaves behind, told in the pieces that changed.
//!
//! Kept are a snapshot of the confirmed document (the *base*), the records after it as the room wrote them, the
//! person's own transactions that wait, and a head that says where all this stands. A new base takes the place of
//! the records when they have grown as large as it, so that keeping costs what changes. All pieces of one
//! [`Kept`] belong together: whoever writes them down writes all or none.
//!
//! A transaction must be kept before it is sent. Otherwise the room could have one under a counter that the
//! replica, when it comes back, gives to another.

use std::sync::Arc;

use quadrille_protocol::{Counter, Revision, TimeAndSeed};

/// Records are kept up to this many bytes beside even the smallest base.
const RECORD_BYTES_MIN: usize = 64 << 10;

/// What changed since the last [`Kept`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PersistedState {
    pub head: Vec<u8>,
    /// A new base: every earlier one, and records up to its revision, are of no use any more.
    pub base: Option<(Revision, Vec<u8>)>,
    pub records: Vec<(Revision, Arc<[u8]>)>,
    /// Own transactions that wait no more.
    pub gone: Vec<Counter>,
    /// Own transactions that are new, or take the place of the kept ones of the same counter.
    pub unconfirmed: Vec<(Counter, Vec<u8>)>,
}

/// Everything that was kept, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Restored {
    pub head: Vec<u8>,
    pub base: Vec<u8>,
    pub records: Vec<Vec<u8>>,
    pub unconfirmed: Vec<(Counter, Vec<u8>)>,
}

/// What is collected between two calls of [`Replica::take_persisted`](crate::Replica::take_persisted).
#[derive(Default)]
pub(crate) struct LocalPersistence {
    pub records: Vec<(Revision, Arc<[u8]>)>,
    /// The kept base; `None` until there is one.
    pub base: Option<Base>,
    /// The document's bytes as they came, if nothing has followed them.
    pub arrived: Option<(Revision, Vec<u8>)>,
    pub is_changed: bool,
    /// The replica has got an identity under which nothing may be sent before it is kept.
    pub has_new_identity: bool,
}

pub(crate) struct Base {
    pub revision: Revision,
    pub time_and_seed: TimeAndSeed,
    pub bytes: usize,
    pub record_bytes: usize,
}

impl LocalPersistence {
    pub fn record(&mut self, revision: Revision, bytes: &Arc<[u8]>) {
        self.is_changed = true;
        self.arrived = None;
        if let Some(base) = &mut self.base {
            base.record_bytes += bytes.len();
            self.records.push((revision, Arc::clone(bytes)));
            if base.is_outgrown() {
                // The next base holds them.
                self.records.clear();
            }
        }
    }

    pub fn identified(&mut self) {
        self.has_new_identity = true;
    }

    pub fn replaced(&mut self, revision: Revision, bytes: &[u8]) {
        *self = LocalPersistence {
            arrived: Some((revision, bytes.to_vec())),
            is_changed: true,
            has_new_identity: self.has_new_identity,
            ..LocalPersistence::default()
        };
    }

    pub fn needs_base(&self) -> bool {
        self.base.as_ref().is_none_or(Base::is_outgrown)
    }
}

impl Base {
    fn is_outgrown(&self) -> bool {
        self.record_bytes > self.bytes.max(RECORD_BYTES_MIN)
    }
}
