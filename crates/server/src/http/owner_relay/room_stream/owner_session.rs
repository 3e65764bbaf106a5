//! [`OwnerSession`]: a session whose client is at another server. Its outbox and its socket are a stream.

use std::io::{self, ErrorKind, IoSlice};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::{Buf, BytesMut};
use quadrille_protocol::{CloseReason, Revision};
use quadrille_room::FramePriority;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use super::connection::send;
use super::message::{Kind, SessionNumber, message, with_payload, wrap};
use crate::limits;
use crate::rooms::{Fanout, Flushed, Outbox, OwnBytes, Progress, Pushed, SocketOutbox};
use crate::trace::TraceTime;
use crate::websocket::outgoing_frame::OutFrame;

/// The owner's side of a session, shared by the room's thread, the session's task and the stream's.
pub struct OwnerSession {
    number: SessionNumber,
    stream: Arc<SocketOutbox>,
    /// Limit of the bytes that are not written to the client yet.
    bytes_max: usize,
    state: Mutex<State>,
    /// Wakes the session's task for [`Outbox::advance`].
    changed: Notify,
    /// Wakes the session's task for reading.
    readable: Notify,
}

#[derive(Default)]
struct State {
    /// Bytes that the client has sent and the session's task has not read.
    received: BytesMut,
    /// When the relay has read the first of `received`, and of the bytes that were read last.
    relayed: (Option<TraceTime>, Option<TraceTime>),
    /// Bytes that were read since the window was updated.
    read_bytes: usize,
    /// Bytes of frames that the relay has not written yet.
    own_bytes: OwnBytes,
    is_subscribed: bool,
    /// Number of subscriptions so far.
    subscriptions: u32,
    missed: Option<Revision>,
    is_drained: bool,
    close: Option<CloseReason>,
    /// The client has disconnected, or the stream has ended.
    is_disconnected: bool,
    /// The session's task has ended.
    is_ended: bool,
}

impl OwnerSession {
    pub fn new(number: SessionNumber, stream: Arc<SocketOutbox>, bytes_max: usize) -> OwnerSession {
        let (changed, readable) = (Notify::new(), Notify::new());
        OwnerSession { number, stream, bytes_max, state: Mutex::default(), changed, readable }
    }

    /// Adds bytes that the client has sent, which the relay has read at `read_us`, in microseconds since 1970,
    /// or 0 if it does not trace. Returns whether the relay has kept to the window.
    pub fn receive(&self, bytes: &[u8], read_us: u64) -> bool {
        let mut state = self.lock();
        if state.received.is_empty() {
            state.relayed.0 = (read_us > 0).then_some(TraceTime(read_us));
        }
        state.received.extend_from_slice(bytes);
        let is_valid = state.received.len() <= limits::RELAY_WINDOW_BYTES;
        drop(state);
        self.readable.notify_one();
        is_valid
    }

    /// Notes that frames are written to the client.
    pub fn written(&self, bytes: usize) {
        let mut state = self.lock();
        let bytes = bytes.min(state.own_bytes.0);
        state.own_bytes.remove(bytes);
    }

    /// Notes that broadcasts of a subscription were dropped.
    pub fn missed(&self, from: Revision, subscription: u32) {
        let mut state = self.lock();
        // A snapshot may have subscribed the session again in the meantime.
        if state.subscriptions == subscription {
            (state.is_subscribed, state.missed) = (false, Some(from));
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Notes that the client has received all that was queued before it missed broadcasts.
    pub fn drained(&self) {
        self.lock().is_drained = true;
        self.changed.notify_one();
    }

    /// Notes that the client has disconnected.
    pub fn disconnected(&self) {
        self.lock().is_disconnected = true;
        self.changed.notify_one();
        self.readable.notify_one();
    }

    /// Ends the session: nothing is sent to the client any more.
    pub fn end(&self) {
        self.lock().is_ended = true;
        send(&self.stream, message(Kind::End, self.number, 0));
    }

    /// Whether the client has sent something, or has disconnected.
    pub fn is_readable(&self) -> bool {
        let state = self.lock();
        !state.received.is_empty() || state.is_disconnected
    }

    /// Completes when [`is_readable`](Self::is_readable) may have changed.
    pub fn readable(&self) -> Notified<'_> {
        self.readable.notified()
    }

    /// Reads bytes of the client; 0 when it has disconnected.
    ///
    /// # Errors
    ///
    /// Fails with `WouldBlock` when there are none now.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.lock();
        let length = buffer.len().min(state.received.len());
        if length == 0 {
            return if state.is_disconnected { Ok(0) } else { Err(ErrorKind::WouldBlock.into()) };
        }
        state.received.copy_to_slice(&mut buffer[..length]);
        state.relayed.1 = state.relayed.0;
        if state.received.is_empty() {
            // An idle session has no buffer.
            state.received = BytesMut::new();
        }
        state.read_bytes += length;
        if state.read_bytes >= limits::RELAY_WINDOW_BYTES / 2 {
            let read_bytes = std::mem::take(&mut state.read_bytes) as u64;
            send(&self.stream, message(Kind::WindowUpdate, self.number, read_bytes));
        }
        Ok(length)
    }

