//! [`SocketOutbox`]: an outbox that writes to a socket. It has the queue of a session's own frames, and its
//! cursor into the broadcasts of its room.
//!
//! The room's thread writes to the socket itself, without waiting (`F3`): for a client that keeps
//! up, nothing is queued and no task wakes. When the socket's buffer is full, or there is much to
//! write, the session's task continues from the cursor until it has caught up.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::metrics::counter::Counter;
use quadrille_protocol::{CloseReason, Revision};
use quadrille_room::{FrameLookup, FramePriority, Position};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use super::fanout::{Fanout, SharedFrame};
use super::outbox::{Flushed, Outbox, OwnBytes, Progress, Pushed};
use crate::websocket::outgoing_frame::OutFrame;

/// A socket with non-blocking writes.
pub trait SocketIo: Send + Sync {
    /// Writes a prefix of the slices and returns its length.
    ///
    /// # Errors
    ///
    /// Fails with `WouldBlock` when the socket takes nothing now.
    fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize>;

    /// Passes on what earlier writes have taken, which TLS holds back while the socket's buffer is
    /// full. Returns false when something is left.
    ///
    /// # Errors
    ///
    /// Fails when the socket does.
    fn try_flush(&self) -> io::Result<bool>;
}

/// The outgoing queue of a session, shared by the room's thread and the session's task.
pub struct SocketOutbox {
    socket: Arc<dyn SocketIo>,
    /// How broadcasts are written to this socket.
    encode_broadcast: fn(&SharedFrame) -> OutFrame,
    /// Limit of the bytes queued for this session alone.
    bytes_max: usize,
    /// Metric: bytes written by all sessions.
    bytes_sent: Counter,
    state: Mutex<SendState>,
    /// Wakes the session's task.
    changed: Notify,
}

#[derive(Default)]
struct SendState {
    /// Frames for this session alone.
    own: VecDeque<OwnFrame>,
    /// Bytes of `own`.
    own_bytes: OwnBytes,
    /// The broadcasts of the room.
    broadcasts: Option<Arc<Fanout>>,
    /// Position of the next broadcast; `None` while the session gets no broadcasts.
    cursor: Option<Position>,
    /// The first revision that has not been written.
    next_revision: Revision,
    /// A frame written in part, with the number of bytes written.
    started: Option<(OutFrame, usize)>,
    /// Only the session's task writes, not the room's thread.
    is_behind: bool,
    /// The close frame is queued; no frame is added after it.
    close: Option<CloseReason>,
    /// The cursor fell off the ring: the first revision missed, to be reported to the room.
    missed: Option<Revision>,
    /// The room was told of the missed revision and has to be told when `own` is empty.
    must_report_drained: bool,
    /// The client has disconnected.
    is_disconnected: bool,
}

struct OwnFrame {
    /// The frame is written before the broadcast at this position.
    before: Position,
    frame: OutFrame,
    is_counted: bool,
}

/// Frames of one write: enough to fill a packet many times over.
const FRAMES_PER_WRITE_MAX: usize = 32;
/// Bytes from which no more frames are added to a write.
const WRITE_BYTES: usize = 256 << 10;
/// Bytes that the room's thread writes to one session at once; more are left to the session's task.
const DIRECT_BYTES_MAX: usize = 64 << 10;

impl SocketOutbox {
    pub fn new(socket: Arc<dyn SocketIo>, bytes_max: usize, bytes_sent: Counter) -> Arc<SocketOutbox> {
        let (state, changed) = (Mutex::default(), Notify::new());
        let encode_broadcast = |shared: &SharedFrame| shared.frame.clone();
        Arc::new(SocketOutbox { socket, encode_broadcast, bytes_max, bytes_sent, state, changed })
    }

    /// An outbox for the sessions of many clients, which writes broadcasts in a form of its own. Its own
    /// frames are not limited, because those of each session are.
    pub fn of_stream(
        socket: Arc<dyn SocketIo>,
        encode_broadcast: fn(&SharedFrame) -> OutFrame,
        bytes_sent: Counter,
    ) -> Arc<SocketOutbox> {
        let (state, changed) = (Mutex::default(), Notify::new());
        Arc::new(SocketOutbox { socket, encode_broadcast, bytes_max: usize::MAX, bytes_sent, state, changed })
    }

    /// Whether the broadcasts are these, or none were set.
    pub fn has_broadcasts(&self, broadcasts: &Arc<Fanout>) -> bool {
        self.lock().broadcasts.as_ref().is_none_or(|known| Arc::ptr_eq(known, broadcasts))
    }

