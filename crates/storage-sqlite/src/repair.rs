//! `quadrille check` and `quadrille repair`: repairs damage without inventing data.
//!
//! The files are copied before anything is changed. Repairs that drop acknowledged data need
//! [`Repair::Cut`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use quadrille_journal::entry::HEADER_BYTES;
use quadrille_journal::{RoomKey, StorageError, entry};
use quadrille_protocol::Revision;
use rusqlite::params;

use crate::chat::put_chat_message;
use crate::error::engine;
use crate::inspect::{Damage, Findings, Reader, Remedy, Row, damage_of_all_rooms, files_damage};
use crate::open::{self, DamagedWal, Sharing};
use crate::page_scan::ROW_BYTES;
use crate::private_files::create_directory;
use crate::rebuild::rebuild;
use crate::row_checksums::{numbers_checksum, room_checksum, write_directory};
use crate::startup_index::{Head, derive_head, write_head};
use crate::storage::SqliteStorage;

/// The permitted repairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repair {
    /// Repairs that lose no data.
    Derivable,
    /// All repairs, also those that drop records that can no longer be used.
    Cut,
}

/// Result of a repair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repaired {
    /// Directory with a copy of the original files; `None` when nothing was changed.
    pub copy: Option<PathBuf>,
    /// The repairs made, one line each.
    pub done: Vec<String>,
    /// The findings afterwards.
    pub left: Findings,
}

/// Inspects a data directory. Changes nothing except what opening it changes.
///
/// # Errors
///
/// Fails when the directory is in use or inaccessible.
pub fn check(directory: &Path, reader: &mut dyn Reader) -> Result<Findings, StorageError> {
    let lock = open::lock(directory)?;
    let mut damages = Vec::new();
    // Opening a database with a damaged log would make SQLite drop the unreadable commits.
    for (name, damage) in open::wal_damage(directory) {
        damages.push(damage_of_all_rooms(damage, Remedy::Rebuild(name)));
    }
    for name in [open::JOURNAL, open::ROOMS] {
        if damages.iter().all(|damage| damage.remedy != Remedy::Rebuild(name))
            && let Some(reason) = open::unopenable(directory, name)
        {
            damages.push(damage_of_all_rooms(
                format!("{name}: SQLite cannot open it: {reason}"),
                Remedy::Rebuild(name),
            ));
        }
    }
    if !damages.is_empty() {
        return Ok(Findings { intact: Vec::new(), damages });
    }
    drop(lock);
    let findings = SqliteStorage::open_damaged(directory, DamagedWal::Refused, Sharing::Alone)
        .and_then(|mut storage| storage.inspect(reader));
    match findings {
        // A damaged page prevents even listing the rooms.
        Err(StorageError::JournalDamaged { reason }) => {
            let files = open::open(directory, DamagedWal::Refused, Sharing::Alone)?;
            match files_damage(&files) {
                damages if damages.is_empty() => Err(StorageError::JournalDamaged { reason }),
                damages => Ok(Findings { intact: Vec::new(), damages }),
            }
        }
        findings => findings,
    }
}

/// Makes the permitted repairs.
///
/// # Errors
///
/// Fails when the directory is in use or inaccessible, or when nothing of a database can be read.
pub fn repair(directory: &Path, repair: Repair, reader: &mut dyn Reader) -> Result<Repaired, StorageError> {
    let findings = check(directory, reader)?;
    let can_repair = |damage: &Damage| match damage.remedy {
        Remedy::None | Remedy::Leave => false,
        _ => repair == Repair::Cut || !damage.loses(),
    };
    if !findings.damages.iter().any(can_repair) {
        return Ok(Repaired { copy: None, done: Vec::new(), left: findings });
    }
    let copy = copy_files(directory)?;
    let mut done = Vec::new();
    let mut findings = findings;
    if repair == Repair::Cut {
        let mut rebuilt = BTreeSet::new();
        loop {
            // `rooms.db` first: names are recovered for the rooms that have records there.
            let is_due = |name: &&'static str| {
                let is_damaged = findings.damages.iter().any(|damage| damage.remedy == Remedy::Rebuild(name));
                is_damaged && !rebuilt.contains(name)
            };
            let Some(name) = [open::ROOMS, open::JOURNAL].into_iter().find(is_due) else { break };
            let salvaged = rebuild(directory, &copy, name)?;
            done.push(format!("rebuilt {name} from its readable rows{}", salvaged.summary()));
            rebuilt.insert(name);
            // The rebuilt database may show more damage.
            findings = check(directory, reader)?;
        }
    }
    let mut storage = SqliteStorage::open_damaged(directory, DamagedWal::Taken, Sharing::Shared)?;
    if findings.damages.iter().any(|damage| damage.remedy == Remedy::CutLog) && repair == Repair::Cut {
        for row in storage.retained_rows.clone() {
            storage.drop_unreadable(row, &mut done)?;
        }
        done.push("dropped the unreadable part of the log".into());
        storage = reopen(storage)?;
    }
    // Rows first: with a restored name or row, fewer records may have to be cut.
    let damages = storage.inspect(reader)?.damages;
    for damage in &damages {
        let result = match &damage.remedy {
            Remedy::Rewrite(row) => storage.rewrite(damage.key, row),
            Remedy::DropSnapshot(revision) => storage.drop_snapshot(damage.key, *revision),
            Remedy::DropImage(row) => storage.drop_image(*row),
            _ => continue,
        };
        match result {
            // The database has to be rebuilt first, which is reported, too.
            Err(StorageError::JournalDamaged { .. }) => continue,
            other => other?,
        }
        done.push(format!("{}: {}", damage.room, describe(&damage.remedy, damage.revision)));
    }
    storage = reopen(storage)?;
    if repair == Repair::Cut {
        let damages = storage.inspect(reader)?.damages;
        let mut last = None;
        for damage in damages {
            let (Some(key), Remedy::Cut(after)) = (damage.key, damage.remedy) else { continue };
            if last.replace(key) == Some(key) {
                continue; // the room has been cut already
            }
            storage.cut(key, after)?;
            done.push(format!("{}: went back to revision {after}", damage.room));
        }
        storage = reopen(storage)?;
        storage.compact_fully()?;
    }
    let left = storage.inspect(reader)?;
    Ok(Repaired { copy: Some(copy), done, left })
}

