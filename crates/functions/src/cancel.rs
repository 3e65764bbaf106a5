//! [`Cancel`]: cancellation of a running evaluation.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quadrille_cell::ErrorValue;

/// The budget is exhausted or the evaluation was cancelled. Displayed as `#CALC!`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exhausted;

impl From<Exhausted> for ErrorValue {
    fn from(_: Exhausted) -> ErrorValue {
        ErrorValue::Calculation
    }
}

/// A cancellation token that an evaluation polls. Clones share one state: one belongs to the budget
/// of the evaluation, another to the code that can cancel it. The default is never cancelled.
#[derive(Clone, Default)]
pub struct Cancel(Option<Arc<CancelState>>);

struct CancelState {
    /// Polls until cancellation; 0 once cancelled.
    polls_left: AtomicU64,
    /// Steps of work since the last poll.
    steps: AtomicU64,
    is_cancelled: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

/// Value of `polls_left` without a limit.
const UNLIMITED_POLLS: u64 = u64::MAX;

/// Steps of work between two polls. A step is a cell read, or an element compared or written: some
/// nanoseconds, at most a microsecond, so that an evaluation polls at least once per millisecond.
pub const POLL_STEPS: u64 = 2_048;

impl Cancel {
    /// A token that is never cancelled.
    pub const NEVER: Cancel = Cancel(None);

    /// Returns a token that is cancelled by [`request`](Cancel::request).
    pub fn requestable() -> Cancel {
        Cancel::after(UNLIMITED_POLLS)
    }

    /// Returns a token that is cancelled after `polls` polls, a deterministic timeout for tests.
    pub fn after(polls: u64) -> Cancel {
        Cancel::new(polls, None)
    }

    /// Returns a token that is cancelled as soon as `is_cancelled` returns `true`. It is called at
    /// each poll and can be as expensive as reading a clock, which the engine itself does not have.
    pub fn when(is_cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Cancel {
        Cancel::new(UNLIMITED_POLLS, Some(Box::new(is_cancelled)))
    }

    fn new(polls: u64, is_cancelled: Option<Box<dyn Fn() -> bool + Send + Sync>>) -> Cancel {
        let (polls_left, steps) = (AtomicU64::new(polls), AtomicU64::new(0));
        Cancel(Some(Arc::new(CancelState { polls_left, steps, is_cancelled })))
    }

    /// Cancels the evaluation.
    pub fn request(&self) {
        if let Some(state) = &self.0 {
            state.polls_left.store(0, Ordering::Relaxed);
        }
    }

    /// Polls: whether the evaluation is cancelled.
    pub fn is_requested(&self) -> bool {
        self.0.as_ref().is_some_and(|state| state.poll())
    }

    /// Records `steps` of work since the last call; see
    /// [`is_requested_within`](Cancel::is_requested_within).
    ///
    /// Fails with [`Exhausted`] when the evaluation is cancelled.
    pub fn work(&self, steps: u64) -> Result<(), Exhausted> {
        if self.is_requested_within(steps) { Err(Exhausted) } else { Ok(()) }
    }

    /// Records `steps` of work and polls once per `POLL_STEPS` steps. Returns whether the
    /// evaluation is cancelled.
    pub fn is_requested_within(&self, steps: u64) -> bool {
        let Some(state) = &self.0 else { return false };
        // Already cancelled, by another clone or an earlier poll.
        if state.polls_left.load(Ordering::Relaxed) == 0 {
            return cancelled();
        }
        // Only the evaluation writes `steps`, so load and store need not be atomic together.
        let steps = state.steps.load(Ordering::Relaxed).saturating_add(steps);
        if steps < POLL_STEPS {
            state.steps.store(steps, Ordering::Relaxed);
            return false;
        }
        state.poll()
    }
}

impl CancelState {
    fn poll(&self) -> bool {
        self.steps.store(0, Ordering::Relaxed);
        // A countdown is used in tests only, without concurrent requests that the store could
        // overwrite.
        match self.polls_left.load(Ordering::Relaxed) {
            0 => return cancelled(),
            UNLIMITED_POLLS => {}
            left => self.polls_left.store(left - 1, Ordering::Relaxed),
        }
        let is_cancelled = self.is_cancelled.as_ref().is_some_and(|is_cancelled| is_cancelled());
        if is_cancelled {
            self.polls_left.store(0, Ordering::Relaxed);
            cancelled();
        }
        is_cancelled
    }
}

/// Defers the dropping of large values, so that the cancelled evaluation returns soon.
fn cancelled() -> bool {
    quadrille_cell::set_deferred_drop(true);
    true
}

impl fmt::Debug for Cancel {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "Cancel" } else { "Cancel::NEVER" })
    }
}

impl PartialEq for Cancel {
    fn eq(&self, other: &Cancel) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Eq for Cancel {}
