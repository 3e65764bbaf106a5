//! When a room writes to its members: as long after the first thing that waits as the last round took (F4).
//!
//! A small room's round takes microseconds, so that an edit is sent at once; one of ten thousand takes tens of
//! milliseconds, and what comes meanwhile goes out in one frame with the next round. Writing to the members takes at
//! most about half of a thread that way, without a setting.

use quadrille_protocol::SessionId;

/// 50 ms: waiting longer would be seen. A room whose round takes longer than this writes all the time.
pub const WAIT_US_MAX: u64 = 50_000;

/// Members that are written to before others have their turn: about a millisecond.
pub const MEMBERS_PER_SLICE: usize = 256;

#[derive(Default)]
pub struct SendPacing {
    /// When what waits is to be sent.
    due_us: Option<u64>,
    round: Option<Round>,
    last_took_us: u64,
}

/// Where a round that goes on is.
#[derive(Clone, Copy)]
struct Round {
    began_us: u64,
    /// Who was written to last.
    done: Option<SessionId>,
    /// Whether everybody so far has everything.
    is_all: bool,
}

/// A round that is over.
pub struct Ended {
    /// Everybody has everything.
    pub is_all: bool,
    pub took_us: u64,
}

impl SendPacing {
    /// Something waits to be sent to all members.
    pub fn wait(&mut self, now_us: u64) {
        if self.due_us.is_none() {
            self.due_us = Some(now_us + self.last_took_us.min(WAIT_US_MAX));
        }
    }

    pub fn is_waiting(&self) -> bool {
        self.due_us.is_some() || self.round.is_some()
    }

    /// When there is something to do next.
    pub fn wake_us(&self) -> Option<u64> {
        match self.round {
            Some(_) => Some(0),
            None => self.due_us,
        }
    }

    /// True when a round has just begun: what waits is to be added to the ring now.
    pub fn begin(&mut self, now_us: u64) -> bool {
        let begins = self.round.is_none() && self.due_us.is_some_and(|due| due <= now_us);
        if begins {
            self.due_us = None;
            self.round = Some(Round { began_us: now_us, done: None, is_all: true });
        }
        begins
    }

    /// What was added since the round began goes out with it.
    pub fn nothing_waits(&mut self) {
        self.due_us = None;
    }

    /// Who comes after whom, if a round is going on.
    pub fn after(&self) -> Option<Option<SessionId>> {
        self.round.map(|round| round.done)
    }

    /// These members were written to; `is_all` when all of them have everything.
    pub fn went_on(&mut self, done: SessionId, is_all: bool) {
        let round = self.round.as_mut().expect("a round goes on");
        (round.done, round.is_all) = (Some(done), round.is_all && is_all);
    }

    /// The last member was written to.
    pub fn end(&mut self, now_us: u64) -> Ended {
        let round = self.round.take().expect("a round goes on");
        self.last_took_us = now_us - round.began_us;
        Ended { is_all: round.is_all, took_us: self.last_took_us }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round that takes so long.
    fn round(pace: &mut SendPacing, at_us: u64, took_us: u64) {
        assert!(pace.begin(at_us));
        pace.went_on(SessionId(1), true);
        assert!(pace.end(at_us + took_us).is_all);
    }

    #[test]
    fn f4_the_wait_is_as_long_as_the_last_round_took_within_50_ms() {
        let mut pace = SendPacing::default();
        pace.wait(1_000);
        assert_eq!(pace.wake_us(), Some(1_000), "the first is sent at once");
        round(&mut pace, 1_000, 400);
        assert_eq!(pace.wake_us(), None);
        pace.wait(9_000);
        pace.wait(9_300);
        assert_eq!(pace.wake_us(), Some(9_400), "counted from the first that waits");
        assert!(!pace.begin(9_399));
        round(&mut pace, 9_400, 900_000);
        pace.wait(1_000_000);
        assert_eq!(pace.wake_us(), Some(1_050_000));
    }

    #[test]
    fn frames_during_a_round_wait_for_the_next() {
        let mut pace = SendPacing::default();
        pace.wait(0);
        assert!(pace.begin(0));
        pace.wait(10);
        assert!(!pace.begin(20), "one round at a time");
        assert_eq!(pace.wake_us(), Some(0), "a round goes on as soon as others had their turn");
        pace.went_on(SessionId(7), false);
        assert_eq!(pace.after(), Some(Some(SessionId(7))));
        assert!(!pace.end(500).is_all, "somebody is behind");
        assert_eq!(pace.wake_us(), Some(10));
    }
}
