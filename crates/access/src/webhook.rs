//! Webhooks: which changes of which workbooks are sent to which address, how far that has come, and what
//! could not be delivered.
//!
//! A7  A webhook is stored with its positions. Deleting it, or the access document of its room, removes its
//!     positions and dead letters in the same commit.
//! A8  A dead letter is stored in the same commit as the position behind it: nothing is lost or sent twice
//!     because of a crash between the two.

use std::collections::BTreeSet;

use quadrille_protocol::RoomName;
use serde::{Deserialize, Serialize};

use crate::access_error::AccessError;
use crate::audit::AuditEntry;
use crate::secret::SecretId;

/// What a webhook reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum WebhookEvent {
    /// An operation concerned the range, the sheet or the workbook.
    #[serde(rename = "range.changed")]
    RangeChanged,
    /// Content was written below the last used row of a sheet.
    #[serde(rename = "row.appended")]
    RowAppended,
    /// A comment was written.
    #[serde(rename = "comment.added")]
    CommentAdded,
    /// A comment that mentions somebody was written.
    #[serde(rename = "person.mentioned")]
    PersonMentioned,
    /// A comment thread was assigned to somebody.
    #[serde(rename = "task.assigned")]
    TaskAssigned,
    /// An answer of a form was added.
    #[serde(rename = "form.submitted")]
    FormSubmitted,
}

impl WebhookEvent {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            WebhookEvent::RangeChanged => "range.changed",
            WebhookEvent::RowAppended => "row.appended",
            WebhookEvent::CommentAdded => "comment.added",
            WebhookEvent::PersonMentioned => "person.mentioned",
            WebhookEvent::TaskAssigned => "task.assigned",
            WebhookEvent::FormSubmitted => "form.submitted",
        }
    }
}

/// An address that is told of changes. The key of its signatures is derived from the secret of the server and
/// the identifier, and is not stored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Webhook {
    pub id: SecretId,
    /// The workbook; `None` for all workbooks of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    pub url: String,
    #[serde(default)]
    pub label: String,
    pub events: BTreeSet<WebhookEvent>,
    /// Only changes of this sheet, by its number, which stays when the sheet is renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<u32>,
    /// Only changes of this range of the sheet, in A1 notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// Nothing is sent; changes are sent when it is resumed.
    #[serde(default)]
    pub is_paused: bool,
    /// Milliseconds since 1970-01-01 UTC.
    pub created_ms: i64,
}

/// How far the changes of a workbook have been delivered.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WebhookPosition {
    pub room: RoomName,
    /// The last revision that this position ends at; `None` follows the workbook. A webhook has one position
    /// for each room and end.
    pub up_to: Option<u64>,
    /// The last revision that was delivered.
    pub after: u64,
}

/// Changes that were not delivered after the last attempt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DeadLetter {
    /// Assigned by the store; zero before. Rises within a webhook.
    #[serde(default)]
    pub number: u64,
    pub room: String,
    /// The first revision that was not delivered.
    pub first: u64,
    /// The last one.
    pub last: u64,
    pub attempts: u32,
    /// When the last attempt failed, in milliseconds since 1970-01-01 UTC.
    pub failed_ms: i64,
    /// The status or the error of the last attempt; no contents.
    pub reason: String,
}

/// The part of an access store that stores webhooks.
pub trait WebhookStore {
    /// Webhooks of a workbook, or with `None` those of the server, oldest first.
    fn webhooks(&mut self, room: Option<&RoomName>) -> Result<Vec<Webhook>, AccessError>;

    /// Webhooks of all workbooks and of the server.
    fn all_webhooks(&mut self) -> Result<Vec<Webhook>, AccessError>;

    /// Writes a webhook, replacing one with the same identifier, and adds `position` (A7). At most `count_max`
    /// webhooks have the same room; one more is [`AccessError::TooMany`].
    fn put_webhook(
        &mut self,
        webhook: &Webhook,
        position: Option<&WebhookPosition>,
        count_max: usize,
        audit: &[AuditEntry],
    ) -> Result<(), AccessError>;

    /// Deletes a webhook (A7); whether there was one.
    fn delete_webhook(&mut self, id: SecretId, audit: &[AuditEntry]) -> Result<bool, AccessError>;

    /// The positions of a webhook by room and end; that without an end comes last.
    fn webhook_positions(&mut self, id: SecretId) -> Result<Vec<WebhookPosition>, AccessError>;

    /// Writes a position and adds a dead letter (A8), of which the newest `letters_max` are kept. A position
    /// that has reached its end is removed. Ignored when the webhook has been deleted.
    fn move_webhook(
        &mut self,
        id: SecretId,
        position: &WebhookPosition,
        letter: Option<&DeadLetter>,
        letters_max: usize,
    ) -> Result<(), AccessError>;

    /// Dead letters of a webhook, oldest first; at most `count` after `after`.
    fn dead_letters(
        &mut self,
        id: SecretId,
        after: u64,
        count: usize,
    ) -> Result<Vec<DeadLetter>, AccessError>;

    /// Removes a dead letter; whether there was one.
    fn delete_dead_letter(&mut self, id: SecretId, number: u64) -> Result<bool, AccessError>;
}

impl WebhookPosition {
    /// Whether everything up to its end has been delivered.
    pub fn is_finished(&self) -> bool {
        self.up_to.is_some_and(|up_to| self.after >= up_to)
    }
}
