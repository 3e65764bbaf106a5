//! Which formulas need which imported data.
//!
//! Formulas that import are dynamic: only evaluation finds their sources. The sources of a cell are
//! recorded in its node, and the cell is evaluated again when the data of one of them changes.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, SheetId};
use quadrille_workbook::{ImportSource, ItemId};

use crate::calculation::Calculation;
use crate::graph::{Graph, NodeId};

/// Sources that are recorded for a cell, at most. Changes of others reach it with its next evaluation.
pub(crate) const SOURCES_MAX: usize = 256;

/// The sources of the formulas of one node, by row.
pub(crate) type ImportSources = BTreeMap<u32, BTreeSet<ImportSource>>;

impl Calculation {
    /// Notes that the data of an import has changed.
    pub fn import_changed(&mut self, import: ItemId) {
        self.changed_imports.insert(import);
    }

    /// Marks the formulas dirty that need changed data.
    pub(crate) fn mark_imports(&mut self) {
        let changed = std::mem::take(&mut self.changed_imports);
        if changed.is_empty() {
            return;
        }
        let mut rows = Vec::new();
        for (id, sources) in self.graph.import_sources() {
            let is_affected = |sources: &BTreeSet<ImportSource>| {
                sources.iter().any(|source| changed.contains(&source.item()))
            };
            let affected = sources.iter().filter(|(_, sources)| is_affected(sources));
            rows.extend(affected.map(|(row, _)| (id, *row)));
        }
        for (id, row) in rows {
            self.graph.mark_dirty(id, row, row, |_, _| {});
        }
    }

    /// The sources that formulas in cells need, as of the last evaluation.
    pub fn import_sources(&self) -> BTreeSet<&ImportSource> {
        self.graph.import_sources().flat_map(|(_, rows)| rows.values()).flatten().collect()
    }

    /// The sources that the formula in a cell needs.
    pub fn import_sources_of(&self, sheet: SheetId, cell: CellAddress) -> Vec<&ImportSource> {
        let node = self.graph.node_at(sheet, cell).map(|id| self.graph.node(id));
        let sources = node.and_then(|node| node.import_sources.as_ref()?.get(&cell.row.get()));
        sources.into_iter().flatten().collect()
    }
}

impl Graph {
    /// Records the sources of the imported data that the formula in a row of a dynamic node needs.
    pub fn record_imports(&mut self, id: NodeId, row: u32, sources: BTreeSet<ImportSource>) {
        let recorded = &mut self.node_mut(id).import_sources;
        if !sources.is_empty() {
            recorded.get_or_insert_default().insert(row, sources);
        } else if let Some(recorded) = recorded {
            recorded.remove(&row);
        }
    }

    /// The sources of imported data by node.
    pub fn import_sources(&self) -> impl Iterator<Item = (NodeId, &ImportSources)> {
        self.dynamic.iter().filter_map(|id| Some((*id, self.node(*id).import_sources.as_ref()?)))
    }
}
