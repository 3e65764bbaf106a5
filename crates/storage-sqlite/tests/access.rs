//! The embedded access store keeps the promises A1 to A5, over restarts, and finds damage.

use quadrille_access::{
    AccessError, AccessStore, AccountId, AuditFilter, GeneralAccess, Quota, QuotaSubject, Version,
    WorkbookAccess, conformance,
};
use quadrille_protocol::RoomName;
use quadrille_storage_sqlite::{AccessDamage, SqliteAccessStore, check_access, repair_access};
use rusqlite::Connection;

fn room(name: &str) -> RoomName {
    RoomName::new(name).expect("a valid name")
}

fn owned() -> WorkbookAccess {
    WorkbookAccess::with_owner(AccountId(7), GeneralAccess::Restricted, 1)
}

#[test]
fn sqlite_keeps_the_promises() {
    let mut directories = Vec::new();
    conformance::run(&mut || {
        let directory = tempfile::tempdir().expect("a directory");
        let store = SqliteAccessStore::open(directory.path()).expect("a new store");
        directories.push(directory);
        Box::new(store)
    });
}

#[test]
fn documents_survive_a_restart() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut store = SqliteAccessStore::open(directory.path()).expect("a new store");
    store.put_workbook(&room("sales"), Version(0), Some(&owned()), &[]).expect("stored");
    drop(store);
    let mut store = SqliteAccessStore::open(directory.path()).expect("the same store");
    let stored = store.workbook(&room("sales")).expect("readable").expect("stored");
    assert_eq!((stored.version, stored.value), (Version(1), owned()));
}

#[test]
fn a_file_of_a_newer_program_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    drop(SqliteAccessStore::open(directory.path()).expect("a new store"));
    let database = Connection::open(directory.path().join("access.db")).expect("a database");
    database.pragma_update(None, "user_version", 99).expect("written");
    drop(database);
    let refused = SqliteAccessStore::open(directory.path()).err();
    assert_eq!(refused, Some(AccessError::NewerFormat { found: 99, known: 4 }));
}

#[test]
fn a_file_of_the_first_format_is_migrated() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut store = SqliteAccessStore::open(directory.path()).expect("a new store");
    store.put_workbook(&room("sales"), Version(0), Some(&owned()), &[]).expect("stored");
    drop(store);
    let database = Connection::open(directory.path().join("access.db")).expect("a database");
    database.execute_batch("DROP TABLE quota; PRAGMA user_version = 1").expect("as format 1");
    drop(database);
    assert_eq!(check_access(directory.path()), Ok(vec![]), "the check reads files of older formats");
    let mut store = SqliteAccessStore::open(directory.path()).expect("migrated");
    assert_eq!(store.workbook(&room("sales")).expect("readable").expect("stored").value, owned());
    let quota = Quota { workbooks: Some(3), ..Quota::default() };
    let tenant = QuotaSubject::Tenant("sheets.example.org".into());
    store.put_quota(&tenant, Some(&quota), &[]).expect("stored");
    assert_eq!(store.quotas(), Ok(vec![(tenant, quota)]));
}

#[test]
fn damage_is_found_and_repaired() {
    let directory = tempfile::tempdir().expect("a directory");
    assert_eq!(check_access(directory.path()), Ok(vec![]), "no file, no damage");
    let mut store = SqliteAccessStore::open(directory.path()).expect("a new store");
    for name in ["kept", "damaged"] {
        store.put_workbook(&room(name), Version(0), Some(&owned()), &[]).expect("stored");
    }
    drop(store);
    assert_eq!(check_access(directory.path()), Ok(vec![]));
    let database = Connection::open(directory.path().join("access.db")).expect("a database");
    database
        .execute_batch(
            "UPDATE workbook SET document = '{' WHERE room = 'damaged';
             UPDATE workbook SET trashed_ms = 5 WHERE room = 'kept';
             INSERT INTO quota VALUES ('account:0000000000000007', '{');
             DELETE FROM workbook_person WHERE room = 'kept'",
        )
        .expect("damaged");
    drop(database);
    let mut store = SqliteAccessStore::open(directory.path()).expect("still a database");
    assert!(matches!(store.workbook(&room("damaged")), Err(AccessError::Damaged { .. })));
    drop(store);
    let found = check_access(directory.path()).expect("a readable file");
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(matches!(&found[0], AccessDamage::Row { table: "workbook", key, .. } if key == "damaged"));
    assert!(matches!(&found[1], AccessDamage::Row { table: "quota", .. }));
    assert_eq!(found[2], AccessDamage::Index { table: "workbook_trashed" });
    assert_eq!(found[3], AccessDamage::Index { table: "workbook_person" });
    assert_eq!(repair_access(directory.path()), Ok(found));
    assert_eq!(check_access(directory.path()), Ok(vec![]));
    let mut store = SqliteAccessStore::open(directory.path()).expect("repaired");
    assert_eq!(store.workbooks_of(AccountId(7), None, None, 9).expect("readable")[0].room, room("kept"));
    assert_eq!(store.audit(&AuditFilter::default(), 9), Ok(vec![]));
}
