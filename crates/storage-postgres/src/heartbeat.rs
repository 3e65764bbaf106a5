//! The sign of life of the server that holds the lease (L2).

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use quadrille_journal::Availability;

use crate::address::Address;
use crate::connection::{Connection, Purpose};
use crate::error::Failure;
use crate::lease::{self, Epoch};

/// Time between two beats of the holder.
const BEAT_INTERVAL: Duration = Duration::from_millis(500);

/// A thread that raises the holder's beat, over a connection of its own. Ends when it is dropped.
pub struct Heartbeat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts the thread. `availability` is told when the lease is lost (L4).
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn start(address: &Address, epoch: Epoch, availability: Availability) -> Result<Heartbeat, Failure> {
        let connection = Connection::open(address, Purpose::Other)?;
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new()
            .name("storage-lease".into())
            .spawn(move || beat(connection, epoch, &availability, &stopped))
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

fn beat(mut connection: Connection, epoch: Epoch, availability: &Availability, stopped: &Receiver<()>) {
    loop {
        let beaten = connection.run(|session| lease::beat(session, epoch));
        // An error says that the database is away: nobody takes the lease meanwhile.
        if let Ok(false) = beaten {
            availability.set_lost();
            return;
        }
        match stopped.recv_timeout(BEAT_INTERVAL) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
