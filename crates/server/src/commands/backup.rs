//! `quadrille backup` and `quadrille restore`: copies of a data directory. Those of a database are in
//! `database_backup.rs`; what is restored record by record, in `record_restore.rs`.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use chrono::{SecondsFormat, Utc};
use quadrille_storage_sqlite::{
    DATABASES, close_copy, copy_directory, existing_database, lock_directory, renew_incarnations,
};

use super::check_repair::{RoomDecoder, access_damage, check_exists, print_access, print_findings};
use super::command_error::CommandError;
use super::data_files::{copy_triggers, create_private, failed, inaccessible, put_in_place, sync};
use super::database_backup::copy_database;
use super::record_restore::{restore_records, restore_room};
use crate::cli::{BackupArguments, RestoreArguments};
use crate::storage_location::StorageLocation;

/// Beginning of the name of a backup that is being made, or was interrupted.
const INCOMPLETE: &str = "incomplete-";

/// Directory within the data directory into which a backup is copied before it is used.
const RESTORING: &str = "restoring";

/// What the check of a copy has found.
struct Contents {
    rooms: usize,
    damages: usize,
}

/// Copies a data directory or a database, which servers may be using, into a new directory named by the
/// time, and checks the copy. With `--keep`, removes the oldest backups if the copy is not damaged.
///
/// # Errors
///
/// Fails with `Damaged` when what was copied is damaged; the copy is kept.
pub fn backup(arguments: &BackupArguments) -> Result<(), CommandError> {
    let location = StorageLocation::of_command(&arguments.database, &arguments.data)
        .map_err(CommandError::Misconfigured)?;
    if let StorageLocation::Directory(data) = &location {
        check_exists(data)?;
    }
    let directory = &arguments.directory;
    // One backup at a time; also creates the directory.
    let _lock = lock_directory(directory).map_err(failed)?;
    for (name, path) in subdirectories(directory)? {
        if name.starts_with(INCOMPLETE) {
            fs::remove_dir_all(&path).map_err(|error| inaccessible(&path, &error))?;
        }
    }
    let name = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true).replace(':', "-");
    let incomplete = directory.join(format!("{INCOMPLETE}{name}"));
    create_private(&incomplete)?;
    match &location {
        StorageLocation::Directory(data) => copy_directory(data, &incomplete).map_err(failed)?,
        StorageLocation::Database(_) => copy_database(&location, &incomplete)?,
    }
    copy_triggers(&arguments.data, &incomplete)?;
    let contents = check_copy(&incomplete)?;
    let complete = directory.join(&name);
    fs::rename(&incomplete, &complete).map_err(|error| inaccessible(&complete, &error))?;
    sync(directory)?;
    println!("backup\t{}\t{}, {}", complete.display(), rooms(contents.rooms), size(&complete)?);
    if contents.damages > 0 {
        return Err(CommandError::Damaged(format!(
            "the copy has damage in {} places, as {location} does; no older backup was removed; `quadrille \
             repair` says what can be repaired",
            contents.damages
        )));
    }
    match arguments.keep {
        Some(keep) => remove_oldest(directory, keep),
        None => Ok(()),
    }
}

/// Copies a backup into a data directory or database that has no data, or one of its rooms beside others, as
/// they are in the backup or were at an earlier moment, and makes them new to clients that know later revisions of them.
///
/// # Errors
///
/// Fails with `Damaged` when the backup is damaged; its intact rooms are restored.
pub fn restore(arguments: &RestoreArguments) -> Result<(), CommandError> {
    if !arguments.backup.is_dir() {
        return Err(CommandError::Failed(format!("no such backup: {}", arguments.backup.display())));
    }
    let location = StorageLocation::of_command(&arguments.database, &arguments.data)
        .map_err(CommandError::Misconfigured)?;
    match (&location, &arguments.room, arguments.at) {
        (_, Some(room), _) => restore_room(arguments, &location, room),
        (StorageLocation::Directory(data), None, None) => restore_directory(arguments, data),
        (StorageLocation::Directory(data), None, Some(_)) => {
            restore_records(arguments, &location)?;
            copy_triggers(&arguments.backup, data)
        }
        (StorageLocation::Database(_), None, _) => restore_records(arguments, &location),
    }
}

fn restore_directory(arguments: &RestoreArguments, data: &Path) -> Result<(), CommandError> {
    let _lock = lock_directory(data).map_err(failed)?;
    if let Some(name) = existing_database(data) {
        return Err(CommandError::Failed(format!(
            "{} already has data ({name}); move them to another place, or name an empty directory with --data",
            data.display()
        )));
    }
    let copy = data.join(RESTORING);
    if copy.exists() {
        fs::remove_dir_all(&copy).map_err(|error| inaccessible(&copy, &error))?; // of an interrupted one
    }
    create_private(&copy)?;
    copy_directory(&arguments.backup, &copy).map_err(failed)?;
    copy_triggers(&arguments.backup, &copy)?;
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

/// Checks a copy completely and prints a line per damage.
fn check_copy(copy: &Path) -> Result<Contents, CommandError> {
    let findings = quadrille_storage_sqlite::check(copy, &mut RoomDecoder).map_err(failed)?;
    let damages = print_findings(&findings) + print_access(&access_damage(copy)?);
    close_copy(copy).map_err(failed)?;
    // Checking has locked the copy, which is only of use to a server.
    let lock = copy.join("lock");
    fs::remove_file(&lock).map_err(|error| inaccessible(&lock, &error))?;
    Ok(Contents { rooms: findings.intact.len(), damages })
}

/// Removes the oldest complete backups until `keep` are left.
fn remove_oldest(directory: &Path, keep: NonZeroU32) -> Result<(), CommandError> {
    let mut backups: Vec<(String, PathBuf)> =
        subdirectories(directory)?.into_iter().filter(|(name, _)| is_backup_name(name)).collect();
    backups.sort();
    let surplus = backups.len().saturating_sub(keep.get() as usize);
    for (_, path) in backups.into_iter().take(surplus) {
        fs::remove_dir_all(&path).map_err(|error| inaccessible(&path, &error))?;
        println!("removed\t{}", path.display());
    }
    Ok(())
}

/// Whether `backup` gave a directory its name: `2026-11-25T14-50-07.123Z`.
fn is_backup_name(name: &str) -> bool {
    let shape = "0000-00-00T00-00-00.000Z";
    name.len() == shape.len()
        && name.bytes().zip(shape.bytes()).all(|(byte, expected)| match expected {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

fn subdirectories(directory: &Path) -> Result<Vec<(String, PathBuf)>, CommandError> {
    let failed = |error: std::io::Error| inaccessible(directory, &error);
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            found.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
        }
    }
    Ok(found)
}

/// Returns the size of the databases of a directory, as text.
fn size(directory: &Path) -> Result<String, CommandError> {
    let mut bytes = 0;
    for name in DATABASES {
        let path = directory.join(name);
        match path.metadata() {
            Ok(metadata) => bytes += metadata.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(inaccessible(&path, &error)),
        }
    }
    Ok(format!("{:.1} MB", bytes as f64 / 1e6))
}

fn rooms(count: usize) -> String {
    format!("{count} {}", if count == 1 { "room" } else { "rooms" })
}
