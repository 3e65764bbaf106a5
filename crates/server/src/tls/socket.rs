//! The socket of a session over TLS: non-blocking reads and writes by several threads, as on a TCP
//! stream.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::Connection;
use tokio::net::TcpStream;
use tokio_rustls::{client, server};

use crate::rooms::SocketIo;

/// A TLS connection after its handshake.
///
/// Of what a write takes, encrypted bytes can stay here while the TCP socket is full, at most as
/// many as rustls buffers (64 KiB). [`try_flush`](SocketIo::try_flush) passes them on.
pub struct TlsSocket {
    stream: TcpStream,
    connection: Mutex<Connection>,
}

impl TlsSocket {
    /// Takes over a client's connection, with data that it has received and not returned yet.
    pub fn of_server(stream: server::TlsStream<TcpStream>) -> TlsSocket {
        let (stream, connection) = stream.into_inner();
        TlsSocket { stream, connection: Mutex::new(connection.into()) }
    }

    /// Takes over a connection to another server.
    pub fn of_client(stream: client::TlsStream<TcpStream>) -> TlsSocket {
        let (stream, connection) = stream.into_inner();
        TlsSocket { stream, connection: Mutex::new(connection.into()) }
    }

    /// Waits until there may be something to read.
    ///
    /// # Errors
    ///
    /// Fails when the socket does.
    pub async fn readable(&self) -> io::Result<()> {
        if self.has_plaintext() {
            return Ok(());
        }
        self.stream.readable().await
    }

    /// Waits until the TCP socket takes bytes.
    ///
    /// # Errors
    ///
    /// Fails when the socket does.
    pub async fn writable(&self) -> io::Result<()> {
        self.stream.writable().await
    }

    /// Reads decrypted bytes; 0 at the end of the stream, with or without TLS's own end:
    /// a WebSocket has a close frame.
    ///
    /// # Errors
    ///
    /// Fails with `WouldBlock` when there is nothing to read now, and when the client violates the
    /// protocol.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut connection = self.lock();
        loop {
            match connection.reader().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                read => return read,
            }
            connection.read_tls(&mut NonBlocking(&self.stream))?;
            let processed = connection.process_new_packets();
            // Answers of the protocol itself, such as an alert. When the socket is full they follow
            // with the next write.
            let flushed = self.flush(&mut connection);
            processed.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            flushed?;
        }
    }

    /// Whether decrypted bytes or the end of the stream wait to be read.
    fn has_plaintext(&self) -> bool {
        // Processes nothing new: received records are processed as soon as they are read.
        match self.lock().process_new_packets() {
            Ok(state) => state.plaintext_bytes_to_read() > 0 || state.peer_has_closed(),
            // The next read reports it.
            Err(_) => true,
        }
    }

    /// Passes encrypted bytes on; false when some are left because the TCP socket is full.
    fn flush(&self, connection: &mut Connection) -> io::Result<bool> {
        while connection.wants_write() {
            match connection.write_tls(&mut NonBlocking(&self.stream)) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic inside rustls would leave a connection that fails by itself.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SocketIo for TlsSocket {
    fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut connection = self.lock();
        let mut slices = slices.to_vec();
        let mut rest = &mut slices[..];
        // Removes the empty slices in front: of none, rustls would take nothing.
        IoSlice::advance_slices(&mut rest, 0);
        if rest.is_empty() {
            return Ok(0);
        }
        let mut taken = 0;
        // Encrypts more only when the last buffer is gone, so that one buffer at most waits here.
        while !rest.is_empty() && self.flush(&mut connection)? {
            let count = connection.writer().write_vectored(rest)?;
            if count == 0 {
                return Err(ErrorKind::WriteZero.into());
            }
            taken += count;
            IoSlice::advance_slices(&mut rest, count);
        }
        if taken == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        self.flush(&mut connection)?;
        Ok(taken)
    }

    fn try_flush(&self) -> io::Result<bool> {
        self.flush(&mut self.lock())
    }
}

/// Tells the client that the connection ends here and was not cut off.
impl Drop for TlsSocket {
    fn drop(&mut self) {
        let mut connection = self.lock();
        connection.send_close_notify();
        // Best effort: the client may be gone.
        let _ = self.flush(&mut connection);
    }
}

/// The TCP stream for rustls.
struct NonBlocking<'a>(&'a TcpStream);

