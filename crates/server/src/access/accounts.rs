//! Accounts: found, created, changed and deleted.

use std::collections::BTreeSet;

use quadrille_access::{
    AccessError, AccessStore, Account, AccountId, Actor, AuditEntry, AuditEvent, Email, LABEL_CHARACTERS_MAX,
    Secret, SecretId, SecretKind, SignInLink, Version, Versioned, is_last_admin,
};
use quadrille_protocol::RoomName;

use super::account_proof::Revoked;
use super::proven_person::{ProvenPerson, ProviderIdentity};
use super::service::{Access, audit_entry, now_ms};
use super::sessions::random;
use super::visitor::Visitor;
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// An account that is created.
#[derive(Clone, Default, Debug)]
pub struct NewAccount {
    pub name: String,
    pub email: Option<Email>,
    /// People can sign in with verified addresses only.
    pub is_email_verified: bool,
    pub is_admin: bool,
    pub password_hash: Option<String>,
    pub identities: BTreeSet<ProviderIdentity>,
}

impl NewAccount {
    /// The account with a random identifier.
    pub fn into_account(self) -> Account {
        Account {
            id: AccountId(u64::from_be_bytes(random())),
            name: self.name,
            email: self.email,
            is_email_verified: self.is_email_verified,
            is_admin: self.is_admin,
            is_disabled: false,
            identities: self.identities,
            password_hash: self.password_hash,
            passkeys: Vec::new(),
            sign_in_link: None,
            recovery_link: None,
            refuses_notification_mail: false,
            created_ms: now_ms(),
            last_seen_ms: 0,
        }
    }
}

/// Workbooks of an account that are read at once.
const WORKBOOKS_PER_READ: usize = 100;

