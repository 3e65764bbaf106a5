//! The socket of a session: a TCP stream, with TLS or without, or a part of the stream from another server.

use std::io::{self, ErrorKind, IoSlice};
use std::net::Ipv4Addr;
use std::sync::Arc;

use bytes::Bytes;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::futures::Notified;
use tokio_rustls::server::TlsStream;

use super::server_stream::ServerStream;
use crate::rooms::{Outbox, SocketIo};
use crate::tls::TlsSocket;
use crate::trace::TraceTime;

/// Two ends of a connection within the process: the client's and the server's.
///
/// # Errors
///
/// Fails when the system has no more sockets.
pub async fn socket_pair() -> std::io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let client_end = TcpStream::connect(listener.local_addr()?).await?;
    let server_end = loop {
        // Another process of this machine may connect first.
        let (stream, peer) = listener.accept().await?;
        if peer == client_end.local_addr()? {
            break stream;
        }
    };
    client_end.set_nodelay(true)?;
    server_end.set_nodelay(true)?;
    Ok((client_end, server_end))
}

/// A socket that several threads read and write without blocking.
pub enum Socket {
    Plain(TcpStream),
    /// In a box, so that sessions without TLS do not need its space.
    Tls(Box<TlsSocket>),
    /// The client is at another server.
    Relayed(Box<dyn RelayedSocket>),
}

/// The socket of a client at another server. Writing does not wait: what the other server does not take
/// waits in the outbox of its connection.
pub trait RelayedSocket: SocketIo {
    /// Whether there is something to read, or the end.
    fn is_readable(&self) -> bool;

    /// Completes when [`is_readable`](Self::is_readable) may have changed.
    fn received(&self) -> Notified<'_>;

    /// Reads bytes of the client; 0 when it has disconnected.
    ///
    /// # Errors
    ///
    /// Fails with `WouldBlock` when there are none now.
    fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Returns when the other server has read the bytes that were read last, if it traces.
    fn relayed_at(&self) -> Option<TraceTime>;

    /// Returns the outbox of the session.
    fn outbox(&self) -> Arc<dyn Outbox>;
}

impl Socket {
    /// Takes the socket out of an HTTP connection to another server, with the bytes that were received after
    /// the response.
    pub fn of_connected(upgraded: Upgraded) -> (Socket, Bytes) {
        let parts = upgraded.downcast::<TokioIo<ServerStream>>();
        let parts = parts.expect("the relay connects by TCP streams with TLS or without");
        let socket = match parts.io.into_inner() {
            ServerStream::Plain(stream) => Socket::Plain(stream),
            ServerStream::Tls(stream) => Socket::Tls(Box::new(TlsSocket::of_client(*stream))),
        };
        (socket, parts.read_buf)
    }

    /// Takes the socket out of an HTTP connection of a client, with the bytes that were received after the
    /// request.
    pub fn of_upgraded(upgraded: Upgraded) -> (Socket, Bytes) {
        match upgraded.downcast::<TokioIo<TcpStream>>() {
            Ok(parts) => (Socket::Plain(parts.io.into_inner()), parts.read_buf),
            Err(upgraded) => {
                let parts = upgraded.downcast::<TokioIo<TlsStream<TcpStream>>>();
                let parts = parts.expect("the accept loop serves TCP streams with TLS or without");
                (Socket::Tls(Box::new(TlsSocket::of_server(parts.io.into_inner()))), parts.read_buf)
            }
        }
    }

    /// Waits until there may be something to read.
    ///
    /// # Errors
    ///
    /// Fails when the socket does.
    pub async fn readable(&self) -> io::Result<()> {
        match self {
            Socket::Plain(stream) => stream.readable().await,
            Socket::Tls(socket) => socket.readable().await,
            Socket::Relayed(socket) => loop {
                let received = socket.received();
                if socket.is_readable() {
                    return Ok(());
                }
                received.await;
            },
        }
    }

    /// Waits until the socket takes bytes.
    ///
    /// # Errors
    ///
    /// Fails when the socket does.
    pub async fn writable(&self) -> io::Result<()> {
        match self {
            Socket::Plain(stream) => stream.writable().await,
            Socket::Tls(socket) => socket.writable().await,
            Socket::Relayed(_) => Ok(()),
        }
    }

    /// Returns when the server of a relayed client has read the bytes that were read last, if it traces.
    pub fn relayed_at(&self) -> Option<TraceTime> {
        match self {
            Socket::Relayed(socket) => socket.relayed_at(),
            Socket::Plain(_) | Socket::Tls(_) => None,
        }
    }

    /// Writes all bytes.
    ///
    /// # Errors
    ///
    /// Fails when the socket does.
    pub async fn write_all(&self, mut rest: &[u8]) -> io::Result<()> {
        loop {
            let is_done = match rest.is_empty() {
                true => self.try_flush()?,
                false => {
                    match self.try_write(&[IoSlice::new(rest)]) {
                        Ok(written) => rest = &rest[written..],
                        Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                        Err(error) => return Err(error),
                    }
                    false
                }
            };
            if is_done {
                return Ok(());
            }
            self.writable().await?;
        }
    }

    /// Reads available bytes, at most `bytes_max`, and returns their number; 0 at the end of the stream.
    ///
    /// # Errors
    ///
    /// Fails when the socket does.
    pub async fn read_some(&self, bytes_max: usize, mut take: impl FnMut(&[u8])) -> io::Result<usize> {
        loop {
            self.readable().await?;
            match self.read_now(bytes_max, &mut take) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
    }

    /// Not part of [`read_some`](Self::read_some), so that the buffer is on the thread's stack and not in the future of
    /// every connection.
    fn read_now(&self, bytes_max: usize, take: &mut impl FnMut(&[u8])) -> io::Result<usize> {
        let mut buffer = [0; 16 << 10];
        let space = bytes_max.min(buffer.len());
        let length = self.try_read(&mut buffer[..space])?;
        take(&buffer[..length]);
        Ok(length)
    }

    /// Reads available bytes; 0 at the end of the stream.
    ///
    /// # Errors
    ///
    /// Fails with `WouldBlock` when there is nothing to read now.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Plain(stream) => stream.try_read(buffer),
            Socket::Tls(socket) => socket.try_read(buffer),
            Socket::Relayed(socket) => socket.try_read(buffer),
        }
    }
}

impl SocketIo for Socket {
    fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Socket::Plain(stream) => stream.try_write_vectored(slices),
            Socket::Tls(socket) => socket.try_write(slices),
            Socket::Relayed(socket) => socket.try_write(slices),
        }
    }

    fn try_flush(&self) -> io::Result<bool> {
        match self {
            Socket::Plain(_) | Socket::Relayed(_) => Ok(true),
            Socket::Tls(socket) => socket.try_flush(),
        }
    }
}
