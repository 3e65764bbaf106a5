//! [`Rooms`]: the handle by which the rest of the server reaches rooms and the journal.

use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use quadrille_access::WorkbookFacts;
use quadrille_journal::{PeerId, RoomOwner, Storage, StorageError};
use quadrille_protocol::{CloseReason, Revision, Role, RoomName, SessionId};
use quadrille_workbook::Workbook;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::change::{Change, Changed, Reading};
use super::change_feeds::ChangeFeeds;
use super::client::Client;
use super::errors::{
    journal_overloaded, room_elsewhere, storage_away, storage_error, storage_unanswered, thread_ended,
};
use super::facts::FactsListener;
use super::history_cache::HistoryCache;
use super::import_listener::ImportListener;
use super::journal::Journal;
use super::journal_request::Request;
use super::outbox::Outbox;
use super::preview::{Preview, Wanted};
use super::room_message::{Arrival, Expected, ReadRequest, RoomMessage};
use super::room_thread::{Listeners, RoomThread, ThreadSettings};
use super::storage_wait::unless_away;
use super::thread_message::{ThreadMessage, ThreadSender};
use super::workbook_handle::WorkbookHandle;
use super::workers::Workers;
use crate::access::{DefaultAccess, Document, Revoked};
use crate::config::Settings;
use crate::error::{ApiError, ErrorCode};
use crate::metrics::Metrics;
use crate::object_storage::ObjectStorage;
use crate::storage_location::StorageLocation;
use crate::trace::TraceTime;

/// The rooms of the process. Clones share them.
#[derive(Clone)]
pub struct Rooms {
    inner: Arc<Inner>,
}

struct Inner {
    threads: Vec<ThreadSender>,
    metrics: Arc<Metrics>,
    rooms_open: Arc<AtomicUsize>,
    facts: FactsListener,
    feeds: ChangeFeeds,
    imports: ImportListener,
    journal: Journal,
    objects: Option<Arc<ObjectStorage>>,
    workers: Workers,
    history_cache: HistoryCache,
    next_session: AtomicU64,
    handles: std::sync::Mutex<Vec<std::thread::JoinHandle<()>>>,
}

/// Time limit for the journal's answer to `/readyz`.
const JOURNAL_ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

impl Rooms {
    /// Opens the storage and starts the threads. Other servers with the same database reach this one at
    /// `own_url`. `storage_failed` is called when a sync fails later.
    ///
    /// # Errors
    ///
    /// Fails with a message when the storage cannot be opened, for example because another server
    /// uses it.
    pub fn start(
        location: &StorageLocation,
        own_url: &str,
        settings: &Settings,
        storage_failed: impl FnOnce(StorageError) + Send + 'static,
    ) -> Result<Rooms, String> {
        let mut storage = location.open_rooms(own_url).map_err(|error| error.to_string())?;
        let objects = ObjectStorage::open(
            &mut *storage,
            &settings.object_storage,
            settings.object_storage_bytes_min,
            &|name| std::env::var(name).ok(),
        )?;
        Ok(Rooms::with_storage(storage, objects.map(Arc::new), settings, storage_failed))
    }

