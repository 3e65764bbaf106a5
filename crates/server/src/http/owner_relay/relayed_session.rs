//! [`RelayedSession`]: counts an open session.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use crate::http::accept::CountedConnection;
use crate::metrics::Metrics;

/// An open relayed session, for limits and metrics.
pub struct RelayedSession {
    metrics: Arc<Metrics>,
    _permit: OwnedSemaphorePermit,
    /// Counts towards the connections of this server.
    _connection: CountedConnection,
}

impl RelayedSession {
    /// Counts a session until the value is dropped.
    pub fn begin(
        metrics: Arc<Metrics>,
        permit: OwnedSemaphorePermit,
        connection: CountedConnection,
    ) -> RelayedSession {
        metrics.relayed_sessions.inc();
        RelayedSession { metrics, _permit: permit, _connection: connection }
    }
}

impl Drop for RelayedSession {
    fn drop(&mut self) {
        self.metrics.relayed_sessions.dec();
    }
}
