//! Pivot tables. A pivot table is a node of the graph in the cell of its anchor, without a formula
//! there: its source is the node's only reference, and its output spills like an array.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quadrille_cell::{CellAddress, SheetId};
use quadrille_formula::Template;
use quadrille_pivot::{Output, Pivot};
use quadrille_workbook::{Item, ItemId, Workbook};

/// The pivot tables of a workbook as the graph knows them.
#[derive(Debug, Default)]
pub(crate) struct Pivots {
    pub by_sheet: BTreeMap<SheetId, BTreeMap<CellAddress, PivotNode>>,
    /// Sheets whose pivot tables may have changed since.
    pub stale: BTreeSet<SheetId>,
}

/// A pivot table in the graph.
#[derive(Debug)]
pub(crate) struct PivotNode {
    pub id: ItemId,
    pub item: Arc<Item>,
    /// The state of the last evaluation.
    pub pivot: Option<Pivot>,
}

impl Pivots {
    /// Whether all pivot tables are as they were in the last evaluation.
    pub fn is_current(&self) -> bool {
        self.stale.is_empty()
    }

    /// The pivot table with this anchor.
    pub fn known(&self, sheet: SheetId, anchor: CellAddress) -> Option<&PivotNode> {
        self.by_sheet.get(&sheet)?.get(&anchor)
    }

    /// The pivot table with this anchor, for writing.
    pub fn known_mut(&mut self, sheet: SheetId, anchor: CellAddress) -> Option<&mut PivotNode> {
        self.by_sheet.get_mut(&sheet)?.get_mut(&anchor)
    }

    /// The pivot table that fills a cell, with its anchor.
    pub fn at(
        &self,
        workbook: &Workbook,
        sheet: SheetId,
        cell: CellAddress,
    ) -> Option<(ItemId, CellAddress, &Pivot)> {
        let anchor = workbook.sheet(sheet)?.spill_anchor(cell)?;
        let known = self.known(sheet, anchor)?;
        Some((known.id, anchor, known.pivot.as_ref()?))
    }

    /// The output of the pivot table that fills a cell.
    pub fn output_at(&self, workbook: &Workbook, sheet: SheetId, cell: CellAddress) -> Option<Arc<Output>> {
        self.at(workbook, sheet, cell)?.2.output().as_ref().ok().cloned()
    }
}

/// The node of a pivot table: the item, and its source as the node's formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PivotFormula {
    pub item: ItemId,
    pub template: Template,
}
