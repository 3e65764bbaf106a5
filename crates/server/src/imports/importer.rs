//! The task that decides when the imported data of which workbook is brought up to date.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use quadrille_protocol::{Revision, RoomName};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::import_graph::ImportGraph;
use super::pending_events::{Imports, PendingEvents};
use super::worker::{ImportWorker, LastUpdate, ReadElsewhere, Updated};
use crate::error::{ApiError, ErrorCode};
use crate::limits;

/// Time for which changes are collected.
const CHANGES_PAUSE: Duration = Duration::from_millis(50);
/// Time after which an update that could not be made, or not completely, is made again.
const POSTPONED: Duration = Duration::from_secs(5);
/// Time after which data of the web is asked for again.
const WEB_EVERY: Duration = Duration::from_secs(limits::IMPORT_FRESH_SECONDS + 1);
const EVERY: Duration = Duration::from_millis(limits::IMPORT_EVERY_MS);
/// Nobody tells of changes at other servers.
const ELSEWHERE_EVERY: Duration = Duration::from_millis(limits::IMPORT_ELSEWHERE_EVERY_MS);

/// Decides about updates until the server stops.
pub struct Importer {
    worker: ImportWorker,
    imports: Imports,
    rooms: BTreeMap<RoomName, Importing>,
    running: usize,
    sender: mpsc::UnboundedSender<(RoomName, Result<Updated, ApiError>)>,
    /// At most [`IMPORT_UPDATES_MAX`](limits::IMPORT_UPDATES_MAX) wait here.
    receiver: mpsc::UnboundedReceiver<(RoomName, Result<Updated, ApiError>)>,
    stop: watch::Receiver<bool>,
}

/// A workbook that imports, or from which one imports.
#[derive(Default)]
struct Importing {
    /// It is in memory, and its formulas import.
    is_loaded: bool,
    sources: BTreeSet<RoomName>,
    refused: BTreeSet<RoomName>,
    urls: BTreeSet<String>,
    due: Option<Instant>,
    is_running: bool,
    started: Option<Instant>,
    /// The newest durable revision that is known.
    head: Revision,
    /// The revision that the last update has written.
    written: Revision,
    /// What that update has read at other servers.
    read_elsewhere: ReadElsewhere,
    /// Updates in a row that were due to nothing but imported data.
    own_updates: u32,
}

impl Importing {
    /// Makes an update due a moment after now, and not too soon after the last one.
    fn wake(&mut self, now: Instant) {
        let earliest = self.started.map_or(now, |started| started + EVERY);
        let due = earliest.max(now + CHANGES_PAUSE);
        self.due = Some(self.due.map_or(due, |known| known.min(due)));
        self.own_updates = 0;
    }

    /// Makes an update due because the last one has changed the workbook, which may need other data now.
    fn wake_after_own_update(&mut self, now: Instant) {
        let pause = EVERY.saturating_mul(1 << self.own_updates.min(16));
        let due = now + pause.min(Duration::from_secs(limits::IMPORT_OWN_SECONDS_MAX));
        self.own_updates += 1;
        self.due.get_or_insert(due);
    }
}

impl Importer {
    pub fn new(worker: ImportWorker, imports: Imports, stop: watch::Receiver<bool>) -> Importer {
        let (sender, receiver) = mpsc::unbounded_channel();
        Importer { worker, imports, rooms: BTreeMap::new(), running: 0, sender, receiver, stop }
    }

    /// Runs until the server stops.
    pub async fn run(mut self) {
        loop {
            self.take_events();
            self.start_due();
            let wake = self.next_due();
            let finished = tokio::select! {
                () = self.imports.wait() => None,
                finished = self.receiver.recv() => finished,
                () = sleep_until(wake) => None,
                // An error means that the sender is gone: the server has stopped, too.
                _ = self.stop.wait_for(|is_stopping| *is_stopping) => return,
            };
            if let Some((room, updated)) = finished {
                self.finish(&room, updated);
            }
        }
    }

    fn take_events(&mut self) {
        let PendingEvents { loaded, changed, opened, reauthorized, arrived } = self.imports.take();
        let now = Instant::now();
        for (room, is_loaded) in loaded {
            if !is_loaded && !self.rooms.contains_key(&room) {
                continue;
            }
            let importing = self.rooms.entry(room).or_default();
            if is_loaded && !importing.is_loaded {
                importing.wake(now);
            }
            importing.is_loaded = is_loaded;
        }
        // Another server may have run them until now.
        let opened = if self.worker.is_shared() { opened } else { BTreeSet::new() };
        for (room, (up_to, has_imports)) in &changed {
            if let Some(importing) = self.rooms.get_mut(room) {
                importing.head = importing.head.max(*up_to);
                let has_imported = has_imports | !importing.sources.is_empty();
                // What an update writes is known when it has finished.
                if !importing.is_running && has_imported && *up_to > importing.written {
                    importing.wake(now);
                }
            }
        }
        for importing in self.rooms.values_mut() {
            let names =
                |room: &RoomName| importing.sources.contains(room) || importing.refused.contains(room);
            let is_affected =
                changed.keys().any(names) || opened.iter().any(names) || reauthorized.iter().any(names);
            if is_affected || arrived.iter().any(|url| importing.urls.contains(url)) {
                importing.wake(now);
            }
        }
        self.forget_unneeded();
    }

