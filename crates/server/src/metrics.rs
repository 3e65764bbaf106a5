//! Metrics for `GET /metrics` in the OpenMetrics text format. `docs/operations-guide.md` lists
//! them.

use std::fmt;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use quadrille_room::Counts;

use crate::rate_limits::LimitHit;

/// A label with its value.
type Label = [(&'static str, &'static str); 1];

/// All metrics of the process.
pub struct Metrics {
    registry: Registry,
    pub rooms: Gauge,
    pub sessions: Gauge,
    pub transactions: Counter,
    pub operations: Counter,
    pub rebased: Counter,
    pub duplicates: Counter,
    pub rejected: Counter,
    pub bad_frames: Counter,
    resumed: Family<Label, Counter>,
    pub missed: Counter,
    pub digests: Counter,
    pub digest_mismatches: Counter,
    pub encoded: Counter,
    pub room_queue: Gauge,
    pub journal_queue_bytes: Gauge,
    pub worker_queue: Gauge,
    pub commit_appends: Histogram,
    pub commit_seconds: Histogram,
    pub commits_failed: Counter,
    pub storage_usable: Gauge,
    pub rooms_handed_over: Counter,
    pub snapshots: Counter,
    pub snapshot_seconds: Histogram,
    pub housekeeping_seconds: Histogram,
    pub round_seconds: Histogram,
    pub delivery_seconds: Histogram,
    pub long_turn_seconds: Histogram,
    pub bytes_received: Counter,
    pub bytes_sent: Counter,
    pub frames_broadcast: Counter,
    pub password_hashes: Counter,
    pub credentials_verified: Counter,
    pub relayed_requests: Counter,
    pub relayed_sessions: Gauge,
    pub room_streams: Gauge,
    pub published_readers: Gauge,
    pub published_drawings: Counter,
    pub notification_mails: Counter,
    pub notifications_dropped: Counter,
    limits_hit: Family<Label, Counter>,
}

impl Default for Metrics {
    fn default() -> Metrics {
        // 1 to 4,096 appends; 50 µs to 1.6 s.
        let sizes = || Histogram::new(exponential_buckets(1.0, 4.0, 7));
        let seconds = || Histogram::new(exponential_buckets(0.000_05, 2.0, 16));
        let metrics = Metrics {
            registry: Registry::with_prefix("quadrille"),
            rooms: Gauge::default(),
            sessions: Gauge::default(),
            transactions: Counter::default(),
            operations: Counter::default(),
            rebased: Counter::default(),
            duplicates: Counter::default(),
            rejected: Counter::default(),
            bad_frames: Counter::default(),
            resumed: Family::default(),
            missed: Counter::default(),
            digests: Counter::default(),
            digest_mismatches: Counter::default(),
            encoded: Counter::default(),
            room_queue: Gauge::default(),
            journal_queue_bytes: Gauge::default(),
            worker_queue: Gauge::default(),
            commit_appends: sizes(),
            commit_seconds: seconds(),
            commits_failed: Counter::default(),
            storage_usable: Gauge::default(),
            rooms_handed_over: Counter::default(),
            snapshots: Counter::default(),
            snapshot_seconds: seconds(),
            housekeeping_seconds: seconds(),
            round_seconds: seconds(),
            // 100 µs to 1.1 s in finer buckets, because the performance targets are about its 99th
            // percentile.
            delivery_seconds: Histogram::new(exponential_buckets(0.000_1, 1.5, 24)),
            long_turn_seconds: seconds(),
            bytes_received: Counter::default(),
            bytes_sent: Counter::default(),
            frames_broadcast: Counter::default(),
            password_hashes: Counter::default(),
            credentials_verified: Counter::default(),
            relayed_requests: Counter::default(),
            relayed_sessions: Gauge::default(),
            room_streams: Gauge::default(),
            published_readers: Gauge::default(),
            published_drawings: Counter::default(),
            notification_mails: Counter::default(),
            notifications_dropped: Counter::default(),
            limits_hit: Family::default(),
        };
        // With all labels from the start: the rate of a counter that appears with its first event misses it.
        for limit in LimitHit::ALL {
            drop(metrics.limits_hit.get_or_create(&[("limit", limit.name())]));
        }
        for how in RESUMED_BY {
            drop(metrics.resumed.get_or_create(&[("by", how)]));
        }
        metrics.registered()
    }
}

/// How sessions are brought up to date.
const RESUMED_BY: [&str; 2] = ["records", "snapshot"];

