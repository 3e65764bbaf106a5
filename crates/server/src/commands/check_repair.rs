//! `quadrille check` and `quadrille repair`: finds and repairs damage in a data directory.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use quadrille_journal::{ObjectReference, Snapshot, Storage};
use quadrille_operation::Limits;
use quadrille_protocol::{Record, Revision, RoomName, RoomSnapshot};
use quadrille_room::Room;
use quadrille_storage_sqlite::{
    AccessDamage, Findings, Reader, Repair, RoomContents, SqliteStorage, check_access, repair_access,
};

use super::command_error::CommandError;
use crate::cli::{CheckArguments, RepairArguments};
use crate::object_storage::{ObjectStorage, unreadable};
use crate::storage_location::with_objects;

/// Decodes records and snapshots as rooms do.
pub(super) struct RoomDecoder;

impl Reader for RoomDecoder {
    fn snapshot(&mut self, snapshot: &Snapshot) -> Result<(), String> {
        // Objects are read later.
        if ObjectReference::decode(&snapshot.bytes).is_some() {
            return Ok(());
        }
        let read = RoomSnapshot::decode(&snapshot.bytes).map_err(|error| error.to_string())?;
        if read.revision != snapshot.revision {
            return Err(format!("it has revision {}", read.revision));
        }
        Ok(())
    }

    fn record(&mut self, revision: Revision, bytes: &[u8]) -> Result<(), String> {
        let record = Record::decode(bytes).map_err(|error| error.to_string())?;
        if record.revision != revision {
            return Err(format!("it has revision {}", record.revision));
        }
        Ok(())
    }
}

/// Reads all stored data and verifies every checksum, then opens every intact room to verify that
/// its records apply.
///
/// # Errors
///
/// Fails with `Damaged` when something is damaged.
pub fn check(arguments: &CheckArguments) -> Result<(), CommandError> {
    check_exists(&arguments.data)?;
    let findings = quadrille_storage_sqlite::check(&arguments.data, &mut RoomDecoder)
        .map_err(|error| CommandError::Failed(error.to_string()))?;
    let mut damaged = print_findings(&findings) + print_access(&access_damage(&arguments.data)?);
    if !findings.intact.is_empty() {
        let storage = SqliteStorage::open_alone(&arguments.data)
            .map_err(|error| CommandError::Failed(error.to_string()))?;
        let mut storage: Box<dyn Storage> = Box::new(storage);
        damaged += check_objects(&mut *storage)?;
        let mut storage = with_objects(storage).map_err(|error| CommandError::Failed(error.to_string()))?;
        for intact in &findings.intact {
            match open_room(&mut *storage, &intact.room, intact.head) {
                Ok(()) => println!("ok\t{}\t{}", intact.room, size(intact)),
                Err(reason) => {
                    damaged += 1;
                    println!("damaged\t{}\trevision {}\t{reason}", intact.room, intact.head);
                }
            }
        }
    }
    match damaged {
        0 => Ok(()),
        _ => Err(CommandError::Damaged(format!(
            "damage found in {damaged} places; run `quadrille repair` to see what can be repaired"
        ))),
    }
}

/// Prints what can be repaired, and repairs it with `--write` or `--cut`.
///
/// # Errors
///
/// Fails with `Damaged` when damage is left.
pub fn repair(arguments: &RepairArguments) -> Result<(), CommandError> {
    check_exists(&arguments.data)?;
    let failed = |error: quadrille_journal::StorageError| CommandError::Failed(error.to_string());
    let what = match (arguments.write, arguments.cut) {
        (_, true) => Repair::Cut,
        (true, false) => Repair::Derivable,
        (false, false) => {
            let findings =
                quadrille_storage_sqlite::check(&arguments.data, &mut RoomDecoder).map_err(failed)?;
            let access = access_damage(&arguments.data)?;
            if print_findings(&findings) + print_access(&access) == 0 {
                println!("nothing to repair");
                return Ok(());
            }
            let cuts = findings.damages.iter().any(|damage| damage.loses())
                || access.iter().any(|damage| !is_derivable(damage));
            let flag = if cuts { "--write, or with --cut where data must be dropped" } else { "--write" };
            return Err(CommandError::Damaged(format!(
                "nothing was changed; run the command again with {flag}"
            )));
        }
    };
    let repaired =
        quadrille_storage_sqlite::repair(&arguments.data, what, &mut RoomDecoder).map_err(failed)?;
    for line in &repaired.done {
        println!("repaired\t{line}");
    }
    if let Some(copy) = &repaired.copy {
        println!("backup\tthe original files are in {}", copy.display());
    }
    let (access, is_changed) = repair_access_store(&arguments.data, what)?;
    if repaired.copy.is_none() && !is_changed {
        println!("nothing was changed");
    }
    match print_findings(&repaired.left) + print_access(&access) {
        0 => Ok(()),
        left => Err(CommandError::Damaged(format!("damage remains in {left} places"))),
    }
}

