//! The upgrade of a request to a WebSocket.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::upgrade::OnUpgrade;
use quadrille_protocol::{CloseReason, RoomName};

use super::app::App;
use super::origins;
use super::session_end::{End, finish};
use super::socket::Socket;
use crate::access::SUBPROTOCOL;
use crate::error::{ApiError, ErrorCode};
use crate::websocket::handshake;

/// Accepts a request for a WebSocket: the response, and what becomes the socket after it.
///
/// # Errors
///
/// `bad_origin`, `upgrade_required` for any other request, `draining` when the server stops.
pub fn accept_upgrade(app: &App, request: &mut Request) -> Result<(Response, OnUpgrade), ApiError> {
    if !origins::is_allowed(request.headers(), &app.settings.origins) {
        return Err(origins::bad_origin());
    }
    let accepted = handshake::accept(request.method(), request.headers());
    let (accept, upgraded) = match (accepted, request.extensions_mut().remove::<OnUpgrade>()) {
        (Ok(accept), Some(upgraded)) => (accept, upgraded),
        (Err(reason), _) => {
            let message = format!("this resource needs a WebSocket connection: {reason}");
            return Err(ApiError::new(ErrorCode::UpgradeRequired, message));
        }
        (Ok(_), None) => {
            let message = "this resource needs a WebSocket connection: the connection cannot be upgraded";
            return Err(ApiError::new(ErrorCode::UpgradeRequired, message));
        }
    };
    if *app.stop.borrow() {
        return Err(ApiError::new(ErrorCode::Draining, "the server is stopping"));
    }
    let headers = [
        (header::CONNECTION, HeaderValue::from_static("upgrade")),
        (header::UPGRADE, HeaderValue::from_static("websocket")),
        (
            header::SEC_WEBSOCKET_ACCEPT,
            HeaderValue::from_str(&accept).expect("base64 is a valid header value"),
        ),
    ];
    Ok(((StatusCode::SWITCHING_PROTOCOLS, headers).into_response(), upgraded))
}

/// Upgrades a connection only to close it: browsers do not see the status of a refused upgrade.
pub fn refuse_by_close_code(
    app: &App,
    room: &RoomName,
    mut request: Request,
    reason: CloseReason,
) -> Response {
    let (mut response, upgraded) = match accept_upgrade(app, &mut request) {
        Ok(accepted) => accepted,
        Err(error) => return error.into_response(),
    };
    accept_subprotocol(request.headers(), &mut response);
    let room = room.clone();
    tokio::spawn(async move {
        // Fails when the client disconnected before it received the response.
        if let Ok(upgraded) = upgraded.await {
            let (stream, _) = Socket::of_upgraded(upgraded);
            finish(&stream, &room, End::closed(reason)).await;
        }
    });
    response
}

/// Accepts the sub-protocol if the client offers it: a browser that has offered some closes the connection when
/// none is accepted.
pub fn accept_subprotocol(headers: &HeaderMap, response: &mut Response) {
    let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).into_iter();
    let mut offered = offered.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    if offered.any(|protocol| protocol.trim() == SUBPROTOCOL) {
        let protocol = HeaderValue::from_static(SUBPROTOCOL);
        response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, protocol);
    }
}
