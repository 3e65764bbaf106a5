//! What a call may know beside its arguments: where it stands, the stamped time and seed, and what it may still spend.

use quadrille_cell::{CellAddress, SheetId};

use crate::budget::Budget;
use crate::cancel::Exhausted;

/// Time and seed that the server gave the operation being calculated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EvaluationContext {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    pub time_ms: i64,
    pub seed: u64,
}

/// What one evaluation of one cell's formula knows. Made once per cell, handed to every call in its formula.
pub struct CallContext<'a> {
    pub sheet: SheetId,
    pub host: CellAddress,
    pub time_and_seed: EvaluationContext,
    pub budget: &'a mut Budget,
    /// Numbers drawn so far in this cell, so that `RAND()-RAND()` is not zero.
    draws: u64,
    /// Steps charged for work that an index did away with. What a formula is charged must not depend on whether
    /// there happens to be one; what an evaluation has spent may.
    pub steps_saved: u64,
}

impl<'a> CallContext<'a> {
    pub fn new(
        sheet: SheetId,
        host: CellAddress,
        time_and_seed: EvaluationContext,
        budget: &'a mut Budget,
    ) -> CallContext<'a> {
        CallContext { sheet, host, time_and_seed, budget, draws: 0, steps_saved: 0 }
    }

    /// Looks now and then whether the evaluation is to end: `steps` are the work done since this was called last, paid for or
    /// not. Whatever goes over many elements calls this, so that between two looks lie microseconds.
    pub fn work(&self, steps: u64) -> Result<(), Exhausted> {
        self.budget.cancel.work(steps)
    }

    /// A number in 0 ≤ x < 1 that depends only on the seed, the cell and how many were drawn in it before.
    pub fn random(&mut self) -> f64 {
        self.draws += 1;
        let place = u64::from(self.host.row.get()) << 32 | u64::from(self.host.column.get());
        let mut mixed = self.time_and_seed.seed;
        for part in [u64::from(self.sheet.0), place, self.draws] {
            mixed = split_mix(mixed ^ split_mix(part));
        }
        // 53 bits fill the mantissa; 2^-53 scales them below 1.
        (mixed >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }
}

/// SplitMix64: well mixed, and the same on every machine.
fn split_mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
