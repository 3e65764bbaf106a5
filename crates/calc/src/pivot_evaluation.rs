//! Evaluates pivot tables and writes their results.

use quadrille_cell::{CellAddress, ErrorValue, Range, SheetId, Value};
use quadrille_formula::{Host, Template, visit_calls};
use quadrille_functions::{function_at, function_index};
use quadrille_pivot::{Definition, Pivot};
use quadrille_workbook::Input;

use crate::evaluation_pass::{EvaluationPass, ScheduledValues};
use crate::evaluator::{self, Outcome, PassContext, Stop};
use crate::spill::Spill;
use crate::value_access::blank_as_zero;

/// The evaluation was cancelled.
struct Cancelled;

/// Cells of a pivot table's source that are read in the time of one step. Reading a cell costs far
/// less than a step of a formula.
const CELLS_PER_STEP: u64 = 8;

impl EvaluationPass<'_> {
    /// Evaluates the pivot table at an anchor. `is_ready` tells whether a range has its values.
    /// Also returns the number of steps.
    pub(crate) fn evaluate_pivot(
        &mut self,
        sheet: SheetId,
        anchor: CellAddress,
        is_ready: impl Fn(&Self, SheetId, Range) -> bool,
    ) -> (Result<Outcome, Stop>, u64) {
        let error = |error: ErrorValue| Ok(Outcome::Value(Value::Error(error)));
        let item = self.calculation.pivots.known(sheet, anchor).map(|known| known.item.clone());
        let Some(item) = item else { return (error(ErrorValue::Reference), 1) };
        let definition = match Definition::read(self.workbook, sheet, &item) {
            Ok(definition) => definition,
            Err(problem) => return (error(problem), 1),
        };
        if !is_ready(self, definition.sheet, definition.source) {
            return (Err(Stop::Need(definition.sheet, definition.source)), 1);
        }
        let known = self.calculation.pivots.known_mut(sheet, anchor);
        let before = known.and_then(|known| known.pivot.take());
        let mut cells_read = 0;
        let cancel = self.budget.cancel.clone();
        let mut should_stop = |cells: u64| {
            cells_read += cells;
            cancel.is_requested_within(cells)
        };
        let (mut formula_steps, mut is_cancelled) = (0, false);
        let mut evaluate = |template: &Template| {
            let (outcome, steps) = self.evaluate_calculation(Host { sheet, cell: anchor }, template);
            formula_steps += steps;
            outcome.unwrap_or_else(|Cancelled| {
                is_cancelled = true;
                Value::Error(ErrorValue::Calculation)
            })
        };
        let pivot = Pivot::refresh(before, definition, self.workbook, &mut should_stop, &mut evaluate);
        let steps = cells_read / CELLS_PER_STEP + formula_steps + 1;
        let Some(pivot) = pivot.filter(|_| !is_cancelled) else { return (Err(Stop::Cancelled), steps) };
        let outcome = match pivot.output() {
            Ok(output) => Ok(Outcome::Array(output.cells.clone())),
            Err(problem) => error(*problem),
        };
        if let Some(known) = self.calculation.pivots.known_mut(sheet, anchor) {
            known.pivot = Some(pivot);
        }
        (outcome, steps)
    }

    /// Evaluates the formula of a calculated field over the sums of one group. It depends on nothing
    /// else: functions that are recalculated without edits, and imports, are `#VALUE!`.
    fn evaluate_calculation(&self, host: Host, template: &Template) -> (Result<Value, Cancelled>, u64) {
        let mut is_allowed = true;
        visit_calls(template, &mut |name, _| {
            let is_volatile = function_index(name).is_some_and(|index| function_at(index).volatile);
            is_allowed &= !(is_volatile || name.starts_with("IMPORT"));
        });
        if !is_allowed {
            return (Ok(Value::Error(ErrorValue::Value)), 1);
        }
        let state = ScheduledValues(&self.calculation.graph, &self.calculation.spills);
        let pass_context = PassContext {
            workbook: self.workbook,
            state: &state,
            time_and_seed: self.time_and_seed,
            dates: self.calculation.dates,
            cancel: &self.budget.cancel,
            result_cache: None,
            partials: None,
            indexes: None,
            hidden: &self.calculation.hidden,
            pivots: &self.calculation.pivots,
        };
        let (outcome, steps) = evaluator::evaluate(pass_context, host, template);
        let value = match outcome {
            Ok(Outcome::Value(value)) => Ok(value),
            Ok(Outcome::Array(array)) => Ok(blank_as_zero(array.into_values().swap_remove(0))),
            Err(_) => Err(Cancelled),
        };
        (value, steps)
    }

    /// Writes the result of a pivot table. A cell with an input, or in the area of an array whose
    /// formula comes first, keeps it; the pivot table is then blocked and shows nothing.
    pub(crate) fn store_pivot(&mut self, sheet: SheetId, anchor: CellAddress, outcome: Outcome) -> bool {
        let Some(found) = self.workbook.sheet(sheet) else { return true };
        let owner = found.spill_anchor(anchor);
        let has_input = owner.is_none() && found.input(anchor) != Input::Blank;
        if has_input || owner.is_some_and(|owner| owner != anchor) {
            let requested = match &outcome {
                Outcome::Array(array) => Range::new(
                    anchor,
                    CellAddress::clamped(
                        anchor.row.get() + (array.rows() - 1),
                        anchor.column.get() + (array.columns() - 1),
                    ),
                ),
                Outcome::Value(_) => Range::cell(anchor),
            };
            self.forget_spill(sheet, anchor);
            self.calculation.spills.set(sheet, anchor, Spill { requested, is_placed: false });
            return true;
        }
        if owner.is_none()
            && let Some(found) = self.workbook.sheet_mut(sheet)
        {
            found.mark_spilled(Range::cell(anchor), anchor);
        }
        self.store(sheet, anchor, outcome)
    }
}
