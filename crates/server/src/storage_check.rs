//! `quadrille check` and `quadrille repair`: what is wrong in a data directory, and what can be done about it.

use std::path::Path;

use quadrille_journal::{Snapshot, Storage};
use quadrille_operation::Limits;
use quadrille_protocol::{Record, Revision, RoomName, RoomSnapshot};
use quadrille_room::Room;
use quadrille_storage_sqlite::{Findings, Reader, Repair, RoomContents, SqliteStorage};

use crate::Failure;
use crate::cli::{CheckArguments, RepairArguments};

/// Reads records and snapshots as rooms do.
struct AsRooms;

impl Reader for AsRooms {
    fn snapshot(&mut self, snapshot: &Snapshot) -> Result<(), String> {
        let read = RoomSnapshot::decode(&snapshot.bytes).map_err(|error| error.to_string())?;
        if read.revision != snapshot.revision {
            return Err(format!("it is of revision {}", read.revision));
        }
        Ok(())
    }

    fn record(&mut self, revision: Revision, bytes: &[u8]) -> Result<(), String> {
        let record = Record::decode(bytes).map_err(|error| error.to_string())?;
        if record.revision != revision {
            return Err(format!("it is of revision {}", record.revision));
        }
        Ok(())
    }
}

/// Reads everything, which verifies every checksum, and runs every room, which verifies that the records apply.
pub fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    exists(&arguments.data)?;
    let found = quadrille_storage_sqlite::check(&arguments.data, &mut AsRooms)
        .map_err(|error| Failure::Failed(error.to_string()))?;
    let mut damaged = print_findings(&found);
    if !found.intact.is_empty() {
        let mut storage =
            SqliteStorage::open(&arguments.data).map_err(|error| Failure::Failed(error.to_string()))?;
        for sound in &found.intact {
            match run(&mut storage, &sound.room, sound.head) {
                Ok(()) => println!("ok\t{}\t{}", sound.room, size(sound)),
                Err(why) => {
                    damaged += 1;
                    println!("damaged\t{}\trevision {}\t{why}", sound.room, sound.head);
                }
            }
        }
    }
    match damaged {
        0 => Ok(()),
        _ => Err(Failure::Damaged(format!(
            "damage found in {damaged} places; `quadrille repair` says what it would do"
        ))),
    }
}

/// Says what could be done; does it when told to.
pub fn repair(arguments: &RepairArguments) -> Result<(), Failure> {
    exists(&arguments.data)?;
    let failed = |error: quadrille_journal::StorageError| Failure::Failed(error.to_string());
    let what = match (arguments.write, arguments.cut) {
        (_, true) => Repair::Cut,
        (true, false) => Repair::Derivable,
        (false, false) => {
            let found = quadrille_storage_sqlite::check(&arguments.data, &mut AsRooms).map_err(failed)?;
            if print_findings(&found) == 0 {
                println!("nothing to repair");
                return Ok(());
            }
            let cuts = found.damages.iter().any(|damage| damage.loses());
            let flag = if cuts { "--write, or with --cut where it says so" } else { "--write" };
            return Err(Failure::Damaged(format!("nothing was changed; run it again with {flag}")));
        }
    };
    let repaired = quadrille_storage_sqlite::repair(&arguments.data, what, &mut AsRooms).map_err(failed)?;
    for line in &repaired.done {
        println!("repaired\t{line}");
    }
    match &repaired.copy {
        Some(copy) => println!("kept\tthe files as they were are in {}", copy.display()),
        None => println!("nothing was changed"),
    }
    match print_findings(&repaired.left) {
        0 => Ok(()),
        left => Err(Failure::Damaged(format!("damage is left in {left} places"))),
    }
}

/// A line for each damage; how many there are.
fn print_findings(found: &Findings) -> usize {
    for damage in &found.damages {
        println!("{}\t{damage}", if damage.stops() { "damaged" } else { "passed over" });
    }
    found.damages.len()
}

fn size(sound: &RoomContents) -> String {
    let images = if sound.images == 0 { String::new() } else { format!(", {} images", sound.images) };
    format!("revision {}, {} records, {} snapshots{images}", sound.head, sound.records, sound.snapshots)
}

/// Whether the room opens and comes as far as it should.
fn run(storage: &mut SqliteStorage, name: &RoomName, head: Revision) -> Result<(), String> {
    let claim = storage.claim(name).map_err(|error| error.to_string())?;
    let loaded = storage.load(claim.key).map_err(|error| error.to_string())?;
    let room = Room::open(name.clone(), claim.incarnation, &loaded, Limits::DEFAULT);
    let room = room.map_err(|error| error.to_string())?;
    match room.head() == head {
        true => Ok(()),
        false => Err(format!("the journal ends at revision {}, not {head}", room.head())),
    }
}

/// Reading must not make a directory.
fn exists(data: &Path) -> Result<(), Failure> {
    match data.is_dir() {
        true => Ok(()),
        false => Err(Failure::Failed(format!("no such data directory: {}", data.display()))),
    }
}
