//! The two ends of a copy between engines: a source that does not change, and a target that nobody uses before it
//! is complete.

use std::fs;
use std::path::{Path, PathBuf};

use quadrille_journal::StorageError;
use quadrille_storage_postgres::{
    Address, PostgresStorage, PostgresTables, finish_copy, open_exported_snapshot, servers,
};
use quadrille_storage_sqlite::{
    DATABASES, DirectoryLock, SqliteAccessStore, SqliteStorage, close_copy, copy_directory,
    existing_database, lock_directory,
};

use super::check_repair::check_exists;
use super::command_error::CommandError;
use super::data_files::{Temporary, create_private, failed, inaccessible, put_in_place};
use crate::storage_location::{StorageLocation, only_one, with_objects};
use crate::transfer::Stores;

/// Directory within a data directory in which a copy is made before it is used.
const COPYING: &str = "copying";
/// Directory within a data directory for a consistent copy of the source.
const SNAPSHOT: &str = "copying-from";
/// File of an unfinished copy with the name of its source.
const SOURCE: &str = "source";

/// Stores that are read.
pub struct Source {
    pub stores: Stores,
    /// Of a database that must not be used: how many servers and commands had joined it.
    joined: Option<(Box<Address>, i64)>,
    /// Removed after the stores are closed.
    _snapshot: Option<Temporary>,
}

impl Source {
    /// Opens stores that nothing else may use.
    ///
    /// # Errors
    /// When a server uses them, or stored data is damaged.
    pub fn stopped(location: &StorageLocation) -> Result<Source, CommandError> {
        match location {
            StorageLocation::Directory(data) => {
                check_exists(data)?;
                let stores = open_directory(data).map_err(|error| match error {
                    StorageError::InUse { .. } => CommandError::Failed(format!(
                        "{error}: stop the server, or copy most of it in advance with --live"
                    )),
                    error => failed(error),
                })?;
                Ok(Source { stores, joined: None, _snapshot: None })
            }
            StorageLocation::Shards(_) => only_one(location).map_err(failed),
            StorageLocation::Database(address) => {
                let before = servers(address).map_err(failed)?;
                if let Some(url) = before.urls.first() {
                    let who = if url.is_empty() { "a command" } else { url };
                    return Err(CommandError::Failed(format!(
                        "{who} uses the database {address}: stop it, or copy most of it in advance with --live"
                    )));
                }
                let source = Source::running(location)?;
                Ok(Source { joined: Some((address.clone(), before.joined)), ..source })
            }
        }
    }

    /// Opens the state of this moment; servers may go on.
    ///
    /// # Errors
    /// When the stores cannot be read.
    pub fn running(location: &StorageLocation) -> Result<Source, CommandError> {
        match location {
            StorageLocation::Directory(data) => {
                check_exists(data)?;
                let snapshot = Temporary(data.join(SNAPSHOT));
                if snapshot.0.exists() {
                    fs::remove_dir_all(&snapshot.0).map_err(|error| inaccessible(&snapshot.0, &error))?;
                }
                create_private(&snapshot.0)?;
                copy_directory(data, &snapshot.0).map_err(failed)?;
                let stores = open_directory(&snapshot.0).map_err(failed)?;
                Ok(Source { stores, joined: None, _snapshot: Some(snapshot) })
            }
            StorageLocation::Shards(_) => only_one(location).map_err(failed),
            StorageLocation::Database(address) => {
                let (rooms, tables) = open_exported_snapshot(address).map_err(failed)?;
                let rooms = with_objects(Box::new(rooms)).map_err(failed)?;
                let stores = Stores { rooms, tables: Box::new(tables) };
                Ok(Source { stores, joined: None, _snapshot: None })
            }
        }
    }

    /// Checks that nothing has used the stopped source since it was opened. A directory was locked.
    ///
    /// # Errors
    /// When a server or a command has joined the database.
    pub fn check_unused(&self) -> Result<(), CommandError> {
        let Some((address, joined)) = &self.joined else { return Ok(()) };
        if servers(address).map_err(failed)?.joined != *joined {
            return Err(CommandError::Failed(format!(
                "a server or a command has used the database {address} during the copy, which is not complete: \
                 stop it and run the command again"
            )));
        }
        Ok(())
    }
}

/// Opens a data directory, which is locked until the stores are closed.
fn open_directory(data: &Path) -> Result<Stores, StorageError> {
    let rooms = SqliteStorage::open(data)?;
    if let Some(damage) = rooms.damage().first() {
        let reason = format!("{damage}; only data without damage are copied");
        return Err(StorageError::JournalDamaged { reason });
    }
    let tables = SqliteAccessStore::open(data);
    let tables = tables.map_err(|error| StorageError::Engine { reason: error.to_string() })?;
    Ok(Stores { rooms: with_objects(Box::new(rooms))?, tables: Box::new(tables) })
}

/// Stores that are filled.
pub struct Target {
    pub stores: Stores,
    place: Place,
}

enum Place {
    Directory { data: PathBuf, copy: PathBuf, _lock: DirectoryLock },
    Database(Box<Address>),
}

impl Target {
    /// Opens stores that are empty, or that an earlier copy from the same source has begun to fill.
    ///
    /// # Errors
    /// When they have data of their own.
    pub fn open(location: &StorageLocation, source: &str) -> Result<Target, CommandError> {
        match location {
            StorageLocation::Directory(data) => {
                let lock = lock_directory(data).map_err(failed)?;
                if let Some(name) = existing_database(data) {
                    return Err(CommandError::Failed(format!(
                        "{} already has data ({name}); move them to another place, or name an empty directory",
                        data.display()
                    )));
                }
                let copy = data.join(COPYING);
                begin(&copy, source)?;
                let stores = open_directory(&copy).map_err(failed)?;
                Ok(Target { stores, place: Place::Directory { data: data.clone(), copy, _lock: lock } })
            }
            StorageLocation::Shards(_) => only_one(location).map_err(failed),
            StorageLocation::Database(address) => {
                let rooms = PostgresStorage::open_copy(address, source).map_err(failed)?;
                let tables = PostgresTables::open(address)
                    .map_err(|error| CommandError::Failed(format!("{address}: {error}")))?;
                let stores = Stores { rooms: Box::new(rooms), tables: Box::new(tables) };
                Ok(Target { stores, place: Place::Database(address.clone()) })
            }
        }
    }

    /// Lets servers use the copy, which is complete.
    ///
    /// # Errors
    /// When the files cannot be put in their place.
    pub fn finish(self) -> Result<(), CommandError> {
        drop(self.stores);
        match self.place {
            Place::Database(address) => finish_copy(&address).map_err(failed),
            Place::Directory { data, copy, _lock } => {
                close_copy(&copy).map_err(failed)?;
                put_in_place(&copy, &data)
            }
        }
    }
}

/// Creates the directory of a copy, or checks that the one that exists is of the same source.
fn begin(copy: &Path, source: &str) -> Result<(), CommandError> {
    let name = copy.join(SOURCE);
    match fs::read_to_string(&name) {
        Ok(earlier) if earlier == source => return Ok(()),
        Ok(earlier) => {
            return Err(CommandError::Failed(format!(
                "{} has an unfinished copy from {earlier}; finish that, or remove it",
                copy.display()
            )));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(inaccessible(&name, &error)),
    }
    if !copy.exists() {
        create_private(copy)?;
    }
    if let Some(name) = DATABASES.into_iter().find(|name| copy.join(name).exists()) {
        return Err(CommandError::Failed(format!("{} is not of this program ({name})", copy.display())));
    }
    fs::write(&name, source).map_err(|error| inaccessible(&name, &error))
}
