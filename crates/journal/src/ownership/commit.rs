//! [`Commit`]: a batch of appends that is sent to a storage whose answers may be lost.
//!
//! When an answer is lost, whether the batch is stored is unknown. It is then sent again. Heads that the
//! first attempt has moved do not match any more, so nothing is stored twice; for those rooms the stored
//! records are compared with the sent ones. Records contain the identity of their author and its counter, so
//! equal bytes at the same revision are the same records.

use std::collections::BTreeMap;

use quadrille_fault_injection::{Fault, is_planted};
use quadrille_protocol::{Revision, RoomName};

use super::{ClaimedRooms, Epoch, Head};
use crate::{Append, Outcome, RoomKey};

/// The accepted appends of a batch, and how often they were sent.
#[derive(Clone, Debug)]
pub struct Commit {
    rooms: Vec<RoomCommit>,
    /// For each append of the batch.
    accepted: Vec<bool>,
    attempts: u32,
}

/// The records of one room in a batch.
#[derive(Clone, Debug)]
pub struct RoomCommit {
    pub room: RoomKey,
    /// The claim that allows it (O2).
    pub epoch: Epoch,
    /// Revision before the first record.
    pub base: Revision,
    /// Revision of the last record.
    pub last: Revision,
    /// The time of the last append.
    pub time_ms: i64,
    /// Positions of the appends in the batch.
    pub appends: Vec<usize>,
    /// Present for a room without records.
    pub new: Option<NewRoom>,
}

/// A room that does not exist yet.
#[derive(Clone, Debug)]
pub struct NewRoom {
    pub name: RoomName,
    pub created_ms: i64,
}

impl Commit {
    /// Accepts the appends of rooms that this server has claimed and that continue at their room's head in
    /// memory, after the earlier ones of the batch (J3). Those of a room are together, in the order of the
    /// rooms' numbers: two servers that append to the same rooms lock them in the same order.
    pub fn new(batch: &[Append], heads: &BTreeMap<RoomKey, Head>, claimed: &ClaimedRooms) -> Commit {
        let mut ends: BTreeMap<RoomKey, Revision> = BTreeMap::new();
        let mut rooms: BTreeMap<RoomKey, RoomCommit> = BTreeMap::new();
        let mut accepted = Vec::with_capacity(batch.len());
        for (index, append) in batch.iter().enumerate() {
            debug_assert!(!append.records.is_empty());
            let claim = claimed.get(append.room);
            let known = claim.and_then(|_| Some(heads.get(&append.room)?.revision));
            let claim = claim.filter(|_| ends.get(&append.room).copied().or(known) == Some(append.base));
            accepted.push(claim.is_some());
            let Some(claim) = claim else { continue };
            ends.insert(append.room, append.head());
            let room = rooms.entry(append.room).or_insert_with(|| RoomCommit {
                room: append.room,
                epoch: claim.epoch,
                base: append.base,
                last: append.base,
                time_ms: append.time_ms,
                appends: Vec::new(),
                new: None,
            });
            (room.last, room.time_ms) = (append.head(), append.time_ms);
            room.appends.push(index);
        }
        for room in rooms.values_mut() {
            let claim = claimed.get(room.room).expect("accepted above");
            room.new = (!claim.is_written).then(|| NewRoom {
                name: claim.name.clone(),
                created_ms: claim.created_ms.unwrap_or(room.time_ms),
            });
        }
        Commit { rooms: rooms.into_values().collect(), accepted, attempts: 0 }
    }

    /// The accepted appends, by room.
    pub fn rooms(&self) -> &[RoomCommit] {
        &self.rooms
    }

    /// Notes that the batch is sent. Returns whether an earlier attempt may have stored it: then
    /// [`unknown`](Self::unknown) rooms have to be looked at.
    pub fn begin_attempt(&mut self) -> bool {
        self.attempts += 1;
        self.attempts > 1
    }

    /// The rooms whose records the last attempt has not stored, but an earlier one may have.
    pub fn unknown<'a>(&'a self, stored: &'a [RoomKey]) -> impl Iterator<Item = &'a RoomCommit> {
        self.rooms.iter().filter(|room| !stored.contains(&room.room))
    }

    /// Whether records of some rooms are not stored: the server may have lost its row, and has to look (O4).
    pub fn has_fenced(&self, stored: &[RoomKey]) -> bool {
        stored.len() < self.rooms.len() && !self.trusts_lost_answers()
    }

    /// Returns an outcome for each append of the batch, once the rooms whose records are stored are known.
    /// Rooms that are not among them are forgotten: their head in memory is not that of the storage, or they
    /// are not this server's any more.
    pub fn finish(
        &self,
        batch: &[Append],
        stored: &[RoomKey],
        heads: &mut BTreeMap<RoomKey, Head>,
        claimed: &mut ClaimedRooms,
    ) -> Vec<Outcome> {
        let is_stored = |room: RoomKey| stored.contains(&room) || self.trusts_lost_answers();
        for room in &self.rooms {
            match heads.get_mut(&room.room).filter(|_| is_stored(room.room)) {
                Some(head) => {
                    head.revision = room.last;
                    claimed.mark_written(room.room);
                }
                None => {
                    heads.remove(&room.room);
                    claimed.remove(room.room);
                }
            }
        }
        let outcome = |(append, is_accepted): (&Append, &bool)| match *is_accepted && is_stored(append.room) {
            true => Outcome::Durable { head: append.head() },
            false => Outcome::Fenced,
        };
        batch.iter().zip(&self.accepted).map(outcome).collect()
    }

    fn trusts_lost_answers(&self) -> bool {
        self.attempts > 1 && is_planted(Fault::LostAnswersTrusted)
    }
}