/// Describes a repair that was made.
fn describe(remedy: &Remedy, revision: Option<Revision>) -> String {
    match remedy {
        Remedy::Rewrite(Row::Name(row)) => format!("rewrote its name: {}", row.name),
        Remedy::Rewrite(Row::Head) => "rewrote its last revision".into(),
        Remedy::Rewrite(Row::Tail { .. }) => {
            let revision = revision.map_or("its records".into(), |revision| format!("revision {revision}"));
            format!("corrected the key of the row of {revision}")
        }
        Remedy::Rewrite(Row::Directory(row)) => format!("rewrote the directory of row {row}"),
        Remedy::DropSnapshot(revision) => format!("dropped the snapshot of revision {revision}"),
        Remedy::DropImage(_) => "dropped an image".into(),
        _ => String::new(),
    }
}

/// Closes and opens the storage.
fn reopen(storage: SqliteStorage) -> Result<SqliteStorage, StorageError> {
    let directory = storage.directory.clone();
    drop(storage);
    SqliteStorage::open_damaged(&directory, DamagedWal::Taken, Sharing::Shared)
}

/// Copies the files to a new directory `before-repair-N`.
fn copy_files(directory: &Path) -> Result<PathBuf, StorageError> {
    let failed = |error: std::io::Error| StorageError::Inaccessible {
        path: directory.to_owned(),
        reason: format!("the files cannot be copied, so nothing was changed: {error}"),
    };
    let mut number = 1;
    let copy = loop {
        let copy = directory.join(format!("before-repair-{number}"));
        match copy.exists() {
            true => number += 1,
            false => {
                create_directory(&copy).map_err(failed)?;
                break copy;
            }
        }
    };
    for name in [open::JOURNAL, open::ROOMS] {
        for suffix in ["", "-wal"] {
            let name = format!("{name}{suffix}");
            if directory.join(&name).exists() {
                fs::copy(directory.join(&name), copy.join(&name)).map_err(failed)?;
                fs::File::open(copy.join(&name)).and_then(|file| file.sync_all()).map_err(failed)?;
            }
        }
    }
    Ok(copy)
}

