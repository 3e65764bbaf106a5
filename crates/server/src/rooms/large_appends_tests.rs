//! What waits for a large append. The tests check the order of operations, not times.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

use quadrille_journal::{
    Append, Claim, LargeAppend, Loaded, Outcome, Retention, RoomInfo, RoomKey, Snapshot, Storage,
    StorageError, StoredRecord,
};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_sqlite::SqliteStorage;

use super::journal::Journal;
use super::journal_request::Request;

/// How a large append is written.
enum Write {
    Succeeds,
    /// With this error, and nothing is stored.
    Fails(StorageError),
    /// Nothing is stored: the append is to be committed as any other.
    Refused,
}

/// A storage whose large appends wait for the test.
struct GatedStorage {
    inner: SqliteStorage,
    gate: Arc<Mutex<Receiver<Write>>>,
}

impl Storage for GatedStorage {
    fn has_large_appends(&self) -> bool {
        self.inner.has_large_appends()
    }

    fn begin_large(&mut self, append: &Append) -> Result<LargeAppend, StorageError> {
        let gate = Arc::clone(&self.gate);
        Ok(match self.inner.begin_large(append)? {
            LargeAppend::Begun { room, write } => {
                let write = Box::new(move || {
                    match gate.lock().expect("not poisoned").recv().expect("the test opens the gate") {
                        Write::Succeeds => write(),
                        Write::Fails(error) => Err(error),
                        Write::Refused => Ok(false),
                    }
                });
                LargeAppend::Begun { room, write }
            }
            other => other,
        })
    }

    fn finish_large(
        &mut self,
        room: RoomKey,
        written: Result<bool, StorageError>,
    ) -> Result<Option<Outcome>, StorageError> {
        self.inner.finish_large(room, written)
    }

    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        self.inner.claim(room)
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        self.inner.find(room)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        self.inner.append(batch)
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        self.inner.load(room)
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
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

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        self.inner.delete(room)
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.inner.rooms()
    }

    fn compact(&mut self) -> Result<bool, StorageError> {
        self.inner.compact()
    }
}

struct Scene {
    directory: tempfile::TempDir,
    journal: Journal,
    thread: JoinHandle<()>,
    /// The rooms "a" and "b", which have no records.
    rooms: [RoomKey; 2],
    gate: Sender<Write>,
    failure: Receiver<StorageError>,
}

fn name(room: &str) -> RoomName {
    RoomName::new(room).expect("a name")
}

fn scene() -> Scene {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut inner = SqliteStorage::open(directory.path()).expect("opens");
    let rooms = ["a", "b"].map(|room| inner.claim(&name(room)).expect("claims").key);
    let (gate, opened) = channel();
    let storage = GatedStorage { inner, gate: Arc::new(Mutex::new(opened)) };
    let (failed, failure) = channel();
    let failed = move |error| failed.send(error).expect("waited for");
    let (journal, thread) =
        Journal::start(Box::new(storage), &Arc::default(), Retention::default(), 100_000, None, failed);
    Scene { directory, journal, thread, rooms, gate, failure }
}

type Answer<T> = Receiver<T>;

/// Appends a record of `bytes` bytes.
fn append(scene: &Scene, room: usize, base: u64, bytes: usize) -> Answer<Result<Outcome, StorageError>> {
    let (sender, answer) = channel();
    let records = vec![Arc::from(vec![7; bytes])];
    let append = Append { room: scene.rooms[room], base: Revision(base), records, time_ms: 2 };
    let reply = Box::new(move |outcome| sender.send(outcome).expect("waited for"));
    scene.journal.append(append, false, reply);
    answer
}

fn find(scene: &Scene, room: &str) -> Answer<Option<u64>> {
    let (sender, answer) = channel();
    let reply = Box::new(move |found: Result<Option<Claim>, StorageError>| {
        let head = found.expect("finds").map(|claim| claim.head.0);
        sender.send(head).expect("waited for");
    });
    scene.journal.send(Request::Find { room: name(room), reply });
    answer
}

fn stored(answer: &Answer<Result<Outcome, StorageError>>) -> u64 {
    match answer.recv().expect("answered").expect("stored") {
        Outcome::Durable { head } => head.0,
        Outcome::Fenced => panic!("fenced"),
    }
}

fn waits<T>(answer: &Answer<T>) -> bool {
    matches!(answer.try_recv(), Err(TryRecvError::Empty))
}

const LARGE: usize = 400_000;

