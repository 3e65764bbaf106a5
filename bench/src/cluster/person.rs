//! [`Person`]: a replica that survives its connections, and connects again as the web client does.

use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::{SinkExt, StreamExt};
use quadrille_operation::Command;
use quadrille_replica::{Effect, Event, Replica, Status, Timestamp};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::setting::Outcome;

/// The delay before the first attempt to connect again, and the longest one (`backoff.ts`).
const RETRY_FIRST_MS: f64 = 250.0;
const RETRY_LONGEST_MS: f64 = 8_000.0;
/// A connection that has been open for this long resets the delays (`connection.ts`).
const STABLE: Duration = Duration::from_secs(5);
/// An attempt that takes longer has failed.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// Servers that a proxy tries for one attempt.
const SERVERS_TRIED: usize = 3;

pub struct Person {
    pub replica: Replica,
    room: String,
    socket: Option<WebSocketStream<TcpStream>>,
    connected_at: Instant,
    attempt: i32,
    random: u64,
    /// Connections that were lost or closed.
    pub losses: u64,
}

impl Person {
    /// Joins a room and waits for its document.
    pub async fn join(address: SocketAddr, room: &str, number: u64) -> Outcome<Person> {
        let mut person = Person {
            replica: Replica::new(format!("person {number}").into(), None, number + 1),
            room: room.to_owned(),
            socket: None,
            connected_at: Instant::now(),
            attempt: 0,
            random: number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            losses: 0,
        };
        if !person.connect(address).await {
            return Err(format!("{address}: {room}: no session"));
        }
        Ok(person)
    }

    /// Types into a cell of the first sheet.
    pub async fn type_text(&mut self, cell: &str, text: &str) -> Outcome<()> {
        let sheet = self.replica.document().workbook().sheets()[0].id().0;
        self.handle(Event::Command(Command::TypeText { sheet, cell: cell.into(), text: text.into() })).await
    }

    pub fn is_connected(&self) -> bool {
        self.socket.is_some()
    }

    /// Receives one frame and handles it; notices the end of the connection.
    pub async fn receive(&mut self) -> Outcome<()> {
        let Some(socket) = &mut self.socket else { return Ok(()) };
        match socket.next().await {
            Some(Ok(Message::Binary(frame))) => self.handle(Event::Frame(&frame)).await,
            Some(Ok(Message::Close(frame))) => self.lose(frame.map(|frame| frame.code.into())).await,
            Some(Ok(_)) => Ok(()),
            Some(Err(_)) | None => self.lose(None).await,
        }
    }

    /// Connects again, with the delays of the web client. `next` gives the address of the server that a proxy
    /// chooses; like a proxy, an attempt takes the next one while a server refuses connections.
    pub async fn reconnect(&mut self, mut next: impl FnMut() -> SocketAddr) {
        while self.socket.is_none() {
            let whole = (RETRY_FIRST_MS * 2f64.powi(self.attempt)).min(RETRY_LONGEST_MS);
            let delay_ms = whole / 2.0 + whole / 2.0 * self.random_share();
            self.attempt += 1;
            tokio::time::sleep(Duration::from_secs_f64(delay_ms / 1e3)).await;
            for _ in 0..SERVERS_TRIED {
                let address = next();
                if TcpStream::connect(address).await.is_ok() {
                    _ = self.connect(address).await;
                    break;
                }
            }
        }
    }

    /// From 0 to 1: a linear congruential generator (Knuth, MMIX).
    fn random_share(&mut self) -> f64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Connects and waits until the replica is synchronised. Returns whether it is.
    async fn connect(&mut self, address: SocketAddr) -> bool {
        let connected = timeout(CONNECT_MAX, async {
            let socket = open(address, &self.room).await?;
            self.socket = Some(socket);
            self.connected_at = Instant::now();
            self.handle(Event::Connected).await?;
            while self.socket.is_some() && !is_synchronised(&self.replica) {
                self.receive().await?;
            }
            Ok::<(), String>(())
        });
        let is_connected = matches!(connected.await, Ok(Ok(()))) && self.socket.is_some();
        if !is_connected && self.socket.take().is_some() {
            _ = self.handle(Event::Disconnected { code: None }).await;
        }
        is_connected
    }

    async fn lose(&mut self, code: Option<u16>) -> Outcome<()> {
        self.socket = None;
        self.losses += 1;
        if self.connected_at.elapsed() > STABLE {
            self.attempt = 0;
        }
        self.handle(Event::Disconnected { code }).await
    }

    async fn handle(&mut self, event: Event<'_>) -> Outcome<()> {
        for effect in self.replica.handle(now(), event) {
            match effect {
                Effect::Send(frame) => {
                    // The end of a connection is noticed by the next read.
                    if let Some(socket) = &mut self.socket {
                        _ = socket.send(Message::Binary(frame.into())).await;
                    }
                }
                Effect::Problem(problem) => return Err(format!("refused: {problem:?}")),
                Effect::Close { .. } => self.socket = None,
                Effect::Status(_) | Effect::People => {}
            }
        }
        Ok(())
    }
}

fn is_synchronised(replica: &Replica) -> bool {
    matches!(replica.status(), Status::Saved | Status::Saving { .. })
}

async fn open(address: SocketAddr, room: &str) -> Outcome<WebSocketStream<TcpStream>> {
    let stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    let url = format!("ws://{address}/api/v1/rooms/{room}/socket");
    client_async(url, stream).await.map(|(socket, _)| socket).map_err(|error| error.to_string())
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp { unix_ms: since.as_millis() as i64 }
}
