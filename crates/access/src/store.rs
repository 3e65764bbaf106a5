//! Where access is kept: the trait that an engine implements.
//!
//! A1  A call that returned `Ok` has made its change durable, with its audit entries, all or none.
//! A2  A document is changed by compare-and-set: `put_*` with another version than the stored one is
//!     `Conflict` and changes nothing.
//! A3  `AccountId` and `AuditNumber` are never reused. Audit entries are never changed, and removed only by
//!     [`forget_audit_before`](AccessStore::forget_audit_before).
//! A4  Deleting an account ends its sessions and tokens and removes its quota, and its grants and requests, also
//!     those by its verified address, in the same commit.
//! A5  An identity and a verified e-mail address belong to at most one account.
//!
//! A6 is with [`KeyedRequestStore`], A7 and A8 are with [`WebhookStore`].

use quadrille_protocol::RoomName;
use serde::{Deserialize, Serialize};

use crate::access_error::AccessError;
use crate::account::{Account, AccountId, ApiToken, Email, Identity};
use crate::account_session::AccountSession;
use crate::audit::{AuditEntry, AuditFilter};
use crate::keyed_request::KeyedRequestStore;
use crate::quota::{Quota, QuotaSubject};
use crate::secret::SecretId;
use crate::usage::{Use, WorkbookFacts};
use crate::webhook::WebhookStore;
use crate::workbook_access::WorkbookAccess;

/// How often a document was written; 0 for one that does not exist yet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Version(pub u64);

impl Version {
    /// The version after the next write.
    pub fn next(self) -> Version {
        Version(self.0 + 1)
    }
}

/// A stored document with its version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Versioned<T> {
    pub version: Version,
    pub value: T,
}

/// Somebody without access who asks for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AccessRequest {
    pub id: SecretId,
    pub room: String,
    pub account: Option<AccountId>,
    pub name: String,
    pub email: Option<Email>,
    pub message: String,
    pub created_ms: i64,
}

/// A workbook in the list of a person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedWorkbook {
    pub room: RoomName,
    pub access: WorkbookAccess,
}

/// How much of everything there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub accounts: u64,
    /// Admins that are not disabled.
    pub admins: u64,
    pub disabled_accounts: u64,
    pub sessions: u64,
    pub tokens: u64,
    /// Workbooks with an access document that are not in the trash.
    pub workbooks: u64,
    pub trashed_workbooks: u64,
}

/// What a server tells the others with the same store of a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The access document of a workbook was changed or removed.
    Workbook(RoomName),
    /// Credentials have ended, as text of the caller.
    Revoked(String),
    /// Webhooks were created, changed or deleted.
    Webhooks,
}

/// A store of access documents, accounts and the audit log. One caller at a time; calls may block.
pub trait AccessStore: KeyedRequestStore + WebhookStore + Send {
    /// Whether other servers use the same store, and have to be [told](AccessStore::tell_others) of changes.
    fn is_shared(&self) -> bool {
        false
    }

    /// Tells the other servers of changes. Of a document that [`put_workbook`](AccessStore::put_workbook)
    /// writes they are told by that.
    fn tell_others(&mut self, _told: &[Notice]) -> Result<(), AccessError> {
        Ok(())
    }

    /// What other servers have told since the last call, in order, or a part of it.
    fn notices(&mut self) -> Result<Vec<Notice>, AccessError> {
        Ok(Vec::new())
    }

    /// The access document of a workbook; `None` when it is unclaimed.
    fn workbook(&mut self, room: &RoomName) -> Result<Option<Versioned<WorkbookAccess>>, AccessError>;

    /// Writes the document (A1, A2); `None` removes it. Returns its new version.
    fn put_workbook(
        &mut self,
        room: &RoomName,
        version: Version,
        access: Option<&WorkbookAccess>,
        audit: &[AuditEntry],
    ) -> Result<Version, AccessError>;

    /// Workbooks that an account owns or was given, also by its address, by name of the room; at most `count`
    /// after `after`.
    fn workbooks_of(
        &mut self,
        account: AccountId,
        email: Option<&Email>,
        after: Option<&RoomName>,
        count: usize,
    ) -> Result<Vec<ListedWorkbook>, AccessError>;

    /// Workbooks with an access document by name of the room; at most `count` after `after`.
    fn workbooks(
        &mut self,
        after: Option<&RoomName>,
        count: usize,
    ) -> Result<Vec<ListedWorkbook>, AccessError>;

    /// The reported facts of workbooks, unclaimed ones too, in the order of `rooms`; `None` where nothing was
    /// reported. Removing an access document removes the facts.
    fn facts(&mut self, rooms: &[RoomName]) -> Result<Vec<Option<WorkbookFacts>>, AccessError>;

    /// Workbooks that have been in the trash since before a moment, longest first, at most `count`.
    fn trashed_before(&mut self, time_ms: i64, count: usize) -> Result<Vec<RoomName>, AccessError>;

    /// An account.
    fn account(&mut self, id: AccountId) -> Result<Option<Versioned<Account>>, AccessError>;

    /// The account that signs in with an identity of a provider.
    fn account_by_identity(&mut self, identity: &Identity)
    -> Result<Option<Versioned<Account>>, AccessError>;

    /// The account with a verified address.
    fn account_by_email(&mut self, email: &Email) -> Result<Option<Versioned<Account>>, AccessError>;

    /// The account with a passkey, by its credential identifier in base64url.
    fn account_by_passkey(&mut self, credential: &str) -> Result<Option<Versioned<Account>>, AccessError>;

