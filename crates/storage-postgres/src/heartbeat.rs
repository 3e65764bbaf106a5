//! The heartbeat of this server, and its polling of the others (O1, O3).

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use quadrille_journal::ownership::{PeerMonitor, has_to_end};
use quadrille_journal::{Availability, Peers};

use crate::address::Address;
use crate::connection::Connection;
use crate::error::Failure;
use crate::node::{self, BEAT_INTERVAL, NodeId};

/// The longest pause between two attempts to connect, so that a server is seen soon after the database is
/// back.
const RETRY_DELAY_MAX: Duration = Duration::from_millis(200);

/// A thread that raises the beat, over a connection of its own. Ends when it is dropped.
pub struct Heartbeat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts the thread. `availability` is told of answers and when the row of the node was removed (O4), `peers` when
    /// that of another is no longer there.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn start(
        address: &Address,
        application_name: String,
        node: NodeId,
        availability: Availability,
        peers: Peers,
    ) -> Result<Heartbeat, Failure> {
        let connection = Connection::open(address, application_name, RETRY_DELAY_MAX)?;
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new()
            .name("storage-beat".into())
            .spawn(move || beat(connection, node, &availability, &peers, &stopped))
            .map_err(|error| Failure::Other(format!("cannot start a thread: {error}")))?;
        Ok(Heartbeat { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn beat(
    mut connection: Connection,
    node: NodeId,
    availability: &Availability,
    peers: &Peers,
    stopped: &Receiver<()>,
) {
    let mut monitor = PeerMonitor::default();
    loop {
        let beaten = connection.run(|session| {
            let has_to_end = has_to_end(node::beat(session, node)?);
            if !has_to_end {
                let departed = node::poll(&mut monitor, session, node)?;
                departed.into_iter().for_each(|peer| peers.departed(peer));
            }
            Ok::<_, Failure>(has_to_end)
        });
        match beaten {
            Ok(false) => availability.note_heartbeat(),
            Ok(true) => return availability.set_lost(),
            // Nobody removes nodes meanwhile.
            Err(Failure::Away(_)) => monitor.unanswered(),
            Err(failure) => tracing::warn!(%failure, "the heartbeat was not stored"),
        }
        match stopped.recv_timeout(BEAT_INTERVAL) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
