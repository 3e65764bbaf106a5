//! [`ShardedStorage`]: the `Storage` trait over several storages.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use quadrille_journal::{
    Append, Availability, BlobReader, Claim, Committed, CopiedRoom, Image, ImageId, ImagePut, Loaded,
    ObjectReference, Outcome, OwnedRooms, Peers, ProcessLoad, RoomInfo, RoomKey, RoomParts, RoomUsage,
    Snapshot, Storage, StorageError, StoredChatMessage, StoredRecord,
};
use quadrille_protocol::{Revision, RoomName};

use crate::cluster::{self, Shard, refused};
use crate::placement::Placement;
use crate::reader::{ShardedReader, peer_of};
use crate::room_move::RoomMove;
use crate::shard_storage::ShardStorage;
use crate::watchdog::Watchdog;

/// Time between two queries for rooms that are to be moved.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Rooms to be moved that one query returns, at most.
const MOVES_AT_ONCE: usize = 100;
/// Attempts to claim a room that is being moved at the same time.
const CLAIM_ATTEMPTS: u32 = 5;

/// Prefix of the properties of the first shard that name the shard of a moved room (H3).
pub(crate) const PLACE: &str = "place:";
/// Prefix of those that name the shard to which a room is to be moved.
const MOVE: &str = "move:";

/// Several storages as one. A batch is one durable commit in each of them: when one fails, the rooms of the others may
/// have been stored, and all are loaded again.
pub struct ShardedStorage {
    _watchdog: Watchdog,
    /// With the storages on threads of their own (H6).
    shards: Vec<Shard>,
    placement: Placement,
    /// In which shard rooms are that were found or claimed.
    parts: RoomParts,
    names: OwnedRooms,
    peers: Peers,
    availability: Availability,
    moving: Option<RoomMove>,
    /// Whether an append of the room that is being moved was fenced.
    move_is_fenced: Arc<AtomicBool>,
    polled: Instant,
}

/// How far a move is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveProgress {
    /// The room is where it is to be.
    Done,
    /// It is copied by this process or another, or waits.
    Pending,
}

impl ShardedStorage {
    /// Combines storages, each with what people call it. The first one has the entries of moved rooms.
    ///
    /// # Errors
    /// `Engine` when they do not belong together (H1).
    pub fn join(list: Vec<(String, Box<dyn Storage>)>) -> Result<ShardedStorage, StorageError> {
        let mut shards = cluster::join(list)?;
        let mut ids: Vec<(String, usize)> = Vec::new();
        for (index, shard) in shards.iter().enumerate() {
            ids.push((shard.id.clone(), index));
        }
        ids.sort_by_key(|(_, index)| shards[*index].position);
        let mut own = Vec::new();
        for (index, shard) in shards.iter().enumerate() {
            let of_shard = shard.storage.peers().unwrap_or_default();
            own.extend(of_shard.own().iter().map(|peer| peer_of(index, *peer)));
        }
        let peers = Peers::of(&own);
        for (index, shard) in shards.iter().enumerate() {
            let all = peers.clone();
            if let Some(peers) = shard.storage.peers() {
                peers.on_departed(move |peer| all.departed(peer_of(index, peer)));
            }
        }
        let availability: Vec<Availability> =
            shards.iter().map(|shard| shard.storage.availability().unwrap_or_default()).collect();
        let mut watched = Vec::new();
        shards = shards
            .into_iter()
            .map(|shard| {
                let storage = ShardStorage::start(shard.storage);
                watched.extend(storage.watched());
                Shard { storage: Box::new(storage), ..shard }
            })
            .collect();
        Ok(ShardedStorage {
            _watchdog: Watchdog::start(watched),
            shards,
            placement: Placement::new(ids),
            parts: RoomParts::new(availability.clone()),
            names: OwnedRooms::default(),
            peers,
            availability: Availability::of_all(availability),
            moving: None,
            move_is_fenced: Arc::default(),
            polled: Instant::now(),
        })
    }

