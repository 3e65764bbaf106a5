//! [`collect`]: finds what stores have and a chain has not, and adds it to an increment.

use std::collections::BTreeSet;
use std::sync::Arc;

use quadrille_access::StoreChanges;
use quadrille_access::tables::{TABLES, Table, TableRow, TableStore, TableValue};
use quadrille_journal::{RoomInfo, Storage, StorageError};
use quadrille_protocol::{ChatMessage, Incarnation, Record, Revision, RoomName};
use quadrille_storage_shards::ReadShards;

use super::entries::{Entry, row_json};
use super::increment::Increment;
use super::manifest::sha256;
use super::state::{Changes, RoomChange, RoomState, State, TableChange, TableState};
use crate::hexadecimal::hex;
use crate::object_storage::{ObjectStorage, WithObjects};
use crate::transfer::{Progress, base_snapshot, for_each_room};

/// Bytes of records in one entry, or one record if it is larger.
const RECORD_BYTES_AT_ONCE: usize = 1 << 20;
/// Rows in one entry.
const ROWS_AT_ONCE: usize = 1_000;

/// The stores that are backed up, as of one moment.
pub struct Stores<'a> {
    pub rooms: Rooms<'a>,
    /// Where large values are, if they are not in `rooms`.
    pub objects: Option<Arc<ObjectStorage>>,
    pub tables: &'a mut dyn TableStore,
    /// The file of EtherCalc's time triggers; empty when there is none.
    pub time_triggers: Vec<u8>,
}

/// The rooms that are backed up.
pub enum Rooms<'a> {
    One(&'a mut dyn Storage),
    /// In several databases.
    Shards(ReadShards<&'a mut dyn Storage>),
}

impl Rooms<'_> {
    fn storage(&mut self) -> &mut dyn Storage {
        match self {
            Rooms::One(storage) => &mut **storage,
            Rooms::Shards(shards) => shards,
        }
    }
}

/// What is looked at.
#[derive(Clone, Copy)]
pub enum Scope<'a> {
    Everything,
    /// Only what has changed since the state of the chain.
    Changed(&'a StoreChanges),
}

/// What was added.
#[derive(Debug, Default)]
pub struct Collected {
    pub changes: Changes,
    /// Rooms that cannot be read completely, with the reason. What can be read of them is added.
    pub damaged: Vec<(RoomName, String)>,
}

/// Why nothing could be added.
#[derive(Debug)]
pub enum CollectError {
    /// The stores are not a later state of those that the chain has: a new chain is needed.
    OtherData(String),
    Failed(String),
}

impl From<String> for CollectError {
    fn from(message: String) -> CollectError {
        CollectError::Failed(message)
    }
}

/// Adds what is new to an increment, and to the state of the chain.
///
/// # Errors
/// When the stores cannot be read, or the increment cannot be written. The state is unchanged.
pub fn collect(
    stores: &mut Stores<'_>,
    scope: Scope<'_>,
    state: &mut State,
    increment: &mut Increment<'_>,
    progress: &mut Progress,
) -> Result<Collected, CollectError> {
    let mut collector =
        Collector { state, increment, collected: Collected::default(), seen: BTreeSet::new() };
    match stores.objects.clone() {
        Some(objects) => {
            let mut rooms = WithObjects::new(stores.rooms.storage(), objects);
            collector.rooms(&mut rooms, scope, progress)?;
        }
        None => collector.rooms(stores.rooms.storage(), scope, progress)?,
    }
    collector.tables(stores.tables, scope)?;
    let triggers = &stores.time_triggers;
    let digest = if triggers.is_empty() { String::new() } else { sha256(triggers) };
    if digest != collector.state.time_triggers {
        collector.increment.add(&Entry::TimeTriggers(triggers.clone()))?;
        collector.collected.changes.time_triggers = Some(digest);
    }
    let Collector { collected, .. } = collector;
    if !collected.changes.is_empty() {
        state.apply(&collected.changes, increment.number());
        increment.note(collected.changes.clone());
    }
    Ok(collected)
}

struct Collector<'a, 'b> {
    state: &'a State,
    increment: &'a mut Increment<'b>,
    collected: Collected,
    /// Rooms that exist.
    seen: BTreeSet<u64>,
}

