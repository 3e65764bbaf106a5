//! Traces of a room's transactions for `--trace`. Empty when tracing is off.

use std::collections::VecDeque;
use std::sync::Arc;

use quadrille_protocol::{RecordHeader, Revision, RoomName};

use super::room_message::Arrival;
use crate::trace::{self, Stage, TraceTime, TransactionId};

/// Transactions traced at once; beyond that the oldest are dropped from the trace.
const TRACED_MAX: usize = 65_536;

#[derive(Default)]
pub struct TransactionTraces {
    traced: VecDeque<TracedTransaction>,
    /// When the frame being handled was relayed and received, and when handling began.
    frame_times: Option<(Option<TraceTime>, TraceTime, TraceTime)>,
}

struct TracedTransaction {
    id: TransactionId,
    revision: Revision,
    /// The current stage.
    stage: Stage,
    /// When the stage began.
    since: TraceTime,
}

impl TransactionTraces {
    /// Sets when the frame being handled was received; `None` after handling it.
    pub fn set_arrival(&mut self, arrival: Option<Arrival>) {
        self.frame_times =
            arrival.and_then(|arrival| Some((arrival.relayed, trace::at(arrival.received)?, trace::now()?)));
    }

    /// Notes records after `base`, which have been passed to the journal.
    pub fn recorded(&mut self, room: &RoomName, base: Revision, records: &[Arc<[u8]>]) {
        let Some(now) = trace::now() else { return };
        for (revision, record) in (base.0 + 1..).map(Revision).zip(records) {
            let Ok(header) = RecordHeader::decode(record) else { continue };
            let id = TransactionId { replica: header.replica, counter: header.counter };
            if let Some((relayed, received, handled)) = self.frame_times {
                if let Some(relayed) = relayed {
                    // Clocks of two servers differ.
                    trace::span(id, Stage::Relay, relayed, received.max(relayed), room, revision);
                }
                trace::span(id, Stage::Queue, received, handled, room, revision);
                trace::span(id, Stage::Order, handled, now, room, revision);
            }
            if self.traced.len() >= TRACED_MAX {
                self.traced.pop_front();
            }
            self.traced.push_back(TracedTransaction { id, revision, stage: Stage::Journal, since: now });
        }
    }

    /// Notes that the records up to `up_to` are durable.
    pub fn durable(&mut self, room: &RoomName, up_to: Revision) {
        self.advance(room, up_to, Stage::Journal, Stage::Wait);
    }

    /// Notes that a round of writing begins, with the revisions up to `up_to`.
    pub fn round_begins(&mut self, room: &RoomName, up_to: Revision) {
        self.advance(room, up_to, Stage::Wait, Stage::FanOut);
    }

    /// Notes the end of the round.
    pub fn round_ends(&mut self, room: &RoomName) {
        let Some(now) = trace::now() else { return };
        while let Some(transaction) = self.traced.pop_front_if(|first| first.stage == Stage::FanOut) {
            trace::span(transaction.id, Stage::FanOut, transaction.since, now, room, transaction.revision);
        }
    }

    fn advance(&mut self, room: &RoomName, up_to: Revision, from: Stage, to: Stage) {
        let Some(now) = trace::now() else { return };
        for transaction in self.traced.iter_mut().take_while(|transaction| transaction.revision <= up_to) {
            if transaction.stage == from {
                trace::span(transaction.id, from, transaction.since, now, room, transaction.revision);
                (transaction.stage, transaction.since) = (to, now);
            }
        }
    }
}
