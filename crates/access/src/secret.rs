//! Secrets that people and programs present: owner keys, share links, API tokens, sessions and sign-in links.
//!
//! The text of a secret is a prefix for its kind, then base64url of an identifier of 64 bits, by which the
//! store finds it, and 128 random bits. Only the SHA-256 of the random bits is stored. A hash without a salt
//! is enough for bits that nobody can guess; passwords are hashed by Argon2id in the server.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// What a secret gives access to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SecretKind {
    /// Owner of one workbook.
    OwnerKey,
    /// A role in one workbook.
    ShareLink,
    /// An account, limited by scopes.
    ApiToken,
    /// An account, in a browser.
    Session,
    /// A session of an account, once.
    SignInLink,
}

impl SecretKind {
    const ALL: [SecretKind; 5] = [
        SecretKind::OwnerKey,
        SecretKind::ShareLink,
        SecretKind::ApiToken,
        SecretKind::Session,
        SecretKind::SignInLink,
    ];

    fn prefix(self) -> &'static str {
        match self {
            SecretKind::OwnerKey => "qo_",
            SecretKind::ShareLink => "ql_",
            SecretKind::ApiToken => "qt_",
            SecretKind::Session => "qs_",
            SecretKind::SignInLink => "qi_",
        }
    }
}

/// Identifies a secret in the store and in the audit log. Not secret itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SecretId(pub u64);

impl fmt::Display for SecretId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0.to_be_bytes()))
    }
}

impl SecretId {
    /// Reads the text that [`Display`](fmt::Display) writes; `None` for any other text.
    pub fn parse(text: &str) -> Option<SecretId> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        Some(SecretId(u64::from_be_bytes(bytes.try_into().ok()?)))
    }
}

impl Serialize for SecretId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SecretId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SecretId, D::Error> {
        let text = String::deserialize(deserializer)?;
        SecretId::parse(&text).ok_or_else(|| de::Error::custom("not an identifier of a secret"))
    }
}

/// A secret as its bearer presents it. `Debug` does not show it.
#[derive(Clone)]
pub struct Secret {
    kind: SecretKind,
    id: SecretId,
    random: [u8; 16],
}

const ID_BYTES: usize = 8;
const BYTES: usize = ID_BYTES + 16;

impl Secret {
    /// A new secret from 24 random bytes, which the caller takes from the operating system.
    pub fn new(kind: SecretKind, random: [u8; 24]) -> Secret {
        Secret::from_bytes(kind, random)
    }

    /// A new secret with an identifier that something else has already, from 16 random bytes.
    pub fn with_id(kind: SecretKind, id: SecretId, random: [u8; 16]) -> Secret {
        Secret { kind, id, random }
    }

    fn from_bytes(kind: SecretKind, bytes: [u8; BYTES]) -> Secret {
        let (id, random) = bytes.split_at(ID_BYTES);
        let id = u64::from_be_bytes(id.try_into().expect("split at 8"));
        Secret { kind, id: SecretId(id), random: random.try_into().expect("16 bytes remain") }
    }

    /// Reads a secret of any kind. `None` when the text is not one: another prefix, length or alphabet.
    pub fn parse(text: &str) -> Option<Secret> {
        let kind = SecretKind::ALL.into_iter().find(|kind| text.starts_with(kind.prefix()))?;
        let bytes = URL_SAFE_NO_PAD.decode(&text[kind.prefix().len()..]).ok()?;
        Some(Secret::from_bytes(kind, bytes.try_into().ok()?))
    }

    /// The text that its bearer keeps: 35 characters that are safe in a URL and in a header.
    pub fn reveal(&self) -> String {
        let mut bytes = [0; BYTES];
        bytes[..ID_BYTES].copy_from_slice(&self.id.0.to_be_bytes());
        bytes[ID_BYTES..].copy_from_slice(&self.random);
        format!("{}{}", self.kind.prefix(), URL_SAFE_NO_PAD.encode(bytes))
    }

    /// What it gives access to.
    pub fn kind(&self) -> SecretKind {
        self.kind
    }

    /// The identifier by which the store finds its hash.
    pub fn id(&self) -> SecretId {
        self.id
    }

    /// What the store keeps of it.
    pub fn hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(self.random).into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({:?}, {}, …)", self.kind, self.id)
    }
}

/// SHA-256 of the random bits of a secret. Compared in constant time only.
#[derive(Clone, Debug)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Whether it is the hash of this secret, in constant time.
    pub fn matches(&self, secret: &Secret) -> bool {
        self.0.ct_eq(&secret.hash().0).into()
    }
}

/// Compares stored documents, not presented secrets; constant time all the same.
impl PartialEq for SecretHash {
    fn eq(&self, other: &SecretHash) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for SecretHash {}

impl Serialize for SecretHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl<'de> Deserialize<'de> for SecretHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SecretHash, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(de::Error::custom)?;
        let bytes = bytes.try_into().map_err(|_| de::Error::custom("a hash has 32 bytes"))?;
        Ok(SecretHash(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(kind: SecretKind, byte: u8) -> Secret {
        Secret::new(kind, [byte; 24])
    }

    #[test]
    fn a_secret_survives_its_text() {
        for kind in SecretKind::ALL {
            let secret = secret(kind, 7);
            let read = Secret::parse(&secret.reveal()).expect("our own text");
            assert_eq!((read.kind(), read.id()), (kind, secret.id()));
            assert!(secret.hash().matches(&read));
        }
    }

    #[test]
    fn other_texts_are_no_secrets() {
        let text = secret(SecretKind::ShareLink, 7).reveal();
        let longer = format!("{text}A");
        let padded = format!("{text}=");
        for text in
            ["", "ql_", "qx_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH", &text[1..], &text[..34], &longer, &padded]
        {
            assert!(Secret::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_hash_matches_only_its_own_secret() {
        let hash = secret(SecretKind::OwnerKey, 1).hash();
        assert!(!hash.matches(&secret(SecretKind::OwnerKey, 2)));
    }

    #[test]
    fn debug_output_does_not_contain_the_secret() {
        let secret = secret(SecretKind::OwnerKey, 9);
        assert!(!format!("{secret:?}").contains(&secret.reveal()[14..]));
    }
}
