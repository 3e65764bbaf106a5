//! The body of a relayed response, as it arrives.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::client::conn::http1::SendRequest;
use tokio::sync::OwnedSemaphorePermit;

use super::connections::Connections;

/// A body that is passed on piece by piece: one piece is in memory at a time.
pub struct RelayedBody {
    pub incoming: Incoming,
    /// Ends the body early, with an error: the server that sends it has left, or this one stops.
    pub end: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Kept for another request when the body has been read.
    pub connection: Option<(Connections, String, SendRequest<Body>)>,
    pub _permit: OwnedSemaphorePermit,
}

impl RelayedBody {
    fn keep_connection(&mut self) {
        if let Some((connections, url, sender)) = self.connection.take() {
            connections.keep(&url, sender);
        }
    }
}

impl HttpBody for RelayedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match Pin::new(&mut self.incoming).poll_frame(cx) {
            Poll::Ready(None) => {
                self.keep_connection();
                Poll::Ready(None)
            }
            Poll::Ready(Some(frame)) => Poll::Ready(Some(frame.map_err(io::Error::other))),
            Poll::Pending => {
                self.end.as_mut().poll(cx).map(|()| Some(Err(io::Error::other("a server stops"))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl Drop for RelayedBody {
    fn drop(&mut self) {
        // A body of known length is not asked for its end.
        if self.incoming.is_end_stream() {
            self.keep_connection();
        }
    }
}
