//! [`Source`]: the stores that are backed up, beside the servers that write them.

use std::path::PathBuf;
use std::time::SystemTime;

use quadrille_access::Moment;
use quadrille_journal::StorageError;
use quadrille_storage_postgres::RunningDatabase;
use quadrille_storage_sqlite::RunningDirectory;

use super::collect::Stores;
use crate::access::now_ms;
use crate::storage_location::StorageLocation;
use crate::time_triggers;

/// Stores that servers may be writing, as of one moment after another.
pub struct Source {
    engine: Engine,
    time_triggers: PathBuf,
    /// The file of time triggers as it was at the last moment.
    seen: Option<FileVersion>,
    /// Everything that was acknowledged before this time is there. Milliseconds since 1970-01-01 UTC.
    moment_ms: i64,
    /// When it was looked whether something has changed.
    looked_ms: i64,
}

enum Engine {
    Directory(Box<RunningDirectory>),
    Database(Box<RunningDatabase>),
}

type FileVersion = (Option<SystemTime>, u64);

impl Source {
    /// Opens stores and begins a moment.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn open(location: &StorageLocation, data: &std::path::Path) -> Result<Source, StorageError> {
        let moment_ms = now_ms();
        let engine = match location {
            StorageLocation::Directory(data) => Engine::Directory(Box::new(RunningDirectory::open(data)?)),
            StorageLocation::Database(address) => Engine::Database(Box::new(RunningDatabase::open(address)?)),
        };
        let time_triggers = data.join(time_triggers::FILE);
        let mut source = Source { engine, time_triggers, seen: None, moment_ms, looked_ms: moment_ms };
        source.seen = source.triggers_version();
        Ok(source)
    }

    /// Begins the next moment, unless nothing has changed.
    ///
    /// # Errors
    /// When the stores cannot be read. They have to be opened again then.
    pub fn next_moment(&mut self) -> Result<Moment, StorageError> {
        self.looked_ms = now_ms();
        let moment = match &mut self.engine {
            Engine::Directory(directory) => directory.next_moment()?,
            Engine::Database(database) => database.next_moment()?,
        };
        let version = self.triggers_version();
        let is_same = matches!(moment, Moment::Same) && version == self.seen;
        self.seen = version;
        if is_same {
            return Ok(Moment::Same);
        }
        self.moment_ms = self.looked_ms;
        match moment {
            // Only the time triggers have changed.
            Moment::Same => Ok(Moment::Changed(quadrille_access::StoreChanges::default())),
            moment => Ok(moment),
        }
    }

    /// Ends the moment, so that the stores keep nothing for it.
    ///
    /// # Errors
    /// As for `next_moment`.
    pub fn end_moment(&mut self) -> Result<(), StorageError> {
        match &mut self.engine {
            Engine::Directory(directory) => directory.end_moment(),
            Engine::Database(database) => database.end_moment(),
        }
    }

    /// Everything that was acknowledged before this time is in the moment.
    pub fn moment_ms(&self) -> i64 {
        self.moment_ms
    }

    /// Everything that was acknowledged before this time was in the moment before, if
    /// [`next_moment`](Self::next_moment) has said that nothing has changed.
    pub fn looked_ms(&self) -> i64 {
        self.looked_ms
    }

    /// What can be read at this moment.
    ///
    /// # Errors
    /// A message when the file of time triggers cannot be read.
    pub fn stores(&mut self) -> Result<Stores<'_>, String> {
        let time_triggers = match std::fs::read(&self.time_triggers) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(format!("{}: {error}", self.time_triggers.display())),
        };
        Ok(match &mut self.engine {
            Engine::Directory(directory) => {
                Stores { rooms: &mut directory.rooms, tables: &mut directory.access, time_triggers }
            }
            Engine::Database(database) => {
                Stores { rooms: &mut database.rooms, tables: &mut database.tables, time_triggers }
            }
        })
    }

    fn triggers_version(&self) -> Option<FileVersion> {
        let metadata = self.time_triggers.metadata().ok()?;
        Some((metadata.modified().ok(), metadata.len()))
    }
}
