//! What a browser is told about these pages, and which pages of others may call us.

use std::net::IpAddr;
use std::time::Instant;

use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use quadrille_protocol::RoomName;

use super::App;
use super::accept::Place;
use crate::config::Settings;
use crate::error::{ApiError, ErrorCode};
use crate::rates::{LimitExceeded, client_address};

/// Headers of every reply.
pub struct FixedHeaders(Vec<(HeaderName, HeaderValue)>);

impl FixedHeaders {
    /// An error names the setting that is not an origin.
    pub fn new(settings: &Settings) -> Result<FixedHeaders, String> {
        let ancestors = match settings.frame_ancestors.as_slice() {
            [] => "'self'".to_owned(),
            origins => format!("'self' {}", origins.join(" ")),
        };
        // 'wasm-unsafe-eval' lets the engine compile; no script text is ever evaluated.
        let policy = format!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
             img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; font-src 'self'; \
             manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {ancestors}"
        );
        let policy = HeaderValue::from_str(&policy)
            .map_err(|_| format!("frame_ancestors holds what is not an origin: {ancestors}"))?;
        Ok(FixedHeaders(vec![
            (header::CONTENT_SECURITY_POLICY, policy),
            (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
            (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
            (
                HeaderName::from_static("cross-origin-resource-policy"),
                HeaderValue::from_static("same-origin"),
            ),
            (
                HeaderName::from_static("permissions-policy"),
                HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
            ),
        ]))
    }
}

/// Logs the request, adds the fixed headers, and answers foreign pages: reads and writes from origins that are not ours and not
/// configured are refused where a browser could be misused (anything that changes something).
pub async fn layer(
    State(app): State<App>,
    Extension(place): Extension<Place>,
    request: Request,
    next: Next,
) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let began = Instant::now();
    let origin = request.headers().get(header::ORIGIN).cloned();
    let allowed = origin_allowed(request.headers(), &app.settings.origins);
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let address = client_address(place.peer, request.headers(), &app.rates.trusted);
    let mut response = if let Err(over) = app.rates.request(address, began) {
        app.rooms.metrics().limit_hit(over.limit);
        ApiError::over(over).into_response()
    } else if !allowed && (changes || preflight) {
        bad_origin().into_response()
    } else if changes && let Err(over) = change_allowed(&app, &request, address, began) {
        app.rooms.metrics().limit_hit(over.limit);
        ApiError::over(over).into_response()
    } else if preflight {
        axum::http::StatusCode::NO_CONTENT.into_response()
    } else {
        next.run(request).await
    };
    let (status, micros) = (response.status().as_u16(), began.elapsed().as_micros() as u64);
    tracing::debug!(%method, path, status, micros, "request");
    let headers = response.headers_mut();
    for (name, value) in &app.fixed_headers.0 {
        headers.entry(name).or_insert_with(|| value.clone());
    }
    if let Some(origin) = origin.filter(|_| allowed) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(header::VARY, HeaderValue::from_static("origin"));
        let cross = HeaderName::from_static("cross-origin-resource-policy");
        headers.insert(cross, HeaderValue::from_static("cross-origin"));
        if preflight {
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_METHODS,
                HeaderValue::from_static("GET, HEAD, POST, PUT, DELETE"),
            );
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_HEADERS,
                HeaderValue::from_static("content-type, if-match, accept"),
            );
        }
    }
    response
}

/// A change of a room counts for its rates, with the bytes that are announced.
fn change_allowed(
    app: &App,
    request: &Request,
    address: Option<IpAddr>,
    now: Instant,
) -> Result<(), LimitExceeded> {
    let path = request.uri().path();
    let name = path.strip_prefix("/api/v1/rooms/").or_else(|| path.strip_prefix("/_/"));
    let name = name.and_then(|rest| rest.split('/').next()).unwrap_or_default();
    // What is no room's name is refused later; escaped characters do not matter here.
    let Ok(room) = RoomName::new(name) else { return Ok(()) };
    let length = request.headers().get(header::CONTENT_LENGTH);
    let bytes = length.and_then(|length| length.to_str().ok()?.parse().ok()).unwrap_or(0);
    app.rates.change(&room, address, bytes, now)
}

pub fn bad_origin() -> ApiError {
    ApiError::new(
        ErrorCode::BadOrigin,
        "a page of this origin may not use this server; see the setting `origins`",
    )
}

/// True for our own pages, for configured origins, and for programs, which send no origin.
pub fn origin_allowed(headers: &HeaderMap, configured: &[String]) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    if configured.iter().any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(origin)) {
        return true;
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    match (authority, host) {
        (Some(authority), Some(host)) => authority.eq_ignore_ascii_case(host),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_and_configured_origins_are_allowed() {
        let configured = ["https://wiki.example.org".to_owned()];
        for (origin, allowed) in [
            (None, true),
            (Some("http://sheets.example.org:8000"), true),
            (Some("https://sheets.example.org:8000"), true),
            (Some("https://wiki.example.org"), true),
            (Some("http://sheets.example.org"), false),
            (Some("https://evil.example.org"), false),
            (Some("null"), false),
            (Some("http://sheets.example.org:8000.evil.example"), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("sheets.example.org:8000"));
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            }
            assert_eq!(origin_allowed(&headers, &configured), allowed, "{origin:?}");
        }
    }
}
