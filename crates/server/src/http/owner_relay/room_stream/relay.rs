//! The relay's end of the streams.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::HeaderValue;
use bytes::Bytes;
use quadrille_journal::PeerId;
use quadrille_protocol::RoomName;
use tokio::sync::{Mutex as AsyncMutex, Notify, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};

use super::connection::{self, send};
use super::message::{Kind, Message, SessionNumber, message, shared_frame};
use super::relay_session::RelaySession;
use super::traced_broadcasts::TracedBroadcasts;
use crate::http::socket::Socket;
use crate::metrics::Metrics;
use crate::rooms::{Fanout, SocketOutbox};

/// Clients to which a round of broadcasts is written before other tasks get a turn.
const SESSIONS_PER_SLICE: usize = 256;
/// A round that takes longer is followed by a pause of the same length, in which broadcasts gather that are then
/// written together.
const ROUND_WITHOUT_PAUSE: Duration = Duration::from_millis(2);
/// A longer pause would be visible.
const PAUSE_MAX: Duration = Duration::from_millis(50);

/// The server that runs a room.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StreamKey {
    pub peer: PeerId,
    pub room: RoomName,
}

/// The streams of rooms at other servers. Clones share them.
#[derive(Clone, Default)]
pub struct RelayStreams {
    streams: Arc<Mutex<HashMap<StreamKey, Arc<Slot>>>>,
}

/// The stream of a room, locked while it is being opened.
#[derive(Default)]
struct Slot {
    stream: AsyncMutex<Option<Arc<RelayStream>>>,
}

