//! Formulas that stand in no cell: those of rules, charts and other content beside the cells.

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_formula::{Host, Template};
use quadrille_functions::{Cancel, EvaluationContext};
use quadrille_workbook::Workbook;

use crate::Calculation;
use crate::evaluator::{self, Outcome, PassContext, Surroundings, shown};
use crate::graph::Graph;
use crate::hidden_rows::{HiddenRows, is_subtotal};
use crate::spill::Spills;

/// What is there is read as it is, calculated or not.
struct CurrentValues<'a>(&'a Graph, &'a Spills);

impl Surroundings for CurrentValues<'_> {
    fn is_ready(&self, _sheet: SheetId, _range: Range) -> bool {
        true
    }

    fn spill_area(&self, sheet: SheetId, cell: CellAddress) -> Option<Range> {
        self.1.area(sheet, cell)
    }

    fn subtotals_in(&self, sheet: SheetId, range: Range) -> Vec<Range> {
        self.0.subtotals_in(sheet, range)
    }
}

impl Calculation {
    /// What the formula would show in `host`, and how many steps that took; of an array the first value.
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
            Outcome::Array(array) => shown(array.into_values().swap_remove(0)),
        };
        (value, steps)
    }

    /// All the values of what the formula yields, row by row.
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
        let surroundings = CurrentValues(&self.graph, &self.spills);
        // Filters are looked at when formulas in cells leave out what they hide.
        let anew = (!self.knows_filters() && is_subtotal(template))
            .then(|| HiddenRows::of(self.hidden.filters(), workbook));
        let setting = PassContext {
            cancel: &Cancel::NEVER,
            workbook,
            surroundings: &surroundings,
            time_and_seed,
            dates: workbook.date_system(),
            memo: None,
            partials: None,
            indexes: None,
            hidden: anew.as_ref().unwrap_or(&self.hidden),
        };
        let (outcome, steps) = evaluator::evaluate(setting, host, template);
        (outcome.unwrap_or_else(|_| unreachable!("every cell is ready")), steps)
    }
}
