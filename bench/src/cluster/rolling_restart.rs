//! People edit in many rooms while the servers are stopped and started again one after another: the longest
//! time that an edit waits to be acknowledged.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::task::LocalSet;
use tokio::time::{interval, sleep, timeout};

use super::figures::{Goal, add, quantile};
use super::person::Person;
use super::servers::Servers;
use crate::goals::Table;
use crate::setting::{Outcome, Setting};

/// Two people in each room, at different servers.
const PEOPLE_PER_ROOM: usize = 2;
const PERIOD: Duration = Duration::from_millis(100);
/// Time between the start of a server and the stop of the next one, longer than the client's `STABLE`.
const BETWEEN: Duration = Duration::from_secs(6);
const STOP_MAX: Duration = Duration::from_secs(30);
const WAIT_MAX: Duration = Duration::from_secs(60);

pub fn measure(setting: &Setting, table: &mut Table) -> Outcome<()> {
    let (rooms, rounds) = if setting.is_quick { (10, 1) } else { (30, 2) };
    let servers = Rc::new(Servers::start(setting, 3)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let (waits_ms, losses) = LocalSet::new().block_on(&runtime, restart_all(&servers, rooms, rounds))?;
    let people = rooms * PEOPLE_PER_ROOM;
    let what =
        format!("rolling restart of 3 servers, {people} people in {rooms} rooms, 10 edits a second each");
    let none = Goal::default();
    add(
        table,
        "restart_p99",
        format!("{what}: edit → acknowledged, p99"),
        "ms",
        none,
        vec![quantile(&waits_ms, 0.99)],
    );
    let aim = Goal { must: None, aim: Some(300.0) };
    let longest = quantile(&waits_ms, 1.0);
    eprintln!("  {} edits, longest wait {longest:.0} ms, {losses} connections lost", waits_ms.len());
    add(table, "restart_longest", format!("{what}: longest wait of an edit"), "ms", aim, vec![longest]);
    add(table, "restart_losses", format!("{what}: connections that ended"), "", none, vec![losses as f64]);
    Ok(())
}

async fn restart_all(servers: &Rc<Servers<'_>>, rooms: usize, rounds: usize) -> Outcome<(Vec<f64>, u64)> {
    let is_over = Rc::new(Cell::new(false));
    let mut people = Vec::new();
    for number in 0..rooms * PEOPLE_PER_ROOM {
        let room = format!("restart-{}", number / PEOPLE_PER_ROOM);
        // The servers of a proxy that spreads connections.
        let server = (number / PEOPLE_PER_ROOM + number % PEOPLE_PER_ROOM) % servers.count();
        people.push((server, Person::join(servers.address(server), &room, number as u64 + 1).await?));
    }
    // Lifetimes of tasks are not known to the compiler, so that all run in one future.
    let editing = people.into_iter().enumerate().map(|(number, (server, person))| {
        edit(person, number, server, Rc::clone(servers), Rc::clone(&is_over))
    });
    let editing = futures_util::future::try_join_all(editing);
    let restarting = async {
        sleep(BETWEEN).await;
        for server in (0..rounds).flat_map(|_| 0..servers.count()) {
            servers.terminate(server)?;
            let stopped = async {
                while !servers.has_ended(server) {
                    sleep(Duration::from_millis(5)).await;
                }
            };
            timeout(STOP_MAX, stopped).await.map_err(|_| "a server does not stop")?;
            servers.replace(server)?;
            sleep(BETWEEN).await;
        }
        is_over.set(true);
        Ok::<(), String>(())
    };
    let (edited, restarted) = tokio::join!(editing, restarting);
    restarted?;
    let edited = edited?;
    let losses = edited.iter().map(|(_, losses)| losses).sum();
    Ok((edited.into_iter().flat_map(|(waits_ms, _)| waits_ms).collect(), losses))
}

/// Edits until the restarts are over, and connects again to the next server when a connection ends. Returns
/// the time that each edit waited, and how many connections ended.
async fn edit(
    mut person: Person,
    number: usize,
    mut server: usize,
    servers: Rc<Servers<'_>>,
    is_over: Rc<Cell<bool>>,
) -> Outcome<(Vec<f64>, u64)> {
    let mut ticks = interval(PERIOD);
    let mut waits_ms = Vec::new();
    let cell = format!("A{}", number % PEOPLE_PER_ROOM + 1);
    let mut edits = 0_u64;
    let mut next = || {
        server = (server + 1) % servers.count();
        servers.address(server)
    };
    while !is_over.get() {
        let due = loop {
            tokio::select! {
                due = ticks.tick() => break due,
                received = person.receive(), if person.is_connected() => received?,
            }
            person.reconnect(&mut next).await;
        };
        edits += 1;
        person.type_text(&cell, &edits.to_string()).await?;
        let acknowledged = async {
            while person.replica.unconfirmed() > 0 {
                match person.is_connected() {
                    true => person.receive().await?,
                    false => person.reconnect(&mut next).await,
                }
            }
            Ok::<(), String>(())
        };
        timeout(WAIT_MAX, acknowledged).await.map_err(|_| "an edit is not acknowledged")??;
        // Edits that were due while the connection was away have waited since then.
        waits_ms.push(due.elapsed().as_secs_f64() * 1e3);
    }
    Ok((waits_ms, person.losses))
}
