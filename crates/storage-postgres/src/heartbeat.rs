//! The heartbeat of this server, its polling of the others (O1, O3), and the watch over its answers.

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

/// Time between two checks of the watch.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Checks without an answered heartbeat until the database counts as away: one second, in which four heartbeats are sent.
/// They are counted rather than timed, so that a pause of this process is not one of the database.
const SILENT_CHECKS_MAX: u32 = 10;

/// A thread that raises the beat, over a connection of its own, and one that watches its answers, because the first
/// waits for them. They end when this is dropped.
pub struct Heartbeat {
    stop: Vec<Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts the threads. `availability` is told of answers and when the row of the node was removed (O4), `peers` when
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
        let mut heartbeat = Heartbeat { stop: Vec::new(), threads: Vec::new() };
        let (watched, named) = (availability.clone(), address.to_string());
        heartbeat.spawn("storage-watch", move |stopped| watch(&watched, &named, stopped))?;
        heartbeat.spawn("storage-beat", move |stopped| {
            beat(connection, node, &availability, &peers, stopped);
        })?;
        Ok(heartbeat)
    }

    fn spawn(&mut self, name: &str, run: impl FnOnce(&Receiver<()>) + Send + 'static) -> Result<(), Failure> {
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new()
            .name(name.into())
            .spawn(move || run(&stopped))
            .map_err(|error| Failure::Other(format!("cannot start a thread: {error}")))?;
        self.stop.push(stop);
        self.threads.push(thread);
        Ok(())
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop.clear();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Notes whether heartbeats are answered.
fn watch(availability: &Availability, address: &str, stopped: &Receiver<()>) {
    let (mut heartbeats, mut silent) = (availability.heartbeats(), 0);
    while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(CHECK_INTERVAL) {
        let now = availability.heartbeats();
        silent = if now == heartbeats { silent + 1 } else { 0 };
        heartbeats = now;
        let is_silent = silent >= SILENT_CHECKS_MAX;
        match (availability.set_silent(is_silent), is_silent) {
            (false, true) => tracing::warn!(address, "the database answers no heartbeat and counts as away"),
            (true, false) => tracing::info!(address, "the database answers heartbeats again"),
            _ => {}
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
