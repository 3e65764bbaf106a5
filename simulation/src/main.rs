//! `simulation [--seed N] [--seeds HOW_MANY] [--plan FILE] [--keep DIR]`: runs plans and says what they did.
//! Built with `--features faults`, `--break NAME` plants a fault, and `--broken` shows that every one is caught.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use quadrille_fault_injection::Fault;
use quadrille_simulation::{Plan, Report, journal, run, shorten};

const HELP: &str = "Runs rooms and replicas on a faulty network, disk and clock.

  --seed N       the first seed; without it, one from the clock
  --seeds COUNT  how many seeds to run (1)
  --plan FILE    run this plan instead
  --keep DIR     where a failing plan is written (.)
  --break NAME   plant this fault (needs a build with --features faults)
  --broken       for every fault, run the seed of docs/simulation.md that must catch it (likewise)
";

struct Options {
    seed: u64,
    seeds: u64,
    plan: Option<PathBuf>,
    keep: PathBuf,
    fault: Option<Fault>,
    is_proof: bool,
}

fn main() -> ExitCode {
    let options = match read_options() {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("{message}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    if options.is_proof {
        return prove(&options);
    }
    #[cfg(feature = "faults")]
    quadrille_fault_injection::plant(options.fault);
    match &options.plan {
        Some(path) => run_file(path),
        None => run_seeds(&options),
    }
}

/// Runs a kept plan; when it fails, shows what the journal held.
fn run_file(path: &PathBuf) -> ExitCode {
    let plan = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let plan = plan.and_then(|text| serde_json::from_str::<Plan>(&text).map_err(|error| error.to_string()));
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

fn run_seeds(options: &Options) -> ExitCode {
    let started = Instant::now();
    let mut total = Report::default();
    println!("seeds {} to {}", options.seed, options.seed.wrapping_add(options.seeds - 1));
    for seed in (0..options.seeds).map(|number| options.seed.wrapping_add(number)) {
        let plan = Plan::random(seed);
        match run(&plan) {
            Ok(report) => total.merge(report),
            Err(failure) => {
                eprintln!("seed {seed}: {failure}");
                let shorter = shorten(&plan);
                let failure = run(&shorter).expect_err("shortening keeps the failure");
                let path = options.keep.join(format!("seed-{seed}.json"));
                let text = serde_json::to_string_pretty(&shorter).expect("plans are plain data");
                match std::fs::write(&path, text) {
                    Ok(()) => eprintln!(
                        "shortened to {} actions: {failure}\nkept as {}",
                        shorter.actions.len(),
                        path.display()
                    ),
                    Err(error) => eprintln!("the plan could not be kept: {error}"),
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
        plan: None,
        keep: PathBuf::from("."),
        fault: None,
        is_proof: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        if option == "--help" || option == "-h" {
            return Ok(None);
        }
        if option == "--broken" {
            options.is_proof = true;
            continue;
        }
        let value = arguments.next().ok_or(format!("option without a value, or unknown: {option}"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("not a number: {value}"));
        match option.as_str() {
            "--seed" => options.seed = number()?,
            "--seeds" => options.seeds = number()?.max(1),
            "--plan" => options.plan = Some(value.into()),
            "--keep" => options.keep = value.into(),
            "--break" => options.fault = Some(fault(&value)?),
            _ => return Err(format!("unknown option: {option}")),
        }
    }
    if (options.is_proof || options.fault.is_some()) && !quadrille_fault_injection::CAN_PLANT {
        return Err("faults can only be planted in a build with --features faults".into());
    }
    Ok(Some(options))
}

fn fault(name: &str) -> Result<Fault, String> {
    let names = || Fault::ALL.map(Fault::name).join(" ");
    Fault::from_name(name).ok_or_else(|| format!("unknown fault: {name}; there are {}", names()))
}

#[cfg(not(feature = "faults"))]
fn prove(_options: &Options) -> ExitCode {
    unreachable!("refused when the options were read")
}

/// Shows what each planted fault leads to. A fault that its seed no longer catches fails; the first seed that
/// does, from `--seed` on and among `--seeds` of them, is named then.
#[cfg(feature = "faults")]
fn prove(options: &Options) -> ExitCode {
    use quadrille_simulation::planted::{run_with, seeds_that_catch};

    // What a planted fault breaks may panic; that is caught and shown like other failures.
    std::panic::set_hook(Box::new(|_| {}));
    let table = match seeds_that_catch() {
        Ok(table) => table,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    let mut missed = 0;
    for (fault, seed) in table {
        match run_with(fault, seed) {
            Err(failure) => println!("caught  {:<26} seed {seed:<6} {}", fault.name(), first_line(&failure)),
            Ok(_) => {
                missed += 1;
                let mut others = options.seed..options.seed.saturating_add(options.seeds);
                let other = others.find_map(|seed| Some((seed, run_with(fault, seed).err()?)));
                println!("MISSED  {:<26} seed {seed:<6} caught by {other:?}", fault.name());
            }
        }
    }
    if missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[cfg(feature = "faults")]
fn first_line(failure: &str) -> String {
    failure.lines().next().unwrap_or_default().chars().take(110).collect()
}
