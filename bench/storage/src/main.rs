//! `cargo xtask bench storage [--quick] [--json FILE]`: durable operations per second of SQLite and of
//! PostgreSQL, on the same work in one run.
//!
//! Both engines store records of 100 bytes for 3,000 rooms, with syncs, on the same disk. PostgreSQL runs
//! beside the program with its default settings and shares its cores. A commit has the records of as many
//! rooms as its size says, which is what the journal's thread does when as many wait (group commit).

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quadrille_journal::{Append, Outcome, RoomKey, Storage};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_postgres::{Address, PostgresStorage};
use quadrille_storage_sqlite::SqliteStorage;
use quadrille_test_database::{Durability, TestDatabase};
use serde_json::{Value, json};

const ROOMS: usize = 3_000;
const RECORD_BYTES: usize = 100;
/// Rooms with a record in one commit. The server puts at most 4,096 into one.
const COMMIT_SIZES: [usize; 5] = [1, 10, 100, 1_000, 3_000];
/// Issue 18: durable operations per second from one machine.
const MUST: f64 = 30_000.0;
const AIM: f64 = 90_000.0;

/// How many operations were stored, and how long the commits took.
struct Measured {
    per_second: f64,
    p50_ms: f64,
    p99_ms: f64,
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("bench storage: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<String>) -> Result<(), String> {
    let (mut duration, mut file) = (Duration::from_secs(10), None);
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--quick" => duration = Duration::from_secs(2),
            "--json" => file = Some(PathBuf::from(rest.next().ok_or("--json needs a file")?)),
            other => return Err(format!("unknown argument: {other}")),
        }
    }
    let machine = machine();
    println!("{machine}\n");
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let failed = |error: quadrille_journal::StorageError| error.to_string();
    let mut sqlite = SqliteStorage::open(directory.path()).map_err(failed)?;
    let database = TestDatabase::start(Durability::Synced);
    let address = Address::parse(&database.create(), None).map_err(|error| error.to_string())?;
    let mut postgres = PostgresStorage::open(&address, "").map_err(failed)?;
    let mut heads = [Vec::new(), Vec::new()];
    for (storage, heads) in [&mut sqlite as &mut dyn Storage, &mut postgres].into_iter().zip(&mut heads) {
        *heads = make_rooms(storage).map_err(failed)?;
    }
    println!(
        "| rooms in a commit | SQLite op/s, commit p50 / p99 ms | PostgreSQL op/s, commit p50 / p99 ms | ratio |"
    );
    println!("|---|---|---|---|");
    let (mut rows, mut best) = (Vec::new(), 0f64);
    for size in COMMIT_SIZES {
        let ours = measure(&mut sqlite, &mut heads[0], size, duration).map_err(failed)?;
        let theirs = measure(&mut postgres, &mut heads[1], size, duration).map_err(failed)?;
        let ratio = theirs.per_second / ours.per_second;
        println!("| {size} | {} | {} | {ratio:.2} |", ours.text(), theirs.text());
        rows.push(json!({
            "roomsInCommit": size, "sqlite": ours.to_json(), "postgresql": theirs.to_json(), "ratio": ratio,
        }));
        best = best.max(theirs.per_second);
    }
    let version = database.sql("postgres", "SHOW server_version");
    println!(
        "\nPostgreSQL {version}: {best:.0} durable operations per second; must {MUST}: {}, aim {AIM}: {}",
        if best >= MUST { "met" } else { "missed" },
        if best >= AIM { "met" } else { "missed" },
    );
    let Some(file) = file else { return Ok(()) };
    let result = json!({
        "machine": machine, "postgresql": version, "rooms": ROOMS, "recordBytes": RECORD_BYTES,
        "secondsPerCell": duration.as_secs(), "must": MUST, "aim": AIM, "best": best, "commits": rows,
    });
    let text = serde_json::to_string_pretty(&result).expect("plain data") + "\n";
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
}

/// Creates the rooms with a record each. Returns their heads.
fn make_rooms(
    storage: &mut dyn Storage,
) -> Result<Vec<(RoomKey, Revision)>, quadrille_journal::StorageError> {
    let mut heads = Vec::with_capacity(ROOMS);
    for number in 0..ROOMS {
        let name = RoomName::new(&format!("room-{number}")).expect("a valid name");
        heads.push((storage.claim(&name)?.key, Revision(0)));
    }
    commit(storage, &mut heads)?;
    Ok(heads)
}

/// Stores one record in each of these rooms, in one commit.
fn commit(
    storage: &mut dyn Storage,
    heads: &mut [(RoomKey, Revision)],
) -> Result<(), quadrille_journal::StorageError> {
    let append = |(room, base): &(RoomKey, Revision)| Append {
        room: *room,
        base: *base,
        records: vec![Arc::from(vec![(base.0 % 251) as u8; RECORD_BYTES])],
        time_ms: 1,
    };
    let batch: Vec<Append> = heads.iter().map(append).collect();
    let outcomes = storage.append(&batch)?;
    for ((_, head), outcome) in heads.iter_mut().zip(outcomes) {
        let Outcome::Durable { head: stored } = outcome else { panic!("nobody else writes") };
        *head = stored;
    }
    Ok(())
}

/// Commits for a time, with the rooms in turn.
fn measure(
    storage: &mut dyn Storage,
    heads: &mut [(RoomKey, Revision)],
    size: usize,
    duration: Duration,
) -> Result<Measured, quadrille_journal::StorageError> {
    let (began, mut times_ms, mut stored, mut at) = (Instant::now(), Vec::new(), 0, 0);
    while began.elapsed() < duration {
        let to = (at + size).min(heads.len());
        let commit_began = Instant::now();
        commit(storage, &mut heads[at..to])?;
        times_ms.push(commit_began.elapsed().as_secs_f64() * 1_000.0);
        stored += to - at;
        at = if to == heads.len() { 0 } else { to };
        if storage.needs_checkpoint() {
            storage.checkpoint()?;
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    times_ms.sort_by(f64::total_cmp);
    let quantile = |part: f64| times_ms[((times_ms.len() - 1) as f64 * part) as usize];
    Ok(Measured { per_second: stored as f64 / seconds, p50_ms: quantile(0.5), p99_ms: quantile(0.99) })
}

impl Measured {
    fn text(&self) -> String {
        format!("{:.0}, {:.2} / {:.2}", self.per_second, self.p50_ms, self.p99_ms)
    }

    fn to_json(&self) -> Value {
        json!({"operationsPerSecond": self.per_second, "commitP50Ms": self.p50_ms, "commitP99Ms": self.p99_ms})
    }
}

fn machine() -> Value {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let value = |file: &str, key: &str| {
        let text = read(file);
        let line = text.lines().find(|line| line.starts_with(key)).and_then(|line| line.split_once(':'));
        line.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let commit = Command::new("git").args(["describe", "--always", "--dirty"]).output();
    json!({
        "build": if cfg!(debug_assertions) { "development" } else { "release" },
        "processor": value("/proc/cpuinfo", "model name"),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "memory": value("/proc/meminfo", "MemTotal"),
        "system": read("/proc/version").split(" (").next(),
        "load": read("/proc/loadavg").split(' ').next(),
        "commit": commit.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default(),
    })
}
