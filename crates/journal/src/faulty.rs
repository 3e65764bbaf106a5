//! [`FaultyStorage`]: storage on a disk that fails at given rates, determined by a seed; for the
//! simulator.
//!
//! An append is first written, as the bytes of a [log](crate::log), and becomes durable with the
//! sync. If power is lost in between, each sector of the unsynced bytes may or may not be on the
//! disk.

use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::{Revision, RoomName};

use crate::{
    Append, Claim, Image, ImageId, ImagePut, Loaded, MemoryStorage, Outcome, RoomInfo, RoomKey, RoomUsage,
    Snapshot, Storage, StorageError, StoredChatMessage, StoredRecord, log,
};

/// How often in 10,000 appends each fault occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FaultRates {
    /// Nothing is stored, and the caller gets an error.
    pub full_disk: u32,
    /// The sync fails: the batch may or may not be stored, and the storage refuses all further
    /// calls.
    pub failing_sync: u32,
    /// A snapshot is lost although the caller was told that it is stored.
    pub lost_snapshot: u32,
}

/// How often each fault has occurred.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    pub full_disk: u64,
    pub failing_sync: u64,
    pub lost_snapshot: u64,
    /// Snapshots of which some pieces were written when the process ended.
    pub snapshot_broken_off: u64,
    /// Batches that were written and not synced, and of which nothing, a part or everything was on
    /// the disk afterwards.
    pub unsynced_lost: u64,
    pub unsynced_torn: u64,
    pub unsynced_kept: u64,
}

/// What ends the process, and so what happens to unsynced writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crash {
    /// `kill -9`: the operating system has the writes and completes them.
    Process,
    /// Loss of power: only synced writes are guaranteed.
    Power,
}

/// A [`MemoryStorage`] behind a faulty disk. After [`restart`](FaultyStorage::restart) it has the
/// state that a new process finds.
#[derive(Clone, Debug)]
pub struct FaultyStorage {
    disk: MemoryStorage,
    /// Written and not yet synced, as appends and as bytes.
    unsynced: Vec<Append>,
    unsynced_bytes: Vec<u8>,
    /// The disk before the first skipped sync, if the fault `SkipSync` is planted.
    synced: Option<Box<MemoryStorage>>,
    rates: FaultRates,
    faults: Faults,
    random: u64,
    is_dead: bool,
}

impl FaultyStorage {
    /// Creates storage with the given seed and fault rates.
    pub fn new(seed: u64, rates: FaultRates) -> FaultyStorage {
        FaultyStorage {
            disk: MemoryStorage::new(),
            unsynced: Vec::new(),
            unsynced_bytes: Vec::new(),
            synced: None,
            rates,
            faults: Faults::default(),
            random: seed,
            is_dead: false,
        }
    }

    /// The first half of [`append`](Storage::append): the bytes are handed to the operating system.
    pub fn write(&mut self, batch: &[Append]) -> Result<(), StorageError> {
        self.check_alive()?;
        if self.strikes(self.rates.full_disk) {
            self.faults.full_disk += 1;
            return Err(StorageError::Full);
        }
        log::write_batch(&mut self.unsynced_bytes, batch);
        self.unsynced.extend_from_slice(batch);
        Ok(())
    }

    /// The second half of [`append`](Storage::append): the written bytes are on the disk.
    pub fn sync(&mut self) -> Result<Vec<Outcome>, StorageError> {
        self.check_alive()?;
        if self.strikes(self.rates.failing_sync) {
            self.is_dead = true;
            self.faults.failing_sync += 1;
            self.crash(Crash::Power);
            return Err(StorageError::SyncFailed { reason: "injected".into() });
        }
        if is_planted(Fault::SyncSkipped) && self.synced.is_none() {
            self.synced = Some(Box::new(self.disk.clone()));
        }
        self.unsynced_bytes.clear();
        self.disk.append(&std::mem::take(&mut self.unsynced))
    }

