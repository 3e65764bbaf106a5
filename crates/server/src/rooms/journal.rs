//! The thread that owns the storage. It commits the appends of all rooms together (group commit).
//!
//! Appends that arrive during one commit form the next, so group commit needs no timer. Records of
//! rooms being opened are read in pieces between commits; snapshots and images, which can be large,
//! are read by `storage_reader` on a thread of its own, which also checkpoints the write-ahead log.
//! Large appends are written by `large_appends` on a thread of its own, if the storage can do that.
//! Several databases commit on threads of their own, so that rooms of one that is away wait, and no others.
//! When a sync fails, nothing more is acknowledged and the process ends.
//!
//! Maintenance (storing snapshots, compacting the log) runs in bounded pieces when there are no
//! requests, and otherwise in a fixed share of the time, so that a commit waits for one piece at
//! most.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use quadrille_journal::{
    Append, Claim, Loaded, OwnedRooms, Peers, Retention, RoomKey, RoomOwner, Snapshot, Storage, StorageError,
    StoredChatMessage,
};
use quadrille_protocol::{Revision, RoomName};

use super::journal_batch::{Batch, WaitingAppend, answer_appends};
use super::journal_request::{AppendResult, Loading, OpenReply, Reply, Request};
use super::journal_state::JournalState;
use super::large_appends::LargeAppends;
use super::snapshot_queue::{Piece, SnapshotQueue};
use super::snapshot_uploads::SnapshotUploads;
use super::storage_reader::{ReadRequest, StorageReader};
use crate::metrics::Metrics;
use crate::object_storage::ObjectStorage;

/// Sends requests to the journal's thread.
#[derive(Clone)]
pub struct Journal {
    requests: Arc<RequestSender>,
    state: Arc<JournalState>,
    others: Option<Others>,
}

/// What other processes with the same storage run.
#[derive(Clone)]
struct Others {
    own: OwnedRooms,
    peers: Peers,
    /// Looks up the owners of other rooms, over a connection of its own: neither commits nor snapshots wait.
    lookups: Arc<StorageReader>,
}

/// Ends the thread when the last handle is dropped. The channel alone does not: the reader holds a
/// sender, too.
struct RequestSender(Sender<Request>);

impl Drop for RequestSender {
    fn drop(&mut self) {
        let _ = self.0.send(Request::Closed);
    }
}

/// Time without requests after which the state of a storage on another machine is looked at.
const AVAILABILITY_INTERVAL: Duration = Duration::from_secs(1);

/// How often it is looked whether uploads have ended, when the thread stops.
const UPLOAD_POLL: Duration = Duration::from_millis(50);

/// Approximate bytes of records of a room being opened that are read between two commits.
const READ_BYTES: usize = 1 << 20;

/// While requests arrive, maintenance gets 1 part in 4 of the time: after a piece of 5 ms the next
/// begins 15 ms later.
const MAINTENANCE_SHARE: u32 = 4;

/// How long an append that can wait is delayed to share a commit with others, which saves a sync.
/// Used for rooms whose calculation takes far longer anyway.
const SHARED_COMMIT_WAIT: Duration = Duration::from_millis(10);
/// After this time without other appends, an append that can wait is committed at once.
const QUIET_PERIOD: Duration = Duration::from_millis(50);

