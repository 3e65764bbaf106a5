//! Middleware of every request: rate limits, host names, origins, security headers and the request log.

use std::net::IpAddr;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use quadrille_protocol::RoomName;

use super::accept::CountedConnection;
use super::app::App;
use super::owner_relay::{self, CompletedByOwner, Relayed};
use super::tenant_paths::{self, MissingSlash};
use super::{hosts, origins};
use crate::access::{Tenant, base_path};
use crate::error::ApiError;
use crate::rate_limits::{LimitExceeded, client_address};

/// Checks rate limits, the host name and the origin, runs the request, adds headers and logs it. Requests that
/// change something are rejected when they come from an origin that is not allowed; reads are
/// answered without CORS headers.
pub async fn layer(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    if let Some(tenant) = host.and_then(|host| app.quotas.tenant_of_host(host)) {
        request.extensions_mut().insert(Tenant(tenant));
    }
    if let Err(error) = owner_relay::accept_relayed(&app, &mut request).await {
        return error.into_response();
    }
    let relayed = request.extensions().get::<Relayed>().cloned();
    let mut response = answer(&app, relayed.is_some(), request, next).await;
    if let Some(relayed) = &relayed {
        owner_relay::sign_answer(&app, relayed, &mut response);
    }
    response
}

async fn answer(app: &App, is_relayed: bool, request: Request, next: Next) -> Response {
    let tenant = request.extensions().get::<Tenant>().cloned();
    let is_missing_slash = request.extensions().get::<MissingSlash>().is_some();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let began = Instant::now();
    let origin = request.headers().get(header::ORIGIN).cloned();
    let is_allowed = origins::is_allowed(request.headers(), &app.settings.origins);
    let is_own_machine = hosts::is_own_machine(request.headers());
    let is_change = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let is_preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let connection: &CountedConnection = request.extensions().get().expect("each request has its connection");
    let address = client_address(connection.peer, request.headers(), &app.rate_limiter.trusted);
    let mut response = if let Err(exceeded) = app.rate_limiter.request(address, began) {
        app.rooms.metrics().limit_hit(exceeded.limit);
        ApiError::rate_limited(exceeded).into_response()
    } else if let Some(error) = app.hosts.check(request.headers()).err().filter(|_| !is_relayed) {
        // The server that relays a request has checked it, and may have names of its own.
        error.into_response()
    } else if !is_allowed && (is_change || is_preflight) {
        origins::bad_origin().into_response()
    } else if is_change && let Err(exceeded) = count_change(app, &request, address, began) {
        app.rooms.metrics().limit_hit(exceeded.limit);
        ApiError::rate_limited(exceeded).into_response()
    } else if is_preflight {
        StatusCode::NO_CONTENT.into_response()
    } else if is_missing_slash {
        (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, "/")]).into_response()
    } else {
        next.run(request).await
    };
    let (status, micros) = (response.status().as_u16(), began.elapsed().as_micros() as u64);
    tracing::debug!(%method, path, status, micros, "request");
    if response.extensions().get::<CompletedByOwner>().is_some() {
        return response;
    }
    let headers = response.headers_mut();
    if let Some(tenant) =
        tenant.as_ref().map(|tenant| base_path(Some(&tenant.0))).filter(|path| !path.is_empty())
    {
        tenant_paths::prefix_location(headers, tenant);
    }
    app.fixed_headers.add_to(headers, is_own_machine);
    if let Some(origin) = origin.filter(|_| is_allowed) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(header::VARY, HeaderValue::from_static("origin"));
        let cross = HeaderName::from_static("cross-origin-resource-policy");
        headers.insert(cross, HeaderValue::from_static("cross-origin"));
        if is_preflight {
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_METHODS,
                HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE"),
            );
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_HEADERS,
                HeaderValue::from_static(
                    "authorization, content-type, if-match, if-none-match, idempotency-key, last-event-id, accept",
                ),
            );
        } else {
            headers.insert(
                header::ACCESS_CONTROL_EXPOSE_HEADERS,
                HeaderValue::from_static("etag, location, retry-after, idempotent-replayed"),
            );
        }
    }
    response
}

/// Counts a change of a room towards its rate limits, with the declared length of its body.
fn count_change(
    app: &App,
    request: &Request,
    address: Option<IpAddr>,
    now: Instant,
) -> Result<(), LimitExceeded> {
    let path = request.uri().path();
    let name = path.strip_prefix("/api/v1/rooms/").or_else(|| path.strip_prefix("/_/"));
    let name = name.and_then(|rest| rest.split('/').next()).unwrap_or_default();
    // Invalid names are rejected later. Names with escaped characters do not exist.
    let Ok(room) = RoomName::new(name) else { return Ok(()) };
    let length = request.headers().get(header::CONTENT_LENGTH);
    let bytes = length.and_then(|length| length.to_str().ok()?.parse().ok()).unwrap_or(0);
    app.rate_limiter.change(&room, address, bytes, now)
}