    /// Forgets workbooks that are not in memory and from which none in memory imports.
    fn forget_unneeded(&mut self) {
        let mut needed: BTreeSet<RoomName> = BTreeSet::new();
        let loaded = self.rooms.iter().filter(|(_, importing)| importing.is_loaded || importing.is_running);
        let mut next: Vec<RoomName> = loaded.map(|(room, _)| room.clone()).collect();
        while let Some(room) = next.pop() {
            if let Some(importing) = self.rooms.get(&room) {
                next.extend(importing.sources.iter().filter(|source| !needed.contains(*source)).cloned());
            }
            needed.insert(room);
        }
        self.rooms.retain(|room, _| needed.contains(room));
    }

    fn next_due(&self) -> Option<Instant> {
        if self.running >= limits::IMPORT_UPDATES_MAX {
            return None;
        }
        self.rooms
            .values()
            .filter(|importing| !importing.is_running)
            .filter_map(|importing| importing.due)
            .min()
    }

    fn start_due(&mut self) {
        let now = Instant::now();
        while self.running < limits::IMPORT_UPDATES_MAX {
            let waiting = self.rooms.iter().filter(|(_, importing)| !importing.is_running);
            let due = waiting.filter_map(|(room, importing)| Some((importing.due?, room)));
            let Some((_, room)) = due.filter(|(due, _)| *due <= now).min() else { return };
            let (room, graph) = (room.clone(), self.graph());
            let Some(importing) = self.rooms.get_mut(&room) else { return };
            (importing.due, importing.is_running, importing.started) = (None, true, Some(now));
            self.running += 1;
            let last = LastUpdate {
                revision: importing.written,
                elsewhere: std::mem::take(&mut importing.read_elsewhere),
            };
            let (worker, sender) = (self.worker.clone(), self.sender.clone());
            tokio::spawn(async move {
                let updated = worker.update(&room, &graph, last).await;
                // Fails when the importer has ended with the server.
                _ = sender.send((room, updated));
            });
        }
    }

    fn graph(&self) -> ImportGraph {
        let mut graph = ImportGraph::default();
        for (room, importing) in &self.rooms {
            graph.set(room, importing.sources.clone());
        }
        graph
    }

    fn finish(&mut self, room: &RoomName, updated: Result<Updated, ApiError>) {
        self.running -= 1;
        let now = Instant::now();
        let Some(importing) = self.rooms.get_mut(room) else { return };
        importing.is_running = false;
        let updated = match updated {
            Ok(updated) => updated,
            Err(error) => {
                if error.code != ErrorCode::NoSuchRoom {
                    tracing::warn!(%room, reason = error.message, "imported data was not brought up to date");
                    importing.due.get_or_insert(now + POSTPONED);
                }
                return;
            }
        };
        let Updated { sources, refused, urls, read, written, is_incomplete, read_elsewhere, is_elsewhere } =
            updated;
        // Somebody else has changed it since it was read.
        let up_to = written.unwrap_or(read);
        importing.written = up_to;
        let is_changed = importing.head > up_to || written.is_some_and(|written| written.0 > read.0 + 1);
        if is_changed {
            importing.wake(now);
        } else if written.is_some() {
            importing.wake_after_own_update(now);
        } else {
            importing.own_updates = 0;
        }
        if !read_elsewhere.is_empty() {
            importing.due.get_or_insert(now + ELSEWHERE_EVERY);
        }
        if is_incomplete || is_elsewhere {
            importing.due.get_or_insert(now + POSTPONED);
        }
        if !urls.is_empty() {
            importing.due.get_or_insert(now + WEB_EVERY);
        }
        (importing.refused, importing.urls, importing.read_elsewhere) = (refused, urls, read_elsewhere);
        if importing.sources == sources {
            return;
        }
        let added: Vec<RoomName> = sources.difference(&importing.sources).cloned().collect();
        importing.sources = sources;
        // Those that are not known yet may import as well.
        for source in added {
            let source = self.rooms.entry(source).or_default();
            if source.started.is_none() {
                source.wake(now);
            }
        }
        // Chains have changed: they may be circular now, or no longer.
        let importers = self.graph().importers_of([room.clone()]);
        for importer in importers.iter().filter(|importer| *importer != room) {
            if let Some(importing) = self.rooms.get_mut(importer) {
                importing.wake(now);
            }
        }
    }
}

/// Waits until a moment; without one for ever.
async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
