//! The two ceremonies of WebAuthn for one name of this server.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quadrille_access::{Account, AccountId, StoredPasskey};
use serde::Serialize;
use serde_json::Value as Json;
use webauthn_rp::bin::{Decode, Encode};
use webauthn_rp::request::auth::AuthenticationVerificationOptions;
use webauthn_rp::request::register::{
    Extension, Nickname, PublicKeyCredentialUserEntity, RegistrationVerificationOptions, UserHandle, Username,
};
use webauthn_rp::request::{AsciiDomain, PublicKeyCredentialDescriptor, RpId};
use webauthn_rp::response::CredentialId;
use webauthn_rp::{
    AuthenticatedCredential, DiscoverableAuthentication, DiscoverableAuthenticationServerState,
    DiscoverableCredentialRequestOptions, PublicKeyCredentialCreationOptions, Registration,
    RegistrationServerState,
};

use super::stored_credential::StoredCredential;

/// The user handle is the identifier of the account: random, and nothing personal.
const USER_HANDLE_BYTES: usize = 8;

/// This server under one of its names.
pub struct RelyingParty {
    id: RpId,
    /// The only origin whose answers are accepted.
    origin: String,
}

/// Why a passkey is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PasskeyError {
    /// The server was reached by an address that cannot have passkeys.
    NoDomain,
    /// The answer of the browser is not that of WebAuthn.
    Malformed(String),
    /// The answer does not prove anything.
    Invalid(String),
    /// The stored passkey cannot be read.
    Damaged,
}

impl fmt::Display for PasskeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PasskeyError::NoDomain => {
                f.write_str("passkeys need a domain name such as localhost, not an IP address")
            }
            PasskeyError::Malformed(reason) => write!(f, "not a credential of WebAuthn: {reason}"),
            PasskeyError::Invalid(reason) => write!(f, "the passkey was not accepted: {reason}"),
            PasskeyError::Damaged => f.write_str("the stored passkey is damaged"),
        }
    }
}

/// An answer to sign-in options, before anything about it is proven.
pub struct Presented {
    authentication: DiscoverableAuthentication<USER_HANDLE_BYTES>,
}

impl Presented {
    /// Reads the JSON of `PublicKeyCredential.toJSON()`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn read(credential: &Json) -> Result<Presented, PasskeyError> {
        // webauthn_rp 0.3 takes a missing user handle for a fault of its own, and panics.
        if !credential["response"]["userHandle"].is_string() {
            return Err(PasskeyError::Malformed("the user handle is missing".into()));
        }
        let bytes = credential.to_string();
        DiscoverableAuthentication::from_json_relaxed(bytes.as_bytes())
            .map(|authentication| Presented { authentication })
            .map_err(|error| PasskeyError::Malformed(error.to_string()))
    }

    /// The identifier of the passkey in base64url, by which its account is found.
    pub fn id(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.authentication.raw_id().as_ref())
    }
}

impl RelyingParty {
    /// The relying party for an origin of this server.
    ///
    /// # Errors
    /// When its host is an IP address: browsers allow only domains.
    pub fn new(origin: String, host: &str) -> Result<RelyingParty, PasskeyError> {
        let is_address = host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok();
        let domain = AsciiDomain::try_from(host.to_owned()).ok().filter(|_| !is_address);
        Ok(RelyingParty { id: RpId::Domain(domain.ok_or(PasskeyError::NoDomain)?), origin })
    }

    /// Options for `navigator.credentials.create()`, and the state that checks the answer.
    ///
    /// The passkey must be discoverable and verify its user. An authenticator that has one of the
    /// account's passkeys makes no second one.
    pub fn registration_options(&self, account: &Account) -> (Vec<u8>, Json) {
        let handle = user_handle(account.id);
        // Names that RFC 8265 does not allow, such as one with spaces, are replaced by the identifier.
        let id = account.id.to_string();
        let email = account.email.as_ref().map(|email| email.as_str());
        let name =
            email.into_iter().chain([account.name.as_str()]).find_map(|name| Username::try_from(name).ok());
        let name =
            name.unwrap_or_else(|| Username::try_from(id.as_str()).expect("hexadecimal digits are allowed"));
        let user = PublicKeyCredentialUserEntity {
            name,
            id: &handle,
            display_name: Nickname::try_from(account.name.as_str()).ok(),
        };
        let known = account.passkeys.iter().filter_map(|passkey| {
            let id = CredentialId::decode(URL_SAFE_NO_PAD.decode(&passkey.id).ok()?).ok()?;
            let transports = StoredCredential::read(&passkey.credential)?.transports()?;
            Some(PublicKeyCredentialDescriptor { id, transports })
        });
        let mut options = PublicKeyCredentialCreationOptions::passkey(&self.id, user, known.collect());
        // No extension is needed, and some authenticators refuse those that they do not know.
        options.extensions = Extension::default();
        let (server, client) = options.start_ceremony().expect("the options fit together");
        (server.encode().expect("the clock is after 1970"), json(&client))
    }

