//! `quadrille backup --whole`: copies of a data directory. Those of a database are in `database_backup.rs`.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use chrono::{SecondsFormat, Utc};
use quadrille_storage_sqlite::{DATABASES, close_copy, copy_directory};

use super::check_repair::{RoomDecoder, access_damage, check_exists, print_access, print_findings};
use super::command_error::CommandError;
use super::data_files::{copy_triggers, create_private, failed, inaccessible, sync};
use super::database_backup::copy_database;
use crate::backup::{began_ms, lock_place};
use crate::cli::BackupArguments;
use crate::storage_location::StorageLocation;

/// Beginning of the name of a backup that is being made, or was interrupted.
const INCOMPLETE: &str = "incomplete-";

/// The database that every copy has.
pub(super) const JOURNAL: &str = DATABASES[2];

/// What the check of a copy has found.
pub(super) struct Contents {
    pub rooms: usize,
    pub damages: usize,
}

/// Copies a data directory or a database, which servers may be using, into a new directory named by the
/// time, and checks the copy. With `--keep`, removes the oldest backups if the copy is not damaged.
///
/// # Errors
///
/// Fails with `Damaged` when what was copied is damaged; the copy is kept.
pub(super) fn back_up_whole(arguments: &BackupArguments) -> Result<(), CommandError> {
    let location = StorageLocation::of_command(&arguments.database, &arguments.data)
        .map_err(CommandError::Misconfigured)?;
    if let StorageLocation::Directory(data) = &location {
        check_exists(data)?;
    }
    let directory = Path::new(&arguments.place);
    // One backup at a time; also creates the directory.
    let _lock = lock_place(directory).map_err(CommandError::Failed)?;
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
        StorageLocation::Database(_) | StorageLocation::Shards(_) => copy_database(&location, &incomplete)?,
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

/// Checks a copy completely and prints a line per damage.
pub(super) fn check_copy(copy: &Path) -> Result<Contents, CommandError> {
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
        subdirectories(directory)?.into_iter().filter(|(name, path)| is_whole(name, path)).collect();
    backups.sort();
    let surplus = backups.len().saturating_sub(keep.get() as usize);
    for (_, path) in backups.into_iter().take(surplus) {
        fs::remove_dir_all(&path).map_err(|error| inaccessible(&path, &error))?;
        println!("removed\t{}", path.display());
    }
    Ok(())
}

/// Whether a directory is a copy that `backup --whole` has made.
fn is_whole(name: &str, path: &Path) -> bool {
    began_ms(name).is_some() && path.join(JOURNAL).exists()
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
pub(super) fn size(directory: &Path) -> Result<String, CommandError> {
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

pub(super) fn rooms(count: usize) -> String {
    format!("{count} {}", if count == 1 { "room" } else { "rooms" })
}
