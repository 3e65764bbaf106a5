//! What the importer has to look at: noted by the threads of rooms and of the access store.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadrille_protocol::{Revision, RoomName};
use tokio::sync::Notify;

use crate::rooms::RoomNews;

/// The handle by which the importer is told of changes. Clones share them.
#[derive(Clone, Default)]
pub struct Imports(Arc<Inner>);

#[derive(Default)]
struct Inner {
    notices: Mutex<Notices>,
    wake: Notify,
}

/// What has happened since the importer has looked last.
#[derive(Default)]
pub(super) struct Notices {
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
    /// Reports news of a room.
    pub fn note(&self, room: &RoomName, news: RoomNews, has_imports: bool) {
        let mut notices = self.lock();
        match news {
            RoomNews::Closed if !has_imports => return,
            RoomNews::Opened => {
                notices.opened.insert(room.clone());
                if has_imports {
                    notices.loaded.insert(room.clone(), true);
                }
            }
            RoomNews::Closed => _ = notices.loaded.insert(room.clone(), false),
            RoomNews::Changed { up_to } => {
                if has_imports {
                    notices.loaded.insert(room.clone(), true);
                }
                let known = notices.changed.entry(room.clone()).or_insert((up_to, has_imports));
                *known = (up_to.max(known.0), has_imports);
            }
            RoomNews::Deleted => {
                notices.loaded.insert(room.clone(), false);
                notices.reauthorized.insert(room.clone());
            }
        }
        drop(notices);
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

    pub(super) fn take(&self) -> Notices {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Notices> {
        // No code under this lock panics.
        self.0.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
