//! `quadrille backup`: full backups and increments of running servers, and checking them. Copies of whole data
//! directories are in `whole_backup.rs`.

use super::check_repair::check_exists;
use super::command_error::CommandError;
use super::whole_backup::{back_up_whole, rooms};
use crate::backup::{
    self, Cache, CollectError, Destination, DirectoryPlace, Followed, Increment, Keys, Known, Place, S3Place,
    Scope, Source, began_ms, remove_oldest, remove_unfinished, time, write_increment,
};
use crate::cli::BackupArguments;
use crate::storage_location::StorageLocation;
use crate::transfer::Progress;

/// Backs up a data directory or a database, or checks backups.
///
/// # Errors
///
/// Fails with `Damaged` when something of the source is damaged, the rest is backed up; and when the checked
/// backups are.
pub fn backup(arguments: &BackupArguments) -> Result<(), CommandError> {
    if arguments.verify {
        return verify(arguments);
    }
    if arguments.whole {
        return back_up_whole(arguments);
    }
    let location = StorageLocation::of_command(&arguments.database, &arguments.data)
        .map_err(CommandError::Misconfigured)?;
    // Before anything is written to the place.
    if let StorageLocation::Directory(data) = &location {
        check_exists(data)?;
    }
    let place = place_of(&arguments.place)?;
    // One backup at a time; also creates the directory.
    let lock = place.lock().map_err(CommandError::Failed)?;
    remove_unfinished(&*place, lock.is_some()).map_err(CommandError::Failed)?;
    let keys = Keys::new(&arguments.encrypt_to, None).map_err(CommandError::Misconfigured)?;
    let cache = Cache::new(&arguments.data, &full_name(&arguments.place));
    let source = source_name(&location);
    let destination = Destination { place: &*place, keys: &keys, cache: &cache, source: &source };
    match arguments.follow {
        true => {
            let followed = Followed { location: &location, data: &arguments.data, keep: arguments.keep };
            backup::follow(destination, followed, arguments.full).map_err(CommandError::Failed)
        }
        false => back_up_once(arguments, &location, destination),
    }
}

/// Adds an increment to the newest chain, or begins a new one.
fn back_up_once(
    arguments: &BackupArguments,
    location: &StorageLocation,
    destination: Destination<'_>,
) -> Result<(), CommandError> {
    let (mut known, mut reason) = match arguments.full {
        true => (Known::default(), None),
        false => Known::read(destination).map_err(CommandError::Failed)?,
    };
    let Destination { place, keys, cache, source: name } = destination;
    let (collected, manifest) = loop {
        if let Some(reason) = reason {
            println!("full\ta new full backup is made: {reason}");
        }
        let source = Source::open(location, &arguments.data);
        let mut source = source.map_err(|error| CommandError::Failed(error.to_string()))?;
        let before = known.chain.as_ref().map(|chain| chain.last().clone());
        let mut increment = Increment::new(place, keys, name, &known.chain_name(), before.as_ref());
        let progress = &mut Progress::new();
        match write_increment(cache, &mut known, &mut increment, &mut source, Scope::Everything, progress) {
            Ok(written) => break written,
            Err(CollectError::OtherData(other)) if before.is_some() => {
                (known, reason) = (Known::default(), Some(other));
            }
            Err(CollectError::OtherData(message) | CollectError::Failed(message)) => {
                return Err(CommandError::Failed(message));
            }
        }
    };
    let last = known.chain.as_ref().expect("a chain was written or read").last();
    let chain = place.describe(&last.chain, "");
    match manifest {
        None => println!("unchanged\t{chain}\tincrement {}, up to {}", last.number, time(last.moment_ms)),
        Some(manifest) if manifest.number == 1 => {
            println!("backup\t{chain}\tfull, {}, {}", rooms(known.state.rooms.len()), size(manifest.bytes()));
        }
        Some(manifest) => {
            let changed = collected.changes.rooms.len() + collected.changes.rooms_deleted.len();
            let (number, size) = (manifest.number, size(manifest.bytes()));
            println!("backup\t{chain}\tincrement {number}, {} changed, {size}", rooms(changed));
        }
    }
    for (room, reason) in &collected.damaged {
        println!("damaged\t{room}\t{reason}");
    }
    if !collected.damaged.is_empty() {
        return Err(CommandError::Damaged(format!(
            "{location} has damage in {} rooms, of which the readable part is in the backup; no older backup \
             was removed; `quadrille check` tells more, `quadrille repair` what can be repaired",
            collected.damaged.len()
        )));
    }
    if let Some(keep) = arguments.keep {
        for removed in remove_oldest(place, keep).map_err(CommandError::Failed)? {
            println!("removed\t{removed}");
        }
    }
    Ok(())
}

