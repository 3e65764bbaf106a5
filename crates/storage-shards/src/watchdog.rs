//! [`Watchdog`]: notices that a shard does not answer while its thread waits for it (H6).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use quadrille_journal::Availability;

/// Time between two checks.
const INTERVAL: Duration = Duration::from_millis(100);
/// Checks without an answered heartbeat until a shard counts as away whose thread waits for it: one second, in which four
/// heartbeats are sent. They are counted rather than timed, so that a pause of this process is not one of the shard.
const SILENT_CHECKS_MAX: u32 = 10;
/// Checks that find the thread in the same job, so that it is that one which is not answered.
const STUCK_CHECKS_MAX: u32 = 2;

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
            let mut seen: Vec<Seen> = shards.iter().map(|_| Seen::default()).collect();
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(INTERVAL) {
                for (shard, seen) in shards.iter().zip(&mut seen) {
                    if seen
                        .is_unanswered(shard.progress.load(Ordering::SeqCst), shard.availability.heartbeats())
                    {
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

/// What the checks of a shard have found.
#[derive(Default)]
struct Seen {
    progress: u64,
    heartbeats: u64,
    /// Checks since the last heartbeat.
    silent: u32,
    /// Checks that found the same job after the first one.
    stuck: u32,
}

impl Seen {
    /// Notes what a check finds. Returns whether the shard answers neither a job nor heartbeats.
    fn is_unanswered(&mut self, progress: u64, heartbeats: u64) -> bool {
        self.silent = if heartbeats == self.heartbeats { self.silent + 1 } else { 0 };
        let is_same_job = progress % 2 == 1 && progress == self.progress;
        self.stuck = if is_same_job { self.stuck + 1 } else { 0 };
        (self.progress, self.heartbeats) = (progress, heartbeats);
        self.silent >= SILENT_CHECKS_MAX && self.stuck >= STUCK_CHECKS_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the first check that counts the shard as away, with the progress and the heartbeats of each check.
    fn away_at(checks: impl Iterator<Item = (u64, u64)>) -> Option<usize> {
        let mut seen = Seen::default();
        checks.map(|(progress, heartbeats)| seen.is_unanswered(progress, heartbeats)).position(|found| found)
    }

    #[test]
    fn a_shard_is_away_after_a_second_of_silence_in_one_job() {
        // Heartbeat 7 is seen by the first check; nine more make up 900 ms, and the tenth is the one.
        assert_eq!(away_at((0..40).map(|_| (1, 7))), Some(10));
        // The job began during the silence.
        assert_eq!(away_at((0..40).map(|check| (u64::from(check >= 30), 7))), Some(32));
    }

    #[test]
    fn a_shard_that_answers_jobs_or_heartbeats_is_not_away() {
        // A job takes long, and heartbeats are answered, the slowest after 900 ms.
        assert_eq!(away_at((0..100).map(|check| (1, 1 + check / 9))), None);
        // Jobs are answered, and no heartbeat is.
        assert_eq!(away_at((0..100).map(|check| (check, 0))), None);
        // The thread waits for a job.
        assert_eq!(away_at((0..100).map(|_| (2, 0))), None);
    }
}
