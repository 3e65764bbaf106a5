//! [`verify`]: reads a chain completely, and compares it with its digests.

use std::collections::BTreeMap;

use quadrille_protocol::Record;

use super::chain::{Chain, ChainError, contents, index, intact_bytes};
use super::entries::{Entries, Entry};
use super::manifest::Manifest;
use super::place::Place;
use super::seal::Keys;
use super::state::State;

/// What a chain has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    pub increments: u64,
    pub bytes: u64,
    /// `None` when it is encrypted and there is no key: then only the digests of files were compared.
    pub rooms: Option<u64>,
    pub moment_ms: i64,
}

/// Reads a chain completely: every file is compared with its digest, every record is decoded, and the revisions of
/// each room are counted.
///
/// # Errors
/// What is damaged or missing, a message each, with the name of the file.
pub fn verify(place: &dyn Place, keys: &Keys, name: &str) -> Result<Verified, Vec<String>> {
    let (chain, place) = Chain::read_steadily(place, name, None).map_err(|error| vec![error.into()])?;
    let place = &place;
    let mut damages = Vec::new();
    let mut contents = Contents { heads: BTreeMap::new(), state: State::default() };
    let is_readable = chain.is_readable(keys);
    for manifest in &chain.manifests {
        let checked = match is_readable {
            true => contents.add(place, keys, manifest),
            false => check_digests(place, manifest),
        };
        damages.extend(checked.into_iter().map(String::from));
    }
    if is_readable && damages.is_empty() {
        contents.compare(&mut damages);
    }
    match damages.is_empty() {
        true => Ok(Verified {
            increments: chain.manifests.len() as u64,
            bytes: chain.manifests.iter().map(Manifest::bytes).sum(),
            rooms: is_readable.then_some(contents.state.rooms.len() as u64),
            moment_ms: chain.last().moment_ms,
        }),
        false => Err(damages),
    }
}

fn check_digests(place: &dyn Place, manifest: &Manifest) -> Vec<ChainError> {
    let files = manifest.segments.iter().chain([&manifest.index]);
    files.filter_map(|file| intact_bytes(place, manifest, file).err()).collect()
}

struct Contents {
    /// The last revision of each room that the segments have.
    heads: BTreeMap<u64, u64>,
    /// What the indexes say.
    state: State,
}

impl Contents {
    fn add(&mut self, place: &dyn Place, keys: &Keys, manifest: &Manifest) -> Vec<ChainError> {
        let mut damages = Vec::new();
        match index(place, keys, manifest) {
            Ok(index) => index.iter().for_each(|changes| self.state.apply(changes, manifest.number)),
            Err(error) => damages.push(error),
        }
        for file in &manifest.segments {
            let segment = match contents(place, keys, manifest, file) {
                Ok(segment) => segment,
                Err(error) => {
                    damages.push(error);
                    continue;
                }
            };
            for entry in Entries::of(&segment) {
                if let Err(reason) = entry.and_then(|entry| self.entry(&entry)) {
                    let name = place.describe(&manifest.chain, &file.name);
                    damages.push(ChainError::Damaged(format!("{name}: {reason}")));
                    break;
                }
            }
        }
        damages
    }

    fn entry(&mut self, entry: &Entry) -> Result<(), String> {
        match entry {
            Entry::Room { room, base, .. } => {
                let base = base.as_ref().map_or(0, |base| base.revision.0);
                let head = self.heads.entry(room.0).or_default();
                *head = base.max(*head);
            }
            Entry::Records { room, records } => {
                let head = self.heads.entry(room.0).or_default();
                for record in records {
                    if record.revision.0 != *head + 1 {
                        let revision = record.revision;
                        return Err(format!("room number {}: revision {revision} follows {head}", room.0));
                    }
                    *head += 1;
                    Record::decode(&record.bytes)
                        .map_err(|error| format!("room number {}: revision {head}: {error}", room.0))?;
                }
            }
            Entry::RoomDeleted { room } => _ = self.heads.remove(&room.0),
            _ => {}
        }
        Ok(())
    }

    /// Compares the segments with the indexes.
    fn compare(&self, damages: &mut Vec<String>) {
        for (room, state) in &self.state.rooms {
            let head = self.heads.get(room).copied().unwrap_or(0);
            if head != state.head {
                damages.push(format!(
                    "room {}: the segments end at revision {head}, the indexes at {}",
                    state.name, state.head
                ));
            }
        }
    }
}
