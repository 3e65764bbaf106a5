//! Runs with several servers: they are reproducible, and they contain what they are meant to contain.

use quadrille_simulation::{ClusterPlan, Report, run_cluster};

fn run_seeds(seeds: std::ops::Range<u64>) -> Report {
    let mut total = Report::default();
    for seed in seeds {
        match run_cluster(&ClusterPlan::random(seed)) {
            Ok(report) => total.merge(report),
            Err(failure) => panic!("seed {seed}: {failure}"),
        }
    }
    total
}

#[test]
fn two_runs_of_a_seed_with_several_servers_are_identical() {
    for seed in 0..10 {
        assert_eq!(run_seeds(seed..seed + 1), run_seeds(seed..seed + 1), "seed {seed}");
    }
}

#[test]
fn rooms_move_between_servers_and_sessions_are_relayed() {
    let report = run_seeds(0..100);
    for name in [
        "sessions relayed",
        "rooms released",
        "rooms handed over",
        "servers removed by others",
        "servers ended because they were removed",
        "streams ended by a departure",
        "listeners that fell off the ring",
        "resends recognized",
        "fault: answer lost",
        "fault: database stopped",
        "fault: server cut off from the database",
        "fault: server killed",
        "fault: server paused",
        "fault: server stopped in order",
        "fault: servers cut off from one another",
    ] {
        assert!(report.counts.get(name).is_some_and(|count| *count > 0), "{name}: {report}");
    }
    let rooms_with_records = 100;
    let owners = report.counts["owners that have stored records"];
    assert!(owners > rooms_with_records, "rooms have several owners one after another: {owners}");
}
