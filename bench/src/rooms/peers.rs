//! The dialects of other makes, as thin as ours: their users speak just enough of each protocol to write and to see every write.
//!
//! The servers are in `bench/peers/rooms/server.mjs` and `bench/peers/ethercalc/server.mjs`. A write is found in what they send by its text.

use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::dialect::{Dialect, Heard, Recent, Speaker, Write};
use super::wire::Opcode;
use crate::server::processor_seconds;
use crate::{Outcome, Setting};

pub struct Peer {
    pub name: &'static str,
    /// In `bench/peers`.
    folder: &'static str,
    /// As `server.mjs` there calls it.
    server: &'static str,
    pub dialect: fn() -> Box<dyn Dialect>,
}

pub const PEERS: [Peer; 5] = [
    Peer {
        name: "EtherCalc 2020-01-27",
        folder: "ethercalc",
        server: "ethercalc",
        dialect: || Box::new(EtherCalc::default()),
    },
    Peer {
        name: "Socket.IO 4.8",
        folder: "rooms",
        server: "socket.io",
        dialect: || Box::new(SocketIo::default()),
    },
    Peer { name: "ws 8.23", folder: "rooms", server: "ws", dialect: || Box::new(Plain::default()) },
    Peer {
        name: "ShareDB 7.0",
        folder: "rooms",
        server: "sharedb",
        dialect: || Box::new(ShareDb::default()),
    },
    Peer {
        name: "Hocuspocus 3.4",
        folder: "rooms",
        server: "hocuspocus",
        dialect: || Box::new(Hocuspocus::default()),
    },
];

/// A peer's server, ended when dropped.
pub struct PeerServer {
    pub address: std::net::SocketAddr,
    process: Child,
}

impl Peer {
    pub fn start(&self, setting: &Setting, documents: u32) -> Outcome<PeerServer> {
        const START_MAX: Duration = Duration::from_secs(20);
        let probe =
            std::net::TcpListener::bind("127.0.0.1:0").map_err(|error| format!("no free port: {error}"))?;
        let address = probe.local_addr().map_err(|error| error.to_string())?;
        drop(probe);
        let process = Command::new("node")
            .current_dir(setting.root.join("bench/peers").join(self.folder))
            .args(["server.mjs", self.server, &address.port().to_string(), &documents.to_string()])
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
        // It may have ended by itself; the load has noticed by then.
        let _ended = self.process.kill();
        let _status = self.process.wait();
    }
}

type Writes = Rc<Vec<Write>>;

/// Every write whose text is somewhere in the message.
fn find(recent: &mut Recent<Writes>, message: &[u8]) -> Heard {
    if let Some(writes) = recent.find(message) {
        return Heard::Writes(writes);
    }
    let text = String::from_utf8_lossy(message);
    let mut writes = Vec::new();
    for (start, _) in text.match_indices("user ") {
        let Some(end) = text[start..].find('.') else { continue };
        writes.extend(Write::from_text(&text[start..=start + end]));
    }
    if writes.is_empty() {
        return Heard::Nothing;
    }
    let writes = Rc::new(writes);
    recent.keep(message, Rc::clone(&writes));
    Heard::Writes(writes)
}

#[derive(Default)]
struct Plain {
    recent: Recent<Writes>,
}

impl Dialect for Plain {
    fn path(&self, room: &str) -> String {
        format!("/{room}")
    }

    fn opcode(&self) -> Opcode {
        Opcode::Text
    }

    fn open(&mut self, _speaker: &mut Speaker, _room: &str) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn receive(
        &mut self,
        _speaker: &mut Speaker,
        _room: &str,
        message: &[u8],
        _replies: &mut Vec<Vec<u8>>,
    ) -> Heard {
        if message == b"ready" { Heard::Ready } else { find(&mut self.recent, message) }
    }

    fn write(&mut self, _speaker: &mut Speaker, _room: &str, write: Write) -> Vec<u8> {
        write.text().into_bytes()
    }
}

