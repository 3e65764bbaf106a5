//! Kills, pauses and cuts off real servers of one real database under load, and checks the history.
//!
//! Writers are real replicas with real sockets, each at a random server. Between servers, clients and
//! database are proxies in this process. After each round, auditors read every room's journal and compare it
//! with the acknowledgements that the writers have received.
//!
//! `cargo xtask chaos` builds the server and runs this program.

#[path = "../crash/auditor.rs"]
mod auditor;
mod proxy;
mod servers;
#[path = "../crash/writer.rs"]
mod writer;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use auditor::Auditor;
use quadrille_protocol::{Counter, ReplicaId, Revision};
use quadrille_simulation::Random;
use quadrille_simulation::command_line::{exit_code, with_options};
use servers::Servers;
use writer::Writer;

const HELP: &str = "Kills, pauses and cuts off servers of one database, and checks that nothing is lost.

  --binary FILE       the server
  --kills COUNT       number of servers that are killed (default: 20)
  --partitions COUNT  number of partitions, delays and pauses (default: 10)
  --servers COUNT     number of servers (default: 3)
  --seed N            seed of what happens when (default: 1)
";

const ROOMS: usize = 3;
const WRITERS: usize = 6;
/// Faults between two audits.
const FAULTS_PER_ROUND: u64 = 10;
/// How long the servers may take to recover before an audit.
const PATIENCE: Duration = Duration::from_secs(60);

struct Options {
    binary: PathBuf,
    kills: u64,
    partitions: u64,
    servers: usize,
    seed: u64,
}

/// The faults that happened.
#[derive(Default, Debug)]
struct Faults {
    kills: u64,
    pauses: u64,
    cut_from_database: u64,
    cut_from_servers: u64,
    cut_from_clients: u64,
    delays: u64,
}

fn main() -> ExitCode {
    with_options(HELP, read_options(), |options| exit_code(options.seed, run(&options)))
}

