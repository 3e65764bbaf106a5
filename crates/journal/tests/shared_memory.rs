//! The suite of `conformance` over servers of a database in memory, and what two of them may do.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_journal::conformance::{self, StorageUnderTest};
use quadrille_journal::ownership::{ClaimedRoom, ClaimedRooms, Commit, Epoch, Head};
use quadrille_journal::{
    Append, Claim, Claimed, Image, ImageId, ImagePut, Loaded, Outcome, PeerId, RoomInfo, RoomKey, RoomUsage,
    SharedMemory, Snapshot, Storage, StorageError, StoredChatMessage, StoredRecord,
};
use quadrille_protocol::{Revision, RoomName};

/// A server of a database that always answers.
struct OneServer {
    shared: SharedMemory,
    node: PeerId,
    heads: BTreeMap<RoomKey, Head>,
    claimed: ClaimedRooms,
}

impl OneServer {
    fn new(mut shared: SharedMemory) -> OneServer {
        let node = shared.join();
        OneServer { shared, node, heads: BTreeMap::new(), claimed: ClaimedRooms::default() }
    }

    fn epoch(&self, room: RoomKey) -> Result<Epoch, StorageError> {
        let claimed = self.claimed.get(room).map(|room| room.epoch);
        claimed.ok_or_else(|| StorageError::Engine { reason: "not claimed".into() })
    }
}

impl Storage for OneServer {
    fn claim(&mut self, room: &RoomName) -> Result<Claim, StorageError> {
        let Claimed::Own { epoch, claim, is_written } = self.shared.claim(self.node, room)? else {
            return Err(StorageError::Elsewhere { url: String::new() });
        };
        let name = room.clone();
        self.claimed.insert(claim.key, ClaimedRoom { name, epoch, created_ms: None, is_written });
        self.heads.insert(claim.key, Head { revision: claim.head, base: claim.base });
        Ok(claim)
    }

    fn release(&mut self, room: RoomKey) -> Result<(), StorageError> {
        if let Some(ClaimedRoom { name, epoch, .. }) = self.claimed.remove(room) {
            self.shared.release(&name, epoch);
        }
        Ok(())
    }

    fn find(&mut self, room: &RoomName) -> Result<Option<Claim>, StorageError> {
        self.shared.rooms().find(room)
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        let mut commit = Commit::new(batch, &self.heads, &self.claimed);
        commit.begin_attempt();
        let stored = self.shared.append(batch, &commit)?;
        Ok(commit.finish(batch, &stored, &mut self.heads, &mut self.claimed))
    }

    fn load(&mut self, room: RoomKey) -> Result<Loaded, StorageError> {
        self.shared.rooms().load(room)
    }

    fn tail(
        &mut self,
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
    ) -> Result<Vec<StoredRecord>, StorageError> {
        self.shared.rooms().tail(room, after, bytes_max)
    }

    fn snapshot_before(
        &mut self,
        room: RoomKey,
        revision: Revision,
    ) -> Result<Option<Snapshot>, StorageError> {
        self.shared.rooms().snapshot_before(room, revision)
    }

    fn put_piece(
        &mut self,
        room: RoomKey,
        snapshot: &Snapshot,
        from: usize,
        bytes_max: usize,
    ) -> Result<usize, StorageError> {
        self.shared.put_piece((room, self.epoch(room)?), snapshot, from, bytes_max)
    }

    fn base(&mut self, room: RoomKey) -> Result<Revision, StorageError> {
        self.shared.rooms().base(room)
    }

    fn snapshot_revisions(&mut self, room: RoomKey) -> Result<Vec<Revision>, StorageError> {
        self.shared.rooms().snapshot_revisions(room)
    }

    fn time_of(&mut self, room: RoomKey, revision: Revision) -> Result<Option<i64>, StorageError> {
        self.shared.rooms().time_of(room, revision)
    }

    fn forget_before(&mut self, room: RoomKey, base: Revision) -> Result<(), StorageError> {
        self.shared.rooms().forget_before(room, base)
    }

    fn chat_messages(&mut self, room: RoomKey) -> Result<Vec<Arc<[u8]>>, StorageError> {
        self.shared.rooms().chat_messages(room)
    }

    fn put_chat_messages(&mut self, chat_messages: &[StoredChatMessage]) -> Result<(), StorageError> {
        self.shared.rooms().put_chat_messages(chat_messages)
    }

    fn delete(&mut self, room: &RoomName) -> Result<bool, StorageError> {
        let key = self.claim(room)?.key;
        self.claimed.remove(key);
        self.heads.remove(&key);
        self.shared.delete(room, key)
    }

    fn put_image(&mut self, room: RoomKey, image: &Image, bytes_max: u64) -> Result<ImagePut, StorageError> {
        self.shared.rooms().put_image(room, image, bytes_max)
    }

    fn image(&mut self, room: RoomKey, id: ImageId) -> Result<Option<Arc<[u8]>>, StorageError> {
        self.shared.rooms().image(room, id)
    }

    fn image_ids(&mut self, room: RoomKey) -> Result<Vec<ImageId>, StorageError> {
        self.shared.rooms().image_ids(room)
    }

    fn rooms(&mut self) -> Result<Vec<RoomInfo>, StorageError> {
        self.shared.rooms().rooms()
    }

