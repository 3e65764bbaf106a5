//! Sessions on a socket that takes as many bytes as the test allows.

use super::*;

/// A socket that takes `left` bytes and records them.
#[derive(Default)]
struct Pipe {
    taken: Mutex<Vec<u8>>,
    left: Mutex<usize>,
    /// Holds back what it has taken, as TLS does while the TCP socket is full.
    is_holding_back: Mutex<bool>,
}

impl SocketIo for Pipe {
    fn try_write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut left = self.left.lock().expect("a test");
        if *left == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let mut bytes: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
        bytes.truncate(*left);
        *left -= bytes.len();
        self.taken.lock().expect("a test").extend_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn try_flush(&self) -> io::Result<bool> {
        Ok(!*self.is_holding_back.lock().expect("a test"))
    }
}

impl Pipe {
    fn allow(&self, bytes: usize) {
        *self.left.lock().expect("a test") = bytes;
    }

    /// The first byte and the length of each complete message.
    fn messages(&self) -> Vec<(u8, usize)> {
        let bytes = self.taken.lock().expect("a test");
        let mut rest = &bytes[..];
        let mut messages = Vec::new();
        while let [_, short, ..] = *rest {
            let (head, length) = match short {
                126 if rest.len() >= 4 => (4, usize::from(u16::from_be_bytes([rest[2], rest[3]]))),
                short => (2, usize::from(short)),
            };
            let Some(payload) = rest.get(head..head + length) else { break };
            messages.push((payload[0], length));
            rest = &rest[head + length..];
        }
        messages
    }
}

struct Room {
    fanout: Arc<Fanout>,
    revision: Revision,
}

impl Room {
    fn new(bytes_max: usize) -> Room {
        Room { fanout: Arc::new(Fanout::new(bytes_max)), revision: Revision(0) }
    }

    fn member(&self) -> (Arc<Pipe>, Arc<SocketOutbox>) {
        let pipe = Arc::new(Pipe::default());
        let socket: Arc<dyn SocketIo> = pipe.clone();
        let outbox = SocketOutbox::new(socket, 1_000, Counter::default());
        outbox.set_broadcasts(Arc::clone(&self.fanout));
        outbox.subscribe(self.revision.next());
        (pipe, outbox)
    }

    /// Broadcasts the next revision in a frame whose first byte is its number.
    fn broadcast(&mut self, bytes: usize) {
        self.revision = self.revision.next();
        self.fanout
            .push(SharedFrame { frame: frame(self.revision.0 as u8, bytes), up_to: Some(self.revision) });
    }
}

fn frame(first: u8, bytes: usize) -> OutFrame {
    let mut payload = vec![0; bytes];
    payload[0] = first;
    OutFrame::binary(payload.into())
}

#[test]
fn f3_a_client_that_keeps_up_is_written_to_by_the_room_thread() {
    let mut room = Room::new(10_000);
    let (pipe, outbox) = room.member();
    pipe.allow(1 << 20);
    room.broadcast(50);
    assert_eq!(outbox.push(frame(101, 10), FramePriority::Ordered), Pushed::Queued);
    room.broadcast(60);
    assert_eq!(outbox.flush(), Flushed::All);
    // In the order of the room, including the frame for this session alone.
    assert_eq!(pipe.messages(), [(1, 50), (101, 10), (2, 60)]);
    assert_eq!(outbox.advance(), Progress::default());
}

#[test]
fn a_full_socket_leaves_the_exact_rest_to_the_task() {
    let mut room = Room::new(1 << 20);
    let (pipe, outbox) = room.member();
    for _ in 0..100 {
        room.broadcast(300);
    }
    pipe.allow(1_001);
    assert_eq!(outbox.flush(), Flushed::Behind);
    assert_eq!(outbox.flush(), Flushed::Behind, "the room's thread does not write");
    room.broadcast(300);
    for _ in 0..1_000 {
        pipe.allow(77);
        if !outbox.advance().is_behind {
            break;
        }
    }
    let messages = pipe.messages();
    assert_eq!(messages.len(), 101);
    assert!(messages.iter().enumerate().all(|(index, message)| *message == (index as u8 + 1, 300)));
    // Now the room's thread writes again.
    pipe.allow(1 << 20);
    room.broadcast(9);
    assert_eq!(outbox.flush(), Flushed::All);
}

