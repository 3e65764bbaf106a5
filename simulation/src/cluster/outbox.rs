//! [`Outbox`]: the frames for one listener, with its cursor into the broadcasts, as `SocketOutbox` of the
//! server has them.

use std::collections::VecDeque;
use std::sync::Arc;

use quadrille_protocol::{CloseReason, Revision};
use quadrille_room::{FrameLookup, FrameRing, Position, SharedFrame};

/// The broadcasts of a room.
pub type Ring = FrameRing<Arc<[u8]>>;

/// Frames that wait until the connection takes them. `M` is a frame for a client, or a message of a stream.
#[derive(Debug)]
pub struct Outbox<M> {
    /// The listener's own frames; each is sent before the broadcast at its position.
    own: VecDeque<(Position, M)>,
    /// Position of the next broadcast; `None` while the listener gets no broadcasts.
    pub cursor: Option<Position>,
    /// The first revision that has not been sent.
    next_revision: Revision,
    must_report_drained: bool,
    pub close: Option<CloseReason>,
    /// Bytes on the way.
    pub in_flight: usize,
}

/// The next thing to do for a listener.
pub enum Next<M> {
    Send(M),
    /// The cursor has fallen off the ring: the first missed revision.
    Missed(Revision),
    /// All own frames were sent after broadcasts were missed.
    Drained,
    /// All frames were sent, and the listener is closed.
    Close(CloseReason),
    Nothing,
}

impl<M> Outbox<M> {
    pub fn new() -> Outbox<M> {
        Outbox {
            own: VecDeque::new(),
            cursor: None,
            next_revision: Revision(0),
            must_report_drained: false,
            close: None,
            in_flight: 0,
        }
    }

    /// Queues a frame for this listener alone, before the next broadcast of `ring`.
    pub fn push(&mut self, ring_head: Position, frame: M) {
        if self.close.is_none() {
            self.own.push_back((ring_head, frame));
        }
    }

    /// Subscribes to the broadcasts from here on; `next_revision` is the first one in them.
    pub fn subscribe(&mut self, ring_head: Position, next_revision: Revision) {
        (self.cursor, self.next_revision) = (Some(ring_head), next_revision);
    }

    /// Takes the next frame, if fewer than `bytes_max` bytes are on the way.
    pub fn next(
        &mut self,
        ring: &Ring,
        bytes_max: usize,
        wrap: impl Fn(&SharedFrame<Arc<[u8]>>) -> M,
    ) -> Next<M> {
        if self.in_flight >= bytes_max {
            return Next::Nothing;
        }
        if let Some((before, _)) = self.own.front()
            && self.cursor.is_none_or(|cursor| *before <= cursor)
        {
            return Next::Send(self.own.pop_front().expect("looked at above").1);
        }
        if let Some(reason) = self.close.filter(|_| self.own.is_empty()) {
            return Next::Close(reason);
        }
        let Some(cursor) = self.cursor else {
            let is_drained = std::mem::take(&mut self.must_report_drained);
            return if is_drained { Next::Drained } else { Next::Nothing };
        };
        match ring.at(cursor) {
            FrameLookup::Frame(shared) => {
                self.cursor = Some(cursor + 1);
                self.next_revision = shared.up_to.map_or(self.next_revision, Revision::next);
                Next::Send(wrap(shared))
            }
            FrameLookup::Head => Next::Nothing,
            FrameLookup::FellOff => {
                self.cursor = None;
                self.must_report_drained = true;
                Next::Missed(self.next_revision)
            }
        }
    }
}
