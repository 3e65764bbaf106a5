//! Change feeds: the delay from a write over REST until programs that follow the workbook have it, for one
//! of them and for a thousand, as Server-Sent Events, by long polling, and with a reconnection of each.
//!
//! The listeners check that they get every revision once and in order. Server, writer and listeners run on
//! the same machine.

mod deliveries;
mod listener;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::Barrier;
use tokio::task::LocalSet;
use tokio::time::timeout;

use crate::goals::{Better, Measured, Row, Table};
use crate::server::Server;
use crate::setting::{Outcome, Setting};
use deliveries::{Deliveries, PERIOD, ROOM};
use listener::{Kind, Listener};

const LISTENERS: u64 = 1_000;
/// What has not arrived by then is missing.
const GRACE: Duration = Duration::from_secs(10);

/// A load and its listeners.
struct Load {
    key: &'static str,
    name: &'static str,
    listeners: u64,
    kind: Kind,
    /// Limit of the p99, in milliseconds.
    must: Option<f64>,
}

const LOADS: [Load; 4] = [
    Load { key: "one", name: "1 listener", listeners: 1, kind: Kind::Events, must: None },
    Load {
        key: "events",
        name: "1,000 listeners",
        listeners: LISTENERS,
        kind: Kind::Events,
        must: Some(100.0),
    },
    Load {
        key: "reconnecting",
        name: "1,000 listeners, each reconnects once",
        listeners: LISTENERS,
        kind: Kind::ReconnectingEvents,
        must: None,
    },
    Load {
        key: "polls",
        name: "1,000 listeners by long polling",
        listeners: LISTENERS,
        kind: Kind::Polls,
        must: None,
    },
];

/// What one run of a load has shown.
#[derive(Default)]
struct Run {
    delivery_p99_ms: f64,
    write_p99_ms: f64,
    /// Revisions that a listener missed or got again.
    wrong: f64,
    server_microseconds_per_delivery: f64,
}

/// Runs the loads in turn, so that a disturbance of the machine affects all of them.
pub fn run(setting: &Setting) -> Outcome<Vec<Table>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let (repetitions, writes) = if setting.is_quick { (1, 50) } else { (3, 200) };
    let mut runs: [Vec<Run>; LOADS.len()] = Default::default();
    for _ in 0..repetitions {
        for (load, runs) in LOADS.iter().zip(&mut runs) {
            let server = Server::start(setting)?;
            let run = LocalSet::new().block_on(&runtime, measure(&server, load, writes))?;
            eprintln!("  {}: p99 {:.2} ms, {} wrong", load.name, run.delivery_p99_ms, run.wrong);
            runs.push(run);
        }
    }
    let title = format!("Change feeds, {writes} durable writes at {} a second", 1_000 / PERIOD.as_millis());
    Ok(vec![table(&title, &runs)])
}

fn table(title: &str, runs: &[Vec<Run>; LOADS.len()]) -> Table {
    let mut table = Table::new(title, &["Quadrille"]);
    let mut add = |key: String, name: String, unit, must, values: Vec<f64>| {
        let measured = vec![Some(Measured::Values(values))];
        table.rows.push(Row {
            key,
            name,
            unit,
            better: Better::Lower,
            must,
            aim: None,
            contains: "",
            measured,
        });
    };
    for (load, its) in LOADS.iter().zip(runs) {
        let (key, name) = (load.key, load.name);
        let of = |pick: fn(&Run) -> f64| its.iter().map(pick).collect::<Vec<f64>>();
        // Against the single listener of the same repetition.
        let against_one = |pick: fn(&Run) -> f64| {
            its.iter().zip(&runs[0]).map(|(run, one)| pick(run) / pick(one)).collect::<Vec<f64>>()
        };
        add(
            key.to_owned(),
            format!("{name}: write due → received, p99"),
            "ms",
            load.must,
            of(|run| run.delivery_p99_ms),
        );
        if load.listeners > 1 {
            add(
                format!("{key}_ratio"),
                format!("{name}: … times that of one listener"),
                "",
                None,
                against_one(|run| run.delivery_p99_ms),
            );
            add(
                format!("{key}_write_ratio"),
                format!("{name}: write → durable, p99, times that beside one listener"),
                "",
                None,
                against_one(|run| run.write_p99_ms),
            );
            let name = format!("{name}: processor time of the server per delivery");
            add(format!("{key}_processor"), name, "µs", None, of(|run| run.server_microseconds_per_delivery));
        }
        add(
            format!("{key}_wrong"),
            format!("{name}: revisions missed or repeated"),
            "",
            Some(0.0),
            // The worst repetition counts.
            vec![its.iter().map(|run| run.wrong).fold(0.0, f64::max)],
        );
    }
    table
}

