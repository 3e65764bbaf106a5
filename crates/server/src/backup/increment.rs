//! [`Increment`]: an increment that is being written. Its files exist for readers once its manifest is written;
//! until it is closed, it can be replaced by one that has more.

use super::entries::Entry;
use super::manifest::{self, File, Manifest};
use super::place::Place;
use super::seal::Keys;
use super::state::Changes;
use crate::hexadecimal::hex;
use crate::limits;

/// An increment that is being written.
pub struct Increment<'a> {
    place: &'a dyn Place,
    keys: &'a Keys,
    source: String,
    chain: String,
    number: u64,
    previous: Option<String>,
    /// How often the manifest was written; part of the names of files, so that none is replaced.
    version: u32,
    /// Segments that are full.
    segments: Vec<File>,
    /// The segment that is being filled.
    contents: Vec<u8>,
    changes: Vec<Changes>,
    /// Files that the manifest does not name any more, and those that the next one will not name. A reader of the
    /// manifest before finds its files until the next one is written.
    outdated: Vec<String>,
    replaceable: Vec<String>,
    /// Files that were written for the manifest that is prepared.
    temporary: Vec<String>,
    published: Option<Manifest>,
}

impl<'a> Increment<'a> {
    /// Begins the increment after `before`, or a full backup.
    pub fn new(
        place: &'a dyn Place,
        keys: &'a Keys,
        source: &str,
        chain: &str,
        before: Option<&Manifest>,
    ) -> Increment<'a> {
        Increment {
            place,
            keys,
            source: source.to_owned(),
            chain: chain.to_owned(),
            number: before.map_or(1, |before| before.number + 1),
            previous: before.map(|before| before.id.clone()),
            version: 1,
            segments: Vec::new(),
            contents: Vec::new(),
            changes: Vec::new(),
            outdated: Vec::new(),
            replaceable: Vec::new(),
            temporary: Vec::new(),
            published: None,
        }
    }

    /// Begins the increment after this one, if it is complete and has grown so much; otherwise goes on with it. A full
    /// backup always counts as large.
    pub fn or_next(self) -> Increment<'a> {
        let is_large = !self.segments.is_empty()
            || self.contents.len() >= limits::BACKUP_INCREMENT_BYTES
            || self.number == 1;
        match &self.published {
            Some(manifest) if is_large => {
                let next = Increment::new(self.place, self.keys, &self.source, &self.chain, Some(manifest));
                Increment { outdated: self.outdated, ..next }
            }
            _ => self,
        }
    }

    /// Its number in the chain.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// A message when a segment is full and cannot be written.
    pub fn add(&mut self, entry: &Entry) -> Result<(), String> {
        entry.write(&mut self.contents);
        if self.contents.len() >= limits::BACKUP_SEGMENT_BYTES {
            let file = self.write_segment()?;
            self.segments.push(file);
            self.contents.clear();
        }
        Ok(())
    }

    /// Adds what the entries since the last call have changed.
    pub fn note(&mut self, changes: Changes) {
        self.changes.push(changes);
    }

    /// Writes everything that was added. It is part of the backup once the manifest is [published](Self::publish).
    ///
    /// # Errors
    /// A message when a file cannot be written.
    pub fn prepare(&mut self, moment_ms: i64) -> Result<Manifest, String> {
        let mut segments = self.segments.clone();
        let mut temporary = Vec::new();
        if !self.contents.is_empty() {
            let file = self.write_segment()?;
            temporary.push(file.name.clone());
            segments.push(file);
        }
        let index = serde_json::to_vec(&self.changes).expect("strings and numbers only");
        let name = format!("{:06}-{:04}.index", self.number, self.version);
        let index = self.write(name, &index)?;
        temporary.push(index.name.clone());
        let manifest = Manifest {
            format: manifest::FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            source: self.source.clone(),
            chain: self.chain.clone(),
            number: self.number,
            id: random_id()?,
            previous: self.previous.clone(),
            moment_ms,
            encryption: self.keys.encryption(),
            index,
            segments,
        };
        self.temporary = temporary;
        Ok(manifest)
    }

    /// Makes what was prepared part of the backup. What is added later can be prepared and published again.
    ///
    /// # Errors
    /// A message when the manifest cannot be written.
    pub fn publish(&mut self, manifest: &Manifest) -> Result<(), String> {
        self.place.write(&self.chain, &Manifest::file_name(self.number), &manifest.encode())?;
        for file in self.outdated.drain(..) {
            self.place.remove(&self.chain, &file)?;
        }
        self.outdated = std::mem::replace(&mut self.replaceable, std::mem::take(&mut self.temporary));
        self.version += 1;
        self.published = Some(manifest.clone());
        Ok(())
    }

    /// Notes that nothing was acknowledged between the moment of the increment and a later one. Returns the new
    /// manifest; `None` when nothing was published.
    ///
    /// # Errors
    /// A message when the manifest cannot be written.
    pub fn prolong(&mut self, moment_ms: i64) -> Result<Option<Manifest>, String> {
        let Some(manifest) = &mut self.published else { return Ok(None) };
        manifest.moment_ms = moment_ms;
        self.place.write(&self.chain, &Manifest::file_name(self.number), &manifest.encode())?;
        Ok(Some(manifest.clone()))
    }

    fn write_segment(&self) -> Result<File, String> {
        let name = format!("{:06}-{:04}-{:04}.segment", self.number, self.version, self.segments.len() + 1);
        self.write(name, &self.contents)
    }

    fn write(&self, name: String, contents: &[u8]) -> Result<File, String> {
        let bytes = self.keys.close(contents).map_err(|error| format!("{name}: {error}"))?;
        self.place.write(&self.chain, &name, &bytes)?;
        Ok(File::of(name, &bytes))
    }
}

/// Returns a name that no other increment has.
fn random_id() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("no random numbers: {error}"))?;
    Ok(hex(&bytes))
}
