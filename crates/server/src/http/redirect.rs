//! A second port without TLS that sends browsers to the one with TLS.
//!
//! Only pages are redirected. A program that sends a request of the API without TLS has already
//! shown its secrets to the network: it gets an error, so that somebody notices.

use std::net::IpAddr;
use std::time::Instant;

use axum::Router;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::accept::CountedConnection;
use super::app::App;
use super::hosts::{host_name, public_host};
use crate::error::{ApiError, ErrorCode};
use crate::rate_limits::client_address;

/// Where requests are sent to.
#[derive(Clone)]
struct Target {
    app: App,
    /// The port with TLS, for host names that no public URL has.
    port: u16,
}

/// Returns the router of the redirecting port. `port` is the one with TLS.
pub fn router(app: App, port: u16) -> Router {
    Router::new().fallback(redirect).with_state(Target { app, port })
}

async fn redirect(
    State(Target { app, port }): State<Target>,
    Extension(connection): Extension<CountedConnection>,
    request: Request,
) -> Response {
    let address = client_address(connection.peer, request.headers(), &app.rate_limiter.trusted);
    let mut response = match location(&app, port, address, &request) {
        Ok(location) => (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, location)]).into_response(),
        Err(error) => error.into_response(),
    };
    let fixed = [
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn location(
    app: &App,
    port: u16,
    address: Option<IpAddr>,
    request: &Request,
) -> Result<HeaderValue, ApiError> {
    app.rate_limiter.request(address, Instant::now()).map_err(|exceeded| {
        app.rooms.metrics().limit_hit(exceeded.limit);
        ApiError::rate_limited(exceeded)
    })?;
    // Without this check, a request for another host would be sent to that host.
    app.hosts.check(request.headers())?;
    if !is_page(request.method(), request.uri()) {
        return Err(ApiError::new(ErrorCode::Forbidden, "this port is not encrypted; use https://"));
    }
    let no_host = || ApiError::new(ErrorCode::BadRequest, "the request has no Host header");
    let authority = authority(&app.settings.own_urls(), port, request.headers()).ok_or_else(no_host)?;
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    HeaderValue::from_str(&format!("https://{authority}{path}")).map_err(|_| no_host())
}

/// Whether a person may have typed the address into a browser.
fn is_page(method: &Method, uri: &Uri) -> bool {
    let path = uri.path();
    let is_api = ["/api/", "/_/", "/_exists/", "/_room"].iter().any(|prefix| path.starts_with(prefix));
    matches!(*method, Method::GET | Method::HEAD) && path.starts_with('/') && !is_api && path != "/_"
}

/// Host and port of the redirect: those of the public URL with this host, or this host and the port
/// with TLS.
fn authority(public_urls: &[String], port: u16, headers: &HeaderMap) -> Option<String> {
    let host = host_name(headers.get(header::HOST)?.to_str().ok()?);
    let public = public_urls
        .iter()
        .find(|url| url.starts_with("https://") && public_host(url).is_some_and(|public| public == host));
    match public {
        Some(url) => url.strip_prefix("https://")?.split(['/', '?', '#']).next().map(str::to_owned),
        None if port == 443 => Some(host),
        None => Some(format!("{host}:{port}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_go_to_the_public_url_of_the_host_or_to_its_tls_port() {
        let public = ["http://old.example.org".to_owned(), "https://Sheets.example.org:8443/x".to_owned()];
        for (host, port, expected) in [
            ("sheets.example.org", 443, "Sheets.example.org:8443"),
            ("SHEETS.example.org:80", 443, "Sheets.example.org:8443"),
            ("old.example.org", 443, "old.example.org"),
            ("localhost:8080", 8443, "localhost:8443"),
            ("[::1]:8080", 8443, "[::1]:8443"),
            ("127.0.0.1", 443, "127.0.0.1"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().expect("a header value"));
            assert_eq!(authority(&public, port, &headers).as_deref(), Some(expected), "{host}");
        }
        assert_eq!(authority(&public, 443, &HeaderMap::new()), None);
    }
}
