//! [`Calculation::evaluate`]: passes over the dirty cells until nothing is dirty or the budget is spent.

use quadrille_cell::{CellAddress, ErrorValue, Range, SheetId, Value, free_deferred, set_deferred_drop};
use quadrille_functions::{Budget, EvaluationContext};
use quadrille_workbook::Workbook;

use crate::calculation::Calculation;
use crate::evaluated::{Evaluated, write_provisional};
use crate::evaluation_pass::EvaluationPass;
use crate::result_cache::ResultCache;
use crate::schedule::{order, schedule};

/// Passes after which arrays that keep displacing one another are reported as circular.
const PASSES_MAX: usize = 64;
/// After this many slices without progress each slice gets twice the budget of the last one, until
/// a pass completes.
const SLICES_STUCK_MAX: u32 = 16;

impl Calculation {
    /// Evaluates dirty cells until none is left or the budget is spent. Call again with the same
    /// context while [`Evaluated::finished`] is `false`.
    pub fn evaluate(
        &mut self,
        workbook: &mut Workbook,
        time_and_seed: EvaluationContext,
        budget: &mut Budget,
    ) -> Evaluated {
        // Frees memory that a cancelled evaluation on this thread has left (rule T4 in
        // docs/engine.md).
        while free_deferred() && !budget.cancel.is_requested() {}
        let evaluated = self.resume(workbook, time_and_seed, budget);
        set_deferred_drop(false);
        evaluated
    }

    fn resume(
        &mut self,
        workbook: &mut Workbook,
        time_and_seed: EvaluationContext,
        budget: &mut Budget,
    ) -> Evaluated {
        let mut evaluated = Evaluated::default();
        self.indexes.cancel = budget.cancel.clone();
        self.indexes.advance_epoch();
        self.indexes.note_changed_ranges(&self.pending);
        for (sheet, range) in &self.pending {
            self.partials.changed(*sheet, *range);
            self.hidden.changed(*sheet, *range);
        }
        let is_edited = !self.pending.is_empty() || self.is_stale() || !self.changed_imports.is_empty();
        let is_new_work = is_edited || !self.seeds.is_empty() || self.has_pending_hidden_rows();
        if is_edited || self.time_and_seed != Some(time_and_seed) {
            self.passes = 0;
            (self.fewest_left, self.slices_stuck) = (u64::MAX, 0);
        }
        if !self.update_graph(workbook, &mut evaluated, &budget.cancel) {
            self.is_settled = false;
            self.note_changed_values(&evaluated);
            return evaluated;
        }
        self.is_settled = false;
        // Propagating again would follow a circular reference round and mark the cells that earlier
        // slices have evaluated dirty.
        let mut is_continuation =
            self.is_propagated && self.time_and_seed == Some(time_and_seed) && !is_new_work;
        self.is_propagated = false;
        let mut remaining = std::mem::take(&mut self.remaining);
        if self.time_and_seed != Some(time_and_seed) || is_new_work {
            if self.time_and_seed != Some(time_and_seed) {
                self.mark_volatile();
            }
            self.mark_imports();
            self.mark_unknown_reads();
            self.time_and_seed = Some(time_and_seed);
            self.circular_arrays.clear();
            self.assumed.clear();
            self.suspended.clear();
        }
        let doublings = self.slices_stuck.saturating_sub(SLICES_STUCK_MAX).min(u64::BITS - 1);
        budget.steps_left = budget.steps_left.saturating_mul(1 << doublings);
        let mut is_first = true;
        while !self.seeds.is_empty() || !self.graph.is_clean() || !self.newly_assumed.is_empty() {
            if self.passes == PASSES_MAX {
                self.mark_unresolved_circular(workbook, &mut evaluated);
                break;
            }
            if !std::mem::take(&mut is_first) {
                self.mark_unknown_reads();
            }
            let seeds = std::mem::take(&mut self.seeds);
            self.mark_assumed_dirty();
            let mut schedule = match std::mem::take(&mut is_continuation) {
                true if !remaining.is_empty() => std::mem::take(&mut remaining),
                true => order(&mut self.graph, &self.spills),
                false => schedule(&mut self.graph, &self.spills, &seeds),
            };
            if self.mark_cycles_dirty() {
                schedule = crate::schedule::schedule(&mut self.graph, &self.spills, &[]);
            }
            self.forget_recalculated_cycles();
            let result_cache = ResultCache::default();
            let evaluated = &mut evaluated;
            let reported_count = 0;
            let mut pass = EvaluationPass {
                calculation: self,
                workbook,
                time_and_seed,
                budget,
                evaluated,
                result_cache,
                reported_count,
            };
            let suspended = std::mem::take(&mut pass.calculation.suspended);
            let is_done = (suspended.is_empty() || pass.resume(suspended))
                && pass.evaluate_iterative_cycles(&mut schedule)
                && pass.evaluate_components(&mut schedule);
            if !is_done {
                self.note_changed_values(evaluated);
                self.is_propagated = self.newly_assumed.is_empty() && self.seeds.is_empty();
                // The iterative calculation removes components from the schedule before they are
                // complete.
                if self.is_propagated && self.assumed.is_empty() {
                    self.remaining = schedule;
                }
                if !self.is_propagated {
                    self.check_progress();
                }
                if !self.newly_assumed.is_empty() {
                    // Iterative calculation comes first in the next slice.
                    self.suspended.clear();
                }
                self.mark_assumed_dirty();
                return std::mem::take(evaluated);
            }
            self.passes += 1;
        }
        evaluated.finished = true;
        self.passes = 0;
        self.note_changed_values(&evaluated);
        self.indexes.refresh_all(workbook);
        self.is_settled = true;
        evaluated
    }

