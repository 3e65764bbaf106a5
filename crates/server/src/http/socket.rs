//! The socket of a session: a TCP stream, with TLS or without.

use std::io::{self, IoSlice};
use std::net::Ipv4Addr;

use bytes::Bytes;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::server::TlsStream;

use crate::rooms::SocketIo;
use crate::tls::TlsSocket;

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
}

impl Socket {
    /// Takes the socket out of an HTTP connection, with the bytes that were received after the
    /// request.
    pub fn of_upgraded(upgraded: Upgraded) -> (Socket, Bytes) {
        match upgraded.downcast::<TokioIo<TcpStream>>() {
            Ok(parts) => (Socket::Plain(parts.io.into_inner()), parts.read_buf),
            Err(upgraded) => {
                let parts = upgraded.downcast::<TokioIo<TlsStream<TcpStream>>>();
                let parts = parts.expect("the accept loop serves TCP streams with TLS or without");
                (Socket::Tls(Box::new(TlsSocket::new(parts.io.into_inner()))), parts.read_buf)
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
        }
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
        }
    }
}

impl SocketIo for Socket {
    fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Socket::Plain(stream) => stream.try_write_vectored(slices),
            Socket::Tls(socket) => socket.try_write(slices),
        }
    }

    fn try_flush(&self) -> io::Result<bool> {
        match self {
            Socket::Plain(_) => Ok(true),
            Socket::Tls(socket) => socket.try_flush(),
        }
    }
}
