//! What a room that calculates without end costs the others.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Scope;
use std::time::Duration;

use super::histogram::Histogram;
use super::load::{Load, Pace};
use super::workloads::{Bench, thin};
use crate::Outcome;
use crate::server::Server;

/// The other rooms, with so many users each, who write once a second.
const ROOMS: u32 = 100;
const USERS: u32 = 3;
const PERIOD: Duration = Duration::from_secs(1);

/// Cells that depend on one another, the first of which is edited constantly.
const CHAIN: u32 = 1_000_000;
const CHAIN_ROOM: &str = "heavy-chain";
/// An array of a thousand million, thrice.
const ARRAY: &str = "=SEQUENCE(1000000,1000),\"=SUM(SEQUENCE(1000000,1000)*SEQUENCE(1000000,1000))\",=ROWS(SEQUENCE(1000000,1000))\n";
const ARRAY_ROOM: &str = "heavy-array";
const IMPORT_ROOM: &str = "heavy-import";
/// Rooms of a million cells that leave memory and are opened again and again, and how many are deleted meanwhile.
const OPENED: u64 = 3;
const DELETED: u64 = 2;
/// One of them every so many pauses: when the turn comes to a room again, it has left memory.
const OPEN_EVERY: u64 = 100;
const DELETE_EVERY: u64 = 100;
/// A room that nobody uses leaves memory after a second; it is looked for once a second, and stores a snapshot first.
const IDLE: [&str; 2] = ["--room-idle-seconds", "1"];
const LEAVES_MEMORY: Duration = Duration::from_secs(4);
/// Between two requests of one reader or writer: what is measured is a heavy room, not a flood of requests.
const PAUSE: Duration = Duration::from_millis(10);

/// How the heavy rooms are kept busy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pressure {
    None,
    Calculating,
    Importing,
    Opening,
}

impl Bench<'_> {
    /// H: a hundred rooms beside one that calculates without end, and beside one into which files are imported.
    pub fn heavy(&mut self) {
        let measured = self.heavy_delays();
        let [quiet, calculating, importing, opening] = match measured {
            Ok(delays) => delays.map(|delay| Ok(delay.quantile(0.99))),
            Err(reason) => std::array::from_fn(|_| Err(reason.clone())),
        };
        let ratio = |loud: &Outcome<f64>| Ok(loud.clone()? / quiet.clone()?);
        let (beside_calculation, beside_imports) = (ratio(&calculating), ratio(&importing));
        let beside_opening = ratio(&opening);
        for (key, name, delay) in [
            ("h_quiet", "H: 100 rooms × 3 users, p99", quiet),
            ("h_calculating", "H: … beside a room in endless calculation, p99", calculating),
            ("h_importing", "H: … beside imports of 1,000,000 cells, p99", importing),
            ("h_opening", "H: … beside rooms of 1,000,000 cells opened and deleted, p99", opening),
        ] {
            self.goal(key, name, "ms", None, None, delay);
        }
        let name = "H: p99 of others beside endless calculation, times what it was";
        self.goal("h_calculating_ratio", name, "", Some(1.5), Some(1.1), beside_calculation);
        let name = "H: … beside imports, times what it was";
        self.goal("h_importing_ratio", name, "", None, Some(1.5), beside_imports);
        let name = "H: … beside opening and deleting, times what it was";
        self.goal("h_opening_ratio", name, "", None, Some(1.5), beside_opening);
    }

    /// Over all rounds, which take turns so that a disturbance meets each.
    fn heavy_delays(&mut self) -> Outcome<[Histogram; 4]> {
        let server = self.server_with(&IDLE)?;
        let pace = Pace { period: PERIOD, warm_up: Duration::from_secs(1), counted: Duration::from_secs(6) };
        let mut load = Load::new(server.address, thin(&server)?, ROOMS, USERS, 0)?;
        load.join()?;
        let csv = import();
        for number in 0..OPENED {
            put(&server, &opened_room(number), &csv)?;
        }
        let mut delays: [Histogram; 4] = Default::default();
        for _ in 0..if self.setting.is_quick { 2 } else { 5 } {
            for (pressure, delays) in
                [Pressure::None, Pressure::Calculating, Pressure::Importing, Pressure::Opening]
                    .into_iter()
                    .zip(&mut delays)
            {
                let tally = under(&server, pressure, || Ok(load.write(pace, 0)?.0))?;
                if tally.lost() + tally.faults > 0 {
                    return Err(format!("{} lost, {} faults", tally.lost(), tally.faults));
                }
                delays.merge(&tally.delivery);
            }
        }
        Ok(delays)
    }
}

/// Says so when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does `work` while the heavy rooms are kept busy; an error when these were not.
fn under<T>(server: &Server, pressure: Pressure, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let is_over = AtomicBool::new(false);
    let (done, deleted) = (AtomicU64::new(0), AtomicU64::new(0));
    let result = std::thread::scope(|scope| {
        let over = Over(&is_over);
        match pressure {
            Pressure::None => {}
            Pressure::Calculating => {
                let chain: String = (1..CHAIN).map(|row| format!("=A{row}+1\n")).collect();
                put(server, CHAIN_ROOM, &format!("1\n{chain}"))?;
                put(server, ARRAY_ROOM, ARRAY)?;
                for room in [CHAIN_ROOM, CHAIN_ROOM, ARRAY_ROOM, ARRAY_ROOM] {
                    again(scope, &is_over, &done, move |_| read(server, room));
                }
                again(scope, &is_over, &done, move |number| edit(server, number));
            }
            Pressure::Importing => {
                let csv = import();
                again(scope, &is_over, &done, move |_| put(server, IMPORT_ROOM, &csv).is_ok());
            }
            Pressure::Opening => {
                let csv = import();
                for number in 0..DELETED {
                    put(server, &deleted_room(number), &csv)?;
                }
                std::thread::sleep(LEAVES_MEMORY);
                again(scope, &is_over, &done, move |number| {
                    let room = opened_room(number / OPEN_EVERY % OPENED);
                    number % OPEN_EVERY == 0
                        && ureq::get(server.url(&format!("/api/v1/rooms/{room}"))).call().is_ok()
                });
                again(scope, &is_over, &deleted, move |number| {
                    let is_due = number % DELETE_EVERY == 0 && number / DELETE_EVERY < DELETED;
                    is_due && delete(server, &deleted_room(number / DELETE_EVERY))
                });
            }
        }
        let result = work();
        drop(over);
        result
    })?;
    for room in [CHAIN_ROOM, ARRAY_ROOM, IMPORT_ROOM] {
        // Nobody wants to know any more: what is left of the calculation ends. Rooms that are not there are gone already.
        delete(server, room);
    }
    if pressure == Pressure::Opening && deleted.load(Ordering::Relaxed) == 0 {
        return Err("no room was deleted meanwhile".to_owned());
    }
    if pressure != Pressure::None && done.load(Ordering::Relaxed) == 0 {
        return Err("the heavy room was not kept busy".to_owned());
    }
    Ok(result)
}

/// Does the same again and again until it is over, and counts how often it was done.
fn again<'scope>(
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

/// Asks for values; answered, or refused because they take too long.
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

/// A million cells for imports.
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
