//! Inspection of a data directory: reads all stored data and lists the damage. Changes nothing.

use std::collections::BTreeSet;
use std::fmt;

use quadrille_journal::entry::HEADER_BYTES;
use quadrille_journal::{RoomKey, Snapshot, StorageError, entry};
use quadrille_protocol::{Revision, RoomName};

use crate::error::engine;
use crate::open::Files;
use crate::row_checksums::{RoomRow, read_directory};
use crate::startup_index::{derive_head, read_head};
use crate::storage::SqliteStorage;

/// A damage with its remedy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The affected room; `None` when the damage affects all rooms.
    pub key: Option<RoomKey>,
    /// The name of the room, as far as it is known.
    pub room: String,
    pub revision: Option<Revision>,
    /// Description of the damage.
    pub what: String,
    pub remedy: Remedy,
}

/// What `repair` can do about a damage without inventing data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// The row is rewritten from redundant data.
    Rewrite(Row),
    /// The snapshot is dropped; the journal or another snapshot replaces it.
    DropSnapshot(Revision),
    /// The image with this row id is dropped: cells show that it is missing, and it can be uploaded
    /// again.
    DropImage(i64),
    /// Nothing: the room opens from a later snapshot, and its history has a gap.
    Leave,
    /// The room is cut back to this revision; later records are dropped.
    Cut(Revision),
    /// The database is rebuilt from its readable rows; then everything is inspected again.
    Rebuild(&'static str),
    /// Unreadable rows of the log are dropped. They may have had records of unknown rooms.
    CutLog,
    /// Nothing can be done.
    None,
}

/// A row that can be rewritten from redundant data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Row {
    /// The name of a room.
    Name(RoomRow),
    /// The last revision of a room.
    Head,
    /// The key of a row of the tail, which can be derived from its records. The fields are the
    /// current key.
    Tail { room: i64, first: i64 },
    /// The directory of a row of the log.
    Directory(i64),
}

impl Damage {
    /// Whether the room, or all rooms, cannot be opened because of the damage.
    pub fn stops(&self) -> bool {
        !matches!(
            self.remedy,
            Remedy::Leave
                | Remedy::DropSnapshot(_)
                | Remedy::DropImage(_)
                | Remedy::Rewrite(Row::Head | Row::Directory(_))
        )
    }

    /// Whether the repair drops acknowledged data.
    pub fn loses(&self) -> bool {
        matches!(self.remedy, Remedy::Cut(_) | Remedy::CutLog | Remedy::Rebuild(_))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let revision = self.revision.map_or("-".to_owned(), |revision| format!("revision {revision}"));
        write!(f, "{}\t{revision}\t{}; ", self.room, self.what)?;
        match &self.remedy {
            Remedy::Rewrite(_) => write!(f, "repair rewrites it from redundant data"),
            Remedy::DropSnapshot(_) => {
                write!(f, "the room opens without it, repair drops it")
            }
            Remedy::DropImage(_) => write!(f, "the room opens without it, repair drops it"),
            Remedy::Leave => {
                write!(f, "the room opens from a later snapshot, its history has a gap here")
            }
            Remedy::Cut(Revision(0)) => write!(f, "repair --cut leaves nothing of the room"),
            Remedy::Cut(after) => write!(f, "repair --cut goes back to revision {after}"),
            Remedy::Rebuild(name) => write!(f, "repair --cut rebuilds {name} from its readable rows"),
            Remedy::CutLog => write!(f, "repair --cut drops it"),
            Remedy::None => write!(f, "it cannot be repaired"),
        }
    }
}

/// Decodes snapshots and records, to check that a room could read them.
pub trait Reader {
    /// Decodes a snapshot.
    ///
    /// # Errors
    ///
    /// Fails with the reason when it is unreadable.
    fn snapshot(&mut self, snapshot: &Snapshot) -> Result<(), String>;
    /// Decodes a record.
    ///
    /// # Errors
    ///
    /// Fails with the reason when it is unreadable.
    fn record(&mut self, revision: Revision, bytes: &[u8]) -> Result<(), String>;
}

/// The contents of an intact room.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomContents {
    pub room: RoomName,
    pub head: Revision,
    pub records: usize,
    pub snapshots: usize,
    pub images: usize,
}

/// Result of an inspection.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// Rooms without damage.
    pub intact: Vec<RoomContents>,
    pub damages: Vec<Damage>,
}

