//! Reads everything in a data directory and says what is not as it was written. Changes nothing.

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

/// One thing that is wrong, and what can be done about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// `None` when it is not of one room.
    pub key: Option<RoomKey>,
    /// The room's name, as far as it is known.
    pub room: String,
    pub revision: Option<Revision>,
    /// What it is in, and what is wrong with it.
    pub what: String,
    pub remedy: Remedy,
}

/// What `repair` can do without making anything up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// The row says what others say too: it is written again.
    Rewrite(Row),
    /// The snapshot is dropped: the journal, or another snapshot, replaces it.
    DropSnapshot(Revision),
    /// The image, by its row, is dropped: cells show that it is missing, and it can be put in again.
    DropImage(i64),
    /// Nothing needs to be done: the room opens from a later snapshot. What cannot be read is missing in its history.
    Leave,
    /// The room is cut after this revision: what follows it is not used any more.
    Cut(Revision),
    /// The database is made anew from the rows that can be read; then everything is looked at again.
    Rebuild(&'static str),
    /// Unreadable rows of the log are dropped. Records of rooms that nobody can name may be among what is lost.
    CutLog,
    /// Nothing can be done.
    None,
}

/// A row that others vouch for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Row {
    /// The name of a room.
    Name(RoomRow),
    Head,
    /// What a row of the tail is called by, which its records say too: the row as it is called now.
    Tail {
        room: i64,
        first: i64,
    },
    /// The directory of a row of the log.
    Directory(i64),
}

impl Damage {
    /// Whether the room, or all of them, cannot be opened because of this.
    pub fn stops(&self) -> bool {
        !matches!(
            self.remedy,
            Remedy::Leave
                | Remedy::DropSnapshot(_)
                | Remedy::DropImage(_)
                | Remedy::Rewrite(Row::Head | Row::Directory(_))
        )
    }

    /// Whether mending it gives up what was acknowledged.
    pub fn loses(&self) -> bool {
        matches!(self.remedy, Remedy::Cut(_) | Remedy::CutLog | Remedy::Rebuild(_))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let revision = self.revision.map_or("-".to_owned(), |revision| format!("revision {revision}"));
        write!(f, "{}\t{revision}\t{}; ", self.room, self.what)?;
        match &self.remedy {
            Remedy::Rewrite(_) => write!(f, "repair writes it again from what vouches for it"),
            Remedy::DropSnapshot(_) => {
                write!(f, "the room opens without it, repair drops it")
            }
            Remedy::DropImage(_) => write!(f, "the room opens without it, repair drops it"),
            Remedy::Leave => {
                write!(f, "the room opens from a later snapshot, its history has a gap here")
            }
            Remedy::Cut(Revision(0)) => write!(f, "repair --cut leaves nothing of the room"),
            Remedy::Cut(after) => write!(f, "repair --cut goes back to revision {after}"),
            Remedy::Rebuild(name) => write!(f, "repair --cut makes {name} anew from what can be read"),
            Remedy::CutLog => write!(f, "repair --cut goes on without it"),
            Remedy::None => write!(f, "nothing can be done about it"),
        }
    }
}

/// Whether the bytes of a snapshot or a record are what the room would read.
pub trait Reader {
    fn snapshot(&mut self, snapshot: &Snapshot) -> Result<(), String>;
    fn record(&mut self, revision: Revision, bytes: &[u8]) -> Result<(), String>;
}

/// What there is of a room.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomContents {
    pub room: RoomName,
    pub head: Revision,
    pub records: usize,
    pub snapshots: usize,
    pub images: usize,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// Rooms in which nothing is wrong.
    pub intact: Vec<RoomContents>,
    pub damages: Vec<Damage>,
}

