//! Large appends, which a storage writes on another thread, so that small ones do not wait for them.

use quadrille_protocol::RoomName;

use crate::storage::StorageError;

/// How an append of a single room begins that is written beside other calls of the storage.
pub enum LargeAppend {
    /// The storage does not write it so, now or ever: it is appended as any other.
    Refused,
    /// As [`Outcome::Fenced`](crate::Outcome::Fenced); nothing changes.
    Fenced,
    /// The records are stored by `write`. The room has its old head until the append ends.
    Begun {
        /// The name of the room.
        room: RoomName,
        write: LargeWrite,
    },
}

/// Stores the records of a large append, on any thread. Returns whether they are durable (J1); if not, nothing was
/// stored, and the append may be repeated as any other. After [`StorageError::Full`] nothing was stored either;
/// after other errors that is unknown (J4).
pub type LargeWrite = Box<dyn FnOnce() -> Result<bool, StorageError> + Send>;
