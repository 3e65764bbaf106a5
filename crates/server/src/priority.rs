//! Threads that do long work step aside for those that people wait for.

/// For the thread that calls it, from now on. Failing costs only fairness.
#[cfg(target_os = "linux")]
pub fn give_way() {
    use rustix::process::setpriority_process;
    use rustix::thread::gettid;
    /// A tenth of the processor when others want it, all of it when nobody does.
    const NICE: i32 = 10;
    // Whoever runs the server with real-time priority means those who type. Zeroed: no priority, as the policy wants it.
    // SAFETY: a struct of numbers, for which zeros are a value; it lives through the call, which keeps nothing.
    let changed = unsafe {
        let priority: libc::sched_param = std::mem::zeroed();
        libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const priority)
    };
    if changed != 0 {
        tracing::debug!(error = %std::io::Error::last_os_error(), "a thread keeps its way of being scheduled");
    }
    // On Linux a priority belongs to a thread, although POSIX says process.
    if let Err(error) = setpriority_process(Some(gettid()), NICE) {
        tracing::debug!(%error, "a thread keeps its priority");
    }
}

/// Elsewhere the system decides.
#[cfg(not(target_os = "linux"))]
pub fn give_way() {}

/// Long work of a request, such as reading or writing a file, where it holds up nobody; `None` when it panicked.
pub async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let work = move || {
        // These threads do nothing else.
        give_way();
        work()
    };
    tokio::task::spawn_blocking(work).await.ok()
}
