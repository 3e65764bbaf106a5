//! How long a request waits for a storage that does not answer: sessions keep their changes until they are stored,
//! but a program that waits for an answer has to be told something.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::limits;

/// How often it is looked whether the storage is away.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Checks that find it away one after the other, until the wait ends. They are counted rather than timed, so that a
/// pause of this process is not one of the storage.
const CHECKS_MAX: u64 = limits::STORAGE_WAIT_MS / CHECK_INTERVAL.as_millis() as u64;

/// Waits for an answer; `None` when the storage has been away for too long.
pub async fn unless_away<T>(is_away: impl Fn() -> bool, answer: impl Future<Output = T>) -> Option<T> {
    let mut answer = pin!(answer);
    let mut checks = interval(CHECK_INTERVAL);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut checked = Checked::default();
    loop {
        tokio::select! {
            biased;
            answer = &mut answer => return Some(answer),
            _ = checks.tick() => if checked.is_too_long(is_away()) { return None },
        }
    }
}

/// What the checks of one wait have found.
#[derive(Default)]
struct Checked {
    /// Those that found the storage away since it was last there.
    away: u64,
}

impl Checked {
    fn is_too_long(&mut self, is_away: bool) -> bool {
        self.away = if is_away { self.away + 1 } else { 0 };
        self.away >= CHECKS_MAX
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[test]
    fn a_wait_ends_after_three_seconds_in_which_the_storage_was_away_all_the_time() {
        let ended_at = |is_away: fn(u64) -> bool| {
            let mut checked = Checked::default();
            (1..1_000).find(|check| checked.is_too_long(is_away(*check)))
        };
        assert_eq!(ended_at(|_| true), Some(30));
        assert_eq!(ended_at(|check| check > 100), Some(130));
        assert_eq!(ended_at(|_| false), None);
        assert_eq!(ended_at(|check| check % 30 != 0), None, "it answers now and then");
    }

    #[tokio::test]
    async fn an_answer_that_is_there_is_given_whether_the_storage_is_away_or_not() {
        assert_eq!(unless_away(|| true, ready(7)).await, Some(7));
        assert_eq!(unless_away(|| false, ready(7)).await, Some(7));
        assert_eq!(unless_away(|| true, pending::<()>()).await, None);
    }
}
