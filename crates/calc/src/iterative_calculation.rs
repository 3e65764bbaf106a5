//! Iterative calculation: circular references are evaluated repeatedly until they converge.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_cell::{CellAddress, SheetId, Value};
use quadrille_functions::Budget;

use crate::circular_references::Iteration;
use crate::evaluated::write_provisional;
use crate::evaluation_pass::EvaluationPass;
use crate::graph::NodeId;
use crate::schedule::Component;

/// Evaluations of circular cells per pass, regardless of the workbook's settings: about a second.
const EVALUATIONS_MAX: usize = 2_000_000;

type CellKey = (SheetId, CellAddress);
type DirtyRows = BTreeMap<NodeId, Vec<(u32, u32)>>;

impl EvaluationPass<'_> {
    /// Evaluates all known circular references before anything else, when iterative calculation is
    /// on. Removes the on-demand components from the schedule, since they contain the circular
    /// references. Returns `false` when the budget is spent.
    pub(crate) fn evaluate_iterative_cycles(&mut self, schedule: &mut VecDeque<Component>) -> bool {
        let Some(iteration) = self.calculation.iteration.filter(|_| !self.calculation.assumed.is_empty())
        else {
            return true;
        };
        let mut on_demand: Vec<NodeId> = Vec::new();
        schedule.retain(|component| match component {
            Component::OnDemand(ids) => {
                on_demand.extend(ids);
                false
            }
            _ => true,
        });
        self.calculation.indexes.advance_epoch();
        self.iterate(iteration) && self.evaluate_on_demand(&on_demand)
    }

    /// Iterates the assumed cells among the dirty ones. They always have a value, zero at first, so
    /// that other cells can be evaluated; all dirty cells may be needed again in each round.
    /// Returns `false` when cancelled, and then starts again.
    fn iterate(&mut self, iteration: Iteration) -> bool {
        let ids = self.calculation.graph.dirty_nodes();
        let mut dirty = DirtyRows::new();
        for id in ids {
            dirty.insert(id, self.calculation.graph.node(id).dirty.iter().collect());
        }
        // Further circular references may appear once these have values. They join, and the
        // iteration starts again.
        let mut circular = Vec::new();
        loop {
            let previous_count = circular.len();
            circular = self.assumed_in(&dirty);
            if circular.len() == previous_count {
                break;
            }
            // An iteration runs to its end, because intermediate values are not valid results.
            let unlimited = Budget { cancel: self.budget.cancel.clone(), ..Budget::UNLIMITED };
            let budget = std::mem::replace(self.budget, unlimited);
            self.iterate_until_stable(&dirty, &circular, iteration);
            let spent = Budget::UNLIMITED.steps_left - self.budget.steps_left;
            *self.budget = budget;
            if self.budget.charge(spent).is_err() && self.budget.cancel.is_requested() {
                self.calculation.suspended.clear();
                self.mark_dirty_except(&dirty, &[]);
                return false;
            }
        }
        self.mark_dirty_except(&dirty, &circular);
        // Circular references that were found meanwhile have converged with the others.
        let snap_to_zero: BTreeSet<CellKey> = quadrille_cell::collect_by_insertion(circular);
        self.calculation.newly_assumed.retain(|key| !snap_to_zero.contains(key));
        true
    }

    fn iterate_until_stable(&mut self, dirty: &DirtyRows, circular: &[CellKey], iteration: Iteration) {
        for (sheet, cell) in circular {
            write_provisional(self.workbook, *sheet, *cell, Value::Number(0.0), self.evaluated);
        }
        let rounds_max = (EVALUATIONS_MAX / circular.len()).clamp(1, iteration.iterations_max as usize);
        let assumed_count = self.calculation.assumed.len();
        for _ in 0..rounds_max {
            self.mark_dirty_except(dirty, circular);
            let mut change = 0.0f64;
            for (sheet, cell) in circular {
                let Some(id) = self.calculation.graph.node_at(*sheet, *cell) else { continue };
                let before = self.value(*sheet, *cell);
                if !self.evaluate_with_precedents(*sheet, *cell, id) {
                    return;
                }
                change = change.max(match (before, self.value(*sheet, *cell)) {
                    (Value::Number(before), Value::Number(now)) => (now - before).abs(),
                    (before, now) if before == now => 0.0,
                    _ => f64::INFINITY,
                });
            }
            if change < iteration.change_max || self.calculation.assumed.len() > assumed_count {
                break;
            }
        }
    }

    fn value(&self, sheet: SheetId, cell: CellAddress) -> Value {
        self.workbook.sheet(sheet).map_or(Value::Blank, |sheet| sheet.value(cell))
    }

    /// Dirty cells with assumed values, by sheet and then row by row.
    fn assumed_in(&self, dirty: &DirtyRows) -> Vec<CellKey> {
        let is_dirty = |(sheet, cell): &CellKey| {
            self.calculation.graph.node_at(*sheet, *cell).is_some_and(|id| {
                let row = cell.row.get();
                dirty.get(&id).into_iter().flatten().any(|(first, last)| (*first..=*last).contains(&row))
            })
        };
        let mut found: Vec<CellKey> =
            self.calculation.assumed.iter().filter(|key| is_dirty(key)).copied().collect();
        quadrille_cell::stable_sort_by_key(&mut found, |(sheet, cell)| {
            (self.workbook.position(*sheet), *cell)
        });
        found
    }

    /// Marks the dirty rows dirty again, except for the circular cells, which keep their values.
    fn mark_dirty_except(&mut self, dirty: &DirtyRows, circular: &[CellKey]) {
        for (id, spans) in dirty {
            for (first, last) in spans {
                self.calculation.graph.mark_dirty(*id, *first, *last, |_, _| {});
            }
        }
        for (sheet, cell) in circular {
            if let Some(id) = self.calculation.graph.node_at(*sheet, *cell) {
                self.calculation.graph.mark_clean(id, cell.row.get(), cell.row.get());
            }
        }
    }

    /// Gives the cells of a circular reference assumed values from now on, when iterative
    /// calculation is on.
    pub(crate) fn assume(&mut self, cells: &[CellKey]) {
        if self.calculation.iteration.is_some() {
            self.calculation.assumed.extend(cells.iter().copied());
            self.calculation.newly_assumed.extend_from_slice(cells);
        }
    }
}
