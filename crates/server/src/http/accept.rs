//! Accepts connections and serves HTTP/1.1 on them, with limits of time, size and number.

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
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower_service::Service;

use crate::limits;

/// A connection that counts towards `CONNECTIONS_MAX`. It is an extension of every request; a
/// session keeps it after the upgrade to a WebSocket.
#[derive(Clone)]
pub struct CountedConnection {
    _permit: Arc<OwnedSemaphorePermit>,
    /// Address of the other end, which may be a proxy.
    pub peer: IpAddr,
}

/// Serves until `stop` becomes `true`, then waits for requests and sessions in progress to finish.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connections_max: usize,
    mut stop: watch::Receiver<bool>,
) {
    let connections_max = connections_max.clamp(1, 1 << 20);
    let free_connections = Arc::new(Semaphore::new(connections_max));
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
        match Arc::clone(&free_connections).try_acquire_owned() {
            Ok(permit) => {
                let counted = CountedConnection { _permit: Arc::new(permit), peer: peer.ip() };
                tokio::spawn(connection(stream, router.clone(), counted, stop.clone()));
            }
            Err(_) => drop(tokio::spawn(reject(stream))),
        }
    }
    drop(listener);
    // When all permits are available, every connection has ended.
    let _ = free_connections.acquire_many(connections_max as u32).await;
}

async fn connection(
    stream: TcpStream,
    router: Router,
    counted: CountedConnection,
    mut stop: watch::Receiver<bool>,
) {
    // Sends small frames at once (TCP_NODELAY); a failure only costs latency.
    let _ = stream.set_nodelay(true);
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

/// Waits until the server stops.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender was dropped, which is a stop as well. The value is a lock
    // guard and is dropped at once.
    drop(stop.wait_for(|stopping| *stopping).await);
}

/// Answers 503 on a connection beyond the limit.
async fn reject(mut stream: TcpStream) {
    const REPLY: &[u8] =
        b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    // Fails when the client has disconnected.
    let _ = stream.write_all(REPLY).await;
    let _ = stream.shutdown().await;
}
