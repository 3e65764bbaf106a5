//! Whom a request comes from: verifies the credentials of a [`Visitor`].

use std::sync::Arc;

use quadrille_access::{Account, AccountId, Actor, ApiToken, Credentials, Secret, SecretKind, SignedIn, Use};
use quadrille_protocol::{Author, Role, RoomName};

use super::account_proof::{AccountProof, NewSession, Revoked};
use super::service::{Access, now_ms};
use super::sessions::is_noted_again;
use super::visitor::{Presented, Visitor};
use crate::error::{ApiError, ErrorCode};
use crate::host_tokens::{SignedToken, TokenError};
use crate::rooms::{Change, RequestMark};

/// What a request may do in a workbook, and in whose name.
#[derive(Clone, Debug)]
pub struct Grant {
    pub role: Role,
    pub identity: Arc<Identity>,
    /// Marks the change of a request with an idempotency key.
    pub mark: Option<RequestMark>,
}

impl Grant {
    /// As [`Identity::sign`], with the mark of the request.
    pub fn sign(&self, change: Change) -> Change {
        self.identity.sign(change).marked(self.mark.clone())
    }
}

/// Whom the credentials of a request prove.
#[derive(Clone, Debug)]
pub struct Identity {
    pub credentials: Credentials,
    /// For the audit log.
    pub actor: Actor,
    /// For records, when the request comes from an account.
    pub author: Option<Author>,
    /// The URL of a picture of the author, which others may show.
    pub picture: Option<Arc<str>>,
    /// The account that is signed in.
    pub account: Option<Arc<Account>>,
    /// By what the account is proven.
    pub proof: Option<AccountProof>,
    /// When the proof of the account ends.
    pub until_ms: Option<i64>,
    /// A new secret of the session, to be sent to the browser.
    pub renewed: Option<NewSession>,
}

impl Identity {
    /// Whether the account was proven by these credentials, which have ended.
    pub fn is_proven_by(&self, revoked: &Revoked) -> bool {
        let account = self.account.as_ref().map(|account| account.id);
        match revoked {
            Revoked::Account(id) => account == Some(*id),
            Revoked::SessionsExcept(id, kept) => {
                let session = match &self.proof {
                    Some(AccountProof::Session(session)) => Some(*session),
                    _ => None,
                };
                account == Some(*id) && session.is_some() && session != *kept
            }
            Revoked::Session(id) => self.proof == Some(AccountProof::Session(*id)),
            Revoked::Token(token) => {
                matches!(&self.proof, Some(AccountProof::Token { id, .. }) if id == token)
            }
        }
    }

    /// Nobody in particular.
    pub fn anonymous() -> Identity {
        Identity {
            credentials: Credentials::default(),
            actor: Actor::Anonymous,
            author: None,
            picture: None,
            account: None,
            proof: None,
            until_ms: None,
            renewed: None,
        }
    }

    /// The change in the name of the account, if the request comes from one: its name cannot be
    /// chosen.
    pub fn sign(&self, change: Change) -> Change {
        match &self.author {
            Some(author) => change.by(author.clone()).with_email(self.email()),
            None => change,
        }
    }

    /// The verified e-mail address of the account, as protected ranges name it.
    pub fn email(&self) -> Option<Arc<str>> {
        let account = self.credentials.account.as_ref()?;
        account.email.as_ref().map(|email| email.as_str().into())
    }

    /// Adds the account that was proven.
    pub(super) fn sign_in(&mut self, account: Account, proof: AccountProof, until_ms: Option<i64>) {
        let scope = match &proof {
            AccountProof::Token { scope, .. } => Some(*scope),
            AccountProof::Session(_) | AccountProof::Proxy => None,
        };
        match &proof {
            AccountProof::Token { id, .. } => self.actor = Actor::Token(*id),
            _ if self.actor == Actor::Anonymous => self.actor = Actor::Account(account.id),
            _ => {}
        }
        self.author = Some(author_of(&account));
        self.credentials.account = Some(SignedIn { scope, ..signed_in(&account) });
        self.account = Some(Arc::new(account));
        self.proof = Some(proof);
        self.until_ms = until_ms;
    }

