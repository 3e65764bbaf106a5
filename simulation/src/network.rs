//! Connections: each direction keeps its order and takes its time, until the connection is gone.

use std::sync::Arc;

use quadrille_protocol::SessionId;

use crate::random::Random;

/// One connection between a client and one life of the server.
pub struct Connection {
    pub client: usize,
    pub session: SessionId,
    /// The life of the server that accepted it.
    pub life: u64,
    pub client_has_left: bool,
    pub server_has_left: bool,
    /// Sums of what is on the way to the client, as the server's outgoing queue sees it.
    pub outgoing_bytes: usize,
    /// The server has dropped a broadcast and waits for the queue to empty.
    pub has_missed: bool,
    /// Whatever is on its way, both ways, gets lost; neither end knows.
    pub is_dead: bool,
    /// Gets broadcasts.
    pub is_subscribed: bool,
    /// Frames still to be delivered twice.
    pub duplicates: u32,
    last_to_client_ms: u64,
    last_to_server_ms: u64,
    delays: Random,
    delay_ms: (u64, u64),
}

impl Connection {
    pub fn new(
        client: usize,
        session: SessionId,
        life: u64,
        delays: Random,
        delay_ms: (u64, u64),
    ) -> Connection {
        Connection {
            client,
            session,
            life,
            client_has_left: false,
            server_has_left: false,
            outgoing_bytes: 0,
            has_missed: false,
            is_dead: false,
            is_subscribed: false,
            duplicates: 0,
            last_to_client_ms: 0,
            last_to_server_ms: 0,
            delays,
            delay_ms,
        }
    }

    /// When a frame sent now arrives: never before one that was sent earlier.
    pub fn arrival_at_client_ms(&mut self, now_ms: u64, not_before_ms: u64) -> u64 {
        let arrival = (now_ms + self.delay()).max(self.last_to_client_ms).max(not_before_ms);
        self.last_to_client_ms = arrival;
        arrival
    }

    pub fn arrival_at_server_ms(&mut self, now_ms: u64, not_before_ms: u64) -> u64 {
        let arrival = (now_ms + self.delay()).max(self.last_to_server_ms).max(not_before_ms);
        self.last_to_server_ms = arrival;
        arrival
    }

    pub fn delay(&mut self) -> u64 {
        let (low, high) = self.delay_ms;
        // Mostly quick, sometimes as slow as it gets.
        if self.delays.one_in(8) {
            self.delays.between(low, high)
        } else {
            self.delays.between(low, low + (high - low) / 8)
        }
    }

    /// Whether the frame in hand is to be delivered twice.
    pub fn takes_duplicate(&mut self) -> bool {
        let takes = self.duplicates > 0;
        self.duplicates = self.duplicates.saturating_sub(1);
        takes
    }
}

/// Bytes on their way.
#[derive(Clone, Debug)]
pub struct Packet {
    pub bytes: Arc<[u8]>,
    /// Whether they count as waiting in the server's outgoing queue.
    pub counts: bool,
}
