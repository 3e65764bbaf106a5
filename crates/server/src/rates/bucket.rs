//! A token bucket: so much a second, and a burst after quiet.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limits;

/// So much a second on average; 0 is without a limit. After quiet, [`limits::BURST_SECONDS`] of it may come at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate(pub u64);

/// What is left of a rate.
///
/// What has already come is always taken, even if that leaves less than nothing: then [`wait`](Self::wait) says how long
/// nothing more may come. So a message never has to be thrown away, whatever its size.
pub struct Bucket {
    rate: Rate,
    level: Mutex<Level>,
}

struct Level {
    left: f64,
    at: Instant,
}

impl Bucket {
    pub fn new(rate: Rate, now: Instant) -> Bucket {
        Bucket { rate, level: Mutex::new(Level { left: rate.burst(), at: now }) }
    }

    pub fn take(&self, amount: u64, now: Instant) {
        if self.rate.0 > 0 {
            self.level(now).left -= amount as f64;
        }
    }

    /// Until something may come again; zero when it may now.
    pub fn wait(&self, now: Instant) -> Duration {
        if self.rate.0 == 0 {
            return Duration::ZERO;
        }
        let left = self.level(now).left;
        Duration::from_secs_f64((-left / self.rate.0 as f64).max(0.0))
    }

    /// Takes one if there is one; otherwise says how long to wait for it.
    pub fn try_take(&self, now: Instant) -> Result<(), Duration> {
        if self.rate.0 == 0 {
            return Ok(());
        }
        let mut level = self.level(now);
        if level.left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - level.left) / self.rate.0 as f64));
        }
        level.left -= 1.0;
        Ok(())
    }

    /// Nobody would notice if it were made anew.
    pub fn is_full(&self, now: Instant) -> bool {
        self.rate.0 == 0 || self.level(now).left >= self.rate.burst()
    }

    fn level(&self, now: Instant) -> MutexGuard<'_, Level> {
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = now.saturating_duration_since(level.at).as_secs_f64();
        level.left = (level.left + seconds * self.rate.0 as f64).min(self.rate.burst());
        level.at = level.at.max(now);
        level
    }
}

impl Rate {
    fn burst(self) -> f64 {
        (self.0 * limits::BURST_SECONDS) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_then_the_rate() {
        let start = Instant::now();
        let bucket = Bucket::new(Rate(10), start);
        for _ in 0..10 * limits::BURST_SECONDS {
            assert_eq!(bucket.try_take(start), Ok(()));
        }
        assert_eq!(bucket.try_take(start), Err(Duration::from_millis(100)));
        let later = start + Duration::from_millis(100);
        assert_eq!(bucket.try_take(later), Ok(()));
        assert!(bucket.try_take(later).is_err());
        assert!(!bucket.is_full(later));
        assert!(bucket.is_full(later + Duration::from_secs(limits::BURST_SECONDS)));
    }

    #[test]
    fn excess_requests_are_delayed() {
        let start = Instant::now();
        let bucket = Bucket::new(Rate(100), start);
        bucket.take(100 * limits::BURST_SECONDS + 250, start);
        assert_eq!(bucket.wait(start), Duration::from_millis(2_500));
        assert_eq!(bucket.wait(start + Duration::from_secs(3)), Duration::ZERO);
    }

    #[test]
    fn zero_is_without_a_limit() {
        let bucket = Bucket::new(Rate(0), Instant::now());
        bucket.take(u64::MAX, Instant::now());
        assert_eq!(bucket.wait(Instant::now()), Duration::ZERO);
        assert_eq!(bucket.try_take(Instant::now()), Ok(()));
    }
}
