//! The embedded store of access documents, accounts and the audit log: `access.db` in the data directory.
//!
//! Documents are JSON in a column of text. What is searched for stands in columns and tables beside them, written
//! in the same transaction: `workbook_person` leads from a person to workbooks, `account_key` from an identity, a
//! verified address or a passkey to its account.

mod accounts;
mod audit;
mod error;
mod inspect;
mod keyed_requests;
mod quotas;
mod row_changes;
mod schema;
mod store;
mod table_rows;
mod webhook_rows;
mod webhooks;
mod workbooks;

pub(crate) use error::ACCESS;
pub use inspect::{AccessDamage, check_access, repair_access};
pub(crate) use row_changes::{changes_after, last_change};
pub(crate) use schema::FORMAT;
pub use store::SqliteAccessStore;