    /// Asks for a room to be moved to the shard with this address or identity. Whoever has claimed the room does it, or
    /// the next process that looks.
    ///
    /// # Errors
    /// `Engine` when there is no such room or shard.
    pub fn request_move(&mut self, room: &RoomName, shard: &str) -> Result<MoveProgress, StorageError> {
        let to = self.shards.iter().position(|known| known.id == shard || known.address == shard);
        let to = to.ok_or_else(|| {
            let known: Vec<String> =
                self.shards.iter().map(|shard| format!("{} ({})", shard.address, shard.id)).collect();
            refused(format!("no such database: {shard}; there are {}", known.join(", ")))
        })?;
        let (from, found) = self.find_in(room)?;
        if found.is_none() {
            return Err(refused(format!("no such room: {room}")));
        }
        if from == to && self.shards[0].storage.property(&entry(MOVE, room))?.is_none() {
            return Ok(MoveProgress::Done);
        }
        let id = self.shards[to].id.clone();
        self.shards[0].storage.set_property(&entry(MOVE, room), Some(&id))?;
        Ok(MoveProgress::Pending)
    }

    /// Tells whether a room still is to be moved.
    ///
    /// # Errors
    /// Those of the first shard.
    pub fn move_progress(&mut self, room: &RoomName) -> Result<MoveProgress, StorageError> {
        Ok(match self.shards[0].storage.property(&entry(MOVE, room))? {
            Some(_) => MoveProgress::Pending,
            None => MoveProgress::Done,
        })
    }

    /// The address of the shard in which a room is.
    ///
    /// # Errors
    /// Those of the shards.
    pub fn shard_of(&mut self, room: &RoomName) -> Result<&str, StorageError> {
        let (shard, _) = self.find_in(room)?;
        Ok(&self.shards[shard].address)
    }

    /// Whether this process moves a room at the moment.
    pub fn is_moving(&self) -> bool {
        self.moving.is_some()
    }

    /// Returns the shard that the entry of a room names (H3).
    fn entry_of(&mut self, room: &RoomName) -> Result<Option<usize>, StorageError> {
        let entry = self.shards[0].storage.property(&entry(PLACE, room)).map_err(cluster::of_first)?;
        let Some(id) = entry else { return Ok(None) };
        let found = self.shards.iter().position(|shard| shard.id == id);
        found.map(Some).ok_or_else(|| refused(format!("the room {room} is in an unknown database: {id}")))
    }

    /// Returns the shard of a room, and the room if it has records.
    fn find_in(&mut self, room: &RoomName) -> Result<(usize, Option<Claim>), StorageError> {
        let known = match self.parts.claimed(room) {
            Some((_, shard)) => Some(shard),
            None => self.entry_of(room)?,
        };
        if let Some(shard) = known {
            return Ok((shard, self.shards[shard].storage.find(room)?));
        }
        let candidates = self.placement.candidates(room);
        for shard in candidates.iter().copied() {
            if let Some(claim) = self.shards[shard].storage.find(room)? {
                return Ok((shard, Some(claim)));
            }
        }
        Ok((candidates[0], None))
    }

