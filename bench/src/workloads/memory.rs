//! Memory of an idle server and of a server with many open rooms.

use std::time::Duration;

use crate::client::Client;
use crate::report::Figures;
use crate::server::Server;
use crate::setting::{Outcome, Setting};

const ROWS: u32 = 10;
const COLUMNS: u32 = 10;

/// Runs the workload.
pub fn run(setting: &Setting) -> Outcome<Figures> {
    let rooms: u64 = if setting.is_quick { 100 } else { 1_000 };
    let mut figures =
        Figures::new(format!("resident memory; {rooms} rooms of {} cells, one session each", ROWS * COLUMNS));
    let server = Server::start(setting)?;
    std::thread::sleep(Duration::from_secs(1));
    let idle = server.memory()? as f64;
    figures.add("idle server", idle / 1e6, "MB");
    for room in 0..rooms {
        put_room(&server, room)?;
    }
    let stored = server.memory()? as f64;
    figures.add(format!("after {rooms} rooms were written"), stored / 1e6, "MB");

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let clients: Outcome<Vec<Client>> = runtime.block_on(async {
        let mut clients = Vec::new();
        for room in 0..rooms {
            clients.push(Client::join(server.address, &room_name(room), room).await?);
        }
        Ok(clients)
    });
    let clients = clients?;
    std::thread::sleep(Duration::from_secs(1));
    let open = server.memory()? as f64;
    figures.add(format!("with {} rooms open, a session in each", clients.len()), open / 1e6, "MB");
    figures.add(
        "per 1,000 open rooms with their sessions",
        (open - idle) / rooms as f64 * 1_000.0 / 1e6,
        "MB",
    );
    figures.add("per open room with its session", (open - idle) / rooms as f64 / 1e3, "KB");
    Ok(figures)
}

fn room_name(room: u64) -> String {
    format!("bench-{room}")
}

/// Creates a room with ten rows of ten numbers.
pub fn put_room(server: &Server, room: u64) -> Outcome<()> {
    let mut csv = String::new();
    for row in 0..ROWS {
        let numbers: Vec<String> = (0..COLUMNS).map(|column| (row * COLUMNS + column).to_string()).collect();
        csv.push_str(&numbers.join(","));
        csv.push('\n');
    }
    let url = server.url(&format!("/api/v1/rooms/{}", room_name(room)));
    let reply = ureq::put(&url).header("content-type", "text/csv").send(csv);
    reply.map(|_| ()).map_err(|error| format!("PUT {url}: {error}"))
}
