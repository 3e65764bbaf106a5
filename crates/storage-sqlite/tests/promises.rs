//! The promises J1 to J9 of `journal::Storage`, checked on real files against the model in memory.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use quadrille_journal::{
    Append, Image, ImageId, ImagePut, MemoryStorage, Outcome, RoomKey, Snapshot, Storage, StorageError,
    StoredChatMessage,
};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_sqlite::SqliteStorage;

fn name(room: u8) -> RoomName {
    RoomName::new(&format!("room-{room}")).expect("valid")
}

fn open(directory: &Path) -> SqliteStorage {
    SqliteStorage::open(directory).expect("opens")
}

fn append(room: RoomKey, base: u64, records: &[&str]) -> Append {
    let records = records.iter().map(|record| Arc::from(record.as_bytes())).collect();
    Append { room, base: Revision(base), records, time_ms: 1_000 + base as i64 }
}

fn texts(storage: &mut dyn Storage, room: RoomKey) -> Vec<String> {
    let loaded = storage.load(room).expect("loads");
    loaded.records.iter().map(|record| String::from_utf8_lossy(&record.bytes).into_owned()).collect()
}

#[test]
fn j1_what_was_acknowledged_is_there_after_the_process_is_gone() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let key = storage.claim(&name(1)).expect("claims").key;
    assert_eq!(
        storage.append(&[append(key, 0, &["a", "b"])]).expect("appends"),
        [Outcome::Durable { head: Revision(2) }]
    );
    drop(storage); // flushes nothing: `append` leaves nothing to flush. The server's tests kill the process.

    let mut storage = open(directory.path());
    assert_eq!(storage.claim(&name(1)).expect("claims").head, Revision(2));
    assert_eq!(texts(&mut storage, key), ["a", "b"]);
}

#[test]
fn j3_an_append_to_an_old_head_is_fenced_and_changes_nothing() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let (one, two) =
        (storage.claim(&name(1)).expect("claims").key, storage.claim(&name(2)).expect("claims").key);
    let outcomes = storage
        .append(&[
            append(one, 0, &["a"]),
            append(one, 0, &["late"]),
            append(two, 3, &["early"]),
            append(one, 1, &["b"]),
        ])
        .expect("appends");
    let durable = |head| Outcome::Durable { head: Revision(head) };
    assert_eq!(outcomes, [durable(1), Outcome::Fenced, Outcome::Fenced, durable(2)]);
    assert_eq!(texts(&mut storage, one), ["a", "b"]);
    assert_eq!(storage.find(&name(2)).expect("finds"), None, "a fenced room is not created");
}

#[test]
fn a_second_process_is_told_that_the_directory_is_in_use() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let _first = open(directory.path());
    let refused = SqliteStorage::open(directory.path()).err().expect("refuses").to_string();
    assert!(refused.starts_with("data directory is in use by another quadrille process: "), "{refused}");
}

#[test]
fn a_newer_format_is_refused() {
    let directory = tempfile::tempdir().expect("temporary directory");
    drop(open(directory.path()));
    let database = rusqlite::Connection::open(directory.path().join("rooms.db")).expect("opens");
    database.pragma_update(None, "user_version", 99).expect("sets");
    drop(database);
    assert!(matches!(
        SqliteStorage::open(directory.path()).err(),
        Some(StorageError::NewerFormat { found: 99, known: 3, .. })
    ));
}

#[test]
fn j6_a_damaged_record_stops_its_room_only() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let (one, two) =
        (storage.claim(&name(1)).expect("claims").key, storage.claim(&name(2)).expect("claims").key);
    storage.append(&[append(one, 0, &["sound", "victim"]), append(two, 0, &["healthy"])]).expect("appends");
    drop(storage);

    let database = rusqlite::Connection::open(directory.path().join("journal.db")).expect("opens");
    let mut data: Vec<u8> = database.query_row("SELECT data FROM log", [], |row| row.get(0)).expect("reads");
    let at = data.windows(6).position(|window| window == b"victim").expect("is stored as it was given");
    data[at] ^= 1;
    database.execute("UPDATE log SET data = ?1", [data]).expect("writes");
    drop(database);

    for compacted in [false, true] {
        let mut storage = open(directory.path());
        if compacted {
            storage.compact_fully().expect("compacts");
        }
        let error = storage.load(one).expect_err("is damaged");
        assert!(
            matches!(error, StorageError::Damaged { room, revision: Revision(2), .. } if room == one),
            "{error}"
        );
        assert_eq!(texts(&mut storage, two), ["healthy"]);
    }
}

