//! Reports of runs: how many edits, faults and recoveries happened, so that a run without any of
//! them is noticed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use quadrille_operation::OperationKind;
use quadrille_workbook::ItemKind;

/// What happened in one or several runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    pub seeds: u64,
    pub simulated_ms: u64,
    pub steps: u64,
    /// Number of edits, injected faults and other events, by name.
    pub counts: BTreeMap<&'static str, u64>,
    /// Kinds of operations that were recorded in a journal.
    pub operations: BTreeSet<OperationKind>,
    /// Kinds of items that were recorded in a journal.
    pub items: BTreeSet<ItemKind>,
}

impl Report {
    /// Counts one event.
    pub fn count(&mut self, name: &'static str) {
        self.add(name, 1);
    }

    /// Adds `count` events.
    pub fn add(&mut self, name: &'static str, count: u64) {
        *self.counts.entry(name).or_default() += count;
    }

    /// Adds the events of another report.
    pub fn merge(&mut self, other: Report) {
        self.seeds += other.seeds;
        self.simulated_ms += other.simulated_ms;
        self.steps += other.steps;
        for (name, count) in other.counts {
            self.add(name, count);
        }
        self.operations.extend(other.operations);
        self.items.extend(other.items);
    }

    /// Kinds of operations and items that no journal contains.
    pub fn missing_kinds(&self) -> Vec<String> {
        let operations = OperationKind::ALL.iter().filter(|kind| !self.operations.contains(kind));
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
        for (name, count) in &self.counts {
            writeln!(f, "  {name}: {count}")?;
        }
        if self.items.is_empty() {
            return Ok(()); // runs with several servers do not record them
        }
        let (operations, items) = (self.operations.len(), self.items.len());
        let (operations_all, items_all) = (OperationKind::ALL.len(), ItemKind::ALL.len());
        write!(
            f,
            "  {operations} of {operations_all} kinds of operations, {items} of {items_all} kinds of items"
        )?;
        match self.missing_kinds() {
            missing if missing.is_empty() => writeln!(f)?,
            missing => writeln!(f, "; missing: {}", missing.join(", "))?,
        }
        Ok(())
    }
}
