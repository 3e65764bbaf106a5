//! Large appends, whose records are written beside the log: what a crash at every point leaves, and what happens
//! meanwhile.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use quadrille_access::Comparison;
use quadrille_journal::{
    Append, LargeAppend, LargeWrite, MemoryStorage, Outcome, RoomKey, Snapshot, Storage, StoredChatMessage,
};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_sqlite::{
    Reader, RunningDirectory, SqliteAccessStore, SqliteStorage, check, copy_directory,
};

/// Accepts everything: the checksums are checked before.
struct AnyContents;

impl Reader for AnyContents {
    fn snapshot(&mut self, _: &Snapshot) -> Result<(), String> {
        Ok(())
    }

    fn record(&mut self, _: Revision, _: &[u8]) -> Result<(), String> {
        Ok(())
    }
}

fn name(room: u8) -> RoomName {
    RoomName::new(&format!("room-{room}")).expect("valid")
}

fn open(directory: &Path) -> SqliteStorage {
    SqliteStorage::open(directory).expect("opens")
}

fn claim(storage: &mut SqliteStorage, room: u8) -> RoomKey {
    storage.claim(&name(room)).expect("claims").key
}

/// Records of the given lengths after `base`; each begins with its revision.
fn records(room: RoomKey, base: u64, lengths: &[usize]) -> Append {
    let record = |(index, length): (usize, &usize)| {
        let mut bytes = (base + 1 + index as u64).to_le_bytes().to_vec();
        bytes.resize(bytes.len() + length, index as u8);
        Arc::from(bytes)
    };
    let records = lengths.iter().enumerate().map(record).collect();
    Append { room, base: Revision(base), records, time_ms: 1_000 + base as i64 }
}

fn begin(storage: &mut SqliteStorage, append: &Append) -> LargeWrite {
    match storage.begin_large(append).expect("begins") {
        LargeAppend::Begun { write, .. } => write,
        LargeAppend::Fenced => panic!("fenced"),
        LargeAppend::Refused => panic!("refused"),
    }
}

fn append_large(storage: &mut SqliteStorage, append: &Append) -> Outcome {
    let write = begin(storage, append);
    storage.finish_large(append.room, write()).expect("ends").expect("was written")
}

fn durable(head: u64) -> Outcome {
    Outcome::Durable { head: Revision(head) }
}

/// Checks that a room has the records 1 to `head`, each whole.
fn assert_whole(storage: &mut SqliteStorage, room: u8, head: u64) {
    let key = claim(storage, room);
    let loaded = storage.load(key).expect("loads");
    let revisions: Vec<u64> = loaded.records.iter().map(|record| record.revision.0).collect();
    assert_eq!(revisions, (1..=head).collect::<Vec<_>>());
    for record in &loaded.records {
        assert_eq!(record.bytes[..8], record.revision.0.to_le_bytes());
    }
    for after in 0..head {
        let tail = storage.tail(key, Revision(after), 1).expect("reads");
        assert_eq!((tail.len(), tail[0].revision.0), (1, after + 1));
    }
    assert_eq!(storage.tail(key, Revision(head), 1).expect("reads"), []);
}

/// The files as a process that is killed at this moment leaves them.
fn crash(directory: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("temporary directory");
    for file in ["journal.db", "journal.db-wal", "rooms.db", "rooms.db-wal"] {
        if directory.join(file).exists() {
            std::fs::copy(directory.join(file), copy.path().join(file)).expect("copies");
        }
    }
    copy
}

fn assert_undamaged(directory: &Path) {
    assert_eq!(check(directory, &mut AnyContents).expect("checks").damages, []);
}

fn count(directory: &Path, table: &str) -> i64 {
    let rooms = rusqlite::Connection::open(directory.join("rooms.db")).expect("opens");
    rooms.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).expect("counts")
}

const LARGE: [usize; 2] = [300_000, 200_000];

