//! What a run did, so that a run which did nothing is seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use quadrille_operation::Kind;
use quadrille_workbook::ItemKind;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    pub seeds: u64,
    pub simulated_ms: u64,
    pub steps: u64,
    /// By name: operations, faults injected, ways taken.
    pub counts: BTreeMap<&'static str, u64>,
    /// Kinds of operations, and of items that were put, which came into a journal.
    pub operations: BTreeSet<Kind>,
    pub items: BTreeSet<ItemKind>,
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
        self.operations.extend(other.operations);
        self.items.extend(other.items);
    }

    /// Kinds of operations and items that no journal has had.
    pub fn missing(&self) -> Vec<String> {
        let operations = Kind::ALL.iter().filter(|kind| !self.operations.contains(kind));
        let items = ItemKind::ALL.iter().filter(|kind| !self.items.contains(kind));
        operations.map(|kind| format!("{kind:?}")).chain(items.map(|kind| format!("item {kind:?}"))).collect()
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
        let (operations, items) = (self.operations.len(), self.items.len());
        let (of, of_items) = (Kind::ALL.len(), ItemKind::ALL.len());
        write!(f, "  operations of {operations} of {of} kinds, items of {items} of {of_items}")?;
        match self.missing() {
            missing if missing.is_empty() => writeln!(f)?,
            missing => writeln!(f, "; none of {}", missing.join(", "))?,
        }
        Ok(())
    }
}
