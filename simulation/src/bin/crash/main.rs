//! Kills the real server with `kill -9` under load, repeatedly and on one data directory, and
//! checks that no acknowledged transaction is lost.
//!
//! Writers are real replicas with real sockets that outlive the server's processes; auditors read
//! every room's journal through the server after each start. With `--lossy`, a preloaded library
//! (`lossy_disk.c`) loses writes that were not synced or writes them in random order, so that `kill
//! -9` has the effect of a power loss.
//!
//! `cargo xtask crash` builds the server and runs this program.

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
use quadrille_simulation::command_line::{exit_code, with_options};
use server::{Disk, Server};
use writer::Writer;

const HELP: &str = "Kills the server under load and checks that no acknowledged transaction is lost.

  --binary FILE  the server
  --times COUNT  number of kills (default: 200)
  --seed N       seed of the times of the kills and of the lossy disk (default: 1)
  --lossy FILE   shared library built from lossy_disk.c, preloaded into the server
  --lie          with --lossy: sync does nothing, so that the check must find a loss
  --data DIR     data directory, for example on a small file system (default: temporary)
  --full         allow the disk to become full: writing must stop without loss
";

const ROOMS: usize = 3;
const WRITERS: usize = 6;

struct Options {
    binary: PathBuf,
    times: u64,
    seed: u64,
    lossy: Option<PathBuf>,
    syncs_are_ignored: bool,
    data: Option<PathBuf>,
    can_fill_disk: bool,
}

fn main() -> ExitCode {
    with_options(HELP, read_options(), |options| exit_code(options.seed, run(&options)))
}

/// Starts and kills the server as often as requested, and audits every room after each start.
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
    let mut ended_early = 0;
    for round in 0..=options.times {
        let disk = Disk {
            preload: options.lossy.clone(),
            seed: options.seed + round,
            syncs_are_ignored: options.syncs_are_ignored,
        };
        let begun = Instant::now();
        let server = Server::start(&options.binary, &data, &disk)?;
        starts_ms.push(begun.elapsed().as_millis());
        for auditor in auditors.values_mut() {
            auditor.check(server.address, &writers).map_err(|failure| format!("start {round}: {failure}"))?;
        }
        if round == options.times {
            if !options.can_fill_disk {
                save_all(&server, &mut writers)?;
            }
            for auditor in auditors.values_mut() {
                auditor
                    .check(server.address, &writers)
                    .map_err(|failure| format!("at the end: {failure}"))?;
            }
            server.kill();
            break;
        }
        let is_killed = AtomicBool::new(false);
        let acknowledged = AtomicU64::new(0);
        // On a full disk, possibly no transaction is acknowledged.
        let patience = Duration::from_secs(if options.can_fill_disk { 1 } else { 20 });
        let work = Duration::from_millis(random.between(5, 250));
        let ended = std::thread::scope(|scope| {
            for writer in &mut writers {
                scope.spawn(|| writer.work(server.address, &is_killed, &acknowledged));
            }
            // The time until the kill starts at the first acknowledgement, so that every process
            // acknowledges something.
            let begun = Instant::now();
            while acknowledged.load(Ordering::Relaxed) == 0 && begun.elapsed() < patience {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(work);
            let ended = server.kill();
            is_killed.store(true, Ordering::Relaxed);
            ended
        });
        if acknowledged.load(Ordering::Relaxed) == 0 && !options.can_fill_disk {
            return Err(format!("start {round}: no transaction was acknowledged within 20 s"));
        }
        ended_early += u64::from(ended);
    }
    let acknowledged: usize = writers.iter().map(|writer| writer.acknowledged.len()).sum();
    let records: u64 = auditors.values().map(Auditor::revision).sum();
    starts_ms.sort_unstable();
    println!(
        "killed {} times{}: {acknowledged} acknowledged, {records} in the journals, none lost, none applied twice",
        options.times,
        if options.lossy.is_some() { " on a disk that loses unsynced writes" } else { "" },
    );
    println!(
        "  starts: median {} ms, longest {} ms; servers that ended by themselves: {ended_early}; wall time {:.0} s",
        starts_ms[starts_ms.len() / 2],
        starts_ms[starts_ms.len() - 1],
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Saves the unconfirmed transactions of all writers, then compares the documents within each room.
fn save_all(server: &Server, writers: &mut [Writer]) -> Result<(), String> {
    for writer in writers.iter_mut() {
        writer.save(server.address)?;
    }
    let mut digests: BTreeMap<String, u64> = BTreeMap::new();
    for writer in writers.iter_mut() {
        writer.save(server.address)?; // receives the transactions that others saved since
        let digest = writer.digest();
        if *digests.entry(writer.room.clone()).or_insert(digest) != digest {
            return Err(format!("{}: the documents of the writers differ", writer.room));
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
        syncs_are_ignored: false,
        data: None,
        can_fill_disk: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--help" | "-h" => return Ok(None),
            "--lie" => {
                options.syncs_are_ignored = true;
                continue;
            }
            "--full" => {
                options.can_fill_disk = true;
                continue;
            }
            _ => {}
        }
        let value = arguments.next().ok_or(format!("unknown option or missing value: {option}"))?;
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
        false => Err(format!("no such file: {}", options.binary.display())),
    }
}
