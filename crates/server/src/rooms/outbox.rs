//! The sending half of a session: what only this session gets, and its cursor into what all of its room get.
//!
//! The room's thread writes to the socket itself, without waiting (F3): nothing is queued and no task wakes for a reader
//! that keeps up. When the kernel takes no more, or there is much to write, the session's task goes on from the cursor
//! and says when it has caught up.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::metrics::counter::Counter;
use quadrille_protocol::{CloseReason, Revision};
use quadrille_room::FramePriority;
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::fanout::{Fanout, FrameLookup, Position};
use crate::websocket::outgoing::OutFrame;

/// Where bytes go: a socket that never waits.
pub trait SocketIo: Send + Sync {
    fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize>;
}

impl SocketIo for TcpStream {
    fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.try_write_vectored(slices)
    }
}

pub struct Outbox {
    wire: Arc<dyn SocketIo>,
    /// Of what waits for this session alone.
    bytes_max: usize,
    /// Bytes written, over all sessions.
    sent: Counter,
    sending: Mutex<Sending>,
    /// The session's task has something to do.
    changed: Notify,
}

#[derive(Default)]
struct Sending {
    /// For this session alone; each goes before what the ring has from its position on.
    own: VecDeque<Own>,
    /// Of `own`; snapshots are not counted, since they are shared and the session cannot go on without them.
    own_bytes: usize,
    room: Option<Arc<Fanout>>,
    /// The next frame of the ring; `None` while the session gets no broadcasts.
    cursor: Option<Position>,
    /// The first revision that was not written yet.
    wanted: Revision,
    /// Written up to so many bytes.
    started: Option<(OutFrame, usize)>,
    /// The session's task writes, and nobody else.
    is_behind: bool,
    /// Nothing is added after this.
    close: Option<CloseReason>,
    /// The cursor fell off the ring; the room is to be told from which revision on.
    missed: Option<Revision>,
    /// The room was told, and waits to hear that all of `own` has gone.
    owes_drained: bool,
    /// The peer is gone.
    is_gone: bool,
}

struct Own {
    before: Position,
    frame: OutFrame,
    is_counted: bool,
}

/// What became of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pushed {
    Queued,
    /// Presence, which the next one replaces, or anything after the end.
    Dropped,
    /// The reader is too slow for what it is owed.
    Overflowed,
}

/// Who goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flushed {
    /// All has been written.
    All,
    /// The session's task writes the rest.
    Behind,
}

/// What the session's task finds after it has written what the socket took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    pub bytes: usize,
    pub is_behind: bool,
    /// To be told to the room, and after it that the session is drained.
    pub missed: Option<Revision>,
    pub is_drained: bool,
    /// All was written, the close too.
    pub closed: Option<CloseReason>,
    pub is_gone: bool,
}

/// Of one write: enough to fill a packet many times over.
const FRAMES_PER_WRITE_MAX: usize = 32;
const WRITE_BYTES: usize = 256 << 10;
/// The room's thread writes no more than this for one session at once; it has others to serve.
const DIRECT_BYTES_MAX: usize = 64 << 10;

impl Outbox {
    pub fn new(wire: Arc<dyn SocketIo>, bytes_max: usize, sent: Counter) -> Arc<Outbox> {
        Arc::new(Outbox { wire, bytes_max, sent, sending: Mutex::default(), changed: Notify::new() })
    }

    /// The room that the session is in. To be called once, before anything is pushed.
    pub fn enter(&self, room: Arc<Fanout>) {
        self.lock().room = Some(room);
    }

    /// Adds a frame for this session alone; [`flush`](Self::flush) writes it.
    pub fn push(&self, frame: OutFrame, lane: FramePriority) -> Pushed {
        let mut sending = self.lock();
        if sending.close.is_some() || sending.is_gone {
            return Pushed::Dropped;
        }
        let is_counted = lane != FramePriority::Snapshot;
        if is_counted {
            let bytes = sending.own_bytes + frame.len();
            match lane {
                FramePriority::Presence if bytes > self.bytes_max / 2 => return Pushed::Dropped,
                // A single frame larger than the bound, such as a record that holds a whole file, goes when nothing
                // else waits: it cannot be sent in another way.
                FramePriority::Ordered if bytes > self.bytes_max && sending.own_bytes > 0 => {
                    return Pushed::Overflowed;
                }
                _ => {}
            }
            sending.own_bytes = bytes;
        }
        sending.push_own(frame, is_counted);
        Pushed::Queued
    }

    /// From here on the session gets what is broadcast, which begins with this revision.
    pub fn subscribe(&self, wanted: Revision) {
        let mut sending = self.lock();
        let head = sending.room.as_ref().map(|room| room.head());
        (sending.cursor, sending.wanted) = (head, wanted);
    }

    pub fn is_subscribed(&self) -> bool {
        self.lock().cursor.is_some()
    }

    /// Ends the session after what is queued. The first reason stays.
    pub fn close(&self, reason: CloseReason) {
        let mut sending = self.lock();
        if sending.close.is_none() {
            sending.push_own(OutFrame::close(reason.code(), reason.name()), false);
            sending.close = Some(reason);
        }
        // The task learns of the end, and writes if there is something left.
        sending.is_behind = true;
        self.changed.notify_one();
    }

