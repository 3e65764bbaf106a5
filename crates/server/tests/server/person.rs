//! Someone who edits: the real client half of a session over a real WebSocket.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use quadrille_cell::{CellAddress, Value};
use quadrille_operation::Command;
use quadrille_protocol::{ClientFrame, Revision, ServerFrame};
use quadrille_replica::{Effect, Event, Replica, Status, Timestamp};
use tungstenite::{Message, WebSocket};

use crate::support::{PATIENCE, Server};

pub struct Person {
    pub replica: Replica,
    socket: Option<WebSocket<TcpStream>>,
    /// The code the server closed with, if it did.
    pub closed_with: Option<u16>,
    pub problems: Vec<String>,
    /// The last revision whose digest the room stated.
    pub stated: Option<Revision>,
}

/// A socket to a room, before anything was said.
pub fn socket(server: &Server, room: &str, query: &str) -> WebSocket<TcpStream> {
    let stream = server.connect();
    stream.set_nodelay(true).expect("a socket");
    let url = format!("ws://{}/api/v1/rooms/{room}/socket{query}", server.address);
    let (socket, _) = tungstenite::client(url, stream).expect("the server upgrades");
    socket
}

impl Person {
    pub fn join(server: &Server, room: &str, name: &str) -> Person {
        let seed = name.bytes().fold(17, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
        let replica = Replica::new(name.into(), None, seed);
        let mut person =
            Person { replica, socket: None, closed_with: None, problems: Vec::new(), stated: None };
        person.connect(server, room, "");
        person
    }

    /// Connects (again) and waits until the document is that of the room.
    pub fn connect(&mut self, server: &Server, room: &str, query: &str) {
        let socket = socket(server, room, query);
        socket.get_ref().set_read_timeout(Some(Duration::from_millis(5))).expect("a socket");
        self.socket = Some(socket);
        self.closed_with = None;
        self.happens(Event::Connected);
        self.until("connected", |person| {
            matches!(person.replica.status(), Status::Saved | Status::Saving { .. })
        });
    }

    /// The network fails without a word.
    pub fn lose_connection(&mut self) {
        self.socket = None;
        self.happens(Event::Disconnected { code: None });
    }

    /// Says what the replica would not say.
    pub fn says(&mut self, frame: &ClientFrame) {
        let socket = self.socket.as_mut().expect("connected");
        socket.send(Message::Binary(frame.encode().into())).expect("the server reads");
    }

    pub fn does(&mut self, command: Command) {
        self.happens(Event::Command(command));
    }

    /// Types into a cell of the first sheet.
    pub fn types(&mut self, cell: &str, text: &str) {
        let sheet = self.sheet();
        self.does(Command::TypeText { sheet, cell: cell.into(), text: text.into() });
    }

    pub fn sheet(&self) -> u32 {
        self.replica.document().workbook().sheets()[0].id().0
    }

    pub fn value(&mut self, cell: &str) -> Value {
        while !self.replica.evaluate(1_000_000) {}
        let address = CellAddress::parse_a1(cell).expect("an address");
        self.replica.document().workbook().sheets()[0].value(address)
    }

    /// Until everything typed is acknowledged.
    pub fn saves(&mut self) {
        self.until("saved", |person| person.replica.status() == Status::Saved);
    }

    pub fn sees(&mut self, cell: &str, value: impl Into<Value>) {
        let value = value.into();
        self.until(&format!("{cell} is {value:?}"), |person| person.value(cell) == value);
    }

    pub fn until(&mut self, what: &str, mut done: impl FnMut(&mut Person) -> bool) {
        let patience = Instant::now() + PATIENCE;
        while !done(self) {
            self.listens();
            assert!(
                Instant::now() < patience,
                "never: {what}; status {:?}, closed with {:?}, problems {:?}",
                self.replica.status(),
                self.closed_with,
                self.problems
            );
        }
    }

    /// Takes what has come, waiting a few milliseconds for it. False when the connection is gone.
    pub fn listens(&mut self) -> bool {
        let Some(socket) = &mut self.socket else { return false };
        match socket.read() {
            Ok(Message::Binary(bytes)) => {
                if let Ok(ServerFrame::Digest { revision, .. }) = ServerFrame::decode(&bytes) {
                    self.stated = Some(revision);
                }
                self.happens(Event::Frame(&bytes));
            }
            Ok(Message::Close(frame)) => {
                let code = frame.map(|frame| frame.code.into());
                self.closed_with = code;
                self.socket = None;
                self.happens(Event::Disconnected { code });
            }
            Ok(_) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) =>
            {
                self.happens(Event::Tick);
            }
            Err(_) => self.lose_connection(),
        }
        self.socket.is_some()
    }

    pub fn happens(&mut self, event: Event<'_>) {
        let unix_ms = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        let now = Timestamp { unix_ms: unix_ms.as_millis() as i64 };
        for effect in self.replica.handle(now, event) {
            match effect {
                Effect::Send(bytes) => {
                    let Some(socket) = &mut self.socket else { continue };
                    if socket.send(Message::Binary(bytes.into())).is_err() {
                        self.socket = None;
                    }
                }
                Effect::Problem(problem) => self.problems.push(problem.to_string()),
                Effect::Close { .. } => self.socket = None,
                Effect::Status(_) | Effect::People => {}
            }
        }
        if self.socket.is_none() && !matches!(self.replica.status(), Status::Offline { .. } | Status::Loading)
        {
            self.happens(Event::Disconnected { code: None });
        }
    }
}
