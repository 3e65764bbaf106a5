//! Signing in and out: sessions of accounts in browsers.

use quadrille_access::{
    AccessStore, Account, AccountId, AccountSession, Actor, AuditEntry, AuditEvent, Secret, SecretId,
    SecretKind, SessionProof, Use,
};

use super::account_proof::{NewSession, Revoked};
use super::attempts::Attempt;
use super::service::{Access, audit_entry, now_ms};
use super::visitor::Visitor;
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// A session that is valid.
pub(super) struct CheckedSession {
    pub account: Account,
    pub expires_ms: i64,
    pub renewed: Option<NewSession>,
}

/// Characters of the `User-Agent` header that are stored with a session.
const USER_AGENT_CHARACTERS_MAX: usize = 200;

impl Access {
    /// Starts a session of an account. The session that the browser had before ends, so that nobody
    /// else can know the secret of the new one. `how` is how the person has signed in, for the audit
    /// log; `provider` is the OpenID Connect provider, if it was one.
    ///
    /// # Errors
    /// 403 for a disabled account.
    pub async fn sign_in(
        &self,
        account: &Account,
        how: &str,
        provider: Option<&str>,
        visitor: &Visitor,
    ) -> Result<NewSession, ApiError> {
        if account.is_disabled {
            return Err(ApiError::new(ErrorCode::Forbidden, "the account is disabled"));
        }
        let now_ms = now_ms();
        let secret = Secret::new(SecretKind::Session, random());
        let session = AccountSession {
            id: secret.id(),
            hash: secret.hash(),
            account: account.id,
            created_ms: now_ms,
            expires_ms: now_ms + self.session_times().absolute_ms,
            last_used_ms: now_ms,
            user_agent: visitor.user_agent.chars().take(USER_AGENT_CHARACTERS_MAX).collect(),
            address: visitor.address.map_or(String::new(), |address| address.to_string()),
            provider: provider.map(str::to_owned),
            renewed_ms: now_ms,
            next: None,
            previous: None,
        };
        let new = NewSession { secret, expires_ms: session.expires_ms };
        let entry = audit_entry(&Actor::Account(account.id), AuditEvent::SignedIn, None, how, visitor);
        let replaced = visitor.session.clone();
        let id = account.id;
        let access = self.clone();
        self.run(move |store| {
            if let Some(replaced) = replaced
                && store.session(replaced.id())?.is_some_and(|stored| {
                    stored.check(&replaced, access.session_times(), now_ms) != SessionProof::Invalid
                })
            {
                store.delete_sessions(&[replaced.id()], &[])?;
                access.revoke(&Revoked::Session(replaced.id()));
            }
            store.put_session(&session, &[entry])?;
            let sessions = store.sessions_of(id)?;
            let too_old = sessions.iter().skip(limits::SESSIONS_PER_ACCOUNT_MAX);
            let too_old: Vec<SecretId> = too_old.map(|session| session.id).collect();
            store.delete_sessions(&too_old, &[])?;
            too_old.into_iter().for_each(|id| access.revoke(&Revoked::Session(id)));
            Ok(())
        })
        .await?;
        self.record_use(Use::Account { id, time_ms: now_ms });
        Ok(new)
    }

