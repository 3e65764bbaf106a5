//! [`Replica`]: storing its state in local storage and restoring it after a reload.

use quadrille_document::{Changes, Document};
use quadrille_operation::apply;
use quadrille_protocol::{
    Counter, DecodeError, PersistedHead, PersistedTransaction, Record, SessionId, TimeAndSeed,
    decode_snapshot, snapshot_bytes,
};

use crate::local_persistence::{Base, LocalPersistence, PersistedChanges, PersistedReplica};
use crate::replica::Replica;
use crate::session::Membership;

impl Replica {
    /// Starts to collect changes of the state for [`take_persisted`](Self::take_persisted).
    pub fn enable_persistence(&mut self) {
        self.persistence = Some(LocalPersistence::default());
        self.unconfirmed.enable_persistence();
    }

    /// Returns whether there are changes to store, and whether they must be stored before anything
    /// is sent.
    pub fn persistence_due(&self) -> (bool, bool) {
        let Some(persistence) = self.persistence.as_ref().filter(|_| self.is_loaded) else {
            return (false, false);
        };
        let is_urgent = self.unconfirmed.has_unpersisted() || persistence.has_new_identity;
        let is_changed =
            persistence.is_changed || persistence.base.is_none() || self.unconfirmed.has_removed();
        (is_changed || is_urgent, is_urgent)
    }

    /// Returns the changes of the state since the last call; `None` if there are none or there is
    /// no document yet.
    pub fn take_persisted(&mut self) -> Option<PersistedChanges> {
        let (is_due, _) = self.persistence_due();
        let membership = self.membership?;
        let confirmed_bytes =
            self.persistence.as_ref().filter(|_| is_due)?.needs_base().then(|| self.confirmed_bytes());
        let persistence = self.persistence.as_mut().filter(|_| is_due)?;
        persistence.is_changed = false;
        persistence.has_new_identity = false;
        if let Some(bytes) = &confirmed_bytes {
            let (revision, time_and_seed) = (self.revision, self.time_and_seed);
            persistence.base = Some(Base { revision, time_and_seed, bytes: bytes.len(), record_bytes: 0 });
            persistence.records.clear();
        }
        let records = std::mem::take(&mut persistence.records);
        let base = persistence.base.as_ref().expect("created above if there was none");
        let head = PersistedHead {
            identity: self.identity,
            secret: self.secret,
            revision: self.revision,
            last_counter: self.last_counter,
            role: membership.role,
            color: membership.color,
            base_revision: base.revision,
            base_time_and_seed: base.time_and_seed,
        };
        let (removed, unconfirmed) = self.unconfirmed.take_changed();
        let base = confirmed_bytes.map(|bytes| (self.revision, bytes));
        Some(PersistedChanges { head: head.encode(), base, records, removed, unconfirmed })
    }

    /// Returns the bytes of the confirmed document, without unconfirmed transactions.
    fn confirmed_bytes(&self) -> Vec<u8> {
        let arrived = self.persistence.as_ref().and_then(|persistence| persistence.arrived.as_ref());
        if let Some((_, bytes)) = arrived.filter(|(revision, _)| *revision == self.revision) {
            return bytes.clone();
        }
        let mut workbook = self.document.snapshot();
        for inverse in self.unconfirmed.inverses_newest_first() {
            apply(&mut workbook, inverse);
        }
        snapshot_bytes(&workbook)
    }

    /// Restores a stored state into a new replica. A *copy* restores the document only: it gets an
    /// identity of its own and no unconfirmed transactions.
    ///
    /// # Errors
    ///
    /// Fails if the stored bytes are damaged or of another version. The replica is then unchanged.
    pub fn restore(&mut self, stored: &PersistedReplica, is_copy: bool) -> Result<(), DecodeError> {
        let head = PersistedHead::decode(&stored.head)?;
        let mut document = Document::from_workbook(decode_snapshot(&stored.base)?);
        document.apply(&Default::default(), evaluation_context(head.base_time_and_seed));
        let mut revision = head.base_revision;
        let mut time_and_seed = head.base_time_and_seed;
        for bytes in &stored.records {
            let record = Record::decode(bytes)?;
            if record.revision != revision.next() {
                return Err(DecodeError::OutOfBounds {
                    what: "revision of a stored record",
                    value: record.revision.0,
                });
            }
            document.apply(&record.transaction, evaluation_context(record.time_and_seed));
            (revision, time_and_seed) = (record.revision, record.time_and_seed);
        }
        if revision != head.revision {
            return Err(DecodeError::OutOfBounds {
                what: "revision of a stored head",
                value: head.revision.0,
            });
        }
        let unconfirmed: Vec<(Counter, PersistedTransaction)> = stored
            .unconfirmed
            .iter()
            .filter(|_| !is_copy)
            .map(|(counter, bytes)| Ok((*counter, PersistedTransaction::decode(bytes)?)))
            .collect::<Result<_, DecodeError>>()?;
        self.document = document;
        self.locale.apply_to(&mut self.document);
        self.revision = revision;
        self.time_and_seed = time_and_seed;
        self.is_loaded = true;
        self.is_replaced = true;
        // The session is unknown until the room's `Welcome`; only the role matters until then.
        self.membership = Some(Membership { session: SessionId(0), role: head.role, color: head.color });
        if is_copy {
            return Ok(());
        }
        self.identity = head.identity;
        self.secret = head.secret;
        self.last_counter = head.last_counter;
        let record_bytes = stored.records.iter().map(Vec::len).sum();
        if let Some(persistence) = &mut self.persistence {
            let (revision, time_and_seed) = (head.base_revision, head.base_time_and_seed);
            persistence.base = Some(Base { revision, time_and_seed, bytes: stored.base.len(), record_bytes });
        }
        for (counter, stored) in unconfirmed {
            self.restore_unconfirmed(counter, stored);
        }
        // The restored transactions are already stored.
        self.unconfirmed.take_changed();
        Ok(())
    }

    fn restore_unconfirmed(&mut self, counter: Counter, stored: PersistedTransaction) {
        let mut changes = Changes::default();
        let bytes = quadrille_protocol::encode_transaction(&stored.transaction).len();
        let (document, time_and_seed) = (&mut self.document, evaluation_context(stored.time_and_seed));
        let inverse =
            self.unconfirmed.push(document, &mut changes, counter, stored.transaction, bytes, time_and_seed);
        self.history.push(counter, inverse);
        self.changes.merge(changes);
    }
}

fn evaluation_context(time_and_seed: TimeAndSeed) -> quadrille_document::EvaluationContext {
    quadrille_document::EvaluationContext { time_ms: time_and_seed.time_ms, seed: time_and_seed.seed }
}
