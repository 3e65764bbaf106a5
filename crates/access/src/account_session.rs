//! Sessions of browsers that are signed in, and how their secrets are replaced while they are used.
//!
//! The random bits of a session's secret are replaced from time to time, so that a stolen copy becomes useless.
//! A browser may send several requests at once and may miss an answer, so the new secret replaces the old one
//! only when it is presented, and the old one is accepted for a short time after that. Whoever presents it later
//! has a copy that the browser no longer has: then the session ends.

use serde::{Deserialize, Serialize};

use crate::account::AccountId;
use crate::secret::{Secret, SecretHash, SecretId};

/// A browser that is signed in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AccountSession {
    pub id: SecretId,
    pub hash: SecretHash,
    pub account: AccountId,
    pub created_ms: i64,
    /// When it ends, however much it is used.
    pub expires_ms: i64,
    pub last_used_ms: i64,
    /// What its owner recognizes it by: browser and system of the sign-in.
    pub user_agent: String,
    pub address: String,
    /// The OpenID Connect provider by which the person signed in, by its identifier in the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// When `hash` became the one that counts; 0 at the sign-in.
    #[serde(default)]
    pub renewed_ms: i64,
    /// A new secret that was sent to the browser and not presented yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<DatedHash>,
    /// The secret before `hash`, with the moment until which it is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<DatedHash>,
}

/// The hash of a secret and a moment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DatedHash {
    pub hash: SecretHash,
    pub time_ms: i64,
}

/// How long sessions last, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionTimes {
    /// A session ends when it was not used for this long.
    pub idle_ms: i64,
    /// A session ends this long after the sign-in.
    pub absolute_ms: i64,
    /// A secret is replaced after this long.
    pub renewed_after_ms: i64,
    /// A replaced secret is accepted for this long, for requests that were sent at the same time.
    pub grace_ms: i64,
}

/// What a presented secret proves about a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionProof {
    Valid,
    /// Valid, and a new secret is to be sent with the answer.
    RenewalDue,
    /// Valid, and it is the new secret: [`AccountSession::confirm`] makes it the one that counts.
    Renewed,
    /// A replaced secret after its time.
    Replayed,
    /// Another secret, or the session has ended.
    Invalid,
}

impl AccountSession {
    /// Checks a presented secret. Compares in constant time.
    pub fn check(&self, secret: &Secret, times: &SessionTimes, now_ms: i64) -> SessionProof {
        if self.has_ended(times, now_ms) {
            return SessionProof::Invalid;
        }
        if self.hash.matches(secret) {
            let is_old = now_ms >= self.renewed_ms.max(self.created_ms) + times.renewed_after_ms;
            // Not another one for a request that was sent at the same time.
            let is_sent = self.next.as_ref().is_some_and(|next| now_ms < next.time_ms + times.grace_ms);
            return if is_old && !is_sent { SessionProof::RenewalDue } else { SessionProof::Valid };
        }
        if self.next.as_ref().is_some_and(|next| next.hash.matches(secret)) {
            return SessionProof::Renewed;
        }
        match &self.previous {
            Some(previous) if previous.hash.matches(secret) => {
                if now_ms < previous.time_ms {
                    SessionProof::Valid
                } else {
                    SessionProof::Replayed
                }
            }
            _ => SessionProof::Invalid,
        }
    }

    /// Whether it was unused for too long, or has reached its end.
    pub fn has_ended(&self, times: &SessionTimes, now_ms: i64) -> bool {
        let is_idle = now_ms >= self.last_used_ms.max(self.created_ms) + times.idle_ms;
        is_idle || now_ms >= self.expires_ms
    }

    /// Notes the secret that is sent to the browser to replace the current one.
    pub fn renew(&mut self, fresh: &Secret, now_ms: i64) {
        self.next = Some(DatedHash { hash: fresh.hash(), time_ms: now_ms });
    }

    /// Makes the new secret the one that counts: the browser has presented it.
    pub fn confirm(&mut self, times: &SessionTimes, now_ms: i64) {
        let Some(next) = self.next.take() else { return };
        let replaced = std::mem::replace(&mut self.hash, next.hash);
        self.previous = Some(DatedHash { hash: replaced, time_ms: now_ms + times.grace_ms });
        self.renewed_ms = now_ms;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::SecretKind;

    const TIMES: SessionTimes =
        SessionTimes { idle_ms: 1_000, absolute_ms: 5_000, renewed_after_ms: 100, grace_ms: 10 };

    fn secret(byte: u8) -> Secret {
        let mut bytes = [byte; 24];
        bytes[..8].fill(1);
        Secret::new(SecretKind::Session, bytes)
    }

    fn session() -> AccountSession {
        AccountSession {
            id: secret(1).id(),
            hash: secret(1).hash(),
            account: AccountId(1),
            created_ms: 0,
            expires_ms: TIMES.absolute_ms,
            last_used_ms: 0,
            user_agent: String::new(),
            address: String::new(),
            provider: None,
            renewed_ms: 0,
            next: None,
            previous: None,
        }
    }

    #[test]
    fn a_session_ends_when_it_is_idle_and_at_its_end() {
        let mut session = session();
        assert_eq!(session.check(&secret(1), &TIMES, 50), SessionProof::Valid);
        assert_eq!(session.check(&secret(2), &TIMES, 50), SessionProof::Invalid);
        assert_eq!(session.check(&secret(1), &TIMES, 1_000), SessionProof::Invalid, "idle");
        session.last_used_ms = 4_900;
        assert_eq!(session.check(&secret(1), &TIMES, 4_999), SessionProof::RenewalDue);
        assert_eq!(session.check(&secret(1), &TIMES, 5_000), SessionProof::Invalid, "at its end");
    }

    #[test]
    fn a_new_secret_replaces_the_old_one_when_it_is_presented() {
        let mut session = session();
        assert_eq!(session.check(&secret(1), &TIMES, 100), SessionProof::RenewalDue);
        session.renew(&secret(2), 100);
        // A request that was sent at the same time gets no other one.
        assert_eq!(session.check(&secret(1), &TIMES, 105), SessionProof::Valid);
        // The answer was lost: the browser gets another one.
        assert_eq!(session.check(&secret(1), &TIMES, 110), SessionProof::RenewalDue);
        session.renew(&secret(3), 110);
        assert_eq!(session.check(&secret(2), &TIMES, 115), SessionProof::Invalid);
        assert_eq!(session.check(&secret(3), &TIMES, 115), SessionProof::Renewed);
        session.confirm(&TIMES, 115);
        assert_eq!(session.check(&secret(3), &TIMES, 116), SessionProof::Valid);
        assert_eq!(session.check(&secret(1), &TIMES, 124), SessionProof::Valid, "sent before");
        assert_eq!(session.check(&secret(1), &TIMES, 125), SessionProof::Replayed);
        assert_eq!(session.check(&secret(4), &TIMES, 125), SessionProof::Invalid, "guessed");
        assert_eq!(session.check(&secret(3), &TIMES, 215), SessionProof::RenewalDue);
    }

    #[test]
    fn sessions_that_were_stored_before_renewal_existed_can_be_read() {
        let stored = r#"{"id":"AQEBAQEBAQE","hash":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE","account":1,
            "created_ms":5,"expires_ms":9,"last_used_ms":5,"user_agent":"","address":""}"#;
        let session: AccountSession = serde_json::from_str(stored).expect("known shape");
        assert_eq!((session.renewed_ms, session.next, session.previous), (0, None, None));
    }
}
