//! Scheduling priorities: threads with long work yield to threads that clients wait for.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Gives the calling thread a low priority. A failure only costs fairness.
///
/// A low weight alone does not help a thread that wakes while this one runs: Linux lets this one
/// finish its slice, up to 4 ms with a tick of 250 Hz, and a transaction crosses several threads.
/// Since 6.12 a thread can request a long slice, and a thread with a shorter one preempts it when
/// due (`sched_setattr(2)`, `sched_runtime`; older kernels ignore it).
#[cfg(target_os = "linux")]
pub fn set_low_priority() {
    /// A tenth of a processor when others want it, all of it otherwise.
    const NICE: i32 = 10;
    /// The longest slice that the kernel accepts, in nanoseconds.
    const SLICE_NS: u64 = 100_000_000;
    set(libc::SCHED_BATCH, NICE, SLICE_NS);
}

/// Lets the calling thread run only when no other thread of the same control group wants to.
///
/// A waking thread preempts such a thread at once, which neither a low weight nor a long slice
/// guarantees (measured: two of these threads raise the p99 latency of a hundred rooms by a factor
/// of 1.1; two threads of [`set_low_priority`] by 2.2 to 2.9). Linux divides processors between
/// control groups first (services, containers), so other services do not starve these threads. A
/// program of the same group that uses all processors would; therefore short work never runs here.
#[cfg(target_os = "linux")]
pub fn set_idle_priority() {
    set(libc::SCHED_IDLE, 0, 0);
}

/// Yields the processor to waiting threads, at most once per [`YIELD_INTERVAL`].
///
/// Even an idle-priority thread runs on for up to a tick (4 ms at 250 Hz) when the waking thread
/// has used more than its share: Linux reconsiders at a tick or at a yield (`sched(7)`; measured on
/// 6.18, where waking threads waited 1 to 4 ms several times a second). A yield costs less than a
/// microsecond.
pub fn yield_periodically(now: Instant) {
    thread_local!(static YIELDED: Cell<Option<Instant>> = const { Cell::new(None) });
    if YIELDED.get().is_none_or(|yielded| now.saturating_duration_since(yielded) >= YIELD_INTERVAL) {
        std::thread::yield_now();
        YIELDED.set(Some(now));
    }
}

/// Short against any latency that is noticed or measured, long against the cost of a yield.
const YIELD_INTERVAL: Duration = Duration::from_micros(100);

/// Sets the scheduling policy of the calling thread. Also lowers it when the server runs with
/// real-time priority, which is meant for the threads that clients wait for.
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
    // SAFETY: the call reads a struct of numbers that outlives it, and keeps no pointer; 0 is the
    // calling thread.
    let changed = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const wanted, 0) };
    if changed != 0 {
        tracing::debug!(error = %std::io::Error::last_os_error(), "cannot change the scheduling policy of a thread");
    }
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub fn set_low_priority() {}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub fn set_idle_priority() {}

/// Returns the processor time that the calling thread has used so far.
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Runs long work of a request, such as reading or writing a file, on a low-priority thread; `None`
/// when it panicked.
pub async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let work = move || {
        // The runtime uses its blocking threads for nothing else.
        set_low_priority();
        work()
    };
    tokio::task::spawn_blocking(work).await.ok()
}
