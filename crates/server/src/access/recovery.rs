//! Recovery of accounts whose password is forgotten: a mailed link with which a new one is chosen.

use quadrille_access::{
    AccessError, AccessStore, Account, AccountId, Actor, AuditEvent, Email, Secret, SecretId, SecretKind,
    SignInLink, Versioned,
};

use super::account_proof::Revoked;
use super::service::{Access, audit_entry, now_ms};
use super::sessions::random;
use super::visitor::Visitor;
use crate::error::ApiError;
use crate::limits;

impl Access {
    /// Creates a link with which the password of the account with this verified address can be replaced
    /// once. It replaces an earlier one. `None` without such an account, and for a disabled one.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn make_recovery_link(
        &self,
        email: Email,
        visitor: &Visitor,
    ) -> Result<Option<Secret>, ApiError> {
        let visitor = visitor.clone();
        self.run(move |store| {
            let found = store.account_by_email(&email)?;
            let Some(Versioned { version, value: mut account }) = found else { return Ok(None) };
            if account.is_disabled {
                return Ok(None);
            }
            let secret = Secret::with_id(SecretKind::SignInLink, SecretId(account.id.0), random());
            let expires_ms = now_ms() + limits::RECOVERY_LINK_MINUTES as i64 * 60_000;
            account.recovery_link = Some(SignInLink { hash: secret.hash(), expires_ms });
            let target = account.id.to_string();
            let event = AuditEvent::RecoveryRequested;
            let entry = audit_entry(&Actor::Anonymous, event, None, target, &visitor);
            store.put_account(version, &account, &[entry])?;
            Ok(Some(secret))
        })
        .await
    }

    /// The account whose password can be chosen with this link, which may be a recovery link or a sign-in
    /// link.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn account_to_recover(&self, link: &Secret) -> Result<Option<Account>, ApiError> {
        let link = link.clone();
        self.run(move |store| Ok(account_of(store, &link)?.map(|account| account.value))).await
    }

    /// Replaces the password of the account of a link, and ends all its sessions. The link and others of
    /// the account cannot be used again. `None` for a link that is not valid.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn recover(
        &self,
        link: Secret,
        password_hash: String,
        visitor: &Visitor,
    ) -> Result<Option<Account>, ApiError> {
        let (access, visitor) = (self.clone(), visitor.clone());
        self.run(move |store| {
            let Some(Versioned { version, value: mut account }) = account_of(store, &link)? else {
                return Ok(None);
            };
            account.password_hash = Some(password_hash);
            account.recovery_link = None;
            account.sign_in_link = None;
            let (id, event) = (account.id, AuditEvent::PasswordChanged);
            let entry = audit_entry(&Actor::Account(id), event, None, format!("{id}: by a link"), &visitor);
            store.put_account(version, &account, &[entry])?;
            let sessions = store.sessions_of(id)?.into_iter().map(|session| session.id);
            store.delete_sessions(&sessions.collect::<Vec<SecretId>>(), &[])?;
            access.revoke(&Revoked::SessionsExcept(id, None));
            Ok(Some(account))
        })
        .await
    }
}

/// The account whose password can be chosen with this link. Without a verified address nobody could
/// sign in with the password.
fn account_of(store: &mut dyn AccessStore, link: &Secret) -> Result<Option<Versioned<Account>>, AccessError> {
    let found = store.account(AccountId(link.id().0))?;
    let now_ms = now_ms();
    Ok(found.filter(|Versioned { value: account, .. }| {
        let matches = |stored: &Option<SignInLink>| {
            stored.as_ref().is_some_and(|stored| stored.hash.matches(link) && now_ms < stored.expires_ms)
        };
        let is_known = matches(&account.recovery_link) | matches(&account.sign_in_link);
        let is_usable = !account.is_disabled && account.verified_email().is_some();
        is_known && is_usable && link.kind() == SecretKind::SignInLink
    }))
}
