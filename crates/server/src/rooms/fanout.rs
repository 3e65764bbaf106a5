//! The broadcasts of a room: a ring of frames, encoded and stored once for all members, until all
//! have received them.
//!
//! A member has a cursor into this ring and no queue of its own (`F1`), so a slow member costs the
//! room nothing: beyond the ring's limits the oldest frames are dropped, and a member whose cursor
//! was there resumes from records (`F2`).

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use quadrille_protocol::Revision;

use crate::limits;
use crate::websocket::outgoing_frame::OutFrame;

/// Position of a frame in its room's ring, counted from 0 and never reused.
pub type Position = u64;

/// A frame for every member.
#[derive(Clone)]
pub struct SharedFrame {
    pub frame: OutFrame,
    /// The last revision in the frame. A frame without one, such as presence, can be skipped for
    /// slow members.
    pub up_to: Option<Revision>,
}

/// The ring, shared by the room's thread, which adds frames, and the sessions' tasks, which read
/// for members that are behind.
pub struct Fanout {
    ring: Mutex<FrameRing>,
}

/// The locked ring.
pub struct FrameRing {
    frames: VecDeque<SharedFrame>,
    /// Position of `frames[0]`.
    first: Position,
    /// Bytes of all frames.
    bytes: usize,
    bytes_max: usize,
}

/// The frame at a cursor.
pub enum FrameLookup<'ring> {
    Frame(&'ring SharedFrame),
    /// The cursor is at the end: every frame has been sent.
    Head,
    /// The frame has been dropped.
    FellOff,
}

impl Fanout {
    pub fn new(bytes_max: usize) -> Fanout {
        Fanout { ring: Mutex::new(FrameRing { frames: VecDeque::new(), first: 0, bytes: 0, bytes_max }) }
    }

    /// Adds a frame and drops the oldest ones beyond the limits. A single frame larger than the
    /// limit stays until the next one: it cannot be split.
    pub fn push(&self, shared: SharedFrame) {
        let mut ring = self.lock();
        ring.bytes += shared.frame.len();
        ring.frames.push_back(shared);
        while ring.frames.len() > 1
            && (ring.bytes > ring.bytes_max || ring.frames.len() > limits::FANOUT_FRAMES_MAX)
        {
            ring.drop_first();
        }
    }

    /// Drops all frames, after all members have received them.
    pub fn clear(&self) {
        let mut ring = self.lock();
        (ring.first, ring.bytes) = (ring.head(), 0);
        ring.frames = VecDeque::new();
    }

    /// Returns the position of the next frame to be added.
    pub fn head(&self) -> Position {
        self.lock().head()
    }

    /// Locks the ring for reading several frames.
    pub fn lock(&self) -> MutexGuard<'_, FrameRing> {
        // No code under this lock panics.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FrameRing {
    /// Returns the frame at a cursor.
    pub fn at(&self, cursor: Position) -> FrameLookup<'_> {
        match cursor.checked_sub(self.first) {
            None => FrameLookup::FellOff,
            Some(index) => self.frames.get(index as usize).map_or(FrameLookup::Head, FrameLookup::Frame),
        }
    }

    /// Whether slow members should skip frames without revisions.
    pub fn is_half_full(&self) -> bool {
        self.bytes > self.bytes_max / 2
    }

    fn head(&self) -> Position {
        self.first + self.frames.len() as u64
    }

    fn drop_first(&mut self) {
        if let Some(shared) = self.frames.pop_front() {
            self.bytes -= shared.frame.len();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(bytes: usize) -> SharedFrame {
        SharedFrame { frame: OutFrame::binary(vec![0; bytes].into()), up_to: None }
    }

    #[test]
    fn f2_the_oldest_frames_are_dropped_and_cursors_at_them_fall_off() {
        let fanout = Fanout::new(1_000);
        for _ in 0..5 {
            fanout.push(shared(300));
        }
        let ring = fanout.lock();
        assert!(matches!(ring.at(1), FrameLookup::FellOff));
        assert!(matches!(ring.at(2), FrameLookup::Frame(_)));
        assert!(matches!(ring.at(5), FrameLookup::Head));
    }

    #[test]
    fn the_number_of_frames_is_limited() {
        let fanout = Fanout::new(1 << 20);
        for _ in 0..limits::FANOUT_FRAMES_MAX + 7 {
            fanout.push(shared(1));
        }
        assert!(matches!(fanout.lock().at(6), FrameLookup::FellOff));
        assert!(matches!(fanout.lock().at(7), FrameLookup::Frame(_)));
    }

    #[test]
    fn a_frame_beyond_the_limit_stays_until_the_next() {
        let fanout = Fanout::new(10);
        fanout.push(shared(100));
        assert!(matches!(fanout.lock().at(0), FrameLookup::Frame(_)));
        fanout.push(shared(1));
        assert!(matches!(fanout.lock().at(0), FrameLookup::FellOff));
        fanout.clear();
        assert_eq!(fanout.head(), 2);
        assert!(matches!(fanout.lock().at(2), FrameLookup::Head));
    }
}
