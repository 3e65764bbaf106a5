//! [`FrameRing`]: the broadcasts of a room, kept once for all listeners until all have received them.
//!
//! A listener has a cursor into the ring and no queue of its own (`F1`). Beyond the ring's limits the oldest
//! frames are dropped, and a listener whose cursor was there resumes from records (`F2`).

use std::collections::VecDeque;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::Revision;

/// Position of a frame in its ring, counted from 0 and never reused.
pub type Position = u64;

/// A frame for every listener.
#[derive(Clone, Debug)]
pub struct SharedFrame<F> {
    pub frame: F,
    /// The last revision in the frame. A frame without one, such as presence, can be skipped for
    /// slow listeners.
    pub up_to: Option<Revision>,
}

/// The frames from the oldest one that is kept to the last one.
#[derive(Debug)]
pub struct FrameRing<F> {
    /// Each with its bytes.
    frames: VecDeque<(SharedFrame<F>, usize)>,
    /// Position of `frames[0]`.
    first: Position,
    /// Bytes of all frames.
    bytes: usize,
    bytes_max: usize,
    frames_max: usize,
}

/// The frame at a cursor.
#[derive(Debug)]
pub enum FrameLookup<'ring, F> {
    Frame(&'ring SharedFrame<F>),
    /// The cursor is at the end: every frame has been sent.
    Head,
    /// The frame has been dropped.
    FellOff,
}

impl<F> FrameRing<F> {
    /// Creates an empty ring for so many bytes and frames.
    pub fn new(bytes_max: usize, frames_max: usize) -> FrameRing<F> {
        FrameRing { frames: VecDeque::new(), first: 0, bytes: 0, bytes_max, frames_max }
    }

    /// Adds a frame of `bytes` bytes and drops the oldest ones beyond the limits. A single frame larger than
    /// the limit stays until the next one: it cannot be split.
    pub fn push(&mut self, shared: SharedFrame<F>, bytes: usize) {
        self.bytes += bytes;
        self.frames.push_back((shared, bytes));
        while self.frames.len() > 1 && (self.bytes > self.bytes_max || self.frames.len() > self.frames_max) {
            self.drop_first();
        }
    }

    /// Drops all frames, after all listeners have received them.
    pub fn clear(&mut self) {
        (self.first, self.bytes) = (self.head(), 0);
        self.frames = VecDeque::new();
    }

    /// Returns the frame at a cursor.
    pub fn at(&self, cursor: Position) -> FrameLookup<'_, F> {
        let index = match cursor.checked_sub(self.first) {
            None if is_planted(Fault::FellOffCursorsSkip) => 0,
            None => return FrameLookup::FellOff,
            Some(index) => index as usize,
        };
        self.frames.get(index).map_or(FrameLookup::Head, |(shared, _)| FrameLookup::Frame(shared))
    }

    /// Whether slow listeners should skip frames without revisions.
    pub fn is_half_full(&self) -> bool {
        self.bytes > self.bytes_max / 2
    }

    /// Returns the position of the next frame to be added.
    pub fn head(&self) -> Position {
        self.first + self.frames.len() as u64
    }

    fn drop_first(&mut self) {
        if let Some((_, bytes)) = self.frames.pop_front() {
            self.bytes -= bytes;
            self.first += 1;
        }
    }
}
