//! Moving the rooms of an EtherCalc: from a Redis into an empty data directory, durable, and once more
//! when nothing has changed.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;

use crate::redis::Redis;
use crate::report::Figures;
use crate::setting::{Outcome, Setting};

/// Rooms, of which every tenth has commands that are not in its save, and chat messages, and every second
/// one has the commands that made it.
const ROOMS: usize = 10_000;
const ROOMS_QUICK: usize = 1_000;
const ROWS: usize = 20;
/// Rooms a second that are asked for.
const MUST: f64 = 500.0;

/// Runs the workload.
pub fn run(setting: &Setting) -> Outcome<Figures> {
    let rooms = if setting.is_quick { ROOMS_QUICK } else { ROOMS };
    let redis = Redis::start()?;
    fill(&redis, rooms)?;
    let data = TempDir::new().map_err(|error| error.to_string())?;
    let mut figures = Figures::new(format!(
        "{rooms} rooms of {} cells, a fifth of them formulas; half with {} commands each",
        ROWS * 5,
        ROWS * 5
    ));
    for (name, key) in [("into an empty data directory", "imported"), ("once more, unchanged", "unchanged")] {
        let started = Instant::now();
        let end = import(setting, &redis, data.path())?;
        let seconds = started.elapsed().as_secs_f64();
        if end[key] != rooms || end["failed"] != 0 || end["values"] != 0 {
            return Err(format!("{name}: not as expected: {end}"));
        }
        figures.add(format!("{name}: rooms a second (must: {MUST})"), rooms as f64 / seconds, "rooms/s");
        figures.add(format!("{name}: time"), seconds, "s");
    }
    let megabytes = |path: &Path| {
        let files = std::fs::read_dir(path).into_iter().flatten().flatten();
        files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum::<u64>() as f64 / 1e6
    };
    figures.add("size of the data directory", megabytes(data.path()), "MB");
    Ok(figures)
}

/// Runs the import and returns the last line of its report.
fn import(setting: &Setting, redis: &Redis, data: &Path) -> Outcome<Value> {
    let output = Command::new(&setting.binary)
        .args(["import", "--from-ethercalc", &format!("redis://127.0.0.1:{}", redis.port), "--data"])
        .arg(data)
        .output()
        .map_err(|error| format!("cannot start {}: {error}", setting.binary.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().ok_or("no report")?;
    let report: Value = serde_json::from_str(last).map_err(|error| error.to_string())?;
    Ok(report["end"].clone())
}

/// Fills a Redis as EtherCalc does.
fn fill(redis: &Redis, rooms: usize) -> Outcome<()> {
    let mut protocol = Vec::new();
    let mut add = |words: &[&str]| {
        protocol.extend(format!("*{}\r\n", words.len()).bytes());
        words.iter().for_each(|word| protocol.extend(format!("${}\r\n{word}\r\n", word.len()).bytes()));
    };
    for number in 0..rooms {
        let room = format!("room-{number:05}");
        add(&["SET", &format!("snapshot-{room}"), &save(number)]);
        add(&["HSET", "timestamps", &format!("timestamp-{room}"), &(1_700_000_000_000 + number).to_string()]);
        if number % 2 == 0 {
            for (cell, text) in commands(number) {
                add(&["RPUSH", &format!("audit-{room}"), &format!("set {cell} {text}")]);
            }
        }
        if number % 10 == 0 {
            add(&["RPUSH", &format!("log-{room}"), "set A1 text t changed"]);
            add(&["RPUSH", &format!("chat-{room}"), "Hello"]);
        }
    }
    let mut pipe = Command::new("redis-cli")
        .args(["-p", &redis.port.to_string(), "--pipe"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start redis-cli: {error}"))?;
    let mut input = pipe.stdin.take().ok_or("redis-cli has no input")?;
    input.write_all(&protocol).map_err(|error| error.to_string())?;
    drop(input);
    match pipe.wait() {
        Ok(status) if status.success() => Ok(()),
        other => Err(format!("redis-cli: {other:?}")),
    }
}

/// The commands that make the sheet of a room: a text, three numbers and their sum in each row.
fn commands(room: usize) -> impl Iterator<Item = (String, String)> {
    (1..=ROWS).flat_map(move |row| {
        let mut cells = vec![(format!("A{row}"), format!("text t item {row}"))];
        cells.extend(
            "BCD".chars().map(|column| (format!("{column}{row}"), format!("value n {}", room + row))),
        );
        cells.push((format!("E{row}"), format!("formula SUM(B{row}:D{row})")));
        cells
    })
}

/// The save of the same sheet.
fn save(room: usize) -> String {
    let mut save = "version:1.5\n".to_owned();
    for row in 1..=ROWS {
        let _ = writeln!(save, "cell:A{row}:t:item {row}");
        for column in ["B", "C", "D"] {
            let _ = writeln!(save, "cell:{column}{row}:v:{}", room + row);
        }
        let _ = writeln!(save, "cell:E{row}:vtf:n:{}:SUM(B{row}\\cD{row})", 3 * (room + row));
    }
    let _ = writeln!(save, "sheet:c:5:r:{ROWS}");
    save
}
