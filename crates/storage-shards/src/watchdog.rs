//! [`Watchdog`]: notices that a shard does not answer while its thread waits for it (H6).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use quadrille_journal::Availability;

/// Time between two checks.
const INTERVAL: Duration = Duration::from_secs(1);
/// Checks that find a thread in the same job, with no heartbeat answered since the check before, until its shard counts
/// as away. Heartbeats are sent four times a second.
const SILENT_CHECKS_MAX: u32 = 2;

/// The state of a shard and of its thread that the watchdog reads.
pub struct Watched {
    pub availability: Availability,
    /// How many jobs of its thread have begun or ended: an odd number while there is one.
    pub progress: Arc<AtomicU64>,
}

/// A thread that checks all shards regularly. Dropping this ends it.
pub struct Watchdog {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Starts the thread.
    pub fn start(shards: Vec<Watched>) -> Watchdog {
        let (stop, stopped) = channel::<()>();
        let check = move || {
            let mut seen = vec![((0, 0), 0); shards.len()];
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(INTERVAL) {
                for (shard, (last, silent)) in shards.iter().zip(&mut seen) {
                    let progress = shard.progress.load(Ordering::SeqCst);
                    let now = (progress, shard.availability.heartbeats());
                    let is_silent = progress % 2 == 1 && now == *last;
                    *silent = if is_silent { *silent + 1 } else { 0 };
                    *last = now;
                    if *silent >= SILENT_CHECKS_MAX {
                        shard.availability.set_away(true);
                    }
                }
            }
        };
        let thread = std::thread::Builder::new().name("shard-watchdog".into()).spawn(check);
        Watchdog { stop: Some(stop), thread: Some(thread.expect("the system can start a thread")) }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}
