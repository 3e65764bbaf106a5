//! The two ends of a copy between engines: a source that does not change, and a target that nobody uses before it
//! is complete.

use std::fs;
use std::path::{Path, PathBuf};

use quadrille_journal::{Storage, StorageError};
use quadrille_storage_postgres::{
    Address, PostgresStorage, PostgresTables, finish_copy, inspect, open_exported_snapshot, servers,
};
use quadrille_storage_shards::{ReadShards, ShardedStorage, check_alone, is_member, moved_rooms};
use quadrille_storage_sqlite::{
    DATABASES, DirectoryLock, SqliteAccessStore, SqliteStorage, close_copy, copy_directory,
    existing_database, lock_directory,
};

use super::check_repair::check_exists;
use super::command_error::CommandError;
use super::data_files::{Temporary, create_private, failed, inaccessible, put_in_place};
use crate::storage_location::{StorageLocation, with_objects};
use crate::transfer::Stores;

/// Directory within a data directory in which a copy is made before it is used.
const COPYING: &str = "copying";
/// Directory within a data directory for a consistent copy of the source.
const SNAPSHOT: &str = "copying-from";
/// File of an unfinished copy with the name of its source.
const SOURCE: &str = "source";

/// Attempts to read several databases while no room is moved from one to another.
const SNAPSHOT_ATTEMPTS: u32 = 10;

/// Stores that are read.
pub struct Source {
    pub stores: Stores,
    /// Of databases that must not be used: how many servers and commands had joined each.
    joined: Vec<(Address, i64)>,
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
                Ok(Source { stores, joined: Vec::new(), _snapshot: None })
            }
            StorageLocation::Database(address) => Source::unused(location, std::slice::from_ref(address)),
            StorageLocation::Shards(addresses) => Source::unused(location, addresses),
        }
    }

    fn unused(location: &StorageLocation, addresses: &[Address]) -> Result<Source, CommandError> {
        let mut joined = Vec::new();
        for address in addresses {
            let before = servers(address).map_err(failed)?;
            if let Some(url) = before.urls.first() {
                let who = if url.is_empty() { "a command" } else { url };
                return Err(CommandError::Failed(format!(
                    "{who} uses the database {address}: stop it, or copy most of it in advance with --live"
                )));
            }
            joined.push((address.clone(), before.joined));
        }
        Ok(Source { joined, ..Source::running(location)? })
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
                Ok(Source { stores, joined: Vec::new(), _snapshot: Some(snapshot) })
            }
            StorageLocation::Shards(addresses) => {
                let (rooms, tables) = open_shards_snapshot(addresses).map_err(failed)?;
                let rooms = with_objects(rooms).map_err(failed)?;
                let stores = Stores { rooms, tables: Box::new(tables) };
                Ok(Source { stores, joined: Vec::new(), _snapshot: None })
            }
            StorageLocation::Database(address) => {
                let (mut rooms, tables) = open_exported_snapshot(address).map_err(failed)?;
                check_alone(&address.to_string(), &mut rooms).map_err(failed)?;
                let rooms = with_objects(Box::new(rooms)).map_err(failed)?;
                let stores = Stores { rooms, tables: Box::new(tables) };
                Ok(Source { stores, joined: Vec::new(), _snapshot: None })
            }
        }
    }

    /// Checks that nothing has used the stopped source since it was opened. A directory was locked.
    ///
    /// # Errors
    /// When a server or a command has joined the database.
    pub fn check_unused(&self) -> Result<(), CommandError> {
        for (address, joined) in &self.joined {
            if servers(address).map_err(failed)?.joined != *joined {
                return Err(CommandError::Failed(format!(
                    "a server or a command has used the database {address} during the copy, which is not complete: \
                     stop it and run the command again"
                )));
            }
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
    Shards(Vec<Address>),
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
            StorageLocation::Shards(addresses) => {
                let rooms = open_shards_copy(addresses, source).map_err(failed)?;
                let tables = PostgresTables::open(&addresses[0])
                    .map_err(|error| CommandError::Failed(format!("{}: {error}", addresses[0])))?;
                let stores = Stores { rooms: Box::new(rooms), tables: Box::new(tables) };
                Ok(Target { stores, place: Place::Shards(addresses.clone()) })
            }
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
            // The first one last: as long as it is not complete, the copy can go on.
            Place::Shards(addresses) => addresses.iter().rev().try_for_each(finish_copy).map_err(failed),
            Place::Directory { data, copy, _lock } => {
                close_copy(&copy).map_err(failed)?;
                put_in_place(&copy, &data)
            }
        }
    }
}

/// Opens databases that belong together for reading, each as of a moment, between which no room is moved.
fn open_shards_snapshot(addresses: &[Address]) -> Result<(Box<dyn Storage>, PostgresTables), StorageError> {
    for _ in 0..SNAPSHOT_ATTEMPTS {
        let (mut before, _) = open_exported_snapshot(&addresses[0])?;
        let mut list: Vec<(String, Box<dyn Storage>)> = Vec::new();
        for address in &addresses[1..] {
            list.push((address.to_string(), Box::new(open_exported_snapshot(address)?.0)));
        }
        let (mut first, tables) = open_exported_snapshot(&addresses[0])?;
        if moved_rooms(&mut before)? == moved_rooms(&mut first)? {
            list.insert(0, (addresses[0].to_string(), Box::new(first)));
            return Ok((Box::new(ReadShards::new(list)?), tables));
        }
    }
    Err(StorageError::Engine { reason: "rooms are moved between the databases; try again".into() })
}

/// Opens databases that are empty, or that an earlier copy from the same source has begun to fill, as one storage.
fn open_shards_copy(addresses: &[Address], source: &str) -> Result<ShardedStorage, StorageError> {
    let unfinished = |address: &Address| {
        let inspected = inspect(address).map_err(|error| format!("{address}: {error}"));
        inspected.map(|found| found.unfinished_copy).map_err(|reason| StorageError::Engine { reason })
    };
    let is_continued = unfinished(&addresses[0])?.as_deref() == Some(source);
    let mut list: Vec<(String, Box<dyn Storage>)> = Vec::new();
    for address in addresses {
        let mut storage = match is_continued && unfinished(address)?.is_none() {
            // Interrupted when it was being finished.
            true => PostgresStorage::open(address, "")?,
            false => PostgresStorage::open_copy(address, source)?,
        };
        if !is_continued && is_member(&mut storage)? {
            let reason = format!("{address} belongs to other databases; name an empty database");
            return Err(StorageError::Engine { reason });
        }
        list.push((address.to_string(), Box::new(storage)));
    }
    ShardedStorage::join(list)
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