#[test]
fn j5_a_damaged_snapshot_is_passed_over() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let key = storage.claim(&name(1)).expect("claims").key;
    storage.append(&[append(key, 0, &["a", "b", "c"])]).expect("appends");
    for (revision, bytes) in [(1, "one"), (2, "two"), (3, "three")] {
        let snapshot = Snapshot { revision: Revision(revision), bytes: Arc::from(bytes.as_bytes()) };
        storage.put_snapshot(key, &snapshot).expect("keeps");
    }
    assert_eq!(
        storage.load(key).expect("loads").snapshot.map(|snapshot| snapshot.revision),
        Some(Revision(3))
    );
    drop(storage);

    let database = rusqlite::Connection::open(directory.path().join("rooms.db")).expect("opens");
    let damaged =
        database.execute("UPDATE snapshot SET data = x'00' WHERE revision = 3", []).expect("writes");
    assert_eq!(damaged, 1);
    drop(database);
    let mut storage = open(directory.path());
    let loaded = storage.load(key).expect("loads");
    assert_eq!(loaded.snapshot.map(|snapshot| snapshot.revision), Some(Revision(2)));
    assert_eq!(loaded.records.len(), 1);
}

#[test]
fn a_deleted_room_is_gone_and_its_name_is_free() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let before = storage.claim(&name(1)).expect("claims");
    storage.append(&[append(before.key, 0, &["a"])]).expect("appends");
    assert!(storage.delete(&name(1)).expect("deletes"));
    assert!(!storage.delete(&name(1)).expect("deletes"));
    assert_eq!(storage.append(&[append(before.key, 1, &["late"])]).expect("appends"), [Outcome::Fenced]);
    drop(storage);

    let mut storage = open(directory.path());
    let after = storage.claim(&name(1)).expect("claims");
    assert_ne!(after.incarnation, before.incarnation);
    assert_eq!(after.head, Revision(0));
    assert!(storage.rooms().expect("lists").is_empty());
}

#[test]
fn j9_pictures_are_kept_with_their_room_and_no_longer() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let image =
        |number: u8, bytes: usize| Image { id: ImageId([number; 32]), bytes: Arc::from(vec![number; bytes]) };
    let stores: Vec<Box<dyn Storage>> =
        vec![Box::new(open(directory.path())), Box::new(MemoryStorage::new())];
    for mut storage in stores {
        let key = storage.claim(&name(1)).expect("claims").key;
        storage.append(&[append(key, 0, &["a"])]).expect("appends");
        let other = storage.claim(&name(2)).expect("claims").key;
        storage.append(&[append(other, 0, &["a"])]).expect("appends");
        assert_eq!(storage.put_image(key, &image(1, 60), 100).expect("puts"), ImagePut::Stored);
        assert_eq!(storage.put_image(key, &image(1, 60), 100).expect("puts"), ImagePut::Known);
        assert_eq!(storage.put_image(key, &image(2, 41), 100).expect("puts"), ImagePut::TooMuch);
        assert_eq!(storage.put_image(other, &image(2, 41), 100).expect("puts"), ImagePut::Stored);
        assert_eq!(storage.image(key, ImageId([1; 32])).expect("reads"), Some(image(1, 60).bytes));
        assert_eq!(storage.image(key, ImageId([2; 32])).expect("reads"), None);
        assert!(storage.put_image(RoomKey(99), &image(1, 1), 100).is_err());
        assert!(storage.delete(&name(1)).expect("deletes"));
        let again = storage.claim(&name(1)).expect("claims").key;
        storage.append(&[append(again, 0, &["a"])]).expect("appends");
        assert_eq!(storage.image(again, ImageId([1; 32])).expect("reads"), None);
    }
    let mut storage = open(directory.path());
    let other = storage.claim(&name(2)).expect("claims").key;
    assert_eq!(storage.image(other, ImageId([2; 32])).expect("reads"), Some(image(2, 41).bytes));
}

