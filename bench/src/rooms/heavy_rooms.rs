//! The effect of expensive rooms on the latency of other rooms.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Scope;
use std::time::Duration;

use super::load::{Load, Pace};
use super::workloads::{Bench, thin};
use crate::server::Server;
use crate::setting::Outcome;

/// Number of measured rooms; `USERS` users in each write once per `PERIOD`.
const ROOMS: u32 = 100;
const USERS: u32 = 3;
const PERIOD: Duration = Duration::from_secs(1);

/// Length of a chain of dependent cells whose first cell is edited constantly.
const CHAIN: u32 = 1_000_000;
const CHAIN_ROOM: &str = "heavy-chain";
/// Three formulas with an array of a thousand million elements.
const ARRAY: &str = "=SEQUENCE(1000000,1000),\"=SUM(SEQUENCE(1000000,1000)*SEQUENCE(1000000,1000))\",=ROWS(SEQUENCE(1000000,1000))\n";
const ARRAY_ROOM: &str = "heavy-array";
const IMPORT_ROOM: &str = "heavy-import";
/// Number of rooms of a million cells that are unloaded and opened repeatedly, and of rooms that are
/// deleted repeatedly.
const OPENED: u64 = 3;
const DELETED: u64 = 2;
/// Number of pauses between two openings, so that a room is unloaded before it is opened again.
const OPEN_EVERY: u64 = 100;
const DELETE_EVERY: u64 = 100;
/// Idle rooms are unloaded after one second; the server checks once per second and stores a snapshot
/// first.
const IDLE: [&str; 2] = ["--room-idle-seconds", "1"];
/// Pause between two requests of a reader or writer, since the load is to come from the room and not
/// from the number of requests.
const PAUSE: Duration = Duration::from_millis(10);

/// The load in the expensive rooms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pressure {
    Calculating,
    Importing,
    Opening,
}

const PRESSURES: [Pressure; 3] = [Pressure::Calculating, Pressure::Importing, Pressure::Opening];

/// Duration of the warm-up of a phase, in which the work of the previous phase ends.
const WARM_UP: Duration = Duration::from_secs(1);
const COUNTED: Duration = Duration::from_secs(5);
/// Time after the preparation for snapshots and deletions.
const SETTLES: Duration = Duration::from_secs(6);

/// 99th percentiles of one phase, in milliseconds.
#[derive(Clone, Copy)]
struct Phase {
    /// From the time when a write was due to its arrival at other users.
    delivery: f64,
    /// The server's part, by its own clock.
    server: f64,
    /// The lateness of the load generator.
    lateness: f64,
}

/// Two phases with the same users: without and with expensive rooms.
struct Pair {
    quiet: Phase,
    heavy: Phase,
}

