//! The beginning and the end of large appends on the journal's thread.

use std::time::Instant;

use quadrille_journal::{LargeAppend, Outcome, RoomKey, StorageError};

use super::journal::Writer;
use super::journal_batch::{Batch, WaitingAppend, answer_appends};
use super::large_appends::Writing;

impl Writer {
    /// Ends the large appends that were written. Returns the batch without them, with the requests before it that
    /// waited for them.
    pub fn finish_large_appends(&mut self, mut batch: Batch) -> Result<Batch, StorageError> {
        for (room, written) in std::mem::take(&mut batch.written) {
            self.finish_large(room, written)?;
        }
        let Some(mut released) = self.large.take_released() else { return Ok(batch) };
        released.appends.append(&mut batch.appends);
        released.chat_messages.append(&mut batch.chat_messages);
        released.others.append(&mut batch.others);
        Ok(released)
    }

    /// Begins to write a large append, or commits it as any other if the storage does not take it.
    pub fn begin_large(&mut self, (append, queued, reply): WaitingAppend) -> Result<(), StorageError> {
        let (room, began) = (append.room, Instant::now());
        let result = match self.storage.begin_large(&append) {
            Ok(LargeAppend::Begun { room: name, write }) => {
                self.large.start(Writing { name, append, queued, reply, began }, write);
                return Ok(());
            }
            Ok(LargeAppend::Refused) => {
                self.commit(vec![(append, queued, reply)])?;
                self.large.release(room);
                return Ok(());
            }
            Ok(LargeAppend::Fenced) => Ok(vec![Outcome::Fenced]),
            Err(error) => Err(error),
        };
        answer_appends(&self.state, began, vec![(room, queued, reply)], result);
        self.large.release(room);
        self.state.check_failure()
    }

    /// Ends a large append and answers it.
    fn finish_large(
        &mut self,
        room: RoomKey,
        written: Result<bool, StorageError>,
    ) -> Result<(), StorageError> {
        let Some(Writing { append, queued, reply, began, .. }) = self.large.writing.remove(&room) else {
            return Ok(());
        };
        self.has_to_compact = true;
        match self.storage.finish_large(room, written) {
            Ok(None) => self.commit(vec![(append, queued, reply)])?,
            Ok(Some(outcome)) => {
                answer_appends(&self.state, began, vec![(room, queued, reply)], Ok(vec![outcome]));
            }
            Err(error) => {
                let mut replies = vec![(room, queued, reply)];
                if matches!(error, StorageError::Full) {
                    // They follow a revision that does not exist, as in a commit of all of them.
                    replies.append(&mut self.large.take_appends(room));
                }
                answer_appends(&self.state, began, replies, Err(error));
            }
        }
        self.large.release(room);
        self.state.check_failure()
    }
}