#[derive(Clone, Debug)]
enum Step {
    Append { room: u8, records: u8, stale: bool },
    Snapshot { room: u8 },
    Delete { room: u8 },
    Reopen,
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0u8..4, 1u8..4, prop::bool::weighted(0.1))
            .prop_map(|(room, records, stale)| Step::Append { room, records, stale }),
        1 => (0u8..4).prop_map(|room| Step::Snapshot { room }),
        1 => (0u8..4).prop_map(|room| Step::Delete { room }),
        1 => Just(Step::Reopen),
        1 => Just(Step::Compact),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// J2, J3: whatever happens in whatever order, the files hold what the model holds.
    #[test]
    fn files_and_model_agree(steps in prop::collection::vec(step(), 1..40)) {
        let directory = tempfile::tempdir().expect("temporary directory");
        let mut files = open(directory.path());
        let mut model = MemoryStorage::new();
        let mut written = 0;
        for step in steps {
            match step {
                Step::Append { room, records, stale } => {
                    let (ours, theirs) =
                        (files.claim(&name(room)).expect("claims"), model.claim(&name(room)).expect("claims"));
                    prop_assert_eq!(ours.head, theirs.head);
                    let base = ours.head.0 + u64::from(stale);
                    let texts: Vec<String> = (0..records).map(|_| { written += 1; format!("record {written}") }).collect();
                    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                    prop_assert_eq!(
                        files.append(&[append(ours.key, base, &texts)]).expect("appends"),
                        model.append(&[append(theirs.key, base, &texts)]).expect("appends")
                    );
                }
                Step::Snapshot { room } => {
                    let (Some(ours), Some(theirs)) =
                        (files.find(&name(room)).expect("finds"), model.find(&name(room)).expect("finds")) else { continue };
                    let snapshot = Snapshot { revision: ours.head, bytes: Arc::from(&b"state"[..]) };
                    files.put_snapshot(ours.key, &snapshot).expect("keeps");
                    model.put_snapshot(theirs.key, &snapshot).expect("keeps");
                }
                Step::Delete { room } => prop_assert_eq!(
                    files.delete(&name(room)).expect("deletes"),
                    model.delete(&name(room)).expect("deletes")
                ),
                Step::Reopen => {
                    drop(files);
                    files = open(directory.path());
                }
                Step::Compact => files.compact_fully().expect("compacts"),
            }
        }
        prop_assert_eq!(files.rooms().expect("lists"), model.rooms().expect("lists"));
        for room in 0..4 {
            let (ours, theirs) = (files.find(&name(room)).expect("finds"), model.find(&name(room)).expect("finds"));
            prop_assert_eq!(ours.is_some(), theirs.is_some());
            let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
            prop_assert_eq!(files.load(ours.key).expect("loads"), model.load(theirs.key).expect("loads"));
            for after in 0..=ours.head.0 {
                prop_assert_eq!(
                    files.tail(ours.key, Revision(after), 25).expect("reads"),
                    model.tail(theirs.key, Revision(after), 25).expect("reads")
                );
            }
        }
    }
}

/// J7
#[test]
fn j7_a_room_can_be_seen_as_it_was_at_every_revision() {
    const REVISIONS: u64 = 300;
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let mut model = MemoryStorage::new();
    let key = storage.claim(&name(1)).expect("claims").key;
    model.claim(&name(1)).expect("claims");
    for base in 0..REVISIONS {
        let record = format!("record {}", base + 1);
        for engine in [&mut storage as &mut dyn Storage, &mut model] {
            engine.append(&[append(key, base, &[&record])]).expect("appends");
            if (base + 1).is_multiple_of(10) {
                let bytes = Arc::from(format!("up to {}", base + 1).as_bytes());
                let snapshot = Snapshot { revision: Revision(base + 1), bytes };
                engine.put_snapshot(key, &snapshot).expect("puts");
            }
        }
        if base == REVISIONS / 2 {
            storage.compact_fully().expect("compacts");
        }
    }
    assert!(model.snapshots(key).len() < 12, "{:?}", model.snapshots(key).len());
    drop(storage);
    let mut storage = open(directory.path());
    for revision in 0..=REVISIONS + 5 {
        let found = storage.load_at(key, Revision(revision)).expect("loads");
        assert_eq!(found, model.load_at(key, Revision(revision)).expect("loads"), "revision {revision}");
        let snapshot = found.snapshot.map_or(0, |snapshot| snapshot.revision.0);
        let last = revision.min(REVISIONS);
        let revisions: Vec<u64> = found.records.iter().map(|record| record.revision.0).collect();
        assert_eq!(revisions, (snapshot + 1..=last).collect::<Vec<_>>());
        // No further from a snapshot than from now, but for the distance of snapshots.
        assert!(revisions.len() as u64 <= (REVISIONS - last) + 10, "revision {revision}");
    }
}

