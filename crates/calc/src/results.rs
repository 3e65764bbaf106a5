//! Writing results: one value into its own cell, an array into the cells it has room for.

use quadrille_cell::{Array, CellAddress, ColumnIndex, ErrorValue, Range, SheetId, Value};

use crate::calculation::{report, write};
use crate::evaluator::{self, Outcome};
use crate::pass::Pass;
use crate::schedule::Seed;
use crate::spill::Spill;

impl Pass<'_> {
    /// Writes a result; an array spills if there is room.
    pub(crate) fn store(&mut self, sheet: SheetId, cell: CellAddress, outcome: Outcome) {
        match outcome {
            Outcome::Value(value) => {
                if !self.calculation.spills.is_empty() {
                    self.forget_spill(sheet, cell);
                }
                write(self.workbook, sheet, cell, value, self.evaluated);
            }
            Outcome::Array(array) => self.spill(sheet, cell, array),
        }
    }

    fn forget_spill(&mut self, sheet: SheetId, anchor: CellAddress) {
        if let Some(spill) = self.calculation.spills.remove(sheet, anchor).filter(|spill| spill.placed) {
            for part in spill.wanted.subtract(Range::cell(anchor)) {
                self.calculation.vacate(self.workbook, sheet, part, self.evaluated);
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

    fn spill(&mut self, sheet: SheetId, anchor: CellAddress, array: Array) {
        let (top, left) = (anchor.row.get(), anchor.column.get());
        let (bottom, right) = (top + (array.rows() - 1), left + (array.columns() - 1));
        let whole = Range::from_indices(top, left, bottom, right);
        let wanted = whole.unwrap_or_else(|| Range::new(anchor, CellAddress::clamped(bottom, right)));
        let before = self.calculation.spills.area(sheet, anchor);
        if whole.is_none() || self.is_blocked(sheet, anchor, wanted) {
            self.forget_spill(sheet, anchor);
            self.calculation.spills.set(sheet, anchor, Spill { wanted, placed: false });
            write(self.workbook, sheet, anchor, Value::Error(ErrorValue::Spill), self.evaluated);
            return;
        }
        self.evict(sheet, anchor, wanted);
        // Cells given up, and cells gained.
        let mut gained = vec![wanted];
        if let Some(before) = before.filter(|before| *before != wanted) {
            self.calculation.spills.remove(sheet, anchor);
            for part in before.subtract(wanted) {
                self.calculation.vacate(self.workbook, sheet, part, self.evaluated);
            }
            gained = wanted.subtract(before);
        } else if before.is_some() {
            gained.clear();
        }
        self.calculation.spills.set(sheet, anchor, Spill { wanted, placed: true });
        // Those that read the cells held before are scheduled after this one already.
        let others = gained.iter().flat_map(|part| part.subtract(Range::cell(anchor)));
        self.calculation.seeds.extend(others.map(|part| Seed::new(sheet, part)));
        self.write_array(sheet, anchor, wanted, array);
    }

    fn write_array(&mut self, sheet: SheetId, anchor: CellAddress, area: Range, array: Array) {
        let Some(found) = self.workbook.sheet_mut(sheet) else { return };
        // Cells of the area that were edited since have lost their mark.
        found.mark_spilled(area, anchor);
        let (rows, columns) = (array.rows() as usize, array.columns() as usize);
        let mut values: Vec<Value> = array.into_values().into_iter().map(evaluator::shown).collect();
        for offset in 0..columns {
            let column: Vec<Value> =
                (0..rows).map(|row| std::mem::take(&mut values[row * columns + offset])).collect();
            let index = ColumnIndex::clamped(area.first().column.get() + offset as u32);
            let top = area.first().row.get();
            let same = |known: &quadrille_workbook::Column| {
                column.iter().zip(top..).all(|(value, row)| known.value(row) == *value)
            };
            if found.column(index).is_some_and(same) {
                continue;
            }
            found.set_computed_values(index, top, &column);
            let changed = Range::from_indices(top, index.get(), area.last().row.get(), index.get());
            report(self.evaluated, sheet, changed.expect("the area lies within the sheet"));
        }
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
                self.calculation.vacate(self.workbook, sheet, part, self.evaluated);
            }
        }
    }
}
