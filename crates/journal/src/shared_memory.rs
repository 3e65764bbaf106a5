//! [`SharedMemory`]: a model of the database that several servers use, for the simulator.
//!
//! Each method is what one statement or transaction of `storage-postgres` does, so that a simulated network
//! can delay or lose a statement or its answer. The rules O1 to O5 are in `node.rs` of that crate.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::{Revision, RoomName};

use crate::ownership::{Commit, Epoch, Heartbeat, RoomCommit};
use crate::{
    Append, Claim, MemoryStorage, Outcome, PeerId, RoomKey, Snapshot, Storage, StorageError, StoredRecord,
};

/// The tables of the database.
#[derive(Clone, Debug, Default)]
pub struct SharedMemory {
    /// Rooms, records and snapshots.
    rooms: MemoryStorage,
    /// `node`: the beat of each server, and whether it is connected.
    nodes: BTreeMap<PeerId, (i64, bool)>,
    last_node: u64,
    /// `room_owner`.
    owners: BTreeMap<RoomName, (PeerId, Epoch)>,
    last_epoch: i64,
    /// `room_head.epoch`, of rooms with records.
    head_epochs: BTreeMap<RoomKey, Epoch>,
    /// The epoch of each record, for checkers.
    record_epochs: BTreeMap<RoomKey, Vec<Epoch>>,
}

/// The result of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claimed {
    /// The room is claimed. `is_written` says whether it has records.
    Own { epoch: Epoch, claim: Claim, is_written: bool },
    /// Another server has the room.
    Elsewhere { owner: PeerId },
    /// The server that claims has lost its row (O4).
    Replaced,
}

impl SharedMemory {
    /// Adds a server (O1).
    pub fn join(&mut self) -> PeerId {
        self.last_node += 1;
        let node = PeerId(self.last_node);
        self.nodes.insert(node, (0, true));
        node
    }

    /// Removes a server, which releases its rooms (O5).
    pub fn leave(&mut self, node: PeerId) {
        self.nodes.remove(&node);
        self.owners.retain(|_, (owner, _)| *owner != node);
    }

    /// Notes whether a server has a connection.
    pub fn set_connected(&mut self, node: PeerId, is_connected: bool) {
        if let Some((_, connected)) = self.nodes.get_mut(&node) {
            *connected = is_connected;
        }
    }

    /// Raises the beat. Returns whether the server still has its row.
    pub fn beat(&mut self, node: PeerId) -> bool {
        let row = self.nodes.get_mut(&node);
        row.map(|(beat, _)| *beat += 1).is_some()
    }

    /// Returns whether the server still has its row.
    pub fn is_joined(&self, node: PeerId) -> bool {
        self.nodes.contains_key(&node)
    }

    /// Returns the heartbeats of the other servers.
    pub fn heartbeats(&self, node: PeerId) -> Vec<Heartbeat> {
        let others = self.nodes.iter().filter(|(peer, _)| **peer != node);
        others
            .map(|(peer, (beat, is_connected))| Heartbeat {
                peer: *peer,
                beat: *beat,
                is_connected: *is_connected,
            })
            .collect()
    }

    /// Removes a silent server, unless its beat has changed. Returns whether it was removed (O3).
    pub fn remove(&mut self, silent: Heartbeat) -> bool {
        let is_silent = self.nodes.get(&silent.peer).is_some_and(|(beat, _)| *beat == silent.beat);
        if is_silent {
            self.leave(silent.peer);
        }
        is_silent
    }

    /// Claims a room (O2).
    ///
    /// # Errors
    /// Those of the storage in memory.
    pub fn claim(&mut self, node: PeerId, room: &RoomName) -> Result<Claimed, StorageError> {
        if !self.is_joined(node) {
            return Ok(Claimed::Replaced);
        }
        match self.owner(room) {
            Some(owner) if owner != node && !is_planted(Fault::ClaimsNotAwaited) => {
                return Ok(Claimed::Elsewhere { owner });
            }
            _ => {}
        }
        self.last_epoch += 1;
        let epoch = Epoch(self.last_epoch);
        self.owners.insert(room.clone(), (node, epoch));
        let claim = self.rooms.claim(room)?;
        if let Some(head_epoch) = self.head_epochs.get_mut(&claim.key) {
            *head_epoch = epoch;
        }
        Ok(Claimed::Own { epoch, claim, is_written: claim.head > Revision(0) })
    }

