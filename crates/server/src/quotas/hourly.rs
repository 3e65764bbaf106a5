//! How much one network address exports and creates within an hour.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{ApiError, ErrorCode};
use crate::limits;

const HOUR: Duration = Duration::from_secs(3_600);

/// A count that begins anew every hour.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    began: Instant,
    count: u64,
}

impl Window {
    /// An empty window.
    pub fn new(now: Instant) -> Window {
        Window { began: now, count: 0 }
    }

    /// Counts one.
    ///
    /// # Errors
    /// The time to wait when there were `max` within the hour.
    pub fn take(&mut self, max: u64, now: Instant) -> Result<(), Duration> {
        let passed = now.saturating_duration_since(self.began);
        if passed >= HOUR {
            *self = Window::new(now);
        } else if self.count >= max {
            return Err(HOUR - passed);
        }
        self.count += 1;
        Ok(())
    }
}

/// Counts something of each address. An address of `None` is this machine, which has no limits.
#[derive(Default)]
pub struct HourlyUse {
    windows: Mutex<HashMap<IpAddr, Window>>,
}

impl HourlyUse {
    /// Counts one. A `max` of 0 is no limit.
    ///
    /// # Errors
    /// 429 with the time to wait when there were too many within the hour.
    pub fn take(&self, what: &str, address: Option<IpAddr>, max: u64, now: Instant) -> Result<(), ApiError> {
        let Some(address) = address.filter(|_| max > 0) else { return Ok(()) };
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.len() >= limits::RATES_REMEMBERED_MAX && !windows.contains_key(&address) {
            windows.retain(|_, window| now.saturating_duration_since(window.began) < HOUR);
            if windows.len() >= limits::RATES_REMEMBERED_MAX
                && let Some(some) = windows.keys().next().copied()
            {
                windows.remove(&some);
            }
        }
        let window = windows.entry(address).or_insert_with(|| Window::new(now));
        window.take(max, now).map_err(|wait| {
            let message = format!("at most {max} {what} an hour from one address; try again later");
            ApiError {
                retry_after_seconds: Some(wait.as_secs() + 1),
                ..ApiError::new(ErrorCode::TooManyRequests, message)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_counted_apart_and_this_machine_is_not() {
        let used = HourlyUse::default();
        let now = Instant::now();
        let [one, two] = [1, 2].map(|last| Some(IpAddr::from([192, 0, 2, last])));
        assert_eq!(used.take("exports", one, 1, now), Ok(()));
        let refused = used.take("exports", one, 1, now).expect_err("the second");
        assert_eq!(refused.retry_after_seconds, Some(3_601));
        assert_eq!(used.take("exports", two, 1, now), Ok(()));
        assert_eq!(used.take("exports", one, 1, now + HOUR), Ok(()));
        for _ in 0..10 {
            assert_eq!(used.take("exports", None, 1, now), Ok(()));
            assert_eq!(used.take("exports", one, 0, now), Ok(()));
        }
    }
}
