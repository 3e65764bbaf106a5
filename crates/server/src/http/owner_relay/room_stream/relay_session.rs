//! A client's socket at the relay: what it sends goes into the stream, and what the stream brings for it and
//! for all is written to it.

use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use quadrille_protocol::{CloseReason, Revision};
use quadrille_room::FramePriority;
use tokio::sync::{Notify, watch};
use tokio::time::{sleep_until, timeout};

use super::connection::send;
use super::message::{Kind, Message, SessionNumber, message, with_payload};
use crate::http::session_writing::Writing;
use crate::http::socket::Socket;
use crate::limits;
use crate::rooms::{Fanout, Flushed, Outbox, Progress, SocketOutbox};
use crate::stopped::stopped;
use crate::trace;
use crate::websocket::outgoing_frame::OutFrame;

/// Bytes from which written frames are reported to the owner, so that not every frame is answered.
const REPORTED_BYTES: usize = 4 << 10;
/// Time for a client to answer a close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A client, shared by its task and the stream's.
pub struct RelaySession {
    number: SessionNumber,
    /// To the owner.
    stream: Arc<SocketOutbox>,
    socket: Arc<Socket>,
    outbox: Arc<SocketOutbox>,
    /// Number of subscriptions so far. Locked while the outbox is subscribed and while it is asked what was
    /// missed, so that a report is about the right one.
    subscription: Mutex<u32>,
    /// Bytes of frames that the owner counts until they are written.
    unreported: AtomicUsize,
    /// Bytes that may be sent to the owner until it has taken some.
    window: AtomicUsize,
    window_opened: Notify,
    is_ended: AtomicBool,
    ended: Notify,
}

impl RelaySession {
    pub fn new(
        number: SessionNumber,
        stream: Arc<SocketOutbox>,
        socket: Socket,
        broadcasts: Arc<Fanout>,
        bytes_sent: Counter,
    ) -> RelaySession {
        let socket = Arc::new(socket);
        // The owner limits what it sends for one session.
        let outbox = SocketOutbox::new(Arc::clone(&socket) as _, usize::MAX, bytes_sent);
        outbox.set_broadcasts(broadcasts);
        RelaySession {
            number,
            stream,
            socket,
            outbox,
            subscription: Mutex::new(0),
            unreported: AtomicUsize::new(0),
            window: AtomicUsize::new(limits::RELAY_WINDOW_BYTES),
            window_opened: Notify::new(),
            is_ended: AtomicBool::new(false),
            ended: Notify::new(),
        }
    }

    /// Handles a message of the owner for this session; [`flush`](Self::flush) writes frames.
    pub fn receive(&self, received: &Message) {
        match received.kind {
            Kind::Frame => {
                let priority = match received.value {
                    0 => FramePriority::Snapshot,
                    _ => {
                        self.unreported.fetch_add(received.payload.len(), Ordering::AcqRel);
                        FramePriority::Ordered
                    }
                };
                self.outbox.push(OutFrame::encoded(Arc::from(&received.payload[..])), priority);
            }
            Kind::Subscribe => {
                let mut subscription = self.subscription();
                *subscription = received.count();
                self.outbox.subscribe(Revision(received.value));
            }
            Kind::Close => {
                let reason = u16::try_from(received.value).ok().and_then(CloseReason::from_code);
                self.outbox.close(reason.unwrap_or(CloseReason::Restarting));
            }
            Kind::WindowUpdate => {
                self.window.fetch_add(received.value as usize, Ordering::AcqRel);
                self.window_opened.notify_one();
            }
            Kind::End => {
                self.is_ended.store(true, Ordering::Release);
                self.ended.notify_one();
            }
            // The relay's own, and those that are for no session.
            _ => {}
        }
    }

    /// Writes what the client takes now, and returns whether that is everything.
    pub fn flush(&self) -> bool {
        let is_all = self.outbox.flush() == Flushed::All;
        if is_all {
            self.report_written(REPORTED_BYTES);
        }
        is_all
    }

    /// Tells the owner how many bytes the client has received, unless they are fewer than `bytes_min`.
    fn report_written(&self, bytes_min: usize) {
        if self.unreported.load(Ordering::Acquire) >= bytes_min {
            let written = self.unreported.swap(0, Ordering::AcqRel) as u64;
            self.send(Kind::Written, written);
        }
    }

    fn send(&self, kind: Kind, value: u64) {
        send(&self.stream, message(kind, self.number, value));
    }

    /// Passes on what the client sends and writes what it does not take at once, until it has disconnected,
    /// the owner has ended the session, the stream is `cut` or this server stops.
    pub async fn run(&self, unread: &[u8], mut cut: watch::Receiver<bool>, mut stop: watch::Receiver<bool>) {
        self.send(Kind::Open, 0);
        if !unread.is_empty() {
            self.send_bytes(unread);
        }
        let mut writing = Writing::default();
        // This server has closed the session.
        let mut is_closing = false;
        loop {
            let window = self.window.load(Ordering::Acquire);
            let mut must_write = false;
            tokio::select! {
                read = self.socket.read_some(window, |bytes| self.send_bytes(bytes)), if window > 0 && !is_closing => {
                    if matches!(read, Ok(0) | Err(_)) {
                        break;
                    }
                }
                () = self.window_opened.notified(), if window == 0 => {}
                () = self.outbox.changed() => must_write = true,
                _ = self.socket.writable(), if writing.is_behind() => must_write = true,
                () = self.ended.notified() => {
                    self.flush();
                    must_write = true;
                }
                () = stopped(&mut cut), if !is_closing => {
                    is_closing = true;
                    self.outbox.close(CloseReason::Restarting);
                }
                () = stopped(&mut stop), if !is_closing => {
                    is_closing = true;
                    self.outbox.close(CloseReason::Restarting);
                }
                () = async {
                    match writing.give_up_at() {
                        Some(at) => sleep_until(at).await,
                        None => pending().await,
                    }
                } => break,
            }
            if must_write {
                let progress = self.advance();
                writing.record(&progress);
                let is_done = self.is_ended.load(Ordering::Acquire) && !progress.is_behind;
                if progress.is_disconnected || is_done {
                    break;
                }
                if is_closing && progress.closed.is_some() {
                    // Reads until the client closes: closing a socket with unread data resets the connection
                    // and loses the close frame.
                    let closing =
                        async { while let Ok(1..) = self.socket.read_some(usize::MAX, |_| ()).await {} };
                    _ = timeout(CLOSE_TIMEOUT, closing).await;
                    break;
                }
            }
        }
    }

    /// Writes what the client takes now, and tells the owner what it would have seen of a socket of its own.
    fn advance(&self) -> Progress {
        let subscription = self.subscription();
        let progress = self.outbox.advance();
        if !progress.is_behind {
            self.report_written(1);
        }
        if let Some(from) = progress.missed {
            let payload = subscription.to_le_bytes();
            send(&self.stream, with_payload(Kind::Missed, self.number, from.0, &payload));
        }
        if progress.is_drained {
            self.send(Kind::Drained, 0);
        }
        progress
    }

    fn subscription(&self) -> MutexGuard<'_, u32> {
        // No code under this lock panics.
        self.subscription.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_bytes(&self, bytes: &[u8]) {
        self.window.fetch_sub(bytes.len(), Ordering::AcqRel);
        let read_us = trace::now().map_or(0, |now| now.0);
        send(&self.stream, with_payload(Kind::Bytes, self.number, read_us, bytes));
    }
}
