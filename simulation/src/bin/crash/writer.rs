//! A writer: a real replica that types without pause and outlives the server's processes.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use quadrille_operation::Command;
use quadrille_protocol::{Counter, Record, ReplicaId, Revision, ServerFrame, digest};
use quadrille_replica::{Effect, Event, Replica, Status, Timestamp};
use tungstenite::{Message, WebSocket};

/// Time within which the server must save everything.
const PATIENCE: Duration = Duration::from_secs(30);
/// Unconfirmed transactions at once; more would only wait in the replica's queue.
const UNCONFIRMED_MAX: usize = 32;

/// The texts of a large command, together more than 256 KiB.
const LONG_TEXTS: u64 = 10;
const LONG_TEXT_BYTES: usize = 30_000;

/// A user who types without pause.
pub struct Writer {
    pub room: String,
    replica: Replica,
    number: usize,
    typed: u64,
    socket: Option<WebSocket<TcpStream>>,
    /// Why the last connection ended.
    ended_by: String,
    /// Acknowledged transactions with the revision and the bytes of their records.
    pub acknowledged: BTreeMap<(ReplicaId, Counter), (Revision, Vec<u8>)>,
}

/// Opens a WebSocket to a room. Fails with a description of the step that failed.
pub fn connect(address: SocketAddr, room: &str) -> Result<WebSocket<TcpStream>, String> {
    let stream = TcpStream::connect(address).map_err(|error| format!("connect: {error}"))?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    let url = format!("ws://{address}/api/v1/rooms/{room}/socket");
    let (socket, _) = tungstenite::client(url, stream).map_err(|error| format!("upgrade: {error}"))?;
    let timeout = socket.get_ref().set_read_timeout(Some(Duration::from_millis(5)));
    timeout.map_err(|error| error.to_string())?;
    Ok(socket)
}

impl Writer {
    /// Creates a writer without a connection.
    pub fn new(number: usize, room: String) -> Writer {
        let replica = Replica::new(format!("writer {number}").into(), None, number as u64 + 1);
        let (ended_by, acknowledged) = (String::new(), BTreeMap::new());
        Writer { room, replica, number, typed: 0, socket: None, ended_by, acknowledged }
    }

    /// Types until the server ends; adds the number of acknowledgements to `acknowledged`.
    pub fn work(&mut self, address: SocketAddr, is_killed: &AtomicBool, acknowledged: &AtomicU64) {
        match connect(address, &self.room) {
            Ok(socket) => self.socket = Some(socket),
            Err(_) => return, // the server was killed first
        }
        self.handle(Event::Connected);
        while self.socket.is_some() && !is_killed.load(Ordering::Relaxed) {
            if matches!(self.replica.status(), Status::Saved | Status::Saving { .. })
                && self.replica.unconfirmed() < UNCONFIRMED_MAX
            {
                self.type_next();
            }
            let before = self.acknowledged.len();
            self.receive();
            acknowledged.fetch_add((self.acknowledged.len() - before) as u64, Ordering::Relaxed);
        }
        self.disconnect();
    }

    /// Connects and waits until every transaction is acknowledged. Fails after [`PATIENCE`].
    pub fn save(&mut self, address: SocketAddr) -> Result<(), String> {
        self.socket = Some(connect(address, &self.room)?);
        self.handle(Event::Connected);
        let begun = Instant::now();
        while self.replica.status() != Status::Saved {
            if self.socket.is_none() || begun.elapsed() > PATIENCE {
                let (number, status, ended_by) = (self.number, self.replica.status(), &self.ended_by);
                return Err(format!(
                    "writer {number} cannot save in {} at {address} after {:.0} s: {status:?}; the last connection ended by {ended_by}",
                    self.room,
                    begun.elapsed().as_secs_f64()
                ));
            }
            self.receive();
        }
        self.disconnect();
        Ok(())
    }

    /// Digest of the writer's document.
    pub fn digest(&self) -> u64 {
        digest(self.replica.document().workbook())
    }

    /// Types into a cell of the writer's own column; every 25th command inserts or deletes the
    /// first row, which moves the cells of all writers, and one in 50 writes long texts.
    fn type_next(&mut self) {
        self.typed += 1;
        let sheet = self.replica.document().workbook().sheets()[0].id().0;
        let column = (b'A' + self.number as u8) as char;
        let command = match self.typed % 50 {
            0 => Command::InsertRows { sheet, at: 0, count: 1 },
            25 => Command::DeleteRows { sheet, at: 0, count: 1 },
            // A record that the server writes beside the log, unlike most.
            10 => {
                let text = |row: u64| vec![self.long_text(row)];
                let texts = (0..LONG_TEXTS).map(text).collect();
                Command::TypeTexts { sheet, at: format!("{column}501"), texts }
            }
            _ => {
                let cell = format!("{column}{}", self.typed % 500 + 1);
                Command::TypeText { sheet, cell, text: self.typed.to_string() }
            }
        };
        self.handle(Event::Command(command));
    }

    /// Returns a text that differs from all others.
    fn long_text(&self, row: u64) -> String {
        let mut text = format!("{} {} {row} ", self.number, self.typed);
        while text.len() < LONG_TEXT_BYTES {
            text += &(text.len() as u64 * 0x9e37_79b9 + self.typed).to_string();
        }
        text
    }

    /// Receives one frame, or waits for at most 5 ms.
    fn receive(&mut self) {
        let Some(socket) = &mut self.socket else { return };
        match socket.read() {
            Ok(Message::Binary(bytes)) => {
                self.record_acknowledgements(&bytes);
                self.handle(Event::Frame(&bytes));
            }
            Ok(Message::Close(frame)) => {
                self.ended_by = format!("the server: {frame:?}");
                self.disconnect();
            }
            Ok(_) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(error) => {
                self.ended_by = error.to_string();
                self.disconnect();
            }
        }
    }

    /// Records the writer's own transactions in a frame of records.
    fn record_acknowledgements(&mut self, bytes: &[u8]) {
        let Ok(ServerFrame::Records { records }) = ServerFrame::decode(bytes) else { return };
        for bytes in records {
            let record = Record::decode(&bytes).expect("the server sends valid records");
            if Some(record.replica) == self.replica.replica_id() {
                let transaction = (record.replica, record.counter);
                self.acknowledged.insert(transaction, (record.revision, bytes.to_vec()));
            }
        }
    }

    fn disconnect(&mut self) {
        if self.socket.take().is_some() {
            self.handle(Event::Disconnected { code: None });
        }
    }

    /// Passes an event to the replica and performs its effects.
    fn handle(&mut self, event: Event<'_>) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = Timestamp { unix_ms: since.as_millis() as i64 };
        for effect in self.replica.handle(now, event) {
            match effect {
                Effect::Send(bytes) => {
                    let sent = self.socket.as_mut().map(|socket| socket.send(Message::Binary(bytes.into())));
                    if let Some(Err(error)) = sent {
                        self.ended_by = format!("sending: {error}");
                        self.disconnect();
                    }
                }
                Effect::Close { should_reconnect } => {
                    self.ended_by = format!("the replica, which reconnects: {should_reconnect}");
                    self.disconnect();
                }
                _ => {}
            }
        }
        let _ = self.replica.take_changes();
        let _ = self.replica.take_structural_edits();
    }
}
