//! The suite of `conformance` over the storage in memory, and over the faulty one without faults.

use quadrille_journal::conformance::{self, StorageUnderTest};
use quadrille_journal::{Crash, FaultRates, FaultyStorage, MemoryStorage, Storage};

/// What a process in a simulation has; another finds what was in memory.
struct InMemory(MemoryStorage);

impl StorageUnderTest for InMemory {
    fn storage(&mut self) -> &mut dyn Storage {
        &mut self.0
    }

    fn restart(&mut self) {}
}

struct Faulty(FaultyStorage);

impl StorageUnderTest for Faulty {
    fn storage(&mut self) -> &mut dyn Storage {
        &mut self.0
    }

    fn restart(&mut self) {
        self.0.crash(Crash::Power);
        self.0.restart();
    }
}

#[test]
fn memory_storage_is_a_storage() {
    conformance::run(&mut || Box::new(InMemory(MemoryStorage::new())));
}

#[test]
fn memory_storage_takes_references_to_objects() {
    conformance::run_objects(Box::new(InMemory(MemoryStorage::new())));
}

#[test]
fn faulty_storage_without_faults_is_a_storage() {
    conformance::run(&mut || Box::new(Faulty(FaultyStorage::new(1, FaultRates::default()))));
}