impl Collector<'_, '_> {
    fn rooms(
        &mut self,
        rooms: &mut dyn Storage,
        scope: Scope<'_>,
        progress: &mut Progress,
    ) -> Result<(), CollectError> {
        let Scope::Changed(changes) = scope else { return self.all_rooms(rooms, progress) };
        for name in &changes.rooms {
            if let Some(info) = rooms.info(name).map_err(failed)? {
                self.room(rooms, &info)?;
            }
        }
        for room in &changes.deleted {
            self.deleted(*room)?;
        }
        if let Some(counts) = &changes.counts {
            let known = self.state.rooms.keys().copied().chain(self.seen.iter().copied());
            let known: BTreeSet<u64> = known.collect();
            if known.len() as u64 != counts.rooms {
                return self.all_rooms(rooms, progress);
            }
        }
        Ok(())
    }

    fn all_rooms(&mut self, rooms: &mut dyn Storage, progress: &mut Progress) -> Result<(), CollectError> {
        // What was found before is found again.
        let done = std::mem::take(&mut self.seen);
        let mut infos = Vec::new();
        for_each_room(rooms, &mut |_, info| {
            infos.push(info.clone());
            Ok(())
        })?;
        progress.begin("compared", infos.len() as u64);
        for info in infos {
            let claim = rooms.find(&info.name).map_err(failed)?;
            match claim.map(|claim| claim.incarnation.0).filter(|room| done.contains(room)) {
                Some(room) => _ = self.seen.insert(room),
                None => self.room(rooms, &info)?,
            }
            progress.room();
        }
        progress.end();
        let gone: Vec<u64> =
            self.state.rooms.keys().filter(|room| !self.seen.contains(room)).copied().collect();
        for room in gone {
            self.deleted(Incarnation(room))?;
        }
        Ok(())
    }

    fn deleted(&mut self, room: Incarnation) -> Result<(), CollectError> {
        let deleted = &mut self.collected.changes.rooms_deleted;
        if self.state.rooms.contains_key(&room.0) && !deleted.contains(&room.0) {
            deleted.push(room.0);
            self.increment.add(&Entry::RoomDeleted { room })?;
        }
        Ok(())
    }

    /// Adds the new records, messages, images and snapshots of a room. Those that cannot be read are reported, the
    /// others are added.
    fn room(&mut self, rooms: &mut dyn Storage, info: &RoomInfo) -> Result<(), CollectError> {
        let Some(claim) = rooms.find(&info.name).map_err(failed)? else { return Ok(()) };
        self.seen.insert(claim.incarnation.0);
        let known = self.state.rooms.get(&claim.incarnation.0);
        let mut room = NewOfRoom {
            room: claim.incarnation,
            key: claim.key,
            known,
            change: known.map_or_else(RoomChange::default, RoomState::unchanged),
            increment: self.increment,
            is_changed: false,
        };
        room.change.room = claim.incarnation.0;
        room.change.name = info.name.to_string();
        if room.change.head > claim.head.0 {
            return Err(CollectError::OtherData(format!(
                "the room {} is at revision {}, and was at {} in the backup",
                info.name, claim.head, room.change.head
            )));
        }
        match room.collect(rooms, info, claim.base, claim.head) {
            Ok(()) => {}
            Err(RoomError::Damaged(reason)) => self.collected.damaged.push((info.name.clone(), reason)),
            Err(RoomError::Failed(message)) => return Err(CollectError::Failed(message)),
        }
        if room.is_changed {
            self.collected.changes.rooms.push(room.change);
        }
        Ok(())
    }

    fn tables(&mut self, store: &mut dyn TableStore, scope: Scope<'_>) -> Result<(), CollectError> {
        let nothing = TableState::default();
        for table in &TABLES {
            let known = self.state.tables.get(table.name).unwrap_or(&nothing);
            let mut rows = NewRows {
                table,
                known,
                change: TableChange {
                    table: table.name.to_owned(),
                    first: known.first,
                    last: known.last,
                    last_number: known.last_number,
                    ..TableChange::default()
                },
                increment: self.increment,
                added: BTreeSet::new(),
                removed: BTreeSet::new(),
                batch: Vec::new(),
                deleted: Vec::new(),
                is_changed: false,
            };
            match scope {
                _ if is_log(table) => rows.log(store)?,
                Scope::Everything => rows.all(store)?,
                Scope::Changed(changes) => rows.changed(store, changes)?,
            }
            rows.finish(store)?;
            if rows.is_changed {
                self.collected.changes.tables.push(rows.change);
            }
        }
        Ok(())
    }
}

