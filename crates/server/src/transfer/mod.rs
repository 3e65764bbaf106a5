//! Copies of everything that is stored, from one engine to another: `quadrille migrate`, and backups of a
//! database.
//!
//! A copy compares before it writes, so that one that was interrupted goes on where it ended, and one that is
//! repeated adds only newer records. The source must not change meanwhile: it is locked, or read as of one
//! moment.
//!
//! | file | copies |
//! |---|---|
//! | `rooms.rs` | records with their times, snapshots, chat messages, images |
//! | `tables.rs` | access documents, accounts, sessions, tokens, the audit log, webhooks |
//! | `as_of.rs` | nothing: shows the rooms of a storage as they were at a moment |
//! | `digests.rs` | nothing: reads both sides again, and compares |

mod as_of;
mod digests;
mod progress;
mod rooms;
mod stores;
mod tables;

pub use as_of::AsOf;
pub use digests::verify;
pub use progress::Progress;
pub use rooms::{base_snapshot, copy_room, for_each_room};
pub use stores::{Numbers, Stores};

/// Makes `to` equal to `from`. A room that `from` does not have is deleted.
///
/// # Errors
/// A message when one of the stores fails, or something in the source is damaged.
pub fn copy(
    from: &mut Stores,
    to: &mut Stores,
    numbers: Numbers,
    progress: &mut Progress,
) -> Result<(), String> {
    rooms::copy(&mut *from.rooms, &mut *to.rooms, numbers, progress)?;
    tables::copy(&mut *from.tables, &mut *to.tables)
}
