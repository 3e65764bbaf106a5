//! [`Deliveries`]: what the listeners of a run share.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use tokio::sync::Barrier;

/// The workbook that is followed.
pub const ROOM: &str = "feeds";
/// Ten writes per second: each is delivered to all listeners before the next one.
pub const PERIOD: Duration = Duration::from_millis(100);

/// What has arrived. All listeners run on one thread.
pub struct Deliveries {
    /// The revision before the first write; write number `i` makes the revision `base + i + 1`.
    pub base: u64,
    /// The revision of the last write.
    pub last: u64,
    /// When the first write is due; the others follow every [`PERIOD`].
    pub started: Cell<Option<Instant>>,
    /// Passed once by each listener when its feed is open, and by the writer.
    pub are_open: Barrier,
    pub delays_ms: RefCell<Vec<f64>>,
    pub repeated: Cell<u64>,
}

impl Deliveries {
    /// Records the arrival of a revision.
    pub fn arrived(&self, revision: u64) {
        let started = self.started.get().expect("nothing is written before the start");
        let due = started + PERIOD * (revision - self.base - 1) as u32;
        self.delays_ms.borrow_mut().push(due.elapsed().as_secs_f64() * 1e3);
    }
}
