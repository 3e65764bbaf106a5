//! Sessions on a wire that takes as much as the test says.

use super::*;
use crate::rooms::fanout::SharedFrame;

/// Takes `left` bytes and remembers them.
#[derive(Default)]
struct Pipe {
    taken: Mutex<Vec<u8>>,
    left: Mutex<usize>,
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
}

impl Pipe {
    fn takes(&self, bytes: usize) {
        *self.left.lock().expect("a test") = bytes;
    }

    /// The first byte of each message that has arrived whole, and its length.
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

    fn member(&self) -> (Arc<Pipe>, Arc<Outbox>) {
        let pipe = Arc::new(Pipe::default());
        let wire: Arc<dyn SocketIo> = pipe.clone();
        let outbox = Outbox::new(wire, 1_000, Counter::default());
        outbox.enter(Arc::clone(&self.fanout));
        outbox.subscribe(self.revision.next());
        (pipe, outbox)
    }

    /// Broadcasts the next revision in a frame that begins with its number.
    fn tells(&mut self, bytes: usize) {
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
fn f3_who_keeps_up_gets_frames_without_its_task() {
    let mut room = Room::new(10_000);
    let (pipe, outbox) = room.member();
    pipe.takes(1 << 20);
    room.tells(50);
    assert_eq!(outbox.push(frame(101, 10), FramePriority::Ordered), Pushed::Queued);
    room.tells(60);
    assert_eq!(outbox.flush(), Flushed::All);
    // In the order of the room, what is for this session alone in its place.
    assert_eq!(pipe.messages(), [(1, 50), (101, 10), (2, 60)]);
    assert_eq!(outbox.advance(), Progress::default());
}

#[test]
fn a_full_socket_leaves_the_rest_to_the_task_to_the_byte() {
    let mut room = Room::new(1 << 20);
    let (pipe, outbox) = room.member();
    for _ in 0..100 {
        room.tells(300);
    }
    pipe.takes(1_001);
    assert_eq!(outbox.flush(), Flushed::Behind);
    assert_eq!(outbox.flush(), Flushed::Behind, "not the room's thread any more");
    room.tells(300);
    for _ in 0..1_000 {
        pipe.takes(77);
        if !outbox.advance().is_behind {
            break;
        }
    }
    let messages = pipe.messages();
    assert_eq!(messages.len(), 101);
    assert!(messages.iter().enumerate().all(|(index, message)| *message == (index as u8 + 1, 300)));
    // And now the room's thread again.
    pipe.takes(1 << 20);
    room.tells(9);
    assert_eq!(outbox.flush(), Flushed::All);
}

#[test]
fn f2_who_falls_off_the_ring_is_told_to_resume_where_it_was() {
    let mut room = Room::new(1_000);
    let (pipe, outbox) = room.member();
    pipe.takes(350);
    room.tells(300); // written
    room.tells(300); // begun
    assert_eq!(outbox.flush(), Flushed::Behind);
    for _ in 0..10 {
        room.tells(300);
    }
    pipe.takes(1 << 20);
    let progress = outbox.advance();
    assert_eq!(pipe.messages(), [(1, 300), (2, 300)], "what was begun is finished");
    assert_eq!((progress.missed, progress.is_drained, progress.is_behind), (Some(Revision(3)), true, false));
    assert!(!outbox.is_subscribed());
    // The room sends what is missing and goes on.
    assert_eq!(outbox.push(frame(200, 10), FramePriority::Snapshot), Pushed::Queued);
    outbox.subscribe(room.revision.next());
    room.tells(20);
    assert_eq!(outbox.flush(), Flushed::All);
    assert_eq!(pipe.messages()[2..], [(200, 10), (13, 20)]);
}

#[test]
fn presence_is_left_out_for_who_is_behind_before_anything_else() {
    let mut room = Room::new(1_000);
    let (pipe, outbox) = room.member();
    room.tells(300);
    assert_eq!(outbox.flush(), Flushed::Behind);
    room.fanout.push(SharedFrame { frame: frame(100, 50), up_to: None });
    room.tells(300);
    pipe.takes(1 << 20);
    assert!(!outbox.advance().is_behind);
    assert_eq!(pipe.messages(), [(1, 300), (2, 300)]);
}

#[test]
fn an_outbox_is_bounded_and_drops_presence_first() {
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
        "a single one goes alone"
    );
    assert_eq!(other.push(frame(1, 1), FramePriority::Ordered), Pushed::Overflowed);
}

#[test]
fn an_end_comes_after_what_was_queued() {
    let mut room = Room::new(1_000);
    let (pipe, outbox) = room.member();
    room.tells(100);
    outbox.close(CloseReason::Restarting);
    outbox.close(CloseReason::Deleted);
    assert_eq!(outbox.push(frame(9, 9), FramePriority::Ordered), Pushed::Dropped);
    assert_eq!(outbox.advance().closed, None);
    pipe.takes(1 << 20);
    assert_eq!(outbox.advance().closed, Some(CloseReason::Restarting));
    let code = (1012u16 >> 8) as u8;
    assert_eq!(pipe.messages(), [(1, 100), (code, 2 + "restarting".len())]);
}
