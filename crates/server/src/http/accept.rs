//! Accepts connections, with TLS or without, and serves HTTP/1.1 on them, with limits of time, size
//! and number.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower_service::Service;

use crate::limits;
use crate::stopped::stopped;
use crate::tls::Tls;

/// A connection that counts towards `CONNECTIONS_MAX`. It is an extension of every request; a
/// session keeps it after the upgrade to a WebSocket.
#[derive(Clone)]
pub struct CountedConnection {
    _permit: Arc<OwnedSemaphorePermit>,
    /// Address of the other end, which may be a proxy.
    pub peer: IpAddr,
}

/// The connections that are still free, of all ports together.
#[derive(Clone)]
pub struct FreeConnections {
    free: Arc<Semaphore>,
    max: u32,
}

impl FreeConnections {
    /// At most this many connections, at least one.
    pub fn new(connections_max: usize) -> FreeConnections {
        let max = connections_max.clamp(1, 1 << 20);
        FreeConnections { free: Arc::new(Semaphore::new(max)), max: max as u32 }
    }

    /// Waits until every connection has ended.
    async fn all(&self) {
        let _ = self.free.acquire_many(self.max).await;
    }
}

/// Serves until `stop` becomes `true`, then waits for requests and sessions in progress to finish.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Tls>,
    router: Router,
    connections: FreeConnections,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped(&mut stop) => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Usually out of file descriptors: wait until some are closed instead of spinning.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // Sends small frames at once (TCP_NODELAY); a failure only costs latency.
        let _ = stream.set_nodelay(true);
        let counted = Arc::clone(&connections.free).try_acquire_owned();
        let counted = counted.map(|permit| CountedConnection { _permit: Arc::new(permit), peer: peer.ip() });
        match (counted, &tls) {
            (Ok(counted), None) => {
                tokio::spawn(connection(stream, router.clone(), counted, stop.clone()));
            }
            (Ok(counted), Some(tls)) => {
                tokio::spawn(connection_with_tls(stream, tls.clone(), router.clone(), counted, stop.clone()));
            }
            (Err(_), None) => drop(tokio::spawn(reject(stream))),
            // An answer would need a handshake.
            (Err(_), Some(_)) => {}
        }
    }
    drop(listener);
    connections.all().await;
}

async fn connection_with_tls(
    stream: TcpStream,
    tls: Tls,
    router: Router,
    counted: CountedConnection,
    mut stop: watch::Receiver<bool>,
) {
    let time_max = Duration::from_secs(limits::HANDSHAKE_SECONDS_MAX);
    let handshake = tokio::select! {
        handshake = tokio::time::timeout(time_max, tls.accept(stream)) => handshake,
        () = stopped(&mut stop) => return,
    };
    match handshake {
        Ok(Ok(Some(stream))) => connection(stream, router, counted, stop).await,
        Ok(Ok(None)) => tracing::debug!("answered a challenge of the certificate authority"),
        Ok(Err(error)) => tracing::debug!(%error, "the TLS handshake failed"),
        Err(_) => tracing::debug!("the TLS handshake took too long"),
    }
}

/// Serves one connection until it ends, or its requests after the server stops.
pub async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    counted: CountedConnection,
    mut stop: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(counted.clone());
        router.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(limits::HEAD_SECONDS_MAX))
        .max_buf_size(limits::HEAD_BYTES_MAX)
        .max_headers(limits::HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let result = tokio::select! {
        result = connection.as_mut() => result,
        () = stopped(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, "connection ended early");
    }
}

/// Answers 503 on a connection beyond the limit.
async fn reject(mut stream: TcpStream) {
    const REPLY: &[u8] =
        b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    // Fails when the client has disconnected.
    let _ = stream.write_all(REPLY).await;
    let _ = stream.shutdown().await;
}
