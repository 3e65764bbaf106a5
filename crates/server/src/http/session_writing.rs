//! [`Writing`]: what a session's task knows of a client that does not keep up.

use std::time::Duration;

use tokio::time::Instant;

use super::session_end::{End, Ending};
use crate::limits;
use crate::rooms::{Member, Outbox, Progress};

/// State of writing by the session's task, when the client is behind.
#[derive(Default)]
pub struct Writing {
    behind_since: Option<Instant>,
    /// Bytes written since then.
    bytes: usize,
}

impl Writing {
    /// Whether the client has not taken all frames.
    pub fn is_behind(&self) -> bool {
        self.behind_since.is_some()
    }

    /// When the connection is dropped because the client reads too slowly.
    pub fn give_up_at(&self) -> Option<Instant> {
        let seconds = limits::WRITE_SECONDS_MAX + (self.bytes / limits::READER_BYTES_PER_SECOND_MIN) as u64;
        self.behind_since.map(|since| since + Duration::from_secs(seconds))
    }

    /// Records whether the client is behind.
    pub fn record(&mut self, progress: &Progress) {
        match progress.is_behind {
            true => {
                self.behind_since.get_or_insert_with(Instant::now);
                self.bytes += progress.bytes;
            }
            false => *self = Writing::default(),
        }
    }

    /// Writes what the socket takes, and reports missed broadcasts to the room.
    pub fn resume(&mut self, outbox: &dyn Outbox, member: &Member) -> Option<End> {
        let progress = outbox.advance();
        self.record(&progress);
        if let Some(from) = progress.missed {
            member.missed(from);
        }
        if progress.is_drained {
            member.drained();
        }
        if progress.is_disconnected {
            return Some(End::Disconnected);
        }
        let reason = progress.closed?;
        Some(End::Closed(Ending::written(reason)))
    }
}
