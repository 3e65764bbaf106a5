//! What a request presents: the credentials in its headers, before anything is verified.

use std::fmt;
use std::net::IpAddr;

use axum::http::{HeaderMap, header};
use quadrille_access::{Secret, SecretKind};

use super::LinkUnlock;
use crate::error::{ApiError, ErrorCode};

/// The sub-protocol that a WebSocket of a browser offers beside its credential, and the one that is
/// accepted.
pub const SUBPROTOCOL: &str = "quadrille";
/// Prefix of a sub-protocol that carries a credential: a browser's WebSocket cannot send
/// `Authorization`.
const SUBPROTOCOL_BEARER: &str = "bearer.";

/// Names of the session cookie, with and without TLS. The prefix `__Host-` binds a cookie to this
/// host and to HTTPS.
pub const SESSION_COOKIES: [&str; 2] = ["__Host-quadrille", "quadrille"];

/// The credentials of a request.
#[derive(Clone, Debug, Default)]
pub struct Visitor {
    pub presented: Presented,
    /// The session cookie. Ignored where the request is authorized by a bearer token that stands
    /// for an account.
    pub session: Option<Secret>,
    /// Network address, as the settings for proxies give it.
    pub address: Option<IpAddr>,
}

/// The bearer token of a request.
#[derive(Clone, Default)]
pub enum Presented {
    #[default]
    Nothing,
    /// An owner key, a share link or an API token.
    Secret(Secret),
    /// A share link with the proof that its password was given.
    UnlockedLink(Secret, LinkUnlock),
    /// A signed token of a host application (RFC 7519).
    SignedToken,
}

/// Without the texts of tokens, which must not be logged.
impl fmt::Debug for Presented {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Presented::Nothing => f.write_str("Nothing"),
            Presented::Secret(secret) => write!(f, "{secret:?}"),
            Presented::UnlockedLink(secret, unlock) => write!(f, "{secret:?} with {unlock:?}"),
            Presented::SignedToken => f.write_str("SignedToken(…)"),
        }
    }
}

/// Longest bearer token that is looked at. Signed tokens of hosts have less than 2 KB.
const TOKEN_BYTES_MAX: usize = 8_192;

impl Visitor {
    /// Reads the credentials in the headers of a request.
    ///
    /// # Errors
    /// 401 for an `Authorization` header that is not a bearer token of a known form. An unknown or
    /// expired token is not an error here: it proves nothing.
    pub fn from_headers(headers: &HeaderMap, address: Option<IpAddr>) -> Result<Visitor, ApiError> {
        let presented = match bearer(headers)? {
            Some(token) => Presented::parse(&token)?,
            None => Presented::Nothing,
        };
        Ok(Visitor { presented, session: session_cookie(headers), address })
    }
}

impl Presented {
    fn parse(token: &str) -> Result<Presented, ApiError> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(malformed("the bearer token is too long"));
        }
        if let Some(secret) = Secret::parse(token) {
            return match secret.kind() {
                SecretKind::Session => Err(malformed("a session is sent as a cookie, not as a bearer token")),
                _ => Ok(Presented::Secret(secret)),
            };
        }
        match token.split('.').collect::<Vec<_>>()[..] {
            [link, unlock] => match (Secret::parse(link), LinkUnlock::parse(unlock)) {
                (Some(link), Some(unlock)) if link.kind() == SecretKind::ShareLink => {
                    Ok(Presented::UnlockedLink(link, unlock))
                }
                _ => Err(malformed("the bearer token is not a key, link or token of this server")),
            },
            [_, _, _] => Ok(Presented::SignedToken),
            _ => Err(malformed("the bearer token is not a key, link or token of this server")),
        }
    }
}

fn malformed(message: &'static str) -> ApiError {
    ApiError::new(ErrorCode::BadCredentials, message)
}

