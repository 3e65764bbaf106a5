//! What the dispatcher of webhooks has to look at: noted by the threads of rooms and by requests.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadrille_access::SecretId;
use quadrille_protocol::{Revision, RoomName};
use tokio::sync::Notify;

use crate::guarded_resolver::Destinations;
use crate::rooms::ChangedRooms;

/// The handle by which webhooks are told of changes. Clones share them.
#[derive(Clone)]
pub struct Webhooks(Arc<Inner>);

struct Inner {
    /// Whether there are webhooks: without any, a room's thread takes no lock.
    is_used: AtomicBool,
    changes: Mutex<PendingChanges>,
    wake: Notify,
    destinations: Destinations,
}

/// What has happened since the dispatcher has looked last.
#[derive(Default)]
pub struct PendingChanges {
    pub changed: ChangedRooms,
    /// Webhooks that were created, changed or deleted.
    pub edited: BTreeSet<SecretId>,
    /// Another server has created, changed or deleted webhooks.
    pub is_edited_elsewhere: bool,
    /// Rooms that were deleted.
    pub deleted: BTreeSet<RoomName>,
}

impl Webhooks {
    pub fn new(destinations: Destinations) -> Webhooks {
        let (is_used, changes, wake) = (AtomicBool::new(false), Mutex::default(), Notify::new());
        Webhooks(Arc::new(Inner { is_used, changes, wake, destinations }))
    }

    /// Where webhooks may be sent to.
    pub fn destinations(&self) -> &Destinations {
        &self.0.destinations
    }

    /// Reports that the revisions after `base` up to another are durable.
    pub fn durable(&self, room: &RoomName, base: Revision, up_to: Revision) {
        if self.0.is_used.load(Ordering::SeqCst) {
            self.lock().changed.note(room, base, up_to);
            self.0.wake.notify_one();
        }
    }

    /// Reports that a room was deleted, with its webhooks.
    pub fn room_deleted(&self, room: &RoomName) {
        if self.0.is_used.load(Ordering::SeqCst) {
            let mut changes = self.lock();
            // A room of the same name begins again.
            changes.changed.forget(room);
            changes.deleted.insert(room.clone());
            drop(changes);
            self.0.wake.notify_one();
        }
    }

    /// From here on changes are noted. To be called before a webhook is stored.
    pub fn begin_to_note(&self) {
        self.0.is_used.store(true, Ordering::SeqCst);
    }

    /// Reports that the store has another version of a webhook, or none.
    pub fn edited(&self, id: SecretId) {
        self.lock().edited.insert(id);
        self.0.wake.notify_one();
    }

    /// Reports that another server with the same store has changed webhooks.
    pub fn edited_elsewhere(&self) {
        self.begin_to_note();
        self.lock().is_edited_elsewhere = true;
        self.0.wake.notify_one();
    }

    /// Waits for changes.
    pub(super) async fn wait(&self) {
        self.0.wake.notified().await;
    }

    pub(super) fn take(&self) -> PendingChanges {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, PendingChanges> {
        // No code under this lock panics.
        self.0.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
