//! The room's work that becomes due with time: snapshots, presence, volatile functions (`P20`).

use quadrille_operation::{Operation, Transaction};
use quadrille_protocol::{Author, Counter, ReplicaId};

use crate::effect::Effect;
use crate::event::Moment;
use crate::room::Room;

impl Room {
    /// Returns the monotonic time at which `Event::Tick` is needed next; `None` while nothing waits
    /// for time.
    pub fn next_tick_ms(&self) -> Option<u64> {
        let next = [
            self.people.next_tick_ms(),
            self.snapshots.next_tick_ms(&self.bounds),
            self.next_context_refresh_ms(),
        ];
        next.into_iter().flatten().min()
    }

    pub(crate) fn tick(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        self.snapshots.tick(moment);
        self.start_snapshot_if_due(moment, effects);
        self.report_people(moment, effects);
        self.refresh_context(moment, effects);
    }

    /// When the document needs a new evaluation context: somebody is in the room, a formula is
    /// volatile and nothing has changed since.
    fn next_context_refresh_ms(&self) -> Option<u64> {
        let every_ms = self.volatile.every_ms.filter(|_| self.volatile.has_volatile_formulas)?;
        let has_members = self.sessions.values().any(|session| session.member.is_some());
        // A tick must not add to the backlog of a slow disk.
        (has_members && self.durable == self.head).then_some(self.volatile.context_time_ms + every_ms)
    }

    /// Records a `Tick` operation, so that all replicas reevaluate volatile functions with the same
    /// time and seed.
    fn refresh_context(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        if self.next_context_refresh_ms().is_none_or(|next| next > moment.monotonic_ms) {
            return;
        }
        let transaction = Transaction { operations: vec![Operation::Tick] };
        let author = Author::default();
        let recorded = self.record(moment, ReplicaId::SERVER, Counter(0), author, transaction, effects);
        debug_assert!(recorded.is_ok(), "a tick is always within the limits");
        self.counts.ticks += 1;
    }
}
