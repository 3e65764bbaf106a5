//! A token bucket: a rate per second, with bursts after idle time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limits;

/// Tokens per second on average; 0 is no limit. After idle time, a burst of
/// [`limits::BURST_SECONDS`] times the rate is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate(pub u64);

/// A token bucket.
///
/// [`take`](Self::take) always succeeds and may leave a negative level; [`wait`](Self::wait) then
/// returns how long to pause. So a message that has already arrived never has to be dropped,
/// whatever its size.
pub struct TokenBucket {
    rate: Rate,
    level: Mutex<Level>,
}

struct Level {
    tokens: f64,
    updated: Instant,
}

impl TokenBucket {
    pub fn new(rate: Rate, now: Instant) -> TokenBucket {
        TokenBucket { rate, level: Mutex::new(Level { tokens: rate.burst(), updated: now }) }
    }

    /// Takes tokens, if necessary below zero.
    pub fn take(&self, amount: u64, now: Instant) {
        if self.rate.0 > 0 {
            self.level(now).tokens -= amount as f64;
        }
    }

    /// Returns the time until the level is not negative; zero when it is not.
    pub fn wait(&self, now: Instant) -> Duration {
        if self.rate.0 == 0 {
            return Duration::ZERO;
        }
        let tokens = self.level(now).tokens;
        Duration::from_secs_f64((-tokens / self.rate.0 as f64).max(0.0))
    }

    /// Takes one token.
    ///
    /// # Errors
    ///
    /// Fails with the time to wait when there is none.
    pub fn try_take(&self, now: Instant) -> Result<(), Duration> {
        if self.rate.0 == 0 {
            return Ok(());
        }
        let mut level = self.level(now);
        if level.tokens < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - level.tokens) / self.rate.0 as f64));
        }
        level.tokens -= 1.0;
        Ok(())
    }

    /// Whether the bucket is full, so that a new one would behave the same.
    pub fn is_full(&self, now: Instant) -> bool {
        self.rate.0 == 0 || self.level(now).tokens >= self.rate.burst()
    }

    fn level(&self, now: Instant) -> MutexGuard<'_, Level> {
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = now.saturating_duration_since(level.updated).as_secs_f64();
        level.tokens = (level.tokens + seconds * self.rate.0 as f64).min(self.rate.burst());
        level.updated = level.updated.max(now);
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
        let bucket = TokenBucket::new(Rate(10), start);
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
        let bucket = TokenBucket::new(Rate(100), start);
        bucket.take(100 * limits::BURST_SECONDS + 250, start);
        assert_eq!(bucket.wait(start), Duration::from_millis(2_500));
        assert_eq!(bucket.wait(start + Duration::from_secs(3)), Duration::ZERO);
    }

    #[test]
    fn zero_is_without_a_limit() {
        let bucket = TokenBucket::new(Rate(0), Instant::now());
        bucket.take(u64::MAX, Instant::now());
        assert_eq!(bucket.wait(Instant::now()), Duration::ZERO);
        assert_eq!(bucket.try_take(Instant::now()), Ok(()));
    }
}
