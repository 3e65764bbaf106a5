//! Time and chance that people look at: a record now and then that changes nothing but the stamp, so that everyone's
//! `NOW` goes on by the same journal.

use quadrille_operation::{Operation, Transaction};
use quadrille_protocol::{Author, Counter, ReplicaId};

use crate::event::{Effect, Moment};
use crate::limits::VOLATILE_EVERY_MS;
use crate::room::Room;

pub(crate) struct Volatile {
    /// Whether some formula shows time or chance. Stays when the formula goes: finding out would cost what the
    /// workbook is big, and a tick too many costs nothing.
    pub is_shown: bool,
    /// `None`: only changes stamp the document.
    pub every_ms: Option<u64>,
    /// When the last record was made; each stamps the document.
    pub context_time_ms: u64,
}

impl Volatile {
    pub fn new(is_shown: bool) -> Volatile {
        Volatile { is_shown, every_ms: Some(VOLATILE_EVERY_MS), context_time_ms: 0 }
    }
}

impl Room {
    /// When the document must be stamped anew: somebody looks, something shows it, and nothing has happened.
    pub(crate) fn next_timestamp_ms(&self) -> Option<u64> {
        let every_ms = self.volatile.every_ms.filter(|_| self.volatile.is_shown)?;
        let somebody_looks = self.sessions.values().any(|session| session.member.is_some());
        // While the disk is behind there is no hurry.
        (somebody_looks && self.durable == self.head).then_some(self.volatile.context_time_ms + every_ms)
    }

    pub(crate) fn refresh_context(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        if self.next_timestamp_ms().is_none_or(|next| next > moment.monotonic_ms) {
            return;
        }
        let transaction = Transaction { operations: vec![Operation::Tick] };
        let author = Author::default();
        let placed = self.record(moment, ReplicaId::SERVER, Counter(0), author, transaction, effects);
        debug_assert!(placed.is_ok(), "a tick is always within bounds");
        self.counts.ticks += 1;
    }
}
