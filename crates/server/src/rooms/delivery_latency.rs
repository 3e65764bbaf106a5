//! Latency of transactions, from reading their frame to writing it to the members of the room, for
//! `/metrics`.

use std::collections::VecDeque;
use std::time::Instant;

use prometheus_client::metrics::histogram::Histogram;
use quadrille_protocol::Revision;

/// Transactions of a room that are measured at once; beyond that new ones are not measured.
const MEASURED_MAX: usize = 4_096;

#[derive(Default)]
pub struct DeliveryLatency {
    /// When the frame being handled was read from its socket.
    received: Option<Instant>,
    in_flight: VecDeque<(Revision, Instant)>,
    /// The last revision of the current round.
    round_up_to: Revision,
}

impl DeliveryLatency {
    /// Sets when the frame being handled was read from its socket; `None` after handling it.
    pub fn set_received(&mut self, received: Option<Instant>) {
        self.received = received;
    }

    /// Notes `count` transactions recorded after `base`.
    pub fn recorded(&mut self, base: Revision, count: usize) {
        let Some(received) = self.received else { return };
        let capacity = MEASURED_MAX.saturating_sub(self.in_flight.len());
        let revisions = (base.0 + 1..).map(Revision).take(count.min(capacity));
        self.in_flight.extend(revisions.map(|revision| (revision, received)));
    }

    /// Notes that a round of writing begins, with the revisions up to `up_to`.
    pub fn round_begins(&mut self, up_to: Revision) {
        self.round_up_to = up_to;
    }

    /// Observes the latency of the transactions of the round, which has been written to all members
    /// that keep up.
    pub fn round_ends(&mut self, seconds: &Histogram) {
        let now = Instant::now();
        while let Some((_, received)) =
            self.in_flight.pop_front_if(|(revision, _)| *revision <= self.round_up_to)
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
    fn transactions_of_a_round_are_observed_once() {
        let seconds = Histogram::new([1.0]);
        let mut latency = DeliveryLatency::default();
        latency.recorded(Revision(0), 1); // without a session, not measured
        latency.set_received(Some(Instant::now()));
        latency.recorded(Revision(1), 2);
        latency.recorded(Revision(3), 1);
        latency.set_received(None);
        latency.round_begins(Revision(3));
        latency.round_ends(&seconds);
        assert_eq!(count(&seconds), "2");
        latency.round_ends(&seconds);
        assert_eq!(count(&seconds), "2", "the last one is in no round yet");
        latency.round_begins(Revision(4));
        latency.round_ends(&seconds);
        assert_eq!(count(&seconds), "3");
    }

    #[test]
    fn the_number_of_measured_transactions_is_limited() {
        let seconds = Histogram::new([1.0]);
        let mut latency = DeliveryLatency::default();
        latency.set_received(Some(Instant::now()));
        latency.recorded(Revision(0), MEASURED_MAX + 7);
        latency.round_begins(Revision(u64::MAX));
        latency.round_ends(&seconds);
        assert_eq!(count(&seconds), MEASURED_MAX.to_string());
    }
}
