//! [`Peers`]: the other processes with the same storage.

use std::fmt;
use std::sync::{Arc, OnceLock};

/// The number of a process with the same storage. No later process gets it again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PeerId(pub u64);

/// The other process that runs a room.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomOwner {
    pub peer: PeerId,
    /// Where it is reached; may be empty.
    pub url: String,
}

/// How many rooms a process has in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessLoad {
    /// Where it is reached; may be empty.
    pub url: String,
    pub rooms: u64,
    /// The process that asks.
    pub is_own: bool,
}

/// Tells the end of other processes. Copies share the state.
#[derive(Clone, Default)]
pub struct Peers {
    own: Arc<[PeerId]>,
    departed: Arc<OnceLock<Box<Listener>>>,
}

type Listener = dyn Fn(PeerId) + Send + Sync;

impl Peers {
    /// The peers of a process with these numbers: one in each database.
    pub fn of(own: &[PeerId]) -> Peers {
        Peers { own: own.into(), departed: Arc::default() }
    }

    /// The numbers by which the others know this process.
    pub fn own(&self) -> &Arc<[PeerId]> {
        &self.own
    }

    /// Sets who is told, on a thread of the storage, that a process has left or was removed: its rooms are
    /// free. The first listener stays.
    pub fn on_departed(&self, listener: impl Fn(PeerId) + Send + Sync + 'static) {
        // A second listener is a mistake of the caller that nothing depends on.
        _ = self.departed.set(Box::new(listener));
    }

    /// Reports that a process has left or was removed.
    pub fn departed(&self, peer: PeerId) {
        if let Some(listener) = self.departed.get() {
            listener(peer);
        }
    }
}

impl fmt::Debug for Peers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peers").finish_non_exhaustive()
    }
}
