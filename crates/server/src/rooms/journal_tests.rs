//! What commits wait for. The tests check the order of operations, not times.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};

use quadrille_journal::{
    Append, BlobReader, Claim, ImageId, Loaded, Outcome, Retention, RoomInfo, RoomKey, Snapshot, Storage,
    StorageError, StoredRecord,
};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_sqlite::SqliteStorage;

use super::journal::Journal;
use super::journal_request::Request;

type Hook = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

/// A storage that logs its calls.
struct RecordingStorage {
    inner: SqliteStorage,
    log: Arc<Mutex<Vec<&'static str>>>,
    /// Called when records are read for the first time.
    at_first_tail: Hook,
    /// The reader waits for a message before each snapshot.
    gate: Mutex<Option<Receiver<()>>>,
}

impl RecordingStorage {
    fn note(&self, what: &'static str) {
        self.log.lock().expect("not poisoned").push(what);
    }
}

struct Gated {
    inner: Box<dyn BlobReader>,
    gate: Receiver<()>,
}

impl BlobReader for Gated {
    fn snapshot(&mut self, room: RoomKey, up_to: Revision) -> Result<Option<Snapshot>, StorageError> {
        self.gate.recv().expect("the test opens the gate");
        self.inner.snapshot(room, up_to)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        self.inner.image(room, id)
    }
}

impl Storage for RecordingStorage {
    fn reader(&self) -> Result<Option<Box<dyn BlobReader>>, StorageError> {
        let gate = self.gate.lock().expect("not poisoned").take().expect("one reader");
        let inner = self.inner.reader()?.expect("SQLite has one");
        Ok(Some(Box::new(Gated { inner, gate })))
    }

    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        self.inner.claim(room)
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        self.inner.find(room)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        self.note("append");
        self.inner.append(batch)
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        self.note("load");
        self.inner.load(room)
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        self.note("tail");
        if let Some(hook) = self.at_first_tail.lock().expect("not poisoned").take() {
            hook();
        }
        self.inner.tail(room, after, bytes_max)
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        self.inner.put_piece(room, snapshot, from, bytes_max)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.inner.snapshot_revisions(room)
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        self.inner.delete(room)
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.inner.rooms()
    }
}

struct Scene {
    _directory: tempfile::TempDir,
    journal: Journal,
    big: RoomName,
    other: RoomKey,
    log: Arc<Mutex<Vec<&'static str>>>,
    at_first_tail: Hook,
    gate: Sender<()>,
}

const HEAD: u64 = 10;
/// Two of them are more than is read between two commits.
const RECORD_BYTES: usize = 600_000;

/// A room with records, with or without a snapshot of them, and an empty room.
fn scene(has_snapshot: bool) -> Scene {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut inner = SqliteStorage::open(directory.path()).expect("opens");
    let big = RoomName::new("big").expect("a name");
    let key = inner.claim(&big).expect("claims").key;
    let records = (1..=HEAD).map(|revision| Arc::from(vec![revision as u8; RECORD_BYTES])).collect();
    inner.append(&[Append { room: key, base: Revision(0), records, time_ms: 1 }]).expect("appends");
    if has_snapshot {
        let snapshot = Snapshot { revision: Revision(HEAD - 2), bytes: Arc::from(vec![7; 50_000]) };
        inner.put_snapshot(key, &snapshot).expect("puts");
    }
    let other = inner.claim(&RoomName::new("other").expect("a name")).expect("claims").key;
    let (gate, gate_opened) = channel();
    let (log, at_first_tail) = (Arc::default(), Hook::default());
    let storage = RecordingStorage {
        inner,
        log: Arc::clone(&log),
        at_first_tail: Arc::clone(&at_first_tail),
        gate: Mutex::new(Some(gate_opened)),
    };
    let (journal, _) =
        Journal::start(Box::new(storage), &Arc::default(), Retention::default(), RECORD_BYTES, None, |_| {});
    Scene { _directory: directory, journal, big, other, log, at_first_tail, gate }
}

type Answer<T> = Receiver<Result<T, StorageError>>;

fn open(scene: &Scene) -> Answer<(Claim, Loaded)> {
    let (sender, answer) = channel();
    let reply = Box::new(move |opened: Result<Option<_>, _>| {
        sender.send(opened.map(|opened| opened.expect("the room exists"))).expect("waited for")
    });
    scene.journal.send(Request::Open { room: scene.big.clone(), creates: false, reply });
    answer
}

