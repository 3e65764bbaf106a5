//! Time from starting the server to its first reply.

use std::time::Instant;

use tempfile::TempDir;

use crate::report::Figures;
use crate::server::{Server, wait_until_ready};
use crate::setting::{Outcome, Setting};

/// Runs the workload.
pub fn run(setting: &Setting) -> Outcome<Figures> {
    let repetitions = if setting.is_quick { 5 } else { 20 };
    let mut figures =
        Figures::new(format!("time from starting the process to its first 200, {repetitions} times"));
    let empty = TempDir::new().map_err(|error| error.to_string())?;
    let mut times = Vec::new();
    for _ in 0..repetitions {
        times.push(time_to_first_reply(setting, &empty)?);
    }
    figures.add_distribution("empty data directory", times, "ms");

    let rooms = if setting.is_quick { 100 } else { 1_000 };
    let filled = TempDir::new().map_err(|error| error.to_string())?;
    {
        let server = Server::spawn_on(setting, &filled)?;
        wait_until_ready(server.address)?;
        for room in 0..rooms {
            super::memory::put_room(&server, room)?;
        }
    }
    let mut times = Vec::new();
    for _ in 0..repetitions {
        times.push(time_to_first_reply(setting, &filled)?);
    }
    figures.add_distribution(&format!("{rooms} rooms stored"), times, "ms");
    Ok(figures)
}

fn time_to_first_reply(setting: &Setting, data: &TempDir) -> Outcome<f64> {
    let started = Instant::now();
    let server = Server::spawn_on(setting, data)?;
    wait_until_ready(server.address)?;
    Ok(started.elapsed().as_secs_f64() * 1e3)
}
