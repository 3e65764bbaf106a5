//! Events that the importer has yet to handle, reported by the threads of rooms and of the access store.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadrille_protocol::{Revision, RoomName};
use tokio::sync::Notify;

use crate::rooms::RoomEvent;

/// The handle by which the importer is told of changes. Clones share them.
#[derive(Clone, Default)]
pub struct Imports(Arc<Inner>);

#[derive(Default)]
struct Inner {
    pending_events: Mutex<PendingEvents>,
    wake: Notify,
}

/// What has happened since the importer has looked last.
#[derive(Default)]
pub(super) struct PendingEvents {
    /// Rooms whose formulas import, with whether they are in memory.
    pub loaded: HashMap<RoomName, bool>,
    /// Rooms with new durable revisions, the last of these, and whether their formulas import.
    pub changed: HashMap<RoomName, (Revision, bool)>,
    /// Rooms that are in memory since.
    pub opened: BTreeSet<RoomName>,
    /// Rooms that were deleted, or whose access has changed.
    pub reauthorized: BTreeSet<RoomName>,
    /// Addresses of the web whose response has come.
    pub arrived: BTreeSet<String>,
}

impl Imports {
    /// Reports an event of a room.
    pub fn report(&self, room: &RoomName, event: RoomEvent, has_imports: bool) {
        let mut pending_events = self.lock();
        match event {
            RoomEvent::Closed if !has_imports => return,
            RoomEvent::Opened => {
                pending_events.opened.insert(room.clone());
                if has_imports {
                    pending_events.loaded.insert(room.clone(), true);
                }
            }
            RoomEvent::Closed => _ = pending_events.loaded.insert(room.clone(), false),
            RoomEvent::Changed { up_to } => {
                if has_imports {
                    pending_events.loaded.insert(room.clone(), true);
                }
                let known = pending_events.changed.entry(room.clone()).or_insert((up_to, has_imports));
                *known = (up_to.max(known.0), has_imports);
            }
            RoomEvent::Deleted => {
                pending_events.loaded.insert(room.clone(), false);
                pending_events.reauthorized.insert(room.clone());
            }
        }
        drop(pending_events);
        self.0.wake.notify_one();
    }

    /// Reports that the access to a workbook has changed.
    pub fn access_changed(&self, room: &RoomName) {
        self.lock().reauthorized.insert(room.clone());
        self.0.wake.notify_one();
    }

    /// Reports that the response of an address of the web has come.
    pub fn arrived(&self, url: &str) {
        self.lock().arrived.insert(url.to_owned());
        self.0.wake.notify_one();
    }

    /// Waits for changes.
    pub(super) async fn wait(&self) {
        self.0.wake.notified().await;
    }

    pub(super) fn take(&self) -> PendingEvents {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, PendingEvents> {
        // No code under this lock panics.
        self.0.pending_events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
