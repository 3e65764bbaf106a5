//! `quadrille restore`: fills a data directory or a database from a backup. Finding and reading the backup is in
//! `opened_backup.rs`; what is restored record by record, in `record_restore.rs`.

use std::fs;
use std::path::Path;

use quadrille_storage_sqlite::{close_copy, copy_directory, lock_directory, renew_incarnations};

use super::command_error::CommandError;
use super::data_files::{copy_triggers, create_private, failed, inaccessible, put_in_place};
use super::opened_backup::{Opened, check_empty, open};
use super::record_restore::{restore_records, restore_room};
use super::restore_into_server::restore_into_server;
use super::whole_backup::{check_copy, rooms, size};
use crate::cli::RestoreArguments;
use crate::storage_location::StorageLocation;

/// Directory within the data directory into which a backup is copied before it is used.
const RESTORING: &str = "restoring";
/// Copies a backup into a data directory or database that has no data, or one of its rooms beside others, as
/// they are in the backup or were at an earlier moment, and makes them new to clients that know later revisions of them.
///
/// # Errors
///
/// Fails with `Damaged` when the backup is damaged; its intact rooms are restored.
pub fn restore(arguments: &RestoreArguments) -> Result<(), CommandError> {
    let location = StorageLocation::of_command(&arguments.database, &arguments.data)
        .map_err(CommandError::Misconfigured)?;
    let backup = open(arguments, &location)?;
    if let (Some(server), Some(room)) = (&arguments.server, &arguments.room) {
        return restore_into_server(arguments, &backup, room, server);
    }
    match (&location, &arguments.room, arguments.at) {
        (_, Some(room), _) => restore_room(arguments, &backup, &location, room),
        (StorageLocation::Directory(data), None, None) => restore_directory(&backup, data),
        (StorageLocation::Directory(data), None, Some(_)) => {
            restore_records(arguments, &backup, &location)?;
            copy_triggers(&backup.directory, data)
        }
        (StorageLocation::Database(_) | StorageLocation::Shards(_), None, _) => {
            restore_records(arguments, &backup, &location)
        }
    }
}

fn restore_directory(backup: &Opened, data: &Path) -> Result<(), CommandError> {
    let _lock = lock_directory(data).map_err(failed)?;
    check_empty(data)?;
    let copy = data.join(RESTORING);
    if copy.exists() {
        fs::remove_dir_all(&copy).map_err(|error| inaccessible(&copy, &error))?; // of an interrupted one
    }
    create_private(&copy)?;
    copy_directory(&backup.directory, &copy).map_err(failed)?;
    copy_triggers(&backup.directory, &copy)?;
    let contents = check_copy(&copy)?;
    match renew_incarnations(&copy).and_then(|()| close_copy(&copy)) {
        // `quadrille repair` rebuilds a journal that cannot be written, with other incarnations.
        Err(error) if contents.damages == 0 => return Err(failed(error)),
        _ => {}
    }
    put_in_place(&copy, data)?;
    println!("restored\t{}\t{}, {}", data.display(), rooms(contents.rooms), size(data)?);
    match contents.damages {
        0 => Ok(()),
        damages => Err(CommandError::Damaged(format!(
            "the backup has damage in {damages} places; `quadrille repair` says what can be repaired"
        ))),
    }
}
