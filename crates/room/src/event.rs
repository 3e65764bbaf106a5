//! What a room is told and what it asks for. The caller owns sockets, disk, clock and threads.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_operation::{Command, Transaction};
use quadrille_protocol::{
    Author, ChatMessage, CloseReason, RejectCode, ReplicaId, Revision, Role, RoomSnapshot, ServerFrame,
    SessionId, Submitted, TimeAndSeed, digest_of_snapshot, limits::SNAPSHOT_PART_BYTES, snapshot_bytes,
};
use quadrille_workbook::Workbook;

use crate::chat::{ChatRejection, ChatSubmission};
use crate::recent_records::Entry;

/// The moment of an event, and a number nobody can guess: all a room knows of time and chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Milliseconds since 1970-01-01 UTC; goes into stamps.
    pub unix_ms: i64,
    /// Milliseconds of a clock that is never set; for intervals.
    pub monotonic_ms: u64,
    pub random: u64,
}

/// Chosen by the caller to recognise the answer to a [`Event::Request`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Token(pub u64);

/// What a request wants done.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// Planned on the room's newest document.
    Command(Box<Command>),
    /// Made for the room's newest document.
    Transaction(Transaction),
}

#[derive(Clone, Debug)]
pub enum Event {
    /// A connection was made. The caller numbers sessions and never uses a number twice.
    Connect {
        session: SessionId,
        role: Role,
        account: Arc<str>,
    },
    /// The bytes of one message from the session.
    Frame {
        session: SessionId,
        bytes: Arc<[u8]>,
    },
    Disconnect {
        session: SessionId,
    },
    /// A broadcast that begins at `from` did not fit into the session's outgoing queue and was dropped.
    /// The session gets no broadcasts until it has been subscribed again.
    Missed {
        session: SessionId,
        from: Revision,
    },
    /// The outgoing queue of a session that had missed something is empty.
    Drained {
        session: SessionId,
    },
    /// A change from outside any session: REST, an import. Answered by `Done` or `Refused`.
    Request {
        token: Token,
        author: Author,
        role: Role,
        change: Change,
    },
    /// Everything appended up to this revision is on the disk.
    Durable {
        up_to: Revision,
    },
    /// An append was fenced or failed: what the room has in memory is not what the journal has.
    AppendFailed,
    /// The answer to `NeedTail`: records after `after`, maybe not all of them.
    Tail {
        session: SessionId,
        after: Revision,
        records: Vec<(Revision, Arc<[u8]>)>,
    },
    /// The answer to `Encode`.
    Encoded(Encoded),
    /// Something said from outside any session: over REST. Answered by `Talked`.
    Chat {
        token: Token,
        role: Role,
        chat: ChatSubmission,
    },
    /// The answer to `ReadChat`: chat messages, oldest first; `None` when they cannot be read.
    ChatRead {
        chat_messages: Option<Vec<Arc<[u8]>>>,
    },
    /// The answer to `Say`.
    Said {
        number: u64,
        is_stored: bool,
    },
    /// How often `NOW` and the like go on while nobody changes anything; `None`: never. A minute unless told.
    VolatileEvery {
        ms: Option<u64>,
    },
    /// Nobody uses the room any more: the caller would let it leave memory. It may want to store a snapshot first, and
    /// is not idle while it does.
    Rest,
    /// Time passed. Only needed when [`Room::next_tick_ms`](crate::Room::next_tick_ms) says so.
    Tick,
    /// The room was deleted, or the server stops: everyone is sent away.
    Close(CloseReason),
}

/// Which of a session's frames may be dropped, and what counts against its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FramePriority {
    /// In order, never dropped: a session for which there is no room is reported by `Event::Missed`.
    Ordered,
    /// In order with the others, shared by all who join; not counted against the session's queue.
    Snapshot,
    /// Dropped first and without notice.
    Presence,
}

