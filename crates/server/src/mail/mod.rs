//! Mail to people: invitations to a workbook, and requests for access to its owner.
//!
//! [`Mailer`] sends in the background; a request never waits for a mail server. `letter.rs` makes
//! the messages, `texts.rs` has their sentences in each language.

mod letter;
mod mailer;
mod texts;

pub use letter::{Letter, Subject};
pub use mailer::Mailer;
pub use texts::MailLanguage;