async fn measure(server: &Server, load: &Load, writes: u64) -> Outcome<Run> {
    let base = create(server)?;
    let shared = Rc::new(Deliveries {
        base,
        last: base + writes,
        started: Cell::new(None),
        are_open: Barrier::new(load.listeners as usize + 1),
        delays_ms: RefCell::default(),
        repeated: Cell::new(0),
    });
    let listeners: Vec<_> = (0..load.listeners)
        .map(|number| {
            // Spread over the middle half of the run.
            let cut_at = base + writes / 4 + number * writes / (2 * load.listeners);
            let listener = Listener { address: server.address, shared: Rc::clone(&shared), cut_at };
            tokio::task::spawn_local(listener.follow(load.kind))
        })
        .collect();
    let opened = timeout(Duration::from_secs(60), shared.are_open.wait()).await;
    opened.map_err(|_| "not all feeds were opened within a minute")?;
    let started = Instant::now() + PERIOD;
    shared.started.set(Some(started));
    let busy_before = server.processor_seconds()?;
    let url = server.url(&format!("/api/v1/rooms/{ROOM}/sheets/Sheet1/cells/A1"));
    let writer = tokio::task::spawn_blocking(move || write(&url, started, writes));
    let end = started + PERIOD * writes as u32 + GRACE;
    for listener in listeners {
        let left = end.saturating_duration_since(Instant::now());
        match timeout(left, listener).await {
            Ok(ended) => ended.map_err(|error| error.to_string())??,
            // Counted as missing.
            Err(_) => break,
        }
    }
    let busy = server.processor_seconds()? - busy_before;
    let writes_ms = writer.await.map_err(|error| error.to_string())??;
    let delays_ms = shared.delays_ms.take();
    let missing = (load.listeners * writes).saturating_sub(delays_ms.len() as u64);
    Ok(Run {
        server_microseconds_per_delivery: busy * 1e6 / delays_ms.len().max(1) as f64,
        delivery_p99_ms: p99(delays_ms),
        write_p99_ms: p99(writes_ms),
        wrong: (missing + shared.repeated.get()) as f64,
    })
}

/// Creates the workbook; its revision.
fn create(server: &Server) -> Outcome<u64> {
    let failed = |error: ureq::Error| format!("create the workbook: {error}");
    let made = ureq::post(server.url("/api/v1/rooms")).send_json(serde_json::json!({ "name": ROOM }));
    let made: serde_json::Value = made.map_err(failed)?.body_mut().read_json().map_err(failed)?;
    made["revision"].as_u64().ok_or_else(|| format!("no revision in {made}"))
}

/// Writes when it is due; the milliseconds until each write was durable.
fn write(url: &str, started: Instant, writes: u64) -> Outcome<Vec<f64>> {
    let agent: ureq::Agent = ureq::Agent::config_builder().build().into();
    let mut times_ms = Vec::new();
    for number in 0..writes {
        thread::sleep((started + PERIOD * number as u32).saturating_duration_since(Instant::now()));
        let sent = Instant::now();
        let answer = agent.put(url).header("content-type", "application/json").send(number.to_string());
        answer.map_err(|error| format!("write {number}: {error}"))?;
        times_ms.push(sent.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times_ms)
}

fn p99(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return f64::INFINITY };
    values[(last as f64 * 0.99).round() as usize]
}