/// Damage of the access store.
pub(super) fn access_damage(data: &Path) -> Result<Vec<AccessDamage>, CommandError> {
    check_access(data).map_err(|error| CommandError::Failed(error.to_string()))
}

/// Whether the damage can be repaired from what is left. The access of a workbook cannot: without it
/// the workbook would be open to everybody who has its address.
fn is_derivable(damage: &AccessDamage) -> bool {
    matches!(damage, AccessDamage::Index { .. })
}

/// Repairs the access store as far as `what` allows. Returns the damage that is left, and whether
/// something was changed.
fn repair_access_store(data: &Path, what: Repair) -> Result<(Vec<AccessDamage>, bool), CommandError> {
    let damage = access_damage(data)?;
    let is_allowed = what == Repair::Cut || damage.iter().all(is_derivable);
    if damage.is_empty() || !is_allowed {
        return Ok((damage, false));
    }
    let copy = back_up_access(data).map_err(|error| CommandError::Failed(format!("no backup: {error}")))?;
    println!("backup\tthe original access store is in {}", copy.display());
    let failed = |error: quadrille_access::AccessError| CommandError::Failed(error.to_string());
    for damage in repair_access(data).map_err(failed)? {
        println!("repaired\t{damage}");
    }
    Ok((access_damage(data)?, true))
}

/// Copies the files of the access store into a new directory beside them.
fn back_up_access(data: &Path) -> std::io::Result<PathBuf> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let copy = data.join(format!("access-before-repair-{seconds}"));
    std::fs::create_dir(&copy)?;
    for entry in std::fs::read_dir(data)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_file() && name.to_string_lossy().starts_with("access.db") {
            std::fs::copy(entry.path(), copy.join(name))?;
        }
    }
    Ok(copy)
}

/// Prints a line per damage of the access store and returns their number.
pub(super) fn print_access(damage: &[AccessDamage]) -> usize {
    for damage in damage {
        println!("damaged\t{damage}");
    }
    damage.len()
}

/// Prints a line per damage and returns their number.
pub(super) fn print_findings(findings: &Findings) -> usize {
    for damage in &findings.damages {
        println!("{}\t{damage}", if damage.stops() { "damaged" } else { "skipped" });
    }
    findings.damages.len()
}

fn size(intact: &RoomContents) -> String {
    let images = if intact.images == 0 { String::new() } else { format!(", {} images", intact.images) };
    format!("revision {}, {} records, {} snapshots{images}", intact.head, intact.records, intact.snapshots)
}

/// Reads every object that the storage refers to, prints a line for each that cannot be read, and returns their
/// number.
fn check_objects(storage: &mut dyn Storage) -> Result<usize, CommandError> {
    let Some(objects) = ObjectStorage::of_command(storage).map_err(CommandError::Failed)? else {
        return Ok(0);
    };
    let references = storage.object_references().map_err(|error| CommandError::Failed(error.to_string()))?;
    let unreadable = unreadable(&objects, &references);
    for reason in &unreadable {
        println!("damaged\t{reason}");
    }
    println!("objects\t{}\t{} objects read", objects.address(), references.len() - unreadable.len());
    Ok(unreadable.len())
}

/// Opens the room and checks that it reaches its last revision.
fn open_room(storage: &mut dyn Storage, name: &RoomName, head: Revision) -> Result<(), String> {
    let claim = storage.claim(name).map_err(|error| error.to_string())?;
    let loaded = storage.load(claim.key).map_err(|error| error.to_string())?;
    let room = Room::open(name.clone(), claim.incarnation, &loaded, Limits::DEFAULT);
    let room = room.map_err(|error| error.to_string())?;
    match room.head() == head {
        true => Ok(()),
        false => Err(format!("the journal ends at revision {}, not {head}", room.head())),
    }
}

/// Checks that the data directory exists; opening the storage would create it.
pub(super) fn check_exists(data: &Path) -> Result<(), CommandError> {
    match data.is_dir() {
        true => Ok(()),
        false => Err(CommandError::Failed(format!("no such data directory: {}", data.display()))),
    }
}
