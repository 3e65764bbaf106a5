//! What a run did, so that a run which did nothing is seen.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    pub seeds: u64,
    pub simulated_ms: u64,
    pub steps: u64,
    /// By name: operations, faults injected, ways taken.
    pub counts: BTreeMap<&'static str, u64>,
}

impl Report {
    pub fn count(&mut self, what: &'static str) {
        self.add(what, 1);
    }

    pub fn add(&mut self, what: &'static str, count: u64) {
        *self.counts.entry(what).or_default() += count;
    }

    pub fn merge(&mut self, other: Report) {
        self.seeds += other.seeds;
        self.simulated_ms += other.simulated_ms;
        self.steps += other.steps;
        for (what, count) in other.counts {
            self.add(what, count);
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} seeds, {} simulated seconds, {} steps",
            self.seeds,
            self.simulated_ms / 1_000,
            self.steps
        )?;
        for (what, count) in &self.counts {
            writeln!(f, "  {what}: {count}")?;
        }
        Ok(())
    }
}