/// J8
#[test]
fn j8_what_was_said_is_there_after_the_process_is_gone_and_goes_with_its_room() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let mut model = MemoryStorage::new();
    let mut keys = Vec::new();
    for engine in [&mut storage as &mut dyn Storage, &mut model] {
        keys = (1..=3).map(|room| engine.claim(&name(room)).expect("claims").key).collect();
        engine.append(&[append(keys[0], 0, &["a"]), append(keys[1], 0, &["b"])]).expect("appends");
        let said = |room: usize, number: u64, forget_up_to: u64| StoredChatMessage {
            room: keys[room],
            number,
            bytes: Arc::from(format!("{room}:{number}").as_bytes()),
            forget_up_to,
        };
        engine
            .send_chat_message(&[said(0, 1, 0), said(1, 1, 0), said(0, 2, 0), said(2, 1, 0)])
            .expect("stores");
        engine.send_chat_message(&[said(0, 3, 1)]).expect("stores");
    }
    drop(storage);
    let mut storage = open(directory.path());
    for (room, expected) in [(0, vec!["0:2", "0:3"]), (1, vec!["1:1"])] {
        for engine in [&mut storage as &mut dyn Storage, &mut model] {
            let chat_messages = engine.chat_messages(keys[room]).expect("reads");
            assert_eq!(
                chat_messages,
                expected.iter().map(|text| text.as_bytes().into()).collect::<Vec<Arc<[u8]>>>()
            );
        }
    }
    let of_none = storage.chat_messages(keys[2]).expect("reads");
    assert!(of_none.is_empty(), "a room without a record has no talk: its number may be another's tomorrow");
    storage.delete(&name(1)).expect("deletes");
    assert!(storage.chat_messages(keys[0]).expect("reads").is_empty());
    // One that is damaged is passed over, and the room opens.
    drop(storage);
    let database = rusqlite::Connection::open(directory.path().join("rooms.db")).expect("opens");
    let damage = "INSERT INTO chat (room, number, checksum, data) VALUES (?1, 2, 1, x'00')";
    database.execute(damage, [keys[1].0 as i64]).expect("writes");
    drop(database);
    let mut storage = open(directory.path());
    assert_eq!(storage.chat_messages(keys[1]).expect("reads").len(), 1);
    assert_eq!(texts(&mut storage, keys[1]), ["b"]);
}

/// Everything in a data directory as it is on the disk now, as after `kill -9`.
fn copied(from: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("temporary directory");
    for file in std::fs::read_dir(from).expect("reads") {
        let path = file.expect("reads").path();
        std::fs::copy(&path, copy.path().join(path.file_name().expect("a file"))).expect("copies");
    }
    copy
}

#[test]
fn j10_a_snapshot_that_is_broken_off_leaves_the_older_one() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let key = storage.claim(&name(1)).expect("claims").key;
    storage.append(&[append(key, 0, &["a", "b", "c"])]).expect("appends");
    let older = Snapshot { revision: Revision(1), bytes: Arc::from(&b"older"[..]) };
    storage.put_snapshot(key, &older).expect("keeps");
    let bytes: Vec<u8> = (0..100_000u32).flat_map(|number| number.to_le_bytes()).collect();
    let newer = Snapshot { revision: Revision(3), bytes: Arc::from(bytes) };
    let (mut written, mut pieces) = (0, 0);
    while written < newer.bytes.len() {
        let crashed = copied(directory.path());
        let mut found = open(crashed.path());
        assert_eq!(found.claim(&name(1)).expect("claims").head, Revision(3 + pieces));
        let loaded = found.load(key).expect("loads");
        assert_eq!(loaded.snapshot, Some(older.clone()), "after {written} bytes");
        assert_eq!(loaded.records.len() as u64, 2 + pieces);
        // What was broken off goes, and the same snapshot can be kept afterwards.
        while found.compact().expect("compacts") {}
        let left = rusqlite::Connection::open(crashed.path().join("rooms.db"))
            .and_then(|rooms| rooms.query_row("SELECT count(*) FROM piece", [], |row| row.get::<_, i64>(0)));
        assert_eq!(left, Ok(0));
        found.put_snapshot(key, &newer).expect("keeps");
        assert_eq!(found.load(key).expect("loads").snapshot.as_ref(), Some(&newer));
        assert!(storage.put_piece(key, &newer, written + 1, 70_000).is_err(), "does not follow");
        written = storage.put_piece(key, &newer, written, 70_000).expect("writes");
        // Commits and the upkeep come in between.
        storage.append(&[append(key, 3 + pieces, &["meanwhile"])]).expect("appends");
        storage.compact().expect("compacts");
        pieces += 1;
    }
    assert_eq!(pieces, 6);
    drop(storage);
    let mut storage = open(directory.path());
    let loaded = storage.load(key).expect("loads");
    assert_eq!((loaded.snapshot, loaded.records.len() as u64), (Some(newer), pieces));
}

