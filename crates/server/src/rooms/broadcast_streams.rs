//! [`BroadcastStreams`]: the connections over which a room's broadcasts reach sessions at other servers.

use std::sync::Arc;

use super::outbox::{Flushed, Outbox};

/// The outboxes of these connections, one for each server that relays sessions of the room.
#[derive(Default)]
pub struct BroadcastStreams {
    streams: Vec<Arc<dyn Outbox>>,
}

impl BroadcastStreams {
    /// Adds the stream of a session, unless another session has.
    pub fn add(&mut self, stream: Option<Arc<dyn Outbox>>) {
        let Some(stream) = stream else { return };
        self.streams.retain(|known| !known.is_disconnected());
        let is_same = |known: &Arc<dyn Outbox>| std::ptr::addr_eq(Arc::as_ptr(known), Arc::as_ptr(&stream));
        if !self.streams.iter().any(is_same) {
            self.streams.push(stream);
        }
    }

    /// Writes what the connections take now, and returns whether that is everything.
    pub fn flush(&mut self) -> bool {
        self.streams.retain(|stream| !stream.is_disconnected());
        // Each is flushed, also behind one that takes no more.
        self.streams.iter().filter(|stream| stream.flush() != Flushed::All).count() == 0
    }
}