#[test]
fn f2_a_session_that_falls_off_the_ring_reports_the_first_missed_revision() {
    let mut room = Room::new(1_000);
    let (pipe, outbox) = room.member();
    pipe.allow(350);
    room.broadcast(300); // written
    room.broadcast(300); // written in part
    assert_eq!(outbox.flush(), Flushed::Behind);
    for _ in 0..10 {
        room.broadcast(300);
    }
    pipe.allow(1 << 20);
    let progress = outbox.advance();
    assert_eq!(pipe.messages(), [(1, 300), (2, 300)], "the frame written in part is completed");
    assert_eq!((progress.missed, progress.is_drained, progress.is_behind), (Some(Revision(3)), true, false));
    assert!(!outbox.is_subscribed());
    // The room sends the missing records and subscribes the session again.
    assert_eq!(outbox.push(frame(200, 10), FramePriority::Snapshot), Pushed::Queued);
    outbox.subscribe(room.revision.next());
    room.broadcast(20);
    assert_eq!(outbox.flush(), Flushed::All);
    assert_eq!(pipe.messages()[2..], [(200, 10), (13, 20)]);
}

#[test]
fn presence_is_skipped_for_a_session_that_is_behind() {
    let mut room = Room::new(1_000);
    let (pipe, outbox) = room.member();
    room.broadcast(300);
    assert_eq!(outbox.flush(), Flushed::Behind);
    room.fanout.push(SharedFrame { frame: frame(100, 50), up_to: None });
    room.broadcast(300);
    pipe.allow(1 << 20);
    assert!(!outbox.advance().is_behind);
    assert_eq!(pipe.messages(), [(1, 300), (2, 300)]);
}

#[test]
fn the_queue_is_limited_and_presence_is_dropped_first() {
    let room = Room::new(1_000);
    let (_, outbox) = room.member();
    assert_eq!(outbox.push(frame(1, 400), FramePriority::Ordered), Pushed::Queued);
    assert_eq!(outbox.push(frame(2, 200), FramePriority::Presence), Pushed::Dropped);
    assert_eq!(outbox.push(frame(3, 9_000), FramePriority::Snapshot), Pushed::Queued);
    assert_eq!(outbox.push(frame(4, 590), FramePriority::Ordered), Pushed::Queued);
    assert_eq!(outbox.push(frame(5, 20), FramePriority::Ordered), Pushed::Overflowed);
    let (_, other) = room.member();
    assert_eq!(
        other.push(frame(1, 5_000), FramePriority::Ordered),
        Pushed::Queued,
        "a single frame is queued whatever its size"
    );
    assert_eq!(other.push(frame(1, 1), FramePriority::Ordered), Pushed::Overflowed);
}

#[test]
fn the_close_frame_comes_after_queued_frames() {
    let mut room = Room::new(1_000);
    let (pipe, outbox) = room.member();
    room.broadcast(100);
    outbox.close(CloseReason::Restarting);
    outbox.close(CloseReason::Deleted);
    assert_eq!(outbox.push(frame(9, 9), FramePriority::Ordered), Pushed::Dropped);
    assert_eq!(outbox.advance().closed, None);
    pipe.allow(1 << 20);
    assert_eq!(outbox.advance().closed, Some(CloseReason::Restarting));
    let code = (1012u16 >> 8) as u8;
    assert_eq!(pipe.messages(), [(1, 100), (code, 2 + "restarting".len())]);
}

/// P27
#[test]
fn nothing_is_written_after_the_close_frame() {
    for allowed in [usize::MAX, 3] {
        let mut room = Room::new(10_000);
        let (pipe, outbox) = room.member();
        room.broadcast(1);
        outbox.close(CloseReason::Forbidden);
        room.broadcast(1);
        // With 3 bytes the first broadcast is complete, and the close frame is not begun.
        pipe.allow(allowed);
        outbox.advance();
        // Here the close frame is written in part.
        pipe.allow(allowed.min(5));
        outbox.advance();
        room.broadcast(1);
        pipe.allow(usize::MAX);
        assert_eq!(outbox.advance().closed, Some(CloseReason::Forbidden));
        let [(1, 1), (first, _)] = pipe.messages()[..] else { panic!("{:?}", pipe.messages()) };
        assert_eq!(first, (CloseReason::Forbidden.code() >> 8) as u8);
    }
}

#[test]
fn a_session_is_behind_until_the_socket_has_passed_on_all_that_it_took() {
    let mut room = Room::new(1_000);
    let (pipe, outbox) = room.member();
    pipe.allow(1_000);
    *pipe.is_holding_back.lock().expect("a test") = true;
    room.broadcast(10);
    assert_eq!(outbox.flush(), Flushed::Behind);
    // The frame is taken, so it is not written twice.
    assert!(outbox.advance().is_behind);
    outbox.close(CloseReason::Restarting);
    assert_eq!(outbox.advance().closed, None);
    *pipe.is_holding_back.lock().expect("a test") = false;
    let progress = outbox.advance();
    assert_eq!((progress.is_behind, progress.closed), (false, Some(CloseReason::Restarting)));
    assert_eq!(pipe.messages().len(), 2);
}
