//! Signed tokens of host applications (JWT, RFC 7519): a host opens a workbook with a role, a name
//! and an expiry for somebody who has no account here.
//!
//! `settings.rs` says which issuers are trusted and how their tokens are signed; `keys.rs` reads
//! their keys, and `key_set.rs` fetches those that a host publishes. `claims.rs` decides by the
//! verified claims and the time, as RFC 8725 recommends: algorithms are pinned per issuer, and
//! issuer, audience and expiry are required. `picture.rs` says which pictures count. `verifier.rs` puts them together; it is where to start
//! reading. What hosts need to know is in `docs/embedding.md`.

mod claims;
mod key_set;
mod keys;
mod picture;
mod settings;
mod token;
mod verifier;

pub use settings::TokenIssuers;
pub use token::{SignedToken, TokenError};
pub use verifier::HostTokens;
