//! `simulation [--cluster] [--seed N] [--seeds COUNT] [--plan FILE] [--keep DIR]`: runs plans and prints their
//! reports.
//!
//! A build with `--features faults` can plant one fault (`--fault NAME`) or prove that the checkers
//! detect every fault (`--all-faults`).

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use quadrille_fault_injection::Fault;
use quadrille_simulation::command_line::with_options;
use quadrille_simulation::{
    ClusterPlan, Failure, Plan, Report, journal, run, run_cluster, shorten, shorten_cluster,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

const HELP: &str = "Runs rooms and replicas on a faulty network, disk and clock.

    --seed N       first seed (default: from the clock)
    --seeds COUNT  number of seeds to run (default: 1)
    --cluster      several servers of one database in place of one server
    --plan FILE    run the plan in this file instead
    --keep DIR     directory for the plan of a failing run (default: .)
    --fault NAME   plant this fault (requires a build with --features faults)
    --all-faults   for every fault, run the seed of docs/simulation.md that detects it (likewise)
";

struct Options {
    seed: u64,
    seeds: u64,
    is_cluster: bool,
    plan: Option<PathBuf>,
    keep: PathBuf,
    fault: Option<Fault>,
    runs_all_faults: bool,
}

fn main() -> ExitCode {
    with_options(HELP, read_options(), |options| execute(&options))
}

fn execute(options: &Options) -> ExitCode {
    if options.runs_all_faults {
        return check_fault_detection(options);
    }
    #[cfg(feature = "faults")]
    quadrille_fault_injection::plant(options.fault);
    match (&options.plan, options.is_cluster) {
        (Some(path), false) => run_file(path, run, journal),
        (Some(path), true) => run_file(path, run_cluster, |_| Vec::new()),
        (None, false) => run_seeds(options, Plan::random, run, shorten),
        (None, true) => run_seeds(options, ClusterPlan::random, run_cluster, shorten_cluster),
    }
}

type Outcome = Result<Report, Failure>;

/// Runs the plan in a file. Prints the journal if it fails.
fn run_file<P: DeserializeOwned>(
    path: &PathBuf,
    run: fn(&P) -> Outcome,
    journal: fn(&P) -> Vec<String>,
) -> ExitCode {
    let plan = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let plan = plan.and_then(|text| serde_json::from_str::<P>(&text).map_err(|error| error.to_string()));
    match plan.map(|plan| (run(&plan), plan)) {
        Ok((Ok(report), _)) => {
            print!("{report}");
            ExitCode::SUCCESS
        }
        Ok((Err(failure), plan)) => {
            journal(&plan).iter().for_each(|line| eprintln!("{line}"));
            eprintln!("{}: {failure}", path.display());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

/// Runs consecutive seeds until one fails; the shortened plan of that run is written to a file.
fn run_seeds<P: Serialize>(
    options: &Options,
    random: fn(u64) -> P,
    run: fn(&P) -> Outcome,
    shorten: fn(&P) -> P,
) -> ExitCode {
    let started = Instant::now();
    let mut total = Report::default();
    println!("seeds {} to {}", options.seed, options.seed.wrapping_add(options.seeds - 1));
    for seed in (0..options.seeds).map(|number| options.seed.wrapping_add(number)) {
        let plan = random(seed);
        match run(&plan) {
            Ok(report) => total.merge(report),
            Err(failure) => {
                eprintln!("seed {seed}: {failure}");
                let shorter = shorten(&plan);
                let failure = run(&shorter).expect_err("a shortened plan still fails");
                let path = options.keep.join(format!("seed-{seed}.json"));
                let text = serde_json::to_string_pretty(&shorter).expect("plans are plain data");
                match std::fs::write(&path, text) {
                    Ok(()) => eprintln!("shortened: {failure}\nwritten to {}", path.display()),
                    Err(error) => eprintln!("cannot write the plan: {error}"),
                }
                print!("{total}");
                return ExitCode::FAILURE;
            }
        }
    }
    print!("{total}");
    println!("  wall time: {:.1} s", started.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

fn read_options() -> Result<Option<Options>, String> {
    let from_clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut options = Options {
        seed: from_clock.map_or(0, |elapsed| elapsed.as_millis() as u64),
        seeds: 1,
        is_cluster: false,
        plan: None,
        keep: PathBuf::from("."),
        fault: None,
        runs_all_faults: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        if option == "--help" || option == "-h" {
            return Ok(None);
        }
        if option == "--all-faults" {
            options.runs_all_faults = true;
            continue;
        }
        if option == "--cluster" {
            options.is_cluster = true;
            continue;
        }
        let value = arguments.next().ok_or(format!("unknown option or missing value: {option}"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("not a number: {value}"));
        match option.as_str() {
            "--seed" => options.seed = number()?,
            "--seeds" => options.seeds = number()?.max(1),
            "--plan" => options.plan = Some(value.into()),
            "--keep" => options.keep = value.into(),
            "--fault" => options.fault = Some(fault(&value)?),
            _ => return Err(format!("unknown option: {option}")),
        }
    }
    if (options.runs_all_faults || options.fault.is_some()) && !quadrille_fault_injection::CAN_PLANT {
        return Err("faults can only be planted in a build with --features faults".into());
    }
    Ok(Some(options))
}

fn fault(name: &str) -> Result<Fault, String> {
    let names = || Fault::ALL.map(Fault::name).join(" ");
    Fault::from_name(name).ok_or_else(|| format!("unknown fault: {name}; known faults: {}", names()))
}

#[cfg(not(feature = "faults"))]
fn check_fault_detection(_options: &Options) -> ExitCode {
    unreachable!("rejected when the options were read")
}

/// Runs every fault with its seed and prints the failure. If a seed no longer detects its fault,
/// prints the first seed that does, among `--seeds` seeds from `--seed` on, and fails.
#[cfg(feature = "faults")]
fn check_fault_detection(options: &Options) -> ExitCode {
    use quadrille_simulation::fault_seeds::{DetectingSeed, detecting_seeds, run_with_fault};

    // Planted faults can cause panics, which are caught and printed like other failures.
    std::panic::set_hook(Box::new(|_| {}));
    let table = match detecting_seeds() {
        Ok(table) => table,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    let mut undetected = 0;
    for row in table {
        let DetectingSeed { fault, seed, .. } = row;
        match run_with_fault(row) {
            Err(failure) => {
                println!("detected   {:<30} seed {seed:<6} {}", fault.name(), first_line(&failure))
            }
            Ok(_) => {
                undetected += 1;
                let mut others = options.seed..options.seed.saturating_add(options.seeds);
                let other = others
                    .find_map(|seed| Some((seed, run_with_fault(DetectingSeed { seed, ..row }).err()?)));
                println!("UNDETECTED {:<30} seed {seed:<6} detected by {other:?}", fault.name());
            }
        }
    }
    if undetected > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[cfg(feature = "faults")]
fn first_line(failure: &str) -> String {
    failure.lines().next().unwrap_or_default().chars().take(110).collect()
}
