//! The rooms of this process: each lives on one of a few threads, all share one journal.
//!
//! [`Rooms`] is what the rest of the server holds. It finds the thread of a room by the room's name and sends it a
//! message; nothing of a room is ever touched from outside its thread. `thread` runs the rooms, `open_room` is one of
//! them with all that belongs to it, `journal` stores, `workers` do what takes long.

mod borrowed_workbook;
mod chat;
mod clock;
mod computed_values;
mod delivery;
mod fanout;
mod history;
mod images;
mod journal;
#[cfg(test)]
mod journal_tests;
mod open_room;
mod outbox;
pub mod preview;
mod room_thread;
mod send_pacing;
mod snapshot_queue;
mod storage_reader;
#[cfg(test)]
mod tests;
mod transaction_traces;
mod workers;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use quadrille_cell::SheetId;
use quadrille_files::{Placement, import_transaction};
use quadrille_journal::{Storage, StorageError};
use quadrille_operation::Transaction;
use quadrille_protocol::{Author, CloseReason, Revision, Role, RoomName, SessionId};
use quadrille_storage_sqlite::SqliteStorage;
use quadrille_workbook::Workbook;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::config::Settings;
use crate::error::{ApiError, ErrorCode};
use crate::metrics::Metrics;
use crate::workbook_files;
use borrowed_workbook::BorrowedWorkbook;
pub use images::{image_id, image_name};
use journal::{Journal, Request};
pub use outbox::Outbox;
use preview::{Preview, Wanted};
use room_thread::{Message, ReadRequest, RoomThread, ThreadCommand, ThreadSettings};
use workers::Workers;

/// A room's contents at one moment; a cheap copy.
pub struct Reading {
    pub workbook: BorrowedWorkbook,
    /// Everything up to this revision is in the workbook and durable.
    pub revision: Revision,
    pub sessions: usize,
}

/// Plans a transaction on the room's thread, so that nothing comes between looking and writing.
pub type Plan =
    Box<dyn FnOnce(&Workbook, &mut dyn FnMut() -> SheetId) -> Result<Transaction, ApiError> + Send>;

/// What to do when the room is not there, or is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MissingRoom {
    MustExist,
    MustNotExist,
    MakeIt,
}

/// A change that comes over REST or from the command line.
pub struct Change {
    pub room404: MissingRoom,
    /// The revision the writer has seen; another one refuses the change.
    pub expected: Option<Revision>,
    pub author: Author,
    pub plan: Plan,
    /// Planning and applying take long enough to be done on a worker.
    pub is_heavy: bool,
}

impl Change {
    pub fn new(
        room404: MissingRoom,
        plan: impl FnOnce(&Workbook, &mut dyn FnMut() -> SheetId) -> Result<Transaction, ApiError>
        + Send
        + 'static,
    ) -> Change {
        let (author, plan) = (Author::named("API"), Box::new(plan));
        Change { room404, expected: None, author, plan, is_heavy: false }
    }

    /// Makes the room hold what another workbook holds, and nothing else.
    pub fn replacing(workbook: Workbook) -> Change {
        Change::new(MissingRoom::MakeIt, move |room, ids| {
            Ok(import_transaction(&workbook, room, Placement::Replace, ids))
        })
        .heavy()
    }

    /// Makes the room hold what a file holds. What its people call it stays; where they have not said, the file does.
    pub fn filling(mut workbook: Workbook) -> Change {
        Change::new(MissingRoom::MakeIt, move |room, ids| {
            workbook_files::keep_title(&mut workbook, room);
            Ok(import_transaction(&workbook, room, Placement::Replace, ids))
        })
        .heavy()
    }

    /// Not to be done on the thread of rooms: it costs what a workbook is big.
    pub fn heavy(self) -> Change {
        Change { is_heavy: true, ..self }
    }

    pub fn by(self, author: Author) -> Change {
        Change { author, ..self }
    }

    pub fn expecting(self, revision: Option<u64>) -> Change {
        Change { expected: revision.map(Revision), ..self }
    }

    pub fn room(self, room404: MissingRoom) -> Change {
        Change { room404, ..self }
    }
}

/// A change that is durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Changed {
    pub revision: Revision,
    pub was_new: bool,
}

#[derive(Clone)]
pub struct Rooms {
    inner: Arc<Inner>,
}

struct Inner {
    threads: Vec<ThreadCommand>,
    metrics: Arc<Metrics>,
    rooms_open: Arc<AtomicUsize>,
    journal: Journal,
    workers: Workers,
    /// Workbooks of the past that were looked at lately.
    history_cache: history::HistoryCache,
    /// What a change over REST may do.
    role: Role,
    sessions_assigned: AtomicU64,
    handles: std::sync::Mutex<Vec<std::thread::JoinHandle<()>>>,
}

/// How long the journal may take to answer `/readyz`.
const JOURNAL_PAUSE_MAX: Duration = Duration::from_secs(1);