#[test]
fn the_first_large_append_of_a_room_is_stored_whole_or_not_at_all() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let key = claim(&mut storage, 1);
    let append = records(key, 0, &LARGE);
    let write = begin(&mut storage, &append);
    let begun = crash(directory.path());
    assert!(write().expect("writes"));
    assert_eq!(storage.find(&name(1)).expect("finds"), None, "it has not ended");
    let written = crash(directory.path());
    let copied = tempfile::tempdir().expect("temporary directory");
    copy_directory(directory.path(), copied.path()).expect("copies");
    assert_eq!(storage.finish_large(key, Ok(true)).expect("ends"), Some(durable(2)));
    let finished = crash(directory.path());
    assert_whole(&mut storage, 1, 2);

    for unfinished in [&begun, &written, &copied] {
        assert_undamaged(unfinished.path());
        let mut storage = open(unfinished.path());
        assert_eq!(storage.damage(), Vec::<String>::new());
        assert_eq!(storage.find(&name(1)).expect("finds"), None);
    }
    // What was written is removed. The number is not given again before that, wherever the process ends.
    let left = count(written.path(), "gone");
    assert_eq!((left, count(written.path(), "tail")), (1, 2));
    let mut storage = open(written.path());
    while count(written.path(), "head") > 0 {
        storage.compact().expect("compacts");
    }
    drop(storage);
    assert!(count(written.path(), "tail") > 0);
    let mut storage = open(written.path());
    let next = claim(&mut storage, 1);
    assert_ne!(next, key);
    assert_eq!(append_large(&mut storage, &records(next, 0, &LARGE)), durable(2));
    while storage.compact().expect("compacts") {}
    assert_whole(&mut storage, 1, 2);
    drop(storage);
    assert_eq!((count(written.path(), "gone"), count(written.path(), "tail")), (0, 2));

    assert_undamaged(finished.path());
    assert_whole(&mut open(finished.path()), 1, 2);
    assert_eq!(count(finished.path(), "gone"), 0);
}

#[test]
fn records_in_the_log_are_moved_with_the_large_ones_after_them() {
    for steps in 0..4 {
        let directory = tempfile::tempdir().expect("temporary directory");
        let mut storage = open(directory.path());
        let (one, two) = (claim(&mut storage, 1), claim(&mut storage, 2));
        storage.append(&[records(one, 0, &[10; 3]), records(two, 0, &[20; 2])]).expect("appends");
        storage.append(&[records(one, 3, &[100_000; 2])]).expect("appends");
        // A compaction that has not begun, has begun, has moved some records, and has moved all.
        for _ in 0..steps {
            storage.compact_some().expect("compacts");
        }
        let append = records(one, 5, &LARGE);
        let write = begin(&mut storage, &append);
        assert_eq!(storage.append(&[records(two, 2, &[1])]).expect("appends"), [durable(3)]);
        let begun = crash(directory.path());
        assert!(write().expect("writes"));
        assert_whole(&mut storage, 1, 5);
        assert_eq!(storage.append(&[records(two, 3, &[1])]).expect("appends"), [durable(4)]);
        let written = crash(directory.path());
        assert_eq!(storage.finish_large(one, Ok(true)).expect("ends"), Some(durable(7)));
        assert_whole(&mut storage, 1, 7);
        assert_eq!(storage.append(&[records(one, 7, &[1])]).expect("appends"), [durable(8)]);
        let later = crash(directory.path());
        for (copy, heads) in [(&begun, (5, 3)), (&written, (7, 4)), (&later, (8, 4))] {
            assert_undamaged(copy.path());
            for compacts in [false, true] {
                let mut storage = open(copy.path());
                assert_eq!(storage.damage(), Vec::<String>::new());
                if compacts {
                    storage.compact_fully().expect("compacts");
                }
                assert_whole(&mut storage, 1, heads.0);
                assert_whole(&mut storage, 2, heads.1);
            }
            assert_undamaged(copy.path());
        }
        storage.compact_fully().expect("compacts");
        assert_eq!(append_large(&mut storage, &records(one, 8, &LARGE)), durable(10));
        assert_whole(&mut storage, 1, 10);
        assert_whole(&mut storage, 2, 4);
        drop(storage);
        assert_undamaged(directory.path());
        assert_whole(&mut open(directory.path()), 1, 10);
    }
}

