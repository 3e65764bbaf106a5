//! Large appends: their records are written to the tail of their room at once, over connections of their own and
//! on any thread, instead of to the log. So they never delay a commit of small records, and are written once.
//!
//! A room's records in the log come before them, so those are moved with them. One commit of `rooms.db` makes all
//! of it durable. A room gets its name in `journal.db` after its first record; until then it is marked as deleted,
//! so that a program that ends in between leaves nothing that looks like damage.
//!
//! While a large append is being written, the storage neither compacts nor moves the base of its room: there is one
//! writer of the room's tail and head at a time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use quadrille_journal::entry::{self, HEADER_BYTES};
use quadrille_journal::{Append, LargeAppend, Outcome, RoomKey, StorageError};
use quadrille_protocol::Revision;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};

use crate::compaction::Tail;
use crate::error::engine;
use crate::large_state::{Connections, Writing};
use crate::open::{self, JOURNAL, ROOMS};
use crate::record_tails::add_entry;
use crate::startup_index::{Head, read_head, write_head};
use crate::storage::{LogPosition, SqliteStorage};

/// Pages of the write-ahead log of `rooms.db` from which a commit of the journal's connection checkpoints it,
/// 64 MiB. Normally the [reader](crate::reader) does, or a large append.
const WAL_PAGES_MAX: u32 = 16_384;

impl SqliteStorage {
    /// Begins a large append.
    pub(crate) fn begin_large_append(&mut self, append: &Append) -> Result<LargeAppend, StorageError> {
        if let Some(reason) = &self.failed {
            return Err(StorageError::SyncFailed { reason: reason.clone() });
        }
        let key = append.room;
        let Ok(room) = self.intact_room(key) else { return Ok(LargeAppend::Fenced) };
        if room.head != append.base || self.large.is_writing(key) {
            return Ok(LargeAppend::Fenced);
        }
        let in_log = room.in_log.iter().filter(|position| position.header.revision > room.head_in_tail);
        let records = LargeRecords {
            append: append.clone(),
            in_log: in_log.copied().collect(),
            tail: (room.head_in_tail, room.base),
        };
        let name = room.name.clone();
        let Some(writer) = self.large_writer() else { return Ok(LargeAppend::Refused) };
        // It would write the same records. It begins again with those that are still only in the log.
        self.compaction.take_if(|compaction| compaction.rooms.contains(&key));
        let moved = records.in_log.iter().map(|position| position.header.entry_bytes());
        let bytes = records.append.records.iter().map(|record| record.len()).chain(moved).sum();
        self.large.writing.insert(key, Writing { head: append.head(), time_ms: append.time_ms, bytes });
        let write = Box::new(move || writer.write(&records));
        Ok(LargeAppend::Begun { room: name, write })
    }

    /// Ends a large append.
    pub(crate) fn finish_large_append(
        &mut self,
        key: RoomKey,
        written: Result<bool, StorageError>,
    ) -> Result<Option<Outcome>, StorageError> {
        let Some(writing) = self.large.writing.remove(&key) else {
            return Err(StorageError::UnknownRoom { room: key });
        };
        if let Some(reason) = &self.failed {
            return Err(StorageError::SyncFailed { reason: reason.clone() });
        }
        match written {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(StorageError::Full) => return Err(StorageError::Full),
            Err(error) => return Err(self.fail(error.to_string())),
        }
        self.checkpoints.wrote_to_rooms(writing.bytes);
        let Some(room) = self.rooms.get(&key) else {
            // Deleted in the meantime, and therefore marked; so is a room that never had a name.
            self.deleted_rooms.insert(key);
            return Ok(Some(Outcome::Fenced));
        };
        if self.unwritten.contains_key(&room.name) {
            let name = room.name.clone();
            match room.write_name(&self.files.journal, key, writing.time_ms) {
                Ok(()) => {}
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => {
                    // Its number is not used again: `rooms.db` has records of it, which are removed.
                    self.rooms.remove(&key);
                    self.unwritten.remove(&name);
                    self.deleted_rooms.insert(key);
                    return Err(StorageError::Full);
                }
                Err(error) => return Err(self.fail(error.to_string())),
            }
            self.unwritten.remove(&name);
            self.large.marked.insert(key);
        }
        let room = self.rooms.get_mut(&key).expect("found above");
        room.head = writing.head;
        room.head_in_tail = writing.head;
        room.changed_ms = writing.time_ms;
        room.in_log.clear();
        Ok(Some(Outcome::Durable { head: writing.head }))
    }

    fn fail(&mut self, reason: String) -> StorageError {
        self.failed = Some(reason.clone());
        StorageError::SyncFailed { reason }
    }