    fn usage(&mut self, room: &RoomName) -> Result<Option<RoomUsage>, StorageError> {
        self.shared.rooms().usage(room)
    }
}

impl StorageUnderTest for OneServer {
    fn storage(&mut self) -> &mut dyn Storage {
        self
    }

    fn restart(&mut self) {
        let mut shared = std::mem::take(&mut self.shared);
        shared.leave(self.node);
        *self = OneServer::new(shared);
    }
}

#[test]
fn a_server_of_shared_memory_is_a_storage() {
    conformance::run(&mut || Box::new(OneServer::new(SharedMemory::default())));
}

fn name() -> RoomName {
    RoomName::new("sales").expect("valid")
}

/// What a server knows of its claim, without the database.
struct Claimant {
    node: PeerId,
    heads: BTreeMap<RoomKey, Head>,
    claimed: ClaimedRooms,
    key: RoomKey,
}

impl Claimant {
    fn claim(shared: &mut SharedMemory, node: PeerId) -> Option<Claimant> {
        let Ok(Claimed::Own { epoch, claim, is_written }) = shared.claim(node, &name()) else { return None };
        let mut claimed = ClaimedRooms::default();
        claimed.insert(claim.key, ClaimedRoom { name: name(), epoch, created_ms: None, is_written });
        let heads = BTreeMap::from([(claim.key, Head { revision: claim.head, base: claim.base })]);
        Some(Claimant { node, heads, claimed, key: claim.key })
    }

    fn batch(&self, base: u64, record: &str) -> Vec<Append> {
        let records = vec![Arc::from(record.as_bytes())];
        vec![Append { room: self.key, base: Revision(base), records, time_ms: 0 }]
    }

    /// Appends, with a second attempt after a first one that was `executed` but not answered.
    fn append(&mut self, shared: &mut SharedMemory, batch: &[Append], executed: bool) -> Outcome {
        let mut commit = Commit::new(batch, &self.heads, &self.claimed);
        if executed {
            commit.begin_attempt();
            shared.append(batch, &commit).expect("stores");
        }
        let is_repeated = commit.begin_attempt();
        let mut stored = shared.append(batch, &commit).expect("stores");
        if is_repeated {
            let unknown: Vec<_> =
                commit.unknown(&stored).filter(|room| shared.is_stored(batch, room)).collect();
            let found: Vec<RoomKey> = unknown.iter().map(|room| room.room).collect();
            stored.extend(found);
        }
        commit.finish(batch, &stored, &mut self.heads, &mut self.claimed)[0]
    }
}

#[test]
fn o2_a_claim_waits_for_the_owner_and_fences_it_after_its_removal() {
    let mut shared = SharedMemory::default();
    let (first, second) = (shared.join(), shared.join());
    let mut owner = Claimant::claim(&mut shared, first).expect("free");
    let batch = owner.batch(0, "a");
    assert_eq!(owner.append(&mut shared, &batch, false), Outcome::Durable { head: Revision(1) });
    assert_eq!(shared.claim(second, &name()).expect("answers"), Claimed::Elsewhere { owner: owner.node });

    let silent = shared.heartbeats(second)[0];
    assert!(shared.beat(first));
    assert!(!shared.remove(silent), "its beat has changed");
    assert!(shared.remove(shared.heartbeats(second)[0]));
    assert!(!shared.beat(first), "O4");
    let mut successor = Claimant::claim(&mut shared, second).expect("free");
    let batch = owner.batch(1, "late");
    assert_eq!(owner.append(&mut shared, &batch, false), Outcome::Fenced);
    let batch = successor.batch(1, "b");
    assert_eq!(successor.append(&mut shared, &batch, false), Outcome::Durable { head: Revision(2) });
    assert_eq!(shared.claim(first, &name()).expect("answers"), Claimed::Replaced);
}

#[test]
fn a_commit_whose_answer_was_lost_is_stored_once() {
    let mut shared = SharedMemory::default();
    let node = shared.join();
    let mut owner = Claimant::claim(&mut shared, node).expect("free");
    for (base, record) in [(0, "a"), (1, "b")] {
        let batch = owner.batch(base, record);
        let durable = Outcome::Durable { head: Revision(base + 1) };
        assert_eq!(owner.append(&mut shared, &batch, true), durable, "{record}");
    }
    assert_eq!(shared.records(owner.key).len(), 2);
    assert_eq!(shared.record_epochs(owner.key).len(), 2);
}

#[test]
fn a_commit_whose_answer_was_lost_is_fenced_when_another_server_has_appended_since() {
    let mut shared = SharedMemory::default();
    let (first, second) = (shared.join(), shared.join());
    let mut owner = Claimant::claim(&mut shared, first).expect("free");
    let batch = owner.batch(0, "a");
    owner.append(&mut shared, &batch, false);
    shared.leave(first);
    let mut successor = Claimant::claim(&mut shared, second).expect("free");
    let others = successor.batch(1, "theirs");
    successor.append(&mut shared, &others, false);
    let batch = owner.batch(1, "ours");
    assert_eq!(owner.append(&mut shared, &batch, true), Outcome::Fenced);
    assert_eq!(shared.records(owner.key).len(), 2);
}
