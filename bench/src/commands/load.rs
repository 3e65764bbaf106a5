//! [`Load`]: connections that send commands, each as soon as the one before is answered.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::LocalSet;
use tokio::time::sleep;

use crate::http_connection::HttpConnection;
use crate::setting::Outcome;

/// Columns of numbers; the column after them has the sum of each row.
const COLUMNS: u32 = 9;
/// Until then the last write of each connection has to be readable.
const DRAIN_MAX: Duration = Duration::from_secs(60);

/// Commands for rooms of one size.
pub struct Load {
    /// Key in the JSON file.
    pub key: &'static str,
    pub name: &'static str,
    /// Rows of nine numbers and their sum.
    pub rows: u32,
    pub connections: u32,
    /// Whether each connection has a room of its own.
    pub has_own_rooms: bool,
    /// Number of commands in a request.
    pub commands: u32,
}

/// What a server has done.
#[derive(Clone, Copy)]
pub struct Rate {
    /// Commands per second until all were answered and the last of each connection could be read.
    pub commands: f64,
    /// 99th percentile of the time of a request, in milliseconds.
    pub request_p99_ms: f64,
}

impl Load {
    /// Creates the rooms, sends commands for a time and reads the last of each connection.
    ///
    /// # Errors
    /// A message when the server refuses, or what it has acknowledged cannot be read.
    pub fn run(&self, address: SocketAddr, duration: Duration) -> Outcome<Rate> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        LocalSet::new().block_on(&runtime, self.measure(address, duration))
    }

    async fn measure(&self, address: SocketAddr, duration: Duration) -> Outcome<Rate> {
        let rooms = if self.has_own_rooms { self.connections } else { 1 };
        for room in 0..rooms {
            create(address, &room_name(room), self.rows).await?;
        }
        let began = Instant::now();
        let writers: Vec<_> = (0..self.connections)
            .map(|number| {
                let writer = Writer {
                    room: room_name(if self.has_own_rooms { number } else { 0 }),
                    // Connections of one room write different cells.
                    first: if self.has_own_rooms { 0 } else { number },
                    step: if self.has_own_rooms { 1 } else { self.connections },
                    cells: self.rows * COLUMNS,
                    commands: self.commands,
                };
                tokio::task::spawn_local(writer.write(address, began + duration))
            })
            .collect();
        let mut times_ms = Vec::new();
        for writer in writers {
            times_ms.extend(writer.await.map_err(|error| error.to_string())??);
        }
        let commands = times_ms.len() as f64 * f64::from(self.commands);
        let rate = commands / began.elapsed().as_secs_f64();
        times_ms.sort_by(f64::total_cmp);
        let last = times_ms.len().checked_sub(1).ok_or("no request was answered")?;
        Ok(Rate { commands: rate, request_p99_ms: times_ms[(last as f64 * 0.99).round() as usize] })
    }
}

fn room_name(number: u32) -> String {
    format!("commands{number}")
}

/// Creates a room of `rows` rows: numbers as CSV, their sums by commands.
async fn create(address: SocketAddr, room: &str, rows: u32) -> Outcome<()> {
    let mut connection = HttpConnection::open(address).await?;
    let numbers: Vec<String> = (1..=COLUMNS).map(|number| number.to_string()).collect();
    let csv = format!("{}\n", numbers.join(",")).repeat(rows as usize);
    let path = format!("/_/{room}");
    let answer = connection.request("PUT", &path, "text/csv", &csv).await?;
    if !(200..300).contains(&answer.status) {
        return Err(format!("PUT {path}: status {}", answer.status));
    }
    let sums: Vec<String> = (1..=rows).map(|row| format!("set J{row} formula SUM(A{row}:I{row})")).collect();
    for sums in sums.chunks(100) {
        send(&mut connection, &path, sums).await?;
    }
    let sum = numbers.len() as u32 * (COLUMNS + 1) / 2;
    wait_for(&mut connection, room, &format!("J{rows}"), &json!(sum)).await
}

async fn send(connection: &mut HttpConnection, path: &str, commands: &[String]) -> Outcome<()> {
    let body = match commands {
        [command] => json!({ "command": command }),
        _ => json!({ "command": commands }),
    };
    let answer = connection.request("POST", path, "application/json", &body.to_string()).await?;
    if answer.status != 202 {
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        return Err(format!("POST {path}: status {}: {body}", answer.status));
    }
    Ok(())
}

/// Waits until a cell has a value.
async fn wait_for(connection: &mut HttpConnection, room: &str, cell: &str, value: &Value) -> Outcome<()> {
    let (path, began) = (format!("/_/{room}/cells/{cell}"), Instant::now());
    loop {
        let answer = connection.request("GET", &path, "application/json", "").await?;
        let found: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if found["datavalue"].as_f64() == value.as_f64() {
            return Ok(());
        }
        if began.elapsed() > DRAIN_MAX {
            return Err(format!("{room}: {cell} is {} instead of {value}", found["datavalue"]));
        }
        sleep(Duration::from_millis(5)).await;
    }
}

/// What a connection writes: its own cells in turn, with the number of the command.
struct Writer {
    room: String,
    /// Index of its first cell, row by row.
    first: u32,
    /// Distance to its next cell.
    step: u32,
    /// Number of cells of the room.
    cells: u32,
    commands: u32,
}

impl Writer {
    /// Writes until `end`; the milliseconds of each request.
    async fn write(self, address: SocketAddr, end: Instant) -> Outcome<Vec<f64>> {
        let mut connection = HttpConnection::open(address).await?;
        let path = format!("/_/{}", self.room);
        let (mut times_ms, mut number) = (Vec::new(), 0);
        while Instant::now() < end {
            let commands: Vec<String> = (number..number + self.commands)
                .map(|number| format!("set {} value n {number}", self.cell(number)))
                .collect();
            number += self.commands;
            let sent = Instant::now();
            send(&mut connection, &path, &commands).await?;
            times_ms.push(sent.elapsed().as_secs_f64() * 1e3);
        }
        if let Some(last) = number.checked_sub(1) {
            wait_for(&mut connection, &self.room, &self.cell(last), &json!(last)).await?;
        }
        Ok(times_ms)
    }

    /// The cell of a command, as `B2`.
    fn cell(&self, number: u32) -> String {
        // As many cells as all connections have, so that none writes a cell of another one.
        let own = (self.cells / self.step).max(1);
        let index = (self.first + number % own * self.step) % self.cells;
        let column = char::from(b'A' + (index % COLUMNS) as u8);
        format!("{column}{}", index / COLUMNS + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_of_a_room_write_different_cells() {
        let cells = |first| {
            let writer = Writer { room: String::new(), first, step: 16, cells: 90, commands: 1 };
            (0..20).map(|number| writer.cell(number)).collect::<Vec<_>>()
        };
        assert_eq!(cells(0)[..6], ["A1", "H2", "F4", "D6", "B8", "A1"]);
        assert!(cells(0).iter().all(|cell| !cells(15).contains(cell)));
    }
}
