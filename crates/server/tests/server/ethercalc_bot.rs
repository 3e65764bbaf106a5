//! [`Bot`]: a program that speaks EtherCalc's live protocol.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use crate::support::{Server, TIMEOUT};

/// A program that speaks EtherCalc's protocol.
pub struct Bot {
    pub room: String,
    user: String,
    pub socket: WebSocket<TcpStream>,
}

impl Bot {
    /// Connects without asking for anything.
    pub fn connect(server: &Server, room: &str, user: &str, query: &str) -> Bot {
        Bot::connect_with(server, room, user, query, &[])
    }

    /// Connects with more headers, such as a credential.
    pub fn connect_with(
        server: &Server,
        room: &str,
        user: &str,
        query: &str,
        headers: &[(&'static str, &str)],
    ) -> Bot {
        Bot::connect_to(server, &format!("/_ws/{room}?user={user}{query}"), room, user, headers)
    }

    /// Connects below the path of a tenant.
    pub fn connect_below(server: &Server, below: &str, room: &str, user: &str) -> Bot {
        Bot::connect_to(server, &format!("{below}/_ws/{room}?user={user}"), room, user, &[])
    }

    fn connect_to(
        server: &Server,
        path: &str,
        room: &str,
        user: &str,
        headers: &[(&'static str, &str)],
    ) -> Bot {
        let stream = server.connect();
        stream.set_nodelay(true).expect("a socket");
        let url = format!("ws://{}{path}", server.address);
        let mut request = url.into_client_request().expect("a URL");
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("a header value"));
        }
        let (socket, _) = tungstenite::client(request, stream).expect("the server upgrades");
        Bot { room: room.to_owned(), user: user.to_owned(), socket }
    }

    /// Connects and loads the sheet.
    pub fn join(server: &Server, room: &str, user: &str) -> Bot {
        let mut bot = Bot::connect(server, room, user, "");
        bot.load();
        bot
    }

    /// Asks for the sheet.
    pub fn load(&mut self) -> Json {
        self.send(json!({ "type": "ask.log" }));
        self.next_of("log")
    }

    /// Sends a message of this client.
    pub fn send(&mut self, mut message: Json) {
        message["room"] = self.room.as_str().into();
        message["user"] = self.user.as_str().into();
        self.socket.send(Message::Text(message.to_string().into())).expect("the server reads");
    }

    /// Sends commands.
    pub fn execute(&mut self, commands: &str) {
        self.send(json!({ "type": "execute", "cmdstr": commands, "saveundo": true }));
    }

    /// Reads a message within the time that is left.
    fn read(&mut self, deadline: Instant) -> Message {
        let left = deadline.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "no such message");
        self.socket.get_ref().set_read_timeout(Some(left)).expect("a socket");
        self.socket.read().expect("a message")
    }

    /// The next message, if there is one within a few milliseconds.
    pub fn try_next(&mut self) -> Option<Json> {
        self.socket.get_ref().set_read_timeout(Some(Duration::from_millis(20))).expect("a socket");
        match self.socket.read() {
            Ok(Message::Text(text)) => Some(serde_json::from_str(&text).expect("JSON")),
            Ok(_) => None,
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
            {
                None
            }
            Err(error) => panic!("the connection ended: {error}"),
        }
    }

    /// The next message, whatever it is.
    pub fn next(&mut self) -> Json {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Message::Text(text) = self.read(deadline) {
                return serde_json::from_str(&text).expect("JSON");
            }
        }
    }

    /// The next message, which has this type.
    pub fn next_of(&mut self, kind: &str) -> Json {
        let message = self.next();
        assert_eq!(message["type"], kind, "{message}");
        message
    }

    /// The next message of a type, after others.
    pub fn wait_for(&mut self, kind: &str) -> Json {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Message::Text(text) = self.read(deadline) {
                let message: Json = serde_json::from_str(&text).expect("JSON");
                if message["type"] == kind {
                    return message;
                }
            }
        }
    }

    /// Reads everything that was sent before now.
    pub fn catch_up(&mut self) {
        self.send(json!({ "type": "ask.recalc" }));
        self.wait_for("recalc");
        // Reading the answer to a ping sends it.
        self.send(json!({ "type": "ask.recalc" }));
        self.next_of("recalc");
    }

    /// Reads until the server closes; its close code.
    pub fn close_code(&mut self) -> u16 {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Message::Close(Some(frame)) = self.read(deadline) {
                return frame.code.into();
            }
        }
    }
}