impl SqliteStorage {
    /// Looks at everything.
    pub(crate) fn inspect(&mut self, reader: &mut dyn Reader) -> Result<Findings, StorageError> {
        let mut findings = Findings { damages: files_damage(&self.files), ..Findings::default() };
        for row in self.unattributed.clone() {
            findings.damages.push(of_all(row, Remedy::CutLog));
        }
        let keys = self.all_keys()?;
        findings.damages.extend(self.astray(&keys)?);
        findings.damages.extend(self.directories_damage()?);
        for key in keys {
            let before = findings.damages.len();
            let found = self.inspect_room(key, reader, &mut findings.damages);
            match found {
                Ok(Some(sound)) if findings.damages.len() == before => findings.intact.push(sound),
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

    /// Rows of records under numbers that no room has, although their records are of one that is there. What is
    /// left of deleted rooms is no damage.
    fn astray(&self, keys: &BTreeSet<RoomKey>) -> Result<Vec<Damage>, StorageError> {
        let mut damages = Vec::new();
        let mut query = self.files.rooms.prepare("SELECT DISTINCT room FROM tail").map_err(engine)?;
        let rooms = query.query_map([], |row| row.get::<_, i64>(0)).map_err(engine)?;
        for room in rooms {
            let room = match room.map_err(engine) {
                Ok(room) if !keys.contains(&RoomKey(room as u64)) => room,
                Ok(_) => continue,
                Err(StorageError::JournalDamaged { .. }) => break, // said by `files_damage`
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
                    what: format!("a row of its records is called one of room number {room}"),
                    remedy: Remedy::Rewrite(Row::Tail { room, first }),
                });
            }
        }
        Ok(damages)
    }

    /// Directories of whole rows of the log.
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
            let is_sound = bytes.is_some_and(|bytes| read_directory(id, &bytes).is_some());
            if !is_sound && !self.evidence.contains(&id) {
                let what = format!("the directory of row {id} of the log is damaged");
                damages.push(of_all(what, Remedy::Rewrite(Row::Directory(id))));
            }
        }
        Ok(damages)
    }

    /// Every room with a row, readable or not.
    fn all_keys(&self) -> Result<BTreeSet<RoomKey>, StorageError> {
        let mut keys: BTreeSet<RoomKey> =
            self.rooms.keys().chain(self.damaged_rows.keys()).chain(&self.nameless).copied().collect();
        let mut query = self.files.journal.prepare("SELECT id FROM room").map_err(engine)?;
        let ids = query.query_map([], |row| row.get::<_, i64>(0)).map_err(engine)?;
        for id in ids {
            match id.map_err(engine) {
                Ok(id) => _ = keys.insert(RoomKey(id as u64)),
                Err(StorageError::JournalDamaged { .. }) => break, // said by `files_damage`
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
            let (what, row) = match row.mended.clone() {
                Some(mended) if mended.id != key.0 as i64 => {
                    (format!("the row with its name is damaged; it is of room number {}", mended.id), mended)
                }
                Some(mended) => (format!("the row with its name is damaged; it is {}", mended.name), mended),
                None => {
                    let name = format!("recovered-{}", key.0);
                    let what = format!("the row with its name is damaged; it gets the name {name}");
                    (what, RoomRow { id: key.0 as i64, name, created_ms: row.created_ms })
                }
            };
            let remedy = Remedy::Rewrite(Row::Name(row));
            add(None, what, remedy);
            return Ok(None); // the rest is looked at when it has a name
        }
        if self.nameless.contains(&key) {
            let name = format!("recovered-{}", key.0);
            let what = format!("the row with its name is gone; it gets the name {name}");
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
            add(None, "the row that says where it ends is damaged".into(), Remedy::Rewrite(Row::Head));
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
                let says = ends.map(|(first, last)| (first.1.revision.0 as i64, last.1.revision.0 as i64));
                if unreadable.is_empty() && says.is_some_and(|says| says != (first, last)) {
                    let what = format!("a row of records is called {first} to {last}, and is not");
                    let revision = ends.map(|(first, _)| first.1.revision);
                    add(revision, what, Remedy::Rewrite(Row::Tail { room: key.0 as i64, first }));
                }
                for (offset, header) in entries {
                    let payload = &data[offset + HEADER_BYTES..offset + header.entry_bytes()];
                    let read = match header.record(payload) {
                        _ if header.room != key => Err("it is of another room".to_owned()),
                        None => Err("it does not have the checksum it was written with".to_owned()),
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
        for place in &room.in_log {
            records += 1;
            let read = match self.read_place(place) {
                Ok(record) => reader.record(place.header.revision, &record.bytes),
                Err(StorageError::Damaged { reason, .. }) => Err(reason),
                Err(error) => Err(error.to_string()),
            };
            match read {
                Ok(()) => _ = readable.insert(place.header.revision),
                Err(reason) => reasons.push((place.header.revision, reason)),
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
                None => Err("it does not have the checksum it was written with".to_owned()),
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
        // How far the room comes from a snapshot or the beginning. The newest that can be read is what it opens from.
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
        // Neighbours are told together.
        let mut missing = missing.peekable();
        while let Some(first) = missing.next() {
            let mut end = first;
            while missing.peek() == Some(&end.next()) {
                end = missing.next().expect("looked at");
            }
            let reason = reasons.iter().find(|(revision, _)| *revision == first);
            let reason = reason.map_or("it is missing", |(_, reason)| reason);
            let what = match end == first {
                true => format!("its record cannot be read: {reason}"),
                false => format!("the records up to revision {end} cannot be read: {reason}"),
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
            add(Some(revision), format!("its snapshot cannot be read: {reason}"), remedy);
        }
        let (images, damaged_images) = self.inspect_images(key)?;
        for row in damaged_images {
            add(None, "one of its images is not as it was written".into(), Remedy::DropImage(row));
        }
        if best.is_none() && base > Revision(0) {
            let what = format!("the history begins at revision {base}, and no snapshot can be read");
            add(Some(base), what, Remedy::None);
        }
        let name = room.name.clone();
        Ok(Some(RoomContents { room: name, head, records, snapshots: revisions.len(), images }))
    }
}

/// What SQLite itself finds wrong.
pub(crate) fn files_damage(files: &Files) -> Vec<Damage> {
    let mut damages = Vec::new();
    for (database, name) in [(&files.journal, crate::open::JOURNAL), (&files.rooms, crate::open::ROOMS)] {
        let lines = database.prepare("PRAGMA integrity_check(5)").and_then(|mut query| {
            query.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
        });
        let lines = lines.unwrap_or_else(|error| vec![error.to_string()]);
        if lines != ["ok"] {
            let what = format!("{name}: {}", lines.join(", ").replace('\n', " "));
            damages.push(of_all(what, Remedy::Rebuild(name)));
        }
    }
    damages
}

pub(crate) fn of_all(what: String, remedy: Remedy) -> Damage {
    Damage { key: None, room: "-".into(), revision: None, what, remedy }
}
