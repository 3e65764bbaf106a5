//! The date system of the evaluation under way: serial numbers count from 1900 or 1904.

use quadrille_cell::DateSystem;
use std::cell::Cell;

thread_local! {
    static COUNTED: Cell<DateSystem> = const { Cell::new(DateSystem::From1900) };
}

/// While this lives, what is evaluated on this thread belongs to a workbook whose dates count so. Texts become numbers in some
/// three hundred places that know nothing but the value (`"2024-05-01"+1`); handing it through all of them would hide
/// what they do.
#[must_use]
pub struct Counting {
    before: DateSystem,
}

impl Counting {
    pub fn from(dates: DateSystem) -> Counting {
        Counting { before: COUNTED.replace(dates) }
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        COUNTED.set(self.before);
    }
}

/// From which day the dates count of the workbook whose formula is being evaluated.
pub(crate) fn date_system() -> DateSystem {
    COUNTED.get()
}
