//! Several storages, the *shards*, as one: each room is in one of them.
//!
//! - **H1** A shard has an identity, stored in it, and the identity of its cluster, which is that of the first shard.
//!   The first shard has the list of all. A list that lacks one, names one twice or has one of another cluster is
//!   refused (`cluster.rs`).
//! - **H2** A new room is in the shard with the highest score for its name (rendezvous hashing, `placement.rs`). A room
//!   that is found in another one, because a shard was added later, stays there.
//! - **H3** The first shard has an entry for each room that was moved, which decides. A claim is confirmed by reading
//!   the entry again, so that it is not made in a shard that the room has just left (`storage.rs`).
//! - **H4** A room is moved by the process that has claimed it, in pieces between its appends: nothing else writes the
//!   room meanwhile. Each piece is read back and compared. The entry changes when the copy is complete; only then is
//!   the room deleted where it was. A move that was interrupted goes on with the next claim (`room_move.rs`).
//! - **H5** What is not of one room (properties; accounts, which are not stored by this crate) is in the first shard.
//! - **H6** Each shard has a thread for its calls and one for each reader. While a shard is away, its appends wait on its
//!   thread, and other calls for its rooms fail with `Away`; nothing waits for it that is not of its rooms. Only the
//!   shards are asked for a room in which it can be: that of its entry, or those that had the highest score when they
//!   were added (`shard_thread.rs`).
//!
//! Start reading with `storage.rs`.

mod cluster;
mod placement;
mod read_shards;
mod reader;
mod room_move;
mod shard_storage;
mod shard_thread;
mod storage;
mod watchdog;

pub use cluster::{SHARDS_MAX, Shard, check_alone, is_member};
pub use read_shards::{ReadShards, ShardRead, moved_rooms};
pub use storage::{MoveProgress, ShardedStorage};