    fn of(&mut self, room: RoomKey) -> Result<&mut dyn Storage, StorageError> {
        let mut place = self.parts.part_of(room);
        for index in 0..self.shards.len() {
            if place.is_some() {
                break;
            }
            match self.shards[index].storage.base(room) {
                Ok(_) => place = Some(index),
                Err(StorageError::UnknownRoom { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let shard = place.ok_or(StorageError::UnknownRoom { room })?;
        self.parts.set(room, shard);
        Ok(&mut *self.shards[shard].storage)
    }

    fn note_claim(&mut self, name: &RoomName, room: RoomKey, shard: usize) {
        self.parts.set_claimed(name, room, shard);
        self.names.insert(name.clone());
    }

    fn forget_claim(&mut self, room: RoomKey) {
        if let Some(name) = self.parts.forget_claim(room) {
            self.names.remove(&name);
        }
    }

    /// Begins the next move that was asked for. Returns whether there is one.
    fn begin_move(&mut self) -> Result<bool, StorageError> {
        for (name, id) in self.shards[0].storage.properties(MOVE, MOVES_AT_ONCE)? {
            let Ok(room) = RoomName::new(&name[MOVE.len()..]) else { continue };
            let Some(to) = self.shards.iter().position(|shard| shard.id == id) else { continue };
            let was_claimed = self.parts.claimed(&room).is_some();
            if self.parts.is_away(to) {
                continue;
            }
            let claim = match self.claim(&room) {
                Ok(claim) => claim,
                // Whoever runs the room moves it. One that is away is moved when it is back.
                Err(StorageError::Elsewhere { .. } | StorageError::Away { .. }) => continue,
                Err(error) => return Err(error),
            };
            let from = self.parts.part_of(claim.key).unwrap_or(to);
            let has_records = claim.head > Revision(0);
            if from == to || !has_records {
                // It was moved, or deleted.
                self.clean_up(&room, from)?;
                if !was_claimed {
                    self.release(claim.key)?;
                }
                continue;
            }
            // From here on, the copy is not taken for the room.
            let source = self.shards[from].id.clone();
            self.shards[0].storage.set_property(&entry(PLACE, &room), Some(&source))?;
            self.move_is_fenced = Arc::default();
            self.moving = Some(RoomMove::new(room, claim.key, from, to, !was_claimed));
            return Ok(true);
        }
        Ok(false)
    }

    /// Continues the move, and ends it when the copy is complete.
    fn continue_move(&mut self, mut moving: RoomMove) -> Result<(), StorageError> {
        let step = moving.step(&mut self.shards);
        // The step has waited for the appends before it.
        if self.move_is_fenced.load(Ordering::SeqCst) {
            return Ok(());
        }
        match step {
            Ok(false) => {
                self.moving = Some(moving);
                Ok(())
            }
            Ok(true) => {
                let target = self.shards[moving.to].id.clone();
                // The move happens here: what is appended from now on goes to the other shard.
                self.shards[0].storage.set_property(&entry(PLACE, &moving.name), Some(&target))?;
                self.parts.set(moving.key, moving.to);
                self.clean_up(&moving.name, moving.to)?;
                let address = &self.shards[moving.to].address;
                tracing::info!(room = %moving.name, %address, "a room was moved to another database");
                if moving.releases { self.release(moving.key) } else { Ok(()) }
            }
            Err(error) => {
                // The next poll begins it again.
                _ = self.shards[moving.to].storage.release(moving.key);
                if moving.releases {
                    _ = self.release(moving.key);
                }
                Err(error)
            }
        }
    }

    /// Removes what a move has left: the room where it was, and the request.
    fn clean_up(&mut self, room: &RoomName, shard: usize) -> Result<(), StorageError> {
        for index in (0..self.shards.len()).filter(|index| *index != shard) {
            if self.shards[index].storage.find(room)?.is_some() {
                self.shards[index].storage.delete(room)?;
            }
        }
        if self.placement.home(room) == shard {
            self.shards[0].storage.set_property(&entry(PLACE, room), None)?;
        }
        self.shards[0].storage.set_property(&entry(MOVE, room), None)
    }
}

fn entry(prefix: &str, room: &RoomName) -> String {
    format!("{prefix}{room}")
}

impl Storage for ShardedStorage {
    fn availability(&self) -> Option<Availability> {
        Some(self.availability.clone())
    }

    fn owned_rooms(&self) -> Option<OwnedRooms> {
        self.shards[0].storage.owned_rooms().map(|_| self.names.clone())
    }

    fn peers(&self) -> Option<Peers> {
        self.shards[0].storage.peers().map(|_| self.peers.clone())
    }

    fn reader(&self) -> Result<Option<Box<dyn BlobReader>>, StorageError> {
        let mut readers = Vec::new();
        for shard in &self.shards {
            let Some(reader) = shard.storage.reader()? else { return Ok(None) };
            readers.push(reader);
        }
        let (parts, placement) = (self.parts.clone(), self.placement.clone());
        Ok(Some(Box::new(ShardedReader { readers, parts, placement })))
    }

    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        if let Some(moving) = self.moving.as_mut().filter(|moving| moving.name == *room) {
            moving.releases = false;
        }
        for _ in 0..CLAIM_ATTEMPTS {
            let (shard, _) = self.find_in(room)?;
            let claim = self.shards[shard].storage.claim(room)?;
            let is_known = self.parts.claimed(room).is_some_and(|(known, _)| known == claim.key);
            if !is_known && self.entry_of(room)?.is_some_and(|entry| entry != shard) {
                // It was moved between the two.
                self.shards[shard].storage.release(claim.key)?;
                continue;
            }
            self.note_claim(room, claim.key, shard);
            return Ok(claim);
        }
        Err(refused(format!("the room {room} is moved again and again; try again")))
    }

    fn release(&mut self, room: RoomKey) -> Result<(), StorageError> {
        if let Some(moving) = self.moving.as_mut().filter(|moving| moving.key == room) {
            moving.releases = true;
            return Ok(());
        }
        self.forget_claim(room);
        match self.of(room) {
            Ok(storage) => storage.release(room),
            Err(_) => Ok(()),
        }
    }

    fn hand_over(&mut self, room: RoomKey, url: &str) -> Result<(), StorageError> {
        // A room that is moved to another database is released when it is there.
        if self.moving.as_ref().is_some_and(|moving| moving.key == room) {
            return self.release(room);
        }
        self.forget_claim(room);
        self.of(room).map_or(Ok(()), |storage| storage.hand_over(room, url))
    }

    /// The rooms of a process in all databases. While one is away, nothing is known of the others' rooms.
    fn loads(&mut self) -> Result<Vec<ProcessLoad>, StorageError> {
        let mut sums: Vec<ProcessLoad> = Vec::new();
        for shard in &mut self.shards {
            for load in shard.storage.loads()? {
                match sums.iter_mut().find(|sum| sum.url == load.url && sum.is_own == load.is_own) {
                    Some(sum) => sum.rooms += load.rooms,
                    None => sums.push(load),
                }
            }
        }
        Ok(sums)
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        let (shard, found) = self.find_in(room)?;
        if let Some(claim) = &found {
            self.parts.set(claim.key, shard);
        }
        Ok(found)
    }

    /// The shards commit at the same time. Those that are away are waited for.
    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, append) in batch.iter().enumerate() {
            // A room that was deleted is fenced.
            if let Some(shard) = self.parts.part_of(append.room) {
                parts.entry(shard).or_default().push(index);
            }
        }
        let mut waiting = Vec::new();
        for (shard, part) in parts {
            let appends: Vec<Append> = part.iter().map(|index| batch[*index].clone()).collect();
            let (sender, committed) = channel();
            self.submit(shard, &appends, Box::new(move |result| _ = sender.send(result)));
            waiting.push((part, committed));
        }
        let mut outcomes = vec![Outcome::Fenced; batch.len()];
        for (part, committed) in waiting {
            let result =
                committed.recv().map_err(|_| refused("the thread of a database has ended".into()))?;
            for (index, outcome) in part.into_iter().zip(result?) {
                outcomes[index] = outcome;
            }
        }
        Ok(outcomes)
    }

    fn submit(&mut self, part: usize, batch: &[Append], committed: Committed) {
        let moving = self.moving.as_ref().map(|moving| moving.key);
        let of_moving: Vec<usize> =
            (0..batch.len()).filter(|index| Some(batch[*index].room) == moving).collect();
        if of_moving.is_empty() {
            return self.shards[part].storage.submit(part, batch, committed);
        }
        let is_fenced = Arc::clone(&self.move_is_fenced);
        let noted: Committed = Box::new(move |result| {
            let outcomes = result.as_deref().unwrap_or_default();
            if of_moving.iter().any(|index| outcomes.get(*index) == Some(&Outcome::Fenced)) {
                is_fenced.store(true, Ordering::SeqCst);
            }
            committed(result);
        });
        self.shards[part].storage.submit(part, batch, noted);
    }

    fn parts(&self) -> Option<RoomParts> {
        Some(self.parts.clone())
    }

    fn forget_before(&mut self, room: RoomKey, base: Revision) -> Result<(), StorageError> {
        // The copy of a room that is being moved begins where the room begins.
        if self.moving.as_ref().is_some_and(|moving| moving.key == room) {
            return Ok(());
        }
        self.of(room)?.forget_before(room, base)
    }

    fn put_chat_messages(&mut self, chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        for (index, shard) in self.shards.iter_mut().enumerate() {
            let part: Vec<StoredChatMessage> = chat_messages
                .iter()
                .filter(|message| self.parts.part_of(message.room) == Some(index))
                .cloned()
                .collect();
            if !part.is_empty() {
                shard.storage.put_chat_messages(&part)?;
            }
        }
        Ok(())
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        let (shard, found) = self.find_in(room)?;
        let moved = self.moving.take_if(|moving| moving.name == *room).is_some()
            || self.shards[0].storage.property(&entry(MOVE, room))?.is_some();
        let deleted = self.shards[shard].storage.delete(room)?;
        if moved {
            self.clean_up(room, shard)?;
        }
        self.shards[0].storage.set_property(&entry(PLACE, room), None)?;
        let claimed = self.parts.claimed(room).map(|(key, _)| key);
        if let Some(key) = claimed.or(found.map(|claim| claim.key)) {
            self.forget_claim(key);
            self.parts.forget(key);
        }
        Ok(deleted)
    }

    fn claim_copy(&mut self, room: &CopiedRoom<'_>) -> Result<Claim, StorageError> {
        let (shard, _) = self.find_in(room.name)?;
        let claim = self.shards[shard].storage.claim_copy(room)?;
        cluster::reserve_number(&mut self.shards, claim.key)?;
        self.note_claim(room.name, claim.key, shard);
        Ok(claim)
    }

    fn property(&mut self, name: &str) -> Result<Option<String>, StorageError> {
        self.shards[0].storage.property(name)
    }

    fn put_property(&mut self, name: &str, value: &str) -> Result<String, StorageError> {
        self.shards[0].storage.put_property(name, value)
    }

    fn set_property(&mut self, name: &str, value: Option<&str>) -> Result<(), StorageError> {
        self.shards[0].storage.set_property(name, value)
    }

    fn properties(&mut self, prefix: &str, count: usize) -> Result<Vec<(String, String)>, StorageError> {
        self.shards[0].storage.properties(prefix, count)
    }

    fn object_references(&mut self) -> Result<Vec<ObjectReference>, StorageError> {
        let mut all = Vec::new();
        for shard in &mut self.shards {
            all.append(&mut shard.storage.object_references()?);
        }
        Ok(all)
    }

    fn last_key(&mut self) -> Result<RoomKey, StorageError> {
        let mut last = RoomKey(0);
        for shard in &mut self.shards {
            last = last.max(shard.storage.last_key()?);
        }
        Ok(last)
    }

    fn last_keys(&mut self) -> Result<Vec<RoomKey>, StorageError> {
        self.shards.iter_mut().map(|shard| shard.storage.last_key()).collect()
    }

    fn reserve_keys(&mut self, up_to: RoomKey) -> Result<(), StorageError> {
        cluster::reserve(&mut self.shards, up_to)
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.rooms_after(None, usize::MAX)
    }

    fn rooms_after(&mut self, after: Option<&RoomName>, count: usize) -> Result<Vec<RoomInfo>, StorageError> {
        let mut all: Vec<(RoomInfo, usize)> = Vec::new();
        for (index, shard) in self.shards.iter_mut().enumerate() {
            all.extend(shard.storage.rooms_after(after, count)?.into_iter().map(|info| (info, index)));
        }
        all.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        let mut rooms: Vec<RoomInfo> = Vec::new();
        for (info, index) in all {
            match rooms.last() {
                // A room that is being moved is in two.
                Some(last) if last.name == info.name => {
                    if self.entry_of(&info.name)? == Some(index) {
                        rooms.pop();
                        rooms.push(info);
                    }
                }
                _ => rooms.push(info),
            }
        }
        rooms.truncate(count);
        Ok(rooms)
    }

    fn info(&mut self, room: &RoomName) -> Result<Option<RoomInfo>, StorageError> {
        let (shard, _) = self.find_in(room)?;
        self.shards[shard].storage.info(room)
    }

    fn usage(&mut self, room: &RoomName) -> Result<Option<RoomUsage>, StorageError> {
        let (shard, _) = self.find_in(room)?;
        self.shards[shard].storage.usage(room)
    }

    fn is_maintenance_due(&self) -> bool {
        self.moving.is_some() || self.polled.elapsed() >= POLL_INTERVAL
    }

    fn compact(&mut self) -> Result<bool, StorageError> {
        if let Some(moving) = self.moving.take() {
            self.continue_move(moving)?;
            return Ok(true);
        }
        if self.polled.elapsed() >= POLL_INTERVAL {
            self.polled = Instant::now();
            match self.begin_move() {
                Ok(true) => return Ok(true),
                Ok(false) | Err(StorageError::Away { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        for shard in &mut self.shards {
            if shard.storage.compact()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        self.of(room)?.tail(room, after, bytes_max)
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        self.of(room)?.load(room)
    }

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        self.of(room)?.snapshot_before(room, revision)
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        self.of(room)?.put_piece(room, snapshot, from, bytes_max)
    }

    fn put_snapshot(&mut self, room: RoomKey, snapshot: &Snapshot) -> Result<(), StorageError> {
        self.of(room)?.put_snapshot(room, snapshot)
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        self.of(room)?.base(room)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.of(room)?.snapshot_revisions(room)
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        self.of(room)?.time_of(room, revision)
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        match self.of(room) {
            Err(StorageError::UnknownRoom { .. }) => Ok(Vec::new()),
            storage => storage?.chat_messages(room),
        }
    }

    fn put_image(&mut self, room: RoomKey, image: &Image, bytes_max: u64) -> Result<ImagePut, StorageError> {
        self.of(room)?.put_image(room, image, bytes_max)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        match self.of(room) {
            Err(StorageError::UnknownRoom { .. }) => Ok(None),
            storage => storage?.image(room, id),
        }
    }

    fn image_ids(&mut self, room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
        self.of(room)?.image_ids(room)
    }
}
