//! The queue of snapshots to be stored. They are written in pieces, so that a commit never waits
//! for a whole snapshot.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use quadrille_journal::{RoomKey, Snapshot, Storage, StorageError};

use crate::limits;

/// Snapshots to be stored, oldest first; the first may be written in part.
pub struct SnapshotQueue {
    waiting: VecDeque<Waiting>,
    /// Bytes of all queued snapshots.
    bytes: usize,
    /// Bytes of one piece.
    piece_bytes: usize,
}

struct Waiting {
    room: RoomKey,
    snapshot: Snapshot,
    written: usize,
    /// Time spent on writing so far.
    took: Duration,
}

/// Result of writing a piece.
pub enum Piece {
    /// The piece was written; the snapshot is not complete.
    Written,
    /// The room's snapshot is complete; writing it took `took`.
    Last { room: RoomKey, took: Duration },
    /// Writing failed; the snapshot is dropped.
    Failed(StorageError),
}

impl SnapshotQueue {
    pub fn new(piece_bytes: usize) -> SnapshotQueue {
        SnapshotQueue { waiting: VecDeque::new(), bytes: 0, piece_bytes: piece_bytes.max(1) }
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether a snapshot of the room waits.
    pub fn has(&self, room: RoomKey) -> bool {
        self.waiting.iter().any(|waiting| waiting.room == room)
    }

    /// Queues a snapshot. It replaces one of the same room that has not been started. Returns
    /// `false` when the queue is full; then the snapshot is dropped, which only makes the next
    /// opening slower.
    pub fn push(&mut self, room: RoomKey, snapshot: Snapshot) -> bool {
        let is_replaced = |waiting: &Waiting| waiting.room == room && waiting.written == 0;
        if let Some(index) = self.waiting.iter().position(is_replaced) {
            let replaced = self.waiting.remove(index).expect("found above");
            self.bytes -= replaced.snapshot.bytes.len();
        }
        let bytes = snapshot.bytes.len();
        if !self.waiting.is_empty() && self.bytes + bytes > limits::SNAPSHOT_QUEUE_BYTES_MAX {
            return false;
        }
        self.bytes += bytes;
        self.waiting.push_back(Waiting { room, snapshot, written: 0, took: Duration::ZERO });
        true
    }

    /// Writes the next piece; `None` when the queue is empty.
    pub fn write_piece(&mut self, storage: &mut dyn Storage) -> Option<Piece> {
        let first = self.waiting.front_mut()?;
        let began = Instant::now();
        let written = storage.put_piece(first.room, &first.snapshot, first.written, self.piece_bytes);
        first.took += began.elapsed();
        let piece = match written {
            Ok(written) if written < first.snapshot.bytes.len() => {
                first.written = written;
                return Some(Piece::Written);
            }
            Ok(_) => Piece::Last { room: first.room, took: first.took },
            Err(error) => Piece::Failed(error),
        };
        let first = self.waiting.pop_front().expect("checked above");
        self.bytes -= first.snapshot.bytes.len();
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quadrille_journal::{Append, MemoryStorage};
    use quadrille_protocol::{Revision, RoomName};

    use super::*;

    fn snapshot(revision: u64, bytes: usize) -> Snapshot {
        Snapshot { revision: Revision(revision), bytes: Arc::from(vec![revision as u8; bytes]) }
    }

    #[test]
    fn pieces_are_written_in_turn_and_newer_snapshots_replace_queued_ones() {
        let mut storage = MemoryStorage::new();
        let rooms: Vec<RoomKey> = ["a", "b"]
            .map(|name| {
                let key = storage.claim(&RoomName::new(name).expect("a name")).expect("claims").key;
                let records = vec![Arc::from(&b"record"[..]); 3];
                storage
                    .append(&[Append { room: key, base: Revision(0), records, time_ms: 1 }])
                    .expect("appends");
                key
            })
            .to_vec();
        let mut queue = SnapshotQueue::new(10);
        assert!(queue.push(rooms[0], snapshot(1, 25)));
        assert!(matches!(queue.write_piece(&mut storage), Some(Piece::Written)));
        // The started snapshot continues; of the queued ones the newer replaces the older.
        assert!(queue.push(rooms[1], snapshot(1, 5)) && queue.push(rooms[0], snapshot(2, 5)));
        assert!(queue.push(rooms[0], snapshot(3, 5)));
        let mut rest = Vec::new();
        while let Some(piece) = queue.write_piece(&mut storage) {
            rest.push(match piece {
                Piece::Last { room, .. } => Some(room),
                Piece::Written => None,
                Piece::Failed(error) => panic!("memory does not fail: {error}"),
            });
        }
        assert_eq!(rest, [None, Some(rooms[0]), Some(rooms[1]), Some(rooms[0])]);
        let revisions =
            storage.snapshots(rooms[0]).iter().map(|snapshot| snapshot.revision.0).collect::<Vec<_>>();
        assert_eq!(revisions, [1, 3]);
    }

    #[test]
    fn the_queue_is_limited_and_accepts_one_snapshot_of_any_size() {
        let mut queue = SnapshotQueue::new(1 << 20);
        let big = limits::SNAPSHOT_QUEUE_BYTES_MAX + 1;
        assert!(queue.push(RoomKey(1), snapshot(1, big)));
        assert!(!queue.push(RoomKey(2), snapshot(1, 1)));
        assert!(queue.push(RoomKey(1), snapshot(2, 1)), "the large snapshot is replaced");
        assert!(queue.push(RoomKey(2), snapshot(1, 1)));
    }
}
