//! The audit log: who did what to access, accounts, tokens, exports and deletions. Append-only; it holds no
//! contents of cells and no secrets.

use serde::{Deserialize, Serialize};

/// Position in the log; rises by one with each entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct AuditNumber(pub u64);

/// One line of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Assigned by the store; zero before.
    #[serde(default)]
    pub number: AuditNumber,
    /// Milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    pub actor: Actor,
    pub event: AuditEvent,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    /// What the event is about: a person, a link's identifier, a format. Never a secret.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Network address of the client, as the settings for proxies give it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub address: String,
}

/// Who did it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Actor {
    Anonymous,
    Account(crate::AccountId),
    Token(crate::SecretId),
    OwnerKey(crate::SecretId),
    Link(crate::SecretId),
    /// A host application, by the issuer of its token.
    Host(String),
    /// The command line of the server's machine.
    Operator,
    Server,
}

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditEvent {
    WorkbookCreated,
    WorkbookClaimed,
    WorkbookTrashed,
    WorkbookRestored,
    WorkbookDeleted,
    WorkbookExported,
    /// An earlier revision became the contents again.
    RevisionRestored,
    /// The changes of one author were undone by somebody.
    ChangesUndone,
    OwnerChanged,
    GeneralAccessChanged,
    PersonAdded,
    PersonChanged,
    PersonRemoved,
    LinkCreated,
    LinkChanged,
    LinkRevoked,
    LinkPasswordFailed,
    /// Another workbook may import from this one.
    ImportAllowed,
    ImportRevoked,
    AccessRequested,
    AccessRequestAnswered,
    AccessDenied,
    SignedIn,
    SignInFailed,
    SignedOut,
    SessionEnded,
    AccountCreated,
    AccountChanged,
    AccountDisabled,
    AccountDeleted,
    AccountExported,
    IdentityAdded,
    IdentityRemoved,
    PasskeyAdded,
    PasskeyRemoved,
    PasswordChanged,
    /// Somebody asked for a link to replace a forgotten password.
    RecoveryRequested,
    TokenCreated,
    TokenRevoked,
    TokenRefused,
    QuotaChanged,
    WebhookCreated,
    WebhookChanged,
    WebhookDeleted,
    WebhookReplayed,
    FormCreated,
    FormChanged,
    FormDeleted,
    FormLinkRenewed,
    FormLinkRevoked,
    /// Anybody with the link of a page can view a part of the workbook.
    PublicationCreated,
    PublicationStopped,
    SettingsRead,
}

impl AuditEvent {
    /// Reads the name in stored entries and in JSON; `None` for any other text.
    pub fn parse(name: &str) -> Option<AuditEvent> {
        AuditEvent::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name)).ok()
    }
}

/// Which entries to read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AuditFilter {
    /// Only entries after this one.
    pub after: AuditNumber,
    /// Only entries before this one.
    pub before: Option<AuditNumber>,
    /// Reads the newest entries first; otherwise the oldest.
    pub newest_first: bool,
    pub room: Option<String>,
    pub actor: Option<Actor>,
    /// Only what this account did, and what is about it.
    pub account: Option<crate::AccountId>,
    pub event: Option<AuditEvent>,
    /// Only entries at or after this moment.
    pub since_ms: Option<i64>,
    /// Only entries before this moment.
    pub until_ms: Option<i64>,
}

impl AuditFilter {
    /// Whether an entry is wanted.
    pub fn includes(&self, entry: &AuditEntry) -> bool {
        entry.number > self.after
            && self.before.is_none_or(|before| entry.number < before)
            && self.since_ms.is_none_or(|since_ms| entry.time_ms >= since_ms)
            && self.until_ms.is_none_or(|until_ms| entry.time_ms < until_ms)
            && self.account.is_none_or(|id| {
                entry.actor == Actor::Account(id)
                    || entry.target == id.to_string()
                    || entry.target == format!("account:{id}")
            })
            && self.room.as_ref().is_none_or(|room| entry.room.as_ref() == Some(room))
            && self.actor.as_ref().is_none_or(|actor| entry.actor == *actor)
            && self.event.is_none_or(|event| entry.event == event)
    }
}
