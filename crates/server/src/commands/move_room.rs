//! `quadrille move-room`: moves a room to another database of several.

use std::path::Path;
use std::time::Duration;

use quadrille_journal::{Storage as _, StorageError};
use quadrille_storage_postgres::Address;
use quadrille_storage_shards::MoveProgress;

use super::command_error::CommandError;
use super::data_files::failed;
use crate::cli::MoveRoomArguments;
use crate::room_name;
use crate::storage_location::{StorageLocation, open_shards};

/// Time between two queries of the progress of a move that a server makes.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Asks for the move, makes it if no server runs the room, and waits for it.
///
/// # Errors
/// Fails when there is no such room or database, or a database cannot be used.
pub fn move_room(arguments: &MoveRoomArguments) -> Result<(), CommandError> {
    let room =
        room_name::parse(&arguments.room).map_err(|error| CommandError::Misconfigured(error.message))?;
    let location = StorageLocation::of_command(&arguments.database, Path::new(""));
    let StorageLocation::Shards(addresses) = location.map_err(CommandError::Misconfigured)? else {
        let message = "name all databases by --storage, with spaces";
        return Err(CommandError::Misconfigured(message.to_owned()));
    };
    let to = arguments.to.or_file("DATABASE", Path::new("")).map_err(CommandError::Misconfigured)?;
    let to = Address::parse(&to.unwrap_or_default(), None)
        .map_err(|error| CommandError::Misconfigured(format!("DATABASE: {error}")))?;
    let mut storage = open_shards(&addresses, "").map_err(failed)?;
    let mut progress = storage.request_move(&room, &to.to_string()).map_err(failed)?;
    while progress == MoveProgress::Pending {
        let has_more = match storage.is_maintenance_due() {
            true => storage.compact().map_err(failed)?,
            false => false,
        };
        if !has_more {
            std::thread::sleep(LOOK_INTERVAL);
        }
        progress = match storage.move_progress(&room) {
            Err(StorageError::Away { .. }) => MoveProgress::Pending,
            progress => progress.map_err(failed)?,
        };
    }
    println!("moved\t{room}\t{}", storage.shard_of(&room).map_err(failed)?);
    Ok(())
}
