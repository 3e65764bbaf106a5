//! [`Known`]: the chain that is continued, with what it has; and [`write_increment`], which continues it.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use super::cache::Cache;
use super::chain::{self, Chain, ChainError};
use super::collect::{CollectError, Collected, Scope, collect};
use super::increment::Increment;
use super::manifest::{Encryption, Manifest};
use super::place::Place;
use super::seal::Keys;
use super::source::Source;
use super::state::State;
use crate::access::now_ms;
use crate::limits;
use crate::transfer::Progress;

const WEEK_MS: i64 = 7 * 86_400_000;

/// The chain that is continued, with what it has. Without a chain, the next increment is a full backup.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub chain: Option<Chain>,
    pub state: State,
}

/// Where increments are written, and of what.
#[derive(Clone, Copy)]
pub struct Destination<'a> {
    pub place: &'a dyn Place,
    pub keys: &'a Keys,
    /// What encrypted chains have.
    pub cache: &'a Cache,
    /// How manifests name the source.
    pub source: &'a str,
}

impl Known {
    /// Finds the newest chain, if it can be continued; otherwise the reason why a new one is needed.
    ///
    /// # Errors
    /// When the place cannot be read.
    pub fn read(destination: Destination<'_>) -> Result<(Known, Option<String>), String> {
        let Destination { place, keys, cache, source } = destination;
        let chains = chain::list(place)?;
        let Some(newest) = chains.complete.last() else { return Ok((Known::default(), None)) };
        let found = match Chain::read(place, newest, None) {
            Ok(found) => found,
            Err(ChainError::Unreadable(message)) => return Err(message),
            Err(ChainError::Damaged(message)) => return Ok((Known::default(), Some(message))),
        };
        if found.last().source != source {
            let reason = format!("{newest} is of {}", found.last().source);
            return Ok((Known::default(), Some(reason)));
        }
        if found.is_long(limits::BACKUP_INCREMENTS_BYTES_MIN) {
            let reason = format!("the increments of {newest} have become larger than its full backup");
            return Ok((Known::default(), Some(reason)));
        }
        let (before, now) = (found.last().encryption, keys.encryption());
        match (before, now) {
            (Encryption::Age, Encryption::None) => {
                return Err(format!(
                    "{newest} is encrypted; name the recipient by --encrypt-to, or go on without by --full"
                ));
            }
            (Encryption::None, Encryption::Age) => {
                let reason = format!("{newest} is not encrypted");
                return Ok((Known::default(), Some(reason)));
            }
            _ => {}
        }
        match found.check_files(place) {
            Ok(()) => {}
            Err(ChainError::Unreadable(message)) => return Err(message),
            Err(ChainError::Damaged(message)) => return Ok((Known::default(), Some(message))),
        }
        if let Some(state) = cache.read(&found) {
            cache.tidy(&found, &state)?;
            return Ok((Known { chain: Some(found), state }, None));
        }
        if !found.is_readable(keys) {
            let reason = format!("it is not known here what {newest} has, which is encrypted");
            return Ok((Known::default(), Some(reason)));
        }
        match found.state(place, keys) {
            Ok(state) => {
                cache.tidy(&found, &state)?;
                Ok((Known { chain: Some(found), state }, None))
            }
            Err(ChainError::Unreadable(message)) => Err(message),
            Err(ChainError::Damaged(message)) => Ok((Known::default(), Some(message))),
        }
    }

    /// The name of the chain; a new one for a full backup.
    pub fn chain_name(&self) -> String {
        self.chain.as_ref().map_or_else(chain::new_name, |chain| chain.name.clone())
    }

    /// Adds an increment that was written, or replaces the last one by what it has become.
    pub fn add(&mut self, manifest: Manifest) {
        let chain =
            self.chain.get_or_insert_with(|| Chain { name: manifest.chain.clone(), manifests: Vec::new() });
        chain.manifests.retain(|before| before.number < manifest.number);
        chain.manifests.push(manifest);
    }

    /// Whether a new full backup is due.
    pub fn is_long(&self) -> bool {
        self.chain.as_ref().is_some_and(|chain| chain.is_long(limits::BACKUP_INCREMENTS_BYTES_MIN))
    }
}

/// Adds to an increment what the source has and the chain has not, and makes it part of the backup, unless there
/// is nothing. Ends the read transaction of the source.
///
/// # Errors
/// When the source cannot be read or the increment cannot be written. The increment and `known` cannot be used then.
pub fn write_increment(
    cache: &Cache,
    known: &mut Known,
    increment: &mut Increment<'_>,
    source: &mut Source,
    scope: Scope<'_>,
    progress: &mut Progress,
) -> Result<(Collected, Option<Manifest>), CollectError> {
    let moment_ms = source.moment_ms();
    let collected = collect(&mut source.stores()?, scope, &mut known.state, increment, progress)?;
    source.end_transaction().map_err(|error| format!("the source: {error}"))?;
    if collected.changes.is_empty() && known.chain.is_some() {
        return Ok((collected, None));
    }
    let manifest = increment.prepare(moment_ms)?;
    cache.add(&manifest, &collected.changes)?;
    increment.publish(&manifest)?;
    known.add(manifest.clone());
    Ok((collected, Some(manifest)))
}

/// Removes the oldest chains until `keep` are left, and returns what was removed.
///
/// # Errors
/// When the place cannot be read or written.
pub fn remove_oldest(place: &dyn Place, keep: NonZeroU32) -> Result<Vec<String>, String> {
    let chains = chain::list(place)?.complete;
    let surplus = chains.len().saturating_sub(keep.get() as usize);
    let mut removed = Vec::new();
    for chain in &chains[..surplus] {
        place.remove_chain(chain)?;
        removed.push(place.describe(chain, ""));
    }
    Ok(removed)
}

/// Removes what interrupted programs have left. In a place that is locked: chains without a full backup, and in the
/// newest chain the files that no manifest names. In another: chains that have had no full backup for a week.
///
/// # Errors
/// When the place cannot be read or written.
pub fn remove_unfinished(place: &dyn Place, is_locked: bool) -> Result<(), String> {
    let chains = chain::list(place)?;
    let is_old = |chain: &str| chain::began_ms(chain).is_some_and(|began| began < now_ms() - WEEK_MS);
    for chain in chains.incomplete.into_iter().filter(|chain| is_locked || is_old(chain)) {
        place.remove_chain(&chain)?;
    }
    if !is_locked {
        return Ok(());
    }
    // In a damaged chain nothing is removed.
    let Some(Ok(newest)) = chains.complete.last().map(|newest| Chain::read(place, newest, None)) else {
        return Ok(());
    };
    let named =
        newest.manifests.iter().flat_map(|manifest| manifest.segments.iter().chain([&manifest.index]));
    let named: BTreeSet<&str> = named.map(|file| file.name.as_str()).collect();
    for file in place.files(&newest.name)? {
        if !named.contains(file.as_str()) && (file.ends_with(".segment") || file.ends_with(".index")) {
            place.remove(&newest.name, &file)?;
        }
    }
    Ok(())
}