impl SqliteStorage {
    /// Inspects all stored data.
    pub(crate) fn inspect(&mut self, reader: &mut dyn Reader) -> Result<Findings, StorageError> {
        let mut findings = Findings { damages: files_damage(&self.files), ..Findings::default() };
        for row in self.unattributed.clone() {
            findings.damages.push(damage_of_all_rooms(row, Remedy::CutLog));
        }
        let keys = self.all_keys()?;
        findings.damages.extend(self.misplaced_rows(&keys)?);
        findings.damages.extend(self.directories_damage()?);
        for key in keys {
            let before = findings.damages.len();
            let found = self.inspect_room(key, reader, &mut findings.damages);
            match found {
                Ok(Some(intact)) if findings.damages.len() == before => findings.intact.push(intact),
                Ok(_) => {}
                Err(error @ StorageError::JournalDamaged { .. }) => findings.damages.push(Damage {
                    key: Some(key),
                    room: self.name_of(key),
                    revision: None,
                    what: error.to_string(),
                    remedy: Remedy::Rebuild(crate::open::ROOMS),
                }),
                Err(error) => return Err(error),
            }
        }
        Ok(findings)
    }

    /// Finds rows of records with the id of no room, although their records are of an existing one.
    /// Rows of deleted rooms are no damage.
    fn misplaced_rows(&self, keys: &BTreeSet<RoomKey>) -> Result<Vec<Damage>, StorageError> {
        let mut damages = Vec::new();
        let mut query = self.files.rooms.prepare("SELECT DISTINCT room FROM tail").map_err(engine)?;
        let rooms = query.query_map([], |row| row.get::<_, i64>(0)).map_err(engine)?;
        for room in rooms {
            let room = match room.map_err(engine) {
                Ok(room) if !keys.contains(&RoomKey(room as u64)) => room,
                Ok(_) => continue,
                Err(StorageError::JournalDamaged { .. }) => break, // reported by `files_damage`
                Err(error) => return Err(error),
            };
            let mut rows =
                self.files.rooms.prepare("SELECT first, data FROM tail WHERE room = ?1").map_err(engine)?;
            let mut rows = rows.query([room]).map_err(engine)?;
            while let Ok(Some(row)) = rows.next() {
                let (first, data): (i64, Vec<u8>) =
                    (row.get(0).map_err(engine)?, row.get(1).map_err(engine)?);
                let (entries, _) = entry::scan_damaged(&data);
                let Some((_, header)) = entries.first().filter(|(_, header)| keys.contains(&header.room))
                else {
                    continue;
                };
                damages.push(Damage {
                    key: Some(header.room),
                    room: self.name_of(header.room),
                    revision: Some(header.revision),
                    what: format!("a row of its records has the key of room number {room}"),
                    remedy: Remedy::Rewrite(Row::Tail { room, first }),
                });
            }
        }
        Ok(damages)
    }

    /// Finds damaged directories of intact rows of the log.
    fn directories_damage(&self) -> Result<Vec<Damage>, StorageError> {
        let mut damages = Vec::new();
        let mut query = self
            .files
            .journal
            .prepare(
                "SELECT log.id, directory.rooms FROM log LEFT JOIN directory ON directory.id = log.id
                 ORDER BY log.id",
            )
            .map_err(engine)?;
        let mut rows = query.query([]).map_err(engine)?;
        while let Ok(Some(row)) = rows.next() {
            let (id, bytes): (i64, Option<Vec<u8>>) =
                (row.get(0).map_err(engine)?, row.get(1).map_err(engine)?);
            let is_intact = bytes.is_some_and(|bytes| read_directory(id, &bytes).is_some());
            if !is_intact && !self.retained_rows.contains(&id) {
                let what = format!("the directory of row {id} of the log is damaged");
                damages.push(damage_of_all_rooms(what, Remedy::Rewrite(Row::Directory(id))));
            }
        }
        Ok(damages)
    }

    /// Returns every room with a row, intact or damaged.
    fn all_keys(&self) -> Result<BTreeSet<RoomKey>, StorageError> {
        let mut keys: BTreeSet<RoomKey> =
            self.rooms.keys().chain(self.damaged_rows.keys()).chain(&self.nameless).copied().collect();
        let mut query = self.files.journal.prepare("SELECT id FROM room").map_err(engine)?;
        let ids = query.query_map([], |row| row.get::<_, i64>(0)).map_err(engine)?;
        for id in ids {
            match id.map_err(engine) {
                Ok(id) => _ = keys.insert(RoomKey(id as u64)),
                Err(StorageError::JournalDamaged { .. }) => break, // reported by `files_damage`
                Err(error) => return Err(error),
            }
        }
        Ok(keys)
    }