impl Journal {
    /// Starts the thread. `failed` is called on it when the storage can no longer be trusted, for
    /// example after a failed sync.
    pub fn start(
        storage: Box<dyn Storage>,
        metrics: &Arc<Metrics>,
        retention: Retention,
        snapshot_piece_bytes: usize,
        objects: Option<&Arc<ObjectStorage>>,
        failed: impl FnOnce(StorageError) + Send + 'static,
    ) -> (Journal, JoinHandle<()>) {
        let (requests, received) = channel();
        let state = Arc::new(JournalState::new(&*storage, metrics));
        let reader = || match storage.reader() {
            Ok(reader) => reader.map(|reader| StorageReader::start(reader, requests.clone(), objects)),
            Err(error) => {
                tracing::warn!(%error, "cannot open a second connection for reading; snapshots are read between commits");
                None
            }
        };
        let others = storage.owned_rooms().and_then(|own| {
            let peers = storage.peers()?;
            Some(Others { own, peers, lookups: Arc::new(reader()?) })
        });
        let reader = reader();
        let uploads = objects.map(|objects| SnapshotUploads::start(Arc::clone(objects), requests.clone()));
        let large = LargeAppends::new(storage.has_large_appends(), requests.clone());
        let writer = Writer {
            storage,
            reader,
            large,
            loading: VecDeque::new(),
            retention,
            state: Arc::clone(&state),
            snapshots: SnapshotQueue::new(snapshot_piece_bytes),
            uploads,
            has_to_compact: true,
            is_snapshots_turn: false,
            is_settling: false,
            to_release: BTreeMap::new(),
            maintenance_paused_until: Instant::now(),
            busy_until: Instant::now(),
        };
        let run = move || {
            if let Err(error) = writer.run(&received) {
                failed(error);
            }
        };
        let thread = std::thread::Builder::new().name("journal".into()).spawn(run);
        (
            Journal { requests: Arc::new(RequestSender(requests)), state, others },
            thread.expect("the system can start a thread"),
        )
    }

    /// Sends a request; the answer goes to its `reply`.
    pub fn send(&self, request: Request) {
        // The thread ends only with the process, or after a failure that ends the process.
        let _ = self.requests.0.send(request);
    }

    /// Makes records of an open room durable. The append may wait a few milliseconds if told so, to share a commit
    /// with others.
    pub fn append(&self, append: Append, can_wait: bool, reply: Reply<AppendResult>) {
        let bytes = append.records.iter().map(|record| record.len()).sum();
        let queued = self.state.queued(append.room, bytes);
        self.send(Request::Append { append, queued, can_wait, reply });
    }

    /// Looks up the other process that runs the room. Answers at once when this process runs it, or has the
    /// storage to itself. It may be that nobody runs it.
    pub fn owner(&self, room: &RoomName, reply: Reply<Result<Option<RoomOwner>, StorageError>>) {
        match &self.others {
            Some(others) if !others.own.contains(room) => {
                others.lookups.send(ReadRequest::Owner { room: room.clone(), reply });
            }
            _ => reply(Ok(None)),
        }
    }

    /// Whether no other process can run the room.
    pub fn runs(&self, room: &RoomName) -> bool {
        self.others.as_ref().is_none_or(|others| others.own.contains(room))
    }

    /// Who tells the end of the other processes with the same storage. `None`: there are none.
    pub fn peers(&self) -> Option<&Peers> {
        self.others.as_ref().map(|others| &others.peers)
    }

    /// Whether other processes may use the storage as well.
    pub fn is_shared(&self) -> bool {
        self.others.is_some()
    }

    /// Whether so many bytes wait to be committed in the database of the room that REST changes should be rejected.
    pub fn is_overloaded(&self, room: &RoomName) -> bool {
        self.state.is_overloaded(room)
    }

    /// Whether the database of the storage, or the first of several, cannot be reached: no room can be opened.
    pub fn is_away(&self) -> bool {
        self.state.is_away()
    }

    /// Whether the database of an open room cannot be reached, and changes wait.
    pub fn is_away_for(&self, room: &RoomName) -> bool {
        self.state.is_away_for(room)
    }

    /// How many databases of the storage cannot be reached.
    pub fn parts_away(&self) -> usize {
        self.state.parts_away()
    }

    /// Whether changes of all rooms can be stored, as far as is known.
    pub fn is_usable(&self) -> bool {
        self.state.is_usable()
    }

    /// Whether the last write found no space left.
    pub fn is_full(&self) -> bool {
        self.state.is_full()
    }
}

pub struct Writer {
    /// Dropped before `storage`, so that the reader ends before the storage is closed.
    reader: Option<StorageReader>,
    /// Likewise.
    pub large: LargeAppends,
    pub storage: Box<dyn Storage>,
    /// Rooms whose records are being read, in turn.
    loading: VecDeque<Box<Loading>>,
    retention: Retention,
    pub state: Arc<JournalState>,
    snapshots: SnapshotQueue,
    uploads: Option<SnapshotUploads>,
    pub has_to_compact: bool,
    /// Storing a snapshot is the next piece of maintenance, not compaction.
    is_snapshots_turn: bool,
    /// The reader is checkpointing the write-ahead log.
    is_settling: bool,
    /// Rooms that are no longer in memory, and are released when their snapshots are written.
    to_release: BTreeMap<RoomKey, Option<String>>,
    /// No maintenance between requests before this time.
    maintenance_paused_until: Instant,
    /// Until this time, appends that cannot wait are likely to arrive soon.
    busy_until: Instant,
}

