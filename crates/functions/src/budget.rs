//! [`Budget`]: the remaining steps and cells of an evaluation, and its cancellation.

use crate::cancel::{Cancel, Exhausted};

/// Bytes of a text result that are charged as one array cell.
const TEXT_BYTES_PER_CELL: u64 = 32;

/// The remaining resources of an evaluation. One step is about one visited cell or one function
/// call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Remaining steps.
    pub steps_left: u64,
    /// Cells that arrays can still allocate in total.
    pub cells_left: u64,
    /// Polled when the budget is charged, at most once per 2,048 steps.
    pub cancel: Cancel,
}

impl Budget {
    /// A budget without limits that is never cancelled.
    pub const UNLIMITED: Budget =
        Budget { steps_left: u64::MAX, cells_left: u64::MAX, cancel: Cancel::NEVER };

    /// Charges steps.
    ///
    /// Fails with [`Exhausted`] when fewer steps are left or the evaluation is cancelled; then no
    /// steps remain.
    pub fn charge(&mut self, steps: u64) -> Result<(), Exhausted> {
        if self.cancel.is_requested_within(steps) {
            self.steps_left = 0;
            return Err(Exhausted);
        }
        Budget::subtract(&mut self.steps_left, steps)
    }

    /// Charges the memory of a text result. Fails with [`Exhausted`] as
    /// [`charge_cells`](Self::charge_cells) does.
    pub fn charge_text(&mut self, text: &str) -> Result<(), Exhausted> {
        match text.len() as u64 / TEXT_BYTES_PER_CELL {
            0 => Ok(()),
            cells => self.charge_cells(cells),
        }
    }

    /// Charges the cells of an array before it is allocated, and a step for each.
    ///
    /// Fails with [`Exhausted`] when fewer cells are left, without charging any, and as
    /// [`charge`](Self::charge) does.
    pub fn charge_cells(&mut self, cells: u64) -> Result<(), Exhausted> {
        if cells > self.cells_left {
            return Err(Exhausted);
        }
        self.cells_left -= cells;
        self.charge(cells)
    }

    fn subtract(left: &mut u64, amount: u64) -> Result<(), Exhausted> {
        let is_sufficient = *left >= amount;
        *left = left.saturating_sub(amount);
        if is_sufficient { Ok(()) } else { Err(Exhausted) }
    }
}
