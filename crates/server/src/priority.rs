//! Threads that do long work step aside for those that people wait for.

/// For the thread that calls it, from now on. Failing costs only fairness.
#[cfg(target_os = "linux")]
pub fn give_way() {
    use rustix::process::setpriority_process;
    use rustix::thread::gettid;
    /// A tenth of the processor when others want it, all of it when nobody does.
    const NICE: i32 = 10;
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