    /// Checks that the API token, if the request has one, may be used for a workbook.
    ///
    /// # Errors
    /// 403 for a token that is limited to others.
    pub fn check_covers(&self, room: &RoomName) -> Result<(), ApiError> {
        match &self.proof {
            Some(AccountProof::Token { rooms: Some(rooms), .. }) if !rooms.contains(room.as_str()) => {
                Err(ApiError::new(ErrorCode::Forbidden, "the API token is not for this workbook"))
            }
            _ => Ok(()),
        }
    }
}

impl Access {
    /// Verifies the credentials of a visitor.
    ///
    /// # Errors
    /// 401 for an API token that is unknown, revoked or expired, 403 for one that is not for this
    /// workbook. An unknown session cookie is no error: the visitor is then not signed in.
    pub async fn identify(&self, visitor: &Visitor, room: Option<&RoomName>) -> Result<Identity, ApiError> {
        let now_ms = now_ms();
        let mut identity = Identity::anonymous();
        identity.credentials.tenant.clone_from(&visitor.tenant);
        match &visitor.presented {
            Presented::Secret(secret) if secret.kind() == SecretKind::ApiToken => {
                let (token, account) = self.token(secret.clone(), now_ms).await?;
                let ApiToken { id, scope, rooms, expires_ms, .. } = token;
                identity.sign_in(account, AccountProof::Token { id, scope, rooms }, expires_ms);
                if let Some(room) = room {
                    identity.check_covers(room)?;
                }
                return Ok(identity);
            }
            Presented::Secret(secret) => {
                identity.actor = secret_actor(secret);
                identity.credentials.secrets.push(secret.clone());
            }
            Presented::UnlockedLink(secret, unlock) => {
                identity.actor = secret_actor(secret);
                identity.credentials.secrets.push(secret.clone());
                let document = match room {
                    Some(room) => self.document(room).await?,
                    None => None,
                };
                let link = document.as_ref().and_then(|document| document.value.link(secret.id()));
                if link.is_some_and(|link| unlock.unlocks(self.key(), link, now_ms)) {
                    identity.credentials.unlocked.push(secret.id());
                }
            }
            Presented::SignedToken(token) => {
                self.assert_role(&mut identity, token, room, now_ms).await?;
                // The session cookie of somebody who has an account here too does not count.
                return Ok(identity);
            }
            Presented::EtherCalcCode(code) => {
                if let (Some(key), Some(room)) = (&self.assertions().ethercalc_key, room) {
                    if !key.accepts(room, code) {
                        let message = "the code in `auth` is not the one of this workbook";
                        return Err(ApiError::new(ErrorCode::BadCredentials, message));
                    }
                    identity.credentials.has_ethercalc_code = true;
                }
            }
            Presented::Nothing => {}
        }
        if let Some(proven) = &visitor.proven {
            let account = self.account_for_identity(proven, true, visitor).await?;
            identity.sign_in(account, AccountProof::Proxy, None);
        } else if let Some(session) = &visitor.session
            && let Some(checked) = self.check_session(session.clone(), visitor).await?
        {
            let proof = AccountProof::Session(session.id());
            identity.sign_in(checked.account, proof, Some(checked.expires_ms));
            identity.renewed = checked.renewed;
        }
        Ok(identity)
    }

    /// Adds what a signed token of a host application says about a workbook.
    async fn assert_role(
        &self,
        identity: &mut Identity,
        token: &SignedToken,
        room: Option<&RoomName>,
        now_ms: i64,
    ) -> Result<(), ApiError> {
        let verified = self.assertions().host_tokens.verify(token, now_ms).await?;
        if let Some(room) = room {
            if !verified.covers(room) {
                return Err(TokenError::OtherRoom.into());
            }
            identity.credentials.asserted = Some(verified.role);
        }
        identity.actor = Actor::Host(verified.issuer.to_string());
        identity.author = verified.author;
        identity.picture = verified.picture;
        Ok(())
    }

