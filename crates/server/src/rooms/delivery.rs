//! How long transactions take through the server, from their frame to the sockets of their room, for `/metrics`.

use std::collections::VecDeque;
use std::time::Instant;

use prometheus_client::metrics::histogram::Histogram;
use quadrille_protocol::Revision;

/// Transactions of a room that are followed at once; those that come while so many are on their way are not measured.
const FOLLOWED_MAX: usize = 4_096;

#[derive(Default)]
pub struct Deliveries {
    /// Of the frame that is being dealt with: when it was read from its socket.
    taking: Option<Instant>,
    in_flight: VecDeque<(Revision, Instant)>,
    /// The round of writing that goes on has everything up to here.
    written: Revision,
}

impl Deliveries {
    /// A frame that was read then is dealt with now; none is any more.
    pub fn takes(&mut self, received: Option<Instant>) {
        self.taking = received;
    }

    /// So many transactions after `base` have their place.
    pub fn placed(&mut self, base: Revision, count: usize) {
        let Some(received) = self.taking else { return };
        let room = FOLLOWED_MAX.saturating_sub(self.in_flight.len());
        let revisions = (base.0 + 1..).map(Revision).take(count.min(room));
        self.in_flight.extend(revisions.map(|revision| (revision, received)));
    }

    /// A round of writing begins, with everything up to here.
    pub fn round_begins(&mut self, up_to: Revision) {
        self.written = up_to;
    }

    /// It was written to the last member that keeps up.
    pub fn round_ends(&mut self, seconds: &Histogram) {
        let now = Instant::now();
        while let Some((_, received)) = self.in_flight.pop_front_if(|(revision, _)| *revision <= self.written)
        {
            seconds.observe((now - received).as_secs_f64());
        }
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;

    use super::*;

    fn count(seconds: &Histogram) -> String {
        let mut registry = Registry::default();
        registry.register("seconds", "", seconds.clone());
        let mut text = String::new();
        encode(&mut text, &registry).expect("text");
        let line = text.lines().find_map(|line| line.strip_prefix("seconds_count "));
        line.expect("a count").to_owned()
    }

    #[test]
    fn what_a_round_has_written_is_counted_once() {
        let seconds = Histogram::new([1.0]);
        let mut deliveries = Deliveries::default();
        deliveries.placed(Revision(0), 1); // from no session: nobody waits for it on a socket
        deliveries.takes(Some(Instant::now()));
        deliveries.placed(Revision(1), 2);
        deliveries.placed(Revision(3), 1);
        deliveries.takes(None);
        deliveries.round_begins(Revision(3));
        deliveries.round_ends(&seconds);
        assert_eq!(count(&seconds), "2");
        deliveries.round_ends(&seconds);
        assert_eq!(count(&seconds), "2", "the last one is not durable yet");
        deliveries.round_begins(Revision(4));
        deliveries.round_ends(&seconds);
        assert_eq!(count(&seconds), "3");
    }

    #[test]
    fn there_is_a_bound() {
        let seconds = Histogram::new([1.0]);
        let mut deliveries = Deliveries::default();
        deliveries.takes(Some(Instant::now()));
        deliveries.placed(Revision(0), FOLLOWED_MAX + 7);
        deliveries.round_begins(Revision(u64::MAX));
        deliveries.round_ends(&seconds);
        assert_eq!(count(&seconds), FOLLOWED_MAX.to_string());
    }
}