impl Access {
    /// An account.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn account(&self, id: AccountId) -> Result<Option<Account>, ApiError> {
        self.run(move |store| Ok(store.account(id)?.map(|account| account.value))).await
    }

    /// The account with a verified address.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn account_by_email(&self, email: Email) -> Result<Option<Account>, ApiError> {
        self.run(move |store| Ok(store.account_by_email(&email)?.map(|account| account.value))).await
    }

    /// Whether there is an account.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn has_accounts(&self) -> Result<bool, ApiError> {
        self.run(|store| Ok(!store.accounts(None, 1)?.is_empty())).await
    }

    /// Creates an account.
    ///
    /// # Errors
    /// 409 when the address or an identity belongs to another account.
    pub async fn create_account(
        &self,
        new: NewAccount,
        actor: &Actor,
        visitor: &Visitor,
    ) -> Result<Account, ApiError> {
        let account = new.into_account();
        let target = account.id.to_string();
        let entry = audit_entry(actor, AuditEvent::AccountCreated, None, target, visitor);
        self.run(move |store| {
            store.put_account(Version(0), &account, &[entry])?;
            Ok(account)
        })
        .await
    }

    /// Changes an account. `edit` may run several times. Sessions of open workbooks end when the
    /// change takes rights away.
    ///
    /// # Errors
    /// Those of `edit`; 404 for an unknown account, 409 when an address or an identity belongs to
    /// another one, and when the last admin would lose that right.
    pub async fn change_account(
        &self,
        id: AccountId,
        audit: Vec<AuditEntry>,
        mut edit: impl FnMut(&mut Account) -> Result<(), ApiError> + Send + 'static,
    ) -> Result<Account, ApiError> {
        let access = self.clone();
        self.run(move |store| {
            let Some(Versioned { version, value: mut account }) = store.account(id)? else {
                return Ok(Err(ApiError::new(ErrorCode::NotFound, format!("no such account: {id}"))));
            };
            let before = account.clone();
            // The store has one thread, so that nobody changes the account meanwhile.
            if let Err(error) = edit(&mut account) {
                return Ok(Err(error));
            }
            if account.email != before.email {
                // It was sent to the old address.
                account.recovery_link = None;
            }
            let stays_admin = account.is_admin && !account.is_disabled;
            if !stays_admin && is_last_admin(store, id)? {
                return Ok(Err(last_admin()));
            }
            store.put_account(version, &account, &audit)?;
            let was_verified = before.is_email_verified && before.email != account.email;
            if account.is_disabled && !before.is_disabled {
                let sessions = store.sessions_of(id)?.into_iter().map(|session| session.id);
                store.delete_sessions(&sessions.collect::<Vec<SecretId>>(), &[])?;
            }
            if account.is_disabled || was_verified || before.is_admin && !account.is_admin {
                access.revoke(&Revoked::Account(id));
            }
            Ok(Ok(account))
        })
        .await?
    }

    /// The account of a person whom a provider has proven: the one with this identity, or the one
    /// with the same verified address, or a new one.
    ///
    /// # Errors
    /// 403 for a disabled account, and without an account when `may_create` is false.
    pub async fn account_for_identity(
        &self,
        proven: &ProvenPerson,
        may_create: bool,
        visitor: &Visitor,
    ) -> Result<Account, ApiError> {
        let proven = proven.clone();
        let visitor = visitor.clone();
        let access = self.clone();
        let found = self.run(move |store| {
            let Some(account) = find_or_create(store, &access, &proven, may_create, &visitor)? else {
                return Ok(Err(ApiError::new(ErrorCode::Forbidden, "this person has no account here")));
            };
            if account.is_disabled {
                return Ok(Err(ApiError::new(ErrorCode::Forbidden, "the account is disabled")));
            }
            Ok(Ok(account))
        });
        found.await?
    }

    /// Adds an identity by which somebody can sign in to an account.
    ///
    /// # Errors
    /// 409 when it belongs to another account, and when the account has as many as it may have.
    pub async fn add_identity(
        &self,
        id: AccountId,
        identity: ProviderIdentity,
        visitor: &Visitor,
    ) -> Result<Account, ApiError> {
        let target = format!("{id} by {}", identity.issuer);
        let entry = audit_entry(&Actor::Account(id), AuditEvent::IdentityAdded, None, target, visitor);
        let add = move |account: &mut Account| {
            if account.identities.len() >= limits::IDENTITIES_PER_ACCOUNT_MAX {
                let message = "the account has as many identities at providers as it may have";
                return Err(ApiError::new(ErrorCode::Conflict, message));
            }
            account.identities.insert(identity.clone());
            Ok(())
        };
        self.change_account(id, vec![entry], add).await
    }

    /// Creates a link that signs in to an account once. It replaces an earlier one.
    ///
    /// # Errors
    /// 404 for an unknown account.
    pub async fn make_sign_in_link(&self, id: AccountId, audit: Vec<AuditEntry>) -> Result<Secret, ApiError> {
        let (secret, link) = new_sign_in_link(id);
        let set = move |account: &mut Account| {
            account.sign_in_link = Some(link.clone());
            Ok(())
        };
        self.change_account(id, audit, set).await?;
        Ok(secret)
    }

    /// The account of a sign-in link, which cannot be used again then.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn use_sign_in_link(&self, secret: Secret) -> Result<Option<Account>, ApiError> {
        self.run(move |store| {
            let found = store.account(AccountId(secret.id().0))?;
            let Some(Versioned { version, value: mut account }) = found else { return Ok(None) };
            let is_valid = secret.kind() == SecretKind::SignInLink
                && !account.is_disabled
                && account
                    .sign_in_link
                    .as_ref()
                    .is_some_and(|link| link.hash.matches(&secret) && now_ms() < link.expires_ms);
            if !is_valid {
                return Ok(None);
            }
            account.sign_in_link = None;
            store.put_account(version, &account, &[])?;
            Ok(Some(account))
        })
        .await
    }

    /// Deletes an account with its sessions, tokens, grants and requests; whether there was one.
    /// Workbooks of which it was the only owner then belong to nobody.
    ///
    /// # Errors
    /// 409 for the last admin.
    pub async fn delete_account(&self, id: AccountId, audit: Vec<AuditEntry>) -> Result<bool, ApiError> {
        let access = self.clone();
        self.run(move |store| {
            if is_last_admin(store, id)? {
                return Ok(Err(last_admin()));
            }
            let email = store.account(id)?.and_then(|account| account.value.verified_email());
            let mut rooms: Vec<RoomName> = Vec::new();
            loop {
                let listed = store.workbooks_of(id, email.as_ref(), rooms.last(), WORKBOOKS_PER_READ)?;
                let is_last = listed.len() < WORKBOOKS_PER_READ;
                rooms.extend(listed.into_iter().map(|listed| listed.room));
                if is_last {
                    break;
                }
            }
            let existed = store.delete_account(id, &audit)?;
            access.revoke(&Revoked::Account(id));
            for room in &rooms {
                access.reread(store, room)?;
            }
            Ok(Ok(existed))
        })
        .await?
    }
}

