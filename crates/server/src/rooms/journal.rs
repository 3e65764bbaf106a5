//! The one thread that owns the storage: it gathers what all rooms want stored and commits it together.
//!
//! Whatever came while one commit was under way goes into the next one: group commit needs no timer. Loads wait until
//! the batch is durable, and are done piece by piece: what may be big, a snapshot or a image, is read on a thread of its
//! own (`reading`), and records between commits. When a sync fails nothing more is acknowledged and the process ends.
//!
//! What commits have written is brought to its place beside them, on the thread that reads.
//!
//! Snapshots, and moving the log to where each room's records are, are housekeeping: done in bounded pieces, when
//! nothing else is to be done, and otherwise in a part of the time, so that a commit waits for one piece at most.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use quadrille_journal::{
    Append, Claim, Image, ImageId, ImagePut, Loaded, Outcome, Retention, RoomKey, Snapshot, Storage,
    StorageError, StoredChatMessage, StoredRecord,
};
use quadrille_protocol::{Revision, RoomName};

use super::snapshot_queue::{Piece, SnapshotQueue};
use super::storage_reader::{Reading, Wanted};
use crate::limits;
use crate::metrics::Metrics;

/// Called on the journal's thread with the answer; sends it on and returns at once.
pub type Reply<T> = Box<dyn FnOnce(T) + Send>;

/// What becomes of one append; the error is one after which the room may go on from the journal.
pub type AppendResult = Result<Outcome, StorageError>;

pub enum Request {
    /// Opens the room and reads what is needed to run it.
    Open {
        room: RoomName,
        reply: Opened,
    },
    /// The snapshot of a room that is being opened has been read.
    Load {
        loading: Box<Loading>,
    },
    Append {
        append: Append,
        bytes: usize,
        /// It may wait for others' to be stored with, [`PATIENCE`] at most.
        is_patient: bool,
        reply: Reply<AppendResult>,
    },
    /// Something said in a chat; told whether it is stored.
    Say {
        chat_message: StoredChatMessage,
        reply: Reply<bool>,
    },
    ChatMessages {
        room: RoomKey,
        reply: Reply<Result<Vec<Arc<[u8]>>, StorageError>>,
    },
    Tail {
        room: RoomKey,
        after: Revision,
        bytes_max: usize,
        reply: Reply<Result<Vec<StoredRecord>, StorageError>>,
    },
    /// The newest snapshot that is not after a revision.
    SnapshotBefore {
        room: RoomKey,
        revision: Revision,
        reply: Reply<Result<Option<Snapshot>, StorageError>>,
    },
    PutSnapshot {
        room: RoomKey,
        snapshot: Snapshot,
    },
    Find {
        room: RoomName,
        reply: Reply<Result<Option<Claim>, StorageError>>,
    },
    /// Answered with `None` when there is no such room.
    PutImage {
        room: RoomName,
        image: Image,
        reply: Reply<Result<Option<ImagePut>, StorageError>>,
    },
    Image {
        room: RoomName,
        image: ImageId,
        reply: Reply<Result<Option<Arc<[u8]>>, StorageError>>,
    },
    Delete {
        room: RoomName,
        reply: Reply<Result<bool, StorageError>>,
    },
    /// Answered when everything asked for before is done, but for housekeeping.
    Flush {
        reply: Reply<()>,
    },
    /// What was committed has been brought to its place, but for what came meanwhile.
    Settled {
        result: Result<(), StorageError>,
    },
    /// Nobody is left who could ask.
    Over,
    /// The end, when the snapshots that wait are written or it is this late.
    Stop {
        snapshots_until: Instant,
    },
}

/// What a room needs to run, and what is known of it.
pub type Opened = Reply<Result<(Claim, Loaded), StorageError>>;

/// A room that is being opened.
pub struct Loading {
    pub room: RoomName,
    pub claim: Claim,
    pub loaded: Loaded,
    pub reply: Opened,
}

/// The way to the journal's thread.
#[derive(Clone)]
pub struct Journal {
    requests: Arc<Door>,
    state: Arc<State>,
}

/// What is read elsewhere comes back the same way, so that the thread ends when it is told to, not when nobody could ask.
struct Door(Sender<Request>);

