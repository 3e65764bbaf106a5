//! [`OwnerRelay`]: what all relayed requests of a server share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::connections::Connections;
use super::departures::Departures;
use crate::limits;
use crate::rooms::Rooms;

/// The relay to the other servers. Clones share it.
#[derive(Clone)]
pub struct OwnerRelay {
    pub connections: Connections,
    pub departures: Departures,
    /// Free requests.
    pub requests: Arc<Semaphore>,
    /// Free sessions.
    pub sessions: Arc<Semaphore>,
}

impl OwnerRelay {
    /// The relay of a server with these rooms.
    pub fn new(rooms: &Rooms) -> OwnerRelay {
        OwnerRelay {
            connections: Connections::default(),
            departures: Departures::of(rooms),
            requests: Arc::new(Semaphore::new(limits::RELAYED_REQUESTS_MAX)),
            sessions: Arc::new(Semaphore::new(limits::RELAYED_SESSIONS_MAX)),
        }
    }
}
