//! [`Replica`]: writing its state to local storage and restoring it after a reload.

use quadrille_document::{Changes, Document};
use quadrille_operation::apply;
use quadrille_protocol::{
    Counter, DecodeError, PersistedHead, PersistedTransaction, Record, SessionId, TimeAndSeed,
    decode_snapshot, snapshot_bytes,
};

use crate::local_persistence::{Base, LocalPersistence, PersistedState, Restored};
use crate::replica::Replica;
use crate::session::Membership;

impl Replica {
    /// From now on [`take_persisted`](Self::take_persisted) tells what to write down.
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

fn evaluation_context(time_and_seed: TimeAndSeed) -> quadrille_document::EvaluationContext {
    quadrille_document::EvaluationContext { time_ms: time_and_seed.time_ms, seed: time_and_seed.seed }
}
