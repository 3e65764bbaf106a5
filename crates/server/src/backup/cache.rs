//! [`Cache`]: what an encrypted chain has, remembered beside the source, since the machine that backs up cannot read
//! the chain. Without it, the next backup is a full one.
//!
//! A line of the file has the changes of one increment, or of a version of it. A line is written before its manifest,
//! so that the file never lacks one.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use quadrille_storage_sqlite::create_directory;
use serde::{Deserialize, Serialize};

use super::chain::Chain;
use super::manifest::{Encryption, Manifest, sha256};
use super::state::{Changes, State};

/// Beginning of the names of the files within the data directory. The rest depends on the place and the chain.
const FILE: &str = "backup-state-";

/// The files with what the chains of a place have.
pub struct Cache {
    directory: PathBuf,
    place: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    number: u64,
    id: String,
    changes: Changes,
}

impl Cache {
    /// Names the files for a place in a data directory.
    pub fn new(data: &Path, place: &str) -> Cache {
        Cache { directory: data.to_owned(), place: sha256(place.as_bytes())[..16].to_owned() }
    }

    fn path(&self, chain: &str) -> PathBuf {
        self.directory.join(format!("{FILE}{}-{chain}", self.place))
    }

    /// Returns what a chain has; `None` if that is not known.
    pub fn read(&self, chain: &Chain) -> Option<State> {
        // A file that cannot be read is none.
        let text = fs::read_to_string(self.path(&chain.name)).ok()?;
        let mut state = State::default();
        for line in text.lines() {
            let line: Line = serde_json::from_str(line).ok()?;
            state.apply(&line.changes, line.number);
            if line.id == chain.last().id {
                return Some(state);
            }
        }
        None
    }

    /// Remembers what an increment that is about to exist adds, if the chain cannot be read.
    ///
    /// # Errors
    /// A message when the file cannot be written.
    pub fn add(&self, manifest: &Manifest, changes: &Changes) -> Result<(), String> {
        if manifest.encryption == Encryption::None {
            return Ok(());
        }
        let line = Line { number: manifest.number, id: manifest.id.clone(), changes: changes.clone() };
        let path = self.path(&manifest.chain);
        let add = || {
            create_directory(&self.directory)?;
            let mut file = private().append(true).create(true).open(&path)?;
            let mut bytes = serde_json::to_vec(&line).expect("strings and numbers only");
            bytes.push(b'\n');
            file.write_all(&bytes)?;
            file.sync_data()
        };
        add().map_err(|error: std::io::Error| format!("{}: {error}", path.display()))
    }

    /// Writes what is known of a chain shorter, without what a program that was killed has left, and forgets other
    /// chains.
    ///
    /// # Errors
    /// A message when a file cannot be written or removed.
    pub fn tidy(&self, chain: &Chain, state: &State) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.directory.display());
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(failed)?,
        };
        let beginning = format!("{FILE}{}-", self.place);
        for entry in entries {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            if name.starts_with(&beginning) && !self.path(&chain.name).ends_with(&name) {
                fs::remove_file(self.directory.join(name)).map_err(failed)?;
            }
        }
        let last = chain.last();
        if last.encryption == Encryption::None {
            return Ok(());
        }
        let line = Line { number: last.number, id: last.id.clone(), changes: state.as_changes() };
        let mut bytes = serde_json::to_vec(&line).expect("strings and numbers only");
        bytes.push(b'\n');
        let (path, unfinished) =
            (self.path(&chain.name), self.directory.join(format!("{beginning}unfinished")));
        let write = || {
            let mut file = private().write(true).create(true).truncate(true).open(&unfinished)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&unfinished, &path)
        };
        write().map_err(failed)
    }
}

/// Opens files that only their owner may read: they have names of rooms and keys of rows.
fn private() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
