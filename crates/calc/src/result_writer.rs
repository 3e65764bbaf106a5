//! Writes results into cells; arrays spill.

use quadrille_cell::{
    Array, CellAddress, ColumnIndex, ErrorValue, Range, SheetId, Value, free_deferred, set_deferred_drop,
};
use quadrille_formula::Template;
use quadrille_workbook::{PreparedBlocks, is_import};

use crate::evaluated::{record_change, write_value};
use crate::evaluation_pass::EvaluationPass;
use crate::evaluator::Outcome;
use crate::schedule::Seed;
use crate::spill::Spill;
use crate::value_access::blank_as_zero;

/// Rows of an array that are prepared between two cancellation checks.
const ROWS_TOGETHER: u32 = 4_096;

impl EvaluationPass<'_> {
    /// Writes a result; an array spills if its cells are free. Returns `false`, and writes nothing,
    /// when cancelled before the whole array is prepared (rule T5 in docs/engine.md).
    pub(crate) fn store(&mut self, sheet: SheetId, cell: CellAddress, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Value(value) => {
                self.store_value(sheet, cell, value);
                true
            }
            Outcome::Array(array) => self.spill(sheet, cell, array),
        }
    }

    pub(crate) fn store_value(&mut self, sheet: SheetId, cell: CellAddress, value: Value) {
        if !self.calculation.spills.is_empty() {
            self.forget_spill(sheet, cell);
        }
        write_value(self.workbook, sheet, cell, value, self.evaluated);
    }

    pub(crate) fn forget_spill(&mut self, sheet: SheetId, anchor: CellAddress) {
        if let Some(spill) = self.calculation.spills.remove(sheet, anchor).filter(|spill| spill.is_placed) {
            for part in spill.requested.subtract(Range::cell(anchor)) {
                self.calculation.clear_cells(self.workbook, sheet, part, self.evaluated);
            }
        }
    }

    /// Forgets the arrays of a run of formulas whose results are single values now.
    pub(crate) fn forget_spills(&mut self, sheet: SheetId, column: u32, first: u32, count: u32) {
        if self.calculation.spills.is_empty() {
            return;
        }
        let run = Range::from_indices(first, column, first + count - 1, column);
        let anchors = self.calculation.spills.anchors_in(sheet, run.expect("runs lie within the sheet"));
        for (anchor, _) in anchors {
            self.forget_spill(sheet, anchor);
        }
    }

    fn spill(&mut self, sheet: SheetId, anchor: CellAddress, array: Array) -> bool {
        let (top, left) = (anchor.row.get(), anchor.column.get());
        let (bottom, right) = (top + (array.rows() - 1), left + (array.columns() - 1));
        let whole = Range::from_indices(top, left, bottom, right);
        let requested = whole.unwrap_or_else(|| Range::new(anchor, CellAddress::clamped(bottom, right)));
        let before = self.calculation.spills.area(sheet, anchor);
        if whole.is_none() || self.is_blocked(sheet, anchor, requested) {
            self.forget_spill(sheet, anchor);
            self.calculation.spills.set(sheet, anchor, Spill { requested, is_placed: false });
            write_value(self.workbook, sheet, anchor, Value::Error(ErrorValue::Spill), self.evaluated);
            return true;
        }
        let Some(ready) = self.prepare_columns(sheet, requested, &array, before == Some(requested)) else {
            return false;
        };
        self.free(array);
        self.evict(sheet, anchor, requested);
        // Cells that the array gives up, and cells that it gains.
        let mut gained = vec![requested];
        if let Some(before) = before.filter(|before| *before != requested) {
            self.calculation.spills.remove(sheet, anchor);
            for part in before.subtract(requested) {
                self.calculation.clear_cells(self.workbook, sheet, part, self.evaluated);
            }
            gained = requested.subtract(before);
        } else if before.is_some() {
            gained.clear();
        }
        self.calculation.spills.set(sheet, anchor, Spill { requested, is_placed: true });
        // Readers of the cells it held before are already scheduled after this node.
        let others = gained.iter().flat_map(|part| part.subtract(Range::cell(anchor)));
        self.calculation.seeds.extend(others.map(|part| Seed::new(sheet, part)));
        let Some(found) = self.workbook.sheet_mut(sheet) else { return true };
        // Cells of the area that were edited since have lost their spill mark.
        found.mark_spilled(requested, anchor);
        for (column, ready) in ready {
            let rows = ready.rows();
            found.set_computed_blocks(column, ready);
            let changed = Range::from_indices(rows.start, column.get(), rows.end - 1, column.get());
            record_change(self.evaluated, sheet, changed.expect("the area lies within the sheet"));
        }
        true
    }

    /// Prepares the array's values column by column, without chunks that the cells already hold if
    /// the array fills them now. Returns `None` when cancelled.
    fn prepare_columns(
        &self,
        sheet: SheetId,
        area: Range,
        array: &Array,
        is_there: bool,
    ) -> Option<Vec<(ColumnIndex, PreparedBlocks)>> {
        let (top, left) = (area.first().row.get(), area.first().column.get());
        // Cells of a pivot table without a value stay blank, and so do imported ones.
        let formula = self.workbook.sheet(sheet).and_then(|found| found.formula(area.first()));
        let is_import = formula.is_some_and(returns_import);
        let shows_zeros = formula.is_some() && !is_import;
        let found = self.workbook.sheet(sheet).filter(|_| is_there);
        let mut ready = Vec::new();
        for offset in 0..array.columns() {
            let column = ColumnIndex::clamped(left + offset);
            let current = found.and_then(|found| found.column(column));
            for from in (0..array.rows()).step_by(ROWS_TOGETHER as usize) {
                let rows = from..array.rows().min(from + ROWS_TOGETHER);
                if self.budget.cancel.is_requested_within(rows.len() as u64) {
                    return None;
                }
                let value_at = |row| {
                    let value = array.get(row, offset).cloned().unwrap_or_default();
                    match value {
                        // A formula has a value.
                        Value::Blank if is_import && (row, offset) == (0, 0) => Value::text(""),
                        value if shows_zeros => blank_as_zero(value),
                        value => value,
                    }
                };
                let values: Vec<Value> = rows.map(value_at).collect();
                let is_current = current.is_some_and(|current| {
                    values.iter().zip(top + from..).all(|(value, row)| current.value(row) == *value)
                });
                if !is_current {
                    ready.push((column, PreparedBlocks::new(top + from, &values)));
                }
            }
        }
        Some(ready)
    }

    /// Frees the array in small steps, which stop when the evaluation is cancelled (rule T4).
    fn free(&self, array: Array) {
        set_deferred_drop(true);
        drop(array);
        set_deferred_drop(false);
        while free_deferred() && !self.budget.cancel.is_requested() {}
    }

    /// Whether cells of the area hold inputs, or an array that has precedence.
    fn is_blocked(&self, sheet: SheetId, anchor: CellAddress, requested: Range) -> bool {
        let Some(found) = self.workbook.sheet(sheet) else { return true };
        let has_input = found.inputs_in(requested).any(|(cell, _)| cell != anchor);
        has_input
            || self
                .calculation
                .spills
                .intersecting(sheet, requested)
                .any(|(other, spill)| spill.is_placed && other < anchor)
    }

    /// Takes the area from arrays that come later; the next pass evaluates them again.
    fn evict(&mut self, sheet: SheetId, anchor: CellAddress, requested: Range) {
        let others: Vec<(CellAddress, Spill)> = self
            .calculation
            .spills
            .intersecting(sheet, requested)
            .filter(|(other, spill)| *other != anchor && spill.is_placed)
            .collect();
        for (other, spill) in others {
            self.calculation.spills.set(sheet, other, Spill { is_placed: false, ..spill });
            for part in spill.requested.subtract(Range::cell(other)) {
                self.calculation.clear_cells(self.workbook, sheet, part, self.evaluated);
            }
        }
    }
}

/// Whether a formula is nothing but a call of a function such as IMPORTRANGE, or a reference to another
/// workbook.
fn returns_import(template: &Template) -> bool {
    is_import(template.expression())
}
