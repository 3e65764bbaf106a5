//! Mail to people: invitations to a workbook, requests for access to its owner, and what concerns somebody
//! in comments.
//!
//! [`Mailer`] sends in the background; a request never waits for a mail server. `letter.rs` makes
//! the messages, `texts.rs` has their sentences in each language; `comment_letter.rs` and
//! `comment_texts.rs` those about comments.

mod comment_letter;
mod comment_texts;
mod letter;
mod mailer;
mod texts;

pub use comment_letter::{CommentLetter, CommentLine, NotificationReason};
pub use letter::{Letter, Subject};
pub use mailer::Mailer;
pub use texts::MailLanguage;