#[derive(Clone, Debug)]
pub enum Effect {
    /// Store these records after `base`; answered by `Durable` or `AppendFailed`.
    Append {
        base: Revision,
        records: Vec<Arc<[u8]>>,
        time_ms: i64,
    },
    Send {
        session: SessionId,
        frame: Arc<[u8]>,
        lane: FramePriority,
    },
    /// To every subscribed session. For `Lane::Ordered`, `from` is the first revision in the frame.
    Broadcast {
        frame: Arc<[u8]>,
        lane: FramePriority,
        from: Revision,
    },
    /// From here on, in the order of effects, the session gets broadcasts.
    Subscribe {
        session: SessionId,
    },
    /// Close the connection after what was sent to it; no `Disconnect` is expected.
    Close {
        session: SessionId,
        reason: CloseReason,
    },
    /// Run the job, here or on another thread, and hand in what it gives.
    Encode(EncodeJob),
    /// Keep a snapshot; no answer is expected, and losing it costs time only.
    PutSnapshot {
        revision: Revision,
        bytes: Arc<[u8]>,
    },
    /// Read records after a revision, at most so many bytes (at least one record); answered by `Tail`.
    NeedTail {
        session: SessionId,
        after: Revision,
        bytes_max: usize,
    },
    /// Read what is kept of the chat; answered by `ChatRead`.
    ReadChat,
    /// Store this chat message, after the records that were to be stored before it, and forget those up to another; answered by `Said`.
    Say {
        number: u64,
        bytes: Arc<[u8]>,
        forget_up_to: u64,
    },
    /// What was said from outside is stored, or is not said.
    ChatAccepted {
        token: Token,
        result: Result<Arc<ChatMessage>, ChatRejection>,
    },
    /// The request's change is durable.
    Done {
        token: Token,
        revision: Revision,
    },
    /// The request's change was refused, or the room stopped before it was durable (`ReadOnly`).
    Refused {
        token: Token,
        code: RejectCode,
        message: String,
    },
    /// A replica and the room disagree: a fault of ours, to be counted and logged.
    DigestMismatch {
        session: SessionId,
        revision: Revision,
        room: Option<u64>,
        replica: u64,
    },
    /// Drop this, best elsewhere: a record of a million cells takes many milliseconds to give back.
    Discard(Discarded),
    /// The room is of no more use: drop it, and open it anew from storage when it is wanted.
    Stopped,
}

/// What a room has forgotten.
#[derive(Clone, Debug)]
pub struct Discarded {
    pub(crate) _entries: Vec<Entry>,
}

/// A workbook to be made into bytes. Costs as much as the workbook is big; taking it cost nothing.
#[derive(Clone, Debug)]
pub struct EncodeJob {
    pub(crate) revision: Revision,
    pub(crate) time_and_seed: TimeAndSeed,
    pub(crate) workbook: Workbook,
    /// Present when the snapshot is to be stored.
    pub(crate) submitted: Option<BTreeMap<ReplicaId, Submitted>>,
}

impl EncodeJob {
    pub fn workbook(&self) -> &Workbook {
        &self.workbook
    }

    pub fn run(self) -> Encoded {
        let bytes = snapshot_bytes(&self.workbook);
        let stored = self.submitted.map(|submitted| {
            let submitted = submitted.into_iter().collect();
            let snapshot = RoomSnapshot {
                revision: self.revision,
                time_and_seed: self.time_and_seed,
                submitted,
                workbook: self.workbook,
            };
            snapshot.encode_with(&bytes).into()
        });
        Encoded {
            revision: self.revision,
            digest: digest_of_snapshot(&bytes),
            length: bytes.len(),
            frames: snapshot_frames(self.revision, self.time_and_seed, &bytes),
            stored,
        }
    }
}

/// The workbook's canonical bytes at a revision.
#[derive(Clone, Debug)]
pub struct Encoded {
    pub(crate) revision: Revision,
    pub(crate) digest: u64,
    pub(crate) length: usize,
    /// For those who join.
    pub(crate) frames: Vec<Arc<[u8]>>,
    pub(crate) stored: Option<Arc<[u8]>>,
}

fn snapshot_frames(revision: Revision, time_and_seed: TimeAndSeed, bytes: &[u8]) -> Vec<Arc<[u8]>> {
    let parts = bytes.len().div_ceil(SNAPSHOT_PART_BYTES).max(1) as u32;
    (0..parts)
        .map(|part| {
            let start = part as usize * SNAPSHOT_PART_BYTES;
            let end = bytes.len().min(start + SNAPSHOT_PART_BYTES);
            let bytes = bytes[start..end].to_vec();
            ServerFrame::Snapshot { revision, time_and_seed, part, parts, bytes }.encode().into()
        })
        .collect()
}