impl Drop for Door {
    fn drop(&mut self) {
        let _ = self.0.send(Request::Over);
    }
}

#[derive(Default)]
struct State {
    /// Bytes of appends that wait.
    queued_bytes: AtomicUsize,
    is_full: AtomicBool,
    metrics: Arc<Metrics>,
}

/// Commits at most this many appends at once, so that the first of them does not wait for the last.
const APPENDS_PER_COMMIT_MAX: usize = 4_096;

/// While others wait, housekeeping has one part of the time in so many: after a piece of 5 ms the next begins 15 ms later.
const HOUSEKEEPING_SHARE: u32 = 4;

/// How long rooms whose values take far longer wait for others to be stored with: their syncs cost nobody else time then.
const PATIENCE: Duration = Duration::from_millis(10);
/// Nobody has to wait for others that have stored nothing for so long.
const QUIET: Duration = Duration::from_millis(50);

impl Journal {
    /// Starts the thread. `failed` is called on it, with what happened, when the storage can no longer be trusted.
    pub fn start(
        storage: Box<dyn Storage>,
        metrics: &Arc<Metrics>,
        keep: Retention,
        piece_bytes: usize,
        failed: impl FnOnce(StorageError) + Send + 'static,
    ) -> (Journal, JoinHandle<()>) {
        let (requests, received) = channel();
        let state = Arc::new(State { metrics: Arc::clone(metrics), ..State::default() });
        let reading = match storage.reader() {
            Ok(reader) => reader.map(|reader| Reading::start(reader, requests.clone())),
            Err(error) => {
                tracing::warn!(%error, "snapshots are read between commits: there is no reader beside the journal");
                None
            }
        };
        let writer = Writer {
            storage,
            reading,
            loading: VecDeque::new(),
            piece_bytes,
            keep,
            state: Arc::clone(&state),
            snapshots: SnapshotQueue::new(piece_bytes),
            has_to_compact: true,
            is_snapshots_turn: false,
            is_settling: false,
            rests_until: Instant::now(),
            busy_until: Instant::now(),
        };
        let run = move || {
            if let Err(error) = writer.run(&received) {
                failed(error);
            }
        };
        let thread = std::thread::Builder::new().name("journal".into()).spawn(run);
        (Journal { requests: Arc::new(Door(requests)), state }, thread.expect("the system gives a thread"))
    }

    pub fn ask(&self, request: Request) {
        if let Request::Append { bytes, .. } = &request {
            self.state.queued_bytes.fetch_add(*bytes, Ordering::Relaxed);
            self.state.metrics.journal_queue_bytes.inc_by(*bytes as i64);
        }
        // The thread ends only with the process, or after a failure that ends it.
        let _ = self.requests.0.send(request);
    }

    /// True when writers from outside should come back later.
    pub fn is_overloaded(&self) -> bool {
        self.state.queued_bytes.load(Ordering::Relaxed) > limits::JOURNAL_QUEUE_BYTES_MAX
    }

    /// True from a write that found no space until one that did.
    pub fn is_full(&self) -> bool {
        self.state.is_full.load(Ordering::Relaxed)
    }
}

struct Writer {
    /// Ends before the storage is closed.
    reading: Option<Reading>,
    storage: Box<dyn Storage>,
    /// Rooms whose records are being read, in turn.
    loading: VecDeque<Box<Loading>>,
    /// Bytes that are read or written while commits wait, about.
    piece_bytes: usize,
    /// What of the rooms' histories is kept.
    keep: Retention,
    state: Arc<State>,
    snapshots: SnapshotQueue,
    has_to_compact: bool,
    /// Of the two kinds of housekeeping, the one that is done next.
    is_snapshots_turn: bool,
    /// What was committed is being brought to its place.
    is_settling: bool,
    /// Housekeeping keeps nobody waiting before this.
    rests_until: Instant,
    /// Others than patient ones are likely to store something soon.
    busy_until: Instant,
}

/// Requests that are dealt with together.
#[derive(Default)]
struct Batch {
    appends: Vec<(Append, usize, Reply<AppendResult>)>,
    chat_messages: Vec<(StoredChatMessage, Reply<bool>)>,
    others: Vec<Request>,
    /// Nothing but appends that may wait.
    is_patient: bool,
}

