//! Backups of a database, which are data directories.

use std::path::Path;

use quadrille_storage_sqlite::{SqliteAccessStore, SqliteStorage, close_copy};

use super::command_error::CommandError;
use super::copy_ends::Source;
use super::data_files::failed;
use crate::storage_location::StorageLocation;
use crate::transfer::{self, Numbers, Progress, Stores};

/// Copies a database as of this moment into a directory, and compares both.
pub(super) fn copy_database(location: &StorageLocation, directory: &Path) -> Result<(), CommandError> {
    let mut source = Source::running(location)?;
    let rooms = SqliteStorage::open(directory).map_err(failed)?;
    let tables =
        SqliteAccessStore::open(directory).map_err(|error| CommandError::Failed(error.to_string()))?;
    let mut target = Stores { rooms: Box::new(rooms), tables: Box::new(tables) };
    let progress = &mut Progress::new();
    transfer::copy(&mut source.stores, &mut target, Numbers::Same, progress)
        .and_then(|()| transfer::verify(&mut source.stores, &mut target, Numbers::Same, progress))
        .map_err(CommandError::Failed)?;
    drop(target);
    close_copy(directory).map_err(failed)
}
