//! One writer and many readers of a room, at one server or at several.

use std::time::Duration;

use tokio::time::timeout;

use super::figures::quantile;
use super::person::Person;
use super::reader_processes::ReaderProcess;
use super::readers::{Readers, Revisions, now_us};
use super::servers::Servers;
use crate::setting::Outcome;

/// Time to connect all readers, and for the last delivery.
const WAIT_MAX: Duration = Duration::from_secs(180);
/// Readers of a process, at most: each has an open file.
const READERS_PER_PROCESS: usize = 15_000;

/// Who reads, and how much is written at the first server, which runs the room.
pub struct Load<'a> {
    /// The readers are spread over these servers.
    pub readers_at: &'a [usize],
    pub readers: usize,
    pub writes: usize,
    /// Between two writes.
    pub period: Duration,
}

/// What one run has shown.
pub struct Run {
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// Of all servers.
    pub microseconds_per_delivery: f64,
    /// Of the server that runs the room.
    pub owner_microseconds_per_delivery: f64,
}

/// Writes at the first server, which runs the room, with the readers at these servers.
pub async fn deliver(servers: &Servers<'_>, room: &str, load: &Load<'_>) -> Outcome<Run> {
    let mut writer = Person::join(servers.address(0), room, 1).await?;
    // The room exists from here on.
    writer.type_text("A1", "0").await?;
    while writer.replica.unconfirmed() > 0 {
        writer.receive().await?;
    }
    let base = writer.replica.revision().0;
    let revisions = Revisions { base, last: base + load.writes as u64 };
    let own = load.readers.min(READERS_PER_PROCESS);
    let addresses: Vec<_> = load.readers_at.iter().map(|server| servers.address(*server)).collect();
    let mut readers = Readers::start(&addresses, room, revisions, own);
    let mut processes = Vec::new();
    let mut left = load.readers - own;
    while left > 0 {
        let count = left.min(READERS_PER_PROCESS);
        processes.push(ReaderProcess::start(&addresses, room, revisions, count)?);
        left -= count;
    }
    timeout(WAIT_MAX, async {
        readers.joined().await?;
        for process in &mut processes {
            process.joined().await?;
        }
        Ok::<(), String>(())
    })
    .await
    .map_err(|_| "not all readers have joined")??;
    for server in 0..servers.count() {
        let at = load.readers_at.iter().filter(|at| **at == server && server != 0).count();
        let expected = (load.readers / load.readers_at.len() * at) as f64;
        let relayed = servers.relayed_sessions(server);
        if relayed != expected {
            return Err(format!("{relayed} sessions are relayed, not {expected}"));
        }
    }
    let busy_before = [servers.processor_seconds()?, servers.processor_seconds_of(0)?];
    let mut ticks = tokio::time::interval(load.period);
    let mut written_us = Vec::new();
    for number in 0..load.writes {
        ticks.tick().await;
        written_us.push(now_us());
        writer.type_text("A1", &(number + 1).to_string()).await?;
        while writer.replica.unconfirmed() > 0 {
            writer.receive().await?;
        }
    }
    let mut arrivals = timeout(WAIT_MAX, readers.arrivals()).await.map_err(|_| "a delivery is missing")??;
    for process in processes {
        let more = timeout(WAIT_MAX, process.arrivals()).await.map_err(|_| "a delivery is missing")??;
        arrivals.extend(more);
    }
    let busy = servers.processor_seconds()? - busy_before[0];
    let owner_busy = servers.processor_seconds_of(0)? - busy_before[1];
    if arrivals.len() != load.readers * load.writes {
        return Err(format!("{} deliveries, not {}", arrivals.len(), load.readers * load.writes));
    }
    let delay_ms = |(write, at_us): (usize, u64)| at_us.saturating_sub(written_us[write]) as f64 / 1e3;
    let delays_ms: Vec<f64> = arrivals.into_iter().map(delay_ms).collect();
    let per_delivery = |seconds: f64| seconds * 1e6 / delays_ms.len() as f64;
    Ok(Run {
        p50_ms: quantile(&delays_ms, 0.5),
        p99_ms: quantile(&delays_ms, 0.99),
        microseconds_per_delivery: per_delivery(busy),
        owner_microseconds_per_delivery: per_delivery(owner_busy),
    })
}
