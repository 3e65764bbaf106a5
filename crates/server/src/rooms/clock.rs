//! Time and random numbers for the rooms of one thread.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use quadrille_room::Moment;

/// A monotonic clock, the system clock and a buffer of random numbers.
pub struct Clock {
    started: Instant,
    random: [u64; 64],
    random_left: usize,
}

impl Clock {
    pub fn new() -> Clock {
        Clock { started: Instant::now(), random: [0; 64], random_left: 0 }
    }

    /// Milliseconds since the clock was created.
    pub fn monotonic_ms(&self) -> u64 {
        self.monotonic_us() / 1_000
    }

    /// Microseconds since the clock was created.
    pub fn monotonic_us(&self) -> u64 {
        self.started.elapsed().as_micros() as u64
    }

    /// Returns the current moment with a random number.
    pub fn now(&mut self) -> Moment {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment {
            unix_ms: since_epoch.as_millis() as i64,
            monotonic_ms: self.monotonic_ms(),
            random: self.random(),
        }
    }

    /// Returns a random number of the operating system, read in batches: identities of clients must
    /// be unpredictable.
    pub fn random(&mut self) -> u64 {
        if self.random_left == 0 {
            for number in &mut self.random {
                *number = getrandom::u64().expect("the operating system gives random numbers");
            }
            self.random_left = self.random.len();
        }
        self.random_left -= 1;
        self.random[self.random_left]
    }
}
