//! [`Place`]: where backups are collected. A place has chains, and a chain has files. A file is written as a whole
//! and replaced as a whole; a reader never sees a part of one.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use quadrille_journal::StorageError;
use quadrille_storage_sqlite::{DirectoryLock, create_file, lock_directory};

/// What a place knows of a file without reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stored {
    pub bytes: u64,
    /// When it was written last, by the clock of the place; `None` when the place does not know.
    pub written: Option<SystemTime>,
}

/// Where backups are collected.
pub trait Place: Send + Sync {
    /// Returns how messages name a file, a chain, or the place.
    fn describe(&self, chain: &str, file: &str) -> String;

    /// Returns the names of all chains, also of incomplete ones, in any order.
    ///
    /// # Errors
    /// A message that names what cannot be read.
    fn chains(&self) -> Result<Vec<String>, String>;

    /// Returns the names of the files of a chain, in any order.
    ///
    /// # Errors
    /// As for `chains`.
    fn files(&self, chain: &str) -> Result<Vec<String>, String>;

    /// Returns what is known of the files of a chain without reading them.
    ///
    /// # Errors
    /// As for `chains`.
    fn stored(&self, chain: &str) -> Result<BTreeMap<String, Stored>, String>;

    /// Reads a file; `None` if there is none.
    ///
    /// # Errors
    /// As for `chains`.
    fn read(&self, chain: &str, file: &str) -> Result<Option<Vec<u8>>, String>;

    /// Writes a file, which survives a crash when this returns.
    ///
    /// # Errors
    /// As for `chains`.
    fn write(&self, chain: &str, file: &str, bytes: &[u8]) -> Result<(), String>;

    /// Removes a file. One that does not exist counts as removed.
    ///
    /// # Errors
    /// As for `chains`.
    fn remove(&self, chain: &str, file: &str) -> Result<(), String>;

    /// Removes a chain, its manifests first, so that files left by an interrupted removal are not taken for a chain.
    ///
    /// # Errors
    /// As for `chains`.
    fn remove_chain(&self, chain: &str) -> Result<(), String>;

    /// Excludes other writers, as far as the place can.
    ///
    /// # Errors
    /// When another program writes to the place.
    fn lock(&self) -> Result<Option<DirectoryLock>, String>;
}

/// A directory with a directory for each chain.
pub struct DirectoryPlace {
    directory: PathBuf,
}

/// Beginning of the names of files that are being written.
const UNFINISHED: &str = ".unfinished-";

impl DirectoryPlace {
    /// Names a directory, which is created by [`lock`](Place::lock).
    pub fn new(directory: &Path) -> DirectoryPlace {
        DirectoryPlace { directory: directory.to_owned() }
    }

    fn entries(&self, chain: &str, of_directories: bool) -> Result<Vec<String>, String> {
        let directory = self.directory.join(chain);
        let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
        let entries = match fs::read_dir(&directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type().map_err(failed)?.is_dir() == of_directories && !name.starts_with('.') {
                names.push(name);
            }
        }
        Ok(names)
    }
}

impl Place for DirectoryPlace {
    fn describe(&self, chain: &str, file: &str) -> String {
        self.directory.join(chain).join(file).display().to_string().trim_end_matches('/').to_owned()
    }

    fn chains(&self) -> Result<Vec<String>, String> {
        self.entries("", true)
    }

    fn files(&self, chain: &str) -> Result<Vec<String>, String> {
        self.entries(chain, false)
    }

    fn stored(&self, chain: &str) -> Result<BTreeMap<String, Stored>, String> {
        let mut stored = BTreeMap::new();
        for file in self.files(chain)? {
            match fs::metadata(self.directory.join(chain).join(&file)) {
                Ok(found) => {
                    stored.insert(file, Stored { bytes: found.len(), written: found.modified().ok() });
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(format!("{}: {error}", self.describe(chain, &file))),
            }
        }
        Ok(stored)
    }

    fn read(&self, chain: &str, file: &str) -> Result<Option<Vec<u8>>, String> {
        match fs::read(self.directory.join(chain).join(file)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{}: {error}", self.describe(chain, file))),
        }
    }

    fn write(&self, chain: &str, file: &str, bytes: &[u8]) -> Result<(), String> {
        let directory = self.directory.join(chain);
        let unfinished = directory.join(format!("{UNFINISHED}{file}"));
        let write = || {
            if !directory.is_dir() {
                let mut builder = fs::DirBuilder::new();
                // Only its owner may read it: a backup contains all workbooks and accounts.
                #[cfg(unix)]
                std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
                builder.create(&directory)?;
                fs::File::open(&self.directory)?.sync_all()?;
            }
            create_file(&unfinished)?;
            let mut written = fs::File::create(&unfinished)?;
            written.write_all(bytes)?;
            written.sync_all()?;
            fs::rename(&unfinished, directory.join(file))?;
            fs::File::open(&directory)?.sync_all()
        };
        write().map_err(|error: std::io::Error| format!("{}: {error}", self.describe(chain, file)))
    }

    fn remove(&self, chain: &str, file: &str) -> Result<(), String> {
        match fs::remove_file(self.directory.join(chain).join(file)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(format!("{}: {error}", self.describe(chain, file)))
            }
            _ => Ok(()),
        }
    }

    fn remove_chain(&self, chain: &str) -> Result<(), String> {
        let files = self.files(chain)?;
        for manifest in files.iter().filter(|file| file.ends_with(super::manifest::SUFFIX)) {
            self.remove(chain, manifest)?;
        }
        let directory = self.directory.join(chain);
        fs::remove_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))
    }

    fn lock(&self) -> Result<Option<DirectoryLock>, String> {
        lock_place(&self.directory).map(Some)
    }
}

/// Creates the directory of a place and locks it.
///
/// # Errors
/// A message when another program writes to it.
pub fn lock_place(directory: &Path) -> Result<DirectoryLock, String> {
    lock_directory(directory).map_err(|error| match error {
        StorageError::InUse { path } => format!(
            "{} is in use by another quadrille process, such as `quadrille backup --follow`",
            path.display()
        ),
        error => error.to_string(),
    })
}
