//! [`ShardThread`]: a storage or reader with a thread of its own, so that nobody waits for one that is away (H6).

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use quadrille_journal::{Append, Availability, Committed, Outcome, Storage, StorageError};

use crate::watchdog::Watched;

/// Time between two looks of a waiting caller at whether the watchdog has found the shard to be away.
const AWAY_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Time after which a shard that was not called is probed when it is away or has answered no heartbeat since. Heartbeats
/// are sent four times a second.
const PROBE_INTERVAL: Duration = Duration::from_millis(500);
/// Appends of one commit, so that the first of them does not wait too long for the last.
const APPENDS_PER_COMMIT_MAX: usize = 4_096;

type Call<T> = Box<dyn FnOnce(&mut T) + Send>;

enum Job<T> {
    Call(Call<T>),
    Append(Vec<Append>, Committed),
}

/// A value that is used on a thread of its own. The callers bound the queue: one waits for each call, and the bytes of
/// waiting appends are limited by the journal.
pub struct ShardThread<T> {
    jobs: Option<Sender<Job<T>>>,
    thread: Option<JoinHandle<()>>,
    availability: Option<Availability>,
    /// Calls that nobody waits for any more, and that have not ended.
    abandoned: Arc<AtomicUsize>,
    progress: Arc<AtomicU64>,
}

/// What is done with a value beside calls.
pub trait OnThread: Send + 'static {
    /// Makes appends durable in one commit, and waits while the shard is away.
    fn commit(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError>;
    /// Notices whether a shard that was away is back.
    fn probe(&mut self);
}

impl OnThread for Box<dyn Storage> {
    fn commit(&mut self, batch: &[Append]) -> Result<Vec<Outcome>, StorageError> {
        self.append(batch)
    }

    fn probe(&mut self) {
        // Any call notices it, and `availability` says so.
        _ = self.rooms_after(None, 1);
    }
}

impl<T: OnThread> ShardThread<T> {
    /// Starts the thread.
    pub fn start(value: T, availability: Option<Availability>) -> ShardThread<T> {
        let (jobs, received) = channel();
        let of_thread = availability.clone();
        let progress: Arc<AtomicU64> = Arc::default();
        let of_jobs = Arc::clone(&progress);
        let thread = std::thread::Builder::new()
            .name("shard".into())
            .spawn(move || run(value, &received, of_thread.as_ref(), &of_jobs))
            .expect("the system can start a thread");
        ShardThread {
            jobs: Some(jobs),
            thread: Some(thread),
            availability,
            abandoned: Arc::default(),
            progress,
        }
    }

    /// Runs `work` on the thread, after what was given to it before, and waits for the result.
    ///
    /// # Errors
    /// `Away` when the shard is known to be away, or the watchdog finds that it is. Then the call may still be carried
    /// out later.
    pub fn call<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut T) -> Result<R, StorageError> + Send + 'static,
    ) -> Result<R, StorageError> {
        if self.is_away() {
            return Err(away());
        }
        let (reply, answer) = sync_channel(1);
        // Whoever comes second, the thread or the caller that gives up, finds it set.
        let is_over = Arc::new(AtomicBool::new(false));
        let abandoned = Arc::clone(&self.abandoned);
        let of_thread = Arc::clone(&is_over);
        self.send(Job::Call(Box::new(move |value| {
            // The receiver may have gone.
            _ = reply.send(work(value));
            if of_thread.swap(true, Ordering::SeqCst) {
                abandoned.fetch_sub(1, Ordering::SeqCst);
            }
        })));
        loop {
            match answer.recv_timeout(AWAY_CHECK_INTERVAL) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => return Err(ended()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !self.availability.as_ref().is_some_and(Availability::is_away) {
                continue;
            }
            self.abandoned.fetch_add(1, Ordering::SeqCst);
            if is_over.swap(true, Ordering::SeqCst) {
                self.abandoned.fetch_sub(1, Ordering::SeqCst);
                return answer.recv().unwrap_or_else(|_| Err(ended()));
            }
            return Err(away());
        }
    }

    /// Returns what tells whether the thread waits for a shard that does not answer.
    pub fn watched(&self) -> Option<Watched> {
        let availability = self.availability.clone()?;
        Some(Watched { availability, progress: Arc::clone(&self.progress) })
    }

    /// Makes appends durable on the thread, with those that wait there.
    pub fn append(&self, batch: Vec<Append>, committed: Committed) {
        self.send(Job::Append(batch, committed));
    }

    fn is_away(&self) -> bool {
        self.abandoned.load(Ordering::SeqCst) > 0
            || self.availability.as_ref().is_some_and(Availability::is_away)
    }

    fn send(&self, job: Job<T>) {
        // The thread ends only with this value, or when it panics, which the caller notices by its answer.
        _ = self.jobs.as_ref().expect("taken when dropped").send(job);
    }
}

