//! [`follow`]: continues a chain as long as it runs, at most a second behind the servers.
//!
//! A few times a second it asks the source whether something was committed, and adds what has changed to the last
//! increment, which is replaced until it is large. When a new full backup is due, it is made beside that, so that
//! the chain in use does not fall behind.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{Scope as ThreadScope, ScopedJoinHandle};
use std::time::Duration;

use quadrille_access::Comparison;

use super::chain::time;
use super::collect::{CollectError, Scope};
use super::increment::Increment;
use super::known::{Destination, Known, remove_oldest, write_increment};
use super::source::Source;
use crate::limits;
use crate::storage_location::StorageLocation;
use crate::transfer::Progress;

/// What is followed.
#[derive(Clone, Copy)]
pub struct Followed<'a> {
    pub location: &'a StorageLocation,
    pub data: &'a Path,
    pub keep: Option<std::num::NonZeroU32>,
}

/// Follows the source until a signal stops the program. Everything that was found until then is in the backup.
/// Failures are told on standard error and tried again.
///
/// # Errors
/// When the source or the place cannot be used at the beginning.
pub fn follow<'a>(
    destination: Destination<'a>,
    followed: Followed<'a>,
    is_full_wanted: bool,
) -> Result<(), String> {
    let stop = stop_signal()?;
    std::thread::scope(|threads| {
        let mut follower = Follower::open(destination, followed, is_full_wanted, threads)?;
        let mut last_failure = String::new();
        loop {
            let pause = match follower.step() {
                Ok(()) => {
                    last_failure.clear();
                    Duration::from_millis(limits::BACKUP_POLL_MS)
                }
                Err(message) => {
                    if message != last_failure {
                        eprintln!("quadrille: {message}; trying again");
                    }
                    last_failure = message;
                    follower.current = None;
                    Duration::from_millis(limits::BACKUP_RETRY_MS)
                }
            };
            match stop.recv_timeout(pause) {
                Err(RecvTimeoutError::Timeout) => {}
                // What was committed meanwhile is taken along. A full backup that is being made is given up.
                Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                    let result = follower.step();
                    follower.tell_stopped();
                    match result {
                        Ok(()) => std::process::exit(0),
                        Err(message) => {
                            eprintln!("quadrille: {message}");
                            std::process::exit(1)
                        }
                    }
                }
            }
        }
    })
}

struct Follower<'scope, 'env, 'a> {
    destination: Destination<'a>,
    followed: Followed<'a>,
    threads: &'scope ThreadScope<'scope, 'env>,
    /// `None` after a failure: everything is opened again and compared.
    current: Option<Current<'a>>,
    /// The next chain, whose full backup is being made.
    next: Option<ScopedJoinHandle<'scope, Result<Known, String>>>,
    /// Damaged rooms that were told.
    told: BTreeSet<String>,
    is_told: bool,
}

struct Current<'a> {
    source: Source,
    known: Known,
    /// The increment that is replaced by larger ones.
    increment: Option<Increment<'a>>,
    /// Whether the source is in its first read transaction, of which everything is compared.
    is_fresh: bool,
    /// Whether the manifest says up to when nothing has changed.
    is_settled: bool,
}

