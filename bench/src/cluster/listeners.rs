//! Many listeners of one room: all at the server that runs it, and spread over three others that relay.

use std::time::Duration;

use tokio::task::LocalSet;

use super::deliveries::{Load, Run, deliver};
use super::figures::{Goal, add};
use super::servers::Servers;
use crate::goals::Table;
use crate::setting::{Outcome, Setting};

/// As many as one server can have connections where a process may open 20,000 files.
const LISTENERS: usize = 15_000;
/// Over three relays; the clients are two processes.
const MANY_LISTENERS: usize = 30_000;
const QUICK_LISTENERS: usize = 1_500;
/// Each write is delivered to all before the next one.
const PERIOD: Duration = Duration::from_millis(1_500);

pub fn measure(setting: &Setting, table: &mut Table) -> Outcome<()> {
    let (listeners, repetitions, writes) =
        if setting.is_quick { (QUICK_LISTENERS, 1, 5) } else { (LISTENERS, 2, 15) };
    let servers = Servers::start(setting, 4)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let (mut direct, mut relayed) = (Vec::new(), Vec::new());
    for repetition in 0..repetitions {
        for (name, readers_at, runs) in
            [("direct", &[0][..], &mut direct), ("three relays", &[1, 2, 3][..], &mut relayed)]
        {
            let room = format!("listeners-{repetition}-{}", readers_at.len());
            let load = Load { readers_at, readers: listeners, writes, period: PERIOD };
            let run = LocalSet::new().block_on(&runtime, deliver(&servers, &room, &load))?;
            eprintln!(
                "  {name}: p50 {:.0} ms, p99 {:.0} ms, {:.2} µs per delivery, {:.3} µs at the owner",
                run.p50_ms, run.p99_ms, run.microseconds_per_delivery, run.owner_microseconds_per_delivery
            );
            runs.push(run);
        }
    }
    let many = if setting.is_quick { 2 * QUICK_LISTENERS } else { MANY_LISTENERS };
    let load = Load { readers_at: &[1, 2, 3], readers: many, writes, period: 2 * PERIOD };
    let of_many = LocalSet::new().block_on(&runtime, deliver(&servers, "many-listeners", &load))?;
    eprintln!("  {many} over three relays: p50 {:.0} ms, p99 {:.0} ms", of_many.p50_ms, of_many.p99_ms);
    let of = |runs: &[Run], pick: fn(&Run) -> f64| runs.iter().map(pick).collect::<Vec<f64>>();
    let ratio = |pick: fn(&Run) -> f64| -> Vec<f64> {
        relayed.iter().zip(&direct).map(|(relayed, direct)| pick(relayed) / pick(direct)).collect()
    };
    let what = format!("{listeners} listeners of a room");
    let none = Goal::default();
    let mut row = |key, name: String, unit, goal, values| add(table, key, name, unit, goal, values);
    row("listeners_p99", format!("{what}, p99, at its server"), "ms", none, of(&direct, |run| run.p99_ms));
    row(
        "listeners_relayed_p99",
        format!("{what}, p99, over three relays"),
        "ms",
        none,
        of(&relayed, |run| run.p99_ms),
    );
    row(
        "listeners_p99_ratio",
        format!("{what}, p99: over three relays, times direct"),
        "",
        Goal { must: None, aim: Some(1.3) },
        ratio(|run| run.p99_ms),
    );
    row(
        "listeners_owner_ratio",
        format!("{what}, processor time of the room's server: over three relays, times direct"),
        "",
        none,
        ratio(|run| run.owner_microseconds_per_delivery),
    );
    let what = format!("{many} listeners of a room, over three relays");
    row("many_listeners_p99", format!("{what}, p99"), "ms", none, vec![of_many.p99_ms]);
    row(
        "many_listeners_owner",
        format!("{what}, processor time of the room's server per delivery"),
        "µs",
        none,
        vec![of_many.owner_microseconds_per_delivery],
    );
    Ok(())
}