    /// Accounts by identifier, at most `count` after `after`.
    fn accounts(&mut self, after: Option<AccountId>, count: usize) -> Result<Vec<Account>, AccessError>;

    /// Writes an account (A1, A2, A5). The caller chooses the identifier of a new one at random.
    fn put_account(
        &mut self,
        version: Version,
        account: &Account,
        audit: &[AuditEntry],
    ) -> Result<Version, AccessError>;

    /// Deletes an account and everything that is only its own (A4); whether there was one.
    fn delete_account(&mut self, id: AccountId, audit: &[AuditEntry]) -> Result<bool, AccessError>;

    /// A browser's session.
    fn session(&mut self, id: SecretId) -> Result<Option<AccountSession>, AccessError>;

    /// Sessions of an account, newest first.
    fn sessions_of(&mut self, account: AccountId) -> Result<Vec<AccountSession>, AccessError>;

    /// Sessions of all accounts by identifier, at most `count` after `after`.
    fn sessions(&mut self, after: Option<SecretId>, count: usize)
    -> Result<Vec<AccountSession>, AccessError>;

    /// Writes a session, replacing one with the same identifier.
    fn put_session(&mut self, session: &AccountSession, audit: &[AuditEntry]) -> Result<(), AccessError>;

    /// Ends sessions; identifiers of unknown ones are ignored.
    fn delete_sessions(&mut self, ids: &[SecretId], audit: &[AuditEntry]) -> Result<(), AccessError>;

    /// An API token.
    fn token(&mut self, id: SecretId) -> Result<Option<ApiToken>, AccessError>;

    /// API tokens of an account, newest first.
    fn tokens_of(&mut self, account: AccountId) -> Result<Vec<ApiToken>, AccessError>;

    /// API tokens of all accounts by identifier, at most `count` after `after`.
    fn tokens(&mut self, after: Option<SecretId>, count: usize) -> Result<Vec<ApiToken>, AccessError>;

    /// Writes a token, replacing one with the same identifier.
    fn put_token(&mut self, token: &ApiToken, audit: &[AuditEntry]) -> Result<(), AccessError>;

    /// Revokes a token; whether there was one.
    fn delete_token(&mut self, id: SecretId, audit: &[AuditEntry]) -> Result<bool, AccessError>;

    /// Requests for access to a workbook, oldest first.
    fn requests(&mut self, room: &RoomName) -> Result<Vec<AccessRequest>, AccessError>;

    /// Requests for access by an account, or by its address, to any workbook.
    fn requests_of(
        &mut self,
        account: AccountId,
        email: Option<&Email>,
    ) -> Result<Vec<AccessRequest>, AccessError>;

    /// Writes a request. At most [`REQUESTS_MAX`] wait for one workbook; one more is [`AccessError::TooMany`].
    fn put_request(&mut self, request: &AccessRequest, audit: &[AuditEntry]) -> Result<(), AccessError>;

    /// Removes a request that was answered; whether there was one.
    fn delete_request(
        &mut self,
        room: &RoomName,
        id: SecretId,
        audit: &[AuditEntry],
    ) -> Result<bool, AccessError>;

    /// Appends to the log.
    fn append_audit(&mut self, entries: &[AuditEntry]) -> Result<(), AccessError>;

    /// Entries of the log in the order of the filter, at most `count`.
    fn audit(&mut self, filter: &AuditFilter, count: usize) -> Result<Vec<AuditEntry>, AccessError>;

    /// Removes entries older than a moment, at most `count`, oldest first; how many.
    fn forget_audit_before(&mut self, time_ms: i64, count: usize) -> Result<u64, AccessError>;

    /// Quotas that differ from the settings.
    fn quotas(&mut self) -> Result<Vec<(QuotaSubject, Quota)>, AccessError>;

    /// Writes the quota of a subject; `None` removes it. There are at most [`QUOTAS_MAX`]; one more is
    /// [`AccessError::TooMany`].
    fn put_quota(
        &mut self,
        subject: &QuotaSubject,
        quota: Option<&Quota>,
        audit: &[AuditEntry],
    ) -> Result<(), AccessError>;

    /// How much of everything there is.
    fn counts(&mut self) -> Result<Counts, AccessError>;

    /// Adds to counters of use. Whatever no longer exists is ignored. Versions of documents do not change.
    fn record_uses(&mut self, uses: &[Use]) -> Result<(), AccessError>;

    /// A secret of the server itself, such as the key that signs sign-in states: the stored one, or `fresh` if
    /// there is none yet.
    fn server_secret(&mut self, name: &str, fresh: &[u8; 32]) -> Result<[u8; 32], AccessError>;

    /// Removes sessions and tokens that ended before a moment; how many.
    fn delete_expired(&mut self, time_ms: i64) -> Result<u64, AccessError>;
}

/// Requests for access that may wait for one workbook.
pub const REQUESTS_MAX: usize = 100;

/// Quotas of accounts and tenants that may differ from the settings; all of them are in memory.
pub const QUOTAS_MAX: usize = 1_000;

/// Whether this account is the only admin that can act. It must stay one.
///
/// # Errors
/// When the store cannot be read.
pub fn is_last_admin(store: &mut dyn AccessStore, id: AccountId) -> Result<bool, AccessError> {
    let account = store.account(id)?.map(|stored| stored.value);
    let is_admin = account.is_some_and(|account| account.is_admin && !account.is_disabled);
    Ok(is_admin && store.counts()?.admins == 1)
}
