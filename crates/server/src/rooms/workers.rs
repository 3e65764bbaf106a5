//! Worker threads for work proportional to the size of a workbook (`W1`).
//!
//! | queue | work | priority |
//! |---|---|---|
//! | short | opening and encoding small workbooks: milliseconds | normal |
//! | large | the same for large workbooks | low |
//! | whole | heavy messages that cannot be split: seconds | low |
//! | sliced | calculations in slices, in turn | idle |
//!
//! Each queue has its own threads, so short work never waits for long work.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use quadrille_cell::{Range, free_deferred};
use quadrille_workbook::{Sheet, Workbook};

use crate::metrics::Metrics;
use crate::thread_priority::{set_idle_priority, set_low_priority};

type Task = Box<dyn FnOnce() + Send>;

/// Cells in the used ranges of a small workbook, which are processed within milliseconds.
const SMALL_CELLS_MAX: u64 = 50_000;
/// Bytes of a small workbook's snapshot.
const SMALL_BYTES_MAX: usize = 256 << 10;

/// Result of a slice of long work.
pub enum Slice<T, W> {
    Done(T),
    /// The rest of the work.
    More(W),
}

/// Size class of a workbook, which determines how long work on it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A few milliseconds.
    Small,
    /// Tens to hundreds of milliseconds.
    Large,
}

impl Size {
    /// Returns the size class of a workbook by its used cells.
    pub fn of(workbook: &Workbook) -> Size {
        let area = |sheet: &Sheet| sheet.used_range().map_or(0, Range::cell_count);
        match workbook.sheets().iter().map(|sheet| area(sheet)).sum::<u64>() <= SMALL_CELLS_MAX {
            true => Size::Small,
            false => Size::Large,
        }
    }

    /// Returns the size class of a workbook that is stored in so many bytes.
    pub fn of_bytes(bytes: usize) -> Size {
        if bytes <= SMALL_BYTES_MAX { Size::Small } else { Size::Large }
    }
}

/// The worker threads. They end when the last clone is dropped.
pub struct Workers {
    short: Arc<Queue>,
    large: Arc<Queue>,
    whole: Arc<Queue>,
    sliced: Arc<Queue>,
    /// Number of clones.
    clones: Arc<AtomicUsize>,
}

struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Task>,
    has_ended: bool,
}

impl Clone for Workers {
    fn clone(&self) -> Workers {
        self.clones.fetch_add(1, Ordering::Relaxed);
        Workers {
            short: Arc::clone(&self.short),
            large: Arc::clone(&self.large),
            whole: Arc::clone(&self.whole),
            sliced: Arc::clone(&self.sliced),
            clones: Arc::clone(&self.clones),
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        if self.clones.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.short.end();
            self.large.end();
            self.whole.end();
            self.sliced.end();
        }
    }
}

impl Workers {
    /// Starts at least two threads per queue, so that one long task does not block a queue.
    pub fn start(threads: usize, metrics: &Arc<Metrics>) -> Workers {
        let workers = Workers {
            short: Arc::new(Queue::new(metrics)),
            large: Arc::new(Queue::new(metrics)),
            whole: Arc::new(Queue::new(metrics)),
            sliced: Arc::new(Queue::new(metrics)),
            clones: Arc::new(AtomicUsize::new(1)),
        };
        for index in 0..threads.max(2) {
            start(&workers.short, format!("worker-{index}"), || {});
            start(&workers.large, format!("large-{index}"), set_low_priority);
            start(&workers.whole, format!("whole-{index}"), set_low_priority);
            start(&workers.sliced, format!("calculator-{index}"), set_idle_priority);
        }
        workers
    }

    /// Runs short work and passes its result to `done`; `None` when it panicked.
    pub fn run<T>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(Option<T>) + Send + 'static,
    ) {
        self.run_sized(Size::Small, work, done);
    }

    /// Runs work proportional to the size of a workbook, whose result a client may wait for.
    pub fn run_sized<T>(
        &self,
        size: Size,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(Option<T>) + Send + 'static,
    ) {
        let queue = match size {
            Size::Small => &self.short,
            Size::Large => &self.large,
        };
        queue.push(Box::new(move || done(catch_unwind(AssertUnwindSafe(work)).ok())));
    }

    /// Runs work that cannot be split and may take seconds.
    pub fn run_whole<T>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(Option<T>) + Send + 'static,
    ) {
        self.whole.push(Box::new(move || done(catch_unwind(AssertUnwindSafe(work)).ok())));
    }

    /// Runs long work in slices; other work gets a turn between them. Work that is likely to finish
    /// in its first slice, which must be short, starts in the queue of short work.
    pub fn run_in_slices<T: 'static, W: Send + 'static>(
        &self,
        is_likely_short: bool,
        work: W,
        slice: fn(W) -> Slice<T, W>,
        done: impl FnOnce(Option<T>) + Send + 'static,
    ) {
        let first = if is_likely_short { &self.short } else { &self.sliced };
        push_slice(first, Arc::clone(&self.sliced), work, slice, done);
    }
}

