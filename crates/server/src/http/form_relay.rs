//! Forms of workbooks that another server with the same database runs. A link names no workbook, so a
//! proxy cannot choose the server by it, and people cannot reach the address by which servers reach
//! each other: this server asks the other one and passes its answer on.
//!
//! The request says for whom it is, signed with the secret that the servers share, so that limits of
//! the other server count that client.

use std::net::IpAddr;
use std::sync::LazyLock;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::sync::Semaphore;

use super::app::App;
use super::internal_error::internal;
use super::request_body;
use crate::access::{Visitor, now_ms};
use crate::error::{ApiError, ErrorCode};
use crate::forms::FormLink;
use crate::http_client::HttpClient;
use crate::limits;

/// `time address signature` of the client; the address of this machine is `-`.
const RELAYED_FOR: HeaderName = HeaderName::from_static("quadrille-relayed-for");
/// How far the clocks of two servers may differ.
const CLOCKS_MAX: Duration = Duration::from_secs(60);
/// Bytes of a page of a form with many choices.
const PAGE_BYTES_MAX: u64 = 16 << 20;

/// What the other server needs to know. Host and origin are checked there as they are here.
const REQUEST_HEADERS: [HeaderName; 6] = [
    header::HOST,
    header::ORIGIN,
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_TYPE,
    header::USER_AGENT,
];
/// What its answer says beside its body.
const RESPONSE_HEADERS: [HeaderName; 6] = [
    header::CONTENT_TYPE,
    header::LOCATION,
    header::REFERRER_POLICY,
    header::RETRY_AFTER,
    header::VARY,
    HeaderName::from_static("x-robots-tag"),
];

static RELAYS: Semaphore = Semaphore::const_new(limits::FORM_RELAYS_MAX);
static CLIENT: LazyLock<HttpClient> =
    LazyLock::new(|| HttpClient::of_servers(limits::FORM_RELAY_SECONDS_MAX, PAGE_BYTES_MAX));