    /// The OpenID Connect provider by which a session was signed in.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn provider_of_session(&self, id: SecretId) -> Result<Option<String>, ApiError> {
        self.run(move |store| Ok(store.session(id)?.and_then(|session| session.provider))).await
    }

    /// Ends one session; whether it was one of the account.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn end_session(
        &self,
        account: AccountId,
        id: SecretId,
        audit: Vec<AuditEntry>,
    ) -> Result<bool, ApiError> {
        let access = self.clone();
        self.run(move |store| {
            if store.session(id)?.is_none_or(|session| session.account != account) {
                return Ok(false);
            }
            store.delete_sessions(&[id], &audit)?;
            access.revoke(&Revoked::Session(id));
            Ok(true)
        })
        .await
    }

    /// Ends all sessions of an account but one; how many.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn end_sessions(
        &self,
        account: AccountId,
        except: Option<SecretId>,
        audit: Vec<AuditEntry>,
    ) -> Result<usize, ApiError> {
        let access = self.clone();
        self.run(move |store| {
            let sessions = store.sessions_of(account)?.into_iter().map(|session| session.id);
            let ended: Vec<SecretId> = sessions.filter(|id| Some(*id) != except).collect();
            store.delete_sessions(&ended, &audit)?;
            access.revoke(&Revoked::SessionsExcept(account, except));
            Ok(ended.len())
        })
        .await
    }

    /// Revokes an API token; whether there was one, of this account if one is given.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn revoke_token(
        &self,
        account: Option<AccountId>,
        id: SecretId,
        audit: Vec<AuditEntry>,
    ) -> Result<bool, ApiError> {
        let access = self.clone();
        self.run(move |store| {
            let token = store.token(id)?;
            if token.is_none_or(|token| account.is_some_and(|account| account != token.account)) {
                return Ok(false);
            }
            store.delete_token(id, &audit)?;
            access.revoke(&Revoked::Token(id));
            Ok(true)
        })
        .await
    }

    /// Notes that a session was used by an open workbook.
    pub fn record_session_use(&self, id: SecretId) {
        self.record_use(Use::Session { id, time_ms: now_ms() });
    }

    /// The account of a session whose secret is presented, and a new secret when it is time for one.
    pub(super) async fn check_session(
        &self,
        secret: Secret,
        visitor: &Visitor,
    ) -> Result<Option<CheckedSession>, ApiError> {
        let (access, visitor) = (self.clone(), visitor.clone());
        let now_ms = now_ms();
        self.run(move |store| {
            let times = *access.session_times();
            let id = secret.id();
            let Some(mut session) = store.session(id)? else { return Ok(None) };
            let Some(account) = store.account(session.account)?.map(|account| account.value) else {
                return Ok(None);
            };
            let proof = session.check(&secret, &times, now_ms);
            if proof == SessionProof::Replayed {
                let actor = Actor::Account(account.id);
                let entry = audit_entry(&actor, AuditEvent::SessionEnded, None, "replayed cookie", &visitor);
                store.delete_sessions(&[id], &[entry])?;
                access.revoke(&Revoked::Session(id));
                return Ok(None);
            }
            if proof == SessionProof::Invalid || account.is_disabled {
                return Ok(None);
            }
            let renewed = renew(store, &mut session, proof, &visitor, now_ms, &times)?;
            if is_noted_again(session.last_used_ms, now_ms) {
                access.record_use(Use::Session { id, time_ms: now_ms });
                access.record_use(Use::Account { id: account.id, time_ms: now_ms });
            }
            Ok(Some(CheckedSession { account, expires_ms: session.expires_ms, renewed }))
        })
        .await
    }

    /// Writes a refused sign-in, token or other credential to the audit log; at most
    /// `AUDITED_REFUSALS_PER_ADDRESS` of one address in five minutes, so that nobody can fill it.
    pub async fn record_refusal(&self, event: AuditEvent, target: impl Into<String>, visitor: &Visitor) {
        if self.refusals().take(Attempt::AuditedRefusal(visitor.address), std::time::Instant::now()).is_err()
        {
            return;
        }
        let entry = audit_entry(&Actor::Anonymous, event, None, target, visitor);
        if let Err(error) = self.run(move |store| store.append_audit(&[entry])).await {
            tracing::warn!(message = error.message, "a refusal was not written to the audit log");
        }
    }
}

/// Makes a new secret the one that counts, or creates one that is sent to the browser.
fn renew(
    store: &mut dyn AccessStore,
    session: &mut AccountSession,
    proof: SessionProof,
    visitor: &Visitor,
    now_ms: i64,
    times: &quadrille_access::SessionTimes,
) -> Result<Option<NewSession>, quadrille_access::AccessError> {
    match proof {
        SessionProof::Renewed => {
            session.confirm(times, now_ms);
            store.put_session(session, &[])?;
            Ok(None)
        }
        SessionProof::RenewalDue if visitor.can_get_cookies => {
            let bits = random::<16>();
            let fresh = Secret::with_id(SecretKind::Session, session.id, bits);
            session.renew(&fresh, now_ms);
            store.put_session(session, &[])?;
            Ok(Some(NewSession { secret: fresh, expires_ms: session.expires_ms }))
        }
        _ => Ok(None),
    }
}

/// Random bytes of the operating system.
pub(super) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system provides random numbers");
    bytes
}

/// Whether the time of the last use is stored again: the minute is enough.
pub(super) fn is_noted_again(last_used_ms: i64, now_ms: i64) -> bool {
    now_ms - last_used_ms >= 60_000
}
