//! Brings the dependency graph up to date with the workbook before an evaluation.

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_functions::Cancel;
use quadrille_workbook::Workbook;
use std::collections::BTreeMap;

use crate::calculation::Calculation;
use crate::circular_references::{CircularReferences, Iteration};
use crate::evaluated::Evaluated;
use crate::formula_batch::NodeFormulas;
use crate::graph::{Node, NodeId};
use crate::lookup_dependents::affected_lookups;
use crate::schedule::Seed;
use crate::spill::{Spill, Spills};
use crate::template_analysis::TemplateAnalysis;

impl Calculation {
    /// Synchronises the graph with the workbook and marks the dependents of all changes dirty.
    /// Returns `false` when cancelled; the next call continues.
    pub(crate) fn update_graph(
        &mut self,
        workbook: &mut Workbook,
        evaluated: &mut Evaluated,
        cancel: &Cancel,
    ) -> bool {
        self.iteration = Iteration::of(workbook);
        let stale = std::mem::take(&mut self.stale);
        self.refresh_pivots(workbook, evaluated, stale.everything || stale.structure || stale.sheets);
        if stale.everything {
            self.rebuild_everything(workbook);
        } else {
            if stale.structure {
                self.rebuild(workbook);
            }
            if stale.names || stale.sheets {
                self.graph.forget_dynamic_reads();
            }
            if stale.sheets {
                self.compare_sheets(workbook, evaluated);
            }
            if stale.names {
                self.reanalyze(workbook, evaluated, |node| node.analysis.uses_names);
            }
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.reverse();
        while let Some((sheet, range)) = pending.pop() {
            if !self.graph.sync(workbook, sheet, range, cancel) {
                pending.push((sheet, range));
                pending.reverse();
                self.pending = pending;
                return false;
            }
            self.mark_dependents(workbook, sheet, range, evaluated);
        }
        self.refresh_hidden_rows(workbook);
        true
    }

    fn rebuild_everything(&mut self, workbook: &mut Workbook) {
        self.graph.clear();
        self.indexes.invalidate();
        self.partials.clear();
        // Not all edited cells are known.
        self.hidden.clear();
        self.is_settled = false;
        self.spills = Spills::default();
        self.circular_references = CircularReferences::default();
        self.seeds.clear();
        self.pending.clear();
        self.sheets = instances(workbook);
        let sheets: Vec<SheetId> = self.sheets.keys().copied().collect();
        for sheet in sheets {
            // Arrays will spill again.
            if let Some(sheet) = workbook.sheet_mut(sheet) {
                sheet.clear_spilled(Range::whole_sheet());
            }
            self.pending.push((sheet, Range::whole_sheet()));
        }
    }

    fn rebuild(&mut self, workbook: &Workbook) {
        self.graph.clear();
        for sheet in workbook.sheets() {
            self.graph.sync(workbook, sheet.id(), Range::whole_sheet(), &Cancel::NEVER);
        }
        // Random numbers depend on the cell's position too.
        let depends_on_position = |id: &NodeId| {
            let analysis = &self.graph.node(*id).analysis;
            analysis.positional || analysis.volatile || analysis.dynamic
        };
        let positional: Vec<NodeId> = self.graph.ids().filter(depends_on_position).collect();
        for id in positional {
            self.graph.mark_all_dirty(id);
        }
    }

    fn compare_sheets(&mut self, workbook: &mut Workbook, evaluated: &mut Evaluated) {
        let now = instances(workbook);
        let before = std::mem::replace(&mut self.sheets, now.clone());
        self.circular_references.retain_sheets(|sheet| now.contains_key(&sheet));
        let ids = before.keys().chain(now.keys());
        let mut different: Vec<SheetId> = ids.filter(|id| before.get(id) != now.get(id)).copied().collect();
        different.sort();
        different.dedup();
        for sheet in &different {
            self.spills.remove_sheet(*sheet);
            self.graph.sync(workbook, *sheet, Range::whole_sheet(), &Cancel::NEVER);
            if now.contains_key(sheet) {
                self.pending.push((*sheet, Range::whole_sheet()));
            }
        }
        self.reanalyze(workbook, evaluated, |node| {
            node.analysis.spans_sheets
                || node.analysis.positional
                || node.analysis.sheets.iter().any(|sheet| different.contains(sheet))
        });
    }

    /// Analyses the templates of the affected nodes again, because names or sheets have changed.
    fn reanalyze(
        &mut self,
        workbook: &mut Workbook,
        evaluated: &mut Evaluated,
        is_affected: impl Fn(&Node) -> bool,
    ) {
        let ids: Vec<NodeId> = self.graph.ids().filter(|id| is_affected(self.graph.node(*id))).collect();
        for id in ids {
            let node = self.graph.remove(id);
            let rows = (node.first, node.last);
            // The arrays of these formulas may differ now. Clearing them keeps readers of the old
            // cells from looking like dependents of the new formulas.
            let area = Range::from_indices(rows.0, node.column, rows.1, node.column);
            let anchors = self.spills.anchors_in(node.sheet, area.expect("runs lie within the sheet"));
            for (anchor, spill) in anchors {
                self.spills.remove(node.sheet, anchor);
                if spill.is_placed {
                    self.clear_cells(workbook, node.sheet, spill.requested, evaluated);
                }
            }
            let analysis = TemplateAnalysis::new(node.formulas.example(), node.sheet, node.column, workbook);
            let is_pivot = node.is_pivot;
            let formulas =
                NodeFormulas { first: rows.0, last: rows.1, formulas: node.formulas, is_pivot, analysis };
            let id = self.graph.insert(node.sheet, node.column, formulas);
            self.graph.mark_all_dirty(id);
        }
    }

    /// Marks the formulas in the range and everything that reads it dirty, after its inputs
    /// changed. Arrays that intersect the range spill again.
    fn mark_dependents(
        &mut self,
        workbook: &mut Workbook,
        sheet: SheetId,
        range: Range,
        evaluated: &mut Evaluated,
    ) {
        let (top, bottom) = (range.first().row.get(), range.last().row.get());
        let columns: Vec<u32> = self.graph.columns_in(sheet, range).collect();
        for column in columns {
            let nodes: Vec<NodeId> = self.graph.nodes_in(sheet, column, top, bottom).collect();
            for id in nodes {
                self.graph.mark_dirty(id, top, bottom, |_, _| {});
            }
        }
        let handled_edges = match self.is_settled {
            true => affected_lookups(&mut self.graph, &self.indexes, workbook, sheet, range),
            false => Vec::new(),
        };
        if !self.circular_references.is_empty() {
            self.circular_references.remove_edited(sheet, range);
        }
        self.seeds.push(Seed { sheet, range, handled_edges });
        if self.spills.is_empty() {
            return;
        }
        let intersecting: Vec<(CellAddress, Spill)> = self.spills.intersecting(sheet, range).collect();
        for (anchor, spill) in intersecting {
            match self.graph.node_at(sheet, anchor).filter(|_| !range.contains(anchor)) {
                Some(id) => {
                    self.graph.mark_dirty(id, anchor.row.get(), anchor.row.get(), |_, _| {});
                    // An entry blocks the array. If the formula read what it filled here, that
                    // would be a circular reference that no longer exists.
                    let entered = range.intersection(spill.requested);
                    let is_blocked = entered.is_some_and(|entered| has_inputs(workbook, sheet, entered));
                    if spill.is_placed && is_blocked {
                        self.spills.set(sheet, anchor, Spill { is_placed: false, ..spill });
                        for part in spill.requested.subtract(Range::cell(anchor)) {
                            self.clear_cells(workbook, sheet, part, evaluated);
                        }
                    }
                }
                // The cell holds something else now than the formula that filled the area.
                None => {
                    self.spills.remove(sheet, anchor);
                    if spill.is_placed {
                        self.clear_cells(workbook, sheet, spill.requested, evaluated);
                    }
                }
            }
        }
    }

    /// Marks formulas dirty that depend on the evaluation context.
    pub(crate) fn mark_volatile(&mut self) {
        let volatile: Vec<NodeId> = self.graph.volatile.iter().copied().collect();
        for id in volatile {
            self.graph.mark_all_dirty(id);
        }
    }

    /// Marks dynamic formulas dirty whose reads are not recorded: only evaluation can tell whether
    /// they read what has changed.
    pub(crate) fn mark_unknown_reads(&mut self) {
        for id in self.graph.dynamic_with_unknown_reads() {
            self.graph.mark_all_dirty(id);
        }
    }
}

fn has_inputs(workbook: &Workbook, sheet: SheetId, range: Range) -> bool {
    workbook.sheet(sheet).is_some_and(|sheet| sheet.inputs_in(range).next().is_some())
}

fn instances(workbook: &Workbook) -> BTreeMap<SheetId, u64> {
    let mut instances = BTreeMap::new();
    for sheet in workbook.sheets() {
        instances.insert(sheet.id(), sheet.instance());
    }
    instances
}
