//! Signatures of [Standard Webhooks](https://www.standardwebhooks.com): HMAC-SHA256 over the
//! identifier, the time and the body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use quadrille_access::SecretId;
use sha2::Sha256;

/// The secret with which the requests of a webhook are signed.
pub struct SigningSecret([u8; 32]);

impl SigningSecret {
    /// Derives the secret of a webhook from that of the server: nothing more has to be stored.
    pub fn of(server_key: &[u8; 32], webhook: SecretId) -> SigningSecret {
        SigningSecret(hmac(server_key, format!("webhook.{webhook}").as_bytes()))
    }

    /// The text with which receivers check signatures.
    pub fn reveal(&self) -> String {
        format!("whsec_{}", STANDARD.encode(self.0))
    }

    /// The value of `webhook-signature`. `sent_s` is in seconds since 1970-01-01 UTC.
    pub fn sign(&self, id: &str, sent_s: i64, body: &str) -> String {
        format!("v1,{}", STANDARD.encode(hmac(&self.0, format!("{id}.{sent_s}.{body}").as_bytes())))
    }
}

fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(text);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_openssl() {
        let secret = SigningSecret(*b"0123456789abcdef0123456789abcdef");
        assert_eq!(secret.reveal(), "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
        // printf %s 'msg_1.1795305600.{"a":1}' |
        //   openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef -binary | base64
        let expected = "v1,sbR6NqgNPvKWVbm6KQd/wI/ljV0CvWOe1gB+64mJAmg=";
        assert_eq!(secret.sign("msg_1", 1_795_305_600, r#"{"a":1}"#), expected);
    }

    #[test]
    fn each_webhook_has_a_secret_of_its_own() {
        let (first, second) = (SecretId(1), SecretId(2));
        let of = |id| SigningSecret::of(&[7; 32], id).reveal();
        assert!(of(first) == of(first) && of(first) != of(second));
        assert_ne!(of(first), SigningSecret::of(&[8; 32], first).reveal());
    }
}
