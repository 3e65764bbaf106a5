//! [`replay`]: makes a data directory of a chain, by carrying out its entries in their order.

use std::collections::BTreeMap;
use std::path::Path;

use quadrille_access::AccessError;
use quadrille_journal::{
    Append, CopiedRoom, Image, Outcome, RoomKey, Storage, StorageError, StoredChatMessage,
};
use quadrille_protocol::{ChatMessage, Incarnation, RoomName};
use quadrille_storage_sqlite::{SqliteAccessStore, SqliteStorage, close_copy, create_file};

use super::chain::{Chain, contents, index};
use super::entries::{Entries, Entry};
use super::place::Place;
use super::seal::Keys;
use super::state::{Changes, State};
use crate::time_triggers;
use crate::transfer::Progress;

/// Makes a data directory of a chain in a directory that is empty. With `only`, of one room, and of the accounts
/// and access of all. It does not survive a crash, and is to be copied to its place.
///
/// # Errors
/// A message that names the file of the chain that is missing or damaged, or that the room is not there.
pub fn replay(
    place: &dyn Place,
    keys: &Keys,
    chain: &Chain,
    directory: &Path,
    only: Option<&RoomName>,
    progress: &mut Progress,
) -> Result<(), String> {
    let mut indexes = Vec::with_capacity(chain.manifests.len());
    let mut state = State::default();
    for manifest in &chain.manifests {
        let index = index(place, keys, manifest)?;
        index.iter().for_each(|changes| state.apply(changes, manifest.number));
        indexes.push(index);
    }
    let wanted = match only {
        None => None,
        Some(name) => {
            let found = state.rooms.iter().find(|(_, room)| room.name == name.as_str());
            Some(*found.ok_or_else(|| format!("the backup has no room {name}"))?.0)
        }
    };
    let rooms = SqliteStorage::open(directory).map_err(of_target)?;
    let tables = SqliteAccessStore::open(directory).map_err(of_target_tables)?;
    rooms.stop_syncing().map_err(of_target)?;
    tables.stop_syncing().map_err(of_target_tables)?;
    let mut target = Target { rooms, tables, names: BTreeMap::new(), time_triggers: Vec::new() };
    progress.begin("read", chain.manifests.len() as u64);
    for (manifest, index) in chain.manifests.iter().zip(&indexes) {
        if wanted.is_none_or(|room| index.iter().any(|changes| concerns(changes, room))) {
            for file in &manifest.segments {
                let segment = contents(place, keys, manifest, file)?;
                let name = || place.describe(&manifest.chain, &file.name);
                for entry in Entries::of(&segment) {
                    let entry = entry.map_err(|error| format!("{}: {error}", name()))?;
                    let is_wanted = entry.room().zip(wanted).is_none_or(|(room, wanted)| room.0 == wanted);
                    if is_wanted {
                        target.apply(entry).map_err(|error| format!("{}: {error}", name()))?;
                    }
                }
                progress.bytes(segment.len());
            }
        }
        progress.room();
    }
    progress.end();
    let Target { mut rooms, tables, time_triggers, .. } = target;
    while rooms.compact().map_err(of_target)? {}
    drop((rooms, tables));
    if !time_triggers.is_empty() {
        let path = directory.join(time_triggers::FILE);
        create_file(&path)
            .and_then(|()| std::fs::write(&path, time_triggers))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    close_copy(directory).map_err(of_target)
}

/// Whether an increment has something of a room, or of accounts and access.
fn concerns(changes: &Changes, room: u64) -> bool {
    !changes.tables.is_empty()
        || changes.rooms.iter().any(|change| change.room == room)
        || changes.rooms_deleted.contains(&room)
}

struct Target {
    rooms: SqliteStorage,
    tables: SqliteAccessStore,
    /// Rooms by the number that they have in the chain, which is the one that they get.
    names: BTreeMap<u64, RoomName>,
    time_triggers: Vec<u8>,
}

impl Target {
    fn apply(&mut self, entry: Entry) -> Result<(), String> {
        match entry {
            Entry::Room { room, name, created_ms, changed_ms, base } => {
                let copied = CopiedRoom {
                    name: &name,
                    key: RoomKey(room.0),
                    created_ms,
                    changed_ms,
                    base: base.as_ref(),
                };
                self.room(&copied)?;
                self.names.insert(room.0, name);
                Ok(())
            }
            Entry::Records { room, records } => {
                for run in records.chunk_by(|a, b| a.time_ms == b.time_ms) {
                    let base = run[0].revision.previous().ok_or("a record has revision 0")?;
                    let time_ms = run[0].time_ms;
                    let records = run.iter().map(|record| record.bytes.clone()).collect();
                    let append = Append { room: RoomKey(room.0), base, records, time_ms };
                    let outcomes = self.rooms.append(&[append]).map_err(of_target)?;
                    if outcomes.contains(&Outcome::Fenced) {
                        return Err(format!("records after revision {base} do not follow those before them"));
                    }
                }
                while self.rooms.compact().map_err(of_target)? {}
                if self.rooms.needs_checkpoint() {
                    self.rooms.checkpoint().map_err(of_target)?;
                }
                Ok(())
            }
            Entry::Snapshot { room, snapshot } => {
                self.rooms.put_snapshot(RoomKey(room.0), &snapshot).map_err(of_target)
            }
            Entry::Chat { room, forget_up_to, messages } => self.chat(room, forget_up_to, messages),
            Entry::Image { room, id, bytes } => {
                let image = Image { id, bytes };
                self.rooms.put_image(RoomKey(room.0), &image, u64::MAX).map(drop).map_err(of_target)
            }
            Entry::RoomDeleted { room } => self.delete(room),
            Entry::Rows { table, rows } => {
                let keys: Vec<_> = rows.iter().map(|row| row[..table.key_columns].to_vec()).collect();
                self.tables.remove(table, &keys).map_err(of_target_tables)?;
                quadrille_access::tables::TableStore::insert(&mut self.tables, table, &rows)
                    .map_err(of_target_tables)
            }
            Entry::RowsDeleted { table, keys } => self.tables.remove(table, &keys).map_err(of_target_tables),
            Entry::RowsForgotten { table, before } => {
                self.tables.remove_before(table, before).map_err(of_target_tables)
            }
            Entry::LastNumber { table, number } => {
                quadrille_access::tables::TableStore::set_last_number(&mut self.tables, table, number)
                    .map_err(of_target_tables)
            }
            Entry::TimeTriggers(bytes) => {
                self.time_triggers = bytes;
                Ok(())
            }
        }
    }

    /// Creates a room, or lets the history of one that exists begin later.
    fn room(&mut self, copied: &CopiedRoom<'_>) -> Result<(), String> {
        if let Some(existing) = self.rooms.find(copied.name).map_err(of_target)? {
            if let Some(base) =
                copied.base.filter(|base| existing.key == copied.key && existing.head >= base.revision)
            {
                self.rooms.put_snapshot(copied.key, base).map_err(of_target)?;
                return self.rooms.forget_before(copied.key, base.revision).map_err(of_target);
            }
            // Another room of that name, or one whose records are not continued.
            self.rooms.delete(copied.name).map_err(of_target)?;
        }
        self.rooms.claim_copy(copied).map(drop).map_err(of_target)
    }

    fn delete(&mut self, room: Incarnation) -> Result<(), String> {
        let Some(name) = self.names.remove(&room.0) else { return Ok(()) };
        let found = self.rooms.find(&name).map_err(of_target)?;
        if found.is_some_and(|found| found.key == RoomKey(room.0)) {
            self.rooms.delete(&name).map_err(of_target)?;
        }
        Ok(())
    }

    fn chat(
        &mut self,
        room: Incarnation,
        forget_up_to: u64,
        messages: Vec<(u64, std::sync::Arc<[u8]>)>,
    ) -> Result<(), String> {
        let room = RoomKey(room.0);
        let message = |(number, bytes)| StoredChatMessage { room, number, bytes, forget_up_to };
        let mut changed: Vec<StoredChatMessage> = messages.into_iter().map(message).collect();
        if changed.is_empty() {
            // Messages are deleted by one that is stored; the last of them does not survive itself.
            let last = self.rooms.chat_messages(room).map_err(of_target)?.pop();
            let Some(bytes) = last else { return Ok(()) };
            let number =
                ChatMessage::decode(&bytes).map_err(|error| format!("a chat message: {error}"))?.number;
            changed.push(StoredChatMessage { room, number, bytes, forget_up_to });
        }
        self.rooms.put_chat_messages(&changed).map_err(of_target)
    }
}

fn of_target(error: StorageError) -> String {
    error.to_string()
}

fn of_target_tables(error: AccessError) -> String {
    error.to_string()
}