impl Writer {
    /// Handles requests until it is told to stop.
    ///
    /// # Errors
    ///
    /// Fails when the storage can no longer be trusted.
    fn run(mut self, received: &Receiver<Request>) -> Result<(), StorageError> {
        loop {
            self.check_lost()?;
            let first = match received.try_recv() {
                Ok(request) => Some(request),
                Err(TryRecvError::Empty) if !self.loading.is_empty() => {
                    self.load_piece();
                    continue;
                }
                Err(TryRecvError::Empty) if self.has_maintenance() => {
                    self.run_maintenance()?;
                    continue;
                }
                Err(TryRecvError::Empty) if self.state.is_remote() => {
                    match received.recv_timeout(AVAILABILITY_INTERVAL) {
                        Ok(request) => Some(request),
                        Err(RecvTimeoutError::Disconnected) => None,
                        Err(RecvTimeoutError::Timeout) => {
                            self.check_availability();
                            continue;
                        }
                    }
                }
                Err(TryRecvError::Empty) => received.recv().ok(),
                Err(TryRecvError::Disconnected) => None,
            };
            let Some(first) = first else { return Ok(()) };
            let mut batch = Some(self.gather(first, received));
            while let Some(next) = batch {
                if self.handle(next, received)? {
                    return Ok(());
                }
                batch = self.large.take_released();
            }
            self.load_piece();
            if self.has_maintenance() && Instant::now() >= self.maintenance_paused_until {
                self.run_maintenance()?;
            }
        }
    }

    /// Handles the requests of a batch. Returns whether the thread is to end.
    fn handle(&mut self, batch: Batch, received: &Receiver<Request>) -> Result<bool, StorageError> {
        let Batch { appends, chat_messages, others, .. } = self.finish_large_appends(batch)?;
        self.has_to_compact |= !appends.is_empty();
        let (small, large) = self.large.divide(appends);
        self.commit(small)?;
        for append in large {
            self.begin_large(append)?;
        }
        self.start_checkpoint()?;
        let chat_messages = self.large.hold_chat_messages(chat_messages);
        self.store_chat_messages(chat_messages);
        for request in others {
            match self.large.hold(request) {
                None => {}
                Some(Request::Stop { snapshots_until }) => {
                    self.write_snapshots(snapshots_until, received);
                    return Ok(true);
                }
                Some(Request::Closed) => return Ok(true),
                Some(Request::Settled { result }) => self.finish_checkpoint(result)?,
                Some(request) => self.answer(request),
            }
        }
        Ok(false)
    }

    /// Notices that other servers have taken the rooms of this one, or that a commit has failed.
    ///
    /// # Errors
    ///
    /// Fails then.
    fn check_lost(&mut self) -> Result<(), StorageError> {
        self.state.check_failure()?;
        match self.state.is_lost() {
            // Any call has the reason.
            true => self.storage.rooms_after(None, 1).map(drop),
            false => Ok(()),
        }
    }

    /// Looks whether a storage on another machine is back.
    fn check_availability(&mut self) {
        self.has_to_compact |= self.storage.is_maintenance_due();
        if self.state.is_any_away() {
            // Any call notices what has changed, and `availability` says so.
            _ = self.storage.rooms_after(None, 1);
        }
    }

    /// Collects the waiting requests, up to the size of one commit. If all of them can wait, waits
    /// for others.
    fn gather(&mut self, first: Request, received: &Receiver<Request>) -> Batch {
        let began = Instant::now();
        let mut batch = Batch { can_wait: true, ..Batch::default() };
        batch.push(first);
        loop {
            while !batch.is_full()
                && let Ok(next) = received.try_recv()
            {
                batch.push(next);
            }
            if !batch.can_wait {
                if !batch.appends.is_empty() {
                    self.busy_until = began + QUIET_PERIOD;
                }
                return batch;
            }
            let left = SHARED_COMMIT_WAIT.saturating_sub(began.elapsed());
            if began >= self.busy_until || batch.is_full() || left.is_zero() || !self.loading.is_empty() {
                return batch;
            }
            match received.recv_timeout(left) {
                Ok(next) => batch.push(next),
                Err(_) => return batch,
            }
        }
    }

