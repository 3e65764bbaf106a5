//! Detached evaluation: formulas outside cells, as in conditional formats, data validation and
//! charts.

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_formula::{Expression, Host, Template};
use quadrille_functions::{Cancel, EvaluationContext};
use quadrille_workbook::Workbook;

use crate::Calculation;
use crate::affected_formulas::AffectedFormulas;
use crate::evaluator::{self, CalculationState, Item, Outcome, PartKind, PassContext};
use crate::graph::Graph;
use crate::hidden_rows::{HiddenRows, is_subtotal};
use crate::spill::Spills;
use crate::value_access::blank_as_zero;

/// State that serves current values, dirty or not.
struct CurrentValues<'a>(&'a Graph, &'a Spills);

impl CalculationState for CurrentValues<'_> {
    fn is_ready(&self, _sheet: SheetId, _range: Range) -> bool {
        true
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.1.area(sheet, cell)
    }

    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        self.0.subtotals_in(sheet, range)
    }

    fn affected_by(&self, cells: &[(SheetId, CellAddress)]) -> AffectedFormulas {
        self.0.affected_by(self.1, cells)
    }
}

impl Calculation {
    /// Evaluates a formula as if it were in `host`. Returns its value, the first one of an array,
    /// and the number of steps. Dirty cells are read as they are.
    pub fn evaluate_detached(
        &self,
        workbook: &Workbook,
        time_and_seed: EvaluationContext,
        host: Host,
        template: &Template,
    ) -> (Value, u64) {
        let (outcome, steps) = self.outcome_detached(workbook, time_and_seed, host, template);
        let value = match outcome {
            Outcome::Value(value) => value,
            Outcome::Array(array) => blank_as_zero(array.into_values().swap_remove(0)),
        };
        (value, steps)
    }

    /// Evaluates a formula as if it were in `host` and returns all its values, row by row.
    pub fn evaluate_range_detached(
        &self,
        workbook: &Workbook,
        time_and_seed: EvaluationContext,
        host: Host,
        template: &Template,
    ) -> Vec<Value> {
        match self.outcome_detached(workbook, time_and_seed, host, template).0 {
            Outcome::Value(value) => vec![value],
            Outcome::Array(array) => array.into_values(),
        }
    }

    fn outcome_detached(
        &self,
        workbook: &Workbook,
        time_and_seed: EvaluationContext,
        host: Host,
        template: &Template,
    ) -> (Outcome, u64) {
        let (outcome, steps) = self.with_pass(workbook, time_and_seed, is_subtotal(template), |pass| {
            evaluator::evaluate(pass, host, template)
        });
        (outcome.unwrap_or_else(|_| unreachable!("every cell is ready")), steps)
    }

    /// Evaluates a part of a formula, whose names in `scope` have these values. Returns the result
    /// of the kind and the number of steps.
    pub(crate) fn part_detached(
        &self,
        workbook: &Workbook,
        time_and_seed: EvaluationContext,
        host: Host,
        (part, kind): (&Expression, PartKind),
        scope: &[(String, Item<'static>)],
    ) -> (Item<'static>, u64) {
        self.with_pass(workbook, time_and_seed, true, |pass| {
            let scope = scope.iter().map(|(name, item)| (name.as_str(), item.clone())).collect();
            let (item, steps) = evaluator::evaluate_part(pass, host, (part, kind), scope);
            (item.unwrap_or_else(|_| unreachable!("every cell is ready")).without_lambda(), steps)
        })
    }

    /// Calls `evaluate` with the current values of all cells.
    fn with_pass<T>(
        &self,
        workbook: &Workbook,
        time_and_seed: EvaluationContext,
        needs_filters: bool,
        evaluate: impl FnOnce(PassContext<'_>) -> T,
    ) -> T {
        let state = CurrentValues(&self.graph, &self.spills);
        // Filters are read only when some formula in a cell ignores hidden rows.
        let fresh = (!self.has_read_filters() && needs_filters)
            .then(|| HiddenRows::of(self.hidden.filters(), workbook));
        evaluate(PassContext {
            cancel: &Cancel::NEVER,
            workbook,
            state: &state,
            time_and_seed,
            dates: workbook.date_system(),
            result_cache: None,
            partials: None,
            indexes: None,
            hidden: fresh.as_ref().unwrap_or(&self.hidden),
            pivots: &self.pivots,
        })
    }
}
