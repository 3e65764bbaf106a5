//! [`PeerMonitor`]: which of the other servers have no heartbeat any more (O3).

use std::collections::BTreeMap;

use quadrille_fault_injection::{Fault, is_planted};

use crate::PeerId;

/// Polls without a new heartbeat after which a server is removed: two seconds.
pub const SILENT_POLLS_MAX: u32 = 8;
/// The same for a server without connections, whose process has probably ended: one second. A database that
/// was restarted has ended all connections, and each server has to make one and raise its beat meanwhile.
pub const DISCONNECTED_POLLS_MAX: u32 = 4;

/// The heartbeat of another server as the storage has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heartbeat {
    pub peer: PeerId,
    pub beat: i64,
    pub is_connected: bool,
}

/// The heartbeats of the other servers, as this one has polled them. No clocks are compared: polls are
/// counted that the storage has answered.
#[derive(Clone, Debug, Default)]
pub struct PeerMonitor {
    /// The last beat of each server, and in how many further polls it was the same.
    seen: BTreeMap<PeerId, (i64, u32)>,
}

/// A poll that the storage has answered.
#[derive(Debug)]
pub struct PeerPoll {
    seen: BTreeMap<PeerId, (i64, u32)>,
    /// The servers to remove, each unless its beat has changed in the meantime.
    pub silent: Vec<Heartbeat>,
}

impl PeerMonitor {
    /// Counts a poll. It takes effect with [`finish`](Self::finish).
    pub fn poll(&self, heartbeats: &[Heartbeat]) -> PeerPoll {
        let mut poll = PeerPoll { seen: BTreeMap::new(), silent: Vec::new() };
        for heartbeat in heartbeats {
            let polls = match self.seen.get(&heartbeat.peer) {
                Some((last, polls)) if *last == heartbeat.beat => polls + 1,
                _ => 0,
            };
            poll.seen.insert(heartbeat.peer, (heartbeat.beat, polls));
            if polls >= if heartbeat.is_connected { SILENT_POLLS_MAX } else { DISCONNECTED_POLLS_MAX } {
                poll.silent.push(*heartbeat);
            }
        }
        poll
    }

    /// Notes that the storage has not answered: such a poll counts for nobody.
    pub fn unanswered(&mut self) {
        if is_planted(Fault::UnansweredPollsCounted) {
            self.seen.values_mut().for_each(|(_, polls)| *polls += 1);
        }
    }

    /// Notes the result of a poll. Returns the servers that are no longer there.
    pub fn finish(&mut self, poll: PeerPoll) -> Vec<PeerId> {
        let before = std::mem::replace(&mut self.seen, poll.seen);
        before.into_keys().filter(|peer| !self.seen.contains_key(peer)).collect()
    }
}

impl PeerPoll {
    /// Notes that a silent server was removed.
    pub fn removed(&mut self, peer: PeerId) {
        self.seen.remove(&peer);
    }
}

/// Whether a server has to end after it has raised its beat: its row is not there any more (O4).
pub fn has_to_end(has_row: bool) -> bool {
    !has_row && !is_planted(Fault::RemovedServersGoOn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heartbeat(beat: i64, is_connected: bool) -> Heartbeat {
        Heartbeat { peer: PeerId(7), beat, is_connected }
    }

    /// Polls after the first one until the server is silent.
    fn polls_until_silent(monitor: &mut PeerMonitor, heartbeat: Heartbeat) -> u32 {
        let mut polls = 0;
        loop {
            let poll = monitor.poll(&[heartbeat]);
            let is_silent = !poll.silent.is_empty();
            monitor.finish(poll);
            if is_silent {
                return polls;
            }
            polls += 1;
        }
    }

    #[test]
    fn o3_a_server_is_silent_after_eight_polls_and_after_four_without_connections() {
        assert_eq!(polls_until_silent(&mut PeerMonitor::default(), heartbeat(1, true)), 8);
        assert_eq!(polls_until_silent(&mut PeerMonitor::default(), heartbeat(1, false)), 4);
    }

    #[test]
    fn o3_a_beat_begins_the_count_again_and_unanswered_polls_do_not_count() {
        let mut monitor = PeerMonitor::default();
        for _ in 0..8 {
            let poll = monitor.poll(&[heartbeat(1, true)]);
            assert_eq!(poll.silent, []);
            monitor.finish(poll);
        }
        monitor.unanswered();
        let poll = monitor.poll(&[heartbeat(2, true)]);
        assert_eq!(poll.silent, []);
        monitor.finish(poll);
        for _ in 0..20 {
            monitor.unanswered();
        }
        assert_eq!(polls_until_silent(&mut monitor, heartbeat(2, true)), 7);
    }

    #[test]
    fn a_server_that_has_left_or_was_removed_is_told_once() {
        let mut monitor = PeerMonitor::default();
        let poll = monitor.poll(&[heartbeat(1, true)]);
        assert_eq!(monitor.finish(poll), []);
        let poll = monitor.poll(&[]);
        assert_eq!(monitor.finish(poll), [PeerId(7)]);
        let poll = monitor.poll(&[]);
        assert_eq!(monitor.finish(poll), []);

        let mut monitor = PeerMonitor::default();
        polls_until_silent(&mut monitor, heartbeat(1, true));
        let mut poll = monitor.poll(&[heartbeat(1, true)]);
        poll.removed(PeerId(7));
        assert_eq!(monitor.finish(poll), [PeerId(7)]);
    }
}
