//! A disk that fails, as often as it is told and when its seed says: for the simulator.

use quadrille_protocol::{Revision, RoomName};

use crate::{
    Append, Claim, Loaded, MemoryStorage, Outcome, RoomInfo, RoomKey, Snapshot, Storage, StorageError,
    StoredRecord,
};

/// How often in 10,000 appends each fault strikes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FaultRates {
    /// Nothing is stored, and the caller is told so.
    pub full_disk: u32,
    /// The sync fails: the batch is stored or not, the caller does not know, and the storage is dead.
    pub failing_sync: u32,
    /// A snapshot is lost although the caller was told that it is kept.
    pub lost_snapshot: u32,
}

/// How often each fault struck.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    pub full_disk: u64,
    pub failing_sync_stored: u64,
    pub failing_sync_lost: u64,
    pub lost_snapshot: u64,
}

/// A [`MemoryStorage`] behind a faulty disk. [`restart`](FaultyStorage::restart) is what a new process finds.
#[derive(Clone, Debug)]
pub struct FaultyStorage {
    disk: MemoryStorage,
    rates: FaultRates,
    faults: Faults,
    random: u64,
    dead: bool,
}

impl FaultyStorage {
    pub fn new(seed: u64, rates: FaultRates) -> FaultyStorage {
        FaultyStorage {
            disk: MemoryStorage::new(),
            rates,
            faults: Faults::default(),
            random: seed,
            dead: false,
        }
    }

    /// The machine comes up again: what was stored is there, and appends are possible.
    pub fn restart(&mut self) {
        self.dead = false;
    }

    /// From now on no fault strikes; what struck stays counted.
    pub fn heal(&mut self) {
        self.rates = FaultRates::default();
    }

    pub fn faults(&self) -> Faults {
        self.faults
    }

    /// What is on the disk, for checkers.
    pub fn disk(&self) -> &MemoryStorage {
        &self.disk
    }

    fn strikes(&mut self, in_ten_thousand: u32) -> bool {
        self.next_random() % 10_000 < u64::from(in_ten_thousand)
    }

    /// SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*, OOPSLA 2014).
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn alive(&self) -> Result<(), StorageError> {
        if self.dead {
            return Err(StorageError::SyncFailed { reason: "the disk failed before".into() });
        }
        Ok(())
    }
}

impl Storage for FaultyStorage {
    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        self.alive()?;
        self.disk.claim(room)
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        self.alive()?;
        self.disk.find(room)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        self.alive()?;
        if self.strikes(self.rates.full_disk) {
            self.faults.full_disk += 1;
            return Err(StorageError::Full);
        }
        if self.strikes(self.rates.failing_sync) {
            self.dead = true;
            if self.next_random().is_multiple_of(2) {
                self.faults.failing_sync_stored += 1;
                self.disk.append(batch)?;
            } else {
                self.faults.failing_sync_lost += 1;
            }
            return Err(StorageError::SyncFailed { reason: "injected".into() });
        }
        self.disk.append(batch)
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        self.alive()?;
        self.disk.load(room)
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        self.alive()?;
        self.disk.tail(room, after, bytes_max)
    }

    fn put_snapshot(&mut self, room: RoomKey, snapshot: &Snapshot) -> Result<(), StorageError> {
        self.alive()?;
        if self.strikes(self.rates.lost_snapshot) {
            self.faults.lost_snapshot += 1;
            return Ok(());
        }
        self.disk.put_snapshot(room, snapshot)
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        self.alive()?;
        self.disk.delete(room)
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.alive()?;
        self.disk.rooms()
    }
}
