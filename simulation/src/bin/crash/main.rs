//! `kill -9` of the real binary under load, again and again, on one data directory: nothing acknowledged may be lost.
//!
//! Writers are real replicas at real sockets, kept over the server's lives; the auditor reads every room's journal
//! through the server after each start. With `--lossy`, a preloaded library (`lossy.c`) keeps what was not synced
//! from the disk, and brings parts of it there in any order: `kill -9` is then as bad as loss of power.
//!
//! `cargo xtask crash` builds and runs this.

mod auditor;
mod server;
mod writer;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use auditor::Auditor;
use quadrille_simulation::Random;
use server::{Disk, Server};
use writer::Writer;

const HELP: &str = "Kills the server under load and looks for what was acknowledged.

  --binary FILE  the server
  --times COUNT  how often it is killed (200)
  --seed N       decides when it is killed, and what a lossy disk keeps (1)
  --lossy FILE   a shared library made of lossy.c, preloaded into the server
  --lie          with --lossy: syncs do nothing, so that a loss must be found
  --data DIR     where the data is kept, for instance a small file system (a temporary directory)
  --full         the disk may become full: writing must stop without harm
";

const ROOMS: usize = 3;
const WRITERS: usize = 6;

struct Options {
    binary: PathBuf,
    times: u64,
    seed: u64,
    lossy: Option<PathBuf>,
    lies: bool,
    data: Option<PathBuf>,
    may_fill: bool,
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
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("seed {}: {failure}", options.seed);
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let started = Instant::now();
    let temporary = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    let data = options.data.clone().unwrap_or_else(|| temporary.path().to_owned());
    let rooms: Vec<String> = (1..=ROOMS).map(|number| format!("room-{number}")).collect();
    let mut writers: Vec<Writer> =
        (0..WRITERS).map(|number| Writer::new(number, rooms[number % ROOMS].clone())).collect();
    let mut auditors: BTreeMap<String, Auditor> =
        rooms.iter().map(|room| (room.clone(), Auditor::new(room))).collect();
    let mut random = Random::stream(options.seed, 200, 0);
    let mut starts_ms = Vec::new();
    let mut refused = 0;
    for life in 0..=options.times {
        let disk = Disk { preload: options.lossy.clone(), seed: options.seed + life, lies: options.lies };
        let begun = Instant::now();
        let server = Server::start(&options.binary, &data, &disk)?;
        starts_ms.push(begun.elapsed().as_millis());
        for auditor in auditors.values_mut() {
            auditor.look(server.address, &writers).map_err(|failure| format!("life {life}: {failure}"))?;
        }
        if life == options.times {
            if !options.may_fill {
                save_all(&server, &mut writers)?;
            }
            for auditor in auditors.values_mut() {
                auditor.look(server.address, &writers).map_err(|failure| format!("at the end: {failure}"))?;
            }
            server.kill();
            break;
        }
        let is_killed = AtomicBool::new(false);
        let acknowledged = AtomicU64::new(0);
        // A full disk may acknowledge nothing at all.
        let patience = Duration::from_secs(if options.may_fill { 1 } else { 20 });
        let work = Duration::from_millis(random.between(5, 250));
        let ended = std::thread::scope(|scope| {
            for writer in &mut writers {
                scope.spawn(|| writer.work(server.address, &is_killed, &acknowledged));
            }
            // Counted from the first acknowledgement, so that every life does something.
            let begun = Instant::now();
            while acknowledged.load(Ordering::Relaxed) == 0 && begun.elapsed() < patience {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(work);
            let ended = server.kill();
            is_killed.store(true, Ordering::Relaxed);
            ended
        });
        if acknowledged.load(Ordering::Relaxed) == 0 && !options.may_fill {
            return Err(format!("life {life}: nothing was acknowledged within 20 s"));
        }
        refused += u64::from(ended);
    }
    let acknowledged: usize = writers.iter().map(|writer| writer.acknowledged.len()).sum();
    let records: u64 = auditors.values().map(Auditor::revision).sum();
    starts_ms.sort_unstable();
    println!(
        "killed {} times{}: {acknowledged} acknowledged, {records} in the journals, none lost, none twice",
        options.times,
        if options.lossy.is_some() { " on a disk that loses what was not synced" } else { "" },
    );
    println!(
        "  starts: median {} ms, longest {} ms; servers that ended by themselves: {refused}; wall time {:.0} s",
        starts_ms[starts_ms.len() / 2],
        starts_ms[starts_ms.len() - 1],
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Everyone saves what is left; then all who are in a room see the same.
fn save_all(server: &Server, writers: &mut [Writer]) -> Result<(), String> {
    for writer in writers.iter_mut() {
        writer.save(server.address)?;
    }
    let mut digests: BTreeMap<String, u64> = BTreeMap::new();
    for writer in writers.iter_mut() {
        writer.save(server.address)?; // what others have saved in the meantime
        let digest = writer.digest();
        if *digests.entry(writer.room.clone()).or_insert(digest) != digest {
            return Err(format!("{}: the people in it see different things", writer.room));
        }
    }
    Ok(())
}

fn read_options() -> Result<Option<Options>, String> {
    let mut options = Options {
        binary: PathBuf::new(),
        times: 200,
        seed: 1,
        lossy: None,
        lies: false,
        data: None,
        may_fill: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--help" | "-h" => return Ok(None),
            "--lie" => {
                options.lies = true;
                continue;
            }
            "--full" => {
                options.may_fill = true;
                continue;
            }
            _ => {}
        }
        let value = arguments.next().ok_or(format!("option without a value, or unknown: {option}"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("not a number: {value}"));
        match option.as_str() {
            "--binary" => options.binary = value.into(),
            "--times" => options.times = number()?,
            "--seed" => options.seed = number()?,
            "--lossy" => options.lossy = Some(value.into()),
            "--data" => options.data = Some(value.into()),
            _ => return Err(format!("unknown option: {option}")),
        }
    }
    match options.binary.is_file() {
        true => Ok(Some(options)),
        false => Err(format!("no such program: {}", options.binary.display())),
    }
}
