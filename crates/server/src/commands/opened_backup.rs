//! [`Opened`]: a backup that is restored, as a data directory: a copy of one, or made of a full backup and its
//! increments.

use std::fs;
use std::path::{Path, PathBuf};

use quadrille_protocol::RoomName;
use quadrille_storage_sqlite::existing_database;

use super::backup::place_and_chain;
use super::command_error::CommandError;
use super::data_files::{Temporary, create_private, inaccessible};
use super::whole_backup::JOURNAL;
use crate::backup::{self, Chain, Keys, Place, began_ms};
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
        return Ok(Opened { directory, name, _made: None });
    }
    let keys = Keys::new(&[], arguments.identity.as_deref()).map_err(CommandError::Misconfigured)?;
    let (place, name_of_chain) = find(arguments)?;
    // Its last increment may be replaced at this moment by one that has more.
    let (chain, place) = Chain::read_steadily(&*place, &name_of_chain, arguments.at)
        .map_err(|error| CommandError::Failed(error.into()))?;
    let room = arguments.room.as_deref().map(RoomName::new).transpose();
    let room = room.map_err(|error| CommandError::Misconfigured(format!("room: {error}")))?;
    let mut created = None;
    let made = match location {
        StorageLocation::Directory(data) if arguments.server.is_none() => {
            if arguments.room.is_none() {
                check_empty(data)?;
            }
            if !data.exists() {
                fs::create_dir_all(data).map_err(|error| inaccessible(data, &error))?;
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

/// Finds the chain that has the chosen moment: of those of a place, the last that had begun by then.
fn find(arguments: &RestoreArguments) -> Result<(Box<dyn Place>, String), CommandError> {
    let (place, chain) = place_and_chain(&arguments.backup)?;
    let chain = match chain {
        Some(chain) => chain,
        None => {
            let chains = backup::list(&*place).map_err(CommandError::Failed)?.complete;
            let had_begun = |chain: &&String| arguments.at.is_none_or(|at| began_ms(chain) <= Some(at));
            let found = chains.iter().rev().find(had_begun).or(chains.first());
            let missing = || CommandError::Failed(format!("no such backup: {}", arguments.backup));
            found.ok_or_else(missing)?.clone()
        }
    };
    Ok((place, chain))
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
