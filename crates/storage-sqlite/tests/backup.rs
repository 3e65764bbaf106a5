//! Copies of a data directory: complete, as of one moment, and with new incarnations once restored.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quadrille_journal::{Append, Snapshot, Storage, StorageError};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_sqlite::{
    Reader, SqliteStorage, check, close_copy, copy_directory, existing_database, renew_incarnations,
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

fn name(room: &str) -> RoomName {
    RoomName::new(room).expect("a name")
}

/// Appends a record to each room, all in one commit.
fn append(storage: &mut SqliteStorage, rooms: &[&str], revision: u64) {
    let batch: Vec<Append> = rooms
        .iter()
        .map(|room| Append {
            room: storage.claim(&name(room)).expect("claims").key,
            base: Revision(revision - 1),
            records: vec![Arc::from(format!("{room} {revision} {}", "x".repeat(500)).as_bytes())],
            time_ms: revision as i64,
        })
        .collect();
    storage.append(&batch).expect("appends");
}

fn head(directory: &Path, room: &str) -> Option<u64> {
    let mut storage = SqliteStorage::open(directory).expect("opens");
    storage.find(&name(room)).expect("finds").map(|claim| claim.head.0)
}

#[test]
fn a_copy_made_beside_a_writer_has_every_acknowledged_record_and_no_half_commit() {
    let data = tempfile::tempdir().expect("a directory");
    let copies = tempfile::tempdir().expect("a directory");
    let mut storage = SqliteStorage::open(data.path()).expect("opens");
    append(&mut storage, &["left", "right"], 1);
    let acknowledged = std::sync::atomic::AtomicU64::new(1);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for revision in 2.. {
                append(&mut storage, &["left", "right"], revision);
                acknowledged.store(revision, Ordering::SeqCst);
                // Moves records between the two databases, as servers do.
                storage.compact_fully().expect("compacts");
                if is_done.load(Ordering::SeqCst) {
                    break;
                }
            }
        });
        for number in 0..8 {
            let copy = copies.path().join(number.to_string());
            std::fs::create_dir(&copy).expect("a directory");
            let before = acknowledged.load(Ordering::SeqCst);
            copy_directory(data.path(), &copy).expect("copies");
            let findings = check(&copy, &mut AnyContents).expect("checks");
            assert_eq!(findings.damages, []);
            let (left, right) = (head(&copy, "left"), head(&copy, "right"));
            assert_eq!(left, right, "a commit is in the copy completely or not at all");
            assert!(left >= Some(before), "{left:?} of {before}");
        }
        is_done.store(true, Ordering::SeqCst);
    });
}

#[test]
fn a_copy_can_be_copied_from_a_medium_that_is_not_writable() {
    let [data, backup, restored] = [(); 3].map(|()| tempfile::tempdir().expect("a directory"));
    let mut storage = SqliteStorage::open(data.path()).expect("opens");
    append(&mut storage, &["plan"], 1);
    copy_directory(data.path(), backup.path()).expect("copies");
    check(backup.path(), &mut AnyContents).expect("checks");
    close_copy(backup.path()).expect("closes");
    let files: Vec<String> = std::fs::read_dir(backup.path())
        .expect("lists")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|file| file.contains("-wal") || file.contains("-shm"))
        .collect();
    assert_eq!(files, Vec::<String>::new());
    copy_directory(backup.path(), restored.path()).expect("copies");
    assert_eq!(head(restored.path(), "plan"), Some(1));
}

#[test]
fn restored_rooms_have_incarnations_of_their_own() {
    let [data, restored] = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let mut storage = SqliteStorage::open(data.path()).expect("opens");
    append(&mut storage, &["a", "b"], 1);
    copy_directory(data.path(), restored.path()).expect("copies");
    let mut seen = Vec::new();
    for room in ["a", "b"] {
        seen.push(storage.claim(&name(room)).expect("claims").incarnation);
    }
    // Restored twice, since a client may have seen the first one.
    for _ in 0..2 {
        renew_incarnations(restored.path()).expect("renews");
        let mut storage = SqliteStorage::open(restored.path()).expect("opens");
        for room in ["a", "b"] {
            let incarnation = storage.claim(&name(room)).expect("claims").incarnation;
            assert!(!seen.contains(&incarnation));
            assert!(incarnation.0 < 1 << 53);
            seen.push(incarnation);
        }
        drop(storage);
        // They do not change with the next start.
        let mut storage = SqliteStorage::open(restored.path()).expect("opens");
        assert_eq!(Some(&storage.claim(&name("b")).expect("claims").incarnation), seen.last());
    }
}

#[test]
fn what_is_not_a_data_directory_and_what_has_data_is_refused() {
    let [data, other] = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let refusal = |from: &Path, to: &Path| match copy_directory(from, to) {
        Err(StorageError::Inaccessible { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let reason = refusal(other.path(), data.path());
    assert_eq!(reason, "it is not a data directory or a backup: it has no journal.db");
    assert_eq!(existing_database(data.path()), None);
    drop(SqliteStorage::open(data.path()).expect("opens"));
    copy_directory(data.path(), other.path()).expect("copies");
    let reason = refusal(data.path(), other.path());
    assert_eq!(reason, "it already has data (rooms.db); move them to another place first");
}