#[test]
fn other_rooms_do_not_wait_for_a_large_append_and_its_own_requests_keep_their_order() {
    let scene = scene();
    let first = append(&scene, 0, 0, 10);
    let large = append(&scene, 0, 1, LARGE);
    let small = append(&scene, 0, 2, 10);
    let found = find(&scene, "a");
    let second_large = append(&scene, 0, 3, LARGE);
    let last = append(&scene, 0, 4, 10);
    assert_eq!(stored(&first), 1);
    for base in 0..3 {
        assert_eq!(stored(&append(&scene, 1, base, 10)), base + 1);
        assert_eq!(find(&scene, "b").recv(), Ok(Some(base + 1)));
    }
    assert!(waits(&large) && waits(&small) && waits(&found) && waits(&second_large) && waits(&last));
    scene.gate.send(Write::Succeeds).expect("waited for");
    assert_eq!((stored(&large), stored(&small)), (2, 3));
    assert!(waits(&second_large) && waits(&last));
    assert_eq!(stored(&append(&scene, 1, 3, 10)), 4);
    scene.gate.send(Write::Succeeds).expect("waited for");
    assert_eq!((stored(&second_large), stored(&last)), (4, 5));
    // It waited for the second large append as well, being after an append that did.
    assert_eq!(found.recv(), Ok(Some(5)));
    assert_eq!(find(&scene, "a").recv(), Ok(Some(5)));
}

#[test]
fn large_appends_of_several_rooms_are_written_in_turn() {
    let scene = scene();
    let larges = [0, 1].map(|room| append(&scene, room, 0, LARGE));
    let smalls = [0, 1].map(|room| append(&scene, room, 1, 10));
    scene.gate.send(Write::Succeeds).expect("waited for");
    assert_eq!((stored(&larges[0]), stored(&smalls[0])), (1, 2));
    assert!(waits(&larges[1]) && waits(&smalls[1]));
    scene.gate.send(Write::Refused).expect("waited for");
    assert_eq!((stored(&larges[1]), stored(&smalls[1])), (1, 2));
}

#[test]
fn a_full_disk_rejects_the_large_append_and_those_behind_it() {
    let scene = scene();
    let large = append(&scene, 0, 0, LARGE);
    let small = append(&scene, 0, 1, 10);
    assert_eq!(stored(&append(&scene, 1, 0, 10)), 1);
    scene.gate.send(Write::Fails(StorageError::Full)).expect("waited for");
    for answer in [large, small] {
        assert!(matches!(answer.recv().expect("answered"), Err(StorageError::Full)));
    }
    assert!(scene.journal.is_full());
    assert_eq!(stored(&append(&scene, 0, 0, 10)), 1);
    assert!(!scene.journal.is_full());
}

#[test]
fn nothing_is_acknowledged_after_a_write_whose_result_is_unknown() {
    let scene = scene();
    let large = append(&scene, 0, 0, LARGE);
    let small = append(&scene, 0, 1, 10);
    let error = StorageError::Engine { reason: "the disk is broken".into() };
    scene.gate.send(Write::Fails(error)).expect("waited for");
    let failure = scene.failure.recv().expect("the thread ends");
    assert!(matches!(failure, StorageError::SyncFailed { .. }), "{failure}");
    scene.thread.join().expect("ends");
    assert!(large.recv().is_err() && small.recv().is_err());
}

#[test]
fn deleting_and_stopping_wait_for_a_large_append() {
    let scene = scene();
    let large = append(&scene, 0, 0, LARGE);
    let small = append(&scene, 0, 1, 10);
    let (sender, deleted) = channel();
    let reply = Box::new(move |deleted| sender.send(deleted).expect("waited for"));
    scene.journal.send(Request::Delete { room: name("a"), reply });
    let kept = append(&scene, 1, 0, 10);
    let kept_large = append(&scene, 1, 1, LARGE);
    scene.journal.send(Request::Stop { snapshots_until: Instant::now() });
    let kept_after = append(&scene, 1, 2, 10);
    assert_eq!(stored(&kept), 1);
    assert!(waits(&large) && waits(&small) && waits(&deleted) && waits(&kept_large));
    for _ in 0..2 {
        scene.gate.send(Write::Succeeds).expect("waited for");
    }
    assert_eq!((stored(&large), stored(&small)), (1, 2));
    assert!(deleted.recv().expect("answered").expect("deletes"));
    assert_eq!((stored(&kept_large), stored(&kept_after)), (2, 3));
    scene.thread.join().expect("ends");
    let mut storage = SqliteStorage::open(scene.directory.path()).expect("opens");
    assert_eq!(storage.find(&name("a")).expect("finds"), None);
    assert_eq!(storage.find(&name("b")).expect("finds").map(|claim| claim.head.0), Some(3));
}