    /// Starts the threads on an opened storage.
    pub fn with_storage(
        storage: Box<dyn Storage>,
        objects: Option<Arc<ObjectStorage>>,
        settings: &Settings,
        storage_failed: impl FnOnce(StorageError) + Send + 'static,
    ) -> Rooms {
        let metrics = Arc::new(Metrics::default());
        let (journal, journal_thread) = Journal::start(
            storage,
            &metrics,
            settings.retention(),
            settings.snapshot_piece_bytes,
            objects.as_ref(),
            storage_failed,
        );
        let mut handles = Vec::new();
        let rooms_open = Arc::new(AtomicUsize::new(0));
        let count = settings.room_thread_count();
        let workers = Workers::start(count, &metrics);
        let facts = FactsListener::default();
        let feeds = ChangeFeeds::default();
        let imports = ImportListener::default();
        let threads = (0..count).map(|index| {
            let (sender, received) = ThreadSender::new(&metrics);
            let settings = ThreadSettings {
                room_idle: Duration::from_secs(settings.room_idle_seconds),
                rooms_open_max: settings.rooms_open_max,
                sessions_per_room_max: settings.sessions_per_room_max,
                fanout_bytes_max: settings.outbox_bytes_max,
                bounds: settings.room_bounds(),
            };
            let listeners =
                Listeners { facts: facts.clone(), feeds: feeds.clone(), imports: imports.clone() };
            let thread = RoomThread::new(
                settings,
                journal.clone(),
                workers.clone(),
                sender.clone(),
                Arc::clone(&rooms_open),
                listeners,
            );
            let run = move || thread.run(&received);
            let started = std::thread::Builder::new().name(format!("rooms-{index}")).spawn(run);
            handles.push(started.expect("the system can start a thread"));
            sender
        });
        let threads: Vec<ThreadSender> = threads.collect();
        // Joined in this order: rooms stop before the journal that they write to.
        handles.push(journal_thread);
        let inner = Inner {
            threads,
            metrics,
            rooms_open,
            facts,
            feeds,
            imports,
            journal,
            objects,
            workers,
            history_cache: HistoryCache::default(),
            next_session: AtomicU64::new(1),
            handles: std::sync::Mutex::new(handles),
        };
        Rooms { inner: Arc::new(inner) }
    }

