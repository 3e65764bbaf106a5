//! Requests that the journal's thread handles together, and the answers of a commit.

use std::collections::HashMap;
use std::time::Instant;

use quadrille_journal::{Append, Outcome, RoomKey, StorageError, StoredChatMessage};

use super::journal_request::{AppendResult, Reply, Request};
use super::journal_state::{JournalState, Queued};

/// Appends of one commit, so that the first of them does not wait too long for the last.
const APPENDS_PER_COMMIT_MAX: usize = 4_096;

/// An append, the count of its bytes, and who waits for it.
pub type WaitingAppend = (Append, Queued, Reply<AppendResult>);

/// Requests that are handled together.
#[derive(Default)]
pub struct Batch {
    pub appends: Vec<WaitingAppend>,
    pub chat_messages: Vec<(StoredChatMessage, Reply<bool>)>,
    pub others: Vec<Request>,
    /// Large appends that were written.
    pub written: Vec<(RoomKey, Result<bool, StorageError>)>,
    /// The batch has only appends that can wait.
    pub can_wait: bool,
}

impl Batch {
    /// Adds a request.
    pub fn push(&mut self, request: Request) {
        self.can_wait &= matches!(request, Request::Append { can_wait: true, .. });
        match request {
            Request::Append { append, queued, reply, .. } => self.appends.push((append, queued, reply)),
            Request::StoreChatMessage { chat_message, reply } => {
                self.chat_messages.push((chat_message, reply))
            }
            Request::LargeWritten { room, written } => self.written.push((room, written)),
            other => self.others.push(other),
        }
    }

    /// Whether the commit is large enough.
    pub fn is_full(&self) -> bool {
        self.appends.len() + self.chat_messages.len() >= APPENDS_PER_COMMIT_MAX
    }
}

/// Answers the appends of a commit.
pub fn answer_appends(
    state: &JournalState,
    began: Instant,
    replies: Vec<(RoomKey, Queued, Reply<AppendResult>)>,
    result: Result<Vec<Outcome>, StorageError>,
) {
    let metrics = &state.metrics;
    match &result {
        Ok(_) => {
            metrics.commit_seconds.observe(began.elapsed().as_secs_f64());
            metrics.commit_appends.observe(replies.len() as f64);
        }
        Err(_) => {
            metrics.commits_failed.inc();
        }
    }
    match result {
        Ok(outcomes) => {
            debug_assert_eq!(outcomes.len(), replies.len());
            if state.set_full(false) {
                tracing::info!("there is space for the journal again");
            }
            // An answer covers all revisions up to its own, so only the last append of each
            // room is answered, and the room broadcasts the whole commit in one frame.
            let last: HashMap<RoomKey, usize> =
                replies.iter().enumerate().map(|(index, (room, ..))| (*room, index)).collect();
            for (index, ((room, queued, reply), outcome)) in replies.into_iter().zip(outcomes).enumerate() {
                drop(queued);
                if last[&room] == index || outcome == Outcome::Fenced {
                    reply(Ok(outcome));
                }
            }
        }
        Err(StorageError::Full) => {
            if !state.set_full(true) {
                tracing::error!(
                    "no space left on the device for the journal; changes are rejected until there is"
                );
            }
            for (_, queued, reply) in replies {
                drop(queued);
                reply(Err(StorageError::Full));
            }
        }
        Err(other) => state.fail(other),
    }
}
