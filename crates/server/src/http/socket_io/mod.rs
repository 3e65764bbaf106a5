//! `/socket.io/`: EtherCalc's live protocol over socket.io, as EtherCalc's releases up to 2020 speak it.
//!
//! A client names the room in each message. For each of its rooms the server opens a connection to
//! `/_ws/{room}` within the process, with the credentials of the client's first request, so that roles,
//! limits and messages are the same.
//!
//! | file | contents |
//! |---|---|
//! | `mod` | the requests: long polling, and the upgrade to a WebSocket |
//! | `payload` | packets of engine.io in bodies |
//! | `packet` | what a packet of the client says, and packets for it |
//! | `session` | [`Session`]: a client, whichever transport it uses |
//! | `room_link` | the connection of a session to a room |
//! | `session_home` | the server that has a session, to which the others pass its requests on |
//!
//! The protocols are engine.io 2 and 3 and socket.io 2 (its clients 1.x and 2.x); binary messages and
//! JSONP are missing.

mod packet;
mod payload;
mod room_link;
mod session;
mod session_home;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use super::accept::CountedConnection;
use super::app::App;
use super::extractors::StrictQuery;
use super::owner_relay::{self, Relayed};
use super::session_socket::next;
use super::session_upgrade::accept_upgrade;
use super::socket::Socket;
use super::{origins, request_body};
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::websocket::message_reader::{Incoming, MessageReader};
use crate::websocket::outgoing_frame::OutFrame;

pub use session::SocketIo;
use session::{Opening, Session};

/// Time limit for a client to take what is written.
const WRITE_MAX: Duration = Duration::from_secs(limits::WRITE_SECONDS_MAX);

/// The query of all requests. Clients add members of their own.
#[derive(Deserialize)]
pub struct TransportQuery {
    /// Version of engine.io.
    #[serde(default, rename = "EIO")]
    version: Option<u8>,
    #[serde(default)]
    transport: String,
    /// The session; none in its first request.
    sid: Option<String>,
    /// The client takes texts only.
    b64: Option<String>,
}

impl TransportQuery {
    /// Clients of the first version know payloads as bytes only when they can read bytes.
    fn takes_bytes(&self) -> bool {
        self.b64.is_none() && self.version.is_none_or(|version| version < 3)
    }
}

/// `GET`: opens a session, waits for packets, or upgrades to a WebSocket.
pub async fn receive(
    State(app): State<App>,
    StrictQuery(query): StrictQuery<TransportQuery>,
    Extension(connection): Extension<CountedConnection>,
    mut request: Request,
) -> Response {
    let known = match &query.sid {
        Some(sid) => match app.socket_io.find(sid) {
            Some(session) => Some(session),
            None => return elsewhere(&app, sid, request).await,
        },
        None if !origins::is_allowed(request.headers(), &app.settings.origins) => {
            return origins::bad_origin().into_response();
        }
        None => None,
    };
    match (query.transport.as_str(), known) {
        ("polling", Some(session)) => {
            let packets = session.poll().await;
            packets_response(&query, &packets)
        }
        ("polling", None) => match open(&app, &request, connection, true) {
            Ok(session) => packets_response(&query, &session.take()),
            Err(error) => error.into_response(),
        },
        ("websocket", known) => {
            let (response, upgraded) = match accept_upgrade(&app, &mut request) {
                Ok(accepted) => accepted,
                Err(error) => return error.into_response(),
            };
            let is_new = known.is_none();
            let session = match known.map_or_else(|| open(&app, &request, connection, false), Ok) {
                Ok(session) => session,
                Err(error) => return error.into_response(),
            };
            tokio::spawn(async move {
                // Fails when the client disconnected before it received the response.
                if let Ok(upgraded) = upgraded.await {
                    let (stream, unread) = Socket::of_upgraded(upgraded);
                    let mut reader = MessageReader::new(limits::ETHERCALC_MESSAGE_BYTES_MAX).with_text();
                    reader.push(&unread);
                    converse(&stream, &mut reader, &session, is_new).await;
                } else if is_new {
                    session.end();
                }
            });
            response
        }
        _ => refused(0, "Transport unknown"),
    }
}