    /// Returns the metrics of the process.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.inner.metrics
    }

    /// Sets who is told the title and the last change of workbooks, on the threads of the rooms.
    pub fn on_facts(&self, report: impl Fn(&RoomName, &WorkbookFacts) + Send + Sync + 'static) {
        self.inner.facts.set(report);
    }

    /// Returns all metrics in the OpenMetrics text format.
    pub fn metrics_text(&self) -> Result<String, ApiError> {
        self.inner.metrics.rooms.set(self.inner.rooms_open.load(Ordering::Relaxed) as i64);
        self.inner.metrics.storage_usable.set(i64::from(self.inner.journal.is_usable()));
        let failed = |_| ApiError::new(ErrorCode::Internal, "the metrics could not be encoded");
        self.inner.metrics.text().map_err(failed)
    }

    /// Returns the room's contents with the values of all formulas.
    pub async fn read(&self, room: &RoomName) -> Result<Reading, ApiError> {
        self.read_as(room, ReadRequest::Values).await
    }

    /// Returns the room's contents with inputs only.
    pub async fn read_inputs(&self, room: &RoomName) -> Result<Reading, ApiError> {
        self.read_as(room, ReadRequest::Inputs).await
    }

    /// Returns the room's contents with values and the sources of imported data, without keeping the room
    /// in memory.
    pub async fn read_imports(&self, room: &RoomName) -> Result<Reading, ApiError> {
        self.read_as(room, ReadRequest::Imports).await
    }

    async fn read_as(&self, room: &RoomName, request: ReadRequest) -> Result<Reading, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.send(room, RoomMessage::Read { request, reply });
        self.found(room, answer).await?
    }

    /// Waits for the answer of a storage that is asked for something of a room.
    ///
    /// # Errors
    ///
    /// Fails with `storage_failed` when it does not answer; it may carry out later what it was asked for.
    pub(super) async fn stored<T>(
        &self,
        room: &RoomName,
        answer: oneshot::Receiver<T>,
    ) -> Result<T, ApiError> {
        let answered = self.unless_away(room, answer).await.ok_or_else(storage_unanswered)?;
        answered.map_err(|_| thread_ended())
    }

    /// Waits for something that needs the storage of a room; `None` when that has been away for too long.
    pub async fn unless_away<T>(&self, room: &RoomName, answer: impl Future<Output = T>) -> Option<T> {
        let journal = &self.inner.journal;
        let is_away = || journal.is_away_for(room) || !journal.runs(room) && journal.is_away();
        unless_away(is_away, answer).await
    }

    /// As [`stored`](Rooms::stored), for what reads the storage, or a room: its last change may have to become durable
    /// first.
    pub(super) async fn found<T>(
        &self,
        room: &RoomName,
        answer: oneshot::Receiver<T>,
    ) -> Result<T, ApiError> {
        let answered = self.unless_away(room, answer).await.ok_or_else(storage_away)?;
        answered.map_err(|_| thread_ended())
    }

    /// As [`found`](Rooms::found), for a room whose name does not matter any more.
    pub(super) async fn found_by_key<T>(&self, answer: oneshot::Receiver<T>) -> Result<T, ApiError> {
        let answered = unless_away(|| self.inner.journal.is_away(), answer).await.ok_or_else(storage_away)?;
        answered.map_err(|_| thread_ended())
    }

    /// Whether the storage that has the access documents does not answer.
    pub fn is_storage_away(&self) -> bool {
        self.inner.journal.is_away()
    }

    /// Wraps a workbook so that it is freed on a worker.
    pub fn workbook_handle(&self, workbook: Workbook) -> WorkbookHandle {
        WorkbookHandle::new(workbook, &self.inner.workers)
    }

    /// Returns the first cells, which the web client draws before it has the workbook.
    pub async fn preview(&self, room: &RoomName, wanted: Wanted) -> Result<Preview, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.send(room, RoomMessage::Preview { wanted, reply });
        self.found(room, answer).await?
    }

    /// Plans and submits a change of somebody with this role. Returns when it is durable; at once for a
    /// request that has been carried out before.
    pub async fn change(&self, room: &RoomName, role: Role, change: Change) -> Result<Changed, ApiError> {
        if let Some(record) = change.mark.as_ref().and_then(|mark| mark.recorded.clone()) {
            let (revision, was_new) = (record.revision, record.revision == Revision(1));
            return Ok(Changed { revision, was_new, recorded: Some(record) });
        }
        if self.inner.journal.is_overloaded(room) {
            return Err(journal_overloaded());
        }
        // A session keeps its change until it is stored; a request would wait without an answer.
        if self.inner.journal.is_away_for(room) {
            return Err(storage_away());
        }
        let (reply, answer) = oneshot::channel();
        let has_key = change.mark.is_some();
        self.send(room, RoomMessage::Change { change: Box::new(change), role, reply });
        // The layer of keys does not wait for it: the key is in use until the outcome is known.
        match has_key {
            true => answer.await.unwrap_or_else(|_| Err(thread_ended())),
            false => self.stored(room, answer).await?,
        }
    }

    /// Whether the room exists in storage.
    pub async fn exists(&self, room: &RoomName) -> Result<bool, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |found| drop(reply.send(found)));
        self.inner.journal.send(Request::Find { room: room.clone(), reply });
        let found = self.found(room, answer).await?;
        found.map(|claim| claim.is_some()).map_err(|error| storage_error(&error))
    }

    /// Checks that no other server with the same database runs the room.
    ///
    /// # Errors
    ///
    /// Fails with `room_elsewhere`, which names that server, or `storage_failed`.
    pub async fn check_owner(&self, room: &RoomName) -> Result<(), ApiError> {
        match self.owner_elsewhere(room).await? {
            None => Ok(()),
            Some(owner) => Err(room_elsewhere(Some(room), &owner.url)),
        }
    }

    /// The other server with the same database that runs the room, if one does. Asks the database only when
    /// this server does not run it.
    ///
    /// # Errors
    ///
    /// Fails with `storage_failed`.
    pub async fn owner_elsewhere(&self, room: &RoomName) -> Result<Option<RoomOwner>, ApiError> {
        if !self.inner.journal.is_shared() {
            return Ok(None);
        }
        let (reply, answer) = oneshot::channel();
        self.inner.journal.owner(room, Box::new(move |owner| _ = reply.send(owner)));
        self.found(room, answer).await?.map_err(|error| storage_error(&error))
    }

    /// Claims a room that a session is about to join, if other servers could run it. The room stays with this
    /// server as long as the value lives.
    ///
    /// # Errors
    ///
    /// Fails with `room_elsewhere` when one of them has claimed it, `storage_failed` or `overloaded`.
    pub async fn expect_session(&self, room: &RoomName) -> Result<Option<Expected>, ApiError> {
        if !self.is_shared() {
            return Ok(None);
        }
        let (reply, answer) = oneshot::channel();
        self.send(room, RoomMessage::Expect { reply });
        answer.await.unwrap_or_else(|_| Err(thread_ended())).map(Some)
    }

    /// Sets who is told, on a thread of the storage, that another server with the same database has left or
    /// was removed.
    pub fn on_departed(&self, listener: impl Fn(PeerId) + Send + Sync + 'static) {
        if let Some(peers) = self.inner.journal.peers() {
            peers.on_departed(listener);
        }
    }

    /// The numbers by which other servers with the same database know this one.
    pub fn own_processes(&self) -> Arc<[PeerId]> {
        self.inner.journal.peers().map_or_else(Arc::default, |peers| Arc::clone(peers.own()))
    }

    /// Whether other servers use the same storage.
    pub fn is_shared(&self) -> bool {
        self.inner.journal.is_shared()
    }

    /// Whether reading the room claims it from no other server: this one runs it, or is the only one.
    pub fn runs(&self, room: &RoomName) -> bool {
        self.inner.journal.runs(room)
    }

    /// Deletes the room with its history and closes its sessions; with `expected` only while it is at
    /// this revision.
    pub async fn delete(&self, room: &RoomName, expected: Option<Revision>) -> Result<(), ApiError> {
        let (reply, answer) = oneshot::channel();
        self.send(room, RoomMessage::Delete { expected, reply });
        self.stored(room, answer).await?
    }

    /// Checks that the journal's thread answers and its disk has space. Returns how many of several databases are
    /// away: rooms of the others are served.
    ///
    /// # Errors
    ///
    /// Fails with `storage_failed` otherwise.
    pub async fn check_journal(&self) -> Result<usize, ApiError> {
        if self.inner.journal.is_away() {
            return Err(storage_away());
        }
        if self.inner.journal.is_full() {
            return Err(ApiError::new(
                ErrorCode::StorageFailed,
                "no space left on the device of the data directory",
            ));
        }
        let (reply, answer) = oneshot::channel();
        self.inner.journal.send(Request::Flush { reply: Box::new(move |()| _ = reply.send(())) });
        match tokio::time::timeout(JOURNAL_ANSWER_TIMEOUT, answer).await {
            // It may have gone away while the flush waited.
            Ok(Ok(())) if self.inner.journal.is_away() => Err(storage_away()),
            Ok(Ok(())) => Ok(self.inner.journal.parts_away()),
            _ => Err(ApiError::new(ErrorCode::StorageFailed, "the journal does not answer")),
        }
    }

    /// Connects a session to the room. Received frames are passed to [`Member::frame`]; frames to
    /// be sent arrive in the outbox.
    pub fn connect(&self, room: &RoomName, client: Client, outbox: Arc<dyn Outbox>) -> Member {
        let session = SessionId(self.inner.next_session.fetch_add(1, Ordering::Relaxed));
        self.inner.metrics.sessions.inc();
        self.send(room, RoomMessage::Connect { session, client, outbox });
        Member { rooms: self.clone(), room: room.clone(), session }
    }

    /// Returns the change feeds of all rooms.
    pub fn change_feeds(&self) -> &ChangeFeeds {
        &self.inner.feeds
    }

    /// Returns who is told of rooms whose data is imported or that import data.
    pub fn import_listener(&self) -> &ImportListener {
        &self.inner.imports
    }

    /// Decides the role of each session and feed of the room again, by its access document.
    pub fn reauthorize(&self, room: &RoomName, document: Document, default_access: DefaultAccess) {
        self.inner.feeds.reauthorize(room, &document, default_access);
        self.send(room, RoomMessage::Reauthorize { document, default_access });
    }

    /// Closes the sessions and feeds, in all rooms, that were opened by credentials of an account that have
    /// ended.
    pub fn revoke(&self, revoked: &Revoked) {
        self.inner.feeds.revoke(revoked);
        for thread in &self.inner.threads {
            let _ = thread.send(ThreadMessage::Revoke { revoked: revoked.clone() });
        }
    }

    /// Tells the owners who are in the room that somebody asks for access.
    pub fn access_requested(&self, room: &RoomName) {
        self.send(room, RoomMessage::AccessRequested);
    }

    /// Gives a room to the server with the same database at the URL `heir`. Its clients connect again.
    pub fn hand_over(&self, room: &RoomName, heir: &str) {
        let message = ThreadMessage::HandOver { room: room.clone(), heir: heir.to_owned() };
        _ = self.inner.threads[thread_of(room, self.inner.threads.len())].send(message);
    }

    /// Closes all sessions with `restarting`, so that clients reconnect later.
    pub fn close_sessions(&self) {
        for thread in &self.inner.threads {
            let _ = thread.send(ThreadMessage::CloseSessions { reason: CloseReason::Restarting });
        }
    }

    /// Stores what is pending and ends the threads. To be called once, when no requests are in
    /// progress. Until `snapshots_until`, rooms that would otherwise open slowly store a snapshot.
    pub async fn stop(&self, snapshots_until: Instant) {
        for thread in &self.inner.threads {
            let _ = thread.send(ThreadMessage::Stop { snapshots_until });
        }
        let inner = Arc::clone(&self.inner);
        let joined = tokio::task::spawn_blocking(move || {
            let mut handles = std::mem::take(&mut *inner.handles.lock().expect("locked only here"));
            let journal = handles.pop();
            for handle in handles {
                let _ = handle.join();
            }
            inner.journal.send(Request::Stop { snapshots_until });
            journal.map(std::thread::JoinHandle::join)
        });
        let _ = joined.await;
    }

    pub(super) fn send(&self, room: &RoomName, message: RoomMessage) {
        let thread = &self.inner.threads[thread_of(room, self.inner.threads.len())];
        // After a stop the thread has ended; the reply's channel then closes, which the caller
        // pending_events.
        let _ = thread.send(ThreadMessage::Room { room: room.clone(), message });
    }

    pub(super) fn threads(&self) -> &[ThreadSender] {
        &self.inner.threads
    }

    pub(super) fn journal(&self) -> &Journal {
        &self.inner.journal
    }

    pub(super) fn objects(&self) -> Option<&Arc<ObjectStorage>> {
        self.inner.objects.as_ref()
    }

    pub(super) fn workers(&self) -> &Workers {
        &self.inner.workers
    }

    pub(super) fn history_cache(&self) -> &HistoryCache {
        &self.inner.history_cache
    }
}

