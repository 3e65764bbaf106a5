//! The suites of `journal::conformance` and `access::conformance` over a real server.

use quadrille_access::AccessStore;
use quadrille_journal::Storage;
use quadrille_journal::conformance::{self, StorageUnderTest};
use quadrille_storage_postgres::{Address, PostgresAccessStore, PostgresStorage};
use quadrille_test_database::TestDatabase;

struct InDatabase {
    /// `None` only while it is opened again.
    storage: Option<PostgresStorage>,
    address: Address,
}

impl StorageUnderTest for InDatabase {
    fn storage(&mut self) -> &mut dyn Storage {
        self.storage.as_mut().expect("open between calls")
    }

    fn restart(&mut self) {
        // The storage has the rooms that it has claimed until it is closed.
        self.storage = None;
        self.storage = Some(open(&self.address));
    }
}

fn open(address: &Address) -> PostgresStorage {
    PostgresStorage::open(address, "").expect("opens")
}

fn address(server: &TestDatabase) -> Address {
    Address::parse(&server.create(), None).expect("the address of the test's database")
}

#[test]
fn postgres_storage_is_a_storage() {
    let server = TestDatabase::shared();
    conformance::run(&mut || {
        let address = address(server);
        Box::new(InDatabase { storage: Some(open(&address)), address })
    });
}

#[test]
fn postgres_storage_takes_copies() {
    let server = TestDatabase::shared();
    let address = address(server);
    conformance::run_copies(Box::new(InDatabase { storage: Some(open(&address)), address }));
}

#[test]
fn postgres_storage_takes_references_to_objects() {
    let server = TestDatabase::shared();
    let address = address(server);
    conformance::run_objects(Box::new(InDatabase { storage: Some(open(&address)), address }));
}

#[test]
fn postgres_access_store_is_an_access_store() {
    let server = TestDatabase::shared();
    quadrille_access::conformance::run(&mut || -> Box<dyn AccessStore> {
        Box::new(PostgresAccessStore::open(&address(server)).expect("a new store"))
    });
    // What was stored is there for another process.
    let address = address(server);
    let secret = PostgresAccessStore::open(&address).expect("a new store").server_secret("name", &[1; 32]);
    let again = PostgresAccessStore::open(&address).expect("the same store").server_secret("name", &[2; 32]);
    assert_eq!((secret, again), (Ok([1; 32]), Ok([1; 32])));
}