/// Whether rows of a table are only added at its end and removed at its beginning.
fn is_log(table: &Table) -> bool {
    table.name == "audit"
}

impl RoomState {
    /// A change that changes nothing.
    fn unchanged(&self) -> RoomChange {
        RoomChange {
            room: 0,
            name: self.name.clone(),
            head: self.head,
            base: self.base,
            chat: self.chat,
            snapshot: self.snapshot,
            snapshot_bytes: self.snapshot_bytes,
            bytes_since_snapshot: self.bytes_since_snapshot,
            images: Vec::new(),
        }
    }
}

enum RoomError {
    Damaged(String),
    Failed(String),
}

impl From<String> for RoomError {
    fn from(message: String) -> RoomError {
        RoomError::Failed(message)
    }
}

impl From<StorageError> for RoomError {
    fn from(error: StorageError) -> RoomError {
        match error {
            StorageError::Damaged { .. } | StorageError::ObjectDamaged { .. } => {
                RoomError::Damaged(error.to_string())
            }
            error => RoomError::Failed(failed_text(&error)),
        }
    }
}

struct NewOfRoom<'a, 'b, 'c> {
    room: Incarnation,
    key: quadrille_journal::RoomKey,
    known: Option<&'a RoomState>,
    change: RoomChange,
    increment: &'b mut Increment<'c>,
    is_changed: bool,
}

