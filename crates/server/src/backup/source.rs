//! [`Source`]: the stores that are backed up, beside the servers that write them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use quadrille_access::Comparison;
use quadrille_access::tables::TableStore;
use quadrille_journal::{Storage, StorageError};
use quadrille_storage_postgres::RunningDatabase;
use quadrille_storage_sqlite::RunningDirectory;

use super::collect::{Rooms, Stores};
use super::running_shards::RunningShards;
use crate::access::now_ms;
use crate::object_storage::ObjectStorage;
use crate::storage_location::StorageLocation;
use crate::time_triggers;

/// Stores that servers may be writing, read in one transaction after another.
pub struct Source {
    engine: Engine,
    time_triggers: PathBuf,
    /// Where large values are, if they are not in the engine.
    objects: Option<Arc<ObjectStorage>>,
    /// The file of time triggers as it was when the transaction began.
    seen: Option<FileVersion>,
    /// Everything that was acknowledged before this time is there. Milliseconds since 1970-01-01 UTC.
    moment_ms: i64,
    /// When it was looked whether something has changed.
    looked_ms: i64,
}

enum Engine {
    Directory(Box<RunningDirectory>),
    Database(Box<RunningDatabase>),
    Shards(Box<RunningShards>),
}

type FileVersion = (Option<SystemTime>, u64);

impl Source {
    /// Opens stores and begins a read transaction.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn open(location: &StorageLocation, data: &std::path::Path) -> Result<Source, StorageError> {
        let moment_ms = now_ms();
        let mut engine = match location {
            StorageLocation::Directory(data) => Engine::Directory(Box::new(RunningDirectory::open(data)?)),
            StorageLocation::Shards(addresses) => Engine::Shards(Box::new(RunningShards::open(addresses)?)),
            StorageLocation::Database(address) => Engine::Database(Box::new(RunningDatabase::open(address)?)),
        };
        let of_command = |rooms: &mut dyn Storage| ObjectStorage::of_command(rooms);
        let objects = match &mut engine {
            Engine::Directory(directory) => of_command(&mut directory.rooms),
            Engine::Database(database) => of_command(&mut database.rooms),
            Engine::Shards(shards) => of_command(&mut shards.parts()?.0),
        };
        let objects = objects.map_err(|reason| StorageError::Engine { reason })?.map(Arc::new);
        let time_triggers = data.join(time_triggers::FILE);
        let mut source =
            Source { engine, time_triggers, objects, seen: None, moment_ms, looked_ms: moment_ms };
        source.seen = source.triggers_version();
        Ok(source)
    }

    /// Begins the next read transaction, unless nothing has changed, and compares it with the last one.
    ///
    /// # Errors
    /// When the stores cannot be read. They have to be opened again then.
    pub fn next_transaction(&mut self) -> Result<Comparison, StorageError> {
        self.looked_ms = now_ms();
        let comparison = match &mut self.engine {
            Engine::Directory(directory) => directory.next_transaction()?,
            Engine::Database(database) => database.next_transaction()?,
            Engine::Shards(shards) => shards.next_transaction()?,
        };
        let version = self.triggers_version();
        let is_same = matches!(comparison, Comparison::Same) && version == self.seen;
        self.seen = version;
        if is_same {
            return Ok(Comparison::Same);
        }
        self.moment_ms = self.looked_ms;
        match comparison {
            // Only the time triggers have changed.
            Comparison::Same => Ok(Comparison::Changed(quadrille_access::StoreChanges::default())),
            comparison => Ok(comparison),
        }
    }

    /// Ends the read transaction, so that the stores keep no old versions for it.
    ///
    /// # Errors
    /// As for `next_transaction`.
    pub fn end_transaction(&mut self) -> Result<(), StorageError> {
        match &mut self.engine {
            Engine::Directory(directory) => directory.end_transaction(),
            Engine::Database(database) => database.end_transaction(),
            Engine::Shards(shards) => shards.end_transaction(),
        }
    }

    /// The transaction reads everything that was acknowledged before this time.
    pub fn moment_ms(&self) -> i64 {
        self.moment_ms
    }

    /// The transaction before read everything that was acknowledged before this time, if
    /// [`next_transaction`](Self::next_transaction) has said that nothing has changed.
    pub fn looked_ms(&self) -> i64 {
        self.looked_ms
    }

    /// The stores as of the read transaction.
    ///
    /// # Errors
    /// A message when the file of time triggers cannot be read.
    pub fn stores(&mut self) -> Result<Stores<'_>, String> {
        let time_triggers = match std::fs::read(&self.time_triggers) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(format!("{}: {error}", self.time_triggers.display())),
        };
        let objects = self.objects.clone();
        let (rooms, tables): (Rooms<'_>, &mut dyn TableStore) = match &mut self.engine {
            Engine::Directory(directory) => (Rooms::One(&mut directory.rooms), &mut directory.access),
            Engine::Database(database) => (Rooms::One(&mut database.rooms), &mut database.tables),
            Engine::Shards(shards) => {
                let (rooms, tables) = shards.parts().map_err(|error| error.to_string())?;
                (Rooms::Shards(rooms), tables)
            }
        };
        Ok(Stores { rooms, objects, tables, time_triggers })
    }

    fn triggers_version(&self) -> Option<FileVersion> {
        let metadata = self.time_triggers.metadata().ok()?;
        Some((metadata.modified().ok(), metadata.len()))
    }
}
