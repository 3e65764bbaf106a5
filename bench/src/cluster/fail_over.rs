//! A client edits a room through a server that does not run it, and the one that does is killed: how long
//! until an edit is acknowledged that was made after the kill. The next round kills the successor.

use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::figures::{Goal, add, quantile};
use super::person::Person;
use super::servers::Servers;
use crate::goals::Table;
use crate::setting::{Outcome, Setting};

const ROOM: &str = "fail-over";
/// A fail-over that takes longer counts as failed.
const WAIT_MAX: Duration = Duration::from_secs(30);

pub fn measure(setting: &Setting, table: &mut Table) -> Outcome<()> {
    let kills = if setting.is_quick { 5 } else { 25 };
    let servers = Servers::start(setting, 3)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let waits_ms = runtime.block_on(kill_repeatedly(&servers, kills))?;
    eprintln!("  waits in ms: {waits_ms:.0?}");
    let what = format!("SIGKILL of the room's server → first acknowledged edit, {kills} kills");
    let none = Goal::default();
    add(table, "fail_over_p50", format!("{what}, p50"), "ms", none, vec![quantile(&waits_ms, 0.5)]);
    let aim = Goal { must: None, aim: Some(2_000.0) };
    add(table, "fail_over_p99", format!("{what}, p99"), "ms", aim, vec![quantile(&waits_ms, 0.99)]);
    Ok(())
}

async fn kill_repeatedly(servers: &Servers<'_>, kills: usize) -> Outcome<Vec<f64>> {
    // The first server runs the room.
    let mut owner = 0;
    let mut person = Person::join(servers.address(owner), ROOM, 1).await?;
    edit(&mut person, 0).await?;
    let mut waits_ms = Vec::new();
    for number in 1..=kills {
        let relay = (owner + 1) % servers.count();
        // The earlier session keeps the room in memory until the new one is there.
        let mut next = Person::join(servers.address(relay), ROOM, 1 + number as u64).await?;
        drop(person);
        edit(&mut next, 2 * number).await?;
        if servers.relayed_sessions(relay) < 1.0 {
            return Err("the session is not relayed".to_owned());
        }
        servers.kill(owner);
        let killed = Instant::now();
        next.type_text("A1", &(2 * number + 1).to_string()).await?;
        let acknowledged = async {
            while next.replica.unconfirmed() > 0 {
                match next.is_connected() {
                    true => next.receive().await?,
                    false => next.reconnect(|| servers.address(relay)).await,
                }
            }
            Ok::<(), String>(())
        };
        timeout(WAIT_MAX, acknowledged).await.map_err(|_| "no edit is acknowledged")??;
        waits_ms.push(killed.elapsed().as_secs_f64() * 1e3);
        servers.replace(owner)?;
        (owner, person) = (relay, next);
    }
    Ok(waits_ms)
}

/// Makes an edit and waits until it is acknowledged.
async fn edit(person: &mut Person, number: usize) -> Outcome<()> {
    person.type_text("A1", &number.to_string()).await?;
    let acknowledged = async {
        while person.replica.unconfirmed() > 0 && person.is_connected() {
            person.receive().await?;
        }
        Ok::<(), String>(())
    };
    timeout(WAIT_MAX, acknowledged).await.map_err(|_| "an edit is not acknowledged")?
}
