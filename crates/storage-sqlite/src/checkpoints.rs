//! When the write-ahead logs are checkpointed. Most of the work is done by the [reader](crate::reader), beside
//! commits; the storage does the rest, which was written in the meantime.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quadrille_journal::StorageError;
use rusqlite::Connection;

use crate::error::engine;
use crate::open::Files;

/// Bytes of the write-ahead log of `journal.db` from which it is checkpointed, SQLite's own
/// default. A log that does not grow is overwritten from its beginning, which syncs several times
/// faster than appending.
const JOURNAL_BYTES: usize = 4 << 20;

/// Bytes of the write-ahead log of `rooms.db` from which it is checkpointed. From 1,000 pages a commit would do it.
const ROOMS_BYTES: usize = 1 << 20;

/// Which write-ahead logs are to be checkpointed. Shared with the reader.
#[derive(Default)]
pub struct DueCheckpoints {
    journal: AtomicBool,
    rooms: AtomicBool,
}

impl DueCheckpoints {
    /// Whether the log of `journal.db` is.
    pub fn journal(&self) -> bool {
        self.journal.load(Ordering::Relaxed)
    }

    /// Whether the log of `rooms.db` is.
    pub fn rooms(&self) -> bool {
        self.rooms.load(Ordering::Relaxed)
    }
}

/// Approximate bytes written to the write-ahead logs since their last checkpoints.
pub(crate) struct Checkpoints {
    journal_bytes: usize,
    rooms_bytes: usize,
    due: Arc<DueCheckpoints>,
}

impl Checkpoints {
    /// The log of the journal may be as long as an earlier process has left it.
    pub fn new(journal_bytes: usize) -> Checkpoints {
        let mut checkpoints =
            Checkpoints { journal_bytes: 0, rooms_bytes: 0, due: Arc::new(DueCheckpoints::default()) };
        checkpoints.wrote_to_journal(journal_bytes);
        checkpoints
    }

    /// Returns what the reader has to know.
    pub fn due(&self) -> &Arc<DueCheckpoints> {
        &self.due
    }

    /// Whether a checkpoint of either log is due. That of the rooms cannot be completed while another thread
    /// writes it: only if `with_rooms` it is.
    pub fn is_due(&self, with_rooms: bool) -> bool {
        self.due.journal() || with_rooms && self.due.rooms()
    }

    /// Counts bytes written to `journal.db`.
    pub fn wrote_to_journal(&mut self, bytes: usize) {
        self.journal_bytes += bytes;
        self.due.journal.store(self.journal_bytes >= JOURNAL_BYTES, Ordering::Relaxed);
    }

    /// Counts bytes written to `rooms.db`, apart from small ones.
    pub fn wrote_to_rooms(&mut self, bytes: usize) {
        self.rooms_bytes += bytes;
        self.due.rooms.store(self.rooms_bytes >= ROOMS_BYTES, Ordering::Relaxed);
    }

    /// Checkpoints the logs for which it is due, that of the rooms only if `with_rooms`.
    pub fn run(&mut self, files: &Files, with_rooms: bool) -> Result<(), StorageError> {
        // A failed one is due again after as many bytes.
        if self.due.journal.swap(false, Ordering::Relaxed) {
            self.journal_bytes = 0;
            checkpoint(&files.journal)?;
        }
        if with_rooms && self.due.rooms.swap(false, Ordering::Relaxed) {
            self.rooms_bytes = 0;
            checkpoint(&files.rooms)?;
        }
        Ok(())
    }
}

/// Checkpoints the write-ahead log as far as possible without waiting for other connections.
pub fn checkpoint(database: &Connection) -> Result<(), StorageError> {
    database.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).map_err(engine)
}
