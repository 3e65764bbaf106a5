//! [`RoomKey`]: the number of a room.

/// The engine's number of a room. Never reused, not even after the room was deleted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RoomKey(pub u64);
