//! Backups of a database, which are data directories, and restoring from a backup record by record: into a
//! database, or one room beside others.

use std::path::Path;

use quadrille_access::{AccessStore as _, Actor, AuditEntry, AuditEvent, AuditNumber, Version};
use quadrille_protocol::RoomName;
use quadrille_storage_sqlite::{SqliteAccessStore, SqliteStorage, close_copy};

use super::command_error::CommandError;
use super::copy_ends::{Source, Target};
use super::data_files::{failed, inaccessible};
use crate::access::now_ms;
use crate::cli::RestoreArguments;
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

/// Copies a backup into an empty database, with other numbers of rooms.
pub(super) fn restore_database(
    arguments: &RestoreArguments,
    location: &StorageLocation,
) -> Result<(), CommandError> {
    let backup = Backup::open(&arguments.backup)?;
    let mut target = Target::open(location, &format!("the backup {}", arguments.backup.display()))?;
    let numbers = Numbers::Renewed(random()?);
    let progress = &mut Progress::new();
    let Backup { mut stores, directory } = backup;
    let verified = transfer::copy(&mut stores, &mut target.stores, numbers, progress)
        .and_then(|()| transfer::verify(&mut stores, &mut target.stores, numbers, progress))
        .map_err(CommandError::Failed)?;
    target.finish()?;
    Backup { stores, directory }.close()?;
    println!("restored\t{location}\t{}", verified);
    Ok(())
}

/// Copies one room of a backup, with its history and access, beside the rooms that exist.
pub(super) fn restore_room(
    arguments: &RestoreArguments,
    location: &StorageLocation,
    room: &str,
) -> Result<(), CommandError> {
    let parse = |name: &str| {
        RoomName::new(name).map_err(|error| CommandError::Misconfigured(format!("room {name}: {error}")))
    };
    let (room, name) = (parse(room)?, parse(arguments.new_name.as_deref().unwrap_or(room))?);
    if let StorageLocation::Directory(data) = location {
        super::check_repair::check_exists(data)?;
    }
    let mut rooms = location.open_rooms("").map_err(failed)?;
    if rooms.find(&name).map_err(failed)?.is_some() {
        return Err(CommandError::Failed(format!(
            "the room {name} exists; name another with --as, or delete it before"
        )));
    }
    let mut backup = Backup::open(&arguments.backup)?;
    let access_failed = |error: quadrille_access::AccessError| CommandError::Failed(error.to_string());
    // The access first: without it the workbook would be open to everybody who has its address.
    let mut stored = SqliteAccessStore::open(&arguments.backup).map_err(access_failed)?;
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
    backup.close()?;
    println!("restored\t{name}\trevision {}", info.head);
    Ok(())
}

/// A backup that is read.
struct Backup {
    stores: Stores,
    directory: std::path::PathBuf,
}

impl Backup {
    fn open(directory: &Path) -> Result<Backup, CommandError> {
        let Source { stores, .. } = Source::stopped(&StorageLocation::Directory(directory.to_owned()))?;
        Ok(Backup { stores, directory: directory.to_owned() })
    }

    /// Leaves the backup as it was: without write-ahead logs and without a lock.
    fn close(self) -> Result<(), CommandError> {
        drop(self.stores);
        close_copy(&self.directory).map_err(failed)?;
        let lock = self.directory.join("lock");
        std::fs::remove_file(&lock).map_err(|error| inaccessible(&lock, &error))
    }
}

fn random() -> Result<u64, CommandError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| CommandError::Failed(format!("no random numbers: {error}")))?;
    Ok(u64::from_le_bytes(bytes))
}
