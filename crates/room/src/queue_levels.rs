//! Lengths of a room's queues beside their limits, for the simulator, which fails when one is
//! exceeded.

use crate::limits::{QueueLevel, REPLICAS_REMEMBERED_MAX, SESSIONS_MAX, UNDURABLE_PER_SESSION_MAX};
use crate::room::Room;

impl Room {
    /// Returns the length and the limit of everything in the room that grows. O(sessions).
    pub fn queue_levels(&self) -> [QueueLevel; 10] {
        // Records that are not durable stay in the ring whatever its bounds; each session has a
        // limit for them.
        let undurable = (self.head.0 - self.durable.0) as usize;
        let undurable_bytes = self.ring.bytes_after(self.durable);
        let members = || self.sessions.values().filter_map(|session| session.member.as_ref());
        let undurable_most = members().map(|member| member.undurable).max().unwrap_or(0);
        let changed_most = members().map(|member| member.rebase_window.changed.len()).max().unwrap_or(0);
        let ring_records = self.bounds.ring_records.max(undurable);
        let [chat_messages, chat_bytes, pending, waiting] = self.chat.queue_levels();
        [
            chat_messages,
            chat_bytes,
            pending,
            waiting,
            QueueLevel { name: "records in the ring", length: self.ring.len(), limit: ring_records },
            QueueLevel {
                name: "bytes in the ring",
                length: self.ring.bytes(),
                limit: self.bounds.ring_bytes.max(undurable_bytes),
            },
            QueueLevel {
                name: "undurable transactions of a session",
                length: undurable_most,
                limit: UNDURABLE_PER_SESSION_MAX,
            },
            QueueLevel {
                name: "records in a rebase window",
                length: changed_most,
                limit: self.bounds.ring_records + UNDURABLE_PER_SESSION_MAX,
            },
            QueueLevel {
                name: "replicas remembered",
                length: self.submitted.len(),
                limit: REPLICAS_REMEMBERED_MAX,
            },
            QueueLevel { name: "sessions", length: self.sessions.len(), limit: SESSIONS_MAX },
        ]
    }
}