impl Rooms {
    /// Opens the data directory and starts the threads; the error is one line for a person. `storage_failed` is called
    /// when a sync fails later.
    pub fn start(
        settings: &Settings,
        storage_failed: impl FnOnce(StorageError) + Send + 'static,
    ) -> Result<Rooms, String> {
        let storage = SqliteStorage::open(&settings.data).map_err(|error| error.to_string())?;
        for line in storage.mended() {
            tracing::warn!("storage: {line}");
        }
        for line in storage.damage() {
            tracing::error!(
                "stored data is damaged: {line}; `quadrille check` tells more, other rooms are open"
            );
        }
        Ok(Rooms::with_storage(Box::new(storage), settings, storage_failed))
    }

    pub fn with_storage(
        storage: Box<dyn Storage>,
        settings: &Settings,
        storage_failed: impl FnOnce(StorageError) + Send + 'static,
    ) -> Rooms {
        let metrics = Arc::new(Metrics::default());
        let (journal, journal_thread) = Journal::start(
            storage,
            &metrics,
            settings.retention(),
            settings.snapshot_piece_bytes,
            storage_failed,
        );
        let mut handles = Vec::new();
        let rooms_open = Arc::new(AtomicUsize::new(0));
        let count = settings.room_thread_count();
        let workers = Workers::start(count, &metrics);
        let threads = (0..count).map(|index| {
            let (sender, received) = ThreadCommand::new(&metrics);
            let settings = ThreadSettings {
                room_idle: Duration::from_secs(settings.room_idle_seconds),
                rooms_open_max: settings.rooms_open_max,
                sessions_per_room_max: settings.sessions_per_room_max,
                fanout_bytes_max: settings.outbox_bytes_max,
                bounds: settings.room_bounds(),
            };
            let thread = RoomThread::new(
                settings,
                journal.clone(),
                workers.clone(),
                sender.clone(),
                Arc::clone(&rooms_open),
            );
            let run = move || thread.run(&received);
            let started = std::thread::Builder::new().name(format!("rooms-{index}")).spawn(run);
            handles.push(started.expect("the system gives a thread"));
            sender
        });
        let threads: Vec<ThreadCommand> = threads.collect();
        // Joined in this order: rooms stop before what they write to.
        handles.push(journal_thread);
        let inner = Inner {
            threads,
            metrics,
            rooms_open,
            journal,
            workers,
            history_cache: history::HistoryCache::default(),
            role: settings.default_role.into(),
            sessions_assigned: AtomicU64::new(1),
            handles: std::sync::Mutex::new(handles),
        };
        Rooms { inner: Arc::new(inner) }
    }

    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.inner.metrics
    }

    /// What was counted, as text.
    pub fn metrics_text(&self) -> Result<String, ApiError> {
        self.inner.metrics.rooms.set(self.inner.rooms_open.load(Ordering::Relaxed) as i64);
        let broken = |_| ApiError::new(ErrorCode::Internal, "the metrics cannot be written");
        self.inner.metrics.text().map_err(broken)
    }

    /// The room's contents with every formula computed.
    pub async fn read(&self, room: &RoomName) -> Result<Reading, ApiError> {
        self.read_as(room, ReadRequest::Values).await
    }

    /// The room's contents without what formulas give.
    pub async fn read_inputs(&self, room: &RoomName) -> Result<Reading, ApiError> {
        self.read_as(room, ReadRequest::Inputs).await
    }

    async fn read_as(&self, room: &RoomName, what: ReadRequest) -> Result<Reading, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.send(room, Message::Read { room: room.clone(), what, reply });
        answer.await.unwrap_or_else(|_| Err(thread_ended()))
    }

    /// A workbook to be read by somebody.
    pub fn lend(&self, workbook: Workbook) -> BorrowedWorkbook {
        BorrowedWorkbook::new(workbook, &self.inner.workers)
    }

    /// What a page draws before it has the room's workbook.
    pub async fn preview(&self, room: &RoomName, wanted: Wanted) -> Result<Preview, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.send(room, Message::Preview { room: room.clone(), wanted, reply });
        answer.await.unwrap_or_else(|_| Err(thread_ended()))
    }

    /// Plans and submits a change; returns when it is durable.
    pub async fn change(&self, room: &RoomName, change: Change) -> Result<Changed, ApiError> {
        if self.inner.journal.is_overloaded() {
            return Err(ApiError::new(ErrorCode::Overloaded, "too much waits to be stored; try again later"));
        }
        let (reply, answer) = oneshot::channel();
        self.send(room, Message::Change { room: room.clone(), change, role: self.inner.role, reply });
        answer.await.unwrap_or_else(|_| Err(thread_ended()))
    }

    pub async fn exists(&self, room: &RoomName) -> Result<bool, ApiError> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |found| drop(reply.send(found)));
        self.inner.journal.ask(Request::Find { room: room.clone(), reply });
        let found = answer.await.map_err(|_| thread_ended())?;
        found.map(|claim| claim.is_some()).map_err(|error| storage_error(&error))
    }

    /// Removes the room and its history; its sessions are closed.
    pub async fn delete(&self, room: &RoomName) -> Result<(), ApiError> {
        let (reply, answer) = oneshot::channel();
        self.send(room, Message::Delete { room: room.clone(), reply });
        answer.await.unwrap_or_else(|_| Err(thread_ended()))
    }

    /// Ready when the journal's thread answers soon and its disk takes writes.
    pub async fn journal_ready(&self) -> Result<(), ApiError> {
        if self.inner.journal.is_full() {
            return Err(ApiError::new(
                ErrorCode::StorageFailed,
                "no space left on the disk of the data directory",
            ));
        }
        let (reply, answer) = oneshot::channel();
        self.inner.journal.ask(Request::Flush { reply: Box::new(move |()| _ = reply.send(())) });
        match tokio::time::timeout(JOURNAL_PAUSE_MAX, answer).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(ApiError::new(ErrorCode::StorageFailed, "the journal does not answer")),
        }
    }

    /// A new session of the room. Its frames go to [`Member::frame`], what comes back to the outbox.
    pub fn connect(&self, room: &RoomName, role: Role, outbox: Arc<Outbox>) -> Member {
        let session = SessionId(self.inner.sessions_assigned.fetch_add(1, Ordering::Relaxed));
        self.inner.metrics.sessions.inc();
        self.send(room, Message::Connect { room: room.clone(), session, role, outbox });
        Member { rooms: self.clone(), room: room.clone(), session }
    }

    /// Tells all sessions to connect again later.
    pub fn close_sessions(&self) {
        for thread in &self.inner.threads {
            let _ = thread.send(Message::CloseSessions { reason: CloseReason::Restarting });
        }
    }

    /// Writes what is left and ends the threads. To be called once, when no requests are under way.
    /// Until then, rooms that would open slowly the next time have a snapshot stored.
    pub async fn stop(&self, snapshots_until: Instant) {
        for thread in &self.inner.threads {
            let _ = thread.send(Message::Stop { snapshots_until });
        }
        let inner = Arc::clone(&self.inner);
        let joined = tokio::task::spawn_blocking(move || {
            let mut handles = std::mem::take(&mut *inner.handles.lock().expect("locked only here"));
            let journal = handles.pop();
            for handle in handles {
                let _ = handle.join();
            }
            inner.journal.ask(Request::Stop { snapshots_until });
            journal.map(std::thread::JoinHandle::join)
        });
        let _ = joined.await;
    }

    fn send(&self, room: &RoomName, message: Message) {
        // After a stop nobody listens; the reply's channel then closes, which the caller sees.
        let _ = self.inner.threads[thread_of(room, self.inner.threads.len())].send(message);
    }
}

