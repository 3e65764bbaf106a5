//! Somebody who types without pause: a real replica, kept over all lives of the server.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use quadrille_operation::Command;
use quadrille_protocol::{Counter, Record, ReplicaId, Revision, ServerFrame, digest};
use quadrille_replica::{Effect, Event, Moment, Replica, Status};
use tungstenite::{Message, WebSocket};

const PATIENCE: Duration = Duration::from_secs(30);
/// More would wait for their turn only.
const UNCONFIRMED_MAX: usize = 32;

pub struct Writer {
    pub room: String,
    replica: Replica,
    number: usize,
    typed: u64,
    socket: Option<WebSocket<TcpStream>>,
    /// The records that came back, and their bytes: the journal must hold these and no others in their places.
    pub acknowledged: BTreeMap<(ReplicaId, Counter), (Revision, Vec<u8>)>,
}

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
    pub fn new(number: usize, room: String) -> Writer {
        let replica = Replica::new(format!("writer {number}").into(), None, number as u64 + 1);
        Writer { room, replica, number, typed: 0, socket: None, acknowledged: BTreeMap::new() }
    }

    /// Types until the server is gone.
    pub fn work(&mut self, address: SocketAddr, is_killed: &AtomicBool, acknowledged: &AtomicU64) {
        match connect(address, &self.room) {
            Ok(socket) => self.socket = Some(socket),
            Err(_) => return, // it was killed first
        }
        self.handle(Event::Connected);
        while self.socket.is_some() && !is_killed.load(Ordering::Relaxed) {
            if matches!(self.replica.status(), Status::Saved | Status::Saving { .. })
                && self.replica.unconfirmed() < UNCONFIRMED_MAX
            {
                self.type_one();
            }
            let before = self.acknowledged.len();
            self.listen();
            acknowledged.fetch_add((self.acknowledged.len() - before) as u64, Ordering::Relaxed);
        }
        self.lose();
    }

    /// Connects and waits until everything is saved.
    pub fn save(&mut self, address: SocketAddr) -> Result<(), String> {
        self.socket = Some(connect(address, &self.room)?);
        self.handle(Event::Connected);
        let begun = Instant::now();
        while self.replica.status() != Status::Saved {
            if self.socket.is_none() || begun.elapsed() > PATIENCE {
                return Err(format!("writer {} cannot save: {:?}", self.number, self.replica.status()));
            }
            self.listen();
        }
        self.lose();
        Ok(())
    }

    pub fn digest(&self) -> u64 {
        digest(self.replica.document().workbook())
    }

    /// Mostly a cell of its own; now and then a row above everyone, which moves all of them.
    fn type_one(&mut self) {
        self.typed += 1;
        let sheet = self.replica.document().workbook().sheets()[0].id().0;
        let column = (b'A' + self.number as u8) as char;
        let command = match self.typed % 50 {
            0 => Command::InsertRows { sheet, at: 0, count: 1 },
            25 => Command::DeleteRows { sheet, at: 0, count: 1 },
            _ => {
                let cell = format!("{column}{}", self.typed % 500 + 1);
                Command::TypeText { sheet, cell, text: self.typed.to_string() }
            }
        };
        self.handle(Event::Command(command));
    }

    fn listen(&mut self) {
        let Some(socket) = &mut self.socket else { return };
        match socket.read() {
            Ok(Message::Binary(bytes)) => {
                self.note(&bytes);
                self.handle(Event::Frame(&bytes));
            }
            Ok(Message::Close(_)) => self.lose(),
            Ok(_) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => self.lose(),
        }
    }

    fn note(&mut self, bytes: &[u8]) {
        let Ok(ServerFrame::Records { records }) = ServerFrame::decode(bytes) else { return };
        for bytes in records {
            let record = Record::decode(&bytes).expect("the server sends what can be read");
            if Some(record.replica) == self.replica.replica_id() {
                let place = (record.replica, record.counter);
                self.acknowledged.insert(place, (record.revision, bytes.to_vec()));
            }
        }
    }

    fn lose(&mut self) {
        if self.socket.take().is_some() {
            self.handle(Event::Disconnected { code: None });
        }
    }

    fn handle(&mut self, event: Event<'_>) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = Moment { unix_ms: since.as_millis() as i64 };
        for effect in self.replica.handle(now, event) {
            match effect {
                Effect::Send(bytes) => {
                    let sent = self.socket.as_mut().map(|socket| socket.send(Message::Binary(bytes.into())));
                    if matches!(sent, Some(Err(_))) {
                        self.lose();
                    }
                }
                Effect::Close { .. } => self.lose(),
                _ => {}
            }
        }
        let _ = self.replica.take_changes();
        let _ = self.replica.take_moves();
    }
}
