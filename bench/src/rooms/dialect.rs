//! How a user speaks to one kind of server. Ours is here; those of the peers are in `peers.rs`.

use std::rc::Rc;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_operation::{Operation, Transaction};
use quadrille_protocol::{
    ClientFrame, Counter, Hello, Incarnation, PROTOCOL_VERSION, Record, ReplicaId, ReplicaSecret, Resume,
    Revision, ServerFrame,
};
use quadrille_workbook::{Input, Literal};

use super::wire::Opcode;

/// One write, as its text names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    pub writer: u32,
    pub index: u32,
}

impl Write {
    /// Letters around the numbers, so that no one takes it for a time or a date. The end is marked, so that a part of it
    /// is not taken for the whole.
    pub fn text(self) -> String {
        format!("user {} write {}.", self.writer, self.index)
    }

    pub fn from_text(text: &str) -> Option<Write> {
        let (writer, index) = text.strip_prefix("user ")?.strip_suffix('.')?.split_once(" write ")?;
        Some(Write { writer: writer.parse().ok()?, index: index.parse().ok()? })
    }
}

/// What a message from the server brought.
#[derive(Debug)]
pub enum Heard {
    Nothing,
    /// The document is here and the user may write.
    Ready,
    /// Everyone in the room gets the same bytes, so what they say is read once and shared.
    Writes(Rc<Vec<Write>>),
    Wrong(String),
}

/// The user's side of a session.
#[derive(Default)]
pub struct Speaker {
    /// Over all rooms, from 0.
    pub user: u32,
    /// Transactions sent.
    pub counter: u64,
    /// Transactions that came back.
    pub confirmed: u64,
    /// Last revision seen.
    pub seen: u64,
    /// Revision at which the document is complete.
    head: Option<u64>,
    awaits_snapshot: bool,
    identity: Option<(ReplicaId, Incarnation)>,
    secret: Option<ReplicaSecret>,
}

impl Speaker {
    pub fn new(user: u32) -> Speaker {
        Speaker { user, ..Speaker::default() }
    }

    /// Before connecting again: what is known of the room stays.
    pub fn reconnect(&mut self) {
        self.head = None;
    }
}

pub trait Dialect {
    fn path(&self, room: &str) -> String;
    fn opcode(&self) -> Opcode;
    /// What the user says first.
    fn open(&mut self, speaker: &mut Speaker, room: &str) -> Vec<Vec<u8>>;
    /// `replies` are sent at once.
    fn receive(
        &mut self,
        speaker: &mut Speaker,
        room: &str,
        message: &[u8],
        replies: &mut Vec<Vec<u8>>,
    ) -> Heard;
    fn write(&mut self, speaker: &mut Speaker, room: &str, write: Write) -> Vec<u8>;
}

/// What the last messages said, by their bytes: what everyone gets is decoded once.
pub struct Recent<T> {
    messages: [(Vec<u8>, T); RECENT],
    next: usize,
}

const RECENT: usize = 16;

impl<T: Clone + Default> Default for Recent<T> {
    fn default() -> Recent<T> {
        Recent { messages: std::array::from_fn(|_| (Vec::new(), T::default())), next: 0 }
    }
}

impl<T: Clone> Recent<T> {
    pub fn find(&self, message: &[u8]) -> Option<T> {
        self.messages.iter().find(|(bytes, _)| bytes == message).map(|(_, said)| said.clone())
    }

    pub fn keep(&mut self, message: &[u8], said: T) {
        let place = &mut self.messages[self.next];
        place.0.clear();
        place.0.extend_from_slice(message);
        place.1 = said;
        self.next = (self.next + 1) % RECENT;
    }
}

/// Quadrille: a thin client that knows the protocol and holds no document.
pub struct Thin {
    sheet: SheetId,
    recent: Recent<Said>,
}

/// What a frame of records says.
#[derive(Clone, Default)]
struct Said {
    first: u64,
    last: u64,
    authors: Rc<Vec<ReplicaId>>,
    writes: Rc<Vec<Write>>,
}

impl Thin {
    pub fn new(sheet: SheetId) -> Thin {
        Thin { sheet, recent: Recent::default() }
    }

    /// Column A, a row of one's own.
    pub fn cell_of(user: u32) -> CellAddress {
        CellAddress::clamped(user % 1_000_000, 0)
    }