    /// Ends the process at this point.
    pub fn crash(&mut self, crash: Crash) {
        self.faults.snapshot_broken_off += self.disk.discard_partial_snapshots();
        if let Some(synced) = self.synced.take_if(|_| crash == Crash::Power) {
            self.disk = *synced;
        }
        let whole = std::mem::take(&mut self.unsynced_bytes);
        self.unsynced.clear();
        if whole.is_empty() {
            return;
        }
        let remaining = match crash {
            Crash::Process => whole.clone(),
            Crash::Power => self.without_some_sectors(&whole),
        };
        let recovered = log::recover(&remaining);
        for batch in &recovered.batches {
            // A fenced append is recovered as nothing, as it would have been stored as nothing.
            let _ = self.disk.append(batch).expect("memory does not fail");
        }
        if crash == Crash::Power {
            let count = match () {
                () if remaining == whole => &mut self.faults.unsynced_kept,
                () if remaining.iter().all(|byte| *byte == 0) => &mut self.faults.unsynced_lost,
                () => &mut self.faults.unsynced_torn,
            };
            *count += 1;
        }
    }

    /// Returns the bytes after loss of power: sectors that were not written have their old
    /// contents, here zeros.
    fn without_some_sectors(&mut self, whole: &[u8]) -> Vec<u8> {
        let mut remaining = whole.to_vec();
        match self.next_random() % 4 {
            0 => remaining.fill(0),
            1 => {}
            _ => {
                let sector = [8, 32, 128, 512][(self.next_random() % 4) as usize];
                for chunk in remaining.chunks_mut(sector) {
                    if self.next_random().is_multiple_of(3) {
                        chunk.fill(0);
                    }
                }
            }
        }
        remaining
    }

    /// Starts the process again: the stored data is there, and appends are possible.
    pub fn restart(&mut self) {
        self.is_dead = false;
    }

    /// Stops all faults. Their counts are kept.
    pub fn heal(&mut self) {
        self.rates = FaultRates::default();
    }

    /// Returns how often each fault has occurred.
    pub fn faults(&self) -> Faults {
        self.faults
    }

    /// Returns the contents of the disk, for checkers.
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

    fn check_alive(&self) -> Result<(), StorageError> {
        if self.is_dead {
            return Err(StorageError::SyncFailed { reason: "the disk failed before".into() });
        }
        Ok(())
    }
}

impl Storage for FaultyStorage {
    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        self.check_alive()?;
        self.disk.claim(room)
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        self.check_alive()?;
        self.disk.find(room)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        self.write(batch)?;
        self.sync()
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        self.check_alive()?;
        self.disk.load(room)
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        self.check_alive()?;
        self.disk.tail(room, after, bytes_max)
    }

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        self.check_alive()?;
        self.disk.snapshot_before(room, revision)
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        self.check_alive()?;
        if from == 0 && self.strikes(self.rates.lost_snapshot) {
            self.faults.lost_snapshot += 1;
            return Ok(snapshot.bytes.len());
        }
        self.disk.put_piece(room, snapshot, from, bytes_max)
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        self.check_alive()?;
        self.disk.chat_messages(room)
    }

    fn put_chat_messages(&mut self, chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        self.check_alive()?;
        if self.strikes(self.rates.full_disk) {
            self.faults.full_disk += 1;
            return Err(StorageError::Full);
        }
        self.disk.put_chat_messages(chat_messages)
    }

    fn put_image(&mut self, room: RoomKey, image: &Image, bytes_max: u64) -> Result<ImagePut, StorageError> {
        self.check_alive()?;
        self.disk.put_image(room, image, bytes_max)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        self.check_alive()?;
        self.disk.image(room, id)
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        self.check_alive()?;
        self.disk.base(room)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.check_alive()?;
        self.disk.snapshot_revisions(room)
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        self.check_alive()?;
        self.disk.time_of(room, revision)
    }

    fn forget_before(&mut self, room: RoomKey, base: Revision) -> Result<(), StorageError> {
        self.check_alive()?;
        self.disk.forget_before(room, base)
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        self.check_alive()?;
        self.disk.delete(room)
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.check_alive()?;
        self.disk.rooms()
    }

    fn usage(&mut self, room: &RoomName) -> Result<Option<RoomUsage>, StorageError> {
        self.check_alive()?;
        self.disk.usage(room)
    }
}
