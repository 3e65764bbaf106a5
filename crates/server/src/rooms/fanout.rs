//! The broadcasts of a room, encoded and stored once for all members: a [`FrameRing`] that threads share.
//!
//! A slow member costs the room nothing (`F1`, `F2`).

use std::sync::{Mutex, MutexGuard, PoisonError};

use quadrille_room::{FrameRing, Position};

use crate::limits;
use crate::websocket::outgoing_frame::OutFrame;

/// A frame for every member.
pub type SharedFrame = quadrille_room::SharedFrame<OutFrame>;

/// The ring, shared by the room's thread, which adds frames, and the sessions' tasks, which read
/// for members that are behind.
pub struct Fanout {
    ring: Mutex<FrameRing<OutFrame>>,
}

impl Fanout {
    pub fn new(bytes_max: usize) -> Fanout {
        Fanout { ring: Mutex::new(FrameRing::new(bytes_max, limits::FANOUT_FRAMES_MAX)) }
    }

    /// Adds a frame and drops the oldest ones beyond the limits.
    pub fn push(&self, shared: SharedFrame) {
        let bytes = shared.frame.len();
        self.lock().push(shared, bytes);
    }

    /// Drops all frames, after all members have received them.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// Returns the position of the next frame to be added.
    pub fn head(&self) -> Position {
        self.lock().head()
    }

    /// Locks the ring for reading several frames.
    pub fn lock(&self) -> MutexGuard<'_, FrameRing<OutFrame>> {
        // No code under this lock panics.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use quadrille_room::FrameLookup;

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