    /// Whether the credentials of an account that was identified before are still valid.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn is_still_valid(&self, identity: &Identity) -> Result<bool, ApiError> {
        let (Some(account), Some(proof)) = (&identity.account, &identity.proof) else { return Ok(true) };
        if identity.until_ms.is_some_and(|until_ms| until_ms <= now_ms()) {
            return Ok(false);
        }
        let (id, proof) = (account.id, proof.clone());
        self.run(move |store| {
            let account = store.account(id)?;
            let has_proof = match proof {
                AccountProof::Session(session) => store.session(session)?.is_some(),
                AccountProof::Token { id, .. } => store.token(id)?.is_some(),
                AccountProof::Proxy => true,
            };
            Ok(has_proof && account.is_some_and(|account| !account.value.is_disabled))
        })
        .await
    }

    /// Counts a session that was opened, towards the use of its share link and the time when a
    /// person with access was last seen.
    pub async fn record_session(&self, room: &RoomName, identity: &Identity) {
        let Ok(Some(document)) = self.document(room).await else { return };
        for secret in &identity.credentials.secrets {
            let link = document.value.link(secret.id()).filter(|link| link.hash.matches(secret));
            if let Some(link) = link {
                self.record_use(Use::Link { room: room.clone(), id: link.id, count: 1, time_ms: now_ms() });
            }
        }
        if let Some(signed_in) = &identity.credentials.account {
            let (account, email) = (signed_in.id, signed_in.email.clone());
            if document.value.grants.iter().any(|grant| grant.person.is(account, email.as_ref())) {
                self.record_use(Use::Grant { room: room.clone(), account, email, time_ms: now_ms() });
            }
        }
    }

    async fn token(&self, secret: Secret, now_ms: i64) -> Result<(ApiToken, Account), ApiError> {
        let refused =
            || ApiError::new(ErrorCode::BadCredentials, "the API token is unknown, revoked or expired");
        let id = secret.id();
        let found = self.run(move |store| {
            let Some(token) = store.token(id)? else { return Ok(None) };
            Ok(store.account(token.account)?.map(|account| (token, account.value)))
        });
        let (token, account) = found.await?.ok_or_else(refused)?;
        let is_valid = token.hash.matches(&secret)
            && token.expires_ms.is_none_or(|expires_ms| now_ms < expires_ms)
            && !account.is_disabled;
        if !is_valid {
            return Err(refused());
        }
        if is_noted_again(token.last_used_ms, now_ms) {
            self.record_use(Use::Token { id, time_ms: now_ms });
            self.record_use(Use::Account { id: account.id, time_ms: now_ms });
        }
        Ok((token, account))
    }
}

fn signed_in(account: &Account) -> SignedIn {
    let email = account.email.clone().filter(|_| account.is_email_verified);
    SignedIn { id: account.id, email, is_admin: account.is_admin, scope: None }
}

fn author_of(account: &Account) -> Author {
    Author { id: account_author(account.id).into(), name: account.name.as_str().into() }
}

/// Begins the identity of an account in records.
const ACCOUNT_AUTHOR: &str = "account:";

/// The identity of an account in records, comments and protected ranges.
fn account_author(id: AccountId) -> String {
    format!("{ACCOUNT_AUTHOR}{id}")
}

/// The account of an identity; `None` for that of somebody else, such as a user of a host application.
pub fn account_of_author(author: &str) -> Option<AccountId> {
    AccountId::parse(author.strip_prefix(ACCOUNT_AUTHOR)?)
}

fn secret_actor(secret: &Secret) -> Actor {
    match secret.kind() {
        SecretKind::OwnerKey => Actor::OwnerKey(secret.id()),
        _ => Actor::Link(secret.id()),
    }
}
