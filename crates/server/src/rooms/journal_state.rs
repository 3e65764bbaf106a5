//! What the journal's thread and its handles both know: which appends wait, and whether the storage answers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use quadrille_journal::{Availability, RoomKey, RoomParts, Storage, StorageError};
use quadrille_protocol::RoomName;

use crate::limits;
use crate::metrics::Metrics;

/// Bytes of an append that is not committed yet. They are counted until this is dropped.
pub struct Queued {
    state: Arc<JournalState>,
    part: usize,
    bytes: usize,
}

impl Drop for Queued {
    fn drop(&mut self) {
        self.state.queued_bytes[self.part].fetch_sub(self.bytes, Ordering::Relaxed);
        self.state.metrics.journal_queue_bytes.dec_by(self.bytes as i64);
    }
}

/// The shared state. A part is one of the databases of a storage over several, or the whole storage.
pub struct JournalState {
    /// Of a storage on another machine.
    availability: Option<Availability>,
    parts: Option<RoomParts>,
    /// Bytes of appends that are not committed yet, for each part.
    queued_bytes: Vec<AtomicUsize>,
    /// The last write found no space.
    is_full: AtomicBool,
    /// Why the storage can no longer be trusted.
    failure: Mutex<Option<StorageError>>,
    pub metrics: Arc<Metrics>,
}

impl JournalState {
    /// Creates the state of a storage.
    pub fn new(storage: &dyn Storage, metrics: &Arc<Metrics>) -> JournalState {
        let parts = storage.parts();
        let count = parts.as_ref().map_or(1, RoomParts::count);
        JournalState {
            availability: storage.availability(),
            parts,
            queued_bytes: (0..count).map(|_| AtomicUsize::new(0)).collect(),
            is_full: AtomicBool::new(false),
            failure: Mutex::new(None),
            metrics: Arc::clone(metrics),
        }
    }

    /// Counts the bytes of an append of a room.
    pub fn queued(self: &Arc<Self>, room: RoomKey, bytes: usize) -> Queued {
        let part = self.part_of(room);
        self.queued_bytes[part].fetch_add(bytes, Ordering::Relaxed);
        self.metrics.journal_queue_bytes.inc_by(bytes as i64);
        Queued { state: Arc::clone(self), part, bytes }
    }

    /// Returns the part of an open room.
    pub fn part_of(&self, room: RoomKey) -> usize {
        self.parts.as_ref().and_then(|parts| parts.part_of(room)).unwrap_or(0)
    }

    /// Returns the part of a room that this server runs.
    fn part_named(&self, room: &RoomName) -> Option<usize> {
        match &self.parts {
            Some(parts) => parts.claimed(room).map(|(_, part)| part),
            None => Some(0),
        }
    }

    /// Whether too many bytes of the part of a room wait to be committed.
    pub fn is_overloaded(&self, room: &RoomName) -> bool {
        self.part_named(room).is_some_and(|part| {
            self.queued_bytes[part].load(Ordering::Relaxed) > limits::JOURNAL_QUEUE_BYTES_MAX
        })
    }

    /// Whether the storage, or a part of it, cannot be reached.
    pub fn is_any_away(&self) -> bool {
        self.availability.as_ref().is_some_and(Availability::is_away)
    }

    /// Whether nothing can be opened: the storage, or its first part, cannot be reached.
    pub fn is_away(&self) -> bool {
        match &self.parts {
            Some(parts) => parts.is_away(0),
            None => self.is_any_away(),
        }
    }

    /// Whether changes of a room wait. A room that this server does not run is opened first, which tells it.
    pub fn is_away_for(&self, room: &RoomName) -> bool {
        match (&self.parts, self.part_named(room)) {
            (Some(parts), Some(part)) => parts.is_away(part),
            (Some(_), None) => false,
            (None, _) => self.is_any_away(),
        }
    }

    /// How many parts cannot be reached.
    pub fn parts_away(&self) -> usize {
        self.parts.as_ref().map_or(usize::from(self.is_any_away()), RoomParts::count_away)
    }

    /// Whether the storage is on another machine.
    pub fn is_remote(&self) -> bool {
        self.availability.is_some()
    }

    /// Whether other processes have taken the rooms of this one.
    pub fn is_lost(&self) -> bool {
        self.availability.as_ref().is_some_and(Availability::is_lost)
    }

    /// Whether the last write found no space left.
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Notes whether a write found space. Returns whether the one before found none.
    pub fn set_full(&self, is_full: bool) -> bool {
        self.is_full.swap(is_full, Ordering::Relaxed)
    }

    /// Whether changes of all rooms can be stored, as far as is known.
    pub fn is_usable(&self) -> bool {
        !self.is_full() && !self.is_any_away() && !self.is_lost()
    }

    /// Notes that the storage can no longer be trusted.
    pub fn fail(&self, error: StorageError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Returns why the storage can no longer be trusted.
    ///
    /// # Errors
    /// That reason.
    pub fn check_failure(&self) -> Result<(), StorageError> {
        match self.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}
