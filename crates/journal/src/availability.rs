//! [`Availability`]: whether a storage on another machine answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Whether a storage that is reached over a network answers. Copies share the state.
#[derive(Clone, Debug, Default)]
pub struct Availability {
    is_away: Arc<AtomicBool>,
    is_silent: Arc<AtomicBool>,
    is_lost: Arc<AtomicBool>,
    heartbeats: Arc<AtomicU64>,
    /// Those of the databases that the storage consists of.
    parts: Arc<[Availability]>,
}

impl Availability {
    /// Returns whether the storage, or a part of it, is known to be away: changes wait until it is back.
    pub fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
            || self.is_silent.load(Ordering::Relaxed)
            || self.parts.iter().any(Availability::is_away)
    }

    /// Returns whether another process has taken the storage: this one must end, and acknowledges nothing
    /// more.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed) || self.parts.iter().any(Availability::is_lost)
    }

    /// Returns the state of a storage that consists of several: it is there when all of them are.
    pub fn of_all(parts: Vec<Availability>) -> Availability {
        Availability { parts: parts.into(), ..Availability::default() }
    }

    /// Notes that another process has taken the storage.
    pub fn set_lost(&self) {
        self.is_lost.store(true, Ordering::Relaxed);
    }

    /// Notes whether the storage was reached. Returns whether it counted as not reached before.
    pub fn set_away(&self, is_away: bool) -> bool {
        self.is_away.swap(is_away, Ordering::Relaxed)
    }

    /// Notes whether heartbeats are no longer answered. Returns whether they were not before. A storage that has
    /// nothing to do is noticed so as well.
    pub fn set_silent(&self, is_silent: bool) -> bool {
        self.is_silent.swap(is_silent, Ordering::Relaxed)
    }

    /// Notes that the storage has answered a heartbeat, which is sent several times a second.
    pub fn note_heartbeat(&self) {
        self.heartbeats.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many heartbeats were answered. A storage that takes long for a call answers them; one that is
    /// cut off does not.
    pub fn heartbeats(&self) -> u64 {
        self.heartbeats.load(Ordering::Relaxed)
    }
}