/// Checks all chains of a place, or one.
fn verify(arguments: &BackupArguments) -> Result<(), CommandError> {
    let (place, chain) = place_and_chain(&arguments.place)?;
    let keys = Keys::new(&[], arguments.identity.as_deref()).map_err(CommandError::Misconfigured)?;
    let chains = match chain {
        Some(chain) => vec![chain],
        None => backup::list(&*place).map_err(CommandError::Failed)?.complete,
    };
    if chains.is_empty() {
        return Err(CommandError::Failed(format!("{} has no backups", arguments.place)));
    }
    let mut damages = 0;
    for chain in chains {
        let name = place.describe(&chain, "");
        match backup::verify(&*place, &keys, &chain) {
            Ok(verified) => {
                let contents = match verified.rooms {
                    Some(count) => rooms(usize::try_from(count).unwrap_or(usize::MAX)),
                    None => "encrypted, only digests compared".to_owned(),
                };
                println!(
                    "ok\t{name}\t{} increments, {contents}, {}, up to {}",
                    verified.increments,
                    size(verified.bytes),
                    time(verified.moment_ms)
                );
            }
            Err(found) => {
                damages += found.len();
                found.iter().for_each(|damage| println!("damaged\t{damage}"));
            }
        }
    }
    match damages {
        0 => Ok(()),
        damages => Err(CommandError::Damaged(format!(
            "the backups have damage in {damages} places; make a new one with --full"
        ))),
    }
}

/// Opens a place that is named on the command line.
pub(super) fn place_of(text: &str) -> Result<Box<dyn Place>, CommandError> {
    match text.split_once("://") {
        None if !text.is_empty() => Ok(Box::new(DirectoryPlace::new(std::path::Path::new(text)))),
        Some(("s3", _)) => {
            let place = S3Place::open(text, &|name| std::env::var(name).ok());
            Ok(Box::new(place.map_err(CommandError::Misconfigured)?))
        }
        _ => Err(CommandError::Misconfigured(format!("name a directory or s3://bucket/prefix, not {text}"))),
    }
}

/// Opens the place of a backup, which may be named with the chain.
pub(super) fn place_and_chain(text: &str) -> Result<(Box<dyn Place>, Option<String>), CommandError> {
    let text = text.trim_end_matches('/');
    match text.rsplit_once('/') {
        Some((place, chain)) if began_ms(chain).is_some() => Ok((place_of(place)?, Some(chain.to_owned()))),
        None if began_ms(text).is_some() => Ok((place_of(".")?, Some(text.to_owned()))),
        _ => Ok((place_of(text)?, None)),
    }
}

/// The name of a place wherever the command is run.
fn full_name(place: &str) -> String {
    match std::fs::canonicalize(place) {
        Ok(path) => path.display().to_string(),
        Err(_) => place.trim_end_matches('/').to_owned(),
    }
}

/// How manifests name what is backed up.
fn source_name(location: &StorageLocation) -> String {
    match location {
        StorageLocation::Directory(data) => {
            std::fs::canonicalize(data).unwrap_or_else(|_| data.clone()).display().to_string()
        }
        StorageLocation::Database(_) | StorageLocation::Shards(_) => location.to_string(),
    }
}

fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