    /// Removes the marks of rooms that have got their names. Returns whether there were any.
    pub(crate) fn remove_marks(&mut self) -> Result<bool, StorageError> {
        if self.large.marked.is_empty() {
            return Ok(false);
        }
        let rooms = self.files.rooms.unchecked_transaction().map_err(engine)?;
        for key in &self.large.marked {
            rooms.execute("DELETE FROM gone WHERE room = ?1", [key.0 as i64]).map_err(engine)?;
        }
        rooms.commit().map_err(engine)?;
        self.large.marked.clear();
        Ok(true)
    }

    /// Returns the writer of large appends; `None` when there can be none.
    fn large_writer(&mut self) -> Option<Writer> {
        if !self.large.is_possible {
            if self.files.is_read_only() || open::is_alone(&self.files.rooms) {
                return None;
            }
            let pages = ("wal_autocheckpoint", WAL_PAGES_MAX);
            self.files.rooms.pragma_update(None, pages.0, pages.1).ok()?;
            self.large.is_possible = true;
        }
        let connections = Arc::clone(&self.large.connections);
        Some(Writer { directory: self.directory.clone(), connections })
    }
}

/// What a large append writes.
struct LargeRecords {
    append: Append,
    /// The records of the room before them that are only in the log.
    in_log: Vec<LogPosition>,
    /// The last revision in the tail, and the base of the history.
    tail: (Revision, Revision),
}

/// Writes large appends, one after the other.
struct Writer {
    directory: PathBuf,
    connections: Arc<Mutex<Option<Connections>>>,
}

impl Writer {
    /// Stores the records in one commit. Returns whether it did.
    ///
    /// # Errors
    /// `Full`; and others when it is unknown whether the records are durable.
    fn write(&self, records: &LargeRecords) -> Result<bool, StorageError> {
        let mut own = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let connections = match own.take().map_or_else(|| Connections::open(&self.directory), Ok) {
            Ok(connections) => connections,
            Err(error) => return refused(&error),
        };
        // A transaction that an error may have left open ends with its connection.
        let committing = match connections.put(records) {
            Ok(transaction) => transaction,
            Err(error) => return refused(&error),
        };
        match committing.map(Transaction::commit) {
            Some(Err(error)) if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => {
                return Err(StorageError::Full);
            }
            Some(Err(error)) => return Err(StorageError::SyncFailed { reason: error.to_string() }),
            Some(Ok(())) => {}
            None => return Ok(false),
        }
        *own = Some(connections);
        Ok(true)
    }
}

/// The result of an append of which nothing was stored.
fn refused(error: &StorageError) -> Result<bool, StorageError> {
    match error {
        StorageError::Full => Err(StorageError::Full),
        // Whatever it is, the log may still be writable.
        _ => Ok(false),
    }
}

impl Connections {
    fn open(directory: &Path) -> Result<Connections, StorageError> {
        let open = |name: &str| Connection::open_with_flags(directory.join(name), open::EXISTING);
        let (rooms, journal) = (open(ROOMS).map_err(engine)?, open(JOURNAL).map_err(engine)?);
        open::sync_fully(&rooms).and_then(|()| open::wait_for_writers(&rooms)).map_err(engine)?;
        Ok(Connections { rooms, journal })
    }