    /// When the relay has read the bytes that were read last, if it traces.
    pub fn relayed_at(&self) -> Option<TraceTime> {
        self.lock().relayed.1
    }

    /// Sends bytes to the client, behind all frames.
    ///
    /// # Errors
    ///
    /// Fails when the client has disconnected.
    pub fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        if self.lock().is_disconnected {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let bytes = slices.iter().flat_map(|slice| slice.iter().copied()).collect::<Vec<u8>>();
        let length = bytes.len();
        self.send_frame(&OutFrame::encoded(bytes.into()), false);
        self.stream.flush();
        Ok(length)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code under this lock panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_frame(&self, frame: &OutFrame, is_counted: bool) {
        let message = wrap(frame, Kind::Frame, self.number, is_counted.into());
        self.stream.push(message, FramePriority::Snapshot);
    }
}

impl Outbox for OwnerSession {
    fn set_broadcasts(&self, broadcasts: Arc<Fanout>) {
        match self.stream.has_broadcasts(&broadcasts) {
            true => self.stream.set_broadcasts(broadcasts),
            // The room was opened again. Sessions of the earlier opening have ended; this one comes back.
            false => self.stream.cut(),
        }
    }

    fn push(&self, frame: OutFrame, priority: FramePriority) -> Pushed {
        let mut state = self.lock();
        if state.close.is_some() || state.is_disconnected || state.is_ended {
            return Pushed::Dropped;
        }
        let pushed = state.own_bytes.add(frame.len(), priority, self.bytes_max);
        if pushed == Pushed::Queued {
            self.send_frame(&frame, priority != FramePriority::Snapshot);
        }
        pushed
    }

    fn subscribe(&self, next_revision: Revision) {
        let mut state = self.lock();
        state.is_subscribed = true;
        state.subscriptions += 1;
        let count = state.subscriptions.to_le_bytes();
        if !self.stream.is_subscribed() {
            self.stream.subscribe(next_revision);
        }
        let message = with_payload(Kind::Subscribe, self.number, next_revision.0, &count);
        self.stream.push(message, FramePriority::Snapshot);
    }

    fn is_subscribed(&self) -> bool {
        self.lock().is_subscribed
    }

    fn close(&self, reason: CloseReason) {
        let mut state = self.lock();
        if state.close.is_none() && !state.is_ended {
            state.close = Some(reason);
            let message = message(Kind::Close, self.number, u64::from(reason.code()));
            self.stream.push(message, FramePriority::Snapshot);
            self.stream.flush();
        }
        drop(state);
        self.changed.notify_one();
    }

    fn flush(&self) -> Flushed {
        self.stream.flush()
    }

    fn flush_broadcasts(&self) -> Flushed {
        Flushed::All
    }

    fn broadcast_stream(&self) -> Option<Arc<dyn Outbox>> {
        Some(Arc::clone(&self.stream) as _)
    }

    fn is_disconnected(&self) -> bool {
        self.lock().is_disconnected
    }

    /// Writes nothing: the stream's task does.
    fn advance(&self) -> Progress {
        let mut state = self.lock();
        Progress {
            bytes: 0,
            is_behind: false,
            missed: state.missed.take(),
            is_drained: std::mem::take(&mut state.is_drained),
            closed: state.close,
            is_disconnected: state.is_disconnected,
        }
    }

    fn wake(&self) {
        self.changed.notify_one();
    }

    fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }
}
