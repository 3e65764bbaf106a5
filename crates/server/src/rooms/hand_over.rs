//! Giving rooms to other servers with the same database, while people use them.
//!
//! The sessions of the room are closed as when a server stops, so that clients connect again after an eighth to a
//! quarter of a second. What arrives meanwhile waits until the room is no longer in memory; then this server asks for
//! the room like any other, and is told where it is.

use std::time::{Duration, Instant};

use quadrille_protocol::CloseReason;
use quadrille_room::Event;

use super::open_room::{OpenRoom, ThreadContext};
use super::room_message::RoomMessage;

/// Rooms with more sessions stay: so many clients would connect again at once.
pub const SESSIONS_MAX: usize = 200;
/// A room that still has something to do after this time stays.
pub const TIMEOUT: Duration = Duration::from_secs(2);

/// A room that is about to go to another server.
pub struct Leaving {
    /// The URL of the other server.
    pub heir: String,
    pub since: Instant,
    /// Requests and sessions that have arrived since.
    pub waiting: Vec<RoomMessage>,
}

impl OpenRoom {
    /// Closes all sessions and forgets them, without waiting for the clients.
    pub fn end_sessions(&mut self, reason: CloseReason, context: &mut ThreadContext) {
        self.close_sessions(reason);
        self.clients.clear();
        for session in std::mem::take(&mut self.sessions).into_keys() {
            self.handle(Event::Disconnect { session }, context);
        }
    }
}
