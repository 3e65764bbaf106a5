//! `quadrille restore --server`: the contents of a workbook, put into a running server.

use quadrille_files::FileFormat;

use super::command_error::CommandError;
use super::data_files::{Temporary, create_private, inaccessible};
use super::import_export::RoomAccess;
use super::opened_backup::Opened;
use super::record_restore::{as_of, copy_room};
use crate::cli::{RestoreArguments, RoomsLocation};
use crate::storage_location::{DatabaseArguments, StorageLocation};

/// Gives a room of a running server the contents that a room of a backup has, or had at an earlier moment, as one
/// change that can be undone. A room that the server does not have is created. Its history stays in the backup.
///
/// # Errors
/// When the backup does not have the room, or the server refuses the change.
pub(super) fn restore_into_server(
    arguments: &RestoreArguments,
    backup: &Opened,
    room: &str,
    server: &str,
) -> Result<(), CommandError> {
    // A room of its own, so that nothing is written to the backup.
    let directory = std::env::temp_dir().join(format!("quadrille-restoring-room-{}", std::process::id()));
    create_private(&directory)?;
    let directory = Temporary(directory);
    let location = StorageLocation::Directory(directory.0.clone());
    let (name, head) = copy_room(arguments, backup, &location, room)?;
    let rooms = RoomAccess::open(&RoomsLocation {
        server: None,
        token_file: None,
        data: directory.0.clone(),
        database: DatabaseArguments::default(),
    })?;
    let bytes = rooms.get(&name, FileFormat::Json)?;
    rooms.close();
    let file = directory.0.join("contents.json");
    std::fs::write(&file, bytes).map_err(|error| inaccessible(&file, &error))?;
    let rooms = RoomAccess::open(&RoomsLocation {
        server: Some(server.to_owned()),
        token_file: arguments.token_file.clone(),
        data: directory.0.clone(),
        database: DatabaseArguments::default(),
    })?;
    rooms.put(&name, &file)?;
    rooms.close();
    println!("restored\t{name}\t{}contents of revision {head} into {server}", as_of(arguments.at));
    Ok(())
}
