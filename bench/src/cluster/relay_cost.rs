//! One writer and many readers of a room: the readers at the server that runs it, and at another one that
//! relays. The same number of deliveries, in turn.

use std::time::Duration;

use tokio::task::LocalSet;

use super::deliveries::{Load, Run, deliver};
use super::figures::{Goal, add};
use super::servers::Servers;
use crate::goals::Table;
use crate::setting::{Outcome, Setting};

const READERS: usize = 200;
/// 50 writes a second.
const PERIOD: Duration = Duration::from_millis(20);
pub fn measure(setting: &Setting, table: &mut Table) -> Outcome<()> {
    let (repetitions, writes) = if setting.is_quick { (2, 100) } else { (5, 400) };
    let servers = Servers::start(setting, 3)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let (mut direct, mut relayed) = (Vec::new(), Vec::new());
    for repetition in 0..repetitions {
        for (server, runs) in [(0, &mut direct), (1, &mut relayed)] {
            let room = format!("relay-{repetition}-{server}");
            let load = Load { readers_at: &[server], readers: READERS, writes, period: PERIOD };
            let run = LocalSet::new().block_on(&runtime, deliver(&servers, &room, &load))?;
            eprintln!(
                "  {}: p50 {:.2} ms, p99 {:.2} ms, {:.1} µs per delivery",
                if server == 0 { "direct" } else { "relayed" },
                run.p50_ms,
                run.p99_ms,
                run.microseconds_per_delivery
            );
            runs.push(run);
        }
    }
    let of = |runs: &[Run], pick: fn(&Run) -> f64| runs.iter().map(pick).collect::<Vec<f64>>();
    let ratio = |pick: fn(&Run) -> f64| {
        relayed
            .iter()
            .zip(&direct)
            .map(|(relayed, direct)| pick(relayed) / pick(direct))
            .collect::<Vec<f64>>()
    };
    let what = format!("{READERS} readers of a room, write → received");
    let none = Goal::default();
    add(
        table,
        "direct_p50",
        format!("{what}, p50, at its server"),
        "ms",
        none,
        of(&direct, |run| run.p50_ms),
    );
    add(
        table,
        "direct_p99",
        format!("{what}, p99, at its server"),
        "ms",
        none,
        of(&direct, |run| run.p99_ms),
    );
    add(table, "relayed_p50", format!("{what}, p50, relayed"), "ms", none, of(&relayed, |run| run.p50_ms));
    add(table, "relayed_p99", format!("{what}, p99, relayed"), "ms", none, of(&relayed, |run| run.p99_ms));
    let aim = Goal { must: None, aim: Some(1.3) };
    add(
        table,
        "relay_p50_ratio",
        format!("{what}, p50: relayed, times direct"),
        "",
        aim,
        ratio(|run| run.p50_ms),
    );
    let name = "processor time of all servers per delivery, at its server".to_owned();
    add(table, "direct_processor", name, "µs", none, of(&direct, |run| run.microseconds_per_delivery));
    let name = "processor time of all servers per delivery: relayed, times direct".to_owned();
    add(table, "relay_processor_ratio", name, "", aim, ratio(|run| run.microseconds_per_delivery));
    Ok(())
}
