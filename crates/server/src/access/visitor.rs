//! What a request presents: the credentials in its headers, before anything is verified.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use quadrille_access::{Secret, SecretKind};

use super::LinkUnlock;
use super::ethercalc_key::EtherCalcCode;
use super::proven_person::ProvenPerson;
use crate::error::{ApiError, ErrorCode};
use crate::host_tokens::SignedToken;

/// The sub-protocol that a WebSocket of a browser offers beside its credential, and the one that is
/// accepted.
pub const SUBPROTOCOL: &str = "quadrille";
/// Prefix of a sub-protocol that carries a credential: a browser's WebSocket cannot send
/// `Authorization`.
const SUBPROTOCOL_BEARER: &str = "bearer.";

/// The name of the session cookie. Over HTTPS it has a prefix that binds it to this host and to
/// HTTPS (RFC 6265bis, 4.1.3.2), so that no other host, port or path can set it; then the other
/// name is ignored.
///
/// At a tenant with the path `base_path` it has the tenant in its name, so that it is told apart
/// from the cookie of the server, which the browser sends there too. `__Host-` demands the path `/`.
pub fn session_cookie_name(is_https: bool, base_path: &str) -> String {
    cookie_name("quadrille", is_https, base_path)
}

/// The name of a cookie of the server, or of a tenant with a path.
pub fn cookie_name(name: &str, is_https: bool, base_path: &str) -> String {
    match (is_https, base_path.strip_prefix('/')) {
        (false, None) => name.to_owned(),
        (true, None) => format!("__Host-{name}"),
        // A name of `cookie_name` without a tenant has no dot.
        (false, Some(tenant)) => format!("{name}.{tenant}"),
        (true, Some(tenant)) => format!("__Secure-{name}.{tenant}"),
    }
}

/// The tenant at which a request was made, in its extensions: a host name, or a path that begins
/// with a slash.
#[derive(Clone, Debug)]
pub struct Tenant(pub Arc<str>);

/// The path below which a tenant is served; empty for the server itself and for tenants by host.
pub fn base_path(tenant: Option<&str>) -> &str {
    tenant.filter(|name| name.starts_with('/')).unwrap_or_default()
}

/// The credentials of a request.
#[derive(Clone, Debug, Default)]
pub struct Visitor {
    pub presented: Presented,
    /// The session cookie. Ignored where the request is authorized by a bearer token that stands
    /// for an account.
    pub session: Option<Secret>,
    /// Whom a proxy has proven, see [`ProxySignIn`](super::ProxySignIn). Goes before the session.
    pub proven: Option<ProvenPerson>,
    /// The request comes from a page of this server or from no page: a session, and what a proxy
    /// adds to every request, count only then.
    pub is_from_own_page: bool,
    /// Network address, as the settings for proxies give it.
    pub address: Option<IpAddr>,
    /// The `User-Agent` header, by which people recognize their sessions.
    pub user_agent: String,
    /// The tenant at whose host name or path the request was made.
    pub tenant: Option<Arc<str>>,
    /// The answer can set cookies. That of a WebSocket's upgrade does not.
    pub can_get_cookies: bool,
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
    SignedToken(SignedToken),
    /// The code of one of EtherCalc's links.
    EtherCalcCode(EtherCalcCode),
}

/// Without the texts of tokens, which must not be logged.
impl fmt::Debug for Presented {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Presented::Nothing => f.write_str("Nothing"),
            Presented::Secret(secret) => write!(f, "{secret:?}"),
            Presented::UnlockedLink(secret, unlock) => write!(f, "{secret:?} with {unlock:?}"),
            Presented::SignedToken(token) => write!(f, "{token:?}"),
            Presented::EtherCalcCode(code) => write!(f, "{code:?}"),
        }
    }
}

/// Longest bearer token that is looked at. Signed tokens of hosts have less than 2 KB.
const TOKEN_BYTES_MAX: usize = 8_192;

