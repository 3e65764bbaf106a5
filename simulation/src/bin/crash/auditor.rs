//! The auditor: reads a room's journal through the server after each start, and compares it with
//! the acknowledgements that the writers received.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use quadrille_protocol::{
    ClientFrame, Counter, Hello, Incarnation, PROTOCOL_VERSION, Record, ReplicaId, ReplicaSecret, Revision,
    ServerFrame,
};
use tungstenite::Message;

use crate::writer::{Writer, connect};

/// Time within which the server must answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The auditor of one room.
pub struct Auditor {
    room: String,
    /// Identity of the auditor's replica, without which the server sends a snapshot instead of
    /// records.
    identity: Option<(ReplicaId, Incarnation)>,
    secret: Option<ReplicaSecret>,
    /// Every record of the journal with the bytes in which it was first read.
    records: Vec<Vec<u8>>,
    revisions: BTreeMap<(ReplicaId, Counter), Revision>,
}

impl Auditor {
    /// Creates the auditor of a room without records.
    pub fn new(room: &str) -> Auditor {
        Auditor {
            room: room.to_owned(),
            identity: None,
            secret: None,
            records: Vec::new(),
            revisions: BTreeMap::new(),
        }
    }

    /// Number of records read so far.
    pub fn revision(&self) -> u64 {
        self.records.len() as u64
    }

    /// Reads new records and checks that every acknowledged transaction is in the journal once, at
    /// its revision, with the acknowledged bytes. Fails with the first violation.
    pub fn check(&mut self, address: SocketAddr, writers: &[Writer]) -> Result<(), String> {
        // A server creates a room without records anew and does not know earlier identities in it.
        if self.identity.is_none() || self.records.is_empty() {
            (self.identity, self.secret) = (None, None);
            self.read(address)?; // requests an identity
        }
        self.read(address)?;
        for writer in writers.iter().filter(|writer| writer.room == self.room) {
            for ((replica, counter), (revision, bytes)) in &writer.acknowledged {
                let index = revision.0 as usize - 1;
                match self.records.get(index) {
                    None => {
                        return Err(format!(
                            "{}: LOST: revision {revision} (counter {}) was acknowledged, the journal ends at {}",
                            self.room,
                            counter.0,
                            self.records.len()
                        ));
                    }
                    Some(durable) if durable != bytes => {
                        return Err(format!(
                            "{}: revision {revision} was acknowledged with other bytes",
                            self.room
                        ));
                    }
                    Some(_) => {}
                }
                debug_assert_eq!(self.revisions.get(&(*replica, *counter)), Some(revision));
            }
        }
        Ok(())
    }

    /// Connects and reads records up to the head, or only obtains an identity if there is none.
    fn read(&mut self, address: SocketAddr) -> Result<(), String> {
        let mut socket = connect(address, &self.room)?;
        let hello = Hello {
            version: PROTOCOL_VERSION,
            replica: self.identity,
            last: Some(Revision(self.revision())),
            // A client with unconfirmed transactions is sent records instead of a snapshot.
            unconfirmed: 1,
            name: "auditor".into(),
            color: None,
            secret: self.secret,
        };
        let sent = socket.send(Message::Binary(ClientFrame::Hello(hello).encode().into()));
        sent.map_err(|error| format!("send: {error}"))?;
        let begun = Instant::now();
        let mut head = None;
        loop {
            match socket.read() {
                Ok(Message::Binary(bytes)) => match ServerFrame::decode(&bytes) {
                    Ok(ServerFrame::Welcome(welcome)) => {
                        if self.identity.is_none() {
                            self.identity = Some((welcome.replica, welcome.incarnation));
                            self.secret = welcome.secret;
                            return Ok(());
                        }
                        head = Some(welcome.head);
                    }
                    Ok(ServerFrame::Records { records }) => {
                        for bytes in records {
                            self.take(bytes.to_vec())?;
                        }
                    }
                    Ok(ServerFrame::Resync { revision, .. }) => {
                        return Err(format!(
                            "{}: a snapshot of revision {revision} instead of the records after {}",
                            self.room,
                            self.revision()
                        ));
                    }
                    Ok(_) => {}
                    Err(error) => return Err(format!("{}: {error}", self.room)),
                },
                Ok(Message::Close(frame)) => return Err(format!("{}: closed: {frame:?}", self.room)),
                Ok(_) => {}
                Err(tungstenite::Error::Io(error))
                    if matches!(
                        error.kind(),
                        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                    ) => {}
                Err(error) => return Err(format!("{}: {error}", self.room)),
            }
            if head.is_some_and(|head| self.revision() >= head.0) {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("{}: the journal did not arrive", self.room));
            }
        }
    }

    /// Appends a record; fails on gaps and on transactions that were applied before.
    fn take(&mut self, bytes: Vec<u8>) -> Result<(), String> {
        let record = Record::decode(&bytes).map_err(|error| format!("{}: {error}", self.room))?;
        if record.revision.0 != self.revision() + 1 {
            return Err(format!("{}: {} follows {}", self.room, record.revision, self.revision()));
        }
        if record.replica != ReplicaId::SERVER
            && let Some(before) = self.revisions.insert((record.replica, record.counter), record.revision)
        {
            return Err(format!("{}: applied twice: revisions {before} and {}", self.room, record.revision));
        }
        self.records.push(bytes);
        Ok(())
    }
}