/// Engine.IO 4 packets: 0 open, 2 ping, 3 pong, 40 connect, 42 event.
#[derive(Default)]
struct SocketIo {
    recent: Recent<Writes>,
}

impl Dialect for SocketIo {
    fn path(&self, _room: &str) -> String {
        "/socket.io/?EIO=4&transport=websocket".to_owned()
    }

    fn opcode(&self) -> Opcode {
        Opcode::Text
    }

    fn open(&mut self, _speaker: &mut Speaker, _room: &str) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn receive(
        &mut self,
        _speaker: &mut Speaker,
        room: &str,
        message: &[u8],
        replies: &mut Vec<Vec<u8>>,
    ) -> Heard {
        match message {
            b"42[\"ready\"]" => return Heard::Ready,
            b"2" => replies.push(b"3".to_vec()),
            [b'0', ..] => replies.push(b"40".to_vec()),
            [b'4', b'0', ..] => replies.push(format!("42{}", json!(["join", room])).into_bytes()),
            [b'4', b'2', ..] => return find(&mut self.recent, message),
            _ => {}
        }
        Heard::Nothing
    }

    fn write(&mut self, _speaker: &mut Speaker, _room: &str, write: Write) -> Vec<u8> {
        format!("42{}", json!(["edit", write.text()])).into_bytes()
    }
}

/// EtherCalc's commands over Socket.IO 1.0 (Engine.IO 3): a command goes to the others of the room, and back to its author
/// when that is asked for. The server carries it out in its own SocialCalc first.
#[derive(Default)]
struct EtherCalc {
    recent: Recent<Writes>,
}

impl EtherCalc {
    fn say(data: &Value) -> Vec<u8> {
        format!("42{}", json!(["data", data])).into_bytes()
    }
}

impl Dialect for EtherCalc {
    fn path(&self, _room: &str) -> String {
        "/socket.io/?EIO=3&transport=websocket".to_owned()
    }

    fn opcode(&self) -> Opcode {
        Opcode::Text
    }

    fn open(&mut self, _speaker: &mut Speaker, _room: &str) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn receive(
        &mut self,
        speaker: &mut Speaker,
        room: &str,
        message: &[u8],
        replies: &mut Vec<Vec<u8>>,
    ) -> Heard {
        if message == b"40" {
            let user = format!("u{}", speaker.user);
            replies.push(EtherCalc::say(&json!({ "type": "ask.log", "room": room, "user": user })));
            return Heard::Nothing;
        }
        if !message.starts_with(b"42") {
            return Heard::Nothing;
        }
        // The log of a room holds what was written before.
        if message.starts_with(br#"42["data",{"type":"log""#) {
            return Heard::Ready;
        }
        find(&mut self.recent, message)
    }

    fn write(&mut self, speaker: &mut Speaker, room: &str, write: Write) -> Vec<u8> {
        EtherCalc::say(&json!({
            "type": "execute",
            "room": room,
            "user": format!("u{}", speaker.user),
            "cmdstr": format!("set A{} text t {}", speaker.user + 1, write.text()),
            "include_self": true,
        }))
    }
}

/// ShareDB's JSON messages; `seen` is the version of the document, `confirmed` follows the answers without an operation.
#[derive(Default)]
struct ShareDb {
    recent: Recent<Writes>,
}

impl Dialect for ShareDb {
    fn path(&self, _room: &str) -> String {
        "/".to_owned()
    }

    fn opcode(&self) -> Opcode {
        Opcode::Text
    }

    fn open(&mut self, _speaker: &mut Speaker, _room: &str) -> Vec<Vec<u8>> {
        vec![json!({ "a": "hs", "id": null, "protocol": 1, "protocolMinor": 2 }).to_string().into_bytes()]
    }