    /// Marks all circular references dirty when iterative calculation is on and one of them is
    /// dirty or was removed. They are evaluated together or not at all, since the number of
    /// iterations depends on the slowest of them. Returns whether this marked anything.
    fn mark_cycles_dirty(&mut self) -> bool {
        let was_one_removed = self.circular_references.take_removed();
        if self.iteration.is_none() || self.circular_references.is_empty() || !self.assumed.is_empty() {
            return false;
        }
        let cells: Vec<(SheetId, CellAddress)> = self.circular_references.cells().collect();
        let dirty = |(sheet, cell): &(SheetId, CellAddress)| {
            self.graph.first_dirty(*sheet, Range::cell(*cell)).is_some()
        };
        let count = cells.iter().filter(|cell| dirty(cell)).count();
        if (count == 0 && !was_one_removed) || count == cells.len() {
            return false;
        }
        for (sheet, cell) in cells {
            if let Some(id) = self.graph.node_at(sheet, cell) {
                self.graph.mark_dirty(id, cell.row.get(), cell.row.get(), |_, _| {});
            }
        }
        true
    }

    /// Marks cells dirty that are evaluated from assumed values from now on.
    fn mark_assumed_dirty(&mut self) {
        let mut cells = std::mem::take(&mut self.newly_assumed);
        if !cells.is_empty() {
            cells.extend(self.circular_references.cells());
        }
        for (sheet, cell) in cells {
            if let Some(id) = self.graph.node_at(sheet, cell) {
                self.graph.mark_dirty(id, cell.row.get(), cell.row.get(), |_, _| {});
            }
        }
    }

    /// Counts slices without progress. Arrays that displace one another make cells dirty that
    /// earlier slices have evaluated, so no slice might ever reach [`PASSES_MAX`].
    fn check_progress(&mut self) {
        let left = self.graph.dirty_cells();
        if left < self.fewest_left {
            (self.fewest_left, self.slices_stuck) = (left, 0);
        } else {
            self.slices_stuck += 1;
        }
    }

    /// Forgets the circular references of dirty cells; evaluation finds them again.
    fn forget_recalculated_cycles(&mut self) {
        // Cells with assumed values have been found in this evaluation and are not found again.
        if self.circular_references.is_empty() || !self.assumed.is_empty() {
            return;
        }
        for id in self.graph.dirty_nodes() {
            let node = self.graph.node(id);
            for (first, last) in node.dirty.iter() {
                let rows = Range::from_indices(first, node.column, last, node.column);
                self.circular_references.remove_in(node.sheet, rows.expect("runs lie within the sheet"));
            }
        }
    }

    /// Reports computed values to the indexes, partial aggregates and hidden rows.
    fn note_changed_values(&mut self, evaluated: &Evaluated) {
        self.indexes.note_changed_ranges(&evaluated.changed);
        for (sheet, range) in &evaluated.changed {
            self.partials.changed(*sheet, *range);
            self.hidden.changed(*sheet, *range);
        }
    }

    /// Sets arrays that displace one another without end to `#CIRC!`.
    fn mark_unresolved_circular(&mut self, workbook: &mut Workbook, evaluated: &mut Evaluated) {
        self.seeds.clear();
        self.graph.forget_dynamic_reads();
        for (sheet, range) in self.graph.take_dirty() {
            for cell in range.cells() {
                if let Some(spill) = self.spills.remove(sheet, cell).filter(|spill| spill.is_placed) {
                    self.clear_cells(workbook, sheet, spill.requested, evaluated);
                }
                write_provisional(workbook, sheet, cell, Value::Error(ErrorValue::Circular), evaluated);
            }
        }
        // Clearing spilled cells has marked their dependents dirty, which are circular as well.
        self.graph.take_dirty();
        self.seeds.clear();
    }
}