    /// Checks the answer to registration options of the same account, and returns the passkey.
    ///
    /// # Errors
    /// When the answer is malformed, not valid, or for the options of another account.
    pub fn register(
        &self,
        account: AccountId,
        state: &[u8],
        credential: &Json,
        label: &str,
        now_ms: i64,
    ) -> Result<StoredPasskey, PasskeyError> {
        let state = RegistrationServerState::<USER_HANDLE_BYTES>::decode(state)
            .map_err(|error| PasskeyError::Malformed(error.to_string()))?;
        let bytes = credential.to_string();
        let answer = Registration::from_json_relaxed(bytes.as_bytes())
            .map_err(|error| PasskeyError::Malformed(error.to_string()))?;
        let options = RegistrationVerificationOptions::<&str, &str> {
            allowed_origins: &[&self.origin],
            error_on_unsolicited_extensions: false,
            ..RegistrationVerificationOptions::default()
        };
        let registered = state
            .verify(&self.id, &answer, &options)
            .map_err(|error| PasskeyError::Invalid(error.to_string()))?;
        if *registered.user_id() != user_handle(account) {
            return Err(PasskeyError::Invalid("the options were for another account".into()));
        }
        let key = match registered.static_state().encode() {
            Ok(key) => key,
            Err(never) => match never {},
        };
        let stored = StoredCredential::new(
            self.id.as_ref(),
            &key,
            registered.dynamic_state(),
            registered.transports(),
        );
        Ok(StoredPasskey {
            id: URL_SAFE_NO_PAD.encode(registered.id().as_ref()),
            label: label.to_owned(),
            credential: stored.write(),
            created_ms: now_ms,
            last_used_ms: 0,
        })
    }

    /// Options for `navigator.credentials.get()`, and the state that checks the answer. They name no
    /// account: the person chooses a passkey.
    pub fn sign_in_options(&self) -> (Vec<u8>, Json) {
        let options = DiscoverableCredentialRequestOptions::passkey(&self.id);
        let (server, client) = options.start_ceremony().expect("the options fit together");
        (server.encode().expect("the clock is after 1970"), json(&client))
    }

    /// Checks an answer to sign-in options against the stored passkey of the account that it names.
    /// Returns the passkey as it is to be stored: with the new signature counter.
    ///
    /// # Errors
    /// When the answer is not valid. A signature counter that did not rise is an error too: then the
    /// passkey may have been copied.
    pub fn verify(
        &self,
        account: AccountId,
        state: &[u8],
        presented: &Presented,
        stored: &StoredPasskey,
    ) -> Result<Json, PasskeyError> {
        let state = DiscoverableAuthenticationServerState::decode(state)
            .map_err(|error| PasskeyError::Malformed(error.to_string()))?;
        let credential = StoredCredential::read(&stored.credential).ok_or(PasskeyError::Damaged)?;
        let (key, counter) =
            credential.static_state().zip(credential.dynamic_state()).ok_or(PasskeyError::Damaged)?;
        let id = URL_SAFE_NO_PAD.decode(&stored.id).map_err(|_| PasskeyError::Damaged)?;
        let id = CredentialId::decode(id.as_slice()).map_err(|_| PasskeyError::Damaged)?;
        let handle = user_handle(account);
        let mut known =
            AuthenticatedCredential::new(id, &handle, key, counter).map_err(|_| PasskeyError::Damaged)?;
        let options = AuthenticationVerificationOptions::<&str, &str> {
            allowed_origins: &[&self.origin],
            error_on_unsolicited_extensions: false,
            ..AuthenticationVerificationOptions::default()
        };
        state
            .verify(&self.id, &presented.authentication, &mut known, &options)
            .map_err(|error| PasskeyError::Invalid(error.to_string()))?;
        let counter = known.dynamic_state();
        Ok(credential.with_state(counter).write())
    }
}

fn user_handle(account: AccountId) -> UserHandle<USER_HANDLE_BYTES> {
    match UserHandle::decode(account.0.to_be_bytes()) {
        Ok(handle) => handle,
        Err(never) => match never {},
    }
}

fn json(options: &impl Serialize) -> Json {
    serde_json::to_value(options).expect("options are JSON")
}
