//! Benchmarks: `cargo xtask bench WORKLOAD… [--peers] [--quick] [--only PARTS] [--json FILE|FOLDER]`.
//!
//! Each workload in [`workloads`] starts the release binary on a free port with an empty data directory
//! and returns [`Figures`]. [`cluster`], [`commands`], [`engine`], [`rooms`] and [`feeds`] return tables with goals,
//! some with other products ("peers"). Results are printed and written as JSON, with a description of the
//! machine, to `bench/results/` or to the path after `--json`.

mod client;
mod cluster;
mod commands;
mod engine;
mod feeds;
mod goals;
mod http_connection;
mod machine;
mod redis;
mod report;
mod rooms;
mod server;
mod setting;
mod workloads;

use std::path::PathBuf;
use std::process::ExitCode;

use cluster::reader_processes;
use report::Figures;
use setting::{Outcome, Setting};

struct Workload {
    name: &'static str,
    run: Run,
}

enum Run {
    Figures(fn(&Setting) -> Outcome<Figures>),
    /// Tables with goals; the last line of the output says how many are met.
    Tables(fn(&Setting) -> Outcome<Vec<goals::Table>>),
}

const WORKLOADS: [Workload; 12] = [
    Workload { name: "size", run: Run::Figures(workloads::size::run) },
    Workload { name: "start", run: Run::Figures(workloads::start::run) },
    Workload { name: "memory", run: Run::Figures(workloads::memory::run) },
    Workload { name: "import", run: Run::Figures(workloads::import::run) },
    Workload { name: "ethercalc", run: Run::Figures(workloads::ethercalc::run) },
    Workload { name: "latency", run: Run::Figures(workloads::latency::run) },
    Workload { name: "access", run: Run::Figures(workloads::access::run) },
    Workload { name: "cluster", run: Run::Tables(cluster::run) },
    Workload { name: "commands", run: Run::Tables(commands::run) },
    Workload { name: "feeds", run: Run::Tables(feeds::run) },
    Workload { name: "engine", run: Run::Tables(engine::run) },
    Workload { name: "rooms", run: Run::Tables(rooms::run) },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((first, rest)) if first == reader_processes::ARGUMENT => reader_processes::run(rest),
        _ => run(arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("bench: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<String>) -> Outcome<()> {
    let root = PathBuf::from(std::env::var("QUADRILLE_ROOT").unwrap_or_else(|_| ".".to_owned()));
    let default_binary = || root.join("target/release/quadrille").to_string_lossy().into_owned();
    let binary = PathBuf::from(std::env::var("QUADRILLE_BINARY").unwrap_or_else(|_| default_binary()));
    if !binary.exists() {
        return Err(format!("no binary at {}: run this as cargo xtask bench", binary.display()));
    }
    let mut results = root.join("bench/results");
    let (mut is_quick, mut with_peers) = (false, false);
    let (mut wanted, mut only) = (Vec::new(), Vec::new());
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--quick" => is_quick = true,
            "--peers" => with_peers = true,
            "--only" => {
                let parts = rest.next().ok_or("--only needs names of parts, separated by commas")?;
                only.extend(parts.split(',').map(str::to_owned));
            }
            "--json" => results = rest.next().ok_or("--json needs a file or a folder")?.into(),
            "all" => wanted.extend(&WORKLOADS),
            name => {
                let workload = WORKLOADS.iter().find(|workload| workload.name == name);
                wanted.push(workload.ok_or_else(|| format!("no such workload: {name}"))?);
            }
        }
    }
    if wanted.is_empty() {
        let names: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).collect();
        return Err(format!("name a workload: {} or all", names.join(" ")));
    }
    let is_one_file = results.extension().is_some_and(|extension| extension == "json");
    if is_one_file && wanted.len() > 1 {
        return Err("several workloads need a folder for --json".to_owned());
    }
    let setting = Setting { binary, root, is_quick, with_peers, only };
    println!("{}\n", machine::describe(&setting));
    for workload in wanted {
        let file =
            if is_one_file { results.clone() } else { results.join(format!("{}.json", workload.name)) };
        let failed = |reason| format!("{}: {reason}", workload.name);
        match workload.run {
            Run::Figures(run) => {
                let figures = run(&setting).map_err(failed)?;
                figures.print(workload.name);
                report::write(figures.to_json(&setting), &file)?;
            }
            Run::Tables(run) => {
                let tables = run(&setting).map_err(failed)?;
                let summary = goals::summary(&tables);
                report::write(report::tables_to_json(&tables, &summary, &setting), &file)?;
                for table in &tables {
                    println!("{}", table.to_text());
                }
                println!("{summary}");
            }
        }
    }
    Ok(())
}
