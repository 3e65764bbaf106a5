//! Thin clients of other products: just enough of each protocol to write and to receive every write.
//!
//! The servers are in `bench/peers/rooms/server.mjs` and `bench/peers/ethercalc/server.mjs`. A write is recognized
//! by its text in a message.

use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client_protocol::{ClientProtocol, Recent, ServerMessage, UserState, Write};
use super::websocket_frames::Opcode;
use crate::server::processor_seconds;
use crate::setting::{Outcome, Setting};

pub struct Peer {
    pub name: &'static str,
    /// Folder in `bench/peers`.
    folder: &'static str,
    /// Its name in `server.mjs`.
    server: &'static str,
    pub client_protocol: fn() -> Box<dyn ClientProtocol>,
}

pub const PEERS: [Peer; 5] = [
    Peer {
        name: "EtherCalc 2020-01-27",
        folder: "ethercalc",
        server: "ethercalc",
        client_protocol: || Box::new(EtherCalc::default()),
    },
    Peer {
        name: "Socket.IO 4.8",
        folder: "rooms",
        server: "socket.io",
        client_protocol: || Box::new(SocketIo::default()),
    },
    Peer { name: "ws 8.23", folder: "rooms", server: "ws", client_protocol: || Box::new(Plain::default()) },
    Peer {
        name: "ShareDB 7.0",
        folder: "rooms",
        server: "sharedb",
        client_protocol: || Box::new(ShareDb::default()),
    },
    Peer {
        name: "Hocuspocus 3.4",
        folder: "rooms",
        server: "hocuspocus",
        client_protocol: || Box::new(Hocuspocus::default()),
    },
];

/// The server of a peer; dropping it kills the process.
pub struct PeerServer {
    pub address: std::net::SocketAddr,
    process: Child,
}

impl Peer {
    pub fn start(&self, setting: &Setting, documents: u32) -> Outcome<PeerServer> {
        self.start_with(setting, documents, &[])
    }