/// A room always runs on the same thread of a process.
fn thread_of(room: &RoomName, threads: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    room.hash(&mut hasher);
    (hasher.finish() % threads as u64) as usize
}

/// A session's membership in a room; disconnects when dropped.
pub struct Member {
    rooms: Rooms,
    room: RoomName,
    session: SessionId,
}

impl Member {
    /// Passes a frame to the room. The permit is released when the room has handled it.
    /// `relayed` is the time at which the server of a relayed client has read it, if that traces.
    pub fn frame(&self, bytes: bytes::Bytes, permit: OwnedSemaphorePermit, relayed: Option<TraceTime>) {
        let arrival = Arrival { received: Instant::now(), relayed };
        self.rooms.send(&self.room, RoomMessage::Frame { session: self.session, bytes, permit, arrival });
    }

    /// Reports the role that the credentials of the session have now.
    pub fn set_role(&self, role: Option<Role>) {
        self.rooms.send(&self.room, RoomMessage::SetRole { session: self.session, role });
    }

    /// Reports that broadcasts from this revision on were dropped; queued frames are still being
    /// sent.
    pub fn missed(&self, from: Revision) {
        self.rooms.send(&self.room, RoomMessage::Missed { session: self.session, from });
    }

    /// Reports that all queued frames have been sent after broadcasts were dropped.
    pub fn drained(&self) {
        self.rooms.send(&self.room, RoomMessage::Drained { session: self.session });
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.rooms.inner.metrics.sessions.dec();
        self.rooms.send(&self.room, RoomMessage::Disconnect { session: self.session });
    }
}
