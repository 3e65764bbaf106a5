//! A passkey as the account stores it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use webauthn_rp::bin::{Decode, Encode};
use webauthn_rp::response::AuthTransports;
use webauthn_rp::response::register::{CompressedPubKey, DynamicState, StaticState};

/// A public key of an account.
pub type PublicKey = CompressedPubKey<[u8; 32], [u8; 32], [u8; 48], Vec<u8>>;

/// The member `credential` of a stored passkey.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCredential {
    /// The domain for which the passkey was made: it does not work for another one.
    pub rp_id: String,
    /// The public key and what never changes, in the library's binary form and base64url.
    key: String,
    /// The signature counter and whether the passkey is synchronized, likewise.
    state: String,
    /// How the authenticator is reached, as bits.
    transports: u8,
}

impl StoredCredential {
    /// Encodes a passkey that was just registered; `key` is its encoded static state.
    pub fn new(rp_id: &str, key: &[u8], state: DynamicState, transports: AuthTransports) -> StoredCredential {
        let transports = match transports.encode() {
            Ok(bits) => bits,
            Err(never) => match never {},
        };
        let key = URL_SAFE_NO_PAD.encode(key);
        StoredCredential { rp_id: rp_id.to_owned(), key, state: encoded_state(state), transports }
    }

    /// Reads the stored form; `None` when it is damaged.
    pub fn read(stored: &Json) -> Option<StoredCredential> {
        serde_json::from_value(stored.clone()).ok()
    }

    /// The stored form.
    pub fn write(&self) -> Json {
        serde_json::to_value(self).expect("texts and a number are JSON")
    }

    /// The public key; `None` when it is damaged.
    pub fn static_state(&self) -> Option<StaticState<PublicKey>> {
        let bytes = URL_SAFE_NO_PAD.decode(&self.key).ok()?;
        StaticState::decode(bytes.as_slice()).ok()
    }

    /// Counter and flags; `None` when they are damaged.
    pub fn dynamic_state(&self) -> Option<DynamicState> {
        let bytes = URL_SAFE_NO_PAD.decode(&self.state).ok()?;
        DynamicState::decode(bytes.try_into().ok()?).ok()
    }

    /// How the authenticator is reached; `None` when that is damaged.
    pub fn transports(&self) -> Option<AuthTransports> {
        AuthTransports::decode(self.transports).ok()
    }

    /// The passkey after a sign-in.
    pub fn with_state(self, state: DynamicState) -> StoredCredential {
        StoredCredential { state: encoded_state(state), ..self }
    }
}

fn encoded_state(state: DynamicState) -> String {
    match state.encode() {
        Ok(bytes) => URL_SAFE_NO_PAD.encode(bytes),
        Err(never) => match never {},
    }
}
