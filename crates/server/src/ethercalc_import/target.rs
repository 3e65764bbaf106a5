//! [`Target`]: the storage that rooms are imported into.
//!
//! Each record of an import has the mark of what EtherCalc had stored, as the counter of its author. So the
//! newest record tells whether a room was imported, from what, and whether it was changed here since: the
//! mark is as durable as the room itself, and an interrupted import goes on where it ended.

use std::collections::BTreeSet;

use quadrille_journal::{Append, Outcome, RoomKey, Storage, StorageError, StoredChatMessage};
use quadrille_operation::Operation;
use quadrille_protocol::{ChatMessage, Counter, Record, RecordHeader, ReplicaId, Revision, RoomName};

use super::conversion::{AUTHOR, Converted, FINAL_AUTHOR};
use super::report::Action;
use crate::storage_location::StorageLocation;

/// Records that are read at once to find out whether a room was changed here.
const BYTES_AT_ONCE: usize = 1 << 20;

/// The storage; none while a dry run would create it.
pub struct Target {
    storage: Option<Box<dyn Storage>>,
}

/// What is to be done with a room, and why.
pub struct Decision {
    pub action: Action,
    pub reason: Option<&'static str>,
    /// Messages of the chat are missing: an earlier import was interrupted.
    pub lacks_chat: bool,
}

/// A room that could not be written, because another server runs it.
pub struct Refused {
    pub room: RoomName,
    pub reason: String,
}

