//! One writer and many readers of a room, at one server or at several.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use quadrille_protocol::{ClientFrame, Hello, PROTOCOL_VERSION, ServerFrame};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

use super::figures::quantile;
use super::person::Person;
use super::servers::Servers;
use crate::setting::Outcome;

/// Time to connect all readers, and for the last delivery.
const WAIT_MAX: Duration = Duration::from_secs(120);
/// Readers that connect at once: more would wait in the queue of the listening socket.
const CONNECTING_MAX: usize = 64;

/// Who reads, and how much is written at the first server, which runs the room.
pub struct Load<'a> {
    /// The readers are spread over these servers.
    pub readers_at: &'a [usize],
    pub readers: usize,
    pub writes: usize,
    /// Between two writes.
    pub period: Duration,
}

/// What one run has shown.
pub struct Run {
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// Of all servers.
    pub microseconds_per_delivery: f64,
    /// Of the server that runs the room.
    pub owner_microseconds_per_delivery: f64,
}

/// The arrivals at all readers.
#[derive(Default)]
struct Arrivals {
    /// When each revision was written.
    written: Vec<Instant>,
    delays_ms: Vec<f64>,
}

/// Writes at the first server, which runs the room, with the readers at these servers.
pub async fn deliver(servers: &Servers<'_>, room: &str, load: &Load<'_>) -> Outcome<Run> {
    let mut writer = Person::join(servers.address(0), room, 1).await?;
    // The room exists from here on.
    writer.type_text("A1", "0").await?;
    while writer.replica.unconfirmed() > 0 {
        writer.receive().await?;
    }
    let base = writer.replica.revision().0;
    let last = base + load.writes as u64;
    let arrivals = Rc::new(RefCell::new(Arrivals::default()));
    let (ready, mut are_ready) = watch::channel(0);
    let ready = Rc::new(ready);
    let connecting = Rc::new(Semaphore::new(CONNECTING_MAX));
    let readers: Vec<_> = (0..load.readers)
        .map(|number| {
            let address = servers.address(load.readers_at[number % load.readers_at.len()]);
            let (room, arrivals, ready) = (room.to_owned(), arrivals.clone(), ready.clone());
            let connecting = connecting.clone();
            tokio::task::spawn_local(async move {
                let permit = connecting.acquire().await.map_err(|error| error.to_string())?;
                let reader = Reader { base, last, arrivals, ready };
                let socket = join(address, &room).await?;
                reader.read(socket, permit).await
            })
        })
        .collect();
    let all_ready = timeout(WAIT_MAX, are_ready.wait_for(|count| *count == load.readers)).await;
    all_ready.map_err(|_| "not all readers have joined")?.map_err(|error| error.to_string())?;
    for server in 0..servers.count() {
        let at = load.readers_at.iter().filter(|at| **at == server && server != 0).count();
        let expected = (load.readers / load.readers_at.len() * at) as f64;
        let relayed = servers.relayed_sessions(server);
        if relayed != expected {
            return Err(format!("{relayed} sessions are relayed, not {expected}"));
        }
    }
    let busy_before = [servers.processor_seconds()?, servers.processor_seconds_of(0)?];
    let mut ticks = tokio::time::interval(load.period);
    for number in 0..load.writes {
        ticks.tick().await;
        arrivals.borrow_mut().written.push(Instant::now());
        writer.type_text("A1", &(number + 1).to_string()).await?;
        while writer.replica.unconfirmed() > 0 {
            writer.receive().await?;
        }
    }
    for reader in readers {
        timeout(WAIT_MAX, reader)
            .await
            .map_err(|_| "a delivery is missing")?
            .map_err(|error| error.to_string())??;
    }
    let busy = servers.processor_seconds()? - busy_before[0];
    let owner_busy = servers.processor_seconds_of(0)? - busy_before[1];
    let delays_ms = arrivals.take().delays_ms;
    let per_delivery = |seconds: f64| seconds * 1e6 / delays_ms.len() as f64;
    Ok(Run {
        p50_ms: quantile(&delays_ms, 0.5),
        p99_ms: quantile(&delays_ms, 0.99),
        microseconds_per_delivery: per_delivery(busy),
        owner_microseconds_per_delivery: per_delivery(owner_busy),
    })
}

type Socket = tokio_tungstenite::WebSocketStream<TcpStream>;

/// Joins a room without a replica.
async fn join(address: SocketAddr, room: &str) -> Outcome<Socket> {
    let stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
    let url = format!("ws://{address}/api/v1/rooms/{room}/socket");
    let (mut socket, _) = client_async(url, stream).await.map_err(|error| error.to_string())?;
    let hello = Hello {
        version: PROTOCOL_VERSION,
        replica: None,
        last: None,
        unconfirmed: 0,
        name: "reader".into(),
        color: None,
        secret: None,
    };
    let hello = Message::Binary(ClientFrame::Hello(hello).encode().into());
    socket.send(hello).await.map_err(|error| error.to_string())?;
    Ok(socket)
}

/// A reader of all revisions between two.
struct Reader {
    base: u64,
    last: u64,
    arrivals: Rc<RefCell<Arrivals>>,
    ready: Rc<watch::Sender<usize>>,
}

impl Reader {
    /// Reads until the last revision has arrived. The permit is returned when the reader has joined.
    async fn read(self, mut socket: Socket, permit: tokio::sync::SemaphorePermit<'_>) -> Outcome<()> {
        let mut permit = Some(permit);
        let mut revision = 0;
        while revision < self.last {
            let message =
                socket.next().await.ok_or("the server went away")?.map_err(|error| error.to_string())?;
            let Message::Binary(bytes) = message else {
                if let Message::Close(frame) = message {
                    return Err(format!("the server closed: {frame:?}"));
                }
                continue;
            };
            match ServerFrame::decode(&bytes).map_err(|error| error.to_string())? {
                ServerFrame::Snapshot { revision: of, part, parts, .. } if part + 1 == parts => {
                    revision = of.0;
                }
                ServerFrame::Records { records } => {
                    let mut arrivals = self.arrivals.borrow_mut();
                    for _ in records {
                        revision += 1;
                        let Some(number) = revision.checked_sub(self.base + 1) else { continue };
                        let written = arrivals.written.get(number as usize).copied();
                        let delay = written.ok_or("a record that nobody has written")?.elapsed();
                        arrivals.delays_ms.push(delay.as_secs_f64() * 1e3);
                    }
                }
                _ => {}
            }
            if revision >= self.base && permit.take().is_some() {
                self.ready.send_modify(|count| *count += 1);
            }
        }
        Ok(())
    }
}
