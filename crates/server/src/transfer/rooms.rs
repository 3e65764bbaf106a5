//! Copying rooms from one storage to another.

use quadrille_journal::{
    Append, CopiedRoom, Image, Outcome, RoomInfo, RoomKey, Snapshot, Storage, StoredChatMessage,
};
use quadrille_protocol::{ChatMessage, Revision, RoomName};

use super::progress::Progress;
use super::stores::{Numbers, of_source, of_target};

/// Rooms that are listed at once.
const ROOMS_AT_ONCE: usize = 500;
/// Bytes of records that are read at once, and stored by one commit.
const BYTES_AT_ONCE: usize = 1 << 20;
/// Rooms whose records are stored by one commit.
const ROOMS_PER_COMMIT: usize = 200;

/// Makes the rooms of `to` those of `from`.
pub fn copy(
    from: &mut dyn Storage,
    to: &mut dyn Storage,
    numbers: Numbers,
    progress: &mut Progress,
) -> Result<(), String> {
    let mut total = 0;
    for_each_room(from, &mut |_, _| {
        total += 1;
        Ok(())
    })?;
    progress.begin("copied", total);
    let mut copier = Copier { to, batch: Vec::new(), bytes: 0, rooms: Vec::new(), progress };
    for_each_room(from, &mut |from, info| {
        let claim = from.find(&info.name).map_err(of_source)?;
        let key = numbers.of(claim.ok_or("the source changes")?.incarnation);
        copier.room(from, info, &info.name, key)
    })?;
    copier.flush(from)?;
    delete_others(from, to)?;
    if let Numbers::Same = numbers {
        for last in from.last_keys().map_err(of_source)? {
            to.reserve_keys(last).map_err(of_target)?;
        }
    }
    progress.end();
    Ok(())
}

/// Copies one room under another name and number, beside the rooms that `to` has.
///
/// # Errors
/// A message when the source has no such room, or one of the stores fails.
pub fn copy_room(
    from: &mut dyn Storage,
    to: &mut dyn Storage,
    room: &RoomName,
    name: &RoomName,
    key: RoomKey,
) -> Result<RoomInfo, String> {
    let info = from.info(room).map_err(of_source)?.ok_or_else(|| format!("no such room: {room}"))?;
    let progress = &mut Progress::new();
    let mut copier = Copier { to, batch: Vec::new(), bytes: 0, rooms: Vec::new(), progress };
    copier.room(from, &info, name, key)?;
    copier.flush(from)?;
    Ok(info)
}

/// Calls `work` for every room, in the order of names.
pub fn for_each_room(
    storage: &mut dyn Storage,
    work: &mut dyn FnMut(&mut dyn Storage, &RoomInfo) -> Result<(), String>,
) -> Result<(), String> {
    let mut after: Option<RoomName> = None;
    loop {
        let page = storage.rooms_after(after.as_ref(), ROOMS_AT_ONCE);
        let page = page.map_err(|error| error.to_string())?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.name.clone());
        for info in &page {
            work(storage, info)?;
        }
    }
}

/// The snapshot at which the history of a room begins; `None` when it begins at revision 0.
///
/// # Errors
/// A message when the snapshot cannot be read: then the room cannot be opened.
pub fn base_snapshot(
    storage: &mut dyn Storage,
    key: RoomKey,
    base: Revision,
) -> Result<Option<Snapshot>, String> {
    if base == Revision(0) {
        return Ok(None);
    }
    match storage.snapshot_before(key, base).map_err(of_source)? {
        Some(snapshot) if snapshot.revision == base => Ok(Some(snapshot)),
        _ => Err(format!("the snapshot at the beginning of the history, revision {base}, cannot be read")),
    }
}

/// A room whose records are in the batch.
struct Pending {
    from: RoomKey,
    to: RoomKey,
}

struct Copier<'a> {
    to: &'a mut dyn Storage,
    batch: Vec<Append>,
    /// Bytes of the records in the batch.
    bytes: usize,
    rooms: Vec<Pending>,
    progress: &'a mut Progress,
}

