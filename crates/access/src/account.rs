//! Accounts and their API tokens, as they are stored.

use std::collections::BTreeSet;
use std::fmt;

use quadrille_protocol::RoomName;
use serde::{Deserialize, Serialize};

use crate::secret::{SecretHash, SecretId};

/// Identifies an account for ever; never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct AccountId(pub u64);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl AccountId {
    /// Reads the text that [`Display`](fmt::Display) writes; `None` for any other text.
    pub fn parse(text: &str) -> Option<AccountId> {
        let is_ours = text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_ours.then(|| u64::from_str_radix(text, 16).ok().map(AccountId)).flatten()
    }
}

/// An e-mail address in the form in which addresses are compared: trimmed, in lower case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Email(String);

/// RFC 5321, 4.5.3.1.3: a path has at most 256 octets with its brackets.
const EMAIL_BYTES_MAX: usize = 254;

impl Email {
    /// Checks the shape only: one `@` with text on both sides, a dot or `localhost` in the domain, no spaces
    /// or control characters. `None` otherwise.
    pub fn parse(text: &str) -> Option<Email> {
        let text = text.trim();
        let (local, domain) = text.rsplit_once('@')?;
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"<>()[],;:\\\"@".contains(c);
        let is_domain = domain == "localhost"
            || (domain.contains('.') && !domain.starts_with('.') && !domain.ends_with('.'));
        let is_valid = !local.is_empty()
            && is_domain
            && text.len() <= EMAIL_BYTES_MAX
            && local.chars().chain(domain.chars()).all(is_plain);
        is_valid.then(|| Email(text.to_lowercase()))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A person who can sign in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Account {
    pub id: AccountId,
    /// The name that others see.
    pub name: String,
    pub email: Option<Email>,
    /// Whether the owner of the address has proven it, by the identity provider or by a mailed link. Grants by
    /// address count only then.
    #[serde(default)]
    pub is_email_verified: bool,
    #[serde(default)]
    pub is_admin: bool,
    /// A disabled account cannot sign in and its grants do not count.
    #[serde(default)]
    pub is_disabled: bool,
    /// Identities at providers that sign in to this account.
    #[serde(default)]
    pub identities: BTreeSet<Identity>,
    /// PHC string of Argon2id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_hash: Option<String>,
    /// Passkeys as the WebAuthn library serializes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passkeys: Vec<StoredPasskey>,
    /// A link that signs in once, for a new account or a forgotten password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in_link: Option<SignInLink>,
    /// A mailed link with which a forgotten password is replaced once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_link: Option<SignInLink>,
    /// It gets no mail about mentions, replies and tasks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refuses_notification_mail: bool,
    pub created_ms: i64,
    #[serde(default)]
    pub last_seen_ms: i64,
}

impl Account {
    /// The address, if its owner has proven it.
    pub fn verified_email(&self) -> Option<Email> {
        self.email.clone().filter(|_| self.is_email_verified)
    }
}

/// A link that signs in to an account once. The identifier of its secret is that of the account.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SignInLink {
    pub hash: SecretHash,
    pub expires_ms: i64,
}

/// The identity of a person at a provider. OpenID Connect Core 1.0, section 2: `iss` and `sub` together are
/// unique and never reassigned; nothing else is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Identity {
    pub issuer: String,
    pub subject: String,
}

/// A passkey of an account.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoredPasskey {
    /// Credential identifier in base64url.
    pub id: String,
    /// The name that its owner gave it.
    pub label: String,
    pub credential: serde_json::Value,
    pub created_ms: i64,
    #[serde(default)]
    pub last_used_ms: i64,
}

/// A key by which a program acts for an account.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ApiToken {
    pub id: SecretId,
    pub hash: SecretHash,
    pub account: AccountId,
    pub label: String,
    pub scope: Scope,
    /// Workbooks that it may use; `None` for all of the account.
    pub rooms: Option<BTreeSet<String>>,
    pub created_ms: i64,
    pub expires_ms: Option<i64>,
    #[serde(default)]
    pub last_used_ms: i64,
}

impl ApiToken {
    /// Whether it may be used for this room.
    pub fn covers(&self, room: &RoomName) -> bool {
        self.rooms.as_ref().is_none_or(|rooms| rooms.contains(room.as_str()))
    }
}

/// What a program may do at most; each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    Read,
    Write,
    Admin,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_compared_in_lower_case() {
        for (text, expected) in [
            (" Ada@Example.ORG ", Some("ada@example.org")),
            ("ada+sheets@mail.example.org", Some("ada+sheets@mail.example.org")),
            ("root@localhost", Some("root@localhost")),
            ("ada", None),
            ("@example.org", None),
            ("ada@", None),
            ("ada@example", None),
            ("ada@.org", None),
            ("a b@example.org", None),
            ("a@b@example.org", None),
            ("ada@example.org\r\nBcc: x@example.org", None),
        ] {
            assert_eq!(Email::parse(text).as_ref().map(Email::as_str), expected, "{text:?}");
        }
    }

    #[test]
    fn account_identifiers_are_sixteen_hexadecimal_digits() {
        let id = AccountId(0x1f);
        assert_eq!(id.to_string(), "000000000000001f");
        assert_eq!(AccountId::parse("000000000000001f"), Some(id));
        for text in ["", "1f", "000000000000001F", "+00000000000001f"] {
            assert_eq!(AccountId::parse(text), None, "{text}");
        }
    }
}
