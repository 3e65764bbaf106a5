//! [`Chain`]: a full backup and the increments after it, as their manifests tell.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDateTime, SecondsFormat, Utc};

use quadrille_storage_sqlite::DirectoryLock;

use super::manifest::{Encryption, File, Manifest};
use super::place::{Place, Stored};
use super::seal::Keys;
use super::state::{Changes, State};

/// A full backup and the increments after it, oldest first. There is at least the full backup.
#[derive(Clone, Debug)]
pub struct Chain {
    pub name: String,
    pub manifests: Vec<Manifest>,
}

/// What is wrong with a chain, or why it cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChainError {
    /// The place cannot be read.
    Unreadable(String),
    /// A file is missing or damaged; the message names it.
    Damaged(String),
}

impl From<ChainError> for String {
    fn from(error: ChainError) -> String {
        match error {
            ChainError::Unreadable(message) | ChainError::Damaged(message) => message,
        }
    }
}

/// Returns a name for a chain that begins now.
pub fn new_name() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true).replace(':', "-")
}

/// Returns when the chain with a name began; `None` for a name of another program.
pub fn began_ms(name: &str) -> Option<i64> {
    let began = NaiveDateTime::parse_from_str(name, "%Y-%m-%dT%H-%M-%S%.3fZ").ok()?;
    (name.len() == "0000-00-00T00-00-00.000Z".len()).then(|| began.and_utc().timestamp_millis())
}

/// Returns a moment as text.
pub fn time(moment_ms: i64) -> String {
    let time = DateTime::from_timestamp_millis(moment_ms).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The chains of a place by name, which is by time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Chains {
    /// With a full backup.
    pub complete: Vec<String>,
    /// Whose full backup was interrupted, or is being made.
    pub incomplete: Vec<String>,
}

/// Lists the chains of a place. Other directories in it are ignored.
///
/// # Errors
/// When the place cannot be read.
pub fn list(place: &dyn Place) -> Result<Chains, String> {
    let mut chains = Chains::default();
    let names: BTreeSet<String> = place.chains()?.into_iter().collect();
    for name in names.into_iter().filter(|name| began_ms(name).is_some()) {
        let files = place.files(&name)?;
        let is_copy = files.iter().any(|file| file == "journal.db");
        match files.iter().any(|file| Manifest::number_of(file).is_some()) {
            true => chains.complete.push(name),
            false if !is_copy => chains.incomplete.push(name),
            false => {} // a copy of a data directory
        }
    }
    Ok(chains)
}

impl Chain {
    /// Reads the manifests of a chain, up to the first that has everything before `until_ms`.
    ///
    /// # Errors
    /// `Damaged` with the name of the manifest that is missing, torn or of another chain.
    pub fn read(place: &dyn Place, name: &str, until_ms: Option<i64>) -> Result<Chain, ChainError> {
        let files = place.files(name).map_err(ChainError::Unreadable)?;
        let last = files.iter().filter_map(|file| Manifest::number_of(file)).max();
        let Some(last) = last else {
            return Err(ChainError::Damaged(format!("{}: it has no manifest", place.describe(name, ""))));
        };
        let mut manifests: Vec<Manifest> = Vec::new();
        for number in 1..=last {
            let file = Manifest::file_name(number);
            let damaged = |reason: String| {
                let before = manifests.last().map(|before: &Manifest| time(before.moment_ms));
                let advice = before.map_or(String::new(), |before| {
                    format!("; what is before {before} can be restored with --at")
                });
                ChainError::Damaged(format!("{}: {reason}{advice}", place.describe(name, &file)))
            };
            let bytes = place.read(name, &file).map_err(ChainError::Unreadable)?;
            let bytes = bytes.ok_or_else(|| damaged("it is missing".to_owned()))?;
            let manifest = Manifest::decode(&bytes).map_err(damaged)?;
            let expected = manifests.last().map(|before| before.id.clone());
            if manifest.chain != name || manifest.number != number || manifest.previous != expected {
                return Err(damaged("it does not continue the increment before it".to_owned()));
            }
            let is_last = until_ms.is_some_and(|until_ms| manifest.moment_ms >= until_ms);
            manifests.push(manifest);
            if is_last {
                break;
            }
        }
        Ok(Chain { name: name.to_owned(), manifests })
    }

    /// As [`read`](Chain::read), while another program may be replacing the last increment by one that has more.
    /// Returns the place with the files of the last increment that can be replaced.
    ///
    /// # Errors
    /// As for `read`.
    pub fn read_steadily<'a>(
        place: &'a dyn Place,
        name: &str,
        until_ms: Option<i64>,
    ) -> Result<(Chain, Prefetched<'a>), ChainError> {
        let mut chain = Chain::read(place, name, until_ms)?;
        loop {
            let last = chain.last();
            let mut prefetched = Prefetched { place, chain: name.to_owned(), files: BTreeMap::new() };
            // Segments before the last one are full, and stay.
            for file in last.segments.last().into_iter().chain([&last.index]) {
                if let Some(bytes) = place.read(name, &file.name).map_err(ChainError::Unreadable)? {
                    prefetched.files.insert(file.name.clone(), bytes);
                }
            }
            let wanted = 1 + usize::from(!last.segments.is_empty());
            if prefetched.files.len() == wanted {
                return Ok((chain, prefetched));
            }
            let again = Chain::read(place, name, until_ms)?;
            if again.last() == last {
                return Ok((again, prefetched)); // a file is missing, which its reader tells
            }
            chain = again;
        }
    }

    /// The last increment.
    pub fn last(&self) -> &Manifest {
        self.manifests.last().expect("a chain has a full backup")
    }

    /// Whether the increments after the full backup have become so large that a new full backup is due.
    pub fn is_long(&self, bytes_min: u64) -> bool {
        let full = self.manifests.first().map_or(0, Manifest::bytes);
        let all: u64 = self.manifests.iter().map(Manifest::bytes).sum();
        all - full > full.max(bytes_min)
    }

    /// Checks that all its files are there with their lengths. Those that were written again after their manifest
    /// are compared with their digests; reading all of a large backup for each increment would cost too much.
    ///
    /// # Errors
    /// `Damaged` with the name of the first file that is missing or not what was written.
    pub fn check_files(&self, place: &dyn Place) -> Result<(), ChainError> {
        let stored = place.stored(&self.name).map_err(ChainError::Unreadable)?;
        for manifest in &self.manifests {
            let completed = stored.get(&Manifest::file_name(manifest.number)).and_then(|file| file.written);
            for file in manifest.segments.iter().chain([&manifest.index]) {
                let found = stored.get(&file.name);
                file.check_length(found.map(|found| found.bytes))
                    .map_err(|error| damaged(place, manifest, file, &error))?;
                if found.and_then(|found| found.written) > completed {
                    intact_bytes(place, manifest, file)?;
                }
            }
        }
        Ok(())
    }

    /// Whether all its files can be read.
    pub fn is_readable(&self, keys: &Keys) -> bool {
        self.manifests.iter().all(|manifest| keys.can_read(manifest.encryption))
    }

    /// Reads what the chain has from its indexes.
    ///
    /// # Errors
    /// `Damaged` with the name of an index that is missing or damaged.
    pub fn state(&self, place: &dyn Place, keys: &Keys) -> Result<State, ChainError> {
        let mut state = State::default();
        for manifest in &self.manifests {
            for changes in index(place, keys, manifest)? {
                state.apply(&changes, manifest.number);
            }
        }
        Ok(state)
    }
}