/// The same room always runs on the same thread of a process.
fn thread_of(room: &RoomName, threads: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    room.hash(&mut hasher);
    (hasher.finish() % threads as u64) as usize
}

/// A session's end in the room; leaves when dropped.
pub struct Member {
    rooms: Rooms,
    room: RoomName,
    session: SessionId,
}

impl Member {
    /// Hands a frame to the room; the permit is given back when the room has dealt with it.
    pub fn frame(&self, bytes: bytes::Bytes, permit: OwnedSemaphorePermit) {
        let (room, session, received) = (self.room.clone(), self.session, Instant::now());
        let message = Message::Frame { room, session, bytes, permit, received };
        self.rooms.send(&self.room, message);
    }

    /// Broadcasts from this revision on are gone; what is queued is still being sent.
    pub fn missed(&self, from: Revision) {
        let (room, session) = (self.room.clone(), self.session);
        self.rooms.send(&self.room, Message::Missed { room, session, from });
    }

    /// Everything queued was sent after something had found no room in the queue.
    pub fn drained(&self) {
        self.rooms.send(&self.room, Message::Drained { room: self.room.clone(), session: self.session });
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.rooms.inner.metrics.sessions.dec();
        let message = Message::Disconnect { room: self.room.clone(), session: self.session };
        self.rooms.send(&self.room, message);
    }
}

fn no_such_room(room: &RoomName) -> ApiError {
    ApiError::new(ErrorCode::NoSuchRoom, format!("no such room: {room}"))
}

fn stopping() -> ApiError {
    ApiError::new(ErrorCode::Draining, "the server is stopping")
}

/// The answer's channel was dropped: the room panicked, or the thread has ended.
fn thread_ended() -> ApiError {
    ApiError::new(ErrorCode::Internal, "the room stopped while it answered; try again")
}

/// How a failure of the storage reaches a REST client.
fn storage_error(error: &StorageError) -> ApiError {
    ApiError::new(ErrorCode::StorageFailed, error.to_string())
}