    fn records(&mut self, message: &[u8]) -> Result<Said, String> {
        if let Some(said) = self.recent.find(message) {
            return Ok(said);
        }
        let ServerFrame::Records { records } = ServerFrame::decode(message).map_err(|e| e.to_string())?
        else {
            return Err("not records".to_owned());
        };
        let (mut writes, mut authors) = (Vec::new(), Vec::new());
        let (mut first, mut last) = (0, 0);
        for bytes in &records {
            let record = Record::decode(bytes).map_err(|error| error.to_string())?;
            if last != 0 && record.revision.0 != last + 1 {
                return Err(format!("revision {} after {last}", record.revision.0));
            }
            last = record.revision.0;
            if first == 0 {
                first = last;
            }
            authors.push(record.replica);
            writes.extend(writes_of(&record.transaction));
        }
        let said = Said { first, last, authors: Rc::new(authors), writes: Rc::new(writes) };
        self.recent.keep(message, said.clone());
        Ok(said)
    }
}

pub fn writes_of(transaction: &Transaction) -> impl Iterator<Item = Write> {
    let inputs = transaction.operations.iter().flat_map(|operation| match operation {
        Operation::SetCells { inputs, .. } => &inputs[..],
        Operation::FillCells { input, .. } => std::slice::from_ref(input),
        _ => &[],
    });
    inputs.filter_map(|input| match input {
        Input::Value(Literal::Text(text)) => Write::from_text(text),
        _ => None,
    })
}

/// First byte of a frame with records (docs/protocol.md).
const RECORDS: u8 = 3;

impl Dialect for Thin {
    fn path(&self, room: &str) -> String {
        format!("/api/v1/rooms/{room}/socket")
    }

    fn opcode(&self) -> Opcode {
        Opcode::Binary
    }

    fn open(&mut self, speaker: &mut Speaker, _room: &str) -> Vec<Vec<u8>> {
        let hello = Hello {
            version: PROTOCOL_VERSION,
            replica: speaker.identity,
            last: speaker.identity.map(|_| Revision(speaker.seen)),
            unconfirmed: 0,
            name: Arc::from(format!("user {}", speaker.user)),
            color: None,
            secret: speaker.secret,
        };
        vec![ClientFrame::Hello(hello).encode()]
    }

    fn receive(
        &mut self,
        speaker: &mut Speaker,
        _room: &str,
        message: &[u8],
        _replies: &mut Vec<Vec<u8>>,
    ) -> Heard {
        let writes = if message.first() == Some(&RECORDS) {
            let said = match self.records(message) {
                Ok(said) => said,
                Err(reason) => return Heard::Wrong(reason),
            };
            if said.first != speaker.seen + 1 {
                return Heard::Wrong(format!("revision {} after {}", said.first, speaker.seen));
            }
            speaker.seen = said.last;
            if let Some((own, _)) = speaker.identity
                && speaker.confirmed < speaker.counter
            {
                speaker.confirmed += said.authors.iter().filter(|author| **author == own).count() as u64;
            }
            Some(said.writes)
        } else {
            match ServerFrame::decode(message) {
                Ok(ServerFrame::Welcome(welcome)) => {
                    speaker.identity = Some((welcome.replica, welcome.incarnation));
                    speaker.secret = welcome.secret;
                    speaker.head = Some(welcome.head.0);
                    speaker.awaits_snapshot = welcome.resume == Resume::Snapshot;
                }
                Ok(ServerFrame::Snapshot { revision, part, parts, .. }) if part + 1 == parts => {
                    speaker.seen = revision.0;
                    speaker.awaits_snapshot = false;
                }
                Ok(ServerFrame::Rejected { message, .. }) => return Heard::Wrong(message),
                Ok(_) => {}
                Err(error) => return Heard::Wrong(error.to_string()),
            }
            None
        };
        if !speaker.awaits_snapshot && speaker.head.is_some_and(|head| speaker.seen >= head) {
            speaker.head = None;
            return Heard::Ready;
        }
        writes.map_or(Heard::Nothing, Heard::Writes)
    }

    fn write(&mut self, speaker: &mut Speaker, _room: &str, write: Write) -> Vec<u8> {
        speaker.counter += 1;
        let operation = Operation::SetCells {
            sheet: self.sheet,
            range: Range::cell(Thin::cell_of(speaker.user)),
            inputs: vec![Input::Value(Literal::Text(write.text().into()))],
        };
        ClientFrame::Submit {
            counter: Counter(speaker.counter),
            base: Revision(speaker.seen),
            transaction: operation.into(),
        }
        .encode()
    }
}
