//! Measures the real binary: `cargo xtask bench start|memory|size|import|latency|all [--quick] [--json FOLDER]`.
//!
//! Each workload in [`workloads`] starts its own server on a free port and a fresh data directory, and returns
//! [`Figures`](report::Figures). They are printed as a table and written as JSON with the machine's description into
//! `bench/results/`, or where `--json` says.

mod client;
mod machine;
mod report;
mod server;
mod workloads;

use std::path::PathBuf;
use std::process::ExitCode;

use report::Figures;

pub type Outcome<T> = Result<T, String>;

/// What a workload is given.
pub struct Setting {
    pub binary: PathBuf,
    pub root: PathBuf,
    /// Fewer repetitions, for looking at a change while working.
    pub is_quick: bool,
}

struct Workload {
    name: &'static str,
    run: fn(&Setting) -> Outcome<Figures>,
}

const WORKLOADS: [Workload; 5] = [
    Workload { name: "size", run: workloads::size::run },
    Workload { name: "start", run: workloads::start::run },
    Workload { name: "memory", run: workloads::memory::run },
    Workload { name: "import", run: workloads::import::run },
    Workload { name: "latency", run: workloads::latency::run },
];

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
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
    let mut is_quick = false;
    let mut wanted = Vec::new();
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--quick" => is_quick = true,
            "--json" => results = rest.next().ok_or("--json needs a folder")?.into(),
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
    let setting = Setting { binary, root, is_quick };
    println!("{}\n", machine::describe(&setting));
    for workload in wanted {
        let figures = (workload.run)(&setting).map_err(|reason| format!("{}: {reason}", workload.name))?;
        figures.print(workload.name);
        figures.write(workload.name, &results, &setting)?;
    }
    Ok(())
}
