//! Backups of running servers: a full backup and increments after it, in a place such as a directory.
//!
//! A *chain* is a full backup and the increments after it. An increment has segments, with what is new; an index,
//! which tells what that is; and a manifest, which is written last and has the digests of the others. So an
//! increment exists completely or not at all, and a file that is missing or damaged is noticed and named.
//!
//! Both engines are read through the traits of the storage and of the access store, so that a backup of either can
//! be restored into either. Records are the history of a workbook: a chain restores every moment.
//!
//! | file | what it does |
//! |---|---|
//! | `place.rs`, `s3_place.rs` | where files are: a directory, or a bucket of S3 |
//! | `manifest.rs`, `chain.rs` | which files there are, and their digests |
//! | `entries.rs`, `seal.rs` | the bytes of segments; compression and encryption |
//! | `source.rs` | the stores, beside the servers that write them |
//! | `state.rs`, `collect.rs`, `increment.rs` | what a chain has; finding what is new; writing it |
//! | `cache.rs` | what an encrypted chain has |
//! | `known.rs`, `follow.rs` | continuing a chain once, or as long as the program runs |
//! | `replay.rs`, `verify.rs` | making a data directory of a chain; checking one |
//!
//! Start reading with `known.rs`. The reasons are in `docs/decisions/0030-backups-are-chains.md`.

mod cache;
mod chain;
mod collect;
mod entries;
mod follow;
mod increment;
mod known;
mod manifest;
mod place;
mod replay;
mod running_shards;
mod s3_place;
mod seal;
mod source;
mod state;
mod verify;

pub use cache::Cache;
pub use chain::{Chain, Prefetched, began_ms, list, time};
pub use collect::{CollectError, Scope};
pub use follow::{Followed, follow};
pub use increment::Increment;
pub use known::{Destination, Known, remove_oldest, remove_unfinished, write_increment};
pub use manifest::FIRST_MANIFEST;
pub use place::{DirectoryPlace, Place, lock_place};
pub use replay::replay;
pub use s3_place::S3Place;
pub use seal::Keys;
pub use source::Source;
pub use verify::verify;
