//! Large appends, which a thread of their own writes beside the commits of the journal's thread.
//!
//! Requests that concern the room of a large append are held until it ends, and then handled in their order; those of
//! other rooms are not. What is held is bounded as all that waits for the journal is.

use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use quadrille_journal::{Append, LargeWrite, RoomKey, StorageError, StoredChatMessage};
use quadrille_protocol::RoomName;

use super::journal_batch::{Batch, WaitingAppend};
use super::journal_request::{AppendResult, Reply, Request};
use super::journal_state::Queued;

/// Bytes from which the records of an append are written on the thread. Committing fewer takes less than two
/// milliseconds more than a single small record.
const LARGE_APPEND_BYTES: usize = 256 << 10;

/// The large appends that are being written, and what waits for them.
pub struct LargeAppends {
    /// The storage can write them so.
    is_supported: bool,
    journal: Sender<Request>,
    /// Started for the first large append.
    thread: Option<WritingThread>,
    pub writing: HashMap<RoomKey, Writing>,
    /// Requests that wait for the large append of a room, or with `None` for all of them, in their order.
    held: VecDeque<(Option<RoomKey>, Request)>,
    /// Requests that waited and can be handled.
    released: Vec<Request>,
}

/// A large append that is being written.
pub struct Writing {
    pub name: RoomName,
    pub append: Append,
    pub queued: Queued,
    pub reply: Reply<AppendResult>,
    pub began: Instant,
}

struct WritingThread {
    writes: Option<Sender<(RoomKey, LargeWrite)>>,
    thread: Option<JoinHandle<()>>,
}

impl LargeAppends {
    /// Creates the state; results go to the journal's thread.
    pub fn new(is_supported: bool, journal: Sender<Request>) -> LargeAppends {
        LargeAppends {
            is_supported,
            journal,
            thread: None,
            writing: HashMap::new(),
            held: VecDeque::new(),
            released: Vec::new(),
        }
    }

    /// Whether none is being written.
    pub fn is_idle(&self) -> bool {
        self.writing.is_empty()
    }

    /// Returns the appends that are committed now, and the large ones that begin after them. Holds appends of rooms
    /// with an earlier large one.
    pub fn divide(&mut self, appends: Vec<WaitingAppend>) -> (Vec<WaitingAppend>, Vec<WaitingAppend>) {
        if !self.is_supported {
            return (appends, Vec::new());
        }
        let (mut small, mut large) = (Vec::with_capacity(appends.len()), Vec::new());
        let mut beginning = HashSet::new();
        for (append, queued, reply) in appends {
            let room = append.room;
            let bytes: usize = append.records.iter().map(|record| record.len()).sum();
            if self.writing.contains_key(&room) || beginning.contains(&room) {
                let request = Request::Append { append, queued, can_wait: false, reply };
                self.held.push_back((Some(room), request));
            } else if bytes >= LARGE_APPEND_BYTES {
                beginning.insert(room);
                large.push((append, queued, reply));
            } else {
                small.push((append, queued, reply));
            }
        }
        (small, large)
    }

    /// Holds the chat messages of rooms whose large appends are being written; returns the others.
    pub fn hold_chat_messages(
        &mut self,
        chat_messages: Vec<(StoredChatMessage, Reply<bool>)>,
    ) -> Vec<(StoredChatMessage, Reply<bool>)> {
        let (waiting, others) =
            chat_messages.into_iter().partition(|(message, _)| self.writing.contains_key(&message.room));
        let waiting: Vec<(StoredChatMessage, Reply<bool>)> = waiting;
        for (chat_message, reply) in waiting {
            let room = Some(chat_message.room);
            self.held.push_back((room, Request::StoreChatMessage { chat_message, reply }));
        }
        others
    }

    /// Holds a request that has to wait; returns any other.
    pub fn hold(&mut self, request: Request) -> Option<Request> {
        if self.writing.is_empty() {
            return Some(request);
        }
        let by_name = |name: &RoomName| {
            self.writing.iter().find(|(_, writing)| writing.name == *name).map(|(room, _)| *room)
        };
        let room = match &request {
            // After everything before it.
            Request::Flush { .. } | Request::Stop { .. } | Request::Closed => None,
            Request::Open { room, .. }
            | Request::Find { room, .. }
            | Request::PutImage { room, .. }
            | Request::Image { room, .. }
            | Request::Delete { room, .. } => match by_name(room) {
                None => return Some(request),
                found => found,
            },
            Request::Measure { rooms, .. } => match rooms.iter().find_map(by_name) {
                None => return Some(request),
                Some(_) => None,
            },
            Request::Release { room, .. }
            | Request::ChatMessages { room, .. }
            | Request::Tail { room, .. }
            | Request::SnapshotBefore { room, .. }
                if self.writing.contains_key(room) =>
            {
                Some(*room)
            }
            _ => return Some(request),
        };
        self.held.push_back((room, request));
        None
    }

    /// Returns the requests that do not have to wait any more.
    pub fn take_released(&mut self) -> Option<Batch> {
        if self.released.is_empty() {
            return None;
        }
        let mut batch = Batch::default();
        self.released.drain(..).for_each(|request| batch.push(request));
        Some(batch)
    }

    /// Lets the requests that waited for the large append of a room be handled next.
    pub fn release(&mut self, room: RoomKey) {
        let is_idle = self.writing.is_empty();
        let (ready, waiting) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|(held, _)| held.map_or(is_idle, |held| held == room));
        self.held = waiting;
        let ready: VecDeque<(Option<RoomKey>, Request)> = ready;
        self.released.extend(ready.into_iter().map(|(_, request)| request));
    }

    /// Takes the appends that wait for the large one of a room.
    pub fn take_appends(&mut self, room: RoomKey) -> Vec<(RoomKey, Queued, Reply<AppendResult>)> {
        let mut appends = Vec::new();
        for (held, request) in std::mem::take(&mut self.held) {
            match request {
                Request::Append { append, queued, reply, .. } if append.room == room => {
                    appends.push((room, queued, reply));
                }
                request => self.held.push_back((held, request)),
            }
        }
        appends
    }

    /// Writes a large append that has begun.
    pub fn start(&mut self, writing: Writing, write: LargeWrite) {
        let room = writing.append.room;
        let thread = self.thread.get_or_insert_with(|| WritingThread::start(self.journal.clone()));
        // The thread ends only with this value.
        let _ = thread.writes.as_ref().expect("taken when dropped").send((room, write));
        self.writing.insert(room, writing);
    }
}

impl WritingThread {
    fn start(journal: Sender<Request>) -> WritingThread {
        let (writes, received) = channel();
        let run = move || write_all(&received, &journal);
        let thread = std::thread::Builder::new().name("large-records".into()).spawn(run);
        WritingThread { writes: Some(writes), thread: Some(thread.expect("the system can start a thread")) }
    }
}

impl Drop for WritingThread {
    /// Waits for the thread, because the storage must be closed after it.
    fn drop(&mut self) {
        drop(self.writes.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write_all(received: &Receiver<(RoomKey, LargeWrite)>, journal: &Sender<Request>) {
    for (room, write) in received {
        // Requests of the room would wait for good.
        let written = catch_unwind(AssertUnwindSafe(write)).unwrap_or_else(|_| {
            Err(StorageError::SyncFailed { reason: "writing large records panicked".into() })
        });
        let _ = journal.send(Request::LargeWritten { room, written });
    }
}
