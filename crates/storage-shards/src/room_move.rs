//! Moving a room from one shard to another, in steps between its appends (H4).

use std::sync::Arc;

use quadrille_journal::{
    Append, CopiedRoom, Image, ImageId, ImagePut, Outcome, RoomKey, Snapshot, Storage, StorageError,
    StoredChatMessage, StoredRecord,
};
use quadrille_protocol::{ChatMessage, Revision, RoomName};

use crate::cluster::{Shard, refused};

/// Bytes of records and of a snapshot that one step copies. The last step copies at most as much, while appends wait.
const STEP_BYTES: usize = 1 << 20;

/// A room that is being moved. The process has claimed it in the shard `from`.
pub struct RoomMove {
    pub name: RoomName,
    pub key: RoomKey,
    pub from: usize,
    pub to: usize,
    /// Nobody else in this process uses the room: it is released at the end.
    pub releases: bool,
    /// Records up to here are copied and compared.
    copied: Revision,
    stage: Stage,
}

enum Stage {
    Begin,
    Records,
    /// The newest snapshot, and the bytes of it that are written.
    Snapshot(Snapshot, usize),
    Images(Vec<ImageId>),
    Finish,
}

impl RoomMove {
    /// A move that has not begun.
    pub fn new(name: RoomName, key: RoomKey, from: usize, to: usize, releases: bool) -> RoomMove {
        RoomMove { name, key, from, to, releases, copied: Revision(0), stage: Stage::Begin }
    }

    /// Does a bounded part. Returns whether the copy is complete, and equal to the room; then the entry of the room is
    /// to be changed before anything is appended.
    ///
    /// # Errors
    /// Those of the storages; `Engine` when the copy differs.
    pub fn step(&mut self, shards: &mut [Shard]) -> Result<bool, StorageError> {
        let (from, to) = two(shards, self.from, self.to);
        let (from, to) = (&mut *from.storage, &mut *to.storage);
        self.stage = match std::mem::replace(&mut self.stage, Stage::Begin) {
            // The room was there before.
            Stage::Begin if to.is_being_removed(self.key)? => {
                to.compact()?;
                Stage::Begin
            }
            Stage::Begin => {
                self.begin(from, to)?;
                Stage::Records
            }
            Stage::Records => match self.copy_records(from, to)? {
                false => Stage::Records,
                true => match from.snapshot_before(self.key, self.copied)? {
                    Some(snapshot) => Stage::Snapshot(snapshot, 0),
                    None => Stage::Images(self.missing_images(from, to)?),
                },
            },
            Stage::Snapshot(snapshot, written) if written < snapshot.bytes.len() => {
                let written = to.put_piece(self.key, &snapshot, written, STEP_BYTES)?;
                Stage::Snapshot(snapshot, written)
            }
            Stage::Snapshot(..) => Stage::Images(self.missing_images(from, to)?),
            Stage::Images(mut images) => match images.pop() {
                Some(image) => {
                    self.copy_image(from, to, image)?;
                    Stage::Images(images)
                }
                None => Stage::Finish,
            },
            Stage::Finish => match self.copy_records(from, to)? {
                false => Stage::Finish,
                true => match self.missing_images(from, to)? {
                    images if !images.is_empty() => Stage::Images(images),
                    _ => {
                        self.copy_chat(from, to)?;
                        self.check_heads(from, to)?;
                        return Ok(true);
                    }
                },
            },
        };
        Ok(false)
    }

    /// Claims the room where it is moved to. An earlier attempt may have copied a part of it.
    fn begin(&mut self, from: &mut dyn Storage, to: &mut dyn Storage) -> Result<(), StorageError> {
        let claim = from.find(&self.name)?.ok_or_else(|| refused(format!("no such room: {}", self.name)))?;
        let info = from.info(&self.name)?.ok_or_else(|| refused(format!("no such room: {}", self.name)))?;
        let base = match claim.base {
            Revision(0) => None,
            base => {
                let found = from.snapshot_before(claim.key, base)?.filter(|found| found.revision == base);
                let missing = || refused(format!("the snapshot at revision {base} cannot be read"));
                Some(found.ok_or_else(missing)?)
            }
        };
        let copied = CopiedRoom {
            name: &self.name,
            key: claim.key,
            created_ms: info.created_ms,
            changed_ms: info.changed_ms,
            base: base.as_ref(),
        };
        let begun = to.claim_copy(&copied)?;
        if begun.base != claim.base || begun.head > claim.head {
            // The history was cut since an earlier attempt: it begins anew with the next one.
            to.delete(&self.name)?;
            return Err(refused("an earlier, incomplete copy of the room was removed".into()));
        }
        self.key = claim.key;
        self.copied = claim.base;
        Ok(())
    }

