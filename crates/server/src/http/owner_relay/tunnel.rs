//! A relayed WebSocket: its bytes are passed on in both directions as they arrive, so that messages,
//! pings and close codes are those of the two ends.
//!
//! An idle tunnel has no buffer. While one end does not read, at most [`PIECE_BYTES`] for it are in memory
//! and the other end is not read, so that it notices.

use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use quadrille_protocol::CloseReason;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::sync::watch;
use tokio::time::timeout;

use super::frame_boundary::FrameBoundary;
use crate::stopped::stopped;
use crate::websocket::outgoing_frame::OutFrame;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 16 << 10;
/// Time for an end to take what is left, and for a client to answer a close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Passes bytes on until one end has closed, `departure` says that the server of the room has left, or this
/// server stops. A client whose end this was not is told to connect again.
pub async fn run<C, O>(
    mut client: C,
    mut owner: O,
    departure: impl Future<Output = ()>,
    mut stop: watch::Receiver<bool>,
) where
    C: AsyncRead + AsyncWrite + Unpin,
    O: AsyncRead + AsyncWrite + Unpin,
{
    let (mut down, mut up) = (Direction::default(), Direction::default());
    let mut boundary = FrameBoundary::default();
    let passing = poll_fn(|cx| {
        let passed = |bytes: &[u8]| boundary.passed(bytes);
        match down.poll_pass(&mut owner, &mut client, cx, passed) {
            Poll::Ready(Ended::Source) => return Poll::Ready(End::Owner),
            Poll::Ready(Ended::Destination) => return Poll::Ready(End::Client),
            Poll::Pending => {}
        }
        match up.poll_pass(&mut client, &mut owner, cx, |_| ()) {
            Poll::Ready(Ended::Source) => Poll::Ready(End::Client),
            // What it has sent before, such as a close frame, is still read.
            Poll::Ready(Ended::Destination) | Poll::Pending => Poll::Pending,
        }
    });
    let end = tokio::select! {
        end = passing => end,
        () = departure => End::Owner,
        () = stopped(&mut stop) => End::Stop,
    };
    if matches!(end, End::Stop) && !(boundary.is_between_frames() && down.is_empty()) {
        let rest = poll_fn(|cx| {
            let ended = down.poll_pass(&mut owner, &mut client, cx, |bytes| boundary.passed(bytes));
            match ended.is_ready() || boundary.is_between_frames() && down.is_empty() {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        });
        // Otherwise the connection is cut, which the client notices as well.
        _ = timeout(CLOSE_TIMEOUT, rest).await;
    }
    if matches!(end, End::Client) {
        _ = timeout(CLOSE_TIMEOUT, owner.shutdown()).await;
        return;
    }
    drop(owner);
    if !down.is_empty() {
        return;
    }
    let closing = async {
        if boundary.is_between_frames() {
            let reason = CloseReason::Restarting;
            let frame = OutFrame::close(reason.code(), reason.name());
            client.write_all(&frame.rest(0).concat()).await?;
        } else if !boundary.has_closed() {
            return Ok(());
        }
        client.flush().await?;
        // Reads until the client closes: closing a socket with unread data resets the connection and loses
        // the close frame.
        let mut unread = [0; 512];
        while client.read(&mut unread).await? > 0 {}
        client.shutdown().await
    };
    // An error means that the client has closed first.
    let _: Result<io::Result<()>, _> = timeout(CLOSE_TIMEOUT, closing).await;
}

/// Why a tunnel ends.
enum End {
    Client,
    Owner,
    /// This server stops.
    Stop,
}

/// The end of one direction.
enum Ended {
    /// It has sent its last byte, and all are written.
    Source,
    /// It takes no more bytes.
    Destination,
}

/// What one end has sent and the other has not taken yet.
#[derive(Default)]
struct Direction {
    rest: Vec<u8>,
    /// Bytes of `rest` that are written.
    written: usize,
    needs_flush: bool,
    has_source_ended: bool,
    has_destination_ended: bool,
}

impl Direction {
    fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Passes bytes on until one end has no more, or takes no more, for now.
    fn poll_pass(
        &mut self,
        source: &mut (impl AsyncRead + Unpin),
        destination: &mut (impl AsyncWrite + Unpin),
        cx: &mut Context<'_>,
        mut passed: impl FnMut(&[u8]),
    ) -> Poll<Ended> {
        if self.has_destination_ended {
            return Poll::Pending;
        }
        loop {
            match ready!(self.poll_write(destination, cx)) {
                Ok(()) if self.has_source_ended => return Poll::Ready(Ended::Source),
                Ok(()) => {}
                Err(_) => {
                    self.has_destination_ended = true;
                    return Poll::Ready(Ended::Destination);
                }
            }
            let mut piece = [MaybeUninit::uninit(); PIECE_BYTES];
            let mut piece = ReadBuf::uninit(&mut piece);
            match ready!(Pin::new(&mut *source).poll_read(cx, &mut piece)) {
                Ok(()) if !piece.filled().is_empty() => {}
                // The end, in order or not.
                _ => {
                    self.has_source_ended = true;
                    continue;
                }
            }
            let bytes = piece.filled();
            passed(bytes);
            self.needs_flush = true;
            match Pin::new(&mut *destination).poll_write(cx, bytes) {
                Poll::Ready(Ok(written)) if written == bytes.len() => {}
                Poll::Ready(Ok(written)) => self.rest.extend_from_slice(&bytes[written..]),
                Poll::Pending => self.rest.extend_from_slice(bytes),
                Poll::Ready(Err(_)) => {
                    self.has_destination_ended = true;
                    return Poll::Ready(Ended::Destination);
                }
            }
        }
    }

    /// Writes what is left.
    fn poll_write(
        &mut self,
        destination: &mut (impl AsyncWrite + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while self.written < self.rest.len() {
            match ready!(Pin::new(&mut *destination).poll_write(cx, &self.rest[self.written..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.written += written,
            }
        }
        if !self.rest.is_empty() {
            (self.rest, self.written) = (Vec::new(), 0);
        }
        if self.needs_flush {
            ready!(Pin::new(&mut *destination).poll_flush(cx))?;
            self.needs_flush = false;
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{DuplexStream, duplex};

    /// The outer ends of a tunnel that runs, and what makes its server depart or stop.
    struct Ends {
        client: DuplexStream,
        owner: Option<DuplexStream>,
        depart: tokio::sync::oneshot::Sender<()>,
        stop: watch::Sender<bool>,
    }

    fn open(buffer_bytes: usize) -> Ends {
        let (client, client_inner) = duplex(buffer_bytes);
        let (owner, owner_inner) = duplex(buffer_bytes);
        let (depart, departed) = tokio::sync::oneshot::channel();
        let (stop, stopping) = watch::channel(false);
        let departure = async move {
            if departed.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::spawn(run(client_inner, owner_inner, departure, stopping));
        Ends { client, owner: Some(owner), depart, stop }
    }

    fn frame(length: usize) -> Vec<u8> {
        OutFrame::binary(vec![7; length].into()).rest(0).concat()
    }

    fn restarting() -> Vec<u8> {
        OutFrame::close(1012, "restarting").rest(0).concat()
    }

    async fn read(stream: &mut DuplexStream, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes).await.expect("the tunnel passes it on");
        bytes
    }

    /// Reads as a client does that answers a close frame.
    async fn read_to_close(stream: &mut DuplexStream) -> Vec<u8> {
        let mut bytes = Vec::new();
        loop {
            let mut piece = [0; 4_096];
            match stream.read(&mut piece).await {
                Ok(0) | Err(_) => return bytes,
                Ok(length) => bytes.extend(&piece[..length]),
            }
            if bytes.ends_with(&restarting()) {
                stream.shutdown().await.expect("open");
            }
        }
    }

    #[tokio::test]
    async fn bytes_pass_in_both_directions_in_pieces_of_any_size() {
        let mut ends = open(1_000);
        let owner = ends.owner.as_mut().expect("open");
        let sent = frame(100_000);
        let (written, got) = tokio::join!(owner.write_all(&sent), read(&mut ends.client, sent.len()));
        written.expect("written");
        assert_eq!(got, sent);
        let (written, got) = tokio::join!(ends.client.write_all(&sent), read(owner, sent.len()));
        written.expect("written");
        assert_eq!(got, sent);
    }

    #[tokio::test]
    async fn a_client_whose_server_has_left_is_told_to_connect_again() {
        for is_killed in [true, false] {
            let mut ends = open(1_000);
            ends.owner.as_mut().expect("open").write_all(&frame(10)).await.expect("written");
            assert_eq!(read(&mut ends.client, 12).await, frame(10));
            match is_killed {
                true => drop(ends.owner.take()),
                false => ends.depart.send(()).expect("the tunnel runs"),
            }
            assert_eq!(read_to_close(&mut ends.client).await, restarting(), "{is_killed}");
        }
    }

    #[tokio::test]
    async fn within_a_frame_the_connection_is_cut() {
        let mut ends = open(1_000);
        ends.owner.take().expect("open").write_all(&frame(10)[..5]).await.expect("written");
        assert_eq!(read_to_close(&mut ends.client).await, &frame(10)[..5]);
    }

    #[tokio::test]
    async fn the_close_frame_of_the_server_is_the_last_one() {
        let mut ends = open(1_000);
        let forbidden = OutFrame::close(4403, "forbidden").rest(0).concat();
        ends.owner.take().expect("open").write_all(&forbidden).await.expect("written");
        assert_eq!(read(&mut ends.client, forbidden.len()).await, forbidden);
        ends.client.shutdown().await.expect("open");
        assert_eq!(read_to_close(&mut ends.client).await, b"");
    }

    #[tokio::test]
    async fn a_server_that_stops_ends_the_tunnel_between_two_frames() {
        let mut ends = open(1_000);
        let owner = ends.owner.as_mut().expect("open");
        let (first, rest) = (&frame(10)[..5], &frame(10)[5..]);
        owner.write_all(first).await.expect("written");
        assert_eq!(read(&mut ends.client, 5).await, first);
        ends.stop.send_replace(true);
        owner.write_all(rest).await.expect("written");
        assert_eq!(read_to_close(&mut ends.client).await, [rest, &restarting()].concat());
    }

    #[tokio::test]
    async fn the_server_of_the_room_notices_that_the_client_has_gone() {
        let mut ends = open(1_000);
        let mut owner = ends.owner.take().expect("open");
        ends.client.write_all(b"last").await.expect("written");
        drop(ends.client);
        let mut got = Vec::new();
        owner.read_to_end(&mut got).await.expect("the end");
        assert_eq!(got, b"last");
    }

    #[tokio::test]
    async fn an_end_that_does_not_read_stops_the_other_after_a_piece() {
        let mut ends = open(1_000);
        let owner = ends.owner.as_mut().expect("open");
        let mut taken = 0;
        while let Ok(written) = timeout(Duration::from_millis(50), owner.write(&[0x82; 1_000])).await {
            taken += written.expect("open");
            assert!(taken <= 2 * 1_000 + 2 * PIECE_BYTES, "{taken} bytes are in memory");
        }
    }
}