    /// Makes the appends durable, in one commit for each database, and answers them. With several databases the
    /// commits may go on when this returns.
    pub fn commit(&mut self, waiting: Vec<WaitingAppend>) -> Result<(), StorageError> {
        let mut parts: BTreeMap<usize, Vec<WaitingAppend>> = BTreeMap::new();
        for append in waiting {
            parts.entry(self.state.part_of(append.0.room)).or_default().push(append);
        }
        for (part, waiting) in parts {
            let mut batch = Vec::with_capacity(waiting.len());
            let mut replies = Vec::with_capacity(waiting.len());
            for (append, queued, reply) in waiting {
                replies.push((append.room, queued, reply));
                batch.push(append);
            }
            let (state, began) = (Arc::clone(&self.state), Instant::now());
            let committed = Box::new(move |result| answer_appends(&state, began, replies, result));
            self.storage.submit(part, &batch, committed);
        }
        self.state.check_failure()
    }

    /// Starts a checkpoint of the write-ahead logs when one is due: on the reader's thread, beside
    /// the next commits, if there is a reader.
    fn start_checkpoint(&mut self) -> Result<(), StorageError> {
        if self.is_settling || !self.storage.needs_checkpoint() {
            return Ok(());
        }
        match &self.reader {
            Some(reader) => {
                self.is_settling = true;
                reader.send(ReadRequest::Settle);
                Ok(())
            }
            None => self.finish_checkpoint(Ok(())),
        }
    }

    /// Finishes a checkpoint. A sync that fails here may have lost acknowledged records, as in a
    /// commit.
    fn finish_checkpoint(&mut self, result: Result<(), StorageError>) -> Result<(), StorageError> {
        self.is_settling = false;
        let began = Instant::now();
        let result = match result {
            // There may be space by now; if not, commits continue in the write-ahead log.
            Ok(()) | Err(StorageError::Full) => self.storage.checkpoint(),
            Err(other) => Err(other),
        };
        self.state.metrics.housekeeping_seconds.observe(began.elapsed().as_secs_f64());
        match result {
            Err(StorageError::Full) => {
                tracing::warn!("no space left on the device to checkpoint the write-ahead log");
                Ok(())
            }
            other => other,
        }
    }

    /// Stores the chat messages of all rooms in one commit. None of them has been sent to anybody
    /// yet.
    fn store_chat_messages(&mut self, waiting: Vec<(StoredChatMessage, Reply<bool>)>) {
        if waiting.is_empty() {
            return;
        }
        let mut parts: BTreeMap<usize, (Vec<StoredChatMessage>, Vec<Reply<bool>>)> = BTreeMap::new();
        for (chat_message, reply) in waiting {
            let (chat_messages, replies) = parts.entry(self.state.part_of(chat_message.room)).or_default();
            chat_messages.push(chat_message);
            replies.push(reply);
        }
        for (chat_messages, replies) in parts.into_values() {
            let result = self.storage.put_chat_messages(&chat_messages);
            if let Err(error) = &result {
                tracing::error!(%error, "cannot store chat messages");
            }
            replies.into_iter().for_each(|reply| reply(result.is_ok()));
        }
    }

