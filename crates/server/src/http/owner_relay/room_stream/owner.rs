//! The owner's end of the streams.

use std::collections::HashMap;
use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::metrics::counter::Counter;
use quadrille_protocol::{Revision, RoomName};
use tokio::sync::futures::Notified;
use tokio::sync::oneshot;

use super::connection::{self, send};
use super::message::{Kind, Message, SessionNumber, broadcast, message};
use super::owner_session::OwnerSession;
use crate::http::socket::{RelayedSocket, Socket};
use crate::rooms::{Outbox, SocketIo, SocketOutbox};
use crate::trace::TraceTime;

/// The streams to servers that relay rooms of this one. Clones share them.
#[derive(Clone, Default)]
pub struct OwnerStreams {
    /// By the name under which the relay opens sessions.
    streams: Arc<Mutex<HashMap<String, Arc<OwnerStream>>>>,
}

/// One stream.
pub struct OwnerStream {
    room: RoomName,
    outbox: Arc<SocketOutbox>,
    /// `None` after the end of the stream.
    sessions: Mutex<Option<HashMap<SessionNumber, OpenedSession>>>,
}

struct OpenedSession {
    session: Arc<OwnerSession>,
    /// Present until the relay says that the client was answered.
    open: Option<oneshot::Sender<()>>,
}

impl OwnerStreams {
    /// Runs a stream until it ends. Sessions open it under this name, which nobody can guess.
    pub async fn run(&self, name: String, room: RoomName, socket: Socket, unread: &[u8], sent: Counter) {
        let socket = Arc::new(socket);
        let outbox = SocketOutbox::of_stream(Arc::clone(&socket) as _, broadcast, sent);
        let sessions = Mutex::new(Some(HashMap::new()));
        let stream = Arc::new(OwnerStream { room, outbox: Arc::clone(&outbox), sessions });
        self.lock().insert(name.clone(), Arc::clone(&stream));
        let received = |messages: Vec<Message>| {
            messages.iter().for_each(|message| stream.receive(message));
            std::future::ready(())
        };
        let reason = connection::run(&socket, &outbox, unread, received, || ()).await;
        tracing::debug!(room = %stream.room, reason, "the stream to a server that relays the room has ended");
        self.lock().remove(&name);
        outbox.cut();
        let sessions = stream.lock().take();
        sessions.into_iter().flatten().for_each(|(_, known)| known.session.disconnected());
    }

    /// Adds a session to a stream. `None` when the stream has ended, or is one of another room.
    pub fn add(
        &self,
        name: &str,
        room: &RoomName,
        number: SessionNumber,
        bytes_max: usize,
    ) -> Option<Unopened> {
        let stream = self.lock().get(name).filter(|stream| stream.room == *room).cloned()?;
        let session = Arc::new(OwnerSession::new(number, Arc::clone(&stream.outbox), bytes_max));
        let (open, opened) = oneshot::channel();
        let opened_session = OpenedSession { session: Arc::clone(&session), open: Some(open) };
        stream.lock().as_mut()?.insert(number, opened_session);
        Some(Unopened { opened, socket: StreamSocket { session, number, stream } })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<OwnerStream>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OwnerStream {
    /// Forgets a session that has ended.
    fn remove(&self, number: SessionNumber) {
        if let Some(sessions) = self.lock().as_mut() {
            sessions.remove(&number);
        }
    }

    fn receive(&self, received: &Message) {
        if received.kind == Kind::Ping {
            return send(&self.outbox, message(Kind::Pong, 0, 0));
        }
        let mut sessions = self.lock();
        let sessions = sessions.as_mut();
        // Of a session that has ended here, messages may still be on the way.
        let Some(known) = sessions.and_then(|sessions| sessions.get_mut(&received.session)) else { return };
        let open = known.open.take_if(|_| received.kind == Kind::Open);
        let session = Arc::clone(&known.session);
        match received.kind {
            Kind::Open => _ = open.map(|open| open.send(())),
            Kind::Bytes if !session.receive(&received.payload, received.value) => {
                tracing::warn!(room = %self.room, "a server that relays the room has sent too much");
                self.outbox.cut();
            }
            Kind::Disconnected => {
                // Before it was opened, this ends the wait for it.
                known.open = None;
                session.disconnected();
            }
            Kind::Written => session.written(received.value as usize),
            Kind::Missed => session.missed(Revision(received.value), received.count()),
            Kind::Drained => session.drained(),
            // The owner's own.
            _ => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<HashMap<SessionNumber, OpenedSession>>> {
        // No code under this lock panics.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session whose client has not been answered yet.
pub struct Unopened {
    opened: oneshot::Receiver<()>,
    socket: StreamSocket,
}

impl Unopened {
    /// Waits for the client. `None` when it has disconnected before it was answered.
    pub async fn opened(self) -> Option<StreamSocket> {
        self.opened.await.ok()?;
        Some(self.socket)
    }
}

/// The socket of a session at another server. The session ends when it is dropped.
pub struct StreamSocket {
    session: Arc<OwnerSession>,
    number: SessionNumber,
    stream: Arc<OwnerStream>,
}

impl RelayedSocket for StreamSocket {
    fn is_readable(&self) -> bool {
        self.session.is_readable()
    }

    fn received(&self) -> Notified<'_> {
        self.session.readable()
    }

    fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.session.try_read(buffer)
    }

    fn relayed_at(&self) -> Option<TraceTime> {
        self.session.relayed_at()
    }

    fn outbox(&self) -> Arc<dyn Outbox> {
        Arc::clone(&self.session) as _
    }
}

impl SocketIo for StreamSocket {
    fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.session.try_write(slices)
    }

    fn try_flush(&self) -> io::Result<bool> {
        Ok(true)
    }
}

impl Drop for StreamSocket {
    fn drop(&mut self) {
        self.stream.remove(self.number);
        self.session.end();
    }
}
