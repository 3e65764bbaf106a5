//! Latency from a write in one replica to its arrival in the others: 50 users in one room, each writing to
//! its own cell.
//!
//! The server and all replicas run on the same machine. A replica decodes, rebases, applies and
//! recalculates.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use quadrille_cell::{CellAddress, Value};
use quadrille_operation::Command;
use quadrille_replica::{Event, Status};
use tokio::task::LocalSet;
use tokio::time::{interval_at, sleep};

use crate::client::Client;
use crate::report::Figures;
use crate::server::Server;
use crate::setting::{Outcome, Setting};

const PEOPLE: usize = 50;
const ROOM: &str = "latency";
/// Evaluation steps of one recalculation; the sheet has no formulas.
const STEPS: u64 = 1_000_000;

/// Runs the workload.
pub fn run(setting: &Setting) -> Outcome<Figures> {
    let mut figures =
        Figures::new(format!("{PEOPLE} replicas in one room, journal synced before anything is sent"));
    let seconds = if setting.is_quick { 5 } else { 20 };
    for writes_per_second in [1.0 / 6.0, 4.0] {
        let name = format!("{PEOPLE} × {writes_per_second:.2}/s");
        let server = Server::start(setting)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        // Twice as long at the low rate, for enough writes for a p99.
        let seconds = if writes_per_second < 1.0 { seconds * 2 } else { seconds };
        let load = Load { writes_per_second, duration: Duration::from_secs(seconds) };
        let seen = LocalSet::new().block_on(&runtime, measure(&server, load))?;
        let expected = seen.writes * (PEOPLE - 1);
        figures.add(format!("{name}: writes"), seen.writes as f64, "");
        figures.add(format!("{name}: not seen"), expected.saturating_sub(seen.delays_ms.len()) as f64, "");
        figures.add_distribution(&format!("{name}: write → seen"), seen.delays_ms, "ms");
        figures.add_distribution(&format!("{name}: write → saved"), seen.saved_ms, "ms");
    }
    Ok(figures)
}

#[derive(Clone, Copy)]
struct Load {
    writes_per_second: f64,
    duration: Duration,
}

/// The measurements of all users, which run on one thread.
#[derive(Default)]
struct Seen {
    /// The time of each write of each user.
    written: Vec<Vec<Instant>>,
    writes: usize,
    delays_ms: Vec<f64>,
    saved_ms: Vec<f64>,
}

async fn measure(server: &Server, load: Load) -> Outcome<Seen> {
    let seen = Rc::new(RefCell::new(Seen { written: vec![Vec::new(); PEOPLE], ..Seen::default() }));
    let mut people = Vec::new();
    for number in 0..PEOPLE {
        people.push(Client::join(server.address, ROOM, number as u64 + 1).await?);
    }
    let started = Instant::now() + Duration::from_millis(200);
    let tasks: Vec<_> = people
        .into_iter()
        .enumerate()
        .map(|(number, client)| tokio::task::spawn_local(user(client, number, started, load, seen.clone())))
        .collect();
    for task in tasks {
        task.await.map_err(|error| error.to_string())??;
    }
    Ok(Rc::into_inner(seen).expect("all tasks have ended").into_inner())
}

/// Writes at regular intervals with an offset of its own, and records the arrival of other writes.
async fn user(
    mut client: Client,
    number: usize,
    started: Instant,
    load: Load,
    seen: Rc<RefCell<Seen>>,
) -> Outcome<()> {
    let period = Duration::from_secs_f64(1.0 / load.writes_per_second);
    let offset = period.mul_f64(number as f64 / PEOPLE as f64);
    let mut ticks = interval_at((started + offset).into(), period);
    let end = sleep(started + load.duration + Duration::from_secs(1) - Instant::now());
    tokio::pin!(end);
    let mut unsaved = None;
    let mut newest = vec![None; PEOPLE];
    loop {
        tokio::select! {
            () = &mut end => return Ok(()),
            _ = ticks.tick(), if started.elapsed() < load.duration => {
                let text = {
                    let mut seen = seen.borrow_mut();
                    seen.writes += 1;
                    seen.written[number].push(Instant::now());
                    text_of(number, seen.written[number].len() - 1)
                };
                let sheet = client.replica.document().workbook().sheets()[0].id().0;
                let cell = CellAddress::clamped(number as u32, 0).to_string();
                unsaved.get_or_insert(Instant::now());
                client.handle(Event::Command(Command::TypeText { sheet, cell, text })).await?;
            }
            received = client.receive() => {
                received?;
                if client.replica.status() == Status::Saved
                    && let Some(written) = unsaved.take()
                {
                    seen.borrow_mut().saved_ms.push(written.elapsed().as_secs_f64() * 1e3);
                }
            }
        }
        record_arrivals(&mut client, number, &mut newest, &mut seen.borrow_mut());
    }
}

/// Records the age of each new text. `newest` has the last received write of each user.
fn record_arrivals(client: &mut Client, number: usize, newest: &mut [Option<usize>], seen: &mut Seen) {
    client.replica.evaluate(STEPS);
    let (changes, _) = client.replica.take_changes();
    for (sheet, range) in changes.ranges {
        let Some(sheet) = client.replica.document().workbook().sheet(sheet) else { continue };
        for row in range.first().row.get()..=range.last().row.get().min(PEOPLE as u32 - 1) {
            let Value::Text(text) = sheet.value(CellAddress::clamped(row, 0)) else { continue };
            let Some((writer, write)) = write_of(&text) else { continue };
            if writer != number && newest[writer] < Some(write) {
                newest[writer] = Some(write);
                seen.delays_ms.push(seen.written[writer][write].elapsed().as_secs_f64() * 1e3);
            }
        }
    }
}

/// The text has letters, so that it is not read as a time or a date.
fn text_of(writer: usize, write: usize) -> String {
    format!("person {writer} write {write}")
}

fn write_of(text: &str) -> Option<(usize, usize)> {
    let (writer, write) = text.strip_prefix("person ")?.split_once(" write ")?;
    Some((writer.parse().ok()?, write.parse().ok()?))
}