impl Read for NonBlocking<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(buffer)
    }
}

impl Write for NonBlocking<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_write_vectored(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::crypto::ring;
    use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
    use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, StreamOwned};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    use super::*;

    type Client = StreamOwned<ClientConnection, std::net::TcpStream>;

    /// Both ends of a connection over this machine. The client has done its handshake.
    async fn connection() -> (TlsSocket, Client) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("valid names");
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.key_pair.serialize_der()));
        let provider = Arc::new(ring::default_provider());
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .and_then(|config| {
                config.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key)
            })
            .expect("a valid certificate");
        let mut roots = RootCertStore::empty();
        roots.add(made.cert.der().clone()).expect("a certificate");
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("supported versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let connect = tokio::task::spawn_blocking(move || {
            let name = "localhost".try_into().expect("a name");
            let connection = ClientConnection::new(Arc::new(client), name).expect("a valid configuration");
            let tcp = std::net::TcpStream::connect(address).expect("listening");
            let mut client = StreamOwned::new(connection, tcp);
            while client.conn.is_handshaking() {
                client.conn.complete_io(&mut client.sock).expect("a handshake");
            }
            client
        });
        let (stream, _) = listener.accept().await.expect("a client");
        let stream = TlsAcceptor::from(Arc::new(config)).accept(stream).await.expect("a handshake");
        (TlsSocket::of_server(stream), connect.await.expect("no panic"))
    }

    fn bytes(count: usize) -> Vec<u8> {
        (0..count).map(|index| (index / 7) as u8).collect()
    }

    #[tokio::test]
    async fn a_client_that_reads_late_gets_every_byte_once() {
        let (socket, mut client) = connection().await;
        // More than the buffers of a TCP connection within a machine.
        let sent = bytes(16 << 20);
        let mut taken = 0;
        while let Ok(count) =
            socket.try_write(&[IoSlice::new(&sent[taken..taken + 1]), IoSlice::new(&sent[taken + 1..])])
        {
            taken += count;
        }
        assert!(taken < sent.len());
        assert!(!socket.try_flush().expect("open"));
        let length = sent.len();
        let read = tokio::task::spawn_blocking(move || {
            let mut received = vec![0; length];
            client.read_exact(&mut received).expect("open");
            // The end of TLS, not only that of TCP.
            assert_eq!(client.read(&mut [0; 1]).expect("a proper end"), 0);
            received
        });
        while taken < sent.len() || !socket.try_flush().expect("open") {
            socket.writable().await.expect("open");
            match socket.try_write(&[IoSlice::new(&sent[taken..])]) {
                Ok(count) => taken += count,
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
        }
        drop(socket);
        assert!(read.await.expect("no panic") == sent);
    }

    #[tokio::test]
    async fn a_write_without_bytes_takes_none() {
        let (socket, _client) = connection().await;
        assert_eq!(socket.try_write(&[]).expect("open"), 0);
        assert_eq!(socket.try_write(&[IoSlice::new(&[]), IoSlice::new(&[])]).expect("open"), 0);
        assert_eq!(socket.try_write(&[IoSlice::new(&[]), IoSlice::new(b"a")]).expect("open"), 1);
    }

    #[tokio::test]
    async fn what_was_decrypted_is_read_before_the_socket_is_waited_for() {
        let (socket, mut client) = connection().await;
        let sent = bytes(100_000);
        let copy = sent.clone();
        let written = tokio::task::spawn_blocking(move || {
            client.write_all(&copy).expect("open");
            client.conn.send_close_notify();
            client.conn.complete_io(&mut client.sock).expect("open");
            client
        });
        let client = written.await.expect("no panic");
        let mut received = Vec::new();
        // Smaller than a record, so that each record takes several reads.
        let mut buffer = [0; 1_000];
        loop {
            socket.readable().await.expect("open");
            match socket.try_read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => received.extend_from_slice(&buffer[..count]),
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
        }
        assert!(received == sent);
        drop(client);
    }
}
