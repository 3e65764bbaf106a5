//! [`Client`]: a replica connected to the server by a WebSocket, like the web client without a browser.

use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::{SinkExt, StreamExt};
use quadrille_replica::{Effect, Event, Replica, Status, Timestamp};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::setting::Outcome;

/// A connected replica.
pub struct Client {
    pub replica: Replica,
    socket: WebSocketStream<TcpStream>,
}

impl Client {
    /// Joins a room and waits for its document. `number` makes the replica's seed unique.
    pub async fn join(address: SocketAddr, room: &str, number: u64) -> Outcome<Client> {
        Client::join_with(address, room, number, None).await
    }

    /// Like [`join`](Client::join), with an owner key or a share link.
    pub async fn join_with(
        address: SocketAddr,
        room: &str,
        number: u64,
        credential: Option<&str>,
    ) -> Outcome<Client> {
        let stream = TcpStream::connect(address).await.map_err(|error| format!("connect: {error}"))?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        let url = format!("ws://{address}/api/v1/rooms/{room}/socket");
        let mut request = url.into_client_request().map_err(|error| format!("upgrade: {error}"))?;
        if let Some(credential) = credential {
            let protocols = HeaderValue::try_from(format!("quadrille, bearer.{credential}"));
            let protocols = protocols.map_err(|error| format!("upgrade: {error}"))?;
            request.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, protocols);
        }
        let (socket, _response) =
            client_async(request, stream).await.map_err(|error| format!("upgrade: {error}"))?;
        let name = format!("person {number}").into();
        let mut client = Client { replica: Replica::new(name, None, number), socket };
        client.handle(Event::Connected).await?;
        while client.replica.status() == Status::Loading {
            client.receive().await?;
        }
        Ok(client)
    }

    /// Waits for one frame and handles it.
    pub async fn receive(&mut self) -> Outcome<()> {
        match self.socket.next().await {
            Some(Ok(Message::Binary(frame))) => self.handle(Event::Frame(&frame)).await,
            Some(Ok(Message::Close(frame))) => Err(format!("the server closed: {frame:?}")),
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(format!("receive: {error}")),
            None => Err("the server went away".to_owned()),
        }
    }

    /// Handles an event and sends the resulting frames.
    pub async fn handle(&mut self, event: Event<'_>) -> Outcome<()> {
        for effect in self.replica.handle(now(), event) {
            match effect {
                Effect::Send(frame) => {
                    let message = Message::Binary(frame.into());
                    self.socket.send(message).await.map_err(|error| format!("send: {error}"))?;
                }
                Effect::Problem(problem) => return Err(format!("refused: {problem:?}")),
                Effect::Close { .. } => return Err("the replica gave up the session".to_owned()),
                Effect::Status(_) | Effect::People => {}
            }
        }
        Ok(())
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp { unix_ms: since.as_millis() as i64 }
}