impl Batch {
    fn push(&mut self, request: Request) {
        self.is_patient &= matches!(request, Request::Append { is_patient: true, .. });
        match request {
            Request::Append { append, bytes, reply, .. } => self.appends.push((append, bytes, reply)),
            Request::Say { chat_message, reply } => self.chat_messages.push((chat_message, reply)),
            other => self.others.push(other),
        }
    }

    fn is_full(&self) -> bool {
        self.appends.len() + self.chat_messages.len() >= APPENDS_PER_COMMIT_MAX
    }
}

impl Writer {
    /// Until it is told to stop, or cannot trust the storage any more.
    fn run(mut self, received: &Receiver<Request>) -> Result<(), StorageError> {
        loop {
            let first = match received.try_recv() {
                Ok(request) => Some(request),
                Err(TryRecvError::Empty) if !self.loading.is_empty() => {
                    self.load_piece();
                    continue;
                }
                Err(TryRecvError::Empty) if self.has_maintenance() => {
                    self.run_maintenance();
                    continue;
                }
                Err(TryRecvError::Empty) => received.recv().ok(),
                Err(TryRecvError::Disconnected) => None,
            };
            let Some(first) = first else { return Ok(()) };
            let Batch { appends, chat_messages, others, .. } = self.gather(first, received);
            self.has_to_compact |= !appends.is_empty();
            self.commit(appends)?;
            self.begin_to_settle()?;
            self.send_chat_message(chat_messages);
            for request in others {
                match request {
                    Request::Stop { snapshots_until } => {
                        self.write_snapshots(snapshots_until);
                        return Ok(());
                    }
                    Request::Over => return Ok(()),
                    Request::Settled { result } => self.settled(result)?,
                    request => self.answer(request),
                }
            }
            self.load_piece();
            if self.has_maintenance() && Instant::now() >= self.rests_until {
                self.run_maintenance();
            }
        }
    }

    /// Everything that waits, up to what is committed at once. Patient appends alone wait for company.
    fn gather(&mut self, first: Request, received: &Receiver<Request>) -> Batch {
        let began = Instant::now();
        let mut batch = Batch { is_patient: true, ..Batch::default() };
        batch.push(first);
        loop {
            while !batch.is_full()
                && let Ok(next) = received.try_recv()
            {
                batch.push(next);
            }
            if !batch.is_patient {
                if !batch.appends.is_empty() {
                    self.busy_until = began + QUIET;
                }
                return batch;
            }
            let left = PATIENCE.saturating_sub(began.elapsed());
            if began >= self.busy_until || batch.is_full() || left.is_zero() || !self.loading.is_empty() {
                return batch;
            }
            match received.recv_timeout(left) {
                Ok(next) => batch.push(next),
                Err(_) => return batch,
            }
        }
    }

    /// One durable commit for all of them.
    fn commit(&mut self, waiting: Vec<(Append, usize, Reply<AppendResult>)>) -> Result<(), StorageError> {
        if waiting.is_empty() {
            return Ok(());
        }
        let bytes: usize = waiting.iter().map(|(_, bytes, _)| bytes).sum();
        let (batch, replies): (Vec<Append>, Vec<_>) =
            waiting.into_iter().map(|(append, _, reply)| (append, reply)).unzip();
        let began = Instant::now();
        let result = self.storage.append(&batch);
        let metrics = &self.state.metrics;
        metrics.commit_seconds.observe(began.elapsed().as_secs_f64());
        metrics.commit_appends.observe(batch.len() as f64);
        metrics.journal_queue_bytes.dec_by(bytes as i64);
        self.state.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
        match result {
            Ok(outcomes) => {
                debug_assert_eq!(outcomes.len(), replies.len());
                self.state.is_full.store(false, Ordering::Relaxed);
                // Durable is said up to a revision: the last of a room's answers holds the others, and the room
                // tells its sessions of the whole commit in one frame.
                let last: HashMap<RoomKey, usize> =
                    batch.iter().enumerate().map(|(index, append)| (append.room, index)).collect();
                for (index, (reply, outcome)) in replies.into_iter().zip(outcomes).enumerate() {
                    if last[&batch[index].room] == index || outcome == Outcome::Fenced {
                        reply(Ok(outcome));
                    }
                }
                Ok(())
            }
            Err(StorageError::Full) => {
                tracing::error!("no space left for the journal; nothing is acknowledged until there is");
                self.state.is_full.store(true, Ordering::Relaxed);
                for reply in replies {
                    reply(Err(StorageError::Full));
                }
                Ok(())
            }
            Err(other) => Err(other),
        }
    }

