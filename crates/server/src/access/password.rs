//! Passwords of accounts and of share links: Argon2id, on a few threads at a time.

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use std::fmt;
use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;
use quadrille_access::Email;
use tokio::sync::Semaphore;

use super::breached_passwords::BreachedPasswords;
use super::guessable_passwords::{ContextWords, is_common};

/// Length in characters. NIST SP 800-63B, 3.1.1: at least 8, and at least 64 must be allowed.
pub const CHARACTERS_MIN: usize = 8;
const BYTES_MAX: usize = 1_024;

/// Hashes that are computed at once. Each takes 19 MiB and some 20 ms of one core with the default
/// parameters of the crate, which are OWASP's (m = 19 MiB, t = 2, p = 1).
const AT_ONCE_MAX: usize = 2;
/// Callers that may wait for their turn; one more is told to try again later.
const WAITING_MAX: usize = 64;

/// Why a password was not hashed or checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PasswordError {
    TooShort,
    TooLong,
    /// One of the most common passwords.
    Common,
    /// Made of words of the service or the person.
    Context,
    /// In the operator's list of breached passwords.
    Breached,
    /// That list cannot be read.
    NoBreachedList,
    /// Too many others are being checked.
    Busy,
}

impl fmt::Display for PasswordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PasswordError::TooShort => {
                return write!(f, "a password has at least {CHARACTERS_MIN} characters");
            }
            PasswordError::TooLong => "the password is too long",
            PasswordError::Common => "the password is too easy to guess: it is a common one",
            PasswordError::Context => {
                "the password is too easy to guess: it is made of words of this server or the account"
            }
            PasswordError::Breached => {
                "the password is too easy to guess: it is in a list of breached passwords"
            }
            PasswordError::NoBreachedList => "the list of breached passwords cannot be read",
            PasswordError::Busy => "too many passwords are being checked; try again",
        })
    }
}

/// Checks new passwords, and computes hashes with a limit on how many at once.
#[derive(Clone)]
pub struct Passwords {
    /// Words of the server.
    words: ContextWords,
    breached: Option<Arc<BreachedPasswords>>,
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    /// Hashes that were computed.
    computed: Counter,
}

impl Default for Passwords {
    fn default() -> Passwords {
        Passwords {
            words: ContextWords::of_program(),
            breached: None,
            running: Arc::new(Semaphore::new(AT_ONCE_MAX)),
            waiting: Arc::new(Semaphore::new(WAITING_MAX)),
            computed: Counter::default(),
        }
    }
}

impl Passwords {
    /// For a server: with its words, the operator's list of breached passwords, and a metric that
    /// counts the computed hashes.
    pub fn new(words: ContextWords, breached: Option<BreachedPasswords>, computed: Counter) -> Passwords {
        Passwords { words, breached: breached.map(Arc::new), computed, ..Passwords::default() }
    }

    /// The PHC string of a new password of an account.
    ///
    /// # Errors
    /// Those of [`hash`](Passwords::hash), and for a password of words of the service or the person.
    pub async fn hash_for(
        &self,
        name: &str,
        email: Option<&Email>,
        password: String,
    ) -> Result<String, PasswordError> {
        if self.words.with_person(name, email).make_up(&password, CHARACTERS_MIN) {
            // That it is too short is the better reason.
            check_length(&password)?;
            return Err(PasswordError::Context);
        }
        self.hash(password).await
    }

    /// The PHC string of a new password.
    ///
    /// # Errors
    /// When it is shorter than [`CHARACTERS_MIN`] or longer than 1,024 bytes, common or breached, or
    /// too many wait.
    pub async fn hash(&self, password: String) -> Result<String, PasswordError> {
        check_length(&password)?;
        if is_common(&password) {
            return Err(PasswordError::Common);
        }
        let breached = self.breached.clone();
        self.compute(move || {
            match breached.map(|list| list.contains(&password)).transpose() {
                Ok(None | Some(false)) => {}
                Ok(Some(true)) => return Err(PasswordError::Breached),
                Err(error) => {
                    tracing::warn!(%error, "the list of breached passwords was not read");
                    return Err(PasswordError::NoBreachedList);
                }
            }
            let hash = Argon2::default().hash_password(password.as_bytes());
            Ok(hash.expect("the default parameters are valid").to_string())
        })
        .await?
    }