    /// Drops all frames: nothing is written any more.
    pub fn cut(&self) {
        let mut state = self.lock();
        *state = SendState { is_disconnected: true, ..SendState::default() };
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, SendState> {
        // No code under this lock panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbox for SocketOutbox {
    fn set_broadcasts(&self, broadcasts: Arc<Fanout>) {
        self.lock().broadcasts = Some(broadcasts);
    }

    fn push(&self, frame: OutFrame, priority: FramePriority) -> Pushed {
        let mut state = self.lock();
        if state.close.is_some() || state.is_disconnected {
            return Pushed::Dropped;
        }
        let pushed = state.own_bytes.add(frame.len(), priority, self.bytes_max);
        if pushed == Pushed::Queued {
            state.push_own(frame, priority != FramePriority::Snapshot);
        }
        pushed
    }

    fn subscribe(&self, next_revision: Revision) {
        let mut state = self.lock();
        let head = state.broadcasts.as_ref().map(|broadcasts| broadcasts.head());
        (state.cursor, state.next_revision) = (head, next_revision);
        // What an earlier subscription missed was made up for.
        state.missed = None;
    }

    fn is_subscribed(&self) -> bool {
        self.lock().cursor.is_some()
    }

    fn close(&self, reason: CloseReason) {
        let mut state = self.lock();
        if state.close.is_none() {
            state.push_own(OutFrame::close(reason.code(), reason.name()), false);
            state.close = Some(reason);
        }
        // The task writes the remaining frames and ends.
        state.is_behind = true;
        self.changed.notify_one();
    }

    /// Leaves the rest to the session's task when there is much to write or the socket's buffer is full.
    fn flush(&self) -> Flushed {
        let mut state = self.lock();
        if state.is_behind || state.is_disconnected {
            return Flushed::Behind;
        }
        match state.write(self, DIRECT_BYTES_MAX) {
            Ok((bytes, written)) => {
                self.bytes_sent.inc_by(bytes as u64);
                if written == Written::All && state.missed.is_none() {
                    return Flushed::All;
                }
            }
            Err(_) => state.is_disconnected = true,
        }
        state.is_behind = true;
        self.changed.notify_one();
        Flushed::Behind
    }

    /// Writes nothing unless the session is behind.
    fn advance(&self) -> Progress {
        let mut state = self.lock();
        let mut progress = Progress::default();
        if state.is_behind && !state.is_disconnected {
            loop {
                match state.write(self, usize::MAX) {
                    Ok((bytes, written)) => {
                        progress.bytes += bytes;
                        match written {
                            Written::All => state.is_behind = false,
                            Written::Some if progress.bytes < WRITE_BYTES => continue,
                            // Other tasks get a turn; the socket is still writable.
                            Written::Some | Written::Blocked => {}
                        }
                    }
                    Err(_) => state.is_disconnected = true,
                }
                break;
            }
        }
        self.bytes_sent.inc_by(progress.bytes as u64);
        progress.is_behind = state.is_behind;
        progress.is_disconnected = state.is_disconnected;
        progress.missed = state.missed.take();
        state.must_report_drained |= progress.missed.is_some();
        let is_empty = state.own.is_empty() && state.started.is_none();
        progress.is_drained = is_empty && std::mem::take(&mut state.must_report_drained);
        progress.closed = state.close.filter(|_| is_empty && !state.is_behind);
        progress
    }

    fn is_disconnected(&self) -> bool {
        self.lock().is_disconnected
    }

    fn wake(&self) {
        self.changed.notify_one();
    }

    fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }
}

/// Result of one write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Written {
    /// All frames have been written.
    All,
    /// More frames are queued, and the socket may take them.
    Some,
    /// The socket takes no more or has not passed on all that it took, or the frames exceed the
    /// limit of this write.
    Blocked,
}

/// Origin of a frame in a batch.
enum Source {
    Started,
    Own,
    /// A broadcast, with its last revision.
    Broadcast(Option<Revision>),
}

impl SendState {
    fn push_own(&mut self, frame: OutFrame, is_counted: bool) {
        let before = self.broadcasts.as_ref().map_or(0, |broadcasts| broadcasts.head());
        self.own.push_back(OwnFrame { before, frame, is_counted });
    }