/// One stream.
pub struct RelayStream {
    /// Under which the owner knows it.
    name: String,
    room: RoomName,
    outbox: Arc<SocketOutbox>,
    broadcasts: Arc<Fanout>,
    sessions: Mutex<Sessions>,
    /// Wakes the stream's task when there are no sessions any more.
    emptied: Notify,
    /// Becomes `true` at the end of the stream.
    cut: watch::Sender<bool>,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct Sessions {
    /// `None` for those whose client has not been answered.
    by_number: HashMap<SessionNumber, Option<Arc<RelaySession>>>,
    last_number: SessionNumber,
    is_ended: bool,
}

/// A connection to the owner that has become a stream.
pub struct Connected {
    pub name: String,
    pub socket: Socket,
    pub unread: Bytes,
}

impl RelayStreams {
    /// Reserves a session in the stream of a room, which `connect` opens if there is none. The stream ends with
    /// its last session, and with `departure`. Of its broadcasts, `fanout_bytes_max` bytes are kept for slow
    /// clients.
    ///
    /// # Errors
    ///
    /// Fails when `connect` does.
    pub async fn reserve<E>(
        &self,
        key: StreamKey,
        fanout_bytes_max: usize,
        metrics: &Arc<Metrics>,
        connect: impl Future<Output = Result<Connected, E>>,
        departure: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Reservation, E> {
        let slot = Arc::clone(self.lock().entry(key.clone()).or_default());
        let mut known = slot.stream.lock().await;
        if let Some(reservation) = known.as_ref().and_then(|stream| stream.reserve()) {
            return Ok(reservation);
        }
        *known = None;
        let Connected { name, socket, unread } = match connect.await {
            Ok(connected) => connected,
            Err(error) => {
                drop(known);
                self.forget(&key, &slot);
                return Err(error);
            }
        };
        let socket = Arc::new(socket);
        let stream = Arc::new(RelayStream {
            name,
            room: key.room.clone(),
            outbox: SocketOutbox::of_stream(
                Arc::clone(&socket) as _,
                |shared| shared.frame.clone(),
                metrics.bytes_sent.clone(),
            ),
            broadcasts: Arc::new(Fanout::new(fanout_bytes_max)),
            sessions: Mutex::default(),
            emptied: Notify::new(),
            cut: watch::Sender::new(false),
            metrics: Arc::clone(metrics),
        });
        let reservation = stream.reserve().expect("a new stream");
        *known = Some(Arc::clone(&stream));
        drop(known);
        let streams = self.clone();
        tokio::spawn(async move {
            stream.run(&socket, &unread, departure).await;
            streams.forget(&key, &slot);
        });
        Ok(reservation)
    }

    /// Forgets a stream that has ended, unless another one has taken its place.
    fn forget(&self, key: &StreamKey, slot: &Arc<Slot>) {
        let mut streams = self.lock();
        let is_ended = |known: Option<&Arc<RelayStream>>| known.is_none_or(|known| known.lock().is_ended);
        // Who holds the lock opens another stream.
        let is_unused = slot.stream.try_lock().is_ok_and(|known| is_ended(known.as_ref()));
        if is_unused && streams.get(key).is_some_and(|known| Arc::ptr_eq(known, slot)) {
            streams.remove(key);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<StreamKey, Arc<Slot>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RelayStream {
    /// Reserves the number of a session; `None` at the end of the stream.
    fn reserve(self: &Arc<RelayStream>) -> Option<Reservation> {
        let mut sessions = self.lock();
        if sessions.is_ended {
            return None;
        }
        sessions.last_number = sessions.last_number.wrapping_add(1);
        let number = sessions.last_number;
        sessions.by_number.insert(number, None);
        Some(Reservation { stream: Arc::clone(self), number })
    }

    /// Runs until the connection ends, the owner has left or there are no sessions any more.
    async fn run(&self, socket: &Socket, unread: &[u8], departure: impl Future<Output = ()>) {
        self.metrics.room_streams.inc();
        let ping = || send(&self.outbox, message(Kind::Ping, 0, 0));
        let received = |messages| self.receive(messages);
        let reason = tokio::select! {
            reason = connection::run(socket, &self.outbox, unread, received, ping) => reason,
            () = departure => "the server has left".to_owned(),
            () = self.unused() => "there are no sessions".to_owned(),
        };
        tracing::debug!(reason, "the stream to the server that runs a room has ended");
        self.metrics.room_streams.dec();
        self.lock().is_ended = true;
        self.outbox.cut();
        self.cut.send_replace(true);
    }

    /// Waits until there are no sessions. None is added after that.
    async fn unused(&self) {
        loop {
            self.emptied.notified().await;
            let mut sessions = self.lock();
            if sessions.by_number.is_empty() {
                sessions.is_ended = true;
                return;
            }
        }
    }

    /// Handles messages that have arrived together: passes broadcasts on to all sessions, and others to theirs.
    async fn receive(&self, messages: Vec<Message>) {
        let mut is_for_all = false;
        let mut traced = TracedBroadcasts::default();
        let mut addressed = Vec::new();
        for message in messages {
            match message.kind {
                Kind::Broadcast => {
                    traced.add(&message.payload);
                    self.broadcasts.push(shared_frame(&message));
                    is_for_all = true;
                }
                Kind::Pong => {}
                _ => {
                    let session = self.lock().by_number.get(&message.session).cloned().flatten();
                    if let Some(session) = session {
                        session.receive(&message);
                        addressed.push(session);
                    }
                }
            }
        }
        if !is_for_all {
            addressed.iter().for_each(|session| _ = session.flush());
            return;
        }
        let began = Instant::now();
        let sessions: Vec<_> = self.lock().by_number.values().flatten().cloned().collect();
        let mut is_all = true;
        for slice in sessions.chunks(SESSIONS_PER_SLICE) {
            is_all = slice.iter().fold(is_all, |is_all, session| session.flush() && is_all);
            if sessions.len() > SESSIONS_PER_SLICE {
                yield_now().await;
            }
        }
        if is_all {
            self.broadcasts.clear();
        }
        traced.written(&self.room);
        let took = began.elapsed();
        if took > ROUND_WITHOUT_PAUSE {
            sleep(took.min(PAUSE_MAX)).await;
        }
    }

    fn remove(&self, number: SessionNumber) {
        let mut sessions = self.lock();
        sessions.by_number.remove(&number);
        if sessions.by_number.is_empty() {
            self.emptied.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Sessions> {
        // No code under this lock panics.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session of a stream, until it is dropped.
pub struct Reservation {
    stream: Arc<RelayStream>,
    number: SessionNumber,
}

impl Reservation {
    /// Returns the value of [`ROOM_STREAM`](super::ROOM_STREAM) in the request for the session.
    pub fn header(&self) -> HeaderValue {
        let value = format!("{} {}", self.stream.name, self.number);
        HeaderValue::from_str(&value).expect("the name was a header's value")
    }

    /// Runs the session on the socket of the client until it ends. `unread` are bytes that the client has sent
    /// after its request.
    pub async fn run(self, socket: Socket, unread: &[u8], stop: watch::Receiver<bool>) {
        let stream = &self.stream;
        let (owner, broadcasts) = (Arc::clone(&stream.outbox), Arc::clone(&stream.broadcasts));
        let session =
            RelaySession::new(self.number, owner, socket, broadcasts, stream.metrics.bytes_sent.clone());
        let session = Arc::new(session);
        if let Some(reserved) = stream.lock().by_number.get_mut(&self.number) {
            *reserved = Some(Arc::clone(&session));
        }
        session.run(unread, stream.cut.subscribe(), stop).await;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // Also for a session whose client has left before it was answered.
        send(&self.stream.outbox, message(Kind::Disconnected, self.number, 0));
        self.stream.remove(self.number);
    }
}