    /// Like [`start`](Self::start), with environment variables for its `server.mjs`.
    pub fn start_with(
        &self,
        setting: &Setting,
        documents: u32,
        environment: &[(&str, String)],
    ) -> Outcome<PeerServer> {
        const START_MAX: Duration = Duration::from_secs(20);
        let probe =
            std::net::TcpListener::bind("127.0.0.1:0").map_err(|error| format!("no free port: {error}"))?;
        let address = probe.local_addr().map_err(|error| error.to_string())?;
        drop(probe);
        let process = Command::new("node")
            .current_dir(setting.root.join("bench/peers").join(self.folder))
            .args(["server.mjs", self.server, &address.port().to_string(), &documents.to_string()])
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start node: {error}"))?;
        let server = PeerServer { address, process };
        let started = Instant::now();
        while std::net::TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_err() {
            if started.elapsed() > START_MAX {
                return Err(format!("{} does not listen", self.name));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }
}

impl PeerServer {
    pub fn processor_seconds(&self) -> Outcome<f64> {
        processor_seconds(self.process.id())
    }
}

impl Drop for PeerServer {
    fn drop(&mut self) {
        // The process may have exited already; the load has reported this then.
        let _ended = self.process.kill();
        let _status = self.process.wait();
    }
}

type Writes = Rc<Vec<Write>>;

/// All writes whose text occurs in the message.
fn find(recent: &mut Recent<Writes>, message: &[u8]) -> ServerMessage {
    if let Some(writes) = recent.find(message) {
        return ServerMessage::Writes(writes);
    }
    let text = String::from_utf8_lossy(message);
    let mut writes = Vec::new();
    for (start, _) in text.match_indices("user ") {
        let Some(end) = text[start..].find('.') else { continue };
        writes.extend(Write::from_text(&text[start..=start + end]));
    }
    if writes.is_empty() {
        return ServerMessage::Nothing;
    }
    let writes = Rc::new(writes);
    recent.keep(message, Rc::clone(&writes));
    ServerMessage::Writes(writes)
}

#[derive(Default)]
struct Plain {
    recent: Recent<Writes>,
}

impl ClientProtocol for Plain {
    fn path(&self, room: &str) -> String {
        format!("/{room}")
    }

    fn opcode(&self) -> Opcode {
        Opcode::Text
    }

    fn open(&mut self, _speaker: &mut UserState, _room: &str) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn receive(
        &mut self,
        _speaker: &mut UserState,
        _room: &str,
        message: &[u8],
        _replies: &mut Vec<Vec<u8>>,
    ) -> ServerMessage {
        if message == b"ready" { ServerMessage::Ready } else { find(&mut self.recent, message) }
    }

    fn write(&mut self, _speaker: &mut UserState, _room: &str, write: Write) -> Vec<u8> {
        write.text().into_bytes()
    }
}

/// Engine.IO 4 packets: 0 open, 2 ping, 3 pong, 40 connect, 42 event.
#[derive(Default)]
struct SocketIo {
    recent: Recent<Writes>,
}

impl ClientProtocol for SocketIo {
    fn path(&self, _room: &str) -> String {
        "/socket.io/?EIO=4&transport=websocket".to_owned()
    }

    fn opcode(&self) -> Opcode {
        Opcode::Text
    }

    fn open(&mut self, _speaker: &mut UserState, _room: &str) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn receive(
        &mut self,
        _speaker: &mut UserState,
        room: &str,
        message: &[u8],
        replies: &mut Vec<Vec<u8>>,
    ) -> ServerMessage {
        match message {
            b"42[\"ready\"]" => return ServerMessage::Ready,
            b"2" => replies.push(b"3".to_vec()),
            [b'0', ..] => replies.push(b"40".to_vec()),
            [b'4', b'0', ..] => replies.push(format!("42{}", json!(["join", room])).into_bytes()),
            [b'4', b'2', ..] => return find(&mut self.recent, message),
            _ => {}
        }
        ServerMessage::Nothing
    }

    fn write(&mut self, _speaker: &mut UserState, _room: &str, write: Write) -> Vec<u8> {
        format!("42{}", json!(["edit", write.text()])).into_bytes()
    }
}

/// EtherCalc's commands over Socket.IO 1.0 (Engine.IO 3). The server runs a command in its own SocialCalc
/// first and sends it to the other users of the room, and on request to its author.
#[derive(Default)]
struct EtherCalc {
    recent: Recent<Writes>,
}

impl EtherCalc {
    fn say(data: &Value) -> Vec<u8> {
        format!("42{}", json!(["data", data])).into_bytes()
    }
}

impl ClientProtocol for EtherCalc {
    fn path(&self, _room: &str) -> String {
        "/socket.io/?EIO=3&transport=websocket".to_owned()
    }

    fn opcode(&self) -> Opcode {
        Opcode::Text
    }

    fn open(&mut self, _speaker: &mut UserState, _room: &str) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn receive(
        &mut self,
        user_state: &mut UserState,
        room: &str,
        message: &[u8],
        replies: &mut Vec<Vec<u8>>,
    ) -> ServerMessage {
        if message == b"40" {
            let user = format!("u{}", user_state.user);
            replies.push(EtherCalc::say(&json!({ "type": "ask.log", "room": room, "user": user })));
            return ServerMessage::Nothing;
        }
        if !message.starts_with(b"42") {
            return ServerMessage::Nothing;
        }
        // The log of a room contains earlier writes.
        if message.starts_with(br#"42["data",{"type":"log""#) {
            return ServerMessage::Ready;
        }
        find(&mut self.recent, message)
    }

    fn write(&mut self, user_state: &mut UserState, room: &str, write: Write) -> Vec<u8> {
        EtherCalc::say(&json!({
            "type": "execute",
            "room": room,
            "user": format!("u{}", user_state.user),
            "cmdstr": format!("set A{} text t {}", user_state.user + 1, write.text()),
            "include_self": true,
        }))
    }
}

/// ShareDB's JSON messages; `seen` is the version of the document; replies without an
/// operation advance `confirmed`.
#[derive(Default)]
struct ShareDb {
    recent: Recent<Writes>,
}

impl ClientProtocol for ShareDb {
    fn path(&self, _room: &str) -> String {
        "/".to_owned()
    }

    fn opcode(&self) -> Opcode {
        Opcode::Text
    }

    fn open(&mut self, _speaker: &mut UserState, _room: &str) -> Vec<Vec<u8>> {
        vec![json!({ "a": "hs", "id": null, "protocol": 1, "protocolMinor": 2 }).to_string().into_bytes()]
    }

    fn receive(
        &mut self,
        user_state: &mut UserState,
        room: &str,
        message: &[u8],
        replies: &mut Vec<Vec<u8>>,
    ) -> ServerMessage {
        // Every operation increments the version, without a need to decode it.
        if message.starts_with(b"{\"a\":\"op\"") {
            user_state.seen += 1;
            return find(&mut self.recent, message);
        }
        let Ok(read) = serde_json::from_slice::<Value>(message) else {
            return ServerMessage::Wrong("not JSON".to_owned());
        };
        if let Some(error) = read.get("error") {
            return ServerMessage::Wrong(error.to_string());
        }
        match read["a"].as_str() {
            Some("hs") => {
                replies.push(json!({ "a": "s", "c": "sheets", "d": room }).to_string().into_bytes());
                ServerMessage::Nothing
            }
            Some("s") => {
                user_state.seen = read["data"]["v"].as_u64().unwrap_or_default();
                ServerMessage::Ready
            }
            _ => ServerMessage::Nothing,
        }
    }

    fn write(&mut self, user_state: &mut UserState, room: &str, write: Write) -> Vec<u8> {
        user_state.counter += 1;
        let field = format!("u{}", user_state.user);
        json!({
            "a": "op", "c": "sheets", "d": room, "v": user_state.seen, "seq": user_state.counter, "x": {},
            "op": [{ "p": [field], "oi": write.text() }],
        })
        .to_string()
        .into_bytes()
    }
}

/// Hocuspocus: name of the document, kind of message, and a message of the Yjs synchronization protocol.
#[derive(Default)]
struct Hocuspocus {
    recent: Recent<Writes>,
}

mod yjs {
    pub const SYNC: u8 = 0;
    pub const AUTH: u8 = 2;
    pub const STEP_1: u8 = 0;
    pub const STEP_2: u8 = 1;
    pub const UPDATE: u8 = 2;
    /// A new map entry without neighbors, with content of any type.
    pub const MAP_ENTRY: u8 = 0x20 | 8;
    pub const TEXT: u8 = 119;
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn block(out: &mut Vec<u8>, bytes: &[u8]) {
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

impl ClientProtocol for Hocuspocus {
    fn path(&self, room: &str) -> String {
        format!("/{room}")
    }

    fn opcode(&self) -> Opcode {
        Opcode::Binary
    }

    fn open(&mut self, _speaker: &mut UserState, room: &str) -> Vec<Vec<u8>> {
        let mut token = Vec::new();
        block(&mut token, room.as_bytes());
        token.extend([yjs::AUTH, 0]);
        block(&mut token, b"-");
        let mut step_1 = Vec::new();
        block(&mut step_1, room.as_bytes());
        step_1.extend([yjs::SYNC, yjs::STEP_1]);
        // An empty state vector requests the whole document.
        block(&mut step_1, &[0]);
        vec![token, step_1]
    }

    fn receive(
        &mut self,
        _speaker: &mut UserState,
        room: &str,
        message: &[u8],
        _replies: &mut Vec<Vec<u8>>,
    ) -> ServerMessage {
        // The length of the name takes one byte.
        match message.get(1 + room.len()..) {
            Some([yjs::SYNC, yjs::STEP_2, ..]) => ServerMessage::Ready,
            Some([yjs::SYNC, yjs::UPDATE, ..]) => find(&mut self.recent, message),
            _ => ServerMessage::Nothing,
        }
    }

    fn write(&mut self, user_state: &mut UserState, room: &str, write: Write) -> Vec<u8> {
        let mut update = Vec::new();
        update.extend([1, 1]); // one client, one entry
        varint(&mut update, u64::from(user_state.user) + 1);
        varint(&mut update, user_state.counter);
        update.push(yjs::MAP_ENTRY);
        update.push(1); // the parent is given by name
        block(&mut update, b"cells");
        block(&mut update, format!("u{}w{}", write.writer, write.index).as_bytes());
        update.extend([1, yjs::TEXT]); // one value, a string
        block(&mut update, write.text().as_bytes());
        update.push(0); // no deletions
        user_state.counter += 1;
        let mut message = Vec::new();
        block(&mut message, room.as_bytes());
        message.extend([yjs::SYNC, yjs::UPDATE]);
        block(&mut message, &update);
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_found_anywhere_in_a_message() {
        let mut recent = Recent::default();
        let message = b"\x81[\"edit\",\"user 7 write 0.\"] and user 12 write 345.\xff user x write 1.";
        let ServerMessage::Writes(writes) = find(&mut recent, message) else { panic!("there are writes") };
        assert_eq!(*writes, [Write { writer: 7, index: 0 }, Write { writer: 12, index: 345 }]);
        assert!(matches!(find(&mut recent, b"nothing here"), ServerMessage::Nothing));
    }
}
