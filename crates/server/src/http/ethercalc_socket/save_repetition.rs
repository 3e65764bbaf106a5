//! [`SaveRepetition`]: when a page gets the whole sheet a second time.
//!
//! EtherCalc's page carries out commands one after the other, each after a moment, but shows a snapshot at
//! once. Commands that it has not carried out by then act on the snapshot, which contains their effect
//! already. Nothing tells when the page has carried out everything, so it gets the sheet once more when no
//! commands have gone either way for a while.

use std::time::Duration;

use tokio::time::Instant;

use crate::limits;

/// Time without commands in which a page carries out those that it has.
const QUIET: Duration = Duration::from_secs(limits::ETHERCALC_REPEAT_SECONDS);
/// The sheet is sent so often while commands do not cease.
const EVERY: Duration = Duration::from_secs(5 * limits::ETHERCALC_REPEAT_SECONDS);

/// A sheet that is to be sent once more.
pub struct SaveRepetition {
    quiet_at: Instant,
    latest: Instant,
}

impl SaveRepetition {
    /// After a sheet for which the page has not asked.
    pub fn after_save(now: Instant) -> SaveRepetition {
        SaveRepetition { quiet_at: now + QUIET, latest: now + EVERY }
    }

    /// Notes that commands were sent or received.
    pub fn note_commands(&mut self, now: Instant) {
        self.quiet_at = now + QUIET;
    }

    /// When the sheet is to be sent.
    pub fn due_at(&self) -> Instant {
        self.quiet_at.min(self.latest)
    }

    /// What is to be done after the sheet was sent at `now`: nothing after a quiet time.
    pub fn after_repetition(&self, now: Instant) -> Option<SaveRepetition> {
        (self.quiet_at > now).then(|| SaveRepetition { quiet_at: self.quiet_at, latest: now + EVERY })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_is_repeated_after_a_quiet_time_and_now_and_then_before() {
        let start = Instant::now();
        let mut repetition = SaveRepetition::after_save(start);
        assert_eq!(repetition.due_at(), start + QUIET);
        assert!(repetition.after_repetition(start + QUIET).is_none());
        // Somebody types without a pause.
        let typing = start + EVERY - QUIET / 2;
        repetition.note_commands(typing);
        assert_eq!(repetition.due_at(), start + EVERY);
        let next = repetition.after_repetition(start + EVERY).expect("not quiet");
        assert_eq!(next.due_at(), typing + QUIET);
    }
}
