//! Reports events of rooms to whoever imports data.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use quadrille_protocol::{Revision, RoomName};

/// An event of a room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoomEvent {
    /// It is in memory now.
    Opened,
    /// Its revisions are durable up to this one.
    Changed {
        up_to: Revision,
    },
    /// It is no longer in memory.
    Closed,
    Deleted,
}

/// Told of an event of a room, and whether its formulas import data.
type Listener = Box<dyn Fn(&RoomName, RoomEvent, bool) + Send + Sync>;

/// Told of all rooms from the first one on whose formulas import data. Set after the rooms have started,
/// because whoever imports needs the rooms.
#[derive(Clone, Default)]
pub struct ImportListener(Arc<Inner>);

#[derive(Default)]
struct Inner {
    is_used: AtomicBool,
    listener: OnceLock<Listener>,
}

impl ImportListener {
    /// Sets the listener. Later calls change nothing.
    pub fn set(&self, listener: impl Fn(&RoomName, RoomEvent, bool) + Send + Sync + 'static) {
        _ = self.0.listener.set(Box::new(listener));
    }

    /// Reports an event of a room.
    pub fn report(&self, room: &RoomName, event: RoomEvent, has_imports: bool) {
        if has_imports {
            self.0.is_used.store(true, Ordering::Relaxed);
        }
        if self.0.is_used.load(Ordering::Relaxed)
            && let Some(listener) = self.0.listener.get()
        {
            listener(room, event, has_imports);
        }
    }
}