    /// Brings what was committed to its place when it is time: beside the next commits, if somebody can.
    fn begin_to_settle(&mut self) -> Result<(), StorageError> {
        if self.is_settling || !self.storage.has_to_settle() {
            return Ok(());
        }
        match &self.reading {
            Some(reading) => {
                self.is_settling = true;
                reading.ask(Wanted::Settle);
                Ok(())
            }
            None => self.settled(Ok(())),
        }
    }

    /// Does what is left of it. A sync that fails here has lost what was told to be durable, as one of a commit.
    fn settled(&mut self, result: Result<(), StorageError>) -> Result<(), StorageError> {
        self.is_settling = false;
        let began = Instant::now();
        let result = match result {
            // It may fit by now; if not, commits go on where they are.
            Ok(()) | Err(StorageError::Full) => self.storage.settle(),
            Err(other) => Err(other),
        };
        self.state.metrics.housekeeping_seconds.observe(began.elapsed().as_secs_f64());
        match result {
            Err(StorageError::Full) => {
                tracing::warn!("no space left to bring what was committed to its place");
                Ok(())
            }
            other => other,
        }
    }

    /// One durable commit for what is said in all rooms. When it fails, nothing of it was told to anybody.
    fn send_chat_message(&mut self, waiting: Vec<(StoredChatMessage, Reply<bool>)>) {
        if waiting.is_empty() {
            return;
        }
        let (chat_messages, replies): (Vec<StoredChatMessage>, Vec<_>) = waiting.into_iter().unzip();
        let result = self.storage.send_chat_message(&chat_messages);
        if let Err(error) = &result {
            tracing::error!(%error, "what was said could not be stored");
        }
        replies.into_iter().for_each(|reply| reply(result.is_ok()));
    }

    fn answer(&mut self, request: Request) {
        let storage = &mut self.storage;
        match request {
            Request::Open { room, reply } => self.open(room, reply),
            Request::Load { loading } => self.loading.push_back(loading),
            Request::ChatMessages { room, reply } => reply(storage.chat_messages(room)),
            Request::Tail { room, after, bytes_max, reply } => reply(storage.tail(room, after, bytes_max)),
            Request::SnapshotBefore { room, revision, reply } => match &self.reading {
                Some(reading) => reading.ask(Wanted::Snapshot { room, up_to: revision, reply }),
                None => reply(storage.snapshot_before(room, revision)),
            },
            Request::PutSnapshot { room, snapshot } => {
                if !self.snapshots.push(room, snapshot) {
                    tracing::warn!("too many snapshots wait to be written; one is left out");
                }
            }
            Request::Find { room, reply } => reply(storage.find(&room)),
            Request::PutImage { room, image, reply } => {
                let put = storage.find(&room).and_then(|claim| {
                    let put = |claim: Claim| {
                        storage.put_image(claim.key, &image, limits::IMAGES_BYTES_PER_ROOM_MAX as u64)
                    };
                    claim.map(put).transpose()
                });
                reply(put);
            }
            Request::Image { room, image, reply } => match (storage.find(&room), &self.reading) {
                (Err(error), _) => reply(Err(error)),
                (Ok(None), _) => reply(Ok(None)),
                (Ok(Some(Claim { key: room, .. })), Some(reading)) => {
                    reading.ask(Wanted::Image { room, image, reply });
                }
                (Ok(Some(claim)), None) => reply(storage.image(claim.key, image)),
            },
            Request::Delete { room, reply } => reply(storage.delete(&room)),
            Request::Flush { reply } => reply(()),
            Request::Append { .. }
            | Request::Say { .. }
            | Request::Settled { .. }
            | Request::Stop { .. }
            | Request::Over => unreachable!("taken out before"),
        }
    }

