//! Mail about comments: people with an account are told of mentions, replies and tasks
//! (docs/decisions/0062-mail-about-comments.md).
//!
//! Like webhooks, this follows the journal: the threads of rooms only note that there is something new.
//! What is found waits in memory for a while, so that one message tells of all that happens meanwhile.
//! Start reading at `notifier.rs`.
//!
//! N1  Only accounts that the access document of a workbook names are told, and only while it names them.
//! N2  Nobody is told of what the own account has done. Who has done something is the author of the
//!     record, which the server has verified, and never a field of a comment.
//! N3  When a message is sent, it leaves out comments that were deleted meanwhile, and tasks that were
//!     resolved or assigned to somebody else.
//! N4  The people who wait and the messages of an hour are limited; notifications that are dropped for that
//!     are counted in a metric.

mod comment_event;
mod notifier;
mod shown;
mod unsubscribe_link;
mod waiting;

pub use notifier::{Notifications, Notifier, RunningNotifier};
pub use unsubscribe_link::account_of_unsubscribe_link;