/// The answer when the last admin would be deleted, disabled or lose the right.
pub fn last_admin() -> ApiError {
    let message = "this is the last admin; make another account an admin first";
    ApiError::new(ErrorCode::Conflict, message)
}

/// A new sign-in link, and what the account keeps of it.
pub fn new_sign_in_link(id: AccountId) -> (Secret, SignInLink) {
    let secret = Secret::with_id(SecretKind::SignInLink, SecretId(id.0), random());
    let expires_ms = now_ms() + limits::SIGN_IN_LINK_HOURS as i64 * 3_600_000;
    let link = SignInLink { hash: secret.hash(), expires_ms };
    (secret, link)
}

/// A name that others see: one line without control characters.
///
/// # Errors
/// 400 when it is blank or too long.
pub fn check_account_name(name: &str) -> Result<String, ApiError> {
    let name = name.trim();
    let is_short = name.chars().count() <= LABEL_CHARACTERS_MAX && name.len() <= limits::AUTHOR_BYTES_MAX;
    if name.is_empty() || !is_short || name.chars().any(char::is_control) {
        let message =
            format!("a name is one line of at most {} bytes and is not blank", limits::AUTHOR_BYTES_MAX);
        return Err(ApiError::new(ErrorCode::BadRequest, message));
    }
    Ok(name.to_owned())
}

fn find_or_create(
    store: &mut dyn AccessStore,
    access: &Access,
    proven: &ProvenPerson,
    may_create: bool,
    visitor: &Visitor,
) -> Result<Option<Account>, AccessError> {
    let by_identity = store.account_by_identity(&proven.identity)?;
    let verified = proven.email.as_ref().filter(|_| proven.is_email_verified);
    let found = match (by_identity, verified) {
        (Some(found), _) => Some(found),
        (None, Some(email)) => store.account_by_email(email)?,
        (None, None) => None,
    };
    let Some(Versioned { version, value: before }) = found else {
        if !may_create {
            return Ok(None);
        }
        let account = new_account(store, proven)?.into_account();
        let entry = entry_of(&account, AuditEvent::AccountCreated, proven, visitor);
        store.put_account(Version(0), &account, &[entry])?;
        return Ok(Some(account));
    };
    let mut account = before.clone();
    account.identities.insert(proven.identity.clone());
    // The last admin stays one, whatever the provider says: nobody else could correct it.
    if proven.is_admin != Some(false) || !is_last_admin(store, account.id)? {
        account.is_admin = proven.is_admin.unwrap_or(account.is_admin);
    }
    if account.email.is_none()
        && let Some(email) = verified
        && store.account_by_email(email)?.is_none()
    {
        account.email = Some(email.clone());
        account.is_email_verified = true;
    }
    if account != before {
        let entry = entry_of(&account, AuditEvent::AccountChanged, proven, visitor);
        store.put_account(version, &account, &[entry])?;
        if before.is_admin && !account.is_admin {
            access.revoke(&Revoked::Account(account.id));
        }
    }
    Ok(Some(account))
}

fn new_account(store: &mut dyn AccessStore, proven: &ProvenPerson) -> Result<NewAccount, AccessError> {
    let from_email = || proven.email.as_ref().and_then(|email| email.as_str().split('@').next());
    let name = proven.name.as_deref().or_else(from_email).unwrap_or(&proven.identity.subject);
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let name = truncated(name.trim(), limits::AUTHOR_BYTES_MAX);
    let email = match (&proven.email, proven.is_email_verified) {
        // Somebody else has proven it.
        (Some(email), false) if store.account_by_email(email)?.is_some() => None,
        (email, _) => email.clone(),
    };
    Ok(NewAccount {
        name: if name.is_empty() { "…".to_owned() } else { name.to_owned() },
        is_email_verified: proven.is_email_verified && email.is_some(),
        email,
        is_admin: proven.is_admin.unwrap_or(false),
        password_hash: None,
        identities: BTreeSet::from([proven.identity.clone()]),
    })
}

/// The beginning of a text that has at most `bytes_max` bytes.
fn truncated(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

fn entry_of(account: &Account, event: AuditEvent, proven: &ProvenPerson, visitor: &Visitor) -> AuditEntry {
    let target = format!("{} by {}", account.id, proven.identity.issuer);
    audit_entry(&Actor::Account(account.id), event, None, target, visitor)
}