/// The token of `Authorization: Bearer …` (RFC 6750, 2.1), or of a WebSocket's sub-protocols.
fn bearer(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    if let Some(authorization) = headers.get(header::AUTHORIZATION) {
        let text = authorization.to_str().map_err(|_| malformed("the Authorization header is not ASCII"))?;
        let text = text.trim();
        let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
        // Other schemes are for a proxy in front, such as the scheme `Basic` with its passwords.
        if scheme.eq_ignore_ascii_case("bearer") {
            return match token.trim() {
                "" => Err(malformed("send `Authorization: Bearer` with a key, link or token")),
                token => Ok(Some(token.to_owned())),
            };
        }
    }
    let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).into_iter();
    let offered = offered.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    let mut tokens = offered.filter_map(|protocol| protocol.trim().strip_prefix(SUBPROTOCOL_BEARER));
    Ok(tokens.next().map(str::to_owned))
}

fn session_cookie(headers: &HeaderMap) -> Option<Secret> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let pairs: Vec<(&str, &str)> =
        cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('=')).collect();
    // The prefixed name first: a page of another port or subdomain can set the other one, but not
    // that.
    SESSION_COOKIES
        .iter()
        .find_map(|name| pairs.iter().find(|(found, _)| found == name))
        .and_then(|(_, value)| Secret::parse(value))
        .filter(|secret| secret.kind() == SecretKind::Session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn secret(kind: SecretKind) -> String {
        Secret::new(kind, [5; 24]).reveal()
    }

    fn visitor(name: HeaderName, value: &str) -> Result<Visitor, ApiError> {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).expect("a header value"));
        Visitor::from_headers(&headers, None)
    }

    #[test]
    fn credentials_are_read_from_the_authorization_header() {
        for kind in [SecretKind::OwnerKey, SecretKind::ShareLink, SecretKind::ApiToken] {
            let found = visitor(header::AUTHORIZATION, &format!("Bearer {}", secret(kind))).expect("valid");
            assert!(matches!(found.presented, Presented::Secret(secret) if secret.kind() == kind));
        }
        let found = visitor(header::AUTHORIZATION, "bearer aaa.bbb.ccc").expect("valid");
        assert!(matches!(found.presented, Presented::SignedToken));
    }

    #[test]
    fn a_websocket_offers_its_credential_as_a_subprotocol() {
        let offered = format!("quadrille, bearer.{}", secret(SecretKind::ShareLink));
        let found = visitor(header::SEC_WEBSOCKET_PROTOCOL, &offered).expect("valid");
        assert!(matches!(found.presented, Presented::Secret(_)));
        let found = visitor(header::SEC_WEBSOCKET_PROTOCOL, "quadrille").expect("valid");
        assert!(matches!(found.presented, Presented::Nothing));
    }

    #[test]
    fn other_schemes_are_ignored_and_unknown_bearer_tokens_refused() {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Basic YTpi"));
        let found = Visitor::from_headers(&headers, None).expect("for a proxy in front");
        assert!(matches!(found.presented, Presented::Nothing));
        let offered = format!("quadrille, bearer.{}", secret(SecretKind::ShareLink));
        let offered = HeaderValue::from_str(&offered).expect("a header value");
        headers.insert(header::SEC_WEBSOCKET_PROTOCOL, offered);
        let found = Visitor::from_headers(&headers, None).expect("for a proxy in front");
        assert!(matches!(found.presented, Presented::Secret(_)));
        for value in [
            "Bearer",
            "Bearer ",
            "Bearer abc",
            "Bearer a.b",
            &format!("Bearer {}", secret(SecretKind::Session)),
            &format!("Bearer {}", "a".repeat(TOKEN_BYTES_MAX + 1)),
        ] {
            assert!(visitor(header::AUTHORIZATION, value).is_err(), "{value}");
        }
    }

    #[test]
    fn the_session_is_the_cookie_with_the_prefix_if_there_are_two() {
        let session = secret(SecretKind::Session);
        let other = Secret::new(SecretKind::Session, [6; 24]).reveal();
        for (cookies, expected) in [
            (format!("quadrille={session}"), true),
            (format!("a=b; __Host-quadrille={session}; quadrille={other}"), true),
            (format!("quadrille={other}; __Host-quadrille={session}"), true),
            ("quadrille=nonsense".to_owned(), false),
            (format!("quadrille={}", secret(SecretKind::OwnerKey)), false),
            (format!("xquadrille={session}"), false),
        ] {
            let found = visitor(header::COOKIE, &cookies).expect("cookies are never an error").session;
            assert_eq!(found.is_some_and(|found| found.reveal() == session), expected, "{cookies}");
        }
    }
}
