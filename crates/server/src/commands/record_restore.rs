//! Restoring from a backup record by record: into a database or an empty data directory, one room beside others, or
//! everything as it was at a moment.

use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat};
use quadrille_access::{AccessStore as _, Actor, AuditEntry, AuditEvent, AuditNumber, Version};
use quadrille_protocol::{Revision, RoomName};
use quadrille_storage_sqlite::{SqliteAccessStore, close_copy};

use super::command_error::CommandError;
use super::copy_ends::{Source, Target};
use super::data_files::{failed, inaccessible};
use super::opened_backup::Opened;
use crate::access::now_ms;
use crate::cli::RestoreArguments;
use crate::storage_location::StorageLocation;
use crate::transfer::{self, AsOf, Numbers, Progress, Stores};

/// Copies a backup into an empty database or data directory, with other numbers of rooms.
///
/// # Errors
/// When the target has data of its own, the backup is damaged, or nothing existed at the chosen moment.
pub(super) fn restore_records(
    arguments: &RestoreArguments,
    backup: &Opened,
    location: &StorageLocation,
) -> Result<(), CommandError> {
    let Backup { mut stores, directory, missing, is_empty } = Backup::open(&backup.directory, arguments.at)?;
    missing.iter().for_each(print_missing);
    if is_empty {
        close(stores, &directory)?;
        let when = as_of(arguments.at);
        return Err(CommandError::Failed(format!("{when}the backup has no rooms that can be restored")));
    }
    let mut target = Target::open(location, &format!("the backup {}", backup.name))?;
    let numbers = Numbers::Renewed(random()?);
    let progress = &mut Progress::new();
    let verified = transfer::copy(&mut stores, &mut target.stores, numbers, progress)
        .and_then(|()| transfer::verify(&mut stores, &mut target.stores, numbers, progress))
        .map_err(CommandError::Failed)?;
    target.finish()?;
    close(stores, &directory)?;
    println!("restored\t{location}\t{}{verified}", as_of(arguments.at));
    Ok(())
}

/// Copies one room of a backup, with its history and access, beside the rooms that exist.
pub(super) fn restore_room(
    arguments: &RestoreArguments,
    opened: &Opened,
    location: &StorageLocation,
    room: &str,
) -> Result<(), CommandError> {
    let (name, head) = copy_room(arguments, opened, location, room)?;
    println!("restored\t{name}\t{}revision {head}", as_of(arguments.at));
    Ok(())
}

/// Copies one room of a backup, and returns its name there and its last revision.
pub(super) fn copy_room(
    arguments: &RestoreArguments,
    opened: &Opened,
    location: &StorageLocation,
    room: &str,
) -> Result<(RoomName, Revision), CommandError> {
    let parse = |name: &str| {
        RoomName::new(name).map_err(|error| CommandError::Misconfigured(format!("room {name}: {error}")))
    };
    let (room, name) = (parse(room)?, parse(arguments.new_name.as_deref().unwrap_or(room))?);
    if let StorageLocation::Directory(data) = location {
        super::check_repair::check_exists(data)?;
    }
    let mut rooms = location.open_rooms_with_objects().map_err(failed)?;
    if rooms.find(&name).map_err(failed)?.is_some() {
        return Err(CommandError::Failed(format!(
            "the room {name} exists; name another with --as, or delete it before"
        )));
    }
    let mut backup = Backup::open(&opened.directory, arguments.at)?;
    backup.missing.iter().filter(|missing| **missing == room).for_each(print_missing);
    if backup.stores.rooms.info(&room).map_err(failed)?.is_none() {
        close(backup.stores, &backup.directory)?;
        let then = arguments.at.map(|moment_ms| format!(" as of {}", time(moment_ms))).unwrap_or_default();
        return Err(CommandError::Failed(format!("the backup has no room {room}{then}")));
    }
    let access_failed = |error: quadrille_access::AccessError| CommandError::Failed(error.to_string());
    // The access first: without it the workbook would be open to everybody who has its address.
    let mut stored = SqliteAccessStore::open(&opened.directory).map_err(access_failed)?;
    if let Some(document) = stored.workbook(&room).map_err(access_failed)? {
        let mut access = location.open_access().map_err(access_failed)?;
        let audit = AuditEntry {
            number: AuditNumber(0),
            time_ms: now_ms(),
            room: Some(name.as_str().to_owned()),
            event: AuditEvent::WorkbookRestored,
            actor: Actor::Operator,
            target: String::new(),
            address: String::new(),
        };
        if access.workbook(&name).map_err(access_failed)?.is_none() {
            access.put_workbook(&name, Version(0), Some(&document.value), &[audit]).map_err(access_failed)?;
        }
    }
    drop(stored);
    let key = Numbers::Renewed(random()?).of(quadrille_protocol::Incarnation(0));
    let info = transfer::copy_room(&mut *backup.stores.rooms, &mut *rooms, &room, &name, key)
        .map_err(CommandError::Failed)?;
    close(backup.stores, &backup.directory)?;
    Ok((name, info.head))
}

/// A backup that is read.
struct Backup {
    stores: Stores,
    directory: PathBuf,
    /// Rooms whose history begins after the chosen moment.
    missing: Vec<RoomName>,
    /// There was no room at the chosen moment.
    is_empty: bool,
}

impl Backup {
    /// Opens a backup, with its rooms as they were at a moment.
    fn open(directory: &Path, moment_ms: Option<i64>) -> Result<Backup, CommandError> {
        let Source { stores, .. } = Source::stopped(&StorageLocation::Directory(directory.to_owned()))?;
        let mut backup =
            Backup { stores, directory: directory.to_owned(), missing: Vec::new(), is_empty: false };
        if let Some(moment_ms) = moment_ms {
            let (rooms, missing) = AsOf::new(backup.stores.rooms, moment_ms).map_err(CommandError::Failed)?;
            backup.is_empty = rooms.is_empty();
            backup.stores.rooms = Box::new(rooms);
            backup.missing = missing;
        }
        Ok(backup)
    }
}

fn print_missing(room: &RoomName) {
    println!("left out\t{room}\tits history begins later");
}

/// Leaves a backup as it was: without write-ahead logs and without a lock.
fn close(stores: Stores, directory: &Path) -> Result<(), CommandError> {
    drop(stores);
    close_copy(directory).map_err(failed)?;
    let lock = directory.join("lock");
    std::fs::remove_file(&lock).map_err(|error| inaccessible(&lock, &error))
}

pub(super) fn as_of(moment_ms: Option<i64>) -> String {
    moment_ms.map(|moment_ms| format!("as of {}, ", time(moment_ms))).unwrap_or_default()
}

fn time(moment_ms: i64) -> String {
    let time = DateTime::from_timestamp_millis(moment_ms).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

fn random() -> Result<u64, CommandError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| CommandError::Failed(format!("no random numbers: {error}")))?;
    Ok(u64::from_le_bytes(bytes))
}
