//! Writing results: one value into its own cell, an array into the cells it has room for.

use quadrille_cell::{
    Array, CellAddress, ColumnIndex, ErrorValue, Range, SheetId, Value, free_deferred, set_deferred_drop,
};
use quadrille_workbook::ReadyRows;

use crate::calculation::{report, write};
use crate::evaluation_pass::EvaluationPass;
use crate::evaluator::{self, Outcome};
use crate::schedule::Seed;
use crate::spill::Spill;

/// Rows of an array that are made ready before it is asked whether to go on.
const ROWS_TOGETHER: u32 = 4_096;

impl EvaluationPass<'_> {
    /// Writes a result; an array spills if there is room. `false`, and nothing written, when the evaluation is to end
    /// before all of an array is ready.
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
        write(self.workbook, sheet, cell, value, self.evaluated);
    }

    fn forget_spill(&mut self, sheet: SheetId, anchor: CellAddress) {
        if let Some(spill) = self.calculation.spills.remove(sheet, anchor).filter(|spill| spill.placed) {
            for part in spill.wanted.subtract(Range::cell(anchor)) {
                self.calculation.clear_cells(self.workbook, sheet, part, self.evaluated);
            }
        }
    }

    /// The same for a run of formulas of a column that all give one value now.
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
        let wanted = whole.unwrap_or_else(|| Range::new(anchor, CellAddress::clamped(bottom, right)));
        let before = self.calculation.spills.area(sheet, anchor);
        if whole.is_none() || self.is_blocked(sheet, anchor, wanted) {
            self.forget_spill(sheet, anchor);
            self.calculation.spills.set(sheet, anchor, Spill { wanted, placed: false });
            write(self.workbook, sheet, anchor, Value::Error(ErrorValue::Spill), self.evaluated);
            return true;
        }
        let Some(ready) = self.made_ready(sheet, wanted, &array, before == Some(wanted)) else {
            return false;
        };
        self.free(array);
        self.evict(sheet, anchor, wanted);
        // Cells given up, and cells gained.
        let mut gained = vec![wanted];
        if let Some(before) = before.filter(|before| *before != wanted) {
            self.calculation.spills.remove(sheet, anchor);
            for part in before.subtract(wanted) {
                self.calculation.clear_cells(self.workbook, sheet, part, self.evaluated);
            }
            gained = wanted.subtract(before);
        } else if before.is_some() {
            gained.clear();
        }
        self.calculation.spills.set(sheet, anchor, Spill { wanted, placed: true });
        // Those that read the cells held before are scheduled after this one already.
        let others = gained.iter().flat_map(|part| part.subtract(Range::cell(anchor)));
        self.calculation.seeds.extend(others.map(|part| Seed::new(sheet, part)));
        let Some(found) = self.workbook.sheet_mut(sheet) else { return true };
        // Cells of the area that were edited since have lost their mark.
        found.mark_spilled(wanted, anchor);
        for (column, ready) in ready {
            let rows = ready.rows();
            found.put_computed(column, ready);
            let changed = Range::from_indices(rows.start, column.get(), rows.end - 1, column.get());
            report(self.evaluated, sheet, changed.expect("the area lies within the sheet"));
        }
        true
    }

    /// The array's values column by column, without those that its cells have already, if it fills them; `None` when
    /// the evaluation is to end.
    fn made_ready(
        &self,
        sheet: SheetId,
        area: Range,
        array: &Array,
        is_there: bool,
    ) -> Option<Vec<(ColumnIndex, ReadyRows)>> {
        let (top, left) = (area.first().row.get(), area.first().column.get());
        let found = self.workbook.sheet(sheet).filter(|_| is_there);
        let mut ready = Vec::new();
        for offset in 0..array.columns() {
            let column = ColumnIndex::clamped(left + offset);
            let known = found.and_then(|found| found.column(column));
            for from in (0..array.rows()).step_by(ROWS_TOGETHER as usize) {
                let rows = from..array.rows().min(from + ROWS_TOGETHER);
                if self.budget.cancel.is_requested_within(rows.len() as u64) {
                    return None;
                }
                let value_at = |row| evaluator::shown(array.get(row, offset).cloned().unwrap_or_default());
                let values: Vec<Value> = rows.map(value_at).collect();
                let is_known = known.is_some_and(|known| {
                    values.iter().zip(top + from..).all(|(value, row)| known.value(row) == *value)
                });
                if !is_known {
                    ready.push((column, ReadyRows::new(top + from, &values)));
                }
            }
        }
        Some(ready)
    }

    /// Bit by bit, and not to the end when the evaluation is to.
    fn free(&self, array: Array) {
        set_deferred_drop(true);
        drop(array);
        set_deferred_drop(false);
        while free_deferred() && !self.budget.cancel.is_requested() {}
    }

    /// Whether cells of the area hold inputs, or an array that goes first.
    fn is_blocked(&self, sheet: SheetId, anchor: CellAddress, wanted: Range) -> bool {
        let Some(found) = self.workbook.sheet(sheet) else { return true };
        let has_input = found.inputs_in(wanted).any(|(cell, _)| cell != anchor);
        has_input
            || self
                .calculation
                .spills
                .meeting(sheet, wanted)
                .any(|(other, spill)| spill.placed && other < anchor)
    }

    /// Takes the area from arrays that come later; they find out in the next pass.
    fn evict(&mut self, sheet: SheetId, anchor: CellAddress, wanted: Range) {
        let others: Vec<(CellAddress, Spill)> = self
            .calculation
            .spills
            .meeting(sheet, wanted)
            .filter(|(other, spill)| *other != anchor && spill.placed)
            .collect();
        for (other, spill) in others {
            self.calculation.spills.set(sheet, other, Spill { placed: false, ..spill });
            for part in spill.wanted.subtract(Range::cell(other)) {
                self.calculation.clear_cells(self.workbook, sheet, part, self.evaluated);
            }
        }
    }
}