    fn receive(
        &mut self,
        speaker: &mut Speaker,
        room: &str,
        message: &[u8],
        replies: &mut Vec<Vec<u8>>,
    ) -> Heard {
        // An operation moves everyone's version on by one; it need not be read for that.
        if message.starts_with(b"{\"a\":\"op\"") {
            speaker.seen += 1;
            return find(&mut self.recent, message);
        }
        let Ok(read) = serde_json::from_slice::<Value>(message) else {
            return Heard::Wrong("not JSON".to_owned());
        };
        if let Some(error) = read.get("error") {
            return Heard::Wrong(error.to_string());
        }
        match read["a"].as_str() {
            Some("hs") => {
                replies.push(json!({ "a": "s", "c": "sheets", "d": room }).to_string().into_bytes());
                Heard::Nothing
            }
            Some("s") => {
                speaker.seen = read["data"]["v"].as_u64().unwrap_or_default();
                Heard::Ready
            }
            _ => Heard::Nothing,
        }
    }

    fn write(&mut self, speaker: &mut Speaker, room: &str, write: Write) -> Vec<u8> {
        speaker.counter += 1;
        let field = format!("u{}", speaker.user);
        json!({
            "a": "op", "c": "sheets", "d": room, "v": speaker.seen, "seq": speaker.counter, "x": {},
            "op": [{ "p": [field], "oi": write.text() }],
        })
        .to_string()
        .into_bytes()
    }
}

/// Hocuspocus: name of the document, kind of message, and Yjs's synchronisation protocol inside.
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
    /// A new entry of a map, without neighbours, whose content is any value.
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

impl Dialect for Hocuspocus {
    fn path(&self, room: &str) -> String {
        format!("/{room}")
    }

    fn opcode(&self) -> Opcode {
        Opcode::Binary
    }

    fn open(&mut self, _speaker: &mut Speaker, room: &str) -> Vec<Vec<u8>> {
        let mut token = Vec::new();
        block(&mut token, room.as_bytes());
        token.extend([yjs::AUTH, 0]);
        block(&mut token, b"-");
        let mut step_1 = Vec::new();
        block(&mut step_1, room.as_bytes());
        step_1.extend([yjs::SYNC, yjs::STEP_1]);
        // A state vector without entries: we have nothing yet.
        block(&mut step_1, &[0]);
        vec![token, step_1]
    }

    fn receive(
        &mut self,
        _speaker: &mut Speaker,
        room: &str,
        message: &[u8],
        _replies: &mut Vec<Vec<u8>>,
    ) -> Heard {
        // The name's length takes one byte.
        match message.get(1 + room.len()..) {
            Some([yjs::SYNC, yjs::STEP_2, ..]) => Heard::Ready,
            Some([yjs::SYNC, yjs::UPDATE, ..]) => find(&mut self.recent, message),
            _ => Heard::Nothing,
        }
    }

    fn write(&mut self, speaker: &mut Speaker, room: &str, write: Write) -> Vec<u8> {
        let mut update = Vec::new();
        update.extend([1, 1]); // one client, one entry
        varint(&mut update, u64::from(speaker.user) + 1);
        varint(&mut update, speaker.counter);
        update.push(yjs::MAP_ENTRY);
        update.push(1); // the parent is named
        block(&mut update, b"cells");
        block(&mut update, format!("u{}w{}", write.writer, write.index).as_bytes());
        update.extend([1, yjs::TEXT]); // one value, a text
        block(&mut update, write.text().as_bytes());
        update.push(0); // nothing deleted
        speaker.counter += 1;
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
    fn writes_are_found_wherever_they_stand() {
        let mut recent = Recent::default();
        let message = b"\x81[\"edit\",\"user 7 write 0.\"] and user 12 write 345.\xff user x write 1.";
        let Heard::Writes(writes) = find(&mut recent, message) else { panic!("there are writes") };
        assert_eq!(*writes, [Write { writer: 7, index: 0 }, Write { writer: 12, index: 345 }]);
        assert!(matches!(find(&mut recent, b"nothing here"), Heard::Nothing));
    }
}
