//! [`CallContext`]: the host cell, time, random seed and budget of a function call.

use quadrille_cell::{CellAddress, SheetId};

use crate::budget::Budget;
use crate::cancel::Exhausted;

/// The time and random seed of a calculation, assigned by the server so that all replicas compute
/// the same results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EvaluationContext {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    pub time_ms: i64,
    /// Seed of RAND and related functions.
    pub seed: u64,
}

/// The context of the function calls in the formula of one cell.
pub struct CallContext<'a> {
    pub sheet: SheetId,
    pub host: CellAddress,
    pub time_and_seed: EvaluationContext,
    pub budget: &'a mut Budget,
    /// Number of random numbers drawn in this cell, so that `RAND()-RAND()` is not zero.
    draws: u64,
    /// Steps that were charged but saved by an index. The charge of a formula must not depend on
    /// the existence of an index; the time slice of an evaluation can.
    pub steps_saved: u64,
}

impl<'a> CallContext<'a> {
    /// Creates the context of the formula in cell `host` of `sheet`.
    pub fn new(
        sheet: SheetId,
        host: CellAddress,
        time_and_seed: EvaluationContext,
        budget: &'a mut Budget,
    ) -> CallContext<'a> {
        CallContext { sheet, host, time_and_seed, budget, draws: 0, steps_saved: 0 }
    }

    /// Records `steps` of work since the last call, whether charged or not, and polls for
    /// cancellation. Every loop over many elements calls this.
    ///
    /// Fails with [`Exhausted`] when the evaluation is cancelled.
    pub fn work(&self, steps: u64) -> Result<(), Exhausted> {
        self.budget.cancel.work(steps)
    }

    /// Returns a random number 0 ≤ x < 1. It depends only on the seed, the cell and the number of
    /// draws before it in the cell.
    pub fn random(&mut self) -> f64 {
        self.draws += 1;
        let cell = u64::from(self.host.row.get()) << 32 | u64::from(self.host.column.get());
        let mut mixed = self.time_and_seed.seed;
        for part in [u64::from(self.sheet.0), cell, self.draws] {
            mixed = split_mix(mixed ^ split_mix(part));
        }
        // 53 bits fill the mantissa; the factor is 2^-53.
        (mixed >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }
}

/// The SplitMix64 generator (Steele, Lea and Flood, *Fast Splittable Pseudorandom Number
/// Generators*, 2014).
fn split_mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
