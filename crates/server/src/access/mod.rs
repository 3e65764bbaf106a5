//! Who may do what with a workbook, on the server: credentials of a request, the store and its
//! cache.
//!
//! [`Access`] owns the store and decides roles; [`Visitor`] is what a request presents, [`Identity`]
//! whom that proves. The rules
//! themselves are in the crate `quadrille-access`, and the reasons in
//! `docs/decisions/0015-roles-links-and-accounts.md`.

mod account_proof;
mod accounts;
mod attempts;
mod breached_passwords;
mod denials;
mod document_cache;
mod ethercalc_key;
mod guessable_passwords;
mod identity;
mod link_unlock;
mod password;
mod proven_person;
mod proxy_sign_in;
mod recovery;
mod service;
mod sessions;
mod sign_in_methods;
mod signed_state;
mod visitor;

pub use account_proof::{AccountProof, NewSession, Revoked};
pub use accounts::{NewAccount, check_account_name, last_admin, new_sign_in_link};
pub use attempts::{Attempt, Attempts};
pub use breached_passwords::BreachedPasswords;
pub use denials::Denials;
pub use document_cache::Document;
pub use ethercalc_key::{EtherCalcCode, EtherCalcKey};
pub use guessable_passwords::ContextWords;
pub use identity::{Grant, Identity, account_of_author};
pub use link_unlock::LinkUnlock;
pub use password::{PasswordError, Passwords};
pub use proven_person::ProvenPerson;
pub use proxy_sign_in::ProxySignIn;
pub use service::{Access, Assertions, DefaultAccess, Listeners, audit_entry, now_ms};
pub use sign_in_methods::sign_in_methods;
pub use signed_state::{OpenedState, StateError, StatePurpose, UsedStates, open_state, seal_state};
pub use visitor::{Presented, SUBPROTOCOL, Tenant, Visitor, base_path, cookie_name, session_cookie_name};