    fn answer(&mut self, request: Request) {
        let storage = &mut self.storage;
        match request {
            Request::Open { room, creates, reply } => self.open(room, creates, reply),
            Request::Release { room, heir } => {
                self.to_release.insert(room, heir);
                self.release_rooms();
            }
            Request::Loads { reply } => reply(storage.loads()),
            Request::Load { loading } => self.loading.push_back(loading),
            Request::ChatMessages { room, reply } => reply(storage.chat_messages(room)),
            Request::Tail { room, after, bytes_max, reply } => reply(storage.tail(room, after, bytes_max)),
            Request::SnapshotBefore { room, revision, reply } => match &self.reader {
                Some(reader) => reader.send(ReadRequest::Snapshot { room, up_to: revision, reply }),
                None => reply(storage.snapshot_before(room, revision)),
            },
            Request::PutSnapshot { room, snapshot } => {
                let is_queued = match self.uploads.as_ref().filter(|uploads| uploads.takes(&snapshot)) {
                    Some(uploads) => uploads.push(room, snapshot),
                    None => self.snapshots.push(room, snapshot),
                };
                if !is_queued {
                    tracing::warn!("too many snapshots wait to be stored; one is dropped");
                }
            }
            Request::PutReference { room, snapshot } => self.put_reference(room, snapshot),
            Request::ObjectReferences { reply } => match &self.reader {
                Some(reader) => reader.send(ReadRequest::ObjectReferences { reply }),
                None => reply(storage.object_references()),
            },
            Request::LoadBefore { loading } => match &self.reader {
                Some(reader) => reader.send(ReadRequest::SnapshotOf(loading)),
                None => self.loading.push_back(loading),
            },
            Request::Find { room, reply } => reply(storage.find(&room)),
            Request::PutImage { room, image, bytes_max, reply } => {
                let put = storage.find(&room).and_then(|claim| {
                    let put = |claim: Claim| storage.put_image(claim.key, &image, bytes_max);
                    claim.map(put).transpose()
                });
                reply(put);
            }
            Request::Image { room, image, reply } => match (storage.find(&room), &self.reader) {
                (Err(error), _) => reply(Err(error)),
                (Ok(None), _) => reply(Ok(None)),
                (Ok(Some(Claim { key: room, .. })), Some(reader)) => {
                    reader.send(ReadRequest::Image { room, image, reply });
                }
                (Ok(Some(claim)), None) => reply(storage.image(claim.key, image)),
            },
            Request::List { after, count, reply } => reply(storage.rooms_after(after.as_ref(), count)),
            Request::Measure { rooms, reply } => {
                reply(rooms.iter().map(|room| storage.usage(room)).collect());
            }
            Request::Delete { room, reply } => reply(storage.delete(&room)),
            Request::Flush { reply } => reply(()),
            Request::Append { .. }
            | Request::StoreChatMessage { .. }
            | Request::LargeWritten { .. }
            | Request::Settled { .. }
            | Request::Stop { .. }
            | Request::Closed => unreachable!("handled by the caller"),
        }
    }

    fn open(&mut self, room: RoomName, creates: bool, reply: OpenReply) {
        let storage = &mut self.storage;
        // Claiming writes to a storage with several processes, which rooms that nobody creates are not worth.
        if !creates {
            match storage.find(&room) {
                Ok(Some(_)) => {}
                Ok(None) => return reply(Ok(None)),
                Err(error) => return reply(Err(error)),
            }
        }
        let found = storage.claim(&room).and_then(|claim| {
            let has_snapshots =
                claim.head > Revision(0) && !storage.snapshot_revisions(claim.key)?.is_empty();
            Ok((claim, has_snapshots))
        });
        let (claim, has_snapshots) = match found {
            Ok(found) => found,
            Err(error) => return reply(Err(error)),
        };
        self.to_release.remove(&claim.key);
        let loading = Box::new(Loading { room, claim, up_to: claim.head, loaded: Loaded::default(), reply });
        match &self.reader {
            Some(reader) if has_snapshots => reader.send(ReadRequest::SnapshotOf(loading)),
            None if has_snapshots => {
                // A storage without a reader, such as the one in memory, is read at once.
                let loaded = self.storage.load(claim.key);
                (loading.reply)(loaded.map(|loaded| Some((claim, loaded))));
            }
            _ => self.loading.push_back(loading),
        }
    }

    /// Reads the next records of one room being opened, and answers when all have been read.
    fn load_piece(&mut self) {
        let Some(mut loading) = self.loading.pop_front() else { return };
        let (claim, loaded) = (loading.claim, &mut loading.loaded);
        let from = loaded.snapshot.as_ref().map_or(Revision(0), |snapshot| snapshot.revision);
        let after = loaded.records.last().map_or(from, |record| record.revision);
        if after >= claim.head {
            return (loading.reply)(Ok(Some((claim, loading.loaded))));
        }
        match self.storage.tail(claim.key, after, READ_BYTES) {
            Ok(records) => {
                loaded.records.extend(records);
                self.loading.push_back(loading);
            }
            Err(StorageError::Forgotten { .. }) if after >= claim.base => {
                // Old records were dropped in the meantime: a newer snapshot exists.
                self.open(loading.room, true, loading.reply);
            }
            Err(StorageError::Forgotten { base }) => {
                let reason = format!(
                    "the history begins at revision {base}, and no snapshot at or after it can be read"
                );
                (loading.reply)(Err(StorageError::Damaged { room: claim.key, revision: base, reason }));
            }
            Err(error) => (loading.reply)(Err(error)),
        }
    }

