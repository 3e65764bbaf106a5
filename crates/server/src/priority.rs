//! Threads that do long work step aside for those that people wait for.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// For the thread that calls it, from now on. Failing costs only fairness.
///
/// A lower weight alone does not help who wakes while such a thread runs: Linux lets it end its slice first, up to 4 ms
/// with a tick of 250 Hz, and a change crosses several threads. From 6.12 on a thread may ask for a long slice, and one
/// that wakes with a shorter one goes first if it is due (`sched_setattr(2)`, `sched_runtime`; earlier systems ignore it).
#[cfg(target_os = "linux")]
pub fn yield_to_others() {
    /// A tenth of the processor when others want it, all of it when nobody does.
    const NICE: i32 = 10;
    /// The longest there is, in nanoseconds.
    const SLICE: u64 = 100_000_000;
    set(libc::SCHED_BATCH, NICE, SLICE);
}

/// For the thread that calls it, from now on: it runs when nothing else of the same group of processes wants to.
///
/// Who wakes goes before such a thread at once, which a low weight does not promise, nor a long slice (measured: p99 of
/// a hundred rooms beside two of these threads 1.1 times what it was; 2.2 to 2.9 by [`give_way`]). Linux shares the
/// processor out between groups first (services, containers), so other services do not starve these threads; a program
/// of the same group that takes all there is would, which is why what is short is never done here.
#[cfg(target_os = "linux")]
pub fn only_when_idle() {
    set(libc::SCHED_IDLE, 0, 0);
}

/// Lets others go on that the system has kept waiting behind the calling thread, at most once in [`REST_EVERY`].
///
/// Even a thread that is to run only when nothing else wants to goes on up to a tick (4 ms at 250 Hz) when who wakes has
/// had more than its share of late: Linux looks again when a tick comes, or when asked (`sched(7)`; measured on 6.18, where
/// threads that woke waited 1 to 4 ms several times a second). Asking costs less than a microsecond.
pub fn rest(now: Instant) {
    thread_local!(static RESTED: Cell<Option<Instant>> = const { Cell::new(None) });
    if RESTED.get().is_none_or(|rested| now.saturating_duration_since(rested) >= REST_EVERY) {
        std::thread::yield_now();
        RESTED.set(Some(now));
    }
}

/// Far less than a person or a percentile notices, far more than asking costs.
const REST_EVERY: Duration = Duration::from_micros(100);

/// How Linux is to treat the calling thread. Whoever runs the server with real-time priority means those who type.
#[cfg(target_os = "linux")]
fn set(policy: i32, nice: i32, slice: u64) {
    let wanted = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: policy as u32,
        sched_flags: 0,
        sched_nice: nice,
        sched_priority: 0,
        sched_runtime: slice,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the call reads a struct of numbers that lives through it and keeps nothing; 0 is the calling thread.
    let changed = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const wanted, 0) };
    if changed != 0 {
        tracing::debug!(error = %std::io::Error::last_os_error(), "a thread keeps its way of being scheduled");
    }
}

/// Elsewhere the system decides.
#[cfg(not(target_os = "linux"))]
pub fn give_way() {}

/// Elsewhere the system decides.
#[cfg(not(target_os = "linux"))]
pub fn only_when_idle() {}

/// What the calling thread has had of a processor so far.
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Long work of a request, such as reading or writing a file, where it holds up nobody; `None` when it panicked.
pub async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let work = move || {
        // These threads do nothing else.
        yield_to_others();
        work()
    };
    tokio::task::spawn_blocking(work).await.ok()
}
