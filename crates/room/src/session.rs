//! One connection as the room sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quadrille_operation::Transaction;
use quadrille_protocol::{Author, Counter, ReplicaId, Revision, Role, SessionId};

pub(crate) struct Session {
    pub role: Role,
    /// Identity of the account; empty without one.
    pub account: Arc<str>,
    /// `None` until `Hello`.
    pub member: Option<Member>,
    pub bad_frames: u32,
}

/// A session that has said hello.
pub(crate) struct Member {
    pub replica: ReplicaId,
    pub author: Author,
    /// As everybody sees it.
    pub color: u32,
    pub delivery: Delivery,
    pub rebase_window: RebaseWindow,
    /// The last transaction this session submitted, refused ones included.
    pub last_counter: Option<Counter>,
    /// A refused transaction that the replica has not yet taken back: what it sends builds on it.
    pub rejected: Option<Counter>,
    /// How many of its transactions wait for the disk.
    pub undurable: usize,
    /// The revision up to which everything was handed over for sending; for subscribed sessions, the room's
    /// `published` counts.
    pub sent: Revision,
}

/// How the session gets records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Delivery {
    /// By broadcast.
    Subscribed,
    /// Pieces of the tail are on their way from storage; so many bytes have gone out.
    AwaitingTail {
        bytes_sent: usize,
        unconfirmed: bool,
    },
    AwaitingSnapshot,
    /// Its outgoing queue was full; the rest comes when that is empty.
    Behind,
}

/// Who gets records how, so that a commit costs nothing for those who only listen.
#[derive(Default)]
pub(crate) struct Waits {
    subscribed: usize,
    for_snapshot: BTreeSet<SessionId>,
}

impl Waits {
    pub fn changed(&mut self, session: SessionId, before: Option<Delivery>, after: Delivery) {
        if let Some(before) = before {
            self.went(session, before);
        }
        match after {
            Delivery::Subscribed => self.subscribed += 1,
            Delivery::AwaitingSnapshot => _ = self.for_snapshot.insert(session),
            Delivery::AwaitingTail { .. } | Delivery::Behind => {}
        }
    }

    pub fn went(&mut self, session: SessionId, before: Delivery) {
        match before {
            Delivery::Subscribed => self.subscribed -= 1,
            Delivery::AwaitingSnapshot => _ = self.for_snapshot.remove(&session),
            Delivery::AwaitingTail { .. } | Delivery::Behind => {}
        }
    }

    pub fn anyone_listens(&self) -> bool {
        self.subscribed > 0
    }

    pub fn for_snapshot(&self) -> &BTreeSet<SessionId> {
        &self.for_snapshot
    }
}

/// What others did that the session had not seen when it made its last transaction, rebased over the
/// transactions it has submitted since: the next one is rebased over these. The ring has them as they were
/// recorded; here are those that have become something else on the way. Usually that is none, so that
/// thousands of sessions keep nothing.
#[derive(Clone, Default)]
pub(crate) struct RebaseWindow {
    pub changed: BTreeMap<Revision, Arc<Transaction>>,
    /// All records after the first and up to the second are the session's own.
    pub own_after: Revision,
    pub own_up_to: Revision,
}