#[test]
fn meanwhile_the_room_is_fenced_and_maintenance_rests() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let (one, two) = (claim(&mut storage, 1), claim(&mut storage, 2));
    assert!(matches!(storage.begin_large(&records(one, 1, &LARGE)), Ok(LargeAppend::Fenced)));
    storage.append(&[records(one, 0, &[10; 3])]).expect("appends");
    storage
        .put_snapshot(one, &Snapshot { revision: Revision(2), bytes: Arc::from(&b"two"[..]) })
        .expect("puts");
    let write = begin(&mut storage, &records(one, 3, &LARGE));
    assert!(matches!(storage.begin_large(&records(one, 3, &LARGE)), Ok(LargeAppend::Fenced)));
    assert_eq!(storage.append(&[records(one, 3, &[1])]).expect("appends"), [Outcome::Fenced]);
    assert!(!storage.compact().expect("rests"));
    storage.compact_fully().expect("rests");
    storage.forget_before(one, Revision(2)).expect("rests");
    assert_eq!(storage.base(one).expect("has one"), Revision(0));
    assert!(write().expect("writes"));
    assert_whole_after_snapshot(&mut storage, one, 3);
    // Another large append of another room meanwhile, and messages.
    assert_eq!(append_large(&mut storage, &records(two, 0, &LARGE)), durable(2));
    let message = StoredChatMessage { room: one, number: 1, bytes: Arc::from(&b"x"[..]), forget_up_to: 0 };
    storage.put_chat_messages(&[message]).expect("stores");
    assert_eq!(storage.finish_large(one, Ok(true)).expect("ends"), Some(durable(5)));
    storage.forget_before(one, Revision(2)).expect("forgets");
    while storage.compact().expect("compacts") {}
    assert_eq!(storage.base(one).expect("has one"), Revision(2));
    assert_whole_after_snapshot(&mut storage, one, 5);
    drop(storage);
    assert_undamaged(directory.path());
    let mut storage = open(directory.path());
    assert_whole_after_snapshot(&mut storage, one, 5);
    assert_whole(&mut storage, 2, 2);
    // A program that has the directory to itself has no second connection.
    drop(storage);
    let mut alone = SqliteStorage::open_alone(directory.path()).expect("opens");
    assert!(matches!(alone.begin_large(&records(one, 5, &LARGE)), Ok(LargeAppend::Refused)));
}

/// Checks the records of a room after its snapshot of revision 2.
fn assert_whole_after_snapshot(storage: &mut SqliteStorage, room: RoomKey, head: u64) {
    let loaded = storage.load(room).expect("loads");
    assert_eq!(loaded.snapshot.map(|snapshot| snapshot.revision), Some(Revision(2)));
    let revisions: Vec<u64> = loaded.records.iter().map(|record| record.revision.0).collect();
    assert_eq!(revisions, (3..=head).collect::<Vec<_>>());
}

#[test]
fn a_room_that_is_deleted_meanwhile_is_gone() {
    for is_new in [true, false] {
        for writes_first in [true, false] {
            let directory = tempfile::tempdir().expect("temporary directory");
            let mut storage = open(directory.path());
            let key = claim(&mut storage, 1);
            let base = if is_new { 0 } else { 2 };
            if !is_new {
                assert_eq!(append_large(&mut storage, &records(key, 0, &LARGE)), durable(2));
            }
            let write = begin(&mut storage, &records(key, base, &LARGE));
            let delete = |storage: &mut SqliteStorage| {
                assert_eq!(storage.delete(&name(1)).expect("deletes"), !is_new);
            };
            if !writes_first {
                delete(&mut storage);
            }
            assert!(!storage.compact().expect("rests"));
            assert!(write().expect("writes"));
            if writes_first {
                delete(&mut storage);
            }
            let killed = crash(directory.path());
            assert_eq!(storage.finish_large(key, Ok(true)).expect("ends"), Some(Outcome::Fenced));
            drop(storage);
            for directory in [killed.path(), directory.path()] {
                assert_undamaged(directory);
                let mut storage = open(directory);
                assert_eq!(storage.find(&name(1)).expect("finds"), None);
                assert_ne!(claim(&mut storage, 1), key);
                while storage.compact().expect("compacts") {}
                drop(storage);
                assert_eq!(["head", "tail", "gone"].map(|table| count(directory, table)), [0; 3]);
            }
        }
    }
}