impl<'scope, 'env, 'a: 'scope> Follower<'scope, 'env, 'a> {
    fn open(
        destination: Destination<'a>,
        followed: Followed<'a>,
        is_full_wanted: bool,
        threads: &'scope ThreadScope<'scope, 'env>,
    ) -> Result<Self, String> {
        let mut follower = Follower {
            destination,
            followed,
            threads,
            current: None,
            next: None,
            told: BTreeSet::new(),
            is_told: false,
        };
        follower.current = Some(follower.read(is_full_wanted)?);
        follower.step()?;
        Ok(follower)
    }

    /// Opens the source, and reads what the newest chain has.
    fn read(&self, is_full_wanted: bool) -> Result<Current<'a>, String> {
        let source = Source::open(self.followed.location, self.followed.data);
        let source = source.map_err(|error| error.to_string())?;
        let known = match is_full_wanted {
            true => Known::default(),
            false => {
                let (known, reason) = Known::read(self.destination)?;
                if let Some(reason) = reason {
                    println!("full\ta new full backup is made: {reason}");
                }
                known
            }
        };
        Ok(Current { source, known, increment: None, is_fresh: true, is_settled: true })
    }

    /// Adds what has changed since the last call.
    fn step(&mut self) -> Result<(), String> {
        if self.current.is_none() {
            self.current = Some(self.read(false)?);
        }
        let current = self.current.as_mut().expect("read above");
        let comparison = match current.is_fresh {
            true => Comparison::Unknown,
            false => current.source.next_transaction().map_err(|error| format!("the source: {error}"))?,
        };
        match &comparison {
            Comparison::Same => self.settle()?,
            Comparison::Changed(changes) => self.write(Scope::Changed(changes))?,
            Comparison::Unknown => self.write(Scope::Everything)?,
        }
        if !self.is_told {
            self.is_told = true;
            if let Some(last) =
                self.current.as_ref().and_then(|current| Some(current.known.chain.as_ref()?.last()))
            {
                let name = self.destination.place.describe(&last.chain, "");
                println!("following\t{name}\tincrement {}, up to {}", last.number, time(last.moment_ms));
            }
        }
        self.check_next()
    }

    /// Once nothing changes any more, lets the manifest say so.
    fn settle(&mut self) -> Result<(), String> {
        let current = self.current.as_mut().expect("read by the caller");
        if !current.is_settled
            && let Some(increment) = &mut current.increment
            && let Some(manifest) = increment.prolong(current.source.looked_ms())?
        {
            current.known.add(manifest);
        }
        current.is_settled = true;
        Ok(())
    }

    fn write(&mut self, scope: Scope<'_>) -> Result<(), String> {
        let current = self.current.as_mut().expect("read by the caller");
        let Destination { place, keys, cache, source } = self.destination;
        let before = current.known.chain.as_ref().map(|chain| chain.last().clone());
        let increment = match current.increment.take() {
            Some(increment) => increment.or_next(),
            None => Increment::new(place, keys, source, &current.known.chain_name(), before.as_ref()),
        };
        let increment = current.increment.insert(increment);
        let progress = &mut Progress::new();
        let written =
            write_increment(cache, &mut current.known, increment, &mut current.source, scope, progress);
        let (collected, manifest) = match written {
            Ok(written) => written,
            Err(CollectError::Failed(message)) => return Err(message),
            Err(CollectError::OtherData(reason)) => {
                println!("full\ta new full backup is made: {reason}");
                let known = Known::default();
                let source = Source::open(self.followed.location, self.followed.data);
                let source = source.map_err(|error| error.to_string())?;
                self.current =
                    Some(Current { source, known, increment: None, is_fresh: true, is_settled: true });
                return Ok(());
            }
        };
        current.is_fresh = false;
        current.is_settled = manifest.is_none();
        for (room, reason) in collected.damaged {
            if self.told.insert(room.to_string()) {
                println!("damaged\t{room}\t{reason}");
            }
        }
        Ok(())
    }

    /// Begins the next full backup when it is due, and goes on with it once it is complete.
    fn check_next(&mut self) -> Result<(), String> {
        let Some(current) = &mut self.current else { return Ok(()) };
        match self.next.take() {
            Some(next) if !next.is_finished() => self.next = Some(next),
            Some(next) => {
                let known = next.join().map_err(|_| "a full backup ended by a defect".to_owned())??;
                let source = Source::open(self.followed.location, self.followed.data);
                let source = source.map_err(|error| error.to_string())?;
                *current = Current { source, known, increment: None, is_fresh: true, is_settled: true };
                if let Some(keep) = self.followed.keep {
                    for removed in remove_oldest(self.destination.place, keep)? {
                        println!("removed\t{removed}");
                    }
                }
            }
            None if current.known.is_long() => {
                let (destination, followed) = (self.destination, self.followed);
                self.next = Some(self.threads.spawn(move || full_backup(destination, followed)));
            }
            None => {}
        }
        Ok(())
    }

    fn tell_stopped(&self) {
        let last = self.current.as_ref().and_then(|current| Some(current.known.chain.as_ref()?.last()));
        if let Some(last) = last {
            let name = self.destination.place.describe(&last.chain, "");
            println!("stopped\t{name}\tincrement {}, up to {}", last.number, time(last.moment_ms));
        }
    }
}

/// Makes a full backup of the source as it is now. Leaves nothing when it fails: the disk may be full.
fn full_backup(destination: Destination<'_>, followed: Followed<'_>) -> Result<Known, String> {
    let source = Source::open(followed.location, followed.data);
    let mut source = source.map_err(|error| error.to_string())?;
    let mut known = Known::default();
    let Destination { place, keys, cache, source: name } = destination;
    let chain = known.chain_name();
    let mut increment = Increment::new(place, keys, name, &chain, None);
    let progress = &mut Progress::new();
    let scope = Scope::Everything;
    match write_increment(cache, &mut known, &mut increment, &mut source, scope, progress) {
        Ok(_) => Ok(known),
        Err(CollectError::Failed(message) | CollectError::OtherData(message)) => {
            // What cannot be removed now is removed when the program is started again.
            let _ = place.remove_chain(&chain);
            Err(message)
        }
    }
}

/// Receives a message when the program is asked to stop.
fn stop_signal() -> Result<Receiver<()>, String> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot listen for signals: {error}"))?;
    let (sender, receiver) = channel();
    let listen = |kind| {
        let _entered = runtime.enter();
        signal(kind).map_err(|error| format!("cannot listen for signals: {error}"))
    };
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    std::thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        });
        // The receiver has ended when the program is ending anyway.
        let _ = sender.send(());
    });
    Ok(receiver)
}
