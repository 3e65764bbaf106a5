//! A disk that fails, as often as it is told and when its seed says: for the simulator.
//!
//! What is appended is written first, as the bytes of a [log](crate::log), and durable only once it was synced.
//! When the power goes in between, each sector of the unsynced bytes is on the disk or not.

use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::{Revision, RoomName};

use crate::{
    Append, Claim, Image, ImageId, ImagePut, Loaded, MemoryStorage, Outcome, RoomInfo, RoomKey, Snapshot,
    Storage, StorageError, StoredChatMessage, StoredRecord, log,
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
    pub failing_sync: u64,
    pub lost_snapshot: u64,
    /// Snapshots of which the process had written some pieces when it ended.
    pub snapshot_broken_off: u64,
    /// Batches that were written, not synced, and of which nothing, a part or everything was there afterwards.
    pub unsynced_lost: u64,
    pub unsynced_torn: u64,
    pub unsynced_kept: u64,
}

/// What the end of a process does to what it had written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crash {
    /// `kill -9`: the system still has it and will write it.
    Process,
    /// Only what was synced is sure.
    Power,
}

/// A [`MemoryStorage`] behind a faulty disk. [`restart`](FaultyStorage::restart) is what a new process finds.
#[derive(Clone, Debug)]
pub struct FaultyStorage {
    disk: MemoryStorage,
    /// Written and not synced, as appends and as bytes.
    unsynced: Vec<Append>,
    unsynced_bytes: Vec<u8>,
    /// The disk before the first sync that was left out, if one was.
    synced: Option<Box<MemoryStorage>>,
    rates: FaultRates,
    faults: Faults,
    random: u64,
    dead: bool,
}

impl FaultyStorage {
    pub fn new(seed: u64, rates: FaultRates) -> FaultyStorage {
        FaultyStorage {
            disk: MemoryStorage::new(),
            unsynced: Vec::new(),
            unsynced_bytes: Vec::new(),
            synced: None,
            rates,
            faults: Faults::default(),
            random: seed,
            dead: false,
        }
    }

    /// The first half of [`append`](Storage::append): the bytes are with the system.
    pub fn write(&mut self, batch: &[Append]) -> Result<(), StorageError> {
        self.alive()?;
        if self.strikes(self.rates.full_disk) {
            self.faults.full_disk += 1;
            return Err(StorageError::Full);
        }
        log::write_batch(&mut self.unsynced_bytes, batch);
        self.unsynced.extend_from_slice(batch);
        Ok(())
    }

    /// The second half: what was written is on the disk.
    pub fn sync(&mut self) -> Result<Vec<Outcome>, StorageError> {
        self.alive()?;
        if self.strikes(self.rates.failing_sync) {
            self.dead = true;
            self.faults.failing_sync += 1;
            self.crash(Crash::Power);
            return Err(StorageError::SyncFailed { reason: "injected".into() });
        }
        if is_planted(Fault::SkipSync) && self.synced.is_none() {
            self.synced = Some(Box::new(self.disk.clone()));
        }
        self.unsynced_bytes.clear();
        self.disk.append(&std::mem::take(&mut self.unsynced))
    }

    /// The process ends, here and now.
    pub fn crash(&mut self, crash: Crash) {
        self.faults.snapshot_broken_off += self.disk.forget_begun();
        if let Some(synced) = self.synced.take_if(|_| crash == Crash::Power) {
            self.disk = *synced;
        }
        let whole = std::mem::take(&mut self.unsynced_bytes);
        self.unsynced.clear();
        if whole.is_empty() {
            return;
        }
        let left = match crash {
            Crash::Process => whole.clone(),
            Crash::Power => self.without_some_sectors(&whole),
        };
        let recovered = log::recover(&left);
        for batch in &recovered.batches {
            // Fenced appends are recovered as nothing, as they would have been stored as nothing.
            let _ = self.disk.append(batch).expect("memory does not fail");
        }
        if crash == Crash::Power {
            let count = match () {
                () if left == whole => &mut self.faults.unsynced_kept,
                () if left.iter().all(|byte| *byte == 0) => &mut self.faults.unsynced_lost,
                () => &mut self.faults.unsynced_torn,
            };
            *count += 1;
        }
    }

    /// What is found after the power went: sectors that had not been written are as they were, here zero.
    fn without_some_sectors(&mut self, whole: &[u8]) -> Vec<u8> {
        let mut left = whole.to_vec();
        match self.next_random() % 4 {
            0 => left.fill(0),
            1 => {}
            _ => {
                let sector = [8, 32, 128, 512][(self.next_random() % 4) as usize];
                for chunk in left.chunks_mut(sector) {
                    if self.next_random().is_multiple_of(3) {
                        chunk.fill(0);
                    }
                }
            }
        }
        left
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
        self.write(batch)?;
        self.sync()
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

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        self.alive()?;
        self.disk.snapshot_before(room, revision)
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        self.alive()?;
        if from == 0 && self.strikes(self.rates.lost_snapshot) {
            self.faults.lost_snapshot += 1;
            return Ok(snapshot.bytes.len());
        }
        self.disk.put_piece(room, snapshot, from, bytes_max)
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        self.alive()?;
        self.disk.chat_messages(room)
    }

    fn send_chat_message(&mut self, chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        self.alive()?;
        if self.strikes(self.rates.full_disk) {
            self.faults.full_disk += 1;
            return Err(StorageError::Full);
        }
        self.disk.send_chat_message(chat_messages)
    }

    fn put_image(&mut self, room: RoomKey, image: &Image, bytes_max: u64) -> Result<ImagePut, StorageError> {
        self.alive()?;
        self.disk.put_image(room, image, bytes_max)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        self.alive()?;
        self.disk.image(room, id)
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        self.alive()?;
        self.disk.base(room)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.alive()?;
        self.disk.snapshot_revisions(room)
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        self.alive()?;
        self.disk.time_of(room, revision)
    }

    fn forget_before(&mut self, room: RoomKey, base: Revision) -> Result<(), StorageError> {
        self.alive()?;
        self.disk.forget_before(room, base)
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
