//! When a room writes to its members: the delay after the first pending frame equals the duration
//! of the last round (`F4`).
//!
//! The round of a small room takes microseconds, so an edit is sent at once. The round of a room
//! with ten thousand members takes tens of milliseconds, and records that become durable in the
//! meantime go out in one frame with the next round. Writing to members thus takes at most about
//! half of a thread's time, without a setting.

use quadrille_protocol::SessionId;

/// 50 ms: a longer delay would be visible. A room whose round takes longer writes all the time.
pub const DELAY_US_MAX: u64 = 50_000;

/// Members written to before other rooms get a turn: about a millisecond.
pub const MEMBERS_PER_SLICE: usize = 256;

#[derive(Default)]
pub struct SendPacing {
    /// When the next round is to begin.
    due_us: Option<u64>,
    round: Option<Round>,
    last_took_us: u64,
}

/// State of the current round.
#[derive(Clone, Copy)]
struct Round {
    began_us: u64,
    /// The member written to last.
    last_written: Option<SessionId>,
    /// Whether all members so far have received everything.
    is_all: bool,
}

/// Result of a round.
pub struct RoundResult {
    /// All members have received everything.
    pub is_all: bool,
    pub took_us: u64,
}

impl SendPacing {
    /// Requests a round because a frame for all members is pending.
    pub fn request_round(&mut self, now_us: u64) {
        if self.due_us.is_none() {
            self.due_us = Some(now_us + self.last_took_us.min(DELAY_US_MAX));
        }
    }

    /// Whether a round is requested or in progress.
    pub fn is_waiting(&self) -> bool {
        self.due_us.is_some() || self.round.is_some()
    }

    /// Returns the time of the next round or slice, in monotonic microseconds.
    pub fn wake_us(&self) -> Option<u64> {
        match self.round {
            Some(_) => Some(0),
            None => self.due_us,
        }
    }

    /// Begins a round if one is due, and returns whether it did. The caller then adds the pending
    /// frames to the ring.
    pub fn begin_round(&mut self, now_us: u64) -> bool {
        let begins = self.round.is_none() && self.due_us.is_some_and(|due| due <= now_us);
        if begins {
            self.due_us = None;
            self.round = Some(Round { began_us: now_us, last_written: None, is_all: true });
        }
        begins
    }

    /// Drops the request for another round: frames added at the start of this round are sent with
    /// it.
    pub fn clear_pending(&mut self) {
        self.due_us = None;
    }

    /// Returns the member written to last in the current round; the outer `None` when there is no
    /// round.
    pub fn last_written(&self) -> Option<Option<SessionId>> {
        self.round.map(|round| round.last_written)
    }

    /// Records that a member was written to; `is_all` when it has received everything.
    pub fn record_written(&mut self, member: SessionId, is_all: bool) {
        let round = self.round.as_mut().expect("a round is in progress");
        (round.last_written, round.is_all) = (Some(member), round.is_all && is_all);
    }

    /// Ends the round after the last member.
    pub fn end_round(&mut self, now_us: u64) -> RoundResult {
        let round = self.round.take().expect("a round is in progress");
        self.last_took_us = now_us - round.began_us;
        RoundResult { is_all: round.is_all, took_us: self.last_took_us }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round that takes `took_us`.
    fn round(pacing: &mut SendPacing, at_us: u64, took_us: u64) {
        assert!(pacing.begin_round(at_us));
        pacing.record_written(SessionId(1), true);
        assert!(pacing.end_round(at_us + took_us).is_all);
    }

    #[test]
    fn f4_the_delay_equals_the_last_round_and_is_at_most_50_ms() {
        let mut pacing = SendPacing::default();
        pacing.request_round(1_000);
        assert_eq!(pacing.wake_us(), Some(1_000), "the first frame is sent at once");
        round(&mut pacing, 1_000, 400);
        assert_eq!(pacing.wake_us(), None);
        pacing.request_round(9_000);
        pacing.request_round(9_300);
        assert_eq!(pacing.wake_us(), Some(9_400), "counted from the first pending frame");
        assert!(!pacing.begin_round(9_399));
        round(&mut pacing, 9_400, 900_000);
        pacing.request_round(1_000_000);
        assert_eq!(pacing.wake_us(), Some(1_050_000));
    }

    #[test]
    fn frames_during_a_round_wait_for_the_next() {
        let mut pacing = SendPacing::default();
        pacing.request_round(0);
        assert!(pacing.begin_round(0));
        pacing.request_round(10);
        assert!(!pacing.begin_round(20), "one round at a time");
        assert_eq!(pacing.wake_us(), Some(0), "the round continues after other rooms had a turn");
        pacing.record_written(SessionId(7), false);
        assert_eq!(pacing.last_written(), Some(Some(SessionId(7))));
        assert!(!pacing.end_round(500).is_all, "a member is behind");
        assert_eq!(pacing.wake_us(), Some(10));
    }
}