impl SqliteStorage {
    /// Rewrites a row from redundant data.
    fn rewrite(&mut self, key: Option<RoomKey>, row: &Row) -> Result<(), StorageError> {
        match (row, key) {
            (Row::Name(row), Some(key)) => {
                let journal = &self.files.journal;
                let checksum = room_checksum(row.id, &row.name, row.created_ms);
                // The index may have another name for the row.
                journal.execute_batch("REINDEX room").map_err(engine)?;
                let update =
                    "UPDATE room SET id = ?2, name = ?3, created_ms = ?4, checksum = ?5 WHERE id = ?1";
                let values = params![key.0 as i64, row.id, row.name, row.created_ms, checksum];
                if journal.execute(update, values).map_err(engine)? == 0 {
                    let put = "INSERT INTO room (id, name, created_ms, checksum) VALUES (?1, ?2, ?3, ?4)";
                    let values = params![row.id, row.name, row.created_ms, checksum];
                    journal.execute(put, values).map_err(engine)?;
                }
            }
            (Row::Head, Some(key)) => {
                if let Some(head) = derive_head(&self.files.rooms, key)? {
                    write_head(&self.files.rooms, key, &head).map_err(engine)?;
                }
            }
            (Row::Tail { room, first }, _) => {
                let rooms = &self.files.rooms;
                let current_key = params![room, first];
                let query = "SELECT data FROM tail WHERE room = ?1 AND first = ?2";
                let data: Vec<u8> = rooms.query_row(query, current_key, |row| row.get(0)).map_err(engine)?;
                let (entries, _) = entry::scan_damaged(&data);
                if let (Some((_, first_header)), Some((_, last_header))) = (entries.first(), entries.last()) {
                    let update = "UPDATE OR IGNORE tail SET room = ?3, first = ?4, last = ?5
                                  WHERE room = ?1 AND first = ?2";
                    let (revision, last) = (first_header.revision.0 as i64, last_header.revision.0 as i64);
                    let owner = first_header.room.0 as i64;
                    rooms.execute(update, params![room, first, owner, revision, last]).map_err(engine)?;
                }
            }
            (Row::Directory(row), _) => {
                let journal = &self.files.journal;
                let query = "SELECT data FROM log WHERE id = ?1";
                let data: Vec<u8> = journal.query_row(query, [row], |row| row.get(0)).map_err(engine)?;
                let (entries, _) = entry::scan_damaged(&data);
                let directory = write_directory(*row, entries.iter().map(|(_, header)| header));
                let put = "INSERT OR REPLACE INTO directory (id, rooms) VALUES (?1, ?2)";
                journal.execute(put, params![row, directory]).map_err(engine)?;
            }
            (Row::Name(_) | Row::Head, None) => {}
        }
        Ok(())
    }

    fn drop_snapshot(&self, key: Option<RoomKey>, revision: Revision) -> Result<(), StorageError> {
        let Some(key) = key else { return Ok(()) };
        // Its pieces are orphaned then, and removed later.
        let delete = "DELETE FROM snapshot WHERE room = ?1 AND revision = ?2";
        self.files.rooms.execute(delete, params![key.0 as i64, revision.0 as i64]).map_err(engine)?;
        Ok(())
    }

    /// Removes the unreadable part of a row of the log whose rooms are unknown.
    fn drop_unreadable(&self, row: i64, done: &mut Vec<String>) -> Result<(), StorageError> {
        let journal = &self.files.journal;
        let directory = journal
            .query_row("SELECT rooms FROM directory WHERE id = ?1", [row], |row| row.get::<_, Vec<u8>>(0));
        if directory.is_ok_and(|bytes| crate::row_checksums::read_directory(row, &bytes).is_some()) {
            return Ok(()); // the affected rooms are known, and cut instead
        }
        let data =
            journal.query_row("SELECT data FROM log WHERE id = ?1", [row], |row| row.get::<_, Vec<u8>>(0));
        let data = data.unwrap_or_default();
        let (entries, _) = entry::scan_damaged(&data);
        let mut readable = Vec::new();
        for (offset, header) in &entries {
            readable.extend_from_slice(&data[*offset..*offset + header.entry_bytes()]);
        }
        let rooms = write_directory(row, entries.iter().map(|(_, header)| header));
        journal
            .execute("INSERT OR REPLACE INTO log (id, data) VALUES (?1, ?2)", params![row, readable])
            .and_then(|_| {
                let put = "INSERT OR REPLACE INTO directory (id, rooms) VALUES (?1, ?2)";
                journal.execute(put, params![row, rooms])
            })
            .map_err(engine)?;
        done.push(format!("removed the unreadable part of row {row} of the log"));
        Ok(())
    }

