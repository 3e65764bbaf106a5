//! Threads for what costs as much as a workbook is big: opening, encoding, calculating. A big room then holds up
//! neither its own sessions nor the rooms that share its thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

type Task = Box<dyn FnOnce() + Send>;

#[derive(Clone)]
pub struct Workers {
    tasks: Sender<Task>,
}

impl Workers {
    /// At least two, so that who opens a small room does not wait for the calculation of a big one. They end when the
    /// last copy of this is gone.
    pub fn start(threads: usize) -> Workers {
        let (tasks, received) = channel::<Task>();
        let received = Arc::new(Mutex::new(received));
        for index in 0..threads.max(2) {
            let received = Arc::clone(&received);
            let run = move || {
                loop {
                    let task = received.lock().expect("nothing panics while it is locked").recv();
                    match task {
                        Ok(task) => task(),
                        Err(_) => return,
                    }
                }
            };
            let started = std::thread::Builder::new().name(format!("worker-{index}")).spawn(run);
            started.expect("the system gives a thread");
        }
        Workers { tasks }
    }

    /// Runs `work` on one of the threads and hands what it gives to `done`; `None` when it panicked.
    pub fn run<T>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(Option<T>) + Send + 'static,
    ) {
        let task = move || done(catch_unwind(AssertUnwindSafe(work)).ok());
        // The threads live as long as this.
        let _ = self.tasks.send(Box::new(task));
    }
}
