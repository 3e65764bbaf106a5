//! The frames that all members of a room get: encoded once, kept once, for as long as somebody has yet to be sent them.
//!
//! A member holds a cursor into this ring and no queue of its own (F1). Who is slow costs the room nothing: past the
//! ring's bounds the oldest frames are dropped, and whose cursor was there is told to resume (F2).

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use quadrille_protocol::Revision;

use crate::limits;
use crate::websocket::outgoing::OutFrame;

/// The place of a frame in its room's ring; counted from 0 and never reused.
pub type Position = u64;

/// A frame for every member.
#[derive(Clone)]
pub struct SharedFrame {
    pub frame: OutFrame,
    /// The last revision in it. A frame without one, such as presence, may be left out for who is slow.
    pub up_to: Option<Revision>,
}

/// Shared between the room's thread, which adds, and the sessions' tasks, which read on for members that are behind.
pub struct Fanout {
    ring: Mutex<FrameRing>,
}

pub struct FrameRing {
    frames: VecDeque<SharedFrame>,
    /// Of `frames[0]`.
    first: Position,
    bytes: usize,
    bytes_max: usize,
}

/// What a cursor finds.
pub enum FrameLookup<'ring> {
    Frame(&'ring SharedFrame),
    /// All has been sent.
    Head,
    /// What comes next has been dropped.
    FellOff,
}

impl Fanout {
    pub fn new(bytes_max: usize) -> Fanout {
        Fanout { ring: Mutex::new(FrameRing { frames: VecDeque::new(), first: 0, bytes: 0, bytes_max }) }
    }

    /// A single frame larger than the bound is kept until the next one comes: it cannot be sent in another way.
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

    /// Everybody has everything.
    pub fn clear(&self) {
        let mut ring = self.lock();
        (ring.first, ring.bytes) = (ring.head(), 0);
        ring.frames = VecDeque::new();
    }

    /// Where the next frame will be.
    pub fn head(&self) -> Position {
        self.lock().head()
    }

    pub fn lock(&self) -> MutexGuard<'_, FrameRing> {
        // Nothing that panics happens under this lock.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FrameRing {
    pub fn at(&self, cursor: Position) -> FrameLookup<'_> {
        match cursor.checked_sub(self.first) {
            None => FrameLookup::FellOff,
            Some(index) => self.frames.get(index as usize).map_or(FrameLookup::Head, FrameLookup::Frame),
        }
    }

    /// Whether so much waits that what may be left out for slow readers is.
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
    fn f2_the_oldest_frames_go_and_cursors_there_fall_off() {
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
    fn the_number_of_frames_is_bounded_too() {
        let fanout = Fanout::new(1 << 20);
        for _ in 0..limits::FANOUT_FRAMES_MAX + 7 {
            fanout.push(shared(1));
        }
        assert!(matches!(fanout.lock().at(6), FrameLookup::FellOff));
        assert!(matches!(fanout.lock().at(7), FrameLookup::Frame(_)));
    }

    #[test]
    fn a_frame_beyond_the_bound_stays_until_the_next() {
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
