//! Ending an evaluation from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Asked again and again by an evaluation whether it is to end. Clones are the same: one goes into the evaluation's
/// budget, another stays with whoever may want it to end. The default never ends anything.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Option<Arc<AtomicU64>>);

/// Looks left before the evaluation ends by itself: any number.
const FOR_EVER: u64 = u64::MAX;

impl Cancel {
    pub const NEVER: Cancel = Cancel(None);

    /// To be requested.
    pub fn requestable() -> Cancel {
        Cancel::after(FOR_EVER)
    }

    /// Ends an evaluation when it has looked so many times: what a clock does, in a test without one.
    pub fn after(looks: u64) -> Cancel {
        Cancel(Some(Arc::new(AtomicU64::new(looks))))
    }

    pub fn request(&self) {
        if let Some(looks_left) = &self.0 {
            looks_left.store(0, Ordering::Relaxed);
        }
    }

    pub fn is_requested(&self) -> bool {
        let Some(looks_left) = &self.0 else { return false };
        // Only the evaluation counts, so nobody's request is overwritten but in tests, where there is none.
        match looks_left.load(Ordering::Relaxed) {
            0 => true,
            FOR_EVER => false,
            left => {
                looks_left.store(left - 1, Ordering::Relaxed);
                false
            }
        }
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
