//! [`Workers`]: threads for the long work of agents.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::limits;
use crate::thread_priority::in_background;

/// Low-priority threads on which agents read, calculate and compare workbooks, so that the threads that
/// answer requests never wait for them. Clones share the threads.
#[derive(Clone)]
pub struct Workers {
    free: Arc<Semaphore>,
}

impl Default for Workers {
    fn default() -> Workers {
        Workers { free: Arc::new(Semaphore::new(limits::AGENT_WORKERS_MAX)) }
    }
}

impl Workers {
    /// Evaluation steps between two looks at the clock: some milliseconds.
    pub const STEPS: u64 = 50_000;
    /// Time after which a calculation that takes long gives the thread to the next in line.
    const TURN: Duration = Duration::from_millis(250);

    /// Does work when a thread is free, in the order of the calls. `None` when the work panicked.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let _permit = self.free.acquire().await.ok()?;
        in_background(work).await
    }

    /// The end of a turn that begins now.
    pub fn turn_end() -> Instant {
        Instant::now() + Workers::TURN
    }
}
