//! The layer of the routes, and both ends of the header of a relayed request.

use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;

use quadrille_protocol::RoomName;
use sha2::{Digest as _, Sha256};

use super::addressing::Addressing;
use super::attempts::Attempts;
use super::heads::target;
use super::repeatable::Repeatable;
use super::signature::{self, BodyDigest, RELAYED_BY, RELAYED_FOR, RELAYED_ONCE, Relayed, Signed};
use crate::access::now_ms;
use crate::error::{ApiError, Elsewhere};
use crate::http::accept::CountedConnection;
use crate::http::app::App;
use crate::http::plain_error::PlainError;
use crate::http::request_body;
use crate::rooms::room_elsewhere;
use crate::{limits, mcp};

/// A route, for the relay.
#[derive(Clone, Copy)]
struct RelayedRoute {
    addressing: Addressing,
    /// Its errors are those of EtherCalc.
    has_plain_errors: bool,
}

/// Adds the relay before the handler of a route, if its requests can be for rooms of other servers.
pub fn add_to(
    app: &App,
    path: &str,
    has_plain_errors: bool,
    handler: MethodRouter<App>,
) -> MethodRouter<App> {
    let addressing = Addressing::of(path).filter(|_| app.rooms.is_shared());
    let Some(addressing) = addressing else { return handler };
    let route = RelayedRoute { addressing, has_plain_errors };
    handler.route_layer(axum::middleware::from_fn_with_state((app.clone(), route), layer))
}

/// Relays requests for rooms that another server runs, and passes the others to the handler.
async fn layer(State((app, route)): State<(App, RelayedRoute)>, request: Request, next: Next) -> Response {
    match relay_or_run(&app, route.addressing, request, next).await {
        Ok(response) => response,
        Err(error) if route.has_plain_errors => PlainError(error).into_response(),
        Err(error) => error.into_response(),
    }
}

/// Takes the peer of a relayed request from its header, in place of the server that relays it.
///
/// # Errors
///
/// Fails with `misdirected_request` for headers that no server of this database has signed for this request, or that
/// have arrived before.
pub async fn accept_relayed(app: &App, request: &mut Request) -> Result<(), ApiError> {
    if !request.headers().contains_key(RELAYED_FOR) {
        // Only together with the other.
        request.headers_mut().remove(RELAYED_ONCE);
        return Ok(());
    }
    let accepted = accept_signed(app, request).await;
    let relayed =
        accepted.inspect_err(|error| tracing::warn!(reason = error.message, "refused a relayed request"))?;
    signature::remove(request.headers_mut());
    if let Some(relayed) = relayed {
        if let Some(connection) = request.extensions_mut().get_mut::<CountedConnection>() {
            connection.peer = relayed.peer;
        }
        request.extensions_mut().insert(relayed);
    }
    Ok(())
}

async fn accept_signed(app: &App, request: &mut Request) -> Result<Option<Relayed>, ApiError> {
    let target = target(request.extensions().get(), request.uri());
    let signed = Signed { method: request.method(), target: &target, headers: request.headers() };
    let relayed = signature::verify(app.access.key(), &signed, &app.relay.own_server(), now_ms())?;
    if let Some(Relayed { number: Some(number), body, .. }) = relayed {
        app.relay.received.accept(number, Instant::now())?;
        if let Some(digest) = body {
            check_body(app, request, digest).await?;
        }
    }
    Ok(relayed)
}

/// Checks the body against its digest. The server that relays it has had it in memory as well.
async fn check_body(app: &App, request: &mut Request, digest: BodyDigest) -> Result<(), ApiError> {
    let body = std::mem::take(request.body_mut());
    let bytes_max = app.settings.body_bytes_max.max(limits::JSON_BYTES_MAX);
    let body = request_body::read(request.headers(), body, bytes_max).await?;
    if <[u8; 32]>::from(Sha256::digest(&body)) != digest {
        return Err(signature::refused("its body was changed on its way"));
    }
    *request.body_mut() = if body.is_empty() { Body::empty() } else { Body::from(body) };
    Ok(())
}

/// Signs the response to a relayed request.
pub fn sign_answer(app: &App, relayed: &Relayed, response: &mut Response) {
    let is_elsewhere = response.extensions().get::<Elsewhere>().is_some();
    response.headers_mut().insert(RELAYED_BY, relayed.relayed_by(app.access.key(), is_elsewhere));
}

async fn relay_or_run(
    app: &App,
    addressing: Addressing,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let (mut parts, mut body) = request.into_parts();
    let room = match addressing {
        Addressing::Body => return run_or_relay(app, parts, body, next).await,
        Addressing::Agent => {
            let message = request_body::read(&parts.headers, body, limits::JSON_BYTES_MAX).await?;
            let room = mcp::room_of(&message);
            body = Body::from(message);
            room
        }
        addressing => addressing.room(app, &mut parts).await?,
    };
    let room = match room {
        Some(room) if !app.rooms.runs(&room) => room,
        Some(room) if parts.extensions.get::<Relayed>().is_none() => {
            let request = Repeatable::new(parts, body).await?;
            return run_or_follow(app, &room, request, next).await;
        }
        _ => return Ok(next.run(Request::from_parts(parts, body)).await),
    };
    if parts.extensions.get::<Relayed>().is_some() {
        // If it was relayed to the wrong server, the one that relays it looks again.
        app.rooms.check_owner(&room).await?;
        return Ok(next.run(Request::from_parts(parts, body)).await);
    }
    let request = Repeatable::new(parts, body).await?;
    Attempts::new(app, &room).run(request, next).await
}

/// Runs a request for a room of this server, and relays it when the room is just being given to another one.
async fn run_or_follow(
    app: &App,
    room: &RoomName,
    mut request: Repeatable,
    next: Next,
) -> Result<Response, ApiError> {
    let Some(first) = request.take() else { return Err(room_elsewhere(Some(room), "")) };
    let response = next.clone().run(first).await;
    match response.extensions().get::<Elsewhere>() {
        Some(_) if request.is_kept() => Attempts::new(app, room).run(request, next).await,
        _ => Ok(response),
    }
}

/// Runs a request whose body may name rooms, and relays it when another server runs one of them.
async fn run_or_relay(app: &App, parts: Parts, body: Body, next: Next) -> Result<Response, ApiError> {
    if parts.extensions.get::<Relayed>().is_some() {
        return Ok(next.run(Request::from_parts(parts, body)).await);
    }
    // The handler has the same bytes in memory.
    let body = request_body::read(&parts.headers, body, app.settings.body_bytes_max).await?;
    let mut request = Repeatable::kept(parts, body);
    let Some(first) = request.take() else { return Err(room_elsewhere(None, "")) };
    let response = next.clone().run(first).await;
    match response.extensions().get::<Elsewhere>().cloned() {
        Some(Elsewhere(Some(room))) => Attempts::new(app, &room).run(request, next).await,
        _ => Ok(response),
    }
}