impl Metrics {
    fn registered(mut self) -> Metrics {
        let registry = &mut self.registry;
        macro_rules! register {
            ($($field:ident $name:literal $help:literal;)*) => {
                $(registry.register($name, $help, self.$field.clone());)*
            };
        }
        register! {
            rooms "rooms" "Rooms in memory";
            sessions "sessions" "Connected sessions";
            transactions "transactions" "Transactions recorded";
            operations "operations" "Operations in those transactions";
            rebased "rebases" "Transactions rebased over others";
            duplicates "duplicates" "Transactions received again and not applied twice";
            rejected "rejections" "Transactions rejected";
            bad_frames "bad_frames" "Frames of clients that could not be decoded";
            resumed "resumes" "Sessions brought up to date, by records or by a snapshot";
            missed "missed" "Times a session was too slow for the broadcasts of its room";
            digests "digests" "Digests sent to replicas";
            digest_mismatches "digest_mismatches" "Replicas that differed from their room; more than 0 is a bug";
            encoded "encoded" "Workbooks encoded for joining sessions, storage or digests";
            room_queue "room_queue_messages" "Messages waiting for the threads of rooms";
            journal_queue_bytes "journal_queue_bytes" "Bytes of records waiting to be durable";
            worker_queue "worker_queue_tasks" "Tasks waiting for a worker";
            commit_appends "commit_appends" "Appends per durable commit";
            commit_seconds "commit_seconds" "Duration of a durable commit";
            commits_failed "commits_failed" "Commits that failed, for example because the disk is full";
            storage_usable "storage_usable" "1 when changes can be stored; 0 while the disk is full or a database is away";
            rooms_handed_over "rooms_handed_over" "Rooms given to another server that had fewer";
            snapshots "snapshots_stored" "Snapshots stored";
            snapshot_seconds "snapshot_seconds" "Duration of storing a snapshot";
            housekeeping_seconds "journal_housekeeping_seconds" "Duration of a piece of journal maintenance, which commits wait for";
            round_seconds "broadcast_round_seconds" "Duration of a round of writing to all members of a room";
            delivery_seconds "delivery_seconds" "Time from reading a transaction from its socket until writing it to the members of its room";
            long_turn_seconds "long_turn_seconds" "Duration of turns in which a room occupied its thread for a millisecond or longer";
            bytes_received "received_bytes" "Bytes of frames from clients";
            bytes_sent "sent_bytes" "Bytes of frames to clients, and to servers that relay them";
            frames_broadcast "broadcast_frames" "Frames broadcast to the members of a room";
            password_hashes "password_hashes" "Passwords hashed, to set or to check one";
            credentials_verified "credentials_verified" "Credentials of requests and sessions verified";
            relayed_requests "relayed_requests" "Requests, also for sessions, passed on to the server that runs the room";
            relayed_sessions "relayed_sessions" "Open sessions that are passed on to the server that runs the room";
            room_streams "room_streams" "Connections over which the sessions of a room are relayed, to the server that runs it";
            published_readers "published_readers" "Readers that published pages keep up to date";
            published_drawings "published_drawings" "Drawings of published sheets, each for all of their readers";
            notification_mails "notification_mails" "Messages about comments handed to the mail server's queue";
            notifications_dropped "notifications_dropped" "Notifications of comments that were not sent, because of a limit";
            limits_hit "limits_hit" "Times a rate limit was exceeded";
        }
        self
    }

    /// Adds the difference of a room's counters to the metrics.
    pub fn add(&self, counts: &Counts, before: &Counts) {
        let add = |counter: &Counter, now: u64, before: u64| {
            if now > before {
                counter.inc_by(now - before);
            }
        };
        add(&self.transactions, counts.transactions, before.transactions);
        add(&self.operations, counts.operations, before.operations);
        add(&self.rebased, counts.rebased, before.rebased);
        add(&self.duplicates, counts.duplicates, before.duplicates);
        add(&self.rejected, counts.rejected, before.rejected);
        add(&self.bad_frames, counts.bad_frames, before.bad_frames);
        add(&self.missed, counts.missed, before.missed);
        add(&self.digests, counts.digests, before.digests);
        add(&self.digest_mismatches, counts.digest_mismatches, before.digest_mismatches);
        let [records, snapshot] = RESUMED_BY;
        for (how, now, before) in [
            (records, counts.resumed_by_tail, before.resumed_by_tail),
            (snapshot, counts.resumed_by_snapshot, before.resumed_by_snapshot),
        ] {
            if now > before {
                self.resumed.get_or_create(&[("by", how)]).inc_by(now - before);
            }
        }
    }

    /// Counts an exceeded rate limit.
    pub fn limit_hit(&self, limit: LimitHit) {
        self.limits_hit.get_or_create(&[("limit", limit.name())]).inc();
    }

    /// Returns all metrics in the OpenMetrics text format.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_documented() {
        let documentation = include_str!("../../../docs/operations-guide.md");
        let text = Metrics::default().text().expect("text");
        let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
        assert!(names.len() >= 20, "{text}");
        for line in names {
            let (name, kind) = line.split_once(' ').expect("a name and a type");
            let name = if kind == "counter" { format!("{name}_total") } else { name.to_owned() };
            let row = format!("| `{name}` | {kind} |");
            assert!(documentation.contains(&row), "docs/operations-guide.md lacks the row {row}");
        }
        for limit in LimitHit::ALL {
            let name = limit.name();
            assert!(documentation.contains(&format!("`{name}`")), "docs/operations-guide.md lacks {name}");
        }
    }

    #[test]
    fn counters_with_labels_begin_with_0() {
        let text = Metrics::default().text().expect("text");
        for line in [
            "quadrille_limits_hit_total{limit=\"room\"} 0",
            "quadrille_limits_hit_total{limit=\"tenant\"} 0",
            "quadrille_resumes_total{by=\"records\"} 0",
            "quadrille_resumes_total{by=\"snapshot\"} 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in {text}");
        }
    }
}
