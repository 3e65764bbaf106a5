//! Requests to the journal's thread.

use std::sync::Arc;
use std::time::Instant;

use quadrille_journal::{
    Append, Claim, Image, ImageId, ImagePut, Loaded, ObjectReference, Outcome, ProcessLoad, RoomInfo,
    RoomKey, RoomUsage, Snapshot, StorageError, StoredChatMessage, StoredRecord,
};
use quadrille_protocol::{Revision, RoomName};

use super::journal_state::Queued;

/// Called with the answer, on the journal's thread, its reader's, or one of the storage. Must return at once.
pub type Reply<T> = Box<dyn FnOnce(T) + Send>;

/// The result of one append. After an error the room can be reloaded from the journal.
pub type AppendResult = Result<Outcome, StorageError>;

pub enum Request {
    /// Claims a room and reads its snapshot and records. If it has no records and the request does not create
    /// it, it is not claimed, and the answer is `None`.
    Open { room: RoomName, creates: bool, reply: OpenReply },
    /// The room is no longer in memory: another process may claim it, or the one at the URL `heir` gets it.
    Release { room: RoomKey, heir: Option<String> },
    /// Counts the rooms of each process with the same storage.
    Loads { reply: Reply<Result<Vec<ProcessLoad>, StorageError>> },
    /// The reader has read the snapshot of a room that is being opened.
    Load { loading: Box<Loading> },
    Append {
        append: Append,
        queued: Queued,
        /// The append may wait a few milliseconds to share a commit with others.
        can_wait: bool,
        reply: Reply<AppendResult>,
    },
    /// Stores a chat message; answers whether that succeeded.
    StoreChatMessage { chat_message: StoredChatMessage, reply: Reply<bool> },
    /// Reads the chat messages of a room, oldest first.
    ChatMessages { room: RoomKey, reply: Reply<Result<Vec<Arc<[u8]>>, StorageError>> },
    /// Reads records after a revision, at most `bytes_max` bytes.
    Tail {
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
        reply: Reply<Result<Vec<StoredRecord>, StorageError>>,
    },
    /// Reads the newest snapshot that is not after a revision.
    SnapshotBefore { room: RoomKey, revision: Revision, reply: Reply<Result<Option<Snapshot>, StorageError>> },
    /// Queues a snapshot to be stored.
    PutSnapshot { room: RoomKey, snapshot: Snapshot },
    /// Queues the reference to a snapshot that is in the object store.
    PutReference { room: RoomKey, snapshot: Snapshot },
    /// Lists the references to objects.
    ObjectReferences { reply: Reply<Result<Vec<ObjectReference>, StorageError>> },
    /// The object of a room's snapshot is missing: an older one is to be read.
    LoadBefore { loading: Box<Loading> },
    /// Looks a room up; `None` when it does not exist.
    Find { room: RoomName, reply: Reply<Result<Option<Claim>, StorageError>> },
    /// Stores an image while those of the room have at most `bytes_max`; answers `None` when the room does
    /// not exist.
    PutImage {
        room: RoomName,
        image: Image,
        bytes_max: u64,
        reply: Reply<Result<Option<ImagePut>, StorageError>>,
    },
    /// Reads an image; answers `None` when the room or the image does not exist.
    Image { room: RoomName, image: ImageId, reply: Reply<Result<Option<Arc<[u8]>>, StorageError>> },
    /// Lists rooms by name, at most `count` after `after`.
    List { after: Option<RoomName>, count: usize, reply: Reply<Result<Vec<RoomInfo>, StorageError>> },
    /// Measures rooms; `None` for one that does not exist.
    Measure { rooms: Vec<RoomName>, reply: Reply<Result<Vec<Option<RoomUsage>>, StorageError>> },
    /// Deletes a room; answers whether it existed.
    Delete { room: RoomName, reply: Reply<Result<bool, StorageError>> },
    /// Answers when all earlier requests are done, except maintenance and commits in several databases.
    Flush { reply: Reply<()> },
    /// The reader has checkpointed the commits so far.
    Settled { result: Result<(), StorageError> },
    /// The records of a large append were written, or not.
    LargeWritten { room: RoomKey, written: Result<bool, StorageError> },
    /// The last handle of the journal was dropped.
    Closed,
    /// Ends the thread, after queued snapshots are written, but not later than this.
    Stop { snapshots_until: Instant },
}

/// Receives the contents of an opened room.
pub type OpenReply = Reply<Result<Option<(Claim, Loaded)>, StorageError>>;

/// A room that is being opened.
pub struct Loading {
    pub room: RoomName,
    pub claim: Claim,
    /// The newest snapshot up to this revision is wanted.
    pub up_to: Revision,
    pub loaded: Loaded,
    pub reply: OpenReply,
}

/// Whether an append made all records up to its revision durable.
pub fn is_durable(result: &AppendResult) -> bool {
    matches!(result, Ok(Outcome::Durable { .. }))
}