    /// Writes the records in a transaction. `None` if the room is not as expected; then nothing is to be stored.
    fn put(&self, records: &LargeRecords) -> Result<Option<Transaction<'_>>, StorageError> {
        let LargeRecords { append, in_log, tail } = records;
        let (id, is_first) = (append.room.0 as i64, append.base == Revision(0));
        let tails = self.tails(append, in_log)?;
        let transaction =
            Transaction::new_unchecked(&self.rooms, TransactionBehavior::Immediate).map_err(engine)?;
        let before = read_head(&transaction, append.room)?.unwrap_or_default();
        if (before.revision, before.base) != *tail {
            return Ok(None);
        }
        let put = || {
            if is_first {
                transaction.execute("INSERT OR IGNORE INTO gone (room) VALUES (?1)", [id])?;
            }
            let mut put = transaction
                .prepare_cached("INSERT INTO tail (room, first, last, data) VALUES (?1, ?2, ?3, ?4)")?;
            for Tail { first, last, bytes } in &tails {
                put.execute(params![id, first.revision.0 as i64, last.revision.0 as i64, bytes])?;
            }
            let head = Head { revision: append.head(), changed_ms: append.time_ms, base: before.base };
            write_head(&transaction, append.room, &head)?;
            // For programs that follow the directory: no row of the log tells them of these records.
            transaction.execute("DELETE FROM room_change WHERE room = ?1", [id])?;
            transaction.execute("INSERT INTO room_change (room) VALUES (?1)", [id])
        };
        put().map_err(engine)?;
        Ok(Some(transaction))
    }

    /// Returns the rows of the tail: the records in the log, then the large ones.
    fn tails(&self, append: &Append, in_log: &[LogPosition]) -> Result<Vec<Tail>, StorageError> {
        let mut tails = Vec::new();
        for of_row in in_log.chunk_by(|one, next| one.row == next.row) {
            let row = of_row[0].row;
            let blob = self.journal.blob_open("main", "log", "data", row, true).map_err(engine)?;
            for LogPosition { offset, header, .. } in of_row {
                let mut bytes = vec![0; header.entry_bytes()];
                blob.read_at_exact(&mut bytes, *offset).map_err(engine)?;
                let is_intact = entry::read_header(&bytes).as_ref() == Some(header)
                    && header.record(&bytes[HEADER_BYTES..]).is_some();
                if !is_intact {
                    // It stays where it is, and only whoever reads it is stopped (J6).
                    let reason = format!("row {row} of the log is damaged");
                    return Err(StorageError::JournalDamaged { reason });
                }
                add_entry(&mut tails, *header, &bytes);
            }
        }
        let mut revision = append.base;
        for record in &append.records {
            revision = revision.next();
            let mut bytes = Vec::with_capacity(HEADER_BYTES + record.len());
            let header = entry::write(&mut bytes, append.room, revision, append.time_ms, record);
            add_entry(&mut tails, header, &bytes);
        }
        Ok(tails)
    }
}

#[cfg(test)]
mod tests {
    use quadrille_journal::Storage as _;
    use quadrille_protocol::RoomName;

    use super::*;

    /// Appends a large record as the first of a room.
    fn append(storage: &mut SqliteStorage, room: usize) -> (RoomKey, Result<Option<Outcome>, StorageError>) {
        let name = RoomName::new(&format!("{room:0100}")).expect("a name");
        let key = storage.claim(&name).expect("claims").key;
        let records = vec![Arc::from(vec![7; 20_000])];
        let append = Append { room: key, base: Revision(0), records, time_ms: 1 };
        let Ok(LargeAppend::Begun { write, .. }) = storage.begin_large(&append) else { panic!("not begun") };
        (key, storage.finish_large(key, write()))
    }

    fn limit(database: &Connection, is_full: bool) {
        let pages: i64 = database.pragma_query_value(None, "page_count", |row| row.get(0)).expect("counts");
        let pages = if is_full { pages } else { i64::from(i32::MAX) };
        database.pragma_query_value(None, "max_page_count", |_| Ok(())).expect("reads");
        database.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())).expect("limits");
    }

    #[test]
    fn a_full_disk_leaves_nothing_of_a_large_append() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let mut storage = SqliteStorage::open(directory.path()).expect("opens");
        let durable = Outcome::Durable { head: Revision(1) };
        assert_eq!(append(&mut storage, 0).1.expect("ends"), Some(durable));
        // No space for the records.
        let writer = Arc::clone(&storage.large.connections);
        let limit_rooms = |is_full: bool| {
            let writer = writer.lock().expect("not poisoned");
            limit(&writer.as_ref().expect("are open").rooms, is_full);
        };
        limit_rooms(true);
        let (first, result) = append(&mut storage, 1);
        assert!(matches!(result, Err(StorageError::Full)), "{result:?}");
        let (again, result) = append(&mut storage, 1);
        assert_eq!((again, result.expect("ends")), (first, Some(durable)), "over new connections");

        // No space for the names, at some time.
        limit(&storage.files.journal, true);
        let full = (2..1_000).find_map(|room| match append(&mut storage, room) {
            (key, Err(StorageError::Full)) => Some((room, key)),
            (_, result) => (result.expect("ends") == Some(durable)).then_some(()).and(None),
        });
        let (room, key) = full.expect("names take space");
        assert!(storage.deleted_rooms.contains(&key) && !storage.rooms.contains_key(&key));
        limit(&storage.files.journal, false);
        let (new, result) = append(&mut storage, room);
        assert_eq!(result.expect("ends"), Some(durable));
        assert_ne!(new, key);
        while storage.compact().expect("compacts") {}
        assert_eq!(read_head(&storage.files.rooms, key).expect("reads"), None);
        drop((storage, writer));
        let mut storage = SqliteStorage::open(directory.path()).expect("opens");
        assert_eq!((storage.damage(), storage.rooms().expect("lists").len()), (vec![], room + 1));
    }
}
