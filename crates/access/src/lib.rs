//! Who may do what with a workbook.
//!
//! A workbook has at most one [`WorkbookAccess`] document: its owner, its general access, people with roles
//! and share links. [`decide`] is a pure function of that document, the [`Credentials`] of a request and the
//! time; it gives the highest role that any credential proves. [`Action`] says which role an action needs.
//!
//! ```
//! use quadrille_access::{Action, Credentials, GeneralAccess, Secret, SecretKind, WorkbookAccess, decide};
//!
//! let key = Secret::new(SecretKind::OwnerKey, [7; 24]);
//! let access = WorkbookAccess::with_owner_key(&key, GeneralAccess::Restricted, 0);
//!
//! let stranger = decide(Some(&access), None, &Credentials::default(), 0).role;
//! assert!(!Action::Read.is_allowed(stranger));
//!
//! let owner = Credentials { secrets: vec![key], ..Credentials::default() };
//! assert!(Action::Manage.is_allowed(decide(Some(&access), None, &owner, 0).role));
//! ```
//!
//! [`AccessStore`] is the trait by which documents, accounts, sessions, tokens and the audit log are stored;
//! [`MemoryAccessStore`] implements it for tests, and [`conformance`] is the test suite of its promises A1 to A8
//! for every engine.
//!
//! The crate does no I/O and reads no clock. It does not know passwords, passkeys, OpenID Connect or signed
//! tokens: the server verifies those and says here whom they prove. Start reading at `decision.rs`; the
//! reasons are in `docs/decisions/0015-roles-links-and-accounts.md`.

mod access_error;
mod account;
mod account_session;
mod audit;
pub mod conformance;
mod conformance_webhooks;
mod decision;
mod form;
mod keyed_request;
mod memory;
mod memory_programs;
mod memory_webhooks;
mod permission;
mod publication;
mod quota;
mod secret;
mod store;
mod store_changes;
pub mod stored_form;
pub mod tables;
mod usage;
mod webhook;
mod workbook_access;

pub use access_error::AccessError;
pub use account::{Account, AccountId, ApiToken, Email, Identity, Scope, SignInLink, StoredPasskey};
pub use account_session::{AccountSession, DatedHash, SessionProof, SessionTimes};
pub use audit::{Actor, AuditEntry, AuditEvent, AuditFilter, AuditNumber};
pub use decision::{AssertedRole, Credentials, Decision, SignedIn, decide, scope_role};
pub use form::{FileKind, Form, FormQuestion, QuestionKind};
pub use keyed_request::{Digest, KeyedRequest, KeyedRequestStore, RecordedAnswer};
pub use memory::MemoryAccessStore;
pub use permission::{Action, parse_role};
pub use publication::{Publication, PublishedPart};
pub use quota::{Quota, QuotaSubject};
pub use secret::{Secret, SecretHash, SecretId, SecretKind};
pub use store::{
    AccessRequest, AccessStore, Counts, ListedWorkbook, Notice, QUOTAS_MAX, REQUESTS_MAX, Version, Versioned,
    is_last_admin,
};
pub use store_changes::{Comparison, StoreChanges, StoreCounts};
pub use usage::{Use, WorkbookFacts};
pub use webhook::{DeadLetter, Webhook, WebhookEvent, WebhookPosition, WebhookStore};
pub use workbook_access::{
    ENTRIES_MAX, GeneralAccess, Grant, ImportGrant, LABEL_CHARACTERS_MAX, OwnerKey, Person, ShareLink,
    WorkbookAccess,
};
