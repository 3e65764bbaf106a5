//! By what an account is proven, and that it has ended.

use std::collections::BTreeSet;

use quadrille_access::{AccountId, Scope, Secret, SecretId};
use serde::{Deserialize, Serialize};

/// By what an account is proven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccountProof {
    Session(SecretId),
    Token {
        id: SecretId,
        scope: Scope,
        /// Workbooks that it may use; `None` for all.
        rooms: Option<BTreeSet<String>>,
    },
    /// A header of a trusted proxy.
    Proxy,
}

/// Credentials of an account that have ended. Servers with the same store tell each other in JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Revoked {
    /// All of the account.
    Account(AccountId),
    /// All sessions of the account but one.
    SessionsExcept(AccountId, Option<SecretId>),
    Session(SecretId),
    Token(SecretId),
}

/// A session, or its new secret, to be sent to the browser as a cookie.
#[derive(Clone, Debug)]
pub struct NewSession {
    pub secret: Secret,
    pub expires_ms: i64,
}
