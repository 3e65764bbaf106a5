//! What a server decides about rooms in a storage with several servers, without the storage itself: which
//! appends it may send, what a lost answer means, and which other servers are silent. The rules O1 to O5 are
//! in `storage-postgres` (`node.rs`).
//!
//! `storage-postgres` makes these decisions on a database, the simulator on
//! [`SharedMemory`](crate::SharedMemory).

mod claimed_rooms;
mod commit;
mod peer_monitor;

pub use claimed_rooms::{ClaimedRoom, ClaimedRooms, Epoch, Head};
pub use commit::{Commit, NewRoom, RoomCommit};
pub use peer_monitor::{
    DISCONNECTED_POLLS_MAX, Heartbeat, PeerMonitor, PeerPoll, SILENT_POLLS_MAX, has_to_end,
};
