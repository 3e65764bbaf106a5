//! Who may do what with a workbook, on the server: credentials of a request, the store and its
//! cache.
//!
//! [`Access`] owns the store and decides roles; [`Visitor`] is what a request presents. The rules
//! themselves are in the crate `quadrille-access`, and the reasons in
//! `docs/decisions/0015-roles-links-and-accounts.md`.

mod attempts;
mod document_cache;
mod link_unlock;
mod password;
mod service;
mod visitor;

pub use attempts::{Attempt, Attempts};
pub use document_cache::Document;
pub use link_unlock::LinkUnlock;
pub use password::{CHARACTERS_MIN as PASSWORD_CHARACTERS_MIN, PasswordError, Passwords};
pub use service::{Access, Grant, Identity, audit_entry, now_ms};
pub use visitor::{SUBPROTOCOL, Visitor};
