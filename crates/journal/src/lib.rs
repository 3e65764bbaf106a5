//! The append-only log of every room, its snapshots, and recovery: the seam between rooms and disks.
//!
//! [`Storage`] is what an engine must do; `storage-sqlite` is the embedded one. [`MemoryStorage`] is the plain
//! model that others are compared with, [`FaultyStorage`] the same with a disk that fails as its seed says.
//! Records are opaque bytes here: `protocol` made them and `room` reads them.

pub mod entry;
mod faulty;
pub mod log;
mod memory;
mod storage;

pub use faulty::{Crash, FaultRates, Faults, FaultyStorage};
pub use memory::MemoryStorage;
pub use storage::{
    Append, BlobReader, Claim, Image, ImageId, ImagePut, Loaded, Outcome, Retention, RoomInfo, RoomKey,
    Snapshot, Storage, StorageError, StoredChatMessage, StoredRecord, rows_to_keep,
};