impl Target {
    /// Opens the storage. A dry run creates none.
    ///
    /// # Errors
    /// When it cannot be opened, for example because a server uses it.
    pub fn open(location: &StorageLocation, is_dry_run: bool) -> Result<Target, String> {
        if let StorageLocation::Directory(data) = location
            && is_dry_run
            && !data.exists()
        {
            return Ok(Target { storage: None });
        }
        match location.open_rooms_with_objects() {
            Ok(storage) => Ok(Target { storage: Some(storage) }),
            Err(StorageError::InUse { path }) => Err(format!(
                "a server is running on {}: stop it for the import, which needs the directory for itself",
                path.display()
            )),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Whether a room exists here.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn has(&mut self, room: &RoomName) -> Result<bool, String> {
        let Some(storage) = &mut self.storage else { return Ok(false) };
        Ok(storage.find(room).map_err(failed)?.is_some())
    }

    /// Decides what to do with a room.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn decide(&mut self, room: &Converted, replaces: bool) -> Result<Decision, String> {
        let decision = |action, reason| Decision { action, reason, lacks_chat: false };
        let Some(storage) = &mut self.storage else { return Ok(decision(Action::Import, None)) };
        let Some(claim) = storage.find(&room.room).map_err(failed)? else {
            return Ok(decision(Action::Import, None));
        };
        let kept = |reason| match replaces {
            true => decision(Action::Replace, Some(reason)),
            false => decision(Action::Keep, Some(reason)),
        };
        let Some(earlier) = earlier_import(&mut **storage, claim.key, claim.head)? else {
            return Ok(kept("it was not imported from EtherCalc"));
        };
        let chat = storage.chat_messages(claim.key).map_err(failed)?;
        let own: BTreeSet<u64> = room.chat.iter().filter_map(|bytes| message_id(bytes)).collect();
        let here: BTreeSet<u64> = chat.iter().filter_map(|bytes| message_id(bytes)).collect();
        let is_changed = earlier.is_changed || !here.is_subset(&own);
        Ok(match (earlier.mark == room.mark, is_changed) {
            (true, false) => {
                Decision { lacks_chat: here.len() < own.len(), ..decision(Action::Unchanged, None) }
            }
            (true, true) if replaces => decision(Action::Replace, Some("it was changed here")),
            (true, true) => decision(Action::Unchanged, Some("it was changed here")),
            (false, false) => decision(Action::Update, None),
            (false, true) => kept("it was changed here and in EtherCalc"),
        })
    }

    /// Stores rooms in one durable commit, then their chats. Returns those that other servers run.
    ///
    /// # Errors
    /// When the storage fails. The rooms that are stored stay, and a later import goes on.
    pub fn write(&mut self, rooms: &[(Converted, Decision)]) -> Result<Vec<Refused>, String> {
        let Some(storage) = &mut self.storage else { return Ok(Vec::new()) };
        let (mut batch, mut written, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for (room, decision) in rooms {
            match claim(&mut **storage, &room.room, decision.action) {
                Ok(key) => {
                    let (base, time_ms) = (Revision(0), room.time_ms);
                    batch.push(Append { room: key, base, records: room.records.records.clone(), time_ms });
                    written.push((key, room));
                }
                Err(StorageError::Elsewhere { url }) => refused.push(Refused::elsewhere(room, &url)),
                Err(error) => return Err(failed(error)),
            }
        }
        if !batch.is_empty() && storage.append(&batch).map_err(failed)?.contains(&Outcome::Fenced) {
            return Err(
                "another program writes the same rooms: stop it, and run the command again".to_owned()
            );
        }
        let chat: Vec<_> = written.iter().flat_map(|(key, room)| stored_chat(*key, room)).collect();
        put_chat(&mut **storage, &chat)?;
        for (key, room) in &written {
            if let Some(snapshot) = &room.records.snapshot {
                storage.put_snapshot(*key, snapshot).map_err(failed)?;
            }
            storage.release(*key).map_err(failed)?;
        }
        while storage.compact().map_err(failed)? {}
        if storage.needs_checkpoint() {
            storage.checkpoint().map_err(failed)?;
        }
        Ok(refused)
    }

    /// Stores the chat of a room whose import was interrupted. Returns whether another server runs it.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn complete_chat(&mut self, room: &Converted) -> Result<Option<Refused>, String> {
        let Some(storage) = &mut self.storage else { return Ok(None) };
        let key = match storage.claim(&room.room) {
            Ok(claim) => claim.key,
            Err(StorageError::Elsewhere { url }) => return Ok(Some(Refused::elsewhere(room, &url))),
            Err(error) => return Err(failed(error)),
        };
        put_chat(&mut **storage, &stored_chat(key, room))?;
        storage.release(key).map_err(failed)?;
        Ok(None)
    }
}

impl Refused {
    fn elsewhere(room: &Converted, url: &str) -> Refused {
        let reason = match url.is_empty() {
            true => "a command works with it".to_owned(),
            false => format!("the server {url} runs it"),
        };
        Refused { room: room.room.clone(), reason }
    }
}

/// Claims a room without records: a new one, or in place of one that is deleted.
fn claim(storage: &mut dyn Storage, room: &RoomName, action: Action) -> Result<RoomKey, StorageError> {
    if matches!(action, Action::Update | Action::Replace) {
        storage.claim(room)?;
        storage.delete(room)?;
    }
    storage.claim(room).map(|claim| claim.key)
}

fn stored_chat(room: RoomKey, converted: &Converted) -> Vec<StoredChatMessage> {
    let messages = converted.chat.iter().zip(1..);
    let stored = |(bytes, number): (&std::sync::Arc<[u8]>, u64)| StoredChatMessage {
        room,
        number,
        bytes: bytes.clone(),
        forget_up_to: 0,
    };
    messages.map(stored).collect()
}

fn put_chat(storage: &mut dyn Storage, chat: &[StoredChatMessage]) -> Result<(), String> {
    match chat.is_empty() {
        true => Ok(()),
        false => storage.put_chat_messages(chat).map_err(failed),
    }
}

fn message_id(bytes: &[u8]) -> Option<u64> {
    ChatMessage::decode(bytes).ok().map(|message| message.id)
}

/// An import that made a room.
struct EarlierImport {
    mark: Counter,
    /// The room has changes that are not of the import.
    is_changed: bool,
}

/// Finds the import that made a room; `None` when its history does not begin with one.
fn earlier_import(
    storage: &mut dyn Storage,
    room: RoomKey,
    head: Revision,
) -> Result<Option<EarlierImport>, String> {
    let newest = match head.previous() {
        Some(before) => storage.tail(room, before, 1),
        None => return Ok(None),
    };
    if let Some(record) = newest.map_err(failed)?.first()
        && let Some(mark) = mark_of(&record.bytes)
    {
        return Ok(Some(EarlierImport { mark, is_changed: false }));
    }
    let (mut after, mut mark) = (Revision(0), None);
    while after < head {
        let records = match storage.tail(room, after, BYTES_AT_ONCE) {
            Ok(records) => records,
            // The first records were dropped, so that nobody knows.
            Err(StorageError::Forgotten { .. }) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let Some(last) = records.last() else { break };
        after = last.revision;
        for record in &records {
            match (mark_of(&record.bytes), mark) {
                (Some(found), _) => mark = Some(found),
                (None, None) => return Ok(None),
                // The server notes times for volatile functions, which changes nothing.
                (None, Some(_)) if is_empty(&record.bytes) => {}
                (None, Some(mark)) => return Ok(Some(EarlierImport { mark, is_changed: true })),
            }
        }
    }
    Ok(mark.map(|mark| EarlierImport { mark, is_changed: false }))
}

/// The mark of a record that an import has made.
fn mark_of(bytes: &[u8]) -> Option<Counter> {
    let header = RecordHeader::decode(bytes).ok()?;
    let is_import = header.replica == ReplicaId::SERVER
        && header.author.id.is_empty()
        && [AUTHOR, FINAL_AUTHOR].contains(&&*header.author.name);
    Some(header.counter).filter(|counter| is_import && *counter != Counter(0))
}

fn is_empty(bytes: &[u8]) -> bool {
    Record::decode(bytes).is_ok_and(|record| {
        record.transaction.operations.iter().all(|operation| *operation == Operation::Tick)
    })
}

fn failed(error: StorageError) -> String {
    match error {
        StorageError::Full => {
            "the disk of the data directory is full: make room, and run the command again to go on".to_owned()
        }
        other => other.to_string(),
    }
}
