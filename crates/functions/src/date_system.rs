//! The date system, 1900 or 1904, of the evaluation on the current thread.

use quadrille_cell::DateSystem;
use std::cell::Cell;

thread_local! {
    static CURRENT: Cell<DateSystem> = const { Cell::new(DateSystem::From1900) };
}

/// Sets the date system for evaluations on this thread until it is dropped.
///
/// Text is converted to numbers in some three hundred places that have only the value
/// (`"2024-05-01"+1`), so the date system is thread-local and not an argument.
#[must_use]
pub struct DateSystemScope {
    previous: DateSystem,
}

impl DateSystemScope {
    /// Sets the date system of the current thread.
    pub fn enter(dates: DateSystem) -> DateSystemScope {
        DateSystemScope { previous: CURRENT.replace(dates) }
    }
}

impl Drop for DateSystemScope {
    fn drop(&mut self) {
        CURRENT.set(self.previous);
    }
}

/// Returns the date system of the evaluation on the current thread.
pub(crate) fn date_system() -> DateSystem {
    CURRENT.get()
}
