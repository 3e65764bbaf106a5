//! Sign-in by OpenID Connect: the providers, and what they prove about a person.
//!
//! The flow is the authorization code flow with PKCE (OpenID Connect Core 1.0, RFC 7636). The crate
//! `openidconnect` makes the requests and checks the ID token; `provider.rs` pins the algorithms,
//! keeps what discovery found, and asks again when a key is unknown. The routes are in
//! `http/openid_api.rs`, what an account gets from it in `access/accounts.rs`, and the reasons for
//! the library in `docs/decisions/0016-openid-connect-and-passkeys.md`.

mod claims;
mod provider;
mod providers;
mod settings;

pub use provider::{ProviderError, SignInSecrets};
pub use providers::{OpenId, OpenIdError};
pub use settings::OpenIdProviders;
