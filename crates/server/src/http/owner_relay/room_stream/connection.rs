//! One end of a stream's connection: what both ends do with it.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use quadrille_room::FramePriority;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::message::{Decoder, Message};
use crate::http::socket::Socket;
use crate::limits;
use crate::rooms::{Outbox, SocketOutbox};
use crate::websocket::outgoing_frame::OutFrame;

/// Between two messages that ask whether the other server is there.
pub const PING_EVERY: Duration = Duration::from_secs(5);
/// Time without a byte after which it is not.
const SILENCE_MAX: Duration = Duration::from_secs(limits::RELAY_SILENCE_SECONDS_MAX);

/// Sends a message: writes it now if the connection takes it.
pub fn send(outbox: &SocketOutbox, message: OutFrame) {
    outbox.push(message, FramePriority::Snapshot);
    outbox.flush();
}

/// Reads messages until the connection ends, and writes what it did not take at once. `received` is called
/// with all messages of one read.
///
/// Returns why the connection has ended.
pub async fn run<F: Future<Output = ()>>(
    socket: &Socket,
    outbox: &Arc<SocketOutbox>,
    unread: &[u8],
    mut received: impl FnMut(Vec<Message>) -> F,
    mut ticked: impl FnMut(),
) -> String {
    let mut decoder = Decoder::default();
    decoder.push(unread);
    let mut heard = Instant::now();
    let mut ticks = interval(PING_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_behind = false;
    loop {
        let mut messages = Vec::new();
        loop {
            match decoder.next() {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(error) => return format!("not a message of a room's stream: {}", error.0),
            }
        }
        if !messages.is_empty() {
            received(messages).await;
            // The time that this took is not the other server's.
            heard = Instant::now();
        }
        let mut must_write = false;
        tokio::select! {
            readable = socket.readable() => match readable.and_then(|()| read(socket, &mut decoder)) {
                Ok(0) => return "closed by the other server".to_owned(),
                Ok(_) => heard = Instant::now(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return error.to_string(),
            },
            () = outbox.changed() => must_write = true,
            _ = socket.writable(), if is_behind => must_write = true,
            _ = ticks.tick() => ticked(),
            () = sleep_until(heard + SILENCE_MAX) => return "the other server is silent".to_owned(),
        }
        if must_write {
            let progress = outbox.advance();
            is_behind = progress.is_behind;
            if progress.is_disconnected {
                return "the connection was cut".to_owned();
            }
            if progress.missed.is_some() {
                return "the other server is too slow".to_owned();
            }
        }
    }
}

/// Reads what has arrived, a piece at most. Not part of [`run`], so that the buffer is on the thread's stack.
fn read(socket: &Socket, decoder: &mut Decoder) -> std::io::Result<usize> {
    let mut buffer = [0; 64 << 10];
    let length = socket.try_read(&mut buffer)?;
    decoder.push(&buffer[..length]);
    Ok(length)
}
