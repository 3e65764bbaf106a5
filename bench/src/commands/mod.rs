//! EtherCalc's commands over REST, `POST /_/{room}`: how many a server carries out in a second, beside
//! EtherCalc with Redis (`--peers`).
//!
//! Both servers run in turn on this machine, with the load generator. Quadrille answers when a command is
//! durable; EtherCalc answers before it is. The time includes reading the last command of each connection,
//! since an answer alone would not show that the command was carried out.

mod load;

use std::time::Duration;

use crate::goals::{Better, Measured, Row, Table};
use crate::redis::Redis;
use crate::rooms::peers::PEERS;
use crate::server::Server;
use crate::setting::{Outcome, Setting};
use load::{Load, Rate};

const ETHERCALC: &str = "EtherCalc 2020-01-27";

/// The limits of a single client address, which all connections share here, are off.
const ARGUMENTS: [&str; 8] = [
    "--connection-operations-per-second",
    "0",
    "--room-operations-per-second",
    "0",
    "--address-operations-per-second",
    "0",
    "--address-requests-per-second",
    "0",
];

/// Times of EtherCalc's commands per second that are wanted.
const MUST: Option<f64> = Some(20.0);

const LOADS: [Load; 6] = [
    Load {
        key: "one",
        name: "100 cells, 1 connection",
        rows: 10,
        connections: 1,
        has_own_rooms: false,
        commands: 1,
    },
    Load {
        key: "connections",
        name: "100 cells, 16 connections",
        rows: 10,
        connections: 16,
        has_own_rooms: false,
        commands: 1,
    },
    Load {
        key: "rooms",
        name: "64 rooms of 100 cells, 64 connections",
        rows: 10,
        connections: 64,
        has_own_rooms: true,
        commands: 1,
    },
    Load {
        key: "lists",
        name: "100 cells, 16 connections, 100 commands in a request",
        rows: 10,
        connections: 16,
        has_own_rooms: false,
        commands: 100,
    },
    Load {
        key: "large",
        name: "10,000 cells, 16 connections",
        rows: 1_000,
        connections: 16,
        has_own_rooms: false,
        commands: 1,
    },
    Load {
        key: "large_lists",
        name: "10,000 cells, 16 connections, 100 commands in a request",
        rows: 1_000,
        connections: 16,
        has_own_rooms: false,
        commands: 100,
    },
];

/// Runs the loads in turn on each server, so that a disturbance of the machine affects all of them.
pub fn run(setting: &Setting) -> Outcome<Vec<Table>> {
    let (repetitions, duration) =
        if setting.is_quick { (1, Duration::from_secs(2)) } else { (3, Duration::from_secs(6)) };
    let loads = || LOADS.iter().filter(|load| setting.wants(load.key));
    let mut table = Table::new("EtherCalc's commands over REST", &["Quadrille", ETHERCALC]);
    for load in loads() {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..repetitions {
            let server = Server::start_with(setting, &ARGUMENTS)?;
            ours.push(load.run(server.address, duration).map_err(|error| format!("Quadrille: {error}"))?);
            drop(server);
            if setting.with_peers {
                theirs.push(
                    run_ethercalc(setting, load, duration)
                        .map_err(|error| format!("{ETHERCALC}, {}: {error}", load.name))?,
                );
            }
        }
        let text = |rates: &[Rate]| {
            rates.iter().map(|rate| format!("{:.0}/s", rate.commands)).collect::<Vec<_>>().join(" ")
        };
        eprintln!("  {}: {}, {ETHERCALC} {}", load.name, text(&ours), text(&theirs));
        add_rows(&mut table, load, &ours, &theirs);
    }
    Ok(vec![table])
}

fn run_ethercalc(setting: &Setting, load: &Load, duration: Duration) -> Outcome<Rate> {
    let redis = Redis::start()?;
    let peer = PEERS.iter().find(|peer| peer.name == ETHERCALC).ok_or("EtherCalc is not among the peers")?;
    let server = peer.start_with(setting, 1, &[("REDIS_PORT", redis.port.to_string())])?;
    load.run(server.address, duration)
}

fn add_rows(table: &mut Table, load: &Load, ours: &[Rate], theirs: &[Rate]) {
    let of = |rates: &[Rate], pick: fn(&Rate) -> f64| {
        (!rates.is_empty()).then(|| Measured::Values(rates.iter().map(pick).collect()))
    };
    table.rows.push(Row {
        key: load.key.to_owned(),
        name: format!("{}: commands", load.name),
        unit: "/s",
        better: Better::Higher,
        must: None,
        aim: None,
        contains: "reading the last command of each connection",
        measured: vec![of(ours, |rate| rate.commands), of(theirs, |rate| rate.commands)],
    });
    table.rows.push(Row {
        key: format!("{}_p99", load.key),
        name: format!("{}: request, p99", load.name),
        unit: "ms",
        better: Better::Lower,
        must: None,
        aim: None,
        contains: "",
        measured: vec![of(ours, |rate| rate.request_p99_ms), of(theirs, |rate| rate.request_p99_ms)],
    });
    if !theirs.is_empty() {
        // Both of a repetition ran one after the other.
        let ratios = ours.iter().zip(theirs).map(|(ours, theirs)| ours.commands / theirs.commands);
        table.rows.push(Row {
            key: format!("{}_ratio", load.key),
            name: format!("{}: commands per second, times {ETHERCALC}", load.name),
            unit: "",
            better: Better::Higher,
            must: MUST,
            aim: None,
            contains: "",
            measured: vec![Some(Measured::Values(ratios.collect()))],
        });
    }
}