    /// Releases rooms of which no snapshot waits: only their owner can write one.
    fn release_rooms(&mut self) {
        let (waiting, ready) = std::mem::take(&mut self.to_release).into_iter().partition(|(room, _)| {
            self.snapshots.has(*room) || self.uploads.as_ref().is_some_and(|uploads| uploads.holds(*room))
        });
        self.to_release = waiting;
        let ready: BTreeMap<RoomKey, Option<String>> = ready;
        for (room, heir) in ready {
            let released = match heir {
                Some(url) => self.storage.hand_over(room, &url),
                None => self.storage.release(room),
            };
            if let Err(error) = released {
                // It stays claimed until this process opens it again, or ends.
                tracing::warn!(%error, "a room was not released");
            }
        }
    }

    fn has_maintenance(&self) -> bool {
        // A checkpoint has less left to finish when nothing else was written meanwhile, and a large append
        // would have to be waited for.
        !self.is_settling && self.large.is_idle() && (self.has_to_compact || !self.snapshots.is_empty())
    }

    /// Runs a piece of maintenance, storing snapshots and compacting in turn.
    ///
    /// # Errors
    ///
    /// Those of a checkpoint.
    fn run_maintenance(&mut self) -> Result<(), StorageError> {
        let began = Instant::now();
        self.is_snapshots_turn = !self.is_snapshots_turn;
        if self.has_to_compact && (!self.is_snapshots_turn || self.snapshots.is_empty()) {
            self.has_to_compact = self.storage.compact().unwrap_or_else(|error| {
                tracing::warn!(%error, "compacting the journal failed");
                false
            });
        } else {
            self.write_piece();
        }
        let took = began.elapsed();
        self.state.metrics.housekeeping_seconds.observe(took.as_secs_f64());
        self.maintenance_paused_until = Instant::now() + took * (MAINTENANCE_SHARE - 1);
        self.start_checkpoint()
    }

    fn write_piece(&mut self) {
        // A stored snapshot lets old records be compacted.
        self.has_to_compact = true;
        match self.snapshots.write_piece(&mut *self.storage) {
            Some(Piece::Last { room, took }) => {
                self.state.metrics.snapshots.inc();
                self.state.metrics.snapshot_seconds.observe(took.as_secs_f64());
                // History can be dropped up to a stored snapshot.
                if let Err(error) = self.storage.retain(room, &self.retention, unix_ms()) {
                    tracing::warn!(%error, "cannot drop old history");
                }
            }
            // A missing snapshot only makes the next opening slower.
            Some(Piece::Failed(error)) => tracing::warn!(%error, "cannot store a snapshot"),
            Some(Piece::Written) | None => {}
        }
        self.release_rooms();
    }

    /// Queues the reference of a snapshot, which is small.
    fn put_reference(&mut self, room: RoomKey, snapshot: Snapshot) {
        // Its object is removed later if it is dropped.
        self.snapshots.push(room, snapshot);
        if let Some(uploads) = &self.uploads {
            uploads.received(room);
        }
    }

    /// Stores the queued snapshots before the thread ends.
    fn write_snapshots(&mut self, until: Instant, received: &Receiver<Request>) {
        while Instant::now() < until {
            if !self.snapshots.is_empty() {
                self.write_piece();
            } else if self.uploads.as_ref().is_some_and(SnapshotUploads::is_busy) {
                // The rooms have ended, so that nothing else is of use.
                if let Ok(Request::PutReference { room, snapshot }) = received.recv_timeout(UPLOAD_POLL) {
                    self.put_reference(room, snapshot);
                }
            } else {
                break;
            }
        }
        if !self.snapshots.is_empty() || self.uploads.as_ref().is_some_and(SnapshotUploads::is_busy) {
            tracing::warn!("no time to store some snapshots; those rooms open more slowly the next time");
        }
    }
}

fn unix_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}
