//! [`Connection`]: a non-blocking WebSocket of the load generator.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::SocketAddr;

use mio::net::TcpStream;

use super::client_protocol::UserState;
use super::websocket_frames::{self, Opcode, Parsed};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Connecting,
    Upgrading,
    /// Open; the document may not have arrived yet.
    Open,
    Ready,
    Gone,
}

pub struct Connection {
    pub stage: Stage,
    pub user_state: UserState,
    /// Index of the document that the user edits.
    pub document: u32,
    /// Start of the connection attempt.
    pub began: u64,
    /// Joined during the load; its deliveries are not counted.
    pub is_joiner: bool,
    /// Present when the user is a complete replica instead of a thin client.
    pub replica: Option<Box<super::replica_client::ReplicaClient>>,
    stream: Option<TcpStream>,
    /// The received part of an incomplete message.
    unread: Vec<u8>,
    unsent: VecDeque<u8>,
}

impl Connection {
    pub fn new(user: u32, document: u32) -> Connection {
        Connection {
            stage: Stage::Gone,
            user_state: UserState::new(user),
            document,
            began: 0,
            is_joiner: false,
            replica: None,
            stream: None,
            unread: Vec::new(),
            unsent: VecDeque::new(),
        }
    }

    pub fn connect(&mut self, address: SocketAddr, request: &[u8], now: u64) -> io::Result<&mut TcpStream> {
        let stream = TcpStream::connect(address)?;
        self.stage = Stage::Connecting;
        self.began = now;
        self.unread.clear();
        self.unsent.clear();
        self.unsent.extend(request);
        Ok(self.stream.insert(stream))
    }

    /// Handles a writable socket; the first time, the connection is established.
    pub fn writable(&mut self) -> io::Result<()> {
        if self.stage == Stage::Connecting {
            let Some(stream) = &self.stream else { return Ok(()) };
            if let Some(error) = stream.take_error()? {
                return Err(error);
            }
            if stream.peer_addr().is_err() {
                return Ok(());
            }
            // Each edit is sent as one small packet.
            stream.set_nodelay(true)?;
            self.stage = Stage::Upgrading;
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        while !self.unsent.is_empty() {
            match stream.write(self.unsent.as_slices().0) {
                Ok(written) => drop(self.unsent.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub fn send(&mut self, opcode: Opcode, message: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(message.len() + 14);
        websocket_frames::write(&mut bytes, opcode, message);
        if self.unsent.is_empty()
            && let Some(stream) = &mut self.stream
        {
            match stream.write(&bytes) {
                Ok(written) => drop(bytes.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        self.unsent.extend(bytes);
        Ok(())
    }

    /// Reads once into `scratch`. `Ok(None)` means no data, `Ok(Some(0))` that the peer closed the
    /// connection.
    pub fn read(&mut self, scratch: &mut [u8]) -> io::Result<Option<usize>> {
        let Some(stream) = &mut self.stream else { return Ok(None) };
        match stream.read(scratch) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Calls `take` with each complete message in the buffered bytes followed by `bytes`.
    pub fn messages(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&mut Connection, Opcode, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut joined = std::mem::take(&mut self.unread);
        let bytes = if joined.is_empty() {
            bytes
        } else {
            joined.extend_from_slice(bytes);
            &joined[..]
        };
        let mut place = 0;
        if self.stage == Stage::Upgrading {
            match websocket_frames::upgrade_reply(bytes) {
                None => {
                    self.unread = bytes.to_vec();
                    return Ok(());
                }
                Some(Ok(length)) => {
                    place = length;
                    self.stage = Stage::Open;
                    // The client sends first; an empty message represents the open connection.
                    take(self, Opcode::Binary, &[])?;
                }
                Some(Err(reason)) => return Err(format!("upgrade: {reason}")),
            }
        }
        loop {
            match websocket_frames::parse(&bytes[place..]) {
                Parsed::Message { opcode, payload, length } => {
                    take(self, opcode, payload)?;
                    place += length;
                }
                Parsed::Incomplete => break,
                Parsed::Wrong(reason) => return Err(reason.to_owned()),
            }
        }
        self.unread = bytes[place..].to_vec();
        Ok(())
    }

    pub fn close(&mut self) {
        self.stage = Stage::Gone;
        self.stream = None;
        self.unread = Vec::new();
        self.unsent = VecDeque::new();
    }
}
