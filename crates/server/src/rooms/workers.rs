//! Threads for what costs as much as a workbook is big. Short work, such as opening and encoding a small workbook, is never
//! behind long work, which has threads of its own: the same for a big workbook, and what may take seconds, on those that
//! give way; calculations in slices, everybody's in turn, on those that run when nobody else wants to (W1).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use quadrille_cell::{Range, free_deferred};
use quadrille_workbook::{Sheet, Workbook};

use crate::metrics::Metrics;
use crate::priority::{only_when_idle, yield_to_others};

type Task = Box<dyn FnOnce() + Send>;

impl Size {
    pub fn of(workbook: &Workbook) -> Size {
        let area = |sheet: &Sheet| sheet.used_range().map_or(0, Range::cell_count);
        match workbook.sheets().iter().map(|sheet| area(sheet)).sum::<u64>() <= SMALL_CELLS_MAX {
            true => Size::Small,
            false => Size::Big,
        }
    }

    /// Of a workbook that is stored in so many bytes.
    pub fn of_bytes(bytes: usize) -> Size {
        if bytes <= SMALL_BYTES_MAX { Size::Small } else { Size::Big }
    }
}

/// What a workbook's used cells cover at most so that going through them is a matter of milliseconds.
const SMALL_CELLS_MAX: u64 = 50_000;
/// The same of its bytes.
const SMALL_BYTES_MAX: usize = 256 << 10;

/// What a slice of long work gives.
pub enum Slice<T, W> {
    Done(T),
    More(W),
}

/// How much there is to do with a workbook: as much as it is big.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A millisecond or a few.
    Small,
    /// Tens to hundreds of milliseconds.
    Big,
}

pub struct Workers {
    short: Arc<Queue>,
    big: Arc<Queue>,
    whole: Arc<Queue>,
    sliced: Arc<Queue>,
    /// Copies of this; the threads end with the last.
    users: Arc<AtomicUsize>,
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
        self.users.fetch_add(1, Ordering::Relaxed);
        Workers {
            short: Arc::clone(&self.short),
            big: Arc::clone(&self.big),
            whole: Arc::clone(&self.whole),
            sliced: Arc::clone(&self.sliced),
            users: Arc::clone(&self.users),
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        if self.users.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.short.end();
            self.big.end();
            self.whole.end();
            self.sliced.end();
        }
    }
}

impl Workers {
    /// At least two for each kind, so that who asks for little does not wait for one who asks for much. They end with
    /// the last copy of this.
    pub fn start(threads: usize, metrics: &Arc<Metrics>) -> Workers {
        let workers = Workers {
            short: Arc::new(Queue::new(metrics)),
            big: Arc::new(Queue::new(metrics)),
            whole: Arc::new(Queue::new(metrics)),
            sliced: Arc::new(Queue::new(metrics)),
            users: Arc::new(AtomicUsize::new(1)),
        };
        for index in 0..threads.max(2) {
            start(&workers.short, format!("worker-{index}"), || {});
            start(&workers.big, format!("big-{index}"), yield_to_others);
            start(&workers.whole, format!("patient-{index}"), yield_to_others);
            start(&workers.sliced, format!("calculator-{index}"), only_when_idle);
        }
        workers
    }

    /// Runs short work on one of the threads and hands what it gives to `done`; `None` when it panicked.
    pub fn run<T>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(Option<T>) + Send + 'static,
    ) {
        self.run_sized(Size::Small, work, done);
    }

    /// Runs what takes as long as a workbook is big, and that somebody may wait for.
    pub fn run_sized<T>(
        &self,
        size: Size,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(Option<T>) + Send + 'static,
    ) {
        let queue = match size {
            Size::Small => &self.short,
            Size::Big => &self.big,
        };
        queue.push(Box::new(move || done(catch_unwind(AssertUnwindSafe(work)).ok())));
    }

    /// Runs work that cannot be cut and may take seconds.
    pub fn run_whole<T>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(Option<T>) + Send + 'static,
    ) {
        self.whole.push(Box::new(move || done(catch_unwind(AssertUnwindSafe(work)).ok())));
    }

    /// Runs long work slice by slice; between slices whoever waits has a turn. Work that is likely to be done within its
    /// first slice, which has to be short, begins among the short work.
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

fn start(queue: &Arc<Queue>, name: String, behave: fn()) {
    let queue = Arc::clone(queue);
    let run = move || {
        behave();
        while let Some(task) = queue.next() {
            task();
            // Of an evaluation that was ended, once whoever waited has been told.
            while free_deferred() {}
        }
    };
    let started = std::thread::Builder::new().name(name).spawn(run);
    started.expect("the system gives a thread");
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

    /// Work without an end, until somebody says so.
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
    fn w1_endless_work_keeps_nobody_waiting() {
        let workers = Workers::start(1, &Arc::default());
        let is_over = Arc::new(AtomicUsize::new(0));
        let (tell, told) = channel();
        for _ in 0..10 {
            let (tell, is_over) = (tell.clone(), Arc::clone(&is_over));
            workers.run_in_slices(false, Endless { is_over, slices: 0 }, resume, move |slices| {
                tell.send(slices.expect("no panic")).expect("waited for");
            });
        }
        // Short work and long work of others is done meanwhile.
        let (tell_short, short) = channel();
        for number in 0..100 {
            let tell = tell_short.clone();
            workers.run(move || number, move |done| tell.send(done).expect("waited for"));
        }
        assert_eq!(short.iter().take(100).flatten().sum::<i32>(), 4_950);
        workers.run_in_slices(
            true,
            5,
            |left| if left == 0 { Slice::Done(()) } else { Slice::More(left - 1) },
            {
                let tell = tell_short.clone();
                move |done| tell.send(done.map(|()| 7)).expect("waited for")
            },
        );
        assert_eq!(short.recv().expect("done"), Some(7));
        is_over.store(1, Ordering::Relaxed);
        assert!(told.iter().take(10).all(|slices| slices > 0), "everybody had turns");
    }

    #[test]
    fn a_panic_is_reported_and_the_thread_continues() {
        let workers = Workers::start(1, &Arc::default());
        let (tell, told) = channel();
        for _ in 0..3 {
            let tell = tell.clone();
            workers.run(
                || panic!("a fault of ours"),
                move |done: Option<()>| tell.send(done).expect("waited for"),
            );
        }
        assert_eq!(told.iter().take(3).collect::<Vec<_>>(), [None, None, None]);
    }
}