/// A place of which some files have been read.
pub struct Prefetched<'a> {
    place: &'a dyn Place,
    chain: String,
    files: BTreeMap<String, Vec<u8>>,
}

impl Place for Prefetched<'_> {
    fn describe(&self, chain: &str, file: &str) -> String {
        self.place.describe(chain, file)
    }

    fn chains(&self) -> Result<Vec<String>, String> {
        self.place.chains()
    }

    fn files(&self, chain: &str) -> Result<Vec<String>, String> {
        self.place.files(chain)
    }

    fn stored(&self, chain: &str) -> Result<BTreeMap<String, Stored>, String> {
        self.place.stored(chain)
    }

    fn read(&self, chain: &str, file: &str) -> Result<Option<Vec<u8>>, String> {
        match self.files.get(file).filter(|_| chain == self.chain) {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => self.place.read(chain, file),
        }
    }

    fn write(&self, chain: &str, file: &str, bytes: &[u8]) -> Result<(), String> {
        self.place.write(chain, file, bytes)
    }

    fn remove(&self, chain: &str, file: &str) -> Result<(), String> {
        self.place.remove(chain, file)
    }

    fn remove_chain(&self, chain: &str) -> Result<(), String> {
        self.place.remove_chain(chain)
    }

    fn lock(&self) -> Result<Option<DirectoryLock>, String> {
        self.place.lock()
    }
}

/// Reads the index of an increment.
///
/// # Errors
/// `Damaged` with its name when it is missing or damaged.
pub fn index(place: &dyn Place, keys: &Keys, manifest: &Manifest) -> Result<Vec<Changes>, ChainError> {
    let contents = contents(place, keys, manifest, &manifest.index)?;
    serde_json::from_slice(&contents).map_err(|error| {
        let file = place.describe(&manifest.chain, &manifest.index.name);
        ChainError::Damaged(format!("{file}: it is damaged: {error}"))
    })
}

/// Reads the contents of a file of an increment.
///
/// # Errors
/// `Damaged` with its name when it is missing or damaged, `Unreadable` when a key is missing.
pub fn contents(
    place: &dyn Place,
    keys: &Keys,
    manifest: &Manifest,
    file: &File,
) -> Result<Vec<u8>, ChainError> {
    let bytes = intact_bytes(place, manifest, file)?;
    let name = || place.describe(&manifest.chain, &file.name);
    if !keys.can_read(manifest.encryption) {
        let message = "it is encrypted; name the file with the key by --identity";
        return Err(ChainError::Unreadable(format!("{}: {message}", name())));
    }
    keys.open(manifest.encryption, &bytes).map_err(|error| match manifest.encryption {
        Encryption::None => ChainError::Damaged(format!("{}: {error}", name())),
        Encryption::Age => ChainError::Unreadable(format!("{}: {error}", name())),
    })
}

/// Reads a file of an increment and compares it with its digest.
///
/// # Errors
/// `Damaged` with its name when it is missing or damaged.
pub fn intact_bytes(place: &dyn Place, manifest: &Manifest, file: &File) -> Result<Vec<u8>, ChainError> {
    let bytes = place.read(&manifest.chain, &file.name).map_err(ChainError::Unreadable)?;
    file.check(bytes.as_deref()).map_err(|error| damaged(place, manifest, file, &error))?;
    Ok(bytes.unwrap_or_default())
}

fn damaged(place: &dyn Place, manifest: &Manifest, file: &File, reason: &str) -> ChainError {
    ChainError::Damaged(format!("{}: {reason}", place.describe(&manifest.chain, &file.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_chains_are_times() {
        assert_eq!(began_ms("1970-01-01T00-00-01.500Z"), Some(1_500));
        assert!(began_ms(&new_name()).is_some());
        for name in [
            "notes",
            "incomplete-1970-01-01T00-00-01.500Z",
            "1970-01-01T00-00-01Z",
            "1970-13-01T00-00-01.500Z",
        ] {
            assert_eq!(began_ms(name), None, "{name}");
        }
    }
}
