//! The room's state of one session.

use std::collections::BTreeSet;
use std::sync::Arc;

use quadrille_operation::EditorIdentity;
use quadrille_protocol::{Author, Counter, ReplicaId, Revision, Role, SessionId};

use crate::rebase_window::RebaseWindow;

pub(crate) struct Session {
    pub role: Role,
    /// The person who has signed in.
    pub author: Option<Author>,
    /// A verified e-mail address of that person.
    pub email: Option<Arc<str>>,
    /// The URL of that person's picture.
    pub picture: Option<Arc<str>>,
    /// `None` until the `Hello` frame.
    pub member: Option<Member>,
    pub bad_frames: u32,
}

/// The state of a session after its `Hello` frame.
pub(crate) struct Member {
    pub replica: ReplicaId,
    pub author: Author,
    /// The person as protected ranges name people.
    pub editor: EditorIdentity,
    /// The session has asked for its identity, so it understands the frames about access.
    pub is_told_of_requests: bool,
    /// Number of pictures that it was sent.
    pub pictures_sent: usize,
    /// Color of the person's cursor, as all other sessions see it.
    pub color: u32,
    pub delivery: Delivery,
    pub rebase_window: RebaseWindow,
    /// The last transaction that this session submitted, rejected ones included.
    pub last_counter: Option<Counter>,
    /// A rejected transaction that the replica has not withdrawn yet: later submissions depend on
    /// it.
    pub rejected: Option<Counter>,
    /// Number of its transactions that are not durable yet.
    pub undurable: usize,
    /// The revision up to which records were handed over for sending. For subscribed sessions the
    /// room's `durable` counts instead.
    pub sent: Revision,
}

/// The way in which a session gets records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Delivery {
    /// By broadcast.
    Subscribed,
    /// Pieces of the tail are being read from storage; `bytes_sent` bytes of them have been sent.
    AwaitingTail {
        bytes_sent: usize,
        has_unconfirmed: bool,
    },
    AwaitingSnapshot,
    /// Its outgoing queue was full; delivery resumes when the queue is empty.
    Behind,
}

/// Sessions by delivery, so that a commit costs nothing per session.
#[derive(Default)]
pub(crate) struct DeliveryIndex {
    subscribed: usize,
    awaiting_snapshot: BTreeSet<SessionId>,
}

impl DeliveryIndex {
    /// Replaces the delivery state `before` of the session with `after`.
    pub fn change(&mut self, session: SessionId, before: Option<Delivery>, after: Delivery) {
        if let Some(before) = before {
            self.remove(session, before);
        }
        match after {
            Delivery::Subscribed => self.subscribed += 1,
            Delivery::AwaitingSnapshot => _ = self.awaiting_snapshot.insert(session),
            Delivery::AwaitingTail { .. } | Delivery::Behind => {}
        }
    }

    /// Removes a session whose delivery state is `before`.
    pub fn remove(&mut self, session: SessionId, before: Delivery) {
        match before {
            Delivery::Subscribed => self.subscribed -= 1,
            Delivery::AwaitingSnapshot => _ = self.awaiting_snapshot.remove(&session),
            Delivery::AwaitingTail { .. } | Delivery::Behind => {}
        }
    }

    /// Whether at least one session is subscribed.
    pub fn has_subscribers(&self) -> bool {
        self.subscribed > 0
    }

    /// The sessions that wait for a snapshot.
    pub fn awaiting_snapshot(&self) -> &BTreeSet<SessionId> {
        &self.awaiting_snapshot
    }
}
