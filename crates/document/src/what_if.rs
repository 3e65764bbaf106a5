//! What-if analysis: results of formulas with other values in some cells, for scenarios and the
//! solver.

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_number_format::{InputContext, parse_input_with};
use quadrille_operation::{Operation, Transaction};
use quadrille_workbook::{Input, Literal};

use crate::Document;

/// Cells and calls that all trials evaluate, at most: a few seconds.
const STEPS_MAX: u64 = 20_000_000;
/// Cells and calls between two checks of `STEPS_MAX`.
const SLICE: u64 = 1_000_000;
/// Values that are tried and that are returned, at most, over all trials.
const VALUES_MAX: usize = 200_000;

/// A cell of any sheet.
pub type WhatIfCell = (SheetId, CellAddress);

impl Document {
    /// Returns the values and the displayed texts of `results` with each of the trials, which give
    /// values for `cells`; a cell without a value keeps its contents. Calculates a copy of the
    /// workbook; this document does not change. `None` when that takes too long.
    pub fn what_if(
        &self,
        cells: &[WhatIfCell],
        trials: &[Vec<Option<Literal>>],
        results: &[WhatIfCell],
    ) -> Option<Vec<Vec<(Value, String)>>> {
        if trials.len() * (cells.len() + results.len()) > VALUES_MAX {
            return None;
        }
        let mut copy = self.scratch_copy();
        let mut steps_left = STEPS_MAX;
        let mut found = Vec::with_capacity(trials.len());
        for trial in trials {
            let operations = cells.iter().zip(trial).filter_map(|((sheet, cell), value)| {
                let inputs = vec![Input::Value(value.clone()?)];
                Some(Operation::SetCells { sheet: *sheet, range: Range::cell(*cell), inputs })
            });
            // RAND and NOW keep their values.
            let applied = copy.apply_at_same_time(&Transaction { operations: operations.collect() });
            while !copy.evaluate(SLICE).finished {
                steps_left = steps_left.checked_sub(SLICE)?;
            }
            let result = |(sheet, cell): &WhatIfCell| {
                let value = copy.workbook().sheet(*sheet).map_or(Value::Blank, |found| found.value(*cell));
                (value, copy.display(*sheet, *cell).text)
            };
            found.push(results.iter().map(result).collect());
            copy.apply_at_same_time(&applied.inverse);
        }
        Some(found)
    }

    /// Returns the value that a text has when it is typed into a cell without a format.
    pub fn typed_value(&self, text: &str) -> Value {
        let dates = self.workbook().date_system();
        let typing = InputContext { locale: self.locale(), ..InputContext::invariant(dates) };
        parse_input_with(text, typing).value
    }
}