    /// Returns the server that has a room.
    pub fn owner(&self, room: &RoomName) -> Option<PeerId> {
        self.owners.get(room).map(|(owner, _)| *owner)
    }

    /// Releases a room (O5).
    pub fn release(&mut self, room: &RoomName, epoch: Epoch) {
        if self.owners.get(room).is_some_and(|(_, known)| *known == epoch) {
            self.owners.remove(room);
        }
    }

    /// Gives a room to another server, or releases it when that has left (O6).
    pub fn hand_over(&mut self, room: &RoomName, epoch: Epoch, heir: PeerId) {
        match self.owners.get_mut(room) {
            Some((owner, known)) if *known == epoch && self.nodes.contains_key(&heir) => *owner = heir,
            _ => self.release(room, epoch),
        }
    }

    /// Returns whether a claim is the last one of a room with records (O2).
    pub fn is_current(&self, room: RoomKey, epoch: Epoch) -> bool {
        self.head_epochs
            .get(&room)
            .is_some_and(|known| *known == epoch || is_planted(Fault::EpochsNotChecked))
    }

    /// Stores the records of the rooms whose heads are where the batch expects them and have the epochs of its
    /// claims. Returns these rooms.
    ///
    /// # Errors
    /// Those of the storage in memory.
    pub fn append(&mut self, batch: &[Append], commit: &Commit) -> Result<Vec<RoomKey>, StorageError> {
        let mut stored = Vec::new();
        for room in commit.rooms() {
            if let Some(new) = &room.new
                && self.owners.get(&new.name).is_some_and(|(_, epoch)| *epoch == room.epoch)
            {
                self.head_epochs.entry(room.room).or_insert(room.epoch);
            }
            let is_at_base = self.head(room.room) == room.base;
            if !is_at_base || !self.is_current(room.room, room.epoch) {
                continue;
            }
            let appends: Vec<Append> = room.appends.iter().map(|index| batch[*index].clone()).collect();
            let outcomes = self.rooms.append(&appends)?;
            debug_assert!(!outcomes.contains(&Outcome::Fenced), "the head was compared");
            let records = (room.last.0 - room.base.0) as usize;
            let epochs = self.record_epochs.entry(room.room).or_default();
            epochs.extend(std::iter::repeat_n(room.epoch, records));
            stored.push(room.room);
        }
        Ok(stored)
    }

    /// Returns whether the records of a room are stored, and are its last ones.
    pub fn is_stored(&self, batch: &[Append], room: &RoomCommit) -> bool {
        let mut sent = room.appends.iter().flat_map(|index| {
            let append = &batch[*index];
            append.records.iter().zip(append.base.0 + 1..)
        });
        let stored = self.rooms.records(room.room);
        let is_equal = |(bytes, revision): (&Arc<[u8]>, u64)| {
            stored.get(revision as usize - 1).is_some_and(|record| record.bytes == *bytes)
        };
        self.head(room.room) == room.last && sent.all(is_equal)
    }

    /// Writes a piece of a snapshot, like [`Storage::put_piece`], if the claim is the last one.
    ///
    /// # Errors
    /// `Engine` when another server has claimed the room.
    pub fn put_piece(
        &mut self,
        (room, epoch): (RoomKey, Epoch),
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        if !self.is_current(room, epoch) || snapshot.revision > self.head(room) {
            return Err(StorageError::Engine { reason: "another server has claimed the room".into() });
        }
        self.rooms.put_piece(room, snapshot, from, bytes_max)
    }

    /// Deletes a room with its claim. Returns whether it existed.
    ///
    /// # Errors
    /// Those of the storage in memory.
    pub fn delete(&mut self, room: &RoomName, key: RoomKey) -> Result<bool, StorageError> {
        self.head_epochs.remove(&key);
        self.owners.remove(room);
        self.rooms.delete(room)
    }

    /// The rooms, for reading and for what needs no claim.
    pub fn rooms(&mut self) -> &mut MemoryStorage {
        &mut self.rooms
    }

    /// The records of a room, for checkers.
    pub fn records(&self, room: RoomKey) -> &[StoredRecord] {
        self.rooms.records(room)
    }

    /// The epoch of the claim with which each record of a room was stored, for checkers.
    pub fn record_epochs(&self, room: RoomKey) -> &[Epoch] {
        self.record_epochs.get(&room).map_or(&[], Vec::as_slice)
    }

    fn head(&self, room: RoomKey) -> Revision {
        self.rooms.records(room).last().map_or(Revision(0), |record| record.revision)
    }
}
