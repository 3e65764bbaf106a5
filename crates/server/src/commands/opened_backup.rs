//! [`Opened`]: a backup that is restored, as a data directory: a copy of one, or made of a full backup and its
//! increments.

use std::fs;
use std::path::{Path, PathBuf};

use quadrille_protocol::RoomName;
use quadrille_storage_sqlite::{create_directory, existing_database};

use super::backup::place_and_chain;
use super::command_error::CommandError;
use super::data_files::{Temporary, create_private, inaccessible};
use super::whole_backup::JOURNAL;
use crate::access::now_ms;
use crate::backup::{self, Chain, Keys, Place, Prefetched, began_ms, time};
use crate::cli::RestoreArguments;
use crate::storage_location::StorageLocation;
use crate::transfer::Progress;

/// Directory within the data directory that is made of a full backup and its increments.
const READING: &str = "restoring-from";

/// A backup as a data directory.
pub(super) struct Opened {
    pub directory: PathBuf,
    /// How messages name it.
    pub name: String,
    _made: Option<Made>,
}

/// A directory that was made of a chain.
struct Made {
    /// Removed first.
    _directory: Temporary,
    _data: Option<Unused>,
}

/// A data directory that did not exist; removed if nothing was restored into it.
struct Unused(PathBuf);

impl Drop for Unused {
    fn drop(&mut self) {
        // Fails when it is used.
        let _ = fs::remove_dir(&self.0);
    }
}

/// Opens a copy of a data directory, or makes one of a full backup and its increments.
pub(super) fn open(arguments: &RestoreArguments, location: &StorageLocation) -> Result<Opened, CommandError> {
    let directory = PathBuf::from(&arguments.backup);
    let name = directory.display().to_string();
    if directory.join(JOURNAL).is_file() {
        check_copied(arguments, &directory)?;
        return Ok(Opened { directory, name, _made: None });
    }
    let keys = Keys::new(&[], arguments.identity.as_deref()).map_err(CommandError::Misconfigured)?;
    let (place, names) = find(arguments)?;
    let (chain, place) = read(arguments, &*place, &names)?;
    let room = arguments.room.as_deref().map(RoomName::new).transpose();
    let room = room.map_err(|error| CommandError::Misconfigured(format!("room: {error}")))?;
    let mut created = None;
    let made = match location {
        StorageLocation::Directory(data) if arguments.server.is_none() => {
            if arguments.room.is_none() {
                check_empty(data)?;
            }
            if !data.exists() {
                create_directory(data).map_err(|error| inaccessible(data, &error))?;
                created = Some(Unused(data.clone()));
            }
            data.join(READING)
        }
        _ => std::env::temp_dir().join(format!("quadrille-restoring-{}", std::process::id())),
    };
    if made.exists() {
        fs::remove_dir_all(&made).map_err(|error| inaccessible(&made, &error))?; // of an interrupted one
    }
    create_private(&made)?;
    let directory = made.clone();
    let made = Made { _directory: Temporary(made), _data: created };
    backup::replay(&place, &keys, &chain, &directory, room.as_ref(), &mut Progress::new())
        .map_err(CommandError::Failed)?;
    Ok(Opened { directory, name, _made: Some(made) })
}

/// Finds the chains that may have the chosen moment: of those of a place, the last that had begun by then, and those
/// after it.
fn find(arguments: &RestoreArguments) -> Result<(Box<dyn Place>, Vec<String>), CommandError> {
    let (place, chain) = place_and_chain(&arguments.backup)?;
    let chains = match chain {
        Some(chain) => vec![chain],
        None => {
            let mut chains = backup::list(&*place).map_err(CommandError::Failed)?.complete;
            let had_begun = |chain: &String| arguments.at.is_none_or(|at| began_ms(chain) <= Some(at));
            let first = chains.iter().rposition(had_begun).unwrap_or(0);
            chains.split_off(first)
        }
    };
    match chains.is_empty() {
        true => Err(CommandError::Failed(format!("no such backup: {}", arguments.backup))),
        false => Ok((place, chains)),
    }
}

/// Reads the first of these chains that does not end before the chosen moment.
fn read<'a>(
    arguments: &RestoreArguments,
    place: &'a dyn Place,
    names: &[String],
) -> Result<(Chain, Prefetched<'a>), CommandError> {
    let mut end = String::new();
    for name in names {
        // Its last increment may be replaced at this moment by one that has more.
        let (chain, place) = Chain::read_steadily(place, name, arguments.at)
            .map_err(|error| CommandError::Failed(error.into()))?;
        if arguments.at.is_none_or(|at| at <= chain.last().moment_ms) {
            return Ok((chain, place));
        }
        end = format!("the backup {} ends at {}", place.describe(name, ""), time(chain.last().moment_ms));
    }
    Err(later_than(arguments, &end))
}

/// Checks that the chosen moment is not after the one at which a copy of a data directory was made. Its name tells
/// that; one with another name may have been used until now.
fn check_copied(arguments: &RestoreArguments, copy: &Path) -> Result<(), CommandError> {
    let name = copy.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let (end_ms, end) = match name.as_deref().and_then(began_ms) {
        Some(copied_ms) => (copied_ms, format!("{} was copied at {}", copy.display(), time(copied_ms))),
        None => (now_ms(), format!("it is {}", time(now_ms()))),
    };
    match arguments.at.is_some_and(|at| at > end_ms) {
        true => Err(later_than(arguments, &end)),
        false => Ok(()),
    }
}

fn later_than(arguments: &RestoreArguments, end: &str) -> CommandError {
    let moment = arguments.at.map(time).unwrap_or_default();
    CommandError::Failed(format!(
        "{end}, before --at {moment}; name an earlier moment, or leave --at out to restore all of it"
    ))
}

/// Checks that a data directory has no data.
pub(super) fn check_empty(data: &Path) -> Result<(), CommandError> {
    if data.join(backup::FIRST_MANIFEST).exists() {
        return Err(CommandError::Failed(format!("{} is a backup; name an empty directory", data.display())));
    }
    match existing_database(data) {
        None => Ok(()),
        Some(name) => Err(CommandError::Failed(format!(
            "{} already has data ({name}); move them to another place, or name an empty directory with --data",
            data.display()
        ))),
    }
}
