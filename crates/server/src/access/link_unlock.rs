//! Proof that the password of a share link was given, so that the browser need not keep the
//! password.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use quadrille_access::ShareLink;
use sha2::Sha256;

/// How long it holds after the password was given, in milliseconds: a working day.
const VALID_MS: i64 = 12 * 3_600_000;

/// An expiry and the HMAC-SHA256 of it, of the link and of the link's password hash: a new password
/// or another link needs a new proof.
#[derive(Clone)]
pub struct LinkUnlock {
    expires_ms: i64,
    code: [u8; 32],
}

/// Without the code, which must not be logged.
impl fmt::Debug for LinkUnlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinkUnlock({}, …)", self.expires_ms)
    }
}

impl LinkUnlock {
    /// A proof for a link whose password was just checked. `key` is the server's own secret.
    pub fn new(key: &[u8; 32], link: &ShareLink, now_ms: i64) -> LinkUnlock {
        let expires_ms = now_ms + VALID_MS;
        let code = mac(key, link, expires_ms).finalize().into_bytes().into();
        LinkUnlock { expires_ms, code }
    }

    /// Whether it proves the password of this link now. The comparison takes constant time.
    pub fn unlocks(&self, key: &[u8; 32], link: &ShareLink, now_ms: i64) -> bool {
        now_ms < self.expires_ms && mac(key, link, self.expires_ms).verify_slice(&self.code).is_ok()
    }

    /// The text that the browser keeps.
    pub fn reveal(&self) -> String {
        let mut bytes = self.expires_ms.to_be_bytes().to_vec();
        bytes.extend(self.code);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads the text; `None` when it is not one.
    pub fn parse(text: &str) -> Option<LinkUnlock> {
        let bytes: [u8; 40] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
        let (expires_ms, code) = bytes.split_at(8);
        Some(LinkUnlock {
            expires_ms: i64::from_be_bytes(expires_ms.try_into().expect("8 bytes")),
            code: code.try_into().expect("32 bytes"),
        })
    }
}

fn mac(key: &[u8; 32], link: &ShareLink, expires_ms: i64) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(b"link unlock");
    mac.update(&link.id.0.to_be_bytes());
    mac.update(&expires_ms.to_be_bytes());
    mac.update(link.password_hash.as_deref().unwrap_or_default().as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_access::{Secret, SecretKind};
    use quadrille_protocol::Role;

    fn link(byte: u8, password_hash: &str) -> ShareLink {
        let secret = Secret::new(SecretKind::ShareLink, [byte; 24]);
        ShareLink {
            id: secret.id(),
            hash: secret.hash(),
            role: Role::View,
            label: String::new(),
            person: None,
            expires_ms: None,
            password_hash: Some(password_hash.to_owned()),
            created_ms: 0,
            uses: 0,
            last_used_ms: 0,
        }
    }

    #[test]
    fn a_proof_holds_for_its_link_password_server_and_time_only() {
        let key = [1; 32];
        let unlock = LinkUnlock::new(&key, &link(1, "a"), 0);
        let read = LinkUnlock::parse(&unlock.reveal()).expect("its own text");
        assert!(read.unlocks(&key, &link(1, "a"), VALID_MS - 1));
        assert!(!read.unlocks(&key, &link(1, "a"), VALID_MS), "expired");
        assert!(!read.unlocks(&key, &link(2, "a"), 0), "another link");
        assert!(!read.unlocks(&key, &link(1, "b"), 0), "the password was changed");
        assert!(!read.unlocks(&[2; 32], &link(1, "a"), 0), "another server");
        let longer = LinkUnlock { expires_ms: unlock.expires_ms + 1, ..unlock };
        assert!(!longer.unlocks(&key, &link(1, "a"), 0), "the expiry is part of the proof");
    }
}
