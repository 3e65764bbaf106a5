//! [`ClientProtocol`]: the client side of a server's protocol. That of Quadrille is here, those of other
//! products are in `peers.rs`.

use std::rc::Rc;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_operation::{Operation, Transaction};
use quadrille_protocol::{
    ClientFrame, Counter, Hello, Incarnation, PROTOCOL_VERSION, Record, ReplicaId, ReplicaSecret, Resume,
    Revision, ServerFrame,
};
use quadrille_workbook::{Input, Literal};

use super::websocket_frames::Opcode;

/// One write, identified by its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    pub writer: u32,
    pub index: u32,
}

impl Write {
    /// The text has letters, so that it is not read as a time or a date, and an end mark, so that a prefix
    /// is not mistaken for it.
    pub fn text(self) -> String {
        format!("user {} write {}.", self.writer, self.index)
    }

    pub fn from_text(text: &str) -> Option<Write> {
        let (writer, index) = text.strip_prefix("user ")?.strip_suffix('.')?.split_once(" write ")?;
        Some(Write { writer: writer.parse().ok()?, index: index.parse().ok()? })
    }
}

/// The meaning of a message of the server.
#[derive(Debug)]
pub enum ServerMessage {
    Nothing,
    /// The document has arrived and the user may write.
    Ready,
    /// Writes of users. All users of a room receive the same bytes, so they are decoded once and shared.
    Writes(Rc<Vec<Write>>),
    Wrong(String),
}

/// The state of a user's session.
#[derive(Default)]
pub struct UserState {
    /// Number of the user over all rooms, from 0.
    pub user: u32,
    /// Number of transactions sent.
    pub counter: u64,
    /// Number of transactions acknowledged.
    pub confirmed: u64,
    /// Last received revision.
    pub seen: u64,
    /// Revision at which the document is complete.
    head: Option<u64>,
    awaits_snapshot: bool,
    identity: Option<(ReplicaId, Incarnation)>,
    secret: Option<ReplicaSecret>,
}

impl UserState {
    pub fn new(user: u32) -> UserState {
        UserState { user, ..UserState::default() }
    }

    /// Prepares for a reconnection; the state of the room is kept.
    pub fn reconnect(&mut self) {
        self.head = None;
    }
}

pub trait ClientProtocol {
    fn path(&self, room: &str) -> String;
    fn opcode(&self) -> Opcode;
    /// The messages that open the session.
    fn open(&mut self, user_state: &mut UserState, room: &str) -> Vec<Vec<u8>>;
    /// Handles a message; `replies` are sent at once.
    fn receive(
        &mut self,
        user_state: &mut UserState,
        room: &str,
        message: &[u8],
        replies: &mut Vec<Vec<u8>>,
    ) -> ServerMessage;
    fn write(&mut self, user_state: &mut UserState, room: &str, write: Write) -> Vec<u8>;
}

/// A cache of decoded messages by their bytes, so that a broadcast is decoded once.
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
        self.messages.iter().find(|(bytes, _)| bytes == message).map(|(_, decoded)| decoded.clone())
    }

    pub fn keep(&mut self, message: &[u8], decoded: T) {
        let place = &mut self.messages[self.next];
        place.0.clear();
        place.0.extend_from_slice(message);
        place.1 = decoded;
        self.next = (self.next + 1) % RECENT;
    }
}

/// A thin client of Quadrille: it implements the protocol but has no document.
pub struct ThinClient {
    sheet: SheetId,
    recent: Recent<DecodedRecords>,
}

/// The decoded contents of a frame of records.
#[derive(Clone, Default)]
struct DecodedRecords {
    first: u64,
    last: u64,
    authors: Rc<Vec<ReplicaId>>,
    writes: Rc<Vec<Write>>,
}

impl ThinClient {
    pub fn new(sheet: SheetId) -> ThinClient {
        ThinClient { sheet, recent: Recent::default() }
    }

    /// The cell of a user: column A, one row per user.
    pub fn cell_of(user: u32) -> CellAddress {
        CellAddress::clamped(user % 1_000_000, 0)
    }

    fn records(&mut self, message: &[u8]) -> Result<DecodedRecords, String> {
        if let Some(decoded) = self.recent.find(message) {
            return Ok(decoded);
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
        let decoded = DecodedRecords { first, last, authors: Rc::new(authors), writes: Rc::new(writes) };
        self.recent.keep(message, decoded.clone());
        Ok(decoded)
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

/// First byte of a frame of records (docs/protocol.md).
const RECORDS: u8 = 3;

impl ClientProtocol for ThinClient {
    fn path(&self, room: &str) -> String {
        format!("/api/v1/rooms/{room}/socket")
    }

    fn opcode(&self) -> Opcode {
        Opcode::Binary
    }

    fn open(&mut self, user_state: &mut UserState, _room: &str) -> Vec<Vec<u8>> {
        let hello = Hello {
            version: PROTOCOL_VERSION,
            replica: user_state.identity,
            last: user_state.identity.map(|_| Revision(user_state.seen)),
            unconfirmed: 0,
            name: Arc::from(format!("user {}", user_state.user)),
            color: None,
            secret: user_state.secret,
        };
        vec![ClientFrame::Hello(hello).encode()]
    }

    fn receive(
        &mut self,
        user_state: &mut UserState,
        _room: &str,
        message: &[u8],
        _replies: &mut Vec<Vec<u8>>,
    ) -> ServerMessage {
        let writes = if message.first() == Some(&RECORDS) {
            let decoded = match self.records(message) {
                Ok(decoded) => decoded,
                Err(reason) => return ServerMessage::Wrong(reason),
            };
            if decoded.first != user_state.seen + 1 {
                return ServerMessage::Wrong(format!("revision {} after {}", decoded.first, user_state.seen));
            }
            user_state.seen = decoded.last;
            if let Some((own, _)) = user_state.identity
                && user_state.confirmed < user_state.counter
            {
                user_state.confirmed +=
                    decoded.authors.iter().filter(|author| **author == own).count() as u64;
            }
            Some(decoded.writes)
        } else {
            match ServerFrame::decode(message) {
                Ok(ServerFrame::Welcome(welcome)) => {
                    user_state.identity = Some((welcome.replica, welcome.incarnation));
                    user_state.secret = welcome.secret;
                    user_state.head = Some(welcome.head.0);
                    user_state.awaits_snapshot = welcome.resume == Resume::Snapshot;
                }
                Ok(ServerFrame::Snapshot { revision, part, parts, .. }) if part + 1 == parts => {
                    user_state.seen = revision.0;
                    user_state.awaits_snapshot = false;
                }
                Ok(ServerFrame::Rejected { message, .. }) => return ServerMessage::Wrong(message),
                Ok(_) => {}
                Err(error) => return ServerMessage::Wrong(error.to_string()),
            }
            None
        };
        if !user_state.awaits_snapshot && user_state.head.is_some_and(|head| user_state.seen >= head) {
            user_state.head = None;
            return ServerMessage::Ready;
        }
        writes.map_or(ServerMessage::Nothing, ServerMessage::Writes)
    }

    fn write(&mut self, user_state: &mut UserState, _room: &str, write: Write) -> Vec<u8> {
        user_state.counter += 1;
        let operation = Operation::SetCells {
            sheet: self.sheet,
            range: Range::cell(ThinClient::cell_of(user_state.user)),
            inputs: vec![Input::Value(Literal::Text(write.text().into()))],
        };
        ClientFrame::Submit {
            counter: Counter(user_state.counter),
            base: Revision(user_state.seen),
            transaction: operation.into(),
        }
        .encode()
    }
}