    fn name_of(&self, key: RoomKey) -> String {
        match (self.rooms.get(&key), self.damaged_rows.get(&key)) {
            (Some(room), _) => room.name.to_string(),
            (None, Some(row)) => row.names.iter().cloned().collect::<Vec<_>>().join(" or "),
            (None, None) => format!("room number {}", key.0),
        }
    }

    fn inspect_room(
        &mut self,
        key: RoomKey,
        reader: &mut dyn Reader,
        damages: &mut Vec<Damage>,
    ) -> Result<Option<RoomContents>, StorageError> {
        let name = self.name_of(key);
        let mut add = |revision: Option<Revision>, what: String, remedy: Remedy| {
            damages.push(Damage { key: Some(key), room: name.clone(), revision, what, remedy });
        };
        if self.damaged_rows.contains_key(&key) {
            let row = &self.damaged_rows[&key];
            let (what, row) = match row.repaired.clone() {
                Some(repaired) if repaired.id != key.0 as i64 => (
                    format!("the row with its name is damaged; its room number is {}", repaired.id),
                    repaired,
                ),
                Some(repaired) => {
                    (format!("the row with its name is damaged; its name is {}", repaired.name), repaired)
                }
                None => {
                    let name = format!("recovered-{}", key.0);
                    let what = format!("the row with its name is damaged; it gets the name {name}");
                    (what, RoomRow { id: key.0 as i64, name, created_ms: row.created_ms })
                }
            };
            let remedy = Remedy::Rewrite(Row::Name(row));
            add(None, what, remedy);
            return Ok(None); // the rest is inspected when it has a name
        }
        if self.nameless.contains(&key) {
            let name = format!("recovered-{}", key.0);
            let what = format!("the row with its name is missing; it gets the name {name}");
            let created_ms = read_head(&self.files.rooms, key)?.map_or(0, |head| head.changed_ms);
            add(None, what, Remedy::Rewrite(Row::Name(RoomRow { id: key.0 as i64, name, created_ms })));
            return Ok(None);
        }
        if !self.rooms.contains_key(&key) {
            match self.open_room(key) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(StorageError::Damaged { reason, .. }) => {
                    add(None, reason, Remedy::None);
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
        let stored = read_head(&self.files.rooms, key)?;
        if stored.is_none() && derive_head(&self.files.rooms, key)?.is_some() {
            add(None, "the row with its last revision is damaged".into(), Remedy::Rewrite(Row::Head));
        }
        let room = &self.rooms[&key];
        let (head, base) = (room.head, room.base);
        let mut readable: BTreeSet<Revision> = BTreeSet::new();
        let mut reasons = Vec::new();
        let mut records = 0;
        {
            let mut query = self
                .files
                .rooms
                .prepare("SELECT first, last, data FROM tail WHERE room = ?1 ORDER BY first")
                .map_err(engine)?;
            let mut rows = query.query([key.0 as i64]).map_err(engine)?;
            while let Some(row) = rows.next().map_err(engine)? {
                let (first, last): (i64, i64) = (row.get(0).map_err(engine)?, row.get(1).map_err(engine)?);
                let data = row.get_ref(2).map_err(engine)?.as_blob().map_err(|error| engine(error.into()))?;
                let (entries, unreadable) = entry::scan_damaged(data);
                if entries.first().is_some_and(|(_, header)| header.room != key) {
                    let what = "a row of records is in the wrong room".to_owned();
                    add(None, what, Remedy::Rewrite(Row::Tail { room: key.0 as i64, first }));
                    continue;
                }
                let ends = entries.first().zip(entries.last());
                let derived = ends.map(|(first, last)| (first.1.revision.0 as i64, last.1.revision.0 as i64));
                if unreadable.is_empty() && derived.is_some_and(|derived| derived != (first, last)) {
                    let what = format!("a row of records has the wrong key: {first} to {last}");
                    let revision = ends.map(|(first, _)| first.1.revision);
                    add(revision, what, Remedy::Rewrite(Row::Tail { room: key.0 as i64, first }));
                }
                for (offset, header) in entries {
                    let payload = &data[offset + HEADER_BYTES..offset + header.entry_bytes()];
                    let read = match header.record(payload) {
                        _ if header.room != key => Err("it belongs to another room".to_owned()),
                        None => Err("its checksum does not match".to_owned()),
                        Some(record) => reader.record(header.revision, &record.bytes),
                    };
                    records += 1;
                    match read {
                        Ok(()) => _ = readable.insert(header.revision),
                        Err(reason) => reasons.push((header.revision, reason)),
                    }
                }
            }
        }
        for position in &room.in_log {
            records += 1;
            let read = match self.read_position(position) {
                Ok(record) => reader.record(position.header.revision, &record.bytes),
                Err(StorageError::Damaged { reason, .. }) => Err(reason),
                Err(error) => Err(error.to_string()),
            };
            match read {
                Ok(()) => _ = readable.insert(position.header.revision),
                Err(reason) => reasons.push((position.header.revision, reason)),
            }
        }
        if let Some((revision, reason)) = &room.damage {
            readable.remove(revision);
            reasons.push((*revision, reason.clone()));
        }
        let mut starts = Vec::new();
        let mut unreadable_snapshots = Vec::new();
        let revisions = self.list_snapshots(key)?;
        for revision in &revisions {
            let bytes = self.snapshot_bytes(key, *revision)?;
            let read = match bytes {
                None => Err("its checksum does not match".to_owned()),
                Some(bytes) => reader.snapshot(&Snapshot { revision: *revision, bytes }),
            };
            match read {
                Ok(()) if *revision <= head => starts.push(*revision),
                Ok(()) => unreadable_snapshots.push((*revision, "it is ahead of the records".to_owned())),
                Err(reason) => unreadable_snapshots.push((*revision, reason)),
            }
        }
        if base == Revision(0) {
            starts.push(Revision(0));
        }
        // The last revision that the room reaches from a snapshot or from the beginning. It opens
        // from the newest readable snapshot.
        let end_of = |start: Revision| {
            let mut end = start;
            while readable.contains(&end.next()) {
                end = end.next();
            }
            end
        };
        let best = starts.iter().map(|start| end_of(*start)).max();
        let last = head.max(room.damage.as_ref().map_or(head, |(revision, _)| *revision));
        let opens = best == Some(head) && room.damage.is_none() && last == head;
        let missing = (base.0 + 1..=last.0).map(Revision).filter(|revision| !readable.contains(revision));
        // Adjacent revisions are reported together.
        let mut missing = missing.peekable();
        while let Some(first) = missing.next() {
            let mut end = first;
            while missing.peek() == Some(&end.next()) {
                end = missing.next().expect("peeked above");
            }
            let reason = reasons.iter().find(|(revision, _)| *revision == first);
            let reason = reason.map_or("it is missing", |(_, reason)| reason);
            let what = match end == first {
                true => format!("its record is unreadable: {reason}"),
                false => format!("the records up to revision {end} are unreadable: {reason}"),
            };
            let remedy = match best {
                _ if opens => Remedy::Leave,
                Some(best) => Remedy::Cut(best),
                None => Remedy::None,
            };
            add(Some(first), what, remedy);
        }
        for (revision, reason) in unreadable_snapshots {
            let remedy = match best {
                Some(_) => Remedy::DropSnapshot(revision),
                None => Remedy::None,
            };
            add(Some(revision), format!("its snapshot is unreadable: {reason}"), remedy);
        }
        let (images, damaged_images) = self.inspect_images(key)?;
        for row in damaged_images {
            add(None, "one of its images is damaged".into(), Remedy::DropImage(row));
        }
        if best.is_none() && base > Revision(0) {
            let what = format!("the history begins at revision {base}, and no snapshot is readable");
            add(Some(base), what, Remedy::None);
        }
        let name = room.name.clone();
        Ok(Some(RoomContents { room: name, head, records, snapshots: revisions.len(), images }))
    }
}

/// Returns the damage that SQLite's integrity check finds.
pub(crate) fn files_damage(files: &Files) -> Vec<Damage> {
    let mut damages = Vec::new();
    for (database, name) in [(&files.journal, crate::open::JOURNAL), (&files.rooms, crate::open::ROOMS)] {
        let lines = database.prepare("PRAGMA integrity_check(5)").and_then(|mut query| {
            query.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
        });
        let lines = lines.unwrap_or_else(|error| vec![error.to_string()]);
        if lines != ["ok"] {
            let what = format!("{name}: {}", lines.join(", ").replace('\n', " "));
            damages.push(damage_of_all_rooms(what, Remedy::Rebuild(name)));
        }
    }
    damages
}

pub(crate) fn damage_of_all_rooms(what: String, remedy: Remedy) -> Damage {
    Damage { key: None, room: "-".into(), revision: None, what, remedy }
}
