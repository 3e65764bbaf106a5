//! The clipboards of EtherCalc's commands.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use quadrille_protocol::RoomName;
use quadrille_socialcalc::Clipboard;

use crate::limits::ETHERCALC_CLIPBOARDS_MAX;

/// The clipboards of EtherCalc's commands `copy` and `cut`: one for each room, as in EtherCalc, for the
/// rooms that used theirs last. They are lost when the server stops.
#[derive(Clone, Default)]
pub struct EtherCalcClipboards {
    /// The least recently used first.
    rooms: Arc<Mutex<VecDeque<(RoomName, Clipboard)>>>,
}

impl EtherCalcClipboards {
    /// The clipboard of a room; `None` when it is empty or was not used for long.
    pub fn get(&self, room: &RoomName) -> Option<Clipboard> {
        let rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.iter().find(|(name, _)| name == room).map(|(_, clipboard)| clipboard.clone())
    }

    /// Keeps the clipboard of a room.
    pub fn put(&self, room: &RoomName, clipboard: Option<Clipboard>) {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.retain(|(name, _)| name != room);
        rooms.extend(clipboard.map(|clipboard| (room.clone(), clipboard)));
        while rooms.len() > ETHERCALC_CLIPBOARDS_MAX {
            rooms.pop_front();
        }
    }
}
