//! The connection of a session to a room: `/_ws/{room}` of this server, within the process.

use std::collections::VecDeque;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use futures_util::{SinkExt, StreamExt};
use quadrille_socialcalc::is_form_data_room;
use serde_json::{Value as Json, json};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::access::Tenant;
use crate::http::accept::{self, CountedConnection};
use crate::http::socket::socket_pair;
use crate::room_name::percent_encoded;

/// By what a client is recognised: its first request, whose headers are sent with each connection.
#[derive(Clone)]
pub struct Credentials {
    headers: HeaderMap,
    tenant: Option<Tenant>,
    connection: CountedConnection,
    stop: watch::Receiver<bool>,
}

impl Credentials {
    /// Those of a request.
    pub fn of(request: &Request, connection: CountedConnection, stop: watch::Receiver<bool>) -> Credentials {
        let mut headers = request.headers().clone();
        // These are about the transport of that request.
        let transport = [
            header::CONNECTION,
            header::UPGRADE,
            header::SEC_WEBSOCKET_KEY,
            header::SEC_WEBSOCKET_VERSION,
            header::SEC_WEBSOCKET_EXTENSIONS,
            header::SEC_WEBSOCKET_PROTOCOL,
            header::CONTENT_LENGTH,
            header::CONTENT_TYPE,
            header::TRANSFER_ENCODING,
        ];
        for name in transport {
            headers.remove(name);
        }
        Credentials { headers, tenant: request.extensions().get().cloned(), connection, stop }
    }
}

/// What a session sends to its connection to a room.
pub enum LinkMessage {
    /// A message of the client.
    Message(String),
    /// Asks to be told when the room has handled the messages before this one. The sender is dropped when
    /// the connection ends.
    Barrier(oneshot::Sender<()>),
}

/// Where a connection leads, and as whom.
pub struct Address {
    pub room: String,
    pub user: String,
    /// EtherCalc's authorization; empty without one.
    pub auth: String,
}

/// Passes messages of the client on, and gives `push` those for it, until the session or the connection
/// ends.
pub async fn run(
    push: impl Fn(&str) + Send + Sync,
    router: Router,
    credentials: Credentials,
    address: Address,
    mut messages: mpsc::Receiver<LinkMessage>,
) {
    let mut socket = match connect(router, credentials, &address).await {
        Ok(socket) => socket,
        Err(error) => {
            tracing::debug!(%error, "no connection for a client of socket.io");
            let message = json!({
                "type": "error", "room": address.room, "message": "the room cannot be opened",
            });
            return push(&message.to_string());
        }
    };
    // The room answers a ping when it has handled what was sent before.
    let mut barriers = VecDeque::new();
    loop {
        tokio::select! {
            message = messages.recv() => {
                let message = match message {
                    Some(LinkMessage::Message(message)) => Message::text(message),
                    Some(LinkMessage::Barrier(barrier)) => {
                        barriers.push_back(barrier);
                        Message::Ping(Bytes::new())
                    }
                    None => break,
                };
                if socket.send(message).await.is_err() {
                    break;
                }
            }
            incoming = socket.next() => match incoming {
                Some(Ok(Message::Text(text))) => {
                    push(&text);
                    if let Some(snapshot) = snapshot_after_log(&text, &address.room) {
                        push(&snapshot);
                    }
                }
                Some(Ok(Message::Pong(_))) => {
                    if let Some(barrier) = barriers.pop_front() {
                        // Fails when the session no longer waits.
                        let _ = barrier.send(());
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                // Pings are answered by the next read.
                Some(Ok(_)) => {}
            },
        }
    }
    // Fails when the other end has closed.
    let _ = socket.close(None).await;
}

/// The snapshot that follows an answer to `ask.log` in `room`.
///
/// EtherCalc's page asks for the log when it has connected again, but ignores it if it has shown the
/// sheet before. It takes a snapshot at any time. Nothing tells the first question of a page from a
/// later one: each connection is a new session, also after a restart of the server. The page reads
/// rooms with the answers to forms by their `log` alone.
fn snapshot_after_log(text: &str, room: &str) -> Option<String> {
    if is_form_data_room(room) || !text.contains(r#""type":"log""#) {
        return None;
    }
    let log: Json = serde_json::from_str(text).ok()?;
    let save = log["snapshot"].as_str()?;
    (log["type"] == "log" && log["room"] == room)
        .then(|| json!({ "type": "snapshot", "room": room, "snapshot": save }).to_string())
}

async fn connect(
    router: Router,
    credentials: Credentials,
    address: &Address,
) -> Result<WebSocketStream<TcpStream>, SocketError> {
    let Credentials { headers, tenant, connection, stop } = credentials;
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let encoded = |text: &str| percent_encoded(text);
    let auth = match address.auth.is_empty() {
        true => String::new(),
        false => format!("&auth={}", encoded(&address.auth)),
    };
    let (room, user) = (encoded(&address.room), encoded(&address.user));
    let mut request = format!("ws://{host}/_ws/{room}?user={user}{auth}").into_client_request()?;
    for (name, value) in &headers {
        if *name != header::HOST {
            request.headers_mut().append(name, value.clone());
        }
    }
    let (client_end, server_end) = socket_pair().await?;
    let router = match tenant {
        Some(tenant) => router.layer(axum::Extension(tenant)),
        None => router,
    };
    tokio::spawn(accept::connection(server_end, router, connection, stop));
    client_async(request, client_end).await.map(|(socket, _)| socket)
}
