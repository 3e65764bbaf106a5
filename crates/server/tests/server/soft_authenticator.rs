//! An authenticator in memory that can also answer wrongly: WebAuthn level 3, sections 5.8 and 6.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::fake_provider::key;

/// User present and user verified (6.1, flags).
pub const VERIFIED: u8 = 0x05;
pub const PRESENT: u8 = 0x01;
const ATTESTED_DATA: u8 = 0x40;

/// An authenticator with one passkey.
#[derive(Clone)]
pub struct SoftAuthenticator {
    pub key: SigningKey,
    pub id: [u8; 16],
    pub user_handle: String,
    pub counter: u32,
}

/// What an answer says. A test changes what it wants to be wrong.
#[derive(Clone)]
pub struct Answer {
    pub kind: &'static str,
    pub challenge: String,
    pub origin: String,
    pub rp_id: String,
    pub flags: u8,
    pub cross_origin: bool,
}

impl Answer {
    /// The right answer to options of the server at `origin`.
    pub fn to(options: &Json, kind: &'static str, origin: &str) -> Answer {
        let challenge = options["publicKey"]["challenge"].as_str().expect("a challenge");
        Answer {
            kind,
            challenge: challenge.to_owned(),
            origin: origin.to_owned(),
            rp_id: "localhost".into(),
            flags: VERIFIED,
            cross_origin: false,
        }
    }

    fn client_data(&self) -> String {
        // The order of members is that of 5.8.1.1.
        format!(
            r#"{{"type":"{}","challenge":"{}","origin":"{}","crossOrigin":{}}}"#,
            self.kind, self.challenge, self.origin, self.cross_origin
        )
    }

    fn authenticator_data(&self, flags: u8, counter: u32) -> Vec<u8> {
        let mut data = Sha256::digest(&self.rp_id).to_vec();
        data.push(flags);
        data.extend(counter.to_be_bytes());
        data
    }
}

impl SoftAuthenticator {
    pub fn new(number: u8) -> SoftAuthenticator {
        SoftAuthenticator { key: key(number), id: [number; 16], user_handle: String::new(), counter: 0 }
    }

    fn id_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.id)
    }

    /// The answer to registration options, as `PublicKeyCredential.toJSON()` gives it.
    pub fn register(&mut self, options: &Json, answer: &Answer) -> Json {
        self.user_handle = options["publicKey"]["user"]["id"].as_str().expect("a user handle").to_owned();
        let mut data = answer.authenticator_data(answer.flags | ATTESTED_DATA, self.counter);
        data.extend([0; 16]);
        data.extend((self.id.len() as u16).to_be_bytes());
        data.extend(self.id);
        data.extend(self.cose_key());
        // {"fmt": "none", "attStmt": {}, "authData": data} in CBOR.
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        attestation.push(u8::try_from(data.len()).expect("less than 256 bytes"));
        attestation.extend(data);
        json!({
            "id": self.id_text(), "rawId": self.id_text(), "type": "public-key",
            "authenticatorAttachment": "platform", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": URL_SAFE_NO_PAD.encode(answer.client_data()),
                "attestationObject": URL_SAFE_NO_PAD.encode(attestation),
                "transports": ["internal"],
            },
        })
    }

    /// The answer to sign-in options. The counter rises first.
    pub fn sign_in(&mut self, answer: &Answer) -> Json {
        self.counter += 1;
        let data = answer.authenticator_data(answer.flags, self.counter);
        let client_data = answer.client_data();
        let mut signed = data.clone();
        signed.extend(Sha256::digest(&client_data));
        let signature: Signature = self.key.sign(&signed);
        json!({
            "id": self.id_text(), "rawId": self.id_text(), "type": "public-key",
            "authenticatorAttachment": "platform", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
                "authenticatorData": URL_SAFE_NO_PAD.encode(data),
                "signature": URL_SAFE_NO_PAD.encode(signature.to_der().as_bytes()),
                "userHandle": self.user_handle,
            },
        })
    }

    /// The public key as COSE_Key (RFC 9053, 7.1): EC2, ES256, P-256.
    fn cose_key(&self) -> Vec<u8> {
        let point = self.key.verifying_key().to_encoded_point(false);
        let mut cose = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20".to_vec();
        cose.extend(point.x().expect("not compressed"));
        cose.extend(b"\x22\x58\x20");
        cose.extend(point.y().expect("not compressed"));
        cose
    }
}
