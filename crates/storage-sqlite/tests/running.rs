//! A data directory that is read beside the program that writes it: what has changed between two read transactions.

use std::path::Path;
use std::sync::Arc;

use quadrille_access::{
    AccessStore as _, Comparison, GeneralAccess, Secret, SecretKind, StoreChanges, Version, WorkbookAccess,
};
use quadrille_journal::{Append, Image, ImageId, RoomKey, Storage as _, StoredChatMessage};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_sqlite::{RunningDirectory, SqliteAccessStore, SqliteStorage};

fn name(text: &str) -> RoomName {
    RoomName::new(text).expect("a valid name")
}

/// Stores records, and returns the number of the room.
fn append(storage: &mut SqliteStorage, room: &str, records: usize, bytes: usize) -> RoomKey {
    let claim = storage.claim(&name(room)).expect("claimed");
    let records = vec![Arc::from(vec![7; bytes]); records];
    let append = Append { room: claim.key, base: claim.head, records, time_ms: 5 };
    storage.append(&[append]).expect("stored");
    claim.key
}

/// The next read transaction, whose changes are known.
fn changes(running: &mut RunningDirectory) -> StoreChanges {
    match running.next_transaction().expect("readable") {
        Comparison::Changed(changes) => changes,
        other => panic!("{other:?}"),
    }
}

fn rooms(changes: &StoreChanges) -> Vec<&str> {
    changes.rooms.iter().map(RoomName::as_str).collect()
}

fn head(running: &mut RunningDirectory, room: &str) -> Option<u64> {
    running.rooms.find(&name(room)).expect("readable").map(|claim| claim.head.0)
}

fn open(directory: &Path) -> (SqliteStorage, SqliteAccessStore) {
    let storage = SqliteStorage::open(directory).expect("opens");
    (storage, SqliteAccessStore::open(directory).expect("opens"))
}

#[test]
fn a_transaction_knows_what_has_changed_and_does_not_see_later_changes() {
    let directory = tempfile::tempdir().expect("a directory");
    let (mut storage, mut access) = open(directory.path());
    append(&mut storage, "apples", 2, 10);
    append(&mut storage, "bread", 1, 10);
    let mut running = RunningDirectory::open(directory.path()).expect("opens");
    append(&mut storage, "apples", 1, 10);
    assert_eq!(head(&mut running, "apples"), Some(2), "the transaction begun on opening");

    let found = changes(&mut running);
    assert_eq!((rooms(&found), head(&mut running, "apples")), (vec!["apples"], Some(3)));
    assert_eq!(running.rooms.tail(RoomKey(1), Revision(0), usize::MAX).expect("readable").len(), 3);
    assert!(matches!(running.next_transaction(), Ok(Comparison::Same)));

    let cheese = append(&mut storage, "cheese", 1, 10);
    let message =
        StoredChatMessage { room: RoomKey(2), number: 1, bytes: Arc::from(&b"x"[..]), forget_up_to: 0 };
    storage.put_chat_messages(&[message]).expect("stored");
    let image = Image { id: ImageId([1; 32]), bytes: Arc::from(&b"png"[..]) };
    storage.put_image(cheese, &image, 100).expect("stored");
    let found = changes(&mut running);
    assert_eq!(rooms(&found), ["bread", "cheese"]);
    assert_eq!(running.rooms.chat_messages(RoomKey(2)).expect("readable").len(), 1);
    assert!(running.rooms.image(cheese, image.id).expect("readable").is_some());

    storage.delete(&name("bread")).expect("deleted");
    append(&mut storage, "bread", 4, 10);
    let found = changes(&mut running);
    assert_eq!((rooms(&found), found.deleted.len()), (vec!["bread"], 1));
    assert_eq!(head(&mut running, "bread"), Some(4));

    let key = Secret::new(SecretKind::OwnerKey, [7; 24]);
    let document = WorkbookAccess::with_owner_key(&key, GeneralAccess::Restricted, 0);
    access.put_workbook(&name("cheese"), Version(0), Some(&document), &[]).expect("stored");
    let found = changes(&mut running);
    let tables: Vec<&str> = found.rows.iter().map(|(table, _)| table.name).collect();
    assert_eq!((rooms(&found), tables), (vec![], vec!["workbook"]));
}

#[test]
fn compaction_hides_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let (mut storage, _access) = open(directory.path());
    append(&mut storage, "apples", 1, 10);
    let mut running = RunningDirectory::open(directory.path()).expect("opens");
    running.end_transaction().expect("ends");
    // Rows that were read are moved: nothing but that has happened.
    storage.compact_fully().expect("compacted");
    assert!(matches!(running.next_transaction(), Ok(Comparison::Unknown)), "the log is empty");
    assert_eq!(head(&mut running, "apples"), Some(1));
    append(&mut storage, "apples", 1, 10);
    assert!(
        matches!(running.next_transaction(), Ok(Comparison::Unknown)),
        "a new log, whose rows may begin anew"
    );
    append(&mut storage, "bread", 1, 10);
    assert_eq!(rooms(&changes(&mut running)), ["bread"]);
    running.end_transaction().expect("ends");
    // Rows that were not read are moved.
    append(&mut storage, "cheese", 1, 10);
    storage.compact_fully().expect("compacted");
    assert!(matches!(running.next_transaction(), Ok(Comparison::Unknown)));
    assert_eq!(head(&mut running, "cheese"), Some(1));
    // After a restart, rows have numbers that were given before.
    drop(storage);
    running.end_transaction().expect("ends");
    let mut storage = SqliteStorage::open(directory.path()).expect("opens");
    append(&mut storage, "apples", 1, 10);
    assert!(!matches!(running.next_transaction(), Ok(Comparison::Same)));
    assert_eq!((head(&mut running, "apples"), head(&mut running, "bread")), (Some(3), Some(1)));
}

#[test]
fn another_directory_in_its_place_is_noticed() {
    let parent = tempfile::tempdir().expect("a directory");
    let directory = parent.path().join("data");
    let (mut storage, access) = open(&directory);
    append(&mut storage, "apples", 5, 10);
    let mut running = RunningDirectory::open(&directory).expect("opens");
    running.end_transaction().expect("ends");
    drop((storage, access));
    std::fs::rename(&directory, parent.path().join("old")).expect("renamed");
    let (mut storage, _access) = open(&directory);
    append(&mut storage, "apples", 1, 10);
    assert!(matches!(running.next_transaction(), Ok(Comparison::Unknown)));
    assert_eq!(head(&mut running, "apples"), Some(1));
}
