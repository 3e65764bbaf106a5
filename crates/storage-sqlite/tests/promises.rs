//! The promises J1 to J10 of `journal::Storage` on real files, beyond the suite of `conformance.rs`: other
//! processes, damage, compaction.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use quadrille_journal::{
    Append, Image, ImageId, MemoryStorage, Outcome, RoomKey, Snapshot, Storage, StorageError,
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
fn j1_acknowledged_records_survive_the_end_of_the_process() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let key = storage.claim(&name(1)).expect("claims").key;
    assert_eq!(
        storage.append(&[append(key, 0, &["a", "b"])]).expect("appends"),
        [Outcome::Durable { head: Revision(2) }]
    );
    drop(storage); // Flushes nothing, since `append` has flushed. The server's tests kill the process.

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
fn a_second_process_cannot_open_a_directory_in_use() {
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
    storage.append(&[append(one, 0, &["intact", "victim"]), append(two, 0, &["healthy"])]).expect("appends");
    drop(storage);

    let database = rusqlite::Connection::open(directory.path().join("journal.db")).expect("opens");
    let mut data: Vec<u8> = database.query_row("SELECT data FROM log", [], |row| row.get(0)).expect("reads");
    let at =
        data.windows(6).position(|window| window == b"victim").expect("the record is stored uncompressed");
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
fn j5_a_damaged_snapshot_is_skipped() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let key = storage.claim(&name(1)).expect("claims").key;
    storage.append(&[append(key, 0, &["a", "b", "c"])]).expect("appends");
    for (revision, bytes) in [(1, "one"), (2, "two"), (3, "three")] {
        let snapshot = Snapshot { revision: Revision(revision), bytes: Arc::from(bytes.as_bytes()) };
        storage.put_snapshot(key, &snapshot).expect("stores");
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
fn deleting_a_room_removes_it_and_frees_its_name() {
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

    /// J2, J3: after any sequence of operations the files and the model have the same contents.
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
                    files.put_snapshot(ours.key, &snapshot).expect("stores");
                    model.put_snapshot(theirs.key, &snapshot).expect("stores");
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

#[test]
fn j7_every_revision_of_a_room_can_be_loaded() {
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
        // The number of records to replay is at most the age of the revision plus the snapshot
        // interval.
        assert!(revisions.len() as u64 <= (REVISIONS - last) + 10, "revision {revision}");
    }
}

#[test]
fn j8_chat_messages_survive_the_end_of_the_process_and_are_deleted_with_their_room() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let mut model = MemoryStorage::new();
    let mut keys = Vec::new();
    for engine in [&mut storage as &mut dyn Storage, &mut model] {
        keys = (1..=3).map(|room| engine.claim(&name(room)).expect("claims").key).collect();
        engine.append(&[append(keys[0], 0, &["a"]), append(keys[1], 0, &["b"])]).expect("appends");
        let message = |room: usize, number: u64, forget_up_to: u64| StoredChatMessage {
            room: keys[room],
            number,
            bytes: Arc::from(format!("{room}:{number}").as_bytes()),
            forget_up_to,
        };
        engine
            .put_chat_messages(&[message(0, 1, 0), message(1, 1, 0), message(0, 2, 0), message(2, 1, 0)])
            .expect("stores");
        engine.put_chat_messages(&[message(0, 3, 1)]).expect("stores");
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
    let of_missing_room = storage.chat_messages(keys[2]).expect("reads");
    assert!(
        of_missing_room.is_empty(),
        "a room without records stores no chat messages, since its number can be reused"
    );
    storage.delete(&name(1)).expect("deletes");
    assert!(storage.chat_messages(keys[0]).expect("reads").is_empty());
    // A damaged chat message is skipped, and the room opens.
    drop(storage);
    let database = rusqlite::Connection::open(directory.path().join("rooms.db")).expect("opens");
    let damage = "INSERT INTO chat (room, number, checksum, data) VALUES (?1, 2, 1, x'00')";
    database.execute(damage, [keys[1].0 as i64]).expect("writes");
    drop(database);
    let mut storage = open(directory.path());
    assert_eq!(storage.chat_messages(keys[1]).expect("reads").len(), 1);
    assert_eq!(texts(&mut storage, keys[1]), ["b"]);
}

/// A copy of the directory in its current state on disk, as after `kill -9`.
fn copied(from: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("temporary directory");
    for file in std::fs::read_dir(from).expect("reads") {
        let path = file.expect("reads").path();
        std::fs::copy(&path, copy.path().join(path.file_name().expect("a file"))).expect("copies");
    }
    copy
}

#[test]
fn j10_an_incomplete_snapshot_leaves_the_older_snapshot() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let key = storage.claim(&name(1)).expect("claims").key;
    storage.append(&[append(key, 0, &["a", "b", "c"])]).expect("appends");
    let older = Snapshot { revision: Revision(1), bytes: Arc::from(&b"older"[..]) };
    storage.put_snapshot(key, &older).expect("stores");
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
        // Maintenance removes the incomplete snapshot, and the same snapshot can be stored
        // afterwards.
        while found.compact().expect("compacts") {}
        let left = rusqlite::Connection::open(crashed.path().join("rooms.db"))
            .and_then(|rooms| rooms.query_row("SELECT count(*) FROM piece", [], |row| row.get::<_, i64>(0)));
        assert_eq!(left, Ok(0));
        found.put_snapshot(key, &newer).expect("stores");
        assert_eq!(found.load(key).expect("loads").snapshot.as_ref(), Some(&newer));
        assert!(storage.put_piece(key, &newer, written + 1, 70_000).is_err(), "the piece leaves a gap");
        written = storage.put_piece(key, &newer, written, 70_000).expect("writes");
        // Commits and maintenance happen between the pieces.
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

/// The rows of a deleted room are removed in small steps, also after a restart; other rooms keep
/// theirs.
#[test]
fn the_rows_of_a_deleted_room_are_removed_in_small_steps() {
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
        let image = Image { id: ImageId([3; 32]), bytes: Arc::from(&b"image"[..]) };
        storage.put_image(room, &image, 1_000).expect("puts");
        let bytes = Arc::from(&b"message"[..]);
        storage
            .put_chat_messages(&[StoredChatMessage { room, number: 1, bytes, forget_up_to: 0 }])
            .expect("stores");
    }
    let rooms = rusqlite::Connection::open(directory.path().join("rooms.db")).expect("opens");
    let count = |table: &str, room: RoomKey| -> i64 {
        let query = format!("SELECT count(*) FROM {table} WHERE room = ?1");
        rooms.query_row(&query, [room.0 as i64], |row| row.get(0)).expect("counts")
    };
    const TABLES: [&str; 6] = ["head", "tail", "snapshot", "piece", "image", "chat"];
    let counts = |room: RoomKey| TABLES.map(|table| count(table, room));
    let complete = counts(big);
    assert_eq!(complete, [1, 8, 1, 9, 1, 1]);

    assert!(storage.delete(&name(1)).expect("deletes"));
    assert_eq!(storage.find(&name(1)).expect("finds"), None, "the room is deleted at once");
    assert_eq!(counts(big), complete, "its rows are still stored");
    let new = storage.claim(&name(1)).expect("claims").key;
    storage.append(&[append(new, 0, &["new"])]).expect("appends");
    for piece in 0..4 {
        let before: i64 = counts(big).iter().sum();
        while storage.compact().expect("maintains") && counts(big).iter().sum::<i64>() == before {}
        let after: i64 = counts(big).iter().sum();
        assert!(after < before && before - after <= 2, "piece {piece}: {before} to {after}");
        storage.append(&[append(new, 1 + piece, &["between"])]).expect("appends");
    }
    drop(storage);
    let mut storage = open(directory.path());
    assert_eq!(counts(other), complete, "the other room is unchanged");
    while storage.compact().expect("maintains") {}
    assert_eq!((counts(big), count("gone", big)), ([0; 6], 0));
    assert_eq!(counts(other), complete);
    assert_eq!(texts(&mut storage, new).len(), 5);
    drop(storage);

    // A process that ended after marking the room and before removing its name has not deleted it.
    rooms.execute("INSERT INTO gone (room) VALUES (?1)", [other.0 as i64]).expect("marks");
    let mut storage = open(directory.path());
    while storage.compact().expect("maintains") {}
    assert_eq!((counts(other), count("gone", other)), (complete, 0));
}

#[test]
fn j1_checkpoints_run_beside_commits_and_restart_the_write_ahead_log() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let mut reader = storage.reader().expect("opens").expect("SQLite has one");
    let key = storage.claim(&name(1)).expect("claims").key;
    let wal_bytes = || {
        directory
            .path()
            .join("journal.db-wal")
            .metadata()
            .expect("the log exists while the database is open")
            .len()
    };
    let record = "x".repeat(256 << 10);
    let write = |storage: &mut SqliteStorage, head: &mut u64| {
        storage.append(&[append(key, *head, &[&record])]).expect("appends");
        *head += 1;
    };
    let mut head = 0;
    for _ in 0..3 {
        while !storage.needs_checkpoint() {
            write(&mut storage, &mut head);
        }
        std::thread::scope(|scope| {
            let checkpoint = scope.spawn(|| reader.checkpoint());
            write(&mut storage, &mut head);
            checkpoint.join().expect("no panic").expect("checkpoints");
        });
        // The commits made meanwhile are in the log only; they survive an end of the process here.
        let copy = copied(directory.path());
        let mut next = open(copy.path());
        assert_eq!(next.claim(&name(1)).expect("claims").head, Revision(head));
        assert!(next.needs_checkpoint(), "the log of the previous process");
        storage.checkpoint().expect("checkpoints");
        assert!(!storage.needs_checkpoint());
    }
    let longest = wal_bytes();
    assert!(longest < 8 << 20, "less than the bytes written: {longest}");
    write(&mut storage, &mut head);
    assert_eq!(wal_bytes(), longest, "the log is overwritten from its start");
    assert_eq!(texts(&mut storage, key).len() as u64, head);
}

#[test]
fn snapshots_are_checkpointed_beside_commits() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut storage = open(directory.path());
    let mut reader = storage.reader().expect("opens").expect("SQLite has one");
    let key = storage.claim(&name(1)).expect("claims").key;
    storage.append(&[append(key, 0, &["a"])]).expect("appends");
    let snapshot = Snapshot { revision: Revision(1), bytes: Arc::from(vec![7; 6 << 20]) };
    let (mut written, mut checkpoints) = (0, 0);
    while written < snapshot.bytes.len() {
        written = storage.put_piece(key, &snapshot, written, 128 << 10).expect("writes");
        if storage.needs_checkpoint() {
            reader.checkpoint().expect("checkpoints");
            storage.checkpoint().expect("has little left to do");
            assert!(!storage.needs_checkpoint());
            checkpoints += 1;
        }
    }
    assert!(checkpoints >= 4, "{checkpoints}");
    let wal = directory.path().join("rooms.db-wal").metadata().expect("exists while it is open").len();
    assert!(wal < 3 << 20, "the log is overwritten from its start: {wal}");
    assert_eq!(storage.load(key).expect("loads").snapshot, Some(snapshot));
}
