//! Where rooms and accounts are stored: reachable, writable, of a known version.

use std::path::Path;

use quadrille_journal::{Storage as _, StorageError};
use quadrille_storage_postgres::{Address, inspect};
use quadrille_storage_sqlite::{RunningDirectory, formats, lock_directory};

use super::findings::Findings;
use super::network::{NODE_URL_ADVICE, is_listened_at};
use crate::access::now_ms;
use crate::config::Settings;
use crate::object_storage::ObjectStorage;
use crate::storage_location::StorageLocation;

/// Difference of two clocks that people notice.
const CLOCK_DIFFERENCE_MS: i64 = 5_000;

/// Checks the storage.
pub fn check(settings: &Settings, findings: &mut Findings) {
    match StorageLocation::of(settings) {
        Ok(StorageLocation::Directory(data)) => {
            check_directory(&data, findings);
            check_objects(settings, used_by_directory(&data), findings);
        }
        Ok(StorageLocation::Database(address)) => check_database(settings, &address, findings),
        Ok(StorageLocation::Shards(addresses)) => {
            addresses.iter().for_each(|address| check_database(settings, address, findings));
        }
        Err(error) => findings.problem("storage", error, "docs/operations-guide.md explains the URL"),
    }
}

fn check_directory(data: &Path, findings: &mut Findings) {
    if !data.exists() {
        let message = format!("{} does not exist; the server creates it", data.display());
        return findings.ok("storage", message);
    }
    let versions = match formats(data) {
        Ok(versions) => versions,
        Err(error) => {
            let advice = "run `quadrille check` while the server is stopped";
            return findings.problem("storage", format!("{}: {error}", data.display()), advice);
        }
    };
    for file in versions.iter().filter(|file| file.found > file.known) {
        findings.problem(
            "storage",
            format!(
                "{} was written by a newer version of quadrille (format {}, this one knows {})",
                file.name, file.found, file.known
            ),
            "use the newer version, or restore a backup of the older one",
        );
    }
    if is_open_to_others(data) {
        let message = format!("every user of this machine can read files in {}", data.display());
        let advice = format!("chmod -R o= {}", data.display());
        findings.warning("storage", message, advice);
    }
    let holds = format!("{} has {} databases", data.display(), versions.len());
    match lock_directory(data) {
        Ok(_) => findings.ok("storage", format!("{holds}, no server uses it now")),
        Err(StorageError::InUse { .. }) => findings.ok("storage", format!("{holds}, a server uses it")),
        Err(error) => {
            findings.problem("storage", error.to_string(), "let the user of the server write there")
        }
    }
}

/// Whether users outside its group can read a file in a directory.
fn is_open_to_others(directory: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let mode = |path: &Path| path.metadata().map_or(0, |found| found.mode());
    let Ok(entries) = std::fs::read_dir(directory) else { return false };
    let mut files = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file());
    // Names of files cannot be used without the right to search the directory.
    mode(directory) & 0o001 != 0
        && files.any(|file| file.metadata().is_ok_and(|file| file.len() > 0) && mode(&file) & 0o004 != 0)
}

fn check_database(settings: &Settings, address: &Address, findings: &mut Findings) {
    let database = match inspect(address) {
        Ok(database) => database,
        Err(error) => {
            let advice = "check user, password, pg_hba.conf and the network; the server needs it to start";
            return findings.problem("storage", format!("{address}: {error}"), advice);
        }
    };
    let major: Option<u32> = database.version.split(['.', ' ']).next().and_then(|major| major.parse().ok());
    if major.is_some_and(|major| major < 13) {
        let message = format!("PostgreSQL {} is too old", database.version);
        findings.problem("storage", message, "use PostgreSQL 13 or newer");
    }
    match database.needs {
        Some(needs) if needs > database.known => findings.problem(
            "storage",
            format!(
                "the tables were written by a newer version of quadrille (they need format {needs}, this one \
                 knows {})",
                database.known
            ),
            "use the newer version",
        ),
        None if !database.may_create => findings.problem(
            "storage",
            "the tables are missing, and the user may not create them",
            "GRANT CREATE ON DATABASE … TO the user of the server",
        ),
        _ => {}
    }
    if let Some(source) = &database.unfinished_copy {
        let message = format!("a copy from {source} into it is not complete");
        findings.problem("storage", message, "run `quadrille migrate` or `quadrille restore` again");
    }
    if database.is_unsynced {
        let message = "the database has fsync = off: a crash of its machine loses acknowledged edits";
        findings.warning("storage", message, "set fsync = on");
    }
    check_objects(settings, database.object_storage.clone(), findings);
    let difference_ms = now_ms() - database.clock_ms;
    if difference_ms.abs() > CLOCK_DIFFERENCE_MS {
        let message = format!("the clock of the database differs by {} s", difference_ms / 1_000);
        findings.warning("clock", message, "start an NTP client on both machines");
    }
    let own = &settings.node_url;
    if !own.is_empty() && database.servers.contains(own) && !is_listened_at(&settings.listen) {
        let message = format!("another server of the database has the node_url {own}");
        findings.problem("storage", message, NODE_URL_ADVICE);
    }
    let servers = database.servers.iter().filter(|url| !url.is_empty()).count();
    let message = format!("PostgreSQL {} at {address}, {servers} servers are connected", database.version);
    findings.ok("storage", message);
}

/// The object store that a data directory has used, if it can be read.
fn used_by_directory(data: &Path) -> Option<String> {
    let mut directory = RunningDirectory::open(data).ok()?;
    directory.rooms.property(ObjectStorage::PROPERTY).ok().flatten()
}

/// Checks that the object store answers, and has the objects of the storage.
fn check_objects(settings: &Settings, used: Option<String>, findings: &mut Findings) {
    match ObjectStorage::inspect(&settings.object_storage, used.as_deref()) {
        Ok(None) => {}
        Ok(Some(message)) => findings.ok("object storage", message),
        Err(error) => findings.problem(
            "object storage",
            error,
            "check object_storage, the bucket and the variables AWS_…; the operator's guide lists them",
        ),
    }
}
