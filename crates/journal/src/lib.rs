//! The append-only log of every room, its snapshots, and recovery: the interface between rooms and
//! storage engines.
//!
//! [`Storage`] is the trait of a storage engine and lists its guarantees (J1 to J10). The crate
//! `storage-sqlite` has the embedded engine, `storage-postgres` the one that is a database server. [`MemoryStorage`] is the reference model that tests
//! compare engines with; [`FaultyStorage`] adds a disk that fails at random by a seed, and
//! [`SharedMemory`] is a model of a database with several servers, whose decisions are in [`ownership`].
//! Records are opaque bytes here: `protocol` encodes them and `room` decodes them.
//!
//! Start with `storage.rs`. `conformance.rs` is the test suite that every engine runs.

mod availability;
pub mod conformance;
pub mod entry;
mod faulty;
pub mod log;
mod memory;
mod object_reference;
mod owned_rooms;
pub mod ownership;
mod peers;
mod room_key;
mod room_parts;
mod shared_memory;
mod storage;

pub use availability::Availability;
pub use faulty::{Crash, FaultRates, Faults, FaultyStorage};
pub use memory::MemoryStorage;
pub use object_reference::{OBJECT_REFERENCE_BYTES, OBJECT_REFERENCE_MARK, ObjectId, ObjectReference};
pub use owned_rooms::OwnedRooms;
pub use peers::{PeerId, Peers, ProcessLoad, RoomOwner};
pub use room_key::RoomKey;
pub use room_parts::RoomParts;
pub use shared_memory::{Claimed, SharedMemory};
pub use storage::{
    Append, BlobReader, Claim, Committed, CopiedRoom, Image, ImageId, ImagePut, LargeAppend, LargeWrite,
    Loaded, Outcome, Retention, RoomInfo, RoomUsage, Snapshot, Storage, StorageError, StoredChatMessage,
    StoredRecord, snapshots_to_keep,
};