    /// Writes what the socket takes now. Called by the room's thread; leaves it to the session's task when there is
    /// much to write or the socket is full.
    pub fn flush(&self) -> Flushed {
        let mut sending = self.lock();
        if sending.is_behind || sending.is_gone {
            return Flushed::Behind;
        }
        match sending.write(&*self.wire, DIRECT_BYTES_MAX) {
            Ok((bytes, written)) => {
                self.sent.inc_by(bytes as u64);
                if written == Written::All && sending.missed.is_none() {
                    return Flushed::All;
                }
            }
            Err(_) => sending.is_gone = true,
        }
        sending.is_behind = true;
        self.changed.notify_one();
        Flushed::Behind
    }

    /// Writes what the socket takes now, as long as it is this task's turn.
    pub fn advance(&self) -> Progress {
        let mut sending = self.lock();
        let mut progress = Progress::default();
        if sending.is_behind && !sending.is_gone {
            loop {
                match sending.write(&*self.wire, usize::MAX) {
                    Ok((bytes, written)) => {
                        progress.bytes += bytes;
                        match written {
                            Written::All => sending.is_behind = false,
                            Written::Some if progress.bytes < WRITE_BYTES => continue,
                            // Others have a turn; the socket is still writable.
                            Written::Some | Written::Blocked => {}
                        }
                    }
                    Err(_) => sending.is_gone = true,
                }
                break;
            }
        }
        self.sent.inc_by(progress.bytes as u64);
        progress.is_behind = sending.is_behind;
        progress.is_gone = sending.is_gone;
        progress.missed = sending.missed.take();
        sending.owes_drained |= progress.missed.is_some();
        let is_empty = sending.own.is_empty() && sending.started.is_none();
        progress.is_drained = is_empty && std::mem::take(&mut sending.owes_drained);
        progress.closed = sending.close.filter(|_| is_empty);
        progress
    }

    /// Until the room's thread has left something to the session's task.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Sending> {
        // Nothing that panics happens under this lock.
        self.sending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a write left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Written {
    All,
    /// There is more, and the socket may take it.
    Some,
    /// There is more than the socket takes, or than may be written at once.
    Blocked,
}

/// Where a frame of a batch came from.
enum Source {
    Started,
    Own,
    Ring(Option<Revision>),
}

impl Sending {
    fn push_own(&mut self, frame: OutFrame, is_counted: bool) {
        let before = self.room.as_ref().map_or(0, |room| room.head());
        self.own.push_back(Own { before, frame, is_counted });
    }

    /// One write of what comes next; `bytes_max` is where it is left to somebody with more time.
    fn write(&mut self, wire: &dyn SocketIo, bytes_max: usize) -> io::Result<(usize, Written)> {
        let (batch, is_all) = self.batch();
        if batch.is_empty() {
            return Ok((0, Written::All));
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
            match wire.try_write(&slices) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(bytes) => break bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok((0, Written::Blocked)),
                Err(error) => return Err(error),
            }
        };
        self.wrote(batch, skip + bytes);
        let written = match (bytes == total, is_all) {
            (true, true) => Written::All,
            (true, false) => Written::Some,
            (false, _) => Written::Blocked,
        };
        Ok((bytes, written))
    }

    /// The next frames in their order, and whether there are no others. Without the frames that a slow reader goes
    /// without; notices when the cursor has fallen off the ring.
    fn batch(&mut self) -> (Vec<(OutFrame, Source)>, bool) {
        let mut batch = Vec::new();
        let mut bytes = 0;
        if let Some((frame, written)) = &self.started {
            bytes += frame.len() - written;
            batch.push((frame.clone(), Source::Started));
        }
        let room = self.room.clone();
        let ring = room.as_ref().filter(|_| self.cursor.is_some()).map(|room| room.lock());
        let mut own = 0;
        let mut cursor = self.cursor;
        while batch.len() < FRAMES_PER_WRITE_MAX && bytes < WRITE_BYTES {
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
                        return (batch, false); // left out with the next write
                    }
                    self.cursor = Some(at + 1);
                }
                FrameLookup::Frame(shared) => {
                    bytes += shared.frame.len();
                    batch.push((shared.frame.clone(), Source::Ring(shared.up_to)));
                }
                FrameLookup::Head => return (batch, true),
                FrameLookup::FellOff => {
                    (self.cursor, self.missed) = (None, Some(self.wanted));
                    cursor = None;
                    continue;
                }
            }
            cursor = Some(at + 1);
        }
        (batch, false)
    }

    /// So many bytes of the batch have gone.
    fn wrote(&mut self, batch: Vec<(OutFrame, Source)>, mut bytes: usize) {
        for (frame, source) in batch {
            if bytes == 0 {
                return;
            }
            match source {
                Source::Started => self.started = None,
                Source::Own => {
                    let own = self.own.pop_front().expect("the batch was made of these");
                    self.own_bytes -= if own.is_counted { own.frame.len() } else { 0 };
                }
                Source::Ring(up_to) => {
                    self.cursor = self.cursor.map(|cursor| cursor + 1);
                    self.wanted = up_to.map_or(self.wanted, Revision::next);
                }
            }
            if bytes < frame.len() {
                self.started = Some((frame, bytes));
                return;
            }
            bytes -= frame.len();
        }
        // Room for the next thousand frames is not kept for who may never get them.
        if self.own.is_empty() && self.own.capacity() > 4 {
            self.own = VecDeque::new();
        }
    }
}

#[cfg(test)]
#[path = "outbox_tests.rs"]
mod tests;
