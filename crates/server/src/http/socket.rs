//! `GET /api/v1/rooms/{room}/socket`: a session over a WebSocket. Binary messages, one frame of `protocol` each.
//!
//! The task of a session moves bytes and nothing else: it reads frames, hands them to the room, and sends what the room
//! puts into the outbox. It stops reading while the room has too many frames of this session before it.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::SinkExt;
use quadrille_protocol::{CloseReason, Role, RoomName};
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout};
use tungstenite::error::{CapacityError, Error as SocketError};

use super::accept::Place;
use super::segments::{Given, RoomSegment};
use super::{App, security};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rooms::{Outbox, Outgoing};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketQuery {
    /// Given with any value or none: only look.
    view: Option<String>,
}

pub async fn upgrade(
    State(app): State<App>,
    RoomSegment(room): RoomSegment,
    Given(query): Given<SocketQuery>,
    Extension(place): Extension<Place>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    if !security::origin_allowed(&headers, &app.settings.origins) {
        return security::bad_origin().into_response();
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => {
            let message = format!("this address takes WebSocket connections: {}", rejection.body_text());
            return ApiError::new(ErrorCode::UpgradeRequired, message).into_response();
        }
    };
    if *app.stop.borrow() {
        return ApiError::new(ErrorCode::Draining, "the server is stopping").into_response();
    }
    let role = match query.view {
        Some(_) => Role::View,
        None => app.settings.default_role.into(),
    };
    upgrade
        // 3 KB per idle connection instead of 137 KB; frames are written whole, so buffering gains nothing.
        .read_buffer_size(4_096)
        .write_buffer_size(0)
        .max_message_size(limits::FRAME_BYTES_MAX)
        .max_frame_size(limits::FRAME_BYTES_MAX)
        .on_upgrade(move |socket| async move {
            session(socket, &app, &room, role).await;
            drop(place);
        })
}

/// How a session ends: the code and reason of the close frame.
struct Ending {
    code: u16,
    reason: &'static str,
}

impl From<CloseReason> for Ending {
    fn from(reason: CloseReason) -> Ending {
        Ending { code: reason.code(), reason: reason.name() }
    }
}

/// The peer is gone: there is nobody to say anything to.
struct Gone;

type Step<T> = Result<T, Result<Ending, Gone>>;

async fn session(mut socket: WebSocket, app: &App, room: &RoomName, role: Role) {
    let ending = match run(&mut socket, app, room, role).await {
        Ok(ending) | Err(Ok(ending)) => ending,
        Err(Err(Gone)) => return,
    };
    match ending.code {
        // The server stops, or the room is full, slow or gone: nothing the peer did wrong.
        1012 | 1013 | 4408..=4411 => {
            tracing::debug!(%room, code = ending.code, reason = ending.reason, "session closed");
        }
        _ => tracing::info!(%room, code = ending.code, reason = ending.reason, "session closed"),
    }
    let close = Message::Close(Some(CloseFrame { code: ending.code, reason: ending.reason.into() }));
    let goodbye = async {
        if socket.send(close).await.is_ok() {
            // Reading on until the peer has closed too: closing a socket with unread data would destroy our last words.
            while let Some(Ok(_)) = socket.recv().await {}
        }
    };
    let _ = timeout(GOODBYE_MAX, goodbye).await;
}

/// How long the peer may take to answer a close.
const GOODBYE_MAX: Duration = Duration::from_secs(2);
/// After this much silence the server asks whether the peer is still there; browsers answer by themselves.
const PING_AFTER: Duration = Duration::from_secs(25);

async fn run(socket: &mut WebSocket, app: &App, room: &RoomName, role: Role) -> Step<Ending> {
    let hello = match timeout(Duration::from_secs(limits::HELLO_SECONDS_MAX), next_frame(socket)).await {
        Ok(hello) => hello?,
        Err(_) => return Ok(CloseReason::HelloTimeout.into()),
    };
    let outbox = Outbox::new(app.settings.outbox_bytes_max);
    let member = app.rooms.connect(room, role, Arc::clone(&outbox));
    let in_flight = Arc::new(Semaphore::new(limits::FRAMES_IN_FLIGHT_MAX));
    let permit = || Arc::clone(&in_flight).acquire_owned();
    member.frame(hello, permit().await.expect("never closed"));

    let silence_max = Duration::from_secs(limits::SILENCE_SECONDS_MAX);
    let mut heard = Instant::now();
    let mut pinged = heard;
    loop {
        let wake = (heard + silence_max).min(heard.max(pinged) + PING_AFTER);
        tokio::select! {
            // With the permit taken first, nothing is read that has no place.
            frame = async {
                let permit = permit().await.expect("never closed");
                (next_message(socket).await, permit)
            } => {
                let (message, permit) = frame;
                heard = Instant::now();
                if let Some(bytes) = message? {
                    member.frame(bytes, permit);
                }
            }
            outgoing = outbox.take() => {
                let Outgoing { frames, close, is_drained } = outgoing;
                for frame in frames {
                    write(socket, Message::Binary(Bytes::from_owner(frame))).await?;
                }
                if let Some(reason) = close {
                    return Ok(reason.into());
                }
                if is_drained {
                    member.drained();
                }
            }
            () = sleep_until(wake) => {
                if heard.elapsed() >= silence_max {
                    return Err(Err(Gone));
                }
                pinged = Instant::now();
                write(socket, Message::Ping(Bytes::new())).await?;
            }
        }
    }
}

async fn write(socket: &mut WebSocket, message: Message) -> Step<()> {
    let length = match &message {
        Message::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    let seconds = limits::WRITE_SECONDS_MAX + (length / limits::READER_BYTES_PER_SECOND_MIN) as u64;
    match timeout(Duration::from_secs(seconds), SinkExt::send(socket, message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(Err(Gone)),
    }
}

async fn next_frame(socket: &mut WebSocket) -> Step<Bytes> {
    loop {
        if let Some(bytes) = next_message(socket).await? {
            return Ok(bytes);
        }
    }
}

/// `None` for what is no frame but no fault either.
async fn next_message(socket: &mut WebSocket) -> Step<Option<Bytes>> {
    match socket.recv().await {
        None | Some(Ok(Message::Close(_))) => Err(Err(Gone)),
        Some(Ok(Message::Binary(bytes))) => Ok(Some(bytes)),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
        Some(Ok(Message::Text(_))) => Err(Ok(Ending { code: 1003, reason: "binary_only" })),
        Some(Err(error)) => Err(wrong_message(error)),
    }
}

/// The code that says what was wrong with the peer's bytes (RFC 6455, 7.4.1).
fn wrong_message(error: axum::Error) -> Result<Ending, Gone> {
    match error.into_inner().downcast_ref::<SocketError>() {
        Some(SocketError::Capacity(CapacityError::MessageTooLong { .. })) => {
            Ok(CloseReason::FrameTooLarge.into())
        }
        Some(SocketError::Utf8(_)) => Ok(Ending { code: 1007, reason: "invalid_utf8" }),
        Some(SocketError::Protocol(
            tungstenite::error::ProtocolError::ResetWithoutClosingHandshake
            | tungstenite::error::ProtocolError::ReceivedAfterClosing
            | tungstenite::error::ProtocolError::SendAfterClosing,
        )) => Err(Gone),
        Some(SocketError::Protocol(_)) => Ok(Ending { code: 1002, reason: "protocol_error" }),
        _ => Err(Gone),
    }
}