impl Bench<'_> {
    /// H: a hundred rooms while one room calculates without end, while files are imported into a room, and
    /// while large rooms are opened and deleted. Figures and ratios are medians over pairs of phases, so
    /// that a disturbance of the machine affects both phases of a pair.
    pub fn heavy(&mut self) {
        let pairs = self.heavy_pairs();
        let quiet = pairs.as_ref().map_err(Clone::clone).map(|pairs| {
            let all = pairs.iter().flatten().map(|pair| pair.quiet.delivery);
            median(all.collect())
        });
        self.goal("h_quiet", "H: 100 rooms × 3 users, p99", "ms", None, None, quiet);
        for (index, (key, name, must, aim)) in [
            ("h_calculating", "beside a room in endless calculation", Some(1.5), 1.1),
            ("h_importing", "beside imports of 1,000,000 cells", None, 1.5),
            ("h_opening", "beside rooms of 1,000,000 cells opened and deleted", None, 1.5),
        ]
        .into_iter()
        .enumerate()
        {
            let of = |pick: fn(&Pair) -> f64| -> Outcome<f64> {
                let pairs = pairs.as_ref().map_err(Clone::clone)?;
                Ok(median(pairs[index].iter().map(pick).collect()))
            };
            let (delivery, ratio) =
                (of(|pair| pair.heavy.delivery), of(|pair| pair.heavy.delivery / pair.quiet.delivery));
            let server_ratio = of(|pair| pair.heavy.server / pair.quiet.server);
            self.goal(key, &format!("H: … {name}, p99"), "ms", None, None, delivery);
            self.goal(
                &format!("{key}_ratio"),
                &format!("H: … {name}, times what it was"),
                "",
                must,
                Some(aim),
                ratio,
            );
            self.goal(
                &format!("{key}_server_ratio"),
                &format!("H: … {name}, the server's part, times what it was"),
                "",
                None,
                None,
                server_ratio,
            );
            for (label, value) in [
                ("server's part, quiet", of(|pair| pair.quiet.server)),
                ("server's part, heavy", of(|pair| pair.heavy.server)),
                ("generator late, quiet", of(|pair| pair.quiet.lateness)),
                ("generator late, heavy", of(|pair| pair.heavy.lateness)),
            ] {
                let short = label.replace([' ', '\'', ','], "_");
                let value = value.unwrap_or(f64::NAN);
                self.detail(&format!("{key}_{short}"), &format!("H: {name}: {label}, p99"), "ms", value);
            }
        }
    }

    /// The pairs of each pressure.
    fn heavy_pairs(&self) -> Outcome<[Vec<Pair>; 3]> {
        let server = self.server_with(&IDLE)?;
        let mut load = Load::new(server.address, thin(&server)?, ROOMS, USERS, 0)?;
        load.join()?;
        let csv = import();
        for number in 0..OPENED {
            put(&server, &opened_room(number), &csv)?;
        }
        let mut pairs: [Vec<Pair>; 3] = Default::default();
        for _ in 0..if self.setting.is_quick { 3 } else { 5 } {
            for (pressure, pairs) in PRESSURES.into_iter().zip(&mut pairs) {
                prepare(&server, pressure, &csv)?;
                let quiet = phase(&server, &mut load)?;
                let heavy = under(&server, pressure, &csv, || phase(&server, &mut load))?;
                eprintln!(
                    "  {pressure:?}: p99 {:.2} and {:.2} ms, the server's part {:.2} and {:.2}, the generator late by {:.2} and {:.2}",
                    quiet.delivery,
                    heavy.delivery,
                    quiet.server,
                    heavy.server,
                    quiet.lateness,
                    heavy.lateness
                );
                pairs.push(Pair { quiet, heavy });
                for room in [CHAIN_ROOM, ARRAY_ROOM, IMPORT_ROOM] {
                    // Deleting the rooms ends their calculations. Some rooms do not exist.
                    delete(&server, room);
                }
            }
        }
        Ok(pairs)
    }
}

/// Runs one phase.
fn phase(server: &Server, load: &mut Load) -> Outcome<Phase> {
    let read = || server.buckets(SERVER_PART).ok_or_else(|| format!("no {SERVER_PART} at /metrics"));
    let before = read()?;
    let (tally, _) = load.write(Pace { period: PERIOD, warm_up: WARM_UP, counted: COUNTED }, 0)?;
    let after = read()?;
    if tally.lost() + tally.faults > 0 {
        return Err(format!("{} lost, {} faults", tally.lost(), tally.faults));
    }
    Ok(Phase {
        delivery: tally.delivery.quantile(0.99),
        server: quantile_between(&before, &after, 0.99).ok_or("the server measured nothing")? * 1e3,
        lateness: tally.lateness.quantile(0.99),
    })
}

const SERVER_PART: &str = "quadrille_delivery_seconds";

/// A quantile of the values between two readings of a histogram, interpolated within its bucket.
fn quantile_between(before: &[(f64, f64)], after: &[(f64, f64)], share: f64) -> Option<f64> {
    let counts: Vec<(f64, f64)> = (after.iter().enumerate())
        .map(|(index, (bound, count))| (*bound, count - before.get(index).map_or(0.0, |(_, count)| *count)))
        .collect();
    let wanted = counts.last().filter(|(_, count)| *count > 0.0)?.1 * share;
    let (mut low, mut below) = (0.0, 0.0);
    for (bound, count) in counts {
        if count >= wanted {
            let high = if bound.is_finite() { bound } else { low };
            return Some(low + (high - low) * (wanted - below) / (count - below));
        }
        (low, below) = (bound, count);
    }
    None
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => (values[middle - 1] + values[middle]) / 2.0,
        _ => values[middle],
    }
}

/// Creates the expensive rooms.
fn prepare(server: &Server, pressure: Pressure, csv: &str) -> Outcome<()> {
    match pressure {
        Pressure::Calculating => {
            let chain: String = (1..CHAIN).map(|row| format!("=A{row}+1\n")).collect();
            put(server, CHAIN_ROOM, &format!("1\n{chain}"))?;
            put(server, ARRAY_ROOM, ARRAY)?;
        }
        Pressure::Importing => put(server, IMPORT_ROOM, csv)?,
        Pressure::Opening => {
            for number in 0..DELETED {
                put(server, &deleted_room(number), csv)?;
            }
        }
    }
    std::thread::sleep(SETTLES);
    Ok(())
}

