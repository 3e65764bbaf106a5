//! The account that a request comes from, for routes that need one.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use quadrille_access::{Account, AuditEntry, AuditEvent};

use super::app::App;
use crate::access::{AccountProof, Identity, Visitor, audit_entry, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// A request of somebody who is signed in. The route has the access
/// [`Account`](super::authorization::RouteAccess::Account) or `Admin`.
pub struct CurrentAccount {
    pub app: App,
    pub visitor: Visitor,
    pub identity: Arc<Identity>,
    pub account: Arc<Account>,
    pub proof: AccountProof,
}

impl FromRequestParts<App> for CurrentAccount {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<CurrentAccount, ApiError> {
        let visitor = parts.extensions.get().cloned().expect("the route names its access");
        let identity: Arc<Identity> = parts.extensions.get().cloned().expect("the route names its access");
        let account = identity.account.clone().expect("the route needs an account");
        let proof = identity.proof.clone().expect("an account is proven by something");
        Ok(CurrentAccount { app: app.clone(), visitor, identity, account, proof })
    }
}

impl CurrentAccount {
    /// An entry of the audit log in the name of the account.
    pub fn entry(&self, event: AuditEvent, target: impl Into<String>) -> AuditEntry {
        audit_entry(&self.identity.actor, event, None, target, &self.visitor)
    }

    /// Checks that a person is signed in. A program with an API token cannot create other ways to
    /// sign in, which would remain when its token is revoked.
    ///
    /// # Errors
    ///
    /// Fails with `forbidden` for a request with an API token.
    pub fn require_session(&self) -> Result<(), ApiError> {
        match self.proof {
            AccountProof::Token { .. } => Err(ApiError::new(
                ErrorCode::Forbidden,
                "an API token cannot do this; sign in with a browser",
            )),
            AccountProof::Session(_) | AccountProof::Proxy => Ok(()),
        }
    }

    /// Checks that the person has signed in with this browser a short time ago, for changes after which
    /// whoever has the session could sign in at any time.
    ///
    /// # Errors
    ///
    /// Fails with `sign_in_again` when the sign-in is longer ago, and with `forbidden` for a request
    /// with an API token.
    pub async fn require_recent_sign_in(&self) -> Result<(), ApiError> {
        self.require_session()?;
        // A proxy decides for itself how often people sign in.
        let AccountProof::Session(id) = self.proof else { return Ok(()) };
        let session = self.app.access.run(move |store| store.session(id)).await?;
        let signed_in_ms = session.map_or(0, |session| session.created_ms);
        if now_ms() - signed_in_ms > limits::RECENT_SIGN_IN_MINUTES as i64 * 60_000 {
            let minutes = limits::RECENT_SIGN_IN_MINUTES;
            let message = format!("sign in again: this needs a sign-in of the last {minutes} minutes");
            return Err(ApiError::new(ErrorCode::SignInAgain, message));
        }
        Ok(())
    }
}