#[test]
fn after_a_damaged_record_the_append_goes_to_the_log() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let key = claim(&mut storage, 1);
    storage.append(&[records(key, 0, &[10; 2])]).expect("appends");
    // The disk changes a byte of the payload of the second record.
    let journal = rusqlite::Connection::open(directory.path().join("journal.db")).expect("opens");
    let mut data: Vec<u8> = journal.query_row("SELECT data FROM log", [], |row| row.get(0)).expect("reads");
    *data.last_mut().expect("has bytes") ^= 1;
    journal.execute("UPDATE log SET data = ?1", [data]).expect("writes");
    drop(journal);
    let append = records(key, 2, &LARGE);
    let write = begin(&mut storage, &append);
    let written = write();
    assert!(matches!(written, Ok(false)), "{written:?}");
    assert_eq!(storage.finish_large(key, written).expect("ends"), None);
    assert_eq!(storage.append(&[append]).expect("appends"), [durable(4)]);
    assert_eq!(storage.tail(key, Revision(2), usize::MAX).expect("reads").len(), 2);
    drop(storage);
    let damages = check(directory.path(), &mut AnyContents).expect("checks").damages;
    assert_eq!(damages.iter().map(|damage| damage.revision).collect::<Vec<_>>(), [Some(Revision(2))]);
}