    /// Writes the next frames, unless they have more than `bytes_max` bytes. Returns the number of
    /// bytes written.
    fn write(&mut self, outbox: &SocketOutbox, bytes_max: usize) -> io::Result<(usize, Written)> {
        let socket = &*outbox.socket;
        let (batch, is_all) = self.batch(outbox.encode_broadcast);
        if batch.is_empty() {
            let written = if socket.try_flush()? { Written::All } else { Written::Blocked };
            return Ok((0, written));
        }
        let skip = self.started.as_ref().map_or(0, |(_, written)| *written);
        let mut slices = Vec::with_capacity(2 * batch.len());
        let mut total = 0;
        for (index, (frame, _)) in batch.iter().enumerate() {
            let rest = frame.rest(if index == 0 { skip } else { 0 });
            total += rest[0].len() + rest[1].len();
            slices.extend(rest.into_iter().filter(|slice| !slice.is_empty()).map(IoSlice::new));
        }
        if total > bytes_max {
            return Ok((0, Written::Blocked));
        }
        let bytes = loop {
            match socket.try_write(&slices) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(bytes) => break bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok((0, Written::Blocked)),
                Err(error) => return Err(error),
            }
        };
        self.record_written(batch, skip + bytes);
        let written = match (bytes == total && socket.try_flush()?, is_all) {
            (true, true) => Written::All,
            (true, false) => Written::Some,
            (false, _) => Written::Blocked,
        };
        Ok((bytes, written))
    }

    /// Returns the next frames in their order, and whether they are all. Skips frames that a slow
    /// session can miss, and notices when the cursor has fallen off the ring (`F2`).
    fn batch(&mut self, encode_broadcast: fn(&SharedFrame) -> OutFrame) -> (Vec<(OutFrame, Source)>, bool) {
        let mut batch = Vec::new();
        let mut bytes = 0;
        if let Some((frame, written)) = &self.started {
            bytes += frame.len() - written;
            batch.push((frame.clone(), Source::Started));
        }
        let broadcasts = self.broadcasts.clone();
        let ring = broadcasts.as_ref().filter(|_| self.cursor.is_some()).map(|broadcasts| broadcasts.lock());
        let mut own = 0;
        let mut cursor = self.cursor;
        while batch.len() < FRAMES_PER_WRITE_MAX && bytes < WRITE_BYTES {
            if self.close.is_some() && own == self.own.len() {
                // The close frame is the last of the own frames. A session that was closed because
                // it has lost its role must not get later broadcasts.
                return (batch, true);
            }
            if let Some(waiting) = self.own.get(own)
                && cursor.is_none_or(|cursor| waiting.before <= cursor)
            {
                bytes += waiting.frame.len();
                batch.push((waiting.frame.clone(), Source::Own));
                own += 1;
                continue;
            }
            let (Some(at), Some(ring)) = (cursor, &ring) else { return (batch, true) };
            match ring.at(at) {
                FrameLookup::Frame(shared)
                    if shared.up_to.is_none() && self.is_behind && ring.is_half_full() =>
                {
                    if !batch.is_empty() {
                        return (batch, false); // skipped by the next write
                    }
                    self.cursor = Some(at + 1);
                }
                FrameLookup::Frame(shared) => {
                    let frame = encode_broadcast(shared);
                    bytes += frame.len();
                    batch.push((frame, Source::Broadcast(shared.up_to)));
                }
                FrameLookup::Head => return (batch, true),
                FrameLookup::FellOff => {
                    (self.cursor, self.missed) = (None, Some(self.next_revision));
                    cursor = None;
                    continue;
                }
            }
            cursor = Some(at + 1);
        }
        (batch, false)
    }

    /// Removes the written frames: the first `bytes` bytes of the batch.
    fn record_written(&mut self, batch: Vec<(OutFrame, Source)>, mut bytes: usize) {
        for (frame, source) in batch {
            if bytes == 0 {
                return;
            }
            match source {
                Source::Started => self.started = None,
                Source::Own => {
                    let own = self.own.pop_front().expect("the batch consists of these frames");
                    self.own_bytes.remove(if own.is_counted { own.frame.len() } else { 0 });
                }
                Source::Broadcast(up_to) => {
                    self.cursor = self.cursor.map(|cursor| cursor + 1);
                    self.next_revision = up_to.map_or(self.next_revision, Revision::next);
                }
            }
            if bytes < frame.len() {
                self.started = Some((frame, bytes));
                return;
            }
            bytes -= frame.len();
        }
        // An idle session must not keep the capacity of its longest queue.
        if self.own.is_empty() && self.own.capacity() > 4 {
            self.own = VecDeque::new();
        }
    }
}

#[cfg(test)]
#[path = "socket_outbox_tests.rs"]
mod tests;