impl Visitor {
    /// The path below which the request was made; empty outside tenants with a path.
    pub fn base_path(&self) -> &str {
        base_path(self.tenant.as_deref())
    }

    /// Reads the credentials in the head of a request. `is_https` says whether browsers reach this
    /// server over HTTPS.
    ///
    /// # Errors
    /// 401 for an `Authorization` header that is not a bearer token of a known form. An unknown or
    /// expired token is not an error here: it proves nothing.
    pub fn from_request(parts: &Parts, address: Option<IpAddr>, is_https: bool) -> Result<Visitor, ApiError> {
        let presented = match bearer(&parts.headers)? {
            Some(token) => Presented::parse(&token)?,
            None => ethercalc_code(parts).map_or(Presented::Nothing, Presented::EtherCalcCode),
        };
        Ok(Visitor { presented, ..Visitor::without_bearer(parts, address, is_https) })
    }

    /// Whether what the bearer token proves depends on the workbook for which it is verified.
    ///
    /// Not those of API tokens that are limited to workbooks: they prove an account in any case, see
    /// [`check_covers`](super::Identity::check_covers).
    pub fn is_verified_by_workbook(&self) -> bool {
        match &self.presented {
            Presented::UnlockedLink(..) | Presented::SignedToken(_) | Presented::EtherCalcCode(_) => true,
            Presented::Nothing | Presented::Secret(_) => false,
        }
    }

    /// As [`from_request`](Visitor::from_request), without a bearer token.
    pub fn without_bearer(parts: &Parts, address: Option<IpAddr>, is_https: bool) -> Visitor {
        let headers = &parts.headers;
        let is_own_page = is_from_own_page(&parts.method, headers, is_https);
        let tenant = parts.extensions.get::<Tenant>().map(|tenant| Arc::clone(&tenant.0));
        let session = session_cookie(headers, is_https, base_path(tenant.as_deref()));
        let user_agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        Visitor {
            presented: Presented::Nothing,
            session: session.filter(|_| is_own_page),
            proven: None,
            is_from_own_page: is_own_page,
            address,
            user_agent: user_agent.unwrap_or_default().to_owned(),
            tenant,
            can_get_cookies: !headers.contains_key(header::UPGRADE),
        }
    }
}

impl Presented {
    /// Reads a bearer token.
    ///
    /// # Errors
    /// 401 for a text that is no key, link or token.
    pub fn parse(token: &str) -> Result<Presented, ApiError> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(malformed("the bearer token is too long"));
        }
        if let Some(secret) = Secret::parse(token) {
            return match secret.kind() {
                SecretKind::Session => Err(malformed("a session is sent as a cookie, not as a bearer token")),
                SecretKind::SignInLink => Err(malformed("a sign-in link is sent to POST /api/v1/session")),
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
            [_, _, _] => Ok(Presented::SignedToken(token.into())),
            [_] if let Some(code) = EtherCalcCode::from_bearer(token) => Ok(Presented::EtherCalcCode(code)),
            _ => Err(malformed("the bearer token is not a key, link or token of this server")),
        }
    }
}

/// The code in the query. The REST API has none: there it would be in more logs than needed.
fn ethercalc_code(parts: &Parts) -> Option<EtherCalcCode> {
    let query = parts.uri.query().filter(|_| !parts.uri.path().starts_with("/api/"))?;
    EtherCalcCode::from_query(query)
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

fn session_cookie(headers: &HeaderMap, is_https: bool, base_path: &str) -> Option<Secret> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    // A browser sends the cookie of the longest path first, which a page of this host has set. Ours
    // has the path `/`, so that with two of them neither can be trusted.
    let name = session_cookie_name(is_https, base_path);
    let value = pairs.find(|(found, _)| *found == name)?.1;
    if pairs.any(|(found, other)| found == name && other != value) {
        return None;
    }
    Secret::parse(value).filter(|secret| secret.kind() == SecretKind::Session)
}