fn open(
    app: &App,
    request: &Request,
    connection: CountedConnection,
    can_upgrade: bool,
) -> Result<Arc<Session>, ApiError> {
    if *app.stop.borrow() {
        return Err(ApiError::new(ErrorCode::Draining, "the server is stopping"));
    }
    let (bytes_max, stop) = (app.settings.outbox_bytes_max, app.stop.clone());
    let key = app.access.assertions().ethercalc_key.clone();
    // The other servers have to find it.
    let home = app.rooms.is_shared().then(|| (*app.access.key(), Arc::clone(&app.relay.own_url)));
    app.socket_io.open(Opening { request, connection, key, can_upgrade, bytes_max, stop, home })
}

/// `POST`: packets of a client that polls.
pub async fn send(
    State(app): State<App>,
    StrictQuery(query): StrictQuery<TransportQuery>,
    request: Request,
) -> Response {
    let sid = query.sid.as_deref().unwrap_or_default();
    let Some(session) = app.socket_io.find(sid) else { return elsewhere(&app, sid, request).await };
    let (Parts { headers, .. }, body) = request.into_parts();
    let body = match request_body::read(&headers, body, limits::ETHERCALC_MESSAGE_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return error.into_response(),
    };
    let is_bytes = headers.get(header::CONTENT_TYPE).is_some_and(|given| given == "application/octet-stream");
    let Some(packets) = payload::decode(&body, is_bytes) else { return refused(3, "Bad request") };
    for packet in packets {
        session.received(&packet).await;
    }
    ([(header::CONTENT_TYPE, "text/html")], "ok").into_response()
}

/// Passes a request on to the server that has its session.
async fn elsewhere(app: &App, sid: &str, request: Request) -> Response {
    let may_be_elsewhere = app.rooms.is_shared() && request.extensions().get::<Relayed>().is_none();
    let home = session_home::home_of(app.access.key(), sid).filter(|_| may_be_elsewhere);
    if let Some(url) = home.filter(|url| **url != *app.relay.own_url)
        && let Some(response) = owner_relay::pass_on(app, url, request).await
    {
        return response;
    }
    refused(1, "Session ID unknown")
}

/// Packets in the form that the client takes.
fn packets_response(query: &TransportQuery, packets: &[String]) -> Response {
    let mut response = match query.takes_bytes() {
        true => {
            let body = payload::encode_bytes(packets);
            ([(header::CONTENT_TYPE, "application/octet-stream")], body).into_response()
        }
        false => {
            let body = payload::encode_text(packets);
            ([(header::CONTENT_TYPE, "text/plain; charset=UTF-8")], body).into_response()
        }
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// An error in engine.io's form; its clients connect again after an unknown session.
fn refused(code: u8, message: &str) -> Response {
    (StatusCode::BAD_REQUEST, axum::Json(json!({ "code": code, "message": message }))).into_response()
}

/// Runs a WebSocket to its end. One of a session that polls takes over when the client says so.
async fn converse(stream: &Socket, reader: &mut MessageReader, session: &Arc<Session>, is_new: bool) {
    let mut is_active = is_new;
    loop {
        tokio::select! {
            () = session.changed(), if is_active => {
                for packet in session.take() {
                    if write(stream, &OutFrame::text(&packet)).await.is_err() {
                        return session.end();
                    }
                }
                if session.is_ended() {
                    break;
                }
            }
            incoming = next(stream, reader) => match incoming {
                Ok(Incoming::Message(bytes)) => {
                    let text = String::from_utf8_lossy(&bytes);
                    match (is_active, &*text) {
                        (false, "2probe") => {
                            session.release_poll();
                            if write(stream, &OutFrame::text("3probe")).await.is_err() {
                                return;
                            }
                        }
                        (false, "5") => {
                            is_active = true;
                            session.wake();
                        }
                        (false, _) => return,
                        (true, _) => session.received(&packet::decoded_text(&text)).await,
                    }
                }
                Ok(Incoming::Ping(payload)) => {
                    if write(stream, &OutFrame::pong(&payload)).await.is_err() {
                        break;
                    }
                }
                Ok(Incoming::Pong(_)) => {}
                Ok(Incoming::Close) | Err(_) => break,
            }
        }
    }
    if is_active {
        session.end();
    }
    // Fails when the client has gone.
    let _ = write(stream, &OutFrame::close(1000, "")).await;
}

async fn write(stream: &Socket, frame: &OutFrame) -> std::io::Result<()> {
    let bytes = frame.rest(0).concat();
    let more = Duration::from_secs((bytes.len() / limits::READER_BYTES_PER_SECOND_MIN) as u64);
    let written = timeout(WRITE_MAX + more, stream.write_all(&bytes)).await;
    written.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()))
}