    /// Whether a password is the one of a PHC string. Without a stored hash the same work is done,
    /// so that the time does not tell whether an account exists.
    ///
    /// # Errors
    /// When too many wait.
    pub async fn verify(&self, password: String, stored: Option<String>) -> Result<bool, PasswordError> {
        if password.len() > BYTES_MAX {
            return Ok(false);
        }
        self.compute(move || {
            let is_known = stored.is_some();
            let stored = stored.unwrap_or_else(|| DUMMY_HASH.to_owned());
            let Ok(hash) = PasswordHash::new(&stored) else { return false };
            let is_right = Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
            is_right && is_known
        })
        .await
    }

    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let _waiting = self.waiting.try_acquire().map_err(|_| PasswordError::Busy)?;
        let _running = self.running.acquire().await.expect("never closed");
        self.computed.inc();
        Ok(tokio::task::spawn_blocking(work).await.expect("hashing does not panic"))
    }
}

fn check_length(password: &str) -> Result<(), PasswordError> {
    if password.chars().count() < CHARACTERS_MIN {
        return Err(PasswordError::TooShort);
    }
    if password.len() > BYTES_MAX {
        return Err(PasswordError::TooLong);
    }
    Ok(())
}

/// The hash of a password that nobody has, with the parameters of [`Argon2::default`].
const DUMMY_HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_verifies() {
        let passwords = Passwords::default();
        let hash = passwords.hash("correct horse".into()).await.expect("long enough");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_eq!(passwords.verify("correct horse".into(), Some(hash.clone())).await, Ok(true));
        assert_eq!(passwords.verify("correct horsf".into(), Some(hash.clone())).await, Ok(false));
        assert_eq!(passwords.verify("correct horse".into(), None).await, Ok(false));
        assert_eq!(passwords.verify("correct horse".into(), Some("damaged".into())).await, Ok(false));
        assert_ne!(passwords.hash("correct horse".into()).await, Ok(hash), "salted");
    }

    #[tokio::test]
    async fn lengths_are_limited() {
        let passwords = Passwords::default();
        assert_eq!(passwords.hash("1234567".into()).await, Err(PasswordError::TooShort));
        assert_eq!(passwords.hash("a".repeat(BYTES_MAX + 1)).await, Err(PasswordError::TooLong));
        assert_eq!(passwords.verify("a".repeat(BYTES_MAX + 1), None).await, Ok(false));
    }

    #[tokio::test]
    async fn guessable_passwords_are_refused() {
        let list = tempfile::NamedTempFile::new().expect("a file");
        // The SHA-1 of `correct horse battery staple`.
        std::fs::write(list.path(), "ABF7AAD6438836DBE526AA231ABDE2D0EEF74D42:7\n").expect("writable");
        let breached = BreachedPasswords::open(list.path()).expect("a list");
        let passwords = Passwords::new(ContextWords::of_program(), Some(breached), Counter::default());
        let ada = Email::parse("ada@example.org");
        for (password, expected) in [
            ("Password", Err(PasswordError::Common)),
            ("Lovelace-1", Err(PasswordError::Context)),
            ("lovelace".get(..7).expect("letters"), Err(PasswordError::TooShort)),
            ("correct horse battery staple", Err(PasswordError::Breached)),
            ("lovelace and two more words", Ok(())),
        ] {
            let hashed = passwords.hash_for("Ada Lovelace", ada.as_ref(), password.to_owned()).await;
            assert_eq!(hashed.map(|_| ()), expected, "{password}");
        }
        // Words of a person say nothing about the password of a link.
        assert!(passwords.hash("Lovelace-1".into()).await.is_ok());
    }

    #[tokio::test]
    async fn waiting_callers_are_limited() {
        let passwords = Passwords::default();
        let _all = passwords.waiting.acquire_many(WAITING_MAX as u32).await.expect("free");
        assert_eq!(passwords.verify("12345678".into(), None).await, Err(PasswordError::Busy));
    }

    #[test]
    fn the_dummy_hash_can_be_parsed() {
        assert!(PasswordHash::new(DUMMY_HASH).is_ok());
    }
}
