//! `Person`: a user who edits a room with the client's `Replica` over a WebSocket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use quadrille_cell::{CellAddress, Value};
use quadrille_operation::Command;
use quadrille_protocol::{ClientFrame, Revision, ServerFrame};
use quadrille_replica::{Effect, Event, Replica, Status, Timestamp};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use crate::support::{Server, TIMEOUT};

pub struct Person {
    pub replica: Replica,
    socket: Option<Box<dyn Messages>>,
    /// Close code of the server, if the server has closed the connection.
    pub closed_with: Option<u16>,
    pub problems: Vec<String>,
    /// Revision of the last digest that the room has sent.
    pub digest_revision: Option<Revision>,
}

/// The messages of a WebSocket, over TLS or not.
pub trait Messages: Send {
    fn read(&mut self) -> tungstenite::Result<Message>;
    fn send(&mut self, message: Message) -> tungstenite::Result<()>;
}

impl<S: Read + Write + Send> Messages for WebSocket<S> {
    fn read(&mut self) -> tungstenite::Result<Message> {
        WebSocket::read(self)
    }

    fn send(&mut self, message: Message) -> tungstenite::Result<()> {
        WebSocket::send(self, message)
    }
}

/// Opens a WebSocket to a room without sending a frame.
pub fn socket(server: &Server, room: &str, query: &str) -> WebSocket<TcpStream> {
    socket_with(server, room, query, &[])
}

/// Opens a WebSocket with more headers, such as a cookie.
pub fn socket_with(
    server: &Server,
    room: &str,
    query: &str,
    headers: &[(&'static str, &str)],
) -> WebSocket<TcpStream> {
    socket_over(server.connect(), room, query, headers)
}

/// The same over a connection, for example to a proxy.
pub fn socket_over(
    stream: TcpStream,
    room: &str,
    query: &str,
    headers: &[(&'static str, &str)],
) -> WebSocket<TcpStream> {
    try_socket_over(stream, room, query, headers).expect("the server upgrades")
}

/// The same; fails when the other end does not upgrade the connection.
pub fn try_socket_over(
    stream: TcpStream,
    room: &str,
    query: &str,
    headers: &[(&'static str, &str)],
) -> Result<WebSocket<TcpStream>, String> {
    stream.set_nodelay(true).expect("a socket");
    let address = stream.peer_addr().expect("connected");
    let url = format!("ws://{address}/api/v1/rooms/{room}/socket{query}");
    let mut request = url.into_client_request().expect("a URL");
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().expect("a header value"));
    }
    let upgraded = tungstenite::client(request, stream);
    upgraded.map(|(socket, _)| socket).map_err(|error| error.to_string())
}

impl Person {
    pub fn join(server: &Server, room: &str, name: &str) -> Person {
        Person::join_by(socket(server, room, ""), name)
    }

    /// Joins with a credential, sent as browsers send it: `bearer.…`.
    pub fn join_with(server: &Server, room: &str, name: &str, credential: &str) -> Person {
        let offered = format!("quadrille, {credential}");
        Person::join_by(socket_with(server, room, "", &[("sec-websocket-protocol", &offered)]), name)
    }

    /// Joins over an open WebSocket.
    pub fn join_by(socket: WebSocket<TcpStream>, name: &str) -> Person {
        let tcp = socket.get_ref().try_clone().expect("a socket");
        Person::join_over(Box::new(socket), &tcp, name)
    }

    /// Joins over an open WebSocket, whose bytes go over `tcp`.
    pub fn join_over(socket: Box<dyn Messages>, tcp: &TcpStream, name: &str) -> Person {
        let mut person = Person::offline(name);
        person.start(socket, tcp);
        person
    }

    fn offline(name: &str) -> Person {
        let seed = name.bytes().fold(17, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
        let replica = Replica::new(name.into(), None, seed);
        Person { replica, socket: None, closed_with: None, problems: Vec::new(), digest_revision: None }
    }

    /// Connects or reconnects, and waits until the document is synchronised with the room.
    pub fn connect(&mut self, server: &Server, room: &str, query: &str) {
        self.connect_by(socket(server, room, query));
    }

    pub fn connect_by(&mut self, socket: WebSocket<TcpStream>) {
        let tcp = socket.get_ref().try_clone().expect("a socket");
        self.start(Box::new(socket), &tcp);
    }

    fn start(&mut self, socket: Box<dyn Messages>, tcp: &TcpStream) {
        tcp.set_read_timeout(Some(Duration::from_millis(5))).expect("a socket");
        self.socket = Some(socket);
        self.closed_with = None;
        self.handle(Event::Connected);
        self.wait_until("connected", |person| {
            matches!(person.replica.status(), Status::Saved | Status::Saving { .. })
        });
    }

    /// Drops the connection without a close frame.
    pub fn lose_connection(&mut self) {
        self.socket = None;
        self.handle(Event::Disconnected { code: None });
    }

    /// Sends a frame that the replica itself does not send.
    pub fn send_frame(&mut self, frame: &ClientFrame) {
        let socket = self.socket.as_mut().expect("connected");
        socket.send(Message::Binary(frame.encode().into())).expect("the server reads");
    }

    pub fn execute(&mut self, command: Command) {
        self.handle(Event::Command(command));
    }

    /// Types into a cell of the first sheet.
    pub fn type_text(&mut self, cell: &str, text: &str) {
        let sheet = self.sheet();
        self.execute(Command::TypeText { sheet, cell: cell.into(), text: text.into() });
    }

    pub fn sheet(&self) -> u32 {
        self.replica.document().workbook().sheets()[0].id().0
    }

    pub fn value(&mut self, cell: &str) -> Value {
        while !self.replica.evaluate(1_000_000) {}
        let address = CellAddress::parse_a1(cell).expect("an address");
        self.replica.document().workbook().sheets()[0].value(address)
    }

    /// Waits until the server has acknowledged all edits.
    pub fn wait_until_saved(&mut self) {
        self.wait_until("saved", |person| person.replica.status() == Status::Saved);
    }

    pub fn wait_for_value(&mut self, cell: &str, value: impl Into<Value>) {
        let value = value.into();
        self.wait_until(&format!("{cell} is {value:?}"), |person| person.value(cell) == value);
    }

    pub fn wait_until(&mut self, what: &str, mut done: impl FnMut(&mut Person) -> bool) {
        let deadline = Instant::now() + TIMEOUT;
        while !done(self) {
            self.receive();
            assert!(
                Instant::now() < deadline,
                "timeout waiting for: {what}; status {:?}, closed with {:?}, problems {:?}",
                self.replica.status(),
                self.closed_with,
                self.problems
            );
        }
    }

    /// Receives one frame, waiting at most a few milliseconds. Returns false when the connection is
    /// closed.
    pub fn receive(&mut self) -> bool {
        let Some(socket) = &mut self.socket else { return false };
        match socket.read() {
            Ok(Message::Binary(bytes)) => {
                if let Ok(ServerFrame::Digest { revision, .. }) = ServerFrame::decode(&bytes) {
                    self.digest_revision = Some(revision);
                }
                self.handle(Event::Frame(&bytes));
            }
            Ok(Message::Close(frame)) => {
                let code = frame.map(|frame| frame.code.into());
                self.closed_with = code;
                self.socket = None;
                self.handle(Event::Disconnected { code });
            }
            Ok(_) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) =>
            {
                self.handle(Event::Tick);
            }
            Err(_) => self.lose_connection(),
        }
        self.socket.is_some()
    }

    pub fn handle(&mut self, event: Event<'_>) {
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
            self.handle(Event::Disconnected { code: None });
        }
    }
}