    /// Cuts a room back to a revision. The room gets a new id under the same name, so that no
    /// replica mistakes its next revisions for those that it already has.
    fn cut(&mut self, key: RoomKey, after: Revision) -> Result<(), StorageError> {
        let room = self.rooms.get_mut(&key).ok_or(StorageError::UnknownRoom { room: key })?;
        room.damage = None;
        let (name, base, in_log) = (room.name.clone(), room.base, room.in_log.clone());
        let new = RoomKey(self.next_key);
        self.next_key += 1;
        // The intact snapshots up to the revision; the history before one of them may have gaps.
        let mut snapshots = Vec::new();
        for revision in self.list_snapshots(key)?.into_iter().filter(|revision| *revision <= after) {
            if let Some(bytes) = self.snapshot_bytes(key, revision)? {
                snapshots.push((revision, bytes));
            }
        }
        let mut records: Vec<(Revision, i64, Vec<u8>)> = Vec::new();
        {
            let mut query = self
                .files
                .rooms
                .prepare("SELECT data FROM tail WHERE room = ?1 ORDER BY first")
                .map_err(engine)?;
            let mut rows = query.query([key.0 as i64]).map_err(engine)?;
            while let Ok(Some(row)) = rows.next() {
                let data: Vec<u8> = row.get(0).map_err(engine)?;
                for (offset, header) in entry::scan_damaged(&data).0 {
                    let payload = &data[offset + HEADER_BYTES..offset + header.entry_bytes()];
                    if let Some(record) = header.record(payload).filter(|_| header.room == key) {
                        records.push((header.revision, header.time_ms, record.bytes.to_vec()));
                    }
                }
            }
        }
        for position in &in_log {
            if let Ok(record) = self.read_position(position) {
                records.push((record.revision, position.header.time_ms, record.bytes.to_vec()));
            }
        }
        records.retain(|(revision, _, _)| *revision <= after && *revision > base);
        records.sort_by_key(|(revision, _, _)| *revision);
        records.dedup_by_key(|(revision, _, _)| *revision);
        // A history has no gaps: it begins after the last gap, at a snapshot.
        let mut first = records.len();
        while first > 0
            && (first == records.len() && records[first - 1].0 == after
                || first < records.len() && records[first - 1].0.next() == records[first].0)
        {
            first -= 1;
        }
        let start = records.get(first).map_or(after, |(revision, _, _)| Revision(revision.0 - 1));
        let base = match start {
            Revision(0) => Revision(0),
            _ => {
                let oldest = snapshots.iter().map(|(revision, _)| *revision).filter(|at| *at >= start).min();
                oldest.unwrap_or(start)
            }
        };
        let created_ms: i64 = self
            .files
            .journal
            .query_row("SELECT created_ms FROM room WHERE id = ?1", [key.0 as i64], |row| row.get(0))
            .map_err(engine)?;
        let rooms = self.files.rooms.unchecked_transaction().map_err(engine)?;
        let kept = &records[records.partition_point(|(revision, _, _)| *revision <= base).max(first)..];
        let mut row = (Revision(0), Vec::new());
        for (index, (revision, time_ms, bytes)) in kept.iter().enumerate() {
            if row.1.is_empty() {
                row.0 = *revision;
            }
            entry::write(&mut row.1, new, *revision, *time_ms, bytes);
            if row.1.len() >= ROW_BYTES || index + 1 == kept.len() {
                let put = "INSERT INTO tail (room, first, last, data) VALUES (?1, ?2, ?3, ?4)";
                let values = params![new.0 as i64, row.0.0 as i64, revision.0 as i64, row.1];
                rooms.execute(put, values).map_err(engine)?;
                row.1.clear();
            }
        }
        for (revision, bytes) in snapshots.iter().filter(|(revision, _)| *revision >= base) {
            let checksum = crc32fast::hash(bytes);
            let seal = numbers_checksum(&[new.0 as i64, revision.0 as i64, checksum.into()]);
            let put =
                "INSERT INTO snapshot (room, revision, checksum, data, seal) VALUES (?1, ?2, ?3, ?4, ?5)";
            let row = params![new.0 as i64, revision.0 as i64, checksum, &bytes[..], seal];
            rooms.execute(put, row).map_err(engine)?;
        }
        if after > Revision(0) {
            // Unreadable chat messages are dropped; they must not prevent the repair.
            for chat_message in self.read_chat_messages(key).unwrap_or_default() {
                put_chat_message(&rooms, new, chat_message.number, &chat_message.bytes).map_err(engine)?;
            }
            let changed_ms = kept.last().map_or(created_ms, |(_, time_ms, _)| *time_ms);
            self.move_images(key, new)?;
            write_head(&rooms, new, &Head { revision: after, changed_ms, base }).map_err(engine)?;
        }
        rooms.commit().map_err(engine)?;

        let journal = self.files.journal.unchecked_transaction().map_err(engine)?;
        journal.execute("DELETE FROM room WHERE id = ?1", [key.0 as i64]).map_err(engine)?;
        if after > Revision(0) {
            let checksum = room_checksum(new.0 as i64, name.as_str(), created_ms);
            let put = "INSERT INTO room (id, name, created_ms, checksum) VALUES (?1, ?2, ?3, ?4)";
            let row = params![new.0 as i64, name.as_str(), created_ms, checksum];
            journal.execute(put, row).map_err(engine)?;
        }
        journal.commit().map_err(engine)?;
        let rooms = self.files.rooms.unchecked_transaction().map_err(engine)?;
        for table in ["tail", "head", "snapshot", "chat", "image", "piece"] {
            let delete = format!("DELETE FROM {table} WHERE room = ?1");
            rooms.execute(&delete, [key.0 as i64]).map_err(engine)?;
        }
        rooms.commit().map_err(engine)?;
        self.rooms.remove(&key);
        Ok(())
    }
}