fn run(options: &Options) -> Result<(), String> {
    let started = Instant::now();
    let mut servers = Servers::start(&options.binary, options.servers)?;
    let rooms: Vec<String> = (1..=ROOMS).map(|number| format!("room-{number}")).collect();
    let mut writers: Vec<Writer> =
        (0..WRITERS).map(|number| Writer::new(number, rooms[number % ROOMS].clone())).collect();
    let mut auditors: Vec<Auditor> = rooms.iter().map(|room| Auditor::new(room)).collect();
    let mut random = Random::stream(options.seed, 300, 0);
    let mut faults = Faults::default();
    let (mut kills_left, mut partitions_left) = (options.kills, options.partitions);
    let acknowledged = AtomicU64::new(0);
    let mut round = 0;
    while kills_left + partitions_left > 0 {
        round += 1;
        let before = acknowledged.load(Ordering::Relaxed);
        let addresses: Vec<SocketAddr> = servers.nodes.iter().map(|node| node.front.address).collect();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for (number, writer) in writers.iter_mut().enumerate() {
                let (addresses, is_over, acknowledged) = (&addresses, &is_over, &acknowledged);
                let mut random = Random::stream(options.seed, 301 + round, number as u64);
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        writer.work(*random.pick(addresses), is_over, acknowledged);
                        // Servers that are down are not asked without pause.
                        std::thread::sleep(Duration::from_millis(20));
                    }
                });
            }
            let result = (0..FAULTS_PER_ROUND).try_for_each(|_| {
                if kills_left + partitions_left == 0 {
                    return Ok(());
                }
                let is_kill = random.between(1, kills_left + partitions_left) <= kills_left;
                if is_kill {
                    kills_left -= 1;
                } else {
                    partitions_left -= 1;
                }
                disturb(&mut servers, is_kill, &mut random, &mut faults)
            });
            servers.heal();
            is_over.store(true, Ordering::Relaxed);
            result
        })?;
        servers.wait_until_ready()?;
        if acknowledged.load(Ordering::Relaxed) == before {
            return Err(format!("round {round}: no transaction was acknowledged"));
        }
        for auditor in &mut auditors {
            audit(auditor, &mut servers, &writers).map_err(|failure| format!("round {round}: {failure}"))?;
        }
        println!(
            "round {round}: {} acknowledged, {kills_left} kills and {partitions_left} partitions left, {:.0} s",
            acknowledged.load(Ordering::Relaxed),
            started.elapsed().as_secs_f64()
        );
    }
    save_all(&mut servers, &mut writers)?;
    for auditor in &mut auditors {
        audit(auditor, &mut servers, &writers).map_err(|failure| format!("at the end: {failure}"))?;
    }
    check_order(&writers)?;
    let records: u64 = auditors.iter().map(Auditor::revision).sum();
    let acknowledged: usize = writers.iter().map(|writer| writer.acknowledged.len()).sum();
    println!("{acknowledged} acknowledged, {records} in the journals, none lost, none applied twice");
    println!("  {faults:?}; servers that ended by themselves: {}", servers.ended);
    println!("  wall time {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Kills a server, or cuts it off, delays its messages or pauses it for a while.
fn disturb(
    servers: &mut Servers,
    is_kill: bool,
    random: &mut Random,
    faults: &mut Faults,
) -> Result<(), String> {
    let number = random.between(0, servers.nodes.len() as u64 - 1) as usize;
    let last = Duration::from_millis(random.between(100, 4_000));
    if is_kill {
        faults.kills += 1;
        servers.kill(number);
        std::thread::sleep(last / 8);
        servers.restart_ended()?;
        // Every process gets the chance to claim rooms.
        std::thread::sleep(Duration::from_millis(random.between(50, 1_500)));
        return Ok(());
    }
    let node = &servers.nodes[number];
    let (count, proxy) = match random.between(0, 4) {
        0 => {
            faults.pauses += 1;
            servers.signal(number, "STOP");
            std::thread::sleep(last);
            servers.signal(number, "CONT");
            return servers.restart_ended();
        }
        1 => {
            faults.delays += 1;
            let proxies = [&node.front, &node.peers, &node.database];
            let delay = Duration::from_millis(random.between(1, 100));
            proxies.iter().for_each(|proxy| proxy.set_delay(delay));
            std::thread::sleep(last);
            proxies.iter().for_each(|proxy| proxy.set_delay(Duration::ZERO));
            return servers.restart_ended();
        }
        2 => (&mut faults.cut_from_servers, &node.peers),
        3 => (&mut faults.cut_from_clients, &node.front),
        _ => (&mut faults.cut_from_database, &node.database),
    };
    *count += 1;
    proxy.set_cut(true);
    std::thread::sleep(last);
    proxy.set_cut(false);
    servers.restart_ended()
}

/// Audits a room at any server. Servers that are still starting, or do not have the room, are asked again.
fn audit(auditor: &mut Auditor, servers: &mut Servers, writers: &[Writer]) -> Result<(), String> {
    let begun = Instant::now();
    for attempt in 0.. {
        let node = &servers.nodes[attempt % servers.nodes.len()];
        let Err(failure) = auditor.check(node.front.address, writers) else { return Ok(()) };
        let is_violation =
            ["LOST", "applied twice", "other bytes", "follows"].iter().any(|word| failure.contains(word));
        if is_violation || begun.elapsed() > PATIENCE {
            return Err(failure);
        }
        servers.restart_ended()?;
        std::thread::sleep(Duration::from_millis(100));
    }
    unreachable!("the loop has no end")
}

/// Saves the unconfirmed transactions of all writers, each at another server, then compares their documents.
fn save_all(servers: &mut Servers, writers: &mut [Writer]) -> Result<(), String> {
    let mut digests: BTreeMap<String, u64> = BTreeMap::new();
    for is_last in [false, true] {
        for (number, writer) in writers.iter_mut().enumerate() {
            let begun = Instant::now();
            let mut attempt = number;
            while let Err(failure) = writer.save(servers.nodes[attempt % servers.nodes.len()].front.address) {
                if begun.elapsed() > PATIENCE {
                    return Err(failure);
                }
                attempt += 1;
                servers.restart_ended()?;
                std::thread::sleep(Duration::from_millis(100));
            }
            let digest = writer.digest();
            if is_last && *digests.entry(writer.room.clone()).or_insert(digest) != digest {
                return Err(format!("{}: the documents of the writers differ", writer.room));
            }
        }
    }
    Ok(())
}

/// The acknowledged transactions of each replica have revisions in the order of its counters.
fn check_order(writers: &[Writer]) -> Result<(), String> {
    for writer in writers {
        let mut last: BTreeMap<ReplicaId, (Counter, Revision)> = BTreeMap::new();
        for ((replica, counter), (revision, _)) in &writer.acknowledged {
            if let Some((before, earlier)) = last.insert(*replica, (*counter, *revision))
                && earlier >= *revision
            {
                return Err(format!(
                    "{}: transaction {} has revision {revision}, and {} before it {earlier}",
                    writer.room, counter.0, before.0
                ));
            }
        }
    }
    Ok(())
}

fn read_options() -> Result<Option<Options>, String> {
    let mut options = Options { binary: PathBuf::new(), kills: 20, partitions: 10, servers: 3, seed: 1 };
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        if option == "--help" || option == "-h" {
            return Ok(None);
        }
        let value = arguments.next().ok_or(format!("unknown option or missing value: {option}"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("not a number: {value}"));
        match option.as_str() {
            "--binary" => options.binary = value.into(),
            "--kills" => options.kills = number()?,
            "--partitions" => options.partitions = number()?,
            "--servers" => options.servers = number()?.clamp(1, 9) as usize,
            "--seed" => options.seed = number()?,
            _ => return Err(format!("unknown option: {option}")),
        }
    }
    match options.binary.is_file() {
        true => Ok(Some(options)),
        false => Err(format!("no such file: {}", options.binary.display())),
    }
}
