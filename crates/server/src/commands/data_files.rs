//! The files of data directories, for the commands that copy them.

use std::fs;
use std::path::{Path, PathBuf};

use quadrille_journal::StorageError;
use quadrille_storage_sqlite::{DATABASES, fit_file};

use super::command_error::CommandError;
use crate::time_triggers;

/// Moves the files of a complete copy within a data directory into the directory.
pub fn put_in_place(copy: &Path, data: &Path) -> Result<(), CommandError> {
    for name in [time_triggers::FILE].into_iter().chain(DATABASES).filter(|name| copy.join(name).exists()) {
        let path = data.join(name);
        fs::rename(copy.join(name), &path)
            .and_then(|()| fit_file(&path))
            .map_err(|error| inaccessible(&path, &error))?;
        sync(data)?;
    }
    fs::remove_dir_all(copy).map_err(|error| inaccessible(copy, &error))
}

/// Copies the times of EtherCalc's mail formulas, a file that the server replaces as a whole.
pub fn copy_triggers(from: &Path, to: &Path) -> Result<(), CommandError> {
    let (from, to) = (from.join(time_triggers::FILE), to.join(time_triggers::FILE));
    match fs::copy(&from, &to) {
        Ok(_) => fit_file(&to)
            .and_then(|()| fs::File::open(&to)?.sync_all())
            .map_err(|error| inaccessible(&to, &error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(inaccessible(&from, &error)),
    }
}

/// A directory that is removed at the end.
pub struct Temporary(pub PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // What is left is removed by the next copy.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Creates a directory that only its owner may read: a copy contains all workbooks and accounts.
pub fn create_private(path: &Path) -> Result<(), CommandError> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| inaccessible(path, &error))
}

/// Makes the names in a directory durable.
pub fn sync(directory: &Path) -> Result<(), CommandError> {
    fs::File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(|error| inaccessible(directory, &error))
}

/// The error of a storage.
pub fn failed(error: StorageError) -> CommandError {
    CommandError::Failed(error.to_string())
}

/// The error of a file or directory.
pub fn inaccessible(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::Failed(format!("{}: {error}", path.display()))
}
