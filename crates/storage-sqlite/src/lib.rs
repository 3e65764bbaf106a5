//! The embedded storage: [`SqliteStorage`] implements the `Storage` trait of the crate `journal`
//! with SQLite.
//!
//! A data directory has two databases:
//!
//! | file | tables |
//! |---|---|
//! | `journal.db` | `log`: new records of all rooms, one row per commit; `directory`: the rooms in each row of the log; `room`: names of rooms; `restoration`: since the directory was restored from a backup |
//! | `rooms.db` | `tail` and `head`: older records by room; `snapshot` and `piece`; `chat`; `image`; `gone`: deleted rooms, and new ones until their name is stored |
//!
//! Compaction moves records from the log to the tails. Large appends are written to the tails at
//! once, on another thread, so that commits of small ones do not wait for them. Snapshots are in a
//! file of their own, so that large ones are never in the journal's write-ahead log. Records are
//! kept while their room exists, unless history is dropped by a setting.
//!
//! Why a shared log: measured on one machine with 3,000 rooms in batches of 100, it stores 792,000
//! records per second, where a `(room, revision)` table stores 85,000 and a file per room 3,700,
//! because a commit touches one run of pages however many rooms take part.
//!
//! Start reading with `storage.rs`. `open.rs` has the schema, `startup_index.rs` what is read at
//! the start, `record_tails.rs` reading and compaction, `large_appends.rs` the appends that are
//! written beside the log, `checkpoints.rs` when the write-ahead logs are checkpointed,
//! `inspect.rs` and `repair.rs` the commands `check` and `repair`, `backup.rs` copies of a
//! directory, `running.rs` reading one beside its server, `copy_target.rs` what copies from another
//! storage need, and `private_files.rs` who may read the files. The crate knows nothing of the
//! contents of records and snapshots.

mod access;
mod backup;
mod chat;
mod checkpoints;
mod compaction;
mod copy_target;
mod deleted_rooms;
mod error;
mod images;
mod inspect;
mod large_appends;
mod large_state;
mod objects;
mod open;
mod page_scan;
mod private_files;
mod reader;
mod rebuild;
mod record_tails;
mod repair;
mod room_names;
mod row_checksums;
mod running;
mod salvage;
mod snapshots;
mod startup_index;
mod storage;
mod usage;
mod wal_check;

pub use access::{AccessDamage, SqliteAccessStore, check_access, repair_access};
pub use backup::{DATABASES, close_copy, copy_directory, existing_database, renew_incarnations};
pub use inspect::{Damage, Findings, Reader, Remedy, RoomContents, Row};
pub use open::{DirectoryLock, FileFormat, formats, lock as lock_directory};
pub use private_files::{create_directory, create_file, fit_file};
pub use repair::{Repair, Repaired, check, repair};
pub use row_checksums::RoomRow;
pub use running::RunningDirectory;
pub use storage::SqliteStorage;
