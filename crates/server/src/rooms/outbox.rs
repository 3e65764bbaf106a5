//! What waits to be sent to one session: bounded in bytes, presence dropped first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use quadrille_protocol::CloseReason;
use quadrille_room::Lane;
use tokio::sync::Notify;

/// Frames are encoded once per room and shared by its members.
pub type Frame = Arc<[u8]>;

/// The queue between a room's thread, which fills it without waiting, and a socket's task, which empties it.
pub struct Outbox {
    bytes_max: usize,
    queue: Mutex<Queue>,
    changed: Notify,
}

#[derive(Default)]
struct Queue {
    frames: VecDeque<Frame>,
    /// Of presence and ordered frames; snapshots are not counted, since the session cannot go on without them.
    bytes: usize,
    /// Once set nothing is added any more; what is queued still goes out.
    close: Option<CloseReason>,
    /// Something did not fit; whoever empties the queue says so.
    has_missed: bool,
}

/// What the socket's task finds.
pub struct Outgoing {
    pub frames: VecDeque<Frame>,
    /// To be sent after the frames.
    pub close: Option<CloseReason>,
    /// After these frames the session has caught up with a queue in which something had found no room.
    pub is_drained: bool,
}

/// What became of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pushed {
    Queued,
    /// Presence, which the next one replaces, or anything after the end.
    Dropped,
    /// The reader is too slow: this frame was left out, and the room must be told.
    Missed,
}

impl Outbox {
    pub fn new(bytes_max: usize) -> Arc<Outbox> {
        Arc::new(Outbox { bytes_max, queue: Mutex::new(Queue::default()), changed: Notify::new() })
    }

    /// A single frame larger than the bound, such as a record that holds a whole file, is queued when nothing else
    /// waits: it cannot be sent in another way.
    pub fn push(&self, frame: Frame, lane: Lane) -> Pushed {
        let mut queue = self.lock();
        if queue.close.is_some() {
            return Pushed::Dropped;
        }
        let bytes = match lane {
            Lane::Snapshot => queue.bytes,
            Lane::Presence | Lane::Ordered => queue.bytes + frame.len(),
        };
        match lane {
            Lane::Presence if bytes > self.bytes_max / 2 => return Pushed::Dropped,
            Lane::Ordered if bytes > self.bytes_max && queue.bytes > 0 => {
                queue.has_missed = true;
                self.changed.notify_one();
                return Pushed::Missed;
            }
            _ => {}
        }
        queue.bytes = bytes;
        queue.frames.push_back(frame);
        self.changed.notify_one();
        Pushed::Queued
    }

    /// Ends the session after what is queued. The first reason stays.
    pub fn close(&self, reason: CloseReason) {
        self.lock().close.get_or_insert(reason);
        self.changed.notify_one();
    }

    /// Waits until there is something to do, and takes all of it.
    pub async fn take(&self) -> Outgoing {
        loop {
            {
                let mut queue = self.lock();
                if !queue.frames.is_empty() || queue.close.is_some() || queue.has_missed {
                    queue.bytes = 0;
                    return Outgoing {
                        frames: std::mem::take(&mut queue.frames),
                        close: queue.close,
                        is_drained: std::mem::take(&mut queue.has_missed),
                    };
                }
            }
            self.changed.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing that panics happens under this lock.
        self.queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn frame(bytes: usize) -> Frame {
        vec![0u8; bytes].into()
    }

    #[test]
    fn presence_is_dropped_first_and_what_is_missed_is_told() {
        let outbox = Outbox::new(100);
        assert_eq!(outbox.push(frame(40), Lane::Ordered), Pushed::Queued);
        assert_eq!(outbox.push(frame(20), Lane::Presence), Pushed::Dropped);
        assert_eq!(outbox.push(frame(60), Lane::Ordered), Pushed::Queued);
        assert_eq!(outbox.push(frame(1_000), Lane::Snapshot), Pushed::Queued);
        assert_eq!(outbox.push(frame(1), Lane::Ordered), Pushed::Missed);
        let outgoing = outbox.take().now_or_never().expect("there is something");
        assert_eq!((outgoing.frames.len(), outgoing.is_drained), (3, true));
        assert_eq!(outbox.push(frame(100), Lane::Ordered), Pushed::Queued);
        outbox.close(CloseReason::Restarting);
        let outgoing = outbox.take().now_or_never().expect("there is something");
        assert_eq!((outgoing.frames.len(), outgoing.is_drained), (1, false));
        assert_eq!(outgoing.close, Some(CloseReason::Restarting));
        assert_eq!(outbox.push(frame(1), Lane::Ordered), Pushed::Dropped);
    }

    #[test]
    fn one_frame_larger_than_the_bound_goes_out_alone() {
        let outbox = Outbox::new(100);
        assert_eq!(outbox.push(frame(1_000), Lane::Ordered), Pushed::Queued);
        assert_eq!(outbox.push(frame(1), Lane::Ordered), Pushed::Missed);
    }
}