/// Whether the request comes from a page of this server, or from no page. A session cookie counts
/// only then: the setting `origins` lets pages of others call the server, but not in the name of
/// the person who is signed in here.
fn is_from_own_page(method: &Method, headers: &HeaderMap, is_https: bool) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("invalid"));
    let is_own = match (text("origin"), text("host")) {
        (None, _) => true,
        (Some(origin), host) => is_own_origin(origin, host.unwrap_or_default(), is_https),
    };
    let is_read = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    // https://www.w3.org/TR/fetch-metadata/: `none` is a person, by an address or a bookmark. Another
    // site may link to an export, so that reads by navigation count.
    let is_same_site = matches!(text("sec-fetch-site"), None | Some("same-origin" | "none"));
    is_own && (is_read || is_same_site)
}

/// Whether an `Origin` is that of this server. Over HTTPS, a page that was read without it can have
/// been replaced by somebody on the network, except on this machine.
fn is_own_origin(origin: &str, host: &str, is_https: bool) -> bool {
    let (scheme, authority) = origin.split_once("://").unwrap_or(("", origin));
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_loopback = matches!(name, "localhost" | "127.0.0.1" | "[::1]");
    let is_scheme = scheme == "https" || scheme == "http" && (!is_https || is_loopback);
    is_scheme && authority.eq_ignore_ascii_case(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{Request, StatusCode};

    fn secret(kind: SecretKind) -> String {
        Secret::new(kind, [5; 24]).reveal()
    }

    fn read(headers: &[(&str, &str)], is_https: bool) -> Result<Visitor, ApiError> {
        read_as("GET", headers, is_https)
    }

    fn read_as(method: &str, headers: &[(&str, &str)], is_https: bool) -> Result<Visitor, ApiError> {
        let mut request = Request::builder().method(method).uri("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        Visitor::from_request(&parts, None, is_https)
    }

    #[test]
    fn credentials_are_read_from_the_authorization_header() {
        for kind in [SecretKind::OwnerKey, SecretKind::ShareLink, SecretKind::ApiToken] {
            let bearer = format!("Bearer {}", secret(kind));
            let found = read(&[("authorization", &bearer)], false).expect("valid");
            assert!(matches!(found.presented, Presented::Secret(secret) if secret.kind() == kind));
        }
        let found = read(&[("authorization", "bearer aaa.bbb.ccc")], false).expect("valid");
        assert!(matches!(found.presented, Presented::SignedToken(_)));
        let found = read(&[("authorization", "Bearer qe_00")], false).expect("valid");
        assert!(matches!(found.presented, Presented::EtherCalcCode(_)));
    }

    #[test]
    fn a_websocket_offers_its_credential_as_a_subprotocol() {
        let offered = format!("quadrille, bearer.{}", secret(SecretKind::ShareLink));
        let found = read(&[("sec-websocket-protocol", &offered)], false).expect("valid");
        assert!(matches!(found.presented, Presented::Secret(_)));
        let found = read(&[("sec-websocket-protocol", "quadrille")], false).expect("valid");
        assert!(matches!(found.presented, Presented::Nothing));
    }

    #[test]
    fn other_schemes_are_ignored_and_unknown_bearer_tokens_refused() {
        let basic = ("authorization", "Basic YTpi");
        let found = read(&[basic], false).expect("for a proxy in front");
        assert!(matches!(found.presented, Presented::Nothing));
        let offered = format!("quadrille, bearer.{}", secret(SecretKind::ShareLink));
        let found = read(&[basic, ("sec-websocket-protocol", &offered)], false).expect("for a proxy");
        assert!(matches!(found.presented, Presented::Secret(_)));
        for value in [
            "Bearer",
            "Bearer ",
            "Bearer abc",
            "Bearer a.b",
            &format!("Bearer {}", secret(SecretKind::Session)),
            &format!("Bearer {}", secret(SecretKind::SignInLink)),
            &format!("Bearer {}", "a".repeat(TOKEN_BYTES_MAX + 1)),
        ] {
            let refused = read(&[("authorization", value)], false).expect_err(value);
            assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{value}");
        }
    }

    #[test]
    fn over_https_only_the_cookie_with_the_prefix_counts() {
        let session = secret(SecretKind::Session);
        let other = Secret::new(SecretKind::Session, [6; 24]).reveal();
        for (cookies, is_https, expected) in [
            (format!("quadrille={session}"), false, true),
            (format!("quadrille={session}"), true, false),
            (format!("__Host-quadrille={session}"), false, false),
            (format!("a=b; __Host-quadrille={session}; quadrille={other}"), true, true),
            (format!("quadrille={other}; __Host-quadrille={session}"), true, true),
            (format!("quadrille={session}; quadrille={session}"), false, true),
            // One of them was set by another page of this host.
            (format!("quadrille={other}; quadrille={session}"), false, false),
            ("quadrille=nonsense".to_owned(), false, false),
            (format!("quadrille={}", &session[..34]), false, false),
            (format!("quadrille={}", secret(SecretKind::OwnerKey)), false, false),
            (format!("xquadrille={session}"), false, false),
        ] {
            let found = read(&[("cookie", &cookies)], is_https).expect("cookies are never an error").session;
            assert_eq!(found.is_some_and(|found| found.reveal() == session), expected, "{cookies}");
        }
    }

    #[test]
    fn the_cookie_of_a_tenant_counts_at_its_path_only() {
        let (own, acme) = (secret(SecretKind::Session), Secret::new(SecretKind::Session, [6; 24]).reveal());
        for (is_https, own_name, acme_name) in
            [(false, "quadrille", "quadrille.acme"), (true, "__Host-quadrille", "__Secure-quadrille.acme")]
        {
            let mut headers = HeaderMap::new();
            // The browser sends both to the path of the tenant.
            let cookies = format!("{acme_name}={acme}; {own_name}={own}");
            headers.insert(header::COOKIE, cookies.parse().expect("a header value"));
            for (path, expected) in [("", Some(&own)), ("/acme", Some(&acme)), ("/other", None)] {
                let found = session_cookie(&headers, is_https, path).map(|found| found.reveal());
                assert_eq!(found.as_ref(), expected, "{is_https} {path}");
            }
        }
    }

    #[test]
    fn a_session_cookie_counts_for_requests_of_own_pages() {
        let plain = ["http://sheets.example.org", "same-origin"];
        for (method, is_https, [origin, site], counts) in [
            ("GET", false, ["", ""], true),
            ("POST", false, ["", ""], true), // a program
            ("POST", false, plain, true),
            ("POST", false, ["https://sheets.example.org", ""], true), // behind a proxy
            ("POST", true, ["https://sheets.example.org", "same-origin"], true),
            ("POST", true, plain, false),
            ("GET", true, plain, false),
            ("POST", false, ["http://evil.example", "cross-site"], false),
            ("GET", false, ["http://evil.example", "cross-site"], false),
            ("POST", false, ["http://sheets.example.org:8000", "same-site"], false),
            ("POST", false, ["", "cross-site"], false),
            ("POST", false, ["", "same-site"], false),
            ("POST", false, ["null", ""], false),
            // A link on a page of another site.
            ("GET", false, ["", "cross-site"], true),
        ] {
            let cookie = format!("{}={}", session_cookie_name(is_https, ""), secret(SecretKind::Session));
            let mut headers = vec![("cookie", cookie.as_str()), ("host", "sheets.example.org")];
            headers
                .extend([("origin", origin), ("sec-fetch-site", site)].iter().filter(|(_, v)| !v.is_empty()));
            let found = read_as(method, &headers, is_https).expect("valid");
            assert_eq!(found.session.is_some(), counts, "{method} {is_https} {origin} {site}");
        }
        let local = ["http://localhost:8000", "http://127.0.0.1:8000", "http://[::1]:8000"];
        assert!(local.iter().all(|origin| is_own_origin(origin, &origin[7..], true)));
    }
}