impl<T> Drop for ShardThread<T> {
    /// Waits until everything is done, unless the shard is away.
    fn drop(&mut self) {
        drop(self.jobs.take());
        let is_away = self.availability.as_ref().is_some_and(Availability::is_away);
        if let Some(thread) = self.thread.take().filter(|_| !is_away) {
            _ = thread.join();
        }
    }
}

fn run<T: OnThread>(
    mut value: T,
    received: &Receiver<Job<T>>,
    availability: Option<&Availability>,
    progress: &AtomicU64,
) {
    let mut next = None;
    let mut heartbeats = None;
    loop {
        let job = match next.take() {
            Some(job) => job,
            None => match received.recv_timeout(PROBE_INTERVAL) {
                Ok(job) => job,
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let before =
                        std::mem::replace(&mut heartbeats, availability.map(Availability::heartbeats));
                    let is_silent = heartbeats.is_some() && heartbeats == before;
                    if is_silent || availability.is_some_and(Availability::is_away) {
                        // While it waits, the watchdog sees a job that goes on.
                        progress.fetch_add(1, Ordering::SeqCst);
                        value.probe();
                        progress.fetch_add(1, Ordering::SeqCst);
                    }
                    continue;
                }
            },
        };
        progress.fetch_add(1, Ordering::SeqCst);
        match job {
            Job::Call(call) => call(&mut value),
            Job::Append(mut batch, committed) => {
                let mut waiting = VecDeque::from([(batch.len(), committed)]);
                while batch.len() < APPENDS_PER_COMMIT_MAX {
                    match received.try_recv() {
                        Ok(Job::Append(more, committed)) => {
                            waiting.push_back((more.len(), committed));
                            batch.extend(more);
                        }
                        Ok(call) => {
                            next = Some(call);
                            break;
                        }
                        Err(_) => break,
                    }
                }
                answer(value.commit(&batch), waiting);
            }
        }
        progress.fetch_add(1, Ordering::SeqCst);
    }
}

/// Gives each caller the outcomes of its appends.
fn answer(result: Result<Vec<Outcome>, StorageError>, waiting: VecDeque<(usize, Committed)>) {
    match result {
        Ok(outcomes) => {
            let mut outcomes = outcomes.into_iter();
            for (count, committed) in waiting {
                committed(Ok(outcomes.by_ref().take(count).collect()));
            }
        }
        Err(error) => {
            let reason = error.to_string();
            let is_full = matches!(error, StorageError::Full);
            let mut first = Some(error);
            for (_, committed) in waiting {
                committed(Err(match first.take() {
                    Some(error) => error,
                    None if is_full => StorageError::Full,
                    None => StorageError::Engine { reason: reason.clone() },
                }));
            }
        }
    }
}

fn away() -> StorageError {
    StorageError::Away { reason: "it does not answer".into() }
}

fn ended() -> StorageError {
    StorageError::Engine { reason: "the thread of a database has ended".into() }
}