/// What a deleted room took is given back in small pieces, also after a restart, and nothing of others goes with it.
#[test]
fn a_deleted_room_gives_its_place_back_piece_by_piece() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let big = storage.claim(&name(1)).expect("claims").key;
    let other = storage.claim(&name(2)).expect("claims").key;
    let mut revision = 0;
    for _ in 0..8 {
        for room in [big, other] {
            storage.append(&[append(room, revision, &["a", "b"])]).expect("appends");
        }
        storage.compact_fully().expect("compacts");
        revision += 2;
    }
    for room in [big, other] {
        let snapshot = Snapshot { revision: Revision(revision), bytes: Arc::from(vec![1; 1_000]) };
        let mut written = 0;
        while written < 1_000 {
            written = storage.put_piece(room, &snapshot, written, 100).expect("puts");
        }
        let image = Image { id: ImageId([3; 32]), bytes: Arc::from(&b"picture"[..]) };
        storage.put_image(room, &image, 1_000).expect("puts");
        let bytes = Arc::from(&b"remark"[..]);
        storage
            .send_chat_message(&[StoredChatMessage { room, number: 1, bytes, forget_up_to: 0 }])
            .expect("says");
    }
    let rooms = rusqlite::Connection::open(directory.path().join("rooms.db")).expect("opens");
    let count = |table: &str, room: RoomKey| -> i64 {
        let query = format!("SELECT count(*) FROM {table} WHERE room = ?1");
        rooms.query_row(&query, [room.0 as i64], |row| row.get(0)).expect("counts")
    };
    const TABLES: [&str; 6] = ["head", "tail", "snapshot", "piece", "image", "chat"];
    let counts = |room: RoomKey| TABLES.map(|table| count(table, room));
    let whole = counts(big);
    assert_eq!(whole, [1, 8, 1, 9, 1, 1]);

    assert!(storage.delete(&name(1)).expect("deletes"));
    assert_eq!(storage.find(&name(1)).expect("looks"), None, "it is gone at once");
    assert_eq!(counts(big), whole, "and nothing was removed yet");
    let new = storage.claim(&name(1)).expect("claims").key;
    storage.append(&[append(new, 0, &["new"])]).expect("appends");
    for piece in 0..4 {
        let before: i64 = counts(big).iter().sum();
        while storage.compact().expect("keeps house") && counts(big).iter().sum::<i64>() == before {}
        let after: i64 = counts(big).iter().sum();
        assert!(after < before && before - after <= 2, "piece {piece}: {before} to {after}");
        storage.append(&[append(new, 1 + piece, &["between"])]).expect("appends");
    }
    drop(storage);
    let mut storage = open(directory.path());
    assert_eq!(counts(other), whole, "the other is whole");
    while storage.compact().expect("keeps house") {}
    assert_eq!((counts(big), count("gone", big)), ([0; 6], 0));
    assert_eq!(counts(other), whole);
    assert_eq!(texts(&mut storage, new).len(), 5);
    drop(storage);

    // A process that ended between the mark and the name has not deleted the room.
    rooms.execute("INSERT INTO gone (room) VALUES (?1)", [other.0 as i64]).expect("marks");
    let mut storage = open(directory.path());
    while storage.compact().expect("keeps house") {}
    assert_eq!((counts(other), count("gone", other)), (whole, 0));
}

#[test]
fn j1_what_was_committed_is_brought_to_its_place_beside_commits_and_its_log_begins_anew() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let mut reader = storage.reader().expect("opens").expect("SQLite has one");
    let key = storage.claim(&name(1)).expect("claims").key;
    let wal_bytes =
        || directory.path().join("journal.db-wal").metadata().expect("there while it is open").len();
    let record = "x".repeat(256 << 10);
    let write = |storage: &mut SqliteStorage, head: &mut u64| {
        storage.append(&[append(key, *head, &[&record])]).expect("appends");
        *head += 1;
    };
    let mut head = 0;
    for _ in 0..3 {
        while !storage.has_to_settle() {
            write(&mut storage, &mut head);
        }
        std::thread::scope(|scope| {
            let settling = scope.spawn(|| reader.settle());
            write(&mut storage, &mut head);
            settling.join().expect("no panic").expect("settles");
        });
        // What came meanwhile is in the log alone: nothing is lost when the process ends here.
        let copy = copied(directory.path());
        let mut next = open(copy.path());
        assert_eq!(next.claim(&name(1)).expect("claims").head, Revision(head));
        assert!(next.has_to_settle(), "what the process before it has left");
        storage.settle().expect("settles");
        assert!(!storage.has_to_settle());
    }
    let longest = wal_bytes();
    assert!(longest < 8 << 20, "three times as much was written: {longest}");
    write(&mut storage, &mut head);
    assert_eq!(wal_bytes(), longest, "written over from its beginning");
    assert_eq!(texts(&mut storage, key).len() as u64, head);
}