    fn open(&mut self, room: RoomName, reply: Opened) {
        let storage = &mut self.storage;
        let found = storage.claim(&room).and_then(|claim| {
            let has_snapshots =
                claim.head > Revision(0) && !storage.snapshot_revisions(claim.key)?.is_empty();
            Ok((claim, has_snapshots))
        });
        let (claim, has_snapshots) = match found {
            Ok(found) => found,
            Err(error) => return reply(Err(error)),
        };
        let loading = Box::new(Loading { room, claim, loaded: Loaded::default(), reply });
        match &self.reading {
            Some(reading) if has_snapshots => reading.ask(Wanted::SnapshotOf(loading)),
            None if has_snapshots => {
                // A storage that is read at once, as the one in memory.
                let loaded = self.storage.load(claim.key);
                (loading.reply)(loaded.map(|loaded| (claim, loaded)));
            }
            _ => self.loading.push_back(loading),
        }
    }

    /// Reads some records of the room whose turn it is, and gives them to it when these are all.
    fn load_piece(&mut self) {
        let Some(mut loading) = self.loading.pop_front() else { return };
        let (claim, loaded) = (loading.claim, &mut loading.loaded);
        let from = loaded.snapshot.as_ref().map_or(Revision(0), |snapshot| snapshot.revision);
        let after = loaded.records.last().map_or(from, |record| record.revision);
        if after >= claim.head {
            return (loading.reply)(Ok((claim, loading.loaded)));
        }
        match self.storage.tail(claim.key, after, self.piece_bytes) {
            Ok(records) => {
                loaded.records.extend(records);
                self.loading.push_back(loading);
            }
            Err(StorageError::Forgotten { .. }) if after >= claim.base => {
                // What is old was dropped meanwhile: there is a snapshot to begin at.
                self.open(loading.room, loading.reply);
            }
            Err(StorageError::Forgotten { base }) => {
                let reason = format!(
                    "the history begins at revision {base}, and no snapshot from there on can be read"
                );
                (loading.reply)(Err(StorageError::Damaged { room: claim.key, revision: base, reason }));
            }
            Err(error) => (loading.reply)(Err(error)),
        }
    }

    fn has_maintenance(&self) -> bool {
        self.has_to_compact || !self.snapshots.is_empty()
    }

    /// A piece of housekeeping, of the two kinds in turn.
    fn run_maintenance(&mut self) {
        let began = Instant::now();
        self.is_snapshots_turn = !self.is_snapshots_turn;
        if self.has_to_compact && (!self.is_snapshots_turn || self.snapshots.is_empty()) {
            self.has_to_compact = self.storage.compact().unwrap_or_else(|error| {
                tracing::warn!(%error, "housekeeping of the journal failed");
                false
            });
        } else {
            self.write_piece();
        }
        let took = began.elapsed();
        self.state.metrics.housekeeping_seconds.observe(took.as_secs_f64());
        self.rests_until = Instant::now() + took * (HOUSEKEEPING_SHARE - 1);
    }

    fn write_piece(&mut self) {
        // It leaves something to do behind it.
        self.has_to_compact = true;
        match self.snapshots.write_piece(&mut *self.storage) {
            Some(Piece::Last { room, took }) => {
                self.state.metrics.snapshots.inc();
                self.state.metrics.snapshot_seconds.observe(took.as_secs_f64());
                // A snapshot is what a shorter history can begin at.
                if let Err(error) = self.storage.retain(room, &self.keep, unix_ms()) {
                    tracing::warn!(%error, "what is old of a history could not be dropped");
                }
            }
            // It saves time at the next opening; the journal has everything without it.
            Some(Piece::Failed(error)) => tracing::warn!(%error, "a snapshot could not be written"),
            Some(Piece::Written) | None => {}
        }
    }

    /// What is left of the snapshots, before the end.
    fn write_snapshots(&mut self, until: Instant) {
        while !self.snapshots.is_empty() && Instant::now() < until {
            self.write_piece();
        }
        if !self.snapshots.is_empty() {
            tracing::warn!(
                "there was no time for some snapshots; those rooms open more slowly the next time"
            );
        }
    }
}

fn unix_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}
