//! Lists that may be long, and what becomes of their memory.
//!
//! Giving back millions of values takes tens of milliseconds: each is looked at, and a hundred megabytes go. Whoever ends an evaluation
//! waits for it to come back. So from the moment on in which an evaluation has been told to end, its long lists are laid aside
//! ([`lay_aside`]), and given back bit by bit by whoever has time ([`give_back`]). What lies aside is what one evaluation had, since the next one
//! on the same thread gives it back first.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};

/// A list whose elements are not given back at once when an evaluation is to end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LongList<T: 'static>(Vec<T>);

/// Shorter lists are given back at once: a tenth of a millisecond.
const LONG: usize = 4_096;
/// Elements that are given back together, in a fraction of a millisecond.
const GIVEN_BACK: usize = 16_384;

thread_local! {
    static IS_LAID_ASIDE: Cell<bool> = const { Cell::new(false) };
    static ASIDE: RefCell<Vec<Box<dyn Aside>>> = const { RefCell::new(Vec::new()) };
}

/// What is long and goes out of use on this thread is laid aside from now on, or no more.
pub fn defer_drop(is_laid_aside: bool) {
    IS_LAID_ASIDE.set(is_laid_aside);
}

/// Gives back some of what was laid aside on this thread; whether there is more.
pub fn give_back() -> bool {
    ASIDE.with_borrow_mut(|aside| {
        if aside.last_mut().is_some_and(|last| !last.shorten()) {
            aside.pop();
        }
        !aside.is_empty()
    })
}

trait Aside {
    /// Whether something is left.
    fn shorten(&mut self) -> bool;
}

impl<T> Aside for Vec<T> {
    fn shorten(&mut self) -> bool {
        self.truncate(self.len().saturating_sub(GIVEN_BACK));
        // So that the system gets its pages as they become free, not all of them at the end.
        self.shrink_to_fit();
        !self.is_empty()
    }
}

impl<T> LongList<T> {
    pub const fn new() -> LongList<T> {
        LongList(Vec::new())
    }

    pub fn with_capacity(capacity: usize) -> LongList<T> {
        LongList(Vec::with_capacity(capacity))
    }

    pub fn into_vec(mut self) -> Vec<T> {
        std::mem::take(&mut self.0)
    }
}

impl<T> Default for LongList<T> {
    fn default() -> LongList<T> {
        LongList::new()
    }
}

impl<T> Drop for LongList<T> {
    fn drop(&mut self) {
        // A thread that ends has nothing aside any more.
        if self.0.capacity() >= LONG && IS_LAID_ASIDE.try_with(Cell::get).unwrap_or(false) {
            let list = std::mem::take(&mut self.0);
            let _ = ASIDE.try_with(|aside| aside.borrow_mut().push(Box::new(list)));
        }
    }
}

impl<T> Deref for LongList<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for LongList<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T> From<Vec<T>> for LongList<T> {
    fn from(list: Vec<T>) -> LongList<T> {
        LongList(list)
    }
}

impl<T> FromIterator<T> for LongList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> LongList<T> {
        LongList(elements.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn long_lists_are_given_back_bit_by_bit_once_an_evaluation_ends() {
        let element = Arc::new(());
        let list = |length: usize| LongList::from(vec![Arc::clone(&element); length]);
        let used = || Arc::strong_count(&element) - 1;

        drop(list(100_000));
        assert_eq!(used(), 0, "nothing is laid aside while all goes on");

        defer_drop(true);
        drop(list(LONG - 1));
        assert_eq!(used(), 0, "what is short is given back at once");
        drop(list(20_000));
        drop(list(40_000));
        assert_eq!(used(), 60_000);
        defer_drop(false);

        let mut steps = Vec::new();
        while give_back() {
            steps.push(used());
        }
        assert_eq!(steps, [43_616, 27_232, 20_000, 3_616]);
        assert_eq!(used(), 0);
        assert!(!give_back());
    }

    #[test]
    fn a_list_that_is_handed_on_stays() {
        defer_drop(true);
        let list = LongList::from(vec![1u8; 10_000]).into_vec();
        defer_drop(false);
        assert!(!give_back());
        assert_eq!(list.len(), 10_000);
    }
}
