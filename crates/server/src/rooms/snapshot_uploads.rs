//! Large snapshots on their way to the object store, on a thread of its own: neither commits nor other snapshots
//! wait for it. A snapshot that cannot be stored is tried again until a newer one replaces it (B4).

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quadrille_journal::{RoomKey, Snapshot};

use super::journal_request::Request;
use crate::limits;
use crate::object_storage::ObjectStorage;

/// Pause after a failed upload; each further one is twice as long, up to the longest.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// The handle of the thread, which ends when the handle is dropped.
pub struct SnapshotUploads {
    objects: Arc<ObjectStorage>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Oldest first.
    waiting: VecDeque<(RoomKey, Snapshot)>,
    /// Bytes of `waiting`.
    bytes: usize,
    /// The room whose snapshot is uploaded, or whose reference is on its way to the journal's thread.
    uploading: Vec<RoomKey>,
    /// The last upload failed.
    is_failing: bool,
    is_stopped: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned value is still valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SnapshotUploads {
    /// Starts the thread, which sends references to the journal's thread.
    pub fn start(objects: Arc<ObjectStorage>, journal: Sender<Request>) -> SnapshotUploads {
        let shared = Arc::new(Shared::default());
        let (store, state) = (Arc::clone(&objects), Arc::clone(&shared));
        let run = move || run(&store, &state, &journal);
        let thread = std::thread::Builder::new().name("snapshot-uploads".into()).spawn(run);
        drop(thread.expect("the system can start a thread"));
        SnapshotUploads { objects, shared }
    }

    /// Whether a snapshot is to be stored as an object.
    pub fn takes(&self, snapshot: &Snapshot) -> bool {
        self.objects.takes(&snapshot.bytes)
    }

    /// Queues a snapshot. It replaces one of the same room that waits. Returns `false` when the queue is full; then the
    /// snapshot is dropped.
    pub fn push(&self, room: RoomKey, snapshot: Snapshot) -> bool {
        let mut state = self.shared.lock();
        state.remove(room);
        let bytes = snapshot.bytes.len();
        if !state.waiting.is_empty() && state.bytes + bytes > limits::SNAPSHOT_QUEUE_BYTES_MAX {
            return false;
        }
        state.bytes += bytes;
        state.waiting.push_back((room, snapshot));
        self.shared.changed.notify_all();
        true
    }

    /// Notes that the journal's thread has the reference of a room's snapshot.
    pub fn received(&self, room: RoomKey) {
        self.shared.lock().uploading.retain(|uploading| *uploading != room);
    }

    /// Whether a room that is to be released has to wait for its snapshot. While the object store is away, it does not:
    /// the snapshot is dropped, which only makes the next opening slower.
    pub fn holds(&self, room: RoomKey) -> bool {
        let mut state = self.shared.lock();
        if state.is_failing {
            state.remove(room);
            state.uploading.retain(|uploading| *uploading != room);
        }
        state.uploading.contains(&room) || state.waiting.iter().any(|(waiting, _)| *waiting == room)
    }

    /// Whether an upload waits or is in progress, and may succeed soon.
    pub fn is_busy(&self) -> bool {
        let state = self.shared.lock();
        let has_work = !state.waiting.is_empty() || !state.uploading.is_empty();
        has_work && !state.is_failing
    }
}

impl State {
    fn remove(&mut self, room: RoomKey) {
        self.waiting.retain(|(waiting, _)| *waiting != room);
        self.bytes = self.waiting.iter().map(|(_, snapshot)| snapshot.bytes.len()).sum();
    }
}

impl Drop for SnapshotUploads {
    /// Does not wait for an upload in progress: its object is removed later, as nothing refers to it.
    fn drop(&mut self) {
        self.shared.lock().is_stopped = true;
        self.shared.changed.notify_all();
    }
}

fn run(objects: &ObjectStorage, shared: &Shared, journal: &Sender<Request>) {
    let mut pause = PAUSE;
    loop {
        let mut state = shared.lock();
        while state.waiting.is_empty() && !state.is_stopped {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_stopped {
            return;
        }
        let Some((room, snapshot)) = state.waiting.pop_front() else { continue };
        state.bytes -= snapshot.bytes.len();
        state.uploading.push(room);
        drop(state);
        match objects.put(&snapshot.bytes) {
            Ok(reference) => {
                pause = PAUSE;
                shared.lock().is_failing = false;
                let stored = Snapshot { revision: snapshot.revision, bytes: reference.encode().into() };
                _ = journal.send(Request::PutReference { room, snapshot: stored });
            }
            Err(error) => {
                tracing::warn!(%error, "a snapshot was not stored and is tried again");
                let mut state = shared.lock();
                state.is_failing = true;
                // It is gone when the room was released meanwhile.
                let is_wanted = state.uploading.contains(&room);
                state.uploading.retain(|uploading| *uploading != room);
                let is_replaced = state.waiting.iter().any(|(waiting, _)| *waiting == room);
                if is_wanted && !is_replaced {
                    state.bytes += snapshot.bytes.len();
                    state.waiting.push_front((room, snapshot));
                }
                let stopped = |state: &mut State| !state.is_stopped;
                _ = shared.changed.wait_timeout_while(state, pause, stopped);
                pause = (pause * 2).min(PAUSE_MAX);
            }
        }
    }
}
