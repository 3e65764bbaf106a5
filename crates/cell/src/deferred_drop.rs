//! [`DeferredVec`]: a vector that can be freed in steps.
//!
//! Dropping millions of values takes tens of milliseconds, because each value is visited and a
//! hundred megabytes are returned to the system. The caller who cancels an evaluation would wait
//! for it. Therefore, once an evaluation is cancelled, the evaluator defers drops on its thread
//! ([`set_deferred_drop`]): long vectors move to a thread-local list, which [`free_deferred`] frees
//! in steps of a fraction of a millisecond. The list holds the vectors of one evaluation, because
//! the next evaluation on the thread frees it first.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};

/// A `Vec` that is not freed when it is dropped, if it is long and drops are deferred on the
/// thread; see [`set_deferred_drop`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeferredVec<T: 'static>(Vec<T>);

/// Minimum capacity of a vector whose drop is deferred. Freeing a shorter one takes at most a tenth
/// of a millisecond.
const DEFERRED_CAPACITY_MIN: usize = 4_096;
/// Elements freed in one step, in a fraction of a millisecond.
const ELEMENTS_PER_STEP: usize = 16_384;

thread_local! {
    static IS_DEFERRED: Cell<bool> = const { Cell::new(false) };
    static DEFERRED: RefCell<Vec<Box<dyn Shorten>>> = const { RefCell::new(Vec::new()) };
}

/// Sets whether drops of long vectors are deferred on this thread from now on.
pub fn set_deferred_drop(is_deferred: bool) {
    IS_DEFERRED.set(is_deferred);
}

/// Frees up to 16,384 elements of the deferred vectors of this thread.
///
/// Returns `true` if deferred vectors remain.
pub fn free_deferred() -> bool {
    DEFERRED.with_borrow_mut(|deferred| {
        if deferred.last_mut().is_some_and(|last| !last.shorten()) {
            deferred.pop();
        }
        !deferred.is_empty()
    })
}

trait Shorten {
    /// Frees the last elements; returns `true` if elements remain.
    fn shorten(&mut self) -> bool;
}

impl<T> Shorten for Vec<T> {
    fn shorten(&mut self) -> bool {
        self.truncate(self.len().saturating_sub(ELEMENTS_PER_STEP));
        // Returns pages to the system with each step instead of all at the end.
        self.shrink_to_fit();
        !self.is_empty()
    }
}

impl<T> DeferredVec<T> {
    /// An empty vector.
    pub const fn new() -> DeferredVec<T> {
        DeferredVec(Vec::new())
    }

    /// An empty vector with space for `capacity` elements.
    pub fn with_capacity(capacity: usize) -> DeferredVec<T> {
        DeferredVec(Vec::with_capacity(capacity))
    }

    /// The elements as a `Vec`, which is dropped at once.
    pub fn into_vec(mut self) -> Vec<T> {
        std::mem::take(&mut self.0)
    }
}

impl<T> Default for DeferredVec<T> {
    fn default() -> DeferredVec<T> {
        DeferredVec::new()
    }
}

impl<T> Drop for DeferredVec<T> {
    fn drop(&mut self) {
        // During the destruction of the thread's locals the vector is freed at once.
        if self.0.capacity() >= DEFERRED_CAPACITY_MIN && IS_DEFERRED.try_with(Cell::get).unwrap_or(false) {
            let elements = std::mem::take(&mut self.0);
            let _ = DEFERRED.try_with(|deferred| deferred.borrow_mut().push(Box::new(elements)));
        }
    }
}

impl<T> Deref for DeferredVec<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for DeferredVec<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T> From<Vec<T>> for DeferredVec<T> {
    fn from(elements: Vec<T>) -> DeferredVec<T> {
        DeferredVec(elements)
    }
}

impl<T> FromIterator<T> for DeferredVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> DeferredVec<T> {
        DeferredVec(elements.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn long_vectors_are_freed_in_steps_while_drops_are_deferred() {
        let element = Arc::new(());
        let list = |length: usize| DeferredVec::from(vec![Arc::clone(&element); length]);
        let used = || Arc::strong_count(&element) - 1;

        drop(list(100_000));
        assert_eq!(used(), 0, "drops are not deferred");

        set_deferred_drop(true);
        drop(list(DEFERRED_CAPACITY_MIN - 1));
        assert_eq!(used(), 0, "a short vector is freed at once");
        drop(list(20_000));
        drop(list(40_000));
        assert_eq!(used(), 60_000);
        set_deferred_drop(false);

        let mut steps = Vec::new();
        while free_deferred() {
            steps.push(used());
        }
        assert_eq!(steps, [43_616, 27_232, 20_000, 3_616]);
        assert_eq!(used(), 0);
        assert!(!free_deferred());
    }

    #[test]
    fn a_vector_taken_out_is_not_deferred() {
        set_deferred_drop(true);
        let list = DeferredVec::from(vec![1u8; 10_000]).into_vec();
        set_deferred_drop(false);
        assert!(!free_deferred());
        assert_eq!(list.len(), 10_000);
    }
}
