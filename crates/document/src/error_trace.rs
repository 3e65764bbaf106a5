//! Where an error comes from: from cell to cell, along the references of the formulas that pass it on.

use std::collections::BTreeSet;

use quadrille_cell::{CellAddress, ErrorValue, Range, SheetId, Value};
use quadrille_formula::{Host, SheetReference, resolve_area, visit_references};
use quadrille_workbook::Input;

use crate::Document;

/// An error and the cell in which it arose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorSource {
    pub error: ErrorValue,
    pub sheet: SheetId,
    pub cell: CellAddress,
    /// Cells that passed it on, the asked one included.
    pub passed_on_by: u32,
}

/// Cells looked at before the trace is given up; the last one found is then the answer.
const CELLS_MAX: usize = 100_000;

impl Document {
    /// `None` when the cell shows no error. Of several cells that an error may come from it is the first in the
    /// formula's order, row by row.
    pub fn error_source(&self, sheet: SheetId, cell: CellAddress) -> Option<ErrorSource> {
        let Value::Error(error) = self.workbook().sheet(sheet)?.value(cell) else { return None };
        let mut source = ErrorSource { error, sheet, cell, passed_on_by: 0 };
        let mut seen = BTreeSet::from([(sheet, cell)]);
        let mut looks_left = CELLS_MAX;
        while let Some(next) = self.precedent_with(error, source.sheet, source.cell, &mut looks_left) {
            if !seen.insert(next) {
                break;
            }
            (source.sheet, source.cell) = next;
            source.passed_on_by += 1;
        }
        Some(source)
    }

    /// The first cell with the same error that the formula in `cell` reads.
    fn precedent_with(
        &self,
        error: ErrorValue,
        sheet: SheetId,
        cell: CellAddress,
        looks_left: &mut usize,
    ) -> Option<(SheetId, CellAddress)> {
        let Input::Formula(template) = self.workbook().sheet(sheet)?.input(cell) else { return None };
        let host = Host { sheet, cell };
        let mut ranges: Vec<(SheetId, Range)> = Vec::new();
        visit_references(&template, &mut |reference| {
            let found = match &reference.sheet {
                None => Some(host.sheet),
                Some(SheetReference::Sheet(sheet)) => Some(*sheet),
                // Through several sheets at once nobody follows.
                Some(_) => None,
            };
            if let (Some(sheet), Some(range)) = (found, resolve_area(&reference.area, host.cell)) {
                ranges.push((sheet, range));
            }
        });
        ranges.into_iter().find_map(|(sheet, range)| self.first_error(error, sheet, range, looks_left))
    }

    fn first_error(
        &self,
        error: ErrorValue,
        sheet: SheetId,
        range: Range,
        looks_left: &mut usize,
    ) -> Option<(SheetId, CellAddress)> {
        let found = self.workbook().sheet(sheet)?;
        let used = range.intersection(found.used_range()?)?;
        for cell in used.cells() {
            *looks_left = looks_left.checked_sub(1)?;
            if found.value(cell) == Value::Error(error) {
                return Some((sheet, cell));
            }
        }
        None
    }
}
