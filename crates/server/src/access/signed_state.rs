//! States of a sign-in that is in progress, which the browser keeps and cannot change.
//!
//! The server keeps nothing until somebody has signed in, so that nobody can fill its memory by
//! beginning sign-ins. Then it remembers the state until it expires: each is used once.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// What a state is for. A state for one purpose is not valid for another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatePurpose {
    OpenId,
    PasskeySignIn,
    PasskeyRegistration,
    /// The link of a message that switches such messages off.
    Unsubscribe,
}

impl StatePurpose {
    fn label(self) -> &'static [u8] {
        match self {
            StatePurpose::OpenId => b"openid sign-in",
            StatePurpose::PasskeySignIn => b"passkey sign-in",
            StatePurpose::PasskeyRegistration => b"passkey registration",
            StatePurpose::Unsubscribe => b"unsubscribe",
        }
    }
}

/// A state whose signature was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenedState {
    pub content: Vec<u8>,
    pub expires_ms: i64,
    code: [u8; CODE_BYTES],
}

/// Why a state is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateError {
    /// Not a state of this server for this purpose.
    Unknown,
    Expired,
    Used,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StateError::Unknown => "the state of the sign-in is not one of this server",
            StateError::Expired => "the sign-in took too long",
            StateError::Used => "the state of the sign-in was used before",
        })
    }
}

const EXPIRY_BYTES: usize = 8;
const CODE_BYTES: usize = 32;

/// The text of a state: its expiry, the content and their HMAC-SHA256, in base64url. `key` is the
/// server's own secret. The content can be read by whoever has the text.
pub fn seal_state(key: &[u8; 32], purpose: StatePurpose, content: &[u8], expires_ms: i64) -> String {
    let mut bytes = expires_ms.to_be_bytes().to_vec();
    bytes.extend(content);
    let code: [u8; CODE_BYTES] = mac(key, purpose, &bytes).finalize().into_bytes().into();
    bytes.extend(code);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads a text of [`seal_state`]. The signature is compared in constant time.
///
/// # Errors
/// When it is another text, for another purpose, or expired.
pub fn open_state(
    key: &[u8; 32],
    purpose: StatePurpose,
    text: &str,
    now_ms: i64,
) -> Result<OpenedState, StateError> {
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| StateError::Unknown)?;
    let (signed, code) = bytes.split_last_chunk::<CODE_BYTES>().ok_or(StateError::Unknown)?;
    let (expiry, content) = signed.split_first_chunk::<EXPIRY_BYTES>().ok_or(StateError::Unknown)?;
    mac(key, purpose, signed).verify_slice(code).map_err(|_| StateError::Unknown)?;
    let expires_ms = i64::from_be_bytes(*expiry);
    if now_ms >= expires_ms {
        return Err(StateError::Expired);
    }
    Ok(OpenedState { content: content.to_vec(), expires_ms, code: *code })
}

fn mac(key: &[u8; 32], purpose: StatePurpose, signed: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(purpose.label());
    mac.update(&[0]);
    mac.update(signed);
    mac
}

/// States with which somebody has signed in, until they expire.
#[derive(Default)]
pub struct UsedStates {
    used: Mutex<HashMap<[u8; CODE_BYTES], i64>>,
}

impl UsedStates {
    /// Whether the state was used.
    ///
    /// # Errors
    /// [`StateError::Used`].
    pub fn check(&self, state: &OpenedState) -> Result<(), StateError> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.contains_key(&state.code) { Err(StateError::Used) } else { Ok(()) }
    }

    /// Uses the state. Called when everything else was checked: a refused attempt takes no memory.
    ///
    /// # Errors
    /// 401 when it was used before, 503 when too many are remembered. None is forgotten early,
    /// because it could then be used again.
    pub fn take(&self, state: &OpenedState, now_ms: i64) -> Result<(), ApiError> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= limits::SIGN_IN_STATES_REMEMBERED_MAX {
            used.retain(|_, expires_ms| now_ms < *expires_ms);
            if used.len() >= limits::SIGN_IN_STATES_REMEMBERED_MAX {
                return Err(ApiError::new(ErrorCode::Overloaded, "too many people are signing in"));
            }
        }
        match used.insert(state.code, state.expires_ms) {
            Some(_) => Err(ApiError::new(ErrorCode::SignInFailed, StateError::Used.to_string())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [1; 32];

    #[test]
    fn a_state_is_valid_for_its_server_purpose_content_and_time() {
        let text = seal_state(&KEY, StatePurpose::OpenId, b"content", 100);
        let opened = open_state(&KEY, StatePurpose::OpenId, &text, 99).expect("its own text");
        assert_eq!((opened.content.as_slice(), opened.expires_ms), (b"content".as_slice(), 100));
        let open = |key, purpose, text: &str, now_ms| open_state(key, purpose, text, now_ms).err();
        assert_eq!(open(&KEY, StatePurpose::OpenId, &text, 100), Some(StateError::Expired));
        assert_eq!(open(&[2; 32], StatePurpose::OpenId, &text, 0), Some(StateError::Unknown));
        assert_eq!(open(&KEY, StatePurpose::PasskeySignIn, &text, 0), Some(StateError::Unknown));
        for wrong in [
            "",
            "a",
            "é",
            &text[1..],
            &text[..text.len() - 2],
            &format!("A{}", &text[1..]).replace("AAAA", "AAAB"),
        ] {
            assert_eq!(open(&KEY, StatePurpose::OpenId, wrong, 0), Some(StateError::Unknown), "{wrong}");
        }
    }

    #[test]
    fn a_state_is_used_once() {
        let used = UsedStates::default();
        let opened = |content: &[u8]| {
            let text = seal_state(&KEY, StatePurpose::OpenId, content, 100);
            open_state(&KEY, StatePurpose::OpenId, &text, 0).expect("its own text")
        };
        assert_eq!(used.check(&opened(b"a")), Ok(()));
        assert_eq!(used.take(&opened(b"a"), 0), Ok(()));
        assert_eq!(used.check(&opened(b"a")), Err(StateError::Used));
        assert_eq!(used.take(&opened(b"a"), 0).map_err(|error| error.code), Err(ErrorCode::SignInFailed));
        assert_eq!(used.take(&opened(b"b"), 0), Ok(()));
    }

    #[test]
    fn remembered_states_are_bounded_and_expired_ones_make_room() {
        let used = UsedStates::default();
        let state = |number: usize| {
            let mut code = [0; CODE_BYTES];
            code[..8].copy_from_slice(&number.to_be_bytes());
            OpenedState { content: Vec::new(), expires_ms: 100, code }
        };
        for number in 0..limits::SIGN_IN_STATES_REMEMBERED_MAX {
            assert_eq!(used.take(&state(number), 0), Ok(()));
        }
        let one_more = limits::SIGN_IN_STATES_REMEMBERED_MAX;
        assert_eq!(used.take(&state(one_more), 99).map_err(|error| error.code), Err(ErrorCode::Overloaded));
        assert_eq!(used.take(&state(one_more), 100), Ok(()));
    }
}
