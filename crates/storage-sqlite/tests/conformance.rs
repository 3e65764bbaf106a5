//! The suite of `journal::conformance` over real files. `promises.rs` adds damage and other processes.

use quadrille_journal::Storage;
use quadrille_journal::conformance::{self, StorageUnderTest};
use quadrille_storage_sqlite::SqliteStorage;

struct Files {
    /// `None` only while it is opened again.
    storage: Option<SqliteStorage>,
    directory: tempfile::TempDir,
}

impl StorageUnderTest for Files {
    fn storage(&mut self) -> &mut dyn Storage {
        self.storage.as_mut().expect("open between calls")
    }

    fn restart(&mut self) {
        // The directory is locked until the storage is closed.
        self.storage = None;
        self.storage = Some(SqliteStorage::open(self.directory.path()).expect("opens"));
    }
}

#[test]
fn sqlite_storage_is_a_storage() {
    conformance::run(&mut || {
        let directory = tempfile::tempdir().expect("temporary directory");
        let storage = Some(SqliteStorage::open(directory.path()).expect("opens"));
        Box::new(Files { storage, directory })
    });
}

#[test]
fn sqlite_storage_takes_copies() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let storage = Some(SqliteStorage::open(directory.path()).expect("opens"));
    conformance::run_copies(Box::new(Files { storage, directory }));
}

#[test]
fn sqlite_storage_takes_references_to_objects() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let storage = Some(SqliteStorage::open(directory.path()).expect("opens"));
    conformance::run_objects(Box::new(Files { storage, directory }));
}
