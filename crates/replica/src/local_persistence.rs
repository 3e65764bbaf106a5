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

use quadrille_document::{Changes, Document};
use quadrille_operation::apply;
use quadrille_protocol::{
    Counter, DecodeError, PersistedHead, PersistedTransaction, Record, Revision, SessionId, TimeAndSeed,
    decode_snapshot, snapshot_bytes,
};

use crate::replica::Replica;
use crate::session::Membership;

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

/// What is collected between two calls of [`Replica::take_kept`].
#[derive(Default)]
pub(crate) struct LocalPersistence {
    records: Vec<(Revision, Arc<[u8]>)>,
    /// The kept base; `None` until there is one.
    base: Option<Base>,
    /// The document's bytes as they came, if nothing has followed them.
    arrived: Option<(Revision, Vec<u8>)>,
    is_changed: bool,
    /// The replica has got an identity under which nothing may be sent before it is kept.
    has_new_identity: bool,
}

struct Base {
    revision: Revision,
    time_and_seed: TimeAndSeed,
    bytes: usize,
    record_bytes: usize,
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
}

impl Base {
    fn is_outgrown(&self) -> bool {
        self.record_bytes > self.bytes.max(RECORD_BYTES_MIN)
    }
}

impl Replica {
    /// From now on [`take_kept`](Self::take_kept) tells what to write down.
    pub fn keep(&mut self) {
        self.keeping = Some(LocalPersistence::default());
        self.unconfirmed.keep();
    }

    /// Whether there is something to keep, and whether it has to be kept before anything is sent.
    pub fn persist_is_due(&self) -> (bool, bool) {
        let Some(keeping) = self.keeping.as_ref().filter(|_| self.is_loaded) else { return (false, false) };
        let is_urgent = self.unconfirmed.has_unpersisted() || keeping.has_new_identity;
        let is_changed = keeping.is_changed || keeping.base.is_none() || self.unconfirmed.has_gone();
        (is_changed || is_urgent, is_urgent)
    }

    /// What changed since the last call; `None` before there is a document, and when nothing did.
    pub fn take_persisted(&mut self) -> Option<PersistedState> {
        let (is_due, _) = self.persist_is_due();
        let membership = self.membership?;
        let confirmed_bytes =
            self.keeping.as_ref().filter(|_| is_due)?.needs_base().then(|| self.confirmed_bytes());
        let keeping = self.keeping.as_mut().filter(|_| is_due)?;
        keeping.is_changed = false;
        keeping.has_new_identity = false;
        if let Some(bytes) = &confirmed_bytes {
            let (revision, time_and_seed) = (self.revision, self.time_and_seed);
            keeping.base = Some(Base { revision, time_and_seed, bytes: bytes.len(), record_bytes: 0 });
            keeping.records.clear();
        }
        let records = std::mem::take(&mut keeping.records);
        let base = keeping.base.as_ref().expect("made above when there was none");
        let head = PersistedHead {
            identity: self.identity,
            secret: self.secret,
            revision: self.revision,
            last_counter: self.last_counter,
            role: membership.role,
            color: membership.color,
            base_revision: base.revision,
            base_stamp: base.time_and_seed,
        };
        let (gone, unconfirmed) = self.unconfirmed.take_changed();
        let base = confirmed_bytes.map(|bytes| (self.revision, bytes));
        Some(PersistedState { head: head.encode(), base, records, gone, unconfirmed })
    }

    /// The confirmed document, without what waits on top of it.
    fn confirmed_bytes(&self) -> Vec<u8> {
        let arrived = self.keeping.as_ref().and_then(|keeping| keeping.arrived.as_ref());
        if let Some((_, bytes)) = arrived.filter(|(revision, _)| *revision == self.revision) {
            return bytes.clone();
        }
        let mut workbook = self.document.snapshot();
        for inverse in self.unconfirmed.inverses_newest_first() {
            apply(&mut workbook, inverse);
        }
        snapshot_bytes(&workbook)
    }

    /// Puts a new replica where the kept one stood. A *copy* has the document only: it gets an identity of its
    /// own, and what waits stays with the one it belongs to.
    pub fn restore(&mut self, kept: &Restored, is_copy: bool) -> Result<(), DecodeError> {
        let head = PersistedHead::decode(&kept.head)?;
        let mut document = Document::from_workbook(decode_snapshot(&kept.base)?);
        document.apply(&Default::default(), evaluation_context(head.base_stamp));
        let mut revision = head.base_revision;
        let mut time_and_seed = head.base_stamp;
        for bytes in &kept.records {
            let record = Record::decode(bytes)?;
            if record.revision != revision.next() {
                return Err(DecodeError::OutOfBounds {
                    what: "revision of a kept record",
                    value: record.revision.0,
                });
            }
            document.apply(&record.transaction, evaluation_context(record.time_and_seed));
            (revision, time_and_seed) = (record.revision, record.time_and_seed);
        }
        if revision != head.revision {
            return Err(DecodeError::OutOfBounds { what: "revision of a kept head", value: head.revision.0 });
        }
        let unconfirmed: Vec<(Counter, PersistedTransaction)> = kept
            .unconfirmed
            .iter()
            .filter(|_| !is_copy)
            .map(|(counter, bytes)| Ok((*counter, PersistedTransaction::decode(bytes)?)))
            .collect::<Result<_, DecodeError>>()?;
        self.document = document;
        self.place.show_in(&mut self.document);
        self.revision = revision;
        self.time_and_seed = time_and_seed;
        self.is_loaded = true;
        self.is_replaced = true;
        // The room says which session it is; until then only the role counts.
        self.membership = Some(Membership { session: SessionId(0), role: head.role, color: head.color });
        if is_copy {
            return Ok(());
        }
        self.identity = head.identity;
        self.secret = head.secret;
        self.last_counter = head.last_counter;
        let record_bytes = kept.records.iter().map(Vec::len).sum();
        if let Some(keeping) = &mut self.keeping {
            let (revision, time_and_seed) = (head.base_revision, head.base_stamp);
            keeping.base = Some(Base { revision, time_and_seed, bytes: kept.base.len(), record_bytes });
        }
        for (counter, kept) in unconfirmed {
            self.put_back(counter, kept);
        }
        // Nothing of this is new to whoever kept it.
        self.unconfirmed.take_changed();
        Ok(())
    }

    fn put_back(&mut self, counter: Counter, kept: PersistedTransaction) {
        let mut changes = Changes::default();
        let bytes = quadrille_protocol::encode_transaction(&kept.transaction).len();
        let (document, time_and_seed) = (&mut self.document, evaluation_context(kept.time_and_seed));
        let inverse =
            self.unconfirmed.push(document, &mut changes, counter, kept.transaction, bytes, time_and_seed);
        self.history.done(counter, inverse);
        self.changes.merge(changes);
    }
}

impl LocalPersistence {
    fn needs_base(&self) -> bool {
        self.base.as_ref().is_none_or(Base::is_outgrown)
    }
}

fn evaluation_context(time_and_seed: TimeAndSeed) -> quadrille_document::EvaluationContext {
    quadrille_document::EvaluationContext { time_ms: time_and_seed.time_ms, seed: time_and_seed.seed }
}
