//! The state of large appends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use quadrille_journal::RoomKey;
use quadrille_protocol::Revision;
use rusqlite::Connection;

/// The large appends of a storage.
#[derive(Default)]
pub(crate) struct LargeAppends {
    /// Opened for the first one, and again after an error.
    pub connections: Arc<Mutex<Option<Connections>>>,
    /// There can be such connections.
    pub is_possible: bool,
    /// What is being written.
    pub writing: BTreeMap<RoomKey, Writing>,
    /// Rooms that are marked as deleted although they have names, since their first records were large.
    pub marked: BTreeSet<RoomKey>,
}

/// A large append that has not ended.
pub(crate) struct Writing {
    pub head: Revision,
    pub time_ms: i64,
    /// Bytes of the records and of those that are moved from the log.
    pub bytes: usize,
}

impl LargeAppends {
    /// Whether none is being written.
    pub fn is_idle(&self) -> bool {
        self.writing.is_empty()
    }

    /// Whether one of the room is being written.
    pub fn is_writing(&self, room: RoomKey) -> bool {
        self.writing.contains_key(&room)
    }

    /// The room is deleted: its mark is not removed.
    pub fn keep_mark(&mut self, room: RoomKey) {
        self.marked.remove(&room);
    }
}

/// The connections over which large appends are written.
pub(crate) struct Connections {
    pub rooms: Connection,
    /// Only read.
    pub journal: Connection,
}