impl Copier<'_> {
    fn room(
        &mut self,
        from: &mut dyn Storage,
        info: &RoomInfo,
        name: &RoomName,
        key: RoomKey,
    ) -> Result<(), String> {
        let in_room = |error: String| format!("room {}: {error}", info.name);
        let claim = from.find(&info.name).map_err(of_source)?.ok_or("the source changes")?;
        if let Some(copied) = self.to.find(name).map_err(of_target)? {
            let continues = copied.key == key && copied.head <= claim.head && copied.base == claim.base;
            if !continues {
                self.to.delete(name).map_err(of_target)?;
            }
        }
        let base = base_snapshot(from, claim.key, claim.base).map_err(in_room)?;
        let copied = CopiedRoom {
            name,
            key,
            created_ms: info.created_ms,
            changed_ms: info.changed_ms,
            base: base.as_ref(),
        };
        let mut copied = self.to.claim_copy(&copied).map_err(of_target)?.head;
        self.rooms.push(Pending { from: claim.key, to: key });
        while copied < claim.head {
            let records = from.tail(claim.key, copied, BYTES_AT_ONCE);
            let records = records.map_err(of_source).map_err(in_room)?;
            if records.is_empty() {
                return Err(in_room(format!("the source: the record after revision {copied} is missing")));
            }
            for run in records.chunk_by(|a, b| a.time_ms == b.time_ms) {
                let bytes = run.iter().map(|record| record.bytes.len()).sum::<usize>();
                self.bytes += bytes;
                self.progress.bytes(bytes);
                let time_ms = run[0].time_ms;
                let records = run.iter().map(|record| record.bytes.clone()).collect();
                let append = Append { room: key, base: copied, records, time_ms };
                copied = append.head();
                self.batch.push(append);
            }
            if self.bytes >= BYTES_AT_ONCE {
                self.store()?;
            }
        }
        if self.rooms.len() >= ROOMS_PER_COMMIT {
            self.flush(from)?;
        }
        Ok(())
    }

    /// Stores the batch.
    fn store(&mut self) -> Result<(), String> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let outcomes = self.to.append(&self.batch).map_err(of_target)?;
        if outcomes.contains(&Outcome::Fenced) {
            return Err("the target is changed by another program".into());
        }
        (self.batch, self.bytes) = (Vec::new(), 0);
        while self.to.compact().map_err(of_target)? {}
        if self.to.needs_checkpoint() {
            self.to.checkpoint().map_err(of_target)?;
        }
        Ok(())
    }

    /// Stores the batch, then everything of its rooms that is not a record.
    fn flush(&mut self, from: &mut dyn Storage) -> Result<(), String> {
        self.store()?;
        for room in std::mem::take(&mut self.rooms) {
            copy_snapshots(from, self.to, &room)?;
            copy_chat(from, self.to, &room)?;
            copy_images(from, self.to, &room)?;
            self.to.release(room.to).map_err(of_target)?;
            self.progress.room();
        }
        Ok(())
    }
}

/// Copies the snapshots, which are derived data, but expensive to derive.
fn copy_snapshots(from: &mut dyn Storage, to: &mut dyn Storage, room: &Pending) -> Result<(), String> {
    let stored = to.snapshot_revisions(room.to).map_err(of_target)?;
    let mut missing = from.snapshot_revisions(room.from).map_err(of_source)?;
    missing.retain(|revision| !stored.contains(revision));
    for revision in missing.into_iter().rev() {
        let snapshot = from.snapshot_before(room.from, revision).map_err(of_source)?;
        // A damaged one is skipped (J5).
        if let Some(snapshot) = snapshot.filter(|snapshot| snapshot.revision == revision) {
            to.put_snapshot(room.to, &snapshot).map_err(of_target)?;
        }
    }
    Ok(())
}

fn copy_chat(from: &mut dyn Storage, to: &mut dyn Storage, room: &Pending) -> Result<(), String> {
    let messages = from.chat_messages(room.from).map_err(of_source)?;
    let stored = to.chat_messages(room.to).map_err(of_target)?;
    if messages == stored {
        return Ok(());
    }
    let number = |bytes: &[u8]| match ChatMessage::decode(bytes) {
        Ok(message) => Ok(message.number),
        Err(error) => Err(format!("a chat message cannot be read: {error}")),
    };
    let message = |bytes: &std::sync::Arc<[u8]>, forget_up_to: u64| {
        let number = number(bytes)?;
        Ok::<_, String>(StoredChatMessage { room: room.to, number, bytes: bytes.clone(), forget_up_to })
    };
    let changed: Result<Vec<StoredChatMessage>, String> = match (messages.first(), stored.last()) {
        (Some(first), _) => {
            let forget_up_to = number(first)?.saturating_sub(1);
            messages.iter().map(|bytes| message(bytes, forget_up_to)).collect()
        }
        // All were deleted since an earlier copy.
        (None, Some(last)) => message(last, number(last)?).map(|last| vec![last]),
        (None, None) => Ok(Vec::new()),
    };
    to.put_chat_messages(&changed?).map_err(of_target)
}

fn copy_images(from: &mut dyn Storage, to: &mut dyn Storage, room: &Pending) -> Result<(), String> {
    let stored = to.image_ids(room.to).map_err(of_target)?;
    for id in from.image_ids(room.from).map_err(of_source)? {
        if stored.contains(&id) {
            continue;
        }
        // A damaged one is skipped: cells show that it is missing.
        if let Some(bytes) = from.image(room.from, id).map_err(of_source)? {
            to.put_image(room.to, &Image { id, bytes }, u64::MAX).map_err(of_target)?;
        }
    }
    Ok(())
}

/// Deletes rooms that the source does not have any more.
fn delete_others(from: &mut dyn Storage, to: &mut dyn Storage) -> Result<(), String> {
    let mut surplus = Vec::new();
    for_each_room(to, &mut |_, info| {
        if from.find(&info.name).map_err(of_source)?.is_none() {
            surplus.push(info.name.clone());
        }
        Ok(())
    })?;
    for room in surplus {
        to.delete(&room).map_err(of_target)?;
    }
    while to.compact().map_err(of_target)? {}
    Ok(())
}
