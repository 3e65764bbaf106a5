//! Transactions of a room on their way, for `--trace`. Holds nothing when there is no trace.

use std::collections::VecDeque;
use std::sync::Arc;

use quadrille_protocol::{RecordHeader, Revision, RoomName};

use crate::trace::{self, Stage, TraceTime, TransactionId};

/// Transactions that are followed at once; beyond that the oldest are lost from sight.
const FOLLOWED_MAX: usize = 65_536;

#[derive(Default)]
pub struct TransactionTraces {
    followed: VecDeque<Followed>,
    /// Of the frame that is being dealt with: when it came, and when it was taken up.
    taking: Option<(TraceTime, TraceTime)>,
}

struct Followed {
    id: TransactionId,
    revision: Revision,
    stage: Stage,
    since: TraceTime,
}

impl TransactionTraces {
    /// A frame that came then is dealt with now.
    pub fn takes(&mut self, received: Option<TraceTime>) {
        self.taking = received.and_then(|received| Some((received, trace::now()?)));
    }

    /// Records after `base` have their place and are with the journal.
    pub fn placed(&mut self, room: &RoomName, base: Revision, records: &[Arc<[u8]>]) {
        let Some(now) = trace::now() else { return };
        for (revision, record) in (base.0 + 1..).map(Revision).zip(records) {
            let Ok(header) = RecordHeader::decode(record) else { continue };
            let id = TransactionId { replica: header.replica, counter: header.counter };
            if let Some((received, taken)) = self.taking {
                trace::span(id, Stage::Queue, received, taken, room, revision);
                trace::span(id, Stage::Order, taken, now, room, revision);
            }
            if self.followed.len() >= FOLLOWED_MAX {
                self.followed.pop_front();
            }
            self.followed.push_back(Followed { id, revision, stage: Stage::Journal, since: now });
        }
    }

    /// The journal has everything up to here.
    pub fn durable(&mut self, room: &RoomName, up_to: Revision) {
        self.advance(room, up_to, Stage::Journal, Stage::Wait);
    }

    /// A round of writing begins, with everything up to here.
    pub fn round_begins(&mut self, room: &RoomName, up_to: Revision) {
        self.advance(room, up_to, Stage::Wait, Stage::FanOut);
    }

    /// The round is over.
    pub fn round_ends(&mut self, room: &RoomName) {
        let Some(now) = trace::now() else { return };
        while let Some(followed) = self.followed.pop_front_if(|first| first.stage == Stage::FanOut) {
            trace::span(followed.id, Stage::FanOut, followed.since, now, room, followed.revision);
        }
    }

    fn advance(&mut self, room: &RoomName, up_to: Revision, from: Stage, to: Stage) {
        let Some(now) = trace::now() else { return };
        for followed in self.followed.iter_mut().take_while(|followed| followed.revision <= up_to) {
            if followed.stage == from {
                trace::span(followed.id, from, followed.since, now, room, followed.revision);
                (followed.stage, followed.since) = (to, now);
            }
        }
    }
}
