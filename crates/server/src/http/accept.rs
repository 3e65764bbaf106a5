//! Accepts connections and runs HTTP/1.1 on them, within limits of time, size and number.

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

/// A connection's place among those allowed at once. Every request carries it, and a session keeps it when its
/// connection has become a WebSocket.
#[derive(Clone)]
pub struct Place {
    _permit: Arc<OwnedSemaphorePermit>,
    pub peer: IpAddr,
}

/// Serves until `stop` turns true, then lets requests and sessions under way finish and returns.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connections_max: usize,
    mut stop: watch::Receiver<bool>,
) {
    let connections_max = connections_max.clamp(1, 1 << 20);
    let places = Arc::new(Semaphore::new(connections_max));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped(&mut stop) => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, mostly: wait for some to be given back instead of spinning.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(permit) => {
                let place = Place { _permit: Arc::new(permit), peer: peer.ip() };
                tokio::spawn(connection(stream, router.clone(), place, stop.clone()));
            }
            Err(_) => drop(tokio::spawn(refuse(stream))),
        }
    }
    drop(listener);
    // All places free again means that every connection has ended.
    let _ = places.acquire_many(connections_max as u32).await;
}

async fn connection(stream: TcpStream, router: Router, place: Place, mut stop: watch::Receiver<bool>) {
    // Small frames must not wait for more to come; failing only costs latency.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(place.clone());
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

/// Until the server is told to stop.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, which is a stop as well. The value is a guard that must not be kept.
    drop(stop.wait_for(|stopping| *stopping).await);
}

/// Says that there is no place left, instead of leaving the client to wonder.
async fn refuse(mut stream: TcpStream) {
    const REPLY: &[u8] =
        b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    // The client may be gone already, and then nobody misses the reply.
    let _ = stream.write_all(REPLY).await;
    let _ = stream.shutdown().await;
}
