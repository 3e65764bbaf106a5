//! The budget of an evaluation: steps and cells that it may still spend, and cancellation.

use crate::cancel::{Cancel, Exhausted};

/// Bytes of a text that count as much as a cell of an array.
const TEXT_BYTES_PER_CELL: u64 = 32;

/// What a calculation may still spend. One step is about one cell visited or one call made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Budget {
    pub steps_left: u64,
    /// Cells that arrays may still allocate, all together.
    pub cells_left: u64,
    /// Looked at with every charge, but not more often than each 2,048 steps.
    pub cancel: Cancel,
}

impl Budget {
    pub const UNLIMITED: Budget =
        Budget { steps_left: u64::MAX, cells_left: u64::MAX, cancel: Cancel::NEVER };

    /// Pays for visiting cells; afterwards nothing is left if it was not enough.
    pub fn charge(&mut self, steps: u64) -> Result<(), Exhausted> {
        if self.cancel.is_requested_within(steps) {
            self.steps_left = 0;
            return Err(Exhausted);
        }
        Budget::take(&mut self.steps_left, steps)
    }

    /// Pays for a text that was made, beside the step of having made it.
    pub fn charge_text(&mut self, text: &str) -> Result<(), Exhausted> {
        match text.len() as u64 / TEXT_BYTES_PER_CELL {
            0 => Ok(()),
            cells => self.charge_cells(cells),
        }
    }

    /// Pays for an array before it is allocated. An array larger than what is left takes nothing.
    pub fn charge_cells(&mut self, cells: u64) -> Result<(), Exhausted> {
        if cells > self.cells_left {
            return Err(Exhausted);
        }
        self.cells_left -= cells;
        self.charge(cells)
    }

    fn take(left: &mut u64, amount: u64) -> Result<(), Exhausted> {
        let enough = *left >= amount;
        *left = left.saturating_sub(amount);
        if enough { Ok(()) } else { Err(Exhausted) }
    }
}