impl NewOfRoom<'_, '_, '_> {
    fn add(&mut self, entry: &Entry) -> Result<(), String> {
        self.is_changed = true;
        self.increment.add(entry)
    }

    fn collect(
        &mut self,
        rooms: &mut dyn Storage,
        info: &RoomInfo,
        base: Revision,
        head: Revision,
    ) -> Result<(), RoomError> {
        if self.known.is_none_or(|known| known.base != base.0) {
            let snapshot = base_snapshot(rooms, self.key, base).map_err(RoomError::Damaged)?;
            if let Some(snapshot) = &snapshot {
                self.change.snapshot = self.change.snapshot.max(snapshot.revision.0);
                self.change.snapshot_bytes = snapshot.bytes.len() as u64;
            }
            self.add(&Entry::Room {
                room: self.room,
                name: info.name.clone(),
                created_ms: info.created_ms,
                changed_ms: info.changed_ms,
                base: snapshot,
            })?;
            self.change.base = base.0;
            self.change.head = self.change.head.max(base.0);
        }
        self.records(rooms, head)?;
        self.snapshots(rooms)?;
        self.chat(rooms)?;
        self.images(rooms)
    }

    fn records(&mut self, rooms: &mut dyn Storage, head: Revision) -> Result<(), RoomError> {
        while self.change.head < head.0 {
            let after = Revision(self.change.head);
            let records = rooms.tail(self.key, after, RECORD_BYTES_AT_ONCE)?;
            let Some(last) = records.last() else {
                return Err(RoomError::Damaged(format!("revision {}: it is missing", after.next())));
            };
            for record in &records {
                let decoded = Record::decode(&record.bytes).map_err(|error| error.to_string());
                let reason = match decoded {
                    Ok(decoded) if decoded.revision == record.revision => continue,
                    Ok(decoded) => format!("it has revision {}", decoded.revision),
                    Err(error) => error,
                };
                return Err(RoomError::Damaged(format!("revision {}: {reason}", record.revision)));
            }
            self.change.head = last.revision.0;
            self.change.bytes_since_snapshot +=
                records.iter().map(|record| record.bytes.len() as u64).sum::<u64>();
            self.add(&Entry::Records { room: self.room, records })?;
        }
        Ok(())
    }

    /// Adds all snapshots of a new room. Later, the newest one once the records after the last snapshot are as
    /// large as that one, so that the size of a backup follows that of the records.
    fn snapshots(&mut self, rooms: &mut dyn Storage) -> Result<(), RoomError> {
        if self.known.is_some() && self.change.bytes_since_snapshot < self.change.snapshot_bytes.max(1) {
            return Ok(());
        }
        let newest_first = rooms.snapshot_revisions(self.key)?;
        let newer = newest_first.into_iter().filter(|revision| revision.0 > self.change.snapshot);
        let mut newer: Vec<Revision> = newer.collect();
        if self.known.is_some() {
            newer.truncate(1);
        }
        for revision in newer.into_iter().rev() {
            let snapshot = rooms.snapshot_before(self.key, revision)?;
            // A damaged one is skipped (J5).
            let Some(snapshot) = snapshot.filter(|snapshot| snapshot.revision == revision) else { continue };
            self.change.snapshot = revision.0;
            self.change.snapshot_bytes = snapshot.bytes.len() as u64;
            self.change.bytes_since_snapshot = 0;
            self.add(&Entry::Snapshot { room: self.room, snapshot })?;
        }
        Ok(())
    }

    fn chat(&mut self, rooms: &mut dyn Storage) -> Result<(), RoomError> {
        let mut messages = Vec::new();
        for bytes in rooms.chat_messages(self.key)? {
            let message = ChatMessage::decode(&bytes)
                .map_err(|error| RoomError::Damaged(format!("a chat message: {error}")))?;
            messages.push((message.number, bytes));
        }
        let number = |message: Option<&(u64, _)>| message.map_or(0, |(number, _)| *number);
        let (first, last) = (number(messages.first()), number(messages.last()));
        let (_, last_known) = self.change.chat;
        if (first, last) == self.change.chat {
            return Ok(());
        }
        if last < last_known {
            let entry = Entry::Chat { room: self.room, forget_up_to: last_known, messages: Vec::new() };
            self.add(&entry)?;
        } else {
            messages.retain(|(number, _)| *number > last_known);
        }
        if last > 0 {
            self.add(&Entry::Chat { room: self.room, forget_up_to: first - 1, messages })?;
        }
        self.change.chat = (first, last);
        Ok(())
    }

    fn images(&mut self, rooms: &mut dyn Storage) -> Result<(), RoomError> {
        for id in rooms.image_ids(self.key)? {
            let name = hex(&id.0);
            if self.known.is_some_and(|known| known.images.contains(&name)) {
                continue;
            }
            // A damaged one is skipped: cells show that it is missing.
            if let Some(bytes) = rooms.image(self.key, id)? {
                self.add(&Entry::Image { room: self.room, id, bytes })?;
                self.change.images.push(name);
            }
        }
        Ok(())
    }
}

struct NewRows<'a, 'b, 'c> {
    table: &'static Table,
    known: &'a TableState,
    change: TableChange,
    increment: &'b mut Increment<'c>,
    /// Keys of the rows that were added.
    added: BTreeSet<String>,
    removed: BTreeSet<String>,
    batch: Vec<TableRow>,
    deleted: Vec<Vec<TableValue>>,
    is_changed: bool,
}