/// Appends the first record of the other room.
fn append(journal: &Journal, room: RoomKey) -> Answer<Outcome> {
    append_after(journal, room, Revision(0), false)
}

fn append_after(journal: &Journal, room: RoomKey, base: Revision, can_wait: bool) -> Answer<Outcome> {
    let (sender, answer) = channel();
    let records = vec![Arc::from(&b"record"[..])];
    let append = Append { room, base, records, time_ms: 2 };
    let reply = Box::new(move |outcome| sender.send(outcome).expect("waited for"));
    journal.append(append, can_wait, reply);
    answer
}

#[test]
fn commits_do_not_wait_for_a_snapshot_that_is_being_read() {
    let scene = scene(true);
    let opened = open(&scene);
    let outcome = append(&scene.journal, scene.other).recv().expect("answered").expect("stored");
    assert_eq!(outcome, Outcome::Durable { head: Revision(1) });
    assert!(matches!(opened.try_recv(), Err(TryRecvError::Empty)), "the gate is closed");
    scene.gate.send(()).expect("the reader waits");
    let (claim, loaded) = opened.recv().expect("answered").expect("opens");
    assert_eq!(claim.head, Revision(HEAD));
    assert_eq!(
        loaded.snapshot.map(|snapshot| (snapshot.revision.0, snapshot.bytes.len())),
        Some((8, 50_000))
    );
    assert_eq!(loaded.records.iter().map(|record| record.revision.0).collect::<Vec<_>>(), [9, 10]);
}

#[test]
fn commits_run_between_pieces_of_a_room_that_is_being_opened() {
    let scene = scene(false);
    let (appended, outcomes) = channel();
    let (journal, other) = (scene.journal.clone(), scene.other);
    *scene.at_first_tail.lock().expect("not poisoned") =
        Some(Box::new(move || appended.send(append(&journal, other)).expect("kept")));
    let (claim, loaded) = open(&scene).recv().expect("answered").expect("opens");
    assert_eq!((claim.head, loaded.snapshot), (Revision(HEAD), None));
    let sizes: Vec<_> = loaded.records.iter().map(|record| (record.revision.0, record.bytes.len())).collect();
    assert_eq!(sizes, (1..=HEAD).map(|revision| (revision, RECORD_BYTES)).collect::<Vec<_>>());
    outcomes.recv().expect("asked").recv().expect("answered").expect("stored");
    let log = scene.log.lock().expect("not poisoned");
    let commit = log.iter().position(|what| *what == "append").expect("committed");
    assert_eq!((commit, log.len()), (1, 1 + HEAD as usize), "after the first piece: {log:?}");
}

#[test]
fn an_append_that_can_wait_shares_the_next_commit_or_is_committed_after_a_delay() {
    let scene = scene(false);
    let (journal, room) = (&scene.journal, scene.other);
    let stored = |answer: Answer<Outcome>| answer.recv().expect("answered").expect("stored");
    let commits = || scene.log.lock().expect("not poisoned").len();
    // The first one is committed at once; after another append it waits, but not forever.
    stored(append_after(journal, room, Revision(0), true));
    stored(append_after(journal, room, Revision(1), false));
    stored(append_after(journal, room, Revision(2), true));
    assert_eq!(commits(), 3);
    // An append that arrives in the meantime shares its commit. The system may suspend this thread
    // for longer than the delay, but not every time.
    for base in (3..).step_by(3).map(Revision) {
        let before = commits();
        stored(append_after(journal, room, base, false));
        let delayed = append_after(journal, room, base.next(), true);
        let next = append_after(journal, room, base.next().next(), false);
        // Of several appends of a room in one commit, only the last is answered.
        let is_together = delayed.recv().is_err();
        stored(next);
        if is_together {
            return assert_eq!(commits(), before + 2);
        }
    }
}

#[test]
fn the_thread_ends_when_the_last_handle_is_dropped() {
    let scene = scene(true);
    let (sender, answer) = channel();
    scene.journal.send(Request::Flush { reply: Box::new(move |()| sender.send(()).expect("waited for")) });
    answer.recv().expect("the thread runs");
    let Scene { _directory: directory, journal, .. } = scene;
    drop(journal);
    // The directory's lock is released when the storage is closed.
    while SqliteStorage::open(directory.path()).is_err() {
        std::thread::yield_now();
    }
}
