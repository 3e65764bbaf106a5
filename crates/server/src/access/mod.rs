//! Who may do what with a workbook, on the server: credentials of a request, the store and its
//! cache.
//!
//! [`Access`] owns the store and decides roles; [`Visitor`] is what a request presents, [`Identity`]
//! whom that proves. The rules
//! themselves are in the crate `quadrille-access`, and the reasons in
//! `docs/decisions/0015-roles-links-and-accounts.md`.

mod accounts;
mod attempts;
mod denials;
mod document_cache;
mod ethercalc_key;
mod identity;
mod link_unlock;
mod password;
mod proxy_sign_in;
mod service;
mod sessions;
mod sign_in_methods;
mod signed_state;
mod visitor;

pub use accounts::{
    NewAccount, ProvenPerson, ProviderIdentity, check_account_name, last_admin, new_sign_in_link,
};
pub use attempts::{Attempt, Attempts};
pub use denials::Denials;
pub use document_cache::Document;
pub use ethercalc_key::EtherCalcKey;
pub use identity::{AccountProof, Grant, Identity, Revoked, account_author};
pub use link_unlock::LinkUnlock;
pub use password::{CHARACTERS_MIN as PASSWORD_CHARACTERS_MIN, PasswordError, Passwords};
pub use proxy_sign_in::ProxySignIn;
pub use service::{Access, Assertions, DefaultAccess, Listeners, audit_entry, now_ms};
pub use sessions::NewSession;
pub use sign_in_methods::{SignInMethods, SignInProvider, sign_in_methods};
pub use signed_state::{OpenedState, StateError, StatePurpose, UsedStates, open_state, seal_state};
pub use visitor::{SUBPROTOCOL, Tenant, Visitor, session_cookie_name};