impl NewRows<'_, '_, '_> {
    /// Compares all rows.
    fn all(&mut self, store: &mut dyn TableStore) -> Result<(), CollectError> {
        let mut seen = BTreeSet::new();
        let mut after: Option<Vec<TableValue>> = None;
        loop {
            let rows = store.rows(self.table, after.as_deref(), ROWS_AT_ONCE).map_err(failed_table)?;
            let Some(last) = rows.last() else { break };
            after = Some(last[..self.table.key_columns].to_vec());
            for row in rows {
                seen.insert(self.row(row)?);
            }
        }
        let gone: Vec<String> = self.known.rows.keys().filter(|key| !seen.contains(*key)).cloned().collect();
        for key in gone {
            self.row_deleted(key)?;
        }
        Ok(())
    }

    /// Compares the rows that may have changed.
    fn changed(&mut self, store: &mut dyn TableStore, changes: &StoreChanges) -> Result<(), CollectError> {
        let mut change: i64 = 0;
        for (_, key) in changes.rows.iter().filter(|(table, _)| table.name == self.table.name) {
            let name = row_json(key).to_string();
            let is_known = self.known.rows.contains_key(&name);
            match store.row(self.table, key).map_err(failed_table)? {
                Some(row) => {
                    change += i64::from(!is_known);
                    self.row(row)?;
                }
                None if is_known => {
                    change -= 1;
                    self.row_deleted(name)?;
                }
                None => {}
            }
        }
        let counts = changes.counts.iter().flat_map(|counts| &counts.rows);
        for (_, count) in counts.filter(|(table, _)| table.name == self.table.name) {
            if self.known.rows.len() as i64 + change != *count as i64 {
                self.all(store)?;
            }
        }
        Ok(())
    }

    /// Reads the new end of a table whose rows do not change.
    fn log(&mut self, store: &mut dyn TableStore) -> Result<(), CollectError> {
        let number = |row: &TableRow| match row.first() {
            Some(TableValue::Integer(number)) => *number,
            _ => 0,
        };
        let first = store.rows(self.table, None, 1).map_err(failed_table)?;
        let first = first.first().map_or(self.known.last + 1, number);
        if first > self.known.first && self.known.last > 0 && self.known.first <= self.known.last {
            self.is_changed = true;
            self.increment.add(&Entry::RowsForgotten { table: self.table, before: first })?;
        }
        self.change.first = first;
        loop {
            let after = [TableValue::Integer(self.change.last)];
            let rows = store.rows(self.table, Some(&after), ROWS_AT_ONCE).map_err(failed_table)?;
            let Some(last) = rows.last() else { return Ok(()) };
            self.change.last = number(last);
            self.is_changed = true;
            self.increment.add(&Entry::Rows { table: self.table, rows })?;
        }
    }

    /// Adds a row if it is new. Returns its key.
    fn row(&mut self, row: TableRow) -> Result<String, CollectError> {
        let key = row_json(&row[..self.table.key_columns]).to_string();
        let mut digest = sha256(row_json(&row).to_string().as_bytes());
        digest.truncate(DIGEST_DIGITS);
        if self.known.rows.get(&key) != Some(&digest) {
            if !self.added.insert(key.clone()) {
                return Ok(key);
            }
            self.change.rows.push((key.clone(), digest));
            self.batch.push(row);
            if self.batch.len() >= ROWS_AT_ONCE {
                self.write_batch()?;
            }
        }
        Ok(key)
    }

    fn row_deleted(&mut self, key: String) -> Result<(), CollectError> {
        if !self.removed.insert(key.clone()) {
            return Ok(());
        }
        let values = serde_json::from_str(&key).ok().and_then(|json| super::entries::json_row(&json));
        self.deleted.push(values.ok_or_else(|| format!("the key {key} cannot be read"))?);
        self.change.deleted.push(key);
        Ok(())
    }

    fn write_batch(&mut self) -> Result<(), CollectError> {
        if !self.batch.is_empty() {
            self.is_changed = true;
            let rows = std::mem::take(&mut self.batch);
            self.increment.add(&Entry::Rows { table: self.table, rows })?;
        }
        Ok(())
    }

    fn finish(&mut self, store: &mut dyn TableStore) -> Result<(), CollectError> {
        self.write_batch()?;
        if !self.deleted.is_empty() {
            self.is_changed = true;
            let keys = std::mem::take(&mut self.deleted);
            self.increment.add(&Entry::RowsDeleted { table: self.table, keys })?;
        }
        if self.table.is_numbered {
            let number = store.last_number(self.table).map_err(failed_table)?;
            if number != self.known.last_number {
                self.is_changed = true;
                self.change.last_number = number;
                self.increment.add(&Entry::LastNumber { table: self.table, number })?;
            }
        }
        Ok(())
    }
}

/// Digits of the digest of a row: 64 bits. Two states of one row are alike by chance once in 10^19.
const DIGEST_DIGITS: usize = 16;

fn failed(error: StorageError) -> CollectError {
    CollectError::Failed(failed_text(&error))
}

fn failed_text(error: &StorageError) -> String {
    format!("the source: {error}")
}

fn failed_table(error: quadrille_access::AccessError) -> CollectError {
    CollectError::Failed(format!("the source: {error}"))
}
