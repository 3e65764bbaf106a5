//! How full everything is that grows, beside its limit: for metrics, and for the simulator, which stops when one
//! is exceeded.

use crate::limits::{REPLICAS_REMEMBERED_MAX, SESSIONS_MAX, UNDURABLE_PER_SESSION_MAX};
use crate::room::Room;

/// One thing that grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    pub what: &'static str,
    pub holds: usize,
    pub limit: usize,
}

impl Room {
    /// Costs as much as there are sessions.
    pub fn queues(&self) -> [Queue; 10] {
        // What is not yet durable stays in the ring whatever its bounds; each session has a limit for that.
        let undurable = (self.head.0 - self.durable.0) as usize;
        let undurable_bytes = self.ring.bytes_after(self.durable);
        let members = || self.sessions.values().filter_map(|session| session.member.as_ref());
        let undurable_most = members().map(|member| member.undurable).max().unwrap_or(0);
        let changed_most = members().map(|member| member.rebase_window.changed.len()).max().unwrap_or(0);
        let ring_records = self.bounds.ring_records.max(undurable);
        let [chat_messages, remark_bytes, pending, waiting] = self.chat.queues();
        [
            chat_messages,
            remark_bytes,
            pending,
            waiting,
            Queue { what: "records in the ring", holds: self.ring.len(), limit: ring_records },
            Queue {
                what: "bytes in the ring",
                holds: self.ring.bytes(),
                limit: self.bounds.ring_bytes.max(undurable_bytes),
            },
            Queue {
                what: "undurable transactions of a session",
                holds: undurable_most,
                limit: UNDURABLE_PER_SESSION_MAX,
            },
            Queue {
                what: "records in a bridge",
                holds: changed_most,
                limit: self.bounds.ring_records + UNDURABLE_PER_SESSION_MAX,
            },
            Queue {
                what: "replicas remembered",
                holds: self.submitted.len(),
                limit: REPLICAS_REMEMBERED_MAX,
            },
            Queue { what: "sessions", holds: self.sessions.len(), limit: SESSIONS_MAX },
        ]
    }
}
