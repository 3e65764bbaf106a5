//! [`OwnerRelay`]: what all relayed requests of a server share.

use std::sync::Arc;

use quadrille_journal::PeerId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connections::Connections;
use super::departures::Departures;
use super::relayed_numbers::{ReceivedNumbers, RequestNumbers};
use super::room_stream::{OwnerStreams, RelayStreams};
use super::signature::OwnServer;
use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::rooms::Rooms;

/// The relay to the other servers. Clones share it.
#[derive(Clone)]
pub struct OwnerRelay {
    /// Where the other servers reach this one.
    pub own_url: Arc<str>,
    /// The numbers of this process in its databases.
    own_processes: Arc<[PeerId]>,
    /// Of the requests that this server relays.
    pub numbers: Arc<RequestNumbers>,
    /// Of those that others have relayed to it.
    pub received: Arc<ReceivedNumbers>,
    pub connections: Connections,
    pub departures: Departures,
    /// Sessions of other servers in rooms of this one.
    pub owner_streams: OwnerStreams,
    /// Sessions of this server in rooms of others.
    pub relay_streams: RelayStreams,
    requests: Limited,
    sessions: Limited,
}

impl OwnerRelay {
    /// The relay of a server with these rooms, which the others reach at `own_url`.
    pub fn new(rooms: &Rooms, own_url: &str) -> OwnerRelay {
        OwnerRelay {
            own_url: own_url.into(),
            own_processes: rooms.own_processes(),
            numbers: Arc::default(),
            received: Arc::default(),
            connections: Connections::default(),
            departures: Departures::of(rooms),
            owner_streams: OwnerStreams::default(),
            relay_streams: RelayStreams::default(),
            requests: Limited::new("requests for rooms", limits::RELAYED_REQUESTS_MAX),
            sessions: Limited::new("sessions in rooms", limits::RELAYED_SESSIONS_MAX),
        }
    }

    /// This server, as the others address it.
    pub fn own_server(&self) -> OwnServer<'_> {
        OwnServer { url: &self.own_url, processes: &self.own_processes }
    }

    /// Counts a relayed request or session until the permit is dropped.
    ///
    /// # Errors
    ///
    /// Fails with `overloaded` when there are too many.
    pub fn permit(&self, is_session: bool) -> Result<OwnedSemaphorePermit, ApiError> {
        if is_session { self.sessions.permit() } else { self.requests.permit() }
    }
}

/// A number of things that are relayed at once.
#[derive(Clone)]
struct Limited {
    what: &'static str,
    free: Arc<Semaphore>,
}

impl Limited {
    fn new(what: &'static str, max: usize) -> Limited {
        Limited { what, free: Arc::new(Semaphore::new(max)) }
    }

    fn permit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.free).try_acquire_owned().map_err(|_| {
            let message = format!("too many {} of other servers are relayed; try again later", self.what);
            ApiError::new(ErrorCode::Overloaded, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exceeds_the_limit_is_refused_until_something_ends() {
        let limited = Limited::new("sessions in rooms", 2);
        let (first, _second) = (limited.permit().expect("free"), limited.permit().expect("free"));
        let refused = limited.permit().expect_err("too many");
        assert_eq!(refused.code, ErrorCode::Overloaded);
        drop(first);
        assert!(limited.permit().is_ok());
    }
}