    /// Copies the next records, as far as an earlier attempt has not, and compares them. Returns whether they were the
    /// last.
    fn copy_records(&mut self, from: &mut dyn Storage, to: &mut dyn Storage) -> Result<bool, StorageError> {
        let records = from.tail(self.key, self.copied, STEP_BYTES)?;
        let Some(last) = records.last().map(|record| record.revision) else { return Ok(true) };
        let stored = to.find(&self.name)?.map_or(Revision(0), |claim| claim.head);
        let missing: Vec<&StoredRecord> = records.iter().filter(|record| record.revision > stored).collect();
        let batch: Vec<Append> = missing
            .chunk_by(|a, b| a.time_ms == b.time_ms)
            .map(|records| Append {
                room: self.key,
                base: Revision(records[0].revision.0 - 1),
                records: records.iter().map(|record| Arc::clone(&record.bytes)).collect(),
                time_ms: records[0].time_ms,
            })
            .collect();
        if !batch.is_empty() && to.append(&batch)?.contains(&Outcome::Fenced) {
            return Err(refused("another process has written to the copy of the room".into()));
        }
        let mut read = self.copied;
        let mut expected = records.iter();
        while read < last {
            let copies = to.tail(self.key, read, STEP_BYTES)?;
            let Some(newest) = copies.last().map(|record| record.revision) else { break };
            for copy in copies.into_iter().take_while(|copy| copy.revision <= last) {
                if expected.next() != Some(&copy) {
                    return Err(self.differs(&format!("revision {}", copy.revision)));
                }
            }
            read = newest;
        }
        if expected.next().is_some() {
            return Err(self.differs("records"));
        }
        self.copied = last;
        Ok(from.find(&self.name)?.is_some_and(|claim| claim.head == last))
    }

    fn missing_images(
        &self,
        from: &mut dyn Storage,
        to: &mut dyn Storage,
    ) -> Result<Vec<ImageId>, StorageError> {
        let there = to.image_ids(self.key)?;
        let images = from.image_ids(self.key)?.into_iter().filter(|id| there.binary_search(id).is_err());
        let mut missing = Vec::new();
        for id in images {
            // A damaged one is not copied.
            if from.image(self.key, id)?.is_some() {
                missing.push(id);
            }
        }
        Ok(missing)
    }

    fn copy_image(
        &self,
        from: &mut dyn Storage,
        to: &mut dyn Storage,
        id: ImageId,
    ) -> Result<(), StorageError> {
        let Some(bytes) = from.image(self.key, id)? else { return Ok(()) };
        let image = Image { id, bytes };
        if to.put_image(self.key, &image, u64::MAX >> 1)? == ImagePut::TooMuch {
            return Err(refused("an image was not taken".into()));
        }
        match to.image(self.key, id)? {
            Some(copy) if copy == image.bytes => Ok(()),
            _ => Err(self.differs("an image")),
        }
    }

    fn copy_chat(&self, from: &mut dyn Storage, to: &mut dyn Storage) -> Result<(), StorageError> {
        let messages = from.chat_messages(self.key)?;
        let mut stored = Vec::new();
        let mut forget_up_to = None;
        for bytes in &messages {
            let message = ChatMessage::decode(bytes)
                .map_err(|error| refused(format!("a chat message cannot be read: {error}")))?;
            let forget_up_to = *forget_up_to.get_or_insert(message.number.saturating_sub(1));
            let (room, number) = (self.key, message.number);
            stored.push(StoredChatMessage { room, number, bytes: Arc::clone(bytes), forget_up_to });
        }
        if !stored.is_empty() {
            to.put_chat_messages(&stored)?;
        }
        match to.chat_messages(self.key)? == messages {
            true => Ok(()),
            false => Err(self.differs("the chat")),
        }
    }

    fn check_heads(&self, from: &mut dyn Storage, to: &mut dyn Storage) -> Result<(), StorageError> {
        match from.find(&self.name)? == to.find(&self.name)? {
            true => Ok(()),
            false => Err(self.differs("the last revision")),
        }
    }

    fn differs(&self, what: &str) -> StorageError {
        refused(format!("the copy of the room {} differs: {what}", self.name))
    }
}

/// Two different elements.
fn two(shards: &mut [Shard], first: usize, second: usize) -> (&mut Shard, &mut Shard) {
    assert_ne!(first, second, "a room is moved to another shard");
    if first < second {
        let (low, high) = shards.split_at_mut(second);
        return (&mut low[first], &mut high[0]);
    }
    let (low, high) = shards.split_at_mut(first);
    (&mut high[0], &mut low[second])
}
