//! Simulated connections: each direction delivers frames in order, with random delays.

use std::sync::Arc;

use quadrille_protocol::{Revision, SessionId};

use crate::random::Random;

/// A connection between a client and one process of the server.
pub struct Connection {
    pub client: usize,
    pub session: SessionId,
    /// The server process that accepted the connection.
    pub server_process: u64,
    pub client_has_closed: bool,
    pub server_has_closed: bool,
    /// Bytes on the way to the client, which is the content of the server's outgoing queue.
    pub outgoing_bytes: usize,
    /// Whether the server has dropped a broadcast and waits for the queue to drain.
    pub has_dropped_broadcast: bool,
    /// Whether frames in both directions are lost without either end noticing.
    pub is_dead: bool,
    /// Whether the connection receives broadcasts.
    pub is_subscribed: bool,
    /// Number of frames still to be delivered twice.
    pub duplicates: u32,
    /// The last revision that the session may get, once its role was changed (P27).
    pub last_revision: Option<Revision>,
    last_to_client_ms: u64,
    last_to_server_ms: u64,
    delays: Random,
    delay_ms: (u64, u64),
}

impl Connection {
    /// Creates an open connection whose delays in milliseconds are within `delay_ms`.
    pub fn new(
        client: usize,
        session: SessionId,
        server_process: u64,
        delays: Random,
        delay_ms: (u64, u64),
    ) -> Connection {
        Connection {
            client,
            session,
            server_process,
            client_has_closed: false,
            server_has_closed: false,
            outgoing_bytes: 0,
            has_dropped_broadcast: false,
            is_dead: false,
            is_subscribed: false,
            duplicates: 0,
            last_revision: None,
            last_to_client_ms: 0,
            last_to_server_ms: 0,
            delays,
            delay_ms,
        }
    }

    /// Time at which a frame sent now reaches the client: never before an earlier frame or
    /// `not_before_ms`.
    pub fn arrival_at_client_ms(&mut self, now_ms: u64, not_before_ms: u64) -> u64 {
        let arrival = (now_ms + self.delay()).max(self.last_to_client_ms).max(not_before_ms);
        self.last_to_client_ms = arrival;
        arrival
    }

    /// Time at which a frame sent now reaches the server: never before an earlier frame or
    /// `not_before_ms`.
    pub fn arrival_at_server_ms(&mut self, now_ms: u64, not_before_ms: u64) -> u64 {
        let arrival = (now_ms + self.delay()).max(self.last_to_server_ms).max(not_before_ms);
        self.last_to_server_ms = arrival;
        arrival
    }

    /// A random delay in milliseconds.
    pub fn delay(&mut self) -> u64 {
        let (low, high) = self.delay_ms;
        // Seven of eight delays are within the lowest eighth of the interval.
        if self.delays.one_in(8) {
            self.delays.between(low, high)
        } else {
            self.delays.between(low, low + (high - low) / 8)
        }
    }

    /// Whether the current frame is delivered twice; decrements the number of duplicates left.
    pub fn takes_duplicate(&mut self) -> bool {
        let takes = self.duplicates > 0;
        self.duplicates = self.duplicates.saturating_sub(1);
        takes
    }
}

/// A frame on its way.
#[derive(Clone, Debug)]
pub struct Packet {
    pub bytes: Arc<[u8]>,
    /// Whether the frame counts against the limit of the server's outgoing queue.
    pub counts: bool,
}