/// Queues the next slice in `queue` and those that follow it in `rest`.
fn push_slice<T: 'static, W: Send + 'static>(
    queue: &Queue,
    rest: Arc<Queue>,
    work: W,
    slice: fn(W) -> Slice<T, W>,
    done: impl FnOnce(Option<T>) + Send + 'static,
) {
    queue.push(Box::new(move || match catch_unwind(AssertUnwindSafe(|| slice(work))) {
        Ok(Slice::More(work)) => push_slice(&Arc::clone(&rest), rest, work, slice, done),
        Ok(Slice::Done(result)) => done(Some(result)),
        Err(_) => done(None),
    }));
}

fn start(queue: &Arc<Queue>, name: String, set_priority: fn()) {
    let queue = Arc::clone(queue);
    let run = move || {
        set_priority();
        while let Some(task) = queue.next() {
            task();
            // Frees the memory of a cancelled evaluation, after its result was passed on.
            while free_deferred() {}
        }
    };
    let started = std::thread::Builder::new().name(name).spawn(run);
    started.expect("the system can start a thread");
}

impl Queue {
    fn new(metrics: &Arc<Metrics>) -> Queue {
        Queue { state: Mutex::default(), changed: Condvar::new(), metrics: Arc::clone(metrics) }
    }

    fn push(&self, task: Task) {
        self.metrics.worker_queue.inc();
        self.state.lock().unwrap_or_else(PoisonError::into_inner).tasks.push_back(task);
        self.changed.notify_one();
    }

    fn next(&self) -> Option<Task> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(task) = state.tasks.pop_front() {
                self.metrics.worker_queue.dec();
                return Some(task);
            }
            if state.has_ended {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).has_ended = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// Work that runs until `is_over` is set.
    struct Endless {
        is_over: Arc<AtomicUsize>,
        slices: u64,
    }

    fn resume(work: Endless) -> Slice<u64, Endless> {
        match work.is_over.load(Ordering::Relaxed) {
            0 => Slice::More(Endless { slices: work.slices + 1, ..work }),
            _ => Slice::Done(work.slices),
        }
    }

    #[test]
    fn w1_endless_work_does_not_delay_other_work() {
        let workers = Workers::start(1, &Arc::default());
        let is_over = Arc::new(AtomicUsize::new(0));
        let (sender, results) = channel();
        for _ in 0..10 {
            let (sender, is_over) = (sender.clone(), Arc::clone(&is_over));
            workers.run_in_slices(false, Endless { is_over, slices: 0 }, resume, move |slices| {
                sender.send(slices.expect("no panic")).expect("waited for");
            });
        }
        // Other short and long work is done in the meantime.
        let (short_sender, short) = channel();
        for number in 0..100 {
            let sender = short_sender.clone();
            workers.run(move || number, move |done| sender.send(done).expect("waited for"));
        }
        assert_eq!(short.iter().take(100).flatten().sum::<i32>(), 4_950);
        workers.run_in_slices(
            true,
            5,
            |left| if left == 0 { Slice::Done(()) } else { Slice::More(left - 1) },
            {
                let sender = short_sender.clone();
                move |done| sender.send(done.map(|()| 7)).expect("waited for")
            },
        );
        assert_eq!(short.recv().expect("done"), Some(7));
        is_over.store(1, Ordering::Relaxed);
        assert!(results.iter().take(10).all(|slices| slices > 0), "all had turns");
    }

    #[test]
    fn a_panic_is_reported_and_the_thread_continues() {
        let workers = Workers::start(1, &Arc::default());
        let (sender, results) = channel();
        for _ in 0..3 {
            let sender = sender.clone();
            workers.run(
                || panic!("planned by the test"),
                move |done: Option<()>| sender.send(done).expect("waited for"),
            );
        }
        assert_eq!(results.iter().take(3).collect::<Vec<_>>(), [None, None, None]);
    }
}
