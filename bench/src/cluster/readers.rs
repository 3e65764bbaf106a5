//! Readers of a room in this process: they note when each revision arrives.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::{SinkExt, StreamExt};
use quadrille_protocol::{ClientFrame, Hello, PROTOCOL_VERSION, ServerFrame};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

use crate::setting::Outcome;

/// Readers that connect at once: more would wait in the queue of the listening socket.
const CONNECTING_MAX: usize = 64;

/// The number of a write, from 0, and when it has arrived ([`now_us`]).
pub type Arrival = (usize, u64);

/// The revision before the first write, and that of the last one.
#[derive(Clone, Copy)]
pub struct Revisions {
    pub base: u64,
    pub last: u64,
}

/// Microseconds since 1970, for times that processes compare.
pub fn now_us() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64
}

/// Readers that have been started.
pub struct Readers {
    tasks: Vec<JoinHandle<Outcome<()>>>,
    joined: watch::Receiver<usize>,
    arrivals: Rc<RefCell<Vec<Arrival>>>,
}

impl Readers {
    /// Starts readers, which are spread over the servers. Within a `LocalSet`.
    pub fn start(servers: &[SocketAddr], room: &str, revisions: Revisions, count: usize) -> Readers {
        let arrivals = Rc::new(RefCell::new(Vec::new()));
        let (sender, joined) = watch::channel(0);
        let sender = Rc::new(sender);
        let connecting = Rc::new(Semaphore::new(CONNECTING_MAX));
        let tasks = (0..count).map(|number| {
            let (address, room) = (servers[number % servers.len()], room.to_owned());
            let reader = Reader { revisions, arrivals: arrivals.clone(), joined: sender.clone() };
            let connecting = connecting.clone();
            tokio::task::spawn_local(async move {
                let permit = connecting.acquire().await.map_err(|error| error.to_string())?;
                let socket = join(address, &room).await?;
                reader.read(socket, permit).await
            })
        });
        Readers { tasks: tasks.collect(), joined, arrivals }
    }

    /// Waits until all have joined.
    pub async fn joined(&mut self) -> Outcome<()> {
        let count = self.tasks.len();
        let all = self.joined.wait_for(|joined| *joined == count).await;
        all.map(|_| ()).map_err(|error| error.to_string())
    }

    /// Waits for the last revision at all readers, and returns all arrivals.
    pub async fn arrivals(self) -> Outcome<Vec<Arrival>> {
        for task in self.tasks {
            task.await.map_err(|error| error.to_string())??;
        }
        Ok(self.arrivals.take())
    }
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
    revisions: Revisions,
    arrivals: Rc<RefCell<Vec<Arrival>>>,
    joined: Rc<watch::Sender<usize>>,
}

impl Reader {
    /// Reads until the last revision has arrived. The permit is returned when the reader has joined.
    async fn read(self, mut socket: Socket, permit: tokio::sync::SemaphorePermit<'_>) -> Outcome<()> {
        let mut permit = Some(permit);
        let mut revision = 0;
        while revision < self.revisions.last {
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
                    let now = now_us();
                    for _ in records {
                        revision += 1;
                        if let Some(write) = revision.checked_sub(self.revisions.base + 1) {
                            self.arrivals.borrow_mut().push((write as usize, now));
                        }
                    }
                }
                _ => {}
            }
            if revision >= self.revisions.base && permit.take().is_some() {
                self.joined.send_modify(|count| *count += 1);
            }
        }
        Ok(())
    }
}