#[test]
fn programs_that_follow_the_directory_notice_large_appends() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let _access = SqliteAccessStore::open(directory.path()).expect("opens");
    let one = claim(&mut storage, 1);
    storage.append(&[records(one, 0, &[10; 3])]).expect("appends");
    let mut running = RunningDirectory::open(directory.path()).expect("opens");
    let changed = |running: &mut RunningDirectory| match running.next_transaction().expect("readable") {
        Comparison::Changed(changes) => {
            assert_eq!(running.rooms.damage(), Vec::<String>::new());
            changes.rooms.into_iter().map(|room| room.as_str().to_owned()).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    // The log continues after records that it does not have.
    append_large(&mut storage, &records(one, 3, &LARGE));
    storage.append(&[records(one, 5, &[1])]).expect("appends");
    assert_eq!(changed(&mut running), ["room-1"]);
    assert_whole(&mut running.rooms, 1, 6);
    append_large(&mut storage, &records(one, 6, &LARGE));
    assert_eq!(changed(&mut running), ["room-1"]);
    assert_whole(&mut running.rooms, 1, 8);
    // A new room, read before it has its name.
    let two = claim(&mut storage, 2);
    let write = begin(&mut storage, &records(two, 0, &LARGE));
    assert!(write().expect("writes"));
    assert_eq!(changed(&mut running), Vec::<String>::new());
    let mut later = RunningDirectory::open(directory.path()).expect("opens");
    for running in [&mut running, &mut later] {
        assert_eq!(running.rooms.find(&name(2)).expect("finds"), None);
        running.end_transaction().expect("ends");
    }
    storage.finish_large(two, Ok(true)).expect("ends");
    for running in [&mut running, &mut later] {
        assert_eq!(changed(running), ["room-2"]);
        assert_whole(&mut running.rooms, 2, 2);
        running.end_transaction().expect("ends");
    }
    // One that is deleted before it has a name.
    let three = claim(&mut storage, 3);
    let write = begin(&mut storage, &records(three, 0, &LARGE));
    storage.delete(&name(3)).expect("deletes");
    assert!(write().expect("writes"));
    assert_eq!(changed(&mut running), Vec::<String>::new());
    storage.finish_large(three, Ok(true)).expect("ends");
    storage.append(&[records(two, 2, &[1])]).expect("appends");
    assert_eq!(changed(&mut running), ["room-2"]);
    storage.delete(&name(2)).expect("deletes");
    assert_eq!(changed(&mut running), Vec::<String>::new());
    assert_eq!(running.rooms.find(&name(2)).expect("finds"), None);
}

#[derive(Clone, Debug)]
enum Step {
    Append {
        room: u8,
        records: u8,
    },
    /// Begins, writes and ends a large append, with small ones of another room between.
    Large {
        room: u8,
        records: u8,
        other: u8,
    },
    /// The process ends before a large append ends.
    Killed {
        room: u8,
        is_written: bool,
    },
    Delete {
        room: u8,
    },
    Reopen,
    Compact,
    CompactSome,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0u8..3, 1u8..4).prop_map(|(room, records)| Step::Append { room, records }),
        5 => (0u8..3, 1u8..4, 0u8..3)
            .prop_map(|(room, records, other)| Step::Large { room, records, other }),
        1 => (0u8..3, any::<bool>()).prop_map(|(room, is_written)| Step::Killed { room, is_written }),
        1 => (0u8..3).prop_map(|room| Step::Delete { room }),
        1 => Just(Step::Reopen),
        1 => Just(Step::Compact),
        3 => Just(Step::CompactSome),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn files_and_model_agree(steps in prop::collection::vec(step(), 1..40)) {
        let directory = tempfile::tempdir().expect("temporary directory");
        let mut files = open(directory.path());
        let mut model = MemoryStorage::new();
        let append_both = |files: &mut SqliteStorage, model: &mut MemoryStorage, room: u8, count: u8| {
            let (ours, theirs) = (files.claim(&name(room)).expect("claims"), model.claim(&name(room)).expect("claims"));
            assert_eq!(ours.head, theirs.head);
            let append = records(ours.key, ours.head.0, &vec![60_000; usize::from(count)]);
            let outcomes = model.append(&[Append { room: theirs.key, ..append.clone() }]).expect("appends");
            (append, outcomes[0])
        };
        for step in steps {
            match step {
                Step::Append { room, records } => {
                    let (append, expected) = append_both(&mut files, &mut model, room, records);
                    prop_assert_eq!(files.append(&[append]).expect("appends"), [expected]);
                }
                Step::Large { room, records, other } => {
                    let (large, expected) = append_both(&mut files, &mut model, room, records);
                    let write = begin(&mut files, &large);
                    for is_written in [false, true] {
                        if other != room {
                            let (append, expected) = append_both(&mut files, &mut model, other, 1);
                            prop_assert_eq!(files.append(&[append]).expect("appends"), [expected]);
                        }
                        if is_written {
                            break;
                        }
                    }
                    let ended = files.finish_large(large.room, write()).expect("ends");
                    prop_assert_eq!(ended, Some(expected));
                }
                Step::Killed { room, is_written } => {
                    let claim = files.claim(&name(room)).expect("claims");
                    let write = begin(&mut files, &records(claim.key, claim.head.0, &[60_000; 2]));
                    if is_written {
                        write().expect("writes");
                    }
                    drop(files);
                    files = open(directory.path());
                    let head = files.claim(&name(room)).expect("claims").head;
                    if claim.head > Revision(0) && is_written {
                        prop_assert_eq!(head.0, claim.head.0 + 2, "it is whole");
                        let key = model.claim(&name(room)).expect("claims").key;
                        model.append(&[records(key, claim.head.0, &[60_000; 2])]).expect("appends");
                    } else {
                        prop_assert_eq!(head, claim.head);
                    }
                }
                Step::Delete { room } => prop_assert_eq!(
                    files.delete(&name(room)).expect("deletes"),
                    model.delete(&name(room)).expect("deletes")
                ),
                Step::Reopen => {
                    drop(files);
                    files = open(directory.path());
                }
                Step::Compact => {
                    files.compact_fully().expect("compacts");
                    while files.compact().expect("compacts") {}
                }
                Step::CompactSome => _ = files.compact_some().expect("compacts"),
            }
        }
        prop_assert_eq!(files.rooms().expect("lists"), model.rooms().expect("lists"));
        prop_assert_eq!(files.damage(), Vec::<String>::new());
        for room in 0..3 {
            let (ours, theirs) = (files.find(&name(room)).expect("finds"), model.find(&name(room)).expect("finds"));
            prop_assert_eq!(ours.is_some(), theirs.is_some());
            let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
            prop_assert!(files.load(ours.key).expect("loads") == model.load(theirs.key).expect("loads"));
        }
        drop(files);
        assert_undamaged(directory.path());
    }
}
