//! Ending an evaluation from outside.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quadrille_cell::ErrorValue;

/// The budget ran out; shows as `#CALC!`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exhausted;

impl From<Exhausted> for ErrorValue {
    fn from(_: Exhausted) -> ErrorValue {
        ErrorValue::Calculation
    }
}

/// Asked again and again by an evaluation whether it is to end. Clones are the same: one goes into the evaluation's
/// budget, another stays with whoever may want it to end. The default never ends anything.
#[derive(Clone, Default)]
pub struct Cancel(Option<Arc<Wish>>);

struct Wish {
    /// None left: the evaluation is to end.
    polls_left: AtomicU64,
    /// Steps of work since the last look.
    steps: AtomicU64,
    asks: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

/// Looks left before the evaluation ends by itself: any number.
const FOR_EVER: u64 = u64::MAX;

/// Steps of work between two looks. A step is a cell read, an element compared or written: some nanoseconds, a
/// microsecond at worst, so that a look comes every millisecond or sooner.
pub const POLL_STEPS: u64 = 2_048;

impl Cancel {
    pub const NEVER: Cancel = Cancel(None);

    /// To be requested.
    pub fn requestable() -> Cancel {
        Cancel::after(FOR_EVER)
    }

    /// Ends an evaluation when it has looked so many times: what a clock does, in a test without one.
    pub fn after(looks: u64) -> Cancel {
        Cancel::from_wish(looks, None)
    }

    /// To be requested, and ends an evaluation as soon as `asks` says so. It is asked at each look, so it may cost what
    /// reading a clock does; the engine has none itself.
    pub fn when(asks: impl Fn() -> bool + Send + Sync + 'static) -> Cancel {
        Cancel::from_wish(FOR_EVER, Some(Box::new(asks)))
    }

    fn from_wish(looks: u64, asks: Option<Box<dyn Fn() -> bool + Send + Sync>>) -> Cancel {
        let (looks_left, steps) = (AtomicU64::new(looks), AtomicU64::new(0));
        Cancel(Some(Arc::new(Wish { polls_left: looks_left, steps, asks })))
    }

    pub fn request(&self) {
        if let Some(wish) = &self.0 {
            wish.polls_left.store(0, Ordering::Relaxed);
        }
    }

    /// Looks.
    pub fn is_requested(&self) -> bool {
        self.0.as_ref().is_some_and(|wish| wish.poll())
    }

    /// For long work: an error when the evaluation is to end. `steps` is what was done since it was asked last.
    pub fn work(&self, steps: u64) -> Result<(), Exhausted> {
        if self.is_requested_within(steps) { Err(Exhausted) } else { Ok(()) }
    }

    /// Looks once in [`POLL_STEPS`] steps of work, of which these are the next.
    pub fn is_requested_within(&self, steps: u64) -> bool {
        let Some(wish) = &self.0 else { return false };
        // Whoever has been told by another's look.
        if wish.polls_left.load(Ordering::Relaxed) == 0 {
            return ended();
        }
        // Only the evaluation counts.
        let steps = wish.steps.load(Ordering::Relaxed).saturating_add(steps);
        if steps < POLL_STEPS {
            wish.steps.store(steps, Ordering::Relaxed);
            return false;
        }
        wish.poll()
    }
}

impl Wish {
    fn poll(&self) -> bool {
        self.steps.store(0, Ordering::Relaxed);
        // Only the evaluation counts, so nobody's request is overwritten but in tests, where there is none.
        match self.polls_left.load(Ordering::Relaxed) {
            0 => return ended(),
            FOR_EVER => {}
            left => self.polls_left.store(left - 1, Ordering::Relaxed),
        }
        let is_wanted = self.asks.as_ref().is_some_and(|asks| asks());
        if is_wanted {
            self.polls_left.store(0, Ordering::Relaxed);
            ended();
        }
        is_wanted
    }
}

/// The evaluation has heard of it: what it leaves is laid aside, so that it comes back soon.
fn ended() -> bool {
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
