//! The text of a signed token before it is verified, and why one is refused.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// A token as its bearer presents it. `Debug` does not show it.
#[derive(Clone)]
pub struct SignedToken(Arc<str>);

impl fmt::Debug for SignedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignedToken(…)")
    }
}

impl From<&str> for SignedToken {
    fn from(text: &str) -> SignedToken {
        SignedToken(text.into())
    }
}

/// The header of a token (RFC 7515, 4), as far as it counts here. Keys and addresses of keys in a
/// header (`jwk`, `jku`, `x5u`) are never used: a forger can write them.
#[derive(Deserialize)]
struct RawHeader {
    alg: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default)]
    crit: Option<serde_json::Value>,
}

/// The header of a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    pub algorithm: Algorithm,
    /// The key that has signed it, if the host has several.
    pub key: Option<String>,
}

/// The claim that says whose keys to use. Everything else is read after the signature is verified.
#[derive(Deserialize)]
struct Issuer {
    iss: String,
}

impl SignedToken {
    /// The token.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The header.
    ///
    /// # Errors
    /// When it is not a header, names an algorithm that is never accepted, such as `none`, or needs
    /// an extension.
    pub fn header(&self) -> Result<Header, TokenError> {
        let header: RawHeader = self.part(0)?;
        if header.crit.is_some() {
            // RFC 7515, 4.1.11: a token with an extension that is not understood is invalid.
            return Err(TokenError::Malformed);
        }
        let algorithm = header.alg.parse().map_err(|_| TokenError::WrongAlgorithm)?;
        Ok(Header { algorithm, key: header.kid })
    }

    /// Who claims to have issued it.
    ///
    /// # Errors
    /// When it does not say so.
    pub fn claimed_issuer(&self) -> Result<String, TokenError> {
        let issuer: Issuer = self.part(1)?;
        Ok(issuer.iss)
    }

    fn part<T: DeserializeOwned>(&self, index: usize) -> Result<T, TokenError> {
        let part = self.0.split('.').nth(index).ok_or(TokenError::Malformed)?;
        let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed)?;
        serde_json::from_slice(&bytes).map_err(|_| TokenError::Malformed)
    }
}

/// Why a token is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenError {
    /// Not three parts of base64url with JSON, or a claim of another type.
    Malformed,
    UnknownIssuer,
    /// The issuer's setting does not list the algorithm, or its key is for another one.
    WrongAlgorithm,
    UnknownKey,
    WrongSignature,
    WrongAudience,
    Missing(&'static str),
    /// A claim has a value that is not allowed.
    Invalid(&'static str),
    Expired,
    NotYetValid,
    /// The expiry is further away than [`limits::HOST_TOKEN_SECONDS_MAX`].
    TooLong,
    /// The role is higher than the issuer may give.
    RoleTooHigh,
    /// The token, or its issuer, is for other workbooks.
    OtherRoom,
    /// The host's keys could not be fetched. Not the fault of the token.
    NoKeys,
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenError::Malformed => f.write_str("the signed token is malformed"),
            TokenError::UnknownIssuer => f.write_str("the issuer of the signed token (iss) is unknown"),
            TokenError::WrongAlgorithm => {
                f.write_str("the algorithm of the signed token (alg) is not accepted")
            }
            TokenError::UnknownKey => f.write_str("the key of the signed token (kid) is unknown"),
            TokenError::WrongSignature => f.write_str("the signature of the signed token is wrong"),
            TokenError::WrongAudience => f.write_str("the signed token is not for this server (aud)"),
            TokenError::Missing(claim) => write!(f, "the signed token lacks the claim {claim}"),
            TokenError::Invalid(claim) => {
                write!(f, "the claim {claim} of the signed token has an invalid value")
            }
            TokenError::Expired => {
                f.write_str("the signed token has expired (exp); get a new one from its host application")
            }
            TokenError::NotYetValid => f.write_str("the signed token is not valid yet (nbf)"),
            TokenError::TooLong => {
                let hours = limits::HOST_TOKEN_SECONDS_MAX / 3_600;
                write!(f, "the signed token is valid for too long (exp): at most {hours} hours")
            }
            TokenError::RoleTooHigh => {
                f.write_str("the role of the signed token is higher than its issuer may give (role_max)")
            }
            TokenError::OtherRoom => f.write_str("the signed token is not for this workbook (room)"),
            TokenError::NoKeys => f.write_str("the keys of the issuer of the signed token cannot be fetched"),
        }
    }
}

impl From<TokenError> for ApiError {
    fn from(error: TokenError) -> ApiError {
        let code = match error {
            TokenError::Expired => ErrorCode::TokenExpired,
            TokenError::NoKeys => ErrorCode::Overloaded,
            _ => ErrorCode::BadCredentials,
        };
        ApiError::new(code, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(header: &str, claims: &str) -> SignedToken {
        let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
        SignedToken::from(format!("{}.{}.AAAA", part(header), part(claims)).as_str())
    }

    #[test]
    fn the_header_names_the_algorithm_and_the_key() {
        for (header, expected) in [
            (
                r#"{"alg":"EdDSA","kid":"2026"}"#,
                Ok(Header { algorithm: Algorithm::EdDSA, key: Some("2026".into()) }),
            ),
            (r#"{"typ":"JWT","alg":"HS256"}"#, Ok(Header { algorithm: Algorithm::HS256, key: None })),
            (r#"{"alg":"none"}"#, Err(TokenError::WrongAlgorithm)),
            (r#"{"alg":"None"}"#, Err(TokenError::WrongAlgorithm)),
            (r#"{"alg":"hs256"}"#, Err(TokenError::WrongAlgorithm)),
            (r#"{"alg":""}"#, Err(TokenError::WrongAlgorithm)),
            (r#"{"alg":"HS256","alg":"none"}"#, Err(TokenError::Malformed)),
            (r#"{"alg":["HS256"]}"#, Err(TokenError::Malformed)),
            (r#"{"alg":"HS256","crit":["b64"],"b64":false}"#, Err(TokenError::Malformed)),
            ("{}", Err(TokenError::Malformed)),
            ("", Err(TokenError::Malformed)),
            ("[]", Err(TokenError::Malformed)),
        ] {
            assert_eq!(token(header, "{}").header(), expected, "{header}");
        }
    }

    #[test]
    fn the_issuer_is_read_before_anything_is_verified() {
        assert_eq!(token("{}", r#"{"iss":"wiki"}"#).claimed_issuer(), Ok("wiki".into()));
        for claims in ["{}", r#"{"iss":["wiki"]}"#, r#"{"iss":"a","iss":"wiki"}"#, "wiki"] {
            assert_eq!(token("{}", claims).claimed_issuer(), Err(TokenError::Malformed), "{claims}");
        }
        for text in ["", ".", "..", "a.b.c", "=.=.=", "e30.e30=.AAAA"] {
            let token = SignedToken::from(text);
            assert_eq!(token.claimed_issuer(), Err(TokenError::Malformed), "{text}");
        }
    }

    #[test]
    fn the_token_is_not_shown() {
        assert_eq!(format!("{:?}", SignedToken::from("a.b.c")), "SignedToken(…)");
    }
}
