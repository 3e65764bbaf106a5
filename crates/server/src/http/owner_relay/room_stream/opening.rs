//! The requests that open a stream, and a session in it, at the owner.

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::upgrade::OnUpgrade;
use quadrille_protocol::RoomName;

use super::message::SessionNumber;
use super::owner::Unopened;
use crate::error::{ApiError, ErrorCode};
use crate::http::app::App;
use crate::http::fallbacks::unknown_route;
use crate::http::owner_relay::signature::Relayed;
use crate::http::socket::Socket;
use crate::room_name;
use crate::rooms::room_elsewhere;

/// In the answer to a request for a stream: its name. In a request for a session: `name number`, the stream
/// in which the session is opened and its number there. In the answer to that: the number.
pub const ROOM_STREAM: HeaderName = HeaderName::from_static("quadrille-room-stream");
/// What the connection of a stream is upgraded to.
const PROTOCOL: &str = "quadrille-room-stream/1";

/// Whether the resource at this path opens sessions in streams.
pub fn has_stream(path: &str) -> bool {
    path.strip_prefix("/api/v1/rooms/")
        .and_then(|rest| rest.split_once('/'))
        .is_some_and(|(_, of)| of == "socket")
}

/// Returns the request for the stream of a room, before it is signed.
pub fn request(room: &RoomName) -> Request {
    let path = format!("/internal/room-streams/{}", room_name::percent_encoded(room.as_str()));
    Request::get(path).body(Body::empty()).expect("the path is ASCII")
}

/// Asks for a stream.
pub fn put_upgrade(headers: &mut HeaderMap) {
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static(PROTOCOL));
}

/// `GET /internal/room-streams/{room}`: turns the connection of another server into a stream. Nobody else finds
/// this resource.
pub async fn accept(State(app): State<App>, Path(room): Path<String>, mut request: Request) -> Response {
    if request.extensions().get::<Relayed>().is_none() {
        return unknown_route(request).await;
    }
    match open(&app, &room, &mut request) {
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

fn open(app: &App, room: &str, request: &mut Request) -> Result<Response, ApiError> {
    let room = room_name::parse(room)?;
    let is_stream = request.headers().get(header::UPGRADE).is_some_and(|wanted| *wanted == PROTOCOL);
    let upgraded = request.extensions_mut().remove::<OnUpgrade>().filter(|_| is_stream);
    let upgraded = upgraded.ok_or_else(|| {
        let message = format!("this resource needs a connection that is upgraded to {PROTOCOL}");
        ApiError::new(ErrorCode::UpgradeRequired, message)
    })?;
    if *app.stop.borrow() {
        return Err(ApiError::new(ErrorCode::Draining, "the server is stopping"));
    }
    let mut random = [0; 16];
    getrandom::fill(&mut random).expect("the operating system provides random numbers");
    let name = format!("{:032x}", u128::from_le_bytes(random));
    let named = HeaderValue::from_str(&name).expect("hexadecimal digits");
    let (streams, sent) = (app.relay.owner_streams.clone(), app.rooms.metrics().bytes_sent.clone());
    tokio::spawn(async move {
        // Fails when the other server has disconnected before it received the response.
        if let Ok(upgraded) = upgraded.await {
            let (socket, unread) = Socket::of_upgraded(upgraded);
            streams.run(name, room, socket, &unread, sent).await;
        }
    });
    let mut response = StatusCode::SWITCHING_PROTOCOLS.into_response();
    put_upgrade(response.headers_mut());
    response.headers_mut().insert(ROOM_STREAM, named);
    Ok(response)
}

/// Adds the session of a relayed request to the stream that the request names; `None` when it names none.
///
/// # Errors
///
/// Fails with `room_elsewhere` when there is no such stream any more: the relay opens another one.
pub fn requested_session(
    app: &App,
    room: &RoomName,
    request: &Request,
) -> Result<Option<(Unopened, HeaderValue)>, ApiError> {
    if request.extensions().get::<Relayed>().is_none() {
        return Ok(None);
    }
    let Some((name, number)) = named(request.headers()) else { return Ok(None) };
    let bytes_max = app.settings.outbox_bytes_max;
    let unopened = app.relay.owner_streams.add(name, room, number, bytes_max);
    let unopened = unopened.ok_or_else(|| room_elsewhere(Some(room), ""))?;
    Ok(Some((unopened, HeaderValue::from(number))))
}

fn named(headers: &HeaderMap) -> Option<(&str, SessionNumber)> {
    let (name, number) = headers.get(ROOM_STREAM)?.to_str().ok()?.split_once(' ')?;
    Some((name, number.parse().ok()?))
}