/// Runs `work` under load in the expensive rooms.
///
/// Fails when the load was not effective.
fn under<T>(server: &Server, pressure: Pressure, csv: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let is_over = AtomicBool::new(false);
    let (done, deleted) = (AtomicU64::new(0), AtomicU64::new(0));
    let result = std::thread::scope(|scope| {
        let over = StopOnDrop(&is_over);
        match pressure {
            Pressure::Calculating => {
                for room in [CHAIN_ROOM, CHAIN_ROOM, ARRAY_ROOM, ARRAY_ROOM] {
                    repeat(scope, &is_over, &done, move |_| read(server, room));
                }
                repeat(scope, &is_over, &done, move |number| edit(server, number));
            }
            Pressure::Importing => {
                repeat(scope, &is_over, &done, move |_| put(server, IMPORT_ROOM, csv).is_ok());
            }
            Pressure::Opening => {
                repeat(scope, &is_over, &done, move |number| {
                    let room = opened_room(number / OPEN_EVERY % OPENED);
                    number % OPEN_EVERY == 0
                        && ureq::get(server.url(&format!("/api/v1/rooms/{room}"))).call().is_ok()
                });
                repeat(scope, &is_over, &deleted, move |number| {
                    // `None` before the first value.
                    let room = (number / DELETE_EVERY).wrapping_sub(1);
                    let is_due = number % DELETE_EVERY == 0 && room < DELETED;
                    is_due && delete(server, &deleted_room(room))
                });
            }
        }
        let result = work();
        drop(over);
        result
    })?;
    if pressure == Pressure::Opening && deleted.load(Ordering::Relaxed) == 0 {
        return Err("no room was deleted meanwhile".to_owned());
    }
    if done.load(Ordering::Relaxed) == 0 {
        return Err("the heavy room was not kept busy".to_owned());
    }
    Ok(result)
}

/// Sets the flag when dropped.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Repeats a request until the flag is set and counts the repetitions.
fn repeat<'scope>(
    scope: &'scope Scope<'scope, '_>,
    is_over: &'scope AtomicBool,
    done: &'scope AtomicU64,
    once: impl Fn(u64) -> bool + Send + 'scope,
) {
    scope.spawn(move || {
        for number in (0..).take_while(|_| !is_over.load(Ordering::Relaxed)) {
            done.fetch_add(u64::from(once(number)), Ordering::Relaxed);
            std::thread::sleep(PAUSE);
        }
    });
}

/// Reads values; succeeds if they are returned or refused because they take too long.
fn read(server: &Server, room: &str) -> bool {
    let url = server.url(&format!("/api/v1/rooms/{room}/sheets/Sheet1/cells/A1:A3"));
    let patience = Some(Duration::from_secs(1));
    ureq::get(&url).config().timeout_global(patience).build().call().is_ok()
}

/// Edits the first cell of the chain.
fn edit(server: &Server, number: u64) -> bool {
    let url = server.url(&format!("/api/v1/rooms/{CHAIN_ROOM}/sheets/Sheet1/cells/A1"));
    let body = format!("{{\"value\":{number}}}");
    ureq::put(&url).header("content-type", "application/json").send(body).is_ok()
}

/// A CSV file of a million cells.
fn import() -> String {
    let row = |row: u32| format!("{row},{}.5,=A{row}*2,text {row},1,2,3,4,5,6\n", row % 977);
    (1..=100_000).map(row).collect()
}

fn opened_room(number: u64) -> String {
    format!("heavy-opened-{number}")
}

fn deleted_room(number: u64) -> String {
    format!("heavy-deleted-{number}")
}

fn delete(server: &Server, room: &str) -> bool {
    ureq::delete(server.url(&format!("/api/v1/rooms/{room}"))).call().is_ok()
}

fn put(server: &Server, room: &str, csv: &str) -> Outcome<()> {
    let url = server.url(&format!("/api/v1/rooms/{room}"));
    let reply = ureq::put(&url).header("content-type", "text/csv").send(csv);
    reply.map(|_| ()).map_err(|error| format!("PUT {url}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_between_two_readings_ignore_earlier_values() {
        let before = [(0.001, 5.0), (0.002, 5.0), (0.004, 5.0), (f64::INFINITY, 5.0)];
        let after = [(0.001, 5.0), (0.002, 55.0), (0.004, 105.0), (f64::INFINITY, 105.0)];
        assert_eq!(quantile_between(&before, &after, 0.25), Some(0.0015));
        assert_eq!(quantile_between(&before, &after, 0.5), Some(0.002));
        assert_eq!(quantile_between(&before, &after, 0.75), Some(0.003));
        assert_eq!(quantile_between(&after, &after, 0.5), None);
    }

    #[test]
    fn the_median_of_an_odd_and_an_even_number_of_values() {
        assert_eq!((median(vec![3.0, 1.0, 2.0]), median(vec![4.0, 1.0])), (2.0, 2.5));
    }
}
