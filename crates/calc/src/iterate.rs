//! Circular references that are wanted: calculated again and again until they settle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quadrille_cell::{CellAddress, SheetId, Value};
use quadrille_functions::Budget;

use crate::calculation::write;
use crate::circular_references::Iteration;
use crate::evaluation_pass::EvaluationPass;
use crate::graph::NodeId;
use crate::schedule::Component;

/// Evaluations of cells on circular references in one tangle, whatever the workbook wants: about a second.
const EVALUATIONS_MAX: usize = 2_000_000;

type CellKey = (SheetId, CellAddress);
type DirtyRows = BTreeMap<NodeId, Vec<(u32, u32)>>;

impl EvaluationPass<'_> {
    /// Calculates the circular references of a schedule, when they are wanted and known: all together, before all else. What they
    /// need is found cell by cell. Takes the tangles out of the schedule, where circular references are; `false` when the budget
    /// ran out.
    pub(crate) fn cycles_first(&mut self, schedule: &mut VecDeque<Component>) -> bool {
        let Some(iteration) = self.calculation.iteration.filter(|_| !self.calculation.assumed.is_empty())
        else {
            return true;
        };
        let mut tangled: Vec<NodeId> = Vec::new();
        schedule.retain(|component| match component {
            Component::Tangle(ids) => {
                tangled.extend(ids);
                false
            }
            _ => true,
        });
        self.calculation.indexes.move_on();
        self.iterate(iteration) && self.evaluate_cycle(&tangled)
    }

    /// Cells assumed to be on circular references have a value at all times, zero at first, so that the others find theirs. All that
    /// is dirty may be needed again in each round. `false` when it is to end, and then begins anew.
    fn iterate(&mut self, iteration: Iteration) -> bool {
        let ids = self.calculation.graph.dirty_nodes();
        let mut dirty = DirtyRows::new();
        for id in ids {
            dirty.insert(id, self.calculation.graph.node(id).dirty.iter().collect());
        }
        // Cells on circular references that only show once others have a value join them; then it begins anew.
        let mut circular = Vec::new();
        loop {
            let known = circular.len();
            circular = self.assumed_in(&dirty);
            if circular.len() == known {
                break;
            }
            // Circular references are calculated at one go: what they are half way is no value of theirs.
            let unlimited = Budget { cancel: self.budget.cancel.clone(), ..Budget::UNLIMITED };
            let budget = std::mem::replace(self.budget, unlimited);
            self.settle_cycles(&dirty, &circular, iteration);
            let spent = Budget::UNLIMITED.steps_left - self.budget.steps_left;
            *self.budget = budget;
            if self.budget.charge(spent).is_err() && self.budget.cancel.is_requested() {
                self.calculation.suspended.clear();
                self.mark_others_dirty(&dirty, &[]);
                return false;
            }
        }
        self.mark_others_dirty(&dirty, &circular);
        // Those that were found on the way have settled with the others.
        let settled: BTreeSet<CellKey> = circular.into_iter().collect();
        self.calculation.assumed_anew.retain(|place| !settled.contains(place));
        true
    }

    fn settle_cycles(&mut self, dirty: &DirtyRows, circular: &[CellKey], iteration: Iteration) {
        for (sheet, cell) in circular {
            write(self.workbook, *sheet, *cell, Value::Number(0.0), self.evaluated);
        }
        let rounds_max = (EVALUATIONS_MAX / circular.len()).clamp(1, iteration.iterations_max as usize);
        let circles_known = self.calculation.assumed.len();
        for _ in 0..rounds_max {
            self.mark_others_dirty(dirty, circular);
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
            if change < iteration.change_max || self.calculation.assumed.len() > circles_known {
                break;
            }
        }
    }

    fn value(&self, sheet: SheetId, cell: CellAddress) -> Value {
        self.workbook.sheet(sheet).map_or(Value::Blank, |sheet| sheet.value(cell))
    }

    /// The dirty cells that are assumed to be on circular references, sheet by sheet and row by row.
    fn assumed_in(&self, dirty: &DirtyRows) -> Vec<CellKey> {
        let is_dirty = |(sheet, cell): &CellKey| {
            self.calculation.graph.node_at(*sheet, *cell).is_some_and(|id| {
                let row = cell.row.get();
                dirty.get(&id).into_iter().flatten().any(|(first, last)| (*first..=*last).contains(&row))
            })
        };
        let mut found: Vec<CellKey> =
            self.calculation.assumed.iter().filter(|place| is_dirty(place)).copied().collect();
        found.sort_by_key(|(sheet, cell)| (self.workbook.position(*sheet), *cell));
        found
    }

    fn mark_others_dirty(&mut self, dirty: &DirtyRows, circular: &[CellKey]) {
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

    /// When circular references are wanted, the cells of one are assumed to have values from now on.
    pub(crate) fn assume(&mut self, cells: &[CellKey]) {
        if self.calculation.iteration.is_some() {
            self.calculation.assumed.extend(cells.iter().copied());
            self.calculation.assumed_anew.extend_from_slice(cells);
        }
    }
}
