//! Passkeys: registration and sign-in by WebAuthn level 3.
//!
//! The crate `webauthn_rp` makes the options and checks the answers: challenge, origin, relying
//! party, user presence and verification, signature, signature counter. This module says which
//! options this server uses, and turns states and keys into what is stored. The routes are in
//! `http/passkeys_api.rs`, and the reasons for the library in
//! `docs/decisions/0016-openid-connect-and-passkeys.md`.

mod relying_party;
mod stored_credential;

pub use relying_party::{Presented, RelyingParty};
