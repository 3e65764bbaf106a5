//! `quadrille migrate`: moves everything to another storage engine.

use std::path::Path;

use super::command_error::CommandError;
use super::copy_ends::{Source, Target};
use crate::cli::MigrateArguments;
use crate::storage_location::StorageLocation;
use crate::time_triggers;
use crate::transfer::{self, Numbers, Progress};

/// Copies everything from one storage to another and compares both. The source stays as it is.
///
/// # Errors
/// Fails when one of them is in use, when the target has data of its own, and when the copy differs.
pub fn migrate(arguments: &MigrateArguments) -> Result<(), CommandError> {
    let from = end("FROM", &arguments.from, arguments.from_password_file.as_deref())?;
    let to = end("TO", &arguments.to, arguments.to_password_file.as_deref())?;
    let (from_name, to_name) = (from.to_string(), to.to_string());
    if from_name == to_name {
        return Err(CommandError::Misconfigured(format!("FROM and TO are the same: {to_name}")));
    }
    let mut source = match arguments.live {
        true => Source::running(&from)?,
        false => Source::stopped(&from)?,
    };
    let mut target = Target::open(&to, &from_name)?;
    let progress = &mut Progress::new();
    transfer::copy(&mut source.stores, &mut target.stores, Numbers::Same, progress)
        .map_err(CommandError::Failed)?;
    let verified = transfer::verify(&mut source.stores, &mut target.stores, Numbers::Same, progress)
        .map_err(CommandError::Failed)?;
    if arguments.live {
        println!("copied\t{to_name}\t{}", verified);
        println!("next\tstop what uses {from_name}, and run the command again without --live");
        return Ok(());
    }
    source.check_unused()?;
    target.finish()?;
    println!("migrated\t{to_name}\t{}", verified);
    if let (StorageLocation::Directory(data), StorageLocation::Database(_) | StorageLocation::Shards(_)) =
        (&from, &to)
        && data.join(time_triggers::FILE).exists()
    {
        println!(
            "note\t{} stays in the data directory of the server: keep `--data {from_name}`, or copy the file",
            time_triggers::FILE
        );
    }
    Ok(())
}

/// Reads an argument: a data directory, the URL of a database, or those of several with spaces.
fn end(name: &str, text: &str, password_file: Option<&Path>) -> Result<StorageLocation, CommandError> {
    StorageLocation::parse(text, password_file)
        .map_err(|error| CommandError::Misconfigured(format!("{name}: {error}")))
}
