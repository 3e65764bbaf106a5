//! Connections to the other servers of the database. Those that are free are kept for later requests.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Uri;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::http::server_stream::ServerStream;
use crate::limits;

/// Free connections are closed before the other server closes them (`HEAD_SECONDS_MAX`): a request on one
/// that is being closed would fail.
const IDLE_MAX: Duration = Duration::from_secs(limits::HEAD_SECONDS_MAX / 2);
/// A connection whose last response was just read is free in no time, or is not used.
const READY_MAX: Duration = Duration::from_millis(100);

/// A connection on which no request is in progress.
pub struct Connection {
    pub sender: SendRequest<Body>,
    /// It was used before, so the other server may have closed it.
    pub is_reused: bool,
}

/// The connections to all servers. Clones share them.
#[derive(Clone, Default)]
pub struct Connections {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// By URL; those used last are at the end.
    free: Mutex<HashMap<String, Vec<Free>>>,
    /// Read when the first server is reached by TLS.
    tls: OnceLock<TlsConnector>,
}

/// A free connection, and since when.
type Free = (SendRequest<Body>, Instant);

impl Connections {
    /// Returns a free connection to the server at this URL, or a new one.
    ///
    /// # Errors
    ///
    /// Fails when the server cannot be reached.
    pub async fn get(&self, url: &str) -> io::Result<Connection> {
        while let Some(mut sender) = self.take(url) {
            if matches!(timeout(READY_MAX, sender.ready()).await, Ok(Ok(()))) {
                return Ok(Connection { sender, is_reused: true });
            }
        }
        self.open(url).await
    }

    /// Returns a new connection.
    ///
    /// # Errors
    ///
    /// Fails when the server cannot be reached, by TLS when its certificate is not trusted.
    pub async fn open(&self, url: &str) -> io::Result<Connection> {
        let limit = Duration::from_secs(limits::RELAY_CONNECT_SECONDS_MAX);
        let stream = timeout(limit, self.connect(url)).await;
        let stream = stream.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        // It ends with the connection. Errors reach the request.
        tokio::spawn(async move { drop(connection.with_upgrades().await) });
        Ok(Connection { sender, is_reused: false })
    }

    /// Keeps a connection whose response has been read.
    pub fn keep(&self, url: &str, sender: SendRequest<Body>) {
        if sender.is_closed() {
            return;
        }
        let mut free = self.shared.free.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        free.retain(|_, free| {
            free.retain(|(sender, since)| !sender.is_closed() && now - *since < IDLE_MAX);
            !free.is_empty()
        });
        let free = free.entry(url.to_owned()).or_default();
        if free.len() < limits::RELAY_CONNECTIONS_KEPT {
            free.push((sender, now));
        }
    }

    fn take(&self, url: &str) -> Option<SendRequest<Body>> {
        let mut free = self.shared.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = free.get_mut(url)?;
        while let Some((sender, since)) = free.pop() {
            if !sender.is_closed() && since.elapsed() < IDLE_MAX {
                return Some(sender);
            }
        }
        None
    }

    async fn connect(&self, url: &str) -> io::Result<ServerStream> {
        let invalid =
            || io::Error::new(io::ErrorKind::InvalidInput, format!("not the URL of a server: {url}"));
        let url: Uri = url.parse().map_err(|_| invalid())?;
        let host = url.host().ok_or_else(invalid)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let is_tls = match url.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(invalid()),
        };
        let port = url.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let stream = TcpStream::connect((host, port)).await?;
        // Sends small frames at once; a failure only costs latency.
        let _ = stream.set_nodelay(true);
        if !is_tls {
            return Ok(ServerStream::Plain(stream));
        }
        let name = ServerName::try_from(host.to_owned()).map_err(|_| invalid())?;
        let connector = self.shared.tls.get_or_init(tls_connector);
        Ok(ServerStream::Tls(Box::new(connector.connect(name, stream).await?)))
    }
}

/// Trusts the certificate authorities of the system, as all requests of the server do.
fn tls_connector() -> TlsConnector {
    let found = rustls_native_certs::load_native_certs();
    for error in found.errors {
        tracing::warn!(%error, "a certificate authority of the system was not read");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring has the versions of TLS that are compiled in");
    TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}