/// Passes requests for forms of other servers on. `is_form` is whether the route is one of a form.
pub async fn layer(
    State((app, is_form)): State<(App, bool)>,
    parameters: RawPathParams,
    mut request: Request,
    next: Next,
) -> Response {
    if !is_form || !app.rooms.is_shared() {
        return next.run(request).await;
    }
    let relayed_for = client_of(&app, request.headers());
    if let (Some(client), Some(visitor)) = (relayed_for, request.extensions_mut().get_mut::<Visitor>()) {
        visitor.address = client;
    }
    let link = parameters.iter().find(|(name, _)| *name == "link").map_or("", |(_, link)| link);
    let owner = match FormLink::parse(app.access.key(), link) {
        Some(link) => app.rooms.owner_elsewhere(&link.room).await,
        None => Ok(None),
    };
    match owner {
        // Asked once only: the two servers do not agree yet, and the client tries again.
        Ok(Some(url)) if relayed_for.is_none() => {
            relay(&app, &url, request).await.unwrap_or_else(IntoResponse::into_response)
        }
        Ok(_) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

/// Whether a route is that of a form, by its link.
pub fn is_form_route(path: &str) -> bool {
    path == "/_form/{link}" || path.starts_with("/api/v1/forms/{link}")
}

/// The client for which another server asks, if one does. The inner `None` is this machine.
pub fn client_of(app: &App, headers: &HeaderMap) -> Option<Option<IpAddr>> {
    let given = headers.get(RELAYED_FOR)?.to_str().ok()?;
    client_of_text(app.access.key(), given, now_ms())
}

fn client_of_text(key: &[u8; 32], given: &str, now_ms: i64) -> Option<Option<IpAddr>> {
    let (signed, signature) = given.rsplit_once(' ')?;
    let (time_ms, address) = signed.split_once(' ')?;
    let age_ms = now_ms.abs_diff(time_ms.parse().ok()?);
    let signature = hex_bytes(signature)?;
    let is_ours = signer(key, signed).verify_slice(&signature).is_ok();
    if !is_ours || age_ms > CLOCKS_MAX.as_millis() as u64 {
        return None;
    }
    if address == "-" { Some(None) } else { address.parse().ok().map(Some) }
}

/// The header for a client.
fn signed(key: &[u8; 32], client: Option<IpAddr>, now_ms: i64) -> HeaderValue {
    let address = client.map_or("-".to_owned(), |address| address.to_string());
    let text = format!("{now_ms} {address}");
    let signature = signer(key, &text).finalize().into_bytes();
    let signature: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::from_str(&format!("{text} {signature}")).expect("digits, dots and colons are valid")
}

fn signer(key: &[u8; 32], text: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    mac.update(b"requests for forms of other servers");
    mac.update(text.as_bytes());
    mac
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks_exact(2);
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

/// Sends a request to the server with this URL.
async fn relay(app: &App, url: &str, request: Request) -> Result<Response, ApiError> {
    let busy = || ApiError::new(ErrorCode::Overloaded, "too many forms of other servers are being read");
    let _relaying = RELAYS.try_acquire().map_err(|_| busy())?;
    let (parts, body) = request.into_parts();
    let visitor: Visitor = parts.extensions.get().cloned().expect("the route names its access");
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    // The prefix of a tenant was removed before the router.
    let target = format!("{}{}{path}", url.trim_end_matches('/'), visitor.base_path());
    let bytes_max = limits::FORM_FILES_BYTES_MAX + limits::FORM_RESPONSE_BYTES_MAX;
    let body = request_body::read(&parts.headers, body, bytes_max).await?;
    let mut sent = axum::http::Request::builder().method(parts.method).uri(target);
    for name in REQUEST_HEADERS {
        if let Some(value) = parts.headers.get(&name) {
            sent = sent.header(name, value);
        }
    }
    sent = sent.header(RELAYED_FOR, signed(app.access.key(), visitor.address, now_ms()));
    let sent = sent.body(body.to_vec()).map_err(|_| internal("asking another server"))?;
    let answer = tokio::task::spawn_blocking(move || CLIENT.send(sent)).await;
    let answer = match answer.map_err(|_| internal("asking another server"))? {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!(%error, url, "the server that runs the workbook of a form does not answer");
            return Err(crate::rooms::room_elsewhere(url));
        }
    };
    let (head, body) = answer.into_parts();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(head.status.as_u16()).expect("a status");
    for name in RESPONSE_HEADERS {
        if let Some(value) = head.headers.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    // The layer of all requests adds the prefix of a tenant, as the other server has.
    let location = head.headers.get(header::LOCATION).and_then(|location| location.to_str().ok());
    let own = location.and_then(|location| location.strip_prefix(visitor.base_path()));
    if let Some(own) = own.and_then(|own| HeaderValue::from_str(own).ok()) {
        response.headers_mut().insert(header::LOCATION, own);
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_servers_with_the_same_secret_say_who_asks() {
        let key = [7; 32];
        for address in [None, Some("203.0.113.7"), Some("2001:db8::")] {
            let client = address.map(|address| address.parse().expect("an address"));
            let text = signed(&key, client, 1_000_000);
            let text = text.to_str().expect("ASCII");
            assert_eq!(client_of_text(&key, text, 1_000_000), Some(client));
            assert_eq!(client_of_text(&key, text, 1_059_999), Some(client));
            assert_eq!(client_of_text(&key, text, 1_061_000), None);
            assert_eq!(client_of_text(&[8; 32], text, 1_000_000), None);
            let other = text.replacen(address.unwrap_or("-"), "198.51.100.1", 1);
            assert_eq!(client_of_text(&key, &other, 1_000_000), None);
        }
        for text in ["", "- -", "1000000 - ", "1000000 - zz", "x - 00", "9223372036854775807 - 00"] {
            assert_eq!(client_of_text(&key, text, 1_000_000), None, "{text}");
        }
    }
}
